/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "base/error.h"
#include "base/strlist.h"
#include "base/text.h"
#include "host/can.h"
#include "host/child/asking.h"
#include "host/child/asking_private.h"
#include "host/child/child_process.h"
#include "host/child/vendor.h"
#include "host/root/clock.h"
#include "host/root/host.h"
#include "host/stuck.h"
#include "host/tree.h"

/* Longer than any of the calls here needs: reaching it is a failure of the test. */
#define LONG_MS 60000

/* What a question that never ends is given: this, and four times as long as often as a busy machine
 * did not get to the others in that time. */
#define SHORT_MS 700

static struct host *live;

/* One call of one library. */
struct call {
    const char *path;
    const char *function;
};

struct functions {
    int (*call)(void);
};

static void ask_call(struct channel *channel, const void *context)
{
    const struct call *call = context;
    AUTO_ERROR struct error error = {0};
    struct functions functions = {0};
    struct vendor_library library = {0};
    const struct vendor_symbol symbols[] = {
        {.names = {call->function}, .field = offsetof(struct functions, call)},
        {.names = {NULL}},
    };
    channel_step(channel, "dlopen");
    if (!vendor_open(call->path, symbols, &functions, &library, &error)) {
        channel_answer(channel, error.why);
        return;
    }
    channel_answer(channel, "before");
    channel_step(channel, call->function);
    AUTO_FREE char *answer = mem_printf("%s = %d", call->function, functions.call());
    channel_answer(channel, answer);
    free(library.path);
}

/* After a round there is no process left that was not there before: this process is a subreaper,
 * so whatever a child left behind would be a child of its own. */
