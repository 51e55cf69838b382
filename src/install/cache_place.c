/* SPDX-License-Identifier: MIT */
#include "install/cache_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strlist.h"

#define ROOT_PLACE "/var/cache/gpuenv"
#define LINK_LIMIT 40

/* A home that sudo left in the environment is not root's. */
char *cache_place(struct error *error)
{
    const char *place = getenv("GPUENV_CACHE_DIR");
    if (place && *place) {
        if (*place == '/')
            return mem_string(place);
        error_set(error, ERROR_USAGE, "GPUENV_CACHE_DIR is no absolute path");
        error_where(error, "%s", place);
        error_next(error, "give a path from the root on: GPUENV_CACHE_DIR=/DIR");
        return NULL;
    }
    if (geteuid() == 0)
        return mem_string(ROOT_PLACE);
    const char *cache_home = getenv("XDG_CACHE_HOME");
    if (cache_home && *cache_home == '/')
        return mem_printf("%s/gpuenv", cache_home);
    const char *home = getenv("HOME");
    return home && *home == '/' ? mem_printf("%s/.cache/gpuenv", home) : NULL;
}

/* A walk towards a directory; links put their steps before those that are left. */
struct walk {
    const char *path; /* for messages */
    int fd;
    char *rest;
    unsigned links;
};

static bool is_trusted_owner(const struct stat *status)
{
    return status->st_uid == geteuid() || status->st_uid == 0;
}

static enum cache_open_result unsafe(const char *path, const char *why, struct error *error)
{
    error_set(error, ERROR_CANNOT_WRITE, "this directory cannot hold the cache");
    error_where(error, "%s", path);
    error_why(error, "%s", why);
    error_next(error, "choose another with GPUENV_CACHE_DIR, or use --no-cache");
    return CACHE_UNSAFE;
}

/* What a place cannot help, and what is wrong with it. */
static enum cache_open_result failed(const char *path, int number, const char *verb,
                                     struct error *error)
{
    error_set_errno(error, ERROR_CANNOT_WRITE, number, path, "cannot %s the cache's directory",
                    verb);
    error_next(error, "choose another with GPUENV_CACHE_DIR, or use --no-cache");
    static const int unavailable[] = {EROFS,  EACCES, EPERM,  ENOSPC,       EDQUOT,
                                      ESTALE, EIO,    ENODEV, ENAMETOOLONG, EMLINK};
    for (size_t i = 0; i < sizeof(unavailable) / sizeof(*unavailable); i++)
        if (number == unavailable[i])
            return CACHE_UNAVAILABLE;
    return CACHE_UNSAFE;
}

/* Nothing of root's is made where another user decides what it is. */
static bool may_make_in(int fd)
{
    struct stat status;
    return geteuid() != 0 || (fstat(fd, &status) == 0 && status.st_uid == 0);
}

/* The entry as it is, a link not followed; made when it is missing. */
static enum cache_open_result open_step(struct walk *walk, const char *step, int *ret_fd,
                                        struct error *error)
{
    int fd = openat(walk->fd, step, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT) {
        if (!may_make_in(walk->fd))
            return unsafe(walk->path, "root makes nothing in the directory of another user", error);
        if (mkdirat(walk->fd, step, 0700) != 0 && errno != EEXIST)
            return failed(walk->path, errno, "make", error);
        fd = openat(walk->fd, step, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    }
    if (fd < 0)
        return failed(walk->path, errno, "open", error);
    *ret_fd = fd;
    return CACHE_OPENED;
}

static enum cache_open_result follow(struct walk *walk, int link, const struct stat *status,
                                     struct error *error)
{
    char target[PATH_MAX];
    if (!is_trusted_owner(status))
        return unsafe(walk->path, "a link on the way belongs to another user", error);
    if (++walk->links > LINK_LIMIT)
        return failed(walk->path, ELOOP, "open", error);
    ssize_t size = readlinkat(link, "", target, sizeof(target));
    if (size < 0 || (size_t)size == sizeof(target))
        return failed(walk->path, size < 0 ? errno : ENAMETOOLONG, "open", error);
    char *rest = mem_printf("%.*s/%s", (int)size, target, walk->rest);
    free(walk->rest);
    walk->rest = rest;
    if (target[0] != '/')
        return CACHE_OPENED;
    close(walk->fd);
    walk->fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    return walk->fd >= 0 ? CACHE_OPENED : failed(walk->path, errno, "open", error);
}

static enum cache_open_result walk_step(struct walk *walk, const char *step, struct error *error)
{
    AUTO_CLOSE int fd = -1;
    struct stat status;
    enum cache_open_result result = open_step(walk, step, &fd, error);
    if (result != CACHE_OPENED)
        return result;
    if (fstat(fd, &status) != 0)
        return failed(walk->path, errno, "look at", error);
    if (S_ISLNK(status.st_mode))
        return follow(walk, fd, &status, error);
    if (!S_ISDIR(status.st_mode))
        return failed(walk->path, ENOTDIR, "open", error);
    close(walk->fd);
    walk->fd = fd_steal(&fd);
    return CACHE_OPENED;
}

static enum cache_open_result walk_to_end(struct walk *walk, struct error *error)
{
    while (walk->rest[strspn(walk->rest, "/")] != '\0') {
        const char *start = walk->rest + strspn(walk->rest, "/");
        size_t size = strcspn(start, "/");
        AUTO_FREE char *step = mem_string_n(start, size);
        char *rest = mem_string(start + size);
        free(walk->rest);
        walk->rest = rest;
        enum cache_open_result result = walk_step(walk, step, error);
        if (result != CACHE_OPENED)
            return result;
    }
    return CACHE_OPENED;
}

/* Opened for reading at last, and looked at by what was opened. */
static enum cache_open_result open_checked(int fd, const char *name, const char *path, int *ret_fd,
                                           struct error *error)
{
    struct stat status;
    AUTO_CLOSE int opened = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (opened < 0 || fstat(opened, &status) != 0)
        return failed(path, errno, "open", error);
    if (!is_trusted_owner(&status))
        return unsafe(path, "it belongs to another user", error);
    if ((status.st_mode & 022) != 0)
        return unsafe(path, "other users may write to it", error);
    *ret_fd = fd_steal(&opened);
    return CACHE_OPENED;
}

enum cache_open_result cache_open_directory(const char *path, int *ret_fd, struct error *error)
{
    struct walk walk = {
        .path = path, .fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), .rest = mem_string(path)};
    enum cache_open_result result =
        walk.fd >= 0 ? walk_to_end(&walk, error) : failed(path, errno, "open", error);
    if (result == CACHE_OPENED)
        result = open_checked(walk.fd, ".", path, ret_fd, error);
    if (walk.fd >= 0)
        close(walk.fd);
    free(walk.rest);
    return result;
}

enum cache_open_result cache_open_below(int fd, const char *path, const char *name, int *ret_fd,
                                        struct error *error)
{
    AUTO_FREE char *where = mem_printf("%s/%s", path, name);
    enum cache_open_result result = open_checked(fd, name, where, ret_fd, NULL);
    if (result == CACHE_OPENED)
        return result;
    if (mkdirat(fd, name, 0700) != 0 && errno != EEXIST)
        return failed(where, errno, "make", error);
    return open_checked(fd, name, where, ret_fd, error);
}
