/* SPDX-License-Identifier: MIT */
#include "report/machine/gpu_list.h"

#include <string.h>

#include "base/wrap.h"

#define SMALL_BYTES (4000000000) /* 4 GB, as cards are sold */
#define UNKNOWN     (-1)

struct listed {
    const char *index; /* "0" */
    const char *name, *capability, *uuid, *bus_id;
    int64_t total, used; /* bytes; UNKNOWN */
    int64_t processes;   /* UNKNOWN */
    int64_t lanes;       /* of its PCI Express link; UNKNOWN */
    int64_t lanes_most;  /* that the card and its slot allow; UNKNOWN */
    bool display;
};
struct list {
    struct listed *items;
    size_t count, capacity;
};

static void list_clear(struct list *list)
{
    free(list->items);
}

static int64_t number_of(const struct facts *facts, const char *group, const char *name)
{
    int64_t number;
    return facts_integer(facts, group, name, &number) && number >= 0 ? number : UNKNOWN;
}

static void list_add(struct list *list, const struct facts *facts, const char *group,
                     const char *total)
{
    const struct strlist *processes = facts_list(facts, group, "processes");
    *vec_push(list->items, list->count, list->capacity) = (struct listed){
        .index = strchr(group, '/') + 1,
        .name = facts_string(facts, group, "name"),
        .capability = facts_string(facts, group, "capability"),
        .uuid = facts_string(facts, group, "uuid"),
        .bus_id = facts_string(facts, group, "bus_id"),
        .total = number_of(facts, group, total),
        .used = number_of(facts, group, "memory_used_bytes"),
        .processes = processes ? (int64_t)processes->count : UNKNOWN,
        .lanes = number_of(facts, group, "pcie_width"),
        .lanes_most = number_of(facts, group, "pcie_width_max"),
        .display = facts_true(facts, group, "display_active"),
    };
}

static struct list list_of(const struct facts *facts)
{
    struct list list = {.count = 0};
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "nvml", &i)) != NULL;)
        list_add(&list, facts, group, "memory_total_bytes");
    if (list.count > 0)
        return list;
    for (size_t i = 0; (group = facts_next(facts, "cuda", &i)) != NULL;)
        list_add(&list, facts, group, "memory_bytes");
    return list;
}

static bool is_same_kind(const struct listed *a, const struct listed *b)
{
    return string_equal(a->name, b->name) && string_equal(a->capability, b->capability) &&
           a->total == b->total;
}

static double gib(int64_t bytes)
{
    return (double)bytes / (1 << 30);
}

static void append_memory(const struct listed *gpu, int64_t used_most, struct text *line)
{
    if (gpu->total == UNKNOWN)
        return;
    if (gpu->used == UNKNOWN)
        text_printf(line, ", %.1f GiB", gib(gpu->total));
    else if (used_most > gpu->used)
        text_printf(line, ", %.1f to %.1f of %.1f GiB used", gib(gpu->used), gib(used_most),
                    gib(gpu->total));
    else
        text_printf(line, ", %.1f of %.1f GiB used", gib(gpu->used), gib(gpu->total));
}

static void append_processes(int64_t processes, struct text *line)
{
    if (processes == 0)
        text_append(line, ", no process");
    else if (processes > 0)
        text_printf(line, ", %lld process%s", (long long)processes, processes == 1 ? "" : "es");
}

static void append_kind(const struct listed *gpu, struct text *line)
{
    text_append(line, gpu->name ? gpu->name : "GPU of unknown name");
    if (gpu->capability)
        text_printf(line, ", compute capability %s", gpu->capability);
}

static void append_lanes(const struct listed *gpu, struct text *line)
{
    if (gpu->lanes > 0)
        text_printf(line, ", PCIe x%lld", (long long)gpu->lanes);
    if (gpu->lanes > 0 && gpu->lanes_most > gpu->lanes)
        text_printf(line, " of x%lld", (long long)gpu->lanes_most);
}

static void append_notes(const struct listed *gpu, struct text *line)
{
    if (gpu->display)
        text_append(line, ", drives a display");
    if (gpu->total != UNKNOWN && gpu->total < SMALL_BYTES)
        text_append(line, ", less than 4 GB: too small for most models");
}

