/* SPDX-License-Identifier: MIT */
#include "install/cache/cache_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/strlist.h"
#include "host/root/bytes.h"
#include "install/io/fd.h"
#include "install/io/tree.h"

#define OPEN (O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)

const char *cache_path(const struct cache *cache)
{
    return cache->path;
}

const char *cache_note(const struct cache *cache)
{
    return cache->note;
}

static void close_fd(int fd)
{
    if (fd >= 0)
        close(fd);
}

void cache_free(struct cache *cache)
{
    if (cache == NULL)
        return;
    for (size_t i = 0; i < cache->kept->count; i++)
        close(cache->kept->items[i].fd);
    close_fd(cache->fd);
    close_fd(cache->sha256_fd);
    close_fd(cache->partial_fd);
    close_fd(cache->proved_fd);
    close_fd(cache->scratch_fd);
    free(cache->kept->items);
    free(cache->kept);
    free(cache->path);
    free(cache->note);
    free(cache);
}

static void cache_free_at(struct cache **cache)
{
    cache_free(*cache);
}

static void set_note(struct cache *cache, const struct error *error)
{
    cache->note =
        mem_printf("no downloads are kept: %s: %s: %s", error->what, error->where, error->why);
}

/* What can be opened is read, also where nothing can be written. */
static bool open_parts(struct cache *cache, struct error *error)
{
    static const char *const names[] = {"sha256", "partial", "proved"};
    int *const fds[] = {&cache->sha256_fd, &cache->partial_fd, &cache->proved_fd};
    enum cache_open_result worst = CACHE_OPENED;
    for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++) {
        enum cache_open_result result =
            cache_open_below(cache->fd, cache->path, names[i], fds[i], error);
        if (result == CACHE_UNSAFE)
            return false;
        if (result == CACHE_UNAVAILABLE)
            worst = result;
    }
    cache->can_write =
        worst == CACHE_OPENED && faccessat(cache->partial_fd, ".", W_OK, AT_EACCESS) == 0;
    if (worst == CACHE_OPENED && !cache->can_write)
        error_set_errno(error, ERROR_CANNOT_WRITE, errno, cache->path,
                        "cannot write into the cache");
    if (!cache->can_write)
        set_note(cache, error);
    else
        cache_remove_stale(cache->partial_fd);
    return true;
}

static bool open_place(struct cache *cache, struct error *error)
{
    AUTO_ERROR struct error wrong = {0};
    char *place = cache_place(&wrong);
    if (place) {
        free(cache->path);
        cache->path = place;
        enum cache_open_result result = cache_open_directory(place, &cache->fd, &wrong);
        if (result == CACHE_UNAVAILABLE)
            set_note(cache, &wrong);
        if (result == CACHE_OPENED)
            cache_share(cache->fd);
        if (result == CACHE_UNAVAILABLE || (result == CACHE_OPENED && open_parts(cache, &wrong)))
            return true;
    } else if (!error_is_set(&wrong)) {
        cache->note = mem_string("no downloads are kept: neither HOME nor GPUENV_CACHE_DIR is set");
        return true;
    }
    return error_move(&wrong, error);
}

