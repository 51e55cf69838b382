/* SPDX-License-Identifier: MIT */
/* libnvidia-ml.so.1: the library itself, and which GPUs there are. */
#include "nvml.h"

#include <stdio.h>
#include <string.h>

#include "plan.h"

static bool initialised;
static struct device devices[NVML_GPUS];
static struct device mig_devices[NVML_GPUS];

int nvml_begin(const char *function, const struct device *device)
{
    if (!initialised)
        return NVML_ERROR_UNINITIALIZED;
    return plan_call(function, device ? device->index : NO_GPU, NVML_SUCCESS);
}

/* As nvml_begin, for a call that cannot be about no GPU. */
static int begin_device(const char *function, const struct device *device)
{
    return device ? nvml_begin(function, device) : NVML_ERROR_INVALID_ARGUMENT;
}

int nvml_number(const char *function, const struct device *device, const char *key,
                long long *ret_number)
{
    int result = begin_device(function, device);
    if (result == NVML_SUCCESS && !plan_number(function, device->index, key, ret_number))
        return NVML_ERROR_NOT_SUPPORTED;
    return result;
}

int nvml_unsigned(const char *function, const struct device *device, const char *key,
                  unsigned *ret_number)
{
    long long number;
    int result = nvml_number(function, device, key, &number);
    if (result == NVML_SUCCESS)
        *ret_number = (unsigned)number;
    return result;
}

long long nvml_property(const struct device *device, const char *key)
{
    long long number;
    return plan_number("", device->index, key, &number) ? number : 0;
}

int nvml_text(const char *function, const struct device *device, const char *key, char *buffer,
              size_t size)
{
    int result = nvml_begin(function, device);
    int gpu = device ? device->index : NO_GPU;
    if (result != NVML_SUCCESS)
        return result;
    if (size == 0)
        return NVML_ERROR_INSUFFICIENT_SIZE;
    return plan_string(function, gpu, key, buffer, size) ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
}

static const struct error_text {
    int code;
    const char *text;
} error_texts[] = {
    {NVML_SUCCESS, "Success"},
    {NVML_ERROR_UNINITIALIZED, "Uninitialized"},
    {NVML_ERROR_INVALID_ARGUMENT, "Invalid Argument"},
    {NVML_ERROR_NOT_SUPPORTED, "Not Supported"},
    {NVML_ERROR_NO_PERMISSION, "Insufficient Permissions"},
    {NVML_ERROR_NOT_FOUND, "Not Found"},
    {NVML_ERROR_INSUFFICIENT_SIZE, "Insufficient Size"},
    {NVML_ERROR_DRIVER_NOT_LOADED, "Driver Not Loaded"},
    {15, "GPU is lost"},
    {17, "GPU access blocked by the operating system"},
    {18, "Driver/library version mismatch"},
};

EXPORTED const char *nvmlErrorString(int code)
{
    plan_call("nvmlErrorString", NO_GPU, NVML_SUCCESS);
    for (size_t i = 0; i < sizeof(error_texts) / sizeof(*error_texts); i++)
        if (error_texts[i].code == code)
            return error_texts[i].text;
    return "Unknown Error";
}

static int init(const char *function)
{
    for (int i = 0; i < NVML_GPUS; i++) {
        devices[i] = (struct device){.index = i};
        mig_devices[i] = (struct device){.index = i, .mig = true};
    }
    int result = plan_call(function, NO_GPU, NVML_SUCCESS);
    initialised = result == NVML_SUCCESS;
    return result;
}

EXPORTED int nvmlInit_v2(void)
{
    return init("nvmlInit_v2");
}

EXPORTED int nvmlInit(void)
{
    return init("nvmlInit");
}

EXPORTED int nvmlInitWithFlags(unsigned flags)
{
    (void)flags;
    return init("nvmlInitWithFlags");
}

EXPORTED int nvmlShutdown(void)
{
    int result = nvml_begin("nvmlShutdown", NULL);
    initialised = false;
    return result;
}

