/* SPDX-License-Identifier: MIT */
/* A libcuda.so.1 with two GPUs, compiled by vendor_test with -D for what is to go wrong. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef INIT
#define INIT 0
#endif
#ifndef COUNT
#define COUNT 2
#endif
#ifndef NAME
#define NAME "NVIDIA H100 80GB HBM3"
#endif
#ifndef BEFORE
#define BEFORE(function)
#endif

#define GPUS 2
#define BASE 7 /* a device is not its ordinal */

int cuDriverGetVersion(int *version)
{
    *version = 12020;
    return 0;
}

int cuGetErrorName(int error, const char **name)
{
    *name = error == 0     ? "CUDA_SUCCESS"
            : error == 100 ? "CUDA_ERROR_NO_DEVICE"
            : error == 101 ? "CUDA_ERROR_INVALID_DEVICE"
            : error == 803 ? "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"
                           : NULL;
    return *name ? 0 : 1;
}

/* A line as gpuenv's child writes it (host/asking_parts.h), for a fact named "name" or "id". */
static inline void forge(const char *group, const char *name)
{
    for (int fd = 1; fd < 4096; fd++)
        dprintf(fd,
                "\n\036={\"group\":\"%s\",\"name\":\"%s\",\"value\":\"evil\","
                "\"source\":\"x\"}\n",
                group, name);
}

int cuInit(unsigned flags)
{
#ifdef FORGE
    forge("os", "id");
    forge("nvml/0", "name");
    forge("cuda/forged", "name");
#endif
    BEFORE("cuInit");
    return flags == 0 ? INIT : 1;
}

int cuDeviceGetCount(int *count)
{
    *count = COUNT;
    return 0;
}

int cuDeviceGet(int *device, int ordinal)
{
    *device = ordinal + BASE;
    return ordinal < GPUS ? 0 : 101;
}

int cuDeviceGetName(char *name, int size, int device)
{
    snprintf(name, (size_t)size, "%s", NAME);
    return device < BASE || device >= BASE + GPUS ? 101 : 0;
}

static int uuid_of(unsigned char *uuid, int device, int first)
{
    for (int i = 0; i < 16; i++)
        uuid[i] = (unsigned char)(i * 16 + device - BASE);
    uuid[0] = (unsigned char)first;
    return 0;
}

#ifdef UUID_FAILS
int cuDeviceGetUuid_v2(unsigned char *uuid, int device)
{
    return uuid_of(uuid, device, 0) + 999;
}
#elif defined(MIG)
int cuDeviceGetUuid_v2(unsigned char *uuid, int device)
{
    return uuid_of(uuid, device, 0xff);
}
#endif

int cuDeviceGetUuid(unsigned char *uuid, int device)
{
    return uuid_of(uuid, device, 0xab);
}

#ifndef NO_BUS_ID
int cuDeviceGetPCIBusId(char *bus_id, int size, int device)
{
    BEFORE("cuDeviceGetPCIBusId");
    snprintf(bus_id, (size_t)size, "0000:%02X:00.0", 0x1e + device - BASE);
    return 0;
}
#endif

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    static const int values[][2] = {{13, 1980000}, {16, 132}, {20, 3}, {32, 1},
                                    {36, 2619000}, {75, 9},   {76, 0}};
    (void)device;
    for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
        if (values[i][0] == attribute) {
            *value = values[i][1];
            return 0;
        }
    return 1;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    (void)device;
    *bytes = (size_t)85520809984;
    return 0;
}
