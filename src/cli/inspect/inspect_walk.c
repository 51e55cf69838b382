/* SPDX-License-Identifier: MIT */
#include "cli/inspect/inspect.h"

#include "base/path.h"
#include "host/local/local.h"
#include "host/root/file.h"

#define DEPTH_MAX  200 /* directories within one another */
#define SEEN_LEAST 1024

/* The files and directories that were looked at, by what the kernel knows them by: one with several
 * names is read once, and a directory mounted within itself ends. */
struct seen {
    struct seen_file {
        uint64_t file_system, inode;
        bool used;
    } * slots;
    size_t count, size; /* size: a power of two */
};

static void seen_free(struct seen *seen)
{
    free(seen->slots);
}

static struct seen_file *seen_slot(const struct seen *seen, uint64_t file_system, uint64_t inode)
{
    uint64_t hash = (inode * 0x9e3779b97f4a7c15ull) ^ (file_system * 0xc2b2ae3d27d4eb4full);
    size_t i = (size_t)(hash ^ (hash >> 29)) & (seen->size - 1);
    while (seen->slots[i].used &&
           (seen->slots[i].inode != inode || seen->slots[i].file_system != file_system))
        i = (i + 1) & (seen->size - 1);
    return &seen->slots[i];
}

static void seen_grow(struct seen *seen)
{
    struct seen larger = {.size = seen->size ? seen->size * 2 : SEEN_LEAST};
    larger.slots = mem_alloc(larger.size * sizeof(*larger.slots));
    for (size_t i = 0; i < seen->size; i++)
        if (seen->slots[i].used)
            *seen_slot(&larger, seen->slots[i].file_system, seen->slots[i].inode) = seen->slots[i];
    larger.count = seen->count;
    free(seen->slots);
    *seen = larger;
}

/* False when it was there. */
static bool seen_add(struct seen *seen, const struct host_stat *stat)
{
    if (seen->count * 2 >= seen->size)
        seen_grow(seen);
    struct seen_file *slot = seen_slot(seen, stat->file_system, stat->inode);
    if (slot->used)
        return false;
    *slot =
        (struct seen_file){.file_system = stat->file_system, .inode = stat->inode, .used = true};
    seen->count++;
    return true;
}

/* A walk through what one word names. */
struct walk {
    const struct host *host;
    struct inspection *inspection;
    struct seen seen;
    unsigned depth;
};

static void add_problem(struct walk *walk, const char *shown, struct error *error)
{
    struct inspection *inspection = walk->inspection;
    struct inspected *item = vec_push(inspection->items, inspection->count, inspection->capacity);
    item->path = mem_string(shown);
    item->error = *error;
    item->error.kind = ERROR_NO_INPUT;
    if (item->error.where == NULL)
        error_where(&item->error, "%s", shown);
    *error = (struct error){.kind = ERROR_NONE};
}

/* What the kernel makes up holds no programs, and is read for ever. */
static bool is_kernel_place(const struct walk *walk, const char *path)
{
    return host_is_live(walk->host) && (string_equal(path, "/proc") || string_equal(path, "/sys") ||
                                        string_equal(path, "/dev"));
}

static void walk_directory(struct walk *walk, const char *path, const char *shown);

/* An entry of a directory. What is gone since the directory was read is not missed. */
static void walk_entry(struct walk *walk, const char *path, const char *shown)
{
    AUTO_ERROR struct error error = {.kind = ERROR_NONE};
    struct host_stat stat;
    enum host_status status = host_lstat(walk->host, path, &stat, &error);
    if (status == HOST_ABSENT)
        return;
    if (status != HOST_OK && status != HOST_FOREIGN) {
        add_problem(walk, shown, &error);
        return;
    }
    bool wanted = status == HOST_OK && !is_kernel_place(walk, path) &&
                  (stat.type == HOST_REGULAR || stat.type == HOST_DIRECTORY);
    if (!wanted) {
        walk->inspection->skipped++;
    } else if (!seen_add(&walk->seen, &stat)) {
        walk->inspection->again++;
    } else if (stat.type == HOST_DIRECTORY) {
        walk_directory(walk, path, shown);
    } else {
        inspect_file(walk->host, path, shown, false, walk->inspection);
    }
}

static void walk_directory(struct walk *walk, const char *path, const char *shown)
{
    AUTO_ERROR struct error error = {.kind = ERROR_NONE};
    AUTO_STRLIST struct strlist names = {0};
    if (walk->depth == DEPTH_MAX) {
        error_set(&error, ERROR_NO_INPUT, "more than %d nested directories", DEPTH_MAX);
        add_problem(walk, shown, &error);
        return;
    }
    if (host_list(walk->host, path, &names, &error) != HOST_OK) {
        add_problem(walk, shown, &error);
        return;
    }
    walk->depth++;
    for (size_t i = 0; i < names.count; i++) {
        AUTO_FREE char *entry = path_join(path, names.items[i]);
        AUTO_FREE char *entry_shown = path_join(shown, names.items[i]);
        walk_entry(walk, entry, entry_shown);
    }
    walk->depth--;
}

void inspect_path(const struct host *host, const char *word, struct inspection *inspection)
{
    AUTO_ERROR struct error error = {.kind = ERROR_NONE};
    AUTO_FREE char *path = host_is_live(host) ? local_absolute(word)
                                              : mem_printf("%s%s", word[0] == '/' ? "" : "/", word);
    struct walk walk = {.host = host, .inspection = inspection};
    struct host_stat stat;
    if (word[0] == '\0') { /* of a variable that is not set: not the current directory */
        error_set(&error, ERROR_NO_INPUT, "an empty name");
        error_where(&error, "\"\"");
        add_problem(&walk, word, &error);
    } else if (host_stat(host, path, &stat, &error) != HOST_OK) {
        add_problem(&walk, word, &error);
    } else if (stat.type == HOST_DIRECTORY) {
        inspection->any_directory = true;
        seen_add(&walk.seen, &stat);
        walk_directory(&walk, path, word);
        seen_free(&walk.seen);
    } else {
        inspect_file(host, path, word, true, inspection);
    }
}
