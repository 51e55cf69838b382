/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <archive.h>
#include <archive_entry.h>

#include "install/unpack/unpack_stream.h"

#define PACKED_SIZE (1u << 20)
/* What is unpacked of the smallest archive whatever its ratio. */
#define FREE_BYTES (UINT64_C(16) << 20)
/* Of a member's headers and padding. */
#define MEMBER_OVERHEAD 4096
/* libarchive takes headers of 1 MiB. */
#define SEEN_MAX (8u << 20)

static uint64_t multiply(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

uint64_t unpack_ratio_bytes(const struct unpack_job *job)
{
    uint64_t bytes = multiply(job->size, job->limits.ratio);
    return bytes > FREE_BYTES ? bytes : FREE_BYTES;
}

static uint64_t decoded_max(const struct unpack_job *job)
{
    uint64_t by_ratio = unpack_ratio_bytes(job), by_size;
    if (__builtin_add_overflow(multiply(job->limits.files, MEMBER_OVERHEAD), job->limits.bytes,
                               &by_size))
        by_size = UINT64_MAX;
    return by_ratio < by_size ? by_ratio : by_size;
}

static bool refuse_size(const struct unpack_stream *stream, struct error *error)
{
    return unpack_refuse(error, stream->job, NULL, "the archive unpacks to too much data",
                         "more than %" PRIu64 " MiB, of %" PRIu64 " bytes packed",
                         stream->decoded_max >> 20, stream->job->size);
}

/* The next bytes of an archive that is a member of another one. */
static bool read_within(struct unpack_stream *stream, const char **ret_bytes, size_t *ret_size)
{
    struct unpack_part *part = &stream->part;
    struct unpack_block block;
    if (part->head_size > 0) {
        *ret_bytes = part->head;
        *ret_size = part->head_size;
        part->head_size = 0;
        return true;
    }
    if (!unpack_stream_data(part->within, &block, stream->error))
        return false;
    *ret_bytes = block.bytes;
    *ret_size = block.size;
    return block.size == 0 || block.offset == part->from + stream->offset ||
           unpack_refuse(stream->error, stream->job, NULL, "the archive cannot be unpacked",
                         "the data of a member is in the wrong place");
}

static la_ssize_t take_packed(struct unpack_stream *stream, struct archive *archive,
                              const char *bytes, size_t size, const void **ret_bytes)
{
    if (stream->md5 && !digest_stream_add(stream->md5, bytes, size, stream->error)) {
        archive_set_error(archive, EIO, "cannot compute a digest");
        return ARCHIVE_FATAL;
    }
    stream->offset += size;
    *ret_bytes = bytes;
    return (la_ssize_t)size;
}

static la_ssize_t read_from_member(struct archive *archive, struct unpack_stream *stream,
                                   const void **ret_bytes)
{
    const char *bytes = NULL;
    size_t size = 0;
    if (!read_within(stream, &bytes, &size)) {
        archive_set_error(archive, EIO, "cannot read the archive");
        return ARCHIVE_FATAL;
    }
    if (size > stream->job->size - stream->offset)
        size = (size_t)(stream->job->size - stream->offset);
    return take_packed(stream, archive, bytes, size, ret_bytes);
}

/* libarchive's callbacks. The descriptor's own offset stays, and bytes behind the size that was
 * hashed are not there. */
static la_ssize_t read_packed(struct archive *archive, void *data, const void **ret_bytes)
{
    struct unpack_stream *stream = data;
    uint64_t left = stream->job->size - stream->offset;
    size_t size = left < PACKED_SIZE ? (size_t)left : PACKED_SIZE;
    if (stream->part.within)
        return read_from_member(archive, stream, ret_bytes);
    if (!unpack_read_at(stream->job->archive_fd, stream->part.from + stream->offset, stream->packed,
                        size, stream->error)) {
        archive_set_error(archive, EIO, "cannot read the archive");
        return ARCHIVE_FATAL;
    }
    return take_packed(stream, archive, stream->packed, size, ret_bytes);
}

static la_int64_t seek_packed(struct archive *archive, void *data, la_int64_t offset, int whence)
{
    struct unpack_stream *stream = data;
    la_int64_t size = (la_int64_t)stream->job->size;
    la_int64_t base = whence == SEEK_SET   ? 0
                      : whence == SEEK_CUR ? (la_int64_t)stream->offset
                                           : size;
    la_int64_t target;
    if (__builtin_add_overflow(base, offset, &target) || target < 0 || target > size) {
        archive_set_error(archive, EINVAL, "it points outside the archive");
        return ARCHIVE_FATAL;
    }
    stream->offset = (uint64_t)target;
    return target;
}

bool unpack_decode(struct unpack_stream *stream, const char **ret_bytes, size_t *ret_size,
                   struct error *error)
{
    const void *bytes = NULL;
    size_t size = 0;
    la_int64_t offset = 0;
    if (stream->seeing && stream->block_size > 0) {
        uint64_t from = stream->seen_at > stream->block_at ? stream->seen_at - stream->block_at : 0;
        text_append_n(&stream->seen, stream->block + from, stream->block_size - from);
    }
    stream->block_at += stream->block_size;
    stream->block_size = 0;
    stream->error = error;
    int result = archive_read_data_block(stream->decoder, &bytes, &size, &offset);
    if (result != ARCHIVE_OK && result != ARCHIVE_EOF)
        return unpack_stream_fails(stream, stream->decoder, NULL, error);
    stream->block = bytes;
    stream->block_size = result == ARCHIVE_OK ? size : 0;
    *ret_bytes = stream->block;
    *ret_size = stream->block_size;
    if (stream->block_size > stream->decoded_max - stream->block_at)
        return refuse_size(stream, error);
    return true;
}

static la_ssize_t read_decoded(struct archive *archive, void *data, const void **ret_bytes)
{
    struct unpack_stream *stream = data;
    const char *bytes = NULL;
    size_t size = 0;
    bool ok = stream->seen.size <= SEEN_MAX ||
              unpack_refuse(stream->error, stream->job, NULL, "the archive cannot be unpacked",
                            "the headers of a member are larger than 8 MiB");
    if (!ok || !unpack_decode(stream, &bytes, &size, stream->error)) {
        archive_set_error(archive, EINVAL, "cannot decode it");
        return ARCHIVE_FATAL;
    }
    *ret_bytes = bytes;
    return (la_ssize_t)size;
}

/* What gzip's own checksum would tell: libarchive leaves that aside. */
static bool has_its_md5(const struct unpack_stream *stream, struct error *error)
{
    unsigned char md5[DIGEST_MD5_SIZE];
    if (stream->md5 == NULL)
        return true;
    if (!digest_stream_finish_md5(stream->md5, md5, error))
        return false;
    return memcmp(md5, stream->part.md5, sizeof(md5)) == 0 ||
           unpack_refuse(error, stream->job, NULL, "the archive is damaged",
                         "the MD5 of its payload is not the one that its script has");
}

bool unpack_decode_ends(const struct unpack_stream *stream, struct error *error)
{
    la_int64_t used = archive_filter_bytes(stream->decoder, -1);
    if (used >= 0 && (uint64_t)used == stream->job->size)
        return has_its_md5(stream, error);
    return unpack_refuse(error, stream->job, NULL, "there is data after the end of the archive",
                         "the compressed data ends after %" PRId64 " of %" PRIu64, (int64_t)used,
                         stream->job->size);
}

static bool look_at_xz(struct unpack_stream *stream, struct error *error)
{
    const struct unpack_job *job = stream->job;
    struct unpack_xz xz;
    if (!unpack_xz_look(job->archive_fd, stream->part.from, job->size, &xz, error)) {
        error_where(error, "%s", job->name);
        return error->kind == ERROR_DATA && unpack_refuse_next(job, error);
    }
    if (xz.dictionary > job->limits.dictionary)
        return unpack_refuse(error, job, NULL, "the archive needs too much memory",
                             "needs %" PRIu64 " MiB to unpack, limit %" PRIu64,
                             (xz.dictionary + (1u << 20) - 1) >> 20, job->limits.dictionary >> 20);
    return xz.unpacked <= stream->decoded_max || refuse_size(stream, error);
}

static bool looks_right(struct unpack_stream *stream, struct error *error)
{
    const struct unpack_job *job = stream->job;
    unsigned char begin[3] = {0};
    if (stream->part.within && job->format == UNPACK_TAR_XZ)
        return unpack_refuse(error, job, NULL, "gpuenv cannot unpack this runfile",
                             "it is inside another archive and packed by xz, whose need of memory "
                             "is not known then");
    if (job->format == UNPACK_TAR_XZ)
        return look_at_xz(stream, error);
    if (stream->part.from > 0 || stream->part.within) /* a payload: its first bytes were seen */
        return true;
    switch (job->format) {
    case UNPACK_TAR_GZ: /* RFC 1952 */
        return (unpack_read_at(job->archive_fd, 0, begin, sizeof(begin), NULL) &&
                begin[0] == 0x1f && begin[1] == 0x8b && begin[2] == 8) ||
               unpack_refuse(error, job, NULL, "the archive is not a gzip file",
                             "the first bytes are not those of this format");
    case UNPACK_ZIP:
        return unpack_zip_ends(job->archive_fd, job->size) ||
               unpack_refuse(error, job, NULL, "the archive is not a whole zip file",
                             "the first or last bytes are not those of a zip file");
    case UNPACK_TAR_XZ:
    case UNPACK_RUNFILE: /* its payload is opened, by one of the formats above */
    case UNPACK_TAR:
        break;
    }
    return false;
}

static int filter_of(enum unpack_format format)
{
    return format == UNPACK_TAR_XZ ? ARCHIVE_FILTER_XZ
           : format == UNPACK_TAR  ? ARCHIVE_FILTER_NONE
                                   : ARCHIVE_FILTER_GZIP;
}

/* A filter that libarchive would run a program for is a warning, and refused. */
static bool open_decoder(struct unpack_stream *stream, struct error *error)
{
    struct archive_entry *entry;
    int filter = filter_of(stream->job->format);
    struct archive *decoder = stream->decoder = archive_read_new();
    if (decoder && archive_read_append_filter(decoder, filter) == ARCHIVE_OK &&
        archive_read_support_format_raw(decoder) == ARCHIVE_OK &&
        archive_read_set_read_callback(decoder, read_packed) == ARCHIVE_OK &&
        archive_read_set_callback_data(decoder, stream) == ARCHIVE_OK &&
        archive_read_open1(decoder) == ARCHIVE_OK) {
        if (archive_read_next_header(decoder, &entry) == ARCHIVE_OK || error_is_set(error))
            return !error_is_set(error);
        return unpack_refuse(error, stream->job, NULL, "the archive cannot be unpacked",
                             "the archive is empty, or its first bytes cannot be decompressed");
    }
    return unpack_stream_fails(stream, decoder, NULL, error);
}

static bool open_reader(struct unpack_stream *stream, struct error *error)
{
    bool is_zip = stream->job->format == UNPACK_ZIP;
    struct archive *reader = stream->reader = archive_read_new();
    if (reader &&
        (is_zip ? archive_read_support_format_zip_seekable(reader)
                : archive_read_support_format_tar(reader)) == ARCHIVE_OK &&
        archive_read_set_read_callback(reader, is_zip ? read_packed : read_decoded) == ARCHIVE_OK &&
        archive_read_set_seek_callback(reader, is_zip ? seek_packed : NULL) == ARCHIVE_OK &&
        archive_read_set_callback_data(reader, stream) == ARCHIVE_OK &&
        archive_read_open1(reader) == ARCHIVE_OK)
        return true;
    return unpack_stream_fails(stream, reader, NULL, error);
}

struct unpack_stream *unpack_stream_open(const struct unpack_job *job,
                                         const struct unpack_part *part, struct error *error)
{
    AUTO_UNPACK_STREAM struct unpack_stream *stream = mem_alloc(sizeof(*stream));
    stream->job = job;
    stream->part = *part;
    stream->md5 = part->has_md5 ? digest_stream_new_md5() : NULL;
    stream->decoded_max = decoded_max(job);
    stream->error = error;
    stream->packed = mem_alloc(PACKED_SIZE);
    if (!looks_right(stream, error) ||
        (job->format != UNPACK_ZIP && !open_decoder(stream, error)) || !open_reader(stream, error))
        return NULL;
    return mem_steal(&stream);
}

void unpack_stream_free(struct unpack_stream *stream)
{
    if (stream == NULL)
        return;
    archive_read_free(stream->reader); /* it reads from the decoder: first */
    archive_read_free(stream->decoder);
    digest_stream_free(stream->md5);
    text_free(&stream->seen);
    free(stream->packed);
    free(stream);
}
