/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_GPU_GPU_TABLE_H
#define MANIFEST_GPU_GPU_TABLE_H

#include <stdbool.h>
#include <stddef.h>

struct manifest;
struct manifest_gpu;
struct strlist;

/* What the files of the subject gpu share. */

/* The models of both tables of gpu.json, those with figures first. */
size_t gpu_count(struct manifest *manifest);
const struct manifest_gpu *gpu_at(struct manifest *manifest, size_t index);
/* The models of one of both tables that have one of words, and maybe others. */
const struct manifest_gpu *gpu_rows_saying(struct manifest *manifest, const struct strlist *words,
                                           bool others, size_t *ret_count);
/* Whether a model has that name: as a whole, by its words, or written together. */
enum gpu_name_test { GPU_NAME_WHOLE, GPU_NAME_WORDS, GPU_NAME_RUN, GPU_NAME_TESTS };
bool gpu_name_fits(const struct manifest_gpu *gpu, const char *name, enum gpu_name_test test);
/* Up to five names that are near, nearest first. */
void gpu_names_near(struct manifest *manifest, const char *name, struct strlist *ret_nearest);

#endif
