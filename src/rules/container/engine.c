/* SPDX-License-Identifier: MIT */
#include "rules/container/engine.h"

#include "rules/engine/finding.h"
#include "rules/query/judged.h"
#include "rules/remedy/remedy.h"

bool container_require_some(struct rule_context *context, const char *kind, const char *none)
{
    const struct facts *facts = context->facts;
    size_t cursor = 0;
    int64_t count = 0;
    if (context->purpose == PURPOSE_BUILD)
        rule_skip(context, "a GPU is not needed to build");
    else if (facts_next(facts, "assumed", &cursor))
        rule_skip(context, "the GPU is assumed (--assume-gpu)");
    else if (!rule_require_fact(context, kind, "count"))
        return false;
    else if (!facts_integer(facts, kind, "count", &count) || count == 0)
        rule_skip(context, "%s", none);
    else
        return true;
    return false;
}

bool container_require_engine(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    bool loaded = true;
    if (!container_require_some(context, "container_engine",
                                "no container engine is installed here"))
        return false;
    if (judged_place(facts) == PLACE_WSL || judged_place(facts) == PLACE_JETSON ||
        !facts_boolean(facts, "module", "nvidia", &loaded) || loaded)
        return true;
    rule_skip(context, "the nvidia module is not loaded");
    return false;
}

const char *container_engine(const struct facts *facts, const char *instance)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "container_engine", &i)) != NULL;)
        if (string_equal(group + sizeof("container_engine/") - 1, instance))
            return group;
    return NULL;
}

bool container_engine_works(const struct facts *facts, const char *group)
{
    const struct fact *running = facts_get(facts, group, "running");
    return group && running && !facts_true(facts, group, "virtual") &&
           (running->state == FACT_ABSENT || running->boolean);
}

const char *container_first(const struct facts *facts, const char *group, const char *name)
{
    const struct strlist *list = facts_list(facts, group, name);
    return list && list->count > 0 ? list->items[0] : NULL;
}

bool container_has_toolkit(const struct facts *facts)
{
    return container_first(facts, "container_toolkit", "programs") != NULL;
}

void container_install_toolkit(struct rule_context *context, struct finding *finding)
{
    static const char package[] = "nvidia-container-toolkit";
    remedy_install_packages(context, finding, package, package);
}

void container_configure_docker(struct finding *finding, const char *note, const char *option)
{
    finding_fix_command(finding, FIX_STEP | NEEDS_ROOT, note ? note : "then restart Docker",
                        "sudo nvidia-ctk runtime configure --runtime=docker%s", option);
    finding_fix_command(finding, FIX_ALSO | NEEDS_ROOT, NULL, CONTAINER_RESTART_DOCKER);
}
