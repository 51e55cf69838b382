/* SPDX-License-Identifier: MIT */
#include "manifest/manifest.h"
#include "manifest/versions/capability.h"
#include "manifest/versions/cuda.h"
#include "manifest/versions/driver.h"
#include "manifest/versions/nvcc.h"
#include "resolve/engine/fit.h"
#include "resolve/engine/resolution.h"
#include "resolve/engine/words.h"

struct verdict fit_worst(struct verdict *verdicts, size_t count)
{
    size_t worst = 0;
    for (size_t i = 1; i < count; i++)
        if (verdicts[i].fit > verdicts[worst].fit)
            worst = i;
    for (size_t i = 0; i < count; i++)
        if (i != worst)
            free(verdicts[i].why);
    return verdicts[worst];
}

const struct manifest_capability *fit_capability(const struct resolve_context *context,
                                                 const struct resolve_gpu *gpu)
{
    return manifest_capability_find(context->manifest, &gpu->capability);
}

static struct verdict gpu_unknown(const struct resolve_context *context,
                                  const struct resolve_gpu *gpu)
{
    AUTO_FREE char *name = words_gpu(gpu);
    return (struct verdict){
        .fit = FIT_UNKNOWN,
        .reason = "gpu_unknown",
        .why =
            mem_printf("%s is not in this manifest (%s)", name, manifest_date(context->manifest)),
        .gpu = gpu,
    };
}

/* The newest listed branch that is not newer; with_cuda: of those whose CUDA is listed. */
static const struct manifest_branch *branch_at_or_below(struct manifest *manifest, unsigned number,
                                                        bool with_cuda)
{
    size_t count;
    const struct manifest_branch *rows = manifest_branch_all(manifest, &count);
    const struct manifest_branch *found = NULL;
    for (size_t i = 0; i < count && rows[i].branch <= number; i++)
        if (!with_cuda || rows[i].cuda.count)
            found = &rows[i];
    return found;
}

/* nvcc's own list tells where the first toolkit for a GPU is not listed. */
static bool nvcc_has(const struct resolve_context *context, const struct version *cuda,
                     const struct manifest_capability *row)
{
    char capability[VERSION_TEXT_SIZE];
    const struct manifest_nvcc *nvcc = manifest_nvcc_find(context->manifest, cuda);
    return nvcc && row->first_cuda.count == 0 &&
           strlist_has(&nvcc->capabilities, version_text(&row->capability, 0, capability));
}

/* Where the first branch for a GPU is not listed: a driver that came with, or after, the first
 * toolkit for the GPU drives it, and so does a branch of which the GPU is the oldest. The driver of
 * an integrated GPU is part of its system: only its own answer tells. */
static bool drives_surely(const struct resolve_context *context,
                          const struct manifest_capability *row,
                          const struct manifest_branch *branch)
{
    if (manifest_architecture_find(context->manifest, &row->capability) == NULL)
        return context->machine.driver_api.count > 0;
    const struct manifest_branch *with_cuda =
        branch_at_or_below(context->manifest, context->machine.driver.part[0], true);
    if (branch && branch->capability_min.count &&
        version_compare(&branch->capability_min, &row->capability) == 0)
        return true;
    if (with_cuda == NULL)
        return false;
    return nvcc_has(context, &with_cuda->cuda, row) ||
           (row->first_cuda.count && version_compare(&with_cuda->cuda, &row->first_cuda) >= 0);
}

static struct verdict driver_drops(const struct resolve_context *context,
                                   const struct resolve_gpu *gpu,
                                   const struct manifest_capability *row)
{
    AUTO_FREE char *name = words_gpu(gpu);
    AUTO_FREE char *driver = words_driver(context);
    struct verdict verdict = {.fit = FIT_NO, .reason = "driver_drops_gpu", .gpu = gpu};
    VERDICT_ROW(&verdict, row);
    verdict.why = row->last_branch
                      ? mem_printf("%s no longer supports %s: R%u is the last branch that does",
                                   driver, name, row->last_branch)
                      : mem_printf("%s does not support %s", driver, name);
    return verdict;
}

