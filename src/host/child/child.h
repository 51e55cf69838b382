/* SPDX-License-Identifier: MIT */
#ifndef HOST_CHILD_CHILD_H
#define HOST_CHILD_CHILD_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "host/root/host.h"

/* Runs a program of the live machine with a deadline and nothing it can hurt: own session, no
 * stdin, PATH, HOME and LANG fixed and only LD_LIBRARY_PATH and the CUDA_ and NVIDIA_ variables
 * passed on, no core file, no new privileges, killed with its whole process group at the deadline
 * (monotonic clock), and by itself when gpuenv dies, never waited for longer than 1 s after. */
struct child_result {
    bool exited; /* it ended by itself in time; else reason says what happened */
    int exit_code;
    struct text output; /* stdout, at most CHILD_OUTPUT_MAX bytes; the rest is thrown away */
    struct text errors; /* stderr, likewise */
    char *reason;       /* "no answer in 10 s", "killed by signal 11 (Segmentation fault)" */
};
#define CHILD_OUTPUT_MAX 65536

/* argv[0] is an absolute path. False and a filled error only when the child could not be started;
 * ret_result is set on true. On a tree nothing is run: false, ERROR_INTERNAL. */
bool child_run(const struct host *host, const char *const argv[], unsigned timeout_ms,
               struct child_result *ret_result, struct error *error);
/* What went wrong: reason, or "exit code 3"; NULL: it ended in time, with exit code 0. free() it.
 */
char *child_result_problem(const struct child_result *result);
void child_result_free(struct child_result *result);
#define AUTO_CHILD_RESULT AUTO(child_result_free)

/* The same with nothing of gpuenv's own environment: for a command that changes the machine. */
bool child_run_clean(const struct host *host, const char *const argv[], unsigned timeout_ms,
                     struct child_result *ret_result, struct error *error);

#endif
