/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "host/local/random_bytes.h"
#include "old_kernel.h"

/* Two times 32 bytes that are neither equal nor zero. */
static bool is_random(void *data)
{
    (void)data;
    static const unsigned char zero[32];
    unsigned char one[32] = {0}, other[32] = {0};
    return random_bytes(one, sizeof(one)) && random_bytes(other, sizeof(other)) &&
           memcmp(one, other, sizeof(one)) != 0 && memcmp(one, zero, sizeof(one)) != 0;
}

static void test_random(void **state)
{
    (void)state;
    assert_true(is_random(NULL));
}

static void test_old_kernel(void **state)
{
    (void)state;
    int said = old_kernel_try("3.10", is_random, NULL);
    if (said < 0)
        skip();
    assert_int_equal(said, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_old_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
