/* SPDX-License-Identifier: MIT */
#include "manifest/versions/driver.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/false_alarm/judges.h"
#include "rules/query/runtime.h"

/* smi_cuda_version_confusion: up to three CUDA numbers on one machine, and all is well. */

struct numbers {
    struct version supported; /* by the driver */
    const char *group, *name; /* the fact that tells it, or the driver's release */
    const struct cuda_runtime *toolkit, *carried;
    bool differ; /* a runtime is of another CUDA than the driver */
};

static bool take_supported(const struct rule_context *context, struct numbers *numbers)
{
    const struct judged_driver driver = judged_driver(context->facts);
    numbers->name = "version";
    if (!driver.assumed && judged_driver_api(context->facts, &numbers->supported, &numbers->group))
        return true;
    const struct manifest_branch *branch = manifest_branch_find(context->manifest, &driver.version);
    if (branch == NULL || branch->cuda.count == 0)
        return false;
    numbers->supported = branch->cuda;
    numbers->group = driver.group;
    numbers->name = driver.name;
    return true;
}

static void take_runtime(struct numbers *numbers, const struct cuda_runtime *runtime)
{
    struct version minor = runtime->version;
    minor.count = minor.count > 2 ? 2 : minor.count;
    if (runtime->toolkit && (numbers->toolkit == NULL || runtime->is_default))
        numbers->toolkit = runtime;
    if (!runtime->toolkit && numbers->carried == NULL)
        numbers->carried = runtime;
    if (minor.count == 2 && version_compare(&minor, &numbers->supported) != 0)
        numbers->differ = true;
}

/* True when an earlier rule says that the numbers do not go together. */
static bool is_told(const struct rule_context *context)
{
    const struct judgement *judgement = context->judgement;
    for (size_t i = 0; i < judgement->finding_count; i++) {
        const struct finding *finding = judgement->findings[i];
        if (string_equal(finding->cause, "ptx_toolchain_newer_than_driver") ||
            (string_equal(finding->cause, "driver_too_old") && finding->severity > SEVERITY_INFO))
            return true;
    }
    return false;
}

static void append(struct text *text, const char *what, const struct cuda_runtime *runtime)
{
    if (runtime)
        text_printf(text, "; %s: %s in %s", what, runtime->name, runtime->path);
}

static void numbers_found(struct rule_context *context, const struct numbers *numbers)
{
    const struct facts *facts = context->facts;
    char supported[VERSION_TEXT_SIZE];
    AUTO_TEXT struct text text = {0};
    append(&text, "installed", numbers->toolkit);
    append(&text, "bundled with a program or framework", numbers->carried);
    if (numbers->toolkit == NULL)
        text_append(&text, "; no CUDA toolkit is installed");
    struct finding *finding = rule_found(
        context, SEVERITY_INFO, "the driver supports CUDA up to %s, which nvidia-smi shows%s",
        version_text(&numbers->supported, 0, supported), text_string(&text));
    finding_why(
        finding,
        "healthy: the driver's number is the newest CUDA that it runs, and older versions run as "
        "well; a toolkit is needed only to compile, and a framework includes its own CUDA");
    finding_evidence(finding, facts, numbers->group, numbers->name);
    if (numbers->toolkit)
        finding_evidence(finding, facts, numbers->toolkit->group, "version");
    else
        finding_evidence(finding, facts, "toolkit", "count");
    if (numbers->carried)
        finding_evidence(finding, facts, numbers->carried->group,
                         numbers->carried->text ? "version" : "soname");
}

void judge_smi_cuda_version_confusion(struct rule_context *context)
{
    AUTO_RUNTIMES struct cuda_runtimes runtimes = cuda_runtimes(context->facts, context->manifest);
    const struct fact *toolkits = facts_get(context->facts, "toolkit", "count");
    struct numbers numbers = {.group = NULL};
    if (judged_place(context->facts) == PLACE_JETSON) {
        rule_skip(context, "a Jetson's driver is part of Jetson Linux");
        return;
    }
    if (!take_supported(context, &numbers)) {
        rule_skip(context, "no driver here shows which CUDA version it supports");
        return;
    }
    if (is_told(context)) {
        rule_skip(context, "another finding says that the versions do not match");
        return;
    }
    for (size_t i = 0; i < runtimes.count; i++)
        take_runtime(&numbers, &runtimes.items[i]);
    bool none = numbers.toolkit == NULL && toolkits && toolkits->state == FACT_VALUE;
    if (numbers.differ || none)
        numbers_found(context, &numbers);
}
