/* SPDX-License-Identifier: MIT */
#include "install/mirror_directory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/local/walk.h"
#include "host/root/bytes.h"
#include "host/root/input.h"
#include "install/cache/cache_private.h"
#include "install/io/fd.h"
#include "install/io/lock.h"
#include "install/io/rename.h"
#include "install/io/tree.h"
#include "install/run/run.h"

/* The mirror's directory: every path by handles, no link in it followed. */

/* A cache of its own, beside its files: what is whole is renamed into its place. */
static bool open_work(struct mirror_directory *mirror, struct error *error)
{
    AUTO_FREE char *path = mem_printf("%s/%s", mirror->path, MIRROR_DIRECTORY_WORK);
    struct cache *work = mem_alloc(sizeof(*work));
    *work = (struct cache){.path = mem_steal(&path),
                           .fd = -1,
                           .sha256_fd = -1,
                           .partial_fd = -1,
                           .proved_fd = -1,
                           .scratch_fd = -1,
                           .can_write = true,
                           .kept = mem_alloc(sizeof(*work->kept))};
    mirror->work = work;
    if (cache_open_below(mirror->fd, mirror->path, MIRROR_DIRECTORY_WORK, &work->fd, error) !=
            CACHE_OPENED ||
        cache_open_below(work->fd, work->path, "sha256", &work->sha256_fd, error) != CACHE_OPENED ||
        cache_open_below(work->fd, work->path, "partial", &work->partial_fd, error) != CACHE_OPENED)
        return error_next(
            error, "check the file or directory with this name, or choose another directory");
    cache_remove_stale(work->partial_fd);
    return true;
}

