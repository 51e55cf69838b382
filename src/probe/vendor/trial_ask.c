/* SPDX-License-Identifier: MIT */
#include "probe/vendor/trial.h"

#include <string.h>

#include "host/root/clock.h"
#include "probe/vendor/answers.h"
#include "probe/vendor/trial_kernel.h"

#define SIZE        (TRIAL_COUNT * sizeof(uint32_t))
#define LOG_SIZE    4096
#define LOG_KEPT    400  /* bytes */
#define NOT_WRITTEN 0xa5 /* what the output holds before the kernel runs */

/* CUjit_option of cuda.h */
enum { ERROR_LOG_BUFFER = 5, ERROR_LOG_BUFFER_SIZE_BYTES = 6 };

/* What the compiler said of the PTX, in one line. */
static void answer_log(struct trial *trial, char *log)
{
    log[LOG_KEPT] = '\0';
    for (char *c = log; *c; c++)
        *c = *c == '\n' || *c == '\r' ? ' ' : *c;
    if (log[0])
        answer_string(trial->channel, trial->group, "compiler_log", log, "cuModuleLoadDataEx");
}

static bool load_kernel(struct trial *trial, void **ret_function)
{
    char log[LOG_SIZE] = "";
    int options[] = {ERROR_LOG_BUFFER, ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)(sizeof(log) - 1)};
    void *module = NULL;
    const char *step = trial_step(trial, "cuModuleLoadDataEx");
    int result = trial->call.module_load(&module, trial_kernel, 2, options, values);
    if (!trial_succeeded(trial, step, result)) {
        answer_log(trial, log);
        return false;
    }
    step = trial_step(trial, "cuModuleGetFunction");
    result = trial->call.module_function(ret_function, module, TRIAL_KERNEL_NAME);
    return trial_succeeded(trial, step, result);
}

/* Memory on the GPU with these numbers in it. */
static bool put(struct trial *trial, const uint32_t *numbers, uint64_t *ret_address)
{
    const char *step = trial_step(trial, "cuMemAlloc");
    if (!trial_succeeded(trial, step, trial->call.memory_allocate(ret_address, SIZE)))
        return false;
    step = trial_step(trial, "cuMemcpyHtoD");
    return trial_succeeded(trial, step, trial->call.copy_to(*ret_address, numbers, SIZE));
}

/* What is left while the context is there: with what NVML said before, what the context costs. */
static bool answer_memory(struct trial *trial)
{
    size_t left = 0;
    size_t total = 0;
    const char *step = trial_step(trial, "cuMemGetInfo");
    if (!trial_succeeded(trial, step, trial->call.memory_info(&left, &total)))
        return false;
    answer_integer(trial->channel, trial->group, "memory_free_bytes", (int64_t)left, step);
    return true;
}

static bool run_kernel(struct trial *trial, void *function, uint64_t input, uint64_t output,
                       uint32_t *numbers)
{
    uint32_t count = TRIAL_COUNT;
    void *parameters[] = {&input, &output, &count};
    const char *step = trial_step(trial, "cuLaunchKernel");
    if (!trial_succeeded(trial, step,
                         trial->call.launch(function, TRIAL_COUNT / TRIAL_BLOCK, 1, 1, TRIAL_BLOCK,
                                            1, 1, 0, NULL, parameters, NULL)))
        return false;
    step = trial_step(trial, "cuCtxSynchronize");
    if (!trial_succeeded(trial, step, trial->call.synchronize()))
        return false;
    step = trial_step(trial, "cuMemcpyDtoH");
    return trial_succeeded(trial, step, trial->call.copy_from(numbers, output, SIZE));
}

static bool compute(struct trial *trial, int ordinal, uint32_t *numbers)
{
    void *context = NULL;
    void *function = NULL;
    uint64_t input = 0;
    uint64_t output = 0;
    int device = 0;
    const char *step = trial_step(trial, "cuInit");
    if (!trial_succeeded(trial, step, trial->call.init(0)) ||
        !trial_context(trial, ordinal, &device, &context) || !load_kernel(trial, &function))
        return false;
    for (uint32_t i = 0; i < TRIAL_COUNT; i++)
        numbers[i] = trial_input(i);
    if (!put(trial, numbers, &input))
        return false;
    memset(numbers, NOT_WRITTEN, SIZE);
    if (!put(trial, numbers, &output) || !answer_memory(trial) ||
        !run_kernel(trial, function, input, output, numbers))
        return false;
    trial_compare(trial, numbers, TRIAL_COUNT, trial_expected);
    trial_step(trial, "cuCtxDestroy");
    trial->call.context_destroy(context);
    return true;
}

void trial_ask(struct channel *channel, const void *context)
{
    const struct trial_task *task = context;
    AUTO_FREE char *group = mem_printf("trial/%d", task->ordinal);
    AUTO_FREE uint32_t *numbers = mem_alloc(SIZE);
    struct trial trial = {.channel = channel, .group = group};
    uint64_t start = clock_ms();
    if (trial_open(&trial, task->soname) && compute(&trial, task->ordinal, numbers))
        answer_integer(channel, group, "milliseconds", (int64_t)(clock_ms() - start), "clock");
}
