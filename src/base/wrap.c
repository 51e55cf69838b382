/* SPDX-License-Identifier: MIT */
#include "base/wrap.h"

#include <stdarg.h>
#include <string.h>

unsigned wrap_width(const char *string, size_t size)
{
    unsigned width = 0;
    for (size_t i = 0; i < size; i++)
        if (((unsigned char)string[i] & 0xc0) != 0x80)
            width++;
    return width;
}

void wrap_begin(struct wrap *wrap, struct text *output, unsigned columns, unsigned column,
                unsigned indent)
{
    *wrap = (struct wrap){.output = output, .columns = columns, .indent = indent, .column = column};
}

/* Appends bytes that are safe already. */
static void wrap_place(struct wrap *wrap, const char *bytes, size_t size)
{
    if (wrap->at_word) {
        text_append_char(wrap->output, ' ');
        wrap->column++;
    }
    text_append_n(wrap->output, bytes, size);
    wrap->column += wrap_width(bytes, size);
    wrap->at_word = true;
}

static void wrap_word(struct wrap *wrap, const char *bytes, size_t size)
{
    unsigned needed = wrap_width(bytes, size) + (wrap->at_word ? 1 : 0);
    if (wrap->column > wrap->indent && wrap->column + needed > wrap->columns) {
        text_printf(wrap->output, "\n%*s", (int)wrap->indent, "");
        wrap->column = wrap->indent;
        wrap->at_word = false;
    }
    wrap_place(wrap, bytes, size);
}

void wrap_words_again(struct wrap *wrap, const char *string)
{
    for (const char *word = string + strspn(string, " "); *word;) {
        size_t size = strcspn(word, " ");
        wrap_word(wrap, word, size);
        word += size + strspn(word + size, " ");
    }
}

void wrap_words(struct wrap *wrap, const char *string)
{
    AUTO_FREE char *safe = string_safe(string);
    wrap_words_again(wrap, safe);
}

void wrap_printf(struct wrap *wrap, const char *format, ...)
{
    AUTO_TEXT struct text text = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    wrap_words(wrap, text_string(&text));
}

/* In plain ASCII a backslash stands for itself: doubled, it would spoil a command. */
static char *command_safe(const char *string)
{
    for (const char *c = string; *c; c++)
        if (*c < 0x20 || *c > 0x7e)
            return string_safe(string);
    return mem_string(string);
}

void wrap_whole(struct wrap *wrap, const char *string)
{
    AUTO_FREE char *safe = command_safe(string);
    wrap_place(wrap, safe, strlen(safe));
}

void wrap_unsplit(struct wrap *wrap, const char *string)
{
    AUTO_FREE char *safe = command_safe(string);
    wrap_word(wrap, safe, strlen(safe));
}

void wrap_end(struct wrap *wrap)
{
    text_append_char(wrap->output, '\n');
}

void wrap_paragraph(struct text *output, unsigned columns, unsigned indent, const char *string)
{
    struct wrap wrap;
    text_printf(output, "%*s", (int)indent, "");
    wrap_begin(&wrap, output, columns, indent, indent);
    wrap_words(&wrap, string);
    wrap_end(&wrap);
}
