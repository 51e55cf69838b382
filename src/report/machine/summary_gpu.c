/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "report/machine/summary_private.h"

/* The name of the GPU of the index-th group pci/…, or its PCI id. */
static char *gpu_name(const struct report_input *input, size_t index, const char *group)
{
    if (input->gpu_names && index < input->gpu_names->count && input->gpu_names->items[index][0])
        return mem_string(input->gpu_names->items[index]);
    const char *device = facts_string(input->facts, group, "device_id");
    return device ? mem_printf("10de:%s", device) : mem_string("NVIDIA GPU of unknown model");
}

static bool is_display(const struct facts *facts, const char *group)
{
    const char *class = facts_string(facts, group, "class");
    return class == NULL || string_starts(class, "03");
}

/* "4 x NVIDIA H100 SXM5 80GB": equal names are counted. */
static void append_counted(const struct strlist *names, struct text *sentence)
{
    AUTO_STRLIST struct strlist seen = {0};
    for (size_t i = 0; i < names->count; i++) {
        if (!strlist_add_new(&seen, names->items[i]))
            continue;
        unsigned count = 0;
        for (size_t k = i; k < names->count; k++)
            count += string_equal(names->items[k], names->items[i]);
        summary_append_separator(sentence, "; ");
        text_printf(sentence, "%u x %s", count, names->items[i]);
    }
}

static void gpus_on_bus(const struct report_input *input, struct strlist *names,
                        struct strlist *sources)
{
    const char *group;
    size_t index = 0;
    for (size_t i = 0; (group = facts_next(input->facts, "pci", &i)) != NULL; index++) {
        if (!is_display(input->facts, group))
            continue;
        strlist_take(names, gpu_name(input, index, group));
        if (sources->count == 0)
            summary_add_source(input->facts, "pci", "count", sources);
    }
}

static void gpus_assumed(const struct facts *facts, struct strlist *names, struct strlist *sources)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "assumed", &i)) != NULL;) {
        const char *name = facts_string(facts, group, "name");
        strlist_take(names, mem_printf("%s, assumed", name ? name : "?"));
        summary_add_source(facts, group, "name", sources);
    }
}

/* Those that the driver lists: WSL and Jetson show none on a bus. */
static void gpus_listed(const struct facts *facts, struct strlist *names, struct strlist *sources)
{
    size_t i = 0;
    const char *group, *kind = facts_next(facts, "nvml", &i) ? "nvml" : "cuda";
    for (i = 0; (group = facts_next(facts, kind, &i)) != NULL;) {
        const char *name = facts_string(facts, group, "name");
        strlist_add(names, name ? name : "GPU of unknown name");
        summary_add_source(facts, group, "name", sources);
    }
}

void summary_gpu(const struct report_input *input, struct text *sentence, struct strlist *sources)
{
    AUTO_STRLIST struct strlist names = {0};
    int64_t wsl;
    gpus_on_bus(input, &names, sources);
    gpus_assumed(input->facts, &names, sources);
    append_counted(&names, sentence);
    if (names.count > 0)
        return;
    gpus_listed(input->facts, &names, sources);
    append_counted(&names, sentence);
    if (names.count > 0)
        text_append(sentence, ", not on the PCI bus");
    else if (summary_append_gap(input->facts, "pci", "count", sentence))
        return;
    else if (facts_integer(input->facts, "machine", "wsl", &wsl))
        text_append(sentence, "none known; in WSL, only the driver's libraries list GPUs");
    else
        text_append(sentence, "no NVIDIA GPU on the PCI bus");
    summary_add_source(input->facts, "pci", "count", sources);
}
