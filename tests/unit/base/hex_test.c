/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/hex.h"
#include "base/memory.h"

static void test_byte(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int byte;
    } rows[] = {
        {"00", 0},  {"7f", 127}, {"fF", 255}, {"A0z", 160}, {"", -1},         {"4", -1},
        {"g0", -1}, {"0g", -1},  {" 1", -1},  {"-1", -1},   {"\x10\x11", -1}, {"@0", -1},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        assert_int_equal(hex_byte(rows[i].text), rows[i].byte);
}

static void test_string(void **state)
{
    (void)state;
    AUTO_FREE char *some = hex_string("\x00\x0a\xff", 3);
    AUTO_FREE char *none = hex_string("", 0);
    assert_string_equal(some, "000aff");
    assert_string_equal(none, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_byte),
        cmocka_unit_test(test_string),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