/* "0: NVIDIA H100 …, PCIe x16, 0.5 of 80.0 GiB used, 3 processes" */
static void append_one(const struct listed *gpu, struct text *line)
{
    text_printf(line, "%s: ", gpu->index);
    append_kind(gpu, line);
    append_lanes(gpu, line);
    append_memory(gpu, UNKNOWN, line);
    append_processes(gpu->processes, line);
    append_notes(gpu, line);
}

/* "8 x NVIDIA H100 …, 0.5 to 61.2 of 80.0 GiB used, 3 processes", of all of a kind. */
static void append_kind_line(const struct list *list, const struct listed *first, struct text *line)
{
    struct listed least = *first;
    int64_t most = first->used;
    int64_t processes = 0;
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct listed *gpu = &list->items[i];
        if (!is_same_kind(gpu, first))
            continue;
        count++;
        least.used = gpu->used < least.used ? gpu->used : least.used;
        most = gpu->used > most ? gpu->used : most;
        if (processes != UNKNOWN)
            processes = gpu->processes == UNKNOWN ? UNKNOWN : processes + gpu->processes;
    }
    if (count > 1)
        text_printf(line, "%zu x ", count);
    append_kind(first, line);
    append_memory(&least, most, line);
    append_processes(processes, line);
    if (count == 1)
        append_notes(first, line);
}

static bool is_first_of_kind(const struct list *list, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (is_same_kind(&list->items[i], &list->items[index]))
            return false;
    return true;
}

void gpu_list_kinds(const struct facts *facts, struct strlist *kinds)
{
    AUTO(list_clear) struct list list = list_of(facts);
    for (size_t i = 0; i < list.count; i++) {
        AUTO_TEXT struct text line = {0};
        if (!is_first_of_kind(&list, i))
            continue;
        append_kind_line(&list, &list.items[i], &line);
        strlist_take(kinds, text_steal(&line));
    }
}

static void append_line(const struct report_input *input, unsigned indent, const char *line,
                        struct text *output)
{
    struct wrap wrap;
    text_printf(output, "%*s", (int)indent, "");
    wrap_begin(&wrap, output, input->columns, indent, indent + 3);
    wrap_words(&wrap, line);
    wrap_end(&wrap);
}

void gpu_list_append(const struct report_input *input, unsigned indent, struct text *output)
{
    AUTO(list_clear) struct list list = list_of(input->facts);
    for (size_t i = 0; i < list.count; i++) {
        AUTO_TEXT struct text line = {0};
        append_one(&list.items[i], &line);
        append_line(input, indent, text_string(&line), output);
    }
}

static json_t *number_json(int64_t number)
{
    return number == UNKNOWN ? json_null() : json_integer(number);
}

json_t *gpu_list_json(const struct facts *facts)
{
    AUTO(list_clear) struct list list = list_of(facts);
    json_t *array = json_array();
    for (size_t i = 0; i < list.count; i++) {
        const struct listed *gpu = &list.items[i];
        json_t *object = json_object();
        unsigned long long index;
        bool numbered = string_to_unsigned(gpu->index, &index) && index <= INT32_MAX;
        json_object_set_new(object, "index", number_json(numbered ? (int64_t)index : UNKNOWN));
        json_object_set_new(object, "name", json_from_string(gpu->name));
        json_object_set_new(object, "uuid", json_from_string(gpu->uuid));
        json_object_set_new(object, "bus_id", json_from_string(gpu->bus_id));
        json_object_set_new(object, "capability", json_from_string(gpu->capability));
        json_object_set_new(object, "memory_total_bytes", number_json(gpu->total));
        json_object_set_new(object, "memory_used_bytes", number_json(gpu->used));
        json_object_set_new(object, "processes", number_json(gpu->processes));
        json_object_set_new(object, "pcie_width", number_json(gpu->lanes));
        json_object_set_new(object, "pcie_width_max", number_json(gpu->lanes_most));
        json_object_set_new(object, "display_active", json_boolean(gpu->display));
        json_array_append_new(array, object);
    }
    return array;
}
