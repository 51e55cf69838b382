/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/big_endian.h"
#include "base/memory.h"
#include "host/packages/page_chain.h"
#include "host/packages/rpm_database.h"
#include "host/packages/sqlite_log.h"

/* One table of a SQLite database, from its first row to its last. Indexes, and what SQLite does to
 * write, are not needed; decision 30 says why this is not libsqlite3. */

#define NAME        "SQLite database"
#define FILE_HEAD   100
#define COLUMNS_MAX 5 /* of sqlite_schema; Packages has two */
#define VARINT_MAX  9
#define PAGE_MAX    65536u

enum { PAGE_INTERIOR = 0x05, PAGE_LEAF = 0x0d };

struct database {
    const struct byte_source *file;
    struct sqlite_log log;
    uint32_t page_size;
    uint32_t usable; /* without what is reserved at the end of each page */
    uint64_t pages;
    uint64_t left; /* pages that may still be looked at */
};

/* A row's values: what kind, and where each is in the row. */
struct row {
    const struct byte_source *source;
    struct column {
        uint64_t type;
        uint64_t offset, size;
    } columns[COLUMNS_MAX];
    size_t count;
};

typedef bool visit_row(const struct row *row, void *data, struct error *error);

static bool malformed(const struct database *database, uint64_t page, const char *reason,
                      struct error *error)
{
    return byte_source_malformed(error, NAME, database->file, page * database->page_size, "%s",
                                 reason);
}

/* The big-endian number of one to nine bytes; 0: it does not end. */
static size_t read_varint(const unsigned char *bytes, size_t size, uint64_t *ret_value)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size && i < VARINT_MAX; i++) {
        if (i == VARINT_MAX - 1) {
            *ret_value = value << 8 | bytes[i];
            return VARINT_MAX;
        }
        value = value << 7 | (bytes[i] & 0x7f);
        if ((bytes[i] & 0x80) == 0) {
            *ret_value = value;
            return i + 1;
        }
    }
    return 0;
}

/* Pages are numbered from 1. */
static bool locate(const void *data, uint32_t number, struct byte_source *ret_page,
                   struct error *error)
{
    const struct database *database = data;
    uint64_t offset;
    if (number == 0 || number > database->pages)
        return malformed(database, number, "there is no such page", error);
    if (sqlite_log_find(&database->log, number, &offset))
        *ret_page = byte_source_part(database->log.source, offset, database->usable);
    else
        *ret_page = byte_source_part(database->file, ((uint64_t)number - 1) * database->page_size,
                                     database->usable);
    return true;
}

static uint64_t value_size(uint64_t type)
{
    static const unsigned char sizes[] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};
    return type < sizeof(sizes) ? sizes[type] : (type - 12) / 2;
}

/* "Record format": the size of the head, the kinds, then the values. */
static bool read_row(const struct byte_source *source, struct row *ret_row, struct error *error)
{
    unsigned char head[(COLUMNS_MAX + 1) * VARINT_MAX];
    uint64_t head_size;
    size_t size = source->size < sizeof(head) ? (size_t)source->size : sizeof(head);
    if (!byte_source_read(source, 0, head, size, "row", error))
        return false;
    size_t at = read_varint(head, size, &head_size);
    if (at == 0 || head_size > size || head_size < at) {
        byte_source_malformed(error, NAME, source, 0, "a row is damaged");
        return false;
    }
    uint64_t offset = head_size;
    *ret_row = (struct row){.source = source};
    while (at < head_size && ret_row->count < COLUMNS_MAX) {
        struct column *column = &ret_row->columns[ret_row->count++];
        size_t taken = read_varint(head + at, (size_t)head_size - at, &column->type);
        column->offset = offset;
        column->size = value_size(column->type);
        if (taken == 0 || column->size > source->size - offset) {
            byte_source_malformed(error, NAME, source, 0, "a value is larger than its row");
            return false;
        }
        offset += column->size;
        at += taken;
    }
    return true;
}

