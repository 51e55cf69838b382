/* SPDX-License-Identifier: MIT */
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/requirement/judges.h"
#include "rules/requirement/requirement_values.h"

/* requirement_not_met: what --require asks for, term by term. */

static const char *const meanings[] = {
    [REQUIRE_DRIVER] = "driver is the release of the loaded driver",
    [REQUIRE_CUDA] = ("cuda is the CUDA version that the driver supports, not a toolkit's version"),
    [REQUIRE_TOOLKIT] = "toolkit is the CUDA toolkit that a build uses by default",
    [REQUIRE_CUDNN] = "cudnn is the cuDNN that the loader finds for programs; copies in Python "
                      "packages are only for those packages",
    [REQUIRE_NCCL] = "nccl is the NCCL that the loader finds for programs; copies in Python "
                     "packages are only for those packages",
    [REQUIRE_GPUS] = "gpus counts the GPUs that programs can use",
    [REQUIRE_CC] = "cc is the compute capability; every GPU must meet the requirement",
    [REQUIRE_MEMORY] =
        "memory is in GiB, rounded to whole numbers; every GPU must meet the requirement",
};

static const char *const fixes[] = {
    [REQUIRE_DRIVER] =
        "install a driver release that meets the requirement and reboot, or use another machine",
    [REQUIRE_CUDA] = ("install a driver that supports the required CUDA version (gpuenv resolve "
                      "cuda@VERSION says which driver), or use another machine"),
    [REQUIRE_TOOLKIT] = ("install the required toolkit (gpuenv install cuda@VERSION), and point "
                         "CUDA_HOME and PATH at that toolkit"),
    [REQUIRE_CUDNN] =
        "install the required cuDNN (gpuenv install cudnn@VERSION) where the loader looks",
    [REQUIRE_NCCL] = "install the required NCCL where the loader looks",
    [REQUIRE_GPUS] =
        "use a machine with that many GPUs; if a GPU is missing here, the other findings say why",
    [REQUIRE_CC] = "use a machine whose GPUs all meet the requirement",
    [REQUIRE_MEMORY] = "use a machine whose GPUs all meet the requirement",
};

/* The version found has fewer parts than the one required, and is the same as far as it goes. */
static bool is_too_short(const struct requirement *requirement, const struct version *measured)
{
    switch (requirement->word) {
    case REQUIRE_DRIVER:
    case REQUIRE_TOOLKIT:
    case REQUIRE_CUDNN:
    case REQUIRE_NCCL:
        return measured->count < requirement->want.count &&
               version_within(&requirement->want, measured);
    default:
        return false;
    }
}

/* What those have that do not meet it, or with one that meets it and is enough, nothing. */
struct shortfall {
    struct strlist texts;
    const struct measured_value *first;
    const struct measured_value *undecided;
    size_t met;
};

static void shortfall_clear(struct shortfall *shortfall)
{
    strlist_free(&shortfall->texts);
}

static void weigh(const struct requirement *requirement, const struct measured_value *measured,
                  struct shortfall *shortfall)
{
    if (is_too_short(requirement, &measured->version)) {
        shortfall->undecided = measured;
        return;
    }
    if (requirement_met(requirement, &measured->version)) {
        shortfall->met++;
        return;
    }
    strlist_add(&shortfall->texts, measured->text);
    if (shortfall->first == NULL)
        shortfall->first = measured;
}

#define SHOWN_MAX 4

static char *texts_join(const struct strlist *texts)
{
    struct text text = {0};
    for (size_t i = 0; i < texts->count && i < SHOWN_MAX; i++)
        text_printf(&text, "%s%s", i > 0 ? ", " : "", texts->items[i]);
    if (texts->count > SHOWN_MAX)
        text_printf(&text, " and %zu more", texts->count - SHOWN_MAX);
    return text_steal(&text);
}

static void unmet_found(struct rule_context *context, const struct requirement *requirement,
                        const char *measured, const struct measured_value *first)
{
    struct finding *finding = rule_found(context, SEVERITY_FAIL, "%s is required but not met: %s",
                                         requirement->text, measured);
    finding_subject(finding, requirement->text);
    finding_why(finding, "asked for with --require; %s", meanings[requirement->word]);
    finding_evidence_text(finding, "--require", requirement->text);
    if (requirement->word == REQUIRE_GPUS)
        finding_follows(context, finding, "gpu_absent_from_pci");
    if (first && first->group)
        finding_evidence(finding, context->facts, first->group, first->name);
    finding_fix_note(finding, FIX_ADVICE, "%s", fixes[requirement->word]);
}

static void judge_one(struct rule_context *context, const struct requirement *requirement)
{
    AUTO_MEASURED_VALUES struct measured_values values =
        measured_values_of(context->facts, context->manifest, requirement->word);
    AUTO(shortfall_clear) struct shortfall shortfall = {.met = 0};
    for (size_t i = 0; i < values.count; i++)
        weigh(requirement, &values.items[i], &shortfall);
    if (!values.every && shortfall.met > 0)
        return;
    AUTO_FREE char *measured = texts_join(&shortfall.texts);
    bool decided = values.every && shortfall.texts.count > 0;
    if (values.unknown && !decided)
        rule_unknown(context, "%s: %s", requirement->text, values.unknown);
    else if (shortfall.undecided && !decided)
        rule_unknown(context, "%s: the version is known only as %s", requirement->text,
                     shortfall.undecided->text);
    else if (values.count == 0)
        unmet_found(context, requirement, values.none, NULL);
    else if (shortfall.texts.count > 0)
        unmet_found(context, requirement, measured, shortfall.first);
}

void judge_requirement_not_met(struct rule_context *context)
{
    const struct requirements *requirements = context->requirements;
    if (requirements == NULL || requirements->count == 0) {
        rule_skip(context, "nothing is required (--require)");
        return;
    }
    for (size_t i = 0; i < requirements->count; i++)
        judge_one(context, &requirements->items[i]);
}
