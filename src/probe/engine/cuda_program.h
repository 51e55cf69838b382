/* SPDX-License-Identifier: MIT */
#ifndef PROBE_ENGINE_CUDA_PROGRAM_H
#define PROBE_ENGINE_CUDA_PROGRAM_H

#include "host/root/file.h"

struct error;

/* The release of a program of the CUDA compiler (nvcc, ptxas, cicc …), without running it: what it
 * prints for --version is among its constants. *ret_release is "12.8.93", NULL when it does not say
 * so; free() it. HOST_FAILED where it is not an ELF program: a script, say. */
enum host_status cuda_program_release(const struct host *host, const char *path, char **ret_release,
                                      struct error *error);

#endif
