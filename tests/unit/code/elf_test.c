/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "code/code.h"
#include "code_make.h"
#include "host/packed/unpack_head.h"

enum { PROGBITS = 1, NOTE = 7, NOBITS = 8, ALLOC = 2, EXECUTE = 4, X86_64 = 62 };

static const struct made_entry sass_90 = {.kind = 2, .architecture = 90, .flags = 0x8011};
static const struct made_entry sass_80 = {.kind = 2, .architecture = 80, .flags = 0x8011};
static const struct made_entry ptx_120 = {
    .kind = 1, .architecture = 120, .flags = 0x8011, .major = 9, .extra = 16};

static bool read_bytes(const struct text *bytes, struct code_listing *listing, struct error *error)
{
    struct byte_source source = byte_source_memory(bytes->data, bytes->size);
    return code_read(&source, listing, error);
}

static void expect_entry(const struct code_entry *entry, const char *wanted, bool relocatable,
                         bool embedded, size_t count)
{
    char name[CODE_NAME_SIZE];
    code_architecture_name(entry, name);
    assert_string_equal(name, wanted);
    assert_int_equal(entry->relocatable, relocatable);
    assert_int_equal(entry->embedded, embedded);
    assert_int_equal(entry->count, count);
}

static void expect_refused(const struct text *bytes, const char *why)
{
    AUTO_ERROR struct error error = {0};
    AUTO_CODE_LISTING struct code_listing listing = {0};
    assert_false(read_bytes(bytes, &listing, &error));
    assert_int_equal(error.kind, ERROR_DATA);
    assert_string_equal(error.why, why);
}

/* What the sections of the made library hold. */
struct parts {
    struct text linked, relocatable, data, text;
    struct made_section sections[5];
};

static void fill_parts(struct parts *parts)
{
    make_fatbin(&parts->linked, (const struct made_entry[]){sass_90, ptx_120}, 2);
    put_zeros(&parts->linked, 40);
    make_fatbin(&parts->linked, &sass_90, 1);
    make_fatbin(&parts->relocatable, &sass_90, 1);
    text_append_n(&parts->data, "some constants..", 16);
    make_fatbin(&parts->data, &sass_80, 1);
    make_fatbin(&parts->text, &sass_80, 1);
    const struct made_section sections[] = {
        {".rodata", PROGBITS, ALLOC, &parts->data},
        {".text", PROGBITS, ALLOC | EXECUTE, &parts->text},
        {".nv_fatbin", PROGBITS, ALLOC, &parts->linked},
        {"__nv_relfatbin", PROGBITS, ALLOC, &parts->relocatable},
        {".eh_frame", PROGBITS, ALLOC, &parts->text},
    };
    memcpy(parts->sections, sections, sizeof(sections));
}

static void empty_parts(struct parts *parts)
{
    text_free(&parts->linked);
    text_free(&parts->relocatable);
    text_free(&parts->data);
    text_free(&parts->text);
}

static struct made_elf library_of(const struct parts *parts)
{
    return (struct made_elf){.type = 3, .machine = X86_64, .sections = parts->sections, .count = 5};
}

static void expect_parts(const struct code_listing *listing)
{
    assert_int_equal(listing->count, 4);
    assert_int_equal(listing->fat_binaries, 4);
    expect_entry(&listing->entries[0], "sm_80", false, true, 1);
    expect_entry(&listing->entries[1], "sm_90", false, false, 2);
    expect_entry(&listing->entries[2], "sm_90", true, false, 1);
    expect_entry(&listing->entries[3], "compute_120", false, false, 1);
    assert_int_equal(listing->entries[3].ptx_major, 9);
}

static void test_sections(void **state)
{
    (void)state;
    struct parts parts = {0};
    fill_parts(&parts);
    for (unsigned i = 0; i < 4; i++) {
        AUTO_TEXT struct text bytes = {0};
        AUTO_CODE_LISTING struct code_listing listing = {0};
        struct made_elf elf = library_of(&parts);
        elf.narrow = i & 1;
        elf.is_extended = i & 2;
        make_elf(&bytes, &elf);
        assert_true(read_bytes(&bytes, &listing, NULL));
        assert_int_equal(listing.file, CODE_FILE_SHARED_OBJECT);
        assert_false(listing.sections_missing);
        expect_parts(&listing);
    }
    empty_parts(&parts);
}

