/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <strings.h>

#include "base/hex.h"
#include "manifest/gpu/gpu.h"
#include "manifest/gpu/gpu_table.h"
#include "manifest/reader/slug.h"
#include "manifest/reader/subject.h"
#include "manifest/store/store.h"
#include "manifest/versions/capability.h"
#include "manifest/versions/listed.h"

/* manifests/gpu.json: GPU models. */
enum { TABLE_ROWS, TABLE_OTHERS, TABLE_RANGES, TABLE_COHERENT };

struct gpu_coherent {
    const char *id;
    const char *board; /* part of the names that drivers give it: GH200 */
    const char *source;
    const char *confidence;
    const char *notes;
};

static const char *const bases[] = {"source", "editor", NULL};
static const char *const modules[] = {"required", NULL};

static const struct manifest_key keys[] = {
    KEY(manifest_gpu, name, KEY_STRING, .required = true),
    KEY(manifest_gpu, names, KEY_STRINGS),
    {.name = "class",
     .type = KEY_CHOICE,
     .required = true,
     .offset = offsetof(struct manifest_gpu, gpu_class),
     .choices = manifest_gpu_classes},
    KEY(manifest_gpu, architecture, KEY_STRING, .required = true),
    KEY(manifest_gpu, capability, KEY_VERSION, .required = true),
    KEY(manifest_gpu, device_ids, KEY_STRINGS),
    KEY(manifest_gpu, gpus_per_board, KEY_UNSIGNED),
    KEY(manifest_gpu, memory_gb, KEY_UNSIGNED),
    KEY(manifest_gpu, memory_type, KEY_STRING),
    KEY(manifest_gpu, bandwidth_gb_s, KEY_NUMBER),
    KEY(manifest_gpu, fp32_tflops, KEY_NUMBER),
    KEY(manifest_gpu, fp16_tflops, KEY_NUMBER),
    KEY(manifest_gpu, fp16_tensor_tflops, KEY_NUMBER),
    KEY(manifest_gpu, tdp_w, KEY_UNSIGNED),
    KEY(manifest_gpu, pcie, KEY_STRING),
    KEY(manifest_gpu, nvlink, KEY_CHOICE, .choices = manifest_yes_no),
    KEY(manifest_gpu, nvlinks, KEY_UNSIGNED),
    KEY(manifest_gpu, link_basis, KEY_CHOICE, .choices = bases),
    KEY(manifest_gpu, open_module, KEY_CHOICE, .choices = modules),
    KEYS_OF_EVERY_ROW(manifest_gpu),
    {.name = NULL},
};

static const struct manifest_key range_keys[] = {
    KEY(manifest_gpu_range, first, KEY_STRING, .required = true),
    KEY(manifest_gpu_range, last, KEY_STRING, .required = true),
    KEY(manifest_gpu_range, architecture, KEY_STRING, .required = true),
    KEY(manifest_gpu_range, capability, KEY_VERSION),
    KEY(manifest_gpu_range, chips, KEY_STRINGS, .required = true),
    KEYS_OF_EVERY_ROW(manifest_gpu_range),
    {.name = NULL},
};

static const struct manifest_key coherent_keys[] = {
    KEY(gpu_coherent, board, KEY_STRING, .required = true),
    KEYS_OF_EVERY_ROW(gpu_coherent),
    {.name = NULL},
};

static char *gpu_id(const void *row)
{
    const struct manifest_gpu *gpu = row;
    AUTO_FREE char *slug = manifest_slug(gpu->name);
    return mem_printf("gpu/%s", slug);
}

static bool gpu_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct manifest_gpu *gpu = row;
    (void)previous;
    for (size_t i = 0; i < gpu->device_ids.count; i++)
        if (!hex_is(gpu->device_ids.items[i], 4))
            return place_problem(place, "device_ids", gpu->device_ids.items[i],
                                 "four lowercase hexadecimal digits each");
    return true;
}

