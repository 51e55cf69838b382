/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/path.h"
#include "base/shell.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/framework/framework_load.h"
#include "rules/framework/judges.h"

/* library_damaged: a file that a framework loads, or one of NVIDIA's packages contains, is there
 * and cannot be loaded: cut off, or a link that leads nowhere. */

/* The wheel whose directory of libraries the file lies in; NULL: none. */
static const char *wheel_at(const struct facts *facts, const char *path)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "wheel", &i)) != NULL;) {
        const char *directory = facts_string(facts, group, "directory");
        const struct strlist *libraries = facts_list(facts, group, "libraries");
        if (directory && path_is_below(path, directory) &&
            (libraries == NULL || strlist_has(libraries, path_base(path))))
            return group;
    }
    return NULL;
}

static void fix_package(const struct rule_context *context, struct finding *finding,
                        const struct framework *framework, const char *path)
{
    const struct facts *facts = context->facts;
    const char *wheel = path ? wheel_at(facts, path) : NULL;
    bool own =
        wheel == NULL && path && path_is_below(path, framework->environment) && !framework->conda;
    AUTO_FREE char *pip = framework_pip(framework);
    if (wheel == NULL && !own) {
        finding_fix_note(finding, FIX_ADVICE,
                         "reinstall the package that contains this file (the package manager knows "
                         "which), or remove the file or link if a complete copy exists elsewhere");
        return;
    }
    AUTO_FREE char *pin = wheel ? mem_printf("%s==%s", facts_string(facts, wheel, "name"),
                                             facts_string(facts, wheel, "version"))
                                : mem_printf("%s==%s", framework->package, framework->version);
    AUTO_FREE char *quoted = shell_quote(pin);
    finding_fix_command(finding, FIX_SHELL, "reinstalls only the files of this package",
                        "%s install --force-reinstall --no-cache-dir --no-deps %s", pip, quoted);
}

/* "PATH: truncated: …", "PATH is a link to …": the path. free() it. */
static char *path_of(const char *damage)
{
    const char *colon = strstr(damage, ": "), *link = strstr(damage, " is a link to ");
    const char *end = link ? link : colon;
    return end ? mem_string_n(damage, (size_t)(end - damage)) : NULL;
}

static void damaged_found(struct rule_context *context, const struct framework *framework,
                          const char *group, const char *damage)
{
    const struct facts *facts = context->facts;
    AUTO_FREE char *words = framework_words(framework);
    AUTO_FREE char *path = path_of(damage);
    struct finding *finding = rule_found(context, framework_severity(context, framework),
                                         "%s loads a damaged library: %s", words, damage);
    finding_why(finding, "a truncated file stops the program with a bus error (SIGBUS) or \"file "
                         "too short\", and the loader ignores a link that leads nowhere; usual "
                         "causes are a full disk and an interrupted copy or installation");
    framework_finding(context, finding, framework);
    finding_evidence(finding, facts, group, "damaged");
    fix_package(context, finding, framework, path);
}

static bool is_told(const struct strlist *told, const char *file)
{
    for (size_t i = 0; i < told->count; i++)
        if (strstr(told->items[i], file))
            return true;
    return false;
}

/* Of one of NVIDIA's packages, loaded by a program that gpuenv does not follow, or by none. */
static void wheel_found(struct rule_context *context, const char *wheel, const char *file)
{
    const struct facts *facts = context->facts;
    const char *environment = facts_string(facts, wheel, "environment");
    const char *python = facts_string(facts, wheel, "python");
    const char *name = facts_string(facts, wheel, "name");
    enum severity severity = severity_for_use(context->purpose);
    struct framework owner = {.environment = environment ? environment : "/"};
    bool active = python && facts_true(facts, python, "active");
    AUTO_FREE char *pip = framework_pip(&owner);
    AUTO_FREE char *pin = mem_printf("%s==%s", name, facts_string(facts, wheel, "version"));
    AUTO_FREE char *quoted = shell_quote(pin);
    struct finding *finding =
        rule_found(context,
                   !active                     ? SEVERITY_INFO
                   : severity == SEVERITY_FAIL ? SEVERITY_WARN
                                               : severity,
                   "%s of package %s in %s is truncated", file, name, owner.environment);
    finding_subject(finding, environment);
    finding_why(finding, "a program that loads it stops with a bus error (SIGBUS) or \"file too "
                         "short\"; usual causes are a full disk and an interrupted copy or "
                         "installation");
    finding_evidence(finding, facts, wheel, "broken");
    finding_fix_command(finding, FIX_SHELL, "installs its files again, and nothing else",
                        "%s install --force-reinstall --no-cache-dir --no-deps %s", pip, quoted);
}

static void judge_wheels(struct rule_context *context, const struct strlist *told)
{
    static const char cut[] = "cut off: ";
    const char *group;
    for (size_t i = 0; (group = facts_next(context->facts, "wheel", &i)) != NULL;) {
        const struct strlist *broken = facts_list(context->facts, group, "broken");
        for (size_t k = 0; broken && k < broken->count; k++)
            if (string_starts(broken->items[k], cut) &&
                !is_told(told, broken->items[k] + strlen(cut)))
                wheel_found(context, group, broken->items[k] + strlen(cut));
    }
}

void judge_library_damaged(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    AUTO_FRAMEWORKS struct frameworks frameworks = frameworks_of(facts, context->manifest);
    AUTO_LOADS struct framework_loads loads = framework_loads_of(facts, &frameworks);
    AUTO_STRLIST struct strlist told = {0};
    if (!rule_require_frameworks(context, &frameworks))
        return;
    for (size_t i = 0; i < loads.count; i++) {
        const struct framework_load *load = &loads.items[i];
        if (load->damaged && strlist_add_new(&told, load->damaged))
            damaged_found(context, load->framework, load->group, load->damaged);
    }
    for (size_t i = 0; i < frameworks.count; i++) {
        const struct framework *framework = &frameworks.items[i];
        const struct strlist *damaged = facts_list(facts, framework->group, "damaged");
        for (size_t k = 0; damaged && k < damaged->count; k++)
            if (strlist_add_new(&told, damaged->items[k]))
                damaged_found(context, framework, framework->group, damaged->items[k]);
    }
    judge_wheels(context, &told);
}
