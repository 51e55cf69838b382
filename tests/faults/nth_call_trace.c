/* SPDX-License-Identifier: MIT */
#include "nth_call.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a call that a signal breaks off returns before the kernel begins it again, or says EINTR
 * (include/linux/errno.h of the kernel). */
enum { RESTART_FIRST = 512, RESTART_LAST = 516 };

struct task {
    pid_t id, process;
    unsigned index;   /* of its process, in the order of their beginning */
    bool runs;        /* or is stopped for us */
    bool is_vforking; /* does not run, and cannot be stopped */
    int held;         /* a stop that has not been looked at; 0: none */
    bool in_call;
    unsigned long number; /* of the counted call that it is in, or that is begun again */
    const struct call *call, *again;
};

struct record {
    const char *name;
    unsigned index;
    char *what;
    long result;
    enum { STATE_OPEN, STATE_DONE, STATE_INJECTED, STATE_KILLED } state;
};

struct trace {
    const struct wish *wish;
    pid_t first;
    int status; /* of the first one */
    bool has_begun;
    bool is_ending; /* all were killed */
    bool has_failed;
    struct task **tasks;
    size_t task_count;
    unsigned process_count;
    struct record *records;
    size_t record_count;
};

static bool fail(struct trace *trace, const char *what)
{
    fprintf(stderr, "nth-call: %s: %s\n", what, strerror(errno));
    trace->has_failed = true;
    return false;
}

/* --- Tasks --- */

static struct task *task_find(const struct trace *trace, pid_t id)
{
    for (size_t i = 0; i < trace->task_count; i++) {
        if (trace->tasks[i]->id == id)
            return trace->tasks[i];
    }
    return NULL;
}

static void task_drop(struct trace *trace, pid_t id)
{
    for (size_t i = 0; i < trace->task_count; i++) {
        if (trace->tasks[i]->id != id)
            continue;
        free(trace->tasks[i]);
        trace->tasks[i] = trace->tasks[--trace->task_count];
        return;
    }
}

/* The process that a thread is of. */
static pid_t process_of(pid_t id)
{
    char path[64], line[256];
    int process = id;
    snprintf(path, sizeof(path), "/proc/%d/status", (int)id);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof(line), file)) {
        if (sscanf(line, "Tgid: %d", &process) == 1)
            break;
    }
    if (file)
        fclose(file);
    return process;
}

/* The task, as a new one where it was not known: its first stop or its parent's may come first. */
static struct task *task_of(struct trace *trace, pid_t id)
{
    struct task *task = task_find(trace, id);
    if (task)
        return task;
    task = calloc(1, sizeof(*task));
    void *grown = realloc(trace->tasks, (trace->task_count + 1) * sizeof(*trace->tasks));
    if (task == NULL || grown == NULL)
        abort();
    trace->tasks = grown;
    *task = (struct task){.id = id, .process = process_of(id), .runs = true};
    task->index = trace->process_count;
    for (size_t i = 0; i < trace->task_count; i++) {
        if (trace->tasks[i]->process == task->process)
            task->index = trace->tasks[i]->index;
    }
    if (task->index == trace->process_count)
        trace->process_count++;
    trace->tasks[trace->task_count++] = task;
    return task;
}

static void resume(struct task *task, int signal_number)
{
    task->runs = true;
    /* Where this fails it was killed, and that is reported next. */
    ptrace(task->in_call ? PTRACE_SYSCALL : PTRACE_CONT, task->id, 0, signal_number);
}

/* --- The list --- */

static void record_begin(struct trace *trace, const struct task *task, const uint64_t *arguments)
{
    struct record *grown =
        realloc(trace->records, (trace->record_count + 1) * sizeof(*trace->records));
    if (grown == NULL)
        abort();
    trace->records = grown;
    grown[trace->record_count++] = (struct record){
        .name = task->call->name,
        .index = task->index,
        .what = trace->wish->list ? call_describe(task->id, task->call, arguments) : NULL,
    };
}