static void test_file_kinds(void **state)
{
    (void)state;
    static const struct {
        unsigned type;
        bool interpreter;
        enum code_file wanted;
    } rows[] = {
        {1, false, CODE_FILE_RELOCATABLE},   {2, true, CODE_FILE_EXECUTABLE},
        {3, false, CODE_FILE_SHARED_OBJECT}, {3, true, CODE_FILE_EXECUTABLE},
        {4, false, CODE_FILE_OTHER},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        AUTO_TEXT struct text bytes = {0};
        AUTO_CODE_LISTING struct code_listing listing = {0};
        make_elf(&bytes, &(struct made_elf){.type = rows[i].type,
                                            .machine = X86_64,
                                            .interpreter = rows[i].interpreter});
        assert_true(read_bytes(&bytes, &listing, NULL));
        assert_int_equal(listing.file, rows[i].wanted);
        assert_int_equal(listing.count, 0);
    }
}

static void test_no_section_headers(void **state)
{
    (void)state;
    struct parts parts = {0};
    fill_parts(&parts);
    AUTO_TEXT struct text bytes = {0};
    AUTO_CODE_LISTING struct code_listing listing = {0};
    struct made_elf elf = library_of(&parts);
    make_elf(&bytes, &elf);
    poke(&bytes, 40, 0, 8); /* e_shoff */
    poke(&bytes, 58, 0, 6); /* e_shentsize, e_shnum, e_shstrndx */
    assert_true(read_bytes(&bytes, &listing, NULL));
    assert_true(listing.sections_missing);
    assert_int_equal(listing.fat_binaries, 6); /* all that is loaded, instructions too */
    for (size_t i = 0; i < listing.count; i++)
        assert_false(listing.entries[i].embedded);
    empty_parts(&parts);
}

static void test_nobits_hold_nothing(void **state)
{
    (void)state;
    AUTO_TEXT struct text bytes = {0}, linked = {0};
    AUTO_CODE_LISTING struct code_listing listing = {0};
    make_fatbin(&linked, &sass_90, 1);
    struct made_section section = {".nv_fatbin", NOBITS, ALLOC, &linked};
    make_elf(&bytes,
             &(struct made_elf){.type = 3, .machine = X86_64, .sections = &section, .count = 1});
    assert_true(read_bytes(&bytes, &listing, NULL));
    assert_int_equal(listing.count, 0);
}

/* Section headers begin where e_shoff says; number 3 is .nv_fatbin. */
static uint64_t section_at(const struct text *bytes, unsigned index)
{
    uint64_t offset;
    memcpy(&offset, bytes->data + 40, 8);
    return offset + 64 * (uint64_t)index;
}

static void test_refused_sections(void **state)
{
    (void)state;
    struct parts parts = {0};
    fill_parts(&parts);
    AUTO_TEXT struct text bytes = {0};
    struct made_elf elf = library_of(&parts);
    make_elf(&bytes, &elf);
    size_t fatbin = section_at(&bytes, 3);
    AUTO_TEXT struct text kept = {0};
    text_append_n(&kept, bytes.data, bytes.size);
    poke(&bytes, fatbin + 32, UINT64_MAX, 8);
    AUTO_FREE char *why = mem_printf("offset 0x%llx: a section of 0xffffffffffffffff bytes does not"
                                     " fit in the file",
                                     (unsigned long long)(unsigned char)bytes.data[fatbin + 24] +
                                         256ull * (unsigned char)bytes.data[fatbin + 25]);
    expect_refused(&bytes, why);
    memcpy(bytes.data, kept.data, kept.size);
    memcpy(bytes.data + section_at(&bytes, 4) + 24, bytes.data + fatbin + 24, 8);
    AUTO_ERROR struct error error = {0};
    AUTO_CODE_LISTING struct code_listing listing = {0};
    assert_false(read_bytes(&bytes, &listing, &error));
    assert_non_null(strstr(error.why, "two sections hold the same bytes"));
    memcpy(bytes.data, kept.data, kept.size);
    poke(&bytes, fatbin, 0xffffff, 4);
    assert_false(read_bytes(&bytes, &listing, &error));
    assert_non_null(strstr(error.why, "the name of section 3 is outside the name table"));
    empty_parts(&parts);
}

