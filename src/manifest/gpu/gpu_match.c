/* SPDX-License-Identifier: MIT */
#include "manifest/gpu/gpu_match.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "manifest/gpu/gpu.h"
#include "manifest/gpu/gpu_table.h"

void gpu_models_free(struct gpu_models *models)
{
    free(models->items);
}

bool gpu_models_differ(const struct gpu_models *models)
{
    for (size_t i = 1; i < models->count; i++)
        if (version_compare(&models->items[i]->capability, &models->items[0]->capability) != 0 ||
            !string_equal(models->items[i]->architecture, models->items[0]->architecture))
            return true;
    return false;
}

static void add(struct gpu_models *models, const struct manifest_gpu *gpu)
{
    *vec_push(models->items, models->count, models->capacity) = gpu;
}

static void add_with_id(const struct manifest_gpu *rows, size_t count, const char *device_id,
                        struct gpu_models *models)
{
    for (size_t i = 0; i < count; i++)
        if (strlist_has(&rows[i].device_ids, device_id))
            add(models, &rows[i]);
}

void gpu_models_with_device(struct manifest *manifest, const char *device_id,
                            struct gpu_models *models)
{
    AUTO_STRLIST struct strlist words = {0};
    size_t before = models->count;
    size_t count;
    strlist_add(&words, device_id);
    string_lower(words.items[0]);
    for (int others = 0; others < 2; others++) {
        const struct manifest_gpu *rows = gpu_rows_saying(manifest, &words, others != 0, &count);
        add_with_id(rows, count, words.items[0], models);
    }
    if (models->count > before)
        return;
    const struct manifest_gpu *rows = device_rows_saying(manifest, &words, &count);
    add_with_id(rows, count, words.items[0], models);
}

void gpu_models_with_capability(struct manifest *manifest, const struct version *capability,
                                struct gpu_models *models)
{
    for (size_t i = 0; i < gpu_count(manifest); i++)
        if (version_compare(&gpu_at(manifest, i)->capability, capability) == 0)
            add(models, gpu_at(manifest, i));
}

/* Those of candidates that the best test gives, no worse than last; which is returned. */
static enum gpu_name_test add_best(const struct gpu_models *candidates, const char *name,
                                   enum gpu_name_test last, struct gpu_models *models)
{
    enum gpu_name_test test = 0;
    for (; test < GPU_NAME_TESTS && test <= last && models->count == 0; test++)
        for (size_t i = 0; i < candidates->count; i++)
            if (gpu_name_fits(candidates->items[i], name, test))
                add(models, candidates->items[i]);
    return models->count > 0 ? test - 1 : GPU_NAME_TESTS;
}

/* The rows of gpu.json that the best test gives, which is returned. */
static enum gpu_name_test add_known(struct manifest *manifest, const char *name,
                                    struct gpu_models *models)
{
    AUTO_MODELS struct gpu_models rows = {0};
    for (size_t i = 0; i < gpu_count(manifest); i++)
        add(&rows, gpu_at(manifest, i));
    return add_best(&rows, name, GPU_NAME_TESTS, models);
}

/* The same of the rows of device.json, by no worse a test than last. */
static enum gpu_name_test add_listed(struct manifest *manifest, const char *name,
                                     enum gpu_name_test last, struct gpu_models *models)
{
    AUTO_MODELS struct gpu_models rows = {0};
    size_t count;
    const struct manifest_gpu *named = device_rows_named(manifest, name, &count);
    for (size_t i = 0; i < count; i++)
        add(&rows, &named[i]);
    return add_best(&rows, name, last, models);
}

static bool shares_device(const struct gpu_models *models, const struct manifest_gpu *gpu)
{
    for (size_t i = 0; i < models->count; i++)
        for (size_t k = 0; k < gpu->device_ids.count; k++)
            if (strlist_has(&models->items[i]->device_ids, gpu->device_ids.items[k]))
                return true;
    return false;
}

