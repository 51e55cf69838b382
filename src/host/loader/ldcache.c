/* SPDX-License-Identifier: MIT */
#include "host/loader/ldcache.h"

#include <elf.h>
#include <string.h>

#include "base/memory.h"

/* glibc sysdeps/generic/dl-cache.h. Old: 11 bytes of magic, a count at 12, entries of 12 bytes at
 * 16, strings counted from their end. New: 20 bytes of magic, a header of 48, entries of 24 bytes,
 * strings counted from the header. */
#define OLD_MAGIC      "ld.so-1.7.0"
#define OLD_HEADER     16
#define OLD_COUNT_AT   12
#define OLD_ENTRY_SIZE 12
#define NEW_MAGIC      "glibc-ld.so.cache1.1"
#define NEW_HEADER     48
#define NEW_COUNT_AT   20
#define NEW_FLAGS_AT   28
#define NEW_ENTRY_SIZE 24

/* A library's name is a file name and its path is a path: longer ones cannot be opened. */
#define SONAME_MAX 255
#define PATH_LIMIT 4095

/* Where the parts of one cache are in the bytes of the file. */
struct layout {
    size_t entries;
    size_t entry_size;
    size_t count;
    size_t strings; /* what the string offsets are counted from */
};

static uint32_t number32(const char *bytes)
{
    uint32_t value;
    memcpy(&value, bytes, sizeof(value));
    return value;
}

static bool has_magic(const char *bytes, size_t size, size_t at, const char *magic)
{
    size_t length = strlen(magic);
    return at <= size && size - at >= length && memcmp(bytes + at, magic, length) == 0;
}

static bool damaged(struct error *error, size_t offset, const char *why)
{
    error_set(error, ERROR_DATA, "not a valid ld.so.cache");
    return error_why(error, "at byte %zu: %s", offset, why);
}

/* Byte order as glibc's cache_file_new_flags_endian: 0 not said, 2 little, 3 big. */
static bool check_byte_order(uint8_t flags, size_t offset, struct error *error)
{
    const unsigned own = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 2 : 3;
    unsigned order = flags & 3u;
    if (order == 0 || order == own)
        return true;
    if (order == 1)
        return damaged(error, offset, "the file marks itself as invalid");
    return damaged(error, offset, "written for a machine with the opposite byte order");
}

static bool layout_new(const char *bytes, size_t size, size_t at, struct layout *ret_layout,
                       struct error *error)
{
    if (size - at < NEW_HEADER)
        return damaged(error, size, "the file ends within its header");
    if (!check_byte_order((uint8_t)bytes[at + NEW_FLAGS_AT], at + NEW_FLAGS_AT, error))
        return false;
    size_t count = number32(bytes + at + NEW_COUNT_AT);
    if (count > (size - at - NEW_HEADER) / NEW_ENTRY_SIZE)
        return damaged(error, at + NEW_COUNT_AT, "more entries than the file can hold");
    *ret_layout = (struct layout){
        .entries = at + NEW_HEADER, .entry_size = NEW_ENTRY_SIZE, .count = count, .strings = at};
    return true;
}

/* The new header stands behind the old entries, aligned for its 64-bit numbers: to 8 bytes, or 4
 * where ldconfig was a 32-bit program. 0 when there is none. */
static size_t find_new_behind_old(const char *bytes, size_t size, size_t end)
{
    for (size_t alignment = 8; alignment >= 4; alignment /= 2) {
        size_t at = (end + alignment - 1) / alignment * alignment;
        if (has_magic(bytes, size, at, NEW_MAGIC))
            return at;
    }
    return 0;
}

static bool layout_old(const char *bytes, size_t size, struct layout *ret_layout,
                       struct error *error)
{
    if (size < OLD_HEADER)
        return damaged(error, size, "the file ends within its header");
    size_t count = number32(bytes + OLD_COUNT_AT);
    if (count > (size - OLD_HEADER) / OLD_ENTRY_SIZE)
        return damaged(error, OLD_COUNT_AT, "more entries than the file can hold");
    size_t end = OLD_HEADER + count * OLD_ENTRY_SIZE;
    size_t behind = find_new_behind_old(bytes, size, end);
    if (behind != 0)
        return layout_new(bytes, size, behind, ret_layout, error);
    *ret_layout = (struct layout){
        .entries = OLD_HEADER, .entry_size = OLD_ENTRY_SIZE, .count = count, .strings = end};
    return true;
}

