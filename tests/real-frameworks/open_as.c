/* SPDX-License-Identifier: MIT */
/* Opens a library as code in another one would: reality.py gives a copy of this one its RPATH or
 * RUNPATH. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

const char *open_it(const char *name);

/* NULL, or what dlerror(3) says. */
const char *open_it(const char *name)
{
    return dlopen(name, RTLD_NOW | RTLD_GLOBAL) ? NULL : dlerror();
}