static void assert_nothing_left(void)
{
    int status = 0;
    assert_int_equal(waitpid(-1, &status, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void ask_all(const struct asking *askings, size_t count, uint64_t timeout_ms,
                    struct reply *ret_replies)
{
    int before = open_descriptors();
    uint64_t deadline = clock_ms() + timeout_ms;
    asking_all(live, askings, count, deadline, ret_replies);
    assert_true(clock_ms() <= deadline + LONG_MS);
    assert_int_equal(open_descriptors(), before);
    assert_nothing_left();
}

/* Asks for one call between two that answer. */
static void ask_three(const char *path, const char *good_path, const char *function,
                      uint64_t timeout_ms, struct reply *ret_replies)
{
    const struct call good = {.path = good_path, .function = "answer"};
    const struct call bad = {.path = path, .function = function};
    const struct asking askings[] = {
        {.library = "first", .ask = ask_call, .context = &good},
        {.library = "bad", .ask = ask_call, .context = &bad},
        {.library = "last", .ask = ask_call, .context = &good},
    };
    ask_all(askings, 3, timeout_ms, ret_replies);
}

/* The reply in the middle is the caller's. */
static void check_others(struct reply *replies)
{
    for (size_t i = 0; i < 3; i += 2) {
        assert_null(replies[i].reason);
        assert_true(replies[i].complete);
        assert_string_equal(replies[i].answers.data, "before\nanswer = 42\n");
        assert_string_equal(text_string(&replies[i].output), "");
        reply_free(&replies[i]);
    }
}

static void ask_between(const char *path, const char *good_path, const char *function,
                        uint64_t timeout_ms, struct reply *ret_reply)
{
    struct reply replies[3];
    ask_three(path, good_path, function, timeout_ms, replies);
    check_others(replies);
    *ret_reply = replies[1];
}

static void call_bad(const char *root, const char *function, uint64_t timeout_ms,
                     struct reply *ret_reply)
{
    AUTO_FREE char *path = mem_printf("%s/calls.so", root);
    ask_between(path, path, function, timeout_ms, ret_reply);
}

static void assert_reason(const struct reply *reply, const char *expected)
{
    assert_false(reply->complete);
    if (!string_equal(reply->reason, expected))
        fail_msg("\"%s\", not \"%s\"", reply->reason ? reply->reason : "(none)", expected);
}

/* Asks for what never ends in step, and keeps its reply: it answered what it could before, and was
 * given up when its time was over. */
static void ask_endless(const char *path, const char *good_path, const char *function,
                        const char *step, const char *answers, struct reply *ret_reply)
{
    static const char *const times[] = {"0.7 s", "2.8 s", "11.2 s", "44.8 s"};
    uint64_t timeout_ms = SHORT_MS;
    for (size_t i = 0; i < 4; i++, timeout_ms *= 4) {
        AUTO_FREE char *reason = mem_printf("no answer in %s in %s", times[i], step);
        struct reply replies[3];
        ask_three(path, good_path, function, timeout_ms, replies);
        bool late = !replies[0].complete || !replies[2].complete ||
                    !string_equal(text_string(&replies[1].answers), answers) ||
                    !string_equal(replies[1].reason, reason);
        for (size_t k = 0; late && i < 3 && k < 3; k++)
            reply_free(&replies[k]);
        if (late && i < 3)
            continue;
        check_others(replies);
        assert_reason(&replies[1], reason);
        assert_string_equal(text_string(&replies[1].answers), answers);
        *ret_reply = replies[1];
        return;
    }
}

static void test_how_a_call_ends(void **state)
{
    static const struct {
        const char *function;
        const char *reason;
    } cases[] = {
        {"segv", "killed by signal 11 (Segmentation fault) in segv"},
        {"fpe", "killed by signal 8 (Floating point exception) in fpe"},
        {"abort_now", "killed by signal 6 (Aborted) in abort_now"},
        {"raise_own", "killed by signal 15 (Terminated) in raise_own"},
        {"exit_0", "exited with code 0 in exit_0"},
        {"exit_3", "exited with code 3 in exit_3"},
        {"quick_exit_4", "exited with code 4 in quick_exit_4"},
        {"close_all", "closed its answer pipe in close_all"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct reply reply;
        call_bad(*state, cases[i].function, LONG_MS, &reply);
        assert_reason(&reply, cases[i].reason);
        assert_string_equal(text_string(&reply.answers), "before\n");
        assert_true(reply.output.size <= ASKING_OUTPUT_MAX);
        reply_free(&reply);
    }
}

static void test_a_call_that_never_ends(void **state)
{
    static const char *const functions[] = {"nap",  "spin",  "stop",
                                            "deaf", "flood", "flood_everything"};
    AUTO_FREE char *path = mem_printf("%s/calls.so", (char *)*state);
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        struct reply reply;
        ask_endless(path, path, functions[i], functions[i], "before\n", &reply);
        assert_true(reply.output.size <= ASKING_OUTPUT_MAX);
        reply_free(&reply);
    }
}

/* Of a table of calls. */
struct outcome {
    const char *function;
    int result;
};

static void check_outcomes(const char *root, const struct outcome *outcomes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct reply reply;
        call_bad(root, outcomes[i].function, LONG_MS, &reply);
        AUTO_FREE char *expected =
            mem_printf("before\n%s = %d\n", outcomes[i].function, outcomes[i].result);
        assert_string_equal(text_string(&reply.answers), expected);
        assert_true(reply.complete);
        assert_null(reply.reason);
        reply_free(&reply);
    }
}

static void test_what_is_refused(void **state)
{
    static const struct outcome outcomes[] = {
        {"fork_child", EPERM},
        {"escape", EPERM},
        {"run_program", EPERM},
        {"tcp_socket", EACCES},
    };
    static const char *const fatal[] = {"kill_parent", "stop_parent", "kill_all", "queue_parent"};
    if (!can_filter()) {
        print_message("no seccomp(2) here\n");
        skip();
    }
    check_outcomes(*state, outcomes, sizeof(outcomes) / sizeof(outcomes[0]));
    for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++) {
        struct reply reply;
        call_bad(*state, fatal[i], LONG_MS, &reply);
        AUTO_FREE char *reason = mem_printf(
            "killed by signal 31 (Bad system call) for signalling another process in %s", fatal[i]);
        assert_reason(&reply, reason);
        reply_free(&reply);
    }
}

static void test_files_are_refused(void **state)
{
    static const struct outcome node = {"make_node", EPERM}, file = {"make_file", EACCES};
    check_outcomes(*state, &node, 1);
    assert_int_not_equal(access("/dev/gpuenv-test", F_OK), 0);
    if (!can_landlock()) {
        print_message("no Landlock here\n");
        skip();
    }
    check_outcomes(*state, &file, 1);
    assert_int_not_equal(access("/tmp/gpuenv-asking-test", F_OK), 0);
}

static void test_what_works(void **state)
{
    static const struct outcome outcomes[] = {
        {"ask_for_parent", 0}, {"own_signal", 0},  {"unix_socket", 0}, {"threads", 0},
        {"jump", 0},           {"own_session", 0}, {"raise_core", 0},  {"many_descriptors", 0},
    };
    check_outcomes(*state, outcomes, sizeof(outcomes) / sizeof(outcomes[0]));
}

static void test_what_happens_by_itself(void **state)
{
    const char *root = *state;
    static const struct {
        const char *name;
        const char *reason;
    } cases[] = {
        {"segv.so", "killed by signal 11 (Segmentation fault) in dlopen"},
        {"abrt.so", "killed by signal 6 (Aborted) in dlopen"},
        {"fpe.so", "killed by signal 8 (Floating point exception) in dlopen"},
    };
    AUTO_FREE char *good = mem_printf("%s/calls.so", root);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        AUTO_FREE char *path = mem_printf("%s/%s", root, cases[i].name);
        struct reply reply;
        ask_between(path, good, "answer", LONG_MS, &reply);
        assert_reason(&reply, cases[i].reason);
        assert_string_equal(text_string(&reply.answers), "");
        reply_free(&reply);
    }
}

static void test_an_abort_at_exit_spoils_nothing(void **state)
{
    AUTO_FREE char *path = mem_printf("%s/abort_at_exit.so", (char *)*state);
    struct reply reply;
    ask_between(path, path, "answer", LONG_MS, &reply);
    assert_true(reply.complete);
    assert_string_equal(reply.answers.data, "before\nanswer = 42\n");
    reply_free(&reply);
    ask_between(path, path, "exit_3", LONG_MS, &reply);
    assert_reason(&reply, "killed by signal 6 (Aborted) in exit_3");
    reply_free(&reply);
}

