/* SPDX-License-Identifier: MIT */
#include "manifest/gpu/gpu.h"
#include "manifest/versions/capability.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/framework/framework.h"
#include "rules/framework/judges.h"

/* mixed_gpu_architectures: one machine, GPUs of several kinds, and software that serves only part
 * of them. */

struct kind {
    const struct judged_gpu *gpu; /* the first of the kind */
    const struct manifest_capability *row;
    size_t count;
};
struct kinds {
    struct kind *items;
    size_t count, capacity;
    size_t unknown; /* GPUs whose architecture is not known */
};

static void kinds_clear(struct kinds *kinds)
{
    free(kinds->items);
}

static void add_gpu(struct kinds *kinds, struct manifest *manifest, const struct judged_gpu *gpu)
{
    const struct manifest_capability *row =
        gpu->capability.count ? manifest_capability_find(manifest, &gpu->capability) : NULL;
    if (row == NULL) {
        kinds->unknown++;
        return;
    }
    for (size_t i = 0; i < kinds->count; i++) {
        if (kinds->items[i].row != row)
            continue;
        kinds->items[i].count++;
        return;
    }
    *vec_push(kinds->items, kinds->count, kinds->capacity) =
        (struct kind){.gpu = gpu, .row = row, .count = 1};
}

static bool is_mixed(const struct kinds *kinds)
{
    for (size_t i = 1; i < kinds->count; i++)
        if (!string_equal(kinds->items[i].row->architecture, kinds->items[0].row->architecture))
            return true;
    return false;
}

/* "2 x H100 SXM5 80GB (Hopper, 9.0)" */
static void append_kind(const struct facts *facts, const struct kind *kind, struct text *text)
{
    char buffer[VERSION_TEXT_SIZE];
    const char *assumed = facts_string(facts, kind->gpu->group, "name");
    const char *name = kind->gpu->model ? kind->gpu->model->name : assumed ? assumed : "GPU";
    if (text->size > 0)
        text_append(text, ", ");
    text_printf(text, "%zu x %s (%s, %s)", kind->count, name, kind->row->architecture,
                version_text(&kind->row->capability, 0, buffer));
}

static bool toolkit_compiles(const struct version *toolkit, const struct manifest_capability *row)
{
    struct version minor = *toolkit;
    if (minor.count > 2)
        minor.count = 2;
    return (row->first_cuda.count == 0 || version_compare(&minor, &row->first_cuda) >= 0) &&
           (row->last_cuda.count == 0 || version_compare(&minor, &row->last_cuda) <= 0 ||
            version_within(&minor, &row->last_cuda));
}

static bool driver_drives(const struct version *driver, const struct manifest_capability *row)
{
    return (row->first_branch == 0 || driver->part[0] >= row->first_branch) &&
           (row->last_branch == 0 || driver->part[0] <= row->last_branch);
}

/* What serves part of the kinds only: "the CUDA 13.0 toolkit does not compile for: …". */
struct gap {
    struct text what;
    const char *row;
    size_t count;
};

static void gap_clear(struct gap *gap)
{
    text_free(&gap->what);
}

static void find_gap(const struct facts *facts, const struct kinds *kinds,
                     bool (*serves)(const struct version *, const struct manifest_capability *),
                     const struct version *version, struct gap *gap)
{
    for (size_t i = 0; version->count > 0 && i < kinds->count; i++) {
        if (serves(version, kinds->items[i].row))
            continue;
        append_kind(facts, &kinds->items[i], &gap->what);
        gap->row = kinds->items[i].row->id;
        gap->count++;
    }
}

static struct finding *mixed_finding(struct rule_context *context, const struct kinds *kinds,
                                     enum severity severity, const char *gap)
{
    AUTO_TEXT struct text all = {0};
    for (size_t i = 0; i < kinds->count; i++)
        append_kind(context->facts, &kinds->items[i], &all);
    struct finding *finding = rule_found(context, severity, "GPUs of several architectures: %s%s%s",
                                         text_string(&all), gap ? "; " : "", gap ? gap : "");
    for (size_t i = 0; i < kinds->count; i++) {
        const char *group = kinds->items[i].gpu->group;
        finding_evidence(finding, context->facts, group,
                         facts_string(context->facts, group, "device_id") ? "device_id"
                                                                          : "capability");
    }
    return finding;
}

static void gap_found(struct rule_context *context, const struct kinds *kinds,
                      const struct gap *gap, const char *what, const char *group, const char *name)
{
    AUTO_FREE char *sentence = mem_printf("%s: %s", what, text_string(&gap->what));
    struct finding *finding = mixed_finding(context, kinds, SEVERITY_WARN, sentence);
    finding_manifest(finding, gap->row);
    finding_evidence(finding, context->facts, group, name);
    finding_why(finding, "a program uses every GPU that it sees; on a GPU that its software does "
                         "not support, the program fails with \"no kernel image is available\" "
                         "(error 209) or does not find that GPU");
    finding_fix_note(
        finding, FIX_ADVICE,
        "hide the unsupported GPUs: set CUDA_DEVICE_ORDER=PCI_BUS_ID, and CUDA_VISIBLE_DEVICES to "
        "the numbers that nvidia-smi -L shows for the supported GPUs");
    finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                     "or install a release that supports all these GPUs (gpuenv explain GPU-007)");
}

