/* SPDX-License-Identifier: MIT */
#include "base/shell.h"
#include "install/prefix/pending_private.h"

/* A change that goes on only with what it was begun with. */

struct check {
    const struct prefix *prefix;
    enum verify_depth depth;
};

/* What both ledgers have alike was not staged, and may have been changed by hand. */
static bool is_new(const struct prefix *prefix, const struct ledger_file *file)
{
    const struct ledger_file *old = ledger_find(&prefix->ledger, file->path);
    if (old == NULL || old->type != file->type)
        return true;
    if (file->type == LEDGER_LINK)
        return !string_equal(old->target, file->target);
    if (file->type == LEDGER_DIRECTORY_ENTRY)
        return false;
    return old->mode != file->mode || old->size != file->size ||
           !digest_equal(&old->sha256, &file->sha256);
}

/* *ret_found: the tree that fd is of has the file as its row says. */
static bool look_in(const struct check *check, int fd, const struct ledger_file *file,
                    bool *ret_found, struct error *error)
{
    AUTO_VERIFICATION struct verification found = {.files = 0};
    *ret_found = false;
    if (fd < 0)
        return true;
    if (!verify_file(fd, check->prefix->path, file, check->depth, &found, error))
        return false;
    *ret_found = found.changed.count == 0 && found.missing.count == 0;
    return true;
}

static bool refuse_lost(const struct check *check, const char *path, size_t count,
                        struct error *error)
{
    AUTO_FREE char *quoted = shell_quote(check->prefix->path);
    error_set(error, ERROR_DATA, "a staged file is missing or was changed");
    error_where(error, "%s/%s", check->prefix->path, path);
    if (count > 1)
        error_why(error, "the same applies to %zu more files", count - 1);
    error_next(error, "remove the installation, then install again:");
    return error_command(error, "gpuenv uninstall --prefix %s", quoted);
}

bool pending_check(const struct prefix *prefix, const struct ledger *next, int fresh, int fd,
                   enum verify_depth depth, struct error *error)
{
    const struct check check = {.prefix = prefix, .depth = depth};
    const char *first = NULL;
    size_t lost = 0;
    for (size_t i = 0; i < next->file_count; i++) {
        const struct ledger_file *file = &next->files[i];
        bool found = false;
        if (!is_new(prefix, file))
            continue;
        if (!look_in(&check, fresh, file, &found, error) ||
            (!found && !look_in(&check, fd, file, &found, error)))
            return false;
        if (!found && lost++ == 0)
            first = file->path;
    }
    return lost == 0 || refuse_lost(&check, first, lost, error);
}
