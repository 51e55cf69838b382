/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "manifest/framework_code.h"

static struct version version(const char *text)
{
    struct version value;
    assert_true(version_parse(text, &value));
    return value;
}

/* Items are separated by blanks. */
static bool asks(bool (*runs)(const struct strlist *, const struct version *), const char *items,
                 const char *gpu)
{
    AUTO_STRLIST struct strlist list = {0};
    struct version capability = version(gpu);
    strlist_split(&list, items, ' ');
    return runs(&list, &capability);
}

static void test_machine_code(void **state)
{
    (void)state;
    assert_true(asks(code_machine_runs, "7.0 8.0", "8.6"));
    assert_true(asks(code_machine_runs, "sm_70 sm_80", "8.6"));
    assert_false(asks(code_machine_runs, "8.6", "8.0"));
    assert_false(asks(code_machine_runs, "8.0", "9.0"));
    assert_true(asks(code_machine_runs, "9.0a", "9.0"));
    assert_false(asks(code_machine_runs, "sm_100a", "10.3"));
    assert_true(asks(code_machine_runs, "sm_100f", "10.3"));
    assert_true(asks(code_machine_runs, "sm_120", "12.0"));
    assert_false(asks(code_machine_runs, "sm_ compute_x sm_9 nine", "9.0"));
    assert_false(code_machine_runs(NULL, &(struct version){.part = {9}, .count = 2}));
}

static void test_ptx(void **state)
{
    (void)state;
    assert_true(asks(code_ptx_runs, "compute_80", "12.0"));
    assert_false(asks(code_ptx_runs, "compute_90", "8.6"));
    assert_false(asks(code_ptx_runs, "compute_90a", "10.0"));
    assert_true(asks(code_ptx_runs, "10.0f", "10.3"));
    assert_false(asks(code_ptx_runs, "10.0f", "12.0"));
}

static void test_own_capability(void **state)
{
    (void)state;
    assert_true(asks(code_has, "sm_80 sm_87", "8.7"));
    assert_false(asks(code_has, "sm_80 sm_86", "8.7"));
}

static void test_bounds(void **state)
{
    (void)state;
    AUTO_STRLIST struct strlist list = {0};
    struct version low, high;
    assert_false(code_bounds(&list, &low, &high));
    strlist_split(&list, "sm_80 sm_120 sm_75 word", ' ');
    assert_true(code_bounds(&list, &low, &high));
    assert_int_equal(low.part[0] * 10 + low.part[1], 75);
    assert_int_equal(high.part[0] * 10 + high.part[1], 120);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_machine_code),
        cmocka_unit_test(test_ptx),
        cmocka_unit_test(test_own_capability),
        cmocka_unit_test(test_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
