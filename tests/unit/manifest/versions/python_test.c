/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "manifest/versions/python.h"

#include "base/version.h"

static void test_lists(void **state)
{
    (void)state;
    static const struct {
        const char *list, *python, *least;
        bool has;
    } rows[] = {
        {"3.9-3.13", "3.9", "3.9", true},
        {"3.9-3.13", "3.13.2", "3.9", true},
        {"3.9-3.13", "3.14", "3.9", false},
        {"3.9-3.13", "3.8", "3.9", false},
        {">=3.10", "3.15", "3.10", true},
        {">=3.10", "3.9", "3.10", false},
        {"3.8;3.9;3.11", "3.9", "3.8", true},
        {"3.8;3.9;3.11", "3.10", "3.8", false},
        {"2.7;3.3-3.6", "3.5", "2.7", true},
        {"2.7;3.3-3.6", "3.2", "2.7", false},
        {"3.9-3.12 (3.13 exp)", "3.13", "3.9", false},
        {"3.9-3.12 (3.13 exp)", "3.12", "3.9", true},
        {"3.10.6", "3.10.4", "3.10", true},
        {NULL, "3.12", NULL, true},
        {"any", "3.12", NULL, true},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct version python, least, wanted = {.count = 0};
        assert_true(version_parse(rows[i].python, &python));
        assert_true(rows[i].least == NULL || version_parse(rows[i].least, &wanted));
        if (python_list_has(rows[i].list, &python, &least) != rows[i].has)
            fail_msg("%s, %s", rows[i].list, rows[i].python);
        assert_int_equal(least.count, wanted.count);
        assert_int_equal(version_compare(&least, &wanted), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
