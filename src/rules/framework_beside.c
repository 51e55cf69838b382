/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/shell.h"
#include "manifest/threshold.h"
#include "rules/framework_judges.h"
#include "rules/framework_parts.h"

/* Part of cuda_libs_wrong_version: what lies beside each other in one environment is of two CUDA
 * releases. cuSPARSE beside an older nvJitLink that nothing pins; torchvision and torchaudio of
 * another CUDA than PyTorch's. */

static const char cusparse_name[] = "nvidia-cusparse", jitlink_name[] = "nvidia-nvjitlink";

/* The minor of CUDA 12 whose libcusparse that is, by the releases that the manifest has; 0: older
 * than all, or of another CUDA. */
static unsigned minor_of(struct manifest *manifest, const struct version *cusparse)
{
    unsigned minor = 0;
    for (unsigned i = 1; i < 20; i++) {
        AUTO_FREE char *name = mem_printf("cusparse-of-12-%u", i);
        const struct manifest_threshold *row = manifest_threshold_find(manifest, name);
        if (row && version_compare(cusparse, &row->version) >= 0)
            minor = i;
    }
    return minor;
}

/* A framework of the environment pins it: that decides. */
static bool is_pinned(const struct facts *facts, const struct frameworks *frameworks,
                      const char *environment)
{
    for (size_t i = 0; i < frameworks->count; i++) {
        const struct framework *framework = &frameworks->items[i];
        const struct strlist *wanted = facts_list(facts, framework->group, "wanted");
        if (!string_equal(framework->environment, environment))
            continue;
        for (size_t k = 0; wanted && k < wanted->count; k++)
            if (string_starts(wanted->items[k], jitlink_name) && strstr(wanted->items[k], "=="))
                return true;
    }
    return false;
}

static void jitlink_found(struct rule_context *context, const char *cusparse, const char *jitlink,
                          unsigned minor)
{
    const struct facts *facts = context->facts;
    const char *environment = facts_string(facts, cusparse, "environment");
    const char *python = facts_string(facts, cusparse, "python");
    const char *name = facts_string(facts, jitlink, "name");
    bool active = python && facts_true(facts, python, "active");
    struct framework owner = {.environment = environment};
    AUTO_FREE char *pip = framework_pip(&owner);
    AUTO_FREE char *pin = mem_printf("%s>=12.%u,<13", name, minor);
    AUTO_FREE char *quoted = shell_quote(pin);
    struct finding *finding =
        rule_found(context, active ? severity_for_use(context->profile) : SEVERITY_INFO,
                   "%s %s in %s is of CUDA 12.%u, and %s beside it is %s",
                   facts_string(facts, cusparse, "name"), facts_string(facts, cusparse, "version"),
                   environment, minor, name, facts_string(facts, jitlink, "version"));
    finding_subject(finding, environment);
    finding_why(finding,
                "the functions that libcusparse takes from libnvJitLink have the release in "
                "their names: what loads it ends with \"undefined symbol: __nvJitLink…\"");
    finding_evidence(finding, facts, cusparse, "version");
    finding_evidence(finding, facts, jitlink, "version");
    finding_fix_command(finding, false, false, "one of the same CUDA", "%s install %s", pip,
                        quoted);
}

static bool is_wheel(const struct facts *facts, const char *group, const char *name,
                     struct version *ret_version)
{
    const char *have = facts_string(facts, group, "name");
    const char *version = facts_string(facts, group, "version");
    return have && version && string_starts(have, name) &&
           string_equal(facts_string(facts, group, "origin"), "wheel") &&
           version_parse_prefix(version, ret_version);
}

/* The wheels of the environment that bear CUDA's own number are newer than it: it was left behind,
 * and not all is of one older release but for a number. */
