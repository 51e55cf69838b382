/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/text.h"

static void grows_and_is_stolen(void **state)
{
    (void)state;
    struct text text = {0};
    assert_string_equal(text_string(&text), "");
    for (int i = 0; i < 1000; i++)
        text_printf(&text, "%d,", i % 10);
    assert_int_equal(text.size, 2000);
    char *data = text_steal(&text);
    assert_int_equal(strlen(data), 2000);
    assert_null(text.data);
    free(data);
    data = text_steal(&text);
    assert_string_equal(data, "");
    free(data);
}

static void compares_no_string(void **state)
{
    (void)state;
    assert_false(string_starts(NULL, "a"));
    assert_false(string_ends(NULL, "a"));
    assert_true(string_starts("ab", "a"));
    assert_true(string_ends("ab", "b"));
}

static void makes_hostile_text_safe(void **state)
{
    (void)state;
    static const struct {
        const char *in, *out;
    } rows[] = {
        {"NVIDIA H100", "NVIDIA H100"},
        {"caf\xc3\xa9 \xe2\x9c\x93 \xf0\x9f\x92\xbb", "caf\xc3\xa9 \xe2\x9c\x93 \xf0\x9f\x92\xbb"},
        {"\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"},
        {"a\nb\rc\td", "a\\x0ab\\x0dc\\x09d"},
        {"del\x7f", "del\\x7f"},
        {"c1\xc2\x9b", "c1\\xc2\\x9b"},
        {"\xe2\x80\xae"
         "evil",
         "\\xe2\\x80\\xae"
         "evil"}, /* right-to-left override */
        {"\xff\xfe", "\\xff\\xfe"},
        {"cut\xe2\x82", "cut\\xe2\\x82"},
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"}, /* a surrogate */
        {"\xc0\xaf", "\\xc0\\xaf"},          /* overlong */
        {"back\\slash", "back\\\\slash"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        AUTO_FREE char *safe = string_safe(rows[i].in);
        assert_string_equal(safe, rows[i].out);
        assert_true(utf8_valid(safe, strlen(safe)));
    }
    assert_null(string_safe(NULL));
}

static void what_is_safe_already_stays(void **state)
{
    (void)state;
    AUTO_TEXT struct text text = {0};
    text_append_safe_again(&text, "pci/a\\x0a\x1b");
    assert_string_equal(text_string(&text), "pci/a\\x0a\\x1b");
}

static void every_byte_pair_becomes_printable_utf8(void **state)
{
    (void)state;
    for (unsigned i = 1; i < 0x10000; i++) {
        char bytes[3] = {(char)(i & 0xff), (char)(i >> 8), '\0'};
        AUTO_FREE char *safe = string_safe(bytes);
        assert_true(utf8_valid(safe, strlen(safe)));
        for (const char *c = safe; *c; c++)
            assert_false((unsigned char)*c < 0x20 || *c == 0x7f);
    }
}

static void walks_lines(void **state)
{
    (void)state;
    char buffer[] = "one\n\nthree";
    char *cursor = buffer;
    assert_string_equal(string_next_line(&cursor), "one");
    assert_string_equal(string_next_line(&cursor), "");
    assert_string_equal(string_next_line(&cursor), "three");
    assert_null(string_next_line(&cursor));
}

static void trims_and_reads_numbers(void **state)
{
    (void)state;
    char buffer[] = " \t12.4 \r\n";
    assert_string_equal(string_trim(buffer), "12.4");
    assert_true(string_is_blank("") && string_is_blank(" \t\r\n"));
    assert_false(string_is_blank(" \t\v") || string_is_blank(" a"));
    char mixed[] = "10DE:2330 Z\xc3\x84@[";
    assert_string_equal(string_lower(mixed), "10de:2330 z\xc3\x84@[");
    assert_null(string_lower(NULL));
    unsigned long long value = 7;
    assert_true(string_to_unsigned("0x10de", &value));
    assert_int_equal(value, 0x10de);
    assert_true(string_to_unsigned("18446744073709551615", &value));
    assert_true(value == UINT64_MAX);
    assert_false(string_to_unsigned("18446744073709551616", &value));
    assert_false(string_to_unsigned("", &value));
    assert_false(string_to_unsigned("0x", &value));
    assert_false(string_to_unsigned("-1", &value));
    assert_false(string_to_unsigned("12 ", &value));
}

static void reads_what_people_write_in_decimal_digits(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",   "0x10", "0X10", "+1",  "-1",  " 1",
                                        "1 ", "1.0",  "1e2",  "101", "1_0", "18446744073709551616"};
    unsigned long long value = 7;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_false(string_to_decimal(wrong[i], 100, &value));
        assert_int_equal(value, 7);
    }
    assert_true(string_to_decimal("100", 100, &value));
    assert_int_equal(value, 100);
    assert_true(string_to_decimal("007", 100, &value)); /* not octal */
    assert_int_equal(value, 7);
    assert_true(string_to_decimal("0", 0, &value));
    assert_int_equal(value, 0);
}

static void fills_a_word(void **state)
{
    (void)state;
    AUTO_FREE char *filled = string_fill("targets/{target}/lib", "{target}", "x86_64-linux");
    AUTO_FREE char *once = string_fill("{a}{a}", "{a}", "b");
    AUTO_FREE char *none = string_fill("lib64", "{target}", "x86_64-linux");
    AUTO_FREE char *all = string_fill_all("{a}/{a}.", "{a}", "{a}b");
    AUTO_FREE char *kept = string_fill_all("{a}{a}", "{a}", NULL);
    assert_string_equal(filled, "targets/x86_64-linux/lib");
    assert_string_equal(once, "b{a}");
    assert_string_equal(none, "lib64");
    assert_string_equal(all, "{a}b/{a}b.");
    assert_string_equal(kept, "{a}{a}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows_and_is_stolen),
        cmocka_unit_test(compares_no_string),
        cmocka_unit_test(makes_hostile_text_safe),
        cmocka_unit_test(what_is_safe_already_stays),
        cmocka_unit_test(every_byte_pair_becomes_printable_utf8),
        cmocka_unit_test(walks_lines),
        cmocka_unit_test(trims_and_reads_numbers),
        cmocka_unit_test(reads_what_people_write_in_decimal_digits),
        cmocka_unit_test(fills_a_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
