/* SPDX-License-Identifier: MIT */
#ifndef PROBE_LIBRARY_LIBRARY_FAMILY_H
#define PROBE_LIBRARY_LIBRARY_FAMILY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/version.h"
#include "probe/engine/version_header.h"

/* One product whose libraries are looked for. */
struct library_family {
    const char *name; /* as in the fact "family": "cudnn" */
    /* The number in the SONAME where it counts interfaces (libcuda.so.1); 0 where it is the first
     * number of the release (libcudnn.so.9). */
    unsigned interface;
    struct version_header headers[2]; /* headers that state its version; file NULL: no more */
    const char *wheel; /* distribution name up to _cuNN: "nvidia_cudnn"; NULL when none is known */
};

extern const struct library_family library_families[]; /* ends with name NULL */

/* The family of a shared library's file name ("libcudnn_ops.so.9", "libcudart.so.12.8.90",
 * "libcuda.so"); NULL when it is of none. ret_stem (may be NULL) is the length of what stands
 * before ".so". */
const struct library_family *library_family_of(const char *file_name, size_t *ret_stem);

/* The numbers behind ".so.": false when there are none ("libcuda.so"). */
bool library_name_version(const char *file_name, struct version *ret_version);

#endif
