/* SPDX-License-Identifier: MIT */
#include "install/cache/cache_prune.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "install/cache/cache_private.h"
#include "install/io/fd.h"
#include "install/io/lock.h"
#include "install/io/tree.h"

/* The least recently used first; of equal ones by name, so that every run does the same. */
struct place {
    struct cache_entry *entry;
};
static int compare(const void *a, const void *b)
{
    const struct cache_entry *left = ((const struct place *)a)->entry;
    const struct cache_entry *right = ((const struct place *)b)->entry;
    if (left->used != right->used)
        return left->used < right->used ? -1 : 1;
    return strcmp(left->name, right->name);
}

/* What is above the size goes, the least recently used first. */
static void mark_above(struct cache_contents *contents, uint64_t max_size)
{
    AUTO_FREE struct place *order = mem_alloc((contents->count + 1) * sizeof(*order));
    uint64_t total = 0;
    for (size_t i = 0; i < contents->count; i++) {
        struct cache_entry *entry = &contents->entries[i];
        order[i].entry = entry;
        total += entry->is_removed ? 0 : entry->size;
    }
    qsort(order, contents->count, sizeof(*order), compare);
    for (size_t i = 0; total > max_size && i < contents->count; i++) {
        struct cache_entry *entry = order[i].entry;
        if (entry->is_removed || entry->is_busy)
            continue;
        entry->is_removed = true;
        total -= entry->size;
    }
}

void cache_mark(struct cache_contents *contents, const struct cache_limits *limits, int64_t now)
{
    for (size_t i = 0; i < contents->count; i++) {
        struct cache_entry *entry = &contents->entries[i];
        bool old = limits->by_age && now - entry->used > limits->older_than_s;
        entry->is_removed = !entry->is_busy && (limits->all || old);
    }
    if (limits->by_size)
        mark_above(contents, limits->max_size);
}

static bool remove_entry(const struct cache_contents *contents, const struct cache_entry *entry,
                         struct error *error)
{
    AUTO_CLOSE int fd = tree_open(contents->fd, entry->directory, false, contents->path, error);
    if (fd < 0)
        return false;
    if (unlinkat(fd, entry->name, 0) == 0 || errno == ENOENT)
        return true;
    AUTO_FREE char *where = mem_printf("%s/%s/%s", contents->path, entry->directory, entry->name);
    return error_set_errno(error, fd_error_kind(errno), errno, where, "cannot remove it");
}

/* "sha256/ab", once it is empty. */
static void remove_directories(const struct cache_contents *contents)
{
    for (size_t i = 0; i < contents->count; i++)
        if (contents->entries[i].is_removed && contents->entries[i].kind == CACHE_ARCHIVE)
            unlinkat(contents->fd, contents->entries[i].directory, AT_REMOVEDIR);
}

bool cache_remove_marked(struct cache_contents *contents, const struct cache_limits *limits,
                         int64_t now, unsigned lock_timeout_s, struct error *error)
{
    if (contents->fd < 0)
        return true;
    AUTO_CLOSE int lock = openat(contents->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock < 0)
        return error_set_errno(error, ERROR_CANNOT_WRITE, errno, contents->path,
                               "cannot open the cache");
    if (!lock_directory(lock, lock_timeout_s, contents->path, error))
        return false;
    AUTO_CONTENTS struct cache_contents again = {.fd = -1};
    if (!cache_contents_read(&again, error)) /* what came or went before the lock was ours */
        return false;
    cache_contents_free(contents);
    *contents = again;
    again = (struct cache_contents){.fd = -1};
    cache_mark(contents, limits, now);
    for (size_t i = 0; i < contents->count; i++)
        if (contents->entries[i].is_removed &&
            !remove_entry(contents, &contents->entries[i], error))
            return false;
    remove_directories(contents);
    return true;
}
