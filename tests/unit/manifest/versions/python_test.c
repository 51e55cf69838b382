/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "manifest/versions/python.h"

#include "base/version.h"

static void test_lists(void **state)
{
    (void)state;
    static const struct {
        const char *list, *python, *newest;
        bool has;
    } rows[] = {
        {"3.9-3.13", "3.9", "3.13", true},
        {"3.9-3.13", "3.13.2", "3.13", true},
        {"3.9-3.13", "3.14", "3.13", false},
        {"3.9-3.13", "3.8", "3.13", false},
        {">=3.10", "3.15", "3.10", true},
        {">=3.10", "3.9", "3.10", false},
        {">=3.10,<3.15", "3.14.1", "3.14", true},
        {">=3.10,<3.15", "3.15", "3.14", false},
        {">=3.10,<3.15", "3.9", "3.14", false},
        {">=3.8,<3.10", "3.10", "3.9", false},
        {">=3.10,<=3.13", "3.13", "3.13", true},
        {">=3.10,<=3.13", "3.14", "3.13", false},
        {">=3.9,<4.0", "3.15", "3.9", true},
        {">=3.9,<4", "3.15", "3.9", true},
        {">=3.10,!=3.14.1", "3.14", "3.10", true},
        {"3.8;3.9;3.11", "3.9", "3.11", true},
        {"3.8;3.9;3.11", "3.10", "3.11", false},
        {"2.7;3.3-3.6", "3.5", "3.6", true},
        {"2.7;3.3-3.6", "3.2", "3.6", false},
        {"3.9-3.12 (3.13 exp)", "3.13", "3.12", false},
        {"3.9-3.12 (3.13 exp)", "3.12", "3.12", true},
        {"3.10.6", "3.10.4", "3.10", true},
        {NULL, "3.12", NULL, true},
        {"any", "3.12", NULL, true},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct version python, newest, wanted = {.count = 0};
        assert_true(version_parse(rows[i].python, &python));
        assert_true(rows[i].newest == NULL || version_parse(rows[i].newest, &wanted));
        if (python_list_has(rows[i].list, &python, &newest) != rows[i].has)
            fail_msg("%s, %s", rows[i].list, rows[i].python);
        assert_int_equal(newest.count, wanted.count);
        assert_int_equal(version_compare(&newest, &wanted), 0);
        char text[VERSION_TEXT_SIZE];
        if (newest.count)
            assert_string_equal(version_text(&newest, 0, text), rows[i].newest);
        newest = python_list_newest(rows[i].list);
        assert_int_equal(version_compare(&newest, &wanted), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
