/* SPDX-License-Identifier: MIT */
#include "base/toml_reader.h"

#include <ctype.h>
#include <string.h>

bool toml_fail(struct toml_reader *reader, const char *wrong)
{
    if (reader->wrong == NULL)
        reader->wrong = wrong;
    return false;
}

char toml_peek(const struct toml_reader *reader)
{
    return reader->at < reader->end ? *reader->at : '\0';
}

static bool peeks(const struct toml_reader *reader, const char *words)
{
    size_t length = strlen(words);
    return (size_t)(reader->end - reader->at) >= length && memcmp(reader->at, words, length) == 0;
}

bool toml_take(struct toml_reader *reader, const char *words)
{
    if (!peeks(reader, words))
        return false;
    reader->at += strlen(words);
    return true;
}

static void append_code_point(struct text *text, unsigned long code)
{
    if (code < 0x80) {
        text_append_char(text, (char)code);
    } else if (code < 0x800) {
        text_append_char(text, (char)(0xC0 | code >> 6));
        text_append_char(text, (char)(0x80 | (code & 0x3F)));
    } else if (code < 0x10000) {
        text_append_char(text, (char)(0xE0 | code >> 12));
        text_append_char(text, (char)(0x80 | (code >> 6 & 0x3F)));
        text_append_char(text, (char)(0x80 | (code & 0x3F)));
    } else {
        text_append_char(text, (char)(0xF0 | code >> 18));
        text_append_char(text, (char)(0x80 | (code >> 12 & 0x3F)));
        text_append_char(text, (char)(0x80 | (code >> 6 & 0x3F)));
        text_append_char(text, (char)(0x80 | (code & 0x3F)));
    }
}

/* \uXXXX or \UXXXXXXXX, of which the letter is taken. */
static bool read_code_point(struct toml_reader *reader, size_t digits, struct text *text)
{
    unsigned long code = 0;
    for (size_t i = 0; i < digits; i++, reader->at++) {
        char c = toml_peek(reader);
        if (!isxdigit((unsigned char)c))
            return toml_fail(reader, "an escape without its digits");
        code =
            code << 4 | (unsigned long)(isdigit((unsigned char)c) ? c - '0' : (c | 32) - 'a' + 10);
    }
    if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
        return toml_fail(reader, "an escape that is no character");
    append_code_point(text, code);
    return true;
}

/* A backslash was taken. In a string of several lines it also joins lines. */
static bool read_escape(struct toml_reader *reader, bool lines, struct text *text)
{
    static const char letters[] = "btnfre\"\\";
    static const char meant[] = "\b\t\n\f\r\033\"\\";
    char c = toml_peek(reader);
    const char *letter = c ? strchr(letters, c) : NULL;
    if (letter) {
        reader->at++;
        text_append_char(text, meant[letter - letters]);
        return true;
    }
    if (toml_take(reader, "u"))
        return read_code_point(reader, 4, text);
    if (toml_take(reader, "U"))
        return read_code_point(reader, 8, text);
    if (!lines || (c != '\n' && c != '\r' && c != ' ' && c != '\t'))
        return toml_fail(reader, "an escape that TOML does not have");
    for (; (c = toml_peek(reader)) == '\n' || c == '\r' || c == ' ' || c == '\t'; reader->at++)
        reader->line += c == '\n';
    return true;
}

bool toml_string(struct toml_reader *reader, bool key, struct text *text)
{
    char quote = *reader->at;
    char three[] = {quote, quote, quote, '\0'};
    char one[] = {quote, '\0'};
    bool lines = !key && toml_take(reader, three);
    const char *closing = lines ? three : one;
    reader->at += !lines;
    if (lines) {
        toml_take(reader, "\r");
        reader->line += toml_take(reader, "\n");
    }
    while (reader->at < reader->end) {
        if (toml_take(reader, closing)) {
            for (int i = 0; lines && i < 2 && toml_take(reader, one); i++)
                text_append_char(text, quote);
            return true;
        }
        char c = *reader->at++;
        if (c == '\0' || (c == '\n' && !lines))
            return toml_fail(reader, "a string that does not end");
        reader->line += c == '\n';
        if (c != '\\' || quote == '\'')
            text_append_char(text, c);
        else if (!read_escape(reader, lines, text))
            return false;
    }
    return toml_fail(reader, "a string that does not end");
}
