/* SPDX-License-Identifier: MIT */
#include "install/outside/link.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/shell.h"
#include "host/local/random_name.h"
#include "host/root/file.h"
#include "install/io/fd.h"
#include "install/io/lock.h"
#include "install/io/tree.h"
#include "install/outside/alternatives.h"

void link_change_free(struct link_change *change)
{
    free(change->path);
    free(change->target);
    free(change->before);
    free(change->group);
    free(change->leads_to);
    free(change->now);
    *change = (struct link_change){.path = NULL};
}

static bool refuse(struct error *error, const char *path, const char *what, const char *next)
{
    error_set(error, ERROR_CANNOT_WRITE, "%s", what);
    error_where(error, "%s", path);
    return error_next(error, "%s", next);
}

/* What it leads to is an installation of gpuenv's. */
static bool is_ours(const struct prefix *prefix, const char *path)
{
    AUTO_ERROR struct error lost = {0};
    struct prefix other = {.parent_fd = -1};
    bool ours = prefix_open(prefix->image, path, false, false, 0, &other, &lost) &&
                other.state == PREFIX_OURS;
    prefix_close(&other);
    return ours;
}

static bool may_replace(const struct prefix *prefix, const struct link_change *change, bool force,
                        struct error *error)
{
    if (force || change->leads_to == NULL || change->group || is_ours(prefix, change->leads_to))
        return true;
    error_set(error, ERROR_CANNOT_WRITE, "the link leads to something that gpuenv did not install");
    error_where(error, "%s", change->path);
    error_why(error, "it leads to %s", change->leads_to);
    return error_next(error, "--force replaces the link, and does not touch the link's target");
}

/* What the link says now; nothing when there is none. */
static bool read_link(struct link_change *change, const struct image *image, struct error *error)
{
    struct host_stat status;
    AUTO_ERROR struct error failed = {0};
    switch (host_lstat(image->host, change->path, &status, &failed)) {
    case HOST_ABSENT:
        return true;
    case HOST_OK:
        break;
    default:
        error_set(error, ERROR_CANNOT_WRITE, "cannot access the link");
        error_where(error, "%s", change->path);
        return error_why(error, "%s", failed.why ? failed.why : "the reason is not known");
    }
    if (status.type == HOST_DIRECTORY)
        return refuse(
            error, change->path, "there is a directory at the path of the link",
            "move the directory away, or name another --link; gpuenv does not replace a directory");
    if (status.type != HOST_LINK)
        return refuse(error, change->path, "there is a file at the path of the link",
                      "move the file away, or name another --link; gpuenv does not replace a file");
    return host_read_link(image->host, change->path, &change->before, error) == HOST_OK;
}

/* As NVIDIA's packages count: 12.8 is 128. */
static unsigned priority_of(const struct prefix *prefix)
{
    struct version version;
    const struct ledger_product *cuda = ledger_product_find(&prefix->ledger, "cuda");
    if (cuda == NULL || !version_parse(cuda->version, &version) || version.part[0] > 10000)
        return 1;
    return version.part[0] * 10 + (version.count > 1 && version.part[1] < 10 ? version.part[1] : 9);
}

/* In an image an error, which says what to run there. */
static bool choose_alternative(const struct prefix *prefix, const struct link_change *change,
                               struct error *error)
{
    return alternatives_choose(prefix->image, change->group, change->path, prefix->path,
                               priority_of(prefix), error);
}

bool link_look(const struct prefix *prefix, const char *path, bool force,
               struct link_change *ret_change, struct error *error)
{
    AUTO_LINK_CHANGE struct link_change change = {.path = mem_string(path),
                                                  .target = mem_string(prefix->path)};
    AUTO_FREE char *real = NULL;
    const char *name;
    if (!read_link(&change, prefix->image, error))
        return false;
    AUTO_ERROR struct error refused = {0};
    AUTO_CLOSE int parent = image_open_parent(prefix->image, path, &name, &refused);
    change.needs_parent = parent < 0 && errno == ENOENT;
    if (parent < 0 && !change.needs_parent && !error_prefix(&refused, "no place for the link"))
        return error_move(&refused, error);
    change.group = alternatives_group(prefix->image, path);
    if (change.before)
        host_real_path(prefix->image->host, path, &change.leads_to, NULL);
    host_real_path(prefix->image->host, prefix->path, &real, NULL);
    change.has_changed = change.leads_to == NULL || !string_equal(change.leads_to, real);
    if (change.has_changed && !may_replace(prefix, &change, force, error))
        return false;
    if (change.has_changed && change.group && !image_is_live(prefix->image))
        return choose_alternative(prefix, &change, error);
    *ret_change = change;
    change = (struct link_change){.path = NULL};
    return true;
}

