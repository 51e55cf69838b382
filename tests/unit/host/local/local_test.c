/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

#include "base/error.h"
#include "base/text.h"
#include "host/local/local.h"
#include "host/root/bytes.h"
#include "host/tree.h"

static bool write_text(const char *path, const char *string, struct error *error)
{
    return local_write(path, string, strlen(string), error);
}

static char *path_in(const char *root, const char *name)
{
    return mem_printf("%s/%s", root, name);
}

static void assert_content(const char *path, const char *expected)
{
    AUTO_TEXT struct text text = {0};
    AUTO_ERROR struct error error = {0};
    if (!local_read(path, 1000, &text, &error))
        fail_msg("%s: %s: %s", error.what, error.where, error.why);
    assert_string_equal(text_string(&text), expected);
}

static void test_only_files_are_read(void **state)
{
    const char *root = *state;
    run_in(root, "mkfifo fifo");
    AUTO_FREE char *fifo = path_in(root, "fifo");
    AUTO_TEXT struct text text = {0};
    AUTO_ERROR struct error error = {0};
    assert_false(local_read(fifo, 10, &text, &error));
    assert_int_equal(error.kind, ERROR_NO_INPUT);
    assert_string_equal(error.why, "it is a FIFO, not a file");
    assert_false(local_read(root, 10, &text, &error));
    assert_string_equal(error.why, "it is a directory, not a file");
    assert_false(local_read("/dev/zero", 10, &text, &error));
    assert_string_equal(error.why, "it is a character device, not a file");
    assert_null(text.data);
}

static bool write_new(const char *path, const char *string, bool executable, struct error *error)
{
    return local_write_new(path, string, strlen(string), executable, error);
}

static void test_a_new_file_has_its_directories_and_its_mode(void **state)
{
    AUTO_FREE char *path = path_in(*state, "new/a/program"), *other = path_in(*state, "new/a/data");
    AUTO_ERROR struct error error = {0};
    struct stat status;
    assert_true(write_new(path, "#!/bin/sh\n", true, &error));
    assert_content(path, "#!/bin/sh\n");
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0100, 0100);
    assert_true(write_new(other, "x", false, &error));
    assert_int_equal(stat(other, &status), 0);
    assert_int_equal(status.st_mode & 0111, 0);
}

static void test_a_new_file_replaces_nothing(void **state)
{
    AUTO_FREE char *path = path_in(*state, "old"), *below = path_in(*state, "old/below");
    AUTO_FREE char *link = path_in(*state, "link");
    AUTO_ERROR struct error error = {0};
    assert_true(write_text(path, "old", &error));
    assert_int_equal(symlink("nowhere", link), 0);
    assert_false(write_new(path, "new", false, &error));
    assert_int_equal(error.kind, ERROR_CANNOT_WRITE);
    assert_string_equal(error.why, "File exists");
    assert_content(path, "old");
    error_clear(&error);
    assert_false(write_new(link, "new", false, &error));
    assert_string_equal(error.why, "File exists");
    error_clear(&error);
    assert_false(write_new(below, "new", false, &error));
    assert_string_equal(error.why, "Not a directory");
}

static bool is_asleep(pid_t pid)
{
    AUTO_FREE char *path = mem_printf("/proc/%d/stat", (int)pid);
    AUTO_TEXT struct text text = {0};
    const char *end = local_read(path, 4096, &text, NULL) ? strrchr(text_string(&text), ')') : NULL;
    return end && end[1] && end[2] == 'S';
}

