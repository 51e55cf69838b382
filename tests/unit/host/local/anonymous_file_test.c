/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "host/local/anonymous_file.h"
#include "old_kernel.h"

/* It is empty, takes what is written, has no name, and is closed by execve(2). */
static bool is_good(void *data)
{
    (void)data;
    char back[4] = "";
    struct stat status;
    int fd = anonymous_file_new();
    return fd >= 0 && fstat(fd, &status) == 0 && status.st_size == 0 && status.st_nlink == 0 &&
           write(fd, "abc", 3) == 3 && pread(fd, back, 3, 0) == 3 && memcmp(back, "abc", 3) == 0 &&
           (fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0 && close(fd) == 0;
}

static void test_new(void **state)
{
    (void)state;
    assert_true(is_good(NULL));
}

static void test_old_kernel(void **state)
{
    (void)state;
    int said = old_kernel_try("3.10", is_good, NULL);
    if (said < 0)
        skip();
    assert_int_equal(said, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_new),
        cmocka_unit_test(test_old_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