static bool open_directory(struct mirror_directory *mirror, enum walk_making making,
                           struct error *error)
{
    const struct request *request = mirror->run->request;
    const struct walk_rules rules = {.making = making, .mode = 0755};
    AUTO_CLOSE int fd = walk_open(mirror->path, &rules, error);
    if (fd < 0) {
        if (error->next == NULL)
            error_next(error, "choose another directory");
        return error_prefix(error, "no place for the mirror");
    }
    if (!request->dry_run && !lock_directory(fd, request->lock_timeout_s, mirror->path, error))
        return false;
    mirror->fd = fd_steal(&fd);
    bool begun = faccessat(mirror->fd, MIRROR_DIRECTORY_WORK, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    return request->dry_run || !begun || open_work(mirror, error); /* by a run that was killed */
}

bool mirror_directory_open(struct run *run, struct mirror_directory *ret_mirror,
                           struct error *error)
{
    *ret_mirror = (struct mirror_directory){.run = run, .path = run->request->prefix, .fd = -1};
    return access(ret_mirror->path, F_OK) != 0 ||
           open_directory(ret_mirror, WALK_MAKES_NOTHING, error);
}

bool mirror_directory_begin(struct mirror_directory *mirror, struct error *error)
{
    if (mirror->fd < 0 && !open_directory(mirror, WALK_MAKES, error))
        return false;
    return mirror->work || open_work(mirror, error);
}

/* What holds something stays. */
static void remove_empty(int fd, const char *name, int *ret_number)
{
    if (unlinkat(fd, name, AT_REMOVEDIR) != 0 && errno != ENOENT && errno != ENOTEMPTY &&
        errno != EEXIST && *ret_number == 0)
        *ret_number = errno;
}

/* What came is in its place: only what another request still wants stays. */
static bool close_work(const struct mirror_directory *mirror, struct error *error)
{
    char name[8];
    int number = 0;
    for (unsigned i = 0; i < 256; i++) {
        snprintf(name, sizeof(name), "%02x", i);
        remove_empty(mirror->work->sha256_fd, name, &number);
    }
    cache_remove_stale(mirror->work->partial_fd);
    remove_empty(mirror->work->fd, "sha256", &number);
    remove_empty(mirror->work->fd, "partial", &number);
    remove_empty(mirror->fd, MIRROR_DIRECTORY_WORK, &number);
    if (number == 0)
        return true;
    error_set_errno(error, fd_error_kind(number), number, mirror->work->path,
                    "the mirror is complete, but its working directory cannot be removed");
    return error_next(error,
                      "the next mirror command for this directory removes the working directory");
}

bool mirror_directory_close(struct mirror_directory *mirror, struct error *error)
{
    bool ok = mirror->work == NULL || mirror->work->partial_fd < 0 || close_work(mirror, error);
    cache_free(mirror->work);
    if (mirror->fd >= 0)
        close(mirror->fd);
    *mirror = (struct mirror_directory){.fd = -1};
    return ok;
}

/* Below 0 with *ret_missing: nothing has that name. What is not a regular file is opened by nobody.
 */
static int open_file(const struct mirror_directory *mirror, const char *path, bool *ret_missing)
{
    const char *name;
    AUTO_CLOSE int directory =
        mirror->fd < 0 ? -1 : tree_open_parent(mirror->fd, path, false, mirror->path, &name, NULL);
    *ret_missing = directory < 0 && (mirror->fd < 0 || errno == ENOENT);
    if (directory < 0)
        return -1;
    mode_t mode;
    int fd = input_openat(directory, name, O_NOFOLLOW, &mode);
    *ret_missing = fd == -1 && errno == ENOENT;
    return fd;
}

bool mirror_directory_look(const struct mirror_directory *mirror, const char *path, uint64_t size,
                           const struct digest *sha256, enum mirror_directory_state *ret_state,
                           struct error *error)
{
    bool missing;
    struct stat status;
    struct digest found;
    uint64_t read;
    AUTO_CLOSE int fd = open_file(mirror, path, &missing);
    *ret_state = missing ? MIRROR_DIRECTORY_MISSING : MIRROR_DIRECTORY_OTHER;
    if (fd < 0 || fstat(fd, &status) != 0 || (size > 0 && (uint64_t)status.st_size != size))
        return true;
    if (!digest_of_file(fd, (uint64_t)status.st_size, path, &found, &read, error))
        return false;
    if (digest_equal(&found, sha256))
        *ret_state = MIRROR_DIRECTORY_WHOLE;
    return true;
}

bool mirror_directory_look_text(const struct mirror_directory *mirror, const char *path,
                                const struct text *text, enum mirror_directory_state *ret_state,
                                struct error *error)
{
    struct digest digest;
    return digest_of_bytes(text_string(text), text->size, &digest, error) &&
           mirror_directory_look(mirror, path, text->size, &digest, ret_state, error);
}

static bool cannot_write(const struct mirror_directory *mirror, const char *path,
                         struct error *error)
{
    AUTO_FREE char *where = mem_printf("%s/%s", mirror->path, path);
    error_set_errno(error, fd_error_kind(errno), errno, where, "cannot write it");
    return error_next(
        error, "the downloads are kept: check the file system, and run the same command again");
}

/* From the mirror's own directories to its place, and never over anything but with --force. */
static bool put(struct mirror_directory *mirror, int from_fd, const char *from, const char *path,
                struct error *error)
{
    const char *name;
    AUTO_CLOSE int directory = tree_open_parent(mirror->fd, path, true, mirror->path, &name, error);
    if (directory < 0)
        return false;
    AUTO_CLOSE int fd = openat(from_fd, from, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || fchmod(fd, 0644) != 0 || !bytes_sync(fd))
        return cannot_write(mirror, path, error);
    int result = mirror->run->request->force ? renameat(from_fd, from, directory, name)
                                             : rename_to_new(from_fd, from, directory, name);
    if (result != 0)
        return cannot_write(mirror, path, error);
    mirror->files++;
    AUTO_FREE char *where = mem_printf("%s/%s", mirror->path, path);
    return fd_sync_directory(directory) || fd_not_confirmed("the file is in place", where, error);
}

bool mirror_directory_put(struct mirror_directory *mirror, const char *path, uint64_t size,
                          const struct digest *sha256, struct error *error)
{
    char hex[DIGEST_HEX_SIZE];
    digest_hex(sha256, hex);
    AUTO_FREE char *from = mem_printf("%.2s/%s", hex, hex);
    mirror->came += size;
    return put(mirror, mirror->work->sha256_fd, from, path, error);
}

bool mirror_directory_put_text(struct mirror_directory *mirror, const char *path,
                               const struct text *text, struct error *error)
{
    AUTO_FREE char *name = NULL;
    if (!mirror_directory_begin(mirror, error))
        return false;
    AUTO_CLOSE int fd = cache_create_named(mirror->work->partial_fd, "text", &name);
    if (fd < 0 || !bytes_write(fd, text_string(text), text->size))
        return cannot_write(mirror, path, error);
    mirror->came += text->size;
    return put(mirror, mirror->work->partial_fd, name, path, error);
}

static bool copy_bytes(const struct mirror_directory *mirror, int from, int to, uint64_t size,
                       struct error *error)
{
    AUTO_FREE char *block = mem_alloc(1u << 18);
    if (ftruncate(to, 0) != 0 || lseek(to, 0, SEEK_SET) != 0)
        return cannot_write(mirror, MIRROR_DIRECTORY_WORK, error);
    for (uint64_t at = 0; at < size;) {
        ssize_t read = pread(from, block, 1u << 18, (off_t)at);
        if (read < 0 && errno == EINTR)
            continue;
        if (read <= 0)
            return true; /* the digest will tell */
        if (!bytes_write(to, block, (size_t)read))
            return cannot_write(mirror, MIRROR_DIRECTORY_WORK, error);
        at += (uint64_t)read;
    }
    return true;
}

bool mirror_directory_copy(struct mirror_directory *mirror, int from, uint64_t size,
                           const struct digest *sha256, bool *ret_same, struct error *error)
{
    struct digest found;
    uint64_t read;
    *ret_same = false;
    if (!mirror_directory_begin(mirror, error))
        return false;
    AUTO_CLOSE int fd = cache_partial(mirror->work, sha256, error);
    if (fd < 0 || !copy_bytes(mirror, from, fd, size, error) ||
        !digest_of_file(fd, INT64_MAX, mirror->path, &found, &read, error))
        return false;
    *ret_same = digest_equal(&found, sha256);
    if (!*ret_same && ftruncate(fd, 0) != 0)
        return cannot_write(mirror, MIRROR_DIRECTORY_WORK, error);
    return !*ret_same || cache_keep(mirror->work, sha256, fd, error);
}
