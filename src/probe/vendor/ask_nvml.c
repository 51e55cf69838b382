/* SPDX-License-Identifier: MIT */
#include "probe/vendor/ask_nvml.h"

#include <stdio.h>

#include "probe/vendor/answers.h"
#include "probe/vendor/ask.h"

static void tell_version(const struct nvml_ask *ask, const char *fact, size_t call,
                         int (*version)(char *text, unsigned size))
{
    char text[NVML_TEXT_SIZE + 1] = "";
    const char *function = nvml_step(ask, call);
    int result = version ? version(text, NVML_TEXT_SIZE) : NVML_NO_FUNCTION;
    text[NVML_TEXT_SIZE] = '\0';
    nvml_tell_string(ask, fact, function, result, text);
}

/* NVML opens libcuda.so.1 for it: it comes last, when all else has been told. reason is why NVML
 * did not start, if it did not: some versions answer all the same. */
static void tell_cuda_version(const struct nvml_ask *ask, const char *reason)
{
    int number = 0;
    const char *function = nvml_step(ask, NVML_CALL(cuda_version));
    int result = ask->nvml->cuda_version ? ask->nvml->cuda_version(&number) : NVML_NO_FUNCTION;
    if (result == NVML_UNINITIALIZED && reason)
        answer_unknown(ask->channel, ask->group, "cuda_version", reason, function);
    else if (nvml_answered(ask, "cuda_version", function, result))
        ask_cuda_version(ask->channel, ask->group, "cuda_version", number, function);
}

/* Both facts that would say how many GPUs there are: the library's own and that of the kind. */
static void tell_no_count(const struct nvml_ask *ask, const char *reason, const char *function)
{
    answer_unknown(ask->channel, ask->group, "device_count", reason, function);
    answer_unknown(ask->channel, "nvml", "count", reason, function);
}

static void tell_init(const struct nvml_ask *ask, int result, const char *function)
{
    const char *words = ask->nvml->error_string ? ask->nvml->error_string(result) : NULL;
    AUTO_FREE char *name = words ? mem_printf("%.*s", NVML_TEXT_SIZE, words) : NULL;
    answer_integer(ask->channel, ask->group, "init", result, function);
    answer_string(ask->channel, ask->group, "init_name", name, "nvmlErrorString");
}

/* NULL when the library started; else why it did not, which is told too. free() it. */
static char *start(const struct nvml_ask *ask)
{
    const char *function = nvml_step(ask, NVML_CALL(init));
    int result = ask->nvml->init ? ask->nvml->init() : NVML_NO_FUNCTION;
    AUTO_FREE char *error = nvml_error(ask, result);
    AUTO_FREE char *reason = mem_printf("%s: %s", function, error);
    if (ask->nvml->init) {
        tell_init(ask, result, function);
    } else {
        answer_unknown(ask->channel, ask->group, "init", reason, function);
        answer_unknown(ask->channel, ask->group, "init_name", reason, function);
    }
    if (result == NVML_SUCCESS)
        return NULL;
    answer_unknown(ask->channel, ask->group, "driver_version", reason, function);
    tell_no_count(ask, reason, function);
    answer_unknown(ask->channel, "nvml", "confidential", reason, function);
    answer_unknown(ask->channel, "nvml", "confidential_ready", reason, function);
    return mem_steal(&reason);
}

/* The number of GPUs to ask about; *ret_lies when the library said more than that. */
static unsigned count_gpus(const struct nvml_ask *ask, bool *ret_lies)
{
    unsigned count = 0;
    AUTO_FREE char *reason = NULL;
    const char *function = nvml_step(ask, NVML_CALL(count));
    int result = ask->nvml->count ? ask->nvml->count(&count) : NVML_NO_FUNCTION;
    *ret_lies = result == NVML_SUCCESS && count > ANSWER_INSTANCES;
    if (*ret_lies) {
        reason = mem_printf("%s: reports %u, which is not plausible; at most %d are queried",
                            function, count, ANSWER_INSTANCES);
        tell_no_count(ask, reason, function);
        return ANSWER_INSTANCES;
    }
    if (result != NVML_SUCCESS) {
        AUTO_FREE char *error = nvml_error(ask, result);
        reason = mem_printf("%s: %s", function, error);
        tell_no_count(ask, reason, function);
        return 0;
    }
    answer_integer(ask->channel, ask->group, "device_count", count, function);
    answer_integer(ask->channel, "nvml", "count", count, function);
    return count;
}

