/* SPDX-License-Identifier: MIT */
#include "install/cache/cache_private.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strlist.h"
#include "host/local/anonymous_file.h"
#include "host/local/random_name.h"
#include "install/io/tree.h"

#define CREATE (O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC)

static bool is_still(int parent_fd, const char *name, int fd)
{
    struct stat named, opened;
    return fstatat(parent_fd, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && fstat(fd, &opened) == 0 &&
           named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

#define SHARE_TRIES   100
#define SHARE_WAIT_MS 100

void cache_share(int fd)
{
    for (int tries = 0; tries < SHARE_TRIES; tries++) {
        if (flock(fd, LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK)
            return;
        poll(NULL, 0, SHARE_WAIT_MS);
    }
}

int cache_create_named(int fd, const char *prefix, char **ret_name)
{
    AUTO_FREE char *start = mem_printf("%s.", prefix);
    for (int tries = 0; tries < 16; tries++) {
        AUTO_FREE char *name = random_name_new(start);
        AUTO_CLOSE int file = name ? openat(fd, name, CREATE, 0600) : -1;
        if (file < 0 && errno != EEXIST)
            return -1;
        if (file < 0)
            continue;
        /* Another process may have taken it for one that was left, before it was locked. */
        if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno != EWOULDBLOCK) {
            unlinkat(fd, name, 0);
            errno = ENOLCK;
            return -1;
        }
        if (!is_still(fd, name, file))
            continue;
        fchmod(file, 0600); /* an umask such as 0777 */
        *ret_name = mem_steal(&name);
        return fd_steal(&file);
    }
    errno = EEXIST;
    return -1;
}

/* O_TMPFILE is not known to every file system; then the name goes at once. */
static int create_unlinked(int directory)
{
    int file = openat(directory, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    if (file >= 0)
        return file;
    AUTO_FREE char *name = random_name_new(".gpuenv.");
    file = name ? openat(directory, name, CREATE, 0600) : -1;
    if (file >= 0)
        unlinkat(directory, name, 0);
    return file;
}

static int create_in(const char *path)
{
    AUTO_CLOSE int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return directory < 0 ? -1 : create_unlinked(directory);
}

int cache_create_nameless(int scratch_fd, struct error *error)
{
    int file = scratch_fd >= 0 ? create_unlinked(scratch_fd) : -1;
    const char *temporary = geteuid() == 0 ? NULL : getenv("TMPDIR"); /* sudo keeps the caller's */
    if (file < 0 && temporary && *temporary == '/')
        file = create_in(temporary);
    if (file < 0)
        file = create_in("/var/tmp");
    if (file < 0)
        file = anonymous_file_new();
    if (file < 0) {
        error_set_errno(error, ERROR_CANNOT_WRITE, errno, "/var/tmp",
                        "there is no space for the downloads");
        error_next(error, "free some space, or name a directory with GPUENV_CACHE_DIR");
    }
    return file;
}

/* PREFIX.RANDOM, as cache_create_named() makes it. */
bool cache_is_random_name(const char *name)
{
    const char *point = strrchr(name, '.');
    return point && random_name_is(point, ".");
}

bool cache_is_empty(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0;
}

void cache_remove_stale(int fd)
{
    AUTO_STRLIST struct strlist names = {0};
    if (!tree_list(fd, "", &names, NULL))
        return;
    for (size_t i = 0; i < names.count; i++) {
        AUTO_CLOSE int file =
            openat(fd, names.items[i], O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (file >= 0 && (cache_is_random_name(names.items[i]) || cache_is_empty(file)) &&
            flock(file, LOCK_EX | LOCK_NB) == 0)
            unlinkat(fd, names.items[i], 0);
    }
}
