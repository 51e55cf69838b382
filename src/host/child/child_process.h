/* SPDX-License-Identifier: MIT */
#ifndef HOST_CHILD_CHILD_PROCESS_H
#define HOST_CHILD_CHILD_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/strlist.h"
#include "host/root/host.h"

/* A process of gpuenv's own making: leader of a session and group of its own, so that all it
 * starts can be killed with it. */
struct child_process {
    pid_t pid;
    int pidfd;   /* readable when it has ended; -1 where the kernel has none (before Linux 5.3) */
    int status;  /* an int, the errno, when it could not be started; closed when it could */
    int output;  /* read end of its stdout, non-blocking; of child_process_fork() of stderr too */
    int errors;  /* of its stderr; -1 of child_process_fork() */
    int answers; /* of what the function writes; -1 of child_process_start() */
};

/* Forks and executes argv[0]. False and ERROR_INTERNAL when not even a process could be made;
 * a program that cannot be executed shows in status. */
bool child_process_start(const char *const argv[], char *const environment[],
                         struct child_process *ret_child, struct error *error);

/* A function of gpuenv's own for a child to run in place of a program. It gets the write end of the
 * pipe whose read end is child_process.answers, and the environment as environ. When it returns the
 * child ends with exit code 0, without what exit(3) runs. All other descriptors are closed, but
 * copies of carried[i] are there as CHILD_CARRIED_FD + i. */
#define CHILD_CARRIED_FD  4
#define CHILD_CARRIED_MAX 4
struct child_body {
    void (*run)(int answers, const void *context);
    const void *context;
    int carried[CHILD_CARRIED_MAX];
    unsigned carried_count;
};

/* Forks and runs body. Only in a process without threads: the function may then allocate and load
 * what it likes. environment must stay; failures are those of child_process_start(). */
bool child_process_fork(const struct child_body *body, char *const environment[],
                        struct child_process *ret_child, struct error *error);

/* The errno that kept the child from being what it should be; 0 when it became that. */
int child_process_failure(const struct child_process *child);

/* A child that gpuenv has and did not start: one whose parent has died. */
struct child_process child_process_adopt(pid_t pid);

/* Whether it has ended. It is not reaped: its number stays its own until child_process_reap(). */
bool child_process_ended(const struct child_process *child);

/* Kills it and its group. Only before it is reaped. */
void child_process_kill(const struct child_process *child);

/* Waits at most timeout_ms for its end and takes its wait status. False when it is still there. */
bool child_process_reap(const struct child_process *child, unsigned timeout_ms,
                        int *ret_wait_status);

/* Closes the descriptors. */
void child_process_close(struct child_process *child);

/* SIGCHLD by default for as long as children are waited for: whoever started gpuenv may have had it
 * ignored, which would reap them unseen. */
void child_signal_take(struct sigaction *ret_before);
void child_signal_restore(const struct sigaction *before);

/* Whether a child that runs gpuenv's own code ended by mem_exhausted(). said: what was kept of its
 * stderr. */
bool child_exhausted(int wait_status, const char *said);

/* How a signal that ended a child is called: "signal 11 (Segmentation fault)". free() it. */
char *child_signal_name(int number);

/* Adds those that every child gets, PATH, HOME and LANG, with a NULL at the end. */
void child_environment_fixed(struct strlist *variables);

/* Adds the variables a child gets, as NAME=VALUE with a NULL at the end: PATH, HOME and LANG fixed,
 * CUDA_…, NVIDIA_… and LD_LIBRARY_PATH as host has them. */
void child_environment(const struct host *host, struct strlist *variables);

/* Reads once from a non-blocking pipe, and closes it at its end (then it is -1). Returns the number
 * of bytes, 0 when there is nothing now. */
size_t child_read(int *pipe, char *buffer, size_t size);

/* The time until deadline for poll(2); short when there is no pidfd that would wake it. */
int child_process_wait_ms(const struct child_process *child, uint64_t deadline);

#endif
