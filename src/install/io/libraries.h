/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_IO_LIBRARIES_H
#define INSTALL_IO_LIBRARIES_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"

/* A library gpuenv-install runs with. */
struct install_library {
    const char *name;
    const char *oldest;           /* the oldest version that is supported; NULL: any */
    const char *(*version)(void); /* of the one that was loaded, at run time */
};
extern const struct install_library install_libraries[]; /* ends with name NULL */

/* A line "name version" for each library of the table. */
void libraries_append_versions(const struct install_library *libraries, struct text *output);

/* False, ERROR_INTERNAL, when one is older than supported or its version cannot be read. */
bool libraries_check(const struct install_library *libraries, struct error *error);

#endif
