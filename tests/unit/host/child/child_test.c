/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <errno.h>
#include <signal.h>

#include "base/error.h"
#include "base/strlist.h"
#include "base/text.h"
#include "host/can.h"
#include "host/child/child.h"
#include "host/child/child_process.h"
#include "host/local/local.h"
#include "host/root/bytes.h"
#include "host/root/clock.h"
#include "host/root/host.h"
#include "host/stuck.h"
#include "host/tree.h"

/* Longer than any of the programs here needs: reaching it is a failure of the test. */
#define LONG_MS 60000

#define AUTO_RESULT AUTO(child_result_free)

static struct host *live;

static void run(const char *const argv[], unsigned timeout_ms, struct child_result *ret_result)
{
    AUTO_ERROR struct error error = {0};
    int before = open_descriptors();
    if (!child_run(live, argv, timeout_ms, ret_result, &error))
        fail_msg("%s: %s: %s", error.what, error.where, error.why);
    assert_int_equal(open_descriptors(), before);
}

static void run_shell(const char *script, unsigned timeout_ms, struct child_result *ret_result)
{
    const char *const argv[] = {"/bin/sh", "-c", script, NULL};
    run(argv, timeout_ms, ret_result);
}

/* The process that the child named in its output: now an orphan of this one. */
static pid_t orphan(const struct child_result *result)
{
    long pid = strtol(text_string(&result->output), NULL, 10);
    assert_true(pid > 1);
    return (pid_t)pid;
}

static void assert_killed(pid_t pid)
{
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGKILL);
}

static void test_exit_code_and_output(void **state)
{
    (void)state;
    AUTO_RESULT struct child_result good = {0}, bad = {0};
    run_shell("echo out; echo err >&2", LONG_MS, &good);
    assert_true(good.exited);
    assert_int_equal(good.exit_code, 0);
    assert_string_equal(good.output.data, "out\n");
    assert_string_equal(good.errors.data, "err\n");
    assert_null(good.reason);
    run_shell("exit 7", LONG_MS, &bad);
    assert_true(bad.exited);
    assert_int_equal(bad.exit_code, 7);
    AUTO_FREE char *no_problem = child_result_problem(&good);
    AUTO_FREE char *problem = child_result_problem(&bad);
    assert_null(no_problem);
    assert_string_equal(problem, "exit code 7");
    assert_string_equal(text_string(&bad.output), "");
}

static void test_a_signal_is_named(void **state)
{
    (void)state;
    AUTO_RESULT struct child_result segv = {0}, killed = {0};
    run_shell("echo before; kill -SEGV $$", LONG_MS, &segv);
    assert_false(segv.exited);
    assert_string_equal(segv.reason, "killed by signal 11 (Segmentation fault)");
    assert_string_equal(segv.output.data, "before\n");
    run_shell("kill -KILL $$", LONG_MS, &killed);
    assert_false(killed.exited);
    assert_string_equal(killed.reason, "killed by signal 9 (Killed)");
}

static void test_the_deadline_ends_all_that_was_started(void **state)
{
    (void)state;
    AUTO_RESULT struct child_result result = {0};
    run_shell("trap '' TERM INT HUP; sleep 1000 & echo $!; while :; do wait; done", 2000, &result);
    assert_false(result.exited);
    assert_string_equal(result.reason, "no answer in 2 s");
    assert_killed(orphan(&result));
}

static void test_a_stopped_program_meets_its_deadline(void **state)
{
    (void)state;
    AUTO_RESULT struct child_result result = {0};
    run_shell("kill -STOP $$", 250, &result);
    assert_false(result.exited);
    assert_string_equal(result.reason, "no answer in 250 ms");
}

static void test_no_time_at_all(void **state)
{
    (void)state;
    AUTO_RESULT struct child_result result = {0};
    run_shell("sleep 1000", 0, &result);
    assert_false(result.exited);
    assert_string_equal(result.reason, "no answer in 0 s");
}

static void test_what_a_program_leaves_behind_is_killed(void **state)
{
    (void)state;
    AUTO_RESULT struct child_result result = {0};
    run_shell("sleep 1000 & echo $!; exit 3", LONG_MS, &result);
    assert_true(result.exited);
    assert_int_equal(result.exit_code, 3);
    assert_killed(orphan(&result));
}

/* In a session of its own it escapes the group, and keeps the pipes open. */
static void test_an_open_pipe_does_not_hold_up_the_answer(void **state)
{
    (void)state;
    AUTO_RESULT struct child_result result = {0};
    run_shell("setsid sh -c 'echo $$; kill -KILL $PPID; exec sleep 1000' & wait", LONG_MS, &result);
    pid_t escaped = orphan(&result);
    assert_int_equal(kill(escaped, SIGKILL), 0);
    assert_killed(escaped);
    assert_string_equal(result.reason, "killed by signal 9 (Killed)");
}

