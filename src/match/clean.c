/* SPDX-License-Identifier: MIT */
#include "match/clean.h"

#include <string.h>

#include "base/text.h"

/* isalpha(3) and its like look for the locale first, and every line is read here. */
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* What is left of a line. */
struct rest {
    const char *at, *end;
};

static size_t left(const struct rest *rest)
{
    return (size_t)(rest->end - rest->at);
}

static bool take_word(struct rest *rest, const char *word)
{
    size_t size = strlen(word);
    if (left(rest) < size || memcmp(rest->at, word, size) != 0)
        return false;
    rest->at += size;
    return true;
}

/* Digits and others of allowed, at least one. */
static bool take_run(struct rest *rest, const char *allowed)
{
    const char *start = rest->at;
    while (rest->at < rest->end && *rest->at != '\0' &&
           (is_digit(*rest->at) || strchr(allowed, *rest->at) != NULL))
        rest->at++;
    return rest->at > start;
}

static void skip_blanks(struct rest *rest)
{
    while (rest->at < rest->end && (*rest->at == ' ' || *rest->at == '\t'))
        rest->at++;
}

/* Commits what a reader took: true where it took all it wanted. */
typedef bool prefix_reader(struct rest *rest);

/* "<6>" */
static bool read_level(struct rest *rest)
{
    return take_word(rest, "<") && take_run(rest, "") && take_word(rest, ">");
}

/* "[ 1157.036170] ", "[   12.3][ T123] " */
static bool read_uptime(struct rest *rest)
{
    if (!take_word(rest, "["))
        return false;
    skip_blanks(rest);
    take_word(rest, "T");
    return take_run(rest, ".") && take_word(rest, "]");
}

static bool read_name(struct rest *rest, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (take_word(rest, names[i]))
            return true;
    return false;
}

static bool read_month(struct rest *rest)
{
    static const char *const months[] = {"Jan ", "Feb ", "Mar ", "Apr ", "May ", "Jun ",
                                         "Jul ", "Aug ", "Sep ", "Oct ", "Nov ", "Dec "};
    return read_name(rest, months, sizeof(months) / sizeof(*months));
}

/* "[Mon Aug  5 03:54:13 2024] " */
static bool read_day(struct rest *rest)
{
    static const char *const days[] = {"Mon ", "Tue ", "Wed ", "Thu ", "Fri ", "Sat ", "Sun "};
    return take_word(rest, "[") && read_name(rest, days, sizeof(days) / sizeof(*days)) &&
           read_month(rest) && take_run(rest, ": ") && take_word(rest, "]");
}

static void skip_word(struct rest *rest)
{
    while (rest->at < rest->end && *rest->at != ' ')
        rest->at++;
}

/* "May 27 16:50:10 host kernel: ", "May 27 16:50:10 host dockerd[812]: " */
static bool read_syslog(struct rest *rest)
{
    if (!read_month(rest))
        return false;
    skip_blanks(rest);
    if (!take_run(rest, "") || !take_word(rest, " ") || !take_run(rest, ":.") ||
        !take_word(rest, " "))
        return false;
    skip_word(rest);
    return take_word(rest, " ");
}

static bool take_separator(struct rest *rest)
{
    return take_word(rest, "-") || take_word(rest, "/");
}

/* "2024-05-27T16:50:10.123Z ", "2024-05-27 16:50:10,123 ", "2024/05/27 16:50:10 " */
static bool read_date(struct rest *rest)
{
    const char *start = rest->at;
    if (!take_run(rest, "") || rest->at - start != 4 || !take_separator(rest) ||
        !take_run(rest, "") || !take_separator(rest) || !take_run(rest, ""))
        return false;
    if (!take_word(rest, "T"))
        take_word(rest, " ");
    take_run(rest, ":.,+-");
    take_word(rest, "Z");
    return rest->at == rest->end || *rest->at == ' ' || *rest->at == ':';
}

