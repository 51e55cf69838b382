/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/gpu/judges.h"
#include "rules/query/gpu_nvml.h"
#include "rules/query/hardware.h"
#include "rules/query/remaining.h"
#include "rules/query/vendor_others.h"
#include "rules/query/vendor_refusal.h"

/* gpu_call_failed, library_call_failed: symptoms, for the error numbers of single calls. */

#define KERNEL_LOG "sudo dmesg | grep -i -e nvrm -e nvidia -e xid | tail -n 30"

static const struct {
    const char *kind;
    const char *name; /* for people */
    enum manifest_error_list list;
} askers[] = {{"nvml", "NVML", ERRORS_NVML}, {"cuda", "CUDA", ERRORS_CUDA}};

/* The first finding about this GPU, or about all, of those that the error's row lists. */
static const struct finding *explanation_of(const struct rule_context *context,
                                            const struct vendor_refusal *refusal)
{
    const struct judgement *judgement = context->judgement;
    const char *bus_id = facts_string(context->facts, refusal->group, "bus_id");
    for (size_t i = 0; refusal->error && i < refusal->error->findings.count; i++) {
        rule_asks_for_cause(context, refusal->error->findings.items[i]);
        for (size_t k = 0; k < judgement->finding_count; k++) {
            const struct finding *finding = judgement->findings[k];
            bool same = bus_id == NULL || finding->subject == NULL ||
                        strchr(finding->subject, ':') == NULL || strstr(finding->subject, bus_id);
            if (same && finding->severity > SEVERITY_INFO &&
                string_equal(finding->cause, refusal->error->findings.items[i]))
                return finding;
        }
    }
    return NULL;
}

static void add_meaning(const struct rule_context *context, struct finding *finding,
                        const struct vendor_refusal *refusal)
{
    const struct manifest_error *error = refusal->error;
    const char *meaning =
        error && error->meaning ? error->meaning : "the driver refuses and does not say why";
    const char *causes = error && error->remaining ? error->remaining : error ? error->cause : NULL;
    AUTO_FREE char *remaining = causes ? remaining_here(context->facts, causes) : NULL;
    finding_why(finding, "%s; no other finding explains this error%s%s", meaning,
                remaining ? "; possible causes: " : "", remaining ? remaining : "");
}

static void add_fixes(const struct rule_context *context, struct finding *finding,
                      const struct vendor_refusal *refusal)
{
    const struct manifest_error *error = refusal->error;
    if (nvml_fix_on_host(context, finding))
        return;
    if (error && error->fix)
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT, "%s", error->fix);
    if (error && error->command)
        finding_fix_command(finding, FIX_LOOK | (error->root ? NEEDS_ROOT : 0),
                            "shows which of these causes applies", "%s", error->command);
    else
        finding_fix_command(finding, FIX_LOOK | NEEDS_ROOT, "the kernel log may say why",
                            KERNEL_LOG);
}

static enum severity severity_of(const struct rule_context *context,
                                 const struct vendor_refusal *refusal)
{
    /* WSL leaves values out with whatever number comes. */
    if (!refusal->whole && judged_place(context->facts) == PLACE_WSL)
        return SEVERITY_INFO;
    return refusal->whole ? severity_for_use(context->purpose) : nvml_severity_of_warning(context);
}

static struct finding *refused_finding(struct rule_context *context, enum severity severity,
                                       size_t asker, const struct vendor_refusal *refusal)
{
    AUTO_FREE char *label = nvml_label(context->facts, refusal->group);
    const char *name = refusal->error && refusal->error->name ? refusal->error->name : "not listed";
    struct finding *finding =
        refusal->whole
            ? rule_found(context, severity, "%s does not answer for %s: error %lld (%s)",
                         askers[asker].name, label, (long long)refusal->number, name)
            : rule_found(context, severity, "%s does not report %zu value%s of %s: error %lld (%s)",
                         askers[asker].name, refusal->count, refusal->count == 1 ? "" : "s", label,
                         (long long)refusal->number, name);
    nvml_finding(context, finding, refusal->group, refusal->fact->name);
    finding_manifest(finding, refusal->error ? refusal->error->id : NULL);
    return finding;
}

