/* SPDX-License-Identifier: MIT */
#include "probe/vendor/ask.h"

/* cuda_runtime_api.h, CUDA 13.0; cudaError_t is int. Of all calls this one needs no driver. */
void ask_cudart(struct channel *channel, const char *soname, const char *group)
{
    static const char function[] = "cudaRuntimeGetVersion";
    int version;
    if (ask_stored_number(channel, soname, group, function, &version))
        ask_cuda_version(channel, group, "version", version, function);
}
