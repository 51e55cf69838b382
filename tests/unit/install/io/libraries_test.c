/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "install/io/libraries.h"

static const char *old(void)
{
    return "7.80.0";
}

static const char *floor_itself(void)
{
    return "7.81.0-DEV";
}

static const char *strange(void)
{
    return "none\x1b";
}

static bool check_one(const char *(*version)(void), struct error *error)
{
    const struct install_library libraries[] = {
        {.name = "libone", .oldest = "7.81", .version = version},
        {.name = NULL},
    };
    return libraries_check(libraries, error);
}

static void floors(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    assert_true(check_one(floor_itself, &error));
    assert_false(check_one(old, &error));
    assert_int_equal(error.kind, ERROR_INTERNAL);
    assert_string_equal(error.what, "libone 7.80.0 is too old");
    assert_non_null(strstr(error.why, "7.81"));
    assert_false(check_one(strange, &error));
    assert_int_equal(error.kind, ERROR_INTERNAL);
}

static void this_machine(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    libraries_append_versions(install_libraries, &text);
    assert_true(libraries_check(install_libraries, &error));
    assert_true(string_starts(text_string(&text), "libcurl "));
    assert_non_null(strstr(text_string(&text), "\nlibarchive 3."));
    assert_non_null(strstr(text_string(&text), "\nOpenSSL 3."));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floors),
        cmocka_unit_test(this_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
