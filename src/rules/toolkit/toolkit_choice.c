/* SPDX-License-Identifier: MIT */
#include "rules/toolkit/toolkit_choice.h"

#include "rules/engine/finding.h"
#include "rules/remedy/remedy.h"

static const struct judged_toolkit *toolkit_of_nvcc(const struct facts *facts,
                                                    const struct judged_toolkits *toolkits)
{
    const struct judged_toolkit *named = judged_toolkit_named(facts, toolkits, "PATH");
    const char *nvcc = facts_string(facts, "toolkit", "nvcc_on_path");
    for (size_t i = 0; named == NULL && nvcc && i < toolkits->count; i++) {
        AUTO_FREE char *own = mem_printf("%s/bin/nvcc", toolkits->items[i].path);
        if (string_equal(own, nvcc))
            named = &toolkits->items[i];
    }
    return named;
}

struct toolkit_choices toolkit_choices_of(const struct facts *facts,
                                          const struct judged_toolkits *toolkits)
{
    struct toolkit_choices choices = {.standard = NULL};
    const char *standard = facts_string(facts, "toolkit", "default");
    for (size_t i = 0; standard && i < toolkits->count; i++)
        if (string_equal(toolkits->items[i].path, standard))
            choices.standard = &toolkits->items[i];
    choices.home = judged_toolkit_named(facts, toolkits, "CUDA_HOME");
    choices.home_name = choices.home ? "CUDA_HOME" : "CUDA_PATH";
    if (choices.home == NULL)
        choices.home = judged_toolkit_named(facts, toolkits, "CUDA_PATH");
    choices.cudacxx = judged_toolkit_named(facts, toolkits, "CUDACXX");
    choices.cmake_root = judged_toolkit_named(facts, toolkits, "CUDAToolkit_ROOT");
    choices.path = toolkit_of_nvcc(facts, toolkits);
    return choices;
}

const struct judged_toolkit *toolkit_chosen(const struct toolkit_choices *choices)
{
    if (choices->home)
        return choices->home;
    if (choices->cudacxx)
        return choices->cudacxx;
    return choices->path ? choices->path : choices->standard;
}

const char *toolkit_chosen_by(const struct toolkit_choices *choices)
{
    if (choices->home)
        return choices->home_name;
    if (choices->cudacxx)
        return "CUDACXX";
    return choices->path ? "PATH" : "/usr/local/cuda";
}

/* False, and the check is ended, where that toolkit has no nvcc. */
static bool require_nvcc(struct rule_context *context, const struct judged_toolkit *chosen)
{
    const struct strlist *missing =
        chosen ? facts_list(context->facts, chosen->group, "missing") : NULL;
    if (chosen == NULL)
        rule_skip(context, "builds find no CUDA toolkit here");
    else if (missing == NULL)
        rule_unknown(context, "it is not known whether the toolkit in %s has nvcc", chosen->path);
    else if (strlist_has(missing, "nvcc"))
        rule_skip(context, "the toolkit in %s has no nvcc", chosen->path);
    else
        return true;
    return false;
}

bool rule_require_build(struct rule_context *context)
{
    if (context->purpose != PURPOSE_BUILD)
        rule_skip(context, "nothing is built here");
    return context->purpose == PURPOSE_BUILD;
}

void rule_judge_build(struct rule_context *context,
                      void (*judge)(struct rule_context *context,
                                    const struct toolkit_build *build))
{
    if (!rule_require_build(context) || !rule_require_fact(context, "toolkit", "count") ||
        !rule_require_fact(context, "toolkit", "default"))
        return;
    AUTO_TOOLKITS struct judged_toolkits toolkits = judged_toolkits(context->facts);
    const struct toolkit_choices choices = toolkit_choices_of(context->facts, &toolkits);
    const struct toolkit_build build = {
        .toolkit = toolkit_chosen(&choices), .toolkits = &toolkits, .choices = &choices};
    if (require_nvcc(context, build.toolkit))
        judge(context, &build);
}

bool rule_require_recorded(struct rule_context *context, const char *group, const char *name)
{
    if (facts_get(context->facts, group, name))
        return rule_require_fact(context, group, name);
    rule_skip(context, "%s.%s is not in the record", group, name);
    return false;
}

bool toolkit_differs(const struct judged_toolkit *a, const struct judged_toolkit *b)
{
    if (a == NULL || b == NULL || a == b || a->version.count == 0 || b->version.count == 0)
        return false;
    struct version one = a->version, two = b->version;
    one.count = one.count > 2 ? 2 : one.count;
    two.count = two.count > 2 ? 2 : two.count;
    return version_compare(&one, &two) != 0;
}

void toolkit_fix_use(struct finding *finding, const char *note,
                     const struct judged_toolkit *toolkit)
{
    AUTO_FREE char *quoted = shell_quote(toolkit->path);
    finding_fix_command(finding, FIX_SHELL, note, "export CUDA_HOME=%s PATH=%s/bin:\"$PATH\"",
                        quoted, quoted);
}
