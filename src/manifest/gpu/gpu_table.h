/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_GPU_GPU_TABLE_H
#define MANIFEST_GPU_GPU_TABLE_H

#include <stdbool.h>
#include <stddef.h>

struct gpu_models;
struct manifest;
struct manifest_gpu;
struct manifest_gpu_range;
struct manifest_place;
struct strlist;
struct version;

/* What the files of the subject gpu share. */

/* The models of both tables of gpu.json, those with figures first. */
size_t gpu_count(struct manifest *manifest);
const struct manifest_gpu *gpu_at(struct manifest *manifest, size_t index);
/* The models of one of both tables that have one of words, and maybe others. */
const struct manifest_gpu *gpu_rows_saying(struct manifest *manifest, const struct strlist *words,
                                           bool others, size_t *ret_count);
/* Those of device.json, as public lists name them, that may have the name, and others. Reading the
 * rows alone that have its number costs a tenth of reading all. */
const struct manifest_gpu *device_rows_named(struct manifest *manifest, const char *name,
                                             size_t *ret_count);
const struct manifest_gpu *device_rows_saying(struct manifest *manifest,
                                              const struct strlist *words, size_t *ret_count);
/* The ids of a board of virtual GPUs ("H100XM"); NULL: not known. */
const struct strlist *device_board_ids(struct manifest *manifest, const char *board);

const struct manifest_gpu_range *gpu_ranges(struct manifest *manifest, size_t *ret_count);

/* Whether a row agrees with capability.json, and its ids with the ranges. */
bool gpu_chip_agrees(struct manifest *manifest, struct manifest_place *place,
                     const struct version *number, const char *architecture);
bool gpu_ids_agree(struct manifest *manifest, struct manifest_place *place,
                   const struct manifest_gpu *gpu);

/* Whether a model has that name, the nearest first: letter by letter; without words that tell no
 * GPU from another; by its words; written together. */
enum gpu_name_test { GPU_NAME_WHOLE, GPU_NAME_PLAIN, GPU_NAME_WORDS, GPU_NAME_RUN, GPU_NAME_TESTS };
bool gpu_name_fits(const struct manifest_gpu *gpu, const char *name, enum gpu_name_test test);
/* Whether the word tells no GPU from another ("nvidia", "edition"). */
bool gpu_name_is_noise(const char *word);
/* Those with that name as it stands. */
void gpu_models_by_name(struct manifest *manifest, const char *name, struct gpu_models *models);
/* Up to five names that are near, nearest first. */
void gpu_names_near(struct manifest *manifest, const char *name, struct strlist *ret_nearest);

/* The name of a GPU in what people paste; new strings. */

/* What lspci writes between brackets: "GA106M [GeForce RTX 3060 Mobile] (rev a1)"; a copy of text
 * where it has none. */
char *gpu_text_name(const char *text);
/* The board of a part of a GPU: H100 of "H100-1g.10gb", T4 of "GRID T4-8Q". NULL: it is no part. */
char *gpu_text_board(const char *text);
/* Without the words that tell memory and form alone ("16GB", "SXM2"); they are all: nothing. */
char *gpu_text_bare(const char *text);

/* With "mobile" for "with Max-Q Design"; NULL: it has no such words. */
char *gpu_text_mobile(const char *text);

#endif