static struct verdict driver_precedes(const struct resolve_context *context,
                                      const struct resolve_gpu *gpu,
                                      const struct manifest_capability *row, unsigned first)
{
    AUTO_FREE char *name = words_gpu(gpu);
    AUTO_FREE char *driver = words_driver(context);
    struct verdict verdict = {.fit = FIT_NO, .reason = "driver_precedes_gpu", .gpu = gpu};
    VERDICT_ROW(&verdict, row);
    verdict.why = mem_printf("%s does not support %s yet: R%u is the first branch that does",
                             driver, name, first);
    return verdict;
}

/* Under its newer name, where it has one: no branch before that drives it under the older. */
static unsigned first_branch(const struct resolve_context *context,
                             const struct manifest_capability *row)
{
    const struct manifest_capability *renamed =
        manifest_capability_find(context->manifest, &row->renamed_to);
    return row->first_branch == 0 && renamed ? renamed->first_branch : row->first_branch;
}

static struct verdict driver_unsure(const struct resolve_context *context,
                                    const struct resolve_gpu *gpu,
                                    const struct manifest_capability *row)
{
    AUTO_FREE char *name = words_gpu(gpu);
    AUTO_FREE char *driver = words_driver(context);
    struct verdict verdict = {.fit = FIT_UNKNOWN, .reason = "driver_unknown_for_gpu", .gpu = gpu};
    VERDICT_ROW(&verdict, row);
    if (fit_driver_is_newer(context))
        verdict.why = mem_printf("%s is newer than this manifest (%s): it is not known whether the "
                                 "driver still supports %s",
                                 driver, manifest_date(context->manifest), name);
    else
        verdict.why = mem_printf("it is not known whether %s supports %s", driver, name);
    return verdict;
}

bool fit_driver_is_newer(const struct resolve_context *context)
{
    size_t branches, toolkits;
    const struct manifest_branch *branch = manifest_branch_all(context->manifest, &branches);
    const struct manifest_cuda *cuda = manifest_cuda_all(context->manifest, &toolkits);
    const struct version *api = &context->machine.driver_api;
    if (context->machine.driver.count)
        return branches > 0 && context->machine.driver.part[0] > branch[branches - 1].branch;
    return api->count && toolkits > 0 && version_compare(api, &cuda[toolkits - 1].version) > 0 &&
           !version_within(&cuda[toolkits - 1].version, api);
}

/* Whether nobody can tell that such a driver still drives the GPU: it does not answer here. */
static bool driver_is_untold(const struct resolve_context *context, const struct resolve_gpu *gpu)
{
    return fit_driver_is_newer(context) && !(context->machine.driver_api.count > 0 && gpu->answers);
}

static struct verdict driver_gpu(const struct resolve_context *context,
                                 const struct resolve_gpu *gpu)
{
    const struct manifest_capability *row = fit_capability(context, gpu);
    unsigned number = context->machine.driver.part[0];
    if (row == NULL)
        return gpu_unknown(context, gpu);
    if (number == 0)
        return driver_is_untold(context, gpu) ? driver_unsure(context, gpu, row)
                                              : (struct verdict){.fit = FIT_EXACT};
    const struct manifest_branch *branch = branch_at_or_below(context->manifest, number, false);
    if ((row->last_branch && number > row->last_branch) ||
        (branch && branch->capability_min.count &&
         version_compare(&row->capability, &branch->capability_min) < 0))
        return driver_drops(context, gpu, row);
    unsigned first = first_branch(context, row);
    if (first && number < first)
        return driver_precedes(context, gpu, row, first);
    if (driver_is_untold(context, gpu) ||
        (row->first_branch == 0 && !drives_surely(context, row, branch)))
        return driver_unsure(context, gpu, row);
    return (struct verdict){.fit = FIT_EXACT};
}

