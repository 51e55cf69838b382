/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/shell.h"
#include "rules/framework.h"
#include "rules/framework_judges.h"

/* Part of cuda_libs_wrong_version: NVIDIA's wheels of two releases in one environment. One wrote
 * over the other's file, or one is older than what a framework pins. cuDNN's are judged by
 * cudnn_sublibrary_mixed. */

static bool is_of_cudnn(const char *name)
{
    return name == NULL || string_starts(name, "nvidia-cudnn");
}

/* The file that A lists, that has another size, and that B lists too: "…: nvidia/nccl/lib/X". */
static const char *overwritten(const struct facts *facts, const char *a, const char *b)
{
    const struct strlist *broken = facts_list(facts, a, "broken");
    const struct strlist *libraries = facts_list(facts, b, "libraries");
    const char *directory = facts_string(facts, a, "directory");
    if (directory == NULL || !string_equal(directory, facts_string(facts, b, "directory")))
        return NULL;
    for (size_t i = 0; broken && libraries && i < broken->count; i++) {
        const char *slash = strrchr(broken->items[i], '/');
        if (slash && string_starts(broken->items[i], "of another size") &&
            strlist_has(libraries, slash + 1))
            return slash + 1;
    }
    return NULL;
}

static bool is_older(const char *version, const char *than)
{
    struct version a, b;
    return version && than && version_parse(version, &a) && version_parse(than, &b) &&
           version_compare(&a, &b) < 0;
}

static void overwritten_found(struct rule_context *context, const char *a, const char *b,
                              const char *file)
{
    const struct facts *facts = context->facts;
    const char *environment = facts_string(facts, a, "environment");
    const char *python = facts_string(facts, a, "python");
    bool active = python && facts_true(facts, python, "active");
    struct framework owner = {.environment = environment ? environment : "/"};
    AUTO_FREE char *pip = framework_pip(&owner);
    AUTO_FREE char *first = shell_quote(facts_string(facts, a, "name"));
    AUTO_FREE char *second = shell_quote(facts_string(facts, b, "name"));
    AUTO_FREE char *pin =
        mem_printf("%s==%s", facts_string(facts, a, "name"), facts_string(facts, a, "version"));
    AUTO_FREE char *quoted = shell_quote(pin);
    struct finding *finding = rule_found(
        context, active ? severity_for_use(context->profile) : SEVERITY_INFO,
        "%s of %s %s in %s is another file: %s %s, which has the same, was installed over it", file,
        facts_string(facts, a, "name"), facts_string(facts, a, "version"), owner.environment,
        facts_string(facts, b, "name"), facts_string(facts, b, "version"));
    finding_subject(finding, facts_string(facts, a, "directory"));
    finding_why(finding,
                "both packages have that file, for two CUDA releases; what needs the newer "
                "one lacks functions in the older (\"undefined symbol\")");
    finding_evidence(finding, facts, a, "broken");
    finding_evidence(finding, facts, b, "version");
    finding_fix_command(finding, false, false, "and the one that is needed, again",
                        "%s uninstall -y %s %s && %s install %s", pip, second, first, pip, quoted);
}

static void judge_overwritten(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *a, *b;
    for (size_t i = 0; (a = facts_next(facts, "wheel", &i)) != NULL;)
        for (size_t k = 0; (b = facts_next(facts, "wheel", &k)) != NULL;) {
            const char *file = overwritten(facts, a, b);
            if (file && !string_equal(a, b) && !is_of_cudnn(facts_string(facts, a, "name")) &&
                is_older(facts_string(facts, b, "version"), facts_string(facts, a, "version")))
                overwritten_found(context, a, b, file);
        }
}

/* "nvidia-nvjitlink-cu12==12.4.127: 12.1.105 is", by major and minor, which the names of its
 * functions carry. ret_have: what is installed. */
static bool is_older_jitlink(const char *missing, const char **ret_have)
{
    static const char is[] = " is";
    const char *pin = strstr(missing, "=="), *have = strstr(missing, ": ");
    struct version wanted, installed;
    if (!string_starts(missing, "nvidia-nvjitlink") || pin == NULL || have == NULL ||
        !string_ends(missing, is))
        return false;
    *ret_have = have + 2;
    if (!version_parse_prefix(pin + 2, &wanted) || !version_parse_prefix(*ret_have, &installed) ||
        wanted.count < 2 || installed.count < 2)
        return false;
    wanted.count = installed.count = 2;
    return version_compare(&installed, &wanted) < 0;
}

static void older_found(struct rule_context *context, const struct framework *framework,
                        const char *missing, const char *have)
{
    AUTO_FREE char *words = framework_words(framework);
    AUTO_FREE char *pip = framework_pip(framework);
    AUTO_FREE char *pin = mem_string_n(missing, strcspn(missing, ":"));
    AUTO_FREE char *quoted = shell_quote(pin);
    AUTO_FREE char *installed = mem_string_n(have, strcspn(have, " "));
    struct finding *finding =
        rule_found(context, framework_severity(context, framework),
                   "%s pins %s, and %s is installed: its libcusparse finds an older libnvJitLink",
                   words, pin, installed);
    finding_why(finding, "the functions that libcusparse and libcusolver take from it have the "
                         "release in their names: import ends with \"undefined symbol: "
                         "__nvJitLink…\"");
    framework_finding(context, finding, framework);
    finding_evidence(finding, context->facts, framework->group, "missing");
    finding_fix_command(finding, false, false, "what it pins", "%s install %s", pip, quoted);
}

void framework_find_wheels_of_two_releases(struct rule_context *context)
{
    AUTO_FRAMEWORKS struct frameworks frameworks = frameworks_of(context->facts, context->manifest);
    AUTO_FRAMEWORK_GPUS struct framework_gpus gpus = framework_gpus(context);
    if (frameworks_lack_gpus(context, &frameworks, &gpus))
        return;
    judge_overwritten(context);
    for (size_t i = 0; i < frameworks.count; i++) {
        const struct framework *framework = &frameworks.items[i];
        const struct strlist *missing = facts_list(context->facts, framework->group, "missing");
        const char *have;
        for (size_t k = 0; missing && k < missing->count; k++)
            if (is_older_jitlink(missing->items[k], &have))
                older_found(context, framework, missing->items[k], have);
    }
}
