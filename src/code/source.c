/* SPDX-License-Identifier: MIT */
#include "code/source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "host/root/file.h"

static bool read_file(const struct code_source *source, uint64_t offset, void *buffer, size_t count,
                      struct error *error)
{
    char *to = buffer;
    while (count > 0) {
        ssize_t got = pread(source->fd, to, count, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set_errno(error, ERROR_NO_INPUT, errno, NULL, "cannot read the file");
        if (got == 0)
            return error_set(error, ERROR_NO_INPUT, "the file became shorter while it was read");
        to += got;
        offset += (uint64_t)got;
        count -= (size_t)got;
    }
    return true;
}

static bool read_memory(const struct code_source *source, uint64_t offset, void *buffer,
                        size_t count, struct error *error)
{
    (void)error;
    memcpy(buffer, (const char *)source->data + offset, count);
    return true;
}

static bool read_part(const struct code_source *source, uint64_t offset, void *buffer, size_t count,
                      struct error *error)
{
    return source->of->read(source->of, source->start + offset, buffer, count, error);
}

bool code_source_open(const struct host *host, const char *path, struct code_source *ret_source,
                      struct error *error)
{
    AUTO_CLOSE int fd = -1;
    if (host_open(host, path, &fd, error) != HOST_OK)
        return false;
    struct stat stat;
    if (fstat(fd, &stat) < 0)
        return error_set_errno(error, ERROR_NO_INPUT, errno, path, "cannot read the file");
    /* Headers lie far apart: what is between them is not wanted. */
    posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
    *ret_source = (struct code_source){
        .size = (uint64_t)stat.st_size, .read = read_file, .fd = fd_steal(&fd)};
    return true;
}

void code_source_close(struct code_source *source)
{
    if (source->fd >= 0)
        close(source->fd);
    source->fd = -1;
}

struct code_source code_source_memory(const void *bytes, size_t size)
{
    return (struct code_source){.size = size, .read = read_memory, .data = bytes, .fd = -1};
}

struct code_source code_source_part(const struct code_source *of, uint64_t start, uint64_t size)
{
    uint64_t left = start < of->size ? of->size - start : 0;
    return (struct code_source){
        .size = size < left ? size : left, .read = read_part, .of = of, .start = start, .fd = -1};
}

uint64_t code_source_origin(const struct code_source *source)
{
    uint64_t origin = 0;
    for (; source != NULL; source = source->of)
        origin += source->start;
    return origin;
}

bool code_source_read(const struct code_source *source, uint64_t offset, void *buffer, size_t count,
                      const char *what, struct error *error)
{
    if (offset <= source->size && count <= source->size - offset)
        return source->read(source, offset, buffer, count, error);
    error_set(error, ERROR_DATA, "truncated: %s does not fit", what);
    unsigned long long origin = code_source_origin(source);
    return error_why(error, "offset 0x%llx: %zu bytes wanted, the file has 0x%llx", origin + offset,
                     count, origin + source->size);
}
