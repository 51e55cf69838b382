/* SPDX-License-Identifier: MIT */
#include "manifest/versions/driver_standing.h"

#include "manifest/versions/cuda.h"
#include "manifest/versions/driver.h"

static struct version version_cut(const struct version *version, unsigned parts)
{
    struct version cut = *version;
    if (cut.count > parts)
        cut.count = parts;
    return cut;
}

/* The row of a toolkit, else of the first patch release of its minor; NULL when not listed. */
static const struct manifest_cuda *cuda_row(struct manifest *manifest, const struct version *cuda)
{
    if (cuda->count < 2)
        return NULL;
    const struct manifest_cuda *row = manifest_cuda_find(manifest, cuda);
    struct version minor = version_cut(cuda, 2);
    return row ? row : manifest_cuda_find(manifest, &minor);
}

/* "570" alone means the branch: its newest release. */
static struct version driver_full(const struct manifest_branch *branch,
                                  const struct version *driver)
{
    return driver->count == 1 && branch && branch->latest.count ? branch->latest : *driver;
}

static bool reaches(const struct version *driver, const struct version *least)
{
    return least->count > 0 && version_compare(driver, least) >= 0;
}

static bool is_newer_than_all(struct manifest *manifest, const struct version *driver)
{
    struct version any = {.count = 0};
    const struct manifest_branch *newest = manifest_branch_newest(manifest, &any);
    return newest && driver->part[0] > newest->branch;
}

/* Whether the driver's own CUDA version includes this one. Where there is no minor-version
 * compatibility the toolkit's minimum is the only measure, when it is listed. */
static bool api_reaches(const struct comparison *comparison, const struct version *cuda)
{
    bool floor = comparison->major && comparison->major->driver_min.count;
    bool minimum = comparison->cuda && comparison->cuda->driver_min.count;
    if (comparison->branch == NULL || (minimum && !floor))
        return false;
    struct version minor = version_cut(cuda, 2);
    if (minor.count == 1)
        return comparison->branch->cuda.count && comparison->branch->cuda.part[0] >= minor.part[0];
    return reaches(&comparison->branch->cuda, &minor);
}

struct comparison driver_compare(struct manifest *manifest, const struct version *driver,
                                 const struct version *cuda)
{
    struct comparison comparison = {
        .standing = STANDING_UNKNOWN,
        .cuda = cuda_row(manifest, cuda),
        .major = manifest_cuda_major_find(manifest, cuda->part[0]),
        .branch = manifest_branch_find(manifest, driver),
    };
    struct version full = driver_full(comparison.branch, driver);
    bool known = comparison.cuda || comparison.major;
    bool minimum = comparison.cuda && comparison.cuda->driver_min.count;
    bool floor = comparison.major && comparison.major->driver_min.count;
    if ((minimum && reaches(&full, &comparison.cuda->driver_min)) ||
        api_reaches(&comparison, cuda) || (known && is_newer_than_all(manifest, &full)))
        comparison.standing = STANDING_EXACT;
    else if (floor && reaches(&full, &comparison.major->driver_min))
        comparison.standing = cuda->count == 1 ? STANDING_EXACT : STANDING_MINOR;
    else if (minimum || floor)
        comparison.standing = STANDING_TOO_OLD;
    return comparison;
}

/* Where there is minor-version compatibility, every driver of that major has it. */
static enum standing standing_by_api(const struct comparison *comparison,
                                     const struct version *driver, const struct version *api,
                                     const struct version *cuda)
{
    const struct manifest_cuda_major *major = comparison->major;
    struct version minor = version_cut(cuda, 2);
    if (api->part[0] > minor.part[0] || (api->part[0] == minor.part[0] && minor.count == 1) ||
        version_compare(api, &minor) >= 0)
        return STANDING_EXACT;
    if (api->part[0] < minor.part[0])
        return STANDING_TOO_OLD;
    if (major == NULL) /* and so no minor-version compatibility: the toolkit's minimum decides */
        return comparison->standing == STANDING_TOO_OLD ? STANDING_TOO_OLD : STANDING_UNKNOWN;
    bool above = driver->count == 0 || reaches(driver, &major->driver_min);
    return major->driver_min.count && above ? STANDING_MINOR : STANDING_TOO_OLD;
}

struct comparison driver_compare_told(struct manifest *manifest, const struct version *driver,
                                      const struct version *api, const struct version *cuda)
{
    struct comparison comparison = driver_compare(manifest, driver, cuda);
    if (api->count)
        comparison.standing = standing_by_api(&comparison, driver, api, cuda);
    return comparison;
}
