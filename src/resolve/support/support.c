/* SPDX-License-Identifier: MIT */
#include "resolve/support/support.h"

#include "base/text.h"
#include "manifest/versions/capability.h"
#include "resolve/engine/resolution.h"

/* A release can only know the GPUs that its CUDA knew: the newest one that it names. A GPU whose
 * first toolkit is not listed is older than every toolkit that is. */
static bool knows(const struct manifest_cudnn_pair *pair, const struct manifest_capability *row)
{
    struct version cuda = pair->cuda;
    size_t listed = pair->listed.count;
    if (listed > 0 && !version_parse(pair->listed.items[listed - 1], &cuda))
        return false;
    if (row->first_cuda.count == 0)
        return row->last_cuda.count > 0 && version_compare(&cuda, &row->last_cuda) <= 0;
    return version_compare(&row->first_cuda, &cuda) <= 0;
}

/* FIT_EXACT, FIT_NO or FIT_UNKNOWN. */
static enum fit pair_fits(struct manifest *manifest, const struct manifest_cudnn_pair *pair,
                          const struct manifest_capability *row)
{
    if (pair->capability.count > 0)
        return FIT_EXACT;
    const struct manifest_cudnn_pair *floor = manifest_cudnn_pair_floor(manifest, pair);
    if (floor == NULL)
        return FIT_UNKNOWN;
    if (version_compare(&row->capability, &floor->capability_min) < 0)
        return FIT_NO;
    return floor == pair && knows(pair, row) ? FIT_EXACT : FIT_UNKNOWN;
}

/* The best answer that a pair of the release gives; FIT_UNKNOWN for a release without pairs. */
static enum fit release_fits(struct manifest *manifest, const struct manifest_cudnn *release,
                             const struct manifest_capability *capability,
                             const struct manifest_cudnn_pair **ret_row)
{
    size_t count;
    const struct manifest_cudnn_pair *pairs = manifest_cudnn_pairs(manifest, &count);
    enum fit best = FIT_NO;
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (version_compare(&pairs[i].cudnn, &release->version) != 0 ||
            (pairs[i].capability.count > 0 &&
             version_compare(&pairs[i].capability, &capability->capability) != 0))
            continue;
        enum fit fit = pair_fits(manifest, &pairs[i], capability);
        if (!any || fit < best) {
            best = fit;
            *ret_row = &pairs[i];
        }
        any = true;
    }
    return any ? best : FIT_UNKNOWN;
}

struct support_cudnn support_cudnn(struct manifest *manifest,
                                   const struct manifest_capability *capability)
{
    struct support_cudnn support = {.last = NULL};
    size_t count;
    const struct manifest_cudnn *releases = manifest_cudnn_all(manifest, &count);
    for (size_t i = 0; i < count; i++) {
        const struct manifest_cudnn_pair *row = NULL;
        if (releases[i].stage != NULL)
            continue;
        support.newest = &releases[i];
        enum fit fit = release_fits(manifest, &releases[i], capability, &row);
        if (fit == FIT_EXACT) {
            support.last = &releases[i];
            support.row = row;
            support.dropped = support.unknown = NULL;
        } else if (fit == FIT_NO && support.last != NULL && support.dropped == NULL) {
            support.dropped = &releases[i];
        } else if (fit == FIT_UNKNOWN && support.last != NULL && support.dropped == NULL &&
                   support.unknown == NULL) {
            support.unknown = &releases[i];
        }
    }
    return support;
}