static void test_what_cannot_be_loaded(void **state)
{
    const char *root = *state;
    AUTO_FREE char *good = mem_printf("%s/calls.so", root);
    run_in(
        root,
        ": > empty.so; mkdir directory.so; yes 'INPUT(-lm)' | head -n 100 > script.so; ln -s none "
        "dangling.so");
    static const char *const cases[][2] = {
        {"empty.so", "file too short"},
        {"directory.so", "cannot read file data"},
        {"script.so", "invalid ELF header"},
        {"dangling.so", "No such file or directory"},
        {"needs.so", "libgpuenv-none.so.1: cannot open"},
        {"symbol.so", "undefined symbol: gpuenv_none"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        AUTO_FREE char *path = mem_printf("%s/%s", root, cases[i][0]);
        struct reply reply;
        ask_between(path, good, "answer", LONG_MS, &reply);
        assert_true(reply.complete);
        if (strstr(text_string(&reply.answers), cases[i][1]) == NULL)
            fail_msg("%s: %s", cases[i][0], text_string(&reply.answers));
        reply_free(&reply);
    }
}

static void test_what_hangs_or_crashes_the_loader(void **state)
{
    const char *root = *state;
    AUTO_FREE char *good = mem_printf("%s/calls.so", root);
    AUTO_FREE char *fifo = mem_printf("%s/fifo.so", root);
    AUTO_FREE char *cut = mem_printf("%s/cut.so", root);
    struct reply reply;
    run_in(root, "mkfifo fifo.so; head -c 9000 calls.so > cut.so");
    ask_endless(fifo, good, "answer", "dlopen", "", &reply);
    reply_free(&reply);
    ask_between(cut, good, "answer", LONG_MS, &reply);
    assert_reason(&reply, "killed by signal 7 (Bus error) in dlopen");
    reply_free(&reply);
}

static void test_output_is_kept_and_bounded(void **state)
{
    struct reply reply;
    call_bad(*state, "print", LONG_MS, &reply);
    assert_true(reply.complete);
    assert_int_equal(reply.output.size, ASKING_OUTPUT_MAX);
    assert_memory_equal(reply.output.data, "\033[31m%n%s \r\xff\x01 000000000000000\n", 30);
    assert_string_equal(reply.answers.data, "before\nprint = 0\n");
    reply_free(&reply);
    call_bad(*state, "leave_partial", LONG_MS, &reply);
    assert_reason(&reply, "exited with code 5 in leave_partial");
    assert_string_equal(reply.output.data, "no end of line");
    reply_free(&reply);
}

static void test_garbage_in_every_descriptor(void **state)
{
    struct reply reply;
    call_bad(*state, "garbage", LONG_MS, &reply);
    assert_null(reply.reason);
    assert_true(reply.complete);
    assert_string_equal(reply.answers.data, "before\ngarbage = 0\n");
    reply_free(&reply);
}

static void test_all_at_once(void **state)
{
    static const char *const functions[] = {
        "answer", "segv",   "answer",  "nap",       "answer",      "spin",
        "exit_0", "answer", "print",   "flood",     "kill_parent", "deaf",
        "answer", "fpe",    "threads", "close_all", "garbage",     "answer",
    };
    enum { COUNT = sizeof(functions) / sizeof(functions[0]) };
    AUTO_FREE char *path = mem_printf("%s/calls.so", (char *)*state);
    struct call calls[COUNT];
    struct asking askings[COUNT];
    struct reply replies[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        bool kills = string_equal(functions[i], "kill_parent");
        calls[i] =
            (struct call){.path = path, .function = kills && !can_filter() ? "segv" : functions[i]};
        askings[i] = (struct asking){.library = "lib", .ask = ask_call, .context = &calls[i]};
    }
    ask_all(askings, COUNT, 2000, replies);
    for (size_t i = 0; i < COUNT; i++) {
        if (string_equal(functions[i], "answer"))
            assert_string_equal(text_string(&replies[i].answers), "before\nanswer = 42\n");
        assert_int_equal(replies[i].complete, replies[i].reason == NULL);
        assert_true(string_starts(text_string(&replies[i].answers), "before\n"));
        reply_free(&replies[i]);
    }
}

static void answer_a_lot(struct channel *channel, const void *context)
{
    const size_t *size = context;
    AUTO_FREE char *line = mem_alloc(*size + 1);
    memset(line, 'a', *size);
    for (int i = 0; i < 3000; i++)
        channel_answer(channel, line);
}

static void test_answers_are_bounded(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 100, 1000, ASKING_LINE_MAX - 2, ASKING_LINE_MAX - 1};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        const struct asking asking = {.ask = answer_a_lot, .context = &sizes[i]};
        struct reply reply;
        ask_all(&asking, 1, LONG_MS, &reply);
        bool fits = 3000 * (sizes[i] + 1) <= ASKING_ANSWERS_MAX;
        assert_int_equal(reply.complete, fits);
        if (!fits)
            assert_reason(&reply, "answered more than gpuenv keeps");
        assert_true(reply.answers.size <= ASKING_ANSWERS_MAX);
        assert_int_equal(reply.answers.size % (sizes[i] + 1), 0);
        reply_free(&reply);
    }
}

