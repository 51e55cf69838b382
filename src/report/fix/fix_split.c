/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/shell.h"
#include "report/fix/fix.h"
#include "rules/engine/finding.h"

static bool is_plain_chain(const char *command)
{
    for (const char *c = shell_next_of(command, "&|;\n"); *c; c = shell_next_of(c + 1, "&|;\n")) {
        bool twice = c[1] == *c;
        if (*c == ';' || *c == '\n' || (*c == '|' && twice) || (*c == '&' && !twice))
            return false;
        c += twice;
    }
    return true;
}

void fix_split(const char *command, struct strlist *lines)
{
    if (!is_plain_chain(command)) {
        strlist_add(lines, command);
        return;
    }
    for (const char *start = command; *start;) {
        const char *end = shell_next_of(start, "&");
        char *line = mem_string_n(start, (size_t)(end - start));
        strlist_add(lines, string_trim(line));
        free(line);
        start = *end ? end + 2 : end;
    }
}

const char *fix_note(const struct finding_fix *fix)
{
    static const char *const told[] = {"or ", "and "};
    for (size_t i = 0; fix->note && i < sizeof(told) / sizeof(told[0]); i++)
        if (string_starts(fix->note, told[i]))
            return fix->note + strlen(told[i]);
    return fix->note;
}
