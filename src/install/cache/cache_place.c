/* SPDX-License-Identifier: MIT */
#include "install/cache/cache_private.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strlist.h"
#include "host/local/walk.h"

#define ROOT_PLACE "/var/cache/gpuenv"

/* A home that sudo left in the environment is not root's. */
char *cache_place(struct error *error)
{
    const char *place = getenv("GPUENV_CACHE_DIR");
    if (place && *place) {
        if (*place == '/')
            return mem_string(place);
        error_set(error, ERROR_USAGE, "GPUENV_CACHE_DIR is not an absolute path");
        error_where(error, "%s", place);
        error_next(error, "give an absolute path: GPUENV_CACHE_DIR=/DIR");
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

static bool is_trusted_owner(const struct stat *status)
{
    return status->st_uid == geteuid() || status->st_uid == 0;
}

static enum cache_open_result unsafe(const char *path, const char *why, struct error *error)
{
    error_set(error, ERROR_CANNOT_WRITE, "this directory cannot hold the cache");
    error_where(error, "%s", path);
    error_why(error, "%s", why);
    error_next(error, "choose another directory with GPUENV_CACHE_DIR, or use --no-cache");
    return CACHE_UNSAFE;
}

/* What a place cannot help, and what is wrong with it. */
static enum cache_open_result failed(const char *path, int number, const char *verb,
                                     struct error *error)
{
    error_set_errno(error, ERROR_CANNOT_WRITE, number, path, "cannot %s the cache directory", verb);
    error_next(error, "choose another directory with GPUENV_CACHE_DIR, or use --no-cache");
    static const int unavailable[] = {EROFS,  EACCES, EPERM,  ENOSPC,       EDQUOT,
                                      ESTALE, EIO,    ENODEV, ENAMETOOLONG, EMLINK};
    for (size_t i = 0; i < sizeof(unavailable) / sizeof(*unavailable); i++)
        if (number == unavailable[i])
            return CACHE_UNAVAILABLE;
    return CACHE_UNSAFE;
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
        return unsafe(path, "other users may write to this directory", error);
    *ret_fd = fd_steal(&opened);
    return CACHE_OPENED;
}

enum cache_open_result cache_open_directory(const char *path, int *ret_fd, struct error *error)
{
    static const struct walk_rules rules = {
        .making = WALK_MAKES_OWN_ONLY, .mode = 0700, .own_links = true};
    AUTO_ERROR struct error refused = {0};
    struct walk_end end;
    if (!walk_to(path, &rules, &end, &refused))
        return end.is_refused ? unsafe(path, refused.what, error)
                              : failed(path, end.number, "open", error);
    AUTO_CLOSE int fd = end.fd;
    return open_checked(fd, ".", path, ret_fd, error);
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