static bool is_left_behind(const struct facts *facts, const char *environment,
                           const struct version *jitlink)
{
    struct version runtime;
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "wheel", &i)) != NULL;)
        if (is_wheel(facts, group, "nvidia-cuda-runtime", &runtime) && runtime.count > 1 &&
            runtime.part[0] == jitlink->part[0] && runtime.part[1] > jitlink->part[1] &&
            string_equal(environment, facts_string(facts, group, "environment")))
            return true;
    return false;
}

void framework_find_older_jitlink(struct rule_context *context, const struct frameworks *frameworks)
{
    const struct facts *facts = context->facts;
    struct version cusparse, jitlink;
    const char *a, *b;
    for (size_t i = 0; (a = facts_next(facts, "wheel", &i)) != NULL;) {
        const char *environment = facts_string(facts, a, "environment");
        unsigned minor = is_wheel(facts, a, cusparse_name, &cusparse)
                             ? minor_of(context->manifest, &cusparse)
                             : 0;
        if (minor == 0 || environment == NULL || is_pinned(facts, frameworks, environment))
            continue;
        for (size_t k = 0; (b = facts_next(facts, "wheel", &k)) != NULL;)
            if (is_wheel(facts, b, jitlink_name, &jitlink) && jitlink.count > 1 &&
                jitlink.part[0] == 12 && jitlink.part[1] < minor &&
                string_equal(environment, facts_string(facts, b, "environment")) &&
                is_left_behind(facts, environment, &jitlink))
                jitlink_found(context, a, b, minor);
    }
}

/* torchvision/extension.py compares the majors, and torchaudio's does. */
static bool is_of_another_cuda(const struct framework *rider, const struct framework *torch)
{
    return (string_equal(rider->name, "torchvision") || string_equal(rider->name, "torchaudio")) &&
           torch && torch->for_cuda && rider->cuda.count > 0 && torch->cuda.count > 0 &&
           rider->cuda.part[0] != torch->cuda.part[0];
}

static void rider_found(struct rule_context *context, const struct framework *rider,
                        const struct framework *torch)
{
    const struct facts *facts = context->facts;
    char of_rider[VERSION_TEXT_SIZE], of_torch[VERSION_TEXT_SIZE];
    AUTO_FREE char *words = framework_words(rider);
    struct finding *finding =
        rule_found(context, framework_severity(context, rider),
                   "%s is built for CUDA %s, and PyTorch %s beside it for CUDA %s", words,
                   version_text(&rider->cuda, 2, of_rider), torch->version,
                   version_text(&torch->cuda, 2, of_torch));
    finding_why(finding,
                "import ends with \"Detected that PyTorch and %s were compiled with "
                "different CUDA major versions\"",
                rider->package);
    framework_finding(context, finding, rider);
    finding_evidence(finding, facts, torch->group, "version");
    finding_evidence(finding, facts, torch->group, "cuda");
    AUTO_FREE char *pip = framework_pip(rider);
    const struct manifest_framework *row = manifest_framework_find(context->manifest, "pytorch");
    const char *index = row && row->pip ? strstr(row->pip, "--index-url ") : NULL;
    const char *end = index ? strstr(index, "INDEX") : NULL;
    if (end && torch->cuda.count > 1)
        finding_fix_command(finding, false, false, "the same release for PyTorch's CUDA",
                            "%s install --force-reinstall --no-deps %s==%.*s %.*scu%u%u", pip,
                            rider->package, (int)strcspn(rider->version, "+"), rider->version,
                            (int)(end - index), index, torch->cuda.part[0], torch->cuda.part[1]);
}

void framework_find_riders_of_another_cuda(struct rule_context *context,
                                           const struct frameworks *frameworks)
{
    for (size_t i = 0; i < frameworks->count; i++) {
        const struct framework *rider = &frameworks->items[i];
        const struct framework *torch = framework_torch_of(frameworks, rider);
        if (is_of_another_cuda(rider, torch) &&
            framework_other_torch(context->facts, frameworks, rider) == NULL)
            rider_found(context, rider, torch);
    }
}
