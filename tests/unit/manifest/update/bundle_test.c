/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/error.h"
#include "base/text.h"
#include "manifest/update/bundle.h"

#define PART(string)                                                                               \
    {                                                                                              \
        string, sizeof(string) - 1                                                                 \
    }

static const struct update_bundle full = {
    .roots = PART("[1]"), .statement = PART("{\"a\": 1}"), .manifest = PART("{}\n{}")};

static bool parses(const char *text, size_t size, struct update_bundle *ret_bundle)
{
    AUTO_ERROR struct error error = {0};
    bool ok = update_bundle_parse(text, size, "f", ret_bundle, &error);
    if (!ok) {
        assert_int_equal(error.kind, ERROR_DATA);
        assert_string_equal(error.where, "f");
        assert_non_null(error.why);
    }
    return ok;
}

static void assert_part(const struct update_part *found, const struct update_part *wanted)
{
    assert_int_equal(found->size, wanted->size);
    assert_memory_equal(found->text, wanted->text, wanted->size);
}

static void test_what_is_written_is_read(void **state)
{
    (void)state;
    AUTO_TEXT struct text text = {0};
    struct update_bundle found;
    update_bundle_append(&full, &text);
    assert_true(parses(text.data, text.size, &found));
    assert_part(&found.roots, &full.roots);
    assert_part(&found.statement, &full.statement);
    assert_part(&found.manifest, &full.manifest);
}

static void test_roots_may_be_alone(void **state)
{
    (void)state;
    AUTO_TEXT struct text text = {0};
    const struct update_bundle alone = {.roots = PART("[1]")};
    struct update_bundle found;
    update_bundle_append(&alone, &text);
    assert_true(parses(text.data, text.size, &found));
    assert_part(&found.roots, &alone.roots);
    assert_null(found.statement.text);
    assert_null(found.manifest.text);
}

/* As zlib.crc32() of Python has it. */
static void test_the_checksum_is_that_of_gzip(void **state)
{
    (void)state;
    AUTO_TEXT struct text text = {0};
    const struct update_bundle alone = {.roots = PART("[1]")};
    update_bundle_append(&alone, &text);
    assert_string_equal(text_string(&text), "gpuenv-update 1\nroots 3\n[1]\ncrc32 888ff960\n");
}

#define DIGITS "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void test_a_reader_may_be_named(void **state)
{
    (void)state;
    AUTO_TEXT struct text text = {0};
    struct update_bundle bundle = full;
    struct update_bundle found;
    bundle.reader = (struct update_part)PART(DIGITS);
    update_bundle_append(&bundle, &text);
    assert_true(string_starts(text_string(&text), "gpuenv-update 1\nreader " DIGITS "\nroots 3\n"));
    assert_true(parses(text.data, text.size, &found));
    assert_part(&found.reader, &bundle.reader);
    assert_part(&found.manifest, &full.manifest);
    text_clear(&text);
    update_bundle_append(&full, &text);
    assert_true(parses(text.data, text.size, &found));
    assert_null(found.reader.text);
    static const char too_long[] =
        "gpuenv-update 1\nreader " DIGITS "0\nroots 3\n[1]\ncrc32 00000000\n";
    assert_false(parses(too_long, sizeof(too_long) - 1, &found));
}

/* Of every size, since most bytes are taken eight at a time: what a bitwise CRC-32 has. */
static void test_the_checksum_of_every_size(void **state)
{
    (void)state;
    char roots[40];
    for (size_t size = 1; size < sizeof(roots); size++) {
        AUTO_TEXT struct text text = {0};
        uint32_t checksum = UINT32_MAX;
        roots[size - 1] = (char)(size * 37);
        update_bundle_append(&(struct update_bundle){.roots = {roots, size}}, &text);
        for (size_t i = 0; i < text.size - strlen("crc32 01234567\n"); i++) {
            checksum ^= (unsigned char)text.data[i];
            for (int bit = 0; bit < 8; bit++)
                checksum = (checksum >> 1) ^ (checksum & 1 ? UINT32_C(0xedb88320) : 0);
        }
        AUTO_FREE char *end = mem_printf("crc32 %08x\n", ~checksum);
        assert_string_equal(text.data + text.size - strlen(end), end);
    }
}

static void test_every_cut_is_refused(void **state)
{
    (void)state;
    AUTO_TEXT struct text text = {0};
    struct update_bundle bundle = full;
    struct update_bundle found;
    bundle.reader = (struct update_part)PART(DIGITS);
    update_bundle_append(&bundle, &text);
    for (size_t size = 0; size < text.size; size++)
        assert_false(parses(text.data, size, &found));
}

static void test_every_changed_byte_is_refused(void **state)
{
    (void)state;
    AUTO_TEXT struct text text = {0};
    struct update_bundle found;
    update_bundle_append(&full, &text);
    for (size_t i = 0; i < text.size; i++) {
        text.data[i] ^= 1;
        assert_false(parses(text.data, text.size, &found));
        text.data[i] ^= 1;
    }
    text_append_char(&text, '\n');
    assert_false(parses(text.data, text.size, &found));
}

static void test_sizes_are_bounded(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "gpuenv-update 1\nroots 99999999999999999999\n",
        "gpuenv-update 1\nroots 262145\n",
        "gpuenv-update 1\nroots -1\n",
        "gpuenv-update 1\nroots 3 \n[1]\n",
        "gpuenv-update 1\nstatement 3\n[1]\ncrc32 00000000\n",
        "gpuenv-update 1\ncrc32 00000000\n",
        "",
    };
    struct update_bundle found;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_false(parses(texts[i], strlen(texts[i]), &found));
}

static void test_a_newer_form_is_said_to_be_one(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    static const char text[] = "gpuenv-update 2\nanything";
    struct update_bundle found;
    assert_false(update_bundle_parse(text, sizeof(text) - 1, "f", &found, &error));
    assert_string_equal(error.next, "install a newer gpuenv");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_written_is_read),
        cmocka_unit_test(test_roots_may_be_alone),
        cmocka_unit_test(test_the_checksum_is_that_of_gzip),
        cmocka_unit_test(test_a_reader_may_be_named),
        cmocka_unit_test(test_the_checksum_of_every_size),
        cmocka_unit_test(test_every_cut_is_refused),
        cmocka_unit_test(test_every_changed_byte_is_refused),
        cmocka_unit_test(test_sizes_are_bounded),
        cmocka_unit_test(test_a_newer_form_is_said_to_be_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
