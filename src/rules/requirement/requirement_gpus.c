/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "manifest/gpu/gpu.h"
#include "rules/requirement/requirement_values.h"

static bool has_assumed_gpu(const struct facts *facts)
{
    size_t cursor = 0;
    return facts_next(facts, "assumed", &cursor) != NULL;
}

static void add_number(struct measured_values *values, int64_t number, const char *text,
                       const char *group, const char *name)
{
    uint32_t part = number < 0 ? 0 : number > 999999999 ? 999999999 : (uint32_t)number;
    struct version version = {.part = {part}, .width = {1}, .count = 1};
    measured_values_add(values, &version, text, group, name);
}

static void add_count(struct measured_values *values, int64_t count, const char *group)
{
    AUTO_FREE char *text = mem_printf("%lld", (long long)count);
    add_number(values, count, text, group, "count");
}

/* True when there is no driver that could list a GPU, or no GPU. */
static bool has_none(const struct facts *facts)
{
    const struct fact *module = facts_get(facts, "module", "nvidia");
    int64_t bus;
    return (facts_integer(facts, "pci", "count", &bus) && bus == 0 &&
            judged_device_path(facts, "/dev/nvidia") == NULL &&
            judged_place(facts) == PLACE_MACHINE) ||
           judged_answer(facts, "libnvidia-ml.so.1").start == START_FAILED ||
           (module && module->state == FACT_VALUE && !module->boolean &&
            judged_place(facts) == PLACE_MACHINE);
}

/* GPUs that programs get: NVML's number, else CUDA's where none are hidden from it, else the
 * module's. */
static void add_gpu_count(struct measured_values *values, const struct facts *facts)
{
    static const char *const kinds[] = {"nvml", "cuda", "driver_gpu"};
    int64_t count = 0;
    if (has_assumed_gpu(facts)) {
        for (size_t i = 0; facts_next(facts, "assumed", &i) != NULL;)
            count++;
        AUTO_FREE char *text = mem_printf("%lld, assumed", (long long)count);
        add_number(values, count, text, "assumed/0", "name");
        return;
    }
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        bool hidden = string_equal(kinds[i], "cuda") &&
                      facts_string(facts, "environment", "CUDA_VISIBLE_DEVICES");
        if (hidden || !facts_integer(facts, kinds[i], "count", &count) || (i > 0 && count <= 0))
            continue;
        add_count(values, count, kinds[i]);
        return;
    }
    if (has_none(facts))
        add_number(values, 0, "none that programs can use", "pci", "count");
    else
        measured_values_lack(values, facts, "nvml", "count");
}

static char *label_of(const struct facts *facts, const char *group, const char *what)
{
    const char *name = facts_string(facts, group, "name");
    return mem_printf("GPU %s%s%s%s: %s", strchr(group, '/') + 1, name ? " (" : "",
                      name ? name : "", name ? ")" : "", what);
}

static void add_capability(struct measured_values *values, const struct facts *facts,
                           const char *group, const char *text)
{
    struct version version;
    AUTO_FREE char *label = text ? label_of(facts, group, text) : NULL;
    if (label && version_parse(text, &version))
        measured_values_add(values, &version, label, group, "capability");
    else if (!measured_values_lack(values, facts, group, "capability") && values->unknown == NULL)
        values->unknown = mem_printf("the compute capability of %s is not known", group);
}

/* Of the GPUs of that kind; false when there are none. */
static bool add_capabilities(struct measured_values *values, const struct facts *facts,
                             const char *kind)
{
    const char *group;
    bool any = false;
    for (size_t i = 0; (group = facts_next(facts, kind, &i)) != NULL; any = true)
        add_capability(values, facts, group, facts_string(facts, group, "capability"));
    return any;
}

static void add_model_capability(struct measured_values *values, const struct facts *facts,
                                 const struct judged_gpu *gpu)
{
    char buffer[VERSION_TEXT_SIZE];
    AUTO_FREE char *label = label_of(facts, gpu->group, version_text(&gpu->capability, 0, buffer));
    measured_values_add(values, &gpu->capability, label, gpu->group, "device_id");
}

static void add_by_model(struct measured_values *values, const struct facts *facts,
                         struct manifest *manifest)
{
    AUTO_GPUS struct judged_gpus gpus = judged_gpus(facts, manifest);
    for (size_t i = 0; i < gpus.count; i++) {
        const struct judged_gpu *gpu = &gpus.items[i];
        if (gpu->capability.count)
            add_model_capability(values, facts, gpu);
        else if (values->unknown == NULL)
            values->unknown = mem_printf("the manifest does not know the GPU %s", gpu->group);
    }
    if (gpus.count == 0)
        measured_values_lack(values, facts, "pci", "count");
}

static void add_every_capability(struct measured_values *values, const struct facts *facts,
                                 struct manifest *manifest)
{
    if (!add_capabilities(values, facts, "assumed") && !add_capabilities(values, facts, "nvml") &&
        !add_capabilities(values, facts, "cuda"))
        add_by_model(values, facts, manifest);
}

/* Vendors' gigabytes are a little more than what programs get of them, so it is rounded. */
static void add_memory_of(struct measured_values *values, const struct facts *facts,
                          const char *group, const char *name)
{
    int64_t bytes;
    if (!facts_integer(facts, group, name, &bytes) || bytes < 0) {
        measured_values_lack(values, facts, group, name);
        return;
    }
    double gib = (double)bytes / (1 << 30);
    AUTO_FREE char *text = mem_printf("%.1f GiB", gib);
    AUTO_FREE char *label = label_of(facts, group, text);
    add_number(values, (int64_t)(gib + 0.5), label, group, name);
}

static bool add_memories(struct measured_values *values, const struct facts *facts,
                         const char *kind, const char *name)
{
    const char *group;
    bool any = false;
    for (size_t i = 0; (group = facts_next(facts, kind, &i)) != NULL; any = true)
        add_memory_of(values, facts, group, name);
    return any;
}

/* Of a model the manifest knows it, where no GPU answers. */
static void add_memory_by_model(struct measured_values *values, const struct facts *facts,
                                struct manifest *manifest)
{
    AUTO_GPUS struct judged_gpus gpus = judged_gpus(facts, manifest);
    for (size_t i = 0; i < gpus.count; i++) {
        const struct judged_gpu *gpu = &gpus.items[i];
        unsigned memory = gpu->model ? gpu->model->memory_gb : 0;
        AUTO_FREE char *text = mem_printf("%u GB", memory);
        AUTO_FREE char *label = label_of(facts, gpu->group, text);
        if (memory > 0)
            add_number(values, memory, label, gpu->group, "device_id");
        else if (values->unknown == NULL)
            values->unknown = mem_printf("the memory of the GPU %s is not known", gpu->group);
    }
    if (gpus.count == 0)
        measured_values_lack(values, facts, "pci", "count");
}

static void add_every_memory(struct measured_values *values, const struct facts *facts,
                             struct manifest *manifest)
{
    if (has_assumed_gpu(facts) || (!add_memories(values, facts, "nvml", "memory_total_bytes") &&
                                   !add_memories(values, facts, "cuda", "memory_bytes")))
        add_memory_by_model(values, facts, manifest);
}

void measured_values_add_gpus(struct measured_values *values, const struct facts *facts,
                              struct manifest *manifest, enum requirement_word word)
{
    values->every = true;
    values->none = "there is no GPU";
    if (word == REQUIRE_GPUS)
        add_gpu_count(values, facts);
    else if (word == REQUIRE_CC)
        add_every_capability(values, facts, manifest);
    else
        add_every_memory(values, facts, manifest);
}
