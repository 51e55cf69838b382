/* SPDX-License-Identifier: MIT */
#include "rules/purpose.h"

#include <string.h>

#include "rules/container/gpu_request.h"
#include "rules/engine/finding.h"
#include "rules/query/judged.h"
#include "rules/query/lacking.h"
#include "rules/rules.h"

static bool shows_pci(const struct facts *facts)
{
    int64_t count;
    return facts_integer(facts, "pci", "count", &count) && count > 0;
}

static bool shows_node(const struct facts *facts)
{
    return judged_device_path(facts, "/dev/nvidia") || judged_device_path(facts, "/dev/dxg");
}

/* The first thing NVIDIA that a container shows; NULL when it shows none. */
static const char *container_shows(const struct facts *facts)
{
    if (facts_true(facts, "container", "nvidia_libraries"))
        return "the driver's libraries mounted in this container";
    if (shows_node(facts))
        return "an NVIDIA device node";
    if (shows_pci(facts))
        return "an NVIDIA GPU on the PCI bus";
    if (judged_has_driver_library(facts))
        return "a driver's libcuda";
    return NULL;
}

/* NVIDIA's runtime takes these three, and nothing, as "no GPU" (its user guide, "GPU enumeration").
 */
static bool names_gpus(const char *visible)
{
    return visible && *visible && strcmp(visible, "none") != 0 && strcmp(visible, "void") != 0;
}

/* The group of a framework for CUDA that programs get here; NULL when there is none. */
static const char *cuda_framework(const struct facts *facts)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "framework", &i)) != NULL;)
        if (facts_true(facts, group, "active") &&
            string_equal(facts_string(facts, group, "accelerator"), "cuda"))
            return group;
    return NULL;
}

/* True for a container that was told to have no GPU, and has nothing of one but its host's bus. */
static bool container_declines(const struct facts *facts)
{
    const char *visible = facts_string(facts, "environment", "NVIDIA_VISIBLE_DEVICES");
    return visible && *visible && !names_gpus(visible) &&
           !facts_true(facts, "container", "nvidia_libraries") && !shows_node(facts) &&
           !judged_has_driver_library(facts);
}

/* Why a container that shows no GPU was meant to have one: a clause; NULL: nothing says so. */
static char *container_wants(const struct facts *facts)
{
    const char *visible = facts_string(facts, "environment", "NVIDIA_VISIBLE_DEVICES");
    const char *framework = cuda_framework(facts);
    if (names_gpus(visible))
        return mem_printf("NVIDIA_VISIBLE_DEVICES=%s asks for GPUs", visible);
    if (framework == NULL)
        return NULL;
    const char *version = facts_string(facts, framework, "version");
    return mem_printf("%s%s%s for CUDA is installed", facts_string(facts, framework, "package"),
                      version ? " " : "", version ? version : "");
}

static void set_purpose(struct judgement *judgement, enum purpose purpose, char *reason)
{
    judgement->purpose = purpose;
    judgement->purpose_reason = reason;
}

static void choose_for_container(const struct facts *facts, struct manifest *manifest,
                                 const char *engine, struct judgement *judgement)
{
    const char *shown = container_shows(facts);
    AUTO_FREE char *wants = container_wants(facts);
    struct lacking_fact lacks = lacking_first(facts, manifest, true);
    AUTO_FREE char *this = string_equal(engine, "other") ? mem_string("this container")
                                                         : mem_printf("this %s container", engine);
    if ((shown || wants) && container_declines(facts)) {
        set_purpose(judgement, PURPOSE_BUILD,
                    mem_printf("%s is to have no GPU (NVIDIA_VISIBLE_DEVICES=%s)", this,
                               facts_string(facts, "environment", "NVIDIA_VISIBLE_DEVICES")));
    } else if (shown) {
        set_purpose(judgement, PURPOSE_CONTAINER, mem_printf("%s has %s", this, shown));
    } else if (wants) {
        set_purpose(judgement, PURPOSE_CONTAINER, mem_printf("in %s, %s", this, wants));
    } else if (lacks.group) {
        set_purpose(judgement, PURPOSE_CONTAINER,
                    mem_printf("%s may have been meant to have a GPU (%s.%s: %s)", this,
                               lacks.group, lacks.name, lacks.reason));
    } else {
        set_purpose(judgement, PURPOSE_BUILD, mem_printf("%s has no sign of a GPU", this));
        judgement->gpu_request = gpu_request_of(engine);
    }
}

void purpose_choose(const struct facts *facts, struct manifest *manifest,
                    const struct judge_options *options, struct judgement *judgement)
{
    const char *engine = facts_string(facts, "container", "engine");
    const char *builder = facts_string(facts, "container", "build_step");
    if (options->purpose_given)
        set_purpose(judgement, options->purpose, mem_string("from --for"));
    else if (options->tree)
        set_purpose(judgement, PURPOSE_BUILD, mem_string("an image tree, not a running machine"));
    else if (builder)
        set_purpose(judgement, PURPOSE_BUILD, mem_printf("a step of an image build (%s)", builder));
    else if (engine)
        choose_for_container(facts, manifest, engine, judgement);
    else
        set_purpose(judgement, PURPOSE_RUN, mem_string("not in a container"));
}
