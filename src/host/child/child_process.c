/* SPDX-License-Identifier: MIT */
#include "host/child/child_process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/memory.h"
#include "host/root/clock.h"

/* The same numbers on every architecture (since Linux 5.3 and 5.9). */
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/* How often an ending child is looked at where there is no pidfd. */
#define LOOK_MS 10

/* The child's descriptors are made above those it shall have, so that none overwrites another. */
#define FIRST_FREE_FD 10
#define STATUS_FD     (CHILD_CARRIED_FD - 1)

/* Where a function of gpuenv's own writes: out of the way of code that means the first few. */
#define ANSWERS_FD 900

/* Where close_range(2) is missing: no more than this are closed one by one. All that gpuenv opens
 * closes itself on exec; this is for what it inherited. */
#define CLOSE_MAX 65536

/* What the child needs between fork and exec, where nothing can be allocated. */
struct launch {
    const char *const *argv; /* NULL: body is run */
    struct child_body body;
    char *const *environment;
    pid_t parent;
    int input, output, errors, status, answers;
};

#define AUTO_LAUNCH AUTO(launch_close)

static void launch_close(struct launch *launch)
{
    fd_close_at(&launch->input);
    fd_close_at(&launch->output);
    fd_close_at(&launch->errors);
    fd_close_at(&launch->status);
    fd_close_at(&launch->answers);
}

static int raise_fd(int fd)
{
    if (fd < 0)
        return -1;
    int raised = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FREE_FD);
    close(fd);
    return raised;
}

static bool open_pipe(int *ret_read, int *ret_write)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    *ret_read = ends[0];
    *ret_write = raise_fd(ends[1]);
    return *ret_write >= 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
}

/* From here to child_main(): the child, async-signal-safe calls only. */

static void reset_signals(void)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigset_t none;
    for (int number = 1; number < NSIG; number++)
        sigaction(number, &action, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* All from first to last, one by one only where close_range(2) is missing. */
static void close_from(int first, int last)
{
    if (first > last || syscall(SYS_close_range, first, last, 0) == 0)
        return;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > CLOSE_MAX)
        limit.rlim_cur = CLOSE_MAX;
    for (int fd = first; fd <= last && fd < (int)limit.rlim_cur; fd++)
        close(fd);
}

/* Above those that are about to be placed. */
static bool raise_carried(struct launch *launch)
{
    for (unsigned i = 0; i < launch->body.carried_count; i++) {
        int *fd = &launch->body.carried[i];
        *fd = fcntl(*fd, F_DUPFD_CLOEXEC, FIRST_FREE_FD);
        if (*fd < 0)
            return false;
    }
    return true;
}

static bool place_carried(const struct launch *launch)
{
    for (unsigned i = 0; i < launch->body.carried_count; i++)
        if (dup3(launch->body.carried[i], CHILD_CARRIED_FD + (int)i, O_CLOEXEC) < 0)
            return false;
    return true;
}

static bool place_answers(struct launch *launch)
{
    int first = CHILD_CARRIED_FD + (int)launch->body.carried_count;
    if (launch->answers < 0) {
        close_from(first, INT_MAX);
        return true;
    }
    int placed = fcntl(launch->answers, F_DUPFD_CLOEXEC, ANSWERS_FD);
    if (placed < 0) /* the limit is lower */
        placed = fcntl(launch->answers, F_DUPFD_CLOEXEC, first);
    if (placed < 0)
        return false;
    close_from(first, placed - 1);
    close_from(placed + 1, INT_MAX);
    launch->answers = placed;
    return true;
}

static bool place_descriptors(struct launch *launch)
{
    int errors = launch->errors >= 0 ? launch->errors : launch->output;
    return raise_carried(launch) && dup2(launch->input, STDIN_FILENO) >= 0 &&
           dup2(launch->output, STDOUT_FILENO) >= 0 && dup2(errors, STDERR_FILENO) >= 0 &&
           dup3(launch->status, STATUS_FD, O_CLOEXEC) >= 0 && place_carried(launch) &&
           place_answers(launch);
}

/* No core file, and no helper that a core is piped to either: the kernel starts one even under a
 * limit of 0, but not under 1 (fs/coredump.c). */
static bool forbid_core(void)
{
    struct rlimit limit = {1, 1};
    if (setrlimit(RLIMIT_CORE, &limit) == 0)
        return true;
    limit = (struct rlimit){0, 0}; /* the hard limit is 0 already, and cannot be raised */
    return setrlimit(RLIMIT_CORE, &limit) == 0;
}

static bool tie_down(const struct launch *launch)
{
    if (setsid() < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0)
        return false;
    if (getppid() != launch->parent) /* it died before it could take the child along */
        _exit(127);
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && forbid_core() && chdir("/") == 0;
}

