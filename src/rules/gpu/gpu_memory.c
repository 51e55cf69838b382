/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/shell.h"
#include "manifest/gpu/gpu.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/threshold.h"
#include "rules/gpu/judges.h"
#include "rules/query/gpu_nvml.h"
#include "rules/query/gpu_process.h"

/* gpu_memory_taken_by_other, orphan_process_holds_gpu: memory that a program will miss. */

struct usage {
    int64_t total, used, free;
};

static bool usage_read(const struct facts *facts, const char *group, struct usage *ret_usage)
{
    return facts_integer(facts, group, "memory_total_bytes", &ret_usage->total) &&
           facts_integer(facts, group, "memory_used_bytes", &ret_usage->used) &&
           facts_integer(facts, group, "memory_free_bytes", &ret_usage->free) &&
           ret_usage->total > 0 && ret_usage->used >= 0 && ret_usage->free >= 0;
}

/* False where one of them is not told; the check is ended when that is a gap. */
static bool require_usage(struct rule_context *context, const char *group, struct usage *ret_usage)
{
    return rule_require_nvml_fact(context, group, "memory_total_bytes") &&
           rule_require_nvml_fact(context, group, "memory_used_bytes") &&
           rule_require_nvml_fact(context, group, "memory_free_bytes") &&
           usage_read(context->facts, group, ret_usage);
}

static void add_memory(const struct rule_context *context, struct finding *finding,
                       const char *group)
{
    nvml_finding(context, finding, group, "memory_used_bytes");
    finding_evidence(finding, context->facts, group, "memory_total_bytes");
    finding_evidence(finding, context->facts, group, "memory_free_bytes");
    finding_evidence(finding, context->facts, group, "processes");
}

/* True when NVML names processes, and none of them is on this machine as it is seen from here. */
static bool all_are_elsewhere(const struct facts *facts, const struct strlist *processes)
{
    if (judged_place(facts) != PLACE_MACHINE)
        return false;
    for (size_t i = 0; i < processes->count; i++)
        if (!gpu_process_is_elsewhere(facts, processes->items[i]))
            return false;
    return processes->count > 0;
}

/* A GPU with nobody on it and most of its memory free; NULL: there is none. */
static const char *free_gpu(const struct facts *facts, const char *taken)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "nvml", &i)) != NULL;) {
        struct usage usage;
        const struct strlist *processes = facts_list(facts, group, "processes");
        if (!string_equal(group, taken) && processes && processes->count == 0 &&
            !facts_true(facts, group, "mig") && usage_read(facts, group, &usage) &&
            usage.free / 2 >= usage.total / 4)
            return group;
    }
    return NULL;
}

/* What makes a framework that is in use take less than all there is. */
static void add_settings(const struct facts *facts, struct finding *finding)
{
    static const struct {
        const char *framework, *command, *note;
    } settings[] = {
        {"tensorflow", "export TF_FORCE_GPU_ALLOW_GROWTH=true",
         "TensorFlow then allocates memory as needed, instead of nearly all of it at startup"},
        {"jax", "export XLA_PYTHON_CLIENT_PREALLOCATE=false",
         "JAX then allocates memory as needed; XLA_PYTHON_CLIENT_MEM_FRACTION=0.3 limits JAX to 30 "
         "% of the memory"},
        {"pytorch", NULL,
         "PyTorch allocates memory as needed: torch.cuda.set_per_process_memory_fraction() sets a "
         "limit, and a smaller batch needs less memory"},
    };
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
        const char *group = facts_find(facts, "framework", "name", settings[i].framework);
        if (group == NULL || !facts_true(facts, group, "active"))
            continue;
        if (settings[i].command)
            finding_fix_command(finding, FIX_SHELL, settings[i].note, "%s", settings[i].command);
        else
            finding_fix_note(finding, FIX_ADVICE, "%s", settings[i].note);
    }
}

static void add_less(const struct facts *facts, struct finding *finding, const char *taken)
{
    const char *other = free_gpu(facts, taken);
    AUTO_FREE char *number = other ? nvml_argument(other) : NULL;
    if (other)
        finding_fix_command(finding, FIX_SHELL, "uses another GPU that is free",
                            "export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=%s", number);
    add_settings(facts, finding);
}

static void taken_found(struct rule_context *context, const char *group, const struct usage *usage,
                        const struct strlist *processes)
{
    AUTO_FREE char *label = nvml_label(context->facts, group);
    AUTO_FREE char *free_text = nvml_bytes(usage->free);
    AUTO_FREE char *total = nvml_bytes(usage->total);
    AUTO_FREE char *who = gpu_process_describe(context->facts, processes);
    AUTO_FREE char *command = gpu_process_kill(processes);
    struct finding *finding = rule_found(context, nvml_severity_of_warning(context),
                                         "%s has %s of %s free: the memory is in use by %s", label,
                                         free_text, total, who);
    add_memory(context, finding, group);
    finding_why(
        finding,
        "less than %lld %% of the GPU's memory is free, so another program is likely to fail with "
        "\"out of memory\"; healthy if the running programs are meant to fill the memory",
        (long long)threshold_percent(context, "gpu-memory-free"));
    finding_manifest(finding, "threshold/gpu-memory-free");
    add_less(context->facts, finding, group);
    if (judged_place(context->facts) == PLACE_CONTAINER)
        finding_fix_note(finding, FIX_ADVICE,
                         "choose another GPU, or stop these programs on the host, which uses the "
                         "same process numbers");
    else {
        finding_fix_command(finding, FIX_CHOICE,
                            "stops these programs; only if nobody needs them any longer", "%s",
                            command);
    }
}

