/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "install/io/fd.h"
#include "install/prefix/pending_private.h"
#include "install/prefix/stage.h"

#define DIRECTORY (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

static int compare_rows(const void *a, const void *b)
{
    return strcmp(((const struct ledger_file *)a)->path, ((const struct ledger_file *)b)->path);
}

/* The row of next is the one to go by where the prefix has that file already. */
static bool has_new(const struct prefix *prefix, int fd, const struct ledger_file *file)
{
    AUTO_VERIFICATION struct verification found = {.files = 0};
    AUTO_ERROR struct error lost = {0};
    return verify_file(fd, prefix->path, file, VERIFY_BYTES, &found, &lost) &&
           found.changed.count == 0 && found.missing.count == 0;
}

static void swap_rows(struct ledger_file *a, struct ledger_file *b)
{
    struct ledger_file row = *a;
    *a = *b;
    *b = row;
}

/* Each path of either ledger once, by the row that the file there is of. next is emptied. */
static void take_rows(struct prefix *prefix, int fd, struct ledger *next)
{
    struct ledger *ledger = &prefix->ledger;
    size_t old_count = ledger->file_count;
    for (size_t i = 0; i < next->file_count; i++) {
        struct ledger_file *file = &next->files[i];
        struct ledger_file *old =
            bsearch(file, ledger->files, old_count, sizeof(*ledger->files), compare_rows);
        if (old == NULL)
            swap_rows(vec_push(ledger->files, ledger->file_count, ledger->file_capacity), file);
        else if (has_new(prefix, fd, file))
            swap_rows(old, file);
    }
    qsort(ledger->files, ledger->file_count, sizeof(*ledger->files), compare_rows);
}

/* The mark of an uninstall comes before the files that say anything else go. */
static bool write_down(struct prefix *prefix, int holder, struct error *error)
{
    static const char *const gone[] = {LEDGER_NAME, LEDGER_PENDING};
    bool named = false;
    if (!pending_write_ledger(prefix, holder, LEDGER_LEAVING, &prefix->ledger, &named, error))
        return false;
    for (size_t i = 0; i < sizeof(gone) / sizeof(*gone); i++)
        if (unlinkat(holder, gone[i], 0) != 0 && errno != ENOENT)
            return pending_cannot(prefix, LEDGER_DIRECTORY, "cannot cancel the change", error);
    prefix->is_pending = false;
    prefix->is_leaving = true;
    return fd_sync_directory(holder) ||
           pending_cannot(prefix, LEDGER_DIRECTORY, "cannot cancel the change", error);
}

bool pending_abandon(struct prefix *prefix, struct error *error)
{
    AUTO_LEDGER struct ledger next = {.gpuenv = NULL};
    AUTO_ERROR struct error lost = {0};
    AUTO_CLOSE int fd = openat(prefix->parent_fd, prefix->name, DIRECTORY);
    AUTO_CLOSE int holder = stage_open_holder(prefix, error);
    if (fd < 0 || holder < 0)
        return fd >= 0 ? false : pending_cannot(prefix, "", "cannot open the prefix", error);
    if (pending_read(prefix, holder, &next, &lost)) /* what it cannot tell is left, and named */
        take_rows(prefix, fd, &next);
    return write_down(prefix, holder, error);
}
