/* SPDX-License-Identifier: MIT */
#include "install/print/print_use.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/path.h"
#include "base/shell.h"
#include "install/run/run.h"

/* How a shell takes the variables, with a %s for the prefix. The last row is for all others. */
static const struct {
    const char *shell, *line;
} use_lines[] = {
    {"fish", "gpuenv env --prefix %s --format fish | source"},
    {"csh", "eval \"`gpuenv env --prefix %s --format csh`\""},
    {"tcsh", "eval \"`gpuenv env --prefix %s --format csh`\""},
    {NULL, "eval \"$(gpuenv env --prefix %s)\""},
};

static const char *use_line(void)
{
    const char *path = getenv("SHELL");
    const char *shell = path ? path_base(path) : "";
    size_t row = 0;
    while (use_lines[row].shell && strcmp(use_lines[row].shell, shell) != 0)
        row++;
    return use_lines[row].line;
}

/* What a shell is to know; in an image there is none yet. */
void print_use(const struct run *run, struct text *output)
{
    AUTO_FREE char *prefix = shell_quote(run->prefix.path);
    if (run->request->root)
        return;
    text_append(output, "to use the installation from this shell:\n");
    const char *line = use_line();
    const char *hole = strstr(line, "%s");
    text_printf(output, "  %.*s%s%s\n", (int)(hole - line), line, prefix, hole + 2);
}