static bool list_write(const struct trace *trace)
{
    FILE *out = fopen(trace->wish->list, "we");
    if (out == NULL)
        return false;
    for (size_t i = 0; i < trace->record_count; i++) {
        const struct record *record = &trace->records[i];
        const char *error = record->result < 0 ? strerrorname_np((int)-record->result) : NULL;
        fprintf(out, "%zu\t%u\t%s\t%s\t", i + 1, record->index, record->name,
                record->what ? record->what : "");
        if (record->state == STATE_OPEN || record->state == STATE_KILLED)
            fputs(record->state == STATE_OPEN ? "?" : "killed", out);
        else if (error)
            fputs(error, out);
        else
            fprintf(out, "%ld", record->result);
        fputs(record->state == STATE_INJECTED ? " (injected)\n" : "\n", out);
    }
    return fclose(out) == 0;
}

/* --- The n-th call --- */

static bool is_wanted(const struct trace *trace, unsigned long number)
{
    for (size_t i = 0; i < trace->wish->at_count; i++) {
        if (trace->wish->at[i] == number)
            return true;
    }
    return false;
}

static void kill_all(struct trace *trace)
{
    trace->is_ending = true;
    for (size_t i = 0; i < trace->task_count; i++)
        kill(trace->tasks[i]->process, SIGKILL);
}

/* Every other task: what it was stopped with is looked at later. */
static void stop_others(struct trace *trace, const struct task *task)
{
    for (size_t i = 0; i < trace->task_count; i++) {
        struct task *other = trace->tasks[i];
        if (other == task || !other->runs || other->is_vforking ||
            ptrace(PTRACE_INTERRUPT, other->id, 0, 0) != 0)
            continue;
        pid_t id;
        do {
            id = waitpid(other->id, &other->held, __WALL);
        } while (id < 0 && errno == EINTR);
        other->runs = false;
    }
}

static bool run_command(struct trace *trace, unsigned long number)
{
    char text[32];
    int status;
    snprintf(text, sizeof(text), "%lu", number);
    pid_t child = fork();
    if (child == 0) {
        if (setenv("NTH_CALL", text, 1) == 0)
            execl("/bin/sh", "sh", "-c", trace->wish->command, (char *)NULL);
        _exit(EXIT_FAULT);
    }
    if (child < 0)
        return fail(trace, "no process");
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR)
            return fail(trace, "cannot wait for the command");
    }
    if (status == 0)
        return true;
    errno = ECANCELED;
    return fail(trace, "the command failed");
}

/* A counted call is about to be done. */
static void enter_call(struct trace *trace, struct task *task)
{
    struct __ptrace_syscall_info info;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, task->id, sizeof(info), &info) <= 0 ||
        info.op != PTRACE_SYSCALL_INFO_SECCOMP)
        return;
    const struct call *call = call_find((int)info.seccomp.nr);
    const struct call *again = task->again;
    uint64_t arguments[6];
    memcpy(arguments, info.seccomp.args, sizeof(arguments));
    task->again = NULL;
    if (!trace->has_begun || call == NULL || call_only_reads(task->id, call, arguments))
        return;
    task->in_call = true;
    if (call == again)
        return;
    task->call = call;
    record_begin(trace, task, arguments);
    task->number = trace->record_count;
    if (!is_wanted(trace, task->number))
        return;
    if (trace->wish->action == ACTION_KILL) {
        trace->records[task->number - 1].state = STATE_KILLED;
        kill_all(trace);
    } else if (trace->wish->action == ACTION_ERRNO && strcmp(call->name, "close") != 0 &&
               !task_set_call(task->id, -1)) {
        fail(trace, "cannot keep a call from being done");
    }
}

