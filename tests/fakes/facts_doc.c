/* SPDX-License-Identifier: MIT */
/* facts-doc: prints docs/reference/facts.md, all facts there are, from the dictionary. */
#include <stdio.h>
#include <string.h>

#include "facts/dictionary.h"

static const char *type_name(enum fact_type type)
{
    switch (type) {
    case FACT_STRING:
        return "text";
    case FACT_INTEGER:
        return "number";
    case FACT_BOOLEAN:
        return "yes or no";
    case FACT_LIST:
        return "list";
    }
    return "";
}

static void print_cell(const char *text)
{
    for (; *text; text++) {
        if (*text == '|')
            putchar('\\');
        putchar(*text);
    }
}

static void print_kind(const struct fact_kind *kind)
{
    printf("\n## `%s`: %s\n\n%s\n\n| group | fact | type | meaning |\n|---|---|---|---|\n",
           kind->kind, kind->meaning,
           kind->owner == OWNER_TREE
               ? "Read from files, below `--root` too."
               : "Of the running machine; with `--root` it comes from the record of `--facts`.");
    for (const struct fact_entry *entry = fact_entries; entry->kind; entry++) {
        if (strcmp(entry->kind, kind->kind) != 0)
            continue;
        printf("| `%s%s` | `%s` | %s | ", entry->kind, entry->of_instance ? "/…" : "", entry->name,
               type_name(entry->type));
        print_cell(entry->meaning);
        printf(" |\n");
    }
}

int main(void)
{
    printf(
        "# Facts\n\n"
        "**Generated page.** Do not edit it: `tests/program/facts-doc --write` makes it from\n"
        "`src/facts/dictionary*.def`.\n\n"
        "`gpuenv facts` records these facts. Each has a value, or is *absent* (looked for, not "
        "there),\n*unknown* (should have answered and did not) or *skipped* (not available here), "
        "with its source.\n`KIND/…` is one group for each thing of that kind.\n\n"
        "`gpuenv facts --json` prints them under these keys, after the "
        "[envelope](formats.md#envelope).\n");
    for (const struct fact_kind *kind = fact_kinds; kind->kind; kind++)
        print_kind(kind);
    return 0;
}
