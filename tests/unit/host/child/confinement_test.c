/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "host/child/confine.h"
#include "host/child/confinement.h"
#include "old_kernel.h"

/* What is said to be there can be used, and what is not cannot. */
static bool is_true(void *data)
{
    (void)data;
    return confinement_has_landlock() == confine_files() &&
           confinement_has_seccomp() == confine_calls();
}

static bool has_no_landlock(void *data)
{
    return !confinement_has_landlock() && confinement_has_seccomp() && is_true(data);
}

static void test_here(void **state)
{
    (void)state;
    int status = 0;
    pid_t pid = fork();
    if (pid == 0)
        _exit(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && is_true(NULL) ? 0 : 1);
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void test_old_kernels(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(old_kernels) / sizeof(old_kernels[0]); i++) {
        int said = old_kernel_try(old_kernels[i].release, has_no_landlock, NULL);
        if (said < 0)
            skip();
        assert_int_equal(said, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_here),
        cmocka_unit_test(test_old_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
