/* SPDX-License-Identifier: MIT */
#include "probe/vendor/ask.h"

/* cudnn_graph.h of cuDNN 9.19.0 */
struct cudnn_functions {
    size_t (*get_version)(void);
    size_t (*get_cudart_version)(void);
    size_t (*get_max_device_version)(void);
};

static const struct vendor_symbol symbols[] = {
    {.names = {"cudnnGetVersion"}, .field = offsetof(struct cudnn_functions, get_version)},
    {.names = {"cudnnGetCudartVersion"},
     .field = offsetof(struct cudnn_functions, get_cudart_version)},
    {.names = {"cudnnGetMaxDeviceVersion"},
     .field = offsetof(struct cudnn_functions, get_max_device_version)},
    {.names = {NULL}},
};

/* CUDNN_VERSION: 8902 is 8.9.2, 91900 is 9.19.0 */
static void answer_version(struct channel *channel, const char *group,
                           const struct cudnn_functions *call)
{
    static const char function[] = "cudnnGetVersion";
    if (call->get_version == NULL) {
        ask_no_function(channel, group, "version", function);
        return;
    }
    channel_step(channel, function);
    size_t version = call->get_version();
    ask_version(channel, group, "version", (int64_t)version, version < 10000 ? 1000 : 10000,
                function);
}

static void answer_cudart(struct channel *channel, const char *group,
                          const struct cudnn_functions *call)
{
    static const char function[] = "cudnnGetCudartVersion";
    if (call->get_cudart_version == NULL) {
        ask_no_function(channel, group, "cudart_version", function);
        return;
    }
    channel_step(channel, function);
    ask_cuda_version(channel, group, "cudart_version", (int64_t)call->get_cudart_version(),
                     function);
}

/* 1210 is 12.1. Early releases of cuDNN do not have it. */
static void answer_capability(struct channel *channel, const char *group,
                              const struct cudnn_functions *call)
{
    static const char function[] = "cudnnGetMaxDeviceVersion";
    if (call->get_max_device_version == NULL) {
        answer_absent(channel, group, "capability_max", function);
        return;
    }
    channel_step(channel, function);
    size_t number = call->get_max_device_version();
    if (number < 100 || number >= 10000) {
        AUTO_FREE char *reason =
            mem_printf("%s returned %zu, which is not a compute capability", function, number);
        answer_unknown(channel, group, "capability_max", reason, function);
        return;
    }
    AUTO_FREE char *capability = mem_printf("%zu.%zu", number / 100, number % 100 / 10);
    answer_string(channel, group, "capability_max", capability, function);
}

void ask_cudnn(struct channel *channel, const char *soname, const char *group)
{
    struct cudnn_functions call = {0};
    struct vendor_library library;
    if (!ask_open(channel, soname, group, symbols, &call, &library))
        return;
    answer_version(channel, group, &call);
    answer_cudart(channel, group, &call);
    answer_capability(channel, group, &call);
}
