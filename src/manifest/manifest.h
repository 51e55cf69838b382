/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_MANIFEST_H
#define MANIFEST_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct manifest_problems;

/* What is known of the NVIDIA world: manifests/ of the source tree. docs/reference/manifest.md
 * describes the files. A table is parsed when it is first asked for; the built-in ones are checked
 * whole by the tests of gpuenv. */
struct manifest;

/* The manifest built into the program. Never NULL. */
struct manifest *manifest_new(void);

/* A joined document (gpuenv.manifest.json), checked whole. NULL and ERROR_DATA otherwise, naming
 * file, line and key (my.json:117: cuda.rows[14].driver_min), what was expected and what was found.
 * name is what errors call it. text is not needed afterwards. */
struct manifest *manifest_load(const char *text, size_t size, const char *name,
                               struct error *error);
/* A document that manifest_load() accepted before, in a program with the same manifest_reader(): it
 * is not checked again, and a table is parsed when it is first asked for. text must outlive it. */
struct manifest *manifest_load_again(const char *text, size_t size, const char *name);
void manifest_free(struct manifest *manifest);

/* The code that reads and checks a manifest, as 64 hexadecimal digits. */
const char *manifest_reader(void);

/* The same as manifest_load(), but finds all problems instead of the first. NULL when there is
 * any. */
struct manifest *manifest_examine(const char *text, size_t size, const char *name,
                                  struct manifest_problems *problems);

/* What is wrong with a subject that was not checked before it was asked for (ERROR_INTERNAL), NULL
 * when nothing is. Every lookup in such a subject finds nothing. */
const struct error *manifest_problem(const struct manifest *manifest);

/* NULL only where manifest_problem() has something to say. */
const char *manifest_version(struct manifest *manifest); /* "1" */
const char *manifest_date(struct manifest *manifest);    /* "2026-11-20" */

#endif
