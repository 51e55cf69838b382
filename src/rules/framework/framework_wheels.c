/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/shell.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/framework/framework.h"
#include "rules/framework/framework_partial.h"

/* Part of cuda_libs_wrong_version: NVIDIA's wheels of two releases in one environment. One wrote
 * over the other's file, or one is older than what a framework pins. */

/* What is known of one, looked up once: each is held against all others. */
struct wheel {
    const char *group, *name, *version, *directory;
    const struct strlist *broken, *libraries;
};

struct wheels {
    struct wheel *items;
    size_t count, capacity;
};

static void wheels_free(struct wheels *wheels)
{
    free(wheels->items);
}

static struct wheels wheels_of(const struct facts *facts)
{
    struct wheels wheels = {.items = NULL};
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "wheel", &i)) != NULL;) {
        const struct wheel wheel = {
            .group = group,
            .name = facts_string(facts, group, "name"),
            .version = facts_string(facts, group, "version"),
            .directory = facts_string(facts, group, "directory"),
            .broken = facts_list(facts, group, "broken"),
            .libraries = facts_list(facts, group, "libraries"),
        };
        if (wheel.name && wheel.version && wheel.directory)
            *vec_push(wheels.items, wheels.count, wheels.capacity) = wheel;
    }
    return wheels;
}

/* The file that A lists, that has another size, and that B lists too: "…: nvidia/nccl/lib/X". */
static const char *overwritten(const struct wheel *a, const struct wheel *b)
{
    if (!string_equal(a->directory, b->directory))
        return NULL;
    for (size_t i = 0; b->libraries && i < a->broken->count; i++) {
        const char *slash = strrchr(a->broken->items[i], '/');
        if (slash && string_starts(a->broken->items[i], "of another size") &&
            strlist_has(b->libraries, slash + 1))
            return slash + 1;
    }
    return NULL;
}

static bool is_older(const char *version, const char *than)
{
    struct version a, b;
    return version_parse(version, &a) && version_parse(than, &b) && version_compare(&a, &b) < 0;
}

static void overwritten_found(struct rule_context *context, const struct wheel *a,
                              const struct wheel *b, const char *file)
{
    const struct facts *facts = context->facts;
    const char *environment = facts_string(facts, a->group, "environment");
    const char *python = facts_string(facts, a->group, "python");
    bool active = python && facts_true(facts, python, "active");
    struct framework owner = {.environment = environment ? environment : "/"};
    AUTO_FREE char *pip = framework_pip(&owner);
    AUTO_FREE char *first = shell_quote(a->name);
    AUTO_FREE char *second = shell_quote(b->name);
    AUTO_FREE char *pin = mem_printf("%s==%s", a->name, a->version);
    AUTO_FREE char *quoted = shell_quote(pin);
    struct finding *finding =
        rule_found(context, active ? severity_for_use(context->purpose) : SEVERITY_INFO,
                   "%s of %s %s in %s was overwritten: %s %s, which contains the same file, was "
                   "installed over it",
                   file, a->name, a->version, owner.environment, b->name, b->version);
    finding_subject(finding, a->directory);
    finding_why(finding,
                "both packages contain that file, for two CUDA releases; code that needs the newer "
                "file does not find its functions in the older one (\"undefined symbol\")");
    finding_evidence(finding, facts, a->group, "broken");
    finding_evidence(finding, facts, b->group, "version");
    finding_fix_command(finding, FIX_SHELL,
                        "removes both packages and reinstalls the one that is needed",
                        "%s uninstall -y %s %s && %s install %s", pip, second, first, pip, quoted);
}

/* cuDNN's wheels are judged by cudnn_sublibrary_mixed. */
static bool may_be_overwritten(const struct wheel *wheel)
{
    return wheel->broken && wheel->broken->count && !string_starts(wheel->name, "nvidia-cudnn");
}

