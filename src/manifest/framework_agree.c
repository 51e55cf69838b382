/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "manifest/framework_table.h"

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
           place_problem(place, key, name, "a framework that framework.frameworks has");
}

static bool cuda_is_listed(struct manifest *manifest, const struct version *cuda)
{
    struct version minor = *cuda;
    if (minor.count > 2)
        minor.count = 2;
    return manifest_cuda_find(manifest, &minor) != NULL;
}

/* Releases before the first row of the subject cuda are history, and not listed. */
static bool cuda_is_old(struct manifest *manifest, const struct version *cuda)
{
    size_t count;
    const struct manifest_cuda *rows = manifest_rows(manifest, &manifest_cuda_subject, 1, &count);
    return count > 0 && version_compare(cuda, &rows[0].version) < 0 &&
           !version_within(&rows[0].version, cuda);
}

static bool cuda_listed(struct manifest *manifest, const struct manifest_place *place,
                        const char *key, const struct version *cuda)
{
    return cuda->count == 0 || cuda_is_listed(manifest, cuda) ||
           place_problem_version(place, key, cuda, "a CUDA version that cuda.rows has");
}

static bool cudas_listed(struct manifest *manifest, const struct manifest_place *place,
                         const struct strlist *cudas)
{
    for (size_t i = 0; i < cudas->count; i++) {
        struct version cuda;
        if (version_parse_prefix(cudas->items[i], &cuda) && !cuda_is_old(manifest, &cuda) &&
            !cuda_is_listed(manifest, &cuda))
            return place_problem(place, "cudas", cudas->items[i],
                                 "CUDA versions that cuda.rows has");
    }
    return true;
}

static bool driver_listed(struct manifest *manifest, const struct manifest_place *place,
                          const char *key, const struct version *driver)
{
    return driver->count == 0 || manifest_branch_find(manifest, driver) != NULL ||
           place_problem_version(place, key, driver, "a driver of a branch that driver.rows has");
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
                                 "compute capabilities that capability.rows has");
        if (cuda->count == 0)
            continue;
        const struct version *dropped = &capability->dropped_in;
        if (version_compare(cuda, &capability->first_cuda) >= 0 &&
            (dropped->count == 0 || version_compare(cuda, dropped) < 0))
            continue;
        char text[VERSION_TEXT_SIZE];
        return place_problem(place, key, code->items[i],
                             "compute capabilities that CUDA %s compiles for, as %s has it",
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
            return place_problem(place, "is_default", "\"yes\"", "one of them, and %s is it",
                                 other->id);
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
                             "a framework with builds of its own, which %s has not", framework->id);
    return cuda_listed(manifest, place, "cuda", &build->cuda) &&
           cudas_listed(manifest, place, &build->cudas) &&
           driver_listed(manifest, place, "driver_min", &build->driver_min) &&
           driver_listed(manifest, place, "driver_listed", &build->driver_listed) &&
           code_agrees(manifest, place, "sass", &build->sass, &build->cuda) &&
           code_agrees(manifest, place, "ptx", &build->ptx, &build->cuda) &&
           code_agrees(manifest, place, "sass_aarch64", &build->sass_aarch64, &build->cuda) &&
           code_agrees(manifest, place, "plugin_sass", &build->plugin_sass,
                       &(struct version){.count = 0}) &&
           code_agrees(manifest, place, "conda_sass", &build->conda_sass, &build->cuda) &&
           default_agrees(manifest, place, build);
}

/* No two frameworks have one name, and a rider rides on others. */
bool framework_agrees(struct manifest *manifest, struct manifest_place *place, const void *row)
{
    const struct manifest_framework *framework = row;
    for (size_t i = 0; i < framework->names.count; i++) {
        const char *name = framework->names.items[i];
        const struct manifest_framework *first = manifest_framework_find(manifest, name);
        if (first != framework)
            return place_problem(place, "names", name, "names that %s has not", first->id);
    }
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
    return cuda_listed(manifest, place, "cuda", &index->cuda) &&
           driver_listed(manifest, place, "driver_min", &index->driver_min);
}

bool framework_capability_agrees(struct manifest *manifest, struct manifest_place *place,
                                 const void *row)
{
    const struct manifest_framework_capability *capability = row;
    if (!framework_listed(manifest, place, "framework", capability->framework))
        return false;
    if (manifest_capability_find(manifest, &capability->capability) == NULL)
        return place_problem_version(place, "capability", &capability->capability,
                                     "a compute capability that capability.rows has");
    return cudas_listed(manifest, place, &capability->cudas);
}
