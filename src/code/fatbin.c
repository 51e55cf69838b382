/* SPDX-License-Identifier: MIT */
#include "code/fatbin.h"

#include <string.h>

#include "base/little_endian.h"
#include "code/cubin.h"

#define FATBIN "fat binary"

/* What is read at once: the header of an entry, and that of the next region before it. */
#define AHEAD 256u

/* Flags of an entry. Where each is from: docs/background/code.md. */
#define FLAG_COMPRESSED 0x1000u /* in a way that is not documented; not seen in any file */
#define FLAG_LZ4        0x2000u
#define FLAG_ZSTD       0x8000u
#define FLAG_A          0x100000u /* sm_90a: for one architecture alone */
#define FLAG_F          0x200000u /* sm_100f: for its family */

enum { KIND_PTX = 1, KIND_ELF = 2, KIND_IR = 8 };

struct fatbin_entry {
    unsigned kind, version;
    uint32_t header_size, packed; /* packed: bytes of the payload without what pads them */
    uint64_t size, unpacked;
    unsigned minor, major; /* PTX ISA; of a cubin its ABI */
    uint32_t architecture;
    uint64_t flags;
};

static struct fatbin_entry decode_entry(const unsigned char *bytes)
{
    return (struct fatbin_entry){
        .kind = load16(bytes),
        .version = load16(bytes + 2),
        .header_size = load32(bytes + 4),
        .size = load64(bytes + 8),
        .packed = load32(bytes + 16),
        .unpacked = load64(bytes + 56),
        .minor = load16(bytes + 24),
        .major = load16(bytes + 26),
        .architecture = load32(bytes + 28),
        .flags = load64(bytes + 40),
    };
}

static enum code_kind kind_of(unsigned kind)
{
    switch (kind) {
    case KIND_PTX:
        return CODE_PTX;
    case KIND_ELF:
        return CODE_SASS;
    case KIND_IR:
        return CODE_LTO_IR;
    default:
        return CODE_OTHER;
    }
}

static enum code_packing packing_of(uint64_t flags)
{
    if (flags & FLAG_ZSTD)
        return CODE_ZSTD;
    if (flags & FLAG_LZ4)
        return CODE_LZ4;
    return flags & FLAG_COMPRESSED ? CODE_PACKED : CODE_PLAIN;
}

static char suffix_of(uint64_t flags)
{
    if (flags & FLAG_A)
        return 'a';
    return flags & FLAG_F ? 'f' : '\0';
}

static bool list_entry(struct reading *reading, const struct fatbin_place *place,
                       const struct fatbin_entry *entry, struct error *error)
{
    enum code_kind kind = kind_of(entry->kind);
    struct code_entry said = {
        .kind = kind,
        .architecture = entry->architecture,
        .suffix = suffix_of(entry->flags),
        .ptx_major = kind == CODE_PTX ? entry->major : 0,
        .ptx_minor = kind == CODE_PTX ? entry->minor : 0,
        .packing = packing_of(entry->flags),
        .relocatable = place->relocatable,
        .embedded = place->embedded,
        .count = 1,
        .bytes = entry->size,
    };
    return listing_add(reading->listing, &said, error);
}

/* The entry at offset, of a region that ends at end. */
static bool read_entry(struct reading *reading, const struct fatbin_place *place, uint64_t offset,
                       uint64_t end, struct fatbin_entry *ret_entry, struct error *error)
{
    const struct byte_source *source = place->source;
    if (end - offset < FATBIN_ENTRY_SIZE)
        return byte_source_malformed(error, FATBIN, source, offset,
                                     "%llu bytes are left, too few for the header of an entry",
                                     (unsigned long long)(end - offset));
    const unsigned char *bytes = byte_window_at(reading->window, source, offset, FATBIN_ENTRY_SIZE,
                                                AHEAD, "the header of an entry", error);
    if (bytes == NULL)
        return false;
    *ret_entry = decode_entry(bytes);
    if (ret_entry->version >> 8 != 1)
        return byte_source_malformed(error, FATBIN, source, offset,
                                     "an entry has version 0x%x, which is not known",
                                     ret_entry->version);
    if (ret_entry->header_size < FATBIN_ENTRY_SIZE || ret_entry->header_size > end - offset)
        return byte_source_malformed(error, FATBIN, source, offset,
                                     "the header of an entry has %u bytes, but only %llu are left",
                                     ret_entry->header_size, (unsigned long long)(end - offset));
    uint64_t left = end - offset - ret_entry->header_size;
    if (ret_entry->size > left)
        return byte_source_malformed(error, FATBIN, source, offset,
                                     "an entry has 0x%llx bytes, but only 0x%llx are left",
                                     (unsigned long long)ret_entry->size, (unsigned long long)left);
    return true;
}

static void ask_cubin(struct reading *reading, const struct byte_source *source, uint64_t offset,
                      const struct fatbin_entry *entry)
{
    struct cubin_payload payload = {
        .source = source,
        .offset = offset + entry->header_size,
        .size = entry->size,
        .packing = packing_of(entry->flags),
        .unpacked = entry->unpacked,
    };
    if (payload.packing != CODE_PLAIN && entry->packed < entry->size)
        payload.size = entry->packed;
    cubin_ask(reading, &payload);
}

