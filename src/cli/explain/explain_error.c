/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/shell.h"
#include "base/wrap.h"
#include "cli/explain/explain.h"
#include "manifest/manifest.h"
#include "rules/engine/rule.h"
#include "rules/rules.h"

void explain_clauses(const char *clauses, struct strlist *list)
{
    for (const char *at = clauses; at != NULL;) {
        const char *end = strstr(at, "; ");
        strlist_take(list, mem_string_n(at, end ? (size_t)(end - at) : strlen(at)));
        at = end ? end + 2 : NULL;
    }
}

void explain_error_names(struct manifest *manifest, struct strlist *names)
{
    for (enum manifest_error_list list = 0; list < ERROR_LISTS; list++) {
        size_t count;
        const struct manifest_error *rows = manifest_errors(manifest, list, &count);
        for (size_t i = 0; i < count; i++) {
            if (rows[i].name)
                strlist_add(names, rows[i].name);
            if (rows[i].runtime_name)
                strlist_add(names, rows[i].runtime_name);
            if (rows[i].older_name)
                strlist_add(names, rows[i].older_name);
        }
    }
}

/* The number of an item of a list may stand before it. */
static void append_title(enum manifest_error_list list, const struct manifest_error *row,
                         unsigned columns, struct text *output)
{
    const char *line = strrchr(text_string(output), '\n');
    line = line ? line + 1 : text_string(output);
    struct wrap wrap;
    wrap_begin(&wrap, output, columns, wrap_width(line, strlen(line)), 2);
    if (row->text)
        wrap_printf(&wrap, "\"%s\", from %s", row->text, row->by);
    else
        wrap_printf(&wrap, "%s%s %u:", manifest_error_list_name(list),
                    list == ERRORS_XID ? "" : " error", row->code);
    if (row->name)
        wrap_words(&wrap, row->name);
    if (row->runtime_name)
        wrap_printf(&wrap, row->name ? "(runtime: %s)" : "%s (runtime only)", row->runtime_name);
    if (row->words)
        wrap_printf(&wrap, "\"%s\"", row->words);
    if (row->older_code)
        wrap_printf(&wrap, "(before cuDNN 9: %s%s%u)", row->older_name ? row->older_name : "",
                    row->older_name ? ", " : "", row->older_code);
    wrap_end(&wrap);
}

static void append_heading(const char *heading, unsigned columns, struct text *output)
{
    text_append_char(output, '\n');
    wrap_paragraph(output, columns, 0, heading);
}

/* One entry of a list, its second line below the first one's text. */
static void append_entry(const char *mark, const char *words, unsigned columns, struct text *output)
{
    struct wrap wrap;
    text_printf(output, "  %s", mark);
    unsigned column = 2 + (unsigned)strlen(mark);
    wrap_begin(&wrap, output, columns, column, 4);
    wrap_words(&wrap, words);
    wrap_end(&wrap);
}

static void append_clauses(const char *heading, const char *clauses, unsigned columns,
                           struct text *output)
{
    AUTO_STRLIST struct strlist list = {0};
    explain_clauses(clauses, &list);
    if (list.count == 0)
        return;
    append_heading(heading, columns, output);
    for (size_t i = 0; i < list.count; i++)
        append_entry(list.count > 1 ? "- " : "", list.items[i], columns, output);
}

static void append_meaning(struct manifest *manifest, enum manifest_error_list list,
                           const struct manifest_error *row, unsigned columns, struct text *output)
{
    append_heading("what it means", columns, output);
    if (row->meaning)
        append_entry("", row->meaning, columns, output);
    else {
        AUTO_FREE char *nothing = mem_printf("this manifest (%s) has only the name of this error",
                                             manifest_date(manifest));
        append_entry("", nothing, columns, output);
    }
    if (list == ERRORS_XID)
        append_entry("",
                     "(an Xid is an error that NVIDIA's kernel module writes to the kernel log)",
                     columns, output);
    if (row->application)
        append_entry("",
                     "usually the program's own fault: NVIDIA's Kubernetes device plugin does not "
                     "treat it as a fault of the GPU",
                     columns, output);
}

/* Of more findings than LIST_WHOLE only the first LIST_FIRST have their fact and their commands. */
#define LIST_WHOLE 6
#define LIST_FIRST 3

/* The fact that decides, and the commands that show it. */
static void append_decides(const struct rule *rule, unsigned column, unsigned columns,
                           struct text *output)
{
    AUTO_FREE char *when = mem_printf("fact: %s", rule->decides);
    wrap_paragraph(output, columns, column, when);
    AUTO_STRLIST struct strlist commands = {0};
    explain_by_hand(rule, &commands);
    for (size_t i = 0; i < commands.count; i++)
        text_printf(output, "%*s%s\n", (int)column + 2, "", commands.items[i]);
}