static void call_found(struct rule_context *context, size_t asker,
                       const struct vendor_refusal *refusal)
{
    const struct finding *explanation = explanation_of(context, refusal);
    enum severity severity = severity_of(context, refusal);
    if (explanation && explanation->severity < severity)
        severity = explanation->severity;
    struct finding *finding = refused_finding(context, severity, asker, refusal);
    if (explanation && finding_follows(context, finding, explanation->cause)) {
        finding_why(finding, "%s; %s says why", refusal->error->meaning, explanation->code);
        return;
    }
    add_meaning(context, finding, refusal);
    add_fixes(context, finding, refusal);
}

/* No fault: another session's GPU, or a value that it does not have. */
static void harmless_found(struct rule_context *context, size_t asker,
                           const struct vendor_refusal *refusal)
{
    struct finding *finding = refused_finding(context, SEVERITY_INFO, asker, refusal);
    finding_why(finding, "%s", refusal->code->reason);
    finding_fix_note(finding, FIX_ADVICE, "nothing needs to be done");
}

void judge_gpu_call_failed(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *group;
    size_t asked = 0;
    for (size_t asker = 0; asker < sizeof(askers) / sizeof(askers[0]); asker++)
        for (size_t i = 0; (group = facts_next(facts, askers[asker].kind, &i)) != NULL; asked++) {
            struct vendor_refusal refusal =
                vendor_refusal_of(facts, context->manifest, askers[asker].list, group);
            bool others = vendor_others_answer(facts, askers[asker].kind, group);
            if (vendor_refusal_is_fault(&refusal, others))
                call_found(context, asker, &refusal);
            else if (refusal.group)
                harmless_found(context, asker, &refusal);
        }
    if (asked == 0)
        rule_skip(context, "neither NVML nor CUDA was asked about a GPU");
}

/* Whose numbers a library gives: libraries of CUDA use those of the driver API. */
static enum manifest_error_list list_of(const struct facts *facts, const char *group)
{
    const char *library = facts_string(facts, group, "library");
    library = library ? library : strchr(group, '/') + 1;
    if (string_starts(library, "libnccl"))
        return ERRORS_NCCL;
    if (string_starts(library, "libcudnn"))
        return ERRORS_CUDNN;
    return string_starts(library, "libnvidia-ml") ? ERRORS_NVML : ERRORS_CUDA;
}

static void library_found(struct rule_context *context, const char *group,
                          const struct vendor_refusal *refusal)
{
    const struct facts *facts = context->facts;
    const struct manifest_error *error = refusal->error;
    const char *library = facts_string(facts, group, "library");
    library = library ? library : strchr(group, '/') + 1;
    struct finding *finding =
        rule_found(context, SEVERITY_WARN,
                   "%s does not report its version: error "
                   "%lld%s%s%s",
                   library, (long long)refusal->number, error && error->name ? " (" : "",
                   error && error->name ? error->name : "", error && error->name ? ")" : "");
    finding_subject(finding, library);
    finding_why(finding, "%s; the call needs neither GPU nor driver",
                error && error->meaning ? error->meaning
                                        : "the manifest does not list this "
                                          "number");
    finding_evidence(finding, facts, group, refusal->fact->name);
    finding_evidence(finding, facts, group, "path");
    finding_manifest(finding, error ? error->id : NULL);
    finding_fix_note(finding, FIX_ADVICE, "reinstall %s in the version that the framework requires",
                     library);
}

void judge_library_call_failed(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *group;
    size_t asked = 0;
    for (size_t i = 0; (group = facts_next(facts, "answer", &i)) != NULL;) {
        const struct fact *version = facts_get(facts, group, "version");
        enum manifest_error_list list = list_of(facts, group);
        if (version == NULL || facts_get(facts, group, "init"))
            continue; /* cuda_init_failed and nvml_init_failed judge those that start */
        asked++;
        struct vendor_refusal refusal = vendor_refusal_of(facts, context->manifest, list, group);
        if (refusal.fact == version && vendor_refusal_is_fault(&refusal, false))
            library_found(context, group, &refusal);
    }
    if (asked == 0)
        rule_skip(context, "gpuenv asked no library for its version");
}
