/* SPDX-License-Identifier: MIT */
/* Stand-ins for libcuda.so.1 (-DCUDA) and libnvidia-ml.so.1: the numbers that NVIDIA's answer where
 * nodes are missing or denied (manifests/error.json, tests/cases/README.md), found by opening the
 * nodes of this machine. There is no driver behind them, so ENXIO is a node that the kernel let
 * through. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static int refusal(const char *path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd >= 0)
        close(fd);
    return fd >= 0 || errno == ENXIO || errno == ENODEV ? 0 : errno;
}

#ifdef CUDA
/* 0 for a node that is the driver's: one of another number is not. */
static int is_other(const char *path, unsigned number)
{
    struct stat about;
    return stat(path, &about) == 0 && major(about.st_rdev) != number;
}

static const char *const nodes[] = {"/dev/nvidiactl", "/dev/nvidia0", "/dev/nvidia-uvm"};

int cuDriverGetVersion(int *version)
{
    *version = 12080;
    return 0;
}

int cuInit(unsigned flags)
{
    for (int i = 0; i < 3; i++) {
        int number = refusal(nodes[i]);
        if (number)
            return i < 2 && number == ENOENT ? 100 : 999;
    }
    if (is_other("/dev/nvidia0", 195) || is_other("/dev/nvidia-uvm", 510))
        return 999;
    return flags == 0 ? 0 : 1;
}

int cuGetErrorName(int error, const char **name)
{
    *name = error == 0     ? "CUDA_SUCCESS"
            : error == 100 ? "CUDA_ERROR_NO_DEVICE"
                           : "CUDA_ERROR_UNKNOWN";
    return 0;
}

int cuDeviceGetCount(int *count)
{
    *count = 1;
    return 0;
}
#else
int nvmlInit_v2(void)
{
    int number = refusal("/dev/nvidiactl");
    number = number ? number : refusal("/dev/nvidia0");
    return number == 0 ? 0 : number == ENOENT ? 9 : number == EACCES ? 4 : 999;
}

int nvmlShutdown(void)
{
    return 0;
}

int nvmlSystemGetDriverVersion(char *text, unsigned size)
{
    snprintf(text, size, "%s", DRIVER);
    return 0;
}

const char *nvmlErrorString(int error)
{
    return error == 0   ? "Success"
           : error == 9 ? "Driver Not Loaded"
           : error == 4 ? "Insufficient Permissions"
                        : "Unknown Error";
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
    *count = 1;
    return 0;
}
#endif
