/* SPDX-License-Identifier: MIT */
/* A file written whole or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "host/local/local.h"
#include "host/local/temporary.h"
#include "host/local/walk.h"
#include "host/root/bytes.h"
#include "host/root/input.h"

#define LINKS_MAX 40

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

/* Opening does not wait for a reader (ENXIO), or for a terminal's line; writing does. */
static int write_special(const struct target *target, const char *bytes, size_t size)
{
    int flags = O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC;
    AUTO_CLOSE int fd = openat(target->directory, target->name, flags);
    if (fd < 0 || fcntl(fd, F_SETFL, 0) != 0)
        return errno;
    return bytes_write(fd, bytes, size) ? 0 : errno;
}

/* The owner is kept where that is allowed: root who overwrites a user's file leaves it theirs. */
static int keep_mode(int fd, const struct stat *existing)
{
    int ignored = fchown(fd, existing->st_uid, existing->st_gid);
    (void)ignored;
    return fchmod(fd, existing->st_mode & 0777) == 0 ? 0 : errno;
}

/* Where the file is in its place, and only the disk did not confirm it: below 0. */
#define NOT_CONFIRMED(number) (-(number))

/* Not every user may read the directory (EACCES), and not every file system syncs one: then there
 * is nothing that could be waited for. */
static int sync_directory(int directory)
{
    AUTO_CLOSE int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int number = fd >= 0 && bytes_sync(fd) ? 0 : errno;
    return number == EACCES || number == EINVAL || number == EOPNOTSUPP ? 0 : NOT_CONFIRMED(number);
}

static int finish(struct temporary *temporary, const char *name)
{
    if (!bytes_sync(temporary->fd))
        return errno;
    /* It is open until it has its name: others take what nobody holds for left over. */
    if (renameat(temporary->directory, temporary->name, temporary->directory, name) != 0)
        return errno;
    temporary->there = false;
    return sync_directory(temporary->directory);
}

/* existing: NULL when there is no such file yet. */
static int replace_file(const struct target *target, const struct stat *existing, const char *bytes,
                        size_t size)
{
    AUTO_TEMPORARY struct temporary temporary = {.fd = -1, .directory = target->directory};
    if (existing && faccessat(target->directory, target->name, W_OK, AT_EACCESS) != 0)
        return errno;
    int number = temporary_create(&temporary, target->name, existing ? 0600 : 0666);
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

/* What ENXIO stands for: its own words are of a device that is missing. */
static void explain_special(const struct target *target, struct error *error)
{
    struct stat stat;
    if (target->name == NULL ||
        fstatat(target->directory, target->name, &stat, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    if (S_ISFIFO(stat.st_mode)) {
        error_why(error, "no program reads from this FIFO");
        error_next(error, "start a program that reads from the FIFO first, or name a file");
    } else if (S_ISSOCK(stat.st_mode)) {
        error_why(error, INPUT_KIND_WORDS, input_kind(stat.st_mode));
    }
}

/* refused: what the walk said; what only the system said is told by number. */
static bool tell(const struct target *target, int number, const char *path, struct error *refused,
                 struct error *error)
{
    if (error_is_set(refused) && refused->why == NULL) {
        error_prefix(refused, "cannot write");
        return error_move(refused, error);
    }
    if (number < 0) {
        error_set_errno(error, ERROR_CANNOT_WRITE, -number, path,
                        "the file was written, but the disk did not confirm the write");
        return error_next(error, "check the disk (dmesg), and write the file again");
    }
    error_set_errno(error, ERROR_CANNOT_WRITE, number, path, "cannot write");
    if (number == ENXIO)
        explain_special(target, error);
    return false;
}

bool local_write(const char *path, const char *bytes, size_t size, struct error *error)
{
    AUTO_TARGET struct target target = {.descriptor = -1, .directory = -1};
    AUTO_ERROR struct error refused = {0};
    int number = open_target(path, &target, &refused);
    if (number == 0)
        number = write_target(&target, bytes, size);
    return number == 0 || tell(&target, number, path, &refused, error);
}

static int write_new(int directory, const char *name, const char *bytes, size_t size,
                     bool executable)
{
    AUTO_TEMPORARY struct temporary temporary = {.fd = -1, .directory = directory};
    struct stat status;
    if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0)
        return EEXIST;
    int number = temporary_create(&temporary, name, executable ? 0777 : 0666);
    if (number == 0 && !bytes_write(temporary.fd, bytes, size))
        number = errno;
    return number == 0 ? finish(&temporary, name) : number;
}

bool local_write_new(const char *path, const char *bytes, size_t size, bool executable,
                     struct error *error)
{
    static const struct walk_rules rules = {.making = WALK_MAKES, .mode = 0777};
    AUTO_FREE char *directory = directory_of(path);
    struct walk_end end;
    if (!walk_to(directory, &rules, &end, error))
        return error_prefix(error, "cannot write");
    AUTO_CLOSE int fd = end.fd;
    int number = write_new(fd, name_of(path), bytes, size, executable);
    struct target target = {.name = NULL};
    return number == 0 || tell(&target, number, path, error, error);
}

/* 0, or the errno of a write that plainly fails. */
static int check_descriptor(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    return flags < 0 ? errno : (flags & O_ACCMODE) == O_RDONLY ? EBADF : 0;
}

static int check_target(const struct target *target)
{
    struct stat stat;
    if (target->descriptor >= 0)
        return check_descriptor(target->descriptor);
    bool there = fstatat(target->directory, target->name, &stat, AT_SYMLINK_NOFOLLOW) == 0;
    if (!there && errno != ENOENT)
        return errno;
    if (there && S_ISDIR(stat.st_mode))
        return EISDIR;
    if (there && S_ISSOCK(stat.st_mode))
        return ENXIO;
    if (there && faccessat(target->directory, target->name, W_OK, AT_EACCESS) != 0)
        return errno;
    if (there && !S_ISREG(stat.st_mode))
        return 0;
    /* Permissions do not tell of attributes, quotas and file systems that take no files. */
    AUTO_TEMPORARY struct temporary temporary = {.fd = -1, .directory = target->directory};
    return temporary_create(&temporary, target->name, 0600);
}

bool local_can_write(const char *path, struct error *error)
{
    AUTO_TARGET struct target target = {.descriptor = -1, .directory = -1};
    AUTO_ERROR struct error refused = {0};
    int number = open_target(path, &target, &refused);
    if (number == 0)
        number = check_target(&target);
    return number == 0 || tell(&target, number, path, &refused, error);
}
