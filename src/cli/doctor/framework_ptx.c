/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cli/doctor/frameworks.h"
#include "cli/machine/machine_of.h"
#include "manifest/toolkit/code.h"
#include "manifest/toolkit/code_match.h"
#include "resolve/binary/binary.h"
#include "resolve/engine/resolution.h"
#include "rules/framework/framework.h"
#include "rules/query/framework_choice.h"

/* The code of an installed framework, as gpuenv inspect takes that of a file. */
struct code_list {
    struct binary_code *items;
    size_t count, capacity;
    bool bound; /* a version of PTX is no more than the highest that it can be */
};

static void code_list_free(struct code_list *list)
{
    free(list->items);
}

static struct binary_code *add_code(struct code_list *list, enum binary_kind kind, const char *name)
{
    struct code_item item;
    if (!code_item_parse(name, &item))
        return NULL;
    struct binary_code *code = vec_push(list->items, list->count, list->capacity);
    *code = (struct binary_code){
        .kind = kind, .capability = item.capability, .suffix = item.suffix, .entries = 1};
    return code;
}

/* The newest PTX that a CUDA makes; count 0: not known. */
static struct version newest_ptx(struct manifest *manifest, const struct version *cuda)
{
    struct version newest = {.count = 0};
    size_t count;
    const struct manifest_ptx *rows = manifest_ptx_all(manifest, &count);
    for (size_t i = 0; cuda->count > 1 && i < count; i++)
        if (version_compare(&rows[i].cuda, cuda) <= 0 || version_within(cuda, &rows[i].cuda))
            newest = rows[i].version;
    return newest;
}

/* Each version that is said of it: "compute_90: 8.7". Where none is, the CUDA of the build bounds
 * it. */
static void add_ptx(struct code_list *list, const char *name, const struct strlist *versions,
                    const struct version *bound)
{
    size_t size = strlen(name);
    bool said = false;
    for (size_t i = 0; versions && i < versions->count; i++) {
        const char *text = versions->items[i];
        struct version version;
        if (strncmp(text, name, size) != 0 || text[size] != ':' ||
            !version_parse(text + size + strspn(text + size, ": "), &version))
            continue;
        struct binary_code *code = add_code(list, BINARY_PTX, name);
        if (code)
            code->ptx = version;
        said = true;
    }
    if (said)
        return;
    struct binary_code *code = add_code(list, BINARY_PTX, name);
    if (code)
        code->ptx = *bound;
    list->bound = true;
}

static void take_code(struct manifest *manifest, const struct facts *facts,
                      const struct framework *framework, struct code_list *list)
{
    struct framework_code code = framework_code_of(facts, framework);
    const struct strlist *versions =
        code.fact ? facts_list(facts, framework->group, "ptx_versions") : NULL;
    struct version bound = newest_ptx(manifest, &framework->cuda);
    for (size_t i = 0; code.machine && i < code.machine->count; i++)
        add_code(list, BINARY_SASS, code.machine->items[i]);
    for (size_t i = 0; code.ptx && i < code.ptx->count; i++)
        add_ptx(list, code.ptx->items[i], versions, &bound);
}

/* Whether a verdict says that the driver does not compile it, or that it is unknown. */
static bool is_told(const struct binary_verdict *verdict)
{
    static const char *const reasons[] = {"driver_too_old_for_ptx", "ptx_version_not_said",
                                          "ptx_version_unlisted", "cuda_compat_unknown",
                                          "driver_minimum_unknown"};
    for (size_t i = 0; verdict->code && verdict->code->kind == BINARY_PTX &&
                       i < sizeof(reasons) / sizeof(*reasons);
         i++)
        if (string_equal(verdict->reason, reasons[i]))
            return true;
    return false;
}

static void judge_one(struct manifest *manifest, const struct resolve_machine *machine,
                      const struct resolve_gpu *gpu, const struct framework *framework,
                      const struct code_list *list, struct framework_choices *choices)
{
    const struct binary binary = {
        .codes = list->items, .count = list->count, .cuda = framework->cuda};
    struct binary_verdict verdict = binary_judge(manifest, machine, gpu, &binary);
    AUTO_FREE char *why = verdict.why;
    if (!is_told(&verdict))
        return;
    bool unsure = list->bound && verdict.outcome == BINARY_DRIVER_TOO_OLD;
    struct framework_ptx *ptx = vec_push(choices->ptx, choices->ptx_count, choices->ptx_capacity);
    *ptx = (struct framework_ptx){
        .group = mem_string(framework->group),
        .capability = gpu->capability,
        .unknown = unsure || verdict.outcome == BINARY_UNKNOWN,
        .row = mem_string(verdict.row),
        .driver_min = verdict.driver_min,
    };
    ptx->why = unsure ? mem_string("there is only PTX for this GPU; its version is not known, so "
                                   "the driver may not compile it")
                      : mem_steal(&why);
}

void frameworks_judge_ptx(struct manifest *manifest, const struct facts *facts,
                          struct framework_choices *choices)
{
    AUTO_FRAMEWORKS struct frameworks frameworks = frameworks_of(facts, manifest);
    if (frameworks.count == 0)
        return;
    AUTO_MACHINE struct machine_of machine = machine_of(facts, manifest);
    for (size_t i = 0; i < frameworks.count; i++) {
        const struct framework *framework = &frameworks.items[i];
        AUTO(code_list_free) struct code_list list = {.items = NULL};
        take_code(manifest, facts, framework, &list);
        for (size_t k = 0; list.count && k < machine.gpu_count; k++) {
            const struct resolve_gpu *gpu = &machine.gpus[k];
            if (framework_ptx_find(choices, framework->group, &gpu->capability) == NULL)
                judge_one(manifest, &machine.machine, gpu, framework, &list, choices);
        }
    }
}
