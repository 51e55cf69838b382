/* SPDX-License-Identifier: MIT */
#include "host/packages/rpm_header.h"

#include <string.h>

#include "base/big_endian.h"
#include "base/text.h"

#define INTRO_SIZE 8  /* number of tags, size of the data */
#define ENTRY_SIZE 16 /* tag, type, offset, count */
#define CHUNK      512u

enum { TYPE_INT32 = 4, TYPE_STRING = 6, TYPE_STRINGS = 8, TYPE_I18N = 9 };

struct entry {
    uint32_t type;
    uint32_t offset; /* in the data */
    uint32_t count;
};

static bool malformed(const struct rpm_header *header, uint64_t offset, const char *reason,
                      struct error *error)
{
    return byte_source_malformed(error, "rpm header", header->source, offset, "%s", reason);
}

bool rpm_header_open(const struct byte_source *source, struct rpm_header *ret_header,
                     struct error *error)
{
    unsigned char intro[INTRO_SIZE];
    struct rpm_header header = {.source = source};
    if (!byte_source_read(source, 0, intro, sizeof(intro), "rpm header", error))
        return false;
    header.count = load32_big(intro);
    header.data_size = load32_big(intro + 4);
    if (header.count == 0 || header.count > RPM_TAGS_MAX)
        return malformed(&header, 0, "number of tags out of range", error);
    header.data = INTRO_SIZE + (uint64_t)header.count * ENTRY_SIZE;
    if (header.data > source->size || header.data_size > source->size - header.data)
        return malformed(&header, 4, "the data does not fit", error);
    size_t size = (size_t)header.count * ENTRY_SIZE;
    header.entries = mem_alloc(size);
    if (!byte_source_read(source, INTRO_SIZE, header.entries, size, "tags", error)) {
        rpm_header_close(&header);
        return false;
    }
    *ret_header = header;
    return true;
}

void rpm_header_close(struct rpm_header *header)
{
    free(header->entries);
    *header = (struct rpm_header){.count = 0};
}

static bool find(const struct rpm_header *header, enum rpm_tag tag, struct entry *ret_entry)
{
    for (uint32_t i = 0; i < header->count; i++) {
        const unsigned char *at = header->entries + (size_t)i * ENTRY_SIZE;
        if (load32_big(at) != (uint32_t)tag)
            continue;
        *ret_entry = (struct entry){
            .type = load32_big(at + 4), .offset = load32_big(at + 8), .count = load32_big(at + 12)};
        return true;
    }
    return false;
}

/* Adds count strings that begin at offset in the data, each with its NUL. */
static bool read_strings(const struct rpm_header *header, const struct entry *entry, uint32_t count,
                         size_t most, struct text *text, struct error *error)
{
    uint64_t at = entry->offset;
    while (count > 0) {
        char chunk[CHUNK];
        uint64_t left = at < header->data_size ? header->data_size - at : 0;
        size_t size = left < sizeof(chunk) ? (size_t)left : sizeof(chunk);
        if (size == 0)
            return malformed(header, header->data + entry->offset, "a string does not end", error);
        if (!byte_source_read(header->source, header->data + at, chunk, size, "string", error))
            return false;
        size_t taken = 0;
        for (const char *end; count > 0 && (end = memchr(chunk + taken, '\0', size - taken));
             count--)
            taken = (size_t)(end - chunk) + 1;
        taken = count > 0 ? size : taken;
        if (text->size + taken > most)
            return malformed(header, header->data + entry->offset, "strings too long", error);
        text_append_n(text, chunk, taken);
        at += taken;
    }
    return true;
}

