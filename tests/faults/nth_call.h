/* SPDX-License-Identifier: MIT */
#ifndef FAULTS_NTH_CALL_H
#define FAULTS_NTH_CALL_H

/* Shared by nth_call*.c: a program whose mutating system calls are counted over all its processes,
 * and of which the n-th one can be made to fail. README.md beside this file says how it is called.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { EXIT_FAULT = 125 }; /* of nth-call itself */

/* Where the arguments of a call name what it works on. */
enum call_shape {
    SHAPE_FD,         /* a descriptor: argument 0 */
    SHAPE_FDS,        /* from descriptor 0 to descriptor 2 */
    SHAPE_PATH,       /* a path: argument 0 */
    SHAPE_PATHS,      /* from path 0 to path 1 */
    SHAPE_AT,         /* path 1 in directory 0, or directory 0 itself */
    SHAPE_ATS,        /* from path 1 in directory 0 to path 3 in directory 2 */
    SHAPE_SYMLINK,    /* text 0 at path 1 */
    SHAPE_SYMLINK_AT, /* text 0 at path 2 in directory 1 */
    SHAPE_NAME,       /* text 0 */
};

struct call {
    int number;
    const char *name;
    enum call_shape shape;
    bool is_durable;    /* --durable counts it, too */
    unsigned condition; /* only where this argument, from 1 on (0: always), … */
    uint32_t bits;      /* … has one of these bits, */
    bool is_exact;      /* or is this number */
};

/* The call of this number; NULL: it is not counted. */
const struct call *call_find(int number);
/* True: what the filter lets through as well, openat2(2), only reads. */
bool call_only_reads(pid_t task, const struct call *call, const uint64_t *arguments);
/* What it works on, in memory of the caller's; one line. */
char *call_describe(pid_t task, const struct call *call, const uint64_t *arguments);
/* Has the kernel stop this process, and all that it starts, at these calls for the tracer. */
bool calls_filter(bool only_durable);

/* Makes the call that a stopped task is about to do another one, -1 is none; or what it has
 * returned another result. */
bool task_set_call(pid_t id, int number);
bool task_set_result(pid_t id, long result);

enum action { ACTION_NONE, ACTION_ERRNO, ACTION_KILL, ACTION_RUN };

struct wish {
    const char *list; /* NULL: none */
    unsigned long *at;
    size_t at_count;
    enum action action;
    int error_number;
    const char *command;
    bool only_durable;
};

/* Follows a process that is a tracee already and waits to be let go, until it and all it started
 * have ended. Returns its exit status as a shell's, or EXIT_FAULT. */
int trace_run(pid_t first, const struct wish *wish);

#endif
