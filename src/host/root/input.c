/* SPDX-License-Identifier: MIT */
#include "host/root/input.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "host/root/root.h"

/* Without O_NONBLOCK reading /proc/kmsg and its like would wait, which are files by their mode. */
#define FLAGS (O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

const char *input_kind(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFREG:
        return NULL;
    case S_IFDIR:
        return "a directory";
    case S_IFLNK:
        return "a link";
    case S_IFCHR:
        return "a character device";
    case S_IFBLK:
        return "a block device";
    case S_IFIFO:
        return "a FIFO";
    case S_IFSOCK:
        return "a socket";
    default:
        return "something unknown";
    }
}

/* With O_NONBLOCK the kernel does not wait for another program that holds a lease on the file, such
 * as Samba (fcntl(2), F_SETLEASE); without, it waits no longer than /proc/sys/fs/lease-break-time.
 */
int input_reopen(int object)
{
    char name[ROOT_SELF_FD_SIZE];
    int fd = open(root_self_fd(object, name), FLAGS);
    if (fd >= 0 || errno != EWOULDBLOCK)
        return fd;
    fd = open(root_self_fd(object, name), FLAGS & ~O_NONBLOCK);
    if (fd >= 0)
        fcntl(fd, F_SETFL, O_NONBLOCK);
    return fd;
}

/* Without /proc the name has to be opened again, and may have changed hands since. */
static int reopen_by_name(int directory, const char *name, int flags, const struct stat *found)
{
    AUTO_CLOSE int fd = openat(directory, name, FLAGS | flags);
    struct stat opened;
    if (fd < 0 || fstat(fd, &opened) != 0)
        return -1;
    if (opened.st_dev != found->st_dev || opened.st_ino != found->st_ino) {
        errno = ESTALE;
        return -1;
    }
    return fd_steal(&fd);
}

int input_openat(int directory, const char *name, int flags, mode_t *ret_mode)
{
    AUTO_CLOSE int object = openat(directory, name, O_PATH | O_CLOEXEC | flags);
    struct stat found;
    if (object < 0 || fstat(object, &found) != 0)
        return -1;
    if (!S_ISREG(found.st_mode)) {
        *ret_mode = found.st_mode;
        return INPUT_NO_FILE;
    }
    int fd = input_reopen(object);
    return fd < 0 && errno == ENOENT ? reopen_by_name(directory, name, flags, &found) : fd;
}

static bool refuse_kind(mode_t mode, const char *where, struct error *error)
{
    error_set(error, ERROR_NO_INPUT, "cannot open");
    error_where(error, "%s", where);
    return error_why(error, INPUT_KIND_WORDS, input_kind(mode));
}

bool input_open_at(int directory, const char *name, int flags, const char *where, int *ret_fd,
                   struct error *error)
{
    mode_t mode = 0;
    int fd = input_openat(directory, name, flags, &mode);
    if (fd == INPUT_NO_FILE)
        return refuse_kind(mode, where, error);
    if (fd < 0)
        return error_set_errno(error, ERROR_NO_INPUT, errno, where, "cannot open");
    *ret_fd = fd;
    return true;
}

bool input_open(const char *path, int *ret_fd, struct error *error)
{
    return input_open_at(AT_FDCWD, path, 0, path, ret_fd, error);
}

int standard_descriptor(const char *path)
{
    static const char *const names[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
    static const char *const directories[] = {"/dev/fd/", "/proc/self/fd/"};
    for (int i = 0; i < 3; i++)
        if (string_equal(path, names[i]))
            return i;
    for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++) {
        unsigned long long number;
        if (string_starts(path, directories[i]) &&
            string_to_decimal(path + strlen(directories[i]), INT_MAX, &number))
            return (int)number;
    }
    return -1;
}

bool input_may_be_opened(const char *path, struct error *error)
{
    struct stat found;
    return standard_descriptor(path) >= 0 || stat(path, &found) != 0 || S_ISREG(found.st_mode) ||
           refuse_kind(found.st_mode, path, error);
}

bool input_variable_is_safe(const char *name, struct error *error)
{
    const char *path = getenv(name);
    struct stat found;
    if (path && string_equal(name, "TZ")) { /* any other word is one of its own database */
        path += path[0] == ':';
        path = path[0] == '/' ? path : NULL;
    }
    if (path == NULL || standard_descriptor(path) >= 0 || stat(path, &found) != 0 ||
        !S_ISFIFO(found.st_mode))
        return true;
    refuse_kind(found.st_mode, path, error);
    error_prefix(error, "%s", name);
    return error_next(error, "name a file, or unset the variable");
}
