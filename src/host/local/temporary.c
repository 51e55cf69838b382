/* SPDX-License-Identifier: MIT */
#include "host/local/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/text.h"
#include "host/local/random_name.h"

#define NAME_TRIES 16
#define START_MAX  200 /* of NAME: what follows it must fit too */

void temporary_remove(struct temporary *temporary)
{
    if (temporary->there)
        unlinkat(temporary->directory, temporary->name, 0);
    fd_close_at(&temporary->fd);
    temporary->fd = -1;
    temporary->there = false;
}

static char *start_of(const char *name)
{
    return mem_printf(".%.*s.gpuenv-", START_MAX, name);
}

static bool is_ours(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid();
}

/* One that a living process holds is locked. */
static void remove_stale(int directory, const char *name)
{
    AUTO_CLOSE int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0 && is_ours(fd) && flock(fd, LOCK_EX | LOCK_NB) == 0)
        unlinkat(directory, name, 0);
}

static void close_directory_at(DIR **directory)
{
    if (*directory)
        closedir(*directory);
}

/* Where the directory cannot be read they stay. */
static void remove_all_stale(int directory, const char *start)
{
    int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    AUTO(close_directory_at) DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
    if (stream == NULL) {
        if (fd >= 0)
            close(fd);
        return;
    }
    for (const struct dirent *entry = readdir(stream); entry; entry = readdir(stream))
        if (random_name_is(entry->d_name, start))
            remove_stale(directory, entry->d_name);
}

/* Another process may have taken it for one that was left, before it was locked. */
static bool is_still_there(const struct temporary *temporary)
{
    struct stat status;
    flock(temporary->fd, LOCK_EX | LOCK_NB); /* not available everywhere */
    return fstat(temporary->fd, &status) == 0 && status.st_nlink > 0;
}

static int create_once(struct temporary *temporary, const char *start, mode_t mode)
{
    AUTO_FREE char *name = random_name_new(start);
    if (name == NULL)
        return EIO;
    snprintf(temporary->name, sizeof(temporary->name), "%s", name);
    temporary->fd = openat(temporary->directory, temporary->name,
                           O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (temporary->fd < 0)
        return errno;
    temporary->there = true;
    if (is_still_there(temporary))
        return 0;
    temporary_remove(temporary);
    return EEXIST;
}

int temporary_create(struct temporary *temporary, const char *name, mode_t mode)
{
    AUTO_FREE char *start = start_of(name);
    int number = EEXIST;
    remove_all_stale(temporary->directory, start);
    for (int i = 0; i < NAME_TRIES && number == EEXIST; i++)
        number = create_once(temporary, start, mode);
    return number;
}
