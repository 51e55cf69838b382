/* SPDX-License-Identifier: MIT */
#include "base/text.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static void text_reserve(struct text *text, size_t more)
{
    size_t needed = text->size + more + 1;
    if (needed <= text->capacity)
        return;
    size_t capacity = text->capacity ? text->capacity : 64;
    while (capacity < needed)
        capacity *= 2;
    text->data = mem_resize(text->data, capacity, 1);
    text->capacity = capacity;
}

void text_append_n(struct text *text, const char *bytes, size_t size)
{
    text_reserve(text, size);
    if (size > 0)
        memcpy(text->data + text->size, bytes, size);
    text->size += size;
    text->data[text->size] = '\0';
}

void text_append(struct text *text, const char *string)
{
    text_append_n(text, string, strlen(string));
}

void text_append_char(struct text *text, char c)
{
    text_append_n(text, &c, 1);
}

void text_vprintf(struct text *text, const char *format, va_list arguments)
{
    AUTO_FREE char *formatted = mem_vprintf(format, arguments);
    text_append(text, formatted);
}

void text_printf(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(text, format, arguments);
    va_end(arguments);
}

void text_clear(struct text *text)
{
    text->size = 0;
    if (text->data)
        text->data[0] = '\0';
}

void text_free(struct text *text)
{
    free(text->data);
    *text = (struct text){0};
}

char *text_steal(struct text *text)
{
    char *data = text->data ? text->data : mem_string("");
    *text = (struct text){0};
    return data;
}

const char *text_string(const struct text *text)
{
    return text->data ? text->data : "";
}

bool string_equal(const char *a, const char *b)
{
    if (a == NULL || b == NULL)
        return a == b;
    return strcmp(a, b) == 0;
}

bool string_starts(const char *string, const char *prefix)
{
    return string && strncmp(string, prefix, strlen(prefix)) == 0;
}

bool string_ends(const char *string, const char *suffix)
{
    if (string == NULL)
        return false;
    size_t length = strlen(string);
    size_t suffix_length = strlen(suffix);
    return length >= suffix_length && strcmp(string + length - suffix_length, suffix) == 0;
}

bool string_contains_nocase(const char *string, const char *part)
{
    return strcasestr(string, part) != NULL;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

char *string_trim(char *string)
{
    while (is_space(*string))
        string++;
    size_t length = strlen(string);
    while (length > 0 && is_space(string[length - 1]))
        length--;
    string[length] = '\0';
    return string;
}

bool string_is_blank(const char *string)
{
    while (is_space(*string))
        string++;
    return *string == '\0';
}

char *string_lower(char *string)
{
    for (char *c = string; c && *c; c++)
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c - 'A' + 'a');
    return string;
}

char *string_next_line(char **cursor)
{
    char *line = *cursor;
    if (line == NULL || *line == '\0')
        return NULL;
    char *end = strchr(line, '\n');
    if (end == NULL) {
        *cursor = NULL;
        return line;
    }
    *end = '\0';
    *cursor = end + 1;
    return line;
}

char *string_fill(const char *pattern, const char *word, const char *value)
{
    const char *at = strstr(pattern, word);
    if (at == NULL)
        return mem_string(pattern);
    return mem_printf("%.*s%s%s", (int)(at - pattern), pattern, value, at + strlen(word));
}

char *string_fill_all(const char *pattern, const char *word, const char *value)
{
    AUTO_TEXT struct text filled = {0};
    const char *at;
    while (value != NULL && (at = strstr(pattern, word)) != NULL) {
        text_append_n(&filled, pattern, (size_t)(at - pattern));
        text_append(&filled, value);
        pattern = at + strlen(word);
    }
    text_append(&filled, pattern);
    return text_steal(&filled);
}

