/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "elf/header.h"
#include "elf/info.h"
#include "elf/made_elf.h"

static bool parse(const void *bytes, size_t size, struct elf_info *info, struct error *error)
{
    struct byte_source source = byte_source_memory(bytes, size);
    return elf_info_read(&source, info, error);
}

static bool parse_made(const struct made *made, struct elf_info *info, struct error *error)
{
    return parse(made->bytes, sizeof(made->bytes), info, error);
}

static void made_files_are_read_in_both_byte_orders(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        struct made made;
        AUTO_ELF struct elf_info info = {0};
        make_elf(&made, big == 1);
        assert_true(parse_made(&made, &info, NULL));
        assert_int_equal(info.bits, 64);
        assert_int_equal(info.machine, EM_S390);
        assert_int_equal(info.type, ET_DYN);
        assert_string_equal(info.soname, "libmade.so.1");
        assert_int_equal(info.needed.count, 1);
        assert_string_equal(info.needed.items[0], "libc.so.6");
        assert_string_equal(info.runpath, "/opt/lib");
        assert_null(info.rpath);
        assert_null(info.build_id);
        assert_string_equal(info.glibc_needed, "2.17");
        assert_null(info.glibc_defined);
    }
}

/* A made file that is wrong in one place, and what must be said of it. */
struct wrong {
    size_t at;
    unsigned width;
    uint64_t value;
    const char *words;
};

#define PHDR(index, field)                                                                         \
    sizeof(Elf64_Ehdr) + (index) * sizeof(Elf64_Phdr) + offsetof(Elf64_Phdr, field)
#define DYN(index) MADE_DYNAMIC + (index) * sizeof(Elf64_Dyn) + 8

static const struct wrong wrongs[] = {
    {EI_CLASS, 1, 7, "class 7"},
    {EI_DATA, 1, 0, "byte order 0"},
    {offsetof(Elf64_Ehdr, e_version), 4, 9, "version 9"},
    {offsetof(Elf64_Ehdr, e_phentsize), 2, 55, "headers of 55 bytes"},
    {offsetof(Elf64_Ehdr, e_phnum), 2, 0xffff, "more than 65534 program headers"},
    {offsetof(Elf64_Ehdr, e_phnum), 2, 100, "at 64 ends at 5664, but the file has only 1024"},
    {offsetof(Elf64_Ehdr, e_phoff), 8, UINT64_MAX - 8,
     "program header table at 18446744073709551607"},
    {offsetof(Elf64_Ehdr, e_shoff), 8, 64, "sections"},
    {PHDR(0, p_filesz), 8, 4096, "segment 0 at 0 ends at 4096"},
    {PHDR(1, p_offset), 8, 1000, "segment 1 at 1000 ends at 1128"},
    {PHDR(1, p_offset), 8, UINT64_MAX - 3, "segment 1 at 18446744073709551612"},
    {DYN(0), 8, 0x999999, "string table at address 0x999999 is not in any segment"},
    {DYN(1), 8, 4096, "string table at 512 has 4096 bytes, but its segment has only 512"},
    {DYN(1), 8, UINT64_MAX, "string table at 512 has 18446744073709551615 bytes"},
    {DYN(1), 8, 20, "DT_RUNPATH at 24 is outside the string table of 20"},
    {DYN(1), 8, 30, "DT_RUNPATH at 24 in the string table is not terminated"},
    {DYN(2), 8, 4000, "DT_SONAME at 4000"},
    {DYN(3), 8, UINT64_MAX, "DT_NEEDED at 18446744073709551615"},
    {DYN(5), 8, 7, "version needs at address 0x7"},
    {DYN(5), 8, MADE_LOADED + MADE_SIZE - 4, "version needs"},
    {MADE_NEEDS + offsetof(Elf64_Verneed, vn_aux), 4, 0xfffffff0, "version needs: the record at"},
    {MADE_NEEDS + offsetof(Elf64_Verneed, vn_aux), 4, 17, "version needs: the record at 17"},
    {MADE_NEEDS + offsetof(Elf64_Verneed, vn_next), 4, 0x7ffffff0, "version needs: the record at"},
};

static void wrong_places_are_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++) {
        struct made made;
        struct elf_info info;
        AUTO_ERROR struct error error = {0};
        make_elf(&made, false);
        put(&made, wrongs[i].at, wrongs[i].width, wrongs[i].value);
        if (parse_made(&made, &info, &error))
            fail_msg("accepted, should say \"%s\"", wrongs[i].words);
        assert_int_equal(error.kind, ERROR_DATA);
        if (strstr(error.why, wrongs[i].words) == NULL)
            fail_msg("\"%s\" does not say \"%s\"", error.why, wrongs[i].words);
    }
}

/* Thousands of version needs of 3000 names each, which share their places: bounded, not followed.
 */
