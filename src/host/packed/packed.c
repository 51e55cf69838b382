/* SPDX-License-Identifier: MIT */
#include "host/packed/packed.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#ifdef GPUENV_HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef GPUENV_HAVE_LZMA
#include <lzma.h>
#endif
#ifdef GPUENV_HAVE_ZSTD
#include <zstd.h>
#endif

#include "base/memory.h"
#include "host/packed/unpack_head.h"

#define BUFFER 65536

static const char no_memory[] = "unpacking needs more memory than gpuenv allows";

static const struct {
    const char *magic;
    size_t size;
    const char *library;
    const char *(*version)(void); /* NULL: not linked in */
} packings[] = {
    [PACKING_NONE] = {.magic = ""},
    [PACKING_GZIP] = {.magic = "\x1f\x8b",
                      .size = 2,
                      .library = "zlib",
#ifdef GPUENV_HAVE_ZLIB
                      .version = zlibVersion
#endif
    },
    [PACKING_XZ] = {.magic = "\xfd"
                             "7zXZ",
                    .size = 5,
                    .library = "liblzma",
#ifdef GPUENV_HAVE_LZMA
                    .version = lzma_version_string
#endif
    },
    [PACKING_ZSTD] = {.magic = "\x28\xb5\x2f\xfd",
                      .size = 4,
                      .library = "libzstd",
#ifdef GPUENV_HAVE_ZSTD
                      .version = ZSTD_versionString
#endif
    },
};

enum packing packing_of(const void *head, size_t size)
{
    for (enum packing i = PACKING_GZIP; i <= PACKING_ZSTD; i++)
        if (size >= packings[i].size && memcmp(head, packings[i].magic, packings[i].size) == 0)
            return i;
    return PACKING_NONE;
}

bool packing_is_known(enum packing packing)
{
    return packings[packing].version != NULL;
}

const char *packing_library(enum packing packing)
{
    return packing_is_known(packing) ? packings[packing].library : NULL;
}

const char *packing_version(enum packing packing)
{
    return packing_is_known(packing) ? packings[packing].version() : NULL;
}

/* A file that is being unpacked, or bytes of one. */
struct source {
    int fd; /* -1: the bytes */
    const unsigned char *bytes;
    size_t size; /* of those that are not taken yet */
    unsigned char in[BUFFER];
    unsigned char out[BUFFER];
    uint64_t left; /* bytes that may still be given */
    bool (*each)(const void *bytes, size_t size, void *data);
    void *data;
};

static ssize_t take_bytes(struct source *source)
{
    size_t size = source->size < BUFFER ? source->size : BUFFER;
    memcpy(source->in, source->bytes, size);
    source->bytes += size;
    source->size -= size;
    return (ssize_t)size;
}

static ssize_t take(struct source *source)
{
    ssize_t got;
    if (source->fd < 0)
        return take_bytes(source);
    do
        got = read(source->fd, source->in, sizeof(source->in));
    while (got < 0 && errno == EINTR);
    return got;
}

/* Of a take() that got nothing where more has to come. */
static const char *problem_of(ssize_t got)
{
    return got < 0 ? "it cannot be read" : "it is cut off";
}

/* False when no more is wanted. */
static bool give(struct source *source, size_t size)
{
    size_t part = size < source->left ? size : (size_t)source->left;
    source->left -= part;
    return (part == 0 || source->each(source->out, part, source->data)) && source->left > 0;
}

#ifdef GPUENV_HAVE_ZLIB
/* Another member begins where one has ended: `gzip >>` writes such files. */
static bool has_member(struct source *source, z_stream *stream)
{
    if (stream->avail_in == 0) {
        ssize_t got = take(source);
        if (got <= 0)
            return false;
        stream->next_in = source->in;
        stream->avail_in = (uInt)got;
    }
    return stream->next_in[0] == 0x1f && inflateReset(stream) == Z_OK;
}

static const char *step_gzip(struct source *source, z_stream *stream)
{
    for (;;) {
        if (stream->avail_in == 0) {
            ssize_t got = take(source);
            if (got <= 0)
                return problem_of(got);
            stream->next_in = source->in;
            stream->avail_in = (uInt)got;
        }
        stream->next_out = source->out;
        stream->avail_out = BUFFER;
        int result = inflate(stream, Z_NO_FLUSH);
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
            return "not valid gzip data";
        if (!give(source, BUFFER - stream->avail_out) ||
            (result == Z_STREAM_END && !has_member(source, stream)))
            return NULL;
    }
}

static const char *read_gzip(struct source *source)
{
    z_stream stream = {.next_in = NULL};
    if (inflateInit2(&stream, 15 + 16) != Z_OK)
        return no_memory;
    const char *problem = step_gzip(source, &stream);
    inflateEnd(&stream);
    return problem;
}
#endif

