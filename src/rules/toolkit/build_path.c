/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/path.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/framework/framework.h"
#include "rules/remedy/remedy.h"
#include "rules/toolkit/judges.h"
#include "rules/toolkit/toolkit_choice.h"

static const char *variable_with_toolkit(const struct facts *facts)
{
    static const char *const names[] = {"CUDACXX", "CUDA_HOME", "CUDA_PATH", "CUDAToolkit_ROOT"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *value = facts_string(facts, "environment", names[i]);
        if (value && *value)
            return names[i];
    }
    return NULL;
}

/* PyTorch's builds look in /usr/local/cuda themselves. */
static bool has_active_torch(const struct rule_context *context)
{
    AUTO_FRAMEWORKS struct frameworks frameworks = frameworks_of(context->facts, context->manifest);
    for (size_t i = 0; i < frameworks.count; i++)
        if (frameworks.items[i].active && string_equal(frameworks.items[i].name, "pytorch"))
            return true;
    return false;
}

static void path_of_build(struct rule_context *context, const struct toolkit_build *build)
{
    const struct facts *facts = context->facts;
    const struct judged_toolkit *toolkit = build->toolkit;
    if (!rule_require_fact(context, "toolkit", "nvcc_on_path"))
        return;
    const char *variable = variable_with_toolkit(facts);
    if (facts_string(facts, "toolkit", "nvcc_on_path"))
        return;
    if (variable) {
        rule_skip(context, "%s names a toolkit", variable);
        return;
    }
    if (facts_string(facts, "environment", "SUDO_UID")) {
        rule_skip(context, "PATH is sudo's, not the user's");
        return;
    }
    bool looked_for = facts_string(facts, "cmake", "path") && !has_active_torch(context);
    struct finding *finding = rule_found(context, looked_for ? SEVERITY_WARN : SEVERITY_INFO,
                                         "no nvcc is on PATH, and no variable names the CUDA "
                                         "toolkit in %s",
                                         toolkit->path);
    finding_subject(finding, toolkit->path);
    finding_why(finding, "CMake and Makefiles look for nvcc on PATH: \"The CUDA compiler "
                         "identification is unknown\"; PyTorch's builds find /usr/local/cuda");
    finding_evidence(finding, facts, "toolkit", "nvcc_on_path");
    finding_evidence(finding, facts, "environment", "PATH");
    finding_evidence(finding, facts, toolkit->group, "path");
    finding_evidence(finding, facts, "cmake", "path");
    toolkit_fix_use(finding, NULL, toolkit);
    AUTO_FREE char *quoted = shell_quote(toolkit->path);
    finding_fix_command(finding, FIX_SHELL, "or for CMake alone", "export CUDACXX=%s/bin/nvcc",
                        quoted);
}

void judge_nvcc_not_on_path(struct rule_context *context)
{
    rule_judge_build(context, path_of_build);
}

/* The toolkit whose directory has that path; NULL: none. */
static const struct judged_toolkit *toolkit_with(const struct judged_toolkits *toolkits,
                                                 const char *path, const char *standard)
{
    static const char usual[] = "/usr/local/cuda";
    for (size_t i = 0; path && i < toolkits->count; i++) {
        const char *root = toolkits->items[i].path;
        if (path_is_below(path, root) ||
            (string_equal(root, standard) && path_is_below(path, usual)))
            return &toolkits->items[i];
    }
    return NULL;
}

static struct finding *gone_found(struct rule_context *context, const char *cache,
                                  const char *compiler)
{
    struct finding *finding =
        rule_found(context, SEVERITY_FAIL, "%s names the CUDA compiler %s, which is not there",
                   cache, compiler);
    finding_subject(finding, cache);
    finding_why(finding, "CMake keeps the compiler that it found first, also when the toolkit is "
                         "removed or updated: \"is not a full path to an existing compiler tool\"");
    return finding;
}

static struct finding *headers_found(struct rule_context *context, const char *cache,
                                     const struct judged_toolkit *compiler,
                                     const struct judged_toolkit *headers)
{
    struct finding *finding =
        rule_found(context, SEVERITY_WARN,
                   "%s has the compiler of CUDA %s (%s) and the headers of CUDA %s (%s)", cache,
                   compiler->text, compiler->path, headers->text, headers->path);
    finding_subject(finding, cache);
    finding_why(finding, "CMake kept one of them and searched again for the other: a program then "
                         "contains parts of two CUDA versions, or the build stops");
    return finding;
}

void judge_cmake_cache_other_toolkit(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    if (!rule_require_build(context))
        return;
    const char *cache = facts_string(facts, "cmake", "cache");
    const char *compiler = facts_string(facts, "cmake", "cache_compiler");
    const char *standard = facts_string(facts, "toolkit", "default");
    if (cache == NULL || compiler == NULL) {
        rule_skip(context, "no CMakeCache.txt with a CUDA compiler is in this directory");
        return;
    }
    if (!rule_require_fact(context, "cmake", "cache_compiler_there"))
        return;
    bool there = true;
    AUTO_TOOLKITS struct judged_toolkits toolkits = judged_toolkits(facts);
    const struct judged_toolkit *own = toolkit_with(&toolkits, compiler, standard);
    const struct judged_toolkit *headers =
        toolkit_with(&toolkits, facts_string(facts, "cmake", "cache_headers"), standard);
    struct finding *finding;
    if (facts_boolean(facts, "cmake", "cache_compiler_there", &there) && !there)
        finding = gone_found(context, cache, compiler);
    else if (toolkit_differs(own, headers))
        finding = headers_found(context, cache, own, headers);
    else
        return;
    AUTO_FREE char *quoted = shell_quote(cache);
    finding_evidence(finding, facts, "cmake", "cache_compiler");
    finding_evidence(finding, facts, "cmake", "cache_headers");
    finding_fix_command(finding, FIX_SHELL, "then run CMake: it searches for CUDA again", "rm %s",
                        quoted);
}
