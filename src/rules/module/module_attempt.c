/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rules/module/module.h"
#include "rules/remedy/remedy.h"

/* An installation that ended in an error takes back what it has installed: no driver is there then,
 * and why is the question. */

const char *module_runfile_line(const struct facts *facts, const char *const *words)
{
    const struct strlist *errors = facts_list(facts, "driver_install", "runfile_errors");
    if (!string_equal(facts_string(facts, "driver_install", "runfile_outcome"), "failed"))
        return NULL;
    for (size_t i = 0; errors && i < errors->count; i++)
        for (size_t k = 0; words[k]; k++)
            if (strstr(errors->items[i], words[k]))
                return errors->items[i];
    return NULL;
}

/* The log of a refused module does not name it. Somebody must have built one of NVIDIA's: the
 * installer, or a container, as NVIDIA's GPU Operator does it on a node. */
static bool has_builder(const struct facts *facts)
{
    static const char *const runtimes[] = {"crio_runtime", "containerd_runtime"};
    for (size_t i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++)
        if (facts_true(facts, "container_toolkit", runtimes[i]))
            return true;
    return remedy_image_tool(facts) != NULL ||
           string_equal(facts_string(facts, "driver_install", "runfile_outcome"), "failed");
}

enum module_attempt module_attempt_of(const struct facts *facts)
{
    static const char *const compiler[] = {"CC version check", "Compiler version check", NULL};
    static const char *const signature[] = {"Key was rejected", "key is rejected",
                                            "Required key not available", NULL};
    if (judged_place(facts) != PLACE_MACHINE)
        return ATTEMPT_NONE;
    if (module_runfile_line(facts, compiler))
        return ATTEMPT_COMPILER;
    if (module_runfile_line(facts, signature) ||
        (module_event(facts, "signature_rejected", NULL) && has_builder(facts)))
        return ATTEMPT_SIGNATURE;
    return ATTEMPT_NONE;
}
