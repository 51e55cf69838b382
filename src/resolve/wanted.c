/* SPDX-License-Identifier: MIT */
#include "resolve/wanted.h"

#include <string.h>

#include "base/error.h"
#include "resolve/engine/request.h"
#include "resolve/framework/framework.h"
#include "resolve/product/product.h"

/* "nccl" of nvidia-nccl-cu12, "cutensor" of cutensor-cu13 and of cutensor. *ret_cuda: what stands
 * behind "-cu"; NULL: nothing does. free() it. */
static char *product_of(const char *package, const char **ret_cuda)
{
    static const char maker[] = "nvidia-";
    const char *name = string_starts(package, maker) ? package + strlen(maker) : package;
    const char *cuda = strstr(name, "-cu");
    *ret_cuda = cuda ? cuda + strlen("-cu") : NULL;
    return mem_string_n(name, cuda ? (size_t)(cuda - name) : strlen(name));
}

static bool is_chosen(const struct resolve_context *context, const struct resolve_specs *specs,
                      const char *product)
{
    return resolve_spec_of(specs, product) || resolve_choice_of(context->resolution, product);
}

/* "==2.27.5", ">=2.25.1,<3.0". What is exact for another CUDA is a lower end for this one. */
static struct request request_for(const char *asked, const char *spec, bool is_other_cuda)
{
    struct request request = {.asked = asked, .wanted = true};
    struct version from = {.count = 0};
    const char *comma = strchr(spec, ',');
    version_parse_prefix(spec + 2, &from);
    if (string_starts(spec, "==") && !is_other_cuda)
        request.within = from;
    else
        request.range.from = from;
    if (comma && comma[1] == '<')
        version_parse(comma + 2, &request.range.below);
    return request;
}

/* Decided aside first: what fails is no part of the answer. For which CUDA a list without variants
 * is, the package says that has its one version. */
static bool can_be_had(const struct resolve_context *context, const struct request *request,
                       const char *product, struct error *error)
{
    AUTO_RESOLUTION struct resolution aside = {.chosen = NULL};
    struct resolve_context scratch = *context;
    scratch.resolution = &aside;
    scratch.error = error;
    return product_choose(&scratch, request, product, &context->cuda) && aside.chosen_count == 1 &&
           aside.chosen[0].install == NULL &&
           (aside.chosen[0].fit < FIT_UNKNOWN || request->within.count > 0);
}

static void choose(struct resolve_context *context, const struct manifest_build *build,
                   const struct manifest_framework_pin *pin, const char *product,
                   bool is_other_cuda)
{
    AUTO_FREE char *asked = mem_printf("%s for %s %s", product, build->framework, build->release);
    const struct request request = request_for(asked, pin->spec, is_other_cuda);
    bool is_optional = string_equal(pin->at, "optional");
    AUTO_ERROR struct error error = {0};
    if (!can_be_had(context, &request, product, &error)) {
        context_note(context, "%s %s %s %s%s too, which is left out: %s", build->framework,
                     build->release, is_optional ? "can use" : "needs", product, pin->spec,
                     error.why ? error.why : "its archives cannot be verified");
        return;
    }
    product_choose(context, &request, product, &context->cuda);
    struct resolve_choice *choice = resolve_choice_of(context->resolution, product);
    choice->rule = "wanted";
    strlist_free(&choice->limits);
    free(choice->why);
    choice->why = mem_printf("%s %s %s %s %s", build->framework, build->release,
                             is_optional ? "can use" : "requires", pin->package, pin->spec);
}

void wanted_resolve(struct resolve_context *context, const struct manifest_build *build,
                    const struct resolve_specs *specs)
{
    size_t count;
    const struct manifest_framework_pin *pins = manifest_framework_pins(context->manifest, &count);
    for (size_t i = 0; context->cuda.count && i < count; i++) {
        const char *for_cuda;
        struct version wheel = {.count = 0};
        if (!framework_pin_is_of(&pins[i], build))
            continue;
        AUTO_FREE char *product = product_of(pins[i].package, &for_cuda);
        if (string_equal(product, "cuda") || string_equal(product, "cudnn") ||
            !manifest_pin_product(context->manifest, product) || is_chosen(context, specs, product))
            continue;
        bool is_other =
            for_cuda && version_parse(for_cuda, &wheel) && wheel.part[0] != context->cuda.part[0];
        choose(context, build, &pins[i], product, is_other);
    }
}
