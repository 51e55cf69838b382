/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/version.h"

static struct version parsed(const char *text)
{
    struct version version = {.count = 0};
    assert_true(version_parse(text, &version));
    return version;
}

static void parses_and_prints_what_it_read(void **state)
{
    (void)state;
    static const char *const texts[] = {"12", "12.8", "580.95.05", "1.0.0.0.0.7", "999999999.1"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct version version = parsed(texts[i]);
        char buffer[VERSION_TEXT_SIZE];
        assert_string_equal(version_text(&version, 0, buffer), texts[i]);
    }
    struct version version = parsed("580.95.05");
    char buffer[VERSION_TEXT_SIZE];
    assert_string_equal(version_text(&version, 2, buffer), "580.95");
}

static void refuses_what_is_not_a_version(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",       "12.", ".1", "12..1",         "12.4rc1", "v12", "12.4 ",
        "12.4\n", "-1",  "+1", "1.2.3.4.5.6.7", "0x10",    " 12", "9999999999.1"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct version version = {.count = 77};
        assert_false(version_parse(texts[i], &version));
        assert_int_equal(version.count, 77);
    }
}

static void compares_by_number(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        int sign;
    } rows[] = {
        {"12.8", "12.8.0", 0},         {"9.10", "9.9", 1},  {"580.95.05", "580.105.08", -1},
        {"570.86.15", "570.86.10", 1}, {"13", "12.9.9", 1}, {"450.80.02", "450.80.2", 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct version a = parsed(rows[i].a);
        struct version b = parsed(rows[i].b);
        int order = version_compare(&a, &b);
        assert_int_equal((order > 0) - (order < 0), rows[i].sign);
        order = version_compare(&b, &a);
        assert_int_equal((order > 0) - (order < 0), -rows[i].sign);
    }
}

static void is_within_a_prefix(void **state)
{
    (void)state;
    struct version full = parsed("12.8.1");
    struct version minor = parsed("12.8");
    struct version other = parsed("12.80");
    assert_true(version_within(&full, &minor));
    assert_false(version_within(&minor, &full));
    assert_false(version_within(&full, &other));
}

static void takes_a_prefix_of_a_package_version(void **state)
{
    (void)state;
    struct version version;
    char buffer[VERSION_TEXT_SIZE];
    assert_true(version_parse_prefix("2.36-9+deb12u14", &version));
    assert_string_equal(version_text(&version, 0, buffer), "2.36");
    assert_true(version_parse_prefix("570.86.15.", &version));
    assert_string_equal(version_text(&version, 0, buffer), "570.86.15");
    assert_false(version_parse_prefix("r570", &version));
    assert_false(version_parse_prefix("", &version));
}

static void reads_cuda_numbers(void **state)
{
    (void)state;
    struct version version;
    char buffer[VERSION_TEXT_SIZE];
    assert_true(version_from_cuda_number(13000, &version));
    assert_string_equal(version_text(&version, 0, buffer), "13.0");
    assert_true(version_from_cuda_number(12080, &version));
    assert_string_equal(version_text(&version, 0, buffer), "12.8");
    assert_false(version_from_cuda_number(0, &version));
    assert_false(version_from_cuda_number(-13000, &version));
    assert_false(version_from_cuda_number(INT64_MAX, &version));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parses_and_prints_what_it_read),
        cmocka_unit_test(refuses_what_is_not_a_version),
        cmocka_unit_test(compares_by_number),
        cmocka_unit_test(is_within_a_prefix),
        cmocka_unit_test(takes_a_prefix_of_a_package_version),
        cmocka_unit_test(reads_cuda_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
