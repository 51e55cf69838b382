/* SPDX-License-Identifier: MIT */
#include "rules/toolkit/cudnn_framework.h"

#include <string.h>

#include "base/shell.h"
#include "manifest/toolkit/cudnn.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"

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

const char *cudnn_part_of_user(const struct framework_loads *loads, const char *path,
                               const char *soname)
{
    const char *found = NULL;
    for (size_t i = 0; i < loads->count; i++) {
        const struct framework_load *load = &loads->items[i];
        if (!string_starts(load->soname, "libcudnn.so.") || !string_equal(load->real_path, path))
            continue;
        const struct framework_load *part = framework_loads_got(loads, load->framework, soname);
        const char *real = part ? part->real_path : NULL;
        if (real && load->framework->active)
            return real;
        found = found ? found : real;
    }
    return found;
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

unsigned cudnn_major_of(const char *soname)
{
    struct version major;
    const char *number = soname ? strstr(soname, ".so.") : NULL;
    return number && version_parse_prefix(number + strlen(".so."), &major) ? major.part[0] : 0;
}

void cudnn_fix_wheel(const struct rule_context *context, struct finding *finding,
                     const struct framework_load *load)
{
    const struct version *cuda = &load->framework->cuda;
    const struct manifest_cudnn_wheel *wheel =
        cuda->count ? manifest_cudnn_wheel_find(context->manifest, cuda->part[0]) : NULL;
    unsigned major = cudnn_major_of(load->soname);
    AUTO_FREE char *pip = framework_pip(load->framework);
    if (wheel == NULL || major == 0 || framework_on_jetson(context->facts))
        return;
    finding_fix_command(finding, FIX_SHELL, "in that environment", "%s install '%s==%u.*'", pip,
                        wheel->package, major);
    if (string_equal(load->framework->name, "onnxruntime"))
        finding_fix_note(finding, FIX_ADVICE,
                         "then let the program call onnxruntime.preload_dlls() before its first "
                         "session, or import torch first");
}

static bool is_cudnn_wheel(const struct facts *facts, const char *group)
{
    const char *name = facts_string(facts, group, "name");
    return name && string_starts(name, "nvidia-cudnn") &&
           string_equal(facts_string(facts, group, "origin"), "wheel");
}

/* "nvidia-cudnn-cu12==9.1.0.70", which a framework of that environment pins; NULL: none says so. */
static char *pinned_wheel(const struct rule_context *context, const char *environment)
{
    AUTO_FRAMEWORKS struct frameworks frameworks = frameworks_of(context->facts, context->manifest);
    for (size_t i = 0; i < frameworks.count; i++) {
        const struct framework *framework = &frameworks.items[i];
        const char *wanted = facts_string(context->facts, framework->group, "cudnn_wanted");
        const struct manifest_cudnn_wheel *wheel =
            framework->cuda.count
                ? manifest_cudnn_wheel_find(context->manifest, framework->cuda.part[0])
                : NULL;
        struct version version;
        if (wheel && wanted && string_equal(framework->environment, environment) &&
            version_parse(wanted, &version) && version.count == 4)
            return mem_printf("%s==%s", wheel->package, wanted);
    }
    return NULL;
}

/* pip takes away one record of a name at a time. */
static char *removal(const char *pip, const char *first, const char *second)
{
    AUTO_FREE char *one = shell_quote(first);
    AUTO_FREE char *other = shell_quote(second);
    if (string_equal(first, second))
        return mem_printf("%s uninstall -y %s && %s uninstall -y %s", pip, one, pip, other);
    return mem_printf("%s uninstall -y %s %s", pip, one, other);
}

static void clash_fix(const struct rule_context *context, struct finding *finding,
                      const char *environment, const char *a, const char *b)
{
    const struct facts *facts = context->facts;
    struct framework owner = {.environment = environment};
    AUTO_FREE char *pip = framework_pip(&owner);
    AUTO_FREE char *away =
        removal(pip, facts_string(facts, a, "name"), facts_string(facts, b, "name"));
    AUTO_FREE char *pinned = pinned_wheel(context, environment);
    if (pinned)
        finding_fix_command(finding, FIX_SHELL,
                            "removes both packages and installs the one that the framework pins",
                            "%s && %s install --no-deps %s", away, pip, pinned);
    else
        finding_fix_command(finding, FIX_SHELL,
                            "removes both packages; then install the package that the framework "
                            "pins (pip check names that package)",
                            "%s", away);
}

static void clash_found(struct rule_context *context, const char *a, const char *b)
{
    const struct facts *facts = context->facts;
    const char *python = facts_string(facts, a, "python");
    const char *environment = facts_string(facts, a, "environment");
    const char *directory = facts_string(facts, a, "directory");
    bool active = python && facts_true(facts, python, "active");
    struct finding *finding =
        rule_found(context, active ? severity_for_use(context->purpose) : SEVERITY_INFO,
                   "the packages %s %s and %s %s are both recorded in %s, in one directory",
                   facts_string(facts, a, "name"), facts_string(facts, a, "version"),
                   facts_string(facts, b, "name"), facts_string(facts, b, "version"),
                   environment ? environment : "an environment");
    finding_subject(finding, directory);
    finding_why(finding,
                "the two packages have the same files: the package installed last overwrote the "
                "other, but files that exist only in the other remain; parts of two releases "
                "reject each other (CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH)");
    finding_evidence(finding, facts, a, "version");
    finding_evidence(finding, facts, b, "version");
    finding_evidence(finding, facts, a, "directory");
    clash_fix(context, finding, environment ? environment : "/", a, b);
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
    return directory && share_a_major(facts, a, b) &&
           string_equal(directory, facts_string(facts, b, "directory")) &&
           (!string_equal(facts_string(facts, a, "name"), facts_string(facts, b, "name")) ||
            !string_equal(facts_string(facts, a, "version"), facts_string(facts, b, "version")));
}

void cudnn_find_mixed_wheels(struct rule_context *context)
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
