/* SPDX-License-Identifier: MIT */
#include <search.h>
#include <string.h>

#include "install/io/search.h"
#include "install/unpack/unpack_private.h"

/* As many links as the kernel follows in one path. */
#define LINKS_MAX 40

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct unpack_entry *)a)->member.path,
                  ((const struct unpack_entry *)b)->member.path);
}

struct unpack_entry *unpack_table_find(const struct unpack_table *table, const char *path)
{
    const struct unpack_entry key = {.member.path = (char *)(uintptr_t)path};
    void *node = tfind(&key, &table->root, compare);
    return node ? *(struct unpack_entry **)node : NULL;
}

struct unpack_entry *unpack_table_add(struct unpack_table *table, const char *path,
                                      enum unpack_type type)
{
    struct unpack_entry *entry = mem_alloc(sizeof(*entry));
    entry->member.path = mem_string(path);
    entry->member.type = type;
    if (tsearch(entry, &table->root, compare) == NULL)
        mem_exhausted();
    table->count++;
    table->name_bytes += strlen(path);
    return entry;
}

struct walk {
    void (*visit)(struct unpack_entry *entry, void *context);
    void *context;
};

static void walk_item(void *item, void *data)
{
    const struct walk *walk = data;
    walk->visit(item, walk->context);
}

void unpack_table_walk(const struct unpack_table *table,
                       void (*visit)(struct unpack_entry *entry, void *context), void *context)
{
    struct walk walk = {.visit = visit, .context = context};
    search_walk(&table->root, compare, walk_item, &walk);
}

void unpack_table_parents(const struct unpack_table *table, const char *path)
{
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        AUTO_FREE char *parent = mem_string_n(path, (size_t)(slash - path));
        unpack_table_find(table, parent)->there = true;
    }
}

static void entry_free(void *node)
{
    struct unpack_entry *entry = node;
    free(entry->member.path);
    free(entry->member.target);
    free(entry);
}

void unpack_table_free(struct unpack_table *table)
{
    tdestroy(table->root, entry_free);
    *table = (struct unpack_table){.root = NULL};
}

/* The first entry on the way to path that is not a directory, and what of path is after it. */
static const struct unpack_entry *first_stop(const struct unpack_table *table, const char *path,
                                             const char **ret_rest)
{
    const struct unpack_entry *entry = NULL;
    path += strspn(path, "/");
    for (size_t end = 0; path[end] != '\0';) {
        end += strspn(path + end, "/");
        end += strcspn(path + end, "/");
        AUTO_FREE char *way = mem_string_n(path, end);
        entry = unpack_table_find(table, way);
        *ret_rest = path + end;
        if (entry == NULL || entry->member.type != UNPACK_DIRECTORY)
            return entry;
    }
    return entry; /* the tree itself: NULL */
}

bool unpack_table_leads(const struct unpack_table *table, const struct unpack_entry *link)
{
    const char *rest = "";
    AUTO_FREE char *path = unpack_target_path(link->member.path, link->member.target);
    for (unsigned links = 0; links < LINKS_MAX; links++) {
        const struct unpack_entry *entry = first_stop(table, path, &rest);
        if (entry == NULL)
            return true;
        if (entry->member.type != UNPACK_LINK)
            return entry->there;
        if (!entry->wanted)
            return false;
        AUTO_FREE char *target = unpack_target_path(entry->member.path, entry->member.target);
        char *next = mem_printf("%s%s", target, rest);
        free(path);
        path = next;
    }
    return true; /* a circle, as it was packed */
}