static _Noreturn void run_body(const struct launch *launch)
{
    close(STATUS_FD);
    environ = (char **)launch->environment;
    launch->body.run(launch->answers, launch->body.context);
    _exit(0);
}

static _Noreturn void child_main(struct launch *launch)
{
    int status = launch->status;
    reset_signals();
    if (tie_down(launch) && place_descriptors(launch)) {
        status = STATUS_FD;
        if (launch->argv)
            execve(launch->argv[0], (char *const *)launch->argv, launch->environment);
        else if (launch->body.run)
            run_body(launch);
    }
    int number = errno;
    ssize_t written = write(status, &number, sizeof(number));
    (void)written;
    _exit(127);
}

/* Signals wait meanwhile: a handler of gpuenv's must not run in the child. */
static pid_t fork_child(struct launch *launch)
{
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    if (pid == 0)
        child_main(launch);
    int number = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = number;
    return pid;
}

static bool open_pipes(struct launch *launch, struct child_process *child)
{
    if (launch->input < 0 || !open_pipe(&child->output, &launch->output) ||
        !open_pipe(&child->status, &launch->status))
        return false;
    return launch->argv ? open_pipe(&child->errors, &launch->errors)
                        : open_pipe(&child->answers, &launch->answers);
}

static bool start(const char *const argv[], struct child_body body, char *const environment[],
                  struct child_process *ret_child, struct error *error)
{
    struct child_process child = {
        .pidfd = -1, .status = -1, .output = -1, .errors = -1, .answers = -1};
    AUTO_LAUNCH struct launch launch = {
        .argv = argv,
        .body = body,
        .environment = environment,
        .parent = getpid(),
        .input = raise_fd(open("/dev/null", O_RDWR | O_CLOEXEC)),
        .output = -1,
        .errors = -1,
        .status = -1,
        .answers = -1,
    };
    child.pid = open_pipes(&launch, &child) ? fork_child(&launch) : -1;
    if (child.pid < 0) {
        error_set_errno(error, ERROR_INTERNAL, errno, argv ? argv[0] : NULL,
                        "cannot start a process");
        child_process_close(&child);
        return false;
    }
    child.pidfd = (int)syscall(SYS_pidfd_open, child.pid, 0);
    *ret_child = child;
    return true;
}

bool child_process_start(const char *const argv[], char *const environment[],
                         struct child_process *ret_child, struct error *error)
{
    return start(argv, (struct child_body){0}, environment, ret_child, error);
}

bool child_process_fork(const struct child_body *body, char *const environment[],
                        struct child_process *ret_child, struct error *error)
{
    return start(NULL, *body, environment, ret_child, error);
}

int child_process_failure(const struct child_process *child)
{
    int number = 0;
    return read(child->status, &number, sizeof(number)) == (ssize_t)sizeof(number) ? number : 0;
}

struct child_process child_process_adopt(pid_t pid)
{
    return (struct child_process){.pid = pid,
                                  .pidfd = (int)syscall(SYS_pidfd_open, pid, 0),
                                  .status = -1,
                                  .output = -1,
                                  .errors = -1,
                                  .answers = -1};
}

bool child_process_ended(const struct child_process *child)
{
    siginfo_t info = {.si_pid = 0};
    if (waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
        return errno == ECHILD;
    return info.si_pid == child->pid;
}

void child_process_kill(const struct child_process *child)
{
    kill(-child->pid, SIGKILL);
    kill(child->pid, SIGKILL); /* it may not have come as far as to lead a group */
}

int child_process_wait_ms(const struct child_process *child, uint64_t deadline)
{
    uint64_t now = clock_ms();
    uint64_t left = deadline > now ? deadline - now : 0;
    uint64_t most = child->pidfd < 0 ? LOOK_MS : INT_MAX;
    return (int)(left < most ? left : most);
}

bool child_process_reap(const struct child_process *child, unsigned timeout_ms,
                        int *ret_wait_status)
{
    uint64_t deadline = clock_ms() + timeout_ms;
    struct pollfd end = {.fd = child->pidfd, .events = POLLIN};
    for (;;) {
        pid_t pid = waitpid(child->pid, ret_wait_status, WNOHANG);
        if (pid == child->pid)
            return true;
        if (pid < 0 && errno == ECHILD) { /* someone else took its status: it is gone */
            *ret_wait_status = SIGKILL;
            return true;
        }
        if (clock_ms() >= deadline)
            return false;
        poll(&end, 1, child_process_wait_ms(child, deadline));
    }
}

void child_process_close(struct child_process *child)
{
    fd_close_at(&child->pidfd);
    fd_close_at(&child->status);
    fd_close_at(&child->output);
    fd_close_at(&child->errors);
    fd_close_at(&child->answers);
    child->pidfd = child->status = child->output = child->errors = child->answers = -1;
}
