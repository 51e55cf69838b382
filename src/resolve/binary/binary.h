/* SPDX-License-Identifier: MIT */
#ifndef RESOLVE_BINARY_BINARY_H
#define RESOLVE_BINARY_BINARY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/version.h"

struct manifest;
struct resolve_gpu;
struct resolve_machine;

/* Whether a GPU runs the code in a file. Pure; docs/reference/inspect.md has the rules and where
 * they are from. Strings of a verdict belong to the manifest unless it is said otherwise. */

enum binary_kind {
    BINARY_SASS,
    BINARY_PTX,
    BINARY_LTO,   /* for a linker to compile: does not run by itself */
    BINARY_OTHER, /* not known what it is */
};
struct binary_code {
    enum binary_kind kind;
    struct version capability; /* 9.0; count 0: not said */
    char suffix;               /* 'a', 'f', or 0 */
    struct version ptx;        /* ISA version of PTX; count 0: not said */
    bool unlinked;             /* relocatable device code: has to be linked first */
    bool in_data;              /* not where nvcc puts code: the program loads it by itself */
    size_t entries;            /* how many entries say the same */
};
struct binary {
    const struct binary_code *codes;
    size_t count;
    struct version cuda; /* that built it, as it says; count 0: it does not */
    bool may_be_empty;   /* its code is no more than what a file without kernels has */
};

enum binary_outcome {
    BINARY_RUNS, /* the GPU runs it as it is */
    BINARY_JIT,  /* the driver compiles its PTX */
    BINARY_UNKNOWN,
    BINARY_DRIVER_DROPS,   /* there is code, and the driver no longer drives the GPU */
    BINARY_DRIVER_TOO_OLD, /* there is code, and the driver cannot take it */
    BINARY_NO_IMAGE,       /* error 209: no kernel image is available */
};
/* runs, jit, unknown, driver_drops_gpu, driver_too_old, no_kernel_image */
const char *binary_outcome_name(enum binary_outcome outcome);
/* True for the last three: it cannot run. */
bool binary_cannot_run(enum binary_outcome outcome);

struct binary_verdict {
    enum binary_outcome outcome;
    const char *reason;             /* slug of what decided */
    char *why;                      /* one sentence with the numbers; the caller's to free() */
    const struct binary_code *code; /* of the binary: what would run; NULL: nothing */
    struct version driver_min;      /* lowest driver for it; count 0: not known, or nothing runs */
    const char *row, *source, *confidence; /* of the manifest; NULL: no row decided */
};
struct binary_verdict binary_judge(struct manifest *manifest, const struct resolve_machine *machine,
                                   const struct resolve_gpu *gpu, const struct binary *binary);

/* The CUDA that built it: as it says, else the first that knows its newest PTX and compiles for its
 * newest GPU, which is then the least that it can be (*ret_least). Count 0: nothing tells. */
struct version binary_cuda(struct manifest *manifest, const struct binary *binary, bool *ret_least);

/* What it needs at least, whatever the machine. */
struct binary_needs {
    struct version capability; /* the lowest compute capability that has code; count 0: none is
                                  said */
    struct version driver;     /* the lowest driver that takes any of it; count 0: not known */
};
struct binary_needs binary_needs(struct manifest *manifest, const struct binary *binary);

/* "sm_90a", "compute_120", "lto_89": a new string. */
char *binary_code_name(const struct binary_code *code);

#endif
