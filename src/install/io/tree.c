/* SPDX-License-Identifier: MIT */
#include "install/io/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/shell.h"
#include "install/io/entry.h"

#define DIRECTORY (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

static void close_directory_at(DIR **directory)
{
    if (*directory)
        closedir(*directory);
}

bool tree_list(int fd, const char *where, struct strlist *names, struct error *error)
{
    int copy = openat(fd, ".", DIRECTORY);
    AUTO(close_directory_at) DIR *directory = copy >= 0 ? fdopendir(copy) : NULL;
    if (directory == NULL) {
        error_set_errno(error, ERROR_NO_INPUT, errno, where, "cannot list the directory");
        if (copy >= 0)
            close(copy);
        return false;
    }
    const struct dirent *entry;
    for (errno = 0; (entry = readdir(directory)) != NULL; errno = 0)
        if (!string_equal(entry->d_name, ".") && !string_equal(entry->d_name, ".."))
            strlist_add(names, entry->d_name);
    if (errno != 0)
        return error_set_errno(error, ERROR_NO_INPUT, errno, where, "cannot list the directory");
    strlist_sort(names);
    return true;
}

/* By its descriptor: fchmodat(2) follows links, and glibc before 2.32 knows no flag against it. */
static bool unlock(int parent_fd, const char *name)
{
    AUTO_CLOSE int fd = openat(parent_fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    AUTO_FREE char *path = mem_printf("/proc/self/fd/%d", fd);
    return fd >= 0 && chmod(path, 0700) == 0;
}

/* A directory that we may not read or empty is ours to open up first: archives hold such. */
static int open_to_empty(int parent_fd, const char *name)
{
    int fd = openat(parent_fd, name, DIRECTORY);
    if (fd < 0 && errno == EACCES && unlock(parent_fd, name))
        fd = openat(parent_fd, name, DIRECTORY);
    if (fd >= 0)
        fchmod(fd, 0700);
    return fd;
}

/* What chattr(1) set, which keeps root out too. NULL: nothing; free() it. */
static char *attribute_of(int parent_fd, const char *name, const char *path)
{
    struct entry entry;
    if (!entry_look(parent_fd, name, &entry))
        return NULL;
    const char *letter = entry.is_immutable ? "i" : entry.is_append ? "a" : NULL;
    AUTO_FREE char *quoted = shell_quote(path);
    return letter ? mem_printf("chattr -%s %s", letter, quoted) : NULL;
}

/* An attribute of the entry, or of the directory that it is in. */
static bool cannot_remove(int parent_fd, const char *name, const char *where, struct error *error)
{
    int number = errno;
    AUTO_FREE char *path = mem_printf("%s/%s", where, name);
    AUTO_FREE char *own = number == EPERM ? attribute_of(parent_fd, name, path) : NULL;
    AUTO_FREE char *above = number == EPERM && !own ? attribute_of(parent_fd, ".", where) : NULL;
    error_set_errno(error, ERROR_CANNOT_WRITE, number, path, "cannot remove it");
    if (own == NULL && above == NULL)
        return false;
    error_why(error, "%s: an attribute of %s forbids this (lsattr)", strerror(number),
              own ? "the path itself" : "its parent directory");
    error_next(error, "remove the attribute, and run the same command again:");
    return error_command(error, "%s", own ? own : above);
}

bool tree_remove(int parent_fd, const char *name, const char *where, struct error *error)
{
    AUTO_FREE char *path = mem_printf("%s/%s", where, name);
    struct stat status;
    if (fstatat(parent_fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ||
               error_set_errno(error, ERROR_CANNOT_WRITE, errno, path, "cannot access it");
    if (!S_ISDIR(status.st_mode))
        return unlinkat(parent_fd, name, 0) == 0 || errno == ENOENT ||
               cannot_remove(parent_fd, name, where, error);
    AUTO_CLOSE int fd = open_to_empty(parent_fd, name);
    if (fd < 0)
        return error_set_errno(error, ERROR_CANNOT_WRITE, errno, path, "cannot open it");
    AUTO_STRLIST struct strlist names = {0};
    if (!tree_list(fd, path, &names, error))
        return false;
    bool ok = true; /* of several that stay the first one is told */
    for (size_t i = 0; i < names.count; i++)
        ok = tree_remove(fd, names.items[i], path, ok ? error : NULL) && ok;
    if (!ok)
        return false;
    return unlinkat(parent_fd, name, AT_REMOVEDIR) == 0 ||
           cannot_remove(parent_fd, name, where, error);
}

static int open_step(int fd, const char *step, bool make, const char *where, struct error *error)
{
    if (make && mkdirat(fd, step, 0755) != 0 && errno != EEXIST) {
        error_set_errno(error, ERROR_CANNOT_WRITE, errno, where, "cannot create directory %s",
                        step);
        return -1;
    }
    int next = openat(fd, step, DIRECTORY);
    int number = errno;
    if (next < 0)
        error_set_errno(error, make ? ERROR_CANNOT_WRITE : ERROR_NO_INPUT, number, where,
                        "cannot open directory %s", step);
    errno = number;
    return next;
}

static int open_steps(int fd, const char *path, size_t length, bool make, const char *where,
                      struct error *error)
{
    int at = openat(fd, ".", DIRECTORY);
    if (at < 0)
        error_set_errno(error, ERROR_NO_INPUT, errno, where, "cannot open the directory");
    for (size_t start = 0; at >= 0 && start < length;) {
        const char *slash = memchr(path + start, '/', length - start);
        size_t size = slash ? (size_t)(slash - path) - start : length - start;
        AUTO_FREE char *step = mem_string_n(path + start, size);
        int next = open_step(at, step, make, where, error);
        int number = errno;
        close(at);
        errno = number;
        at = next;
        start += size + 1;
    }
    return at;
}

int tree_open(int fd, const char *path, bool make, const char *where, struct error *error)
{
    return open_steps(fd, path, strlen(path), make, where, error);
}

int tree_open_parent(int fd, const char *path, bool make, const char *where, const char **ret_name,
                     struct error *error)
{
    const char *slash = strrchr(path, '/');
    *ret_name = slash ? slash + 1 : path;
    return open_steps(fd, path, slash ? (size_t)(slash - path) : 0, make, where, error);
}

bool tree_is_gone(int number, int parent)
{
    return number == ENOENT || (parent < 0 && (number == ENOTDIR || number == ELOOP));
}

int tree_cursor_open(struct tree_cursor *cursor, const char *path, bool make, const char *where,
                     const char **ret_name, struct error *error)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    *ret_name = slash ? slash + 1 : path;
    if (cursor->fd >= 0 && strlen(cursor->parent) == length &&
        memcmp(cursor->parent, path, length) == 0)
        return cursor->fd;
    AUTO_FREE char *parent = mem_string_n(path, length);
    int fd = tree_open(cursor->root, parent, make, where, error);
    if (fd < 0)
        return -1;
    tree_cursor_close(cursor);
    cursor->parent = mem_steal(&parent);
    cursor->fd = fd;
    return fd;
}

void tree_cursor_close(struct tree_cursor *cursor)
{
    fd_close_at(&cursor->fd);
    cursor->fd = -1;
    free(mem_steal(&cursor->parent));
}
