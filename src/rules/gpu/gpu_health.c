/* SPDX-License-Identifier: MIT */
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/gpu/judges.h"
#include "rules/query/gpu_nvml.h"
#include "rules/query/hardware.h"

/* ecc_uncorrectable, row_remap_pending, row_remap_failure: faults of a GPU's memory. NVIDIA, "GPU
 * Memory Error Management". */

static void add_replace(const struct rule_context *context, struct finding *finding)
{
    if (!nvml_fix_on_host(context, finding))
        finding_fix_note(
            finding, FIX_ADVICE | NEEDS_ROOT,
            "take this GPU out of use and have it replaced (RMA); a reset only delays this");
}

static void volatile_found(struct rule_context *context, const char *group, int64_t errors)
{
    AUTO_FREE char *label = nvml_label(context->facts, group);
    struct finding *finding = rule_found(context, severity_for_use(context->purpose),
                                         "%s has had %lld uncorrectable memory error%s since its "
                                         "driver was loaded",
                                         label, (long long)errors, errors == 1 ? "" : "s");
    nvml_finding(context, finding, group, "ecc_uncorrected_volatile");
    finding_evidence(finding, context->facts, group, "ecc_uncorrected_aggregate");
    finding_why(finding,
                "data in the GPU's memory was lost; programs on that GPU fail with error 214 "
                "(CUDA_ERROR_ECC_UNCORRECTABLE), and new programs may too until the GPU is reset");
    nvml_fix_by_reset(context, finding, group);
    finding_fix_note(
        finding, FIX_ADVICE | NEEDS_ROOT,
        "if errors come back after the reset, take the GPU out of use and have it replaced");
}

static void aggregate_found(struct rule_context *context, const char *group, int64_t errors)
{
    AUTO_FREE char *label = nvml_label(context->facts, group);
    struct finding *finding = rule_found(context, SEVERITY_INFO,
                                         "%s has had %lld uncorrectable memory error%s in its "
                                         "lifetime, but none since its driver was loaded",
                                         label, (long long)errors, errors == 1 ? "" : "s");
    nvml_finding(context, finding, group, "ecc_uncorrected_aggregate");
    finding_why(finding, "a reset after those errors retired the bad memory: healthy, unless the "
                         "number of errors grows");
}

/* NVIDIA, "XID Errors": 48 double bit error, 94 contained, 95 uncontained. */
static const int64_t xid_ecc[] = {48, 94, 95, 0};

/* A GeForce counts no errors: the log alone has them. Counters at 0 say that a reset came since. */
static bool find_in_log(struct rule_context *context, const char *pci)
{
    const struct facts *facts = context->facts;
    const char *address = hardware_address(pci);
    const char *nvml = hardware_listed(facts, "nvml", address);
    const char *log = hardware_xid(facts, address, xid_ecc);
    int64_t counter, number = 0;
    if (log == NULL || (nvml && facts_integer(facts, nvml, "ecc_uncorrected_volatile", &counter)))
        return false;
    facts_integer(facts, log, "number", &number);
    AUTO_FREE char *label = hardware_label(facts, address);
    struct finding *finding =
        rule_found(context, severity_for_use(context->purpose),
                   "%s has had an uncorrectable memory error: Xid %lld in "
                   "%s",
                   label, (long long)number, facts_get(facts, log, "event")->source);
    finding_subject(finding, address);
    finding_evidence(finding, facts, log, "message");
    finding_evidence(finding, facts, log, "last");
    finding_why(finding, "%s",
                number == 95
                    ? "the error was not contained: every program on this GPU is affected, and the "
                      "GPU must be reset before its next use"
                    : "data in the GPU's memory was lost, and the program on the GPU has ended");
    if (nvml)
        nvml_fix_by_reset(context, finding, nvml);
    else if (!nvml_fix_on_host(context, finding))
        finding_fix_command(finding, FIX_REBOOT | NEEDS_ROOT | THEN_REBOOT, "resets the GPU",
                            "sudo systemctl reboot");
    return true;
}

static bool find_in_logs(struct rule_context *context)
{
    const char *group;
    bool any = false;
    for (size_t i = 0; (group = facts_next(context->facts, "pci", &i)) != NULL;)
        any = (judged_pci_is_gpu(context->facts, group) && find_in_log(context, group)) || any;
    return any;
}

