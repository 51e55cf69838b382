/* SPDX-License-Identifier: MIT */
#include "rules/driver_errors.h"
#include "rules/judged.h"
#include "rules/judges.h"
#include "rules/nodes.h"

/* cuda_init_failed, nvml_init_failed: symptoms. Where an earlier finding explains the number they
 * follow from it, else they say what may still be the cause. */

struct library {
    const char *name; /* "libcuda.so.1" */
    const char *call; /* "cuInit" */
    const struct driver_error *(*find)(int64_t number);
};
static const struct library cuda = {"libcuda.so.1", "cuInit", cuda_error_find};
static const struct library nvml = {"libnvidia-ml.so.1", "nvmlInit", nvml_error_find};

/* The finding that explains the error: of those that may, the first in the error's list. */
static const struct finding *explanation_of(const struct rule_context *context,
                                            const struct driver_error *error)
{
    const struct judgement *judgement = context->judgement;
    for (size_t i = 0; error && i < ERROR_CAUSES && error->causes[i]; i++)
        for (size_t k = 0; k < judgement->finding_count; k++)
            if (string_equal(judgement->findings[k].cause, error->causes[i]))
                return &judgement->findings[k];
    return NULL;
}

static void add_remaining(struct finding *finding, const struct driver_error *error)
{
    finding_why(finding, "%s; nothing found above explains it; what remains: %s", error->meaning,
                error->remaining);
    finding_fix_command(finding, error->root, false, "shows which of these it is", "%s",
                        error->command);
}

/* gpuenv asks in a process that can gain no privileges: nvidia-modprobe, which makes nodes for
 * other programs at first use, cannot do so for it. Where that is healthy, so is this. */
static void failed_found(struct rule_context *context, const struct library *library,
                         const struct judged_answer *answer, enum severity severity)
{
    const struct driver_error *error = library->find(answer->number);
    const struct finding *explanation = explanation_of(context, error);
    const char *cause = explanation ? explanation->cause : NULL;
    const char *code = explanation ? explanation->code : NULL;
    if (explanation && explanation->severity < severity)
        severity = explanation->severity;
    const char *name = error ? error->name : answer->name;
    struct finding *finding = rule_found(context, severity, "%s of %s ends with error %lld%s%s%s",
                                         library->call, library->name, (long long)answer->number,
                                         name ? " (" : "", name ? name : "", name ? ")" : "");
    finding_subject(finding, library->name);
    finding_evidence(finding, context->facts, answer->group, "init");
    finding_evidence(finding, context->facts, answer->group, "init_name");
    finding_evidence(finding, context->facts, answer->group, "path");
    if (error && cause && finding_follows(context, finding, cause))
        finding_why(finding, "%s; %s says why%s", error->meaning, code,
                    first_use(context).healthy && severity == SEVERITY_INFO
                        ? " (gpuenv asks without the privileges that nvidia-modprobe has)"
                        : "");
    else if (error)
        add_remaining(finding, error);
    else {
        finding_why(finding, "the driver could not start; nothing found above explains it");
        finding_fix_command(finding, true, false, "the kernel log may tell",
                            "sudo dmesg | grep -i -e nvrm -e nvidia -e xid | tail -n 30");
    }
}

/* True when there is no GPU, and so nothing for the library to find. */
static bool has_no_gpu(const struct facts *facts)
{
    int64_t count;
    return judged_place(facts) != PLACE_WSL && judged_place(facts) != PLACE_JETSON &&
           facts_integer(facts, "pci", "count", &count) && count == 0 &&
           judged_device_path(facts, "/dev/nvidia") == NULL;
}

static void init_judge(struct rule_context *context, const struct library *library,
                       enum severity severity)
{
    struct judged_answer answer = judged_answer(context->facts, library->name);
    const struct driver_error *error = library->find(answer.number);
    switch (answer.start) {
    case START_WORKS:
        break;
    case START_NOT_ASKED:
        rule_skip(context, "%s was not asked%s%s", library->name, answer.reason ? ": " : "",
                  answer.reason ? answer.reason : "");
        break;
    case START_UNKNOWN:
        rule_unknown(context, "%s: %s", library->name, answer.reason);
        break;
    case START_FAILED:
        if (has_no_gpu(context->facts) && explanation_of(context, error) == NULL)
            rule_skip(context, "there is no GPU for %s to find (error %lld)", library->name,
                      (long long)answer.number);
        else
            failed_found(context, library, &answer, severity);
        break;
    }
}

void judge_cuda_init_failed(struct rule_context *context)
{
    init_judge(context, &cuda, severity_for_use(context->profile));
}

/* Programs that compute do without NVML: where CUDA starts, only nvidia-smi and its like fail. */
void judge_nvml_init_failed(struct rule_context *context)
{
    struct judged_answer answer = judged_answer(context->facts, cuda.name);
    enum severity severity = severity_for_use(context->profile);
    if (answer.start == START_WORKS && severity == SEVERITY_FAIL)
        severity = SEVERITY_WARN;
    init_judge(context, &nvml, severity);
}
