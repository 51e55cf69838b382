/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/error.h"
#include "manifest/update/statement.h"

#define SHA "0102030405060708090a0b0c0d0e0f100102030405060708090a0b0c0d0e0f10"
#define SAID(version, expires, format, number, length, sha)                                        \
    "{\"signed\": {\"type\": \"gpuenv-manifest\", \"spec\": 1, \"version\": " version              \
    ", \"expires\": \"" expires "\", \"format\": " format ", \"manifest_version\": " number        \
    ", \"manifest_date\": \"2026-11-20\", \"length\": " length ", \"sha256\": \"" sha              \
    "\"}, \"signatures\": []}"
#define WHEN "2027-01-01T00:00:00Z"

static void test_a_statement(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    AUTO_STATEMENT struct update_statement statement = {.version = 0};
    AUTO_SIGNED struct update_signed document = {.text = NULL};
    static const char text[] = SAID("7", WHEN, "1", "3", "100", SHA);
    assert_true(update_statement_parse(text, strlen(text), "f", &document, &statement, &error));
    assert_int_equal(statement.version, 7);
    assert_int_equal(statement.manifest_version, 3);
    assert_int_equal(statement.length, 100);
    assert_string_equal(statement.sha256, SHA);
    assert_string_equal(statement.manifest_date, "2026-11-20");
    assert_non_null(document.text);
    AUTO_FREE char *file = update_statement_file(&statement);
    assert_string_equal(file, "manifest-3.json");
}

static void test_what_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        SAID("0", WHEN, "1", "3", "100", SHA),
        SAID("2147483648", WHEN, "1", "3", "100", SHA),
        SAID("\"7\"", WHEN, "1", "3", "100", SHA),
        SAID("7", "2027-01-01", "1", "3", "100", SHA),
        SAID("7", WHEN, "1", "0", "100", SHA),
        SAID("7", WHEN, "1", "1000001", "100", SHA),
        SAID("7", WHEN, "1", "3", "0", SHA),
        SAID("7", WHEN, "1", "3", "16777217", SHA),
        SAID("7", WHEN, "1", "3", "100", SHA "0"),
        SAID("7", WHEN, "1", "3", "100", "x"),
        SAID("7, \"more\": 1", WHEN, "1", "3", "100", SHA),
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        AUTO_ERROR struct error error = {0};
        AUTO_STATEMENT struct update_statement statement = {.version = 0};
        if (update_statement_parse(texts[i], strlen(texts[i]), "f", NULL, &statement, &error))
            fail_msg("taken: %s", texts[i]);
        assert_int_equal(error.kind, ERROR_DATA);
    }
}

static void test_another_format_says_what_to_do(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    AUTO_STATEMENT struct update_statement statement = {.version = 0};
    static const char newer[] = SAID("7", WHEN, "2", "3", "100", SHA);
    static const char older[] = SAID("7", WHEN, "0", "3", "100", SHA);
    assert_false(update_statement_parse(newer, strlen(newer), "f", NULL, &statement, &error));
    assert_string_equal(error.next, "install a newer gpuenv");
    assert_false(update_statement_parse(older, strlen(older), "f", NULL, &statement, &error));
    assert_non_null(strstr(error.next, "ask the publisher"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_statement),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_another_format_says_what_to_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
