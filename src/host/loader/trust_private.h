/* SPDX-License-Identifier: MIT */
#ifndef HOST_LOADER_TRUST_PRIVATE_H
#define HOST_LOADER_TRUST_PRIVATE_H

/* Private to host/trust*.c. */
#include "host/loader/trust.h"

/* Walks to an absolute path from the root, through every link. False with a reason when others than
 * root could change what is on the way; *ret_absent when it is not there, and only root could make
 * it. Does not ask who is running gpuenv. */
bool trust_walk(const struct host *host, const char *path, bool *ret_absent, char **ret_reason);

#endif