static void test_refused_header(void **state)
{
    (void)state;
    struct parts parts = {0};
    fill_parts(&parts);
    AUTO_TEXT struct text bytes = {0};
    struct made_elf elf = library_of(&parts);
    make_elf(&bytes, &elf);
    unsigned long long sections = (unsigned long long)section_at(&bytes, 0);
    poke(&bytes, 60, 0, 2);
    poke(&bytes, sections + 32, 0x7fffffffffffffff, 8);
    AUTO_FREE char *many = mem_printf(
        "offset 0x%llx: 9223372036854775807 sections, more than the limit of 1000000", sections);
    expect_refused(&bytes, many);
    poke(&bytes, sections + 32, 999999, 8);
    AUTO_FREE char *table =
        mem_printf("offset 0x%llx: 999999 section headers of 64 bytes do not fit", sections);
    expect_refused(&bytes, table);
    poke(&bytes, 60, 7, 2);
    poke(&bytes, 62, 9, 2);
    expect_refused(&bytes, "offset 0x0: section 9 of 7 should contain the section names");
    poke(&bytes, 58, 63, 2);
    expect_refused(&bytes, "offset 0x0: section headers of 63 bytes");
    poke(&bytes, 58, 64, 2);
    poke(&bytes, 54, 8, 2);
    expect_refused(&bytes, "offset 0x0: program headers of 8 bytes");
    poke(&bytes, 54, 56, 2);
    poke(&bytes, 52, 52, 2);
    expect_refused(&bytes, "offset 0x0: the header has 52 bytes instead of 64");
    poke(&bytes, 4, 3, 1);
    expect_refused(&bytes, "offset 0x4: class 3, byte order 1");
    empty_parts(&parts);
}

static void test_truncated_anywhere(void **state)
{
    (void)state;
    struct parts parts = {0};
    fill_parts(&parts);
    AUTO_TEXT struct text bytes = {0};
    struct made_elf elf = library_of(&parts);
    make_elf(&bytes, &elf);
    size_t whole = bytes.size;
    for (bytes.size = 20; bytes.size < whole; bytes.size++) {
        AUTO_ERROR struct error error = {0};
        AUTO_CODE_LISTING struct code_listing listing = {0};
        assert_false(read_bytes(&bytes, &listing, &error));
        assert_int_equal(error.kind, ERROR_DATA);
    }
    empty_parts(&parts);
}

static void test_big_endian_is_no_container(void **state)
{
    (void)state;
    AUTO_TEXT struct text bytes = {0};
    AUTO_CODE_LISTING struct code_listing listing = {0};
    make_elf(&bytes, &(struct made_elf){.type = 3, .machine = X86_64});
    poke(&bytes, 5, 2, 1);
    assert_true(read_bytes(&bytes, &listing, NULL));
    assert_int_equal(listing.file, CODE_FILE_OTHER);
}

/* What begins as ELF and cannot be one is refused, and not taken for something else. */
static void test_only_the_beginning(void **state)
{
    (void)state;
    for (size_t size = 0; size <= 64; size++) {
        AUTO_TEXT struct text bytes = {0};
        AUTO_CODE_LISTING struct code_listing listing = {0};
        AUTO_ERROR struct error error = {0};
        make_elf(&bytes, &(struct made_elf){.type = 3, .machine = X86_64});
        bytes.size = size;
        assert_int_equal(read_bytes(&bytes, &listing, &error), size < 4);
        if (size >= 4)
            assert_non_null(strstr(error.why, "offset 0x"));
    }
    static const struct {
        size_t at;
        unsigned value;
    } wrong[] = {{4, 0}, {4, 3}, {4, 'x'}, {5, 0}, {5, 3}};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        AUTO_TEXT struct text bytes = {0};
        AUTO_CODE_LISTING struct code_listing listing = {0};
        AUTO_ERROR struct error error = {0};
        make_elf(&bytes, &(struct made_elf){.type = 4, .machine = X86_64});
        poke(&bytes, wrong[i].at, wrong[i].value, 1);
        assert_false(read_bytes(&bytes, &listing, &error));
    }
}

/* ---- cubins ---- */

static const char tools_13[] = "Cuda compilation tools, release 13.0, V13.0.88";

