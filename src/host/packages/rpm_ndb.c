/* SPDX-License-Identifier: MIT */
#include "base/little_endian.h"
#include "base/memory.h"
#include "host/packages/rpm_database.h"

/* Pages of slots at the beginning, each slot with the place of one header; a header has a head and
 * a tail of its own. Everything is little-endian and counted in blocks of 16 bytes. */

#define NAME         "ndb database"
#define PAGE_SIZE    4096u
#define BLOCK_SIZE   16u
#define SLOT_SIZE    16u
#define HEAD_SIZE    32u /* of the file, in the place of two slots */
#define BLOB_HEAD    16u
#define BLOB_TAIL    12u
#define FILE_MAGIC   0x506d7052u /* "RpmP" */
#define SLOT_MAGIC   0x746f6c53u /* "Slot" */
#define HEADER_MAGIC 0x53626c42u /* "BlbS" */

struct packages {
    const struct byte_source *file;
    rpm_visit *each;
    void *data;
    size_t count;
};

/* The slot says where, and how many blocks; what is there must be of the same package. */
static bool read_slot(struct packages *packages, const unsigned char *slot, uint64_t at,
                      struct error *error)
{
    unsigned char head[BLOB_HEAD];
    const struct byte_source *file = packages->file;
    uint32_t package = load32(slot + 4);
    uint64_t offset = (uint64_t)load32(slot + 8) * BLOCK_SIZE;
    uint64_t room = (uint64_t)load32(slot + 12) * BLOCK_SIZE;
    if (load32(slot) != SLOT_MAGIC)
        return byte_source_malformed(error, NAME, file, at, "not a slot");
    if (package == 0)
        return true;
    if (packages->count++ >= RPM_PACKAGES_MAX)
        return byte_source_malformed(error, NAME, file, at, "too many packages");
    if (!byte_source_read(file, offset, head, sizeof(head), "header", error))
        return false;
    uint32_t size = load32(head + 12);
    if (load32(head) != HEADER_MAGIC || load32(head + 4) != package)
        return byte_source_malformed(error, NAME, file, offset, "not the header of its slot");
    if (room < BLOB_HEAD + BLOB_TAIL || size > room - BLOB_HEAD - BLOB_TAIL)
        return byte_source_malformed(error, NAME, file, offset, "a header does not fit its blocks");
    if (room > file->size - offset)
        return byte_source_malformed(error, NAME, file, offset, "a header ends behind the file");
    struct byte_source header = byte_source_part(file, offset + BLOB_HEAD, size);
    return packages->each(&header, packages->data, error);
}

bool rpm_ndb_each(const struct byte_source *file, rpm_visit *each, void *data, struct error *error)
{
    unsigned char head[HEAD_SIZE];
    struct packages packages = {.file = file, .each = each, .data = data};
    if (file->size == 0)
        return true;
    if (!byte_source_read(file, 0, head, sizeof(head), "head", error))
        return false;
    uint64_t pages = load32(head + 12);
    if (load32(head) != FILE_MAGIC)
        return byte_source_malformed(error, NAME, file, 0, "its head is wrong");
    if (load32(head + 4) != 0)
        return byte_source_malformed(error, NAME, file, 4, "a newer format");
    if (pages > file->size / PAGE_SIZE)
        return byte_source_malformed(error, NAME, file, 12, "its slots do not fit");
    AUTO_FREE unsigned char *page = mem_alloc(PAGE_SIZE);
    for (uint64_t i = 0; i < pages; i++) {
        if (!byte_source_read(file, i * PAGE_SIZE, page, PAGE_SIZE, "slots", error))
            return false;
        for (size_t at = i == 0 ? HEAD_SIZE : 0; at < PAGE_SIZE; at += SLOT_SIZE)
            if (!read_slot(&packages, page + at, i * PAGE_SIZE + at, error))
                return false;
    }
    return true;
}