/* All entries of a region, which lie from offset to end. */
static bool read_entries(struct reading *reading, const struct fatbin_place *place, uint64_t offset,
                         uint64_t end, struct error *error)
{
    while (offset < end) {
        struct fatbin_entry entry = {0};
        if (!read_entry(reading, place, offset, end, &entry, error))
            return false;
        if (++reading->entries > CODE_ENTRIES_MAX)
            return byte_source_malformed(error, FATBIN, place->source, offset,
                                         "more than %u entries in one file", CODE_ENTRIES_MAX);
        if (!list_entry(reading, place, &entry, error))
            return false;
        if (entry.kind == KIND_ELF)
            ask_cubin(reading, place->source, offset, &entry);
        offset += entry.header_size + entry.size;
    }
    return true;
}

bool fatbin_walk_one(struct reading *reading, const struct fatbin_place *place, uint64_t *ret_next,
                     struct error *error)
{
    const struct byte_source *source = place->source;
    uint64_t offset = place->start;
    uint64_t left = place->end - offset;
    if (left < FATBIN_HEADER_SIZE)
        return byte_source_malformed(error, FATBIN, source, offset, "the header is cut off");
    const unsigned char *bytes = byte_window_at(reading->window, source, offset, FATBIN_HEADER_SIZE,
                                                AHEAD, "the header of a fat binary", error);
    if (bytes == NULL)
        return false;
    unsigned version = load16(bytes + 4);
    unsigned header_size = load16(bytes + 6);
    uint64_t size = load64(bytes + 8);
    if (version != 1)
        return byte_source_malformed(error, FATBIN, source, offset,
                                     "version %u, which is not known", version);
    if (header_size < FATBIN_HEADER_SIZE || header_size > left || size > left - header_size)
        return byte_source_malformed(error, FATBIN, source, offset,
                                     "the entry has %u + 0x%llx bytes, but only 0x%llx are left",
                                     header_size, (unsigned long long)size,
                                     (unsigned long long)left);
    reading->listing->fat_binaries++;
    *ret_next = offset + header_size + size;
    return read_entries(reading, place, offset + header_size, *ret_next, error);
}

/* What is at offset, where no fat binary is: false unless it is padding. */
static bool is_padding(const struct fatbin_place *place, uint64_t offset, uint32_t word,
                       struct error *error)
{
    if (word == 0)
        return true;
    if (word == FATBIN_MAGIC_OLD)
        return byte_source_malformed(error, FATBIN, place->source, offset,
                                     "the format is that of CUDA 3, which gpuenv does not read");
    return byte_source_malformed(error, FATBIN, place->source, offset,
                                 "neither a fat binary nor padding: 0x%08x", word);
}

/* How many bytes are zero from the first on, in words of four. */
static size_t count_zeros(const unsigned char *bytes, size_t size)
{
    static const unsigned char zeros[256];
    size_t count = 0;
    while (size - count >= sizeof(zeros) && memcmp(bytes + count, zeros, sizeof(zeros)) == 0)
        count += sizeof(zeros);
    while (size - count >= 4 && load32(bytes + count) == 0)
        count += 4;
    return count;
}

/* Goes behind the padding at *offset, as far as it is at hand. Libraries that were slimmed have
 * zeros where code was; a file that is all holes must not take for ever. */
static bool skip_padding(struct reading *reading, const struct fatbin_place *place,
                         const unsigned char *bytes, uint64_t *offset, struct error *error)
{
    if (!is_padding(place, *offset, load32(bytes), error))
        return false;
    size_t size = byte_window_left(reading->window, place->source, *offset);
    uint64_t left = place->end - *offset;
    size_t count = count_zeros(bytes, size < left ? size : (size_t)left);
    reading->padding += count;
    if (reading->padding > FATBIN_PADDING_MAX)
        return byte_source_malformed(error, FATBIN, place->source, *offset,
                                     "more than %llu GiB of padding in one file",
                                     FATBIN_PADDING_MAX >> 30);
    *offset += count;
    return true;
}

bool fatbin_walk(struct reading *reading, const struct fatbin_place *place, struct error *error)
{
    uint64_t offset = place->start;
    size_t ahead = AHEAD;
    while (offset < place->end && place->end - offset >= 4) {
        const unsigned char *bytes = byte_window_at(reading->window, place->source, offset, 4,
                                                    ahead, "the header of a fat binary", error);
        if (bytes == NULL)
            return false;
        if (load32(bytes) != FATBIN_MAGIC) {
            uint64_t before = offset;
            if (!skip_padding(reading, place, bytes, &offset, error))
                return false;
            ahead = offset - before < 64 ? AHEAD : BYTE_WINDOW_SIZE;
            continue;
        }
        struct fatbin_place region = *place;
        region.start = offset;
        if (!fatbin_walk_one(reading, &region, &offset, error))
            return false;
        ahead = AHEAD;
    }
    return true;
}
