/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/text.h"
#include "elf/note.h"

static void put32(struct text *text, uint32_t number, bool is_big)
{
    for (unsigned i = 0; i < 4; i++)
        text_append_char(text, (char)(number >> (8 * (is_big ? 3 - i : i))));
}

/* A note with its name and description padded to `to` bytes. */
static void put_note(struct text *text, uint32_t type, const char *name, const char *description,
                     size_t to, bool is_big)
{
    size_t name_size = strlen(name) + 1, size = strlen(description);
    put32(text, (uint32_t)name_size, is_big);
    put32(text, (uint32_t)size, is_big);
    put32(text, type, is_big);
    text_append_n(text, name, name_size);
    while (text->size % to != 0)
        text_append_char(text, '\0');
    text_append_n(text, description, size);
    while (text->size % to != 0)
        text_append_char(text, '\0');
}

static struct elf_notes notes_of(const struct text *text)
{
    return (struct elf_notes){.bytes = (const unsigned char *)text->data, .size = text->size};
}

static void notes_follow_each_other(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        bool is_wide = i & 1, is_big = i & 2;
        AUTO_TEXT struct text text = {0};
        put_note(&text, 5, "GNU", "abcdef", is_wide ? 8 : 4, is_big);
        put_note(&text, 3, "Owner", "0123456789012345678", is_wide ? 8 : 4, is_big);
        struct elf_notes notes = notes_of(&text);
        notes.is_wide = is_wide;
        notes.is_big = is_big;
        struct elf_note note;
        size_t at = 0;
        assert_true(elf_note_next(&notes, &at, &note));
        assert_int_equal(note.type, 5);
        assert_true(elf_note_is_of(&note, "GNU"));
        assert_false(elf_note_is_of(&note, "GN"));
        assert_int_equal(note.size, 6);
        assert_memory_equal(note.description, "abcdef", 6);
        assert_true(elf_note_next(&notes, &at, &note));
        assert_int_equal(note.type, 3);
        assert_true(elf_note_is_of(&note, "Owner"));
        assert_int_equal(note.size, 19);
        assert_memory_equal(note.description, "0123456789012345678", 19);
        assert_false(elf_note_next(&notes, &at, &note));
        assert_int_equal(at, notes.size);
    }
}

/* The last note may lack its padding; what is cut within it is none. */
static void cut_notes_are_none(void **state)
{
    (void)state;
    AUTO_TEXT struct text text = {0};
    put_note(&text, 3, "GNU", "abcde", 4, false);
    for (size_t size = 0; size <= text.size; size++) {
        AUTO_FREE char *bytes = mem_string_n(text.data, size);
        const struct elf_notes notes = {.bytes = (const unsigned char *)bytes, .size = size};
        struct elf_note note;
        size_t at = 0;
        assert_int_equal(elf_note_next(&notes, &at, &note), size >= text.size - 3);
    }
}

static void sizes_that_lie_are_none(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {UINT32_MAX, UINT32_MAX - 2, 0x80000000, 24, 64};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        for (size_t field = 0; field < 8; field += 4) {
            AUTO_TEXT struct text text = {0}, size = {0};
            put_note(&text, 3, "GNU", "abcd", 4, false);
            put32(&size, sizes[i], false);
            memcpy(text.data + field, size.data, 4);
            const struct elf_notes notes = notes_of(&text);
            struct elf_note note;
            size_t at = 0;
            assert_false(elf_note_next(&notes, &at, &note));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(notes_follow_each_other),
        cmocka_unit_test(cut_notes_are_none),
        cmocka_unit_test(sizes_that_lie_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
