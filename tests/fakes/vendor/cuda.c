/* SPDX-License-Identifier: MIT */
/* libcuda.so.1: the part of the CUDA driver API that tells what there is (cuda.h 13.0). What
 * computes is in cuda_compute.c. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda.h"
#include "plan.h"

static bool initialised;

/* The names that cuGetErrorName knows here. */
static const struct error_name {
    int code;
    const char *name, *meaning;
} error_names[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {34, "CUDA_ERROR_STUB_LIBRARY", "CUDA driver is a stub library"},
    {46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "CUDA-capable device(s) is/are busy or unavailable"},
    {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {214, "CUDA_ERROR_ECC_UNCORRECTABLE", "uncorrectable ECC error encountered"},
    {CUDA_ERROR_INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND", "PTX JIT compiler library not found"},
    {223, "CUDA_ERROR_JIT_COMPILATION_DISABLED", "PTX JIT compilation was disabled"},
    {CUDA_ERROR_OPERATING_SYSTEM, "CUDA_ERROR_OPERATING_SYSTEM",
     "OS call failed or operation not supported on this OS"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS",
     "an illegal memory access was encountered"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {802, "CUDA_ERROR_SYSTEM_NOT_READY", "system not yet initialized"},
    {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
     "system has unsupported display driver / cuda driver combination"},
    {804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
     "forward compatibility was attempted on non supported HW"},
    {999, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

static int error_find(const char *function, int code, const char **text, bool meaning)
{
    int result = plan_call(function, NO_GPU, CUDA_SUCCESS);
    for (size_t i = 0; i < sizeof(error_names) / sizeof(*error_names) && result == 0; i++)
        if (error_names[i].code == code) {
            *text = meaning ? error_names[i].meaning : error_names[i].name;
            return CUDA_SUCCESS;
        }
    *text = NULL;
    return CUDA_ERROR_INVALID_VALUE;
}

EXPORTED int cuGetErrorName(int code, const char **text)
{
    return error_find("cuGetErrorName", code, text, false);
}

EXPORTED int cuGetErrorString(int code, const char **text)
{
    return error_find("cuGetErrorString", code, text, true);
}

static void *wait_to_be_named(void *pipe)
{
    char byte;
    return read(*(int *)pipe, &byte, 1) == 1 ? pipe : NULL;
}

/* As the driver of the 570 series and later does it, for which it is an error of the system when it
 * may not: confine_files.c. */
static bool name_a_thread(void)
{
    int ends[2];
    pthread_t thread;
    if (pipe2(ends, O_CLOEXEC) != 0 ||
        pthread_create(&thread, NULL, wait_to_be_named, &ends[0]) != 0)
        return true; /* a caller without descriptors or memory: not what is tried here */
    bool named = pthread_setname_np(thread, "cuda00001800000") == 0;
    bool woken = write(ends[1], "x", 1) == 1 && pthread_join(thread, NULL) == 0;
    close(ends[0]);
    close(ends[1]);
    return named && woken;
}

EXPORTED int cuInit(unsigned flags)
{
    int result = flags ? CUDA_ERROR_INVALID_VALUE : plan_call("cuInit", NO_GPU, CUDA_SUCCESS);
    if (result == CUDA_SUCCESS && !name_a_thread())
        result = CUDA_ERROR_OPERATING_SYSTEM;
    initialised = result == CUDA_SUCCESS;
    return result;
}

EXPORTED int cuDriverGetVersion(int *version)
{
    long long number = 0;
    int result = plan_call("cuDriverGetVersion", NO_GPU, CUDA_SUCCESS);
    if (result == CUDA_SUCCESS && plan_number("cuDriverGetVersion", NO_GPU, "cuda", &number))
        *version = (int)number;
    return result;
}

int cuda_begin(const char *function, int gpu)
{
    long long count = 0;
    if (!initialised)
        return CUDA_ERROR_NOT_INITIALIZED;
    plan_number("", NO_GPU, "gpus", &count); /* whatever cuDeviceGetCount makes of it */
    if (gpu != NO_GPU && (gpu < 0 || gpu >= (int)count))
        return CUDA_ERROR_INVALID_DEVICE;
    return plan_call(function, gpu, CUDA_SUCCESS);
}

EXPORTED int cuDeviceGetCount(int *count)
{
    long long number = 0;
    int result = cuda_begin("cuDeviceGetCount", NO_GPU);
    if (result == CUDA_SUCCESS && plan_number("cuDeviceGetCount", NO_GPU, "gpus", &number))
        *count = (int)number;
    return result;
}

EXPORTED int cuDeviceGet(int *device, int ordinal)
{
    int result = cuda_begin("cuDeviceGet", ordinal);
    if (result == CUDA_SUCCESS)
        *device = ordinal;
    return result;
}

static int text_of(const char *function, const char *key, char *buffer, int size, int device)
{
    int result = size <= 0 ? CUDA_ERROR_INVALID_VALUE : cuda_begin(function, device);
    if (result == CUDA_SUCCESS && !plan_string(function, device, key, buffer, (size_t)size))
        return CUDA_ERROR_NOT_SUPPORTED;
    return result;
}

EXPORTED int cuDeviceGetName(char *name, int size, int device)
{
    return text_of("cuDeviceGetName", "name", name, size, device);
}

EXPORTED int cuDeviceGetPCIBusId(char *bus_id, int size, int device)
{
    return text_of("cuDeviceGetPCIBusId", "bus_id", bus_id, size, device);
}

/* CUuuid is 16 bytes: those of "GPU-xxxxxxxx-xxxx-…". */
static int uuid_of(const char *function, unsigned char *uuid, int device)
{
    char text[96] = "";
    int result = text_of(function, "uuid", text, sizeof(text), device);
    const char *digit = strchr(text, '-');
    for (int i = 0; i < 16 && result == CUDA_SUCCESS && digit; i++) {
        unsigned byte = 0;
        digit += *digit == '-';
        if (sscanf(digit, "%2x", &byte) == 1)
            digit += 2;
        uuid[i] = (unsigned char)byte;
    }
    return result;
}

EXPORTED int cuDeviceGetUuid(unsigned char *uuid, int device)
{
    return uuid_of("cuDeviceGetUuid", uuid, device);
}

EXPORTED int cuDeviceGetUuid_v2(unsigned char *uuid, int device)
{
    return uuid_of("cuDeviceGetUuid_v2", uuid, device);
}

EXPORTED int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    long long number = 0;
    int result = cuda_begin("cuDeviceTotalMem_v2", device);
    if (result == CUDA_SUCCESS &&
        plan_number("cuDeviceTotalMem_v2", device, "memory_total", &number))
        *bytes = (size_t)number;
    return result;
}

EXPORTED int cuDeviceCanAccessPeer(int *can, int device, int peer)
{
    long long number = 0;
    int result = cuda_begin("cuDeviceCanAccessPeer", device);
    (void)peer;
    if (result == CUDA_SUCCESS &&
        plan_number("cuDeviceCanAccessPeer", device, "peer_access", &number))
        *can = (int)number;
    return result;
}

/* The one of CUDA 3.1 and before, for 32 bits. */
EXPORTED int cuDeviceTotalMem(unsigned *bytes, int device)
{
    long long number = 0;
    int result = cuda_begin("cuDeviceTotalMem", device);
    if (result == CUDA_SUCCESS && plan_number("cuDeviceTotalMem", device, "memory_total", &number))
        *bytes = number > 0xffffffffLL ? 0xffffffffu : (unsigned)number;
    return result;
}

EXPORTED int cuDeviceComputeCapability(int *major, int *minor, int device)
{
    long long first = 0, second = 0;
    int result = cuda_begin("cuDeviceComputeCapability", device);
    if (result == CUDA_SUCCESS && plan_number("", device, "capability_major", &first) &&
        plan_number("", device, "capability_minor", &second)) {
        *major = (int)first;
        *minor = (int)second;
    }
    return result;
}

/* By CUdevice_attribute. `cuDeviceGetAttribute:13 gives N` is about one
 * of them. */
static const struct attribute {
    int number;
    const char *key;
} attributes[] = {
    {13, "clock_khz"},        {16, "multiprocessors"},  {20, "compute_mode"},     {32, "ecc"},
    {36, "memory_clock_khz"}, {75, "capability_major"}, {76, "capability_minor"},
};

EXPORTED int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    char function[48];
    long long number = 0;
    snprintf(function, sizeof(function), "cuDeviceGetAttribute:%d", attribute);
    int result = cuda_begin("cuDeviceGetAttribute", device);
    if (result == CUDA_SUCCESS)
        result = cuda_begin(function, device);
    for (size_t i = 0; i < sizeof(attributes) / sizeof(*attributes) && result == 0; i++) {
        if (attributes[i].number != attribute)
            continue;
        if (!plan_number(function, device, attributes[i].key, &number))
            number = 0; /* as the driver says of what a GPU does not have */
        *value = (int)number;
        return CUDA_SUCCESS;
    }
    return result == CUDA_SUCCESS ? CUDA_ERROR_INVALID_VALUE : result;
}