/* It wrote its number before it took the shell away, and goes on writing. */
static void test_an_endless_writer_does_not_either(void **state)
{
    (void)state;
    AUTO_RESULT struct child_result result = {0};
    run_shell("setsid sh -c 'echo $$; kill -KILL $PPID; exec yes' & wait", LONG_MS, &result);
    pid_t escaped = orphan(&result);
    assert_int_equal(kill(escaped, SIGKILL), 0);
    int status = 0;
    assert_int_equal(waitpid(escaped, &status, 0), escaped);
    assert_true(WIFSIGNALED(status)); /* by this test, or before by its pipe, which nobody reads */
    assert_true(WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGPIPE);
    assert_string_equal(result.reason, "killed by signal 9 (Killed)");
}

static void test_output_is_bounded(void **state)
{
    (void)state;
    AUTO_RESULT struct child_result result = {0};
    run_shell("head -c 10000000 /dev/zero; head -c 10000000 /dev/zero >&2; exit 5", LONG_MS,
              &result);
    assert_true(result.exited);
    assert_int_equal(result.exit_code, 5);
    assert_int_equal(result.output.size, CHILD_OUTPUT_MAX);
    assert_int_equal(result.errors.size, CHILD_OUTPUT_MAX);
}

static void test_a_writer_without_end_meets_its_deadline(void **state)
{
    (void)state;
    AUTO_RESULT struct child_result result = {0};
    run_shell("exec yes", 300, &result);
    assert_false(result.exited);
    assert_int_equal(result.output.size, CHILD_OUTPUT_MAX);
}

static void test_closed_pipes_are_not_an_end(void **state)
{
    (void)state;
    AUTO_RESULT struct child_result result = {0};
    run_shell("echo said; exec >&- 2>&-; /bin/true; /bin/true; exit 9", LONG_MS, &result);
    assert_true(result.exited);
    assert_int_equal(result.exit_code, 9);
    assert_string_equal(result.output.data, "said\n");
}

