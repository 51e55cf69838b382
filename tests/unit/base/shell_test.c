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
        {"a\nb", "\"$(printf 'a\\012b')\""},
        {"\x1b[31m'\\%", "\"$(printf '\\033[31m\\047\\134\\045')\""},
        {"'; id; '\n", "$'\\x27\\x3b\\x20id\\x3b\\x20\\x27\\x0a'"},
        {"/home/j\xc3\xbcrgen", "'/home/j\xc3\xbcrgen'"},
        {"j\xfcrgen", "\"$(printf 'j\\374rgen')\""},
        {"\xe2\x80\xae", "\"$(printf '\\342\\200\\256')\""},
        {"~", "'~'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        AUTO_FREE char *quoted = shell_quote(rows[i][0]);
        assert_string_equal(quoted, rows[i][1]);
    }
}

static void test_split_list(void **state)
{
    static const char *const rows[][3] = {
        {"uname -r", "uname -r", NULL},
        {"uname -r; id", "uname -r", "id"},
        {"python3 -c 'import torch; torch.x()'; id", "python3 -c 'import torch; torch.x()'", "id"},
        {"echo \"a;\\\";b\"; id;", "echo \"a;\\\";b\"", "id"},
        {"echo 'a;", "echo 'a;", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        AUTO_STRLIST struct strlist commands = {0};
        shell_split_list(rows[i][0], &commands);
        assert_int_equal(commands.count, rows[i][2] ? 2 : 1);
        for (size_t k = 0; k < commands.count; k++)
            assert_string_equal(commands.items[k], rows[i][1 + k]);
    }
}

static void test_without_sudo(void **state)
{
    static const char *const rows[][2] = {
        {"sudo modprobe nvidia", "modprobe nvidia"},
        {"wget x && sudo dpkg -i x && sudo apt-get update",
         "wget x && dpkg -i x && apt-get update"},
        {"echo 1 | sudo tee /sys/x", "echo 1 | tee /sys/x"},
        {"ls '/a sudo b' \"/c sudo $(d \\\" sudo e)\"",
         "ls '/a sudo b' \"/c sudo $(d \\\" sudo e)\""},
        {"apt-get install sudo", "apt-get install sudo"},
        {"nosudo x; cd \\'sudo y", "nosudo x; cd \\'sudo y"},
        {"'open", "'open"},
        {"", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        AUTO_FREE char *line = shell_without_sudo(rows[i][0]);
        assert_string_equal(line, rows[i][1]);
    }
}

/* What a shell prints for a word; at most 63 bytes. */
static void shell_prints(const char *shell, const char *quoted, char got[static 64])
{
    AUTO_FREE char *command = mem_printf("printf %%s %s", quoted);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        execl(shell, shell, "-c", command, (char *)NULL);
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

static void reads_back(const char *shell, const char *word, const char *as)
{
    char got[64] = "";
    AUTO_FREE char *quoted = shell_quote(word);
    if (access(shell, X_OK) != 0)
        return;
    shell_prints(shell, quoted, got);
    assert_string_equal(got, as);
}

static void test_a_shell_reads_it_back(void **state)
{
    static const char *const words[] = {"/a b/c'd",
                                        "$HOME",
                                        "x\ny\tz",
                                        "\\",
                                        "*",
                                        "!",
                                        "a'b\nc\\",
                                        "%s%%\n\\n",
                                        "$(id)\r`id`",
                                        "'; id; '\x01",
                                        "\"$(id)\"\n.",
                                        "j\xc3\xbcrgen",
                                        "\xff\xfe",
                                        "-v\n."};
    (void)state;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        reads_back("/bin/sh", words[i], words[i]);
        reads_back("/bin/bash", words[i], words[i]);
    }
    reads_back("/bin/bash", "it's\n", "it's\n");
}

/* dash has no $'…': the word must not end before its end there either. */
static void test_no_shell_runs_a_part(void **state)
{
    (void)state;
    reads_back("/bin/dash", "'; echo no; '\n", "$\\x27\\x3b\\x20echo\\x20no\\x3b\\x20\\x27\\x0a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shell_quote),          cmocka_unit_test(test_split_list),
        cmocka_unit_test(test_without_sudo),         cmocka_unit_test(test_a_shell_reads_it_back),
        cmocka_unit_test(test_no_shell_runs_a_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
