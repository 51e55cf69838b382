/* SPDX-License-Identifier: MIT */
/* Facts that are one number each. */
#include "probe/vendor/ask_nvml.h"

#include <string.h>

#include "base/text.h"

static void tell_compute_mode(const struct nvml_ask *ask, const char *fact, const char *function,
                              int result, unsigned value)
{
    static const char *const modes[] = {"default", "exclusive-thread", "prohibited",
                                        "exclusive-process"}; /* nvmlComputeMode_t */
    if (result == NVML_SUCCESS && value >= sizeof(modes) / sizeof(modes[0]))
        nvml_tell_odd(ask, fact, function, "says %u", value);
    else
        nvml_tell_string(ask, fact, function, result, modes[result == NVML_SUCCESS ? value : 0]);
}

static void tell_number(const struct nvml_ask *ask, const char *fact, const char *function,
                        int result, unsigned value)
{
    nvml_tell_integer(ask, fact, function, result, value);
}

struct number_fact {
    const char *name;
    size_t call; /* an nvml_number_call */
    void (*tell)(const struct nvml_ask *ask, const char *fact, const char *function, int result,
                 unsigned value);
};

static const struct number_fact number_facts[] = {
    {"compute_mode", NVML_CALL(compute_mode), tell_compute_mode},
    {"display_active", NVML_CALL(display_active), nvml_tell_switch},
    {"persistence", NVML_CALL(persistence), nvml_tell_switch},
    {"pcie_generation", NVML_CALL(pcie_generation), tell_number},
    {"pcie_generation_max", NVML_CALL(pcie_generation_max), tell_number},
    {"pcie_width", NVML_CALL(pcie_width), tell_number},
    {"pcie_width_max", NVML_CALL(pcie_width_max), tell_number},
    {"power_mw", NVML_CALL(power), tell_number},
    {"power_limit_mw", NVML_CALL(power_limit), tell_number},
    {"power_default_mw", NVML_CALL(power_default), tell_number},
    {"retired_pages_pending", NVML_CALL(retired_pending), nvml_tell_switch},
};

enum nvml_clock { CLOCK_SM = 1, CLOCK_MEMORY = 2 }; /* nvmlClockType_t */

struct clock_fact {
    const char *name;
    size_t call; /* an nvml_kind_call */
    enum nvml_clock kind;
};

static const struct clock_fact clock_facts[] = {
    {"clock_sm_mhz", NVML_CALL(clock), CLOCK_SM},
    {"clock_sm_max_mhz", NVML_CALL(clock_max), CLOCK_SM},
    {"clock_memory_mhz", NVML_CALL(clock), CLOCK_MEMORY},
};

void nvml_ask_numbers(const struct nvml_ask *ask)
{
    for (size_t i = 0; i < sizeof(number_facts) / sizeof(number_facts[0]); i++) {
        const struct number_fact *fact = &number_facts[i];
        nvml_number_call call;
        memcpy(&call, (const char *)ask->nvml + fact->call, sizeof(call));
        unsigned value = 0;
        const char *function = nvml_step(ask, fact->call);
        int result = call ? call(ask->device, &value) : NVML_NO_FUNCTION;
        fact->tell(ask, fact->name, function, result, value);
    }
    for (size_t i = 0; i < sizeof(clock_facts) / sizeof(clock_facts[0]); i++) {
        const struct clock_fact *fact = &clock_facts[i];
        nvml_kind_call call;
        memcpy(&call, (const char *)ask->nvml + fact->call, sizeof(call));
        unsigned value = 0;
        const char *function = nvml_step(ask, fact->call);
        int result = call ? call(ask->device, fact->kind, &value) : NVML_NO_FUNCTION;
        nvml_tell_integer(ask, fact->name, function, result, value);
    }
}
