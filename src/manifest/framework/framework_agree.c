/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "manifest/framework/framework_table.h"
#include "manifest/reader/subject.h"
#include "manifest/versions/capability.h"
#include "manifest/versions/cuda.h"
#include "manifest/versions/listed.h"

/* What the rows of manifests/framework.json say of one another and of other subjects. */

/* By its own name alone: rows do not name a framework by another name. */
static const struct manifest_framework *framework_named(struct manifest *manifest, const char *name)
{
    size_t count;
    const struct manifest_framework *rows = manifest_frameworks(manifest, &count);
    for (size_t i = 0; i < count; i++)
        if (string_equal(rows[i].framework, name))
            return &rows[i];
    return NULL;
}

static bool framework_listed(struct manifest *manifest, const struct manifest_place *place,
                             const char *key, const char *name)
{
    return framework_named(manifest, name) != NULL ||
           place_problem(place, key, name, "a framework that framework.frameworks lists");
}

/* By its minor: what a build was made with may be a patch release that is not listed. */
static bool minor_listed(struct manifest *manifest, const struct manifest_place *place,
                         const char *key, const struct version *cuda)
{
    struct version minor = *cuda;
    if (minor.count > 2)
        minor.count = 2;
    return cuda_listed(manifest, place, key, &minor);
}

/* Releases before the first row of the subject cuda are history, and not listed. */
static bool cuda_is_old(struct manifest *manifest, const struct version *cuda)
{
    size_t count;
    const struct manifest_cuda *rows = manifest_cuda_all(manifest, &count);
    return count > 0 && version_compare(cuda, &rows[0].version) < 0 &&
           !version_within(&rows[0].version, cuda);
}

/* "12.x" and "11.2+" too. */
static bool spans_listed(struct manifest *manifest, const struct manifest_place *place,
                         const struct strlist *cudas)
{
    for (size_t i = 0; i < cudas->count; i++) {
        struct version cuda;
        if (version_parse_prefix(cudas->items[i], &cuda) && !cuda_is_old(manifest, &cuda) &&
            !minor_listed(manifest, place, "cudas", &cuda))
            return false;
    }
    return true;
}

/* The compute capability must be listed, and one that cuda (count 0: any) has code for. */
static bool code_agrees(struct manifest *manifest, const struct manifest_place *place,
                        const char *key, const struct strlist *code, const struct version *cuda)
{
    for (size_t i = 0; i < code->count; i++) {
        struct version version;
        const struct manifest_capability *capability = NULL;
        if (version_parse_prefix(code->items[i], &version))
            capability = manifest_capability_find(manifest, &version);
        if (capability == NULL)
            return place_problem(place, key, code->items[i],
                                 "compute capabilities that capability.rows lists");
        if (cuda->count == 0)
            continue;
        const struct version *dropped = &capability->dropped_in;
        if (version_compare(cuda, &capability->first_cuda) >= 0 &&
            (dropped->count == 0 || version_compare(cuda, dropped) < 0))
            continue;
        char text[VERSION_TEXT_SIZE];
        return place_problem(place, key, code->items[i],
                             "compute capabilities that CUDA %s compiles for (see %s)",
                             version_text(cuda, 0, text), capability->id);
    }
    return true;
}

/* One build of a release and system is what a plain install gives. */
static bool default_agrees(struct manifest *manifest, const struct manifest_place *place,
                           const struct manifest_build *build)
{
    size_t count;
    const struct manifest_build *first = manifest_builds(manifest, &count);
    if (!string_equal(build->is_default, "yes"))
        return true;
    for (const struct manifest_build *other = build; other-- > first;) {
        if (!string_equal(other->framework, build->framework) ||
            !string_equal(other->release, build->release))
            break;
        if (string_equal(other->is_default, "yes") && string_equal(other->os, build->os))
            return place_problem(place, "is_default", "\"yes\"",
                                 "only one default; %s is already the default", other->id);
    }
    return true;
}

