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

static bool is_control(char c)
{
    return (unsigned char)c < 0x20 || (unsigned char)c >= 0x7f;
}

/* $'…' of bash, ksh and zsh: the only way to keep a newline on one line. */
static char *quote_bytes(const char *word)
{
    AUTO_TEXT struct text text = {0};
    text_append(&text, "$'");
    for (const char *c = word; *c; c++) {
        if (is_control(*c))
            text_printf(&text, "\\x%02x", (unsigned char)*c);
        else if (*c == '\'' || *c == '\\')
            text_printf(&text, "\\%c", *c);
        else
            text_append_char(&text, *c);
    }
    text_append_char(&text, '\'');
    return text_steal(&text);
}

char *shell_quote(const char *word)
{
    bool plain = *word != '\0';
    for (const char *c = word; *c; c++) {
        if (is_control(*c))
            return quote_bytes(word);
        plain = plain && is_plain(*c);
    }
    if (plain)
        return mem_string(word);
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
