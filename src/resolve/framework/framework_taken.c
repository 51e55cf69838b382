/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "manifest/toolkit/library.h"
#include "manifest/versions/capability.h"
#include "manifest/versions/cuda.h"
#include "resolve/engine/fit.h"
#include "resolve/engine/resolution.h"
#include "resolve/framework/framework.h"

/* Which CUDA pip brings for a build today. */

/* Whether a pin is of the build's release and variant, and of the package of its CUDA's runtime. */
static bool is_of_runtime(const struct resolve_context *context, const struct manifest_build *build,
                          const struct version *cuda, const struct manifest_framework_pin *pin)
{
    const char *runtime = manifest_library_package(context->manifest, "cudart", cuda->part[0]);
    return string_equal(pin->at, "install") && string_equal(pin->package, runtime) &&
           pin->newest.count > 1 && framework_pin_is_of(pin, build);
}

/* As the package index had it when the manifest was refreshed; count 0: no pin says it. */
static struct version by_pins(const struct resolve_context *context,
                              const struct manifest_build *build, const struct version *cuda)
{
    size_t count;
    const struct manifest_framework_pin *pins = manifest_framework_pins(context->manifest, &count);
    for (size_t i = 0; cuda->count && build->release && i < count; i++)
        if (is_of_runtime(context, build, cuda, &pins[i])) {
            struct version found = pins[i].newest;
            found.count = 2; /* 12.9.79 is of CUDA 12.9 */
            return found;
        }
    return (struct version){.count = 0};
}

/* The newest of the manifest that the build accepts. */
static struct version by_range(const struct resolve_context *context,
                               const struct manifest_build *build)
{
    size_t count;
    const struct manifest_cuda *all = manifest_cuda_all(context->manifest, &count);
    for (size_t i = count; build->cuda_range.below.count && i > 0; i--)
        if (!manifest_cuda_is_early(&all[i - 1]) &&
            manifest_range_has(&build->cuda_range, &all[i - 1].version))
            return all[i - 1].version;
    return (struct version){.count = 0};
}

/* The oldest that a source archive accepts and that makes code for every GPU of the machine. */
static struct version to_compile_with(const struct resolve_context *context,
                                      const struct manifest_build *build)
{
    struct version least = build->cuda_range.from;
    for (size_t i = 0; least.count && i < context->machine.gpu_count; i++) {
        const struct manifest_capability *row = fit_capability(context, &context->machine.gpus[i]);
        if (row && row->first_cuda.count && version_compare(&row->first_cuda, &least) > 0)
            least = row->first_cuda;
    }
    return least;
}

struct version framework_cuda_taken(const struct resolve_context *context,
                                    const struct manifest_build *build, const struct version *cuda)
{
    if (string_equal(build->kind, "source") && build->sass.count == 0 &&
        build->cuda_range.below.count == 0)
        return to_compile_with(context, build);
    if (!string_equal(build->carries, "cuda") || !string_equal(build->kind, "wheel"))
        return (struct version){.count = 0};
    struct version taken = by_pins(context, build, cuda);
    return taken.count ? taken : by_range(context, build);
}
