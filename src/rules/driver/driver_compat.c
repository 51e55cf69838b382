/* SPDX-License-Identifier: MIT */
#include "manifest/gpu/gpu.h"
#include "manifest/versions/driver.h"
#include "rules/driver/judges.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/query/compat.h"
#include "rules/remedy/remedy.h"

/* forward_compat_unsupported_gpu: the loader picks a cuda-compat libcuda where it may not be used.
 * cuInit then fails with 804 for the GPU, with 803 for the driver's branch (cuda.h). */
#define CUDA_ERROR_SYSTEM_DRIVER_MISMATCH         803
#define CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE 804

struct attempt {
    struct compat compat;
    struct judged_driver driver;
    struct judged_answer answer;
    enum answer eligible, listed;
    const char *row;
};

static struct attempt attempt_of(const struct rule_context *context, const struct judged_gpus *gpus)
{
    struct attempt attempt = {
        .compat = compat_active(context->facts, context->manifest),
        .driver = judged_driver(context->facts),
        .answer = judged_answer(context->facts, "libcuda.so.1"),
        .eligible = compat_for_gpus(context->manifest, gpus),
        .listed = ANSWER_UNSURE,
    };
    if (attempt.compat.cuda.count && attempt.driver.version.count)
        attempt.listed = compat_for_driver(context->manifest, &attempt.compat.cuda,
                                           &attempt.driver.version, &attempt.row);
    return attempt;
}

/* Of the module's own release it is what the driver itself brings; an older one is not forward
 * compatibility, but a stale copy (libcuda_kmod_version_mismatch). */
static bool goes_forward(const struct attempt *attempt)
{
    return attempt->compat.version.count == 0 || attempt->driver.version.count == 0 ||
           version_compare(&attempt->compat.version, &attempt->driver.version) > 0;
}

static bool is_refused(const struct attempt *attempt)
{
    if (judged_answer_is(&attempt->answer, CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE))
        return true;
    if (attempt->compat.path == NULL || !goes_forward(attempt) ||
        attempt->answer.start == START_WORKS)
        return false;
    return judged_answer_is(&attempt->answer, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH) ||
           attempt->eligible == ANSWER_NO || attempt->listed == ANSWER_NO;
}

static const char *reason_of(const struct attempt *attempt)
{
    if (judged_answer_is(&attempt->answer, CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE) ||
        attempt->eligible == ANSWER_NO)
        return "forward compatibility works only on data-centre GPUs; cuInit returns error 804 on "
               "other GPUs";
    return "this cuda-compat is not listed for the driver's branch, and cuInit returns error 803";
}

static void add_fixes(const struct rule_context *context, struct finding *finding,
                      const struct attempt *attempt)
{
    static const char note[] = "programs then run with the CUDA that the driver itself supports";
    const char *path = attempt->compat.path;
    const char *why = attempt->compat.loader_group
                          ? facts_string(context->facts, attempt->compat.loader_group, "why")
                          : NULL;
    if (path && remedy_library_path(context->facts, finding, why, note))
        ;
    else if (path)
        finding_fix_note(finding, FIX_ADVICE,
                         "keep the loader away from %s (remove its directory from LD_LIBRARY_PATH "
                         "and /etc/ld.so.conf.d): %s",
                         path, note);
    else
        finding_fix_note(
            finding, FIX_ADVICE,
            "remove the cuda-compat directory from LD_LIBRARY_PATH and /etc/ld.so.conf.d");
    const struct manifest_branch *branch =
        attempt->compat.cuda.count
            ? manifest_branch_for_cuda(context->manifest, &attempt->compat.cuda)
            : NULL;
    if (branch)
        remedy_install_driver(context, finding, branch->branch);
}

static void refused_found(struct rule_context *context, const struct attempt *attempt,
                          const struct judged_gpus *gpus)
{
    const struct facts *facts = context->facts;
    const char *path = attempt->compat.path;
    const char *driver = attempt->driver.text;
    const struct manifest_gpu *model = gpus->count > 0 ? gpus->items[0].model : NULL;
    struct finding *finding =
        path
            ? rule_found(context, severity_for_use(context->purpose),
                         "programs load the cuda-compat in %s, which this GPU%s%s%s%s%s cannot use",
                         path, model ? " (" : "", model ? model->name : "", model ? ")" : "",
                         driver ? " with driver " : "", driver ? driver : "")
            : rule_found(context, severity_for_use(context->purpose),
                         "cuInit says that forward compatibility is not supported on this GPU "
                         "(error 804)");
    finding_subject(finding, path ? path : "libcuda.so.1");
    finding_why(finding, "%s", reason_of(attempt));
    if (attempt->compat.loader_group) {
        finding_evidence(finding, facts, attempt->compat.loader_group, "path");
        finding_evidence(finding, facts, attempt->compat.loader_group, "why");
    }
    finding_evidence(finding, facts, attempt->driver.group, attempt->driver.name);
    if (attempt->answer.start == START_FAILED)
        finding_evidence(finding, facts, attempt->answer.group, "init");
    for (size_t i = 0; i < gpus->count; i++)
        finding_evidence(finding, facts, gpus->items[i].group, "device_id");
    if (attempt->row)
        finding_manifest(finding, attempt->row);
    add_fixes(context, finding, attempt);
}

void judge_forward_compat_unsupported_gpu(struct rule_context *context)
{
    AUTO_GPUS struct judged_gpus gpus = judged_gpus(context->facts, context->manifest);
    struct attempt attempt = attempt_of(context, &gpus);
    if (is_refused(&attempt)) {
        refused_found(context, &attempt, &gpus);
        return;
    }
    if (attempt.compat.path == NULL)
        rule_skip(context, "the loader picks no cuda-compat libcuda");
    else if (attempt.answer.start == START_UNKNOWN)
        rule_unknown(context, "libcuda.so.1: %s", attempt.answer.reason);
}