void judge_ecc_uncorrectable(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    size_t counting = find_in_logs(context);
    const char *group;
    if (!rule_require_nvml_gpus(context))
        return;
    for (size_t i = 0; (group = facts_next(facts, "nvml", &i)) != NULL;) {
        int64_t now = 0, ever = 0;
        bool lacks = !rule_require_nvml_fact(context, group, "ecc_uncorrected_volatile");
        bool told = facts_integer(facts, group, "ecc_uncorrected_volatile", &now);
        counting += told || lacks;
        facts_integer(facts, group, "ecc_uncorrected_aggregate", &ever);
        if (now > 0)
            volatile_found(context, group, now);
        else if (told && ever > 0)
            aggregate_found(context, group, ever);
    }
    if (counting == 0)
        rule_skip(context, "no GPU here counts memory errors (ECC is off or not supported)");
}

/* Makes it a consequence of this GPU's error, when that is a finding of now. */
static void follow_error(const struct rule_context *context, struct finding *finding)
{
    const struct judgement *judgement = context->judgement;
    for (size_t i = 0; i < judgement->finding_count; i++) {
        const struct finding *earlier = judgement->findings[i];
        if (string_equal(earlier->cause, "ecc_uncorrectable") &&
            earlier->severity >= finding->severity &&
            string_equal(earlier->subject, finding->subject))
            finding->caused_by = earlier->code;
    }
}

/* Pages are what GPUs before Ampere retire; they have no spare rows. */
static void pending_found(struct rule_context *context, const char *group, bool rows)
{
    AUTO_FREE char *label = nvml_label(context->facts, group);
    struct finding *finding =
        rule_found(context, nvml_severity_of_warning(context),
                   rows ? "%s needs a reset to replace a bad memory row with a spare row"
                        : "%s needs a reset to retire a bad page of its memory",
                   label);
    nvml_finding(context, finding, group, rows ? "remap_pending" : "retired_pages_pending");
    finding_evidence(finding, context->facts, group, "remapped_uncorrectable");
    finding_why(finding,
                "a memory error was found, and the bad %s stays in use until the next reset: "
                "programs may use that memory again",
                rows ? "row" : "page");
    follow_error(context, finding);
    nvml_fix_by_reset(context, finding, group);
}

/* How many GPUs have either fact; none: the check does not apply. */
static size_t count_with(struct rule_context *context, const char *name, const char *other)
{
    size_t count = 0;
    const char *group;
    for (size_t i = 0; (group = facts_next(context->facts, "nvml", &i)) != NULL;) {
        const struct fact *fact = facts_get(context->facts, group, name);
        const struct fact *second = other ? facts_get(context->facts, group, other) : NULL;
        count += (fact && fact->state != FACT_ABSENT) || (second && second->state != FACT_ABSENT);
    }
    return count;
}

void judge_row_remap_pending(struct rule_context *context)
{
    const char *group;
    if (!rule_require_nvml_gpus(context))
        return;
    if (count_with(context, "remap_pending", "retired_pages_pending") == 0)
        rule_skip(context, "no GPU here has spare rows, or retires pages");
    for (size_t i = 0; (group = facts_next(context->facts, "nvml", &i)) != NULL;) {
        rule_require_nvml_fact(context, group, "remap_pending");
        rule_require_nvml_fact(context, group, "retired_pages_pending");
        if (facts_true(context->facts, group, "remap_pending"))
            pending_found(context, group, true);
        else if (facts_true(context->facts, group, "retired_pages_pending"))
            pending_found(context, group, false);
    }
}

static void failure_found(struct rule_context *context, const char *group)
{
    AUTO_FREE char *label = nvml_label(context->facts, group);
    struct finding *finding =
        rule_found(context, severity_for_use(context->purpose),
                   "%s could not replace a bad row of its memory: no spare row is left", label);
    nvml_finding(context, finding, group, "remap_failure");
    finding_evidence(finding, context->facts, group, "remapped_uncorrectable");
    finding_why(finding, "a failed row stays in use permanently (Xid 64 in the kernel log), so "
                         "errors will come back; NVIDIA replaces such a GPU");
    add_replace(context, finding);
}

void judge_row_remap_failure(struct rule_context *context)
{
    const char *group;
    if (!rule_require_nvml_gpus(context))
        return;
    if (count_with(context, "remap_failure", NULL) == 0)
        rule_skip(context, "no GPU here has spare rows");
    for (size_t i = 0; (group = facts_next(context->facts, "nvml", &i)) != NULL;) {
        rule_require_nvml_fact(context, group, "remap_failure");
        if (facts_true(context->facts, group, "remap_failure"))
            failure_found(context, group);
    }
}