void judge_gpu_memory_taken_by_other(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    int64_t least = threshold_percent(context, "gpu-memory-free");
    const char *group;
    if (!rule_require_nvml_gpus(context) || least == 0)
        return;
    for (size_t i = 0; (group = facts_next(facts, "nvml", &i)) != NULL;) {
        struct usage usage;
        if (!require_usage(context, group, &usage) || usage.free / least >= usage.total / 100)
            continue;
        const struct strlist *processes = facts_list(facts, group, "processes");
        if (processes && all_are_elsewhere(facts, processes))
            continue; /* orphan_process_holds_gpu */
        if (processes && processes->count > 0)
            taken_found(context, group, &usage, processes);
        else
            rule_require_nvml_fact(context, group, "processes");
    }
}

/* The node of a GPU, /dev/nvidiaN: by its bus id, else by its number. free() it. */
static char *node_of(const struct facts *facts, const char *group)
{
    const char *bus_id = facts_string(facts, group, "bus_id");
    const char *other;
    for (size_t i = 0; bus_id && (other = facts_next(facts, "driver_gpu", &i)) != NULL;) {
        int64_t minor;
        if (string_equal(facts_string(facts, other, "bus_id"), bus_id) &&
            facts_integer(facts, other, "minor", &minor))
            return mem_printf("/dev/nvidia%lld", (long long)minor);
    }
    return mem_printf("/dev/nvidia%s", nvml_index(group));
}

/* What the kernel put into the memory of such a board belongs to no process. */
static bool is_shared_with_kernel(const struct rule_context *context, const char *group)
{
    const char *name = facts_string(context->facts, group, "name");
    return name && manifest_gpu_is_coherent(context->manifest, name);
}

/* "no process that uses it", or whom it names who is not here. free() it. */
static char *orphan_words(const struct facts *facts, const char *group)
{
    const struct strlist *processes = facts_list(facts, group, "processes");
    if (processes == NULL || processes->count == 0)
        return mem_string("no process that uses it");
    AUTO_FREE char *who = gpu_process_describe(facts, processes);
    return mem_printf("%s, which /proc on this machine does not show", who);
}

static void orphan_found(struct rule_context *context, const char *group, int64_t used)
{
    const struct facts *facts = context->facts;
    bool container = judged_place(facts) == PLACE_CONTAINER;
    AUTO_FREE char *own = nvml_bytes(threshold_bytes(context, "gpu-memory-own"));
    AUTO_FREE char *words = orphan_words(facts, group);
    AUTO_FREE char *label = nvml_label(facts, group);
    AUTO_FREE char *bytes = nvml_bytes(used);
    AUTO_FREE char *node = node_of(facts, group);
    AUTO_FREE char *holders = gpu_process_holders(facts, node);
    struct finding *finding =
        rule_found(context, container ? SEVERITY_INFO : nvml_severity_of_warning(context),
                   "%s has %s in use, and NVML names %s%s%s", label, bytes, words,
                   holders[0] ? "; held open by: " : "", holders);
    add_memory(context, finding, group);
    finding_evidence(finding, facts, "gpu_process", "count");
    finding_manifest(finding, "threshold/gpu-memory-own");
    if (container) {
        finding_why(finding,
                    "a container does not see other containers' programs on a shared GPU: healthy");
        return;
    }
    finding_why(finding,
                "the driver itself uses less than %s; the rest belongs to a leftover process, to a "
                "process in a container or a virtual machine, or to a process that ended without "
                "freeing its memory",
                own);
    AUTO_FREE char *quoted = shell_quote(node);
    AUTO_FREE char *number = nvml_argument(group);
    finding_fix_command(
        finding, FIX_LOOK | NEEDS_ROOT,
        "lists the processes that have the GPU open; stop the processes that nobody needs",
        "sudo fuser -v %s", quoted);
    finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT, "if no process has the GPU open",
                        "sudo nvidia-smi --gpu-reset -i %s", number);
}

static bool find_orphan(struct rule_context *context, const char *group, int64_t *ret_used)
{
    struct usage usage;
    const struct facts *facts = context->facts;
    int64_t own = threshold_bytes(context, "gpu-memory-own");
    int64_t share = threshold_percent(context, "gpu-memory-own-share");
    if (own == 0 || share == 0 || facts_true(facts, group, "mig") ||
        (usage_read(facts, group, &usage) && usage.used <= own) ||
        is_shared_with_kernel(context, group) || !require_usage(context, group, &usage))
        return false;
    *ret_used = usage.used;
    if (usage.used <= own || usage.used / share <= usage.total / 100 ||
        !rule_require_nvml_fact(context, group, "processes"))
        return false;
    const struct strlist *processes = facts_list(facts, group, "processes");
    return processes && (processes->count == 0 || all_are_elsewhere(facts, processes));
}

void judge_orphan_process_holds_gpu(struct rule_context *context)
{
    const char *group;
    if (!rule_require_nvml_gpus(context))
        return;
    if (judged_place(context->facts) == PLACE_WSL) {
        rule_skip(context, "Windows programs use the GPU too, and WSL does not list them");
        return;
    }
    for (size_t i = 0; (group = facts_next(context->facts, "nvml", &i)) != NULL;) {
        int64_t used = 0;
        if (find_orphan(context, group, &used))
            orphan_found(context, group, used);
    }
}
