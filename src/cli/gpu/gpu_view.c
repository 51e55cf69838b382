/* SPDX-License-Identifier: MIT */
#include "cli/gpu/gpu_view.h"

#include "manifest/gpu/gpu.h"
#include "manifest/gpu/gpu_compat.h"
#include "manifest/gpu/instance.h"
#include "manifest/versions/capability.h"
#include "manifest/versions/driver.h"

static void view_free(struct gpu_view *view)
{
    free(view->asked);
    free(view->title);
    free(view->device_id);
    strlist_free(&view->others);
    support_frameworks_free(&view->frameworks);
}

void gpu_views_free(struct gpu_views *views)
{
    for (size_t i = 0; i < views->count; i++)
        view_free(&views->items[i]);
    free(views->items);
}

static void take_rows(struct manifest *manifest, const struct version *capability,
                      struct gpu_view *view)
{
    view->compat = manifest_gpu_compat(manifest, view->model);
    view->family = view->model ? view->model->architecture : view->family;
    view->capability = manifest_capability_find(manifest, capability);
    if (view->capability == NULL)
        return;
    view->architecture = manifest_architecture_find(manifest, capability);
    view->cudnn = support_cudnn(manifest, view->capability);
    support_frameworks_of(manifest, capability, &view->frameworks);
    if (view->architecture != NULL)
        view->branch = manifest_branch_newest(manifest, capability);
}

bool gpu_view_is_capability(const struct gpu_view *view)
{
    return view->model == NULL && view->device_id == NULL && view->capability != NULL;
}

bool gpu_view_open_required(const struct gpu_view *view)
{
    if (view->model && view->model->open_module)
        return true;
    return view->architecture && string_equal(view->architecture->open_module, "required");
}

static struct gpu_view *view_add(struct gpu_views *views)
{
    return vec_push(views->items, views->count, views->capacity);
}

/* All models but the one that the view is of. */
static void take_others(const struct gpu_models *models, const char *why, struct gpu_view *view)
{
    for (size_t i = 0; i < models->count; i++)
        if (!manifest_gpu_is(models->items[i], view->model))
            strlist_add(&view->others, models->items[i]->name);
    view->others_why = why;
}

/* "L4 (4 in g6.12xlarge, AWS)": the model, and which instance type has it. */
static char *title_of_model(const struct manifest_gpu *model,
                            const struct manifest_instance *instance)
{
    if (instance == NULL)
        return mem_string(model->name);
    AUTO_FREE char *types = strlist_join(&instance->names, ", ");
    if (instance->count == 0)
        return mem_printf("%s (in %s of %s)", model->name, types, instance->provider);
    return mem_printf("%s (%u in %s of %s)", model->name, instance->count, types,
                      instance->provider);
}

/* One of the models that a word stands for. */
static void add_model(struct manifest *manifest, const char *text, const struct gpu_word *word,
                      const struct manifest_gpu *model, struct gpu_views *views)
{
    struct gpu_view *view = view_add(views);
    view->asked = mem_string(text);
    view->device_id = mem_string(word->device_id);
    view->model = model;
    view->instance = word->instance;
    view->title = title_of_model(model, word->instance);
    take_others(&word->models,
                word->kind == GPU_WORD_DEVICE ? "also with this PCI id" : "also with this name",
                view);
    take_rows(manifest, &model->capability, view);
}

/* "10de:2900 (GB100 or GB102, by its PCI id)": what the range of an id tells. */
static char *title_of_id(struct manifest *manifest, const char *device_id, const char **ret_family)
{
    const struct manifest_gpu_range *range = manifest_gpu_range_of(manifest, device_id);
    if (range == NULL)
        return mem_printf("10de:%s", device_id);
    AUTO_FREE char *chips = strlist_join(&range->chips, " or ");
    *ret_family = range->architecture;
    return mem_printf("10de:%s (%s, by its PCI id)", device_id, chips);
}

/* A PCI id of which its range alone is known. */
static void add_device(struct manifest *manifest, const char *text, const struct gpu_word *word,
                       struct gpu_views *views)
{
    struct gpu_view *view = view_add(views);
    view->asked = mem_string(text);
    view->device_id = mem_string(word->device_id);
    view->title = title_of_id(manifest, word->device_id, &view->family);
    take_rows(manifest, &word->capability, view);
}

void gpu_view_word(struct manifest *manifest, const char *text, const struct gpu_word *word,
                   struct gpu_views *views)
{
    if (word->kind == GPU_WORD_DEVICE && word->models.count == 0) {
        add_device(manifest, text, word, views);
        return;
    }
    if (word->kind != GPU_WORD_CAPABILITY) {
        /* nothing tells models with one PCI id apart; of a name the first is what it means */
        size_t count = word->kind == GPU_WORD_DEVICE ? word->models.count : 1;
        for (size_t i = 0; i < count; i++)
            add_model(manifest, text, word, word->models.items[i], views);
        return;
    }
    char version[VERSION_TEXT_SIZE];
    struct gpu_view *view = view_add(views);
    view->asked = mem_string(text);
    view->title = mem_printf("compute capability %s", version_text(&word->capability, 0, version));
    take_others(&word->models, "models", view);
    take_rows(manifest, &word->capability, view);
}

void gpu_view_model(struct manifest *manifest, const struct manifest_gpu *model,
                    struct gpu_views *views)
{
    struct gpu_view *view = view_add(views);
    view->model = model;
    view->title = mem_string(model->name);
    take_rows(manifest, &model->capability, view);
}

/* The view of an equal GPU that was there before; NULL: it is the first. */
static struct gpu_view *view_same(struct gpu_views *views, const struct judged_gpu *gpu)
{
    for (size_t i = 0; i < views->count; i++)
        if (string_equal(views->items[i].device_id, gpu->device_id))
            return &views->items[i];
    return NULL;
}

/* "A2", "A2 or A16": the models that have its PCI id. */
static char *title_of(struct manifest *manifest, const struct facts *facts,
                      const struct judged_gpu *gpu, const struct gpu_models *models,
                      const char **ret_family)
{
    const char *name = facts_string(facts, gpu->group, "name");
    AUTO_STRLIST struct strlist names = {0};
    for (size_t i = 0; i < models->count; i++)
        strlist_add(&names, models->items[i]->name);
    if (names.count > 0)
        return strlist_join(&names, " or ");
    if (gpu->model != NULL)
        return mem_string(gpu->model->name);
    if (gpu->device_id != NULL)
        return title_of_id(manifest, gpu->device_id, ret_family);
    return mem_string(name != NULL ? name : "a GPU without a PCI id");
}

void gpu_view_machine(struct manifest *manifest, const struct facts *facts, struct gpu_views *views)
{
    AUTO_GPUS struct judged_gpus gpus = judged_gpus(facts, manifest);
    for (size_t i = 0; i < gpus.count; i++) {
        const struct judged_gpu *gpu = &gpus.items[i];
        struct gpu_view *same = gpu->device_id ? view_same(views, gpu) : NULL;
        if (same != NULL) {
            same->count++;
            continue;
        }
        struct gpu_view *view = view_add(views);
        view->count = 1;
        view->device_id = mem_string(gpu->device_id);
        view->model = gpu->model;
        AUTO_MODELS struct gpu_models models = {0};
        if (gpu->device_id != NULL)
            gpu_models_with_device(manifest, gpu->device_id, &models);
        view->title = title_of(manifest, facts, gpu, &models, &view->family);
        take_others(&models, "also with this PCI id", view);
        take_rows(manifest, &gpu->capability, view);
    }
}
