/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/query/judged.h"
#include "rules/remedy/remedy.h"
#include "rules/system/resources.h"
#include "rules/toolkit/judges.h"
#include "rules/toolkit/toolkit_choice.h"

/* nvcc_missing: nothing here compiles CUDA. Building programs is more than compiling CUDA, and an
 * image of runtime libraries is a good image: so it fails only where it is known that CUDA is to be
 * compiled (docs/decisions/0007-nvcc-missing-needs-a-sign.md). */

enum nvcc { NVCC_NONE, NVCC_OFF_PATH, NVCC_HERE, NVCC_UNKNOWN };

/* A toolkit that builds find by themselves, or that a variable names. */
static bool is_found_by_builds(const struct facts *facts, const struct judged_toolkit *toolkit,
                               const struct judged_toolkits *toolkits)
{
    static const char *const names[] = {"CUDA_HOME", "CUDA_PATH", "CUDAToolkit_ROOT", "PATH",
                                        "CONDA_PREFIX"};
    const char *origin = facts_string(facts, toolkit->group, "origin");
    if (!string_equal(origin, "wheel") && !string_equal(origin, "conda"))
        return !judged_toolkit_is_idle(facts, toolkit);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (judged_toolkit_named(facts, toolkits, names[i]) == toolkit)
            return true;
    return false;
}

static enum nvcc nvcc_of(const struct facts *facts, const struct judged_toolkits *toolkits,
                         const struct judged_toolkit **ret_toolkit)
{
    enum nvcc found = NVCC_NONE;
    if (facts_string(facts, "toolkit", "nvcc_on_path"))
        return NVCC_HERE;
    for (size_t i = 0; i < toolkits->count; i++) {
        const struct judged_toolkit *toolkit = &toolkits->items[i];
        const struct strlist *missing = facts_list(facts, toolkit->group, "missing");
        if (missing == NULL && found == NVCC_NONE)
            found = NVCC_UNKNOWN;
        if (missing == NULL || strlist_has(missing, "nvcc"))
            continue;
        if (is_found_by_builds(facts, toolkit, toolkits))
            return NVCC_HERE;
        found = NVCC_OFF_PATH;
        *ret_toolkit = toolkit;
    }
    return found;
}

/* What shows that CUDA is to be compiled here; NULL: nothing does. */
static const char *sign_of(const struct rule_context *context,
                           const struct judged_toolkits *toolkits)
{
    static const char *const parts[] = {"ptxas", "cicc", "headers"};
    const char *home = facts_string(context->facts, "environment", "CUDA_HOME");
    if (context->purpose_given)
        return "--for build";
    if (home && *home)
        return "CUDA_HOME is set";
    for (size_t i = 0; i < toolkits->count; i++) {
        const struct strlist *missing =
            facts_list(context->facts, toolkits->items[i].group, "missing");
        const char *origin = facts_string(context->facts, toolkits->items[i].group, "origin");
        for (size_t k = 0; missing && k < sizeof(parts) / sizeof(parts[0]); k++)
            if (!strlist_has(missing, parts[k]) && !string_equal(origin, "wheel"))
                return "a toolkit has the files for compiling";
    }
    return NULL;
}

/* The wheels of CUDA 11 and 12 with nvcc in their names: they have ptxas and headers. */
static void add_wheel_without_nvcc(const struct facts *facts, struct finding *finding)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "wheel", &i)) != NULL;) {
        const char *name = facts_string(facts, group, "name");
        if (name == NULL || !string_starts(name, "nvidia-cuda-nvcc-cu1"))
            continue;
        finding_evidence(finding, facts, group, "name");
        finding_fix_note(finding, FIX_ADVICE,
                         "the Python package %s has ptxas and headers, but no nvcc; the package "
                         "nvidia-cuda-nvcc of CUDA 13 has one",
                         name);
        return;
    }
}

static void missing_found(struct rule_context *context, const struct judged_toolkits *toolkits,
                          const char *sign)
{
    const struct facts *facts = context->facts;
    struct finding *finding =
        rule_found(context, SEVERITY_FAIL, "no nvcc is on PATH, in CUDA_HOME or in a CUDA toolkit");
    finding_why(finding,
                "CUDA code is compiled by nvcc, which is part of the CUDA toolkit, not of a driver "
                "or of a framework's Python package (checked because: %s)",
                sign);
    finding_evidence(finding, facts, "toolkit", "nvcc_on_path");
    finding_evidence(finding, facts, "toolkit", "count");
    finding_evidence(finding, facts, "environment", "CUDA_HOME");
    if (!resources_installer_failed(context, finding) &&
        !finding_follows(context, finding, "toolkit_incomplete") && toolkits->count == 0 &&
        facts_string(facts, "toolkit", "default_link"))
        finding_follows(context, finding, "usr_local_cuda_wrong_version");
    remedy_install_toolkit(context, finding, toolkits->count ? &toolkits->items[0].version : NULL);
    add_wheel_without_nvcc(facts, finding);
    finding_fix_note(finding, FIX_ADVICE,
                     "in a container: build from the image's -devel variant, which has nvcc");
}

static void off_path_found(struct rule_context *context, const struct judged_toolkit *toolkit)
{
    struct finding *finding =
        rule_found(context, SEVERITY_WARN,
                   "nvcc is only in %s, where builds do not look by default", toolkit->path);
    finding_subject(finding, toolkit->path);
    finding_why(finding, "build systems look in CUDA_HOME, on PATH and in /usr/local/cuda");
    finding_evidence(finding, context->facts, toolkit->group, "path");
    finding_evidence(finding, context->facts, "toolkit", "nvcc_on_path");
    toolkit_fix_use(finding, NULL, toolkit);
}

void judge_nvcc_missing(struct rule_context *context)
{
    if (!rule_require_build(context) || !rule_require_fact(context, "toolkit", "count"))
        return;
    AUTO_TOOLKITS struct judged_toolkits toolkits = judged_toolkits(context->facts);
    const char *sign = sign_of(context, &toolkits);
    if (sign == NULL) {
        rule_skip(context, "nothing shows that CUDA is compiled here");
        return;
    }
    const struct judged_toolkit *toolkit = NULL;
    switch (nvcc_of(context->facts, &toolkits, &toolkit)) {
    case NVCC_HERE:
        break;
    case NVCC_OFF_PATH:
        off_path_found(context, toolkit);
        break;
    case NVCC_UNKNOWN:
        rule_unknown(context, "it is not known which files the toolkits here contain");
        break;
    case NVCC_NONE:
        missing_found(context, &toolkits, sign);
        break;
    }
}