bool rpm_header_string(const struct rpm_header *header, enum rpm_tag tag, char **ret_string,
                       struct error *error)
{
    AUTO_TEXT struct text text = {0};
    struct entry entry;
    *ret_string = NULL;
    if (!find(header, tag, &entry))
        return true;
    if ((entry.type != TYPE_STRING && entry.type != TYPE_I18N) || entry.count == 0)
        return malformed(header, header->data + entry.offset, "a tag is not a string", error);
    if (!read_strings(header, &entry, 1, RPM_STRING_MAX, &text, error))
        return false;
    *ret_string = text_steal(&text);
    return true;
}

/* The numbers of a tag, as they are in the source; NULL and 0 when the header does not have it. */
static bool read_numbers(const struct rpm_header *header, enum rpm_tag tag,
                         unsigned char **ret_numbers, uint32_t *ret_count, struct error *error)
{
    struct entry entry;
    *ret_numbers = NULL;
    *ret_count = 0;
    if (!find(header, tag, &entry))
        return true;
    uint64_t size = (uint64_t)entry.count * 4;
    if (entry.type != TYPE_INT32 || entry.offset > header->data_size ||
        size > header->data_size - entry.offset || size > RPM_STRINGS_MAX)
        return malformed(header, header->data + entry.offset, "numbers do not fit", error);
    AUTO_FREE unsigned char *numbers = mem_alloc((size_t)size + 1);
    if (!byte_source_read(header->source, header->data + entry.offset, numbers, (size_t)size,
                          "numbers", error))
        return false;
    *ret_numbers = mem_steal(&numbers);
    *ret_count = entry.count;
    return true;
}

bool rpm_header_number(const struct rpm_header *header, enum rpm_tag tag, bool *ret_there,
                       uint32_t *ret_number, struct error *error)
{
    AUTO_FREE unsigned char *numbers = NULL;
    uint32_t count;
    if (!read_numbers(header, tag, &numbers, &count, error))
        return false;
    *ret_there = count > 0;
    *ret_number = count > 0 ? load32_big(numbers) : 0;
    return true;
}

/* The strings of a tag one behind the other in text, and where each begins. */
struct strings {
    struct text text;
    const char **items;
    uint32_t count;
};
#define AUTO_STRINGS AUTO(strings_free)

static void strings_free(struct strings *strings)
{
    text_free(&strings->text);
    free(strings->items);
}

static bool read_list(const struct rpm_header *header, enum rpm_tag tag, struct strings *strings,
                      struct error *error)
{
    struct entry entry;
    if (!find(header, tag, &entry))
        return true;
    if (entry.type != TYPE_STRINGS || entry.count > header->data_size)
        return malformed(header, header->data + entry.offset, "a tag is not a list", error);
    if (!read_strings(header, &entry, entry.count, RPM_STRINGS_MAX, &strings->text, error))
        return false;
    strings->items = mem_resize(NULL, entry.count ? entry.count : 1, sizeof(*strings->items));
    const char *at = text_string(&strings->text);
    for (; strings->count < entry.count; strings->count++, at += strlen(at) + 1)
        strings->items[strings->count] = at;
    return true;
}

bool rpm_header_files(const struct rpm_header *header, void (*each)(const char *path, void *data),
                      void *data, struct error *error)
{
    AUTO_STRINGS struct strings names = {.count = 0};
    AUTO_STRINGS struct strings directories = {.count = 0};
    AUTO_FREE unsigned char *indexes = NULL;
    AUTO_TEXT struct text path = {0};
    uint32_t count;
    if (!read_list(header, RPM_BASENAMES, &names, error) ||
        !read_list(header, RPM_DIRNAMES, &directories, error) ||
        !read_numbers(header, RPM_DIRINDEXES, &indexes, &count, error))
        return false;
    if (names.count != count)
        return malformed(header, 0, "files and directories do not match", error);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = load32_big(indexes + (size_t)i * 4);
        if (index >= directories.count)
            return malformed(header, 0, "a file has no directory", error);
        text_clear(&path);
        text_append(&path, directories.items[index]);
        text_append(&path, names.items[i]);
        each(text_string(&path), data);
    }
    return true;
}