bool framework_build_agrees(struct manifest *manifest, struct manifest_place *place,
                            const void *row)
{
    const struct manifest_build *build = row;
    const struct manifest_framework *framework = framework_named(manifest, build->framework);
    if (framework == NULL)
        return framework_listed(manifest, place, "framework", build->framework);
    if (!string_equal(framework->native, "yes"))
        return place_problem(place, "framework", build->framework,
                             "a framework with builds of its own; %s has none", framework->id);
    return minor_listed(manifest, place, "cuda", &build->cuda) &&
           spans_listed(manifest, place, &build->cudas) &&
           driver_listed(manifest, place, "driver_min", &build->driver_min) &&
           driver_listed(manifest, place, "driver_listed", &build->driver_listed) &&
           capability_listed(manifest, place, "capability_min", &build->capability_min) &&
           capability_listed(manifest, place, "capability_max", &build->capability_max) &&
           code_agrees(manifest, place, "sass", &build->sass, &build->cuda) &&
           code_agrees(manifest, place, "ptx", &build->ptx, &build->cuda) &&
           code_agrees(manifest, place, "sass_aarch64", &build->sass_aarch64, &build->cuda) &&
           code_agrees(manifest, place, "plugin_sass", &build->plugin_sass,
                       &(struct version){.count = 0}) &&
           code_agrees(manifest, place, "conda_sass", &build->conda_sass, &build->cuda) &&
           default_agrees(manifest, place, build);
}

/* Several frameworks share it, and none has it to itself. */
static bool shared_name_agrees(struct manifest *manifest, const struct manifest_place *place,
                               const struct manifest_framework *framework, const char *name)
{
    const struct manifest_framework *owner = manifest_framework_find(manifest, name);
    const struct manifest_framework *other = manifest_framework_sharing(manifest, name, NULL);
    if (owner != NULL)
        return place_problem(place, "shared_names", name, "names that %s does not have", owner->id);
    if (other == framework)
        other = manifest_framework_sharing(manifest, name, framework);
    return other != NULL ||
           place_problem(place, "shared_names", name, "names that another framework shares");
}

/* No two frameworks have one name, and a rider rides on others. */
bool framework_agrees(struct manifest *manifest, struct manifest_place *place, const void *row)
{
    const struct manifest_framework *framework = row;
    for (size_t i = 0; i < framework->names.count; i++) {
        const char *name = framework->names.items[i];
        const struct manifest_framework *first = manifest_framework_find(manifest, name);
        if (first != framework)
            return place_problem(place, "names", name, "names that %s does not have", first->id);
    }
    for (size_t i = 0; i < framework->shared_names.count; i++)
        if (!shared_name_agrees(manifest, place, framework, framework->shared_names.items[i]))
            return false;
    for (size_t i = 0; i < framework->backends.count; i++) {
        const char *backend = framework->backends.items[i];
        if (string_equal(backend, framework->framework))
            return place_problem(place, "backends", backend, "other frameworks");
        if (!framework_listed(manifest, place, "backends", backend))
            return false;
    }
    return true;
}

bool framework_pin_agrees(struct manifest *manifest, struct manifest_place *place, const void *row)
{
    const struct manifest_framework_pin *pin = row;
    return framework_listed(manifest, place, "framework", pin->framework);
}

bool framework_rider_agrees(struct manifest *manifest, struct manifest_place *place,
                            const void *row)
{
    const struct manifest_rider *rider = row;
    const struct manifest_framework *framework = framework_named(manifest, rider->framework);
    if (framework == NULL)
        return framework_listed(manifest, place, "framework", rider->framework);
    return strlist_has(&framework->backends, rider->backend) ||
           place_problem(place, "backend", rider->backend, "a backend that %s has", framework->id);
}

bool framework_index_agrees(struct manifest *manifest, struct manifest_place *place,
                            const void *row)
{
    const struct manifest_torch_index *index = row;
    return minor_listed(manifest, place, "cuda", &index->cuda) &&
           driver_listed(manifest, place, "driver_min", &index->driver_min);
}

bool framework_capability_agrees(struct manifest *manifest, struct manifest_place *place,
                                 const void *row)
{
    const struct manifest_framework_capability *capability = row;
    return framework_listed(manifest, place, "framework", capability->framework) &&
           capability_listed(manifest, place, "capability", &capability->capability) &&
           spans_listed(manifest, place, &capability->cudas);
}

bool framework_glibc_agrees(struct manifest *manifest, struct manifest_place *place,
                            const void *row)
{
    const struct manifest_framework_glibc *glibc = row;
    return framework_listed(manifest, place, "framework", glibc->framework);
}

bool framework_wheel_agrees(struct manifest *manifest, struct manifest_place *place,
                            const void *row)
{
    const struct manifest_framework_wheel *wheel = row;
    return cuda_listed(manifest, place, "cuda", &wheel->cuda);
}
