/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/shell.h"
#include "manifest/toolkit/library.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/framework/framework_partial.h"
#include "rules/framework/framework_parts.h"

/* Part of cuda_libs_wrong_version: what lies beside each other in one environment is of two CUDA
 * releases. cuSPARSE beside an older nvJitLink that nothing pins; torchvision and torchaudio of
 * another CUDA than PyTorch's. */

static const char cusparse_name[] = "nvidia-cusparse", jitlink_name[] = "nvidia-nvjitlink";

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
                          const struct version *cuda)
{
    const struct facts *facts = context->facts;
    const char *environment = facts_string(facts, cusparse, "environment");
    const char *python = facts_string(facts, cusparse, "python");
    const char *name = facts_string(facts, jitlink, "name");
    bool active = python && facts_true(facts, python, "active");
    struct framework owner = {.environment = environment};
    char of[VERSION_TEXT_SIZE];
    version_text(cuda, 0, of);
    AUTO_FREE char *pip = framework_pip(&owner);
    AUTO_FREE char *pin = mem_printf("%s>=%s,<%u", name, of, cuda->part[0] + 1);
    AUTO_FREE char *quoted = shell_quote(pin);
    struct finding *finding =
        rule_found(context, active ? severity_for_use(context->purpose) : SEVERITY_INFO,
                   "%s %s in %s belongs to CUDA %s, but %s in the same environment is %s",
                   facts_string(facts, cusparse, "name"), facts_string(facts, cusparse, "version"),
                   environment, of, name, facts_string(facts, jitlink, "version"));
    finding_subject(finding, environment);
    finding_why(
        finding,
        "the functions that libcusparse uses from libnvJitLink have the release in their names: "
        "programs that load libcusparse fail with \"undefined symbol: __nvJitLink…\"");
    finding_evidence(finding, facts, cusparse, "version");
    finding_evidence(finding, facts, jitlink, "version");
    finding_fix_command(finding, FIX_SHELL, "a version for the same CUDA", "%s install %s", pip,
                        quoted);
}

/* The wheels that are held against one another, sorted by environment: a record may have thousands.
 */
enum part { PART_CUSPARSE, PART_JITLINK, PART_RUNTIME };
static const char *const part_names[] = {
    [PART_CUSPARSE] = cusparse_name,
    [PART_JITLINK] = jitlink_name,
    [PART_RUNTIME] = "nvidia-cuda-runtime",
};

struct part_wheel {
    const char *environment, *group;
    size_t order;
    enum part part;
    struct version version;
};

struct part_wheels {
    struct part_wheel *items;
    size_t count, capacity;
};

static void part_wheels_free(struct part_wheels *wheels)
{
    free(wheels->items);
}

static void part_wheels_add(struct part_wheels *wheels, const struct facts *facts,
                            const char *group)
{
    const char *name = facts_string(facts, group, "name");
    const char *version = facts_string(facts, group, "version");
    struct part_wheel wheel = {.environment = facts_string(facts, group, "environment"),
                               .group = group,
                               .order = wheels->count};
    if (name == NULL || version == NULL || wheel.environment == NULL ||
        !string_equal(facts_string(facts, group, "origin"), "wheel") ||
        !version_parse_prefix(version, &wheel.version))
        return;
    for (size_t i = 0; i < sizeof(part_names) / sizeof(part_names[0]); i++)
        if (string_starts(name, part_names[i])) {
            wheel.part = (enum part)i;
            *vec_push(wheels->items, wheels->count, wheels->capacity) = wheel;
            return;
        }
}

static int compare_part_wheels(const void *a, const void *b)
{
    const struct part_wheel *one = a, *other = b;
    int order = strcmp(one->environment, other->environment);
    return order ? order : (one->order > other->order) - (one->order < other->order);
}

static struct part_wheels part_wheels_of(const struct facts *facts)
{
    struct part_wheels wheels = {.items = NULL};
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "wheel", &i)) != NULL;)
        part_wheels_add(&wheels, facts, group);
    if (wheels.count > 0)
        qsort(wheels.items, wheels.count, sizeof(*wheels.items), compare_part_wheels);
    return wheels;
}

/* What one environment has: its first cuSPARSE, its oldest nvJitLink, its newest runtime. The
 * runtime bears CUDA's own number: where it is newer than nvJitLink, that was left behind, and not
 * all is of one older release but for a number. Nor is it where cuSPARSE is of a release that is
 * further from the runtime's than a number can err. */
struct beside {
    const struct part_wheel *parts[PART_RUNTIME + 1];
};

static void beside_add(struct beside *beside, const struct part_wheel *wheel)
{
    const struct part_wheel **kept = &beside->parts[wheel->part];
    int order = *kept ? version_compare(&wheel->version, &(*kept)->version) : 0;
    if (*kept == NULL || (wheel->part == PART_JITLINK && order < 0) ||
        (wheel->part == PART_RUNTIME && order > 0))
        *kept = wheel;
}

/* Of one CUDA major, and an older minor of it. */
static bool is_older_minor(const struct version *one, const struct version *other)
{
    return one->count > 1 && other->count > 1 && one->part[0] == other->part[0] &&
           one->part[1] < other->part[1];
}

/* Further than a number that two releases share can err: cuSPARSE of 12.8 beside a runtime of 12.1.
 */
static bool is_far_from(const struct version *cuda, const struct version *runtime)
{
    return cuda->count > 1 && runtime->count > 1 && cuda->part[0] == runtime->part[0] &&
           cuda->part[1] > runtime->part[1] + 1;
}

static void beside_judge(struct rule_context *context, const struct frameworks *frameworks,
                         const struct beside *beside)
{
    const struct part_wheel *cusparse = beside->parts[PART_CUSPARSE];
    const struct part_wheel *jitlink = beside->parts[PART_JITLINK];
    const struct part_wheel *runtime = beside->parts[PART_RUNTIME];
    struct version cuda;
    if (cusparse == NULL || jitlink == NULL || runtime == NULL ||
        !manifest_library_origin(context->manifest, "cusparse", &cusparse->version, &cuda))
        return;
    if (!is_older_minor(&jitlink->version, &runtime->version) &&
        !is_far_from(&cuda, &runtime->version))
        return;
    if (is_older_minor(&jitlink->version, &cuda) &&
        !is_pinned(context->facts, frameworks, cusparse->environment))
        jitlink_found(context, cusparse->group, jitlink->group, &cuda);
}

void framework_find_older_jitlink(struct rule_context *context, const struct frameworks *frameworks)
{
    AUTO(part_wheels_free) struct part_wheels wheels = part_wheels_of(context->facts);
    struct beside beside = {.parts = {NULL}};
    for (size_t i = 0; i < wheels.count; i++) {
        const struct part_wheel *wheel = &wheels.items[i];
        beside_add(&beside, wheel);
        if (i + 1 < wheels.count && string_equal(wheel->environment, wheel[1].environment))
            continue;
        beside_judge(context, frameworks, &beside);
        beside = (struct beside){.parts = {NULL}};
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
    struct finding *finding = rule_found(
        context, framework_severity(context, rider),
        "%s is built for CUDA %s, but PyTorch %s in the same environment is built for CUDA %s",
        words, version_text(&rider->cuda, 2, of_rider), torch->version,
        version_text(&torch->cuda, 2, of_torch));
    finding_why(finding,
                "import fails with \"Detected that PyTorch and %s were compiled with "
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
        finding_fix_command(finding, FIX_SHELL, "the same release for PyTorch's CUDA",
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
