/* SPDX-License-Identifier: MIT */
/* findings-doc: prints docs/reference/findings.md, or with "symptoms" docs/reference/symptoms.md,
 * from the texts and lists that gpuenv explain prints. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/wrap.h"
#include "cli/explain/explain.h"
#include "manifest/manifest.h"
#include "rules/engine/finding.h"
#include "rules/engine/rule.h"
#include "rules/rules.h"

#define COLUMNS 100

/* Markdown takes none of the marks for markup. */
static char *escape_marks(const char *words, const char *marks)
{
    AUTO_TEXT struct text text = {0};
    for (; *words; words++) {
        if (strchr(marks, *words))
            text_append_char(&text, '\\');
        text_append_char(&text, *words);
    }
    return text_steal(&text);
}

static char *escape(const char *words)
{
    return escape_marks(words, "*<|");
}

static void print_paragraph(const char *heading, const char *words)
{
    AUTO_FREE char *safe = escape(words ? words : "");
    AUTO_FREE char *line = mem_printf("**%s** %s", heading, safe);
    AUTO_TEXT struct text text = {0};
    wrap_paragraph(&text, COLUMNS, 0, line);
    printf("\n%s", text_string(&text));
}

/* "[MOD-001](findings.md#mod-001)" */
static void print_link(const char *file, const struct rule *rule)
{
    printf("[%s](%s#", rule->code, file);
    for (const char *c = rule->code; *c; c++)
        putchar(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
    putchar(')');
}

/* The rules in the order of their codes. */
static int compare_rules(const void *a, const void *b)
{
    const struct rule *const *first = a, *const *second = b;
    return strcmp((*first)->code, (*second)->code);
}

static size_t sort_rules(const struct rule **sorted, size_t most)
{
    size_t count = 0;
    for (const struct rule *rule = rule_table; rule->code && count < most; rule++)
        sorted[count++] = rule;
    qsort(sorted, count, sizeof(*sorted), compare_rules);
    return count;
}

static void print_severities(const struct rule *rule, enum purpose purpose, const char *between)
{
    AUTO_FREE char *names = explain_severities(rule, purpose, between);
    printf("%s", names ? names : "–");
}

static void print_overview(const struct rule **rules, size_t count)
{
    printf("\n## All findings\n\n"
           "| code | cause | it says that | `run` | `build` | `container` |\n"
           "|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < count; i++) {
        printf("| ");
        print_link("", rules[i]);
        AUTO_FREE char *title = escape(rules[i]->title);
        printf(" | `%s` | %s", rules[i]->cause, title);
        for (enum purpose purpose = PURPOSE_RUN; purpose <= PURPOSE_CONTAINER; purpose++) {
            printf(" | ");
            print_severities(rules[i], purpose, ", ");
        }
        printf(" |\n");
    }
}

/* "CUDA 802", "NVML 18", "Xid 79", "\"No devices were found\"" */
static void print_symptom(enum manifest_error_list list, const struct manifest_error *row)
{
    if (row->text)
        printf("\"%s\"", row->text);
    else
        printf("%s %u", manifest_error_list_name(list), row->code);
}

static void print_causes(const struct strlist *causes)
{
    for (size_t i = 0; i < causes->count; i++) {
        const struct rule *rule = rule_find(causes->items[i]);
        printf(i ? ", " : "");
        if (rule)
            print_link("", rule);
    }
}

static void print_symptom_row(struct manifest *manifest, enum manifest_error_list list,
                              const struct manifest_error *row)
{
    enum manifest_error_list meant;
    const struct manifest_error *explained = manifest_error_meant(manifest, row, &meant);
    if (explained == NULL || explained->findings.count == 0)
        return;
    const char *name = row->name ? row->name : row->runtime_name;
    const char *mark = name ? "`" : "";
    printf("| ");
    print_symptom(list, row);
    printf(" | %s%s%s | ", mark, name ? name : row->by, mark);
    if (explained == row) {
        print_causes(&row->findings);
    } else {
        printf("as ");
        print_symptom(meant, explained);
    }
    printf(" |\n");
}

static void print_symptoms_short(struct manifest *manifest)
{
    printf(
        "\n## Symptoms\n\n"
        "Error numbers, Xids of the kernel log, and messages. Check the causes from left to right: "
        "the first\nthat the machine has explains the symptom. [Symptoms](symptoms.md) has the "
        "fact that decides each.\n\n"
        "| symptom | | causes |\n|---|---|---|\n");
    for (enum manifest_error_list list = 0; list < ERROR_LISTS; list++) {
        size_t count;
        const struct manifest_error *rows = manifest_errors(manifest, list, &count);
        for (size_t i = 0; i < count; i++)
            print_symptom_row(manifest, list, &rows[i]);
    }
}

/* The rules that may follow from this one. */
static void print_consequences(const struct rule *cause)
{
    AUTO_STRLIST struct strlist codes = {0};
    for (const struct rule *rule = rule_table; rule->code; rule++) {
        AUTO_STRLIST struct strlist follows = {0};
        explain_follows(rule, &follows);
        if (strlist_has(&follows, cause->cause))
            strlist_add(&codes, rule->code);
    }
    strlist_sort(&codes);
    AUTO_FREE char *words = strlist_join(&codes, ", ");
    if (codes.count > 0)
        print_paragraph("What may follow from it.", words);
}

static void print_follows(const struct rule *rule)
{
    AUTO_STRLIST struct strlist codes = {0}, causes = {0};
    explain_follows(rule, &causes);
    for (size_t i = 0; i < causes.count; i++)
        strlist_add(&codes, rule_find(causes.items[i]) ? rule_find(causes.items[i])->code
                                                       : causes.items[i]);
    AUTO_FREE char *words = strlist_join(&codes, ", ");
    if (rule->symptom)
        print_paragraph("What it may follow from.",
                        "The first cause found of those that its error number has among the "
                        "symptoms.");
    else if (codes.count > 0)
        print_paragraph("What it may follow from.", words);
}

static void print_by_hand(const struct rule *rule)
{
    AUTO_STRLIST struct strlist lines = {0};
    explain_by_hand(rule, &lines);
    printf("\n**How to check by hand.**\n\n");
    for (size_t i = 0; i < lines.count; i++)
        printf("    %s\n", lines.items[i]);
}

static void print_rule(const struct rule *rule)
{
    AUTO_FREE char *title = escape(rule->title);
    printf("\n## %s\n\n`%s`: %s. ", rule->code, rule->cause, title);
    for (enum purpose purpose = PURPOSE_RUN; purpose <= PURPOSE_CONTAINER; purpose++) {
        printf("%s`%s`: ", purpose ? "; " : "Severity for ", purpose_name(purpose));
        print_severities(rule, purpose, " or ");
    }
    printf(". Shown in the report's %s block.\n", block_name(rule->block));
    print_paragraph("What it means.", rule->meaning);
    print_paragraph("How it is detected.", rule->detected);
    print_by_hand(rule);
    print_paragraph("How to fix it.", rule->fix);
    print_paragraph("Often mistaken for.", rule->mistaken);
    print_follows(rule);
    print_consequences(rule);
}

static void print_findings(struct manifest *manifest)
{
    const struct rule *rules[512];
    size_t count = sort_rules(rules, sizeof(rules) / sizeof(*rules));
    printf(
        "# Findings\n\n"
        "**Generated page.** Do not edit it: `tests/program/findings-doc --write` makes it from "
        "the "
        "texts of\n`gpuenv explain`.\n\n"
        "Every cause that `gpuenv doctor` names has a code and a name that never change meaning. "
        "Its severity\n(`fail`, `warn`, `info`; –: not looked for) depends on the machine and on "
        "what it is judged for (`--for\nrun`, `build`, `container`). A consequence of another "
        "finding is shown below it and not counted.\n[Known limits](known-limits.md) says what "
        "cannot be detected, and which causes gpuenv does not name.\n");
    print_overview(rules, count);
    print_symptoms_short(manifest);
    for (size_t i = 0; i < count; i++)
        print_rule(rules[i]);
}

/* What people see when they have this number. */
static void print_seen_as(struct manifest *manifest, const struct manifest_error *meant)
{
    size_t count, named = 0;
    const struct manifest_error *rows = manifest_errors(manifest, ERRORS_MESSAGE, &count);
    for (size_t i = 0; i < count; i++) {
        enum manifest_error_list list;
        if (rows[i].error == NULL || manifest_error_meant(manifest, &rows[i], &list) != meant)
            continue;
        printf("%s\"%s\" (%s)", named++ ? ", " : "Seen as: ", rows[i].text, rows[i].by);
    }
    if (named > 0)
        printf(".\n\n");
}

static void print_decisions(struct manifest *manifest, enum manifest_error_list list,
                            const struct manifest_error *row)
{
    printf("\n## ");
    print_symptom(list, row);
    AUTO_FREE char *meaning = escape(row->meaning);
    const char *name = row->name ? row->name : row->runtime_name;
    printf("%s%s\n\n%c%s.\n\n", name ? ": " : "", name ? name : "",
           meaning[0] >= 'a' && meaning[0] <= 'z' ? meaning[0] - 'a' + 'A' : meaning[0],
           meaning + 1);
    print_seen_as(manifest, row);
    printf("| | fact | cause | by hand |\n|---|---|---|---|\n");
    for (size_t i = 0; i < row->findings.count; i++) {
        const struct rule *rule = rule_find(row->findings.items[i]);
        if (rule == NULL)
            continue;
        AUTO_STRLIST struct strlist commands = {0};
        explain_by_hand(rule, &commands);
        AUTO_FREE char *fact = escape(rule->decides ? rule->decides : "");
        AUTO_FREE char *command = escape_marks(commands.count ? commands.items[0] : "", "|");
        char *remark = strstr(command, "    #");
        if (remark)
            *remark = '\0';
        printf("| %zu | %s | ", i + 1, fact);
        print_link("findings.md", rule);
        printf(" `%s` | `%s` |\n", rule->cause, command);
    }
    if (row->remaining)
        printf("\nNone of these: %s. What decides then: `%s`\n", row->remaining, row->command);
}

static void print_symptoms(struct manifest *manifest)
{
    printf(
        "# Symptoms\n\n"
        "**Generated page.** Do not edit it: `tests/program/findings-doc --write` makes it from\n"
        "`manifests/error.json` and the texts of `gpuenv explain`.\n\n"
        "A symptom can have several causes. From top to bottom, the first whose fact holds is the "
        "one. `gpuenv\ndoctor` checks the same list, and `gpuenv explain` prints it with all "
        "commands. Symptoms with a single\ncause, and Xids, are in "
        "[findings](findings.md#symptoms).\n");
    static const enum manifest_error_list lists[] = {ERRORS_CUDA, ERRORS_NVML, ERRORS_CUDNN,
                                                     ERRORS_NCCL, ERRORS_MESSAGE};
    for (size_t k = 0; k < sizeof(lists) / sizeof(*lists); k++) {
        size_t count;
        const struct manifest_error *rows = manifest_errors(manifest, lists[k], &count);
        for (size_t i = 0; i < count; i++)
            if (rows[i].findings.count > 1)
                print_decisions(manifest, lists[k], &rows[i]);
    }
}

int main(int argc, char **argv)
{
    struct manifest *manifest = manifest_new();
    if (argc > 1 && strcmp(argv[1], "symptoms") == 0)
        print_symptoms(manifest);
    else
        print_findings(manifest);
    manifest_free(manifest);
    return 0;
}
