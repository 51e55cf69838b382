/* SPDX-License-Identifier: MIT */
#include "manifest/store/store.h"
#include "manifest/toolkit/cudnn_major.h"
#include "manifest/toolkit/cudnn_table.h"

/* Answers from manifests/cudnn.json. */

const struct manifest_cudnn_major *manifest_cudnn_major_find(struct manifest *manifest,
                                                             unsigned major)
{
    size_t count;
    const struct manifest_cudnn_major *rows =
        manifest_rows(manifest, &manifest_cudnn_subject, CUDNN_MAJORS, &count);
    for (size_t i = 0; i < count; i++)
        if (rows[i].major == major)
            return &rows[i];
    return NULL;
}

const struct manifest_cudnn *manifest_cudnn_all(struct manifest *manifest, size_t *ret_count)
{
    return manifest_rows(manifest, &manifest_cudnn_subject, CUDNN_RELEASES, ret_count);
}

const struct manifest_cudnn *manifest_cudnn_find(struct manifest *manifest,
                                                 const struct version *version)
{
    size_t count;
    const struct manifest_cudnn *rows = manifest_cudnn_all(manifest, &count);
    for (size_t i = count; i > 0 && version->count > 0; i--) {
        const struct manifest_cudnn *release = &rows[i - 1];
        if (version_within(version, &release->version))
            return release;
        if (version_within(&release->version, version) && release->stage == NULL)
            return release;
    }
    return NULL;
}

const struct manifest_cudnn_pair *manifest_cudnn_pairs(struct manifest *manifest, size_t *ret_count)
{
    return manifest_rows(manifest, &manifest_cudnn_subject, CUDNN_PAIRS, ret_count);
}

const struct manifest_cudnn_pair *manifest_cudnn_pair_find(struct manifest *manifest,
                                                           const struct version *cudnn,
                                                           const struct version *cuda)
{
    size_t count;
    const struct manifest_cudnn_pair *rows = manifest_cudnn_pairs(manifest, &count);
    const struct manifest_cudnn_pair *of_major = NULL;
    for (size_t i = 0; i < count && cuda->count > 0; i++) {
        if (!version_within(cudnn, &rows[i].cudnn) || rows[i].capability.count > 0)
            continue;
        if (rows[i].cuda.count == 2 && version_within(cuda, &rows[i].cuda))
            return &rows[i];
        if (rows[i].cuda.part[0] == cuda->part[0] && (rows[i].cuda.count == 1 || cuda->count == 1))
            of_major = &rows[i];
    }
    return of_major;
}

const struct manifest_cudnn_pair *cudnn_floor_before(struct manifest *manifest,
                                                     const struct manifest_cudnn_pair *pair)
{
    size_t count;
    const struct manifest_cudnn_pair *rows = manifest_cudnn_pairs(manifest, &count);
    for (const struct manifest_cudnn_pair *row = pair; row > rows; row--)
        if (row[-1].cuda.part[0] == pair->cuda.part[0] && row[-1].capability_min.count > 0)
            return &row[-1];
    return NULL;
}

const struct manifest_cudnn_pair *manifest_cudnn_pair_floor(struct manifest *manifest,
                                                            const struct manifest_cudnn_pair *pair)
{
    return pair->capability_min.count > 0 ? pair : cudnn_floor_before(manifest, pair);
}

const struct manifest_cudnn_pair *manifest_cudnn_pair_for(struct manifest *manifest,
                                                          const struct manifest_cudnn_pair *pair,
                                                          const struct version *capability)
{
    size_t count;
    const struct manifest_cudnn_pair *rows = manifest_cudnn_pairs(manifest, &count);
    for (size_t i = 0; i < count && capability->count > 0; i++)
        if (rows[i].capability.count > 0 && rows[i].cuda.part[0] == pair->cuda.part[0] &&
            version_compare(&rows[i].cudnn, &pair->cudnn) == 0 &&
            version_compare(&rows[i].capability, capability) == 0)
            return &rows[i];
    return NULL;
}

const struct manifest_cudnn_wheel *manifest_cudnn_wheel_find(struct manifest *manifest,
                                                             unsigned cuda)
{
    size_t count;
    const struct manifest_cudnn_wheel *rows =
        manifest_rows(manifest, &manifest_cudnn_subject, CUDNN_WHEELS, &count);
    for (size_t i = 0; i < count; i++)
        if (rows[i].cuda == cuda)
            return &rows[i];
    return NULL;
}
