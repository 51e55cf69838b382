/* SPDX-License-Identifier: MIT */
#include "rules/container/gpu_request.h"
#include "rules/container/judges.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/query/judged.h"

/* False, and the check is ended, where a container needs no GPU, or gets it in another way. */
static bool require_engine(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    size_t cursor = 0;
    if (context->purpose == PURPOSE_BUILD)
        rule_skip(context, "a GPU is not needed to build");
    else if (facts_next(facts, "assumed", &cursor))
        rule_skip(context, "the GPU is assumed (--assume-gpu)");
    else if (!rule_require_fact(context, "container", "engine"))
        return false;
    else if (facts_string(facts, "container", "engine") == NULL)
        rule_skip(context, "not in a container");
    else if (judged_place(facts) == PLACE_JETSON)
        rule_skip(context, "a Jetson's GPU uses other device nodes");
    else
        return true;
    return false;
}

/* Without a driver on the host no engine can give a GPU: other rules name that. */
static bool host_has_no_driver(const struct facts *facts)
{
    bool loaded = true;
    int64_t count = 0;
    return facts_boolean(facts, "module", "nvidia", &loaded) && !loaded &&
           facts_integer(facts, "pci", "count", &count) && count > 0;
}

/* A container sees its host's bus, but for gVisor and WSL, which hide it. */
static bool bus_is_empty(const struct facts *facts)
{
    int64_t count = 0;
    return facts_integer(facts, "pci", "count", &count) && count == 0 &&
           judged_place(facts) != PLACE_WSL && facts_string(facts, "container", "sandbox") == NULL;
}

/* Whatever way it came in: a driver that lists a GPU has one. */
static bool driver_lists_gpu(const struct facts *facts)
{
    size_t nvml = 0;
    size_t cuda = 0;
    return facts_next(facts, "nvml", &nvml) || facts_next(facts, "cuda", &cuda);
}

/* False, and the check is ended, where a library was called and did not say whether it has a GPU.
 */
static bool require_answers(struct rule_context *context)
{
    static const struct {
        const char *library, *group;
    } rows[] = {{"libcuda.so.1", "cuda"}, {"libnvidia-ml.so.1", "nvml"}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct judged_answer answer = judged_answer(context->facts, rows[i].library);
        if (answer.start == START_UNKNOWN) {
            rule_unknown(context, "%s: %s", rows[i].library, answer.reason);
            return false;
        }
        if (answer.start == START_WORKS && facts_get(context->facts, rows[i].group, "count") &&
            !rule_require_fact(context, rows[i].group, "count"))
            return false;
    }
    return true;
}

static void no_gpu_found(struct rule_context *context, const char *node)
{
    const struct facts *facts = context->facts;
    const char *visible = facts_string(facts, "environment", "NVIDIA_VISIBLE_DEVICES");
    struct finding *finding = rule_found(context, severity_for_use(context->purpose),
                                         "this container was started without its GPU");
    finding_follows(context, finding, "container_runtime_not_default");
    finding_follows(context, finding, "lxc_missing_device_or_libs");
    if (node)
        finding_why(finding,
                    "the container has %s but no driver library: --privileged and --device pass "
                    "only device nodes",
                    node);
    else if (visible)
        finding_why(finding,
                    "the container has no NVIDIA device node and no driver library; "
                    "NVIDIA_VISIBLE_DEVICES=%s alone changes nothing, because only NVIDIA's "
                    "runtime reads this variable",
                    visible);
    else
        finding_why(finding, "the container has no NVIDIA device node and no driver library; a "
                             "container engine adds these files only on request");
    finding_evidence(finding, facts, "container", "engine");
    finding_evidence(finding, facts, "container", "nvidia_libraries");
    finding_evidence(finding, facts, "device", "count");
    finding_evidence(finding, facts, "environment", "NVIDIA_VISIBLE_DEVICES");
    gpu_request_fix(finding, facts_string(facts, "container", "engine"));
    if (bus_is_empty(facts))
        finding_fix_note(finding, FIX_HOST,
                         "check that the host has an NVIDIA GPU (run lspci -d 10de: there): the "
                         "PCI bus shows none in this container");
}

void judge_container_no_gpu_requested(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    if (!require_engine(context) || !rule_require_fact(context, "container", "nvidia_libraries"))
        return;
    const char *node = judged_device_path(facts, "/dev/nvidia");
    bool has_node = node || judged_device_path(facts, "/dev/dxg");
    if (facts_true(facts, "container", "nvidia_libraries") || driver_lists_gpu(facts) ||
        (has_node && judged_has_driver_library(facts)))
        return;
    if (!has_node && !rule_require_fact(context, "device", "count"))
        return;
    if (host_has_no_driver(facts)) {
        rule_skip(context, "the nvidia module is not loaded on the host");
        return;
    }
    if (require_answers(context))
        no_gpu_found(context, node);
}
