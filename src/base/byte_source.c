/* SPDX-License-Identifier: MIT */
#include "base/byte_source.h"

#include <stdarg.h>
#include <string.h>

#include "base/text.h"

static bool read_memory(const struct byte_source *source, uint64_t offset, void *buffer,
                        size_t count, struct error *error)
{
    (void)error;
    if (count > 0)
        memcpy(buffer, (const char *)source->data + offset, count);
    return true;
}

static bool read_part(const struct byte_source *source, uint64_t offset, void *buffer, size_t count,
                      struct error *error)
{
    return source->of->read(source->of, source->start + offset, buffer, count, error);
}

struct byte_source byte_source_memory(const void *bytes, size_t size)
{
    return (struct byte_source){.size = size, .read = read_memory, .data = bytes, .fd = -1};
}

struct byte_source byte_source_part(const struct byte_source *of, uint64_t start, uint64_t size)
{
    uint64_t left = start < of->size ? of->size - start : 0;
    return (struct byte_source){
        .size = size < left ? size : left, .read = read_part, .of = of, .start = start, .fd = -1};
}

uint64_t byte_source_origin(const struct byte_source *source)
{
    uint64_t origin = 0;
    for (; source != NULL; source = source->of)
        origin += source->start;
    return origin;
}

bool byte_source_read(const struct byte_source *source, uint64_t offset, void *buffer, size_t count,
                      const char *what, struct error *error)
{
    if (offset <= source->size && count <= source->size - offset)
        return source->read(source, offset, buffer, count, error);
    error_set(error, ERROR_DATA, "truncated: %s does not fit", what);
    unsigned long long origin = byte_source_origin(source);
    return error_why(error, "offset 0x%llx: %zu bytes needed, but the file ends at 0x%llx",
                     origin + offset, count, origin + source->size);
}

bool byte_source_malformed(struct error *error, const char *container,
                           const struct byte_source *source, uint64_t offset, const char *format,
                           ...)
{
    AUTO_TEXT struct text reason = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&reason, format, arguments);
    va_end(arguments);
    error_set(error, ERROR_DATA, "not a valid %s", container);
    unsigned long long at = byte_source_origin(source) + offset;
    return error_why(error, "offset 0x%llx: %s", at, text_string(&reason));
}