/* All models of more that are not there yet. */
static void add_others(struct gpu_models *models, const struct gpu_models *more)
{
    size_t first = models->count;
    for (size_t i = 0; i < more->count; i++) {
        const struct gpu_models known = {.items = models->items, .count = first};
        if (!shares_device(&known, more->items[i]))
            add(models, more->items[i]);
    }
}

/* Those with figures are enough where all are alike. Where they are not, a name that public lists
 * have letter by letter is not one of which gpu.json has the words alone. */
void gpu_models_by_name(struct manifest *manifest, const char *name, struct gpu_models *models)
{
    AUTO_MODELS struct gpu_models known = {0};
    AUTO_MODELS struct gpu_models listed = {0};
    AUTO_MODELS struct gpu_models all = {0};
    enum gpu_name_test known_by = add_known(manifest, name, &known);
    enum gpu_name_test listed_by = add_listed(manifest, name, known_by, &listed);
    add_others(&all, &known);
    add_others(&all, &listed);
    if (!gpu_models_differ(&all))
        add_others(models, known.count > 0 ? &known : &listed);
    else
        add_others(models, listed_by < known_by ? &listed : &all);
}

/* Models with one of the ids, those first that have the name of the board themselves. */
static void add_ids(struct manifest *manifest, const struct strlist *ids, const char *board,
                    struct gpu_models *models)
{
    AUTO_MODELS struct gpu_models all = {0};
    for (size_t i = 0; i < ids->count; i++)
        gpu_models_with_device(manifest, ids->items[i], &all);
    for (int named = 1; named >= 0; named--)
        for (size_t i = 0; i < all.count; i++)
            if (gpu_name_fits(all.items[i], board, GPU_NAME_PLAIN) == (named != 0))
                add(models, all.items[i]);
}

/* A board of virtual GPUs; where none is listed, letters at its end tell memory or form. */
static void add_board(struct manifest *manifest, const char *board, struct gpu_models *models)
{
    const struct strlist *ids = device_board_ids(manifest, board);
    if (ids != NULL) {
        add_ids(manifest, ids, board, models);
        return;
    }
    AUTO_FREE char *name = mem_string(board);
    size_t size = strlen(name);
    gpu_models_by_name(manifest, name, models);
    while (models->count == 0 && size > 1 && isupper((unsigned char)name[size - 1])) {
        name[--size] = '\0';
        gpu_models_by_name(manifest, name, models);
    }
}

/* What is not a name as it stands. A card for thin laptops may be listed for laptops alone. */
static void add_rewritten(struct manifest *manifest, const char *text, struct gpu_models *models)
{
    AUTO_FREE char *first = mem_printf("%.*s", (int)strcspn(text, "/"), text);
    AUTO_FREE char *mobile = gpu_text_mobile(text);
    if (!string_equal(first, text))
        gpu_models_by_name(manifest, first, models);
    if (models->count == 0 && mobile != NULL)
        gpu_models_by_name(manifest, mobile, models);
}

void gpu_models_named(struct manifest *manifest, const char *name, struct gpu_models *models)
{
    AUTO_FREE char *text = gpu_text_name(name);
    AUTO_FREE char *board = gpu_text_board(text);
    AUTO_FREE char *bare = gpu_text_bare(board ? board : text);
    if (*bare == '\0')
        return;
    if (board != NULL) {
        add_board(manifest, board, models);
        return;
    }
    gpu_models_by_name(manifest, text, models);
    if (models->count == 0)
        gpu_models_by_name(manifest, bare, models);
    if (models->count == 0)
        add_rewritten(manifest, text, models);
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
    bool differ = gpu_models_differ(&models);
    for (size_t i = 0; differ && ret_nearest && i < models.count; i++)
        if (!strlist_has(ret_nearest, models.items[i]->name))
            strlist_add(ret_nearest, models.items[i]->name);
    if (models.count == 0 && ret_nearest != NULL)
        gpu_names_near(manifest, name, ret_nearest);
    return models.count > 0 && !differ ? models.items[0] : NULL;
}
