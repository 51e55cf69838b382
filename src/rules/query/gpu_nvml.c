/* SPDX-License-Identifier: MIT */
#include "rules/query/gpu_nvml.h"

#include <string.h>

#include "base/shell.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"

bool rule_require_nvml_gpus(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    int64_t count;
    if (facts_integer(facts, "nvml", "count", &count)) {
        if (count == 0)
            rule_skip(context, "NVML lists no GPU");
        return count > 0;
    }
    struct judged_answer answer = judged_answer(facts, "libnvidia-ml.so.1");
    if (answer.start == START_FAILED)
        rule_skip(context, "NVML does not start (error %lld)", (long long)answer.number);
    else if (answer.start == START_UNKNOWN)
        rule_unknown(context, "libnvidia-ml.so.1: %s", answer.reason);
    else if (answer.start == START_WORKS && facts_get(facts, "nvml", "count"))
        return rule_require_fact(context, "nvml", "count");
    else if (answer.start == START_WORKS)
        rule_skip(context, "this record has no GPUs from NVML");
    else
        rule_skip(context, "NVML was not asked%s%s", answer.reason ? ": " : "",
                  answer.reason ? answer.reason : "");
    return false;
}

const char *nvml_index(const char *group)
{
    const char *slash = strchr(group, '/');
    return slash ? slash + 1 : group;
}

char *nvml_argument(const char *group)
{
    return shell_quote(nvml_index(group));
}

char *nvml_label(const struct facts *facts, const char *group)
{
    const char *name = facts_string(facts, group, "name");
    return name ? mem_printf("GPU %s (%s)", nvml_index(group), name)
                : mem_printf("GPU %s", nvml_index(group));
}

bool rule_require_nvml_fact(struct rule_context *context, const char *group, const char *name)
{
    const struct fact *fact = facts_get(context->facts, group, name);
    if (fact == NULL || fact->state != FACT_UNKNOWN)
        return true;
    rule_unknown(context, "GPU %s, %s: %s", nvml_index(group), name, fact->reason);
    return false;
}

void nvml_finding(const struct rule_context *context, struct finding *finding, const char *group,
                  const char *name)
{
    const char *bus_id = facts_string(context->facts, group, "bus_id");
    AUTO_FREE char *subject = bus_id ? mem_printf("GPU %s, %s", nvml_index(group), bus_id)
                                     : mem_printf("GPU %s", nvml_index(group));
    finding_subject(finding, subject);
    finding_evidence(finding, context->facts, group, name);
}

enum severity nvml_severity_of_part(const struct rule_context *context, size_t part)
{
    size_t all = 0;
    for (size_t i = 0; facts_next(context->facts, "nvml", &i) != NULL;)
        all++;
    enum severity severity = severity_for_use(context->purpose);
    return severity == SEVERITY_FAIL && part < all ? SEVERITY_WARN : severity;
}

enum severity nvml_severity_of_warning(const struct rule_context *context)
{
    return context->purpose == PURPOSE_BUILD ? SEVERITY_INFO : SEVERITY_WARN;
}

bool nvml_fix_on_host(const struct rule_context *context, struct finding *finding)
{
    if (judged_place(context->facts) == PLACE_WSL) {
        finding_fix_note(finding, FIX_HOST | NEEDS_ROOT,
                         "this can be fixed only in Windows: look at the GPU there with "
                         "nvidia-smi, restart Windows, then run gpuenv doctor here again");
        return true;
    }
    if (judged_place(context->facts) != PLACE_CONTAINER)
        return false;
    finding_fix_note(
        finding, FIX_HOST | NEEDS_ROOT,
        "this can be fixed only on the host: run gpuenv doctor there, or tell the host's operator");
    return true;
}

void nvml_fix_by_reset(const struct rule_context *context, struct finding *finding,
                       const char *group)
{
    if (nvml_fix_on_host(context, finding))
        return;
    AUTO_FREE char *number = nvml_argument(group);
    finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT,
                        "first stop every program that uses this GPU",
                        "sudo nvidia-smi --gpu-reset -i %s", number);
    finding_fix_command(finding, FIX_REBOOT | NEEDS_ROOT | THEN_REBOOT, NULL,
                        "sudo systemctl reboot");
}

bool nvml_memory_is_shared(const struct facts *facts)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "nvml", &i)) != NULL;) {
        const struct fact *memory = facts_get(facts, group, "memory_total_bytes");
        if (memory && memory->state == FACT_ABSENT)
            return true;
    }
    return judged_place(facts) == PLACE_JETSON;
}

char *nvml_bytes(int64_t bytes)
{
    if (bytes < (int64_t)1 << 30)
        return mem_printf("%lld MiB", (long long)(bytes >> 20));
    return mem_printf("%.1f GiB", (double)bytes / (1 << 30));
}
