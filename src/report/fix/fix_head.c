/* SPDX-License-Identifier: MIT */
#include "base/shell.h"
#include "base/wrap.h"
#include "report/fix/fix.h"
#include "rules/engine/finding.h"
#include "rules/sudo.h"

static void comment(const struct report_input *input, const char *words, struct text *output)
{
    AUTO_TEXT struct text folded = {0};
    wrap_paragraph(&folded, input->columns - 2, 0, words);
    for (char *rest = folded.data, *line; (line = string_next_line(&rest)) != NULL;)
        text_printf(output, "# %s\n", line);
}

/* "Ubuntu 22.04.5 LTS with kernel 5.15.0-122-generic", as far as it is known; NULL: it is not. */
static char *machine_words(const struct facts *facts)
{
    const char *kernel = facts_string(facts, "kernel", "release");
    const char *name = facts_string(facts, "os", "pretty_name");
    if (name == NULL)
        name = facts_string(facts, "os", "id");
    if (name == NULL && kernel == NULL)
        return NULL;
    return mem_printf("%s%s%s", name ? name : "a system", kernel ? " with kernel " : "",
                      kernel ? kernel : "");
}

/* os-release may quote its values. */
static const char is_function[] =
    "is() {\n"
    "    grep -qsxF -e \"$1=$2\" -e \"$1=\\\"$2\\\"\" -e \"$1='$2'\" \\\n"
    "        /etc/os-release /usr/lib/os-release\n"
    "}\n";

static void add_condition(struct text *conditions, const char *test, const char *value)
{
    AUTO_FREE char *quoted = value ? shell_quote(value) : NULL;
    if (quoted)
        text_printf(conditions, "%s%s %s%s", conditions->size ? " ||\n    " : "", test, quoted,
                    *test == '[' ? " ]" : "");
}

/* Nothing may run on a machine that was not judged. */
static void append_guard(const struct facts *facts, struct text *output)
{
    AUTO_TEXT struct text conditions = {0};
    add_condition(&conditions, "[ \"$(uname -r)\" !=", facts_string(facts, "kernel", "release"));
    add_condition(&conditions, "! is ID", facts_string(facts, "os", "id"));
    add_condition(&conditions, "! is VERSION_ID", facts_string(facts, "os", "version_id"));
    if (conditions.size == 0)
        return;
    text_printf(output,
                "%sif %s; then\n"
                "    echo 'this script is for another machine: nothing was done' >&2\n"
                "    exit 1\nfi\n",
                is_function, text_string(&conditions));
}

static char *subject_words(const struct report_input *input)
{
    if (input->root && !string_equal(input->root, "/"))
        return mem_printf("the tree %s (run it inside: chroot)", input->root);
    if (input->record)
        return mem_printf("the machine of the record %s", input->record);
    return mem_string("this machine");
}

static void append_title(const struct report_input *input, const char *machine, bool any,
                         struct text *output)
{
    AUTO_FREE char *subject = subject_words(input);
    AUTO_FREE char *title = mem_printf(
        "Fixes for %s, from gpuenv %s with the manifest of %s.", subject, input->tool_version,
        input->manifest_date ? input->manifest_date : "unknown date");
    text_append(output, "#!/bin/sh\n");
    comment(input, title, output);
    if (machine) {
        AUTO_FREE char *made = mem_printf("It is for %s.", machine);
        comment(input, made, output);
    }
    if (!any)
        comment(input,
                input->judgement->unknown > 0
                    ? "No fix is needed for what was found; some checks could not be decided: "
                      "gpuenv doctor says which, and why."
                    : "Nothing here needs fixing.",
                output);
}

void fix_append_head(const struct report_input *input, bool runs, bool any, struct text *output)
{
    AUTO_FREE char *machine = machine_words(input->facts);
    append_title(input, machine, any, output);
    if (!runs)
        return;
    comment(input,
            "Only main() is run: the safest fixes first, until a command fails. Lines that begin "
            "with # are not run.",
            output);
    text_append(output, "set -eu\n\n");
    append_guard(input->facts, output);
    if (sudo_is_used(input->facts))
        text_append(output, "if [ \"$(id -u)\" -eq 0 ]; then # sudo may be missing\n"
                            "    sudo() { \"$@\"; }\nfi\n");
    else
        text_append(output, "if [ \"$(id -u)\" -ne 0 ]; then\n"
                            "    echo 'this script is for root: nothing was done' >&2\n"
                            "    exit 1\nfi\n");
}
