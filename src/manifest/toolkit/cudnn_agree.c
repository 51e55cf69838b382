/* SPDX-License-Identifier: MIT */
#include "manifest/reader/subject.h"
#include "manifest/store/store.h"
#include "manifest/toolkit/cudnn_major.h"
#include "manifest/toolkit/cudnn_table.h"
#include "manifest/versions/capability.h"
#include "manifest/versions/listed.h"
#include "manifest/versions/driver_standing.h"

/* What rows of manifests/cudnn.json say of other rows. */

bool cudnn_major_agrees(struct manifest *manifest, struct manifest_place *place, const void *row)
{
    const struct manifest_cudnn_major *major = row;
    AUTO_STRLIST struct strlist sonames = {0};
    strlist_copy(&sonames, &major->required);
    strlist_copy(&sonames, &major->optional);
    size_t count;
    const struct cudnn_library *rows =
        manifest_rows(manifest, &manifest_cudnn_subject, CUDNN_LIBRARIES, &count);
    for (size_t i = 0; i < sonames.count; i++) {
        size_t j = 0;
        while (j < count && !string_equal(rows[j].soname, sonames.items[i]))
            j++;
        if (j == count)
            return place_problem(place, i < major->required.count ? "required" : "optional",
                                 sonames.items[i], "sonames that cudnn.libraries lists");
    }
    return true;
}

bool cudnn_library_agrees(struct manifest *manifest, struct manifest_place *place, const void *row)
{
    const struct cudnn_library *library = row;
    const struct manifest_cudnn_major *major = manifest_cudnn_major_find(manifest, library->major);
    if (major == NULL || (!strlist_has(&major->required, library->soname) &&
                          !strlist_has(&major->optional, library->soname)))
        return place_problem(place, "soname", library->soname, "one that cudnn.majors lists");
    bool is_first = string_equal(major->required.items[0], library->soname);
    if (is_first != string_equal(library->role, "part"))
        return true;
    return place_problem(place, "role", library->role,
                         "\"part\" for every library except the one that programs link to");
}

bool cudnn_release_agrees(struct manifest *manifest, struct manifest_place *place, const void *row)
{
    const struct manifest_cudnn *release = row;
    size_t count;
    const struct manifest_cudnn_pair *pairs = manifest_cudnn_pairs(manifest, &count);
    for (size_t i = 0; i < count; i++)
        if (version_compare(&pairs[i].cudnn, &release->version) == 0 &&
            pairs[i].capability.count == 0)
            return true;
    return place_problem(place, "version", release->id, "a release with a row in cudnn.pairs");
}

/* A lowest compute capability that the CUDA still compiles for, and none below an earlier one. */
static bool pair_capability_agrees(struct manifest *manifest, struct manifest_place *place,
                                   const struct manifest_cudnn_pair *pair)
{
    const struct version *least = &pair->capability_min;
    const struct manifest_capability *capability = manifest_capability_find(manifest, least);
    if (capability == NULL)
        return capability_listed(manifest, place, "capability_min", least);
    struct version last = capability->last_cuda;
    last.count = last.count < pair->cuda.count ? last.count : pair->cuda.count;
    if (last.count > 0 && version_compare(&last, &pair->cuda) < 0)
        return place_problem_version(place, "capability_min", least,
                                     "a compute capability that CUDA %u compiles for (see %s)",
                                     pair->cuda.part[0], capability->id);
    const struct manifest_cudnn_pair *floor = cudnn_floor_before(manifest, pair);
    if (floor != NULL && version_compare(least, &floor->capability_min) < 0)
        return place_problem_version(place, "capability_min", least, "at least the value in %s",
                                     floor->id);
    return true;
}

/* A pair for one compute capability: its CUDA compiles for it, and the release is built for that
 * CUDA. */
static bool pair_of_capability_agrees(struct manifest *manifest, struct manifest_place *place,
                                      const struct manifest_cudnn_pair *pair)
{
    const struct manifest_capability *row = manifest_capability_find(manifest, &pair->capability);
    if (row == NULL)
        return capability_listed(manifest, place, "capability", &pair->capability);
    if (version_compare(&pair->cuda, &row->first_cuda) < 0 ||
        (row->last_cuda.count > 0 && version_compare(&pair->cuda, &row->last_cuda) > 0))
        return place_problem_version(place, "cuda", &pair->cuda, "one that compiles for %s",
                                     row->id);
    if (manifest_cudnn_pair_find(manifest, &pair->cudnn, &pair->cuda) == NULL)
        return place_problem_version(place, "cuda", &pair->cuda,
                                     "a CUDA version of another pair with the same release");
    return true;
}

bool cudnn_pair_agrees(struct manifest *manifest, struct manifest_place *place, const void *row)
{
    const struct manifest_cudnn_pair *pair = row;
    const struct manifest_cudnn *release = manifest_cudnn_find(manifest, &pair->cudnn);
    if (release == NULL || version_compare(&release->version, &pair->cudnn) != 0)
        return place_problem_version(place, "cudnn", &pair->cudnn,
                                     "a release that cudnn.rows lists");
    if (!cuda_listed(manifest, place, "cuda", &pair->cuda) ||
        !cudas_listed(manifest, place, "listed", &pair->listed) ||
        !driver_listed(manifest, place, "driver_min", &pair->driver_min))
        return false;
    struct version driver = pair->driver_min;
    if (driver.count == 1)
        driver.part[driver.count++] = UINT32_MAX; /* a branch: any release of it */
    if (driver.count > 0 &&
        driver_compare(manifest, &driver, &pair->cuda).standing == STANDING_TOO_OLD)
        return place_problem_version(place, "driver_min", &pair->driver_min,
                                     "a driver that runs this CUDA");
    if (pair->capability.count > 0)
        return pair_of_capability_agrees(manifest, place, pair);
    return pair->capability_min.count == 0 || pair_capability_agrees(manifest, place, pair);
}

bool cudnn_wheel_agrees(struct manifest *manifest, struct manifest_place *place, const void *row)
{
    const struct manifest_cudnn_wheel *wheel = row;
    struct version cuda = {.part = {wheel->cuda}, .count = 1};
    return cuda_listed(manifest, place, "cuda", &cuda);
}