struct cache *cache_open(bool no_cache, int parent_fd, struct error *error)
{
    AUTO(cache_free_at) struct cache *cache = mem_alloc(sizeof(*cache));
    *cache = (struct cache){.path = mem_string("files without a name"),
                            .fd = -1,
                            .sha256_fd = -1,
                            .partial_fd = -1,
                            .proved_fd = -1,
                            .kept = mem_alloc(sizeof(*cache->kept))};
    /* Opened again: a lock that is held through parent_fd must not live on in ours. */
    cache->scratch_fd =
        parent_fd < 0 ? -1 : openat(parent_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (!no_cache && !open_place(cache, error))
        return NULL;
    return mem_steal(&cache);
}

static const struct cache_kept *kept_find(const struct cache *cache, const struct digest *sha256)
{
    for (size_t i = 0; i < cache->kept->count; i++)
        if (digest_equal(&cache->kept->items[i].sha256, sha256))
            return &cache->kept->items[i];
    return NULL;
}

/* With an offset of its own where /proc is there. */
static int reopen(int fd)
{
    char path[40];
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    int opened = open(path, O_RDONLY | O_CLOEXEC);
    return opened >= 0 ? opened : fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

/* "ab/abcd…", below sha256. */
#define KEPT_NAME_SIZE (3 + DIGEST_HEX_SIZE)
static const char *kept_name(const struct digest *sha256, char name[static KEPT_NAME_SIZE])
{
    digest_hex(sha256, name + 3);
    memcpy(name, name + 3, 2);
    name[2] = '/';
    return name;
}

int cache_find(const struct cache *cache, const struct digest *sha256)
{
    char name[KEPT_NAME_SIZE];
    const struct cache_kept *kept = kept_find(cache, sha256);
    if (kept)
        return reopen(kept->fd);
    if (cache->sha256_fd < 0)
        return -1;
    AUTO_CLOSE int fd = openat(cache->sha256_fd, kept_name(sha256, name), O_RDONLY | OPEN);
    return fd >= 0 && fd_is_ours(fd) ? fd_steal(&fd) : -1;
}

bool cache_has(const struct cache *cache, const struct digest *sha256)
{
    AUTO_CLOSE int fd = cache_find(cache, sha256);
    return fd >= 0;
}

/* What a cache may lack without a harm: the next run fetches again. */
static bool is_bearable(int number)
{
    return number == ENOSPC || number == EDQUOT || number == EROFS || number == EACCES ||
           number == EPERM || number == ENOLCK || number == ENOENT;
}

static int cannot_write(const struct cache *cache, struct error *error)
{
    error_set_errno(error, ERROR_CANNOT_WRITE, errno, cache->path, "cannot write into the cache");
    error_next(error, "free some space there, or choose another place with GPUENV_CACHE_DIR");
    return -1;
}

enum lock_result { LOCK_HELD, LOCK_TAKEN, LOCK_MOVED, LOCK_UNKNOWN };

/* Another process may have given the file its final name between our opening and locking it. */
static enum lock_result lock_partial(const struct cache *cache, const char *name, int fd)
{
    struct stat named, opened;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0)
        return errno == EWOULDBLOCK ? LOCK_HELD : LOCK_UNKNOWN;
    if (fstatat(cache->partial_fd, name, &named, AT_SYMLINK_NOFOLLOW) != 0 ||
        fstat(fd, &opened) != 0 || named.st_dev != opened.st_dev || named.st_ino != opened.st_ino)
        return LOCK_MOVED;
    return LOCK_TAKEN;
}

/* The file of that name, locked; -1 with errno, EWOULDBLOCK when another process is at it. */
static int open_partial(const struct cache *cache, const char *name)
{
    for (int tries = 0; tries < 16; tries++) {
        AUTO_CLOSE int fd = openat(cache->partial_fd, name, O_RDWR | O_CREAT | OPEN, 0600);
        if (fd < 0 && errno != ELOOP)
            return -1;
        if (fd < 0 || !fd_is_ours(fd)) {
            if (unlinkat(cache->partial_fd, name, 0) != 0 && errno != ENOENT)
                return -1;
            continue;
        }
        enum lock_result result = lock_partial(cache, name, fd);
        if (result == LOCK_TAKEN) {
            fchmod(fd, 0600);
            return fd_steal(&fd);
        }
        if (result == LOCK_UNKNOWN) {
            if (cache_is_empty(fd)) /* it was made just now, or is of no use */
                unlinkat(cache->partial_fd, name, 0);
            errno = ENOLCK;
            return -1;
        }
        if (result == LOCK_HELD)
            break;
    }
    errno = EWOULDBLOCK;
    return -1;
}

int cache_partial(const struct cache *cache, const struct digest *key, struct error *error)
{
    char name[DIGEST_HEX_SIZE];
    if (!cache->can_write)
        return cache_create_nameless(cache->scratch_fd, error);
    int fd = open_partial(cache, digest_hex(key, name));
    if (fd >= 0)
        return fd;
    if (errno == ENOLCK)
        return cache_create_nameless(cache->partial_fd, error);
    if (errno != EWOULDBLOCK)
        return cannot_write(cache, error);
    AUTO_FREE char *own = NULL;
    fd = cache_create_named(cache->partial_fd, name, &own);
    return fd >= 0 ? fd : cannot_write(cache, error);
}

/* The name in partial/ that fd was opened by; NULL: none. */
static char *partial_name(const struct cache *cache, const char *hex, int fd)
{
    struct stat opened, named;
    AUTO_STRLIST struct strlist names = {0};
    if (fstat(fd, &opened) != 0 || !tree_list(cache->partial_fd, cache->path, &names, NULL))
        return NULL;
    for (size_t i = 0; i < names.count; i++)
        if (string_starts(names.items[i], hex) &&
            fstatat(cache->partial_fd, names.items[i], &named, AT_SYMLINK_NOFOLLOW) == 0 &&
            named.st_dev == opened.st_dev && named.st_ino == opened.st_ino)
            return mem_string(names.items[i]);
    return NULL;
}

/* Only what is ours has no name: a file of a mirror has one. */
static bool keep_nameless(const struct cache *cache, const struct digest *sha256, int fd)
{
    struct stat status;
    if (kept_find(cache, sha256) || fstat(fd, &status) != 0 || status.st_nlink > 0)
        return true;
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (copy >= 0)
        *vec_push(cache->kept->items, cache->kept->count, cache->kept->capacity) =
            (struct cache_kept){.sha256 = *sha256, .fd = copy};
    return true;
}

bool cache_keep(const struct cache *cache, const struct digest *sha256, int fd, struct error *error)
{
    char hex[DIGEST_HEX_SIZE], name[KEPT_NAME_SIZE], directory[3] = "";
    if (!cache->can_write)
        return keep_nameless(cache, sha256, fd);
    AUTO_FREE char *partial = partial_name(cache, digest_hex(sha256, hex), fd);
    if (partial == NULL)
        return true;
    memcpy(directory, hex, 2);
    bool made = mkdirat(cache->sha256_fd, directory, 0700) == 0 || errno == EEXIST;
    if (made &&
        renameat(cache->partial_fd, partial, cache->sha256_fd, kept_name(sha256, name)) == 0)
        return true;
    int number = errno;
    unlinkat(cache->partial_fd, partial, 0); /* fd still has it; nobody else would take it away */
    errno = number;
    return is_bearable(number) || cannot_write(cache, error) >= 0;
}

void cache_drop(const struct cache *cache, const struct digest *sha256)
{
    char name[KEPT_NAME_SIZE];
    struct cache_kept_list *kept = cache->kept;
    for (size_t i = 0; i < kept->count; i++) {
        if (!digest_equal(&kept->items[i].sha256, sha256))
            continue;
        close(kept->items[i].fd);
        kept->items[i--] = kept->items[--kept->count];
    }
    if (cache->sha256_fd >= 0)
        unlinkat(cache->sha256_fd, kept_name(sha256, name), 0);
}

bool cache_is_plain_name(const char *name)
{
    return *name && strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "0123456789-") == strlen(name);
}

