/* SPDX-License-Identifier: MIT */
#include "cli/engine/elsewhere.h"

#include <stddef.h>

#include "base/text.h"

#define NCCL                                                                                       \
    "PyTorch's and JAX's wheels include NCCL; for other programs: pip install nvidia-nccl-cu12 "   \
    "(or "                                                                                         \
    "cu13), or libnccl2 and libnccl-dev from NVIDIA's package repository"
#define TENSORRT                                                                                   \
    "pip install tensorrt-cu12 (or tensorrt-cu13), or the package tensorrt from NVIDIA's package " \
    "repository; gpuenv installs it only from NVIDIA's archive, with --archive FILE"
#define CONTAINER_TOOLKIT                                                                          \
    "the package nvidia-container-toolkit lets containers use the GPU; its repository: "           \
    "https://nvidia.github.io/libnvidia-container"
#define DCGM                                                                                       \
    "the package datacenter-gpu-manager-4-cuda12 (or cuda13) from NVIDIA's package repository"
#define FABRIC_MANAGER                                                                             \
    "the package nvidia-fabricmanager in exactly the same version as the driver, from the "        \
    "driver's repository"
#define DRIVER "gpuenv resolve driver prints the commands that install a suitable driver"

static const struct {
    const char *product, *advice;
} products[] = {
    {"nccl", NCCL},
    {"libnccl2", NCCL},
    {"tensorrt", TENSORRT},
    {"trt", TENSORRT},
    {"nvidia-container-toolkit", CONTAINER_TOOLKIT},
    {"nvidia-docker", CONTAINER_TOOLKIT},
    {"nvidia-docker2", CONTAINER_TOOLKIT},
    {"container-toolkit", CONTAINER_TOOLKIT},
    {"docker", CONTAINER_TOOLKIT},
    {"dcgm", DCGM},
    {"datacenter-gpu-manager", DCGM},
    {"fabricmanager", FABRIC_MANAGER},
    {"fabric-manager", FABRIC_MANAGER},
    {"nvidia-fabricmanager", FABRIC_MANAGER},
    {"nvidia-smi", DRIVER},
    {"nvidia", DRIVER},
};

const char *elsewhere_advice(const char *product)
{
    for (size_t i = 0; i < sizeof(products) / sizeof(products[0]); i++)
        if (string_equal(products[i].product, product))
            return products[i].advice;
    return NULL;
}