/* Of containerd and CRI-O: "stderr F "; of the kernel's log. */
static bool read_stream(struct rest *rest)
{
    static const char *const words[] = {"stderr F ", "stdout F ", "stderr P ", "stdout P ",
                                        "kernel: ",  "NVRM: ",    "NVRM:"};
    return read_name(rest, words, sizeof(words) / sizeof(*words));
}

/* "web-1  | " of docker compose. */
static bool read_compose(struct rest *rest)
{
    const char *start = rest->at;
    while (rest->at < rest->end && rest->at - start < 40 &&
           (is_digit(*rest->at) || is_letter(*rest->at) || *rest->at == '-' || *rest->at == '_'))
        rest->at++;
    if (rest->at == start)
        return false;
    skip_blanks(rest);
    return take_word(rest, "| ");
}

static prefix_reader *reader_of(char first, unsigned number)
{
    if (first == '<')
        return number == 0 ? read_level : NULL;
    if (first == '[')
        return number == 0 ? read_uptime : number == 1 ? read_day : NULL;
    if (is_digit(first))
        return number == 0 ? read_date : number == 1 ? read_compose : NULL;
    if (strchr("kNs", first) != NULL && number == 0)
        return read_stream;
    if (strchr("JFMASOND", first) != NULL && number <= 1)
        return number == 0 ? read_syslog : read_compose;
    return number == 0 ? read_compose : NULL;
}

static bool read_prefix(struct rest *rest)
{
    if (left(rest) == 0 || *rest->at == '\0')
        return false;
    prefix_reader *reader;
    for (unsigned number = 0; (reader = reader_of(*rest->at, number)) != NULL; number++) {
        struct rest after = *rest;
        if (!reader(&after))
            continue;
        *rest = after;
        return true;
    }
    return false;
}

/* Loggers pass on what others logged; four of them are more than there are. */
size_t clean_prefix(const char *line, size_t size)
{
    struct rest rest = {.at = line, .end = line + (size < 256 ? size : 256)};
    for (unsigned i = 0; i < 8; i++) {
        skip_blanks(&rest);
        if (!read_prefix(&rest))
            break;
    }
    return (size_t)(rest.at - line);
}

/* The bytes of a colour behind ESC: "[31;1m". */
static size_t colour_size(const char *bytes, size_t size)
{
    size_t i = 0;
    if (size == 0 || bytes[0] != '[')
        return 0;
    for (i = 1; i < size && i < 32 && !(bytes[i] >= '@' && bytes[i] <= '~'); i++)
        ;
    return i < size ? i + 1 : i;
}

/* The bytes that stand for another one at bytes; 0: none. '\0': for nothing. */
static size_t stands_for(const char *bytes, size_t size, char *ret_byte)
{
    *ret_byte = '\0';
    if (*bytes == '\0')
        return 1;
    if (*bytes == '\x1b')
        return 1 + colour_size(bytes + 1, size - 1);
    if (size >= 4 && memcmp(bytes, "#033", 4) == 0)
        return 4 + colour_size(bytes + 4, size - 4);
    *ret_byte = '\v';
    if (size >= 4 && memcmp(bytes, "#012", 4) == 0)
        return 4;
    size_t slashes = 0;
    while (slashes < size && slashes < 32 && bytes[slashes] == '\\')
        slashes++;
    if (slashes > 0 && slashes < size && bytes[slashes] == 'n')
        return slashes + 1;
    *ret_byte = ' ';
    return slashes > 0 && slashes < size && strchr("tr", bytes[slashes]) != NULL ? slashes + 1 : 0;
}

void clean_append(struct text *text, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size;) {
        char byte;
        size_t taken = stands_for(bytes + i, size - i, &byte);
        if (taken == 0)
            text_append_char(text, bytes[i++]);
        else if (byte != '\0')
            text_append_char(text, byte);
        i += taken;
    }
}

bool clean_changes(const char *bytes, size_t size)
{
    return memchr(bytes, '\x1b', size) != NULL || memchr(bytes, '\\', size) != NULL ||
           memchr(bytes, '#', size) != NULL || memchr(bytes, '\0', size) != NULL;
}
