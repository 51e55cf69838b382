/* SPDX-License-Identifier: MIT */
#include "probe/python/metadata.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"

#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."

/* Without white space; NULL when nothing is left. */
static char *squeezed(const char *from, size_t length)
{
    AUTO_TEXT struct text text = {0};
    for (size_t i = 0; i < length; i++)
        if (!isspace((unsigned char)from[i]))
            text_append_char(&text, from[i]);
    return text.size > 0 ? text_steal(&text) : NULL;
}

/* "(==1.0)" and "==1.0" are the same. */
static char *version_part(const char *from, size_t length)
{
    AUTO_FREE char *version = squeezed(from, length);
    size_t size = version ? strlen(version) : 0;
    if (size >= 2 && version[0] == '(' && version[size - 1] == ')')
        return size > 2 ? mem_string_n(version + 1, size - 2) : NULL;
    return mem_steal(&version);
}

/* The quoted text behind `variable OPERATOR`, on one side of `at`; *ret_operator is its first two
 * characters. free() it. */
static char *compared(const char *at, const char *variable, char ret_operator[static 3])
{
    at += strlen(variable);
    at += strspn(at, " \t");
    size_t length = strcspn(at, "'\" \t");
    ret_operator[0] = at[0];
    ret_operator[1] = at[0] ? at[1] : '\0';
    ret_operator[2] = '\0';
    at += length;
    at += strspn(at, " \t");
    if (*at != '\'' && *at != '"')
        return NULL;
    const char *close = strchr(at + 1, *at);
    return close ? mem_string_n(at + 1, (size_t)(close - at - 1)) : NULL;
}

/* The word itself, not the end or the beginning of another one. */
static const char *find_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)) != NULL; at += length) {
        bool starts = at == text || (!isalnum((unsigned char)at[-1]) && at[-1] != '_');
        unsigned char after = (unsigned char)at[length];
        if (starts && !isalnum(after) && after != '_')
            return at;
    }
    return NULL;
}

static char *marker_extra(const char *marker)
{
    char operator[3];
    const char *at = find_word(marker, "extra");
    return at ? compared(at, "extra", operator) : NULL;
}

bool marker_fits(const char *marker, const char *machine)
{
    const char *const wanted[][2] = {
        {"platform_machine", machine}, {"platform_system", "Linux"}, {"sys_platform", "linux"}};
    for (size_t i = 0; marker && i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        char operator[3];
        const char *at = find_word(marker, wanted[i][0]);
        AUTO_FREE char *value = at ? compared(at, wanted[i][0], operator) : NULL;
        if (value == NULL || wanted[i][1] == NULL || strstr(marker, " or "))
            continue;
        bool same = string_equal(value, wanted[i][1]);
        if ((string_equal(operator, "==") && !same) || (string_equal(operator, "!=") && same))
            return false;
    }
    return true;
}

bool requirement_line_parse(const char *line, struct requirement_line *ret_line)
{
    line += strspn(line, " \t");
    size_t length = strspn(line, NAME_CHARACTERS);
    if (length == 0)
        return false;
    AUTO_FREE char *name = mem_string_n(line, length);
    const char *at = line + length;
    struct requirement_line parsed = {.name = package_name_normal(name)};
    at += strspn(at, " \t");
    if (*at == '[') {
        size_t size = strcspn(at, "]");
        parsed.extras = squeezed(at + 1, size - 1);
        at += size + (at[size] == ']');
    }
    size_t size = strcspn(at, ";");
    if (*at != '@') /* a URL says nothing of the version */
        parsed.version = version_part(at, size);
    at += size;
    if (*at == ';') {
        AUTO_FREE char *marker = mem_string(at + 1);
        parsed.marker = mem_string(string_trim(marker));
        parsed.extra = marker_extra(parsed.marker);
    }
    *ret_line = parsed;
    return true;
}

void requirement_line_free(struct requirement_line *line)
{
    free(line->name);
    free(line->extras);
    free(line->version);
    free(line->extra);
    free(line->marker);
    *line = (struct requirement_line){0};
}
