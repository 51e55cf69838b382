/* SPDX-License-Identifier: MIT */
#include "rules/engine/rule.h"

static const char *const block_names[] = {
    [BLOCK_DRIVER] = "Driver",       [BLOCK_GPU] = "GPU",
    [BLOCK_CUDA] = "CUDA",           [BLOCK_CUDNN] = "cuDNN",
    [BLOCK_LIBRARIES] = "Libraries", [BLOCK_FRAMEWORKS] = "Frameworks",
    [BLOCK_CONTAINER] = "Container", [BLOCK_HOST] = "Host",
};

const char *block_name(enum block block)
{
    return block_names[block];
}