/* "  1. DRV-007 uvm_module_not_loaded: …" and what decides it; without decides "  4. DRV-011 …".
 * digits: of the list's last number. */
static void append_finding(size_t number, unsigned digits, const char *cause, bool decides,
                           unsigned columns, struct text *output)
{
    const struct rule *rule = rule_find(cause);
    if (rule == NULL) {
        append_entry("- ", cause, columns, output);
        return;
    }
    unsigned body = digits + (unsigned)strlen("  . ");
    AUTO_FREE char *line = decides ? mem_printf("%s %s: %s", rule->code, rule->cause, rule->title)
                                   : mem_printf("%s %s", rule->code, rule->title);
    struct wrap wrap;
    text_printf(output, "  %*zu. ", (int)digits, number);
    wrap_begin(&wrap, output, columns, body, body);
    wrap_words(&wrap, line);
    wrap_end(&wrap);
    if (decides)
        append_decides(rule, body, columns, output);
}

void explain_causes_text(const struct strlist *causes, const char *heading, unsigned columns,
                         struct text *output)
{
    append_heading(heading, columns, output);
    size_t first = causes->count > LIST_WHOLE ? LIST_FIRST : causes->count;
    for (size_t i = 0; i < causes->count; i++) {
        if (i == first)
            append_heading("further causes, in this order (gpuenv explain CODE shows their facts "
                           "and commands)",
                           columns, output);
        append_finding(i + 1, causes->count < 10 ? 1 : 2, causes->items[i], i < first, columns,
                       output);
    }
}

static void append_findings(const struct strlist *causes, unsigned columns, struct text *output)
{
    if (causes->count == 0)
        return;
    explain_causes_text(causes,
                        causes->count > 1
                            ? "which cause applies: the first cause whose fact is true (gpuenv "
                              "doctor checks the facts)"
                            : "which finding explains the error (gpuenv doctor looks for this "
                              "finding)",
                        columns, output);
}

static void append_facts(const struct strlist *facts, unsigned columns, struct text *output)
{
    if (facts->count == 0)
        return;
    append_heading("related facts (gpuenv facts shows their values)", columns, output);
    for (size_t i = 0; i < facts->count; i++)
        append_entry("", facts->items[i], columns, output);
}

static void append_action(struct manifest *manifest, const char *mark, const char *word,
                          unsigned columns, struct text *output)
{
    if (word == NULL)
        return;
    const struct manifest_error_action *action = manifest_error_action(manifest, word);
    AUTO_FREE char *line = action ? mem_printf("%s: %s", word, action->meaning) : mem_string(word);
    append_entry(mark, line, columns, output);
}

static void append_actions(struct manifest *manifest, const struct manifest_error *row,
                           unsigned columns, struct text *output)
{
    if (row->action == NULL && row->investigate == NULL)
        return;
    append_heading("what NVIDIA says to do", columns, output);
    append_action(manifest, "at once, ", row->action, columns, output);
    append_action(manifest, "to find the cause, ", row->investigate, columns, output);
}

/* A line for each command, and never broken: it can be copied. */
static void append_command(const struct manifest_error *row, unsigned columns, struct text *output)
{
    if (row->command == NULL)
        return;
    append_heading(row->findings.count ? "what decides in that case" : "what decides", columns,
                   output);
    AUTO_STRLIST struct strlist commands = {0};
    shell_split_list(row->command, &commands);
    for (size_t i = 0; i < commands.count; i++) {
        text_append(output, "  ");
        text_append_safe(output, commands.items[i]);
        text_append_char(output, '\n');
    }
}

static void append_source(const struct manifest_error *row, unsigned columns, struct text *output)
{
    append_heading("where this is from", columns, output);
    append_entry("", row->source, columns, output);
    AUTO_FREE char *line = mem_printf("%s; confidence in number and name: %s%s%s", row->id,
                                      row->confidence, row->meaning ? "; in the rest: " : "",
                                      row->meaning ? row->meaning_confidence : "");
    append_entry("", line, columns, output);
}

void explain_error_text(struct manifest *manifest, enum manifest_error_list list,
                        const struct manifest_error *row, unsigned columns, struct text *output)
{
    append_title(list, row, columns, output);
    append_meaning(manifest, list, row, columns, output);
    append_clauses("what causes it", row->cause, columns, output);
    append_findings(&row->findings, columns, output);
    append_facts(&row->facts, columns, output);
    if (row->findings.count > 0)
        append_clauses("if none of these applies", row->remaining, columns, output);
    append_command(row, columns, output);
    append_actions(manifest, row, columns, output);
    append_clauses("how to fix it", row->fix, columns, output);
    append_clauses("remarks", row->notes, columns, output);
    append_source(row, columns, output);
}
