/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/shell.h"
#include "base/text.h"

static void test_shell_quote(void **state)
{
    static const char *const rows[][2] = {
        {"/usr/local/cuda-13.0", "/usr/local/cuda-13.0"},
        {"", "''"},
        {"a b", "'a b'"},
        {"it's", "'it'\\''s'"},
        {"$(rm -rf /)", "'$(rm -rf /)'"},
        {"`x`;\"y\"", "'`x`;\"y\"'"},
        {"a\nb", "$'a\\x0ab'"},
        {"\x1b[31m'\\", "$'\\x1b[31m\\'\\\\'"},
        {"~", "'~'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        AUTO_FREE char *quoted = shell_quote(rows[i][0]);
        assert_string_equal(quoted, rows[i][1]);
    }
}

/* What bash prints for a word; at most 63 bytes. */
static void shell_prints(const char *quoted, char got[static 64])
{
    AUTO_FREE char *command = mem_printf("printf %%s %s", quoted);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        execl("/bin/bash", "bash", "-c", command, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    size_t size = 0; /* bash may write line by line */
    for (ssize_t part = 1; part > 0 && size < 63; size += (size_t)part) {
        part = read(ends[0], got + size, 63 - size);
        assert_true(part >= 0);
    }
    close(ends[0]);
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    got[size] = '\0';
}

static void test_a_shell_reads_it_back(void **state)
{
    static const char *const words[] = {"/a b/c'd", "$HOME", "x\ny\tz", "\\", "*", "!", "a'b\nc\\"};
    (void)state;
    if (access("/bin/bash", X_OK) != 0)
        skip();
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        char got[64] = "";
        AUTO_FREE char *quoted = shell_quote(words[i]);
        shell_prints(quoted, got);
        assert_string_equal(got, words[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shell_quote),
        cmocka_unit_test(test_a_shell_reads_it_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