static void test_a_program_that_cannot_be_run(void **state)
{
    const char *root = *state;
    while (waitpid(-1, NULL, 0) > 0) /* orphans of earlier tests, killed and still on their way */
        continue;
    run_in(root, "printf 'not a program' > text; cp text script; chmod +x script; mkdir directory; "
                 "printf '#!/absent/interpreter\\n' > orphan; chmod +x orphan");
    static const struct {
        const char *name;
        const char *why;
    } cases[] = {
        {"absent", "No such file or directory"}, {"text", "Permission denied"},
        {"script", "Exec format error"},         {"directory", "Permission denied"},
        {"orphan", "No such file or directory"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        AUTO_ERROR struct error error = {0};
        AUTO_FREE char *path = mem_printf("%s/%s", root, cases[i].name);
        const char *const argv[] = {path, NULL};
        struct child_result result = {.exit_code = 42};
        assert_false(child_run(live, argv, LONG_MS, &result, &error));
        assert_string_equal(error.why, cases[i].why);
        assert_string_equal(error.where, path);
        assert_int_equal(result.exit_code, 42);
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    }
}

static void test_nothing_of_a_tree_is_run(void **state)
{
    AUTO_ERROR struct error error = {0};
    struct host *tree = host_new(*state, NULL);
    struct child_result result = {0};
    const char *const program[] = {"/bin/true", NULL};
    const char *const relative[] = {"true", NULL};
    assert_false(child_run(tree, program, LONG_MS, &result, &error));
    assert_int_equal(error.kind, ERROR_INTERNAL);
    host_free(tree);
    error_clear(&error);
    assert_false(child_run(live, relative, LONG_MS, &result, &error));
    assert_int_equal(error.kind, ERROR_INTERNAL);
    assert_false(child_run(live, relative, LONG_MS, &result, NULL));
}

static void test_the_environment_is_built_up(void **state)
{
    (void)state;
    AUTO_RESULT struct child_result result = {0};
    const char *const argv[] = {"/usr/bin/env", NULL};
    static char *variables[] = {
        (char *)"PATH=.:/tmp",
        (char *)"HOME=/home/user",
        (char *)"LANG=tr_TR.UTF-8",
        (char *)"SECRET=secret",
        (char *)"XCUDA_HOME=x",
        (char *)"NVIDIA_VISIBLE_DEVICES=all",
        (char *)"LD_PRELOAD=",
        (char *)"CUDA_HOME=/cuda",
        (char *)"CUDA_CACHE_PATH=a b=c",
        (char *)"LD_LIBRARY_PATH=/lib/of/user",
        NULL,
    };
    char **before = environ;
    environ = variables;
    run(argv, LONG_MS, &result);
    environ = before;
    assert_string_equal(result.output.data, "PATH=/usr/sbin:/usr/bin:/sbin:/bin\n"
                                            "HOME=/\n"
                                            "LANG=C.UTF-8\n"
                                            "CUDA_CACHE_PATH=a b=c\n"
                                            "CUDA_HOME=/cuda\n"
                                            "NVIDIA_VISIBLE_DEVICES=all\n"
                                            "LD_LIBRARY_PATH=/lib/of/user\n");
}

static void test_the_child_has_only_its_own(void **state)
{
    (void)state;
    AUTO_RESULT struct child_result result = {0};
    int high = fcntl(STDIN_FILENO, F_DUPFD, 500); /* no close-on-exec */
    int low = fcntl(STDIN_FILENO, F_DUPFD, 0);
    sigset_t signals, before;
    sigfillset(&signals);
    sigprocmask(SIG_SETMASK, &signals, &before);
    signal(SIGPIPE, SIG_IGN);
    run_shell("cd /proc/self/fd; echo *; readlink 0; ulimit -c; cat; cd - > /dev/null; "
              "grep -E 'NoNewPrivs|SigBlk|SigIgn' /proc/self/status",
              LONG_MS, &result);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(high);
    close(low);
    assert_string_equal(result.output.data, "0 1 2 3\n/dev/null\n0\n"
                                            "SigBlk:\t0000000000000000\n"
                                            "SigIgn:\t0000000000000000\n"
                                            "NoNewPrivs:\t1\n");
    assert_true(result.exited);
}

static void test_the_child_leads_a_session_without_terminal(void **state)
{
    (void)state;
    AUTO_RESULT struct child_result result = {0};
    const char *const argv[] = {"/usr/bin/cut", "-d ", "-f", "1,5,6,7", "/proc/self/stat", NULL};
    run(argv, LONG_MS, &result);
    pid_t pid = orphan(&result);
    AUTO_FREE char *expected = mem_printf("%d %d %d 0\n", pid, pid, pid);
    assert_string_equal(result.output.data, expected);
}

static void test_an_ignored_sigchld_loses_nothing(void **state)
{
    (void)state;
    AUTO_RESULT struct child_result result = {0};
    signal(SIGCHLD, SIG_IGN);
    run_shell("exit 4", LONG_MS, &result);
    struct sigaction action;
    sigaction(SIGCHLD, NULL, &action);
    signal(SIGCHLD, SIG_DFL);
    assert_true(action.sa_handler == SIG_IGN);
    assert_true(result.exited);
    assert_int_equal(result.exit_code, 4);
}

static void test_closed_standard_descriptors(void **state)
{
    (void)state;
    AUTO_RESULT struct child_result result = {0};
    int input = fcntl(0, F_DUPFD_CLOEXEC, 100);
    int output = fcntl(1, F_DUPFD_CLOEXEC, 100);
    int errors = fcntl(2, F_DUPFD_CLOEXEC, 100);
    close(0);
    close(1);
    close(2);
    const char *const argv[] = {"/bin/sh", "-c", "echo out; echo err >&2; cat", NULL};
    bool started = child_run(live, argv, LONG_MS, &result, NULL);
    dup2(input, 0);
    dup2(output, 1);
    dup2(errors, 2);
    close(input);
    close(output);
    close(errors);
    assert_true(started);
    assert_string_equal(result.output.data, "out\n");
    assert_string_equal(result.errors.data, "err\n");
}

/* gpuenv is killed while a child runs: the child says when it does, through the FIFO. */
static void test_the_child_dies_with_its_parent(void **state)
{
    const char *root = *state;
    run_in(root, "mkfifo alive");
    AUTO_FREE char *fifo = mem_printf("%s/alive", root);
    AUTO_FREE char *script = mem_printf("echo $$ > %s; exec sleep 1000", fifo);
    const char *const argv[] = {"/bin/sh", "-c", script, NULL};
    pid_t parent = fork();
    if (parent == 0) {
        struct child_result result;
        child_run(live, argv, LONG_MS, &result, NULL);
        _exit(1);
    }
    struct child_result said = {0};
    AUTO_CLOSE int reader = open(fifo, O_RDONLY | O_CLOEXEC);
    assert_true(reader >= 0 && bytes_read(reader, 100, &said.output) == 0);
    pid_t child = orphan(&said);
    child_result_free(&said);
    assert_int_equal(kill(parent, SIGKILL), 0);
    assert_killed(parent);
    assert_killed(child);
}

/* What child_run() rests on when a child cannot be killed, or the kernel has no pidfd. */
static void test_waiting_has_an_end(void **state)
{
    (void)state;
    static char *const environment[] = {NULL};
    const char *const argv[] = {"/bin/sleep", "1000", NULL};
    struct child_process child;
    int status = 0;
    assert_true(child_process_start(argv, environment, &child, NULL));
    assert_false(child_process_ended(&child));
    assert_false(child_process_reap(&child, 0, &status));
    assert_false(child_process_reap(&child, 30, &status));
    if (child.pidfd >= 0)
        close(fd_steal(&child.pidfd));
    assert_true(child_process_wait_ms(&child, clock_ms() + LONG_MS) <= 10);
    assert_false(child_process_reap(&child, 30, &status));
    child_process_kill(&child);
    assert_true(child_process_reap(&child, LONG_MS, &status));
    assert_int_equal(WTERMSIG(status), SIGKILL);
    assert_true(child_process_ended(&child));
    child_process_close(&child);
}

static int check_unkillable(const char *root)
{
    pid_t server = -1;
    if (!mount_stuck(root, &server))
        return APART_SKIP;
    AUTO_FREE char *path = mem_printf("%s/file", root);
    const char *const argv[] = {"/bin/cat", path, NULL};
    AUTO_RESULT struct child_result result = {0};
    apart(child_run(live, argv, 500, &result, NULL));
    apart(!result.exited);
    const char *number = strstr(result.reason, "pid ");
    apart(string_starts(result.reason, "no answer in 500 ms; killed, but still in the kernel"));
    apart(number != NULL);
    pid_t stuck = (pid_t)strtol(number + 4, NULL, 10);
    apart(waitpid(stuck, NULL, WNOHANG) == 0);
    /* Without its server the file system lets go, and the signal that was sent arrives. */
    int status = 0;
    apart(kill(server, SIGKILL) == 0 && waitpid(server, NULL, 0) == server);
    apart(waitpid(stuck, &status, 0) == stuck && WIFSIGNALED(status));
    return 0;
}

static void test_a_child_that_cannot_be_killed_is_left(void **state)
{
    const char *root = *state;
    run_in(root, "mkdir mount");
    AUTO_FREE char *mount_point = mem_printf("%s/mount", root);
    int result = run_apart(check_unkillable, mount_point);
    if (result == APART_SKIP) {
        print_message("no FUSE here: a child that cannot be killed is not tested\n");
        skip();
    }
    assert_int_equal(result, 0);
}

static int setup(void **state)
{
    live = host_new(NULL, NULL);
    /* Orphans become children of the test, so that it can see how they ended. */
    return live == NULL || !can_adopt() || make_tree(state) != 0;
}

static int teardown(void **state)
{
    host_free(live);
    return remove_tree(state);
}

int main(void)
{
    if (!can_adopt()) {
        print_message("orphans do not become children of the test here: nothing is tested\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exit_code_and_output),
        cmocka_unit_test(test_a_signal_is_named),
        cmocka_unit_test(test_the_deadline_ends_all_that_was_started),
        cmocka_unit_test(test_a_stopped_program_meets_its_deadline),
        cmocka_unit_test(test_no_time_at_all),
        cmocka_unit_test(test_what_a_program_leaves_behind_is_killed),
        cmocka_unit_test(test_an_open_pipe_does_not_hold_up_the_answer),
        cmocka_unit_test(test_an_endless_writer_does_not_either),
        cmocka_unit_test(test_output_is_bounded),
        cmocka_unit_test(test_a_writer_without_end_meets_its_deadline),
        cmocka_unit_test(test_closed_pipes_are_not_an_end),
        cmocka_unit_test(test_a_program_that_cannot_be_run),
        cmocka_unit_test(test_nothing_of_a_tree_is_run),
        cmocka_unit_test(test_the_environment_is_built_up),
        cmocka_unit_test(test_the_child_has_only_its_own),
        cmocka_unit_test(test_the_child_leads_a_session_without_terminal),
        cmocka_unit_test(test_an_ignored_sigchld_loses_nothing),
        cmocka_unit_test(test_closed_standard_descriptors),
        cmocka_unit_test(test_the_child_dies_with_its_parent),
        cmocka_unit_test(test_waiting_has_an_end),
        cmocka_unit_test(test_a_child_that_cannot_be_killed_is_left),
    };
    return cmocka_run_group_tests_name("child", tests, setup, teardown);
}
