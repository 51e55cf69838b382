/* SPDX-License-Identifier: MIT */
#include "manifest/gpu/gpu_match.h"

#include <ctype.h>

#include "manifest/gpu/gpu.h"
#include "manifest/gpu/gpu_table.h"

void gpu_models_free(struct gpu_models *models)
{
    free(models->items);
}

static void add(struct gpu_models *models, const struct manifest_gpu *gpu)
{
    *vec_push(models->items, models->count, models->capacity) = gpu;
}

void gpu_models_with_device(struct manifest *manifest, const char *device_id,
                            struct gpu_models *models)
{
    AUTO_STRLIST struct strlist words = {0};
    strlist_add(&words, device_id);
    for (char *c = words.items[0]; *c != '\0'; c++)
        *c = (char)tolower((unsigned char)*c);
    for (int others = 0; others < 2; others++) {
        size_t count;
        const struct manifest_gpu *rows = gpu_rows_saying(manifest, &words, others != 0, &count);
        for (size_t i = 0; i < count; i++)
            if (strlist_has(&rows[i].device_ids, words.items[0]))
                add(models, &rows[i]);
    }
}

void gpu_models_with_capability(struct manifest *manifest, const struct version *capability,
                                struct gpu_models *models)
{
    for (size_t i = 0; i < gpu_count(manifest); i++)
        if (version_compare(&gpu_at(manifest, i)->capability, capability) == 0)
            add(models, gpu_at(manifest, i));
}

void gpu_models_named(struct manifest *manifest, const char *name, struct gpu_models *models)
{
    for (enum gpu_name_test test = 0; test < GPU_NAME_TESTS && models->count == 0; test++)
        for (size_t i = 0; i < gpu_count(manifest); i++)
            if (gpu_name_fits(gpu_at(manifest, i), name, test))
                add(models, gpu_at(manifest, i));
}

const struct manifest_gpu *manifest_gpu_by_device(struct manifest *manifest, const char *device_id)
{
    AUTO_MODELS struct gpu_models models = {0};
    gpu_models_with_device(manifest, device_id, &models);
    return models.count > 0 ? models.items[0] : NULL;
}

const struct manifest_gpu *manifest_gpu_by_name(struct manifest *manifest, const char *name,
                                                struct strlist *ret_nearest)
{
    AUTO_MODELS struct gpu_models models = {0};
    gpu_models_named(manifest, name, &models);
    if (models.count == 0 && ret_nearest != NULL)
        gpu_names_near(manifest, name, ret_nearest);
    return models.count > 0 ? models.items[0] : NULL;
}