static void answer_oddly(struct channel *channel, const void *context)
{
    (void)context;
    channel_answer(channel, "");
    channel_answer(channel, "two\nlines");
    channel_answer(channel, "\036.\x80 %s");
    channel_step(channel, "a step\nof two lines");
    _exit(1);
}

static void test_odd_answers(void **state)
{
    (void)state;
    const struct asking asking = {.ask = answer_oddly};
    struct reply reply;
    ask_all(&asking, 1, LONG_MS, &reply);
    assert_reason(&reply, "exited with code 1 in a step of two lines");
    assert_string_equal(reply.answers.data, "\ntwo lines\n\036.\x80 %s\n");
    reply_free(&reply);
}

static void run_out(struct channel *channel, const void *context)
{
    channel_answer(channel, "before");
    channel_step(channel, "cuInit");
    if (context)
        raise(SIGKILL); /* as the kernel does where the machine or a container has none left */
    mem_exhausted();
}

static void test_no_memory_left(void **state)
{
    (void)state;
    const struct asking askings[] = {{.ask = run_out}, {.ask = run_out, .context = ""}};
    struct reply replies[2];
    ask_all(askings, 2, LONG_MS, replies);
    assert_reason(&replies[0], "out of memory in cuInit");
    assert_reason(&replies[1], "killed by signal 9 (Killed) perhaps for lack of memory in cuInit");
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(replies[i].answers.data, "before\n");
        reply_free(&replies[i]);
    }
}

/* Copies a file of /proc into the answers. */
static void answer_file(struct channel *channel, const char *path)
{
    char line[512];
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof(line), file)) {
        line[strcspn(line, "\n")] = '\0';
        channel_answer(channel, line);
    }
    if (file)
        fclose(file);
}

static void answer_process(struct channel *channel, const void *context)
{
    (void)context;
    answer_file(channel, "/proc/self/status");
    answer_file(channel, "/proc/self/limits");
    char target[256];
    static const char *const links[] = {"/proc/self/fd/0", "/proc/self/cwd"};
    for (size_t i = 0; i < 2; i++) {
        ssize_t size = readlink(links[i], target, sizeof(target) - 1);
        target[size < 0 ? 0 : size] = '\0';
        channel_answer(channel, target);
    }
    DIR *directory = opendir("/proc/self/fd");
    AUTO_TEXT struct text names = {0};
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
        if (strtol(entry->d_name, NULL, 10) != dirfd(directory) && entry->d_name[0] != '.')
            text_printf(&names, "%s ", entry->d_name);
    closedir(directory);
    channel_answer(channel, text_string(&names));
}

static uint64_t capability_set(const struct reply *reply, const char *name)
{
    const char *line = strstr(text_string(&reply->answers), name);
    assert_non_null(line);
    return strtoull(line + strlen(name), NULL, 16);
}

static void assert_answered(const struct reply *reply, const char *part)
{
    if (strstr(text_string(&reply->answers), part) == NULL)
        fail_msg("no \"%s\" in %s", part, text_string(&reply->answers));
}

static struct rlimit limit_of(__rlimit_resource_t resource)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(resource, &limit), 0);
    return limit;
}

/* Where the hard limit is 0, only root with CAP_SYS_RESOURCE has a 1. */
static void assert_no_core(const struct reply *reply)
{
    static const char one[] = "\nMax core file size        1                    1  ";
    if (limit_of(RLIMIT_CORE).rlim_max > 0 || strstr(text_string(&reply->answers), one))
        assert_answered(reply, one);
    else
        assert_answered(reply, "\nMax core file size        0                    0  ");
}

/* Where there is Landlock descriptor 4 is /proc/self/task (confine_files.c). The last is the way to
 * gpuenv: 900, or below a limit that is lower. */
static void assert_descriptors(const struct reply *reply)
{
    const char *first = can_landlock() ? "\n/dev/null\n/\n0 1 2 4 " : "\n/dev/null\n/\n0 1 2 ";
    assert_answered(reply, first);
    const char *last = strstr(text_string(&reply->answers), first) + strlen(first);
    char *end;
    unsigned long fd = strtoul(last, &end, 10);
    assert_string_equal(end, " \n");
    if (limit_of(RLIMIT_NOFILE).rlim_cur > 900)
        assert_int_equal(fd, 900);
    else
        assert_between(fd, CHILD_CARRIED_FD, limit_of(RLIMIT_NOFILE).rlim_cur - 1);
}

