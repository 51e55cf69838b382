/* SPDX-License-Identifier: MIT */
#include "rules/driver/driver_age.h"

#include "rules/driver/driver_gpu.h"
#include "rules/driver/judges.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"

/* cuInit has worked with that cuda-compat: what no list says of the branch or the GPUs is answered.
 */
static bool compat_has_started(const struct age *age)
{
    struct judged_answer answer = judged_answer(age->context->facts, "libcuda.so.1");
    return !age->driver.assumed && answer.start == START_WORKS &&
           string_equal(facts_string(age->context->facts, answer.group, "path"), age->compat.path);
}

/* How one runtime ends: with the driver alone, or with the cuda-compat that is loaded. */
static void outcome_judge(const struct age *age, struct outcome *outcome)
{
    const struct cuda_runtime *runtime = outcome->runtime;
    if (runtime->version.count == 0) {
        outcome->verdict = VERDICT_UNKNOWN;
        return;
    }
    static const enum verdict verdicts[] = {
        [STANDING_EXACT] = VERDICT_RUNS,
        [STANDING_MINOR] = VERDICT_MINOR,
        [STANDING_TOO_OLD] = VERDICT_TOO_OLD,
        [STANDING_UNKNOWN] = VERDICT_UNKNOWN,
    };
    outcome->comparison =
        driver_compare_told(age->manifest, &age->driver.version, &age->api, &runtime->version);
    outcome->verdict = verdicts[outcome->comparison.standing];
    outcome->proved = false;
    outcome->listed = compat_for_driver(age->manifest, &runtime->version, &age->driver.version,
                                        &outcome->compat_row);
    if (outcome->verdict == VERDICT_RUNS || age->compat.path == NULL)
        return;
    struct comparison with = {.standing = STANDING_UNKNOWN};
    if (age->compat.version.count)
        with = driver_compare(age->manifest, &age->compat.version, &runtime->version);
    if (with.standing != STANDING_EXACT && with.standing != STANDING_MINOR)
        return;
    const char *row;
    enum answer loaded =
        compat_for_driver(age->manifest, &age->compat.cuda, &age->driver.version, &row);
    bool listed = loaded == ANSWER_YES && age->eligible == ANSWER_YES;
    if (listed || compat_has_started(age)) {
        outcome->verdict = VERDICT_COMPAT;
        outcome->proved = !listed;
        outcome->compat_row = row;
    } else if (loaded != ANSWER_NO && age->eligible != ANSWER_NO &&
               outcome->verdict == VERDICT_TOO_OLD) {
        outcome->verdict = VERDICT_COMPAT_UNSURE;
    }
}

static bool outcome_runs(const struct outcome *outcome)
{
    return outcome->verdict == VERDICT_RUNS || outcome->verdict == VERDICT_MINOR ||
           outcome->verdict == VERDICT_COMPAT;
}

/* The toolkit used by default is what counts: when that runs, the others are
 * a warning. Without a toolkit all copies are equal, and one that runs is enough for that. What an
 * active framework needs counts by itself: nothing else that runs helps that framework. */
static enum severity severity_too_old(const struct age *age, const struct outcome *outcomes,
                                      size_t count, const struct outcome *outcome)
{
    enum severity severity = severity_for_use(age->context->purpose);
    if (severity == SEVERITY_INFO && age->driver.assumed)
        severity = SEVERITY_FAIL; /* --assume-driver makes that machine the yardstick */
    if (severity != SEVERITY_FAIL || outcome->runtime->framework)
        return severity;
    for (size_t i = 0; i < count; i++) {
        bool counts = outcomes[0].runtime->toolkit ? outcomes[i].runtime->is_default : true;
        if (counts && outcome_runs(&outcomes[i]))
            return SEVERITY_WARN;
    }
    return severity;
}

static void outcome_report(const struct age *age, const struct outcome *outcome,
                           enum severity severity)
{
    const struct cuda_runtime *runtime = outcome->runtime;
    AUTO_FREE char *driver = age_driver_words(age, &outcome->comparison);
    switch (outcome->verdict) {
    case VERDICT_RUNS:
        break;
    case VERDICT_MINOR:
        age_report_minor(age, outcome);
        break;
    case VERDICT_COMPAT:
        age_report_compat(age, outcome);
        break;
    case VERDICT_TOO_OLD:
        age_report_too_old(age, outcome, severity);
        break;
    case VERDICT_COMPAT_UNSURE:
        rule_unknown(age->context,
                     "%s is too old for %s without the cuda-compat in %s, and it is not known "
                     "whether that cuda-compat may be used on %s",
                     driver, runtime->name, age->compat.path,
                     age->eligible == ANSWER_YES ? "this driver's branch" : "this GPU");
        break;
    case VERDICT_UNKNOWN:
        rule_unknown(age->context, "cannot compare %s with %s in %s: %s", driver, runtime->name,
                     runtime->path,
                     runtime->version.count ? "the manifest does not list that CUDA version"
                                            : "its version is not known");
        break;
    }
}

