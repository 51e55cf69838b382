/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <unistd.h>

#include "host/local/owner.h"

static void test_ours(void **state)
{
    (void)state;
    assert_true(owner_is_ours(&(struct stat){.st_uid = 0}));
    assert_true(owner_is_ours(&(struct stat){.st_uid = geteuid()}));
    assert_false(owner_is_ours(&(struct stat){.st_uid = geteuid() + 1}));
}

static void test_others_write(void **state)
{
    (void)state;
    assert_false(owner_lets_others_write(&(struct stat){.st_mode = 0755, .st_gid = 5}));
    assert_true(owner_lets_others_write(&(struct stat){.st_mode = 0775, .st_gid = 5}));
    assert_false(owner_lets_others_write(&(struct stat){.st_mode = 0775, .st_gid = 0}));
    assert_true(owner_lets_others_write(&(struct stat){.st_mode = 0757, .st_gid = 0}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ours),
        cmocka_unit_test(test_others_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
