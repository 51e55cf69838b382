/* SPDX-License-Identifier: MIT */
#include "manifest/package/package_table.h"
#include "manifest/reader/subject.h"
#include "manifest/versions/driver.h"
#include "manifest/versions/listed.h"

/* A branch that is named must be listed, and must have a kernel module of that flavour. */
static bool branch_agrees(struct manifest *manifest, const struct manifest_place *place,
                          const char *key, const struct manifest_package *package, unsigned branch)
{
    const struct version driver = {.part = {branch}, .count = 1};
    const struct manifest_branch *row = manifest_branch_find(manifest, &driver);
    AUTO_FREE char *found = mem_printf("branch %u", branch);
    if (row == NULL)
        return branch_listed(manifest, place, key, branch);
    if (string_equal(package->flavour, "open") && string_equal(row->open_module, "no"))
        return place_problem(place, key, found, "a branch with an open module; %s has none",
                             row->id);
    if (string_equal(package->flavour, "proprietary") && string_equal(row->open_module, "only"))
        return place_problem(place, key, found, "a branch with a proprietary module; %s has none",
                             row->id);
    return true;
}

bool package_agrees(struct manifest *manifest, struct manifest_place *place, const void *row)
{
    const struct manifest_package *package = row;
    if (package->branch_min > 0 &&
        !branch_agrees(manifest, place, "branch_min", package, package->branch_min))
        return false;
    if (package->branch_max > 0 &&
        !branch_agrees(manifest, place, "branch_max", package, package->branch_max))
        return false;
    for (size_t i = 0; i < package->branches.count; i++) {
        struct version branch = {.count = 0};
        if (version_parse(package->branches.items[i], &branch) &&
            !branch_agrees(manifest, place, "branches", package, branch.part[0]))
            return false;
    }
    return true;
}

static bool architecture_is_listed(struct manifest *manifest, const char *architecture)
{
    size_t count;
    const struct package_machine *rows = package_machines(manifest, &count);
    for (size_t i = 0; i < count; i++)
        if (string_equal(rows[i].architecture, architecture))
            return true;
    return false;
}

/* The row before this one that is for the same system and release too; NULL: there is none. */
static const struct manifest_repository *
same_system(struct manifest *manifest, const struct manifest_repository *row, const char *system)
{
    size_t count;
    const struct manifest_repository *rows = manifest_repositories(manifest, &count);
    for (size_t i = 0; i < count && &rows[i] != row; i++)
        if (strlist_has(&rows[i].systems, system) &&
            version_compare(&rows[i].release, &row->release) == 0)
            return &rows[i];
    return NULL;
}

bool repository_agrees(struct manifest *manifest, struct manifest_place *place, const void *row)
{
    const struct manifest_repository *repository = row;
    for (size_t i = 0; i < repository->architectures.count; i++)
        if (!architecture_is_listed(manifest, repository->architectures.items[i]))
            return place_problem(place, "architectures", repository->architectures.items[i],
                                 "architectures that package.machines lists");
    for (size_t i = 0; i < repository->systems.count; i++) {
        const char *system = repository->systems.items[i];
        const struct manifest_repository *other = same_system(manifest, repository, system);
        if (other != NULL)
            return place_problem(place, "systems", system,
                                 "a system and release that %s does not have", other->id);
    }
    return true;
}
