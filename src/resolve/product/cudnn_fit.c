/* SPDX-License-Identifier: MIT */
#include "resolve/product/cudnn_fit.h"

#include <string.h>

#include "manifest/versions/capability.h"
#include "manifest/versions/cuda.h"
#include "resolve/engine/fit.h"
#include "resolve/engine/resolution.h"
#include "resolve/engine/words.h"

#define MONTH 7 /* letters of 2025-03 */

/* True when a is surely the earlier one: a month alone may be any day of it. */
static bool is_before(const char *a, const char *b)
{
    bool days = strlen(a) > MONTH && strlen(b) > MONTH;
    return days ? strcmp(a, b) < 0 : strncmp(a, b, MONTH) < 0;
}

/* The latest that the release can be of: its own date, else that of the next one with a date. */
static const char *latest_date(struct manifest *manifest, const struct manifest_cudnn *release)
{
    size_t count;
    const struct manifest_cudnn *rows = manifest_cudnn_all(manifest, &count);
    for (size_t i = (size_t)(release - rows); i < count; i++)
        if (rows[i].date)
            return rows[i].date;
    return NULL;
}

/* The earliest that the first release of that CUDA can be of: its own date, else that of the last
 * one before it with a date. */
static const char *earliest_date(struct manifest *manifest, const struct version *cuda)
{
    size_t count;
    const struct manifest_cuda *rows = manifest_cuda_all(manifest, &count);
    const char *date = NULL;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].date && !manifest_cuda_is_early(&rows[i]))
            date = rows[i].date;
        if (version_within(&rows[i].version, cuda))
            return date;
    }
    return NULL;
}

/* True when the release was made before the first toolkit that compiles for the GPU, as far as
 * dates tell: it can have no machine code for it. */
static bool precedes(const struct resolve_context *context, const struct manifest_cudnn *release,
                     const struct manifest_capability *capability)
{
    const char *made = latest_date(context->manifest, release);
    const char *toolkit = capability->first_cuda.count
                              ? earliest_date(context->manifest, &capability->first_cuda)
                              : NULL;
    return made && toolkit && is_before(made, toolkit);
}

static struct verdict no_pair(const struct manifest_cudnn *release, const struct version *cuda)
{
    char version[VERSION_TEXT_SIZE], text[VERSION_TEXT_SIZE];
    struct verdict verdict = {.fit = FIT_NO, .reason = "no_pair"};
    VERDICT_ROW(&verdict, release);
    verdict.why =
        mem_printf("cuDNN %s is not built for CUDA %s", version_text(&release->version, 0, version),
                   version_text(cuda, 2, text));
    return verdict;
}

/* What is known of the lowest compute capability, for one GPU. */
static struct verdict floor_gpu(const struct resolve_context *context,
                                const struct manifest_cudnn *release,
                                const struct manifest_cudnn_pair *pair,
                                const struct resolve_gpu *gpu)
{
    char version[VERSION_TEXT_SIZE], floor_text[VERSION_TEXT_SIZE];
    const struct manifest_cudnn_pair *floor = manifest_cudnn_pair_floor(context->manifest, pair);
    const struct manifest_capability *capability = fit_capability(context, gpu);
    AUTO_FREE char *name = words_gpu(gpu);
    struct verdict verdict = {.fit = FIT_UNKNOWN, .gpu = gpu};
    VERDICT_ROW(&verdict, pair);
    version_text(&release->version, 0, version);
    if (gpu->capability.count == 0) {
        verdict.reason = "gpu_unknown";
        verdict.why = mem_printf("the compute capability of %s is not known", name);
    } else if (floor && version_compare(&gpu->capability, &floor->capability_min) < 0) {
        verdict.fit = FIT_NO;
        verdict.reason = "cudnn_drops_gpu";
        VERDICT_ROW(&verdict, floor);
        verdict.why =
            mem_printf("cuDNN %s needs compute capability %s or higher, and %s is below that",
                       version, version_text(&floor->capability_min, 0, floor_text), name);
    } else if (floor != pair) {
        verdict.reason = "cudnn_floor_unknown";
        verdict.why =
            mem_printf("the minimum compute capability for cuDNN %s is not known", version);
    } else if (capability && precedes(context, release, capability)) {
        verdict.reason = "cudnn_precedes_gpu";
        verdict.why =
            mem_printf("cuDNN %s is older than CUDA %s, the first that compiles for %s", version,
                       version_text(&capability->first_cuda, 0, floor_text), name);
    } else {
        verdict = (struct verdict){.fit = FIT_EXACT};
    }
    return verdict;
}

