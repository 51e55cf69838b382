/* SPDX-License-Identifier: MIT */
#ifndef RESOLVE_ENGINE_WORDS_H
#define RESOLVE_ENGINE_WORDS_H

#include "resolve/engine/context.h"
#include "resolve/engine/resolution.h"

struct strlist;
struct version;

/* Words that several answers have. The strings are the caller's to free(). */

/* "driver 535.104.05 (supports CUDA 12.2)", "assumed driver …". */
char *words_driver(const struct resolve_context *context);
/* Adds to why, where it is so: "; the driver is newer than this manifest (2026-11-20) …". */
void words_add_newer(const struct resolve_context *context, char **why);
/* "Tesla V100 PCIe 16GB (compute capability 7.0)". */
char *words_gpu(const struct resolve_gpu *gpu);
/* "12.8.1": a new string. */
char *words_version(const struct version *version);
/* What does not work with a CUDA that runs through minor-version compatibility, or through
 * cuda-compat: adds sentences. */
void words_limits(enum fit fit, struct strlist *limits);

/* Adds a sentence for each model whose board that driver does not list, though a later one does;
 * not for one that this very driver drives here. */
void words_unlisted(const struct resolve_context *context, const struct version *driver,
                    struct strlist *limits);

/* What stands in the way of installing that version with gpuenv, whatever runs; NULL: nothing. cuda
 * is what a cuDNN is for; may be NULL. */
char *words_install(const struct resolve_context *context, const char *product,
                    const struct version *version, const struct version *cuda);

#endif
