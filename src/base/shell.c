/* SPDX-License-Identifier: MIT */
#include "base/shell.h"

#include <stdbool.h>
#include <string.h>

#include "base/text.h"

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("/._-+=:,@%", c) != NULL);
}

static bool is_printable(const char *word)
{
    AUTO_TEXT struct text safe = {0};
    AUTO_TEXT struct text same = {0};
    text_append_safe(&safe, word);
    for (const char *c = word; *c; c++)
        text_printf(&same, *c == '\\' ? "\\%c" : "%c", *c);
    return string_equal(text_string(&safe), text_string(&same));
}

/* "$(printf '…')": every shell reads it, and all of it stays on one line. */
static char *quote_bytes(const char *word)
{
    AUTO_TEXT struct text text = {0};
    text_append(&text, "\"$(printf '");
    for (const unsigned char *c = (const unsigned char *)word; *c; c++) {
        bool as_it_is = *c >= 0x20 && *c < 0x7f && strchr("'\\%", *c) == NULL;
        as_it_is = as_it_is && (*c != '-' || c > (const unsigned char *)word); /* no option */
        text_printf(&text, as_it_is ? "%c" : "\\%03o", *c);
    }
    text_append(&text, "')\"");
    return text_steal(&text);
}

/* $'…' of bash, ksh and zsh. Any other shell takes it for a word that names nothing: no byte of
 * word can end the quotes. */
static char *quote_last_newline(const char *word)
{
    AUTO_TEXT struct text text = {0};
    text_append(&text, "$'");
    for (const unsigned char *c = (const unsigned char *)word; *c; c++)
        text_printf(&text, is_plain((char)*c) ? "%c" : "\\x%02x", *c);
    text_append_char(&text, '\'');
    return text_steal(&text);
}

static char *quote(const char *word)
{
    AUTO_TEXT struct text text = {0};
    text_append_char(&text, '\'');
    for (const char *c = word; *c; c++)
        if (*c == '\'')
            text_append(&text, "'\\''");
        else
            text_append_char(&text, *c);
    text_append_char(&text, '\'');
    return text_steal(&text);
}

char *shell_quote(const char *word)
{
    bool plain = *word != '\0';
    for (const char *c = word; *c; c++)
        plain = plain && is_plain(*c);
    if (plain)
        return mem_string(word);
    if (is_printable(word))
        return quote(word);
    return string_ends(word, "\n") ? quote_last_newline(word) : quote_bytes(word);
}

/* What is quoted at c, or the character there: how many bytes. */
static size_t unit_size(const char *c)
{
    const char *end = c + 1;
    if (*c == '\\')
        return c[1] ? 2 : 1;
    if (*c != '\'' && *c != '"')
        return 1;
    for (; *end && *end != *c; end++)
        if (*c == '"' && end[0] == '\\' && end[1])
            end++;
    return (size_t)(end - c) + (*end != '\0');
}

char *shell_without_sudo(const char *line)
{
    static const char sudo[] = "sudo ";
    AUTO_TEXT struct text text = {0};
    for (const char *c = line; *c;) {
        bool begins = c == line || c[-1] == ' ' || c[-1] == '(';
        if (begins && string_starts(c, sudo)) {
            c += strlen(sudo);
            continue;
        }
        size_t size = unit_size(c);
        text_append_n(&text, c, size);
        c += size;
    }
    return text_steal(&text);
}

const char *shell_next_of(const char *c, const char *characters)
{
    while (*c && strchr(characters, *c) == NULL)
        c += unit_size(c);
    return c;
}

void shell_split_list(const char *line, struct strlist *commands)
{
    const char *end;
    for (const char *start = line; *start; start = *end ? end + 1 : end) {
        end = shell_next_of(start, ";");
        AUTO_FREE char *command = mem_string_n(start, (size_t)(end - start));
        strlist_add(commands, string_trim(command));
    }
}
