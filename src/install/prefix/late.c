/* SPDX-License-Identifier: MIT */
#include "install/prefix/late.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "install/io/fd.h"
#include "install/io/rename.h"
#include "install/io/tree.h"

#define DIRECTORY (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

struct late {
    const struct exchange *what;
    struct strlist *kept;
};

/* A directory of both trees; the new one is made when something comes into it. */
struct pair {
    struct pair *up; /* NULL: the prefix itself */
    const char *name;
    const char *path; /* within the prefix; "": itself */
    int from;
    int to; /* -1: not there */
};

static bool cannot(const struct late *late, const char *path, struct error *error)
{
    int number = errno;
    AUTO_FREE char *where = mem_printf("%s/%s", late->what->prefix->path, path);
    error_set_errno(error, fd_error_kind(number), number, where,
                    "cannot keep the files that someone added in the meantime");
    return error_next(error, "these files are in the directory .gpuenv-stage-… next to the prefix: "
                             "move them out before the next run");
}

static bool open_new(const struct late *late, struct pair *pair)
{
    const struct prefix *prefix = late->what->prefix;
    if (pair->to >= 0)
        return true;
    if (pair->up && !open_new(late, pair->up))
        return false;
    int above = pair->up ? pair->up->to : prefix->parent_fd;
    bool made = mkdirat(above, pair->name, 0700) == 0;
    if (!made && errno != EEXIST)
        return false;
    pair->to = openat(above, pair->name, DIRECTORY);
    return pair->to >= 0 && (!made || exchange_copy_status(pair->from, pair->to));
}

static void keep(const struct late *late, const char *path)
{
    if (late->kept)
        strlist_add_new(late->kept, path);
}

static bool move(const struct late *late, struct pair *pair, const char *name, const char *path,
                 const char *new_name, struct error *error)
{
    if (!open_new(late, pair) || rename_to_new(pair->from, name, pair->to, new_name) != 0)
        return cannot(late, path, error);
    keep(late, path);
    return true;
}

static bool move_over(const struct late *late, const struct pair *pair, const char *name,
                      const char *path, struct error *error)
{
    if (renameat(pair->from, name, pair->to, name) != 0)
        return cannot(late, path, error);
    keep(late, path);
    return true;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Both trees have the name. What was there before is the same file in both, by a hard link. */
static bool take_over(const struct late *late, struct pair *pair, const char *name,
                      const char *path, const struct stat *old, struct error *error)
{
    struct stat there;
    const struct exchange *what = late->what;
    if (ledger_find(&what->prefix->ledger, path) == NULL && ledger_find(what->next, path)) {
        AUTO_FREE char *kept = mem_printf("%s.kept", name);
        return move(late, pair, name, path, kept, error);
    }
    if (!exchange_is_wanted(what, path)) /* gpuenv's own, which another one replaces */
        return true;
    if (fstatat(pair->to, name, &there, AT_SYMLINK_NOFOLLOW) != 0)
        return cannot(late, path, error);
    if (same_file(old, &there) || S_ISDIR(old->st_mode) || S_ISDIR(there.st_mode))
        return true;
    return move_over(late, pair, name, path, error);
}

static bool take_directory(const struct late *late, struct pair *pair, struct error *error);

static bool take_entry(const struct late *late, struct pair *pair, const char *name,
                       const char *path, struct error *error)
{
    struct stat old, there;
    bool ours = ledger_find(&late->what->prefix->ledger, path) != NULL;
    if (fstatat(pair->from, name, &old, AT_SYMLINK_NOFOLLOW) != 0)
        return cannot(late, path, error);
    bool in_both = pair->to >= 0 && fstatat(pair->to, name, &there, AT_SYMLINK_NOFOLLOW) == 0;
    if (S_ISDIR(old.st_mode) && (ours || (in_both && S_ISDIR(there.st_mode)))) {
        AUTO_CLOSE int from = openat(pair->from, name, DIRECTORY);
        AUTO_CLOSE int to = in_both ? openat(pair->to, name, DIRECTORY) : -1;
        struct pair below = {.up = pair, .name = name, .path = path, .from = from, .to = to};
        bool ok = from >= 0 ? take_directory(late, &below, error) : cannot(late, path, error);
        if (to < 0 && below.to >= 0)
            close(below.to);
        return ok;
    }
    if (in_both)
        return take_over(late, pair, name, path, &old, error);
    return ours || move(late, pair, name, path, name, error);
}

static bool take_directory(const struct late *late, struct pair *pair, struct error *error)
{
    AUTO_STRLIST struct strlist names = {0};
    if (!tree_list(pair->from, late->what->prefix->path, &names, error))
        return false;
    for (size_t i = 0; i < names.count; i++) {
        const char *name = names.items[i];
        AUTO_FREE char *path =
            *pair->path ? mem_printf("%s/%s", pair->path, name) : mem_string(name);
        if (!string_equal(path, LEDGER_DIRECTORY) && !take_entry(late, pair, name, path, error))
            return false;
    }
    return true;
}

bool late_take(const struct exchange *exchange, int from, struct strlist *ret_kept,
               struct error *error)
{
    const struct late late = {.what = exchange, .kept = ret_kept};
    const struct prefix *prefix = exchange->prefix;
    AUTO_CLOSE int to = openat(prefix->parent_fd, prefix->name, DIRECTORY);
    struct pair root = {.name = prefix->name, .path = "", .from = from, .to = to};
    bool ok = take_directory(&late, &root, error);
    if (to < 0 && root.to >= 0)
        close(root.to);
    return ok;
}
