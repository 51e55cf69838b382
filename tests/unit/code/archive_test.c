/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "code/code.h"
#include "code_make.h"

static const struct made_entry sass_90 = {.kind = 2, .architecture = 90, .flags = 0x8011};

static bool read_bytes(const struct text *bytes, struct code_listing *listing, struct error *error)
{
    struct byte_source source = byte_source_memory(bytes->data, bytes->size);
    return code_read(&source, listing, error);
}

/* A relocatable object with one entry. */
static void make_object(struct text *text)
{
    AUTO_TEXT struct text fatbin = {0};
    make_fatbin(&fatbin, &sass_90, 1);
    struct made_section section = {"__nv_relfatbin", 1, 2, &fatbin};
    make_elf(text, &(struct made_elf){.type = 1, .machine = 62, .sections = &section, .count = 1});
}

static void expect_refused(const struct text *bytes, const char *what, const char *why)
{
    AUTO_ERROR struct error error = {0};
    AUTO_CODE_LISTING struct code_listing listing = {0};
    assert_false(read_bytes(bytes, &listing, &error));
    assert_int_equal(error.kind, ERROR_DATA);
    assert_string_equal(error.what, what);
    assert_string_equal(error.why, why);
}

static void test_members(void **state)
{
    (void)state;
    AUTO_TEXT struct text bytes = {0}, object = {0}, fatbin = {0};
    AUTO_CODE_LISTING struct code_listing listing = {0};
    make_object(&object);
    make_fatbin(&fatbin, &sass_90, 1);
    text_append(&bytes, "!<arch>\n");
    make_member(&bytes, "/", "symbols", 7);
    make_member(&bytes, "//", "a-name-that-is-long.o/\n", 23);
    make_member(&bytes, "/0", object.data, object.size);
    make_member(&bytes, "b.o/", object.data, object.size);
    make_member(&bytes, "odd/", "x", 1);
    make_member(&bytes, "empty/", "", 0);
    AUTO_TEXT struct text named = {0};
    text_append(&named, "k.fatbin");
    text_append_n(&named, fatbin.data, fatbin.size);
    make_member(&bytes, "#1/8", named.data, named.size);
    make_member(&bytes, "__.SYMDEF",
                "\x7f"
                "ELF",
                4);
    assert_true(read_bytes(&bytes, &listing, NULL));
    assert_int_equal(listing.file, CODE_FILE_ARCHIVE);
    assert_int_equal(listing.members, 3);
    assert_int_equal(listing.count, 2);
    assert_int_equal(listing.entries[0].count, 1);
    assert_false(listing.entries[0].relocatable);
    assert_int_equal(listing.entries[1].count, 2);
    assert_true(listing.entries[1].relocatable);
}

static void test_thin(void **state)
{
    (void)state;
    AUTO_TEXT struct text bytes = {0};
    AUTO_CODE_LISTING struct code_listing listing = {0};
    text_append(&bytes, "!<thin>\n");
    make_member(&bytes, "//", "dir/a.o/\ndir/b.o/\n", 18);
    for (unsigned i = 0; i < 2; i++)
        text_printf(&bytes, "%-16s%-12u%-6u%-6u%-8s%-10u`\n", i ? "/9" : "/0", 0u, 0u, 0u, "644",
                    123456u);
    assert_true(read_bytes(&bytes, &listing, NULL));
    assert_int_equal(listing.members, 0);
    assert_int_equal(listing.members_elsewhere, 2);
}

/* The offset is one of the whole archive, and the member is named. */
static void test_malformed_member(void **state)
{
    (void)state;
    static const char *const names[] = {"/0", "bad.o/", "#1/5"};
    static const char *const wanted[] = {
        "member a-name-that-is-long.o: not a valid ELF file",
        "member bad.o: not a valid ELF file",
        "member bad.o: not a valid ELF file",
    };
    for (size_t i = 0; i < 3; i++) {
        AUTO_TEXT struct text bytes = {0}, object = {0}, named = {0};
        make_object(&object);
        poke(&object, 4, 9, 1);
        if (i == 2)
            text_append(&named, "bad.o");
        text_append_n(&named, object.data, object.size);
        text_append(&bytes, "!<arch>\n");
        make_member(&bytes, "//", "a-name-that-is-long.o/\n", 23);
        make_member(&bytes, names[i], named.data, named.size);
        expect_refused(&bytes, wanted[i],
                       i == 2 ? "offset 0xa1: class 9, byte order 1"
                              : "offset 0x9c: class 9, byte order 1");
    }
}

static void test_refused(void **state)
{
    (void)state;
    AUTO_TEXT struct text bytes = {0};
    text_append(&bytes, "!<arch>\n");
    make_member(&bytes, "a.o/", "1234", 4);
    memcpy(bytes.data + 8 + 48, "5         ", 10);
    expect_refused(&bytes, "not a valid static archive",
                   "offset 0x8: a member has 0x5 bytes, but only 0x4 are left");
    memcpy(bytes.data + 8 + 48, "9999999999", 10);
    expect_refused(&bytes, "not a valid static archive",
                   "offset 0x8: a member has 0x2540be3ff bytes, but only 0x4 are left");
    memcpy(bytes.data + 8 + 48, "4x        ", 10);
    expect_refused(&bytes, "not a valid static archive",
                   "offset 0x8: the size of a member is not a number");
    memcpy(bytes.data + 8 + 48, "          ", 10);
    expect_refused(&bytes, "not a valid static archive",
                   "offset 0x8: the size of a member is not a number");
    memcpy(bytes.data + 8 + 48, "4         ", 10);
    memcpy(bytes.data + 8, "#1/5            ", 16);
    expect_refused(&bytes, "not a valid static archive",
                   "offset 0x8: the name of a member is longer than the member");
    bytes.data[8 + 58] = '?';
    expect_refused(&bytes, "not a valid static archive",
                   "offset 0x8: a member header is missing at this offset");
    bytes.size = 8 + 59;
    expect_refused(&bytes, "truncated: the header of a member does not fit",
                   "offset 0x8: 60 bytes needed, but the file ends at 0x43");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_thin),
        cmocka_unit_test(test_malformed_member),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
