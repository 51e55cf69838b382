/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "host/packed/checksum.h"

/* RFC 1952's own, of "123456789" (the check value of CRC-32/ISO-HDLC). */
static void test_known_value(void **state)
{
    (void)state;
    if (!checksum_is_known())
        skip();
    assert_int_equal(checksum_add(0, "123456789", 9), 0xcbf43926u);
    assert_int_equal(checksum_add(checksum_add(0, "1234", 4), "56789", 5), 0xcbf43926u);
    assert_int_equal(checksum_add(0, "", 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
