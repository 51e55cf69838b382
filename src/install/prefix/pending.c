/* SPDX-License-Identifier: MIT */
#include "install/prefix/pending.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/root/bytes.h"
#include "install/io/fd.h"
#include "install/io/tree.h"
#include "install/prefix/pending_private.h"
#include "install/prefix/stage.h"
#include "install/prefix/survey.h"

#define DIRECTORY (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

bool pending_cannot(const struct prefix *prefix, const char *path, const char *what,
                    struct error *error)
{
    int number = errno;
    AUTO_FREE char *where =
        *path ? mem_printf("%s/%s", prefix->path, path) : mem_string(prefix->path);
    return error_set_errno(error, fd_error_kind(number), number, where, "%s", what);
}

char *pending_below(const char *path, const char *name)
{
    return *path ? mem_printf("%s/%s", path, name) : mem_string(name);
}

/* What is in the way of a new file, and must stay. */
struct place_check {
    const struct prefix *prefix;
    const struct strlist *stays, *foreign;
};

bool pending_refuse_foreign(const struct prefix *prefix, const char *path, struct error *error)
{
    error_set(error, ERROR_CANNOT_WRITE,
              "a file that gpuenv did not install has the name of a new file");
    error_where(error, "%s/%s", prefix->path, path);
    return error_next(error, "move that file away, and run the same command again");
}

static bool check_directory(const struct place_check *check, int from, int to, const char *path,
                            struct error *error);

static bool check_entry(const struct place_check *check, int from, int to, const char *name,
                        const char *path, struct error *error)
{
    struct stat new, there;
    if (fstatat(from, name, &new, AT_SYMLINK_NOFOLLOW) != 0)
        return pending_cannot(check->prefix, path, "cannot access the staged files", error);
    if (fstatat(to, name, &there, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT || pending_cannot(check->prefix, path, "cannot access it", error);
    if (S_ISDIR(new.st_mode) && S_ISDIR(there.st_mode)) {
        AUTO_CLOSE int next_from = openat(from, name, DIRECTORY);
        AUTO_CLOSE int next_to = openat(to, name, DIRECTORY);
        if (next_from < 0 || next_to < 0)
            return pending_cannot(check->prefix, path, "cannot open the directory", error);
        return check_directory(check, next_from, next_to, path, error);
    }
    const struct ledger_file *ours = ledger_find(&check->prefix->ledger, path);
    if (ours == NULL || (ours->type == LEDGER_DIRECTORY_ENTRY && !S_ISDIR(there.st_mode)) ||
        (S_ISDIR(there.st_mode) &&
         (survey_has_below(check->foreign, path) || survey_has_below(check->stays, path))))
        return pending_refuse_foreign(check->prefix, path, error);
    return true;
}

static bool check_directory(const struct place_check *check, int from, int to, const char *path,
                            struct error *error)
{
    AUTO_STRLIST struct strlist names = {0};
    struct stat directory, root;
    if (!tree_list(from, path, &names, error))
        return false;
    if (fstat(to, &directory) != 0 ||
        fstatat(check->prefix->parent_fd, check->prefix->name, &root, AT_SYMLINK_NOFOLLOW) != 0)
        return pending_cannot(check->prefix, path, "cannot access it", error);
    if (directory.st_dev != root.st_dev && names.count > 0) {
        errno = EXDEV;
        return pending_cannot(check->prefix, path,
                              "new files cannot be moved into a mounted file system", error);
    }
    for (size_t i = 0; i < names.count; i++) {
        AUTO_FREE char *entry = pending_below(path, names.items[i]);
        if (!check_entry(check, from, to, names.items[i], entry, error))
            return false;
    }
    return true;
}

bool pending_can_place(const struct prefix *prefix, const struct stage *stage,
                       const struct strlist *stays, const struct strlist *foreign,
                       struct error *error)
{
    const struct place_check check = {.prefix = prefix, .stays = stays, .foreign = foreign};
    AUTO_CLOSE int from = openat(stage->fd, "new", DIRECTORY);
    AUTO_CLOSE int to = openat(prefix->parent_fd, prefix->name, DIRECTORY);
    if (from < 0 || to < 0)
        return pending_cannot(prefix, "", "cannot open the prefix and the staged files", error);
    return check_directory(&check, from, to, "", error);
}

/* A file of PREFIX/.gpuenv, whole under its name or not at all. */
bool pending_write_ledger(const struct prefix *prefix, int holder, const char *name,
                          const struct ledger *ledger, bool *ret_named, struct error *error)
{
    static const char fresh[] = "ledger.new";
    AUTO_TEXT struct text text = {0};
    ledger_append(ledger, &text);
    *ret_named = false;
    if (unlinkat(holder, fresh, 0) != 0 && errno != ENOENT)
        return pending_cannot(prefix, LEDGER_DIRECTORY, "cannot write the ledger", error);
    AUTO_CLOSE int fd =
        openat(holder, fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    *ret_named = fd >= 0 && fchmod(fd, 0644) == 0 &&
                 bytes_write(fd, text_string(&text), text.size) && bytes_sync(fd) &&
                 close(fd_steal(&fd)) == 0 && renameat(holder, fresh, holder, name) == 0;
    if (*ret_named && fd_sync_directory(holder))
        return true;
    pending_cannot(prefix, LEDGER_DIRECTORY, "cannot write the ledger", error);
    if (!*ret_named)
        unlinkat(holder, fresh, 0);
    return false;
}

bool pending_stays(struct error *error)
{
    if (error && error->next == NULL)
        error_next(error, "check the file system (full? read-only?); the next gpuenv install, use "
                          "or uninstall for this prefix finishes the change first");
    return error_prefix(error, "a change to this prefix was interrupted");
}

bool pending_begin(struct prefix *prefix, struct stage *stage, struct ledger *next,
                   struct error *error)
{
    tree_remove(stage->fd, "tree", prefix->path, NULL);
    bool named = false;
    if (!bytes_sync_system(stage->fd))
        return pending_cannot(prefix, "", "cannot sync the files to the disk", error);
    bool ok = pending_write_ledger(prefix, stage->holder_fd, LEDGER_PENDING, next, &named, error);
    if (!named)
        return false;
    prefix->is_pending = true;
    close(stage->fd);
    close(stage->holder_fd);
    free(mem_steal(&stage->name));
    *stage = (struct stage){.fd = -1};
    return ok || pending_stays(error);
}
