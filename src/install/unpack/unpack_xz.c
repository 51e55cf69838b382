/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/little_endian.h"
#include "install/unpack/unpack_private.h"

/* The .xz file format 1.2.0 (tukaani.org/xz/xz-file-format.txt): streams of a header, blocks, an
 * index and a footer, with padding of zeros between. Checksums are left to liblzma, which decodes
 * from the front: a file that it decodes to its end is the one that was seen here from its end. */
enum {
    EDGE_SIZE = 12, /* stream header and stream footer */
    BLOCK_HEADER_MAX = 1024,
    FILTER_LZMA2 = 0x21,
    PADDING_STEP = 4096,
    BLOCKS_MAX = 100000,
    STREAMS_MAX = 1000,
    INDEX_MAX = 1 << 20,
};

struct bytes {
    const unsigned char *at, *end;
};

bool unpack_read_at(int fd, uint64_t offset, void *ret_bytes, size_t size, struct error *error)
{
    char *at = ret_bytes;
    while (size > 0) {
        ssize_t count = pread(fd, at, size, (off_t)offset);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return error_set_errno(error, ERROR_NO_INPUT, count < 0 ? errno : EIO, NULL,
                                   "cannot read the archive");
        at += count;
        size -= (size_t)count;
        offset += (uint64_t)count;
    }
    return true;
}

static bool refuse(struct error *error, const char *why)
{
    error_set(error, ERROR_DATA, "the archive is not a whole xz file");
    return error_why(error, "%s", why);
}

/* Section 1.2: seven bits to a byte, the lowest first, at most nine bytes, none superfluous. */
static bool take_number(struct bytes *bytes, uint64_t *ret_number)
{
    uint64_t number = 0;
    for (unsigned i = 0; i < 9 && bytes->at < bytes->end; i++) {
        unsigned char byte = *bytes->at++;
        number |= (uint64_t)(byte & 0x7f) << (7 * i);
        if ((byte & 0x80) == 0) {
            *ret_number = number;
            return byte != 0 || i == 0;
        }
    }
    return false;
}

static bool take_bytes(struct bytes *bytes, uint64_t size, const unsigned char **ret_taken)
{
    if (size > (uint64_t)(bytes->end - bytes->at))
        return false;
    *ret_taken = bytes->at;
    bytes->at += size;
    return true;
}

/* Section 5.3.1. */
static bool dictionary_of(unsigned char bits, uint64_t *ret_size)
{
    if (bits > 40)
        return false;
    *ret_size = bits == 40 ? UINT32_MAX : (uint64_t)(2 | (bits & 1)) << (bits / 2 + 11);
    return true;
}

/* Section 3.1: flags, two sizes that may be absent, and up to four filters. Others than LZMA2 need
 * next to no memory. */
static bool take_block_header(struct bytes bytes, uint64_t *dictionary)
{
    uint64_t ignored, id, size;
    const unsigned char *flags, *properties;
    if (!take_bytes(&bytes, 1, &flags) || (*flags & 0x3c) != 0 ||
        ((*flags & 0x40) && !take_number(&bytes, &ignored)) ||
        ((*flags & 0x80) && !take_number(&bytes, &ignored)))
        return false;
    for (unsigned i = 0; i <= (*flags & 3u); i++) {
        if (!take_number(&bytes, &id) || !take_number(&bytes, &size) ||
            !take_bytes(&bytes, size, &properties))
            return false;
        if (id != FILTER_LZMA2)
            continue;
        if (size != 1 || !dictionary_of(*properties, &size))
            return false;
        if (size > *dictionary)
            *dictionary = size;
    }
    return true;
}

/* The xz file lies in a file from an offset on. */
struct xz_file {
    int fd;
    uint64_t from;
};

static bool read_xz(const struct xz_file *file, uint64_t offset, void *ret_bytes, size_t size,
                    struct error *error)
{
    return unpack_read_at(file->fd, file->from + offset, ret_bytes, size, error);
}

static bool look_at_block(const struct xz_file *file, uint64_t offset, uint64_t size,
                          struct unpack_xz *xz, struct error *error)
{
    unsigned char header[BLOCK_HEADER_MAX];
    if (!read_xz(file, offset, header, 1, error))
        return false;
    size_t header_size = (header[0] + 1u) * 4; /* its first byte and its CRC32 included */
    if (header[0] == 0 || header_size > size)
        return refuse(error, "a block is not where the index says");
    if (!read_xz(file, offset, header, header_size, error))
        return false;
    return take_block_header((struct bytes){header + 1, header + header_size - 4},
                             &xz->dictionary) ||
           refuse(error, "a block's header is damaged");
}

/* Section 4: a zero byte, the number of blocks, their sizes, padding, CRC32. */
static bool begin_index(struct bytes *index, uint64_t *ret_count)
{
    const unsigned char *mark;
    return take_bytes(index, 1, &mark) && *mark == 0 && take_number(index, ret_count) &&
           *ret_count <= (uint64_t)(index->end - index->at) / 2;
}

