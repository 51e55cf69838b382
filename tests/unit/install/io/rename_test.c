/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/memory.h"
#include "install/io/rename.h"
#include "old_kernel.h"

static char directory[] = "/tmp/gpuenv-rename-XXXXXX";

static int set_up(void **state)
{
    static int fd;
    strcpy(directory + sizeof(directory) - 7, "XXXXXX");
    if (mkdtemp(directory) == NULL)
        return -1;
    fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *state = &fd;
    return fd < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
    AUTO_FREE char *command = mem_printf("rm -rf %s", directory);
    close(*(int *)*state);
    return system(command);
}

static bool make(int fd, const char *name, const char *text)
{
    int file = openat(fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    size_t size = strlen(text);
    return file >= 0 && write(file, text, size) == (ssize_t)size && close(file) == 0;
}

static bool holds(int fd, const char *name, const char *text)
{
    char bytes[16] = "";
    int file = openat(fd, name, O_RDONLY | O_CLOEXEC);
    bool same = file >= 0 && read(file, bytes, sizeof(bytes) - 1) >= 0 && strcmp(bytes, text) == 0;
    if (file >= 0)
        close(file);
    return same;
}

static bool is_gone(int fd, const char *name)
{
    return faccessat(fd, name, F_OK, 0) != 0 && errno == ENOENT;
}

/* A file and a directory get a new name; neither gets one that is taken. */
static bool keeps_what_is_there(void *data)
{
    int fd = *(int *)data;
    return make(fd, "a", "a") && make(fd, "b", "b") && rename_to_new(fd, "a", fd, "b") == -1 &&
           errno == EEXIST && holds(fd, "a", "a") && holds(fd, "b", "b") &&
           rename_to_new(fd, "a", fd, "c") == 0 && is_gone(fd, "a") && holds(fd, "c", "a") &&
           mkdirat(fd, "d", 0700) == 0 && make(fd, "d/x", "x") && mkdirat(fd, "e", 0700) == 0 &&
           rename_to_new(fd, "d", fd, "e") == -1 && errno == EEXIST &&
           rename_to_new(fd, "d", fd, "b") == -1 && errno == EEXIST &&
           rename_to_new(fd, "d", fd, "f") == 0 && is_gone(fd, "d") && holds(fd, "f/x", "x") &&
           rename_to_new(fd, "none", fd, "g") == -1 && errno == ENOENT;
}

static bool cannot_exchange(void *data)
{
    int fd = *(int *)data;
    return make(fd, "a", "a") && make(fd, "b", "b") && rename_exchange(fd, "a", fd, "b") == -1 &&
           errno == ENOSYS && holds(fd, "a", "a") && holds(fd, "b", "b");
}

static void test_to_new(void **state)
{
    assert_true(keeps_what_is_there(*state));
}

static void test_exchange(void **state)
{
    int fd = *(int *)*state;
    assert_true(make(fd, "a", "a") && make(fd, "b", "b"));
    if (rename_exchange(fd, "a", fd, "b") != 0 && errno == EINVAL)
        skip(); /* the file system of /tmp */
    assert_true(holds(fd, "a", "b"));
    assert_true(holds(fd, "b", "a"));
}

static void test_old_kernel(void **state)
{
    int said = old_kernel_try("3.10", keeps_what_is_there, *state);
    if (said < 0)
        skip();
    assert_int_equal(said, 1);
}

static void test_no_exchange(void **state)
{
    int said = old_kernel_try("3.10", cannot_exchange, *state);
    if (said < 0)
        skip();
    assert_int_equal(said, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_to_new, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_exchange, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_old_kernel, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_exchange, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
