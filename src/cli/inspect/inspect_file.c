/* SPDX-License-Identifier: MIT */
#include "cli/inspect/inspect.h"
#include "host/root/byte_file.h"
#include "manifest/toolkit/code.h"

static void code_free(struct inspected_code *code)
{
    for (size_t i = 0; i < code->verdict_count; i++)
        free(code->verdicts[i].why);
    free(code->verdicts);
    free(code->codes);
}

static void inspected_free(struct inspected *item)
{
    code_free(&item->code);
    for (size_t i = 0; item->members && i < item->wheel.count; i++)
        code_free(&item->members[i]);
    free(item->members);
    free(item->path);
    error_clear(&item->error);
    code_listing_free(&item->listing);
    wheel_free(&item->wheel);
}

void inspection_free(struct inspection *inspection)
{
    for (size_t i = 0; i < inspection->count; i++)
        inspected_free(&inspection->items[i]);
    free(inspection->items);
    free(inspection->gpus);
}

bool inspected_is_broken(const struct inspected *item)
{
    if (error_is_set(&item->error))
        return item->error.kind != ERROR_NO_INPUT;
    for (size_t i = 0; i < item->wheel.count; i++)
        if (error_is_set(&item->wheel.members[i].error))
            return true;
    return false;
}

static struct version two_numbers(unsigned major, unsigned minor)
{
    return (struct version){.part = {major, minor}, .count = major || minor ? 2 : 0};
}

/* How large an entry is at most where nvcc had no kernel to compile: it puts an empty cubin, and
 * where it compiles too empty PTX, into such files. 0: not known, or it puts none there. */
static uint64_t empty_size(struct manifest *manifest, const struct code_entry *entry)
{
    const char *kind = entry->kind == CODE_SASS ? "sass" : entry->kind == CODE_PTX ? "ptx" : NULL;
    const struct manifest_empty *row =
        kind ? manifest_empty_find(manifest, kind, entry->packing != CODE_PLAIN) : NULL;
    return row ? row->bytes : 0;
}

static bool may_be_empty(struct manifest *manifest, const struct code_listing *listing)
{
    if (listing->file == CODE_FILE_CUBIN || listing->file == CODE_FILE_FATBIN ||
        listing->file == CODE_FILE_PTX)
        return false;
    for (size_t i = 0; i < listing->count; i++) {
        const struct code_entry *entry = &listing->entries[i];
        if (entry->bytes > entry->count * empty_size(manifest, entry))
            return false;
    }
    return listing->count > 0;
}

/* What a listing holds, for binary_judge(). */
static void take_code(struct manifest *manifest, const struct code_listing *listing,
                      struct inspected_code *code)
{
    static const enum binary_kind kinds[] = {[CODE_SASS] = BINARY_SASS,
                                             [CODE_PTX] = BINARY_PTX,
                                             [CODE_LTO_IR] = BINARY_LTO,
                                             [CODE_OTHER] = BINARY_OTHER};
    code->codes = mem_resize(NULL, listing->count + 1, sizeof(*code->codes));
    for (size_t i = 0; i < listing->count; i++) {
        const struct code_entry *entry = &listing->entries[i];
        code->codes[i] = (struct binary_code){
            .kind = kinds[entry->kind],
            .capability = two_numbers(entry->architecture / 10, entry->architecture % 10),
            .suffix = entry->suffix,
            .ptx = two_numbers(entry->ptx_major, entry->ptx_minor),
            .unlinked = entry->relocatable,
            .in_data = entry->embedded,
            .entries = entry->count,
        };
    }
    code->binary = (struct binary){
        .codes = code->codes,
        .count = listing->count,
        .cuda = two_numbers(listing->cuda_major, listing->cuda_minor),
        .may_be_empty = may_be_empty(manifest, listing),
    };
}

static void take_members(struct manifest *manifest, struct inspected *item)
{
    size_t count = item->wheel.count;
    item->members = mem_alloc((count + 1) * sizeof(*item->members));
    for (size_t i = 0; i < count; i++)
        take_code(manifest, &item->wheel.members[i].listing, &item->members[i]);
}

bool inspected_member_fails(const struct inspected *item, size_t member, size_t gpu)
{
    const struct inspected_code *code = &item->members[member];
    return gpu < code->verdict_count && binary_cannot_run(code->verdicts[gpu].outcome) &&
           !binary_cannot_run(item->code.verdicts[gpu].outcome);
}

/* A zip archive is read by what is in it. What is called a wheel has to be one, also where it does
 * not begin as one: something may stand in front of it. */
static bool read_source(const struct byte_source *source, const char *path, bool whole,
                        struct inspected *item, struct error *error)
{
    item->size = source->size;
    if (!(whole ? code_read_whole : code_read)(source, &item->listing, error))
        return false;
    if (item->listing.file != CODE_FILE_ZIP &&
        !(item->listing.file == CODE_FILE_OTHER && string_ends(path, ".whl")))
        return true;
    item->listing.file = CODE_FILE_ZIP;
    item->is_wheel = true;
    return wheel_read(source, whole, &item->wheel, error) &&
           code_listing_merge(&item->listing, &item->wheel.sum, error);
}

void inspect_file(const struct host *host, const char *path, const char *shown, bool named,
                  struct inspection *inspection)
{
    AUTO_BYTE_FILE struct byte_source source = BYTE_SOURCE_NONE;
    struct inspected item = {.path = NULL};
    bool read = byte_file_open(host, path, &source, &item.error) == HOST_OK &&
                read_source(&source, path, inspection->whole, &item, &item.error);
    if (!read) {
        code_listing_free(&item.listing);
        wheel_free(&item.wheel);
        item.listing = (struct code_listing){.file = CODE_FILE_OTHER};
    }
    if (read && !named && item.listing.count == 0 && !inspected_is_broken(&item)) {
        inspection->without++;
        inspected_free(&item);
        return;
    }
    item.path = mem_string(shown);
    take_code(inspection->manifest, &item.listing, &item.code);
    take_members(inspection->manifest, &item);
    inspection->with_code += item.listing.count > 0;
    *vec_push(inspection->items, inspection->count, inspection->capacity) = item;
}