static void leave_call(struct trace *trace, struct task *task)
{
    struct record *record = &trace->records[task->number - 1];
    struct __ptrace_syscall_info info;
    task->in_call = false;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, task->id, sizeof(info), &info) <= 0 ||
        info.op != PTRACE_SYSCALL_INFO_EXIT)
        return;
    record->result = info.exit.rval;
    bool is_wanted_now = is_wanted(trace, task->number);
    if (is_wanted_now && trace->wish->action == ACTION_ERRNO) {
        record->result = -trace->wish->error_number;
        record->state = STATE_INJECTED;
        if (!task_set_result(task->id, record->result))
            fail(trace, "cannot set what a call returns");
        return;
    }
    record->state = STATE_DONE;
    if (-record->result >= RESTART_FIRST && -record->result <= RESTART_LAST) {
        task->again = task->call;
        return;
    }
    if (is_wanted_now && trace->wish->action == ACTION_RUN) {
        stop_others(trace, task);
        run_command(trace, task->number);
    }
}

/* --- Stops --- */

static void take_event(struct trace *trace, struct task *task, int event)
{
    unsigned long message = 0;
    if (ptrace(PTRACE_GETEVENTMSG, task->id, 0, &message) != 0)
        return;
    if (event == PTRACE_EVENT_EXEC) {
        trace->has_begun = true;
        if ((pid_t)message != task->id)
            task_drop(trace, (pid_t)message);
    } else if (event == PTRACE_EVENT_VFORK_DONE) {
        task->is_vforking = false;
    } else {
        task->is_vforking = event == PTRACE_EVENT_VFORK;
        task_of(trace, (pid_t)message);
    }
}

static void take_stop(struct trace *trace, struct task *task, int status)
{
    int event = status >> 16, signal_number = WSTOPSIG(status);
    task->runs = false;
    if (event == PTRACE_EVENT_SECCOMP) {
        enter_call(trace, task);
    } else if (signal_number == (SIGTRAP | 0x80)) {
        leave_call(trace, task);
    } else if (event == PTRACE_EVENT_STOP && signal_number != SIGTRAP) {
        task->runs = true; /* it stays stopped, as its own signal wants it */
        ptrace(PTRACE_LISTEN, task->id, 0, 0);
        return;
    } else if (event != 0 && event != PTRACE_EVENT_STOP) {
        take_event(trace, task, event);
    }
    resume(task, event == 0 && signal_number != (SIGTRAP | 0x80) ? signal_number : 0);
}

static void take_status(struct trace *trace, pid_t id, int status)
{
    if (WIFSTOPPED(status)) {
        take_stop(trace, task_of(trace, id), status);
        return;
    }
    if (id == trace->first)
        trace->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    task_drop(trace, id);
}

/* What was held comes first. False: there is nobody any more. */
static bool next_status(struct trace *trace, pid_t *ret_id, int *ret_status)
{
    for (size_t i = 0; i < trace->task_count; i++) {
        struct task *task = trace->tasks[i];
        if (task->held == 0)
            continue;
        *ret_id = task->id;
        *ret_status = task->held;
        task->held = 0;
        return true;
    }
    for (;;) {
        *ret_id = waitpid(-1, ret_status, __WALL);
        if (*ret_id > 0 || errno != EINTR)
            return *ret_id > 0;
    }
}

int trace_run(pid_t first, const struct wish *wish)
{
    struct trace trace = {.wish = wish, .first = first, .status = EXIT_FAULT};
    pid_t id;
    int status;
    task_of(&trace, first);
    while (next_status(&trace, &id, &status)) {
        take_status(&trace, id, status);
        if (trace.has_failed && !trace.is_ending)
            kill_all(&trace);
    }
    if (wish->list && !list_write(&trace))
        fail(&trace, wish->list);
    for (size_t i = 0; i < wish->at_count; i++) {
        if (trace.has_begun && wish->at[i] > trace.record_count) {
            fprintf(stderr, "nth-call: only %zu calls\n", trace.record_count);
            break;
        }
    }
    for (size_t i = 0; i < trace.record_count; i++)
        free(trace.records[i].what);
    free(trace.records);
    while (trace.task_count > 0)
        task_drop(&trace, trace.tasks[0]->id);
    free(trace.tasks);
    return trace.has_failed || !trace.has_begun ? EXIT_FAULT : trace.status;
}