/* How many of the row's bytes are on its own page ("B-tree Cell Format"). */
static uint64_t local_size(const struct database *database, uint64_t size)
{
    uint64_t usable = database->usable;
    uint64_t most = usable - 35, least = (usable - 12) * 32 / 255 - 23;
    if (size <= most)
        return size;
    uint64_t some = least + (size - least) % (usable - 4);
    return some <= most ? some : least;
}

static bool read_cell(struct database *database, const struct byte_source *page,
                      const unsigned char *bytes, size_t at, visit_row *each, void *data,
                      struct error *error)
{
    uint64_t size, id, left = page->size - at;
    size_t first = read_varint(bytes + at, (size_t)left, &size);
    size_t second = first ? read_varint(bytes + at + first, (size_t)left - first, &id) : 0;
    size_t begin = at + first + second;
    if (second == 0 || size > database->pages * database->page_size)
        return byte_source_malformed(error, NAME, page, at, "a row is too large");
    uint64_t local = local_size(database, size);
    AUTO_PAGE_CHAIN struct page_chain chain = {.locate = locate,
                                               .database = database,
                                               .head = 4,
                                               .payload = database->usable - 4,
                                               .number = load32_big,
                                               .left = &database->left};
    chain.first = byte_source_part(page, begin, local);
    if (local + (size > local ? 4 : 0) > page->size - begin)
        return byte_source_malformed(error, NAME, page, at, "a row does not fit on its page");
    if (size > local)
        page_chain_begin(&chain, load32_big(bytes + begin + local));
    struct byte_source source = page_chain_source(&chain, size);
    struct row row;
    return read_row(&source, &row, error) && each(&row, data, error);
}

/* Pages still to be read, the next one last. */
struct stack {
    uint32_t *pages;
    size_t count, capacity;
};

static void stack_free(struct stack *stack)
{
    free(stack->pages);
}

static bool read_page(struct database *database, uint32_t number, unsigned char *bytes,
                      struct stack *stack, visit_row *each, void *data, struct error *error)
{
    struct byte_source page;
    if (!locate(database, number, &page, error) ||
        !byte_source_read(&page, 0, bytes, database->usable, "page", error))
        return false;
    size_t head = number == 1 ? FILE_HEAD : 0;
    bool interior = bytes[head] == PAGE_INTERIOR;
    size_t count = load16_big(bytes + head + 3), first = head + (interior ? 12 : 8);
    if ((!interior && bytes[head] != PAGE_LEAF) || count * 2 > database->usable - first)
        return byte_source_malformed(error, NAME, &page, head, "not a page of a table");
    if (interior)
        *vec_push(stack->pages, stack->count, stack->capacity) = load32_big(bytes + head + 8);
    for (size_t i = 0; i < count; i++) {
        size_t at = load16_big(bytes + first + 2 * (interior ? count - 1 - i : i));
        if (at > database->usable - 4)
            return byte_source_malformed(error, NAME, &page, first, "a row is off its page");
        if (interior)
            *vec_push(stack->pages, stack->count, stack->capacity) = load32_big(bytes + at);
        else if (!read_cell(database, &page, bytes, at, each, data, error))
            return false;
    }
    return true;
}

/* Every row of the table whose first page is root. A page that comes twice is damage, which the
 * number of pages shows. */
static bool each_row(struct database *database, uint32_t root, visit_row *each, void *data,
                     struct error *error)
{
    AUTO_FREE unsigned char *bytes = mem_alloc(PAGE_MAX);
    AUTO(stack_free) struct stack stack = {.count = 0};
    *vec_push(stack.pages, stack.count, stack.capacity) = root;
    for (uint64_t seen = 0; stack.count > 0; seen++) {
        if (seen >= database->pages || stack.count > database->pages)
            return malformed(database, 0, "a table has more pages than the database", error);
        uint32_t number = stack.pages[--stack.count];
        if (!read_page(database, number, bytes, &stack, each, data, error))
            return false;
    }
    return true;
}

