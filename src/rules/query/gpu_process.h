/* SPDX-License-Identifier: MIT */
#ifndef RULES_QUERY_GPU_PROCESS_H
#define RULES_QUERY_GPU_PROCESS_H

#include "facts/facts.h"

struct strlist;

/* What NVML and /proc say of processes on a GPU. An entry is NVML's "PID BYTES", BYTES may be
 * "?". */

/* The name of its process from the groups gpu_process/…; NULL when it is not there. */
const char *gpu_process_name(const struct facts *facts, const char *entry);

/* True when no process of that number is here, and all who have a GPU open could be seen: it is one
 * of another container or virtual machine, or has ended without giving its memory back. */
bool gpu_process_is_elsewhere(const struct facts *facts, const char *entry);

/* "python3 (4321) with 12.0 GiB, 4400 with 1.0 GiB and 2 more": the largest first. free() it. */
char *gpu_process_describe(const struct facts *facts, const struct strlist *texts);

/* "kill 4321 4400": of those that are described. free() it. */
char *gpu_process_kill(const struct strlist *texts);

/* Those that have the node of the GPU open, by /proc: "python3 (4321)", an orphan said to be one.
 * "" when none is known. free() it. */
char *gpu_process_holders(const struct facts *facts, const char *node);

#endif
