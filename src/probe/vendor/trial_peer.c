/* SPDX-License-Identifier: MIT */
#include "probe/vendor/trial.h"

#include <string.h>

#include "probe/vendor/answers.h"

/* Enough that it is not one packet, and goes through several pages. */
#define COUNT (1u << 20)
#define SIZE  (COUNT * sizeof(uint32_t))

#define CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED 704

/* One GPU that copies go from or to. */
struct side {
    bool ready;
    int device;
    void *context;
    uint64_t memory;
};

static uint32_t sent(uint32_t index)
{
    return index * 2654435761u ^ 0x5bd1e995u;
}

/* The context and the memory, made when the GPU is first used; current afterwards. */
static bool prepare(struct trial *trial, int ordinal, struct side *side)
{
    const char *step = trial_step(trial, "cuCtxSetCurrent");
    if (side->ready)
        return trial_succeeded(trial, step, trial->call.context_set(side->context));
    if (!trial_context(trial, ordinal, &side->device, &side->context))
        return false;
    step = trial_step(trial, "cuMemAlloc");
    side->ready = trial_succeeded(trial, step, trial->call.memory_allocate(&side->memory, SIZE));
    return side->ready;
}

static bool fill(struct trial *trial, const struct side *side, const uint32_t *numbers)
{
    const char *step = trial_step(trial, "cuMemcpyHtoD");
    return trial_succeeded(trial, step, trial->call.copy_to(side->memory, numbers, SIZE));
}

/* The target's context is current. Where CUDA says that it reaches the source, it is to do so: else
 * the copy goes through the machine's memory. */
static bool open_way(struct trial *trial, const struct side *from, const struct side *to)
{
    int can = 0;
    const char *step = trial_step(trial, "cuDeviceCanAccessPeer");
    if (!trial_succeeded(trial, step, trial->call.can_access_peer(&can, to->device, from->device)))
        return false;
    answer_boolean(trial->channel, trial->group, "direct", can != 0, step);
    if (can == 0)
        return true;
    step = trial_step(trial, "cuCtxEnablePeerAccess");
    int result = trial->call.enable_peer(from->context, 0);
    return result == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED || trial_succeeded(trial, step, result);
}

static bool copy(struct trial *trial, const struct side *from, const struct side *to,
                 uint32_t *numbers)
{
    const char *step = trial_step(trial, "cuMemcpyPeer");
    if (!trial_succeeded(
            trial, step,
            trial->call.copy_peer(to->memory, to->context, from->memory, from->context, SIZE)))
        return false;
    step = trial_step(trial, "cuCtxSynchronize");
    if (!trial_succeeded(trial, step, trial->call.synchronize()))
        return false;
    step = trial_step(trial, "cuMemcpyDtoH");
    return trial_succeeded(trial, step, trial->call.copy_from(numbers, to->memory, SIZE));
}

/* False: a call failed. */
static bool try_pair(struct trial *trial, const struct trial_pair *pair, struct side *sides,
                     uint32_t *numbers)
{
    struct side *from = &sides[pair->from];
    struct side *to = &sides[pair->to];
    for (uint32_t i = 0; i < COUNT; i++)
        numbers[i] = sent(i);
    if (!prepare(trial, pair->from, from) || !fill(trial, from, numbers))
        return false;
    memset(numbers, 0, SIZE);
    if (!prepare(trial, pair->to, to) || !fill(trial, to, numbers) || !open_way(trial, from, to) ||
        !copy(trial, from, to, numbers))
        return false;
    trial_compare(trial, numbers, COUNT, sent);
    return true;
}

static int highest(const struct trial_task *task)
{
    int high = 0;
    for (size_t i = 0; i < task->pair_count; i++) {
        high = task->pairs[i].from > high ? task->pairs[i].from : high;
        high = task->pairs[i].to > high ? task->pairs[i].to : high;
    }
    return high;
}

/* Ends with the first call that fails: the error may be one that stays with the process, and what
 * comes after it would be blamed for it. */
void trial_ask_peers(struct channel *channel, const void *context)
{
    const struct trial_task *task = context;
    AUTO_FREE uint32_t *numbers = mem_alloc(SIZE);
    AUTO_FREE struct side *sides = mem_alloc(((size_t)highest(task) + 1) * sizeof(*sides));
    struct trial trial = {.channel = channel};
    for (size_t i = 0; i < task->pair_count; i++) {
        AUTO_FREE char *group =
            mem_printf("peer_copy/%d-%d", task->pairs[i].from, task->pairs[i].to);
        trial.group = group;
        if (i == 0 && (!trial_open(&trial, task->soname) ||
                       !trial_succeeded(&trial, trial_step(&trial, "cuInit"), trial.call.init(0))))
            return;
        if (!try_pair(&trial, &task->pairs[i], sides, numbers))
            return;
    }
}
