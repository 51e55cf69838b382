/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <elf.h>

#include "elf/file.h"

/* A file of which only the first bytes are not zeros, with a count of the reads; so large that
 * nothing but what is asked for can be read. */
#define HOLE_SIZE  (UINT64_C(1) << 40)
#define HOLE_TABLE 4096 /* section headers */

struct hole {
    unsigned char head[2 * 4096];
    unsigned reads;
    uint64_t bytes, last;
    bool turned; /* an offset was below the one before */
};

static bool read_hole(const struct byte_source *source, uint64_t offset, void *buffer, size_t count,
                      struct error *error)
{
    struct hole *hole = (struct hole *)(uintptr_t)source->data;
    (void)error;
    memset(buffer, 0, count);
    if (offset < sizeof(hole->head)) {
        size_t left = sizeof(hole->head) - (size_t)offset;
        memcpy(buffer, hole->head + offset, left < count ? left : count);
    }
    hole->reads++;
    hole->bytes += count;
    hole->turned |= offset < hole->last;
    hole->last = offset;
    return true;
}

static struct byte_source source_of(const struct hole *hole)
{
    return (struct byte_source){.size = HOLE_SIZE, .read = read_hole, .data = hole, .fd = -1};
}

static void put_header(struct hole *hole, unsigned segments, unsigned sections, unsigned names)
{
    const Elf64_Ehdr header = {
        .e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_DYN,
        .e_machine = EM_X86_64,
        .e_version = EV_CURRENT,
        .e_phoff = sizeof(Elf64_Ehdr),
        .e_shoff = HOLE_TABLE,
        .e_ehsize = sizeof(Elf64_Ehdr),
        .e_phentsize = sizeof(Elf64_Phdr),
        .e_phnum = (Elf64_Half)segments,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = (Elf64_Half)sections,
        .e_shstrndx = (Elf64_Half)names,
    };
    memset(hole, 0, sizeof(*hole));
    memcpy(hole->head, &header, sizeof(header));
}

static void put_section(struct hole *hole, unsigned index, const Elf64_Shdr *section)
{
    memcpy(hole->head + HOLE_TABLE + index * sizeof(*section), section, sizeof(*section));
}

static bool open_hole(const struct hole *hole, struct byte_source *source,
                      struct byte_window *window, struct elf_file *file, struct error *error)
{
    *source = source_of(hole);
    window->source = NULL;
    return elf_open(source, window, file, error) && elf_open_sections(file, error);
}

/* 100,000 sections, whose number is in the first of them: each is looked up, forwards, in few reads
 * and without keeping any. */
static void many_sections_are_read_one_by_one(void **state)
{
    (void)state;
    static struct hole hole;
    AUTO_FREE struct byte_window *window = byte_window_new();
    struct byte_source source;
    struct elf_file file;
    put_header(&hole, 0, 0, SHN_XINDEX);
    put_section(&hole, 0, &(Elf64_Shdr){.sh_size = 100000, .sh_link = 99999});
    put_section(&hole, 1, &(Elf64_Shdr){.sh_type = SHT_PROGBITS, .sh_size = 77, .sh_flags = 2});
    assert_true(open_hole(&hole, &source, window, &file, NULL));
    assert_int_equal(file.section_count, 100000);
    assert_int_equal(file.names, 99999);
    struct elf_section section;
    for (uint32_t i = 1; i < file.section_count; i++) {
        assert_true(elf_section(&file, i, &section, NULL));
        assert_int_equal(section.size, i == 1 ? 77 : 0);
    }
    assert_false(hole.turned);
    assert_true(hole.reads <= 2 + 100000 * sizeof(Elf64_Shdr) / 4096);
}