static bool take_record(struct bytes *index, uint64_t room, uint64_t *ret_size,
                        uint64_t *ret_unpacked)
{
    if (!take_number(index, ret_size) || !take_number(index, ret_unpacked) || *ret_size > room)
        return false;
    *ret_size = (*ret_size + 3) & ~UINT64_C(3);
    return *ret_size > 0 && *ret_size <= room;
}

static bool sum_blocks(struct bytes index, uint64_t room, uint64_t *ret_sum)
{
    uint64_t count, size, unpacked;
    *ret_sum = 0;
    if (!begin_index(&index, &count))
        return false;
    for (; count > 0; count--) {
        if (!take_record(&index, room - *ret_sum, &size, &unpacked))
            return false;
        *ret_sum += size;
    }
    for (; index.at < index.end; index.at++)
        if (*index.at != 0)
            return false;
    return true;
}

static bool look_at_blocks(const struct xz_file *file, struct bytes index, uint64_t offset,
                           uint64_t end, struct unpack_xz *xz, struct error *error)
{
    uint64_t count, size, unpacked;
    if (!begin_index(&index, &count) || count > BLOCKS_MAX - xz->blocks)
        return refuse(error, "the archive has more than 100000 blocks");
    xz->blocks += count;
    for (; count > 0; count--) {
        if (!take_record(&index, end - offset, &size, &unpacked))
            return refuse(error, "its index is damaged");
        if (!look_at_block(file, offset, size, xz, error))
            return false;
        offset += size;
        if (__builtin_add_overflow(xz->unpacked, unpacked, &xz->unpacked))
            xz->unpacked = UINT64_MAX;
    }
    return true;
}

/* The stream that ends at *end; it is where the stream begins, afterwards. */
static bool look_at_stream(const struct xz_file *file, uint64_t *end, struct unpack_xz *xz,
                           struct error *error)
{
    static const unsigned char magic[] = {0xfd, '7', 'z', 'X', 'Z', 0};
    unsigned char footer[EDGE_SIZE], header[EDGE_SIZE];
    if (*end < 2 * EDGE_SIZE)
        return refuse(error, "it is too short");
    uint64_t at = *end - EDGE_SIZE;
    if (!read_xz(file, at, footer, EDGE_SIZE, error))
        return false;
    if (footer[10] != 'Y' || footer[11] != 'Z')
        return refuse(error, "the archive is cut off, or has data after its end");
    uint64_t index_size = ((uint64_t)load32(footer + 4) + 1) * 4;
    if (index_size < 8 || index_size > INDEX_MAX || index_size > at - EDGE_SIZE)
        return refuse(error, "the index is damaged, or larger than 1 MiB");
    at -= index_size;
    AUTO_FREE unsigned char *bytes = mem_alloc(index_size);
    uint64_t sum;
    if (!read_xz(file, at, bytes, index_size, error))
        return false;
    struct bytes index = {bytes, bytes + index_size - 4};
    if (!sum_blocks(index, at - EDGE_SIZE, &sum))
        return refuse(error, "its index is damaged");
    if (!read_xz(file, at - sum - EDGE_SIZE, header, EDGE_SIZE, error))
        return false;
    if (memcmp(header, magic, sizeof(magic)) != 0)
        return refuse(error, "the index and the blocks do not match");
    *end = at - sum - EDGE_SIZE;
    return look_at_blocks(file, index, at - sum, at, xz, error);
}

/* Section 2.2: zeros, in steps of four bytes. */
static bool pass_padding(const struct xz_file *file, uint64_t *end, struct error *error)
{
    unsigned char step[PADDING_STEP];
    uint64_t zeros = 0, at = *end;
    while (at > 0) {
        size_t size = at < sizeof(step) ? (size_t)at : sizeof(step);
        if (!read_xz(file, at - size, step, size, error))
            return false;
        size_t left = size;
        while (left > 0 && step[left - 1] == 0)
            left--;
        zeros += size - left;
        at -= size - left;
        if (left > 0)
            break;
    }
    *end -= zeros & ~UINT64_C(3);
    return true;
}

bool unpack_xz_look(int fd, uint64_t from, uint64_t size, struct unpack_xz *ret_xz,
                    struct error *error)
{
    const struct xz_file whole = {fd, from}, *file = &whole;
    static const unsigned char magic[] = {0xfd, '7', 'z', 'X', 'Z', 0};
    unsigned char begin[sizeof(magic)];
    struct unpack_xz xz = {0};
    if (size < 2 * EDGE_SIZE)
        return refuse(error, "it is too short");
    if (!read_xz(file, 0, begin, sizeof(begin), error))
        return false;
    if (memcmp(begin, magic, sizeof(magic)) != 0)
        return refuse(error, "the first bytes are not those of this format");
    for (unsigned streams = 0; size > 0; streams++) {
        if (streams == STREAMS_MAX)
            return refuse(error, "the archive has more than 1000 streams");
        if (!pass_padding(file, &size, error) || !look_at_stream(file, &size, &xz, error))
            return false;
    }
    *ret_xz = xz;
    return true;
}
