/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/build.h"
#include "base/text.h"

static void test_words(void **state)
{
    (void)state;
    const char *commit = build_commit();
    assert_true(string_starts(build_compiler(), "gcc ") ||
                string_starts(build_compiler(), "clang "));
    if (commit == NULL) /* a tree without git and without cmake/source.txt filled in */
        return;
    size_t digits = strspn(commit, "0123456789abcdef");
    assert_int_equal(digits, 40);
    assert_true(string_equal(commit + digits, "") || string_equal(commit + digits, "+"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
