/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "manifest/error/error.h"
#include "manifest/manifest.h"
#include "rules/device/nodes.h"
#include "rules/driver/driver_answers.h"
#include "rules/driver/judges.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/query/judged.h"
#include "rules/query/remaining.h"

/* cuda_init_failed, nvml_init_failed: symptoms. Where an earlier finding explains the number they
 * follow from it, else they say what may still be the cause. */

struct library {
    const char *name; /* "libcuda.so.1" */
    const char *call; /* "cuInit" */
    enum manifest_error_list list;
    const char *kind; /* of the facts about what it lists */
};
static const struct library cuda = {"libcuda.so.1", "cuInit", ERRORS_CUDA, "cuda"};
static const struct library nvml = {"libnvidia-ml.so.1", "nvmlInit", ERRORS_NVML, "nvml"};

#define KERNEL_LOG "sudo dmesg | grep -i -e nvrm -e nvidia -e xid | tail -n 30"

/* The finding that explains the error: of those that may, the first in the error's list. */
static const struct finding *explanation_of(const struct rule_context *context,
                                            const struct manifest_error *error)
{
    const struct judgement *judgement = context->judgement;
    for (size_t i = 0; error && i < error->findings.count; i++) {
        rule_asks_for_cause(context, error->findings.items[i]);
        for (size_t k = 0; k < judgement->finding_count; k++)
            if (string_equal(judgement->findings[k]->cause, error->findings.items[i]))
                return judgement->findings[k];
    }
    return NULL;
}

/* gVisor hands a driver's calls on only for releases that it knows, and only those calls
 * (gvisor.dev/docs/user_guide/gpu). Its dmesg has nothing of the host's. */
static bool add_sandbox(const struct rule_context *context, struct finding *finding,
                        const struct manifest_error *error)
{
    if (!facts_string(context->facts, "container", "sandbox"))
        return false;
    finding_why(finding,
                "%s; here programs reach the driver through gVisor; possible causes: gVisor was "
                "started without --nvproxy; gVisor does not know the host's driver release; the "
                "driver does not work on the host either",
                error && error->meaning ? error->meaning : "the driver could not start");
    finding_evidence(finding, context->facts, "container", "sandbox");
    finding_fix_command(finding, FIX_HOST,
                        "on the host: the driver's release must be in the list that this command "
                        "prints; gpuenv doctor on the host shows whether the driver works",
                        "runsc nvproxy list-supported-drivers");
    return true;
}

/* WSL has no module, log or node of the driver's to look at: Windows has. */
static void add_windows(struct finding *finding)
{
    finding_fix_note(finding, FIX_HOST,
                     "in Windows: run nvidia-smi. If it fails there too, install the NVIDIA driver "
                     "for Windows again; if it works, run wsl --update, then wsl --shutdown");
}

/* The kernel's log is the machine's: a container shows none of it, and WSL none of the driver's. */
static void add_kernel_log(const struct rule_context *context, struct finding *finding)
{
    switch (judged_place(context->facts)) {
    case PLACE_CONTAINER:
        finding_fix_command(finding, FIX_HOST | NEEDS_ROOT,
                            "on the host: the kernel log may say why", KERNEL_LOG);
        break;
    case PLACE_WSL:
        add_windows(finding);
        break;
    case PLACE_MACHINE:
    case PLACE_JETSON:
        finding_fix_command(finding, FIX_LOOK | NEEDS_ROOT, "the kernel log may say why",
                            KERNEL_LOG);
        break;
    }
}

static void add_deciding(const struct rule_context *context, struct finding *finding,
                         const struct manifest_error *error)
{
    unsigned root = error->root ? NEEDS_ROOT : 0;
    bool log = strstr(error->command, "dmesg") != NULL;
    if (judged_place(context->facts) == PLACE_WSL) {
        add_windows(finding);
        return;
    }
    if (log && judged_place(context->facts) == PLACE_CONTAINER)
        finding_fix_command(finding, FIX_HOST | root,
                            "on the host: shows which of these causes applies", "%s",
                            error->command);
    else
        finding_fix_command(finding, FIX_LOOK | root, "shows which of these causes applies", "%s",
                            error->command);
}

static void add_remaining(const struct rule_context *context, struct finding *finding,
                          const struct manifest_error *error, const struct library *library,
                          int64_t number)
{
    static const char unexplained[] = "no other finding explains it";
    if (add_sandbox(context, finding, error))
        return;
    if (library == &cuda && answers_tell_surroundings(context, finding, error, number))
        return;
    if (error && error->remaining) {
        AUTO_FREE char *remaining = remaining_here(context->facts, error->remaining);
        finding_why(finding, "%s; %s; possible causes: %s", error->meaning, unexplained, remaining);
        add_deciding(context, finding, error);
        return;
    }
    if (error && error->meaning)
        finding_why(finding, "%s; %s%s%s", error->meaning, unexplained,
                    error->cause ? "; common causes: " : "", error->cause ? error->cause : "");
    else if (error)
        finding_why(finding, "the driver could not start; %s", unexplained);
    else
        finding_why(finding, "this manifest (%s) does not list the error number; %s",
                    manifest_date(context->manifest), unexplained);
    add_kernel_log(context, finding);
}