/* A GPU for which the release has a row of its own: from that CUDA on. */
static struct verdict own_gpu(const struct manifest_cudnn *release,
                              const struct manifest_cudnn_pair *own,
                              const struct cudnn_partner *partner, const struct resolve_gpu *gpu)
{
    char version[VERSION_TEXT_SIZE], least[VERSION_TEXT_SIZE], cuda[VERSION_TEXT_SIZE];
    if (partner->cuda.count < 2 || version_compare(&partner->cuda, &own->cuda) >= 0)
        return (struct verdict){.fit = FIT_EXACT};
    AUTO_FREE char *name = words_gpu(gpu);
    struct verdict verdict = {.fit = FIT_NO, .reason = "no_pair", .gpu = gpu};
    VERDICT_ROW(&verdict, own);
    verdict.why =
        mem_printf("cuDNN %s supports %s only with CUDA %s or newer, and CUDA %s is older",
                   version_text(&release->version, 0, version), name,
                   version_text(&own->cuda, 0, least), version_text(&partner->cuda, 0, cuda));
    return verdict;
}

/* What holds for the GPU: a row of its own, or that of all. */
static const struct manifest_cudnn_pair *pair_of_gpu(const struct resolve_context *context,
                                                     const struct manifest_cudnn_pair *pair,
                                                     const struct resolve_gpu *gpu)
{
    const struct manifest_cudnn_pair *own =
        manifest_cudnn_pair_for(context->manifest, pair, &gpu->capability);
    return own ? own : pair;
}

struct version cudnn_driver_min(const struct resolve_context *context,
                                const struct manifest_cudnn_pair *pair)
{
    struct version most = pair->driver_min;
    for (size_t i = 0; i < context->machine.gpu_count; i++) {
        const struct version *one =
            &pair_of_gpu(context, pair, &context->machine.gpus[i])->driver_min;
        if (version_compare(one, &most) > 0)
            most = *one;
    }
    return most;
}

static bool driver_reaches(const struct resolve_context *context,
                           const struct manifest_cudnn_pair *pair)
{
    const struct resolve_machine *machine = &context->machine;
    if (machine->driver.count)
        return version_compare(&machine->driver, &pair->driver_min) >= 0;
    if (pair->capability.count)
        return version_compare(&machine->driver_api, &pair->cuda) >= 0;
    return machine->driver_api.part[0] >= pair->cuda.part[0];
}

/* "cuDNN 9.10.2 is built for CUDA 12, from driver 525.60.13 on" */
static char *paired_words(const struct resolve_context *context,
                          const struct manifest_cudnn *release,
                          const struct manifest_cudnn_pair *pair)
{
    char version[VERSION_TEXT_SIZE], cuda[VERSION_TEXT_SIZE], driver[VERSION_TEXT_SIZE];
    char capability[VERSION_TEXT_SIZE];
    version_text(&release->version, 0, version);
    version_text(&pair->cuda, 0, cuda);
    version_text(&pair->driver_min, 0, driver);
    char *why =
        pair->capability.count
            ? mem_printf(
                  "cuDNN %s supports compute capability %s with CUDA %s and driver %s, or newer",
                  version, version_text(&pair->capability, 0, capability), cuda, driver)
            : mem_printf("cuDNN %s is built for CUDA %s and driver %s or newer", version, cuda,
                         driver);
    words_add_newer(context, &why);
    return why;
}