struct verdict fit_driver_gpus(const struct resolve_context *context)
{
    struct verdict pair[2] = {{.fit = FIT_EXACT}};
    bool any = context->machine.driver.count || fit_driver_is_newer(context);
    for (size_t i = 0; any && i < context->machine.gpu_count; i++) {
        pair[1] = driver_gpu(context, &context->machine.gpus[i]);
        pair[0] = fit_worst(pair, 2);
    }
    return pair[0];
}

/* Compiles for it, as far as that is listed. */
static bool row_has_cuda(const struct manifest_capability *row, const struct version *minor)
{
    return row->first_cuda.count && version_compare(minor, &row->first_cuda) >= 0 &&
           (row->last_cuda.count == 0 || version_compare(minor, &row->last_cuda) <= 0) &&
           (row->dropped_in.count == 0 || version_compare(minor, &row->dropped_in) < 0);
}

/* Thor is 10.1 in CUDA 12.8 and 12.9, and 11.0 from 13.0 on. */
static void add_new_name(const struct manifest_capability *row, struct verdict *verdict)
{
    char buffer[VERSION_TEXT_SIZE];
    if (row->renamed_to.count == 0)
        return;
    char *both = mem_printf("%s (newer toolkits call it %s)", verdict->why,
                            version_text(&row->renamed_to, 0, buffer));
    free(verdict->why);
    verdict->why = both;
}

static struct verdict toolkit_against(const struct resolve_gpu *gpu,
                                      const struct manifest_capability *row, const char *cuda,
                                      bool is_newer)
{
    char buffer[VERSION_TEXT_SIZE];
    AUTO_FREE char *name = words_gpu(gpu);
    struct verdict verdict = {.fit = FIT_NO, .gpu = gpu};
    VERDICT_ROW(&verdict, row);
    if (is_newer) {
        verdict.reason = "toolkit_drops_gpu";
        verdict.why = mem_printf("CUDA %s no longer compiles for %s: CUDA %s is the last that does",
                                 cuda, name, version_text(&row->last_cuda, 0, buffer));
        add_new_name(row, &verdict);
        return verdict;
    }
    verdict.reason = "toolkit_precedes_gpu";
    verdict.why = mem_printf("CUDA %s does not compile for %s yet: CUDA %s is the first that does",
                             cuda, name, version_text(&row->first_cuda, 0, buffer));
    return verdict;
}

struct verdict fit_toolkit_gpu(const struct resolve_context *context, const struct resolve_gpu *gpu,
                               const struct version *cuda)
{
    const struct manifest_capability *row = fit_capability(context, gpu);
    if (row == NULL)
        return gpu_unknown(context, gpu);
    AUTO_FREE char *text = words_version(cuda);
    struct version minor = *cuda;
    minor.count = minor.count > 2 ? 2 : minor.count;
    if (row_has_cuda(row, &minor) || nvcc_has(context, &minor, row))
        return (struct verdict){.fit = FIT_EXACT};
    if (row->last_cuda.count && version_compare(&minor, &row->last_cuda) > 0)
        return toolkit_against(gpu, row, text, true);
    if (row->first_cuda.count && version_compare(&minor, &row->first_cuda) < 0)
        return toolkit_against(gpu, row, text, false);
    AUTO_FREE char *name = words_gpu(gpu);
    struct verdict verdict = {.fit = FIT_UNKNOWN, .reason = "toolkit_unknown_for_gpu", .gpu = gpu};
    VERDICT_ROW(&verdict, row);
    verdict.why = mem_printf("the first CUDA that compiles for %s is not known", name);
    return verdict;
}

struct verdict fit_toolkit_gpus(const struct resolve_context *context, const struct version *cuda)
{
    struct verdict pair[2] = {{.fit = FIT_EXACT}};
    for (size_t i = 0; i < context->machine.gpu_count; i++) {
        pair[1] = fit_toolkit_gpu(context, &context->machine.gpus[i], cuda);
        pair[0] = fit_worst(pair, 2);
    }
    return pair[0];
}
