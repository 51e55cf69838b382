/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <string.h>

#include "cli/env/env.h"

/* What each format makes of a name; the readers themselves are in tests/program/env. */

static void assert_format(env_append *append, const char *value, bool is_list, const char *expected)
{
    struct env_row row = {.name = "X_PATH", .value = (char *)(uintptr_t)value, .is_list = is_list};
    struct env env = {.prefix = row.value, .rows = &row, .count = 1};
    AUTO_TEXT struct text text = {0};
    AUTO_ERROR struct error error = {0};
    const struct env_input input = {.host = NULL};
    bool ok = append(&env, &input, &text, &error);
    assert_int_equal(ok, expected != NULL);
    if (expected)
        assert_string_equal(text_string(&text), expected);
    else
        assert_int_equal(error.kind, ERROR_USAGE);
}

static void sh_quotes_what_it_must(void **state)
{
    (void)state;
    assert_format(env_append_sh, "/a-1.2", false, "export X_PATH=/a-1.2\n");
    assert_format(env_append_sh, "/a b", false, "export X_PATH='/a b'\n");
    assert_format(env_append_sh, "/a'$b", false, "export X_PATH='/a'\\''$b'\n");
    assert_format(env_append_sh, "/\xc3\xa9", false, "export X_PATH='/\xc3\xa9'\n");
    assert_format(env_append_sh, "/a*", true,
                  "X_PATH='/a*'${X_PATH:+:$X_PATH}:\n"
                  "while case $X_PATH in *:'/a*':*) ;; *) false ;; esac; do "
                  "X_PATH=${X_PATH%:'/a*':*}:${X_PATH##*:'/a*':}; done\n"
                  "export X_PATH=${X_PATH%:}\n");
}

static void csh_quotes_the_sign_of_its_history(void **state)
{
    (void)state;
    assert_format(env_append_csh, "/a'b!c", false, "setenv X_PATH '/a'\\''b'\\!'c';\n");
    assert_format(env_append_csh, "/a", true,
                  "if ( ! $?X_PATH ) setenv X_PATH /a;\n"
                  "if ( \"${X_PATH}\" == \"\" ) setenv X_PATH /a;\n"
                  "if ( \"`printenv X_PATH | cut -d: -f1`\" != /a ) setenv X_PATH "
                  "/a:\"${X_PATH}\";\n");
}

static void fish_quotes_the_backslash_too(void **state)
{
    (void)state;
    assert_format(env_append_fish, "/a\\'b", false, "set -gx X_PATH '/a\\\\\\'b'\n");
}

static void docker_evaluates_nothing_of_a_name(void **state)
{
    (void)state;
    assert_format(env_append_docker, "/a$b\"c\\d", false, "ENV X_PATH=\"/a\\$b\\\"c\\\\d\"\n");
    assert_format(env_append_docker, "/a", true, "ENV X_PATH=\"/a${X_PATH:+:$X_PATH}\"\n");
}

static void modulefile_evaluates_nothing_of_a_name(void **state)
{
    (void)state;
    assert_format(env_append_modulefile, "/[a]", true,
                  "#%Module1.0\nmodule-whatis \"CUDA in /\\[a\\]\"\n"
                  "prepend-path X_PATH \"/\\[a\\]\"\n");
}

static void github_writes_into_the_two_files(void **state)
{
    (void)state;
    assert_format(env_append_github, "/a b", false,
                  "printf 'X_PATH=%s\\n' '/a b' >>\"$GITHUB_ENV\"\n");
}

static void lists_are_refused_what_would_cut_them(void **state)
{
    (void)state;
    assert_format(env_append_cmake, "/a;b", false, NULL);
    assert_format(env_append_cmake, "/a\\b", false, NULL);
}

/* A name that looks like the end of CMake's bracket. */
static void cmake_brackets_end_where_they_should(void **state)
{
    (void)state;
    static const struct {
        const char *value, *quoted;
    } cases[] = {
        {"/none", "\"/none\""},
        {"/none/$x", "[=[/none/$x]=]"},
        {"/none/]=]", "[==[/none/]=]]==]"},
        {"/none/a]", "[=[/none/a]]=]"},
        {"/none/a]=", "[==[/none/a]=]==]"},
    };
    struct host *host = host_new(NULL, NULL);
    const struct env_input input = {.host = host};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct env env = {.prefix = (char *)(uintptr_t)cases[i].value};
        AUTO_TEXT struct text text = {0};
        AUTO_FREE char *line = mem_printf("set(CUDAToolkit_ROOT %s CACHE", cases[i].quoted);
        assert_true(env_append_cmake(&env, &input, &text, NULL));
        assert_non_null(strstr(text_string(&text), line));
    }
    host_free(host);
}

static void a_list_has_the_directory_once_and_no_empty_part(void **state)
{
    (void)state;
    struct host *tree = host_new("/etc", NULL); /* whose environment is what the test says */
    struct env_row row = {.name = "X_PATH", .value = (char *)(uintptr_t) "/a", .is_list = true};
    static const struct {
        const char *there, *expected;
    } cases[] = {{"", "/a"},         {"/b", "/a:/b"},   {"/a", "/a"},
                 {"/a:/b", "/a:/b"}, {"/ab", "/a:/ab"}, {"/b:/a:/c:/a", "/a:/b:/c"}};
    AUTO_FREE char *unset = env_expand(tree, &row);
    assert_string_equal(unset, "/a");
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        host_set_environment(tree, "X_PATH", cases[i].there);
        AUTO_FREE char *value = env_expand(tree, &row);
        assert_string_equal(value, cases[i].expected);
    }
    host_free(tree);
}

static void formats_have_names_of_their_own(void **state)
{
    (void)state;
    for (const struct env_format *a = env_formats; a->name; a++)
        for (const struct env_format *b = env_formats; b != a; b++)
            assert_string_not_equal(a->name, b->name);
    assert_string_equal(env_formats[0].name, "sh");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sh_quotes_what_it_must),
        cmocka_unit_test(csh_quotes_the_sign_of_its_history),
        cmocka_unit_test(fish_quotes_the_backslash_too),
        cmocka_unit_test(docker_evaluates_nothing_of_a_name),
        cmocka_unit_test(modulefile_evaluates_nothing_of_a_name),
        cmocka_unit_test(github_writes_into_the_two_files),
        cmocka_unit_test(lists_are_refused_what_would_cut_them),
        cmocka_unit_test(cmake_brackets_end_where_they_should),
        cmocka_unit_test(a_list_has_the_directory_once_and_no_empty_part),
        cmocka_unit_test(formats_have_names_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
