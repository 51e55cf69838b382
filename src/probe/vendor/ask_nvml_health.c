/* SPDX-License-Identifier: MIT */
/* How a GPU fares: heat, clocks held back, memory errors. */
#include "probe/vendor/ask_nvml.h"

#include "base/strlist.h"

#define SENSOR_GPU 0 /* NVML_TEMPERATURE_GPU */

void nvml_ask_temperature(const struct nvml_ask *ask)
{
    struct nvml_temperature newer = {.version = NVML_VERSION_OF(newer, 1), .sensor = SENSOR_GPU};
    int result = NVML_NO_FUNCTION;
    const char *function = NULL;
    if (ask->nvml->temperature_v) {
        function = nvml_step(ask, NVML_CALL(temperature_v));
        result = ask->nvml->temperature_v(ask->device, &newer);
    }
    if (nvml_wants_older(result)) {
        unsigned older = 0;
        function = nvml_step(ask, NVML_CALL(temperature));
        if (ask->nvml->temperature)
            result = ask->nvml->temperature(ask->device, SENSOR_GPU, &older);
        newer.temperature = (int32_t)older;
    }
    nvml_tell_integer(ask, "temperature_c", function, result, newer.temperature);
}

/* nvmlClocksEventReason…, bit 0 first. */
static const char *const clock_reasons[] = {
    "idle",           "applications_clocks", "sw_power_cap", "hw_slowdown",
    "sync_boost",     "sw_thermal",          "hw_thermal",   "hw_power_brake",
    "display_clocks", "board_limit",         "reliability",
};

void nvml_ask_clock_reasons(const struct nvml_ask *ask)
{
    AUTO_STRLIST struct strlist reasons = {0};
    unsigned long long bits = 0;
    const char *function = nvml_step(ask, NVML_CALL(clock_reasons));
    int result =
        ask->nvml->clock_reasons ? ask->nvml->clock_reasons(ask->device, &bits) : NVML_NO_FUNCTION;
    for (unsigned i = 0; i < 64; i++) {
        if ((bits >> i & 1) == 0)
            continue;
        if (i < sizeof(clock_reasons) / sizeof(clock_reasons[0]))
            strlist_add(&reasons, clock_reasons[i]);
        else
            strlist_take(&reasons, mem_printf("bit_%u", i));
    }
    nvml_tell_list(ask, "clock_event_reasons", function, result, &reasons);
}

#define UNCORRECTED 1                             /* NVML_MEMORY_ERROR_TYPE_UNCORRECTED */
enum ecc_counter { VOLATILE = 0, AGGREGATE = 1 }; /* nvmlEccCounterType_t */

static void tell_ecc_errors(const struct nvml_ask *ask, const char *fact, enum ecc_counter counter)
{
    unsigned long long count = 0;
    const char *function = nvml_step(ask, NVML_CALL(ecc_errors));
    int result = ask->nvml->ecc_errors
                     ? ask->nvml->ecc_errors(ask->device, UNCORRECTED, counter, &count)
                     : NVML_NO_FUNCTION;
    nvml_tell_count(ask, fact, function, result, count);
}

void nvml_ask_ecc(const struct nvml_ask *ask)
{
    unsigned current = 0;
    unsigned pending = 0;
    const char *function = nvml_step(ask, NVML_CALL(ecc_mode));
    int result = ask->nvml->ecc_mode ? ask->nvml->ecc_mode(ask->device, &current, &pending)
                                     : NVML_NO_FUNCTION;
    nvml_tell_switch(ask, "ecc", function, result, current);
    tell_ecc_errors(ask, "ecc_uncorrected_volatile", VOLATILE);
    tell_ecc_errors(ask, "ecc_uncorrected_aggregate", AGGREGATE);
}

void nvml_ask_rows(const struct nvml_ask *ask)
{
    unsigned correctable = 0;
    unsigned uncorrectable = 0;
    unsigned pending = 0;
    unsigned failure = 0;
    const char *function = nvml_step(ask, NVML_CALL(remapped_rows));
    int result = ask->nvml->remapped_rows
                     ? ask->nvml->remapped_rows(ask->device, &correctable, &uncorrectable, &pending,
                                                &failure)
                     : NVML_NO_FUNCTION;
    nvml_tell_integer(ask, "remapped_correctable", function, result, correctable);
    nvml_tell_integer(ask, "remapped_uncorrectable", function, result, uncorrectable);
    nvml_tell_switch(ask, "remap_pending", function, result, pending);
    nvml_tell_switch(ask, "remap_failure", function, result, failure);
}

/* nvmlPageRetirementCause_t */
enum retirement { AFTER_SINGLE_BIT_ERRORS = 0, AFTER_DOUBLE_BIT_ERROR = 1 };

/* Without room for addresses NVML tells how many there are: success where none are, else
 * NVML_ERROR_INSUFFICIENT_SIZE (nvml.h, nvmlDeviceGetRetiredPages). */
static void tell_retired_pages(const struct nvml_ask *ask, const char *fact, enum retirement cause)
{
    unsigned count = 0;
    const char *function = nvml_step(ask, NVML_CALL(retired_pages));
    int result = ask->nvml->retired_pages
                     ? ask->nvml->retired_pages(ask->device, (int)cause, &count, NULL)
                     : NVML_NO_FUNCTION;
    if (result == NVML_INSUFFICIENT_SIZE)
        result = 0;
    nvml_tell_integer(ask, fact, function, result, count);
}

void nvml_ask_retired_pages(const struct nvml_ask *ask)
{
    tell_retired_pages(ask, "retired_pages_single", AFTER_SINGLE_BIT_ERRORS);
    tell_retired_pages(ask, "retired_pages_double", AFTER_DOUBLE_BIT_ERROR);
}
