/* SPDX-License-Identifier: MIT */
#include "rules/query/judged.h"

#include <string.h>

void judged_toolkits_free(struct judged_toolkits *toolkits)
{
    free(toolkits->items);
}

/* named_by holds "CUDA_HOME", or "CUDA_HOME: /path". */
static bool is_named(const struct facts *facts, const char *group, const char *name)
{
    const struct strlist *named_by = facts_list(facts, group, "named_by");
    size_t length = strlen(name);
    for (size_t i = 0; named_by && i < named_by->count; i++) {
        const char *item = named_by->items[i];
        if (string_starts(item, name) && (item[length] == '\0' || item[length] == ':'))
            return true;
    }
    return false;
}

static void toolkit_add(struct judged_toolkits *toolkits, const struct facts *facts,
                        const char *group)
{
    const char *path = facts_string(facts, group, "path");
    if (path == NULL)
        return;
    struct judged_toolkit *toolkit = vec_push(toolkits->items, toolkits->count, toolkits->capacity);
    toolkit->group = group;
    toolkit->path = path;
    toolkit->text = facts_string(facts, group, "version");
    if (toolkit->text)
        version_parse(toolkit->text, &toolkit->version);
}

const struct judged_toolkit *judged_toolkit_named(const struct facts *facts,
                                                  const struct judged_toolkits *toolkits,
                                                  const char *name)
{
    for (size_t i = 0; i < toolkits->count; i++)
        if (is_named(facts, toolkits->items[i].group, name))
            return &toolkits->items[i];
    return NULL;
}

static const struct judged_toolkit *toolkit_at(const struct judged_toolkits *toolkits,
                                               const char *path)
{
    for (size_t i = 0; i < toolkits->count; i++)
        if (string_equal(toolkits->items[i].path, path))
            return &toolkits->items[i];
    return NULL;
}

/* Whether builds and programs get it: a variable names it, PATH has its nvcc, or it is
 * /usr/local/cuda. */
static bool is_chosen(const struct facts *facts, const struct judged_toolkit *toolkit)
{
    const struct strlist *named_by = facts_list(facts, toolkit->group, "named_by");
    if (string_equal(facts_string(facts, "toolkit", "default"), toolkit->path))
        return true;
    for (size_t i = 0; named_by && i < named_by->count; i++)
        if (named_by->items[i][0] != '/')
            return true;
    return false;
}

bool judged_toolkit_is_idle(const struct facts *facts, const struct judged_toolkit *toolkit)
{
    return string_equal(facts_string(facts, toolkit->group, "origin"), "hpc-sdk") &&
           !is_chosen(facts, toolkit);
}

static const struct judged_toolkit *toolkit_default(const struct facts *facts,
                                                    const struct judged_toolkits *toolkits)
{
    static const char *const names[] = {"CUDA_HOME", "CUDA_PATH", "PATH"};
    const struct judged_toolkit *found =
        toolkit_at(toolkits, facts_string(facts, "toolkit", "default"));
    for (size_t i = 0; found == NULL && i < sizeof(names) / sizeof(names[0]); i++)
        found = judged_toolkit_named(facts, toolkits, names[i]);
    for (size_t i = 0; found == NULL && i < toolkits->count; i++)
        if (!judged_toolkit_is_idle(facts, &toolkits->items[i]))
            found = &toolkits->items[i];
    return found ? found : &toolkits->items[0];
}

struct judged_toolkits judged_toolkits(const struct facts *facts)
{
    struct judged_toolkits toolkits = {.count = 0};
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "toolkit", &i)) != NULL;)
        toolkit_add(&toolkits, facts, group);
    if (toolkits.count == 0)
        return toolkits;
    size_t index = (size_t)(toolkit_default(facts, &toolkits) - toolkits.items);
    struct judged_toolkit first = toolkits.items[index];
    memmove(&toolkits.items[1], &toolkits.items[0], index * sizeof(first));
    first.is_default = true;
    toolkits.items[0] = first;
    return toolkits;
}
