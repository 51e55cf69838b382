/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/big_endian.h"
#include "base/little_endian.h"
#include "base/memory.h"
#include "host/packages/page_chain.h"
#include "host/packages/rpm_database.h"

/* A hash of Berkeley DB 4 and 5: buckets, each a page and those linked to it, with keys and values
 * in turn. Keys are rpm's numbers of packages; number 0 has the highest number for a value. */

#define NAME     "Berkeley DB hash"
#define MAGIC    0x00061561u
#define META     512u
#define HEAD     26u /* of a page */
#define SPARES   32u
#define PAGE_MAX 65536u

enum { PAGE_HASH_UNSORTED = 2, PAGE_HASH = 13 };
enum { ITEM_HERE = 1, ITEM_ELSEWHERE = 3 };

struct database {
    const struct byte_source *file;
    uint32_t (*number)(const unsigned char *bytes);
    uint32_t page_size;
    uint64_t pages;
    uint64_t left; /* pages that may still be looked at */
    uint32_t buckets;
    uint32_t spares[SPARES]; /* what is added to the number of a bucket, by its power of two */
    rpm_visit *each;
    void *data;
    size_t count;
};

/* A key or a value on a page. */
struct item {
    const unsigned char *bytes;
    size_t size;
    uint64_t at; /* in the file */
};

static bool locate(const void *data, uint32_t number, struct byte_source *ret_page,
                   struct error *error)
{
    const struct database *database = data;
    uint64_t offset = (uint64_t)number * database->page_size;
    if (number >= database->pages)
        return byte_source_malformed(error, NAME, database->file, offset, "there is no such page");
    *ret_page = byte_source_part(database->file, offset, database->page_size);
    return true;
}

static unsigned short_of(const struct database *database, const unsigned char *bytes)
{
    return database->number == load32 ? load16(bytes) : load16_big(bytes);
}

static bool is_number_zero(const struct item *key)
{
    static const unsigned char zero[5] = {ITEM_HERE, 0, 0, 0, 0};
    return key->size == sizeof(zero) && memcmp(key->bytes, zero, sizeof(zero)) == 0;
}

/* A pair of a package. Small headers are on the page itself, others on pages of their own. */
static bool take_pair(struct database *database, const struct item *key, const struct item *value,
                      struct error *error)
{
    const struct byte_source *file = database->file;
    if (is_number_zero(key))
        return true;
    if (database->count++ >= RPM_PACKAGES_MAX)
        return byte_source_malformed(error, NAME, file, value->at, "too many packages");
    if (value->bytes[0] == ITEM_HERE) {
        struct byte_source header = byte_source_part(file, value->at + 1, value->size - 1);
        return database->each(&header, database->data, error);
    }
    if (value->bytes[0] != ITEM_ELSEWHERE || value->size < 12)
        return byte_source_malformed(error, NAME, file, value->at, "an unknown kind of value");
    uint32_t size = database->number(value->bytes + 8);
    if (size > file->size)
        return byte_source_malformed(error, NAME, file, value->at, "a header is too large");
    AUTO_PAGE_CHAIN struct page_chain chain = {.locate = locate,
                                               .database = database,
                                               .first = byte_source_part(file, value->at, 0),
                                               .next_at = 16,
                                               .head = HEAD,
                                               .payload = database->page_size - HEAD,
                                               .number = database->number,
                                               .left = &database->left};
    page_chain_begin(&chain, database->number(value->bytes + 4));
    struct byte_source header = page_chain_source(&chain, size);
    return database->each(&header, database->data, error);
}

