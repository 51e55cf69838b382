/* SPDX-License-Identifier: MIT */
#ifndef HOST_CHILD_VENDOR_H
#define HOST_CHILD_VENDOR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* dlopen by table, inside a child (host/child/asking.h). */

#define VENDOR_NAMES 4

/* A function of a library, under its newest name first ("nvmlInit_v2", "nvmlInit"); the names end
 * with NULL or the array. field is the offset, in the struct of function pointers, of the pointer
 * that is set; it stays NULL when the library has none of the names, which costs one fact. */
struct vendor_symbol {
    const char *names[VENDOR_NAMES];
    size_t field;
};

struct vendor_library {
    void *handle;
    char *path; /* the file that was loaded, links resolved; NULL when it cannot be told */
};

/* Opens soname (RTLD_NOW, RTLD_LOCAL) and fills functions by the table, which ends with names[0]
 * NULL. False and dlerror()'s words when it cannot be opened. It is never closed: the child ends.
 */
bool vendor_open(const char *soname, const struct vendor_symbol *symbols, void *functions,
                 struct vendor_library *ret_library, struct error *error);

/* Of the names, the one the pointer in functions was found under; NULL when none was. */
const char *vendor_symbol_found(const struct vendor_library *library,
                                const struct vendor_symbol *symbol);

#endif