static void test_what_the_child_is_left_with(void **state)
{
    (void)state;
    const uint64_t dropped = UINT64_C(1) << 16 | UINT64_C(1) << 27;
    const struct asking asking = {.ask = answer_process};
    sigset_t signals, before;
    struct reply reply;
    int high = fcntl(STDIN_FILENO, F_DUPFD, 500);
    sigfillset(&signals);
    sigprocmask(SIG_SETMASK, &signals, &before);
    signal(SIGPIPE, SIG_IGN);
    ask_all(&asking, 1, LONG_MS, &reply);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(high);
    assert_true(reply.complete);
    assert_answered(&reply, "NoNewPrivs:\t1\n");
    assert_answered(&reply, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
    static const char *const sets[] = {"CapInh:", "CapPrm:", "CapEff:", "CapAmb:"};
    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
        assert_int_equal(capability_set(&reply, sets[i]) & dropped, 0);
    if (getuid() == 0) {
        assert_int_equal(capability_set(&reply, "CapBnd:") & dropped, 0);
        assert_int_not_equal(capability_set(&reply, "CapEff:"), 0);
    }
    if (can_filter())
        assert_answered(&reply, "Seccomp:\t2\n");
    assert_no_core(&reply);
    assert_descriptors(&reply);
    reply_free(&reply);
}

static void test_the_environment_is_built_up(void **state)
{
    AUTO_FREE char *path = mem_printf("%s/calls.so", (char *)*state);
    const struct call call = {.path = path, .function = "environment"};
    const struct asking asking = {.ask = ask_call, .context = &call};
    static char *variables[] = {
        (char *)"PATH=.:/tmp",
        (char *)"HOME=/home/user",
        (char *)"SECRET=secret",
        (char *)"LD_PRELOAD=",
        (char *)"LD_AUDIT=",
        (char *)"CUDA_VISIBLE_DEVICES=0 1",
        (char *)"NVIDIA_X=",
        (char *)"XCUDA_HOME=x",
        (char *)"LD_LIBRARY_PATH=/lib/of/user",
        (char *)"GCONV_PATH=/evil",
        NULL,
    };
    struct reply reply;
    char **before = environ;
    environ = variables;
    ask_all(&asking, 1, LONG_MS, &reply);
    environ = before;
    assert_string_equal(reply.output.data, "PATH=/usr/sbin:/usr/bin:/sbin:/bin\n"
                                           "HOME=/\n"
                                           "LANG=C.UTF-8\n"
                                           "CUDA_VISIBLE_DEVICES=0 1\n"
                                           "NVIDIA_X=\n"
                                           "LD_LIBRARY_PATH=/lib/of/user\n");
    reply_free(&reply);
}

/* What gpuenv has printed but not sent yet is gpuenv's, and so is what it does when it exits. */
static int check_streams(const char *root)
{
    AUTO_FREE char *path = mem_printf("%s/calls.so", root);
    AUTO_FREE char *file = mem_printf("%s/printed", root);
    const struct call calls[] = {{path, "exit_0"}, {path, "leave_partial"}};
    apart(freopen(file, "w", stdout) != NULL);
    printf("gpuenv's own");
    for (size_t i = 0; i < 2; i++) {
        const struct asking asking = {.ask = ask_call, .context = &calls[i]};
        struct reply reply;
        asking_all(live, &asking, 1, clock_ms() + LONG_MS, &reply);
        apart(strstr(text_string(&reply.output), "own") == NULL);
        reply_free(&reply);
    }
    apart(ftell(stdout) == (long)strlen("gpuenv's own"));
    return fflush(stdout);
}

static void test_streams_are_not_shared(void **state)
{
    assert_int_equal(run_apart(check_streams, *state), 0);
    run_in(*state, "test \"$(cat printed)\" = \"gpuenv's own\"");
}

static void test_nothing_of_a_tree_is_asked(void **state)
{
    struct host *tree = host_new(*state, NULL);
    const struct asking asking = {.ask = answer_oddly};
    struct reply reply;
    asking_all(tree, &asking, 1, clock_ms() + LONG_MS, &reply);
    assert_reason(&reply, "not asked: gpuenv runs nothing from a tree");
    reply_free(&reply);
    reply_free(&reply);
    host_free(tree);
}

static void test_no_time_and_no_question(void **state)
{
    (void)state;
    const struct asking asking = {.ask = answer_oddly};
    struct reply reply;
    ask_all(&asking, 1, 0, &reply);
    assert_reason(&reply, "not asked: no time left");
    reply_free(&reply);
    ask_all(&asking, 0, LONG_MS, &reply);
}

static int check_no_process(const char *root)
{
    (void)root;
    const struct asking askings[] = {{.ask = answer_oddly}, {.ask = answer_oddly}};
    const struct rlimit none = {0, 0};
    struct reply replies[2];
    apart(setrlimit(RLIMIT_NPROC, &none) == 0 && setuid(NOBODY) == 0);
    asking_all(live, askings, 2, clock_ms() + LONG_MS, replies);
    for (size_t i = 0; i < 2; i++) {
        apart(string_starts(replies[i].reason, "not asked: cannot start a process: Resource"));
        reply_free(&replies[i]);
    }
    return 0;
}

static void test_no_process_to_be_had(void **state)
{
    if (getuid() != 0) {
        print_message("not root\n");
        skip();
    }
    assert_int_equal(run_apart(check_no_process, *state), 0);
}

/* An ordinary user has nothing to drop, and is as well confined. */
static int check_ordinary_user(const char *root)
{
    AUTO_FREE char *path = mem_printf("%s/calls.so", root);
    static const char *const functions[] = {"make_node", "threads", "fork_child", "tcp_socket"};
    static const int results[] = {EPERM, 0, EPERM, EACCES};
    size_t count = can_filter() ? 4 : 2;
    apart(setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
    for (size_t i = 0; i < count; i++) {
        const struct call call = {.path = path, .function = functions[i]};
        const struct asking asking = {.ask = ask_call, .context = &call};
        AUTO_FREE char *expected = mem_printf("before\n%s = %d\n", functions[i], results[i]);
        struct reply reply;
        asking_all(live, &asking, 1, clock_ms() + LONG_MS, &reply);
        apart(reply.complete && string_equal(text_string(&reply.answers), expected));
        reply_free(&reply);
    }
    return 0;
}

static void test_an_ordinary_user(void **state)
{
    if (getuid() != 0) {
        print_message("not root: the other tests are this one\n");
        skip();
    }
    assert_int_equal(run_apart(check_ordinary_user, *state), 0);
}

/* Children that gpuenv had before it began, and who reaps what, are none of its business. */
static void test_other_children_stay(void **state)
{
    signal(SIGCHLD, SIG_IGN);
    pid_t other = fork();
    if (other == 0)
        for (;;)
            pause();
    AUTO_FREE char *path = mem_printf("%s/calls.so", (char *)*state);
    const struct call call = {.path = path, .function = "answer"};
    const struct asking asking = {.ask = ask_call, .context = &call};
    struct reply reply;
    int reaper = -1;
    struct sigaction action;
    asking_all(live, &asking, 1, clock_ms() + LONG_MS, &reply);
    assert_true(reply.complete);
    reply_free(&reply);
    sigaction(SIGCHLD, NULL, &action);
    signal(SIGCHLD, SIG_DFL);
    assert_true(action.sa_handler == SIG_IGN);
    prctl(PR_GET_CHILD_SUBREAPER, &reaper, 0, 0, 0);
    assert_int_equal(reaper, 1);
    assert_int_equal(waitpid(other, NULL, WNOHANG), 0);
    assert_int_equal(kill(other, SIGKILL), 0);
    assert_int_equal(waitpid(other, NULL, 0), other);
}

/* Where there is no seccomp(2) a library can start others. This one makes three, each in a session
 * of its own, of which the last starts two more when the others are gone. */
static void leave_strays(int answers, const void *context)
{
    (void)context;
    for (int i = 0; i < 3; i++)
        if (fork() == 0) {
            setsid();
            for (int j = 0; j < i; j++)
                if (fork() == 0)
                    setsid();
            if (write(answers, "x", 1) != 1)
                _exit(1);
            for (;;)
                pause();
        }
}

static void test_strays_are_killed(void **state)
{
    (void)state;
    static char *const environment[] = {NULL};
    const struct child_body body = {.run = leave_strays};
    struct strays strays;
    struct child_process child;
    pid_t other = fork();
    if (other == 0)
        for (;;)
            pause();
    strays_begin(&strays);
    assert_true(child_process_fork(&body, environment, &child, NULL));
    strays_note_child(&strays, child.pid);
    struct pollfd ready = {.fd = child.answers, .events = POLLIN};
    for (int seen = 0; seen < 7;) { /* 1, 2 and 4 */
        char byte;
        poll(&ready, 1, -1);
        if (read(child.answers, &byte, 1) == 1)
            seen++;
    }
    int status = 0;
    assert_int_equal(child_process_failure(&child), 0);
    assert_true(child_process_reap(&child, LONG_MS, &status));
    child_process_close(&child);
    strays.since = strays.since > 0 ? strays.since : 1;
    strays_end(&strays, clock_ms() + LONG_MS);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), 0); /* the other one is still there, alone */
    assert_int_equal(kill(other, SIGKILL), 0);
    assert_int_equal(waitpid(-1, NULL, 0), other);
    assert_nothing_left();
}

