/* SPDX-License-Identifier: MIT */
/* The processes that have memory on a GPU. */
#include "probe/vendor/ask_nvml.h"

#include <string.h>

#include "base/strlist.h"

/* Which struct a function fills is told by its name, but not reliably: _v3 fills v2 in most
 * drivers, v3 in the first of the 535 series and v1 in at least one more (nvitop #79, #89, #226 on
 * GitHub). So the buffer is made large enough for the largest, filled with a pattern, and what was
 * overwritten shows the size of one. Its capacity has neither 2 nor 3 as a factor: then n rows of
 * one size never end where a whole buffer of another does. */
#define PATTERN        0xa5
#define CAPACITY_FIRST 125
#define CAPACITY_MAX   605 /* three lists of them fit into one answer */
#define TRIES          3

struct process_list {
    struct nvml_process_v1 *items;
    size_t count, capacity;
};

struct rows {
    unsigned char *bytes;
    size_t capacity; /* rows of the largest form */
    size_t count;    /* that the library says it filled */
    size_t declared; /* bytes of one, by the function's name */
};

static void rows_release(struct rows *rows)
{
    free(rows->bytes);
}

static void list_release(struct process_list *list)
{
    free(list->items);
}

static const size_t row_sizes[NVML_PROCESS_FORMS] = {
    [NVML_FORM_V3] = sizeof(struct nvml_process_v2),
    [NVML_FORM_V2] = sizeof(struct nvml_process_v2),
    [NVML_FORM_V1] = sizeof(struct nvml_process_v1),
};

static size_t size_written(const struct rows *rows)
{
    size_t size = rows->capacity * sizeof(struct nvml_process_v3);
    while (size > 0 && rows->bytes[size - 1] == PATTERN)
        size--;
    return size;
}

/* 0 when less was written than so many rows take. */
static size_t row_size(const struct rows *rows)
{
    static const size_t sizes[] = {sizeof(struct nvml_process_v1), sizeof(struct nvml_process_v2),
                                   sizeof(struct nvml_process_v3)};
    size_t written = size_written(rows);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        if (written == sizes[i] * rows->count || written == sizes[i] * rows->capacity)
            return sizes[i];
    return written > rows->declared * (rows->count - 1) ? rows->declared : 0;
}

/* The next capacity of that kind that is at least so large. */
static size_t capacity_for(size_t count)
{
    size_t capacity = count + count / 4 + 16;
    while (capacity % 2 == 0 || capacity % 3 == 0)
        capacity++;
    return capacity < CAPACITY_MAX ? capacity : CAPACITY_MAX;
}

/* Fills rows by a call, with a larger buffer when it wants one; rows_release() them. */
static int call_rows(const struct nvml_ask *ask, nvml_list_call call, struct rows *rows)
{
    int result = NVML_INSUFFICIENT_SIZE;
    rows->capacity = CAPACITY_FIRST;
    for (unsigned try = 0; try < TRIES && result == NVML_INSUFFICIENT_SIZE; try++) {
        unsigned count = (unsigned)rows->capacity;
        rows->bytes = mem_resize(rows->bytes, rows->capacity, sizeof(struct nvml_process_v3));
        memset(rows->bytes, PATTERN, rows->capacity * sizeof(struct nvml_process_v3));
        result = call(ask->device, &count, rows->bytes);
        rows->count = count;
        if (result == NVML_INSUFFICIENT_SIZE)
            rows->capacity = capacity_for(count);
    }
    return result;
}

/* A process in two lists is one process: its larger number counts. */
static void add_process(struct process_list *list, const struct nvml_process_v1 *found)
{
    for (size_t i = 0; i < list->count; i++) {
        struct nvml_process_v1 *known = &list->items[i];
        if (known->pid != found->pid)
            continue;
        if (known->memory == NVML_NO_MEMORY ||
            (found->memory != NVML_NO_MEMORY && found->memory > known->memory))
            known->memory = found->memory;
        return;
    }
    *vec_push(list->items, list->count, list->capacity) = *found;
}

/* Every form of a row begins as the oldest does. False when the rows cannot be what it says. */
static bool add_rows(struct process_list *list, const struct rows *rows)
{
    if (rows->count == 0)
        return true;
    size_t size = rows->count <= rows->capacity ? row_size(rows) : 0;
    if (size == 0)
        return false;
    for (size_t i = 0; i < rows->count; i++) {
        struct nvml_process_v1 found;
        memcpy(&found, rows->bytes + i * size, sizeof(found));
        add_process(list, &found);
    }
    return true;
}

/* One of the lists, by the newest form of its call that the driver knows. */
static int call_forms(const struct nvml_ask *ask, size_t which, struct rows *rows,
                      const char **ret_function)
{
    int result = NVML_NO_FUNCTION;
    const nvml_list_call *calls = ask->nvml->processes[which];
    for (size_t form = 0; form < NVML_PROCESS_FORMS && nvml_wants_older(result); form++) {
        if (calls[form] == NULL)
            continue;
        *ret_function =
            nvml_step(ask, (size_t)((const char *)&calls[form] - (const char *)ask->nvml));
        rows->declared = row_sizes[form];
        result = call_rows(ask, calls[form], rows);
    }
    return result;
}

static void tell_processes(const struct nvml_ask *ask, const char *function,
                           const struct process_list *list)
{
    AUTO_STRLIST struct strlist texts = {0};
    for (size_t i = 0; i < list->count; i++) {
        const struct nvml_process_v1 *process = &list->items[i];
        if (process->memory == NVML_NO_MEMORY)
            strlist_take(&texts, mem_printf("%u ?", process->pid));
        else
            strlist_take(&texts,
                         mem_printf("%u %llu", process->pid, (unsigned long long)process->memory));
    }
    nvml_tell_list(ask, "processes", function, NVML_SUCCESS, &texts);
}

/* Compute, graphics and MPS processes together. A list that the driver or the GPU does not have
 * has nothing to add; one that fails otherwise leaves the whole unknown. */
void nvml_ask_processes(const struct nvml_ask *ask)
{
    AUTO(list_release) struct process_list list = {0};
    const char *function = "nvmlDeviceGetComputeRunningProcesses";
    const char *answered_by = NULL;
    int none = NVML_NO_FUNCTION;
    for (size_t which = 0; which < NVML_PROCESS_LISTS; which++) {
        AUTO(rows_release) struct rows rows = {0};
        int result = call_forms(ask, which, &rows, &function);
        if (result == NVML_NOT_SUPPORTED)
            none = result;
        if (result == NVML_NOT_SUPPORTED || result == NVML_NO_FUNCTION)
            continue;
        if (!nvml_answered(ask, "processes", function, result))
            return;
        if (!add_rows(&list, &rows)) {
            nvml_tell_odd(ask, "processes", function, "reports %zu, which is not plausible",
                          rows.count);
            return;
        }
        answered_by = answered_by ? answered_by : function;
    }
    if (answered_by)
        tell_processes(ask, answered_by, &list);
    else
        nvml_answered(ask, "processes", function, none);
}
