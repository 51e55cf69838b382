/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/memory.h"
#include "host/local/random_name.h"

static void test_new(void **state)
{
    (void)state;
    AUTO_FREE char *one = random_name_new(".x-");
    AUTO_FREE char *other = random_name_new(".x-");
    assert_non_null(one);
    assert_non_null(other);
    assert_int_equal(strlen(one), 19);
    assert_string_not_equal(one, other);
    assert_true(random_name_is(one, ".x-"));
    assert_true(random_name_is(other, ".x-"));
}

static void test_is(void **state)
{
    (void)state;
    assert_true(random_name_is(".x-0123456789abcdef", ".x-"));
    assert_true(random_name_is("0123456789abcdef", ""));
    assert_false(random_name_is(".x-0123456789abcdef", ".y-"));
    assert_false(random_name_is(".x-0123456789abcde", ".x-"));
    assert_false(random_name_is(".x-0123456789abcdef0", ".x-"));
    assert_false(random_name_is(".x-0123456789ABCDEF", ".x-"));
    assert_false(random_name_is(".x-", ".x-"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_new),
        cmocka_unit_test(test_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
