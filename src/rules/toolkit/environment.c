/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/path.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/query/judged.h"
#include "rules/remedy/remedy.h"
#include "rules/toolkit/judges.h"

static const char *const home_variables[] = {"CUDA_HOME", "CUDA_PATH", "CUDAToolkit_ROOT"};

/* The directory without "/bin/nvcc" or "/bin" at its end; NULL when it has neither. */
static char *without_bin(const char *value)
{
    AUTO_FREE char *path = mem_string(value);
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        path[--length] = '\0';
    static const char *const ends[] = {"/bin/nvcc", "/bin"};
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        if (!string_ends(path, ends[i]))
            continue;
        path[length - strlen(ends[i])] = '\0';
        return mem_steal(&path);
    }
    return NULL;
}

static bool is_toolkit(const struct judged_toolkits *toolkits, const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    for (size_t i = 0; i < toolkits->count; i++)
        if (strncmp(toolkits->items[i].path, path, length) == 0 &&
            toolkits->items[i].path[length] == '\0')
            return true;
    return false;
}

/* CMake reads CUDAToolkit_ROOT as a list: with ':' from the environment, with ';' its own. */
static bool list_has_toolkit(const struct judged_toolkits *toolkits, const char *value)
{
    AUTO_STRLIST struct strlist parts = {0};
    strlist_split(&parts, value, strchr(value, ';') ? ';' : ':');
    for (size_t i = 0; i < parts.count; i++)
        if (is_toolkit(toolkits, parts.items[i]))
            return true;
    return false;
}

/* What is wrong with a value; NULL when nothing is. */
static const char *fault_of(const struct facts *facts, const struct judged_toolkits *toolkits,
                            const char *variable, const char *value)
{
    if (judged_toolkit_named(facts, toolkits, variable) || is_toolkit(toolkits, value))
        return NULL;
    if (string_equal(variable, "CUDAToolkit_ROOT") && list_has_toolkit(toolkits, value))
        return NULL;
    if (strchr(value, ':'))
        return "the value must be one directory, not a list with ':'";
    AUTO_FREE char *root = without_bin(value);
    if (root)
        return "the value must be the toolkit's directory, not its bin directory";
    if (*value != '/')
        return "the value is not an absolute path";
    return "there is no CUDA toolkit in that directory";
}

/* The toolkit that the value means: one of a list, or the one around bin; else the default. */
static char *meant_by(const struct judged_toolkits *toolkits, const char *value)
{
    AUTO_STRLIST struct strlist parts = {0};
    strlist_split(&parts, value, ':');
    for (size_t i = 0; i < parts.count; i++) {
        AUTO_FREE char *root = without_bin(parts.items[i]);
        const char *path = root ? root : parts.items[i];
        if (*path == '/' && (is_toolkit(toolkits, path) || root))
            return mem_string(path);
    }
    return toolkits->count ? mem_string(toolkits->items[0].path) : NULL;
}

static void malformed_found(struct rule_context *context, const struct judged_toolkits *toolkits,
                            const char *variable, const char *fault)
{
    const struct facts *facts = context->facts;
    const char *value = facts_string(facts, "environment", variable);
    struct finding *finding = rule_found(context, severity_for_build(context->purpose),
                                         "%s is \"%s\": %s", variable, value, fault);
    finding_subject(finding, variable);
    finding_why(finding, "build systems append /bin/nvcc, /include and /lib64 to this variable, "
                         "and stop if such a file is missing");
    finding_evidence(finding, facts, "environment", variable);
    if (path_is_below(value, "/usr/local/cuda"))
        finding_follows(context, finding, "usr_local_cuda_wrong_version");
    AUTO_FREE char *meant = meant_by(toolkits, value);
    AUTO_FREE char *quoted = meant ? shell_quote(meant) : NULL;
    if (quoted)
        finding_fix_command(finding, FIX_SHELL, NULL, "export %s=%s", variable, quoted);
    else
        finding_fix_command(finding, FIX_SHELL,
                            "without this variable, builds search for a toolkit themselves",
                            "unset %s", variable);
}

/* Unset is fine, and so is empty: build systems take it for unset. */
static bool judge_variable(struct rule_context *context, const struct judged_toolkits *toolkits,
                           const char *variable)
{
    const char *value = facts_string(context->facts, "environment", variable);
    if (value == NULL || *value == '\0')
        return false;
    const char *fault = fault_of(context->facts, toolkits, variable, value);
    if (fault)
        malformed_found(context, toolkits, variable, fault);
    return true;
}

void judge_cuda_home_malformed(struct rule_context *context)
{
    if (!rule_require_fact(context, "environment", "CUDA_HOME") ||
        !rule_require_fact(context, "toolkit", "count"))
        return;
    AUTO_TOOLKITS struct judged_toolkits toolkits = judged_toolkits(context->facts);
    bool any = false;
    for (size_t i = 0; i < sizeof(home_variables) / sizeof(home_variables[0]); i++)
        any = judge_variable(context, &toolkits, home_variables[i]) || any;
    if (!any)
        rule_skip(context, "none of CUDA_HOME, CUDA_PATH and CUDAToolkit_ROOT is set");
}
