/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_TOOLKIT_LIBRARY_H
#define MANIFEST_TOOLKIT_LIBRARY_H

#include <stdbool.h>

struct manifest;
struct version;

/* manifests/library.json: what CUDA's libraries are called, and which CUDA a version is of. library
 * is a name as there: "cusolver". */

/* The SONAME that the library has in a CUDA release (11.2; of a major alone its last minor is
 * meant); NULL: not listed, or several. */
const char *manifest_soname_find(struct manifest *manifest, const char *library,
                                 const struct version *cuda);

/* The CUDA that a SONAME of the library is of: 11 of "libcudart.so.11.0", which all of 11.x have;
 * 10.2 of "libcudart.so.10.2". False: not listed, or more than one row has it. */
bool manifest_soname_cuda(struct manifest *manifest, const char *library, const char *soname,
                          struct version *ret_cuda);

/* The CUDA release (12.4) that a version of the library is of, by those that are listed. False:
 * none is, or it is older than all. */
bool manifest_library_origin(struct manifest *manifest, const char *library,
                             const struct version *version, struct version *ret_cuda);

/* The package that pip installs for the library of a CUDA major: nvidia-nvjitlink-cu12. NULL: not
 * known. */
const char *manifest_library_package(struct manifest *manifest, const char *library, unsigned cuda);

#endif
