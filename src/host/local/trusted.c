/* SPDX-License-Identifier: MIT */
#include "host/local/trusted.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "host/root/bytes.h"
#include "host/root/input.h"
#include "host/local/owner.h"

static const char *why_not(const struct stat *status)
{
    if (!owner_is_ours(status))
        return "it belongs to another user";
    return owner_lets_others_write(status) ? "other users may write to it" : NULL;
}

static enum trusted_result refuse(const char *path, const char *why, struct error *error)
{
    error_set(error, ERROR_PERMISSION, "this file is not used");
    error_where(error, "%s", path);
    error_why(error, "%s", why);
    return TRUSTED_REFUSED;
}

/* For root, who reads nothing that another user could have put there: file is what was opened, and
 * must be what the directory has, whatever links led to it meanwhile. */
static const char *why_not_directory(const char *path, const struct stat *file)
{
    const char *name = path_base(path);
    AUTO_FREE char *directory = path_parent(path);
    struct stat status, entry;
    if (geteuid() != 0)
        return NULL;
    AUTO_CLOSE int fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) != 0 || fstatat(fd, name, &entry, AT_SYMLINK_NOFOLLOW) != 0)
        return strerror(errno);
    if (entry.st_ino != file->st_ino || entry.st_dev != file->st_dev)
        return "it was exchanged while it was opened";
    return why_not(&status) ? "its directory belongs to another user, or others may write to it"
                            : NULL;
}

static enum trusted_result read_open(int fd, const char *path, size_t max, struct text *ret_text,
                                     struct error *error)
{
    AUTO_TEXT struct text text = {0};
    int number = bytes_read(fd, max + 1, &text);
    if (number != 0)
        return refuse(path, strerror(number), error);
    if (text.size > max)
        return refuse(path, "it is larger than it may be", error);
    bytes_move(&text, ret_text);
    return TRUSTED_READ;
}

enum trusted_result local_read_trusted(const char *path, size_t max, struct text *ret_text,
                                       struct error *error)
{
    struct stat status;
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    /* A home of another user (HOME=/root in a container with USER) is not looked into. */
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR || errno == EACCES))
        return TRUSTED_ABSENT;
    if (fd < 0)
        return refuse(path, errno == ELOOP ? "it is a link" : strerror(errno), error);
    if (fstat(fd, &status) != 0)
        return refuse(path, strerror(errno), error);
    if (!S_ISREG(status.st_mode))
        return refuse(path, "it is not a regular file", error);
    const char *why = why_not(&status);
    if (why == NULL)
        why = why_not_directory(path, &status);
    return why ? refuse(path, why, error) : read_open(fd, path, max, ret_text, error);
}