static int check_reaper_is_restored(const char *root)
{
    (void)root;
    const struct asking asking = {.ask = answer_oddly};
    struct reply reply;
    int reaper = -1;
    apart(prctl(PR_SET_CHILD_SUBREAPER, 0) == 0);
    asking_all(live, &asking, 1, clock_ms() + LONG_MS, &reply);
    reply_free(&reply);
    apart(prctl(PR_GET_CHILD_SUBREAPER, &reaper) == 0 && reaper == 0);
    return 0;
}

static void test_the_reaper_is_restored(void **state)
{
    assert_int_equal(run_apart(check_reaper_is_restored, *state), 0);
}

/* gpuenv is killed while a library is asked: the child goes with it. */
static void test_the_child_dies_with_gpuenv(void **state)
{
    AUTO_FREE char *path = mem_printf("%s/calls.so", (char *)*state);
    const struct call call = {.path = path, .function = "deaf"};
    const struct asking asking = {.ask = ask_call, .context = &call};
    pid_t parent = fork();
    if (parent == 0) {
        struct reply reply;
        asking_all(live, &asking, 1, clock_ms() + LONG_MS, &reply);
        _exit(1);
    }
    AUTO_FREE char *children = mem_printf("/proc/%d/task/%d/children", parent, parent);
    pid_t child = 0;
    while (child == 0) {
        char number[32] = "";
        FILE *file = fopen(children, "r");
        assert_non_null(file);
        if (fgets(number, sizeof(number), file))
            child = (pid_t)strtol(number, NULL, 10);
        fclose(file);
    }
    assert_int_equal(kill(parent, SIGKILL), 0);
    int status = 0;
    assert_int_equal(waitpid(parent, &status, 0), parent);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 127);
}

