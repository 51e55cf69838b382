/* SPDX-License-Identifier: MIT */
#include "install/unpack/unpack_private.h"

struct finish {
    struct unpack_table *table;
    struct unpack_writer *writer;
    struct error *error;
    bool failed;
};

/* Directories that the filter keeps for themselves, empty ones too. */
static void decide_directory(struct unpack_entry *entry, void *context)
{
    const struct finish *finish = context;
    if (entry->member.type != UNPACK_DIRECTORY || !entry->wanted)
        return;
    entry->there = true;
    unpack_table_parents(finish->table, entry->member.path);
}

/* A link is kept with what it leads to. Whether others are there does not matter to it: those on
 * its way are followed. */
static void decide_link(struct unpack_entry *entry, void *context)
{
    const struct finish *finish = context;
    if (entry->member.type == UNPACK_LINK && entry->wanted)
        entry->there = unpack_table_leads(finish->table, entry);
}

static void link_is_there(struct unpack_entry *entry, void *context)
{
    const struct finish *finish = context;
    if (entry->member.type == UNPACK_LINK && entry->there)
        unpack_table_parents(finish->table, entry->member.path);
}

static void make(struct unpack_entry *entry, void *context)
{
    struct finish *finish = context;
    const struct unpack_member *member = &entry->member;
    if (finish->failed || !entry->there)
        return;
    if (member->type == UNPACK_DIRECTORY)
        finish->failed = !unpack_write_directory(finish->writer, member->path, finish->error);
    if (member->type == UNPACK_LINK)
        finish->failed =
            !unpack_write_link(finish->writer, member->path, member->target, finish->error);
}

bool unpack_finish(struct unpack_table *table, struct unpack_writer *writer, struct error *error)
{
    struct finish finish = {.table = table, .writer = writer, .error = error};
    unpack_table_walk(table, decide_directory, &finish);
    unpack_table_walk(table, decide_link, &finish);
    unpack_table_walk(table, link_is_there, &finish);
    unpack_table_walk(table, make, &finish);
    return !finish.failed;
}
