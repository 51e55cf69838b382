/* SPDX-License-Identifier: MIT */
#include "host/root/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "host/root/bytes.h"
#include "host/root/input.h"
#include "host/root/root.h"

#ifndef SYS_faccessat2 /* not in the headers of the oldest systems gpuenv is built on */
#define SYS_faccessat2 439
#endif

static enum host_type type_of(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFREG:
        return HOST_REGULAR;
    case S_IFDIR:
        return HOST_DIRECTORY;
    case S_IFLNK:
        return HOST_LINK;
    case S_IFCHR:
        return HOST_CHARACTER;
    case S_IFBLK:
        return HOST_BLOCK;
    default:
        return HOST_OTHER;
    }
}

static enum host_status stat_path(const struct host *host, const char *path, bool follow,
                                  struct host_stat *ret_stat, struct error *error)
{
    AUTO_OBJECT struct root_object object = {.fd = -1};
    enum host_status status = root_find(host, path, follow, "access", &object, error);
    if (status != HOST_OK)
        return status;
    const struct stat *stat = &object.stat;
    *ret_stat = (struct host_stat){
        .type = type_of(stat->st_mode),
        .mode = stat->st_mode & 07777,
        .user = stat->st_uid,
        .group = stat->st_gid,
        .size = (uint64_t)stat->st_size,
        .device_major = major(stat->st_rdev),
        .device_minor = minor(stat->st_rdev),
        .file_system = stat->st_dev,
        .inode = stat->st_ino,
        .modified = stat->st_mtime,
    };
    return HOST_OK;
}

enum host_status host_stat(const struct host *host, const char *path, struct host_stat *ret_stat,
                           struct error *error)
{
    return stat_path(host, path, true, ret_stat, error);
}

enum host_status host_lstat(const struct host *host, const char *path, struct host_stat *ret_stat,
                            struct error *error)
{
    return stat_path(host, path, false, ret_stat, error);
}

bool host_exists(const struct host *host, const char *path)
{
    struct host_stat stat;
    return host_stat(host, path, &stat, NULL) == HOST_OK;
}

bool host_is_directory(const struct host *host, const char *path)
{
    struct host_stat stat;
    return host_stat(host, path, &stat, NULL) == HOST_OK && stat.type == HOST_DIRECTORY;
}

/* By faccessat2(2) (Linux 5.8), by its number: glibc before 2.33 refuses the flag. */
static int access_without_proc(const struct host *host, const char *path, int fd, int mode)
{
    if (syscall(SYS_faccessat2, fd, "", mode, AT_EMPTY_PATH) == 0)
        return 0;
    if (errno != ENOSYS && errno != EPERM) /* EPERM: a container's filter that does not know it */
        return errno;
    AUTO_FREE char *name = NULL;
    AUTO_CLOSE int parent = -1;
    int number = root_parent(host, path, &parent, &name);
    if (number != 0)
        return number;
    return faccessat(parent, name, mode, 0) == 0 ? 0 : errno;
}

static int refusal(const struct host *host, const char *path, int mode)
{
    AUTO_OBJECT struct root_object object = {.fd = -1};
    enum host_status status = root_find(host, path, true, "access", &object, NULL);
    if (status != HOST_OK)
        return status == HOST_ABSENT ? ENOENT : EIO;
    char name[ROOT_SELF_FD_SIZE];
    if (access(root_self_fd(object.fd, name), mode) == 0)
        return 0;
    if (errno != ENOENT)
        return errno;
    return access_without_proc(host, path, object.fd, mode);
}

bool host_can_write(const struct host *host, const char *path)
{
    return refusal(host, path, R_OK | W_OK) == 0;
}

int host_refusal(const struct host *host, const char *path)
{
    return refusal(host, path, R_OK | W_OK);
}

bool host_can_execute(const struct host *host, const char *path)
{
    return refusal(host, path, X_OK) == 0;
}

