/* SPDX-License-Identifier: MIT */
#include "probe/system/package_wanted.h"

#include <string.h>

#include "base/text.h"

/* Beginnings of the names of packages that matter here, of all distributions. */
static const char *const prefixes[] = {
    "nvidia",
    "libnvidia",
    "linux-modules-nvidia",
    "linux-objects-nvidia",
    "firmware-nvidia",
    "xserver-xorg-video-nvidia",
    "datacenter-gpu-manager",
    "cuda",
    "libcuda",
    "cudnn",
    "libcudnn",
    "nccl",
    "libnccl",
    "tensorrt",
    "libnvinfer",
    "libcublas",
    "libcufft",
    "libcurand",
    "libcusolver",
    "libcusparse",
    "libcupti",
    "libnpp",
    "libnvjitlink",
    "libnvjpeg",
    "libnvrtc",
    "kmod-nvidia",
    "akmod-nvidia",
    "dkms-nvidia",
    "xorg-x11-drv-nvidia",
    "x11-video-nvidia",
    "lib32-nvidia",
    "opencl-nvidia",
};

static const char *const names[] = {
    "akmods",
    "kmodtool",
    /* Engines: their release says which CDI specifications and configurations they read. */
    "podman",
    "docker-ce",
    "docker.io",
    "moby-engine",
    "containerd.io",
    "containerd",
};

bool package_is_wanted(const char *name)
{
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
        if (string_starts(name, prefixes[i]))
            return true;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}
