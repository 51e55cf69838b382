/* SPDX-License-Identifier: MIT */
/*
 * A libcuda.so.1 without a GPU. It counts $STAND_IN_DEVICES devices and describes them as far as
 * TensorFlow asks before it opens its libraries. `run` appends every other function of the
 * toolkit's stub: an error.
 */
#include <stdlib.h>
#include <string.h>

enum { MAJOR = 75, MINOR = 76 }; /* CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_… */

int cuInit(unsigned flags);
int cuDriverGetVersion(int *ret);
int cuDeviceGetCount(int *ret);
int cuDeviceGet(int *ret, int number);
int cuDeviceGetAttribute(int *ret, int attribute, int device);
int cuDeviceGetName(char *ret, int size, int device);
int cuDeviceGetPCIBusId(char *ret, int size, int device);
int cuDeviceTotalMem_v2(size_t *ret, int device);
int cuDevicePrimaryCtxGetState(int device, unsigned *ret_flags, int *ret_active);
int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags);
int cuDevicePrimaryCtxRetain(void **ret, int device);
int cuCtxGetCurrent(void **ret);
int cuCtxSetCurrent(void *context);
int cuCtxGetDevice(int *ret);

int cuInit(unsigned flags)
{
    (void)flags;
    return 0;
}

int cuDriverGetVersion(int *ret)
{
    *ret = 13020;
    return 0;
}

int cuDeviceGetCount(int *ret)
{
    const char *devices = getenv("STAND_IN_DEVICES");
    *ret = devices ? atoi(devices) : 0;
    return 0;
}

int cuDeviceGet(int *ret, int number)
{
    *ret = number;
    return 0;
}

int cuDeviceGetAttribute(int *ret, int attribute, int device)
{
    (void)device;
    *ret = attribute == MAJOR ? 8 : attribute != MINOR;
    return 0;
}

int cuDeviceGetName(char *ret, int size, int device)
{
    (void)device;
    strncpy(ret, "stand-in", (size_t)size);
    return 0;
}

int cuDeviceGetPCIBusId(char *ret, int size, int device)
{
    (void)device;
    strncpy(ret, "0000:01:00.0", (size_t)size);
    return 0;
}

int cuDeviceTotalMem_v2(size_t *ret, int device)
{
    (void)device;
    *ret = (size_t)1 << 34;
    return 0;
}

int cuDevicePrimaryCtxGetState(int device, unsigned *ret_flags, int *ret_active)
{
    (void)device;
    *ret_flags = 0;
    *ret_active = 0;
    return 0;
}

int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags)
{
    (void)device;
    (void)flags;
    return 0;
}

int cuDevicePrimaryCtxRetain(void **ret, int device)
{
    static int context;
    (void)device;
    *ret = &context;
    return 0;
}

int cuCtxGetCurrent(void **ret)
{
    *ret = NULL;
    return 0;
}

int cuCtxSetCurrent(void *context)
{
    (void)context;
    return 0;
}

int cuCtxGetDevice(int *ret)
{
    *ret = 0;
    return 0;
}
