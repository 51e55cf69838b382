/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/exit.h"
#include "cli/engine/output.h"

/* What a child does with its stdout; it exits with the code of the error, or 0. */
static int exit_of(int (*prepare)(void), const char *bytes)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct error error = {0};
        struct text text = {0};
        text_append(&text, bytes);
        int fd = prepare();
        if (fd >= 0)
            dup2(fd, STDOUT_FILENO);
        else
            close(STDOUT_FILENO);
        output_prepare();
        bool written = output_stdout(&text, &error);
        text_free(&text);
        int code = written ? EXIT_DONE : (int)exit_code_of(error.kind);
        error_clear(&error);
        _exit(code);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int full_device(void)
{
    return open("/dev/full", O_WRONLY);
}

static int null_device(void)
{
    return open("/dev/null", O_WRONLY);
}

static int closed(void)
{
    return -1;
}

static int pipe_without_reader(void)
{
    int ends[2];
    if (pipe(ends) != 0)
        return -1;
    close(ends[0]);
    return ends[1];
}

static void stdout_that_takes_nothing(void **state)
{
    (void)state;
    assert_int_equal(exit_of(null_device, "text"), EXIT_DONE);
    assert_int_equal(exit_of(full_device, "text"), EXIT_CANNOT_WRITE);
    assert_int_equal(exit_of(closed, "text"), EXIT_CANNOT_WRITE);
    assert_int_equal(exit_of(pipe_without_reader, "text"), EXIT_CANNOT_WRITE);
}

/* A file opened later must not become stdout. */
static void closed_descriptors_are_taken(void **state)
{
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        for (int fd = 0; fd <= 2; fd++)
            close(fd);
        output_prepare();
        int next = open("/dev/null", O_RDWR);
        _exit(next > 2 && write(1, "x", 1) < 0 && write(2, "x", 1) < 0 ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void every_kind_has_its_code(void **state)
{
    (void)state;
    static const struct {
        enum error_kind kind;
        int code;
    } rows[] = {
        {.kind = ERROR_NONE, .code = 0},          {.kind = ERROR_USAGE, .code = 64},
        {.kind = ERROR_DATA, .code = 65},         {.kind = ERROR_NO_INPUT, .code = 66},
        {.kind = ERROR_UNAVAILABLE, .code = 69},  {.kind = ERROR_INTERNAL, .code = 70},
        {.kind = ERROR_CANNOT_WRITE, .code = 73}, {.kind = ERROR_BUSY, .code = 75},
        {.kind = ERROR_PERMISSION, .code = 77},   {.kind = ERROR_UNSATISFIABLE, .code = 78},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(exit_code_of(rows[i].kind), rows[i].code);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stdout_that_takes_nothing),
        cmocka_unit_test(closed_descriptors_are_taken),
        cmocka_unit_test(every_kind_has_its_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
