/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <sys/stat.h>

#include <archive.h>
#include <archive_entry.h>

#include "install/unpack/unpack_stream.h"

bool unpack_stream_fails(const struct unpack_stream *stream, struct archive *archive,
                         const char *member, struct error *error)
{
    const char *words = archive ? archive_error_string(archive) : "out of memory";
    if (error_is_set(error)) /* by what libarchive called */
        return false;
    return unpack_refuse(error, stream->job, member, "the archive cannot be unpacked", "%s",
                         words ? words : "libarchive gives no reason");
}

/* The bytes of the unpacked tar from an offset on that was not passed before next_header. */
static const char *bytes_from(struct unpack_stream *stream, uint64_t offset, size_t *ret_size)
{
    if (offset >= stream->block_at) {
        size_t passed = (size_t)(offset - stream->block_at);
        *ret_size = stream->block_size - passed;
        return passed > 0 ? stream->block + passed : stream->block; /* NULL of an empty block */
    }
    text_append_n(&stream->seen, stream->block, stream->block_size);
    *ret_size = stream->seen.size - (size_t)(offset - stream->seen_at);
    return stream->seen.data + (offset - stream->seen_at);
}

/* Types that are unpacked: regular (three ways to say it, one of them sparse), hard link, symbolic
 * link, directory. */
static bool look_at_tar(struct unpack_stream *stream, uint64_t begin, uint64_t end,
                        struct unpack_header *header, struct error *error)
{
    char flag;
    size_t size;
    const char *headers = bytes_from(stream, begin, &size);
    if (size > end - begin)
        size = (size_t)(end - begin);
    if (!unpack_tar_look(headers, size, &flag, &header->mode))
        return unpack_refuse(error, stream->job, header->name, "the archive cannot be unpacked",
                             "a header in the archive is damaged");
    if (flag == '\0' || strchr("0125S", flag))
        return true;
    return unpack_refuse(error, stream->job, header->name,
                         "the archive has something other than files, directories and links",
                         "its type is '%c'", flag);
}

/* After the two blocks of zeros that end an archive nothing but zeros may follow. */
static bool check_end(struct unpack_stream *stream, uint64_t begin, struct error *error)
{
    size_t size;
    const char *bytes = bytes_from(stream, begin, &size);
    if (size < 512)
        return unpack_refuse(error, stream->job, NULL, "the archive is cut off",
                             "it has no end mark");
    do {
        for (size_t i = 0; i < size; i++)
            if (bytes[i] != 0)
                return unpack_refuse(error, stream->job, NULL,
                                     "there is data after the end of the archive",
                                     "a file must contain only one archive");
        if (!unpack_decode(stream, &bytes, &size, error))
            return false;
    } while (size > 0);
    return unpack_decode_ends(stream, error);
}

static bool kind_of(struct archive_entry *entry, enum unpack_kind *ret_kind)
{
    if (archive_entry_hardlink(entry) || archive_entry_hardlink_utf8(entry)) {
        *ret_kind = UNPACK_KIND_HARD;
        return true;
    }
    switch (archive_entry_filetype(entry)) {
    case S_IFREG:
        *ret_kind = UNPACK_KIND_FILE;
        return true;
    case S_IFDIR:
        *ret_kind = UNPACK_KIND_DIRECTORY;
        return true;
    case S_IFLNK:
        *ret_kind = UNPACK_KIND_LINK;
        return true;
    default:
        return false;
    }
}

static const char *target_of(struct archive_entry *entry, enum unpack_kind kind)
{
    const char *target = NULL;
    if (kind == UNPACK_KIND_HARD) {
        target = archive_entry_hardlink(entry);
        return target ? target : archive_entry_hardlink_utf8(entry);
    }
    if (kind == UNPACK_KIND_LINK) {
        target = archive_entry_symlink(entry);
        return target ? target : archive_entry_symlink_utf8(entry);
    }
    return NULL;
}

static bool take_header(struct unpack_stream *stream, struct archive_entry *entry,
                        struct unpack_header *header, struct error *error)
{
    header->name = archive_entry_pathname(entry);
    if (header->name == NULL)
        header->name = archive_entry_pathname_utf8(entry);
    if (header->name == NULL)
        header->name = "";
    if (!kind_of(entry, &header->kind))
        return unpack_refuse(error, stream->job, header->name,
                             "the archive has something other than files, directories and links",
                             "its file type is 0%o", (unsigned)archive_entry_filetype(entry));
    header->target = target_of(entry, header->kind);
    header->mode = (unsigned)archive_entry_perm(entry);
    if (header->kind != UNPACK_KIND_DIRECTORY && header->kind != UNPACK_KIND_LINK &&
        archive_entry_size_is_set(entry)) {
        if (archive_entry_size(entry) < 0)
            return unpack_refuse(error, stream->job, header->name, "the archive cannot be unpacked",
                                 "a size in the archive is negative");
        header->size = (uint64_t)archive_entry_size(entry);
    }
    if (archive_entry_is_encrypted(entry))
        return unpack_refuse(error, stream->job, header->name, "the archive cannot be unpacked",
                             "it is encrypted");
    return true;
}

bool unpack_stream_next(struct unpack_stream *stream, struct unpack_header *ret_header,
                        struct error *error)
{
    struct archive_entry *entry = NULL;
    stream->error = error;
    *ret_header = (struct unpack_header){.name = NULL};
    if (stream->begun && archive_read_data_skip(stream->reader) != ARCHIVE_OK)
        return unpack_stream_fails(stream, stream->reader, NULL, error);
    stream->begun = true;
    uint64_t begin = (uint64_t)archive_filter_bytes(stream->reader, 0);
    text_clear(&stream->seen);
    stream->seen_at = begin;
    stream->seeing = true;
    int result = archive_read_next_header(stream->reader, &entry);
    stream->seeing = false;
    bool is_tar = stream->job->format != UNPACK_ZIP;
    if (result == ARCHIVE_EOF)
        return !is_tar || check_end(stream, begin, error);
    if (result != ARCHIVE_OK) /* a warning too: a name that could not be read as it stands */
        return unpack_stream_fails(stream, stream->reader,
                                   entry ? archive_entry_pathname(entry) : NULL, error);
    uint64_t end = (uint64_t)archive_filter_bytes(stream->reader, 0);
    return take_header(stream, entry, ret_header, error) &&
           (!is_tar || look_at_tar(stream, begin, end, ret_header, error));
}

bool unpack_stream_data(struct unpack_stream *stream, struct unpack_block *ret_block,
                        struct error *error)
{
    const void *bytes = NULL;
    size_t size = 0;
    la_int64_t offset = 0;
    stream->error = error;
    *ret_block = (struct unpack_block){.bytes = NULL};
    int result;
    do
        result = archive_read_data_block(stream->reader, &bytes, &size, &offset);
    while (result == ARCHIVE_OK && size == 0);
    if (result == ARCHIVE_EOF)
        return true;
    if (result != ARCHIVE_OK || offset < 0)
        return unpack_stream_fails(stream, stream->reader, NULL, error);
    *ret_block = (struct unpack_block){.bytes = bytes, .size = size, .offset = (uint64_t)offset};
    return true;
}
