/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <elf.h>

#include "code/code_make.h"
#include "elf/modinfo.h"

static bool read_module(const struct text *bytes, struct strlist *fields, struct error *error)
{
    struct byte_source source = byte_source_memory(bytes->data, bytes->size);
    return elf_modinfo_read(&source, fields, error);
}

static void make_module(struct text *bytes, const char *name, unsigned type,
                        const struct text *modinfo, bool narrow)
{
    AUTO_TEXT struct text code = {0};
    text_append(&code, "instructions");
    const struct made_section sections[] = {{".text", SHT_PROGBITS, SHF_ALLOC, &code},
                                            {name, type, SHF_ALLOC, modinfo}};
    make_elf(bytes, &(struct made_elf){.type = ET_REL,
                                       .machine = EM_X86_64,
                                       .version = EV_CURRENT,
                                       .narrow = narrow,
                                       .is_extended = narrow,
                                       .sections = sections,
                                       .count = 2});
}

/* Fields are separated by one NUL or more; the last one may have none. */
static void fields_are_split(void **state)
{
    (void)state;
    static const char words[] = "license=GPL\0\0\0version=1.2\0vermagic=6.1 SMP";
    for (int narrow = 0; narrow < 2; narrow++) {
        AUTO_TEXT struct text modinfo = {0}, bytes = {0};
        AUTO_STRLIST struct strlist fields = {0};
        text_append_n(&modinfo, words, sizeof(words) - 1);
        make_module(&bytes, ".modinfo", SHT_PROGBITS, &modinfo, narrow);
        assert_true(read_module(&bytes, &fields, NULL));
        AUTO_FREE char *all = strlist_join(&fields, "|");
        assert_string_equal(all, "license=GPL|version=1.2|vermagic=6.1 SMP");
    }
}

static void expect_refused(const struct text *bytes, const char *what, const char *why)
{
    AUTO_STRLIST struct strlist fields = {0};
    AUTO_ERROR struct error error = {0};
    assert_false(read_module(bytes, &fields, &error));
    assert_int_equal(error.kind, ERROR_DATA);
    assert_string_equal(error.what, what);
    if (strstr(error.why, why) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error.why, why);
    assert_int_equal(fields.count, 0);
}

static void other_files_are_refused(void **state)
{
    (void)state;
    AUTO_TEXT struct text modinfo = {0}, empty = {0}, other = {0}, nobits = {0}, nothing = {0},
                          text = {0};
    text_append(&modinfo, "license=GPL");
    make_module(&other, ".modinf", SHT_PROGBITS, &modinfo, false);
    make_module(&nobits, ".modinfo", SHT_NOBITS, &modinfo, false);
    make_module(&nothing, ".modinfo", SHT_PROGBITS, &empty, false);
    text_append(&text, "#!/bin/sh\n");
    expect_refused(&other, "not a kernel module", "it has no section .modinfo");
    expect_refused(&nobits, "not a valid ELF file", "section .modinfo of 11 bytes");
    expect_refused(&nothing, "not a valid ELF file", "section .modinfo of 0 bytes");
    expect_refused(&text, "not an ELF file", "begins with \"#!/bin/sh\"");
}

/* Cut anywhere, nothing is added: the section headers are at the end. */
static void cut_modules_are_refused(void **state)
{
    (void)state;
    AUTO_TEXT struct text modinfo = {0}, bytes = {0};
    text_append(&modinfo, "license=GPL");
    make_module(&bytes, ".modinfo", SHT_PROGBITS, &modinfo, false);
    for (size_t size = 0; size < bytes.size; size++) {
        AUTO_FREE char *copy = mem_string_n(bytes.data, size);
        struct byte_source source = byte_source_memory(copy, size);
        AUTO_STRLIST struct strlist fields = {0};
        AUTO_ERROR struct error error = {0};
        assert_false(elf_modinfo_read(&source, &fields, &error));
        assert_int_equal(error.kind, ERROR_DATA);
        assert_int_equal(fields.count, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_split),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(cut_modules_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
