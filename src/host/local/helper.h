/* SPDX-License-Identifier: MIT */
#ifndef HOST_LOCAL_HELPER_H
#define HOST_LOCAL_HELPER_H

#include "base/error.h"
#include "base/text.h"
#include "host/root/host.h"

/* gpuenv-install, the second executable: everything that needs libcurl, libarchive or libcrypto. */
#define HELPER_NAME "gpuenv-install"

/* Where an installation has it, seen from gpuenv (../libexec/gpuenv), or beside gpuenv, as in a
 * build directory. NULL: it is not installed. The caller owns the result. */
char *helper_path(const struct host *live);

/* Becomes gpuenv-install, which reads request from a descriptor that no other process sees
 * (memfd_create(2)). Does not come back but with an error: ERROR_INTERNAL when it is not
 * installed or cannot be run, ERROR_CANNOT_WRITE when the limit on the size of a file (ulimit -f)
 * is less than the request has. */
bool helper_become(const struct host *live, const struct text *request, struct error *error);

#endif
