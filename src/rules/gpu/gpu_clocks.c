/* SPDX-License-Identifier: MIT */
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/gpu/judges.h"
#include "rules/query/gpu_nvml.h"

/* gpu_throttled_power_thermal. nvml.h, nvmlClocksEventReasons: idle, clocks that were set by hand
 * and, at the card's own limit, the power cap are how a healthy GPU works. */

struct brake {
    const char *reason;
    const char *meaning;
    const char *fix;
};

/* hw_slowdown is set together with the two that say why: they stand before it. */
static const struct brake brakes[] = {
    {"hw_power_brake", "the machine tells the GPU to draw less power (power brake)",
     "check power supplies, power cables and the power policy of the machine's management "
     "controller (BMC)"},
    {"hw_thermal", "the GPU is too hot, and its hardware slows it down",
     "check fans, air flow and room temperature; a GPU that stays hot needs service"},
    {"hw_slowdown", "the hardware slows the GPU down because of heat or power",
     "check power cables, power supplies and cooling"},
    {"sw_thermal", "the GPU is too hot, and the driver lowers its clocks",
     "check fans, air flow and room temperature; a GPU that stays hot needs service"},
};

static const struct brake *brake_of(const struct strlist *reasons)
{
    for (size_t i = 0; i < sizeof(brakes) / sizeof(brakes[0]); i++)
        if (strlist_has(reasons, brakes[i].reason))
            return &brakes[i];
    return NULL;
}

static struct finding *clock_finding(struct rule_context *context, const char *group,
                                     const char *what)
{
    AUTO_FREE char *label = nvml_label(context->facts, group);
    struct finding *finding = rule_found(context, nvml_severity_of_warning(context),
                                         "%s runs slower than it could: %s", label, what);
    nvml_finding(context, finding, group, "clock_event_reasons");
    return finding;
}

static void brake_found(struct rule_context *context, const char *group, const struct brake *brake)
{
    static const char *const names[] = {"temperature_c", "power_mw", "power_limit_mw",
                                        "clock_sm_mhz", "clock_sm_max_mhz"};
    struct finding *finding = clock_finding(context, group, brake->meaning);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        finding_evidence(finding, context->facts, group, names[i]);
    int64_t now = 0, most = 0;
    if (facts_integer(context->facts, group, "clock_sm_mhz", &now) &&
        facts_integer(context->facts, group, "clock_sm_max_mhz", &most))
        finding_why(finding,
                    "NVML gives %s as the reason for the low clocks: %lld of at most %lld MHz",
                    brake->reason, (long long)now, (long long)most);
    else
        finding_why(finding, "NVML gives %s as the reason for the low clocks", brake->reason);
    AUTO_FREE char *number = nvml_argument(group);
    if (!nvml_fix_on_host(context, finding))
        finding_fix_note(finding, FIX_ADVICE, "%s", brake->fix);
    finding_fix_command(finding, FIX_LOOK, "shows whether this lasts",
                        "nvidia-smi -q -i %s -d PERFORMANCE,TEMPERATURE,POWER", number);
}

/* Held at a limit that someone set below the card's own. */
static void judge_power_cap(struct rule_context *context, const char *group)
{
    int64_t limit, normal;
    bool lacks = !rule_require_nvml_fact(context, group, "power_limit_mw") ||
                 !rule_require_nvml_fact(context, group, "power_default_mw");
    if (lacks || !facts_integer(context->facts, group, "power_limit_mw", &limit) ||
        !facts_integer(context->facts, group, "power_default_mw", &normal) || limit >= normal)
        return;
    AUTO_FREE char *what = mem_printf("its power limit is %lld W; the default is %lld W",
                                      (long long)limit / 1000, (long long)normal / 1000);
    struct finding *finding = clock_finding(context, group, what);
    finding_evidence(finding, context->facts, group, "power_limit_mw");
    finding_evidence(finding, context->facts, group, "power_default_mw");
    finding_why(finding, "NVML gives sw_power_cap as the reason for the low clocks, and the "
                         "current power limit is below the card's default");
    AUTO_FREE char *number = nvml_argument(group);
    if (nvml_fix_on_host(context, finding))
        return;
    /* a choice: somebody set it */
    finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT,
                        "restores the default limit; skip this if you set the limit on purpose",
                        "sudo nvidia-smi -i %s -pl %lld", number, (long long)normal / 1000);
}

void judge_gpu_throttled_power_thermal(struct rule_context *context)
{
    size_t told = 0;
    const char *group;
    if (!rule_require_nvml_gpus(context))
        return;
    for (size_t i = 0; (group = facts_next(context->facts, "nvml", &i)) != NULL;) {
        const struct strlist *reasons = facts_list(context->facts, group, "clock_event_reasons");
        told += reasons || !rule_require_nvml_fact(context, group, "clock_event_reasons");
        if (reasons == NULL)
            continue;
        const struct brake *brake = brake_of(reasons);
        if (brake)
            brake_found(context, group, brake);
        else if (strlist_has(reasons, "sw_power_cap"))
            judge_power_cap(context, group);
    }
    if (told == 0)
        rule_skip(context, "no GPU here reports the reasons for its clock speed");
}