#ifdef GPUENV_HAVE_LZMA
static const char *step_xz(struct source *source, lzma_stream *stream)
{
    for (;;) {
        if (stream->avail_in == 0) {
            ssize_t got = take(source);
            if (got <= 0)
                return problem_of(got);
            stream->next_in = source->in;
            stream->avail_in = (size_t)got;
        }
        stream->next_out = source->out;
        stream->avail_out = BUFFER;
        lzma_ret result = lzma_code(stream, LZMA_RUN);
        if (result == LZMA_MEMLIMIT_ERROR || result == LZMA_MEM_ERROR)
            return no_memory;
        if (result != LZMA_OK && result != LZMA_STREAM_END && result != LZMA_BUF_ERROR)
            return "not valid xz data";
        if (!give(source, BUFFER - stream->avail_out) || result == LZMA_STREAM_END)
            return NULL;
    }
}

static const char *read_xz(struct source *source)
{
    lzma_stream stream = LZMA_STREAM_INIT;
    if (lzma_stream_decoder(&stream, PACKED_MEMORY, 0) != LZMA_OK)
        return no_memory;
    const char *problem = step_xz(source, &stream);
    lzma_end(&stream);
    return problem;
}
#endif

#ifdef GPUENV_HAVE_ZSTD
static const char *step_zstd(struct source *source, ZSTD_DStream *stream)
{
    size_t result = 1;
    for (;;) {
        ssize_t got = take(source);
        if (got <= 0)
            return got == 0 && result == 0 ? NULL : problem_of(got);
        ZSTD_inBuffer in = {.src = source->in, .size = (size_t)got};
        bool full = true;
        while (in.pos < in.size || full) {
            ZSTD_outBuffer out = {.dst = source->out, .size = BUFFER};
            result = ZSTD_decompressStream(stream, &out, &in);
            if (ZSTD_isError(result))
                return "the zstd data is not valid, or needs more memory than gpuenv allows";
            full = out.pos == out.size;
            if (!give(source, out.pos))
                return NULL;
        }
    }
}

static const char *read_zstd(struct source *source)
{
    ZSTD_DStream *stream = ZSTD_createDStream();
    if (stream == NULL)
        return no_memory;
    ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, 24); /* 16 MiB */
    const char *problem = step_zstd(source, stream);
    ZSTD_freeDStream(stream);
    return problem;
}
#endif

static const char *read_source(struct source *source, enum packing packing)
{
    switch (packing) {
#ifdef GPUENV_HAVE_ZLIB
    case PACKING_GZIP:
        return read_gzip(source);
#endif
#ifdef GPUENV_HAVE_LZMA
    case PACKING_XZ:
        return read_xz(source);
#endif
#ifdef GPUENV_HAVE_ZSTD
    case PACKING_ZSTD:
        return read_zstd(source);
#endif
    default:
        return "this build of gpuenv cannot unpack this format";
    }
}

static struct source *
source_new(uint64_t max, bool (*each)(const void *bytes, size_t size, void *data), void *data)
{
    struct source *source = mem_alloc(sizeof(*source));
    source->fd = -1;
    source->left = max;
    source->each = each;
    source->data = data;
    return source;
}

const char *packed_read(int fd, enum packing packing, uint64_t max,
                        bool (*each)(const void *bytes, size_t size, void *data), void *data)
{
    AUTO_FREE struct source *source = source_new(max, each, data);
    source->fd = fd;
    return read_source(source, packing);
}

const char *packed_read_bytes(const void *bytes, size_t size, enum packing packing, uint64_t max,
                              bool (*each)(const void *bytes, size_t size, void *data), void *data)
{
    AUTO_FREE struct source *source = source_new(max, each, data);
    source->bytes = bytes;
    source->size = size;
    return read_source(source, packing);
}

size_t unpack_zstd_head(const void *packed, size_t size, void *buffer, size_t room)
{
    size_t written = 0;
#ifdef GPUENV_HAVE_ZSTD
    ZSTD_DStream *stream = ZSTD_createDStream();
    if (stream == NULL)
        return 0;
    ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, 24); /* 16 MiB */
    ZSTD_inBuffer in = {.src = packed, .size = size};
    ZSTD_outBuffer out = {.dst = buffer, .size = room};
    size_t result = 1;
    while (result != 0 && !ZSTD_isError(result) && out.pos < out.size && in.pos < in.size)
        result = ZSTD_decompressStream(stream, &out, &in);
    written = out.pos;
    ZSTD_freeDStream(stream);
#else
    (void)packed;
    (void)size;
    (void)buffer;
    (void)room;
#endif
    return written;
}
