/* SPDX-License-Identifier: MIT */
#ifndef HOST_CHILD_COMMAND_H
#define HOST_CHILD_COMMAND_H

#include "base/strlist.h"
#include "host/child/child.h"

struct error;

/* Commands that change the live machine, for doctor --fix --yes. */

/* Runs the program words[0], looked for where a system has its own ("/usr/sbin", "/usr/bin",
 * "/sbin",
 * "/bin", NixOS's) and never by PATH, with the other words: no shell, no input, nothing of gpuenv's
 * environment. As child_run(); false too, ERROR_NO_INPUT, where no such program is there. */
bool command_run(const struct host *host, const struct strlist *words, unsigned timeout_ms,
                 struct child_result *ret_result, struct error *error);

#endif
