/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/error.h"
#include "base/strlist.h"
#include "base/text.h"
#include "host/root/file.h"
#include "host/root/host.h"
#include "host/tree.h"

static void test_only_slash_is_live(void **state)
{
    const char *root = *state;
    struct host *live = host_new("/", NULL);
    struct host *by_default = host_new(NULL, NULL);
    struct host *tree = host_new(root, NULL);
    assert_true(host_is_live(live) && host_is_live(by_default));
    assert_string_equal(host_root(live), "/");
    assert_string_equal(host_root(by_default), "/");
    assert_false(host_is_live(tree));
    assert_string_equal(host_root(tree), root);
    host_free(live);
    host_free(by_default);
    host_free(tree);
    host_free(NULL);
}

static void test_a_root_that_cannot_be_opened_is_said(void **state)
{
    const char *root = *state;
    run_in(root, ": > file; mkfifo fifo; ln -s loop loop");
    static const struct {
        const char *name;
        const char *why;
    } cases[] = {
        {"absent", "No such file or directory"},
        {"file", "Not a directory"},
        {"fifo", "Not a directory"},
        {"loop", "Too many levels of symbolic links"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        AUTO_ERROR struct error error = {0};
        AUTO_FREE char *path = mem_printf("%s/%s", root, cases[i].name);
        assert_null(host_new(path, &error));
        assert_int_equal(error.kind, ERROR_NO_INPUT);
        assert_string_equal(error.where, path);
        assert_string_equal(error.why, cases[i].why);
    }
    assert_null(host_new("", NULL));
}

static void test_the_live_environment_is_the_process_s(void **state)
{
    (void)state;
    struct host *host = host_new(NULL, NULL);
    setenv("GPUENV_TEST_B", "two", 1);
    setenv("GPUENV_TEST_A", "", 1);
    unsetenv("GPUENV_TEST_C");
    host_set_environment(host, "GPUENV_TEST_B", "ignored");
    assert_string_equal(host_environment(host, "GPUENV_TEST_B"), "two");
    assert_string_equal(host_environment(host, "GPUENV_TEST_A"), "");
    assert_null(host_environment(host, "GPUENV_TEST_C"));
    AUTO_STRLIST struct strlist names = {0};
    host_environment_names(host, "GPUENV_TEST_", &names);
    AUTO_FREE char *joined = strlist_join(&names, " ");
    assert_string_equal(joined, "GPUENV_TEST_A GPUENV_TEST_B");
    host_free(host);
}

static void test_a_tree_has_only_the_environment_it_is_given(void **state)
{
    struct host *host = host_new(*state, NULL);
    setenv("CUDA_HOME", "/live", 1);
    assert_null(host_environment(host, "CUDA_HOME"));
    assert_null(host_environment(host, "PATH"));
    host_set_environment(host, "CUDA_VISIBLE_DEVICES", "0");
    host_set_environment(host, "CUDA_HOME", "/first");
    host_set_environment(host, "CUDA_HOME", "/recorded");
    host_set_environment(host, "CUDA_PATH", "/gone");
    host_set_environment(host, "CUDA_PATH", NULL);
    assert_string_equal(host_environment(host, "CUDA_HOME"), "/recorded");
    assert_null(host_environment(host, "CUDA_PATH"));
    AUTO_STRLIST struct strlist names = {0};
    host_environment_names(host, "CUDA_", &names);
    AUTO_FREE char *joined = strlist_join(&names, " ");
    assert_string_equal(joined, "CUDA_HOME CUDA_VISIBLE_DEVICES");
    host_free(host);
}

static void test_nothing_live_shows_through_a_tree(void **state)
{
    struct host *host = host_new(*state, NULL);
    struct host_kernel kernel;
    unsigned long long soft, hard;
    assert_false(host_kernel(host, &kernel));
    assert_false(host_memlock_limit(host, &soft, &hard));
    assert_null(host_libc_version(host));
    assert_int_equal(host_user_id(host), getuid());
    host_free(host);
}

static void test_the_live_machine_says_what_it_is(void **state)
{
    (void)state;
    struct host *host = host_new(NULL, NULL);
    struct utsname name;
    struct host_kernel kernel;
    assert_int_equal(uname(&name), 0);
    assert_true(host_kernel(host, &kernel));
    assert_string_equal(kernel.release, name.release);
    assert_string_equal(kernel.version, name.version);
    assert_string_equal(kernel.machine, name.machine);
#ifdef __GLIBC__
    AUTO_FREE char *version = mem_printf("%d.%d", __GLIBC__, __GLIBC_MINOR__);
    assert_true(strcmp(host_libc_version(host), version) >= 0);
#endif
    host_free(host);
}

static int check_memlock(const char *root)
{
    (void)root;
    struct host *host = host_new(NULL, NULL);
    unsigned long long soft = 0, hard = 0;
    struct rlimit limit;
    apart(getrlimit(RLIMIT_MEMLOCK, &limit) == 0);
    limit.rlim_cur = 4096;
    apart(setrlimit(RLIMIT_MEMLOCK, &limit) == 0);
    apart(host_memlock_limit(host, &soft, &hard));
    apart(soft == 4096);
    apart(hard == (limit.rlim_max == RLIM_INFINITY ? UINT64_MAX : limit.rlim_max));
    host_free(host);
    return 0;
}

static void test_the_memlock_limit_is_the_process_s(void **state)
{
    assert_int_equal(run_apart(check_memlock, *state), 0);
}

static void test_nothing_is_looked_at_after_the_deadline(void **state)
{
    const char *root = *state;
    run_in(root, "echo text > late");
    const char *const roots[] = {root, "/"};
    for (size_t i = 0; i < 2; i++) {
        struct host *host = host_new(roots[i], NULL);
        AUTO_FREE char *path = i == 0 ? mem_string("/late") : mem_printf("%s/late", root);
        AUTO_FREE char *line = NULL;
        AUTO_FREE char *real = NULL;
        AUTO_ERROR struct error error = {0};
        AUTO_STRLIST struct strlist names = {0};
        host_set_deadline(host, UINT64_MAX);
        assert_false(host_is_late(host));
        assert_int_equal(host_read_line(host, path, &line, NULL), HOST_OK);
        host_set_deadline(host, 1);
        assert_true(host_is_late(host));
        assert_int_equal(host_read_line(host, path, &line, &error), HOST_FAILED);
        assert_string_equal(error.why, "no time left");
        assert_string_equal(error.where, path);
        assert_int_equal(host_list(host, "/", &names, NULL), HOST_FAILED);
        assert_int_equal(host_real_path(host, path, &real, NULL), HOST_FAILED);
        assert_int_equal(names.count, 0);
        host_free(host);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_slash_is_live),
        cmocka_unit_test(test_a_root_that_cannot_be_opened_is_said),
        cmocka_unit_test(test_the_live_environment_is_the_process_s),
        cmocka_unit_test(test_a_tree_has_only_the_environment_it_is_given),
        cmocka_unit_test(test_nothing_live_shows_through_a_tree),
        cmocka_unit_test(test_the_live_machine_says_what_it_is),
        cmocka_unit_test(test_the_memlock_limit_is_the_process_s),
        cmocka_unit_test(test_nothing_is_looked_at_after_the_deadline),
    };
    return cmocka_run_group_tests_name("host", tests, make_tree, remove_tree);
}
