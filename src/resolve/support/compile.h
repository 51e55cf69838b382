/* SPDX-License-Identifier: MIT */
#ifndef RESOLVE_SUPPORT_COMPILE_H
#define RESOLVE_SUPPORT_COMPILE_H

#include <stddef.h>

#include "base/strlist.h"
#include "base/version.h"
#include "manifest/package/package.h"
#include "resolve/engine/resolution.h"

struct manifest;

/* Whether a toolkit compiles on a system: its nvcc and the system's compiler, its headers and the
 * C library, its GPUs. */

/* The system that nvcc is to run on. */
struct compile_system {
    struct manifest_system os;  /* id NULL: unknown */
    const char *name;           /* "Debian GNU/Linux 12 (bookworm)"; NULL: unknown */
    struct version gcc;         /* the system's compiler; count 0: none, or unknown */
    const struct strlist *gccs; /* those that are installed: "11", "12"; NULL: unknown */
    struct version glibc;       /* count 0: unknown */
    const struct resolve_gpu *gpus;
    size_t gpu_count;
};

/* Adds a sentence for each thing that does not work there, and what to do about it. Nothing is said
 * of what is not known. */
void compile_notes(struct manifest *manifest, const struct version *cuda,
                   const struct compile_system *system, struct strlist *notes);

#endif
