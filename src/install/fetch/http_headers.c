/* SPDX-License-Identifier: MIT */
#include "install/fetch/http_headers.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

#define VALUE_MAX  128 /* with its NUL; no value that is looked for is as long */
#define DIGITS_MAX 18  /* of a number that fits into int64_t */

void http_answer_clear(struct http_answer *answer)
{
    *answer =
        (struct http_answer){.length = -1, .range_start = -1, .range_end = -1, .range_total = -1};
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

const char *http_header_value(const char *line, size_t size, const char *name, size_t *ret_size)
{
    size_t at = strlen(name);
    if (size <= at || strncasecmp(line, name, at) != 0 || line[at] != ':')
        return NULL;
    for (at++; at < size && is_space(line[at]);)
        at++;
    while (size > at && is_space(line[size - 1]))
        size--;
    *ret_size = size - at;
    return line + at;
}

/* What is not printable becomes '?', what is too long is cut. False: another header. */
static bool header_value(const char *line, size_t size, const char *name, char value[VALUE_MAX])
{
    size_t length;
    const char *found = http_header_value(line, size, name, &length);
    if (found == NULL)
        return false;
    if (length >= VALUE_MAX)
        length = VALUE_MAX - 1;
    for (size_t i = 0; i < length; i++)
        value[i] = found[i] >= 0x20 && found[i] < 0x7f ? found[i] : '?';
    value[length] = '\0';
    return true;
}

/* A number without sign that ends with the character end; *cursor is then behind that. */
static bool take_number(const char **cursor, char end, int64_t *ret_value)
{
    size_t size = strspn(*cursor, "0123456789");
    if (size == 0 || size > DIGITS_MAX || (*cursor)[size] != end)
        return false;
    *ret_value = strtoll(*cursor, NULL, 10);
    *cursor += end ? size + 1 : size;
    return true;
}

/* "bytes 5-99/100", and "*" for a length that is not known (RFC 9110, 14.4). */
static void take_range(struct http_answer *answer, const char *value)
{
    int64_t start, end, total = -1;
    const char *cursor = value + strlen("bytes ");
    answer->range_start = answer->range_end = answer->range_total = -1;
    if (strncasecmp(value, "bytes ", strlen("bytes ")) != 0 || !take_number(&cursor, '-', &start) ||
        !take_number(&cursor, '/', &end) || end < start)
        return;
    if (!string_equal(cursor, "*") && (!take_number(&cursor, '\0', &total) || total <= end))
        return;
    answer->range_start = start;
    answer->range_end = end;
    answer->range_total = total;
}

/* Seconds; more than any number has is a long time too. A date is left to libcurl. */
static void take_retry_after(struct http_answer *answer, const char *value)
{
    size_t size = strspn(value, "0123456789");
    answer->retry_after_s = 0;
    if (size > 0 && value[size] == '\0')
        answer->retry_after_s = size > DIGITS_MAX ? INT64_MAX : strtoll(value, NULL, 10);
}

static void take_word(char *word, size_t room, const char *value)
{
    size_t size = strlen(value) < room ? strlen(value) : room - 1;
    memcpy(word, value, size);
    word[size] = '\0';
}

bool http_answer_take_line(struct http_answer *answer, const char *line, size_t size)
{
    char value[VALUE_MAX];
    if (size > 5 && memcmp(line, "HTTP/", 5) == 0) {
        http_answer_clear(answer);
        return true;
    }
    if (header_value(line, size, "content-range", value))
        take_range(answer, value);
    if (header_value(line, size, "retry-after", value))
        take_retry_after(answer, value);
    if (header_value(line, size, "content-encoding", value))
        take_word(answer->encoding, sizeof(answer->encoding), value);
    if (header_value(line, size, "content-type", value)) {
        value[strcspn(value, "; ")] = '\0';
        string_lower(value);
        take_word(answer->type, sizeof(answer->type), value);
    }
    return false;
}
