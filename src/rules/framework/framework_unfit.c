/* SPDX-License-Identifier: MIT */
#include "rules/framework/framework_unfit.h"

#include <string.h>

#include "base/shell.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/framework/judges.h"

/* framework_for_another_system: a wheel whose tags do not fit. framework_requirement_missing: what
 * a framework is a part of is not there. python_environment_broken: an environment whose Python is
 * gone. */

static const char *python_version(const struct facts *facts, const struct framework *framework)
{
    const char *python = facts_string(facts, framework->group, "python");
    return python ? facts_string(facts, python, "version") : NULL;
}

static char *for_another_python(const struct facts *facts, const struct framework *framework)
{
    const struct fact *fits = facts_get(facts, framework->group, "python_fits");
    const struct strlist *tags = facts_list(facts, framework->group, "tags");
    const char *version = python_version(facts, framework);
    if (framework->conda || fits == NULL || fits->state != FACT_VALUE ||
        facts_true(facts, framework->group, "python_fits") || tags == NULL || tags->count == 0)
        return NULL;
    return mem_printf("the wheel has the tag %s, but this environment has Python %s",
                      tags->items[0], version ? version : "of a different version");
}

/* What is made for a Jetson, or lies there by mistake, has a cause of its own. */
static char *for_another_machine(const struct facts *facts, const struct framework *framework)
{
    const char *platform = facts_string(facts, framework->group, "platform");
    const char *machine = judged_architecture(facts);
    if (platform == NULL || machine == NULL || framework_on_jetson(facts) ||
        string_equal(platform, "jetson") || string_equal(platform, machine))
        return NULL;
    return mem_printf("the wheel's libraries are for %s, but this machine's programs are for %s",
                      platform, machine);
}

static bool is_of_musl(const char *tag)
{
    return strstr(tag, "musllinux") != NULL;
}

static char *for_another_libc(const struct facts *facts, const struct framework *framework)
{
    const struct strlist *tags = facts_list(facts, framework->group, "tags");
    if (tags == NULL || tags->count == 0 || facts_string(facts, "os", "glibc_version") == NULL)
        return NULL;
    for (size_t i = 0; i < tags->count; i++)
        if (!is_of_musl(tags->items[i]))
            return NULL;
    return mem_printf("the wheel (%s) is for the C library musl, but this system has glibc",
                      tags->items[0]);
}

char *framework_unfit(const struct facts *facts, const struct framework *framework)
{
    char *why = for_another_python(facts, framework);
    why = why ? why : for_another_machine(facts, framework);
    return why ? why : for_another_libc(facts, framework);
}

/* Reinstalls a package for the Python that runs the command. */
static void fix_reinstall(struct finding *finding, const struct framework *framework,
                          const char *package, const char *note)
{
    AUTO_FREE char *pip = framework_pip(framework);
    AUTO_FREE char *quoted = shell_quote(package);
    finding_fix_command(finding, FIX_SHELL, note, "%s install --force-reinstall --no-deps %s", pip,
                        quoted);
}

static void unfit_found(struct rule_context *context, const struct framework *framework,
                        const char *why)
{
    const struct facts *facts = context->facts;
    AUTO_FREE char *words = framework_words(framework);
    struct finding *finding = rule_found(context, framework_severity(context, framework),
                                         "%s cannot be loaded here: %s", words, why);
    finding_why(finding, "compiled modules load only with the Python version, processor and C "
                         "library that they were built for");
    framework_finding(context, finding, framework);
    finding_evidence(finding, facts, framework->group, "tags");
    finding_evidence(finding, facts, framework->group, "platform");
    AUTO_FREE char *release = mem_printf("%s==%.*s", framework->package,
                                         (int)strcspn(framework->version, "+"), framework->version);
    fix_reinstall(finding, framework, release,
                  "the build of that release for this Python and machine, if there is one");
    framework_fix_build(context, finding, framework);
}

/* NumPy and the like, which frameworks import: "numpy 2.2.0: cp312-cp312-musllinux_1_2_x86_64". */
static void misfit_found(struct rule_context *context, const char *python, const char *misfit)
{
    const struct facts *facts = context->facts;
    const char *directory = facts_string(facts, python, "directory");
    const struct framework owner = {.environment = directory ? directory : "/"};
    AUTO_FREE char *package = mem_string_n(misfit, strcspn(misfit, " "));
    bool active = facts_true(facts, python, "active");
    struct finding *finding =
        rule_found(context, active ? severity_for_use(context->purpose) : SEVERITY_INFO,
                   "%s in %s cannot be loaded here: its wheel does not fit this system", misfit,
                   owner.environment);
    finding_subject(finding, directory);
    finding_why(finding, "compiled modules load only with the Python version, processor and C "
                         "library that they were built for; frameworks import this module");
    finding_evidence(finding, facts, python, "misfit");
    finding_evidence(finding, facts, python, "version");
    fix_reinstall(finding, &owner, package, "the build for this Python and machine");
}

static void judge_misfits(struct rule_context *context)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(context->facts, "python", &i)) != NULL;) {
        const struct strlist *misfit = facts_list(context->facts, group, "misfit");
        for (size_t k = 0; misfit && k < misfit->count; k++)
            misfit_found(context, group, misfit->items[k]);
    }
}

