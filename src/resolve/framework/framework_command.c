/* SPDX-License-Identifier: MIT */
#include "manifest/reader/range.h"
#include "manifest/toolkit/cudnn.h"
#include "manifest/versions/python.h"
#include "manifest/versions/threshold.h"
#include "resolve/engine/resolution.h"
#include "resolve/engine/words.h"
#include "resolve/framework/framework.h"

/* The cuDNN that pip would take for a build: the newest in its range. */
struct bound {
    const struct manifest_cudnn *below;      /* the oldest that is too new; NULL: none is */
    const struct manifest_cudnn_pair *floor; /* what it asks for */
    const struct resolve_gpu *gpu;           /* that does not have it */
};

/* A GPU that the release shuts out; NULL: none that is known. */
static const struct resolve_gpu *refused_gpu(const struct resolve_context *context,
                                             const struct manifest_cudnn_pair *pair,
                                             const struct manifest_cudnn_pair **ret_floor)
{
    *ret_floor = manifest_cudnn_pair_floor(context->manifest, pair);
    for (size_t i = 0; *ret_floor && i < context->machine.gpu_count; i++) {
        const struct resolve_gpu *gpu = &context->machine.gpus[i];
        if (gpu->capability.count &&
            version_compare(&gpu->capability, &(*ret_floor)->capability_min) < 0)
            return gpu;
    }
    return NULL;
}

/* From the newest release in the range down to the first that runs on every GPU. */
static struct bound bound_of(const struct resolve_context *context,
                             const struct manifest_build *build, const struct version *cuda)
{
    struct bound bound = {.below = NULL};
    struct version major = {.part = {cuda->part[0]}, .count = 1};
    size_t count;
    const struct manifest_cudnn *rows = manifest_cudnn_all(context->manifest, &count);
    for (size_t i = count; i > 0; i--) {
        const struct manifest_cudnn *release = &rows[i - 1];
        const struct version *build_number =
            release->build.count ? &release->build : &release->version;
        const struct manifest_cudnn_pair *floor,
            *pair = manifest_cudnn_pair_find(context->manifest, &release->version, &major);
        if (pair == NULL || release->stage ||
            !manifest_range_has(&build->cudnn_range, build_number))
            continue;
        const struct resolve_gpu *gpu = refused_gpu(context, pair, &floor);
        if (gpu == NULL)
            return bound;
        bound = (struct bound){.below = release, .floor = floor, .gpu = gpu};
    }
    return bound;
}

/* A GPU that the cuDNN of a build shuts out, by the newest release up to it; NULL: none is known.
 */
static const struct resolve_gpu *refused_by_own(const struct resolve_context *context,
                                                const struct manifest_build *build,
                                                const struct version *cuda,
                                                const struct manifest_cudnn_pair **ret_floor)
{
    size_t count;
    const struct manifest_cudnn *rows = manifest_cudnn_all(context->manifest, &count);
    for (size_t i = count; i > 0; i--) {
        const struct version *number =
            rows[i - 1].build.count ? &rows[i - 1].build : &rows[i - 1].version;
        const struct manifest_cudnn_pair *pair =
            manifest_cudnn_pair_find(context->manifest, &rows[i - 1].version, cuda);
        if (pair && number->part[0] == build->cudnn.part[0] &&
            version_compare(number, &build->cudnn) <= 0)
            return refused_gpu(context, pair, ret_floor);
    }
    return NULL;
}

/* What a build does not do on a GPU of the machine that its own cuDNN has dropped, in words of the
 * caller's; NULL: nothing that is known. */
static char *cudnn_limit(const struct resolve_context *context, const struct manifest_build *build,
                         const struct version *cuda)
{
    const struct manifest_cudnn_pair *floor = NULL;
    if (build->cudnn.count == 0 || build->cudnn_range.from.count || cuda->count == 0)
        return NULL;
    const struct resolve_gpu *gpu = refused_by_own(context, build, cuda, &floor);
    if (gpu == NULL)
        return NULL;
    char version[VERSION_TEXT_SIZE], least[VERSION_TEXT_SIZE];
    AUTO_FREE char *words = words_gpu(gpu);
    return mem_printf("cuDNN %s, which this build needs, requires compute capability %s or higher, "
                      "and %s is below that: convolutions and attention fail",
                      version_text(&build->cudnn, 0, version),
                      version_text(&floor->capability_min, 0, least), words);
}