/* The directory that holds the link, locked: by the prefix, where it is the same one. */
static int open_locked(const struct prefix *prefix, const char *path, unsigned lock_timeout_s,
                       const char **ret_name, struct error *error)
{
    struct stat ours, theirs;
    AUTO_CLOSE int fd = image_open_parent(prefix->image, path, ret_name, error);
    AUTO_FREE char *where = mem_string_n(path, (size_t)(*ret_name - path));
    if (fd < 0) {
        error_prefix(error, "no place for the link");
        return -1;
    }
    if (fstat(fd, &ours) == 0 && (ours.st_mode & S_IWOTH) && !(ours.st_mode & S_ISVTX)) {
        refuse(error, where, "everyone can write to the link's directory",
               "name another --link, or remove the permission: chmod o-w");
        return -1;
    }
    bool same = prefix->is_locked && fstat(fd, &ours) == 0 &&
                fstat(prefix->parent_fd, &theirs) == 0 && ours.st_dev == theirs.st_dev &&
                ours.st_ino == theirs.st_ino;
    if (!same && !lock_directory(fd, lock_timeout_s, where, error))
        return -1;
    return fd_steal(&fd);
}

/* ".gpuenv-link-cuda-0123456789abcdef": a new link before it is renamed. */
static char *start_of(const char *name)
{
    return mem_printf(".gpuenv-link-%s-", name);
}

static bool is_left_over(int fd, const char *start, const char *name)
{
    struct stat status;
    return random_name_is(name, start) && fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISLNK(status.st_mode) && status.st_uid == geteuid();
}

/* The lock is ours: what is there was left by a run that was killed. */
static void clear_left_over(int fd, const char *name)
{
    AUTO_STRLIST struct strlist names = {0};
    AUTO_FREE char *start = start_of(name);
    if (!tree_list(fd, "", &names, NULL))
        return;
    for (size_t i = 0; i < names.count; i++)
        if (is_left_over(fd, start, names.items[i]))
            unlinkat(fd, names.items[i], 0);
}

static bool rename_new(int fd, const char *name, const struct link_change *change,
                       struct error *error)
{
    AUTO_FREE char *start = start_of(name);
    AUTO_FREE char *new = random_name_new(start);
    if (new == NULL)
        return error_set_errno(error, ERROR_INTERNAL, errno, NULL, "cannot get a random number");
    if (symlinkat(change->target, fd, new) != 0) {
        error_set_errno(error, fd_error_kind(errno), errno, change->path, "cannot create the link");
        return error_next(error, "name a --link in a directory that you can write to, or use sudo");
    }
    if (renameat(fd, new, fd, name) != 0) {
        error_set_errno(error, fd_error_kind(errno), errno, change->path, "cannot set the link");
        unlinkat(fd, new, 0);
        return false;
    }
    return fd_sync_directory(fd) || fd_not_confirmed("the link is set", change->path, error);
}

static bool set_locked(const struct prefix *prefix, int fd, const char *name,
                       const struct link_change *change, struct error *error)
{
    if (change->group)
        return choose_alternative(prefix, change, error);
    return rename_new(fd, name, change, error);
}

static bool make_parent(const struct prefix *prefix, const char *path, struct error *error)
{
    AUTO_FREE char *made = NULL;
    AUTO_FREE char *parent = mem_string_n(path, (size_t)(strrchr(path, '/') - path));
    return image_make_directories(prefix->image, parent, &made, error);
}

bool link_set(const struct prefix *prefix, const char *path, bool force, unsigned lock_timeout_s,
              struct link_change *ret_change, struct error *error)
{
    AUTO_LINK_CHANGE struct link_change change = {.path = NULL};
    const char *name;
    if (!link_look(prefix, path, force, &change, error) ||
        (change.needs_parent && !make_parent(prefix, path, error)))
        return false;
    AUTO_CLOSE int fd = open_locked(prefix, path, lock_timeout_s, &name, error);
    if (fd < 0)
        return false;
    clear_left_over(fd, name);
    link_change_free(&change); /* another gpuenv may have had the lock */
    if (!link_look(prefix, path, force, &change, error) ||
        (change.has_changed && !set_locked(prefix, fd, name, &change, error)))
        return false;
    *ret_change = change;
    change = (struct link_change){.path = NULL};
    return true;
}

static bool forget_locked(const struct prefix *prefix, int fd, const char *name,
                          const struct link_change *change, struct error *error)
{
    if (change->group)
        return alternatives_remove(prefix->image, change->group, prefix->path, error);
    if (unlinkat(fd, name, 0) != 0)
        return error_set_errno(error, fd_error_kind(errno), errno, change->path,
                               "cannot remove the link to the installation");
    return fd_sync_directory(fd) || fd_not_confirmed("the link is removed", change->path, error);
}

bool link_forget(const struct prefix *prefix, const char *path, unsigned lock_timeout_s,
                 struct link_change *ret_change, struct error *error)
{
    AUTO_LINK_CHANGE struct link_change change = {.path = NULL};
    AUTO_ERROR struct error lost = {0};
    const char *name;
    /* Whatever else is there is not ours to remove, and no reason to keep the prefix. */
    if (!link_look(prefix, path, true, &change, &lost) || change.leads_to == NULL ||
        change.has_changed)
        return true;
    AUTO_CLOSE int fd = open_locked(prefix, path, lock_timeout_s, &name, error);
    if (fd < 0 || !forget_locked(prefix, fd, name, &change, error))
        return false;
    change.has_changed = true;
    if (change.group)
        host_real_path(prefix->image->host, path, &change.now, NULL);
    *ret_change = change;
    change = (struct link_change){.path = NULL};
    return true;
}