bool cache_load(const struct cache *cache, const char *name, size_t max, struct text *ret_text)
{
    AUTO_TEXT struct text text = {0};
    if (cache->proved_fd < 0 || !cache_is_plain_name(name))
        return false;
    AUTO_CLOSE int fd = openat(cache->proved_fd, name, O_RDONLY | OPEN);
    if (fd < 0 || !fd_is_ours(fd) || !fd_read_all(fd, max, cache->path, &text, NULL))
        return false;
    text_free(ret_text);
    *ret_text = text;
    text = (struct text){0};
    return true;
}

bool cache_store(const struct cache *cache, const char *name, const struct text *text,
                 struct error *error)
{
    AUTO_FREE char *partial = NULL;
    if (!cache->can_write || !cache_is_plain_name(name))
        return true;
    AUTO_CLOSE int fd = cache_create_named(cache->partial_fd, name, &partial);
    if (fd >= 0 && bytes_write(fd, text_string(text), text->size) &&
        renameat(cache->partial_fd, partial, cache->proved_fd, name) == 0)
        return true;
    bool bearable = is_bearable(errno);
    if (!bearable)
        cannot_write(cache, error);
    if (partial)
        unlinkat(cache->partial_fd, partial, 0);
    return bearable;
}

bool cache_space(const struct cache *cache, uint64_t *ret_free, uint64_t *ret_file_system)
{
    struct statvfs space;
    struct stat status;
    int fd = cache->can_write ? cache->partial_fd : cache->scratch_fd;
    if (fd < 0 || fstatvfs(fd, &space) != 0 || fstat(fd, &status) != 0)
        return false;
    *ret_free = (uint64_t)space.f_bavail * space.f_frsize;
    *ret_file_system = (uint64_t)status.st_dev;
    return true;
}
