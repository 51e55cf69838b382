/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "host/child/command.h"

#define TIMEOUT_MS 20000

static struct child_result run(const char *const words[])
{
    AUTO_STRLIST struct strlist list = {0};
    AUTO_ERROR struct error error = {0};
    struct child_result result = {0};
    struct host *host = host_new(NULL, &error);
    for (size_t i = 0; words[i]; i++)
        strlist_add(&list, words[i]);
    assert_true(command_run(host, &list, TIMEOUT_MS, &result, &error));
    host_free(host);
    return result;
}

static void test_words_reach_it_as_they_are(void **state)
{
    (void)state;
    AUTO_CHILD_RESULT struct child_result result =
        run((const char *const[]){"printf", "%s|", "a b", "$(id)", "*", "'", NULL});
    assert_true(result.exited);
    assert_int_equal(result.exit_code, 0);
    assert_string_equal(text_string(&result.output), "a b|$(id)|*|'|");
}

static void test_environment_is_its_own(void **state)
{
    (void)state;
    setenv("LD_LIBRARY_PATH", "/nowhere", 1);
    setenv("CUDA_VISIBLE_DEVICES", "0", 1);
    AUTO_CHILD_RESULT struct child_result result = run((const char *const[]){"env", NULL});
    assert_null(strstr(text_string(&result.output), "CUDA_"));
    assert_null(strstr(text_string(&result.output), "LD_LIBRARY_PATH"));
    assert_non_null(strstr(text_string(&result.output), "PATH=/usr/sbin:"));
}

static void test_path_is_not_asked(void **state)
{
    (void)state;
    setenv("PATH", "/nowhere", 1);
    AUTO_CHILD_RESULT struct child_result result = run((const char *const[]){"true", NULL});
    assert_true(result.exited);
    assert_int_equal(result.exit_code, 0);
}

static void test_failure(void **state)
{
    (void)state;
    AUTO_CHILD_RESULT struct child_result result =
        run((const char *const[]){"ls", "/no/such/file", NULL});
    assert_true(result.exited);
    assert_int_not_equal(result.exit_code, 0);
    assert_non_null(strstr(text_string(&result.errors), "/no/such/file"));
}

static void test_missing(void **state)
{
    (void)state;
    AUTO_STRLIST struct strlist list = {0};
    AUTO_ERROR struct error error = {0};
    struct child_result result = {0};
    struct host *host = host_new(NULL, &error);
    strlist_add(&list, "gpuenv-no-such-program");
    assert_false(command_run(host, &list, TIMEOUT_MS, &result, &error));
    assert_int_equal(error.kind, ERROR_NO_INPUT);
    assert_string_equal(error.what, "there is no gpuenv-no-such-program here");
    host_free(host);
}

static void test_nothing_of_a_tree_is_run(void **state)
{
    (void)state;
    AUTO_STRLIST struct strlist list = {0};
    AUTO_ERROR struct error error = {0};
    struct child_result result = {0};
    char directory[] = "/tmp/gpuenv-command-XXXXXX";
    assert_non_null(mkdtemp(directory));
    struct host *host = host_new(directory, &error);
    strlist_add(&list, "true");
    assert_false(command_run(host, &list, TIMEOUT_MS, &result, &error));
    host_free(host);
    rmdir(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_reach_it_as_they_are),
        cmocka_unit_test(test_environment_is_its_own),
        cmocka_unit_test(test_path_is_not_asked),
        cmocka_unit_test(test_failure),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_nothing_of_a_tree_is_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
