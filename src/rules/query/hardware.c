/* SPDX-License-Identifier: MIT */
#include "rules/query/hardware.h"

#include <string.h>

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/query/gpu_nvml.h"

static bool is_of_this_boot(const struct facts *facts, const char *group, const char *event)
{
    return string_equal(facts_string(facts, group, "event"), event) &&
           string_equal(facts_string(facts, group, "boot"), "current");
}

static bool has_number(const int64_t *numbers, int64_t number)
{
    for (size_t i = 0; numbers[i]; i++)
        if (numbers[i] == number)
            return true;
    return false;
}

const char *hardware_xid(const struct facts *facts, const char *bus_id, const int64_t *numbers)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "kernel_log", &i)) != NULL;) {
        int64_t number;
        if (is_of_this_boot(facts, group, "xid") &&
            facts_integer(facts, group, "number", &number) && has_number(numbers, number) &&
            string_equal(facts_string(facts, group, "bus_id"), bus_id))
            return group;
    }
    return NULL;
}

const char *hardware_event(const struct facts *facts, const char *event, const char *bus_id)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "kernel_log", &i)) != NULL;)
        if (is_of_this_boot(facts, group, event) &&
            string_equal(facts_string(facts, group, "bus_id"), bus_id))
            return group;
    return NULL;
}

const char *hardware_listed(const struct facts *facts, const char *kind, const char *bus_id)
{
    return facts_find(facts, kind, "bus_id", bus_id);
}

const char *hardware_address(const char *pci)
{
    return strchr(pci, '/') + 1;
}

char *hardware_label(const struct facts *facts, const char *bus_id)
{
    const char *nvml = hardware_listed(facts, "nvml", bus_id);
    if (nvml == NULL)
        return mem_printf("the GPU at %s", bus_id);
    AUTO_FREE char *label = nvml_label(facts, nvml);
    return mem_printf("%s at %s", label, bus_id);
}

static bool log_is_unread(const struct facts *facts)
{
    const struct fact *count = facts_get(facts, "kernel_log", "count");
    return count == NULL || count->state != FACT_VALUE;
}

bool rule_require_gpu_switched_on(struct rule_context *context)
{
    if (!rule_require_gpu_on_bus(context))
        return false;
    if (!rule_has_found(context, "dgpu_powered_off"))
        return true;
    rule_skip(context, "the GPU is switched off on purpose");
    return false;
}

bool hardware_sleeps(const struct facts *facts, const char *pci)
{
    const char *power = facts_string(facts, pci, "power_state");
    return string_equal(power, "D3cold") || string_equal(power, "D3hot") ||
           string_equal(facts_string(facts, pci, "runtime_status"), "suspended") ||
           string_equal(facts_string(facts, "hybrid", "bbswitch"), "OFF");
}

void hardware_end_without_log(struct rule_context *context)
{
    struct judged_answer cuda = judged_answer(context->facts, "libcuda.so.1");
    if (!log_is_unread(context->facts))
        return;
    if (cuda.start == START_FAILED && facts_get(context->facts, "kernel_log", "count") &&
        judged_place(context->facts) != PLACE_CONTAINER)
        rule_require_fact(context, "kernel_log", "count");
    else
        rule_skip(context,
                  "only the kernel's log shows this, and this boot's log cannot be read here");
}

bool hardware_follows(const struct rule_context *context, struct finding *finding, size_t missing)
{
    static const char *const causes[] = {"dgpu_powered_off", "gpu_fell_off_bus", "gsp_rpc_timeout",
                                         "pci_bar_unassigned"};
    const struct judgement *judgement = context->judgement;
    for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
        size_t count = 0;
        for (size_t k = 0; k < judgement->finding_count; k++)
            count += string_equal(judgement->findings[k]->cause, causes[i]);
        if (count > 0 && count >= missing)
            return finding_follows(context, finding, causes[i]);
    }
    return false;
}
