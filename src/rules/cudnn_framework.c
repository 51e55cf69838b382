/* SPDX-License-Identifier: MIT */
#include "rules/cudnn_framework.h"

#include <string.h>

#include "base/shell.h"

enum cudnn_user cudnn_user_of(const struct facts *facts, struct manifest *manifest,
                              const char *path)
{
    AUTO_FRAMEWORKS struct frameworks frameworks = frameworks_of(facts, manifest);
    AUTO_LOADS struct framework_loads loads = framework_loads_of(facts, &frameworks);
    enum cudnn_user user = CUDNN_USER_NONE;
    for (size_t i = 0; i < loads.count; i++) {
        const struct framework_load *load = &loads.items[i];
        if (!string_starts(load->soname, "libcudnn.so.") || !string_equal(load->real_path, path))
            continue;
        if (load->framework->active)
            return CUDNN_USER_ACTIVE;
        user = CUDNN_USER_IDLE;
    }
    return user;
}

bool cudnn_is_private(const struct facts *facts, const char *group)
{
    const char *path = facts_string(facts, group, "path");
    return path && judged_library_has_origin(facts, group, "wheel") &&
           strstr(path, "/nvidia/") == NULL;
}

enum severity cudnn_severity_of_load(const struct rule_context *context,
                                     const struct framework_load *load)
{
    AUTO_FRAMEWORK_GPUS struct framework_gpus gpus = framework_gpus(context);
    return gpus.count ? framework_severity(context, load->framework) : SEVERITY_INFO;
}

void cudnn_fix_wheel(struct finding *finding, const struct framework_load *load)
{
    struct version major;
    const char *number = strstr(load->soname, ".so.");
    AUTO_FREE char *pip = framework_pip(load->framework);
    if (load->framework->cuda.count && number &&
        version_parse_prefix(number + strlen(".so."), &major))
        finding_fix_command(finding, false, false, "in that environment",
                            "%s install 'nvidia-cudnn-cu%u==%u.*'", pip,
                            load->framework->cuda.part[0], major.part[0]);
    if (string_equal(load->framework->name, "onnxruntime"))
        finding_fix_note(finding, false, false,
                         "then let the program call onnxruntime.preload_dlls() before its first "
                         "session, or import torch first");
}

static bool is_cudnn_wheel(const struct facts *facts, const char *group)
{
    const char *name = facts_string(facts, group, "name");
    return name && string_starts(name, "nvidia-cudnn") &&
           string_equal(facts_string(facts, group, "origin"), "wheel");
}

static void clash_found(struct rule_context *context, const char *a, const char *b)
{
    const struct facts *facts = context->facts;
    const char *python = facts_string(facts, a, "python");
    const char *environment = facts_string(facts, a, "environment");
    const char *directory = facts_string(facts, a, "directory");
    bool active = python && facts_true(facts, python, "active");
    struct finding *finding = rule_found(
        context, active ? severity_for_use(context->profile) : SEVERITY_INFO,
        "%s %s and %s %s are both recorded in %s, in one directory", facts_string(facts, a, "name"),
        facts_string(facts, a, "version"), facts_string(facts, b, "name"),
        facts_string(facts, b, "version"), environment ? environment : "an environment");
    finding_subject(finding, directory);
    finding_why(finding,
                "they have the same files: what was installed last wrote over the other, "
                "and what only one of them has is left of it; parts of two releases refuse "
                "each other (CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH)");
    finding_evidence(finding, facts, a, "version");
    finding_evidence(finding, facts, b, "version");
    finding_evidence(finding, facts, a, "directory");
    struct framework owner = {.environment = environment ? environment : "/"};
    AUTO_FREE char *pip = framework_pip(&owner);
    AUTO_FREE char *first = shell_quote(facts_string(facts, a, "name"));
    AUTO_FREE char *second = shell_quote(facts_string(facts, b, "name"));
    finding_fix_command(finding, false, false,
                        "then the one that the framework pins (pip check names it)",
                        "%s uninstall -y %s %s", pip, first, second);
    finding_fix_command(finding, false, false,
                        "for torch: it brings its own again, with the release that it pins",
                        "%s install --force-reinstall torch", pip);
}

/* Libraries of two majors have different names and lie side by side: libcudnn.so.8, .so.9. */
static bool share_a_major(const struct facts *facts, const char *a, const char *b)
{
    const struct strlist *first = facts_list(facts, a, "libraries");
    const struct strlist *second = facts_list(facts, b, "libraries");
    if (first == NULL || second == NULL || first->count == 0 || second->count == 0)
        return true;
    for (size_t i = 0; i < first->count; i++)
        for (size_t k = 0; k < second->count; k++)
            if (string_equal(strstr(first->items[i], ".so"), strstr(second->items[k], ".so")))
                return true;
    return false;
}

static bool is_clash(const struct facts *facts, const char *a, const char *b)
{
    const char *directory = facts_string(facts, a, "directory");
    return directory && share_a_major(facts, a, b) && string_equal(directory, facts_string(facts, b, "directory")) &&
           (!string_equal(facts_string(facts, a, "name"), facts_string(facts, b, "name")) ||
            !string_equal(facts_string(facts, a, "version"), facts_string(facts, b, "version")));
}

void judge_cudnn_wheels(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *a, *b;
    for (size_t i = 0; (a = facts_next(facts, "wheel", &i)) != NULL;) {
        if (!is_cudnn_wheel(facts, a))
            continue;
        for (size_t k = i; (b = facts_next(facts, "wheel", &k)) != NULL;)
            if (is_cudnn_wheel(facts, b) && is_clash(facts, a, b))
                clash_found(context, a, b);
    }
}
