/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "host/local/terminal.h"

static void test_none(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(terminal_columns(ends[1]), 0);
    close(ends[0]);
    close(ends[1]);
    assert_int_equal(terminal_columns(-1), 0);
}

static void test_its_size(void **state)
{
    (void)state;
    struct winsize size = {.ws_row = 24, .ws_col = 61};
    int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal < 0)
        skip(); /* no /dev/ptmx */
    assert_int_equal(grantpt(terminal), 0);
    assert_int_equal(unlockpt(terminal), 0);
    int fd = open(ptsname(terminal), O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(terminal_columns(fd), 0);
    assert_int_equal(ioctl(fd, TIOCSWINSZ, &size), 0);
    assert_int_equal(terminal_columns(fd), 61);
    close(fd);
    close(terminal);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_its_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
