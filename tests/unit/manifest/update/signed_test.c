/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/error.h"
#include "base/text.h"
#include "manifest/update/signed.h"

#define KEY                        "0102030405060708090a0b0c0d0e0f100102030405060708090a0b0c0d0e0f10"
#define SIGNATURE                  KEY KEY
#define SAID                       "{\"type\": \"t\", \"spec\": 1, \"x_more\": [1],  \"v\": 7}"
#define DOCUMENT(said, signatures) "{ \"signed\" : " said " ,\n \"signatures\": [" signatures "]}"
#define ONE                        "{\"key\": \"" KEY "\", \"signature\": \"" SIGNATURE "\"}"

static bool parses(const char *text, struct update_signed *ret_signed, struct error *error)
{
    bool ok = update_signed_parse(text, strlen(text), "f", "t", ret_signed, error);
    if (!ok)
        assert_int_equal(error->kind, ERROR_DATA);
    return ok;
}

static void test_the_signed_bytes_are_those_of_the_file(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    AUTO_SIGNED struct update_signed found = {.text = NULL};
    assert_true(parses(DOCUMENT(SAID, ONE), &found, &error));
    assert_int_equal(found.size, strlen(SAID));
    assert_memory_equal(found.text, SAID, found.size);
    assert_int_equal(found.signature_count, 1);
    assert_int_equal(found.signatures[0].key.bytes[0], 1);
    assert_int_equal(found.signatures[0].bytes[63], 0x10);
    assert_int_equal(json_integer_value(json_object_get(found.json, "v")), 7);
    assert_null(json_object_get(found.json, "x_more"));
}

static void test_what_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "[]",
        "{}",
        "{\"signed\": " SAID "}",
        "{\"signatures\": []}",
        DOCUMENT("[]", ONE),
        DOCUMENT("\"x\"", ONE),
        DOCUMENT("{\"type\": \"other\", \"spec\": 1}", ONE),
        DOCUMENT("{\"spec\": 1}", ONE),
        DOCUMENT("{\"type\": \"t\"}", ONE),
        DOCUMENT("{\"type\": \"t\", \"spec\": 0}", ONE),
        DOCUMENT("{\"type\": \"t\", \"spec\": \"1\"}", ONE),
        DOCUMENT("{\"type\": \"t\", \"type\": \"t\", \"spec\": 1}", ONE),
        DOCUMENT(SAID, "{\"key\": \"" KEY "\"}"),
        DOCUMENT(SAID, "{\"key\": \"" KEY "00\", \"signature\": \"" SIGNATURE "\"}"),
        DOCUMENT(SAID, "{\"key\": \"" KEY "\", \"signature\": \"" KEY "\"}"),
        DOCUMENT(SAID, "{\"key\": \"" KEY "\", \"signature\": \"" SIGNATURE "\", \"by\": 1}"),
        DOCUMENT(SAID, "1"),
        /* One of two is signed, or one that another reader takes for it. */
        "{\"signed\": " SAID ", \"signed\": " SAID ", \"signatures\": [" ONE "]}",
        "{\"\\u0073igned\": " SAID ", \"signed\": " SAID ", \"signatures\": [" ONE "]}",
        "{\"signed\": " SAID ", \"signatures\": [" ONE "], \"more\": 1}",
        DOCUMENT(SAID, ONE) "x",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        AUTO_ERROR struct error error = {0};
        AUTO_SIGNED struct update_signed found = {.text = NULL};
        if (parses(texts[i], &found, &error))
            fail_msg("taken: %s", texts[i]);
    }
}

static void test_a_newer_form_is_said_to_be_one(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    AUTO_SIGNED struct update_signed found = {.text = NULL};
    assert_false(parses(DOCUMENT("{\"type\": \"t\", \"spec\": 2}", ONE), &found, &error));
    assert_string_equal(error.next, "install a newer gpuenv");
}

static void test_signatures_are_bounded(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    AUTO_SIGNED struct update_signed found = {.text = NULL};
    AUTO_TEXT struct text text = {0};
    text_append(&text, "{\"signed\": " SAID ", \"signatures\": [" ONE);
    for (int i = 0; i < UPDATE_SIGNATURES_MAX; i++)
        text_append(&text, "," ONE);
    text_append(&text, "]}");
    assert_false(parses(text_string(&text), &found, &error));
}

struct moment {
    int64_t at;
};

static bool reads(const char *text, int64_t *ret_at)
{
    AUTO_JSON json_t *value = json_string(text);
    const struct field field = {.name = "at"};
    return update_field_moment.read(&field, value, ret_at);
}

static void test_moments(void **state)
{
    (void)state;
    int64_t at = 0;
    assert_true(reads("1970-01-01T00:00:01Z", &at));
    assert_int_equal(at, 1);
    assert_true(reads("2028-02-29T23:59:59Z", &at));
    AUTO_FREE char *text = update_moment_text(at);
    assert_string_equal(text, "2028-02-29T23:59:59Z");
    assert_true(reads("9999-12-31T23:59:59Z", &at));
    static const char *const wrong[] = {"",
                                        "2027",
                                        "2027-02-29T00:00:00Z",
                                        "2027-01-01T24:00:00Z",
                                        "2027-13-01T00:00:00Z",
                                        "2027-01-00T00:00:00Z",
                                        "2027-01-01T00:00:00",
                                        "2027-01-01T00:00:00+00:00",
                                        "2027-01-01 00:00:00Z",
                                        "2027-01-01T00:00:00Zx",
                                        "+027-01-01T00:00:00Z"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        if (reads(wrong[i], &at))
            fail_msg("taken: %s", wrong[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_signed_bytes_are_those_of_the_file),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_a_newer_form_is_said_to_be_one),
        cmocka_unit_test(test_signatures_are_bounded),
        cmocka_unit_test(test_moments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
