/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <errno.h>

#include "base/error.h"

static void says_what_where_why_and_next(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    assert_false(error_is_set(&error));
    assert_false(error_set_errno(&error, ERROR_NO_INPUT, ENOENT, "/no/such\nfile", "cannot read"));
    error_prefix(&error, "record");
    error_next(&error, "create one with: %s", "gpuenv facts");
    assert_true(error_is_set(&error));
    assert_int_equal(error.kind, ERROR_NO_INPUT);
    AUTO_TEXT struct text text = {0};
    error_format(&error, &text);
    assert_string_equal(text_string(&text), "record: cannot read: /no/such\\x0afile: No such file "
                                            "or directory\ncreate one with: gpuenv facts");
}

static void assert_printed(const struct error *error, unsigned columns, const char *expected)
{
    AUTO_TEXT struct text text = {0};
    error_print(error, "gpuenv", columns, &text);
    assert_string_equal(text_string(&text), expected);
}

static void a_command_is_never_broken(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    error_set(&error, ERROR_UNSATISFIABLE, "a framework is not installed");
    error_next(&error, "by pip it is installed:");
    error_command(&error, "pip install \"%s\" --index-url https://x", "torch==2.5.1 a\\b");
    assert_printed(&error, 24,
                   "gpuenv: a framework is\n"
                   "    not installed\n"
                   "by pip it is installed:\n"
                   "  pip install \"torch==2.5.1 a\\b\" --index-url https://x\n");
    assert_printed(&error, 0,
                   "gpuenv: a framework is not installed\n"
                   "by pip it is installed: pip install \"torch==2.5.1 a\\b\" --index-url "
                   "https://x\n");
    error_next(&error, "another way");
    assert_null(error.command);
}

static void a_second_error_replaces_the_first(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    error_set(&error, ERROR_DATA, "first %d", 1);
    error_where(&error, "here");
    error_set(&error, ERROR_USAGE, "second");
    assert_string_equal(error.what, "second");
    assert_null(error.where);
    assert_int_equal(error.kind, ERROR_USAGE);
}

static void a_limit_on_files_is_named(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    error_set_errno(&error, ERROR_CANNOT_WRITE, EFBIG, "/x", "cannot write");
    assert_true(string_starts(error.why, "File too large ("));
    assert_non_null(strstr(error.why, "ulimit -f"));
    error_set_errno(&error, ERROR_CANNOT_WRITE, ENOSPC, "/x", "cannot write");
    assert_string_equal(error.why, "No space left on device");
}

static void no_error_wanted_is_fine(void **state)
{
    (void)state;
    assert_false(error_set(NULL, ERROR_DATA, "x"));
    assert_false(error_where(NULL, "x"));
    assert_false(error_prefix(NULL, "x"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_where_why_and_next),
        cmocka_unit_test(a_command_is_never_broken),
        cmocka_unit_test(a_second_error_replaces_the_first),
        cmocka_unit_test(a_limit_on_files_is_named),
        cmocka_unit_test(no_error_wanted_is_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
