/* SPDX-License-Identifier: MIT */
/* libnvidia-ml.so.1: how a GPU is doing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvml.h"
#include "plan.h"

/* nvmlReturn_t NAME(nvmlDevice_t device, unsigned int *value), and enumerations alike. */
#define ANSWERS_UNSIGNED(function, key)                                                            \
    EXPORTED int function(const struct device *device, unsigned *value)                            \
    {                                                                                              \
        return nvml_unsigned(#function, device, key, value);                                       \
    }

ANSWERS_UNSIGNED(nvmlDeviceGetComputeMode, "compute_mode")
ANSWERS_UNSIGNED(nvmlDeviceGetDisplayActive, "display_active")
ANSWERS_UNSIGNED(nvmlDeviceGetDisplayMode, "display_mode")
ANSWERS_UNSIGNED(nvmlDeviceGetPersistenceMode, "persistence")
ANSWERS_UNSIGNED(nvmlDeviceGetCurrPcieLinkGeneration, "pcie_generation")
ANSWERS_UNSIGNED(nvmlDeviceGetMaxPcieLinkGeneration, "pcie_generation_max")
ANSWERS_UNSIGNED(nvmlDeviceGetGpuMaxPcieLinkGeneration, "pcie_generation_max")
ANSWERS_UNSIGNED(nvmlDeviceGetCurrPcieLinkWidth, "pcie_width")
ANSWERS_UNSIGNED(nvmlDeviceGetMaxPcieLinkWidth, "pcie_width_max")
ANSWERS_UNSIGNED(nvmlDeviceGetPowerUsage, "power")
ANSWERS_UNSIGNED(nvmlDeviceGetEnforcedPowerLimit, "power_limit")
ANSWERS_UNSIGNED(nvmlDeviceGetPowerManagementLimit, "power_limit")
ANSWERS_UNSIGNED(nvmlDeviceGetPowerManagementDefaultLimit, "power_default")
ANSWERS_UNSIGNED(nvmlDeviceGetRetiredPagesPendingStatus, "retired_pages_pending")

/* nvmlMemory_t */
struct memory {
    unsigned long long total, free, used;
};

/* nvmlMemory_v2_t */
struct memory_v2 {
    unsigned version;
    unsigned long long total, reserved, free, used;
};

EXPORTED int nvmlDeviceGetMemoryInfo(const struct device *device, struct memory *memory)
{
    long long total;
    int result = nvml_number("nvmlDeviceGetMemoryInfo", device, "memory_total", &total);
    if (result != NVML_SUCCESS)
        return result;
    memory->total = (unsigned long long)total;
    memory->used = (unsigned long long)(nvml_property(device, "memory_used") +
                                        nvml_property(device, "memory_reserved"));
    memory->free = memory->total - memory->used;
    return result;
}

EXPORTED int nvmlDeviceGetMemoryInfo_v2(const struct device *device, struct memory_v2 *memory)
{
    long long total;
    int result = nvml_number("nvmlDeviceGetMemoryInfo_v2", device, "memory_total", &total);
    if (result != NVML_SUCCESS)
        return result;
    if (memory->version != (sizeof(*memory) | 2u << 24))
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    memory->total = (unsigned long long)total;
    memory->reserved = (unsigned long long)nvml_property(device, "memory_reserved");
    memory->used = (unsigned long long)nvml_property(device, "memory_used");
    memory->free = memory->total - memory->used - memory->reserved;
    return result;
}

EXPORTED int nvmlDeviceGetUtilizationRates(const struct device *device, unsigned rates[2])
{
    int result = nvml_unsigned("nvmlDeviceGetUtilizationRates", device, "utilization", &rates[0]);
    if (result == NVML_SUCCESS)
        rates[1] = rates[0] / 2;
    return result;
}

/* nvmlClockType_t: graphics, SM, memory, video */
static int clock_of(const char *function, const struct device *device, int type, const char *sm,
                    const char *memory, unsigned *clock)
{
    if (type < 0 || type > 3)
        return NVML_ERROR_INVALID_ARGUMENT;
    return nvml_unsigned(function, device, type == 2 ? memory : sm, clock);
}

EXPORTED int nvmlDeviceGetClockInfo(const struct device *device, int type, unsigned *clock)
{
    return clock_of("nvmlDeviceGetClockInfo", device, type, "clock_sm", "clock_memory", clock);
}

EXPORTED int nvmlDeviceGetMaxClockInfo(const struct device *device, int type, unsigned *clock)
{
    return clock_of("nvmlDeviceGetMaxClockInfo", device, type, "clock_sm_max", "clock_memory_max",
                    clock);
}

static int reasons_of(const char *function, const struct device *device,
                      unsigned long long *reasons)
{
    long long number;
    int result = nvml_number(function, device, "clock_event_reasons", &number);
    if (result == NVML_SUCCESS)
        *reasons = (unsigned long long)number;
    return result;
}

EXPORTED int nvmlDeviceGetCurrentClocksEventReasons(const struct device *device,
                                                    unsigned long long *reasons)
{
    return reasons_of("nvmlDeviceGetCurrentClocksEventReasons", device, reasons);
}

EXPORTED int nvmlDeviceGetCurrentClocksThrottleReasons(const struct device *device,
                                                       unsigned long long *reasons)
{
    return reasons_of("nvmlDeviceGetCurrentClocksThrottleReasons", device, reasons);
}

EXPORTED int nvmlDeviceGetTemperature(const struct device *device, int sensor, unsigned *value)
{
    if (sensor != 0)
        return NVML_ERROR_INVALID_ARGUMENT;
    return nvml_unsigned("nvmlDeviceGetTemperature", device, "temperature", value);
}

/* nvmlTemperature_v1_t */
struct temperature {
    unsigned version;
    int sensor, temperature;
};

EXPORTED int nvmlDeviceGetTemperatureV(const struct device *device, struct temperature *value)
{
    long long number;
    int result = nvml_number("nvmlDeviceGetTemperatureV", device, "temperature", &number);
    if (result != NVML_SUCCESS)
        return result;
    if (value->version != (sizeof(*value) | 1u << 24))
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    value->temperature = (int)number;
    return result;
}

EXPORTED int nvmlDeviceGetPowerManagementLimitConstraints(const struct device *device,
                                                          unsigned *least, unsigned *most)
{
    int result = nvml_unsigned("nvmlDeviceGetPowerManagementLimitConstraints", device,
                               "power_default", most);
    if (result == NVML_SUCCESS)
        *least = *most / 3;
    return result;
}

EXPORTED int nvmlDeviceGetEccMode(const struct device *device, unsigned *mode, unsigned *pending)
{
    int result = nvml_unsigned("nvmlDeviceGetEccMode", device, "ecc", mode);
    if (result == NVML_SUCCESS)
        *pending = *mode;
    return result;
}

static int ecc_errors(const char *function, const struct device *device, int type, int counter,
                      unsigned long long *errors)
{
    long long number = 0;
    const char *key = counter == 0 ? "ecc_uncorrected_volatile" : "ecc_uncorrected_aggregate";
    if (type < 0 || type > 1 || counter < 0 || counter > 1)
        return NVML_ERROR_INVALID_ARGUMENT;
    int result = nvml_number(function, device, key, &number);
    if (result == NVML_SUCCESS && plan_find("ecc", device->index, NULL)[0] == '-')
        return NVML_ERROR_NOT_SUPPORTED;
    if (result == NVML_SUCCESS)
        *errors = type == 1 ? (unsigned long long)number : 0;
    return result;
}

EXPORTED int nvmlDeviceGetTotalEccErrors(const struct device *device, int type, int counter,
                                         unsigned long long *errors)
{
    return ecc_errors("nvmlDeviceGetTotalEccErrors", device, type, counter, errors);
}

EXPORTED int nvmlDeviceGetMemoryErrorCounter(const struct device *device, int type, int counter,
                                             int location, unsigned long long *errors)
{
    (void)location;
    return ecc_errors("nvmlDeviceGetMemoryErrorCounter", device, type, counter, errors);
}

EXPORTED int nvmlDeviceGetRemappedRows(const struct device *device, unsigned *correctable,
                                       unsigned *uncorrectable, unsigned *pending,
                                       unsigned *failure)
{
    int result =
        nvml_unsigned("nvmlDeviceGetRemappedRows", device, "remapped_correctable", correctable);
    if (result != NVML_SUCCESS)
        return result;
    *uncorrectable = (unsigned)nvml_property(device, "remapped_uncorrectable");
    *pending = (unsigned)nvml_property(device, "remap_pending");
    *failure = (unsigned)nvml_property(device, "remap_failure");
    return result;
}

/* Whether as many entries fit as there are; sets *size to that. */
static int list_size(const char *function, const struct device *device, const char *key,
                     unsigned *size, long long *ret_there)
{
    int result = nvml_number(function, device, key, ret_there);
    unsigned room = *size;
    if (result != NVML_SUCCESS)
        return result;
    *size = (unsigned)*ret_there;
    return *ret_there > room ? NVML_ERROR_INSUFFICIENT_SIZE : NVML_SUCCESS;
}

/* `FUNCTION claims N`: it says N entries and success, whatever it wrote. */
static int list_end(const char *function, const struct device *device, unsigned *size, int result)
{
    const char *claim = plan_find(function, device ? device->index : NO_GPU, "claims");
    if (claim == NULL)
        return result;
    *size = (unsigned)strtoul(claim, NULL, 0);
    return NVML_SUCCESS;
}

static int retired_pages(const char *function, const struct device *device, unsigned *count,
                         unsigned long long *addresses)
{
    long long there = 0;
    unsigned room = *count;
    int result = list_size(function, device, "retired_pages", count, &there);
    for (long long i = 0; result == NVML_SUCCESS && addresses && i < there && i < room; i++)
        addresses[i] = 0x1000ull * (unsigned long long)i;
    return list_end(function, device, count, result);
}

EXPORTED int nvmlDeviceGetRetiredPages(const struct device *device, int cause, unsigned *count,
                                       unsigned long long *addresses)
{
    (void)cause;
    return retired_pages("nvmlDeviceGetRetiredPages", device, count, addresses);
}

EXPORTED int nvmlDeviceGetRetiredPages_v2(const struct device *device, int cause, unsigned *count,
                                          unsigned long long *addresses, unsigned long long *times)
{
    (void)cause;
    (void)times;
    return retired_pages("nvmlDeviceGetRetiredPages_v2", device, count, addresses);
}

/* nvmlProcessInfo_t; its first form (nvmlProcessInfo_v1_t) ended before the instances. */
struct process {
    unsigned pid;
    unsigned long long used;
    unsigned gpu_instance, compute_instance;
};

/* Process 1, 2, … as the property process_N says: "PID BYTES", BYTES -1 when NVML cannot tell. */
static struct process process_at(const struct device *device, long long index)
{
    char key[32];
    struct process process = {.gpu_instance = ~0u, .compute_instance = ~0u};
    snprintf(key, sizeof(key), "process_%lld", index + 1);
    const char *line = plan_find(key, device->index, NULL);
    char *rest = NULL;
    process.pid = line ? (unsigned)strtoul(line, &rest, 0) : (unsigned)(4000 + index);
    process.used = line ? strtoull(rest, NULL, 0) : 1ull << 30;
    return process;
}

static int processes(const char *function, const struct device *device, unsigned *count,
                     void *entries, size_t size)
{
    long long there = 0;
    unsigned room = *count;
    bool compute = strstr(function, "GetCompute") != NULL; /* the others have none */
    int result = list_size(function, device, compute ? "processes" : "no_processes", count, &there);
    for (long long i = 0; result == NVML_SUCCESS && entries && i < there && i < room; i++) {
        struct process process = process_at(device, i);
        memcpy((char *)entries + (size_t)i * size, &process, size);
    }
    return list_end(function, device, count, result);
}

#define ANSWERS_PROCESSES(function, size)                                                          \
    EXPORTED int function(const struct device *device, unsigned *count, void *entries)             \
    {                                                                                              \
        return processes(#function, device, count, entries, size);                                 \
    }

#define PROCESS_V1 offsetof(struct process, gpu_instance)

ANSWERS_PROCESSES(nvmlDeviceGetComputeRunningProcesses_v3, sizeof(struct process))
ANSWERS_PROCESSES(nvmlDeviceGetComputeRunningProcesses_v2, sizeof(struct process))
ANSWERS_PROCESSES(nvmlDeviceGetComputeRunningProcesses, PROCESS_V1)
ANSWERS_PROCESSES(nvmlDeviceGetGraphicsRunningProcesses_v3, sizeof(struct process))
ANSWERS_PROCESSES(nvmlDeviceGetGraphicsRunningProcesses_v2, sizeof(struct process))
ANSWERS_PROCESSES(nvmlDeviceGetGraphicsRunningProcesses, PROCESS_V1)
ANSWERS_PROCESSES(nvmlDeviceGetMPSComputeRunningProcesses_v3, sizeof(struct process))
ANSWERS_PROCESSES(nvmlDeviceGetMPSComputeRunningProcesses_v2, sizeof(struct process))
ANSWERS_PROCESSES(nvmlDeviceGetMPSComputeRunningProcesses, PROCESS_V1)

/* The first nvlinks of its links are up, but for nvlinks_inactive of them; further ones are not
 * there. */
EXPORTED int nvmlDeviceGetNvLinkState(const struct device *device, unsigned link, unsigned *active)
{
    long long links;
    int result = nvml_number("nvmlDeviceGetNvLinkState", device, "nvlinks", &links);
    if (result != NVML_SUCCESS)
        return result;
    if (link >= 18 || link >= (unsigned)links)
        return link >= 18 ? NVML_ERROR_INVALID_ARGUMENT : NVML_ERROR_NOT_SUPPORTED;
    *active = link >= (unsigned)nvml_property(device, "nvlinks_inactive");
    return result;
}

/* nvmlGpuFabricInfo_t */
struct fabric {
    unsigned char cluster[16];
    int status;
    unsigned clique;
    unsigned char state;
};

/* nvmlGpuFabricInfo_v2_t; the third form has one more byte, a summary of the health. */
struct fabric_v2 {
    unsigned version;
    unsigned char cluster[16];
    int status;
    unsigned clique;
    unsigned char state;
    unsigned health;
};

struct fabric_v3 {
    struct fabric_v2 v2;
    unsigned char summary;
};

EXPORTED int nvmlDeviceGetGpuFabricInfo(const struct device *device, struct fabric *fabric)
{
    long long state;
    int result = nvml_number("nvmlDeviceGetGpuFabricInfo", device, "fabric_state", &state);
    if (result != NVML_SUCCESS)
        return result;
    *fabric = (struct fabric){.state = (unsigned char)state,
                              .status = (int)nvml_property(device, "fabric_status")};
    return result;
}

EXPORTED int nvmlDeviceGetGpuFabricInfoV(const struct device *device, struct fabric_v2 *fabric)
{
    long long state;
    int result = nvml_number("nvmlDeviceGetGpuFabricInfoV", device, "fabric_state", &state);
    if (result != NVML_SUCCESS)
        return result;
    if (fabric->version != (sizeof(struct fabric_v2) | 2u << 24) &&
        fabric->version != (sizeof(struct fabric_v3) | 3u << 24))
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    fabric->state = (unsigned char)state;
    fabric->status = (int)nvml_property(device, "fabric_status");
    return result;
}