static void open_stuck(struct channel *channel, const void *context)
{
    channel_step(channel, "open");
    open(context, O_RDONLY | O_CLOEXEC);
    channel_answer(channel, "opened");
}

/* The first question never ends, and its child cannot be killed. Returns its process id. */
static pid_t ask_stuck(const char *path, uint64_t timeout_ms, bool *ret_in_time)
{
    static const char said[] = "; killed, but still in the kernel (state D), pid ";
    const struct asking askings[] = {{.ask = open_stuck, .context = path},
                                     {.ask = open_stuck, .context = "/dev/null"}};
    struct reply replies[2];
    uint64_t deadline = clock_ms() + timeout_ms;
    asking_all(live, askings, 2, deadline, replies);
    const char *stuck = replies[0].reason ? strstr(replies[0].reason, said) : NULL;
    *ret_in_time = clock_ms() <= deadline + LONG_MS && !replies[0].complete && stuck &&
                   string_starts(replies[0].reason, "no answer in ") &&
                   string_ends(replies[0].reason, ", in open") && replies[1].complete &&
                   string_equal(text_string(&replies[1].answers), "opened\n");
    pid_t pid = stuck ? (pid_t)strtol(stuck + strlen(said), NULL, 10) : -1;
    reply_free(&replies[0]);
    reply_free(&replies[1]);
    return pid;
}

static int check_unkillable(const char *root)
{
    pid_t server = -1, stuck[4];
    size_t count = 0;
    bool in_time = false;
    if (!mount_stuck(root, &server))
        return APART_SKIP;
    AUTO_FREE char *path = mem_printf("%s/file", root);
    for (uint64_t timeout_ms = SHORT_MS; !in_time && count < 4; timeout_ms *= 4)
        stuck[count++] = ask_stuck(path, timeout_ms, &in_time);
    apart(in_time);
    for (size_t i = 0; i < count; i++)
        apart(stuck[i] < 0 || waitpid(stuck[i], NULL, WNOHANG) == 0);
    int status = 0;
    apart(kill(server, SIGKILL) == 0 && waitpid(server, NULL, 0) == server);
    for (size_t i = 0; i < count; i++)
        apart(stuck[i] < 0 || (waitpid(stuck[i], &status, 0) == stuck[i] && WIFSIGNALED(status)));
    return 0;
}

static void test_a_child_that_cannot_be_killed_is_left(void **state)
{
    run_in(*state, "mkdir mount");
    AUTO_FREE char *mount_point = mem_printf("%s/mount", (char *)*state);
    int result = run_apart(check_unkillable, mount_point);
    if (result == APART_SKIP) {
        print_message("no FUSE here: a child that cannot be killed is not tested\n");
        skip();
    }
    assert_int_equal(result, 0);
}

struct versions {
    size_t (*cudnn)(void); /* cudnnGetVersion, cudnn_graph.h of 9.19 */
    int (*nccl)(int *);    /* ncclGetVersion, nccl.h of 2.28 */
    int (*runtime)(int *); /* cudaRuntimeGetVersion, cuda_runtime_api.h of 13.0 */
    int (*count)(int *);   /* cudaGetDeviceCount */
};

static const struct vendor_symbol version_symbols[] = {
    {.names = {"cudnnGetVersion"}, .field = offsetof(struct versions, cudnn)},
    {.names = {"ncclGetVersion"}, .field = offsetof(struct versions, nccl)},
    {.names = {"cudaRuntimeGetVersion"}, .field = offsetof(struct versions, runtime)},
    {.names = {"cudaGetDeviceCount"}, .field = offsetof(struct versions, count)},
    {.names = {NULL}},
};

static void answer_number(struct channel *channel, const char *name, long long number)
{
    AUTO_FREE char *line = mem_printf("%s %lld", name, number);
    channel_answer(channel, line);
}

static void ask_versions(struct channel *channel, const void *path)
{
    struct versions versions = {0};
    struct vendor_library library = {0};
    int number = 0;
    if (!vendor_open(path, version_symbols, &versions, &library, NULL))
        return;
    if (versions.cudnn)
        answer_number(channel, "cudnn", (long long)versions.cudnn());
    if (versions.nccl && versions.nccl(&number) == 0)
        answer_number(channel, "nccl", number);
    if (versions.runtime && versions.runtime(&number) == 0)
        answer_number(channel, "runtime", number);
    if (versions.count)
        channel_answer(channel, versions.count(&number) >= 0 ? "counted" : "");
    free(library.path);
}