static void shared_records_end(void **state)
{
    (void)state;
    static char bytes[256 * 1024];
    struct made made;
    make_elf(&made, false);
    PUT_FIELD(&made, sizeof(Elf64_Ehdr), Elf64_Phdr, p_filesz, sizeof(bytes));
    put_dynamic(&made, 5, DT_VERNEED, MADE_LOADED + MADE_SIZE);
    memcpy(bytes, made.bytes, MADE_SIZE);
    for (size_t at = MADE_SIZE; at + 16 < sizeof(bytes); at += 16) {
        /* As a Verneed: 3000 names from here on, next in 16 bytes; as a Vernaux: a name, next. */
        const Elf64_Verneed need = {.vn_cnt = 3000, .vn_aux = 16, .vn_next = 16};
        memcpy(bytes + at, &need, sizeof(need));
    }
    struct elf_info info;
    AUTO_ERROR struct error error = {0};
    assert_false(parse(bytes, sizeof(bytes), &info, &error));
    assert_non_null(strstr(error.why, "more than 2048 names"));
}

/* Names that begin at different places and share an end 60000 bytes on: none is kept whole. */
static void long_names_are_not_kept(void **state)
{
    (void)state;
    static char bytes[256 * 1024];
    struct made made;
    make_elf(&made, false);
    PUT_FIELD(&made, sizeof(Elf64_Ehdr), Elf64_Phdr, p_filesz, sizeof(bytes));
    put_dynamic(&made, 0, DT_STRTAB, MADE_LOADED + MADE_SIZE);
    put_dynamic(&made, 1, DT_STRSZ, 60000);
    memcpy(bytes, made.bytes, MADE_SIZE);
    memset(bytes + MADE_SIZE, 'a', 59999);
    struct elf_info info;
    AUTO_ERROR struct error error = {0};
    assert_false(parse(bytes, sizeof(bytes), &info, &error));
    assert_non_null(strstr(error.why, "DT_SONAME at"));
    assert_non_null(strstr(error.why, "is not terminated"));
}

/* ---- what is not in every file ---- */

/* The program headers that follow the first two. */
static void add_segment(struct made *made, unsigned index, uint32_t type, uint64_t offset,
                        uint64_t size)
{
    PUT_FIELD(made, 0, Elf64_Ehdr, e_phnum, index + 1);
    put_segment(made, index, type, offset, size);
}

#define MADE_NOTES 896
static void build_ids_are_read(void **state)
{
    (void)state;
    for (unsigned align = 4; align <= 8; align += 4) {
        struct made made;
        AUTO_ELF struct elf_info info = {0};
        make_elf(&made, false);
        add_segment(&made, 2, PT_NOTE, MADE_NOTES, 64);
        PUT_FIELD(&made, sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr), Elf64_Phdr, p_align, align);
        size_t at = MADE_NOTES; /* another note of GNU, of 4 bytes, before it */
        const uint32_t numbers[] = {4, 4, NT_GNU_ABI_TAG};
        memcpy(made.bytes + at, numbers, sizeof(numbers));
        memcpy(made.bytes + at + 12, "GNU", 4);
        at += align == 8 ? 24 : 20;
        const uint32_t again[] = {4, 3, NT_GNU_BUILD_ID};
        memcpy(made.bytes + at, again, sizeof(again));
        memcpy(made.bytes + at + 12, "GNU\0\xab\x00\xcd", 7);
        assert_true(parse_made(&made, &info, NULL));
        assert_string_equal(info.build_id, "ab00cd");
    }
}

static void definitions_of_versions_are_read(void **state)
{
    (void)state;
    struct made made;
    AUTO_ELF struct elf_info info = {0};
    make_elf(&made, false);
    put_dynamic(&made, 5, DT_VERDEF, MADE_LOADED + MADE_NEEDS);
    const Elf64_Verdef definitions[] = {{.vd_cnt = 1, .vd_aux = 40, .vd_next = 20},
                                        {.vd_cnt = 2, .vd_aux = 28}};
    const Elf64_Verdaux names[] = {{.vda_name = MADE_V17}, {.vda_name = MADE_V9}};
    memcpy(made.bytes + MADE_NEEDS, definitions, sizeof(definitions));
    memcpy(made.bytes + MADE_NEEDS + 40, names, sizeof(names));
    assert_true(parse_made(&made, &info, NULL));
    assert_string_equal(info.glibc_defined, "2.17");
    assert_null(info.glibc_needed);
}

/* Static programs and objects have no dynamic section; stripped files no sections; both are read.
 */
static void files_without_a_dynamic_section_are_read(void **state)
{
    (void)state;
    struct made made;
    AUTO_ELF struct elf_info info = {0};
    make_elf(&made, false);
    put_segment(&made, 1, PT_NULL, 0, 0);
    assert_true(parse_made(&made, &info, NULL));
    assert_int_equal(info.type, ET_DYN);
    assert_null(info.soname);
    assert_int_equal(info.needed.count, 0);
    PUT_FIELD(&made, 0, Elf64_Ehdr, e_phnum, 0);
    PUT_FIELD(&made, 0, Elf64_Ehdr, e_phoff, 0);
    AUTO_ELF struct elf_info object = {0};
    assert_true(parse_made(&made, &object, NULL));
}

