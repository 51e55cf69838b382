/* SPDX-License-Identifier: MIT */
#include "cli/machine/machine_of.h"

#include <string.h>
#include <strings.h>

#include "manifest/gpu/gpu.h"
#include "manifest/versions/driver.h"
#include "resolve/engine/resolution.h"

static void add_gpu(struct machine_of *machine, const struct resolve_gpu *gpu)
{
    *vec_push(machine->gpus, machine->gpu_count, machine->gpu_capacity) = *gpu;
}

/* A GPU as the driver told of it: group "cuda/0" or "nvml/0". */
static void add_told(struct machine_of *machine, const struct facts *facts,
                     struct manifest *manifest, const char *group)
{
    struct resolve_gpu gpu = {
        .name = facts_string(facts, group, "name"), .answers = true, .is_driven = true};
    const char *text = facts_string(facts, group, "capability");
    gpu.model = gpu.name ? manifest_gpu_by_name(manifest, gpu.name, NULL) : NULL;
    if ((text == NULL || !version_parse(text, &gpu.capability)) && gpu.model)
        gpu.capability = gpu.model->capability;
    add_gpu(machine, &gpu);
}

/* What the driver told of the GPU at that address of the bus; NULL: nothing. */
static const char *told_group(const struct facts *facts, const char *bus_group)
{
    static const char *const kinds[] = {"nvml", "cuda"};
    const char *address = strchr(bus_group, '/');
    const char *group;
    for (size_t k = 0; address && k < sizeof(kinds) / sizeof(kinds[0]); k++)
        for (size_t i = 0; (group = facts_next(facts, kinds[k], &i)) != NULL;) {
            const char *bus = facts_string(facts, group, "bus_id");
            if (bus && strcasecmp(bus, address + 1) == 0)
                return group;
        }
    return NULL;
}

/* True when there are GPUs of that kind, and each has a compute capability. */
static bool tells_capability(const struct facts *facts, const char *kind)
{
    size_t count = 0;
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, kind, &i)) != NULL; count++)
        if (facts_string(facts, group, "capability") == NULL)
            return false;
    return count > 0;
}

/* WSL, Jetson and containers without the bus: only the driver knows of the GPUs there. NVML of a
 * Jetson has no more of them than a name. */
static void add_all_told(struct machine_of *machine, const struct facts *facts,
                         struct manifest *manifest)
{
    static const char *const kinds[] = {"nvml", "cuda", "nvml"};
    size_t first = !tells_capability(facts, "nvml") && tells_capability(facts, "cuda") ? 1 : 0;
    const char *group;
    for (size_t k = first; machine->gpu_count == 0 && k < sizeof(kinds) / sizeof(kinds[0]); k++)
        for (size_t i = 0; (group = facts_next(facts, kinds[k], &i)) != NULL;)
            add_told(machine, facts, manifest, group);
}

/* The name of a model that was assumed stands for all of its ids. */
static const char *device_of(const struct judged_gpu *gpu)
{
    bool any = string_starts(gpu->group, "assumed") && gpu->model && gpu->model->device_ids.count;
    return any ? NULL : gpu->device_id;
}

static void take_gpus(struct machine_of *machine, const struct facts *facts,
                      struct manifest *manifest)
{
    AUTO_GPUS struct judged_gpus gpus = judged_gpus(facts, manifest);
    for (size_t i = 0; i < gpus.count; i++) {
        const struct judged_gpu *gpu = &gpus.items[i];
        const char *told = told_group(facts, gpu->group);
        const char *name = facts_string(facts, gpu->group, "name");
        const struct resolve_gpu found = {
            .name = name ? name : gpu->device_id,
            .model = gpu->model,
            .capability = gpu->capability,
            .answers = told != NULL,
            .is_driven = told || string_equal(facts_string(facts, gpu->group, "driver"), "nvidia"),
            .device_id = device_of(gpu),
        };
        if (told && gpu->model == NULL)
            add_told(machine, facts, manifest, told);
        else
            add_gpu(machine, &found);
    }
    add_all_told(machine, facts, manifest);
    machine->machine.gpus = machine->gpus;
    machine->machine.gpu_count = machine->gpu_count;
}

