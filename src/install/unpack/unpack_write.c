/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "install/io/tree.h"
#include "install/unpack/unpack_private.h"

/* The disk is set to work after so many bytes of a file, so that little is left for the sync of the
 * whole tree. */
#define FLUSH_BYTES (UINT64_C(8) << 20)

static bool cannot(const struct unpack_writer *writer, const char *path, const char *what,
                   struct error *error)
{
    int number = errno;
    AUTO_FREE char *where = mem_printf("%s: %s", writer->archive, path);
    return error_set_errno(error, ERROR_CANNOT_WRITE, number, where, "%s", what);
}

/* The directory that path is in, made where it is missing; no link is followed. Most members are in
 * the directory of the one before. */
static int open_parent(struct unpack_writer *writer, const char *path, const char **ret_name,
                       struct error *error)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    *ret_name = slash ? slash + 1 : path;
    if (writer->parent_fd >= 0 && strlen(writer->parent) == length &&
        memcmp(writer->parent, path, length) == 0)
        return writer->parent_fd;
    AUTO_FREE char *parent = mem_string_n(path, length);
    int fd = tree_open(writer->root, parent, true, writer->archive, error);
    if (fd < 0)
        return -1;
    fd_close_at(&writer->parent_fd);
    free(writer->parent);
    writer->parent_fd = fd;
    writer->parent = mem_steal(&parent);
    return fd;
}

bool unpack_write_begin(struct unpack_writer *writer, const char *path, unsigned mode,
                        struct error *error)
{
    const char *name;
    int parent = open_parent(writer, path, &name, error);
    if (parent < 0)
        return false;
    writer->path = path;
    writer->written = writer->flushed = 0;
    writer->digest = digest_stream_new(error);
    if (writer->digest == NULL)
        return false;
    writer->fd = openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    /* a directory's default ACL takes the place of the umask */
    return (writer->fd >= 0 && fchmod(writer->fd, mode) == 0) ||
           cannot(writer, path, "cannot create a file", error);
}

bool unpack_digest_zeros(struct digest_stream *digest, uint64_t size, struct error *error)
{
    static const char zeros[65536];
    while (size > 0) {
        size_t part = size < sizeof(zeros) ? (size_t)size : sizeof(zeros);
        if (!digest_stream_add(digest, zeros, part, error))
            return false;
        size -= part;
    }
    return true;
}

static bool write_bytes(struct unpack_writer *writer, const char *bytes, size_t size,
                        struct error *error)
{
    while (size > 0) {
        ssize_t count = pwrite(writer->fd, bytes, size, (off_t)writer->written);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return cannot(writer, writer->path, "cannot write a file", error);
        bytes += count;
        size -= (size_t)count;
        writer->written += (uint64_t)count;
    }
    return true;
}

bool unpack_write_block(struct unpack_writer *writer, const struct unpack_block *block,
                        struct error *error)
{
    if (!unpack_digest_zeros(writer->digest, block->offset - writer->written, error))
        return false;
    writer->written = block->offset;
    if (!digest_stream_add(writer->digest, block->bytes, block->size, error) ||
        !write_bytes(writer, block->bytes, block->size, error))
        return false;
    if (writer->written - writer->flushed >= FLUSH_BYTES) {
        sync_file_range(writer->fd, (off_t)writer->flushed,
                        (off_t)(writer->written - writer->flushed), SYNC_FILE_RANGE_WRITE);
        writer->flushed = writer->written;
    }
    return true;
}

bool unpack_write_end(struct unpack_writer *writer, uint64_t size, struct digest *ret_digest,
                      struct error *error)
{
    bool ok = true;
    if (writer->written < size)
        ok = unpack_digest_zeros(writer->digest, size - writer->written, error) &&
             (ftruncate(writer->fd, (off_t)size) == 0 ||
              cannot(writer, writer->path, "cannot write a file", error));
    ok = ok && digest_stream_finish(writer->digest, ret_digest, error);
    digest_stream_free(writer->digest);
    writer->digest = NULL;
    int fd = fd_steal(&writer->fd);
    return (close(fd) == 0 || cannot(writer, writer->path, "cannot write a file", error)) && ok;
}

bool unpack_write_directory(struct unpack_writer *writer, const char *path, struct error *error)
{
    AUTO_CLOSE int fd = tree_open(writer->root, path, true, writer->archive, error);
    return fd >= 0;
}

bool unpack_write_link(struct unpack_writer *writer, const char *path, const char *target,
                       struct error *error)
{
    const char *name;
    int parent = open_parent(writer, path, &name, error);
    return parent >= 0 && (symlinkat(target, parent, name) == 0 ||
                           cannot(writer, path, "cannot create a link", error));
}

static bool copy(struct unpack_writer *writer, int from, const struct unpack_member *member,
                 const char *path, struct error *error)
{
    AUTO_FREE char *bytes = mem_alloc(FLUSH_BYTES / 64);
    struct unpack_block block = {.bytes = bytes};
    struct digest ignored;
    if (!unpack_write_begin(writer, path, member->mode, error))
        return false;
    while (block.offset < member->size) {
        uint64_t left = member->size - block.offset;
        block.size = left < FLUSH_BYTES / 64 ? (size_t)left : FLUSH_BYTES / 64;
        if (!unpack_read_at(from, block.offset, bytes, block.size, error) ||
            !unpack_write_block(writer, &block, error))
            return false;
        block.offset += block.size;
    }
    return unpack_write_end(writer, member->size, &ignored, error);
}

/* Landlock's first version (Linux 5.13 to 5.18) allows no link into another directory, and some
 * file systems none at all. */
static bool is_no_fault(int number)
{
    return number == EXDEV || number == EPERM || number == EACCES || number == EMLINK ||
           number == EOPNOTSUPP;
}

bool unpack_write_hard_link(struct unpack_writer *writer, const struct unpack_member *from,
                            const char *path, struct error *error)
{
    const char *from_name, *name;
    AUTO_CLOSE int from_parent =
        tree_open_parent(writer->root, from->path, false, writer->archive, &from_name, error);
    int parent = from_parent < 0 ? -1 : open_parent(writer, path, &name, error);
    if (parent < 0)
        return false;
    if (linkat(from_parent, from_name, parent, name, 0) == 0)
        return true;
    if (!is_no_fault(errno))
        return cannot(writer, path, "cannot create a hard link", error);
    AUTO_CLOSE int fd = openat(from_parent, from_name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return cannot(writer, from->path, "cannot copy a file", error);
    return copy(writer, fd, from, path, error);
}

void unpack_writer_close(struct unpack_writer *writer)
{
    digest_stream_free(writer->digest);
    fd_close_at(&writer->fd);
    fd_close_at(&writer->parent_fd);
    free(writer->parent);
    *writer = (struct unpack_writer){.root = -1, .parent_fd = -1, .fd = -1};
}