static void ask_parts(const struct nvml_ask *ask)
{
    static void (*const parts[])(const struct nvml_ask *) = {
        nvml_ask_identity,      nvml_ask_memory,        nvml_ask_numbers, nvml_ask_mig,
        nvml_ask_temperature,   nvml_ask_clock_reasons, nvml_ask_ecc,     nvml_ask_rows,
        nvml_ask_retired_pages, nvml_ask_links,         nvml_ask_fabric,  nvml_ask_processes,
    };
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        parts[i](ask);
}

/* lies: the count did, so that an index without a GPU is none that is missing. */
static void ask_gpu(const struct nvml_ask *machine, unsigned index, bool lies)
{
    char group[32];
    char about[32];
    snprintf(group, sizeof(group), "nvml/%u", index);
    snprintf(about, sizeof(about), " of GPU %u", index);
    struct nvml_ask ask = *machine;
    ask.group = group;
    ask.about = about;
    const char *function = nvml_step(&ask, NVML_CALL(handle));
    int result = ask.nvml->handle ? ask.nvml->handle(index, &ask.device) : NVML_NO_FUNCTION;
    if (result == NVML_SUCCESS) {
        ask_parts(&ask);
    } else if (!lies || result != NVML_INVALID_ARGUMENT) {
        AUTO_FREE char *error = nvml_error(&ask, result);
        AUTO_FREE char *reason = mem_printf("%s: %s", function, error);
        ask_unknown_instance(ask.channel, group, reason, function);
    }
}

static void ask_gpus(const struct nvml_ask *ask)
{
    bool lies = false;
    unsigned count = count_gpus(ask, &lies);
    for (unsigned i = 0; i < count; i++)
        ask_gpu(ask, i, lies);
}

/* Of all GPUs together. Where the GPUs do not use it, drivers say of them that they are not ready
 * (gpumgrCacheCCCaps in gpu_mgr.c of open-gpu-kernel-modules 595.45.04). */
static void ask_confidential(const struct nvml_ask *machine)
{
    struct nvml_confidential state = {0};
    unsigned ready = 0;
    struct nvml_ask ask = *machine;
    ask.group = "nvml";
    const char *function = nvml_step(&ask, NVML_CALL(confidential));
    int result = ask.nvml->confidential ? ask.nvml->confidential(&state) : NVML_NO_FUNCTION;
    nvml_tell_switch(&ask, "confidential", function, result, state.feature);
    function = nvml_step(&ask, NVML_CALL(confidential_ready));
    result = ask.nvml->confidential_ready ? ask.nvml->confidential_ready(&ready) : NVML_NO_FUNCTION;
    nvml_tell_switch(&ask, "confidential_ready", function, result, ready);
}

void ask_nvml(struct channel *channel, const char *soname, const char *group)
{
    struct nvml nvml = {0};
    struct vendor_library library = {0};
    if (!ask_open(channel, soname, group, nvml_symbols, &nvml, &library))
        return;
    const struct nvml_ask ask = {
        .channel = channel, .nvml = &nvml, .library = &library, .group = group, .about = ""};
    tell_version(&ask, "version", NVML_CALL(nvml_version), nvml.nvml_version);
    AUTO_FREE char *reason = start(&ask);
    if (reason == NULL) {
        tell_version(&ask, "driver_version", NVML_CALL(driver_version), nvml.driver_version);
        ask_confidential(&ask);
        ask_gpus(&ask);
    }
    tell_cuda_version(&ask, reason);
    free(library.path);
}
