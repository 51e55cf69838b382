/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/wrap.h"
#include "cli/engine/options.h"

#define HELP_INDENT 27 /* where the explanations begin */

static void append_option(const struct option *option, unsigned columns, struct text *output)
{
    AUTO_TEXT struct text label = {0};
    if (option->letter)
        text_printf(&label, "  -%c, --%s", option->letter, option->name);
    else
        text_printf(&label, "      --%s", option->name);
    if (option->argument)
        text_printf(&label, " %s", option->argument);
    text_append(output, text_string(&label));
    if (label.size + 2 > HELP_INDENT)
        text_printf(output, "\n%*s", HELP_INDENT, "");
    else
        text_printf(output, "%*s", HELP_INDENT - (int)label.size, "");
    struct wrap wrap;
    wrap_begin(&wrap, output, columns, HELP_INDENT, HELP_INDENT);
    wrap_words(&wrap, option->help);
    if (option->repeatable)
        wrap_words(&wrap, "(repeatable)");
    wrap_end(&wrap);
}

void options_append_help(const struct option *const table[], unsigned columns, struct text *output)
{
    for (size_t i = 0; table[i]; i++)
        append_option(table[i], columns, output);
}
