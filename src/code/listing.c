/* SPDX-License-Identifier: MIT */
#include "code/reading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const file_names[] = {
    [CODE_FILE_OTHER] = "no container of GPU code",
    [CODE_FILE_SHARED_OBJECT] = "shared object",
    [CODE_FILE_EXECUTABLE] = "executable",
    [CODE_FILE_RELOCATABLE] = "relocatable object",
    [CODE_FILE_ARCHIVE] = "static archive",
    [CODE_FILE_FATBIN] = "fat binary",
    [CODE_FILE_CUBIN] = "cubin",
    [CODE_FILE_PTX] = "PTX",
    [CODE_FILE_ZIP] = "zip archive",
};

/* What each kind is called, and what stands before the number of its architecture. */
static const struct {
    const char *name;
    const char *prefix;
} kinds[] = {
    [CODE_SASS] = {.name = "SASS", .prefix = "sm_"},
    [CODE_PTX] = {.name = "PTX", .prefix = "compute_"},
    [CODE_LTO_IR] = {.name = "LTO-IR", .prefix = "lto_"},
    [CODE_OTHER] = {.name = "other", .prefix = "other_"},
};

static const char *const packing_names[] = {
    [CODE_PLAIN] = "none",
    [CODE_LZ4] = "lz4",
    [CODE_ZSTD] = "zstd",
    [CODE_PACKED] = "unknown",
};

const char *code_file_name(enum code_file file)
{
    return file_names[file];
}

const char *code_kind_name(enum code_kind kind)
{
    return kinds[kind].name;
}

const char *code_packing_name(enum code_packing packing)
{
    return packing_names[packing];
}

void code_architecture_name(const struct code_entry *entry, char name[CODE_NAME_SIZE])
{
    char suffix[2] = {entry->suffix, '\0'};
    snprintf(name, CODE_NAME_SIZE, "%s%u%s", kinds[entry->kind].prefix, entry->architecture,
             suffix);
}

static int compare_numbers(unsigned a, unsigned b)
{
    return (a > b) - (a < b);
}

int code_entry_compare(const struct code_entry *a, const struct code_entry *b)
{
    const unsigned pairs[][2] = {
        {a->kind, b->kind},
        {a->architecture, b->architecture},
        {(unsigned char)a->suffix, (unsigned char)b->suffix},
        {a->ptx_major, b->ptx_major},
        {a->ptx_minor, b->ptx_minor},
        {a->relocatable, b->relocatable},
        {a->embedded, b->embedded},
        {a->packing, b->packing},
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        int order = compare_numbers(pairs[i][0], pairs[i][1]);
        if (order != 0)
            return order;
    }
    return 0;
}

/* Where entry stands among the entries, or would stand. */
static size_t find_place(const struct code_listing *listing, const struct code_entry *entry)
{
    size_t low = 0;
    size_t high = listing->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (code_entry_compare(&listing->entries[middle], entry) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool listing_add(struct code_listing *listing, const struct code_entry *entry, struct error *error)
{
    size_t place = find_place(listing, entry);
    if (place < listing->count && code_entry_compare(&listing->entries[place], entry) == 0) {
        listing->entries[place].count += entry->count;
        listing->entries[place].bytes += entry->bytes;
        return true;
    }
    if (listing->count == CODE_DIFFERENT_MAX)
        return error_set(error, ERROR_DATA, "more than %u different entries of GPU code",
                         CODE_DIFFERENT_MAX);
    (void)vec_push(listing->entries, listing->count, listing->capacity);
    memmove(listing->entries + place + 1, listing->entries + place,
            (listing->count - 1 - place) * sizeof(*entry));
    listing->entries[place] = *entry;
    return true;
}

bool code_listing_merge(struct code_listing *listing, const struct code_listing *other,
                        struct error *error)
{
    for (size_t i = 0; i < other->count; i++)
        if (!listing_add(listing, &other->entries[i], error))
            return false;
    listing->fat_binaries += other->fat_binaries;
    listing->members += other->members;
    listing->members_elsewhere += other->members_elsewhere;
    listing->sections_missing |= other->sections_missing;
    listing->unsearched += other->unsearched;
    if (listing->cuda_major == 0) {
        listing->toolkit = mem_string(other->toolkit);
        listing->cuda_major = other->cuda_major;
        listing->cuda_minor = other->cuda_minor;
    }
    return true;
}

void code_listing_free(struct code_listing *listing)
{
    free(listing->entries);
    free(listing->toolkit);
    *listing = (struct code_listing){0};
}
