/* SPDX-License-Identifier: MIT */
#include "install/prefix.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "install/fd.h"
#include "install/lock.h"
#include "install/tree.h"

#define DIRECTORY (O_RDONLY | O_DIRECTORY | O_CLOEXEC)

const char *prefix_state_word(enum prefix_state state)
{
    static const char *const words[] = {
        [PREFIX_ABSENT] = "absent", [PREFIX_OURS] = "ours", [PREFIX_FOREIGN] = "foreign"};
    return words[state];
}

void prefix_close(struct prefix *prefix)
{
    free(prefix->path);
    free(prefix->name);
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

/* "/a//b/" as "/a/b". Steps that are "." or ".." would make the name of a prefix mean another. */
static char *clean_path(const char *path)
{
    AUTO_TEXT struct text text = {0};
    AUTO_STRLIST struct strlist steps = {0};
    if (path[0] != '/')
        return NULL;
    strlist_split(&steps, path, '/');
    for (size_t i = 0; i < steps.count; i++) {
        const char *step = steps.items[i];
        if (string_equal(step, ".") || string_equal(step, ".."))
            return NULL;
        if (*step)
            text_printf(&text, "/%s", step);
    }
    return text.size > 0 ? text_steal(&text) : NULL;
}

/* Every directory above the prefix. Links on the way are the administrator's business. */
static bool make_parents(const char *parent, struct error *error)
{
    for (const char *slash = strchr(parent + 1, '/'); *parent; slash = strchr(slash + 1, '/')) {
        AUTO_FREE char *path =
            slash ? mem_string_n(parent, (size_t)(slash - parent)) : mem_string(parent);
        if (mkdir(path, 0755) != 0 && errno != EEXIST)
            return error_set_errno(error, ERROR_CANNOT_WRITE, errno, path,
                                   "cannot make the directory that is to hold the prefix");
        if (slash == NULL)
            return true;
    }
    return true;
}

/* Whoever may write there could put another tree in the place of ours. */
static bool parent_is_safe(int fd, const char *parent, struct error *error)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return error_set_errno(error, ERROR_CANNOT_WRITE, errno, parent, "cannot look at it");
    if ((status.st_mode & S_IWOTH) == 0 || (status.st_mode & S_ISVTX) != 0)
        return true;
    return refuse(error, parent, "everybody may write to the directory that is to hold the prefix",
                  "choose another --prefix, or take the permission away: chmod o-w");
}

static bool open_parent(struct prefix *prefix, const char *parent, bool create, struct error *error)
{
    if (create && !make_parents(parent, error))
        return false;
    prefix->parent_fd = open(parent, DIRECTORY);
    if (prefix->parent_fd < 0 && errno == ENOENT && !create)
        return true;
    if (prefix->parent_fd < 0)
        return error_set_errno(error, ERROR_CANNOT_WRITE, errno, parent,
                               "cannot open the directory that holds the prefix");
    prefix->is_open = true;
    return parent_is_safe(prefix->parent_fd, parent, error);
}

/* A ledger that another user wrote tells nothing: it could name any file to remove. */
static bool is_ours(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
           (status.st_uid == geteuid() || status.st_uid == 0) && (status.st_mode & 022) == 0;
}

static bool read_ledger(struct prefix *prefix, int fd, struct error *error)
{
    AUTO_FREE char *where = mem_printf("%s/" LEDGER_DIRECTORY "/" LEDGER_NAME, prefix->path);
    AUTO_CLOSE int directory = openat(fd, LEDGER_DIRECTORY, DIRECTORY | O_NOFOLLOW);
    AUTO_CLOSE int file = directory < 0 ? -1
                                        : openat(directory, LEDGER_NAME,
                                                 O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP))
        return true;
    if (file < 0)
        return error_set_errno(error, ERROR_NO_INPUT, errno, where, "cannot open the ledger");
    if (!is_ours(file))
        return true;
    AUTO_TEXT struct text text = {0};
    if (!fd_read_all(file, LEDGER_MAX, where, &text, error) ||
        !ledger_parse(text_string(&text), text.size, where, &prefix->ledger, error))
        return false;
    prefix->state = PREFIX_OURS;
    return true;
}

static bool look(struct prefix *prefix, struct error *error)
{
    AUTO_CLOSE int fd = openat(prefix->parent_fd, prefix->name, DIRECTORY | O_NOFOLLOW);
    AUTO_STRLIST struct strlist names = {0};
    if (fd < 0 && errno == ENOENT)
        return true;
    if (fd < 0 && (errno == ELOOP || errno == ENOTDIR))
        return refuse(error, prefix->path, "the prefix is a link or a file, not a directory",
                      "give the directory itself");
    if (fd < 0)
        return error_set_errno(error, ERROR_NO_INPUT, errno, prefix->path,
                               "cannot open the prefix");
    if (!tree_list(fd, prefix->path, &names, error))
        return false;
    prefix->is_empty = names.count == 0;
    if (prefix->is_empty)
        return true;
    prefix->state = PREFIX_FOREIGN;
    return read_ledger(prefix, fd, error);
}

bool prefix_open(const char *path, bool create, bool locked, unsigned lock_timeout_s,
                 struct prefix *ret_prefix, struct error *error)
{
    struct prefix prefix = {.parent_fd = -1, .path = clean_path(path)};
    if (prefix.path == NULL)
        return refuse(error, path, "this cannot be a prefix",
                      "give an absolute path below /, without \".\" and \"..\": /opt/cuda-12.8");
    const char *slash = strrchr(prefix.path, '/');
    AUTO_FREE char *parent = slash == prefix.path
                                 ? mem_string("/")
                                 : mem_string_n(prefix.path, (size_t)(slash - prefix.path));
    prefix.name = mem_string(slash + 1);
    bool ok = open_parent(&prefix, parent, create, error) &&
              (!prefix.is_open || !locked ||
               lock_directory(prefix.parent_fd, lock_timeout_s, parent, error)) &&
              (!prefix.is_open || look(&prefix, error));
    if (!ok) {
        prefix_close(&prefix);
        return false;
    }
    *ret_prefix = prefix;
    return true;
}