static void judge_overwritten(struct rule_context *context)
{
    AUTO(wheels_free) struct wheels wheels = wheels_of(context->facts);
    for (size_t i = 0; i < wheels.count; i++)
        for (size_t k = 0; k < wheels.count && may_be_overwritten(&wheels.items[i]); k++) {
            const struct wheel *a = &wheels.items[i], *b = &wheels.items[k];
            const char *file = i == k ? NULL : overwritten(a, b);
            if (file && is_older(b->version, a->version))
                overwritten_found(context, a, b, file);
        }
}

/* Wheels whose functions others are linked to, and that gain some with each minor release: an older
 * one than is pinned ends the import. */
static const struct linked_wheel {
    const char *name, *effect, *why;
} linked_wheels[] = {
    {"nvidia-nvjitlink", "the framework's libcusparse finds an older libnvJitLink",
     "the libnvJitLink functions that libcusparse and libcusolver use have the release in their "
     "names: import fails with \"undefined symbol: __nvJitLink…\""},
    {"nvidia-nccl", "the framework's libraries find an older libnccl",
     "the framework uses functions that were added in the pinned release: import fails with "
     "\"undefined symbol: nccl…\""},
};

/* "nvidia-nvjitlink-cu12==12.4.127: 12.1.105 is", by major and minor. ret_have: what is installed.
 * NULL: it is none of those, or not older. */
static const struct linked_wheel *older_linked(const char *missing, const char **ret_have)
{
    const char *pin = strstr(missing, "=="), *have = strstr(missing, ": ");
    struct version wanted, installed;
    if (pin == NULL || have == NULL || !string_ends(missing, " is"))
        return NULL;
    *ret_have = have + 2;
    if (!version_parse_prefix(pin + 2, &wanted) || !version_parse_prefix(*ret_have, &installed) ||
        wanted.count < 2 || installed.count < 2)
        return NULL;
    wanted.count = installed.count = 2;
    for (size_t i = 0; i < sizeof(linked_wheels) / sizeof(linked_wheels[0]); i++)
        if (string_starts(missing, linked_wheels[i].name) &&
            version_compare(&installed, &wanted) < 0)
            return &linked_wheels[i];
    return NULL;
}

static void older_found(struct rule_context *context, const struct framework *framework,
                        const struct linked_wheel *linked, const char *missing, const char *have)
{
    AUTO_FREE char *words = framework_words(framework);
    AUTO_FREE char *pip = framework_pip(framework);
    AUTO_FREE char *pin = mem_string_n(missing, strcspn(missing, ":"));
    AUTO_FREE char *quoted = shell_quote(pin);
    AUTO_FREE char *installed = mem_string_n(have, strcspn(have, " "));
    struct finding *finding =
        rule_found(context, framework_severity(context, framework),
                   "%s pins %s, but %s is installed: %s", words, pin, installed, linked->effect);
    finding_why(finding, "%s", linked->why);
    framework_finding(context, finding, framework);
    finding_evidence(finding, context->facts, framework->group, "missing");
    finding_fix_command(finding, FIX_SHELL, "installs the pinned version", "%s install %s", pip,
                        quoted);
}

void framework_find_wheels_of_two_releases(struct rule_context *context)
{
    AUTO_FRAMEWORKS struct frameworks frameworks = frameworks_of(context->facts, context->manifest);
    AUTO_FRAMEWORK_GPUS struct framework_gpus gpus = framework_gpus(context);
    if (!rule_require_framework_gpus(context, &frameworks, &gpus))
        return;
    judge_overwritten(context);
    for (size_t i = 0; i < frameworks.count; i++) {
        const struct framework *framework = &frameworks.items[i];
        const struct strlist *missing = facts_list(context->facts, framework->group, "missing");
        const char *have = NULL;
        for (size_t k = 0; missing && k < missing->count; k++) {
            const struct linked_wheel *linked = older_linked(missing->items[k], &have);
            if (linked)
                older_found(context, framework, linked, missing->items[k], have);
        }
    }
    framework_find_older_jitlink(context, &frameworks);
    framework_find_riders_of_another_cuda(context, &frameworks);
}