/* False when there is nothing to compare; the check is ended. */
static bool age_applies(const struct age *age)
{
    struct rule_context *context = age->context;
    const struct judged_driver *driver = &age->driver;
    const struct facts *facts = context->facts;
    if (!driver->assumed && judged_place(facts) == PLACE_JETSON) {
        rule_skip(context, "a Jetson's driver is part of Jetson Linux");
        return false;
    }
    if (driver->group == NULL && age->api.count == 0) {
        const struct fact *version = facts_get(facts, "module", "version");
        if (version && version->state == FACT_UNKNOWN)
            rule_unknown(context, "module.version: %s", version->reason);
        else
            rule_skip(context, "no NVIDIA driver to compare with");
        return false;
    }
    if (!rule_require_fact(context, "toolkit", "count") ||
        !rule_require_fact(context, "library", "count"))
        return false;
    if (driver->version.count || age->api.count)
        return true;
    /* No file in WSL has that version: nothing failed to answer. */
    if (judged_place(facts) == PLACE_WSL && !driver->assumed)
        rule_skip(context, "no file in WSL contains the version of the Windows driver: nvidia-smi "
                           "shows the version, and --assume-driver accepts it");
    else if (driver->text)
        rule_unknown(context, "cannot compare: %s is not a driver version", driver->text);
    else
        rule_unknown(context, "neither a file nor a library call shows the driver's version");
    return false;
}

/* What the machine has, and how each runtime of it ends; false, and the check is ended, when there
 * is nothing to compare. ret_outcomes is the caller's. */
static bool age_take(struct rule_context *context, struct age *age, struct cuda_runtimes *runtimes,
                     struct outcome **ret_outcomes)
{
    *age = (struct age){
        .context = context,
        .manifest = context->manifest,
        .driver = judged_driver(context->facts),
    };
    if (!age->driver.assumed)
        judged_driver_api(context->facts, &age->api, &age->api_group);
    if (!age->driver.assumed && rule_has_found(context, "wsl_linux_driver_inside")) {
        rule_skip(context, "a Linux driver's library hides that of the Windows driver");
        return false;
    }
    if (!age_applies(age))
        return false;
    *runtimes = cuda_runtimes(context->facts, context->manifest);
    if (runtimes->count == 0) {
        rule_skip(context, "no CUDA toolkit or runtime is installed");
        return false;
    }
    AUTO_GPUS struct judged_gpus gpus = judged_gpus(context->facts, context->manifest);
    age->last_branch = judged_last_branch(&gpus, context->manifest);
    age->eligible = compat_for_gpus(context->manifest, &gpus);
    age->compat = compat_active(context->facts, context->manifest);
    *ret_outcomes = mem_alloc(runtimes->count * sizeof(**ret_outcomes));
    for (size_t i = 0; i < runtimes->count; i++) {
        (*ret_outcomes)[i].runtime = &runtimes->items[i];
        outcome_judge(age, &(*ret_outcomes)[i]);
    }
    return true;
}

void judge_driver_too_old(struct rule_context *context)
{
    struct age age;
    AUTO_RUNTIMES struct cuda_runtimes runtimes = {.count = 0};
    AUTO_FREE struct outcome *outcomes = NULL;
    bool takes = age_take(context, &age, &runtimes, &outcomes);
    if (age.driver.assumed || judged_place(context->facts) == PLACE_MACHINE)
        driver_find_newer_gpus(context, &age.driver);
    if (!takes)
        return;
    for (size_t i = 0; i < runtimes.count; i++)
        outcome_report(&age, &outcomes[i],
                       severity_too_old(&age, outcomes, runtimes.count, &outcomes[i]));
}

/* The nvcc of a wheel came with a framework: XLA has its ptxas make machine code, which
 * minor-version compatibility covers, and nobody builds with it. */
static bool is_of_wheel(const struct facts *facts, const struct cuda_runtime *runtime)
{
    return string_equal(facts_string(facts, runtime->group, "origin"), "wheel");
}

/* The toolkit that a program or build gets here: what another compiles is asked for by name. */
void judge_ptx_toolchain_newer_than_driver(struct rule_context *context)
{
    struct age age;
    AUTO_RUNTIMES struct cuda_runtimes runtimes = {.count = 0};
    AUTO_FREE struct outcome *outcomes = NULL;
    bool toolkit = false;
    if (!age_take(context, &age, &runtimes, &outcomes))
        return;
    for (size_t i = 0; i < runtimes.count; i++) {
        if (!runtimes.items[i].toolkit || !runtimes.items[i].is_default ||
            is_of_wheel(context->facts, &runtimes.items[i]))
            continue;
        toolkit = true;
        if (outcomes[i].verdict == VERDICT_MINOR)
            age_report_ptx(&age, &outcomes[i]);
        else if (outcomes[i].verdict == VERDICT_UNKNOWN)
            rule_skip(context, "the toolkit and the driver cannot be compared");
    }
    if (!toolkit)
        rule_skip(context, "none of the CUDA toolkits is set as the default");
}
