/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/memory.h"
#include "elf/header.h"
#include "elf/made_elf.h"

static void both_byte_orders_say_the_same(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        struct made made;
        struct elf_header header;
        make_elf(&made, big == 1);
        made.bytes[EI_OSABI] = ELFOSABI_GNU;
        made.bytes[EI_ABIVERSION] = 7;
        assert_true(elf_header_read(made.bytes, ELF_HEAD, &header));
        assert_int_equal(header.start.bits, 64);
        assert_int_equal(header.start.is_big, big);
        assert_int_equal(header.start.order, big ? ELFDATA2MSB : ELFDATA2LSB);
        assert_int_equal(header.start.ident_version, EV_CURRENT);
        assert_int_equal(header.start.abi, ELFOSABI_GNU);
        assert_int_equal(header.start.abi_version, 7);
        assert_int_equal(header.start.type, ET_DYN);
        assert_int_equal(header.start.machine, EM_S390);
        assert_int_equal(header.start.version, EV_CURRENT);
        assert_int_equal(header.segments_at, sizeof(Elf64_Ehdr));
        assert_int_equal(header.segment_count, 2);
        assert_int_equal(header.segment_size, sizeof(Elf64_Phdr));
        assert_int_equal(header.header_size, sizeof(Elf64_Ehdr));
    }
}

static void fields_of_32_bits_are_where_they_are(void **state)
{
    (void)state;
    const Elf32_Ehdr raw = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, EV_CURRENT},
                            .e_type = ET_EXEC,
                            .e_machine = EM_386,
                            .e_version = EV_CURRENT,
                            .e_phoff = 52,
                            .e_shoff = 0xfffffff0,
                            .e_flags = 0x12345678,
                            .e_ehsize = 52,
                            .e_phentsize = 32,
                            .e_phnum = 3,
                            .e_shentsize = 40,
                            .e_shnum = 5,
                            .e_shstrndx = 4};
    struct elf_header header;
    assert_true(elf_header_read(&raw, sizeof(raw), &header));
    assert_int_equal(header.start.bits, 32);
    assert_int_equal(header.segments_at, 52);
    assert_int_equal(header.sections_at, 0xfffffff0);
    assert_int_equal(header.flags, 0x12345678);
    assert_int_equal(header.segment_count, 3);
    assert_int_equal(header.section_size, 40);
    assert_int_equal(header.section_count, 5);
    assert_int_equal(header.names_index, 4);
    assert_false(elf_header_read(&raw, sizeof(raw) - 1, &header));
}

static void what_is_too_short_is_not_read(void **state)
{
    (void)state;
    struct made made;
    struct elf_start start;
    struct elf_header header;
    make_elf(&made, false);
    assert_false(elf_is(made.bytes, ELF_IDENT - 1));
    assert_true(elf_is(made.bytes, ELF_IDENT));
    assert_false(elf_start_read(made.bytes, ELF_START - 1, &start));
    assert_true(elf_start_read(made.bytes, ELF_START, &start));
    assert_false(elf_header_read(made.bytes, sizeof(Elf64_Ehdr) - 1, &header));
    made.bytes[EI_CLASS] = 3;
    assert_true(elf_start_read(made.bytes, ELF_START, &start));
    assert_int_equal(start.bits, 0);
    assert_false(elf_header_read(made.bytes, ELF_HEAD, &header));
    made.bytes[3] = 'f';
    assert_false(elf_is(made.bytes, ELF_HEAD));
}

static void other_files_are_shown_by_their_beginning(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        const char *words;
    } rows[] = {
        {"", 0, "the file is empty"},
        {"INPUT(-lc)\nGROUP", 16, "begins with \"INPUT(-lc)\""},
        {"\nx", 2, "begins with \"\\x0ax\""},
        {"0123456789012345678901234567890", 30, "begins with \"012345678901234567890123\""},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        AUTO_FREE char *words = elf_begins_with(rows[i].bytes, rows[i].size);
        assert_string_equal(words, rows[i].words);
    }
}

static void machines_have_names(void **state)
{
    (void)state;
    char buffer[24];
    assert_string_equal(elf_machine_name(EM_X86_64, 64, buffer), "x86_64");
    assert_string_equal(elf_machine_name(EM_AARCH64, 64, buffer), "aarch64");
    assert_string_equal(elf_machine_name(EM_386, 32, buffer), "i386");
    assert_string_equal(elf_machine_name(4242, 64, buffer), "machine 4242");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_byte_orders_say_the_same),
        cmocka_unit_test(fields_of_32_bits_are_where_they_are),
        cmocka_unit_test(what_is_too_short_is_not_read),
        cmocka_unit_test(other_files_are_shown_by_their_beginning),
        cmocka_unit_test(machines_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