static void test_cubins(void **state)
{
    (void)state;
    static const struct {
        unsigned abi;
        uint32_t flags, version;
        const char *arguments; /* NULL: no note */
        const char *wanted;
        unsigned major, minor;
    } rows[] = {
        {7, 0x4b054b, 124, NULL, "sm_75", 12, 4},
        {7, 0x5a055a, 118, NULL, "sm_90", 11, 8},
        {7, 0x5a0d5a, 129, NULL, "sm_90a", 12, 9},
        {7, 0x320532, 1, NULL, "sm_50", 0, 0},
        {8, 0x6006402, 1, NULL, "sm_100", 0, 0},
        {8, 0x600640a, 1, NULL, "sm_100a", 0, 0},
        {8, 0x6005a04, 1, "-arch sm_90 -m 64 ", "sm_90", 13, 0},
        {8, 0x6005a04, 1, "-arch sm_90a -m 64 ", "sm_90a", 13, 0},
        {8, 0x6006402, 1, "-arch sm_100f -m 64 ", "sm_100f", 13, 0},
        {8, 0x6007902, 1, "-arch sm_12 -arch sm_121a", "sm_121a", 13, 0},
        {8, 0x6006402, 1, "-arch sm_1000f", "sm_100", 13, 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        AUTO_TEXT struct text bytes = {0}, note = {0};
        AUTO_CODE_LISTING struct code_listing listing = {0};
        if (rows[i].arguments != NULL)
            make_note(&note, 2000, tools_13, rows[i].arguments);
        make_cubin(&bytes, rows[i].abi, rows[i].flags, rows[i].version,
                   rows[i].arguments == NULL ? NULL : &note);
        assert_true(read_bytes(&bytes, &listing, NULL));
        assert_int_equal(listing.file, CODE_FILE_CUBIN);
        assert_int_equal(listing.count, 1);
        expect_entry(&listing.entries[0], rows[i].wanted, false, false, 1);
        assert_int_equal(listing.cuda_major, rows[i].major);
        assert_int_equal(listing.cuda_minor, rows[i].minor);
        if (rows[i].arguments != NULL)
            assert_string_equal(listing.toolkit, tools_13);
        else
            assert_null(listing.toolkit);
    }
}

static void test_relocatable_cubin(void **state)
{
    (void)state;
    AUTO_TEXT struct text bytes = {0};
    AUTO_CODE_LISTING struct code_listing listing = {0};
    make_cubin(&bytes, 8, 0x6005a04, 1, NULL);
    poke(&bytes, 16, 1, 2);
    assert_true(read_bytes(&bytes, &listing, NULL));
    expect_entry(&listing.entries[0], "sm_90", true, false, 1);
}

/* Notes that lie about their sizes say nothing, and the cubin is listed all the same. */
static void test_malformed_notes(void **state)
{
    (void)state;
    static const struct {
        size_t offset;
        uint64_t value;
        unsigned size;
    } pokes[] = {
        {0, UINT32_MAX, 4},  {4, UINT32_MAX, 4}, {4, 24, 4}, {4, 3, 4},
        {24 + 12, 70000, 4}, {8, 2001, 4},       {12, 0, 1},
    };
    for (size_t i = 0; i < sizeof(pokes) / sizeof(pokes[0]); i++) {
        AUTO_TEXT struct text bytes = {0}, note = {0};
        AUTO_CODE_LISTING struct code_listing listing = {0};
        make_note(&note, 2000, tools_13, "-arch sm_90a");
        poke(&note, pokes[i].offset, pokes[i].value, pokes[i].size);
        make_cubin(&bytes, 8, 0x6005a04, 1, &note);
        assert_true(read_bytes(&bytes, &listing, NULL));
        expect_entry(&listing.entries[0], "sm_90", false, false, 1);
        assert_null(listing.toolkit);
    }
}

static void test_second_note_is_found(void **state)
{
    (void)state;
    AUTO_TEXT struct text bytes = {0}, notes = {0};
    AUTO_CODE_LISTING struct code_listing listing = {0};
    make_note(&notes, 1000, "no toolkit", "");
    make_note(&notes, 2000, tools_13, "-arch sm_90a");
    make_cubin(&bytes, 8, 0x6005a04, 1, &notes);
    assert_true(read_bytes(&bytes, &listing, NULL));
    assert_string_equal(listing.toolkit, tools_13);
}

/* An uncompressed cubin in a fat binary is asked which toolkit built it. */
static void test_toolkit_of_a_fat_binary(void **state)
{
    (void)state;
    AUTO_TEXT struct text cubin = {0}, note = {0}, bytes = {0};
    AUTO_CODE_LISTING struct code_listing listing = {0};
    make_note(&note, 2000, tools_13, "-arch sm_90");
    make_cubin(&cubin, 8, 0x6005a04, 1, &note);
    const struct made_entry entries[] = {
        sass_90, {.kind = 2, .architecture = 90, .flags = 0x11, .payload = &cubin}, ptx_120};
    make_fatbin(&bytes, entries, 3);
    assert_true(read_bytes(&bytes, &listing, NULL));
    assert_string_equal(listing.toolkit, tools_13);
    assert_int_equal(listing.count, 3);
}

/* A compressed one too, when it is small; of a large one only what the ELF header says. */
static void test_toolkit_of_compressed_code(void **state)
{
    (void)state;
    AUTO_TEXT struct text note = {0}, fresh = {0}, old = {0};
    make_note(&note, 2000, tools_13, "-arch sm_90");
    make_cubin(&fresh, 8, 0x6005a04, 1, &note);
    make_cubin(&old, 7, 0x5a055a, 124, NULL);
    const struct {
        const struct text *cubin;
        void (*pack)(struct text *, const struct text *);
        uint64_t flags, unpacked;
        unsigned major, minor;
    } rows[] = {
        {&fresh, make_lz4, 0x2011, fresh.size, 13, 0},
        {&old, make_lz4, 0x2011, old.size, 12, 4},
        {&old, make_lz4, 0x2011, 1u << 30, 12, 4},
        {&fresh, make_lz4, 0x2011, 1u << 30, 0, 0},
        {&fresh, make_lz4, 0x2011, 40, 0, 0},
        {&fresh, make_zstd, 0x2011, fresh.size, 0, 0},
        {&fresh, make_lz4, 0x1011, fresh.size, 0, 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        AUTO_TEXT struct text packed = {0}, bytes = {0};
        AUTO_CODE_LISTING struct code_listing listing = {0};
        rows[i].pack(&packed, rows[i].cubin);
        const struct made_entry entry = {.kind = 2,
                                         .architecture = 90,
                                         .flags = rows[i].flags,
                                         .payload = &packed,
                                         .unpacked = rows[i].unpacked};
        make_fatbin(&bytes, &entry, 1);
        assert_true(read_bytes(&bytes, &listing, NULL));
        assert_int_equal(listing.cuda_major, rows[i].major);
        assert_int_equal(listing.cuda_minor, rows[i].minor);
        assert_int_equal(listing.count, 1);
    }
}

/* Where this build can unpack zstd. */
static void test_toolkit_behind_zstd(void **state)
{
    (void)state;
    AUTO_TEXT struct text cubin = {0}, note = {0}, packed = {0}, bytes = {0};
    AUTO_CODE_LISTING struct code_listing listing = {0};
    make_note(&note, 2000, tools_13, "-arch sm_90");
    make_cubin(&cubin, 8, 0x6005a04, 1, &note);
    make_zstd(&packed, &cubin);
    char one;
    if (unpack_zstd_head(packed.data, packed.size, &one, 1) == 0)
        skip();
    const struct made_entry entry = {
        .kind = 2, .architecture = 90, .flags = 0x8011, .payload = &packed, .unpacked = cubin.size};
    make_fatbin(&bytes, &entry, 1);
    assert_true(read_bytes(&bytes, &listing, NULL));
    assert_string_equal(listing.toolkit, tools_13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sections),
        cmocka_unit_test(test_file_kinds),
        cmocka_unit_test(test_no_section_headers),
        cmocka_unit_test(test_nobits_hold_nothing),
        cmocka_unit_test(test_refused_sections),
        cmocka_unit_test(test_refused_header),
        cmocka_unit_test(test_truncated_anywhere),
        cmocka_unit_test(test_big_endian_is_no_container),
        cmocka_unit_test(test_only_the_beginning),
        cmocka_unit_test(test_cubins),
        cmocka_unit_test(test_relocatable_cubin),
        cmocka_unit_test(test_malformed_notes),
        cmocka_unit_test(test_second_note_is_found),
        cmocka_unit_test(test_toolkit_of_a_fat_binary),
        cmocka_unit_test(test_toolkit_of_compressed_code),
        cmocka_unit_test(test_toolkit_behind_zstd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
