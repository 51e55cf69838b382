/* SPDX-License-Identifier: MIT */
#ifndef HOST_CHILD_CONFINE_H
#define HOST_CHILD_CONFINE_H

/* Private to host/asking*.c and host/confine*.c: what a child gives up, for good, before it loads
 * foreign code. To be called while it has one thread. */

#include <stdbool.h>

#include "base/error.h"

/* All of it. False and a filled error when a privilege is still there: then nothing may be loaded.
 * A kernel without seccomp(2) or Landlock is no failure. */
bool confine(struct error *error);

/* No CAP_MKNOD and no CAP_SYS_MODULE in any set, so that a driver library can neither make device
 * nodes nor have modules loaded in root's name. False when one is still there. */
bool confine_capabilities(struct error *error);

/* Landlock: files and directories cannot be made, changed, moved or removed; device nodes can be
 * written, and so can the names of this process's threads. False when the kernel does not have it.
 */
bool confine_files(void);

/* seccomp(2): no program, no process (threads are fine), no socket but to this machine, no signal
 * to others (the attempt ends the process), no change to the system. False when the kernel or the
 * architecture does not have it. */
bool confine_calls(void);

#endif
