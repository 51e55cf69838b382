/* SPDX-License-Identifier: MIT */
#include "probe/library/library_needed.h"

#include "base/text.h"

/* Of all libraries together; real ones need a dozen each, most of them the same. */
#define NAMES_MAX 4096

static bool finds(const struct loader *loader, const char *name, const char *from,
                  const char *rpath, const char *runpath)
{
    AUTO_HIT struct loader_hit hit = {0};
    loader_find(loader, name, from, rpath, runpath, &hit);
    return hit.path != NULL;
}

/* Without RPATH; asked once for each name. NULL: there are too many. */
static const struct needed_name *find_plain(const struct loader *loader, const char *name,
                                            struct needed_memo *memo)
{
    for (size_t i = 0; i < memo->count; i++)
        if (string_equal(memo->names[i].name, name))
            return &memo->names[i];
    if (memo->count == NAMES_MAX)
        return NULL;
    struct needed_name *entry = vec_push(memo->names, memo->count, memo->capacity);
    entry->name = mem_string(name);
    entry->found = finds(loader, name, NULL, NULL, NULL);
    return entry;
}

bool library_unresolved(const struct loader *loader, const char *path, const struct elf_info *elf,
                        struct needed_memo *memo, struct strlist *unresolved)
{
    for (size_t i = 0; i < elf->needed.count; i++) {
        const char *name = elf->needed.items[i];
        const struct needed_name *plain = find_plain(loader, name, memo);
        if (plain == NULL)
            return false;
        bool found = plain->found || ((elf->rpath || elf->runpath) &&
                                      finds(loader, name, path, elf->rpath, elf->runpath));
        if (!found)
            strlist_add_new(unresolved, name);
    }
    return true;
}

void needed_memo_free(struct needed_memo *memo)
{
    for (size_t i = 0; i < memo->count; i++)
        free(memo->names[i].name);
    free(memo->names);
    *memo = (struct needed_memo){0};
}
