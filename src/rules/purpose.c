/* SPDX-License-Identifier: MIT */
#include "rules/purpose.h"

#include "rules/engine/finding.h"
#include "rules/query/judged.h"
#include "rules/rules.h"

static bool shows_pci(const struct facts *facts)
{
    int64_t count;
    return facts_integer(facts, "pci", "count", &count) && count > 0;
}

static bool shows_node(const struct facts *facts)
{
    return judged_device_path(facts, "/dev/nvidia") || judged_device_path(facts, "/dev/dxg");
}

/* A libcuda that a driver brought, not a stub or a cuda-compat package. */
static bool shows_libcuda(const struct facts *facts)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "library", &i)) != NULL;)
        if (string_equal(facts_string(facts, group, "name"), "libcuda") &&
            judged_library_of_driver(facts, group))
            return true;
    return false;
}

/* The first thing NVIDIA that a container shows; NULL when it shows none. */
static const char *container_shows(const struct facts *facts)
{
    if (facts_true(facts, "container", "nvidia_libraries"))
        return "driver libraries put in by its runtime";
    if (shows_node(facts))
        return "an NVIDIA device node";
    if (shows_pci(facts))
        return "an NVIDIA GPU on the PCI bus";
    if (shows_libcuda(facts))
        return "a driver's libcuda";
    return NULL;
}

static void set_purpose(struct judgement *judgement, enum purpose purpose, char *reason)
{
    judgement->purpose = purpose;
    judgement->purpose_reason = reason;
}

void purpose_choose(const struct facts *facts, const struct judge_options *options,
                    struct judgement *judgement)
{
    const char *engine = facts_string(facts, "container", "engine");
    const char *shown = container_shows(facts);
    if (options->purpose_given) {
        set_purpose(judgement, options->purpose, mem_string("from --for"));
    } else if (options->tree) {
        set_purpose(judgement, PURPOSE_BUILD, mem_string("a tree, not a running machine"));
    } else if (engine == NULL) {
        set_purpose(judgement, PURPOSE_RUN, mem_string("not in a container"));
    } else if (shown) {
        set_purpose(judgement, PURPOSE_CONTAINER,
                    mem_printf("a container (%s) with %s", engine, shown));
    } else {
        set_purpose(judgement, PURPOSE_BUILD,
                    mem_printf("a container (%s) with no sign of a GPU", engine));
        judgement->no_gpu_given = true;
    }
}