/* text ends with a NUL of its own, so that no string can run out of it. */
static const char *string_at(const char *text, size_t size, size_t base, uint32_t offset,
                             size_t max)
{
    if (offset >= size - base)
        return NULL;
    const char *string = text + base + offset;
    size_t left = size - base - offset;
    size_t length = strnlen(string, left < max + 1 ? left : max + 1);
    return length == left || length > max ? NULL : string;
}

static bool parse_entries(const struct layout *layout, const char *text, size_t size,
                          struct ldcache_entry *entries, struct error *error)
{
    for (size_t i = 0; i < layout->count; i++) {
        size_t at = layout->entries + i * layout->entry_size;
        struct ldcache_entry *entry = &entries[i];
        entry->flags = (int32_t)number32(text + at);
        entry->soname = string_at(text, size, layout->strings, number32(text + at + 4), SONAME_MAX);
        entry->path = string_at(text, size, layout->strings, number32(text + at + 8), PATH_LIMIT);
        if (entry->soname == NULL)
            return damaged(error, at + 4, "the name in this entry does not end within the file");
        if (entry->path == NULL)
            return damaged(error, at + 8, "the path in this entry does not end within the file");
        if (layout->entry_size == NEW_ENTRY_SIZE)
            memcpy(&entry->hwcap, text + at + 16, sizeof(entry->hwcap));
    }
    return true;
}

bool ldcache_parse(const char *bytes, size_t size, struct ldcache *ret_cache, struct error *error)
{
    struct layout layout = {0};
    if (has_magic(bytes, size, 0, NEW_MAGIC)) {
        if (!layout_new(bytes, size, 0, &layout, error))
            return false;
    } else if (has_magic(bytes, size, 0, OLD_MAGIC)) {
        if (!layout_old(bytes, size, &layout, error))
            return false;
    } else {
        return damaged(error, 0, "does not begin like one");
    }
    AUTO_FREE char *text = mem_string_n(bytes, size);
    AUTO_FREE struct ldcache_entry *entries = mem_alloc((layout.count + 1) * sizeof(*entries));
    if (!parse_entries(&layout, text, size, entries, error))
        return false;
    *ret_cache = (struct ldcache){
        .entries = mem_steal(&entries), .count = layout.count, .strings = mem_steal(&text)};
    return true;
}

void ldcache_free(struct ldcache *cache)
{
    if (cache == NULL)
        return;
    free(cache->entries);
    free(cache->strings);
    *cache = (struct ldcache){0};
}

/* _DL_CACHE_DEFAULT_ID of each architecture: FLAG_ELF_LIBC6 (3) and the bits of
 * sysdeps/generic/ldconfig.h; where an architecture has several ABIs, any of them fits. */
static const struct {
    uint16_t machine;
    unsigned bits;
    int32_t flags;
} cache_ids[] = {
    {.machine = EM_X86_64, .bits = 64, .flags = 0x0303},
    {.machine = EM_X86_64, .bits = 32, .flags = 0x0803}, /* x32 */
    {.machine = EM_386, .bits = 32, .flags = 0x0003},
    {.machine = EM_386, .bits = 32, .flags = 0x0001}, /* plain ELF, which i386 takes too */
    {.machine = EM_AARCH64, .bits = 64, .flags = 0x0a03},
    {.machine = EM_ARM, .bits = 32, .flags = 0x0903}, /* hard float */
    {.machine = EM_ARM, .bits = 32, .flags = 0x0b03}, /* soft float */
    {.machine = EM_ARM, .bits = 32, .flags = 0x0003},
    {.machine = EM_PPC64, .bits = 64, .flags = 0x0503},
    {.machine = EM_PPC, .bits = 32, .flags = 0x0003},
    {.machine = EM_S390, .bits = 64, .flags = 0x0403},
    {.machine = EM_S390, .bits = 32, .flags = 0x0003},
    {.machine = EM_RISCV, .bits = 64, .flags = 0x1003}, /* double float */
    {.machine = EM_RISCV, .bits = 64, .flags = 0x0f03}, /* soft float */
};

bool ldcache_entry_fits(const struct ldcache_entry *entry, uint16_t machine, unsigned bits)
{
    for (size_t i = 0; i < sizeof(cache_ids) / sizeof(cache_ids[0]); i++) {
        if (cache_ids[i].machine == machine && cache_ids[i].bits == bits &&
            cache_ids[i].flags == entry->flags)
            return true;
    }
    return false;
}