/* Separate debug information has an empty one before all that lies elsewhere. */
static void empty_dynamic_sections_are_passed_over(void **state)
{
    (void)state;
    struct made made;
    AUTO_ELF struct elf_info info = {0};
    make_elf(&made, false);
    add_segment(&made, 2, PT_DYNAMIC, MADE_DYNAMIC, 8 * sizeof(Elf64_Dyn));
    put_segment(&made, 1, PT_DYNAMIC, UINT64_MAX, 0);
    assert_true(parse_made(&made, &info, NULL));
    assert_string_equal(info.soname, "libmade.so.1");
}

/* 65280 sections and more are counted in the first of them; a library may have that many. */
static void many_sections_do_not_matter(void **state)
{
    (void)state;
    struct made made;
    AUTO_ELF struct elf_info info = {0};
    make_elf(&made, false);
    PUT_FIELD(&made, 0, Elf64_Ehdr, e_shoff, MADE_NOTES);
    PUT_FIELD(&made, 0, Elf64_Ehdr, e_shentsize, sizeof(Elf64_Shdr));
    PUT_FIELD(&made, MADE_NOTES, Elf64_Shdr, sh_size, 65280);
    assert_true(parse_made(&made, &info, NULL));
    assert_string_equal(info.soname, "libmade.so.1");
    PUT_FIELD(&made, MADE_NOTES, Elf64_Shdr, sh_size, 65279);
    AUTO_ERROR struct error error = {0};
    AUTO_ELF struct elf_info refused = {0};
    assert_false(parse_made(&made, &refused, &error));
    assert_string_equal(error.why, "offset 0x380: more than 65279 sections according to the "
                                   "header, 65279 according to the first section");
}

/* ---- how it is read ---- */

struct counted {
    struct byte_source all;
    unsigned reads, left;
};

static bool read_counted(const struct byte_source *source, uint64_t offset, void *buffer,
                         size_t count, struct error *error)
{
    struct counted *counted = (struct counted *)(uintptr_t)source->data;
    counted->reads++;
    if (counted->left == 0)
        return error_set(error, ERROR_NO_INPUT, "the disk is broken");
    counted->left--;
    return byte_source_read(&counted->all, offset, buffer, count, "bytes", error);
}

/* Dynamic section, strings and versions lie 64 KiB apart, as in large libraries: a read for each,
 * and one for the headers. When one of them fails, its words are handed on and nothing is kept. */
static void reads_are_few(void **state)
{
    (void)state;
    static unsigned char bytes[4 * 65536];
    struct made made;
    make_elf(&made, false);
    put_segment(&made, 0, PT_LOAD, 0, sizeof(bytes));
    put_segment(&made, 1, PT_DYNAMIC, 3 * 65536, 8 * sizeof(Elf64_Dyn));
    put_dynamic(&made, 0, DT_STRTAB, MADE_LOADED + 65536);
    put_dynamic(&made, 5, DT_VERNEED, MADE_LOADED + 2 * 65536);
    memcpy(bytes, made.bytes, MADE_SIZE);
    memcpy(bytes + 65536, made.bytes + MADE_STRINGS, sizeof(made_strings));
    memcpy(bytes + 2 * 65536, made.bytes + MADE_NEEDS, 64);
    memcpy(bytes + 3 * 65536, made.bytes + MADE_DYNAMIC, 8 * sizeof(Elf64_Dyn));
    for (unsigned left = 0; left <= 4; left++) {
        struct counted counted = {.all = byte_source_memory(bytes, sizeof(bytes)), .left = left};
        struct byte_source source = {
            .size = sizeof(bytes), .read = read_counted, .data = &counted, .fd = -1};
        AUTO_ELF struct elf_info info = {0};
        AUTO_ERROR struct error error = {0};
        assert_int_equal(elf_info_read(&source, &info, &error), left == 4);
        assert_int_equal(counted.reads, left == 4 ? 4 : left + 1);
        if (left == 4) {
            assert_string_equal(info.glibc_needed, "2.17");
            assert_string_equal(info.soname, "libmade.so.1");
            continue;
        }
        assert_int_equal(error.kind, ERROR_NO_INPUT);
        assert_string_equal(error.what, "the disk is broken");
        assert_null(info.soname);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_files_are_read_in_both_byte_orders),
        cmocka_unit_test(wrong_places_are_named),
        cmocka_unit_test(shared_records_end),
        cmocka_unit_test(long_names_are_not_kept),
        cmocka_unit_test(build_ids_are_read),
        cmocka_unit_test(definitions_of_versions_are_read),
        cmocka_unit_test(files_without_a_dynamic_section_are_read),
        cmocka_unit_test(empty_dynamic_sections_are_passed_over),
        cmocka_unit_test(many_sections_do_not_matter),
        cmocka_unit_test(reads_are_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
