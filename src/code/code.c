/* SPDX-License-Identifier: MIT */
#include "code/code.h"

#include <elf.h>
#include <string.h>

#include "base/little_endian.h"
#include "code/archive.h"
#include "code/cubin.h"
#include "code/elf_host.h"
#include "code/fatbin.h"
#include "code/image.h"
#include "code/ptx.h"

/* So much of a file's beginning tells what it is: PTX may begin with comments. */
#define HEAD_MAX 4096u

static bool is_zip(const unsigned char *head, size_t size)
{
    return size >= 4 && (memcmp(head, "PK\3\4", 4) == 0 || memcmp(head, "PK\5\6", 4) == 0);
}

/* A zipapp or PEX: a first line "#!/usr/bin/env python3", or a short script, in front of the
 * archive. */
static bool is_zip_behind_script(const unsigned char *head, size_t size)
{
    return size >= 2 && memcmp(head, "#!", 2) == 0 && memmem(head, size, "PK\3\4", 4) != NULL;
}

static enum code_file file_of_elf(const void *head, size_t size)
{
    struct elf_start start;
    if (!elf_start_read(head, size, &start) || start.is_big)
        return CODE_FILE_OTHER;
    if (start.machine == EM_CUDA)
        return CODE_FILE_CUBIN;
    switch (start.type) {
    case ET_REL:
        return CODE_FILE_RELOCATABLE;
    case ET_EXEC:
        return CODE_FILE_EXECUTABLE;
    case ET_DYN:
        return CODE_FILE_SHARED_OBJECT;
    default:
        return CODE_FILE_OTHER; /* a core dump */
    }
}

enum code_file code_file_of(const void *head, size_t size)
{
    const unsigned char *bytes = head;
    if (elf_is(bytes, size))
        return file_of_elf(bytes, size);
    if (size >= 4 && load32(bytes) == FATBIN_MAGIC)
        return CODE_FILE_FATBIN;
    if (archive_is(bytes, size))
        return CODE_FILE_ARCHIVE;
    if (is_zip(bytes, size) || is_zip_behind_script(bytes, size))
        return CODE_FILE_ZIP;
    return ptx_is(head, size) ? CODE_FILE_PTX : CODE_FILE_OTHER;
}

static bool list_elf(struct reading *reading, const struct byte_source *source,
                     enum code_file *ret_file, struct error *error)
{
    struct elf_file elf;
    if (!elf_open(source, reading->window, &elf, error) || !elf_open_sections(&elf, error))
        return false;
    if (*ret_file == CODE_FILE_CUBIN)
        return cubin_list(reading, &elf, error);
    return elf_host_list(reading, &elf, ret_file, error);
}

/* What begins as ELF does, and is of no kind that holds code, has to be ELF all the same: it may be
 * cut off before it says of which kind it is. */
static bool check_other(struct reading *reading, const struct byte_source *source,
                        const unsigned char *head, size_t size, struct error *error)
{
    return size < SELFMAG || memcmp(head, ELFMAG, SELFMAG) != 0 ||
           elf_check_start(source, reading->window, error);
}

bool image_list(struct reading *reading, const struct byte_source *source, enum code_file *ret_file,
                struct error *error)
{
    struct fatbin_place all = {.source = source, .end = source->size};
    size_t size = source->size < HEAD_MAX ? (size_t)source->size : HEAD_MAX;
    const unsigned char *head =
        byte_window_at(reading->window, source, 0, size, size, "the first bytes", error);
    *ret_file = CODE_FILE_OTHER;
    if (head == NULL)
        return false;
    enum code_file file = code_file_of(head, size);
    switch (file) {
    case CODE_FILE_FATBIN:
        *ret_file = file;
        return fatbin_walk(reading, &all, error);
    case CODE_FILE_PTX:
        *ret_file = file;
        return ptx_list(reading, source, error);
    case CODE_FILE_CUBIN:
    case CODE_FILE_SHARED_OBJECT:
    case CODE_FILE_EXECUTABLE:
    case CODE_FILE_RELOCATABLE:
        *ret_file = file;
        return list_elf(reading, source, ret_file, error);
    case CODE_FILE_ZIP:
        *ret_file = file;
        return true;
    default:
        return check_other(reading, source, head, size, error);
    }
}

static bool list(struct reading *reading, const struct byte_source *source, struct error *error)
{
    unsigned char head[8];
    bool is_archive = source->size >= sizeof(head) &&
                      source->read(source, 0, head, sizeof(head), NULL) &&
                      archive_is(head, sizeof(head));
    if (!is_archive)
        return image_list(reading, source, &reading->listing->file, error);
    reading->listing->file = CODE_FILE_ARCHIVE;
    return archive_list(reading, source, error);
}

static bool read_code(const struct byte_source *source, bool whole,
                      struct code_listing *ret_listing, struct error *error)
{
    AUTO_FREE struct byte_window *window = byte_window_new();
    AUTO_CODE_LISTING struct code_listing listing = {0};
    struct reading reading = {
        .listing = &listing, .whole = whole, .cubins_left = CUBINS_ASKED, .window = window};
    if (!list(&reading, source, error))
        return false;
    *ret_listing = listing;
    listing = (struct code_listing){0};
    return true;
}

bool code_read(const struct byte_source *source, struct code_listing *ret_listing,
               struct error *error)
{
    return read_code(source, false, ret_listing, error);
}

bool code_read_whole(const struct byte_source *source, struct code_listing *ret_listing,
                     struct error *error)
{
    return read_code(source, true, ret_listing, error);
}