static void take_driver(struct resolve_machine *machine, const struct facts *facts)
{
    struct judged_driver driver = judged_driver(facts);
    const char *group;
    machine->driver = driver.version;
    machine->driver_assumed = driver.assumed;
    if (!driver.assumed && !judged_driver_api(facts, &machine->driver_api, &group))
        machine->driver_api = (struct version){.count = 0};
}

static void add_compat(struct machine_of *machine, const struct version *cuda)
{
    struct version *slot =
        vec_push(machine->compat, machine->compat_count, machine->compat_capacity);
    *slot = *cuda;
}

/* The cuda-compat packages: their libcuda has the version of a driver, whose branch tells the CUDA;
 * and a toolkit may have one in its compat directory. */
static void take_compat(struct machine_of *machine, const struct facts *facts,
                        struct manifest *manifest)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "library", &i)) != NULL;) {
        struct version version;
        const char *text = judged_library_version(facts, group);
        if (!judged_library_has_origin(facts, group, "compat") ||
            !string_equal(facts_string(facts, group, "name"), "libcuda") ||
            !driver_version_parse(text, &version))
            continue;
        const struct manifest_branch *branch = manifest_branch_find(manifest, &version);
        if (branch && branch->cuda.count)
            add_compat(machine, &branch->cuda);
    }
    for (size_t i = 0; (group = facts_next(facts, "toolkit", &i)) != NULL;) {
        struct version version;
        const char *text = facts_string(facts, group, "version");
        if (facts_string(facts, group, "compat_path") && text && version_parse(text, &version))
            add_compat(machine, &version);
    }
    machine->machine.compat = machine->compat;
    machine->machine.compat_count = machine->compat_count;
}

/* A GPU that is part of an Arm processor tells the architecture, also where it is only assumed. */
static const char *architecture_of(const struct machine_of *machine, const struct facts *facts)
{
    for (size_t i = 0; i < machine->gpu_count; i++) {
        const struct manifest_gpu *model = machine->gpus[i].model;
        if (model && (string_equal(model->gpu_class, "jetson") ||
                      string_equal(model->gpu_class, "embedded")))
            return "aarch64";
    }
    return facts_string(facts, "os", "architecture");
}

struct machine_of machine_of(const struct facts *facts, struct manifest *manifest)
{
    struct machine_of machine = {.gpu_count = 0};
    AUTO_TOOLKITS struct judged_toolkits toolkits = judged_toolkits(facts);
    take_driver(&machine.machine, facts);
    take_gpus(&machine, facts, manifest);
    take_compat(&machine, facts, manifest);
    machine.machine.architecture = architecture_of(&machine, facts);
    machine.machine.os_id = facts_string(facts, "os", "id");
    machine.machine.os_like = facts_string(facts, "os", "id_like");
    machine.machine.os_release = facts_string(facts, "os", "version_id");
    machine.machine.apt_components = facts_list(facts, "apt", "components");
    machine.machine.apt_file = facts_string(facts, "apt", "file");
    if (toolkits.count && toolkits.items[0].is_default)
        machine.machine.toolkit = toolkits.items[0].version;
    return machine;
}

void machine_take_python(struct machine_of *machine, const struct facts *facts)
{
    struct version *python = &machine->machine.python;
    const char *glibc = facts_string(facts, "os", "glibc_version");
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "python", &i)) != NULL && python->count == 0;) {
        const char *text = facts_string(facts, group, "version");
        if (text && facts_true(facts, group, "active"))
            version_parse_prefix(text, python);
    }
    if (glibc)
        version_parse_prefix(glibc, &machine->machine.glibc);
}

void machine_of_free(struct machine_of *machine)
{
    free(machine->gpus);
    free(machine->compat);
}