/* Those of the build machine's CUDA 13.0 work in what is left of a process. */
static void test_real_libraries(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"/usr/local/cuda-13.0/lib/libcudnn.so.9", "cudnn 91900\n"},
        {"/usr/local/cuda-13.0/lib/libnccl.so.2", "nccl 22809\n"},
        {"/usr/local/cuda-13.0/lib/libcudart.so.13", "runtime 13000\ncounted\n"},
    };
    struct asking askings[3];
    struct reply replies[3];
    for (size_t i = 0; i < 3; i++) {
        askings[i] = (struct asking){.ask = ask_versions, .context = cases[i][0]};
        if (access(cases[i][0], R_OK) != 0) {
            print_message("no %s: real libraries are not asked\n", cases[i][0]);
            skip();
        }
    }
    ask_all(askings, 3, LONG_MS, replies);
    for (size_t i = 0; i < 3; i++) {
        assert_null(replies[i].reason);
        assert_string_equal(text_string(&replies[i].answers), cases[i][1]);
        reply_free(&replies[i]);
    }
}

static void test_lines_in_pieces(void **state)
{
    (void)state;
    static const char bytes[] = "junk\n\036=one\n\n\036>step\n\036\n\036x?\n\036=\n\036.\nrest";
    for (size_t piece = 1; piece < sizeof(bytes); piece++) {
        AUTO_LINES struct asking_lines lines = {0};
        AUTO_TEXT struct text answers = {0};
        for (size_t at = 0; at < sizeof(bytes) - 1; at += piece) {
            size_t left = sizeof(bytes) - 1 - at;
            asking_lines_take(&lines, bytes + at, left < piece ? left : piece, &answers);
        }
        assert_string_equal(text_string(&answers), "one\n\n");
        assert_string_equal(lines.step, "step");
        assert_true(lines.done);
        assert_false(lines.overflow);
        assert_null(lines.refused);
    }
}

static int setup(void **state)
{
    live = host_new(NULL, NULL);
    if (live == NULL || !can_adopt() || make_tree(state) != 0)
        return 1;
    setenv("TEST_SOURCE_DIR", TEST_SOURCE_DIR, 1); /* its name may need quotes */
    run_in(*state, "compile() { out=$1; shift; ${CC:-cc} -shared -fPIC -o $out "
                   "\"$TEST_SOURCE_DIR/tests/fakes/asking_library.c\" -lpthread \"$@\"; }\n"
                   "compile calls.so\n"
                   "compile segv.so -DCONSTRUCTOR=11\n"
                   "compile abrt.so -DCONSTRUCTOR=6\n"
                   "compile fpe.so -DCONSTRUCTOR=8\n"
                   "compile abort_at_exit.so -DABORT_AT_EXIT\n"
                   "echo 'int a;' | ${CC:-cc} -shared -fPIC -xc - -o libgpuenv-none.so "
                   "-Wl,-soname,libgpuenv-none.so.1\n"
                   "compile needs.so -Wl,--no-as-needed -L. -lgpuenv-none\n"
                   "echo 'int gpuenv_none(void); int answer(void) { return gpuenv_none(); }' | "
                   "${CC:-cc} -shared -fPIC -xc - -o symbol.so");
    return 0;
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
        cmocka_unit_test(test_how_a_call_ends),
        cmocka_unit_test(test_a_call_that_never_ends),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_files_are_refused),
        cmocka_unit_test(test_what_works),
        cmocka_unit_test(test_what_happens_by_itself),
        cmocka_unit_test(test_an_abort_at_exit_spoils_nothing),
        cmocka_unit_test(test_what_cannot_be_loaded),
        cmocka_unit_test(test_what_hangs_or_crashes_the_loader),
        cmocka_unit_test(test_output_is_kept_and_bounded),
        cmocka_unit_test(test_garbage_in_every_descriptor),
        cmocka_unit_test(test_all_at_once),
        cmocka_unit_test(test_answers_are_bounded),
        cmocka_unit_test(test_odd_answers),
        cmocka_unit_test(test_no_memory_left),
        cmocka_unit_test(test_what_the_child_is_left_with),
        cmocka_unit_test(test_the_environment_is_built_up),
        cmocka_unit_test(test_streams_are_not_shared),
        cmocka_unit_test(test_nothing_of_a_tree_is_asked),
        cmocka_unit_test(test_no_time_and_no_question),
        cmocka_unit_test(test_no_process_to_be_had),
        cmocka_unit_test(test_an_ordinary_user),
        cmocka_unit_test(test_other_children_stay),
        cmocka_unit_test(test_strays_are_killed),
        cmocka_unit_test(test_the_reaper_is_restored),
        cmocka_unit_test(test_the_child_dies_with_gpuenv),
        cmocka_unit_test(test_a_child_that_cannot_be_killed_is_left),
        cmocka_unit_test(test_real_libraries),
        cmocka_unit_test(test_lines_in_pieces),
    };
    return cmocka_run_group_tests_name("asking", tests, setup, teardown);
}