/* The item with that index: offsets behind the page's head, and items from its end on. */
static bool item_at(const struct database *database, const unsigned char *page, uint32_t number,
                    size_t index, struct item *ret_item, struct error *error)
{
    size_t entries = short_of(database, page + 20);
    size_t begin = short_of(database, page + HEAD + 2 * index);
    size_t end = index ? short_of(database, page + HEAD + 2 * (index - 1)) : database->page_size;
    uint64_t offset = (uint64_t)number * database->page_size;
    if (begin < HEAD + 2 * entries || begin >= end || end > database->page_size) {
        byte_source_malformed(error, NAME, database->file, offset, "an item is off its page");
        return false;
    }
    *ret_item = (struct item){.bytes = page + begin, .size = end - begin, .at = offset + begin};
    return true;
}

static bool read_page(struct database *database, uint32_t number, unsigned char *bytes,
                      struct error *error)
{
    struct byte_source page;
    struct item key, value;
    if (database->left == 0)
        return byte_source_malformed(error, NAME, database->file, 0, "pages come twice");
    database->left--;
    if (!locate(database, number, &page, error) ||
        !byte_source_read(&page, 0, bytes, database->page_size, "page", error))
        return false;
    size_t entries = short_of(database, bytes + 20);
    if (bytes[25] == 0 && entries == 0) /* a bucket that was never used */
        return true;
    if ((bytes[25] != PAGE_HASH && bytes[25] != PAGE_HASH_UNSORTED) || entries % 2 != 0 ||
        entries * 2 > database->page_size - HEAD)
        return byte_source_malformed(error, NAME, &page, 0, "not a page of a bucket");
    for (size_t i = 0; i < entries; i += 2)
        if (!item_at(database, bytes, number, i, &key, error) ||
            !item_at(database, bytes, number, i + 1, &value, error) ||
            !take_pair(database, &key, &value, error))
            return false;
    return true;
}

/* Buckets are laid out by powers of two: number 0, 1, 2 to 3, 4 to 7, … */
static uint32_t first_page(const struct database *database, uint32_t bucket)
{
    unsigned power = 0;
    while (power < SPARES - 1 && (1ull << power) < (uint64_t)bucket + 1)
        power++;
    return bucket + database->spares[power];
}

static bool open_database(struct database *database, struct error *error)
{
    unsigned char meta[META];
    const struct byte_source *file = database->file;
    if (!byte_source_read(file, 0, meta, sizeof(meta), "head", error))
        return false;
    database->number = load32(meta + 12) == MAGIC ? load32 : load32_big;
    if (database->number(meta + 12) != MAGIC)
        return byte_source_malformed(error, NAME, file, 12, "its head is wrong");
    uint32_t version = database->number(meta + 16);
    if (version < 8 || version > 10)
        return byte_source_malformed(error, NAME, file, 16, "another version of the format");
    database->page_size = database->number(meta + 20);
    if (database->page_size < 512 || database->page_size > PAGE_MAX ||
        (database->page_size & (database->page_size - 1)) != 0)
        return byte_source_malformed(error, NAME, file, 20, "its pages have a wrong size");
    if (meta[24] != 0)
        return byte_source_malformed(error, NAME, file, 24, "it is encrypted");
    database->pages = file->size / database->page_size;
    database->left = 64 * database->pages + 65536;
    database->buckets = database->number(meta + 72);
    if (database->buckets >= database->pages)
        return byte_source_malformed(error, NAME, file, 72, "its buckets do not fit");
    for (size_t i = 0; i < SPARES; i++)
        database->spares[i] = database->number(meta + 96 + 4 * i);
    return true;
}

bool rpm_bdb_each(const struct byte_source *file, rpm_visit *each, void *data, struct error *error)
{
    struct database database = {.file = file, .each = each, .data = data};
    AUTO_FREE unsigned char *page = mem_alloc(PAGE_MAX);
    if (file->size == 0)
        return true;
    if (!open_database(&database, error))
        return false;
    for (uint64_t bucket = 0; bucket <= database.buckets; bucket++) {
        uint32_t number = first_page(&database, (uint32_t)bucket);
        while (number != 0) {
            if (!read_page(&database, number, page, error))
                return false;
            number = database.number(page + 16);
        }
    }
    return true;
}
