/* SPDX-License-Identifier: MIT */
#ifndef PROBE_ENGINE_VERSION_HEADER_H
#define PROBE_ENGINE_VERSION_HEADER_H

#include "base/version.h"
#include "host/root/file.h"

struct error;

/* Versions that C headers of the toolkit state as macros. */

/* The value of `#define macro N`, or of `#define macro OTHER` where OTHER is such a number in the
 * same text. False when there is none, or it is not a decimal number of at most 9 digits. */
bool header_number(const char *text, const char *macro, uint32_t *ret_value);

#define HEADER_MACROS 4

/* Where a header keeps a version. One macro: a number of CUDA's kind (CUDA_VERSION 13000 is 13.0).
 * More: one part each (CUDNN_MAJOR, CUDNN_MINOR, CUDNN_PATCHLEVEL). */
struct version_header {
    const char *file;                  /* "cudnn_version.h" */
    const char *macros[HEADER_MACROS]; /* up to the first NULL */
};

/* Reads the version from the header at path. HOST_FAILED (ERROR_DATA) when a macro is missing or
 * its value is not a version. */
enum host_status version_header_read(const struct host *host, const char *path,
                                     const struct version_header *header,
                                     struct version *ret_version, struct error *error);

#endif