/* As a shell's <(COMMAND) gives it; the other side may have set it to O_NONBLOCK. */
static int check_given(const char *root)
{
    int ends[2];
    AUTO_TEXT struct text text = {0};
    (void)root;
    apart(pipe2(ends, O_CLOEXEC) == 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
    apart(dup2(ends[0], 0) == 0 && dup2(ends[0], 63) == 63);
    pid_t reader = getpid(), pid = fork();
    if (pid == 0) {
        while (!is_asleep(reader)) /* it waits for this */
            sched_yield();
        _exit(bytes_write(ends[1], "through", 7) ? 0 : 1);
    }
    close(ends[1]);
    apart(local_read("/dev/fd/63", 100, &text, NULL) && string_equal(text.data, "through"));
    apart(local_read("/dev/stdin", 100, &text, NULL) && text.size == 0);
    apart(local_read("/proc/self/fd/0", 100, &text, NULL));
    apart(!local_read("/dev/fd/62", 100, &text, NULL));
    return waitpid(pid, NULL, 0) == pid ? 0 : 1;
}

static void test_what_was_given_to_the_process_is_read(void **state)
{
    assert_int_equal(run_apart(check_given, *state), 0);
}

static mode_t mode_of(const char *path)
{
    struct stat stat;
    assert_int_equal(lstat(path, &stat), 0);
    return stat.st_mode & 07777;
}

static void assert_nothing_left(const char *root)
{
    run_in(root, "test -z \"$(find . -name '.gpuenv-*')\"");
}

static void test_read(void **state)
{
    const char *root = *state;
    run_in(root, "printf 0123456789 > ten; printf 'a\\000b' > nul; : > empty; mkdir directory");
    AUTO_FREE char *ten = path_in(root, "ten"), *nul = path_in(root, "nul");
    AUTO_FREE char *directory = path_in(root, "directory"), *empty = path_in(root, "empty");
    AUTO_TEXT struct text text = {0};
    AUTO_ERROR struct error error = {0};
    assert_true(local_read(ten, 10, &text, NULL));
    assert_string_equal(text.data, "0123456789");
    assert_false(local_read(ten, 9, &text, &error));
    assert_int_equal(error.kind, ERROR_DATA);
    assert_string_equal(error.where, ten);
    assert_string_equal(error.why, "larger than 9 bytes");
    assert_string_equal(text.data, "0123456789");
    assert_true(local_read(nul, 10, &text, NULL));
    assert_int_equal(text.size, 3);
    assert_true(local_read(empty, 0, &text, NULL));
    assert_int_equal(text.size, 0);
    assert_false(local_read("/absent/x", 9, &text, &error));
    assert_int_equal(error.kind, ERROR_NO_INPUT);
    assert_string_equal(error.why, "No such file or directory");
    assert_false(local_read(directory, 9, &text, &error));
    assert_int_equal(error.kind, ERROR_NO_INPUT);
}

static int check_stdin(const char *root)
{
    int ends[2];
    AUTO_TEXT struct text text = {0};
    apart(pipe(ends) == 0 && write(ends[1], "piped", 5) == 5);
    apart(close(ends[1]) == 0 && dup2(ends[0], 0) == 0);
    apart(chdir(root) == 0 && local_read("-", 10, &text, NULL));
    apart(string_equal(text.data, "piped"));
    apart(local_read("./-", 10, &text, NULL) && string_equal(text.data, "a file"));
    return 0;
}

static void test_a_dash_is_stdin(void **state)
{
    run_in(*state, "printf 'a file' > ./-");
    assert_int_equal(run_apart(check_stdin, *state), 0);
}

static int check_new_file(const char *root)
{
    apart(chdir(root) == 0);
    umask(027);
    apart(write_text("relative", "one", NULL) && mode_of("relative") == 0640);
    umask(0);
    apart(write_text("./dot", "one", NULL) && mode_of("dot") == 0666);
    umask(077);
    apart(write_text("private", "", NULL) && mode_of("private") == 0600);
    return 0;
}

static void test_a_new_file_gets_the_umask_s_mode(void **state)
{
    const char *root = *state;
    assert_int_equal(run_apart(check_new_file, root), 0);
    AUTO_FREE char *path = path_in(root, "relative"), *empty = path_in(root, "private");
    assert_content(path, "one");
    assert_content(empty, "");
    assert_nothing_left(root);
}

static void test_an_existing_file_keeps_its_mode(void **state)
{
    const char *root = *state;
    run_in(root, "echo a long old content > file; chmod 604 file; ln file old");
    AUTO_FREE char *path = path_in(root, "file"), *old = path_in(root, "old");
    assert_true(write_text(path, "new", NULL));
    assert_content(path, "new");
    assert_int_equal(mode_of(path), 0604);
    assert_content(old, "a long old content\n"); /* replaced, not written over */
    assert_nothing_left(root);
}

static void test_an_existing_file_keeps_its_owner(void **state)
{
    const char *root = *state;
    AUTO_FREE char *path = path_in(root, "file");
    if (geteuid() != 0)
        skip();
    run_in(root, ": > file; chmod 640 file");
    assert_int_equal(chown(path, NOBODY, NOBODY), 0);
    assert_true(write_text(path, "new", NULL));
    struct stat stat_file;
    assert_int_equal(stat(path, &stat_file), 0);
    assert_int_equal(stat_file.st_uid, NOBODY);
    assert_int_equal(stat_file.st_gid, NOBODY);
    assert_int_equal(stat_file.st_mode & 07777, 0640);
}

static void test_a_link_is_written_through(void **state)
{
    const char *root = *state;
    run_in(root, "mkdir other; : > other/file; ln -s other/file link; ln -s link twice;"
                 "ln -s other/new dangling; ln -s loop loop; ln -s \"$PWD/other/abs\" absolute");
    static const struct {
        const char *name;
        const char *target;
    } cases[] = {
        {"link", "other/file"},
        {"twice", "other/file"},
        {"dangling", "other/new"},
        {"absolute", "other/abs"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        AUTO_FREE char *path = path_in(root, cases[i].name);
        AUTO_FREE char *target = path_in(root, cases[i].target);
        struct stat stat;
        assert_true(write_text(path, cases[i].name, NULL));
        assert_content(target, cases[i].name);
        assert_int_equal(lstat(path, &stat), 0);
        assert_true(S_ISLNK(stat.st_mode));
    }
    AUTO_FREE char *loop = path_in(root, "loop");
    AUTO_ERROR struct error error = {0};
    assert_false(write_text(loop, "x", &error));
    assert_int_equal(error.kind, ERROR_CANNOT_WRITE);
    assert_string_equal(error.why, "Too many levels of symbolic links");
    assert_nothing_left(root);
}

/* In a directory like /tmp, somebody else's link. */
static void test_a_planted_link_is_not_followed(void **state)
{
    const char *root = *state;
    if (geteuid() != 0)
        skip();
    run_in(root, "mkdir shared; chmod 1777 shared; echo precious > precious; cd shared;"
                 "ln -s ../precious planted; chown -h 65534 planted; ln -s ../own own");
    AUTO_FREE char *planted = path_in(root, "shared/planted"), *own = path_in(root, "shared/own");
    AUTO_FREE char *precious = path_in(root, "precious");
    AUTO_ERROR struct error error = {0};
    assert_false(write_text(planted, "x", &error));
    assert_non_null(strstr(error.what, "another user's link"));
    assert_content(precious, "precious\n");
    assert_true(write_text(own, "x", NULL));
}

#define LONG_TEXT 300000 /* more than a pipe holds */

static int write_to_fifo(const char *root)
{
    AUTO_FREE char *fifo = path_in(root, "fifo");
    AUTO_FREE char *text = mem_alloc(LONG_TEXT + 1);
    memset(text, 'x', LONG_TEXT);
    return write_text(fifo, text, NULL) ? 0 : 1;
}

static void test_a_fifo_is_written_to(void **state)
{
    const char *root = *state;
    run_in(root, "mkfifo fifo");
    AUTO_FREE char *fifo = path_in(root, "fifo");
    AUTO_CLOSE int fd = open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        _exit(write_to_fifo(root));
    AUTO_TEXT struct text text = {0};
    struct pollfd more = {.fd = fd, .events = POLLIN};
    fcntl(fd, F_SETFL, 0);
    assert_int_equal(poll(&more, 1, -1), 1); /* before that there is no writer */
    assert_int_equal(bytes_read(fd, 2 * LONG_TEXT, &text), 0);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(text.size, LONG_TEXT);
    struct stat stat;
    assert_int_equal(lstat(fifo, &stat), 0);
    assert_true(S_ISFIFO(stat.st_mode));
    assert_nothing_left(root);
}

static void make_socket(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
}

static void test_what_nobody_reads_is_not_waited_for(void **state)
{
    const char *root = *state;
    run_in(root, "mkfifo fifo; ln -s fifo link");
    AUTO_FREE char *fifo = path_in(root, "fifo"), *link = path_in(root, "link");
    AUTO_FREE char *socket = path_in(root, "socket");
    AUTO_ERROR struct error error = {0};
    make_socket(socket);
    assert_false(write_text(fifo, "x", &error));
    assert_int_equal(error.kind, ERROR_CANNOT_WRITE);
    assert_string_equal(error.why, "no program reads from this FIFO");
    assert_non_null(error.next);
    assert_false(write_text(link, "x", &error));
    assert_string_equal(error.where, link);
    assert_string_equal(error.why, "no program reads from this FIFO");
    assert_false(write_text(socket, "x", &error));
    assert_string_equal(error.why, "it is a socket, not a file");
}

/* What fsync(2) says the next times; 0: it is asked. */
static int sync_answers[4];
static int syncs;

int fsync(int fd)
{
    int number = syncs < 4 ? sync_answers[syncs++] : 0;
    if (number == 0)
        return fdatasync(fd);
    errno = number;
    return -1;
}

static void plan_syncs(int first, int second, int third)
{
    sync_answers[0] = first;
    sync_answers[1] = second;
    sync_answers[2] = third;
    syncs = 0;
}

static void test_what_the_disk_does_not_confirm_is_said(void **state)
{
    const char *root = *state;
    AUTO_FREE char *path = path_in(root, "file");
    AUTO_ERROR struct error error = {0};
    static const int real[] = {EIO, ENOSPC, EDQUOT}, none[] = {EINVAL, EOPNOTSUPP, EINTR};
    for (size_t i = 0; i < 3; i++) {
        plan_syncs(0, real[i], 0);
        AUTO_FREE char *text = mem_printf("%zu", i);
        assert_false(write_text(path, text, &error));
        assert_int_equal(error.kind, ERROR_CANNOT_WRITE);
        assert_string_equal(error.what,
                            "the file was written, but the disk did not confirm the write");
        assert_string_equal(error.why, strerror(real[i]));
        assert_non_null(error.next);
        assert_content(path, text);
        plan_syncs(0, none[i], 0);
        assert_true(write_text(path, "confirmed", NULL));
        assert_content(path, "confirmed");
    }
    plan_syncs(EIO, 0, 0);
    assert_false(write_text(path, "never there", &error));
    assert_string_equal(error.what, "cannot write");
    assert_content(path, "confirmed");
    plan_syncs(EINTR, EINTR, 0);
    assert_true(write_text(path, "in the end", NULL));
    plan_syncs(0, 0, 0);
    assert_nothing_left(root);
}

static void test_a_device_stays_one(void **state)
{
    (void)state;
    struct stat stat_null;
    assert_true(write_text("/dev/null", "gone", NULL));
    assert_int_equal(stat("/dev/null", &stat_null), 0);
    assert_true(S_ISCHR(stat_null.st_mode));
    AUTO_ERROR struct error error = {0};
    assert_false(write_text("/dev/full", "x", &error));
    assert_int_equal(error.kind, ERROR_CANNOT_WRITE);
    assert_string_equal(error.why, "No space left on device");
}

/* As in `echo first > all; gpuenv -o /dev/stdout >> all`. */
static int check_stdout(const char *root)
{
    AUTO_FREE char *path = path_in(root, "all"), *link = path_in(root, "link");
    int fd = open(path, O_WRONLY | O_APPEND);
    apart(dup2(fd, 1) == 1 && dup2(fd, 2) == 2 && dup2(fd, 9) == 9);
    apart(write_text("/dev/stdout", "1", NULL) && write_text("/dev/stderr", "2", NULL));
    apart(write_text("/dev/fd/9", "9", NULL) && write_text("/proc/self/fd/1", "p", NULL));
    apart(write_text(link, "l", NULL));
    apart(!write_text("/dev/fd/99", "x", NULL));
    return 0;
}

static void test_standard_output_is_not_replaced(void **state)
{
    const char *root = *state;
    run_in(root, "echo first > all; ln -s /dev/stdout link");
    assert_int_equal(run_apart(check_stdout, root), 0);
    AUTO_FREE char *path = path_in(root, "all");
    assert_content(path, "first\n129pl");
}

static void test_what_cannot_be_written_is_said(void **state)
{
    const char *root = *state;
    run_in(root, "mkdir directory; : > file");
    static const struct {
        const char *name;
        const char *why;
    } cases[] = {
        {"directory", "Is a directory"}, {"directory/", "Is a directory"},
        {".", "Is a directory"},         {"absent/file", "No such file or directory"},
        {"file/x", "Not a directory"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        AUTO_FREE char *path = path_in(root, cases[i].name);
        AUTO_ERROR struct error error = {0};
        assert_false(write_text(path, "x", &error));
        assert_int_equal(error.kind, ERROR_CANNOT_WRITE);
        assert_string_equal(error.where, path);
        assert_string_equal(error.why, cases[i].why);
    }
    assert_false(write_text("", "x", NULL));
    assert_nothing_left(root);
}

static const struct {
    const char *name;
    const char *why; /* NULL: it can be written */
} places[] = {
    {"new", NULL},
    {"file", NULL},
    {"link", NULL},
    {"fifo", NULL}, /* a reader may still come */
    {"/dev/null", NULL},
    {"/dev/stdout", NULL},
    {"directory", "Is a directory"},
    {"directory/", "Is a directory"},
    {"absent/file", "No such file or directory"},
    {"file/x", "Not a directory"},
    {"socket", "it is a socket, not a file"},
    {"loop", "Too many levels of symbolic links"},
    {"/dev/fd/99", "Bad file descriptor"},
    {"/dev/stdin", "Bad file descriptor"}, /* open for reading alone */
};

static int check_places(const char *root)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    apart(dup2(fd, STDIN_FILENO) == 0);
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        const char *name = places[i].name;
        AUTO_FREE char *path = name[0] == '/' ? mem_string(name) : path_in(root, name);
        AUTO_ERROR struct error error = {0};
        bool can = local_can_write(path, &error);
        if (can != (places[i].why == NULL) || !string_equal(error.why, places[i].why))
            print_message("%s: %s\n", name, error.why ? error.why : "can be written");
        apart(can == (places[i].why == NULL) && string_equal(error.why, places[i].why));
        apart(can || error.kind == ERROR_CANNOT_WRITE);
    }
    return 0;
}

static void test_a_place_is_looked_at_before(void **state)
{
    const char *root = *state;
    AUTO_FREE char *socket = path_in(root, "socket");
    make_socket(socket);
    run_in(root, "mkdir directory; echo old > file; ln -s file link; ln -s loop loop; mkfifo fifo");
    assert_int_equal(run_apart(check_places, root), 0);
    AUTO_FREE char *file = path_in(root, "file"), *new = path_in(root, "new");
    assert_content(file, "old\n");
    assert_int_not_equal(access(new, F_OK), 0);
    assert_nothing_left(root);
}

/* A file that may grow no further stands for a disk that is full. */
static int check_full(const char *root)
{
    const struct rlimit limit = {10, 10};
    AUTO_FREE char *path = path_in(root, "file"), *new = path_in(root, "new");
    AUTO_ERROR struct error error = {0};
    signal(SIGXFSZ, SIG_IGN);
    apart(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    apart(!write_text(path, "more than ten bytes", &error));
    apart(string_starts(error.why, "File too large (") && strstr(error.why, "ulimit -f"));
    apart(!write_text(new, "more than ten bytes", NULL));
    apart(access(new, F_OK) != 0);
    return 0;
}

static void test_a_failure_leaves_the_old_file_and_nothing_else(void **state)
{
    const char *root = *state;
    run_in(root, "echo old > file");
    assert_int_equal(run_apart(check_full, root), 0);
    AUTO_FREE char *path = path_in(root, "file");
    assert_content(path, "old\n");
    assert_nothing_left(root);
}

static int check_not_allowed(const char *root)
{
    apart(geteuid() != 0 || setresuid(NOBODY, NOBODY, NOBODY) == 0);
    AUTO_FREE char *read_only = path_in(root, "open/read_only"), *shut = path_in(root, "shut/new");
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *closed = path_in(root, "closed");
    apart(!write_text(read_only, "x", &error) && string_equal(error.why, "Permission denied"));
    apart(!write_text(shut, "x", &error) && string_equal(error.why, "Permission denied"));
    apart(!local_can_write(read_only, &error) && string_equal(error.why, "Permission denied"));
    apart(!local_can_write(shut, &error) && string_equal(error.why, "Permission denied"));
    apart(!local_read(closed, 10, &text, &error) && error.kind == ERROR_NO_INPUT);
    return 0;
}

static void test_permissions_are_heeded(void **state)
{
    const char *root = *state;
    run_in(root, "mkdir open shut; : > open/read_only; chmod 444 open/read_only; chmod 777 open;"
                 "chmod 555 shut; : > closed; chmod 000 closed");
    int result = run_apart(check_not_allowed, root);
    run_in(root, "chmod 755 shut");
    assert_int_equal(result, 0);
    assert_nothing_left(root);
}

static void test_the_program_s_directory(void **state)
{
    (void)state;
    AUTO_FREE char *directory = local_program_directory();
    AUTO_FREE char *expected = realpath(TEST_BINARY_DIR "/tests", NULL);
    assert_string_equal(directory, expected);
}

#define with_tree(test) cmocka_unit_test_setup_teardown(test, make_tree, remove_tree)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_tree(test_read),
        with_tree(test_only_files_are_read),
        with_tree(test_a_new_file_has_its_directories_and_its_mode),
        with_tree(test_a_new_file_replaces_nothing),
        with_tree(test_what_was_given_to_the_process_is_read),
        with_tree(test_a_dash_is_stdin),
        with_tree(test_a_new_file_gets_the_umask_s_mode),
        with_tree(test_an_existing_file_keeps_its_mode),
        with_tree(test_an_existing_file_keeps_its_owner),
        with_tree(test_a_link_is_written_through),
        with_tree(test_a_planted_link_is_not_followed),
        with_tree(test_a_fifo_is_written_to),
        with_tree(test_what_nobody_reads_is_not_waited_for),
        with_tree(test_what_the_disk_does_not_confirm_is_said),
        with_tree(test_a_place_is_looked_at_before),
        with_tree(test_a_device_stays_one),
        with_tree(test_standard_output_is_not_replaced),
        with_tree(test_what_cannot_be_written_is_said),
        with_tree(test_a_failure_leaves_the_old_file_and_nothing_else),
        with_tree(test_permissions_are_heeded),
        with_tree(test_the_program_s_directory),
    };
    alarm(120); /* what waits for a FIFO ends by that */
    return cmocka_run_group_tests_name("local", tests, NULL, NULL);
}
