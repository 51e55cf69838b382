/* SPDX-License-Identifier: MIT */
/* What a GPU is and has. */
#include "probe/vendor/ask_nvml.h"

#include <stdio.h>
#include <string.h>

static void tell_text(const struct nvml_ask *ask, const char *fact, size_t call,
                      nvml_text_call text_call)
{
    char text[NVML_TEXT_SIZE + 1] = "";
    const char *function = nvml_step(ask, call);
    int result = text_call ? text_call(ask->device, text, NVML_TEXT_SIZE) : NVML_NO_FUNCTION;
    text[NVML_TEXT_SIZE] = '\0';
    nvml_tell_string(ask, fact, function, result, text);
}

/* From its numbers, which every version of the call has, as the kernel writes them. */
static void tell_bus_id(const struct nvml_ask *ask)
{
    struct nvml_pci pci = {0};
    char text[48];
    const char *function = nvml_step(ask, NVML_CALL(pci));
    int result = ask->nvml->pci ? ask->nvml->pci(ask->device, &pci) : NVML_NO_FUNCTION;
    if (result == NVML_SUCCESS && (pci.bus > 0xff || pci.device > 0x1f)) {
        nvml_tell_odd(ask, "bus_id", function, "says bus %u, device %u", pci.bus, pci.device);
        return;
    }
    snprintf(text, sizeof(text), "%04x:%02x:%02x.0", pci.domain, pci.bus, pci.device);
    nvml_tell_string(ask, "bus_id", function, result, text);
}

static void tell_capability(const struct nvml_ask *ask)
{
    int major = 0;
    int minor = 0;
    char text[32];
    const char *function = nvml_step(ask, NVML_CALL(capability));
    int result = ask->nvml->capability ? ask->nvml->capability(ask->device, &major, &minor)
                                       : NVML_NO_FUNCTION;
    if (result == NVML_SUCCESS && (major <= 0 || minor < 0)) {
        nvml_tell_odd(ask, "capability", function, "says %d.%d", major, minor);
        return;
    }
    snprintf(text, sizeof(text), "%d.%d", major, minor);
    nvml_tell_string(ask, "capability", function, result, text);
}

void nvml_ask_identity(const struct nvml_ask *ask)
{
    tell_text(ask, "name", NVML_CALL(name), ask->nvml->name);
    tell_text(ask, "uuid", NVML_CALL(uuid), ask->nvml->uuid);
    tell_bus_id(ask);
    tell_capability(ask);
}

static void tell_utilization(const struct nvml_ask *ask)
{
    struct nvml_utilization utilization = {0};
    const char *function = nvml_step(ask, NVML_CALL(utilization));
    int result = ask->nvml->utilization ? ask->nvml->utilization(ask->device, &utilization)
                                        : NVML_NO_FUNCTION;
    if (result == NVML_SUCCESS && utilization.gpu > 100)
        nvml_tell_odd(ask, "utilization_percent", function, "says %u %%", utilization.gpu);
    else
        nvml_tell_integer(ask, "utilization_percent", function, result, utilization.gpu);
}

void nvml_ask_memory(const struct nvml_ask *ask)
{
    struct nvml_memory_v2 memory = {.version = NVML_VERSION_OF(memory, 2)};
    int result = NVML_NO_FUNCTION;
    const char *function = NULL;
    if (ask->nvml->memory_v2) {
        function = nvml_step(ask, NVML_CALL(memory_v2));
        result = ask->nvml->memory_v2(ask->device, &memory);
    }
    if (nvml_wants_older(result)) {
        struct nvml_memory_v1 older = {0};
        function = nvml_step(ask, NVML_CALL(memory_v1));
        if (ask->nvml->memory_v1)
            result = ask->nvml->memory_v1(ask->device, &older);
        memory =
            (struct nvml_memory_v2){.total = older.total, .free = older.free, .used = older.used};
    }
    nvml_tell_count(ask, "memory_total_bytes", function, result, memory.total);
    nvml_tell_count(ask, "memory_used_bytes", function, result, memory.used);
    nvml_tell_count(ask, "memory_free_bytes", function, result, memory.free);
    tell_utilization(ask);
}

/* The number of MIG devices among the maximum of them; gaps are not found. */
static int count_mig(const struct nvml_ask *ask, unsigned maximum, unsigned *ret_count)
{
    *ret_count = 0;
    if (ask->nvml->mig_handle == NULL)
        return NVML_NO_FUNCTION;
    for (unsigned i = 0; i < maximum; i++) {
        nvml_device instance = NULL;
        int result = ask->nvml->mig_handle(ask->device, i, &instance);
        if (result == NVML_SUCCESS)
            ++*ret_count;
        else if (result != NVML_NOT_FOUND)
            return result;
    }
    return NVML_SUCCESS;
}

#define MIG_MAX 64 /* more than a GPU can have: 7 instances, or 8 */

static void tell_mig_instances(const struct nvml_ask *ask)
{
    unsigned maximum = 0;
    const char *function = nvml_step(ask, NVML_CALL(mig_max));
    int result = ask->nvml->mig_max ? ask->nvml->mig_max(ask->device, &maximum) : NVML_NO_FUNCTION;
    if (!nvml_answered(ask, "mig_instances", function, result))
        return;
    if (maximum > MIG_MAX) {
        nvml_tell_odd(ask, "mig_instances", function, "says up to %u", maximum);
        return;
    }
    unsigned count = 0;
    function = nvml_step(ask, NVML_CALL(mig_handle));
    result = count_mig(ask, maximum, &count);
    nvml_tell_integer(ask, "mig_instances", function, result, count);
}

void nvml_ask_mig(const struct nvml_ask *ask)
{
    unsigned current = 0;
    unsigned pending = 0;
    const char *function = nvml_step(ask, NVML_CALL(mig_mode));
    int result = ask->nvml->mig_mode ? ask->nvml->mig_mode(ask->device, &current, &pending)
                                     : NVML_NO_FUNCTION;
    nvml_tell_switch(ask, "mig", function, result, current);
    if (result == NVML_SUCCESS && current != 0)
        tell_mig_instances(ask);
    else
        nvml_tell_integer(ask, "mig_instances", function, result, 0);
}
