/* SPDX-License-Identifier: MIT */
#include "code/zip_private.h"

#include <string.h>

#include "base/little_endian.h"
#include "host/packed/inflate.h"

/* What is behind the bytes of a member. */
struct zip_stream {
    struct byte_source archive;
    struct inflater *inflater; /* NULL: stored */
    uint64_t record_at;
    struct error error; /* of the last read of the archive */
};

static bool read_packed(void *context, uint64_t at, void *buffer, size_t size)
{
    struct zip_stream *stream = context;
    error_clear(&stream->error);
    return byte_source_read(&stream->archive, at, buffer, size, "a member", &stream->error);
}

/* A file that cannot be read is not a fault of the archive: its own words are handed on. */
static bool read_inflated(const struct byte_source *source, uint64_t offset, void *buffer,
                          size_t count, struct error *error)
{
    struct zip_stream *stream = (struct zip_stream *)source->data;
    if (offset > ZIP_WORK_MAX || inflater_work(stream->inflater) > ZIP_WORK_MAX)
        return zip_refuse(error, stream->record_at,
                          "the member with this record would unpack to more than %llu GiB",
                          ZIP_WORK_MAX >> 30);
    const char *problem = inflater_read(stream->inflater, offset, buffer, count);
    if (problem == NULL)
        return true;
    if (!error_is_set(&stream->error))
        return zip_refuse(error, stream->record_at, "the member with this record: %s", problem);
    if (error == NULL)
        return false;
    error_clear(error);
    *error = stream->error;
    stream->error = (struct error){.kind = ERROR_NONE};
    return false;
}

/* Where the packed bytes begin. The local header must tell of the same member. */
static bool find_data(const struct zip *zip, const struct zip_member *member, uint64_t *ret_at,
                      struct error *error)
{
    unsigned char header[ZIP_LOCAL_SIZE] = {0};
    uint64_t at = member->header_at;
    if (!byte_source_read(&zip->source, at, header, sizeof(header), "a local header", error))
        return false;
    if (load32(header) != ZIP_LOCAL)
        return zip_refuse(error, at, "this is not a member header");
    size_t name = load16(header + 26), extra = load16(header + 28);
    if (name != member->name_size || load16(header + 8) != member->method ||
        ((load16(header + 6) & ZIP_ENCRYPTED) != 0) != member->encrypted)
        return zip_refuse(error, at, "the header and the directory do not match");
    AUTO_FREE char *own = mem_alloc(name + 1);
    if (!byte_source_read(&zip->source, at + ZIP_LOCAL_SIZE, own, name, "a name", error))
        return false;
    if (memcmp(own, member->name, name) != 0)
        return zip_refuse(error, at, "the header and the directory have different names");
    if (member->end - at < ZIP_LOCAL_SIZE + name + extra + member->packed)
        return zip_refuse(error, at, "the member overlaps with another one");
    *ret_at = at + ZIP_LOCAL_SIZE + name + extra;
    return true;
}

/* It may be sound, and is not for this program. */
static bool can_unpack(const struct zip_member *member, struct error *error)
{
    bool deflated = member->method == ZIP_DEFLATED;
    if (!member->encrypted && (member->method == ZIP_STORED || (deflated && inflate_is_known())))
        return true;
    if (member->encrypted)
        zip_refuse(error, member->record_at, "it is encrypted");
    else if (deflated)
        zip_refuse(error, member->record_at, "this build of gpuenv cannot unpack deflated members");
    else
        zip_refuse(error, member->record_at,
                   "the member is packed with method %u; only 0 and 8 are known", member->method);
    AUTO_FREE char *why = error ? mem_string(error->why) : NULL;
    error_set(error, ERROR_DATA, "cannot read a member of a zip archive");
    return error_why(error, "%s", why ? why : "");
}

bool zip_member_open(const struct zip *zip, const struct zip_member *member,
                     struct zip_bytes *ret_bytes, struct error *error)
{
    uint64_t at = 0;
    if (!can_unpack(member, error) || !find_data(zip, member, &at, error))
        return false;
    struct zip_stream *stream = mem_alloc(sizeof(*stream));
    stream->archive = zip->source;
    stream->record_at = member->record_at;
    ret_bytes->stream = stream;
    if (member->method == ZIP_STORED) {
        ret_bytes->source = byte_source_part(&stream->archive, at, member->size);
        return true;
    }
    const struct inflate_input input = {
        .read = read_packed, .context = stream, .at = at, .packed = member->packed};
    stream->inflater = inflater_new(&input);
    ret_bytes->source =
        (struct byte_source){.size = member->size, .read = read_inflated, .data = stream, .fd = -1};
    return true;
}

uint64_t zip_bytes_work(const struct zip_bytes *bytes)
{
    return bytes->stream && bytes->stream->inflater ? inflater_work(bytes->stream->inflater) : 0;
}

void zip_bytes_close(struct zip_bytes *bytes)
{
    if (bytes->stream) {
        inflater_free(bytes->stream->inflater);
        error_clear(&bytes->stream->error);
        free(bytes->stream);
    }
    *bytes = (struct zip_bytes){.stream = NULL};
}
