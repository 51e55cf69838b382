/* SPDX-License-Identifier: MIT */
#ifndef HOST_CHILD_CONFINE_UNPACKER_H
#define HOST_CHILD_CONFINE_UNPACKER_H

#include <stdbool.h>

#include "base/error.h"

/* What this kernel had to offer. */
struct unpacker_cage {
    bool files; /* Landlock, or for root a root directory of its own */
    bool calls; /* seccomp(2) */
};

/* Gives up, for good, what a process that unpacks an archive does not need: every capability and
 * the way back to them; files: below the open directory all can be made, written and read,
 * elsewhere nothing can even be opened; system calls: memory, files by descriptors, its own end.
 * What is open stays open. To be called while there is one thread. False and ERROR_INTERNAL when a
 * privilege is still there; a kernel without Landlock or seccomp(2) is no failure, and shows in
 * *ret_cage. */
bool confine_unpacker(int directory_fd, struct unpacker_cage *ret_cage, struct error *error);

#endif