EXPORTED int nvmlSystemGetDriverVersion(char *version, unsigned size)
{
    return nvml_text("nvmlSystemGetDriverVersion", NULL, "driver", version, size);
}

/* This one answers before nvmlInit too. */
EXPORTED int nvmlSystemGetNVMLVersion(char *version, unsigned size)
{
    static const char function[] = "nvmlSystemGetNVMLVersion";
    int result = plan_call(function, NO_GPU, NVML_SUCCESS);
    if (result == NVML_SUCCESS && !plan_string(function, NO_GPU, "nvml", version, size))
        return NVML_ERROR_NOT_SUPPORTED;
    return result;
}

static int cuda_version(const char *function, int *version)
{
    long long number = 0;
    int result = nvml_begin(function, NULL);
    if (result == NVML_SUCCESS && plan_number(function, NO_GPU, "cuda", &number))
        *version = (int)number;
    return result;
}

EXPORTED int nvmlSystemGetCudaDriverVersion(int *version)
{
    return cuda_version("nvmlSystemGetCudaDriverVersion", version);
}

EXPORTED int nvmlSystemGetCudaDriverVersion_v2(int *version)
{
    return cuda_version("nvmlSystemGetCudaDriverVersion_v2", version);
}

static int count_of(const char *function, unsigned *count)
{
    long long number;
    int result = nvml_begin(function, NULL);
    if (result == NVML_SUCCESS && plan_number(function, NO_GPU, "gpus", &number))
        *count = (unsigned)number;
    return result;
}

EXPORTED int nvmlDeviceGetCount_v2(unsigned *count)
{
    return count_of("nvmlDeviceGetCount_v2", count);
}

EXPORTED int nvmlDeviceGetCount(unsigned *count)
{
    return count_of("nvmlDeviceGetCount", count);
}

/* nvmlConfComputeSystemState_t */
struct confidential {
    unsigned environment, feature, dev_tools;
};

EXPORTED int nvmlSystemGetConfComputeState(struct confidential *state)
{
    static const char function[] = "nvmlSystemGetConfComputeState";
    long long on;
    int result = nvml_begin(function, NULL);
    if (result != NVML_SUCCESS)
        return result;
    if (!plan_number(function, NO_GPU, "confidential", &on))
        return NVML_ERROR_NOT_SUPPORTED;
    *state = (struct confidential){.environment = on ? 2 : 0, .feature = (unsigned)on};
    return result;
}

EXPORTED int nvmlSystemGetConfComputeGpusReadyState(unsigned *ready)
{
    static const char function[] = "nvmlSystemGetConfComputeGpusReadyState";
    long long number;
    int result = nvml_begin(function, NULL);
    if (result != NVML_SUCCESS)
        return result;
    if (!plan_number(function, NO_GPU, "confidential_ready", &number))
        return NVML_ERROR_NOT_SUPPORTED;
    *ready = (unsigned)number;
    return result;
}

static int handle_of(const char *function, unsigned index, struct device **device)
{
    long long count = 0;
    if (!initialised)
        return NVML_ERROR_UNINITIALIZED;
    plan_number("", NO_GPU, "gpus", &count); /* whatever nvmlDeviceGetCount makes of it */
    if (index >= (unsigned)count || index >= NVML_GPUS)
        return NVML_ERROR_INVALID_ARGUMENT;
    int result = nvml_begin(function, &devices[index]);
    if (result == NVML_SUCCESS)
        *device = &devices[index];
    return result;
}

EXPORTED int nvmlDeviceGetHandleByIndex_v2(unsigned index, struct device **device)
{
    return handle_of("nvmlDeviceGetHandleByIndex_v2", index, device);
}

EXPORTED int nvmlDeviceGetHandleByIndex(unsigned index, struct device **device)
{
    return handle_of("nvmlDeviceGetHandleByIndex", index, device);
}

EXPORTED int nvmlDeviceGetName(const struct device *device, char *name, unsigned size)
{
    return nvml_text("nvmlDeviceGetName", device, "name", name, size);
}