static void healthy_found(struct rule_context *context, const struct kinds *kinds)
{
    struct finding *finding = mixed_finding(context, kinds, SEVERITY_INFO, NULL);
    finding_why(finding, "healthy: the driver and the toolkit support all these GPUs; build "
                         "programs for each of their compute capabilities");
}

static void judge_kinds(struct rule_context *context, const struct kinds *kinds)
{
    const struct facts *facts = context->facts;
    AUTO_TOOLKITS struct judged_toolkits toolkits = judged_toolkits(facts);
    const struct judged_toolkit *toolkit = toolkits.count > 0 ? &toolkits.items[0] : NULL;
    struct judged_driver driver = judged_driver(facts);
    AUTO(gap_clear) struct gap undriven = {.count = 0};
    AUTO(gap_clear) struct gap uncompiled = {.count = 0};
    find_gap(facts, kinds, driver_drives, &driver.version, &undriven);
    if (toolkit)
        find_gap(facts, kinds, toolkit_compiles, &toolkit->version, &uncompiled);
    if (undriven.count > 0) {
        AUTO_FREE char *what = mem_printf("driver %s does not support", driver.text);
        gap_found(context, kinds, &undriven, what, driver.group, driver.name);
    } else if (uncompiled.count > 0) {
        AUTO_FREE char *what =
            mem_printf("the CUDA toolkit %s does not compile for", toolkit->text);
        gap_found(context, kinds, &uncompiled, what, toolkit->group, "version");
    } else {
        healthy_found(context, kinds);
    }
}

/* "0,2": the GPUs that it has code for, as CUDA numbers them in the order of the bus. free() it. */
static char *served_numbers(const struct rule_context *context, const struct framework *framework,
                            const struct framework_gpus *gpus)
{
    AUTO_TEXT struct text text = {0};
    for (size_t i = 0; i < gpus->count; i++) {
        const struct framework_gpu *first;
        const struct framework_gpus one = {.items = &gpus->items[i], .count = 1};
        if (framework_gpus_without_code(context, framework, &one, &first) == 0)
            text_printf(&text, "%s%zu", text.size > 0 ? "," : "", i);
    }
    return text_steal(&text);
}

static void framework_gap_found(struct rule_context *context, const struct framework *framework,
                                const struct framework_gpus *gpus, size_t without,
                                const struct framework_gpu *gpu)
{
    size_t all = gpus->count;
    AUTO_FREE char *served = served_numbers(context, framework, gpus);
    char capability[VERSION_TEXT_SIZE];
    AUTO_FREE char *words = framework_words(framework);
    struct finding *finding =
        rule_found(context, framework_severity_of_warning(context, framework),
                   "%s has no code for %zu of the %zu GPUs here: %s (%s)", words, without, all,
                   gpu->name ? gpu->name : "a GPU", version_text(&gpu->capability, 0, capability));
    finding_why(finding,
                "a program uses every GPU that it sees; on a GPU that the framework has no code "
                "for, the program fails with \"no kernel image is available\" (error 209)");
    framework_finding(context, finding, framework);
    finding_evidence(finding, context->facts, gpu->group,
                     facts_string(context->facts, gpu->group, "device_id") ? "device_id"
                                                                           : "capability");
    finding_fix_command(finding, FIX_SHELL, "hides the GPUs for which the framework has no code",
                        "export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=%s", served);
    framework_fix_build(context, finding, framework);
}

/* True when an active framework has code for a part of them alone. */
static bool judge_frameworks(struct rule_context *context)
{
    AUTO_FRAMEWORKS struct frameworks frameworks = frameworks_of(context->facts, context->manifest);
    AUTO_FRAMEWORK_GPUS struct framework_gpus gpus = framework_gpus(context);
    bool any = false;
    for (size_t i = 0; i < frameworks.count; i++) {
        const struct framework_gpu *first;
        size_t without = framework_gpus_without_code(context, &frameworks.items[i], &gpus, &first);
        if (without == 0 || without == gpus.count || !frameworks.items[i].active)
            continue;
        framework_gap_found(context, &frameworks.items[i], &gpus, without, first);
        any = true;
    }
    return any;
}

void judge_mixed_gpu_architectures(struct rule_context *context)
{
    if (judge_frameworks(context))
        return;
    AUTO_GPUS struct judged_gpus gpus = judged_gpus(context->facts, context->manifest);
    AUTO(kinds_clear) struct kinds kinds = {.count = 0};
    size_t here = 0;
    for (size_t i = 0; i < gpus.count; i++) {
        const char *driver = facts_string(context->facts, gpus.items[i].group, "driver");
        if (string_equal(driver, "vfio-pci"))
            continue;
        add_gpu(&kinds, context->manifest, &gpus.items[i]);
        here++;
    }
    const struct fact *count = facts_get(context->facts, "pci", "count");
    if (gpus.count == 0 && count && count->state == FACT_UNKNOWN)
        rule_require_fact(context, "pci", "count");
    else if (here < 2)
        rule_skip(context, "there are fewer than two GPUs to compare");
    else if (is_mixed(&kinds))
        judge_kinds(context, &kinds);
    else if (kinds.unknown > 0 && kinds.unknown < here)
        rule_unknown(context, "the manifest does not know %zu of %zu GPUs", kinds.unknown, here);
}
