/* SPDX-License-Identifier: MIT */
/* A file written whole or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "host/bytes.h"
#include "host/local.h"
#include "host/walk.h"

#define LINKS_MAX       40
#define NAME_TRIES      16
#define TEMPORARY_BYTES 32

/* Where the bytes go: an open descriptor of this process, or a name in a directory. */
struct target {
    char *path; /* no link at its end */
    int descriptor;
    int directory; /* O_PATH */
    const char *name;
};

#define AUTO_TARGET AUTO(target_close)

static void target_close(struct target *target)
{
    free(target->path);
    fd_close_at(&target->directory);
}

/* A file beside the target, removed unless it was put in its place. */
struct temporary {
    int fd;
    int directory;
    bool there;
    char name[TEMPORARY_BYTES];
};

#define AUTO_TEMPORARY AUTO(temporary_remove)

static void temporary_remove(struct temporary *temporary)
{
    fd_close_at(&temporary->fd);
    if (temporary->there)
        unlinkat(temporary->directory, temporary->name, 0);
}

/* The number in /dev/fd/N and its like, -1 for any other path. What such a name leads to is not
 * opened again: that would begin at its start, and fails for a socket. */
static int standard_descriptor(const char *path)
{
    static const char *const directories[] = {"/dev/fd/", "/proc/self/fd/"};
    if (string_equal(path, "/dev/stdout"))
        return STDOUT_FILENO;
    if (string_equal(path, "/dev/stderr"))
        return STDERR_FILENO;
    for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++) {
        unsigned long long number;
        if (string_starts(path, directories[i]) &&
            string_to_unsigned(path + strlen(directories[i]), &number) && number <= INT_MAX)
            return (int)number;
    }
    return -1;
}

/* The last step, within path. */
static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static char *directory_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        return mem_string(".");
    return slash == path ? mem_string("/") : mem_string_n(path, (size_t)(slash - path));
}

/* Opens the directory that the last step of target->path is in; the link there, where it is one
 * that may be followed, takes the place of the path. Returns 0, an errno, or -1 when it is no link.
 */
static int take_step(struct target *target, struct error *error)
{
    static const struct walk_rules rules = {.making = WALK_MAKES_NOTHING};
    AUTO_FREE char *directory = directory_of(target->path);
    struct walk_end end;
    struct stat status;
    char text[PATH_MAX];
    fd_close_at(&target->directory);
    target->directory = -1;
    if (!walk_to(directory, &rules, &end, error))
        return end.number;
    target->directory = end.fd;
    const char *name = name_of(target->path);
    if (name[0] == '\0' || fstatat(end.fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISLNK(status.st_mode))
        return -1;
    const char *why_not = walk_why_not(&end, &status);
    if (why_not) {
        error_set(error, ERROR_CANNOT_WRITE, "%s", why_not);
        error_where(error, "%s", target->path);
        return EPERM;
    }
    ssize_t length = readlinkat(end.fd, name, text, sizeof(text) - 1);
    if (length < 0)
        return errno;
    text[length] = '\0';
    char *next = text[0] == '/' ? mem_string(text) : mem_printf("%s/%s", directory, text);
    free(target->path);
    target->path = next;
    return 0;
}

static int follow_links(struct target *target, struct error *error)
{
    for (int i = 0; i <= LINKS_MAX; i++) {
        target->descriptor = standard_descriptor(target->path);
        if (target->descriptor >= 0)
            return 0;
        int number = take_step(target, error);
        if (number != 0)
            return number < 0 ? 0 : number;
    }
    return ELOOP;
}

static int open_target(const char *path, struct target *target, struct error *error)
{
    if (path[0] == '\0')
        return ENOENT;
    target->path = mem_string(path);
    int number = follow_links(target, error);
    if (number != 0 || target->descriptor >= 0)
        return number;
    target->name = name_of(target->path);
    return target->name[0] == '\0' ? EISDIR : 0;
}

static int write_special(const struct target *target, const char *bytes, size_t size)
{
    int flags = O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC;
    AUTO_CLOSE int fd = openat(target->directory, target->name, flags);
    return fd < 0 || !bytes_write(fd, bytes, size) ? errno : 0;
}

static int temporary_create(struct temporary *temporary, mode_t mode)
{
    for (int i = 0; i < NAME_TRIES; i++) {
        uint64_t random;
        if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
            return EIO;
        snprintf(temporary->name, sizeof(temporary->name), ".gpuenv-%016llx",
                 (unsigned long long)random);
        temporary->fd = openat(temporary->directory, temporary->name,
                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        temporary->there = temporary->fd >= 0;
        if (temporary->there || errno != EEXIST)
            return temporary->there ? 0 : errno;
    }
    return EEXIST;
}

/* The owner is kept where that is allowed: root who overwrites a user's file leaves it theirs. */
static int keep_mode(int fd, const struct stat *existing)
{
    int ignored = fchown(fd, existing->st_uid, existing->st_gid);
    (void)ignored;
    return fchmod(fd, existing->st_mode & 0777) == 0 ? 0 : errno;
}

static int finish(struct temporary *temporary, const char *name)
{
    if (fsync(temporary->fd) != 0)
        return errno;
    if (close(fd_steal(&temporary->fd)) != 0)
        return errno;
    if (renameat(temporary->directory, temporary->name, temporary->directory, name) != 0)
        return errno;
    temporary->there = false;
    /* The file is there whether or not its directory can be synced. */
    AUTO_CLOSE int directory =
        openat(temporary->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory >= 0)
        fsync(directory);
    return 0;
}

/* existing: NULL when there is no such file yet. */
static int replace_file(const struct target *target, const struct stat *existing, const char *bytes,
                        size_t size)
{
    AUTO_TEMPORARY struct temporary temporary = {.fd = -1, .directory = target->directory};
    if (existing && faccessat(target->directory, target->name, W_OK, AT_EACCESS) != 0)
        return errno;
    int number = temporary_create(&temporary, existing ? 0600 : 0666);
    if (number == 0 && existing)
        number = keep_mode(temporary.fd, existing);
    if (number == 0 && !bytes_write(temporary.fd, bytes, size))
        number = errno;
    return number == 0 ? finish(&temporary, target->name) : number;
}

static int write_target(const struct target *target, const char *bytes, size_t size)
{
    if (target->descriptor >= 0)
        return bytes_write(target->descriptor, bytes, size) ? 0 : errno;
    struct stat stat;
    if (fstatat(target->directory, target->name, &stat, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? replace_file(target, NULL, bytes, size) : errno;
    if (S_ISDIR(stat.st_mode))
        return EISDIR;
    return S_ISREG(stat.st_mode) ? replace_file(target, &stat, bytes, size)
                                 : write_special(target, bytes, size);
}

bool local_write(const char *path, const char *bytes, size_t size, struct error *error)
{
    AUTO_TARGET struct target target = {.descriptor = -1, .directory = -1};
    AUTO_ERROR struct error refused = {0};
    int number = open_target(path, &target, &refused);
    if (number == 0)
        number = write_target(&target, bytes, size);
    if (number != 0 && error_is_set(&refused) && refused.why == NULL) {
        error_prefix(&refused, "cannot write");
        return error_move(&refused, error);
    }
    return number == 0 || error_set_errno(error, ERROR_CANNOT_WRITE, number, path, "cannot write");
}
