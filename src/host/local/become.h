/* SPDX-License-Identifier: MIT */
#ifndef HOST_LOCAL_BECOME_H
#define HOST_LOCAL_BECOME_H

#include <stdbool.h>

#include "base/error.h"

/* What a process hands on through execve(2) and gpuenv changes in its own: taken at the start. */
struct inherited {
    bool ignores_pipe, ignores_size; /* SIGPIPE, SIGXFSZ */
};
struct inherited inherited_take(void);

/* A variable of this process's environment, for what it becomes. */
void become_set(const char *name, const char *value);

/* Becomes the program argv[0], found as a shell finds it in the PATH of this environment, with
 * inherited as it was. Does not come back but with an error; *ret_exit_code is then what a shell
 * ends with: 127, it is not there, 126, it cannot be run. */
bool become(char *const argv[], const struct inherited *inherited, int *ret_exit_code,
            struct error *error);

#endif