bool framework_is_partial(const struct resolve_context *context, const struct manifest_build *build,
                          const struct version *cuda, struct resolve_candidate *candidate)
{
    AUTO_FREE char *limit = cudnn_limit(context, build, cuda);
    if (limit)
        candidate_turn_down(candidate, "cudnn_drops_gpu", "%s", limit);
    return limit != NULL;
}

/* "9.11" for 9.11.0: pip counts both as one, and the builds of 9.11.0 are above. */
static char *bound_version(const struct version *version)
{
    struct version cut = *version;
    while (cut.count > 2 && cut.part[cut.count - 1] == 0)
        cut.count--;
    return words_version(&cut);
}

static char *bound_words(const struct bound *bound, const char *package, const char *below)
{
    char version[VERSION_TEXT_SIZE], least[VERSION_TEXT_SIZE];
    AUTO_FREE char *gpu = words_gpu(bound->gpu);
    return mem_printf("cuDNN %s and newer need compute capability %s or higher, and %s is below "
                      "that: %s must stay below %s",
                      version_text(&bound->below->version, 0, version),
                      version_text(&bound->floor->capability_min, 0, least), gpu, package, below);
}

char *framework_command(const struct resolve_context *context, const struct manifest_build *build,
                        const struct version *cuda, char **ret_bound)
{
    AUTO_FREE char *command = manifest_build_command(context->manifest, build, cuda);
    const struct manifest_range *range = &build->cudnn_range;
    const struct manifest_cudnn_wheel *wheel =
        manifest_cudnn_wheel_find(context->manifest, cuda->part[0]);
    *ret_bound = NULL;
    if (command == NULL || wheel == NULL || string_equal(build->carries, "system") ||
        (range->from.count == 0 && range->below.count == 0))
        return mem_steal(&command);
    struct bound bound = bound_of(context, build, cuda);
    if (bound.below == NULL)
        return mem_steal(&command);
    AUTO_FREE char *below = bound_version(&bound.below->version);
    *ret_bound = bound_words(&bound, wheel->package, below);
    return mem_printf("%s \"%s<%s\"", command, wheel->package, below);
}

char *framework_uv(struct resolve_context *context, const struct manifest_build *build,
                   const char *command)
{
    const struct manifest_threshold *oldest =
        manifest_threshold_find(context->manifest, "uv-python");
    struct version newest =
        python_list_newest(manifest_build_python(build, context->machine.architecture));
    char have[VERSION_TEXT_SIZE], want[VERSION_TEXT_SIZE];
    if (!string_starts(command, "pip install "))
        return NULL;
    if (oldest == NULL || newest.count == 0 || version_compare(&newest, &oldest->version) >= 0)
        return mem_printf("uv %s", command);
    context_note(context,
                 "there is no command for uv: the newest Python that %s %s is for is %s, and uv "
                 "installs %s or newer",
                 build->framework, build->release, version_text(&newest, 0, have),
                 version_text(&oldest->version, 0, want));
    return NULL;
}

bool framework_is_gone(const struct resolve_context *context, const struct manifest_build *build,
                       const struct version *cuda)
{
    const struct manifest_framework *framework =
        manifest_framework_find(context->manifest, build->framework);
    if (!string_equal(build->kind, "wheel") || framework == NULL || framework->pip == NULL)
        return false;
    AUTO_FREE char *command = manifest_build_command(context->manifest, build, cuda);
    return command == NULL;
}

/* That pip has a wheel for the Python of the machine is then no more than likely. */
static void limit_python(const struct resolve_context *context, const struct manifest_build *build,
                         struct strlist *limits)
{
    const struct version *python = &context->machine.python;
    char have[VERSION_TEXT_SIZE];
    if (python->count && build->python == NULL && string_equal(build->kind, "wheel"))
        strlist_take(limits, mem_printf("it is not known whether this build has a wheel for Python "
                                        "%s",
                                        version_text(python, 2, have)));
}

void framework_add_command(struct resolve_context *context, const struct manifest_build *build,
                           const struct version *cuda, struct resolve_choice *choice)
{
    char *bound = NULL;
    char *command = framework_command(context, build, cuda, &bound);
    char *limit = bound ? bound : cudnn_limit(context, build, cuda);
    if (limit)
        strlist_take(&choice->limits, limit);
    limit_python(context, build, &choice->limits);
    if (command == NULL) {
        context_note(context,
                     framework_is_gone(context, build, cuda)
                         ? "the package index has no wheel of %s %s today: no command installs it"
                         : "no command that installs %s %s is known",
                     build->framework, choice->version);
        return;
    }
    choice->uv = framework_uv(context, build, command);
    strlist_take(&choice->commands, command);
}