/* More than 65534 program headers are counted in the first section, too. */
static void many_segments_are_counted(void **state)
{
    (void)state;
    static struct hole hole;
    AUTO_FREE struct byte_window *window = byte_window_new();
    AUTO_ERROR struct error error = {0};
    struct byte_source source;
    struct elf_file file;
    struct elf_segment segment;
    put_header(&hole, PN_XNUM, 1, 0);
    put_section(&hole, 0, &(Elf64_Shdr){.sh_info = 70000});
    assert_true(open_hole(&hole, &source, window, &file, NULL));
    assert_int_equal(file.segment_count, 70000);
    assert_true(elf_segment(&file, 69999, &segment, NULL));
    put_section(&hole, 0, &(Elf64_Shdr){.sh_info = ELF_SEGMENTS_MAX + 1});
    assert_false(open_hole(&hole, &source, window, &file, &error));
    assert_string_equal(error.why,
                        "offset 0x1000: 1000001 program headers, more than the limit of 1000000");
    memset(hole.head + offsetof(Elf64_Ehdr, e_shoff), 0, 8);
    assert_false(open_hole(&hole, &source, window, &file, &error));
    assert_string_equal(error.why, "offset 0x0: more than 65534 program headers, and no section "
                                   "says how many");
}

/* Tables that reach the end of the source, and one byte beyond it. */
static void tables_have_to_fit(void **state)
{
    (void)state;
    static struct hole hole;
    AUTO_FREE struct byte_window *window = byte_window_new();
    put_header(&hole, 3, 2, 1);
    struct byte_source source = source_of(&hole);
    struct elf_file file;
    AUTO_ERROR struct error error = {0};
    source.size = sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Phdr);
    assert_true(elf_open(&source, window, &file, NULL));
    source.size--;
    window->source = NULL;
    assert_false(elf_open(&source, window, &file, &error));
    assert_string_equal(error.why, "offset 0x40: truncated: program header table at 64 ends at 232,"
                                   " but the file has only 231 bytes");
    window->source = NULL;
    source.size = HOLE_TABLE + 2 * sizeof(Elf64_Shdr);
    assert_true(elf_open(&source, window, &file, NULL));
    assert_true(elf_open_sections(&file, NULL));
    source.size--;
    window->source = NULL;
    assert_false(elf_open_sections(&file, &error));
    assert_string_equal(error.why, "offset 0x1000: 2 section headers of 64 bytes do not fit");
}

static void names_are_bounded(void **state)
{
    (void)state;
    static struct hole hole;
    AUTO_FREE struct byte_window *window = byte_window_new();
    AUTO_TEXT struct text names = {0};
    AUTO_ERROR struct error error = {0};
    struct byte_source source;
    struct elf_file file;
    put_header(&hole, 0, 2, 1);
    put_section(&hole, 1, &(Elf64_Shdr){.sh_offset = 64, .sh_size = 6});
    memcpy(hole.head + 64, "\0.text", 6);
    assert_true(open_hole(&hole, &source, window, &file, NULL));
    assert_true(elf_section_names(&file, 6, &names, NULL));
    assert_int_equal(names.size, 6);
    assert_string_equal(names.data + 1, ".text");
    text_free(&names);
    assert_false(elf_section_names(&file, 5, &names, &error));
    assert_string_equal(error.why,
                        "offset 0x40: section names of 0x6 bytes, more than the limit of 0x5");
    put_section(&hole, 1, &(Elf64_Shdr){.sh_offset = HOLE_SIZE - 5, .sh_size = 6});
    assert_true(open_hole(&hole, &source, window, &file, NULL));
    assert_false(elf_section_names(&file, 6, &names, &error));
    assert_non_null(strstr(error.why, "do not fit in the file"));
    file.names = 2;
    assert_false(elf_section_names(&file, 6, &names, &error));
    assert_string_equal(error.why, "offset 0x0: section 2 of 2 should contain the section names");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_sections_are_read_one_by_one),
        cmocka_unit_test(many_segments_are_counted),
        cmocka_unit_test(tables_have_to_fit),
        cmocka_unit_test(names_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
