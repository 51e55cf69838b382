/* SPDX-License-Identifier: MIT */
#include "probe/vendor/trial.h"

#include <string.h>

#include "host/child/vendor.h"
#include "probe/vendor/answers.h"

#define SYMBOL(function, ...)                                                                      \
    {                                                                                              \
        .names = {__VA_ARGS__}, .field = offsetof(struct trial_functions, function)                \
    }

/* The names that cuda.h gives these functions since CUDA 4.0. The ones without _v2 take 32 bits: no
 * fallback. */
static const struct vendor_symbol symbols[] = {
    SYMBOL(get_error_name, "cuGetErrorName"),
    SYMBOL(init, "cuInit"),
    SYMBOL(get, "cuDeviceGet"),
    SYMBOL(context_create, "cuCtxCreate_v2"),
    SYMBOL(context_set, "cuCtxSetCurrent"),
    SYMBOL(context_destroy, "cuCtxDestroy_v2"),
    SYMBOL(memory_info, "cuMemGetInfo_v2"),
    SYMBOL(module_load, "cuModuleLoadDataEx"),
    SYMBOL(module_function, "cuModuleGetFunction"),
    SYMBOL(memory_allocate, "cuMemAlloc_v2"),
    SYMBOL(copy_to, "cuMemcpyHtoD_v2"),
    SYMBOL(copy_from, "cuMemcpyDtoH_v2"),
    SYMBOL(launch, "cuLaunchKernel"),
    SYMBOL(synchronize, "cuCtxSynchronize"),
    SYMBOL(can_access_peer, "cuDeviceCanAccessPeer"),
    SYMBOL(enable_peer, "cuCtxEnablePeerAccess"),
    SYMBOL(copy_peer, "cuMemcpyPeer"),
    {.names = {NULL}},
};

#define SCHEDULE_BLOCKING_SYNC 4 /* CU_CTX_SCHED_BLOCKING_SYNC: no processor is burnt waiting */

bool trial_open(struct trial *trial, const char *soname)
{
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *reason = NULL;
    struct vendor_library library;
    channel_step(trial->channel, "dlopen");
    if (!vendor_open(soname, symbols, &trial->call, &library, &error))
        reason = mem_printf("cannot be loaded: %s", error.why ? error.why : error.what);
    for (size_t i = 0; reason == NULL && symbols[i].names[0]; i++)
        if (vendor_symbol_found(&library, &symbols[i]) == NULL)
            reason = mem_printf("the library has no %s", symbols[i].names[0]);
    if (reason)
        answer_unknown(trial->channel, trial->group, "outcome", reason, soname);
    return reason == NULL;
}

const char *trial_step(struct trial *trial, const char *function)
{
    channel_step(trial->channel, function);
    return function;
}

bool trial_succeeded(struct trial *trial, const char *function, int result)
{
    const char *name = NULL;
    if (result == 0)
        return true;
    answer_string(trial->channel, trial->group, "outcome", "failed", function);
    answer_string(trial->channel, trial->group, "call", function, function);
    answer_integer(trial->channel, trial->group, "error", result, function);
    trial_step(trial, "cuGetErrorName");
    if (trial->call.get_error_name(result, &name) == 0 && name)
        answer_string(trial->channel, trial->group, "error_name", name, "cuGetErrorName");
    return false;
}

bool trial_context(struct trial *trial, int ordinal, int *ret_device, void **ret_context)
{
    const struct trial_functions *call = &trial->call;
    const char *step = trial_step(trial, "cuDeviceGet");
    if (!trial_succeeded(trial, step, call->get(ret_device, ordinal)))
        return false;
    step = trial_step(trial, "cuCtxCreate");
    return trial_succeeded(trial, step,
                           call->context_create(ret_context, SCHEDULE_BLOCKING_SYNC, *ret_device));
}

void trial_compare(struct trial *trial, const uint32_t *numbers, uint32_t count,
                   uint32_t (*expected)(uint32_t index))
{
    static const char source[] = "comparison";
    uint32_t wrong = 0;
    uint32_t first = 0;
    for (uint32_t i = count; i-- > 0;)
        if (numbers[i] != expected(i)) {
            wrong++;
            first = i;
        }
    answer_integer(trial->channel, trial->group, "wrong", wrong, source);
    if (wrong > 0) {
        AUTO_FREE char *text = mem_printf("number %u of %u is 0x%08x, not 0x%08x", first, count,
                                          numbers[first], expected(first));
        answer_string(trial->channel, trial->group, "first_wrong", text, source);
    }
    answer_string(trial->channel, trial->group, "outcome", wrong ? "wrong" : "right", source);
}
