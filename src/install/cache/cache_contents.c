/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hex.h"
#include "install/cache/cache_private.h"
#include "install/cache/cache_prune.h"
#include "install/io/tree.h"

#define DIRECTORY (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

void cache_contents_free(struct cache_contents *contents)
{
    for (size_t i = 0; i < contents->count; i++) {
        free(contents->entries[i].directory);
        free(contents->entries[i].name);
    }
    free(contents->entries);
    free(contents->path);
    fd_close_at(&contents->fd);
    *contents = (struct cache_contents){.fd = -1};
}

/* Ours or root's, and nobody else's to write: -1 for anything else. */
static int open_ours(int fd, const char *name)
{
    struct stat status;
    AUTO_CLOSE int opened = openat(fd, name, DIRECTORY);
    if (opened < 0 || fstat(opened, &status) != 0 ||
        (status.st_uid != geteuid() && status.st_uid != 0) || (status.st_mode & 022) != 0)
        return -1;
    return fd_steal(&opened);
}

static bool is_busy(int fd, const char *name)
{
    AUTO_CLOSE int file = openat(fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    return file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

static bool is_named(enum cache_kind kind, const char *directory, const char *name)
{
    struct digest digest;
    switch (kind) {
    case CACHE_ARCHIVE:
        return digest_parse(name, &digest) && strncmp(name, strrchr(directory, '/') + 1, 2) == 0;
    case CACHE_PARTIAL:
        return digest_parse(name, &digest) || cache_is_random_name(name);
    case CACHE_LIST:
    case CACHE_KINDS:
        break;
    }
    return cache_is_plain_name(name);
}

static void take(struct cache_contents *contents, enum cache_kind kind, int fd,
                 const char *directory, const char *name)
{
    struct stat status;
    if (!is_named(kind, directory, name) || fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(status.st_mode) || (status.st_uid != geteuid() && status.st_uid != 0)) {
        contents->others++;
        return;
    }
    *vec_push(contents->entries, contents->count, contents->capacity) = (struct cache_entry){
        .kind = kind,
        .directory = mem_string(directory),
        .name = mem_string(name),
        .size = (uint64_t)status.st_size,
        .used = status.st_atim.tv_sec > status.st_mtim.tv_sec ? status.st_atim.tv_sec
                                                              : status.st_mtim.tv_sec,
        .is_busy = kind == CACHE_PARTIAL && is_busy(fd, name)};
}

static void take_all(struct cache_contents *contents, enum cache_kind kind, int fd,
                     const char *directory)
{
    AUTO_STRLIST struct strlist names = {0};
    if (!tree_list(fd, contents->path, &names, NULL))
        return;
    for (size_t i = 0; i < names.count; i++)
        take(contents, kind, fd, directory, names.items[i]);
}

/* "ab" of sha256/ab */
static bool is_start(const char *name)
{
    return hex_is(name, 2);
}

static void take_archives(struct cache_contents *contents, int fd)
{
    AUTO_STRLIST struct strlist names = {0};
    if (!tree_list(fd, contents->path, &names, NULL))
        return;
    for (size_t i = 0; i < names.count; i++) {
        AUTO_CLOSE int below = is_start(names.items[i]) ? open_ours(fd, names.items[i]) : -1;
        AUTO_FREE char *directory = mem_printf("sha256/%s", names.items[i]);
        if (below >= 0)
            take_all(contents, CACHE_ARCHIVE, below, directory);
        else
            contents->others++;
    }
}

static void take_directories(struct cache_contents *contents)
{
    AUTO_STRLIST struct strlist names = {0};
    if (!tree_list(contents->fd, contents->path, &names, NULL))
        return;
    for (size_t i = 0; i < names.count; i++) {
        const char *name = names.items[i];
        AUTO_CLOSE int fd = open_ours(contents->fd, name);
        if (fd >= 0 && string_equal(name, "sha256"))
            take_archives(contents, fd);
        else if (fd >= 0 && string_equal(name, "partial"))
            take_all(contents, CACHE_PARTIAL, fd, name);
        else if (fd >= 0 && string_equal(name, "proved"))
            take_all(contents, CACHE_LIST, fd, name);
        else
            contents->others++;
    }
}

bool cache_contents_read(struct cache_contents *ret_contents, struct error *error)
{
    AUTO_CONTENTS struct cache_contents contents = {.fd = -1};
    AUTO_ERROR struct error wrong = {0};
    struct stat status;
    contents.path = cache_place(&wrong);
    if (contents.path == NULL && error_is_set(&wrong)) {
        return error_move(&wrong, error);
    }
    if (contents.path && stat(contents.path, &status) == 0) {
        if (cache_open_directory(contents.path, &contents.fd, error) != CACHE_OPENED)
            return false;
        take_directories(&contents);
    }
    *ret_contents = contents;
    contents = (struct cache_contents){.fd = -1};
    return true;
}
