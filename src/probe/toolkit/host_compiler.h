/* SPDX-License-Identifier: MIT */
#ifndef PROBE_TOOLKIT_HOST_COMPILER_H
#define PROBE_TOOLKIT_HOST_COMPILER_H

#include "base/strlist.h"
#include "host/root/file.h"

/* The C++ compiler that nvcc starts for the host's code. Nothing is executed. */
struct host_compiler {
    char *path;         /* as it is started: "/usr/bin/g++-13"; NULL: none is found */
    char *real;         /* its real path; NULL: it is not there */
    char *version;      /* "13", "13.2.0"; NULL: nothing says it */
    const char *family; /* gcc, clang, other; script: a script that chooses by itself */
    bool unclear;       /* a relative path, or a name where there is no PATH */
};
#define AUTO_HOST_COMPILER AUTO(host_compiler_free)
void host_compiler_free(struct host_compiler *compiler);

/* What a value of -ccbin, NVCC_CCBIN, CUDAHOSTCXX or CC leads to: a program with a directory, one
 * on PATH, or a directory with gcc. first is looked into before PATH (nvcc's own directory); NULL:
 * none. A program that starts the next one of its name (ccache) is passed over. */
void host_compiler_find(const struct host *host, const char *value, const char *first,
                        struct host_compiler *ret_compiler);

/* The last value that words of a variable give -ccbin or --compiler-bindir; NULL: none. free() it.
 * nvcc splits such a variable at blanks and knows no quotes. */
char *host_compiler_of_flags(const char *flags);

#endif
