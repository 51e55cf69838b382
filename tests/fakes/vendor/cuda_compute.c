/* SPDX-License-Identifier: MIT */
/* libcuda.so.1: the part of the driver API that computes, for doctor --try. A GPU's memory is this
 * process's, and the one kernel that it runs is gpuenv's own, written down here a second time. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda.h"
#include "plan.h"

#define KERNEL "gpuenv_try"

struct context {
    int gpu;
};
static struct context *current;

static int of_current(const char *function)
{
    int result = cuda_begin(function, current ? current->gpu : NO_GPU);
    return result == CUDA_SUCCESS && current == NULL ? CUDA_ERROR_INVALID_CONTEXT : result;
}

EXPORTED int cuCtxCreate_v2(struct context **context, unsigned flags, int device)
{
    int result = cuda_begin("cuCtxCreate_v2", device);
    (void)flags;
    if (result != CUDA_SUCCESS)
        return result;
    *context = calloc(1, sizeof(**context));
    (*context)->gpu = device;
    current = *context;
    return CUDA_SUCCESS;
}

EXPORTED int cuCtxDestroy_v2(struct context *context)
{
    int result = cuda_begin("cuCtxDestroy_v2", context->gpu);
    if (current == context)
        current = NULL;
    free(context);
    return result;
}

EXPORTED int cuCtxSetCurrent(struct context *context)
{
    current = context;
    return of_current("cuCtxSetCurrent");
}

EXPORTED int cuCtxSynchronize(void)
{
    return of_current("cuCtxSynchronize");
}

EXPORTED int cuMemGetInfo_v2(size_t *left, size_t *total)
{
    int result = of_current("cuMemGetInfo_v2");
    long long all = 0, used = 0, reserved = 0, context = 0;
    if (result != CUDA_SUCCESS)
        return result;
    plan_number("", current->gpu, "memory_total", &all);
    plan_number("", current->gpu, "memory_used", &used);
    plan_number("", current->gpu, "memory_reserved", &reserved);
    plan_number("", current->gpu, "context_bytes", &context);
    *total = (size_t)all;
    *left = (size_t)(all - used - reserved - context);
    return CUDA_SUCCESS;
}

/* As the driver's compiler takes it: the whole text, for a GPU not older than its target. */
static bool is_ptx(const char *text)
{
    return strncmp(text, ".version 3.0\n", 13) == 0 && strstr(text, "\n.target sm_30\n") &&
           strstr(text, "\n.address_size 64\n") && strstr(text, ".entry " KERNEL "(");
}

enum { JIT_ERROR_LOG_BUFFER = 5, JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6 };

EXPORTED int cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options,
                                void **values)
{
    int result = of_current("cuModuleLoadDataEx");
    char *log = NULL;
    size_t size = 0;
    for (unsigned i = 0; i < count; i++) {
        if (options[i] == JIT_ERROR_LOG_BUFFER)
            log = values[i];
        if (options[i] == JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
            size = (size_t)(uintptr_t)values[i];
    }
    const char *disabled = getenv("CUDA_DISABLE_PTX_JIT");
    if (result == CUDA_SUCCESS && disabled && strcmp(disabled, "1") == 0)
        result = CUDA_ERROR_JIT_COMPILATION_DISABLED;
    if (result == CUDA_SUCCESS && !is_ptx(image))
        result = CUDA_ERROR_INVALID_PTX;
    if (result != CUDA_SUCCESS && log && size > 0 && current)
        plan_string("", current->gpu, "jit_log", log, size);
    *module = (void *)(uintptr_t)image;
    return result;
}

EXPORTED int cuModuleGetFunction(void **function, void *module, const char *name)
{
    int result = of_current("cuModuleGetFunction");
    if (result == CUDA_SUCCESS && strcmp(name, KERNEL) != 0)
        return CUDA_ERROR_NOT_FOUND;
    *function = module;
    return result;
}

EXPORTED int cuMemAlloc_v2(uint64_t *address, size_t size)
{
    int result = of_current("cuMemAlloc_v2");
    if (result == CUDA_SUCCESS)
        *address = (uint64_t)(uintptr_t)calloc(1, size);
    return result;
}

static void *host(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

EXPORTED int cuMemcpyHtoD_v2(uint64_t target, const void *source, size_t size)
{
    int result = of_current("cuMemcpyHtoD_v2");
    if (result == CUDA_SUCCESS)
        memcpy(host(target), source, size);
    return result;
}

EXPORTED int cuMemcpyDtoH_v2(void *target, uint64_t source, size_t size)
{
    int result = of_current("cuMemcpyDtoH_v2");
    if (result == CUDA_SUCCESS)
        memcpy(target, host(source), size);
    return result;
}

/* A bit of the last numbers is wrong: as memory that fails does it. */
static void spoil(uint32_t *numbers, size_t count, const char *key)
{
    long long wrong = 0;
    plan_number("", current->gpu, key, &wrong);
    for (size_t i = count - ((size_t)wrong < count ? (size_t)wrong : count); i < count; i++)
        numbers[i] ^= 4;
}

static uint32_t kernel(uint32_t number)
{
    for (unsigned step = 0; step < 64; step++)
        number = number * 1664525u + 1013904223u;
    float low = (float)(number & 4095u);
    return number ^ (uint32_t)(low * 3.0f + 1.0f);
}

EXPORTED int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                            unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                            void *stream, void **parameters, void **extra)
{
    int result = of_current("cuLaunchKernel");
    bool plain = grid_y == 1 && grid_z == 1 && block_y == 1 && block_z == 1 && shared == 0 &&
                 stream == NULL && extra == NULL && function;
    if (result != CUDA_SUCCESS || !plain)
        return result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_VALUE;
    const uint32_t *input = host(*(uint64_t *)parameters[0]);
    uint32_t *output = host(*(uint64_t *)parameters[1]);
    uint32_t count = *(uint32_t *)parameters[2];
    for (uint32_t i = 0; i < grid_x * block_x && i < count; i++)
        output[i] = kernel(input[i]);
    spoil(output, count, "wrong");
    return CUDA_SUCCESS;
}

EXPORTED int cuCtxEnablePeerAccess(struct context *peer, unsigned flags)
{
    (void)peer;
    return flags ? CUDA_ERROR_INVALID_VALUE : of_current("cuCtxEnablePeerAccess");
}

EXPORTED int cuMemcpyPeer(uint64_t target, struct context *target_context, uint64_t source,
                          struct context *source_context, size_t size)
{
    int result = of_current("cuMemcpyPeer");
    if (result != CUDA_SUCCESS || target_context == NULL || source_context == NULL)
        return result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_CONTEXT;
    memcpy(host(target), host(source), size);
    spoil(host(target), size / sizeof(uint32_t), "wrong_copied");
    return CUDA_SUCCESS;
}
