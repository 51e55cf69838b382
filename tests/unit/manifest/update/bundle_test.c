/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/error.h"
#include "base/text.h"
#include "manifest/update/bundle.h"

#define PART(string)                                                                               \
    {                                                                                              \
        string, sizeof(string) - 1                                                                 \
    }

static const struct update_bundle full = {PART("[1]"), PART("{\"a\": 1}"), PART("{}\n{}")};

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

static void test_every_cut_is_refused(void **state)
{
    (void)state;
    AUTO_TEXT struct text text = {0};
    struct update_bundle found;
    update_bundle_append(&full, &text);
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
        cmocka_unit_test(test_every_cut_is_refused),
        cmocka_unit_test(test_every_changed_byte_is_refused),
        cmocka_unit_test(test_sizes_are_bounded),
        cmocka_unit_test(test_a_newer_form_is_said_to_be_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
