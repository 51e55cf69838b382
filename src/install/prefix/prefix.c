/* SPDX-License-Identifier: MIT */
#include "install/prefix/prefix.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/shell.h"
#include "host/root/input.h"
#include "install/io/entry.h"
#include "install/io/fd.h"
#include "install/io/lock.h"
#include "install/io/tree.h"

#define DIRECTORY (O_RDONLY | O_DIRECTORY | O_CLOEXEC)

void prefix_close(struct prefix *prefix)
{
    free(prefix->path);
    free(prefix->name);
    free(prefix->made);
    if (prefix->is_open)
        close(prefix->parent_fd);
    ledger_free(&prefix->ledger);
    *prefix = (struct prefix){.parent_fd = -1};
}

static bool refuse(struct error *error, const char *path, const char *what, const char *next)
{
    error_set(error, ERROR_CANNOT_WRITE, "%s", what);
    error_where(error, "%s", path);
    return error_next(error, "%s", next);
}

/* "/a//b/./" as "/a/b". A step ".." would make the name of a prefix mean another, and control
 * characters would break the lines of files that name it. */
static char *clean_path(const char *path)
{
    AUTO_TEXT struct text text = {0};
    AUTO_STRLIST struct strlist steps = {0};
    if (path[0] != '/' || !utf8_valid(path, strlen(path)))
        return NULL;
    for (const char *c = path; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return NULL;
    strlist_split(&steps, path, '/');
    for (size_t i = 0; i < steps.count; i++) {
        const char *step = steps.items[i];
        if (string_equal(step, ".."))
            return NULL;
        if (*step && !string_equal(step, "."))
            text_printf(&text, "/%s", step);
    }
    return text.size > 0 ? text_steal(&text) : NULL;
}

void prefix_clear_ledger(struct prefix *prefix)
{
    AUTO_STRLIST struct strlist names = {0};
    AUTO_CLOSE int fd = prefix->state == PREFIX_FOREIGN
                            ? openat(prefix->parent_fd, prefix->name, DIRECTORY | O_NOFOLLOW)
                            : -1;
    if (fd < 0 || unlinkat(fd, LEDGER_DIRECTORY, AT_REMOVEDIR) != 0 ||
        !tree_list(fd, prefix->path, &names, NULL) || names.count > 0)
        return;
    prefix->state = PREFIX_ABSENT;
    prefix->is_empty = true;
}

bool prefix_has_changed(const struct prefix *prefix)
{
    struct stat status;
    AUTO_FREE char *path = mem_printf("%s/" LEDGER_DIRECTORY "/%s", prefix->name,
                                      prefix->is_leaving ? LEDGER_LEAVING : LEDGER_NAME);
    return fstatat(prefix->parent_fd, path, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
           status.st_dev != prefix->ledger_device || status.st_ino != prefix->ledger_inode;
}

bool prefix_is_unfinished(const struct prefix *prefix)
{
    return prefix->is_leaving || prefix->is_pending;
}

bool prefix_refuse_unfinished(const struct prefix *prefix, struct error *error)
{
    AUTO_FREE char *quoted = shell_quote(prefix->path);
    error_set(error, ERROR_CANNOT_WRITE, "%s this prefix was interrupted",
              prefix->is_leaving ? "an uninstall of" : "a change to");
    error_where(error, "%s", prefix->path);
    if (!prefix->is_leaving)
        return error_next(
            error,
            "the next gpuenv install, use or uninstall for this prefix finishes the change first");
    error_next(error, "finish the uninstall:");
    return error_command(error, "gpuenv uninstall --prefix %s", quoted);
}

char *prefix_parent(const struct prefix *prefix)
{
    size_t size = strlen(prefix->path) - strlen(prefix->name);
    return mem_string_n(prefix->path, size > 1 ? size - 1 : 1);
}

/* Every directory above the prefix. Links on the way are the administrator's business. */
static bool make_parents(struct prefix *prefix, const char *parent, struct error *error)
{
    if (image_make_directories(prefix->image, parent, &prefix->made, error))
        return true;
    if (error && error->next == NULL)
        error_next(error, "choose a --prefix that you can write to, or use sudo");
    return error_prefix(error, "no place for the prefix");
}

void prefix_unmake(struct prefix *prefix)
{
    AUTO_FREE char *path = prefix_parent(prefix);
    size_t least = prefix->made ? strlen(prefix->made) : SIZE_MAX;
    while (strlen(path) >= least && image_remove_directory(prefix->image, path) == 0)
        *strrchr(path, '/') = '\0';
    free(mem_steal(&prefix->made));
}

int prefix_open_nearest(const struct prefix *prefix)
{
    AUTO_FREE char *path = prefix_parent(prefix);
    for (;;) {
        int fd = image_open_directory(prefix->image, *path ? path : "/", NULL);
        if (fd >= 0 || *path == '\0' || (errno != ENOENT && errno != ENOTDIR))
            return fd;
        *strrchr(path, '/') = '\0';
    }
}

/* Whoever may write there could put another tree in the place of ours. */
static bool parent_is_safe(int fd, const char *parent, struct error *error)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return error_set_errno(error, ERROR_CANNOT_WRITE, errno, parent, "cannot access it");
    if ((status.st_mode & S_IWOTH) == 0 || (status.st_mode & S_ISVTX) != 0)
        return true;
    return refuse(error, parent, "everyone can write to the directory that holds the prefix",
                  "choose another --prefix, or remove the permission: chmod o-w");
}

static bool open_parent(struct prefix *prefix, const char *parent, bool create, struct error *error)
{
    if (create && !make_parents(prefix, parent, error))
        return false;
    AUTO_ERROR struct error refused = {0};
    prefix->parent_fd = image_open_directory(prefix->image, parent, &refused);
    if (prefix->parent_fd < 0 && errno == ENOENT && !create)
        return true;
    if (prefix->parent_fd < 0) {
        error_prefix(&refused, "no place for the prefix");
        return error_move(&refused, error);
    }
    prefix->is_open = true;
    return parent_is_safe(prefix->parent_fd, parent, error);
}

/* Another gpuenv may have taken the directory away (prefix_unmake) before the lock was ours. */
static bool is_still_there(const struct prefix *prefix, const char *parent)
{
    struct stat opened, named;
    AUTO_CLOSE int fd = image_open_directory(prefix->image, parent, NULL);
    return fd >= 0 && fstat(prefix->parent_fd, &opened) == 0 && fstat(fd, &named) == 0 &&
           opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

#define TRIES 16

static bool open_locked(struct prefix *prefix, bool create, unsigned lock_timeout_s,
                        struct error *error)
{
    AUTO_FREE char *parent = prefix_parent(prefix);
    for (int tries = 0; tries < TRIES; tries++) {
        if (!open_parent(prefix, parent, create, error))
            return false;
        if (!prefix->is_open)
            return true;
        if (!lock_directory(prefix->parent_fd, lock_timeout_s, parent, error))
            return false;
        prefix->is_locked = is_still_there(prefix, parent);
        if (prefix->is_locked)
            return true;
        close(prefix->parent_fd);
        prefix->is_open = false;
        prefix->parent_fd = -1;
    }
    return refuse(error, parent, "the directory that holds the prefix keeps disappearing",
                  "try again");
}

/* INPUT_NO_FILE, or -1 with ENOENT, ENOTDIR or ELOOP: there is none. */
static int open_ledger(struct prefix *prefix, int fd)
{
    mode_t mode;
    AUTO_CLOSE int directory = openat(fd, LEDGER_DIRECTORY, DIRECTORY | O_NOFOLLOW);
    if (directory < 0)
        return -1;
    int file = input_openat(directory, LEDGER_NAME, O_NOFOLLOW, &mode);
    if (file != -1 || errno != ENOENT)
        return file;
    file = input_openat(directory, LEDGER_LEAVING, O_NOFOLLOW, &mode);
    prefix->is_leaving = file >= 0;
    return file;
}

static bool is_changing(int fd)
{
    struct stat status;
    return fstatat(fd, LEDGER_DIRECTORY "/" LEDGER_PENDING, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

static bool read_ledger(struct prefix *prefix, int fd, struct error *error)
{
    AUTO_FREE char *where = mem_printf("%s/" LEDGER_DIRECTORY "/" LEDGER_NAME, prefix->path);
    AUTO_CLOSE int file = open_ledger(prefix, fd);
    if (file == INPUT_NO_FILE ||
        (file < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)))
        return true;
    if (file < 0)
        return error_set_errno(error, ERROR_NO_INPUT, errno, where, "cannot open the ledger");
    if (!fd_is_ours(file)) /* it could name any file to remove */
        return true;
    struct stat status;
    if (fstat(file, &status) == 0) {
        prefix->ledger_device = status.st_dev;
        prefix->ledger_inode = status.st_ino;
    }
    AUTO_TEXT struct text text = {0};
    if (!fd_read_all(file, LEDGER_MAX, where, &text, error) ||
        !ledger_parse(text_string(&text), text.size, where, &prefix->ledger, error))
        return false;
    prefix->state = PREFIX_OURS;
    prefix->is_pending = is_changing(fd);
    return true;
}

static bool refuse_link(const struct prefix *prefix, struct error *error)
{
    char target[PATH_MAX];
    ssize_t size = readlinkat(prefix->parent_fd, prefix->name, target, sizeof(target) - 1);
    refuse(error, prefix->path,
           size < 0 ? "the prefix is a file, not a directory" : "the prefix is a link",
           "give the directory itself");
    return size < 0 ? false : error_why(error, "it leads to %.*s", (int)size, target);
}

static bool is_mount(int parent_fd, int fd, const struct stat *status)
{
    struct stat above;
    struct entry entry;
    if (fstat(parent_fd, &above) == 0 && above.st_dev != status->st_dev)
        return true;
    return entry_look(fd, "", &entry) && entry.is_mount;
}

static bool look(struct prefix *prefix, struct error *error)
{
    AUTO_CLOSE int fd = openat(prefix->parent_fd, prefix->name, DIRECTORY | O_NOFOLLOW);
    AUTO_STRLIST struct strlist names = {0};
    struct stat status;
    if (fd < 0 && errno == ENOENT)
        return true;
    if (fd < 0 && (errno == ELOOP || errno == ENOTDIR))
        return refuse_link(prefix, error);
    if (fd < 0 || fstat(fd, &status) != 0)
        return error_set_errno(error, errno == EACCES ? ERROR_PERMISSION : ERROR_NO_INPUT, errno,
                               prefix->path, "cannot open the prefix");
    if (!tree_list(fd, prefix->path, &names, error))
        return false;
    prefix->is_empty = names.count == 0;
    prefix->is_mount = is_mount(prefix->parent_fd, fd, &status);
    prefix->owner = status.st_uid;
    if (prefix->is_empty)
        return true;
    prefix->state = PREFIX_FOREIGN;
    return read_ledger(prefix, fd, error);
}

bool prefix_can_take(const struct prefix *prefix, struct error *error)
{
    struct stat parent;
    if (!prefix->is_empty)
        return true;
    if (prefix->is_mount)
        return refuse(error, prefix->path,
                      "something is mounted on the prefix: the prefix cannot be replaced",
                      "give a directory below the prefix: --prefix DIR/cuda");
    if (geteuid() == 0 || prefix->owner == geteuid() ||
        (fstat(prefix->parent_fd, &parent) == 0 &&
         ((parent.st_mode & S_ISVTX) == 0 || parent.st_uid == geteuid())))
        return true;
    return refuse(error, prefix->path, "the prefix is an empty directory of another user",
                  "choose another --prefix");
}

bool prefix_open(const struct image *image, const char *path, bool create, bool locked,
                 unsigned lock_timeout_s, struct prefix *ret_prefix, struct error *error)
{
    struct prefix prefix = {.image = image, .parent_fd = -1, .path = clean_path(path)};
    if (prefix.path == NULL)
        return refuse(error, path, "this cannot be a prefix",
                      "give an absolute path below /, in UTF-8, without \"..\" or control "
                      "characters: /opt/cuda-12.8");
    prefix.name = mem_string(strrchr(prefix.path, '/') + 1);
    AUTO_FREE char *parent = prefix_parent(&prefix);
    bool ok = (locked ? open_locked(&prefix, create, lock_timeout_s, error)
                      : open_parent(&prefix, parent, create, error)) &&
              (!prefix.is_open || look(&prefix, error));
    if (!ok) {
        if (prefix.is_locked || !prefix.is_open) /* whoever has the lock is at work in it */
            prefix_unmake(&prefix);
        prefix_close(&prefix);
        return false;
    }
    *ret_prefix = prefix;
    return true;
}
