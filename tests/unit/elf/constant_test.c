/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <elf.h>

#include "code/code_make.h"
#include "elf/constant.h"

#define BEGINNING "compilation tools, release "

static void make_program(struct text *bytes, const char *section, unsigned type,
                         const struct text *constants, bool narrow)
{
    const struct made_section sections[] = {{section, type, SHF_ALLOC, constants}};
    make_elf(bytes, &(struct made_elf){.type = ET_EXEC,
                                       .machine = EM_X86_64,
                                       .version = EV_CURRENT,
                                       .narrow = narrow,
                                       .sections = sections,
                                       .count = 1});
}

/* The line that is found; "-": none. free() it. */
static char *found_in(const struct text *constants, bool narrow)
{
    AUTO_TEXT struct text bytes = {0};
    char *line = NULL;
    make_program(&bytes, ".rodata", SHT_PROGBITS, constants, narrow);
    struct byte_source source = byte_source_memory(bytes.data, bytes.size);
    assert_true(elf_constant_find(&source, BEGINNING, &line, NULL));
    return line ? line : mem_string("-");
}

/* A format has the same beginning: a digit has to follow. */
static void first_with_a_number(void **state)
{
    (void)state;
    static const char words[] =
        "x\0Cuda compilation tools, release %d.%d,\0Cuda compilation tools, "
        "release 12.4, V12.4.131\nBuild\0Cuda compilation tools, release 9.0";
    for (int narrow = 0; narrow < 2; narrow++) {
        AUTO_TEXT struct text constants = {0};
        text_append_n(&constants, words, sizeof(words));
        AUTO_FREE char *line = found_in(&constants, narrow);
        assert_string_equal(line, "12.4, V12.4.131");
    }
}

/* Wherever it stands against the windows that are read. */
static void across_windows(void **state)
{
    (void)state;
    static const char words[] = BEGINNING "13.0, V13.0.88";
    for (size_t before = 65400; before < 65560; before++) {
        AUTO_TEXT struct text constants = {0};
        for (size_t i = 0; i < before; i++)
            text_append_char(&constants, '\0');
        text_append_n(&constants, words, sizeof(words));
        AUTO_FREE char *line = found_in(&constants, false);
        assert_string_equal(line, "13.0, V13.0.88");
        for (size_t i = 0; i < 70000; i++)
            text_append_char(&constants, 'x');
        AUTO_FREE char *same = found_in(&constants, false);
        assert_string_equal(same, "13.0, V13.0.88");
    }
}

static void nothing_and_too_much(void **state)
{
    (void)state;
    AUTO_TEXT struct text constants = {0}, long_one = {0};
    text_append(&constants, BEGINNING);
    AUTO_FREE char *none = found_in(&constants, false);
    assert_string_equal(none, "-");
    text_append(&long_one, BEGINNING);
    for (size_t i = 0; i < 1000; i++)
        text_append_char(&long_one, '7');
    AUTO_FREE char *cut = found_in(&long_one, false);
    assert_int_equal(strlen(cut), ELF_CONSTANT_MAX);
}

static void expect_refused(const struct text *bytes, const char *what)
{
    AUTO_ERROR struct error error = {0};
    char *line = NULL;
    struct byte_source source = byte_source_memory(bytes->data, bytes->size);
    assert_false(elf_constant_find(&source, BEGINNING, &line, &error));
    assert_int_equal(error.kind, ERROR_DATA);
    assert_string_equal(error.what, what);
    assert_null(line);
}

static void others_are_refused(void **state)
{
    (void)state;
    AUTO_TEXT struct text constants = {0}, other = {0}, nobits = {0}, script = {0}, whole = {0};
    text_append(&constants, BEGINNING "12.4");
    make_program(&other, ".text", SHT_PROGBITS, &constants, false);
    make_program(&nobits, ".rodata", SHT_NOBITS, &constants, false);
    text_append(&script, "#!/bin/sh\nexec /usr/lib/nvidia-cuda-toolkit/bin/nvcc\n");
    expect_refused(&other, "its constants cannot be read");
    expect_refused(&nobits, "its constants cannot be read");
    expect_refused(&script, "not an ELF file");
    make_program(&whole, ".rodata", SHT_PROGBITS, &constants, false);
    for (size_t size = 0; size + 1 < whole.size; size += 7) {
        const struct text cut = {.data = whole.data, .size = size};
        struct byte_source source = byte_source_memory(cut.data, cut.size);
        char *line = NULL;
        assert_false(elf_constant_find(&source, BEGINNING, &line, NULL));
        assert_null(line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_with_a_number),
        cmocka_unit_test(across_windows),
        cmocka_unit_test(nothing_and_too_much),
        cmocka_unit_test(others_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
