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

static void test_is(void **state)
{
    (void)state;
    assert_true(hex_is("", 0));
    assert_true(hex_is("00ff", 4));
    assert_true(hex_is("0123456789abcdef", 16));
    assert_false(hex_is("00ff", 3));
    assert_false(hex_is("00ff", 5));
    assert_false(hex_is("00fF", 4));
    assert_false(hex_is("00fg", 4));
    assert_false(hex_is("00f\n", 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_byte),
        cmocka_unit_test(test_string),
        cmocka_unit_test(test_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
