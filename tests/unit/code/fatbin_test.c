/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "code/code.h"
#include "code/fatbin.h"
#include "code_make.h"

static const struct made_entry kinds[] = {
    {.kind = 2, .architecture = 75, .flags = 0x11, .major = 1, .minor = 7},
    {.kind = 2, .architecture = 90, .flags = 0x108011, .major = 1, .minor = 8},
    {.kind = 2, .architecture = 100, .flags = 0x1208011, .major = 1, .minor = 8, .extra = 48},
    {.kind = 1, .architecture = 120, .flags = 0x2011, .major = 9, .extra = 16},
    {.kind = 1, .architecture = 121, .flags = 0x108011, .major = 8, .minor = 8, .extra = 16},
    {.kind = 8, .architecture = 89, .flags = 0x18011, .major = 1, .minor = 0x41, .extra = 56},
    {.kind = 4, .architecture = 13, .flags = 0x1011},
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

struct wanted {
    const char *name;
    unsigned major, minor;
    enum code_packing packing;
    size_t count;
};

static void expect_listing(const struct code_listing *listing, const struct wanted *wanted,
                           size_t count)
{
    assert_int_equal(listing->count, count);
    for (size_t i = 0; i < count; i++) {
        char name[CODE_NAME_SIZE];
        code_architecture_name(&listing->entries[i], name);
        assert_string_equal(name, wanted[i].name);
        assert_int_equal(listing->entries[i].ptx_major, wanted[i].major);
        assert_int_equal(listing->entries[i].ptx_minor, wanted[i].minor);
        assert_int_equal(listing->entries[i].packing, wanted[i].packing);
        assert_int_equal(listing->entries[i].count, wanted[i].count);
    }
}

static bool read_bytes(const struct text *bytes, struct code_listing *listing, struct error *error)
{
    struct byte_source source = byte_source_memory(bytes->data, bytes->size);
    return code_read(&source, listing, error);
}

static void expect_refused(const struct text *bytes, const char *why)
{
    AUTO_ERROR struct error error = {0};
    AUTO_CODE_LISTING struct code_listing listing = {0};
    assert_false(read_bytes(bytes, &listing, &error));
    assert_int_equal(error.kind, ERROR_DATA);
    assert_string_equal(error.what, "not a valid fat binary");
    assert_string_equal(error.why, why);
    assert_int_equal(listing.count, 0);
}

static void test_kinds(void **state)
{
    (void)state;
    AUTO_TEXT struct text bytes = {0};
    AUTO_CODE_LISTING struct code_listing listing = {0};
    make_fatbin(&bytes, kinds, KINDS);
    assert_true(read_bytes(&bytes, &listing, NULL));
    assert_int_equal(listing.file, CODE_FILE_FATBIN);
    assert_int_equal(listing.fat_binaries, 1);
    static const struct wanted wanted[] = {
        {"sm_75", 0, 0, CODE_PLAIN, 1},       {"sm_90a", 0, 0, CODE_ZSTD, 1},
        {"sm_100f", 0, 0, CODE_ZSTD, 1},      {"compute_120", 9, 0, CODE_LZ4, 1},
        {"compute_121a", 8, 8, CODE_ZSTD, 1}, {"lto_89", 0, 0, CODE_ZSTD, 1},
        {"other_13", 0, 0, CODE_PACKED, 1},
    };
    expect_listing(&listing, wanted, KINDS);
}

static void test_several_with_padding(void **state)
{
    (void)state;
    AUTO_TEXT struct text bytes = {0};
    AUTO_CODE_LISTING struct code_listing listing = {0};
    make_fatbin(&bytes, kinds, 1);
    put_zeros(&bytes, 4096);
    make_fatbin(&bytes, kinds, 2);
    make_fatbin(&bytes, kinds, 0);
    make_fatbin(&bytes, kinds, 1);
    put_zeros(&bytes, 3);
    assert_true(read_bytes(&bytes, &listing, NULL));
    assert_int_equal(listing.fat_binaries, 4);
    static const struct wanted wanted[] = {{"sm_75", 0, 0, CODE_PLAIN, 3},
                                           {"sm_90a", 0, 0, CODE_ZSTD, 1}};
    expect_listing(&listing, wanted, 2);
    assert_int_equal(listing.entries[0].bytes, 24);
}

static void test_much_padding(void **state)
{
    (void)state;
    AUTO_TEXT struct text bytes = {0};
    AUTO_CODE_LISTING struct code_listing listing = {0};
    make_fatbin(&bytes, kinds, 1);
    put_zeros(&bytes, 300004);
    make_fatbin(&bytes, kinds, 1);
    put_zeros(&bytes, 200000);
    assert_true(read_bytes(&bytes, &listing, NULL));
    assert_int_equal(listing.fat_binaries, 2);
    put(&bytes, 7, 4);
    AUTO_FREE char *reason =
        mem_printf("offset 0x%zx: neither a fat binary nor padding: 0x00000007", bytes.size - 4);
    expect_refused(&bytes, reason);
}

/* A file that begins as bytes do, and is a hole from there on. */
static bool read_hole(const struct byte_source *source, uint64_t offset, void *buffer, size_t count,
                      struct error *error)
{
    const struct text *bytes = (const struct text *)source->data;
    (void)error;
    memset(buffer, 0, count);
    if (offset < bytes->size)
        memcpy(buffer, bytes->data + offset,
               count < bytes->size - offset ? count : bytes->size - (size_t)offset);
    return true;
}

static void test_a_hole_ends(void **state)
{
    (void)state;
    AUTO_TEXT struct text bytes = {0};
    AUTO_ERROR struct error error = {0};
    AUTO_CODE_LISTING struct code_listing listing = {0};
    make_fatbin(&bytes, kinds, 1);
    struct byte_source source = {
        .size = 1ull << 50, .read = read_hole, .data = (const unsigned char *)&bytes, .fd = -1};
    assert_false(code_read(&source, &listing, &error));
    assert_int_equal(error.kind, ERROR_DATA);
    assert_non_null(strstr(error.why, "GiB of padding"));
}

static void test_64_bit_sizes(void **state)
{
    (void)state;
    AUTO_TEXT struct text bytes = {0};
    make_fatbin(&bytes, kinds, 1);
    poke(&bytes, 16 + 8, 0x100000008, 8);
    expect_refused(&bytes, "offset 0x10: an entry has 0x100000008 bytes, but only 0x8 are left");
    poke(&bytes, 16 + 8, UINT64_MAX, 8);
    expect_refused(&bytes,
                   "offset 0x10: an entry has 0xffffffffffffffff bytes, but only 0x8 are left");
}

static void test_refused(void **state)
{
    (void)state;
    AUTO_TEXT struct text bytes = {0};
    make_fatbin(&bytes, kinds, 1);
    poke(&bytes, 20, 0, 4);
    expect_refused(&bytes, "offset 0x10: the header of an entry has 0 bytes, but only 72 are left");
    poke(&bytes, 20, 73, 4);
    expect_refused(&bytes,
                   "offset 0x10: the header of an entry has 73 bytes, but only 72 are left");
    poke(&bytes, 20, 64, 4);
    poke(&bytes, 18, 0x201, 2);
    expect_refused(&bytes, "offset 0x10: an entry has version 0x201, which is not known");
    poke(&bytes, 18, 0x101, 2);
    poke(&bytes, 24, 0, 8);
    expect_refused(&bytes, "offset 0x50: 8 bytes are left, too few for the header of an entry");
    poke(&bytes, 24, 8, 8);
    poke(&bytes, 8, 73, 8);
    expect_refused(&bytes, "offset 0x0: the entry has 16 + 0x49 bytes, but only 0x58 are left");
    poke(&bytes, 8, UINT64_MAX - 15, 8);
    expect_refused(
        &bytes, "offset 0x0: the entry has 16 + 0xfffffffffffffff0 bytes, but only 0x58 are left");
    poke(&bytes, 8, 72, 8);
    poke(&bytes, 4, 2, 2);
    expect_refused(&bytes, "offset 0x0: version 2, which is not known");
    poke(&bytes, 4, 1, 2);
    put(&bytes, 7, 4);
    expect_refused(&bytes, "offset 0x58: neither a fat binary nor padding: 0x00000007");
    poke(&bytes, 88, 0x1EE55A01, 4);
    expect_refused(&bytes, "offset 0x58: the format is that of CUDA 3, which gpuenv does not read");
    bytes.size = 8;
    expect_refused(&bytes, "offset 0x0: the header is cut off");
}

/* A file that ends before its entries do, at every length. */
static void test_truncated_anywhere(void **state)
{
    (void)state;
    AUTO_TEXT struct text bytes = {0};
    make_fatbin(&bytes, kinds, KINDS);
    size_t whole = bytes.size;
    for (bytes.size = 4; bytes.size < whole; bytes.size++) {
        AUTO_ERROR struct error error = {0};
        AUTO_CODE_LISTING struct code_listing listing = {0};
        assert_false(read_bytes(&bytes, &listing, &error));
        assert_int_equal(error.kind, ERROR_DATA);
    }
}

static void test_different_entries_are_bounded(void **state)
{
    (void)state;
    AUTO_TEXT struct text bytes = {0};
    AUTO_ERROR struct error error = {0};
    AUTO_CODE_LISTING struct code_listing listing = {0};
    for (unsigned i = 0; i <= CODE_DIFFERENT_MAX; i++) {
        struct made_entry entry = {.kind = 2,
                                   .architecture = (i * 7919) % (CODE_DIFFERENT_MAX + 1)};
        make_fatbin(&bytes, &entry, 1);
    }
    assert_false(read_bytes(&bytes, &listing, &error));
    assert_string_equal(error.what, "more than 4096 different entries of GPU code");
    bytes.size -= 88;
    assert_true(read_bytes(&bytes, &listing, NULL));
    assert_int_equal(listing.count, CODE_DIFFERENT_MAX);
    for (size_t i = 1; i < listing.count; i++)
        assert_true(code_entry_compare(&listing.entries[i - 1], &listing.entries[i]) < 0);
}

/* ---- fat binaries in data ---- */

struct searched {
    struct code_listing listing;
    struct error error;
    bool done;
};

static struct searched search(const struct text *data, bool whole)
{
    struct searched searched = {0};
    struct byte_source source = byte_source_memory(data->data, data->size);
    struct fatbin_place place = {.source = &source, .end = data->size, .embedded = true};
    AUTO_FREE struct byte_window *window = byte_window_new();
    struct reading reading = {.listing = &searched.listing, .whole = whole, .window = window};
    searched.done = fatbin_search(&reading, &place, &searched.error);
    return searched;
}

static void forget(struct searched *searched)
{
    code_listing_free(&searched->listing);
    error_clear(&searched->error);
}

static void put_filling(struct text *text, size_t count)
{
    AUTO_FREE char *filling = mem_alloc(count);
    memset(filling, 7, count);
    text_append_n(text, filling, count);
}

static void test_search(void **state)
{
    (void)state;
    AUTO_TEXT struct text data = {0};
    put_filling(&data, 6064);
    make_fatbin(&data, kinds, KINDS);
    put_filling(&data, 100000);
    make_fatbin(&data, kinds, 1);
    make_fatbin(&data, kinds, 1);
    put_filling(&data, 12);
    struct searched found = search(&data, false);
    assert_true(found.done);
    assert_int_equal(found.listing.fat_binaries, 3);
    assert_int_equal(found.listing.entries[0].count, 3);
    assert_true(found.listing.entries[0].embedded);
    assert_int_equal(found.listing.unsearched, 0);
    forget(&found);
}

/* What only begins as a fat binary is data; what goes on as one has to be whole. */
static void test_search_of_what_looks_so(void **state)
{
    (void)state;
    AUTO_TEXT struct text data = {0};
    for (size_t i = 0; i < 100000; i++)
        put(&data, 0x00100001BA55ED50, 8);
    make_fatbin(&data, kinds, 2);
    struct searched found = search(&data, false);
    assert_true(found.done);
    assert_int_equal(found.listing.fat_binaries, 1);
    forget(&found);
    poke(&data, data.size - 72 + 8, 9, 8);
    found = search(&data, false);
    assert_false(found.done);
    assert_string_equal(found.error.why,
                        "offset 0xc3558: an entry has 0x9 bytes, but only 0x8 are left");
    forget(&found);
}

struct counted {
    struct byte_source all;
    uint64_t bytes;
};

static bool read_counted(const struct byte_source *source, uint64_t offset, void *buffer,
                         size_t count, struct error *error)
{
    struct counted *counted = (struct counted *)source->data;
    counted->bytes += count;
    return byte_source_read(&counted->all, offset, buffer, count, "bytes", error);
}

/* Bytes that look like what is searched are not read again for each of them. */
static void test_search_reads_once(void **state)
{
    (void)state;
    AUTO_TEXT struct text data = {0};
    for (size_t i = 0; i < 100000; i++)
        put(&data, 0x00100001BA55ED50, 8);
    make_fatbin(&data, kinds, 1);
    struct counted counted = {.all = byte_source_memory(data.data, data.size)};
    struct byte_source source = {
        .size = data.size, .read = read_counted, .data = &counted, .fd = -1};
    struct fatbin_place place = {.source = &source, .end = data.size};
    AUTO_FREE struct byte_window *window = byte_window_new();
    AUTO_CODE_LISTING struct code_listing listing = {0};
    struct reading reading = {.listing = &listing, .window = window};
    assert_true(fatbin_search(&reading, &place, NULL));
    assert_int_equal(listing.fat_binaries, 1);
    assert_between(counted.bytes, data.size / 2, data.size + data.size / 4);
}

static void test_search_ends(void **state)
{
    (void)state;
    AUTO_TEXT struct text data = {0};
    put_filling(&data, SEARCH_FIRST + BYTE_WINDOW_SIZE);
    make_fatbin(&data, kinds, 1);
    put_filling(&data, SEARCH_NEXT + BYTE_WINDOW_SIZE);
    make_fatbin(&data, kinds, 1);
    struct searched found = search(&data, false);
    assert_true(found.done);
    assert_int_equal(found.listing.fat_binaries, 0);
    assert_between(found.listing.unsearched, SEARCH_NEXT, data.size - SEARCH_FIRST);
    forget(&found);
    found = search(&data, true);
    assert_int_equal(found.listing.fat_binaries, 2);
    assert_int_equal(found.listing.unsearched, 0);
    forget(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_several_with_padding),
        cmocka_unit_test(test_much_padding),
        cmocka_unit_test(test_a_hole_ends),
        cmocka_unit_test(test_64_bit_sizes),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_truncated_anywhere),
        cmocka_unit_test(test_different_entries_are_bounded),
        cmocka_unit_test(test_search),
        cmocka_unit_test(test_search_of_what_looks_so),
        cmocka_unit_test(test_search_reads_once),
        cmocka_unit_test(test_search_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