/* Without /proc the name has to be opened again, and may have changed hands since. */
static int reopen_by_name(const struct host *host, const char *path)
{
    AUTO_CLOSE int parent = -1;
    AUTO_FREE char *name = NULL;
    int number = root_parent(host, path, &parent, &name);
    if (number != 0) {
        errno = number;
        return -1;
    }
    return openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

static int reopen(const struct host *host, const char *path, int object)
{
    int fd = input_reopen(object);
    return fd < 0 && errno == ENOENT ? reopen_by_name(host, path) : fd;
}

enum host_status host_open(const struct host *host, const char *path, int *ret_fd,
                           struct error *error)
{
    AUTO_OBJECT struct root_object object = {.fd = -1};
    enum host_status status = root_find(host, path, true, "open", &object, error);
    if (status != HOST_OK)
        return status;
    if (!S_ISREG(object.stat.st_mode))
        return root_refuse(error, "open", path, INPUT_KIND_WORDS, input_kind(object.stat.st_mode));
    AUTO_CLOSE int fd = reopen(host, path, object.fd);
    struct stat opened;
    if (fd < 0 || fstat(fd, &opened) != 0)
        return root_fail(error, errno, "open", path);
    if (opened.st_dev != object.stat.st_dev || opened.st_ino != object.stat.st_ino)
        return root_refuse(error, "open", path, "the file was replaced while it was being opened");
    *ret_fd = fd_steal(&fd);
    return HOST_OK;
}

enum host_status host_read_head(const struct host *host, const char *path, size_t size,
                                struct text *ret_text, struct error *error)
{
    AUTO_CLOSE int fd = -1;
    enum host_status status = host_open(host, path, &fd, error);
    if (status != HOST_OK)
        return status;
    AUTO_TEXT struct text text = {0};
    int number = bytes_read(fd, size, &text);
    if (number != 0)
        return root_fail(error, number, "read", path);
    bytes_move(&text, ret_text);
    return HOST_OK;
}

enum host_status host_read_tail(const struct host *host, const char *path, size_t size,
                                struct text *ret_text, bool *ret_cut, struct error *error)
{
    AUTO_CLOSE int fd = -1;
    struct stat stat;
    enum host_status status = host_open(host, path, &fd, error);
    if (status != HOST_OK)
        return status;
    if (fstat(fd, &stat) != 0)
        return root_fail(error, errno, "read", path);
    bool cut = (uint64_t)stat.st_size > size;
    if (cut && lseek(fd, stat.st_size - (off_t)size, SEEK_SET) < 0)
        return root_fail(error, errno, "read", path);
    AUTO_TEXT struct text text = {0};
    int number = bytes_read(fd, size, &text);
    if (number != 0)
        return root_fail(error, number, "read", path);
    bytes_move(&text, ret_text);
    *ret_cut = cut;
    return HOST_OK;
}

enum host_status host_read(const struct host *host, const char *path, size_t max,
                           struct text *ret_text, struct error *error)
{
    AUTO_TEXT struct text text = {0};
    size_t enough = max < SIZE_MAX ? max + 1 : max;
    enum host_status status = host_read_head(host, path, enough, &text, error);
    if (status != HOST_OK)
        return status;
    if (text.size > max) {
        error_set(error, ERROR_DATA, "cannot read");
        error_where(error, "%s", path);
        error_why(error, "larger than %zu bytes", max);
        return HOST_FAILED;
    }
    bytes_move(&text, ret_text);
    return HOST_OK;
}

#define LINE_MAX_SIZE 4096
enum host_status host_read_line(const struct host *host, const char *path, char **ret_line,
                                struct error *error)
{
    AUTO_TEXT struct text text = {0};
    enum host_status status = host_read(host, path, LINE_MAX_SIZE, &text, error);
    if (status != HOST_OK)
        return status;
    AUTO_FREE char *bytes = text_steal(&text);
    *ret_line = mem_string(string_trim(bytes));
    return HOST_OK;
}