static bool column_is(const struct row *row, size_t index, const char *text)
{
    char bytes[16];
    size_t size = strlen(text);
    const struct column *column = &row->columns[index];
    return index < row->count && column->type >= 13 && column->type % 2 == 1 &&
           column->size == size && size <= sizeof(bytes) &&
           byte_source_read(row->source, column->offset, bytes, size, "text", NULL) &&
           memcmp(bytes, text, size) == 0;
}

/* sqlite_schema: type, name, tbl_name, rootpage, sql. */
static bool take_schema(const struct row *row, void *data, struct error *error)
{
    uint32_t *root = data;
    unsigned char bytes[4] = {0};
    const struct column *page = &row->columns[3];
    if (!column_is(row, 0, "table") || !column_is(row, 1, "Packages"))
        return true;
    if (row->count < 4 || page->type < 1 || page->type > 4)
        return byte_source_malformed(error, NAME, row->source, 0, "a table has no page");
    if (!byte_source_read(row->source, page->offset, bytes + 4 - page->size, (size_t)page->size,
                          "number", error))
        return false;
    *root = load32_big(bytes);
    return true;
}

struct packages {
    rpm_visit *each;
    void *data;
    size_t count;
};

/* Packages: hnum (the row's own number, kept elsewhere), blob. */
static bool take_package(const struct row *row, void *data, struct error *error)
{
    struct packages *packages = data;
    const struct column *blob = &row->columns[1];
    if (row->count != 2 || blob->type < 12 || blob->type % 2 != 0)
        return byte_source_malformed(error, NAME, row->source, 0, "a package has no header");
    if (packages->count++ >= RPM_PACKAGES_MAX)
        return byte_source_malformed(error, NAME, row->source, 0, "too many packages");
    struct byte_source header = byte_source_part(row->source, blob->offset, blob->size);
    return packages->each(&header, packages->data, error);
}

static bool open_database(struct database *database, struct error *error)
{
    unsigned char head[FILE_HEAD];
    const struct byte_source *file = database->file;
    if (!byte_source_read(file, 0, head, sizeof(head), "head", error))
        return false;
    uint32_t size = load16_big(head + 16);
    database->page_size = size == 1 ? PAGE_MAX : size;
    database->usable = database->page_size - head[20];
    if (memcmp(head, "SQLite format 3", 16) != 0 || database->page_size < 512 ||
        (size & (size - 1)) != 0 || database->usable < 480)
        return byte_source_malformed(error, NAME, file, 0, "its head is wrong");
    if (head[19] > 2)
        return byte_source_malformed(error, NAME, file, 19, "a newer format");
    if (database->log.pages && database->log.page_size != database->page_size)
        return byte_source_malformed(error, NAME, file, 16, "its log has other pages");
    uint64_t held = file->size / database->page_size, all = held + database->log.count;
    database->pages = database->log.pages && database->log.pages < all ? database->log.pages : all;
    /* Far more than real values take, with room for small databases. */
    database->left = 64 * all + 65536;
    return true;
}

bool rpm_sqlite_each(const struct byte_source *file, const struct byte_source *log, rpm_visit *each,
                     void *data, struct error *error)
{
    struct packages packages = {.each = each, .data = data};
    struct database database = {.file = file};
    uint32_t root = 0;
    if (file->size == 0)
        return true;
    if (!sqlite_log_open(log, &database.log, error))
        return false;
    bool read =
        open_database(&database, error) && each_row(&database, 1, take_schema, &root, error);
    if (read && root == 0)
        read = byte_source_malformed(error, NAME, file, 0, "it has no table Packages");
    read = read && each_row(&database, root, take_package, &packages, error);
    sqlite_log_close(&database.log);
    return read;
}
