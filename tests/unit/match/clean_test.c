/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <string.h>

#include "base/text.h"
#include "match/clean.h"

static void test_prefixes(void **state)
{
    (void)state;
    static const char *const lines[][2] = {
        {"[ 1157.036170] NVRM: API", "API"},
        {"<6>[    1.5][ T123] NVRM: API", "API"},
        {"[Mon Aug  5 03:54:13 2024] NVRM: API", "API"},
        {"May 27 16:50:10 fedora kernel: NVRM: API", "API"},
        {"Feb  2 09:51:48 node slurmd[12912]: API", "slurmd[12912]: API"},
        {"2024-05-27T16:50:10.123456789Z stderr F API", "API"},
        {"2024-05-27 16:50:10,123 API", "API"},
        {"2022/06/16 07:21:18 API", "API"},
        {"2024-05-27T16:50:10+02:00 host kernel: API", "host kernel: API"},
        {"web-1  | 2024-05-27T16:50:10Z API", "API"},
        {"               NVRM: API", "API"},
        {"API", "API"},
        {"Mayor of May 27", "Mayor of May 27"},
        {"2024 was a year", "2024 was a year"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
        const char *line = lines[i][0];
        const char *rest = line + clean_prefix(line, strlen(line));
        rest += strspn(rest, " ");
        assert_string_equal(rest, lines[i][1]);
    }
}

static void assert_cleaned(const char *bytes, size_t size, const char *expected)
{
    AUTO_TEXT struct text text = {0};
    assert_true(clean_changes(bytes, size));
    clean_append(&text, bytes, size);
    assert_string_equal(text_string(&text), expected);
}

static void test_escapes(void **state)
{
    (void)state;
    assert_cleaned("\x1b[31;1mred\x1b[0m", 14, "red");
    assert_cleaned("one#012two", 10, "one\vtwo");
    assert_cleaned("one\\ntwo\\\\\\nthree", 17, "one\vtwo\vthree");
    assert_cleaned("\\\"a\\\"", 5, "\\\"a\\\"");
    assert_cleaned("a\0b\0", 4, "ab"); /* UTF-16 */
    assert_cleaned("#033[0mx", 8, "x");
    assert_cleaned("\x1b[", 2, "");
    assert_false(clean_changes("plain", 5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prefixes),
        cmocka_unit_test(test_escapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