void judge_framework_for_another_system(struct rule_context *context)
{
    AUTO_FRAMEWORKS struct frameworks frameworks = frameworks_of(context->facts, context->manifest);
    if (!rule_require_frameworks(context, &frameworks))
        return;
    for (size_t i = 0; i < frameworks.count; i++) {
        AUTO_FREE char *why = framework_unfit(context->facts, &frameworks.items[i]);
        if (why)
            unfit_found(context, &frameworks.items[i], why);
    }
    judge_misfits(context);
}

/* "numpy<2.0: 2.2.0 is": of the part behind the colon, the size of the release; 0: there is none.
 */
static size_t release_size(const char *have)
{
    return string_starts(have, ": ") && string_ends(have, " is") && strlen(have) > strlen(":  is")
               ? strlen(have) - strlen(":  is")
               : 0;
}

static void requirement_found(struct rule_context *context, const struct framework *framework,
                              const char *missing)
{
    const struct facts *facts = context->facts;
    size_t size = strcspn(missing, ":");
    size_t other = release_size(missing + size);
    AUTO_FREE char *words = framework_words(framework);
    AUTO_FREE char *need = mem_string_n(missing, size);
    AUTO_FREE char *have = other ? mem_string_n(missing + size + strlen(": "), other) : NULL;
    struct finding *finding =
        other ? rule_found(context, framework_severity(context, framework),
                           "%s requires %s, but NumPy %s is installed", words, need, have)
              : rule_found(context, framework_severity(context, framework),
                           "%s requires the package %s, which is not installed", words, need);
    finding_why(
        finding, "%s",
        other
            ? "the framework's modules are compiled for NumPy 1 and cannot be imported with NumPy 2"
            : "the framework needs that package: without it, the import fails, or no GPU is found");
    framework_finding(context, finding, framework);
    finding_evidence(finding, facts, framework->group, "requires_missing");
    AUTO_FREE char *pip = framework_pip(framework);
    AUTO_FREE char *pin = string_starts(need, "jax-cuda")
                              ? mem_printf("%s==%s", need, framework->version)
                              : mem_string(need);
    AUTO_FREE char *quoted = shell_quote(pin);
    finding_fix_command(finding, FIX_SHELL, "in that environment", "%s install %s", pip, quoted);
}

/* "numba.core.removerefctpass: numba 0.68.1" */
static bool is_module_gone(const char *missing)
{
    return strstr(missing, ": ") != NULL && release_size(missing + strcspn(missing, ":")) == 0;
}

static void module_found(struct rule_context *context, const struct framework *framework,
                         const char *missing)
{
    size_t size = strcspn(missing, ":");
    AUTO_FREE char *words = framework_words(framework);
    AUTO_FREE char *pip = framework_pip(framework);
    AUTO_FREE char *package = shell_quote(framework->package);
    struct finding *finding = rule_found(context, framework_severity(context, framework),
                                         "%s imports %.*s, which %s does not have", words,
                                         (int)size, missing, missing + size + strlen(": "));
    finding_why(finding,
                "the installed release of that package is newer than %s expects: import "
                "fails with \"cannot import name\"",
                framework->package);
    framework_finding(context, finding, framework);
    finding_evidence(finding, context->facts, framework->group, "requires_missing");
    finding_fix_command(finding, FIX_SHELL, "a release that is made for it",
                        "%s install --upgrade %s", pip, package);
}

void judge_framework_requirement_missing(struct rule_context *context)
{
    AUTO_FRAMEWORKS struct frameworks frameworks = frameworks_of(context->facts, context->manifest);
    if (!rule_require_frameworks(context, &frameworks))
        return;
    for (size_t i = 0; i < frameworks.count; i++) {
        const struct strlist *missing =
            facts_list(context->facts, frameworks.items[i].group, "requires_missing");
        if (missing && missing->count > 0 && is_module_gone(missing->items[0]))
            module_found(context, &frameworks.items[i], missing->items[0]);
        else if (missing && missing->count > 0)
            requirement_found(context, &frameworks.items[i], missing->items[0]);
    }
}

void judge_python_environment_broken(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *group;
    const struct fact *count = facts_get(facts, "python", "count");
    if (count == NULL || count->state == FACT_ABSENT) {
        rule_skip(context, "no Python environment is in the record");
        return;
    }
    if (count->state == FACT_UNKNOWN)
        rule_require_fact(context, "python", "count");
    for (size_t i = 0; (group = facts_next(facts, "python", &i)) != NULL;) {
        const char *broken = facts_string(facts, group, "program_broken");
        const char *directory = facts_string(facts, group, "directory");
        if (broken == NULL || directory == NULL)
            continue;
        bool active = facts_true(facts, group, "active");
        AUTO_FREE char *quoted = shell_quote(directory);
        struct finding *finding =
            rule_found(context, active ? severity_for_use(context->purpose) : SEVERITY_INFO,
                       "the Python environment %s has no Python: %s", directory, broken);
        finding_subject(finding, directory);
        finding_why(
            finding,
            "the Python that the environment was created from was removed or moved: none of the "
            "environment's programs start, although all its packages are still there");
        finding_evidence(finding, facts, group, "program_broken");
        finding_evidence(finding, facts, group, "base");
        finding_fix_command(finding, FIX_SHELL,
                            "makes the environment use this Python, if this Python has the same "
                            "minor version; otherwise create the environment again",
                            "python3 -m venv --upgrade %s", quoted);
    }
}
