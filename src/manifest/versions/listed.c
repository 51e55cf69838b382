/* SPDX-License-Identifier: MIT */
#include "manifest/versions/listed.h"

#include "base/memory.h"
#include "base/strlist.h"
#include "base/version.h"
#include "manifest/reader/subject.h"
#include "manifest/versions/capability.h"
#include "manifest/versions/cuda.h"
#include "manifest/versions/driver.h"

bool branch_listed(struct manifest *manifest, const struct manifest_place *place, const char *key,
                   unsigned branch)
{
    const struct version driver = {.part = {branch}, .count = 1};
    if (branch == 0 || manifest_branch_find(manifest, &driver) != NULL)
        return true;
    AUTO_FREE char *found = mem_printf("branch %u", branch);
    return place_problem(place, key, found, "a branch that driver.rows lists");
}

bool driver_listed(struct manifest *manifest, const struct manifest_place *place, const char *key,
                   const struct version *driver)
{
    if (driver->count == 0 || manifest_branch_find(manifest, driver) != NULL)
        return true;
    return place_problem_version(place, key, driver, "a driver in a branch that driver.rows lists");
}

bool cuda_listed(struct manifest *manifest, const struct manifest_place *place, const char *key,
                 const struct version *cuda)
{
    if (cuda->count == 0 || manifest_cuda_find(manifest, cuda) != NULL)
        return true;
    return place_problem_version(place, key, cuda, "a CUDA version that cuda.rows lists");
}

bool cudas_listed(struct manifest *manifest, const struct manifest_place *place, const char *key,
                  const struct strlist *cudas)
{
    for (size_t i = 0; i < cudas->count; i++) {
        struct version cuda;
        if (!version_parse(cudas->items[i], &cuda))
            return place_problem(place, key, cudas->items[i], "CUDA versions such as 12.8");
        if (!cuda_listed(manifest, place, key, &cuda))
            return false;
    }
    return true;
}

bool capability_listed(struct manifest *manifest, const struct manifest_place *place,
                       const char *key, const struct version *capability)
{
    if (capability->count == 0 || manifest_capability_find(manifest, capability) != NULL)
        return true;
    return place_problem_version(place, key, capability,
                                 "a compute capability that capability.rows lists");
}
