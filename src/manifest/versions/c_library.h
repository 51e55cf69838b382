/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_VERSIONS_C_LIBRARY_H
#define MANIFEST_VERSIONS_C_LIBRARY_H

#include "manifest/reader/subject.h"
#include "manifest/versions/nvcc.h"

/* How cuda.c has the table c_libraries read. */
extern const struct manifest_key c_library_keys[];
char *c_library_id(const void *row);
bool c_library_check(const struct manifest_place *place, const void *row, const void *previous);

#endif
