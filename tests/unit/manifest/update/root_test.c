/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/error.h"
#include "base/strlist.h"
#include "manifest/update/root.h"

#define A                     "0102030405060708090a0b0c0d0e0f100102030405060708090a0b0c0d0e0f10"
#define B                     "ff02030405060708090a0b0c0d0e0f100102030405060708090a0b0c0d0e0f10"
#define ROLE(keys, threshold) "{\"keys\": [" keys "], \"threshold\": " #threshold "}"
#define ROOT(version, root, manifest)                                                              \
    "{\"signed\": {\"type\": \"gpuenv-root\", \"spec\": 1, \"version\": " #version                 \
    ", \"expires\": \"2027-01-01T00:00:00Z\", \"root\": " root ", \"manifest\": " manifest         \
    "}, \"signatures\": []}"

static bool reads(const char *text, struct update_root *ret_root, struct error *error)
{
    AUTO_SIGNED struct update_signed document = {.text = NULL};
    return update_signed_parse(text, strlen(text), "f", "gpuenv-root", &document, error) &&
           update_root_read(&document, "f", ret_root, error);
}

static void test_a_root(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    struct update_root root;
    assert_true(
        reads(ROOT(3, ROLE("\"" A "\", \"" B "\"", 2), ROLE("\"" B "\"", 1)), &root, &error));
    assert_int_equal(root.version, 3);
    assert_int_equal(root.expires, 1798761600);
    assert_int_equal(root.root.key_count, 2);
    assert_int_equal(root.root.threshold, 2);
    assert_int_equal(root.manifest.key_count, 1);
    assert_int_equal(root.manifest.keys[0].bytes[0], 0xff);
}

static void test_a_key_counts_once(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    struct update_root root;
    assert_true(
        reads(ROOT(1, ROLE("\"" A "\", \"" A "\"", 1), ROLE("\"" A "\"", 1)), &root, &error));
    assert_int_equal(root.root.key_count, 1);
    assert_false(
        reads(ROOT(1, ROLE("\"" A "\", \"" A "\"", 2), ROLE("\"" A "\"", 1)), &root, &error));
    assert_int_equal(error.kind, ERROR_DATA);
    assert_non_null(strstr(error.where, "signed.root.threshold"));
}

static void test_what_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        ROOT(0, ROLE("\"" A "\"", 1), ROLE("\"" A "\"", 1)),
        ROOT(-1, ROLE("\"" A "\"", 1), ROLE("\"" A "\"", 1)),
        ROOT(1.0, ROLE("\"" A "\"", 1), ROLE("\"" A "\"", 1)),
        ROOT(2147483648, ROLE("\"" A "\"", 1), ROLE("\"" A "\"", 1)),
        ROOT(1, ROLE("\"" A "\"", 0), ROLE("\"" A "\"", 1)),
        ROOT(1, ROLE("\"" A "\"", 1), ROLE("\"" A "\"", 2)),
        ROOT(1, ROLE("", 0), ROLE("\"" A "\"", 1)),
        ROOT(1, ROLE("\"" A "0\"", 1), ROLE("\"" A "\"", 1)),
        ROOT(1, ROLE("1", 1), ROLE("\"" A "\"", 1)),
        ROOT(1, "{\"keys\": {}, \"threshold\": 1}", ROLE("\"" A "\"", 1)),
        ROOT(1, "[]", ROLE("\"" A "\"", 1)),
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        AUTO_ERROR struct error error = {0};
        struct update_root root;
        if (reads(texts[i], &root, &error))
            fail_msg("taken: %s", texts[i]);
        assert_int_equal(error.kind, ERROR_DATA);
    }
}

static void test_a_list_is_split_as_it_stands(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    AUTO_STRLIST struct strlist documents = {0};
    static const char text[] = " [ {\"a\":  1} ,\n{\"b\": [2, {}]}]\n";
    assert_true(update_roots_split(text, sizeof(text) - 1, "f", &documents, &error));
    assert_int_equal(documents.count, 2);
    assert_string_equal(documents.items[0], "{\"a\":  1}");
    assert_string_equal(documents.items[1], "{\"b\": [2, {}]}");
}

static void test_what_is_no_list(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "[]", "{}", "[1", "[{}] x"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        AUTO_ERROR struct error error = {0};
        AUTO_STRLIST struct strlist documents = {0};
        assert_false(update_roots_split(texts[i], strlen(texts[i]), "f", &documents, &error));
        assert_int_equal(error.kind, ERROR_DATA);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_root),          cmocka_unit_test(test_a_key_counts_once),
        cmocka_unit_test(test_what_is_refused), cmocka_unit_test(test_a_list_is_split_as_it_stands),
        cmocka_unit_test(test_what_is_no_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
