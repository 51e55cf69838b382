/* SPDX-License-Identifier: MIT */
#include "manifest/gpu/gpu.h"
#include "rules/engine/context.h"
#include "rules/framework/framework.h"

void framework_gpus_free(struct framework_gpus *gpus)
{
    free(gpus->items);
}

bool rule_require_framework_gpus(struct rule_context *context, const struct frameworks *frameworks,
                                 const struct framework_gpus *gpus)
{
    if (!rule_require_frameworks(context, frameworks))
        return false;
    if (gpus->count > 0)
        return true;
    rule_skip(context, "there is no GPU here");
    return false;
}

static void add(struct framework_gpus *gpus, const char *group, const char *name,
                const struct version *capability)
{
    if (capability->count)
        *vec_push(gpus->items, gpus->count, gpus->capacity) =
            (struct framework_gpu){.group = group, .name = name, .capability = *capability};
}

static void add_listed(struct framework_gpus *gpus, const struct facts *facts)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "cuda", &i)) != NULL;) {
        struct version capability;
        const char *text = facts_string(facts, group, "capability");
        if (text && version_parse(text, &capability))
            add(gpus, group, facts_string(facts, group, "name"), &capability);
    }
}

struct framework_gpus framework_gpus(const struct rule_context *context)
{
    const struct facts *facts = context->facts;
    struct framework_gpus gpus = {.count = 0};
    AUTO_GPUS struct judged_gpus on_bus = judged_gpus(facts, context->manifest);
    for (size_t i = 0; i < on_bus.count; i++) {
        const struct judged_gpu *gpu = &on_bus.items[i];
        const char *name = gpu->model ? gpu->model->name : facts_string(facts, gpu->group, "name");
        if (!string_equal(facts_string(facts, gpu->group, "driver"), "vfio-pci"))
            add(&gpus, gpu->group, name, &gpu->capability);
    }
    if (gpus.count == 0)
        add_listed(&gpus, facts);
    return gpus;
}

bool framework_on_jetson(const struct facts *facts)
{
    return facts_string(facts, "machine", "jetson_release") != NULL;
}
