/* SPDX-License-Identifier: MIT */
#include "probe/vendor/ask.h"

/* NvInferRuntimeBase.h of TensorRT 11.1: 8601 is 8.6.1; 100300 is 10.3.0. */
void ask_tensorrt(struct channel *channel, const char *soname, const char *group)
{
    static const char function[] = "getInferLibVersion";
    union ask_function call;
    if (!ask_find(channel, soname, group, function, &call))
        return;
    int32_t version = call.give_int();
    ask_version(channel, group, "version", version, version < 100000 ? 1000 : 10000, function);
}