static char *range_id(const void *row)
{
    const struct manifest_gpu_range *range = row;
    return mem_printf("gpu/ranges/%s", range->first);
}

/* Four digits each: the order of the texts is that of the numbers. */
static bool range_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct manifest_gpu_range *range = row;
    const struct manifest_gpu_range *before = previous;
    if (!hex_is(range->first, 4))
        return place_problem(place, "first", range->first, "four lowercase hexadecimal digits");
    if (!hex_is(range->last, 4) || strcmp(range->last, range->first) < 0)
        return place_problem(place, "last", range->last,
                             "four lowercase hexadecimal digits, %s or greater", range->first);
    if (before && strcmp(range->first, before->last) <= 0)
        return place_problem(place, "first", range->first,
                             "greater than %s, the last value of the previous row", before->last);
    return true;
}

static char *coherent_id(const void *row)
{
    const struct gpu_coherent *coherent = row;
    AUTO_FREE char *slug = manifest_slug(coherent->board);
    return mem_printf("gpu/coherent/%s", slug);
}

static bool coherent_check(const struct manifest_place *place, const void *row,
                           const void *previous)
{
    const struct gpu_coherent *coherent = row;
    const struct gpu_coherent *before = previous;
    if (before && strcmp(coherent->board, before->board) < 0)
        return place_problem(place, "board", coherent->board, "a row that sorts after %s",
                             before->id);
    if (coherent->board[strcspn(coherent->board, "0123456789")] == '\0') /* no word of all names */
        return place_problem(place, "board", coherent->board, "a name with its number: GH200");
    return true;
}

static manifest_agreement gpu_agrees;
static manifest_agreement other_agrees;
static manifest_agreement range_agrees;

const struct manifest_subject manifest_gpu_subject = {
    .name = "gpu",
    .tables =
        {
            [TABLE_ROWS] = {.name = "rows",
                            .about = "GPU models",
                            .keys = keys,
                            .row_size = sizeof(struct manifest_gpu),
                            .id_offset = offsetof(struct manifest_gpu, id),
                            .id = gpu_id,
                            .check = gpu_check,
                            .agrees = gpu_agrees},
            [TABLE_OTHERS] = {.name = "others",
                              .about = "GPU models without figures",
                              .keys = keys,
                              .row_size = sizeof(struct manifest_gpu),
                              .id_offset = offsetof(struct manifest_gpu, id),
                              .id = gpu_id,
                              .check = gpu_check,
                              .agrees = other_agrees},
            [TABLE_RANGES] = {.name = "ranges",
                              .about = "ranges of PCI ids",
                              .keys = range_keys,
                              .row_size = sizeof(struct manifest_gpu_range),
                              .id_offset = offsetof(struct manifest_gpu_range, id),
                              .id = range_id,
                              .check = range_check,
                              .agrees = range_agrees},
            [TABLE_COHERENT] = {.name = "coherent",
                                .about = "boards whose memory the kernel uses as system memory",
                                .keys = coherent_keys,
                                .row_size = sizeof(struct gpu_coherent),
                                .id_offset = offsetof(struct gpu_coherent, id),
                                .id = coherent_id,
                                .check = coherent_check},
        },
};

const struct manifest_gpu *manifest_gpu_all(struct manifest *manifest, size_t *ret_count)
{
    return manifest_rows(manifest, &manifest_gpu_subject, TABLE_ROWS, ret_count);
}

const struct manifest_gpu *manifest_gpu_others(struct manifest *manifest, size_t *ret_count)
{
    return manifest_rows(manifest, &manifest_gpu_subject, TABLE_OTHERS, ret_count);
}

size_t gpu_count(struct manifest *manifest)
{
    size_t rows;
    size_t others;
    manifest_gpu_all(manifest, &rows);
    manifest_gpu_others(manifest, &others);
    manifest_gpu_all(manifest, &rows); /* none, where the others are broken */
    return rows + others;
}