static struct verdict floor_driver(const struct resolve_context *context,
                                   const struct manifest_cudnn *release,
                                   const struct manifest_cudnn_pair *pair,
                                   const struct cudnn_partner *partner)
{
    char version[VERSION_TEXT_SIZE], cuda[VERSION_TEXT_SIZE], driver[VERSION_TEXT_SIZE];
    AUTO_FREE char *words = words_driver(context);
    struct verdict verdict = {.fit = FIT_EXACT, .reason = "paired"};
    VERDICT_ROW(&verdict, pair);
    version_text(&release->version, 0, version);
    version_text(&pair->cuda, 0, cuda);
    version_text(&pair->driver_min, 0, driver);
    if (!fit_has_driver(context)) {
        verdict.fit = FIT_UNKNOWN;
        verdict.reason = "no_driver";
        verdict.why = mem_printf("cuDNN %s is built for CUDA %s", version, cuda);
    } else if (pair->driver_min.count == 0) {
        verdict.fit = FIT_UNKNOWN;
        verdict.reason = "cudnn_floor_unknown";
        verdict.why =
            mem_printf("the minimum driver for cuDNN %s with CUDA %s is not known", version, cuda);
    } else if (partner->by_compat || driver_reaches(context, pair)) {
        verdict.why = paired_words(context, release, pair);
    } else {
        verdict.fit = FIT_NO;
        verdict.reason = "driver_too_old";
        verdict.why = mem_printf("cuDNN %s for CUDA %s needs driver %s, and %s is older", version,
                                 cuda, driver, words);
    }
    return verdict;
}

/* For every GPU: the worst answer. */
static struct verdict floor_gpus(const struct resolve_context *context,
                                 const struct manifest_cudnn *release,
                                 const struct manifest_cudnn_pair *pair,
                                 const struct cudnn_partner *partner)
{
    struct verdict both[2] = {{.fit = FIT_EXACT}};
    for (size_t i = 0; i < context->machine.gpu_count; i++) {
        const struct resolve_gpu *gpu = &context->machine.gpus[i];
        const struct manifest_cudnn_pair *own = pair_of_gpu(context, pair, gpu);
        both[1] = own == pair ? floor_gpu(context, release, pair, gpu)
                              : own_gpu(release, own, partner, gpu);
        both[0] = fit_worst(both, 2);
    }
    return both[0];
}

/* The driver, for every GPU; always with words. */
static struct verdict floor_drivers(const struct resolve_context *context,
                                    const struct manifest_cudnn *release,
                                    const struct manifest_cudnn_pair *pair,
                                    const struct cudnn_partner *partner)
{
    if (context->machine.gpu_count == 0)
        return floor_driver(context, release, pair, partner);
    struct verdict both[2];
    both[0] = floor_driver(context, release, pair_of_gpu(context, pair, &context->machine.gpus[0]),
                           partner);
    for (size_t i = 1; i < context->machine.gpu_count; i++) {
        const struct manifest_cudnn_pair *own =
            pair_of_gpu(context, pair, &context->machine.gpus[i]);
        both[1] = floor_driver(context, release, own, partner);
        both[0] = fit_worst(both, 2);
    }
    return both[0];
}

/* The newest CUDA that the release is built for. */
static const struct manifest_cudnn_pair *newest_pair(struct manifest *manifest,
                                                     const struct manifest_cudnn *release)
{
    size_t count;
    const struct manifest_cudnn_pair *pairs = manifest_cudnn_pairs(manifest, &count);
    for (size_t i = count; i > 0; i--)
        if (version_compare(&pairs[i - 1].cudnn, &release->version) == 0 &&
            pairs[i - 1].capability.count == 0)
            return &pairs[i - 1];
    return NULL;
}

struct verdict cudnn_verdict(const struct resolve_context *context,
                             const struct manifest_cudnn *release,
                             const struct cudnn_partner *partner,
                             const struct manifest_cudnn_pair **ret_pair)
{
    const struct manifest_cudnn_pair *pair =
        partner->cuda.count
            ? manifest_cudnn_pair_find(context->manifest, &release->version, &partner->cuda)
            : newest_pair(context->manifest, release);
    *ret_pair = pair;
    if (pair == NULL)
        return no_pair(release, &partner->cuda);
    struct verdict parts[3] = {floor_drivers(context, release, pair, partner),
                               floor_gpus(context, release, pair, partner),
                               fit_driver_gpus(context)};
    struct verdict verdict = parts[1].fit == FIT_EXACT /* and has no words */
                                 ? fit_worst((struct verdict[]){parts[0], parts[2]}, 2)
                                 : fit_worst((struct verdict[]){parts[1], parts[0], parts[2]}, 3);
    if (verdict.row == NULL)
        VERDICT_ROW(&verdict, pair);
    return verdict;
}
