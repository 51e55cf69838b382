/* SPDX-License-Identifier: MIT */
#include "rules/query/gpu_process.h"

#include <string.h>

#include "rules/query/gpu_nvml.h"

#define SHOWN_MAX 4

struct entry {
    unsigned long long pid;
    int64_t bytes; /* -1: not told */
};

/* False for what is no entry: records are hostile. */
static bool entry_parse(const char *text, struct entry *ret_entry)
{
    AUTO_FREE char *copy = mem_string(text);
    unsigned long long pid, bytes;
    char *rest = copy;
    const char *number = strsep(&rest, " ");
    if (!string_to_unsigned(number, &pid))
        return false;
    bool told = rest && string_to_unsigned(rest, &bytes) && bytes <= INT64_MAX;
    *ret_entry = (struct entry){.pid = pid, .bytes = told ? (int64_t)bytes : -1};
    return true;
}

static int compare_entries(const void *a, const void *b)
{
    const struct entry *one = a;
    const struct entry *other = b;
    if (one->bytes != other->bytes)
        return one->bytes < other->bytes ? 1 : -1;
    return (one->pid > other->pid) - (one->pid < other->pid);
}

/* Sorted, the largest first; free() it. */
static struct entry *entries_parse(const struct strlist *texts, size_t *ret_count)
{
    struct entry *entries = mem_alloc((texts->count + 1) * sizeof(*entries));
    *ret_count = 0;
    for (size_t i = 0; i < texts->count; i++)
        *ret_count += entry_parse(texts->items[i], &entries[*ret_count]);
    qsort(entries, *ret_count, sizeof(*entries), compare_entries);
    return entries;
}

/* The group of the process with that number; NULL: it is not on this machine as it is seen here. */
static const char *group_of(const struct facts *facts, unsigned long long pid)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "gpu_process", &i)) != NULL;) {
        int64_t number;
        if (facts_integer(facts, group, "pid", &number) && number >= 0 &&
            (unsigned long long)number == pid)
            return group;
    }
    return NULL;
}

static const char *name_of(const struct facts *facts, unsigned long long pid)
{
    const char *group = group_of(facts, pid);
    return group ? facts_string(facts, group, "name") : NULL;
}

const char *gpu_process_name(const struct facts *facts, const char *entry)
{
    struct entry parsed;
    return entry_parse(entry, &parsed) ? name_of(facts, parsed.pid) : NULL;
}

bool gpu_process_is_elsewhere(const struct facts *facts, const char *entry)
{
    struct entry parsed;
    int64_t count;
    return facts_integer(facts, "gpu_process", "count", &count) && entry_parse(entry, &parsed) &&
           group_of(facts, parsed.pid) == NULL;
}

static void append_process(struct text *text, const char *name, unsigned long long pid)
{
    if (text->size > 0)
        text_append(text, ", ");
    if (name)
        text_printf(text, "%s (%llu)", name, pid);
    else
        text_printf(text, "process %llu", pid);
}

char *gpu_process_describe(const struct facts *facts, const struct strlist *texts)
{
    size_t count = 0;
    struct text text = {0};
    AUTO_FREE struct entry *entries = entries_parse(texts, &count);
    for (size_t i = 0; i < count && i < SHOWN_MAX; i++) {
        append_process(&text, name_of(facts, entries[i].pid), entries[i].pid);
        if (entries[i].bytes < 0)
            continue;
        AUTO_FREE char *bytes = nvml_bytes(entries[i].bytes);
        text_printf(&text, " with %s", bytes);
    }
    if (count > SHOWN_MAX)
        text_printf(&text, " and %zu more", count - SHOWN_MAX);
    return text_steal(&text);
}

char *gpu_process_kill(const struct strlist *texts)
{
    size_t count = 0;
    struct text text = {0};
    AUTO_FREE struct entry *entries = entries_parse(texts, &count);
    text_append(&text, "kill");
    for (size_t i = 0; i < count && i < SHOWN_MAX; i++)
        text_printf(&text, " %llu", entries[i].pid);
    return text_steal(&text);
}

char *gpu_process_holders(const struct facts *facts, const char *node)
{
    struct text text = {0};
    size_t count = 0;
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "gpu_process", &i)) != NULL;) {
        const struct strlist *nodes = facts_list(facts, group, "nodes");
        int64_t pid, parent;
        if (nodes == NULL || !strlist_has(nodes, node) ||
            !facts_integer(facts, group, "pid", &pid) || pid < 0 || ++count > SHOWN_MAX)
            continue;
        append_process(&text, facts_string(facts, group, "name"), (unsigned long long)pid);
        if (facts_integer(facts, group, "parent", &parent) && parent == 1)
            text_append(&text, " without a parent");
    }
    if (count > SHOWN_MAX)
        text_printf(&text, " and %zu more", count - SHOWN_MAX);
    return text_steal(&text);
}