bool string_to_unsigned(const char *string, unsigned long long *ret_value)
{
    bool hex = string_starts(string, "0x");
    const char *digits = hex ? string + 2 : string;
    if (digits[0] == '\0' ||
        strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789") != strlen(digits))
        return false;
    errno = 0;
    unsigned long long value = strtoull(digits, NULL, hex ? 16 : 10);
    if (errno != 0)
        return false;
    *ret_value = value;
    return true;
}

bool string_to_decimal(const char *string, unsigned long long most, unsigned long long *ret_value)
{
    unsigned long long value;
    if (string_starts(string, "0x") || !string_to_unsigned(string, &value) || value > most)
        return false;
    *ret_value = value;
    return true;
}

static bool utf8_tail(const unsigned char *bytes, size_t count)
{
    for (size_t i = 1; i <= count; i++)
        if ((bytes[i] & 0xc0) != 0x80)
            return false;
    return true;
}

size_t utf8_sequence(const char *bytes, size_t size)
{
    const unsigned char *b = (const unsigned char *)bytes;
    if (size == 0)
        return 0;
    if (b[0] < 0x80)
        return 1;
    if (b[0] >= 0xc2 && b[0] <= 0xdf)
        return size >= 2 && utf8_tail(b, 1) ? 2 : 0;
    if (b[0] >= 0xe0 && b[0] <= 0xef) {
        if (size < 3 || !utf8_tail(b, 2))
            return 0;
        bool overlong = b[0] == 0xe0 && b[1] < 0xa0;
        bool surrogate = b[0] == 0xed && b[1] >= 0xa0;
        return overlong || surrogate ? 0 : 3;
    }
    if (b[0] >= 0xf0 && b[0] <= 0xf4) {
        if (size < 4 || !utf8_tail(b, 3))
            return 0;
        bool overlong = b[0] == 0xf0 && b[1] < 0x90;
        bool too_big = b[0] == 0xf4 && b[1] >= 0x90;
        return overlong || too_big ? 0 : 4;
    }
    return 0;
}

bool utf8_valid(const char *bytes, size_t size)
{
    size_t at = 0;
    while (at < size) {
        size_t length = utf8_sequence(bytes + at, size - at);
        if (length == 0)
            return false;
        at += length;
    }
    return true;
}

/* What can change how a terminal shows the text around it: C0, DEL, C1, and the characters that
 * Unicode lists as bidirectional formatting (UAX #9), line separators and the byte order mark. */
static bool utf8_unsafe(const char *bytes, size_t length)
{
    const unsigned char *b = (const unsigned char *)bytes;
    if (length == 1)
        return b[0] < 0x20 || b[0] == 0x7f;
    if (length == 2)
        return (b[0] == 0xc2 && b[1] < 0xa0) || (b[0] == 0xd8 && b[1] == 0x9c);
    if (length != 3)
        return false;
    uint32_t point =
        ((uint32_t)(b[0] & 0x0f) << 12) | ((uint32_t)(b[1] & 0x3f) << 6) | (uint32_t)(b[2] & 0x3f);
    return (point >= 0x200b && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
           (point >= 0x2060 && point <= 0x2069) || point == 0xfeff;
}

static void append_safe(struct text *text, const char *bytes, size_t size, const char *backslash)
{
    size_t at = 0;
    while (at < size) {
        size_t length = utf8_sequence(bytes + at, size - at);
        if (length == 1 && bytes[at] == '\\') {
            text_append(text, backslash);
        } else if (length > 0 && !utf8_unsafe(bytes + at, length)) {
            text_append_n(text, bytes + at, length);
        } else {
            length = length ? length : 1;
            for (size_t i = 0; i < length; i++)
                text_printf(text, "\\x%02x", (unsigned char)bytes[at + i]);
        }
        at += length;
    }
}

void text_append_safe_n(struct text *text, const char *bytes, size_t size)
{
    append_safe(text, bytes, size, "\\\\");
}

void text_append_safe_again(struct text *text, const char *string)
{
    append_safe(text, string, strlen(string), "\\");
}

void text_append_safe(struct text *text, const char *string)
{
    text_append_safe_n(text, string, strlen(string));
}

char *string_safe(const char *string)
{
    if (string == NULL)
        return NULL;
    AUTO_TEXT struct text safe = {0};
    text_append_safe(&safe, string);
    return text_steal(&safe);
}
