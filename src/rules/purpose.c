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

enum purpose purpose_choose(const struct facts *facts, const struct judge_options *options,
                            char **ret_reason)
{
    if (options->purpose_given) {
        *ret_reason = mem_string("from --for");
        return options->purpose;
    }
    if (options->tree) {
        *ret_reason = mem_string("a tree, not a running machine");
        return PURPOSE_BUILD;
    }
    const char *engine = facts_string(facts, "container", "engine");
    if (engine == NULL) {
        *ret_reason = mem_string("not in a container");
        return PURPOSE_RUN;
    }
    const char *shown = container_shows(facts);
    *ret_reason = shown ? mem_printf("a container (%s) with %s", engine, shown)
                        : mem_printf("a container (%s) with no sign of a GPU", engine);
    return shown ? PURPOSE_CONTAINER : PURPOSE_BUILD;
}