const struct manifest_gpu *gpu_at(struct manifest *manifest, size_t index)
{
    size_t count;
    const struct manifest_gpu *rows = manifest_gpu_all(manifest, &count);
    if (index < count)
        return &rows[index];
    return &manifest_gpu_others(manifest, &count)[index - (gpu_count(manifest) - count)];
}

const struct manifest_gpu *gpu_rows_saying(struct manifest *manifest, const struct strlist *words,
                                           bool others, size_t *ret_count)
{
    return manifest_rows_saying(manifest, &manifest_gpu_subject, others ? TABLE_OTHERS : TABLE_ROWS,
                                words, ret_count);
}

bool manifest_gpu_is(const struct manifest_gpu *gpu, const struct manifest_gpu *other)
{
    return string_equal(gpu ? gpu->id : NULL, other ? other->id : NULL);
}

const struct manifest_gpu_range *gpu_ranges(struct manifest *manifest, size_t *ret_count)
{
    return manifest_rows(manifest, &manifest_gpu_subject, TABLE_RANGES, ret_count);
}

const struct manifest_gpu_range *manifest_gpu_range_of(struct manifest *manifest,
                                                       const char *device_id)
{
    size_t count;
    const struct manifest_gpu_range *ranges = gpu_ranges(manifest, &count);
    for (size_t i = 0; i < count; i++)
        if (strlen(device_id) == 4 && strcasecmp(device_id, ranges[i].first) >= 0 &&
            strcasecmp(device_id, ranges[i].last) <= 0)
            return &ranges[i];
    return NULL;
}

bool manifest_gpu_is_coherent(struct manifest *manifest, const char *name)
{
    size_t count;
    const struct gpu_coherent *rows =
        manifest_rows(manifest, &manifest_gpu_subject, TABLE_COHERENT, &count);
    for (size_t i = 0; i < count; i++)
        if (string_contains_nocase(name, rows[i].board))
            return true;
    return false;
}

bool gpu_chip_agrees(struct manifest *manifest, struct manifest_place *place,
                     const struct version *number, const char *architecture)
{
    const struct manifest_capability *capability = manifest_capability_find(manifest, number);
    if (capability == NULL)
        return capability_listed(manifest, place, "capability", number);
    if (!string_equal(architecture, capability->architecture))
        return place_problem(place, "architecture", architecture, "%s, as in %s",
                             capability->architecture, capability->id);
    return true;
}

bool gpu_ids_agree(struct manifest *manifest, struct manifest_place *place,
                   const struct manifest_gpu *gpu)
{
    for (size_t i = 0; i < gpu->device_ids.count; i++) {
        const char *device_id = gpu->device_ids.items[i];
        const struct manifest_gpu_range *range = manifest_gpu_range_of(manifest, device_id);
        if (range && range->capability.count > 0 &&
            version_compare(&range->capability, &gpu->capability) != 0)
            return place_problem(place, "device_ids", device_id,
                                 "an id with this compute capability; %s lists the id with another",
                                 range->id);
    }
    return true;
}

static bool gpu_agrees(struct manifest *manifest, struct manifest_place *place, const void *row)
{
    const struct manifest_gpu *gpu = row;
    return gpu_chip_agrees(manifest, place, &gpu->capability, gpu->architecture) &&
           gpu_ids_agree(manifest, place, gpu);
}

static bool range_agrees(struct manifest *manifest, struct manifest_place *place, const void *row)
{
    const struct manifest_gpu_range *range = row;
    return range->capability.count == 0 ||
           gpu_chip_agrees(manifest, place, &range->capability, range->architecture);
}

static bool other_agrees(struct manifest *manifest, struct manifest_place *place, const void *row)
{
    const struct manifest_gpu *other = row;
    size_t count;
    const struct manifest_gpu *rows = manifest_gpu_all(manifest, &count);
    for (size_t i = 0; i < count; i++)
        if (string_equal(rows[i].id, other->id))
            return place_problem(place, "name", other->name, "a model that gpu.rows does not list");
    return gpu_agrees(manifest, place, row);
}
