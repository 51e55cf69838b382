/* SPDX-License-Identifier: MIT */
#include "manifest/framework/framework.h"
#include "resolve/mixed_gpus.h"
#include "resolve/engine/resolution.h"
#include "resolve/engine/words.h"
#include "resolve/resolve.h"

/* Whether it is the first of its compute capability, which must be known. */
static bool is_first(const struct resolve_machine *machine, size_t index)
{
    const struct version *capability = &machine->gpus[index].capability;
    for (size_t i = 0; i < index; i++)
        if (version_compare(&machine->gpus[i].capability, capability) == 0)
            return false;
    return capability->count > 0;
}

static size_t kinds_of_gpu(const struct resolve_machine *machine)
{
    size_t kinds = 0;
    for (size_t i = 0; i < machine->gpu_count; i++)
        kinds += is_first(machine, i);
    return kinds;
}

static void take(struct manifest *manifest, struct resolve_machine machine,
                 const struct resolve_gpu *gpu, const struct resolve_spec *spec,
                 struct mixed_gpu *mixed)
{
    struct resolve_spec only = *spec;
    const struct resolve_specs specs = {.items = &only, .count = 1};
    AUTO_RESOLUTION struct resolution resolution = {.chosen = NULL};
    AUTO_ERROR struct error error = {0};
    machine.gpus = gpu;
    machine.gpu_count = 1;
    mixed->gpu = words_gpu(gpu);
    mixed->capability = gpu->capability;
    if (!resolve(manifest, &machine, &specs, NULL, &resolution, &error))
        return;
    const struct resolve_choice *choice = resolve_choice_of(&resolution, mixed->product);
    if (choice == NULL)
        return;
    mixed->version = mem_string(choice->version);
    mixed->build = mem_string(choice->build);
    mixed->command = mem_string(choice->commands.count ? choice->commands.items[0] : NULL);
}

static bool is_newer(const struct mixed_gpu *mixed, const struct resolve_choice *choice)
{
    return mixed->version && (choice == NULL || !string_equal(mixed->version, choice->version));
}

static void take_each(struct manifest *manifest, const struct resolve_machine *machine,
                      const struct resolve_spec *spec, const char *product,
                      struct resolution *resolution)
{
    struct mixed_gpu *each = mem_alloc(machine->gpu_count * sizeof(*each));
    const struct resolve_choice *choice = resolve_choice_of(resolution, product);
    size_t count = 0;
    bool newer = false;
    for (size_t i = 0; i < machine->gpu_count; i++) {
        if (!is_first(machine, i))
            continue;
        each[count].product = product;
        take(manifest, *machine, &machine->gpus[i], spec, &each[count]);
        newer = newer || is_newer(&each[count], choice);
        count++;
    }
    for (size_t i = 0; i < count; i++) {
        if (newer)
            *vec_push(resolution->mixed_gpus, resolution->mixed_gpu_count,
                      resolution->mixed_gpu_capacity) = each[i];
        else
            mixed_gpu_free(&each[i]);
    }
    free(each);
}

void resolve_mixed_gpus(struct manifest *manifest, const struct resolve_machine *machine,
                        const struct resolve_specs *specs, struct resolution *resolution)
{
    struct resolve_machine measured = *machine;
    if (kinds_of_gpu(machine) < 2)
        return;
    if (resolve_spec_of(specs, "driver")) /* then the one that is there is not what they run on */
        measured.driver = measured.driver_api = (struct version){.count = 0};
    for (size_t i = 0; i < specs->count; i++) {
        const struct manifest_framework *framework =
            manifest_framework_find(manifest, specs->items[i].product);
        const struct resolve_choice *choice =
            framework ? resolve_choice_of(resolution, framework->framework) : NULL;
        if (framework && (choice == NULL || choice->limit_gpu))
            take_each(manifest, &measured, &specs->items[i], framework->framework, resolution);
    }
}