EXPORTED int nvmlDeviceGetUUID(const struct device *device, char *uuid, unsigned size)
{
    return nvml_text("nvmlDeviceGetUUID", device, "uuid", uuid, size);
}

EXPORTED int nvmlDeviceGetMinorNumber(const struct device *device, unsigned *minor)
{
    return nvml_unsigned("nvmlDeviceGetMinorNumber", device, "minor", minor);
}

EXPORTED int nvmlDeviceGetIndex(const struct device *device, unsigned *index)
{
    return nvml_unsigned("nvmlDeviceGetIndex", device, "minor", index);
}

EXPORTED int nvmlDeviceGetCudaComputeCapability(const struct device *device, int *major, int *minor)
{
    int result = begin_device("nvmlDeviceGetCudaComputeCapability", device);
    if (result != NVML_SUCCESS)
        return result;
    *major = (int)nvml_property(device, "capability_major");
    *minor = (int)nvml_property(device, "capability_minor");
    return result;
}

/* nvmlPciInfo_t; its first form ended before subsystem, its second before bus_id. */
struct pci_info {
    char bus_id_legacy[16];
    unsigned domain, bus, device, device_id, subsystem;
    char bus_id[32];
};

static int pci_info_of(const char *function, const struct device *device, void *ret_info,
                       size_t size)
{
    struct pci_info info = {.device_id = 0x233010de, .subsystem = 0x16c110de};
    char bus_id[32];
    int result = begin_device(function, device);
    if (result != NVML_SUCCESS)
        return result;
    if (!plan_string(function, device->index, "bus_id", bus_id, sizeof(bus_id)))
        return NVML_ERROR_NOT_SUPPORTED;
    /* NVML writes the domain with eight digits. What fills the buffer stays as it is. */
    if (sscanf(bus_id, "%x:%x:%x", &info.domain, &info.bus, &info.device) == 3)
        snprintf(info.bus_id, sizeof(info.bus_id), "%08X:%02X:%02X.0", info.domain, info.bus,
                 info.device);
    else
        memcpy(info.bus_id, bus_id, sizeof(info.bus_id));
    memcpy(info.bus_id_legacy, info.bus_id + (info.bus_id[0] == '0' ? 4 : 0),
           sizeof(info.bus_id_legacy));
    memcpy(ret_info, &info, size);
    return result;
}

EXPORTED int nvmlDeviceGetPciInfo_v3(const struct device *device, struct pci_info *info)
{
    return pci_info_of("nvmlDeviceGetPciInfo_v3", device, info, sizeof(*info));
}

EXPORTED int nvmlDeviceGetPciInfo_v2(const struct device *device, void *info)
{
    return pci_info_of("nvmlDeviceGetPciInfo_v2", device, info, offsetof(struct pci_info, bus_id));
}

EXPORTED int nvmlDeviceGetPciInfo(const struct device *device, void *info)
{
    return pci_info_of("nvmlDeviceGetPciInfo", device, info, offsetof(struct pci_info, subsystem));
}

EXPORTED int nvmlDeviceGetMigMode(const struct device *device, unsigned *mode, unsigned *pending)
{
    int result = nvml_unsigned("nvmlDeviceGetMigMode", device, "mig", mode);
    if (result == NVML_SUCCESS)
        *pending = *mode;
    return result;
}

EXPORTED int nvmlDeviceGetMaxMigDeviceCount(const struct device *device, unsigned *count)
{
    return nvml_unsigned("nvmlDeviceGetMaxMigDeviceCount", device, "mig_max", count);
}

EXPORTED int nvmlDeviceGetMigDeviceHandleByIndex(const struct device *device, unsigned index,
                                                 struct device **ret_device)
{
    int result = begin_device("nvmlDeviceGetMigDeviceHandleByIndex", device);
    if (result != NVML_SUCCESS)
        return result;
    if (index >= (unsigned)nvml_property(device, "mig_instances"))
        return NVML_ERROR_NOT_FOUND;
    *ret_device = &mig_devices[device->index];
    return result;
}
