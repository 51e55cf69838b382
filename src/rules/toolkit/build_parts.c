/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/remedy/remedy.h"
#include "rules/toolkit/judges.h"
#include "rules/toolkit/toolkit_choice.h"

/* wheel_toolkit_parts_mixed: wheels ask for one another without a release, so pip mixes them. */

/* "nvidia-nvvm 13.3.33": the release, in two numbers. */
static bool release_of(const char *words, struct version *ret_version)
{
    const char *blank = strchr(words, ' ');
    if (blank == NULL || !version_parse(blank + 1, ret_version) || ret_version->count < 2)
        return false;
    ret_version->count = 2;
    return true;
}

static const char *wheel_named(const struct strlist *wheels, const char *name)
{
    for (size_t i = 0; i < wheels->count; i++)
        if (string_starts(wheels->items[i], name))
            return wheels->items[i];
    return NULL;
}

static bool is_crt(const char *words)
{
    return string_starts(words, "nvidia-cuda-crt ");
}

/* Headers of crt that are a few releases apart were seen to work (tests/real-compilers). */
static void mixed_found(struct rule_context *context, const struct judged_toolkit *toolkit,
                        const char *nvcc, const char *other)
{
    struct version release;
    char text[VERSION_TEXT_SIZE];
    release_of(nvcc, &release);
    AUTO_FREE char *name = mem_string_n(other, strcspn(other, " "));
    struct finding *finding = rule_found(context, is_crt(other) ? SEVERITY_WARN : SEVERITY_FAIL,
                                         "the compiler in %s is mixed from two releases: %s and %s",
                                         toolkit->path, nvcc, other);
    finding_subject(finding, toolkit->path);
    finding_why(finding, "nvcc, nvvm, crt and the runtime's headers must have the same release: "
                         "\"Unsupported .version\", \"CUDA compiler and CUDA toolkit headers are "
                         "incompatible\"");
    finding_evidence(finding, context->facts, toolkit->group, "wheels");
    AUTO_FREE char *wanted = mem_printf("%s==%s.*", name, version_text(&release, 0, text));
    AUTO_FREE char *quoted = shell_quote(wanted);
    finding_fix_command(finding, FIX_SHELL, "in that Python environment",
                        "python3 -m pip install %s", quoted);
}

static void parts_of_build(struct rule_context *context, const struct toolkit_build *build)
{
    const struct judged_toolkit *toolkit = build->toolkit;
    const struct strlist *wheels = facts_list(context->facts, toolkit->group, "wheels");
    const char *nvcc = wheels ? wheel_named(wheels, "nvidia-cuda-nvcc") : NULL;
    struct version own, other;
    if (nvcc == NULL || !release_of(nvcc, &own)) {
        rule_skip(context, "the toolkit that builds use does not consist of wheels");
        return;
    }
    const char *mixed = NULL;
    for (size_t i = 0; i < wheels->count; i++)
        if ((mixed == NULL || is_crt(mixed)) && release_of(wheels->items[i], &other) &&
            version_compare(&own, &other) != 0)
            mixed = wheels->items[i];
    if (mixed)
        mixed_found(context, toolkit, nvcc, mixed);
}

void judge_wheel_toolkit_parts_mixed(struct rule_context *context)
{
    rule_judge_build(context, parts_of_build);
}