/* CUDA fails too, and nothing explains that either: one fault, told once. */
static void follow_cuda(const struct rule_context *context, struct finding *finding)
{
    const struct judgement *judgement = context->judgement;
    for (size_t i = 0; i < judgement->finding_count; i++)
        if (string_equal(judgement->findings[i]->cause, "cuda_init_failed") &&
            judgement->findings[i]->caused_by == NULL)
            finding_follows(context, finding, "cuda_init_failed");
}

/* gpuenv asks in a process that can gain no privileges: nvidia-modprobe, which makes nodes for
 * other programs at first use, cannot do so for it. Where that is healthy, so is this. */
static void failed_found(struct rule_context *context, const struct library *library,
                         const struct judged_answer *answer, const struct manifest_error *error,
                         enum severity severity)
{
    const struct finding *explanation = explanation_of(context, error);
    if (explanation && explanation->severity < severity)
        severity = explanation->severity;
    const char *name = error && error->name ? error->name : answer->name;
    struct finding *finding = rule_found(context, severity, "%s in %s returns error %lld%s%s%s",
                                         library->call, library->name, (long long)answer->number,
                                         name ? " (" : "", name ? name : "", name ? ")" : "");
    finding_subject(finding, library->name);
    finding_evidence(finding, context->facts, answer->group, "init");
    finding_evidence(finding, context->facts, answer->group, "init_name");
    finding_evidence(finding, context->facts, answer->group, "path");
    if (error && explanation && finding_follows(context, finding, explanation->cause))
        finding_why(
            finding, "%s; %s says why%s", error->meaning, explanation->code,
            first_use(context).healthy && severity == SEVERITY_INFO
                ? " (gpuenv makes this call without the privileges that nvidia-modprobe has)"
                : "");
    else {
        add_remaining(context, finding, error, library, answer->number);
        finding_follows(context, finding, "container_no_gpu_requested");
        finding_follows(context, finding, "lxc_missing_device_or_libs");
        if (library == &nvml)
            follow_cuda(context, finding);
    }
    finding_manifest(finding, error ? error->id : NULL);
}

/* True when there is no GPU, and so nothing for the library to find. */
static bool has_no_gpu(const struct facts *facts)
{
    int64_t count;
    return judged_place(facts) != PLACE_WSL && judged_place(facts) != PLACE_JETSON &&
           facts_integer(facts, "pci", "count", &count) && count == 0 &&
           judged_device_path(facts, "/dev/nvidia") == NULL;
}

/* What other rules leave to this one (facts/dictionary_need.def). */
static void tell_unknown(struct rule_context *context, const char *group, const char *name)
{
    const struct fact *fact = facts_get(context->facts, group, name);
    if (fact && fact->state == FACT_UNKNOWN)
        rule_unknown(context, "%s.%s: %s", group, name, fact->reason);
}

static void init_judge(struct rule_context *context, const struct library *library,
                       enum severity severity)
{
    struct judged_answer answer = judged_answer(context->facts, library->name);
    const struct manifest_error *error = NULL;
    switch (answer.start) {
    case START_WORKS:
        tell_unknown(context, library->kind, "count");
        tell_unknown(context, answer.group, "version");
        break;
    case START_NOT_ASKED:
        rule_skip(context, "%s was not asked%s%s", library->name, answer.reason ? ": " : "",
                  answer.reason ? answer.reason : "");
        break;
    case START_UNKNOWN:
        rule_unknown(context, "%s: %s", library->name, answer.reason);
        break;
    case START_FAILED:
        error = manifest_error(context->manifest, library->list, answer.number);
        if (has_no_gpu(context->facts) && explanation_of(context, error) == NULL)
            rule_skip(context, "there is no GPU for %s to find (error %lld)", library->name,
                      (long long)answer.number);
        else
            failed_found(context, library, &answer, error, severity);
        break;
    }
}

void judge_cuda_init_failed(struct rule_context *context)
{
    init_judge(context, &cuda, severity_for_use(context->purpose));
}

/* Programs that compute do without NVML: where CUDA starts, only nvidia-smi and its like fail. */
void judge_nvml_init_failed(struct rule_context *context)
{
    struct judged_answer answer = judged_answer(context->facts, cuda.name);
    enum severity severity = severity_for_use(context->purpose);
    if (answer.start == START_WORKS && severity == SEVERITY_FAIL)
        severity = SEVERITY_WARN;
    init_judge(context, &nvml, severity);
}
