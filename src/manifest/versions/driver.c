/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "manifest/reader/subject.h"
#include "manifest/store/store.h"
#include "manifest/versions/capability.h"
#include "manifest/versions/driver.h"

/* manifests/driver.json: driver branches. */
static const char *const kinds[] = {"legacy",      "lts",        "production",
                                    "new-feature", "evaluation", NULL};
static const char *const open_modules[] = {"no", "offered", "default", "blackwell", "only", NULL};

static const struct manifest_key keys[] = {
    KEY(manifest_branch, branch, KEY_UNSIGNED, .required = true),
    KEY(manifest_branch, cuda, KEY_VERSION),
    KEY(manifest_branch, kind, KEY_CHOICE, .choices = kinds),
    KEY(manifest_branch, first_release, KEY_DATE),
    KEY(manifest_branch, eol, KEY_DATE),
    KEY(manifest_branch, latest, KEY_VERSION),
    KEY(manifest_branch, oldest_architecture, KEY_STRING),
    KEY(manifest_branch, capability_min, KEY_VERSION),
    KEY(manifest_branch, open_module, KEY_CHOICE, .choices = open_modules),
    KEYS_OF_EVERY_ROW(manifest_branch),
    {.name = NULL},
};

static char *branch_id(const void *row)
{
    const struct manifest_branch *branch = row;
    return mem_printf("driver/%u", branch->branch);
}

static bool branch_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct manifest_branch *branch = row;
    const struct manifest_branch *before = previous;
    if (before != NULL && branch->branch < before->branch)
        return place_problem(place, "branch", branch->id, "a row that sorts after %s", before->id);
    if (branch->cuda.count != 0 && branch->cuda.count != 2)
        return place_problem_version(place, "cuda", &branch->cuda, "two numbers");
    if (before != NULL && branch->cuda.count > 0 &&
        version_compare(&branch->cuda, &before->cuda) < 0)
        return place_problem_version(place, "cuda", &branch->cuda, "at least the value in %s",
                                     before->id);
    if (branch->latest.count > 0 && branch->latest.part[0] != branch->branch)
        return place_problem_version(place, "latest", &branch->latest, "a driver in branch %u",
                                     branch->branch);
    if (branch->first_release != NULL && branch->eol != NULL &&
        strncmp(branch->eol, branch->first_release, strlen("2026-11")) < 0)
        return place_problem(place, "eol", branch->eol, "no date before first_release %s",
                             branch->first_release);
    return true;
}

/* The row before, which is checked with the row, may have an empty cell. */
static bool cuda_grows(struct manifest *manifest, const struct manifest_place *place,
                       const struct manifest_branch *branch)
{
    size_t count;
    const struct manifest_branch *rows = manifest_branch_all(manifest, &count);
    for (size_t i = 0; i < count && branch->cuda.count > 0; i++)
        if (rows[i].branch < branch->branch && version_compare(&branch->cuda, &rows[i].cuda) < 0)
            return place_problem_version(place, "cuda", &branch->cuda, "at least the value in %s",
                                         rows[i].id);
    return true;
}

static bool branch_agrees(struct manifest *manifest, struct manifest_place *place, const void *row)
{
    const struct manifest_branch *branch = row;
    if (!cuda_grows(manifest, place, branch))
        return false;
    if (branch->capability_min.count == 0)
        return true;
    const struct manifest_architecture *architecture =
        manifest_architecture_find(manifest, &branch->capability_min);
    if (architecture == NULL)
        return place_problem_version(place, "capability_min", &branch->capability_min,
                                     "a compute capability that capability.architectures lists");
    if (branch->oldest_architecture == NULL ||
        string_equal(branch->oldest_architecture, architecture->architecture))
        return true;
    return place_problem(place, "oldest_architecture", branch->oldest_architecture,
                         "%s, the architecture of capability_min", architecture->architecture);
}

const struct manifest_subject manifest_driver_subject = {
    .name = "driver",
    .tables = {{.name = "rows",
                .about = "driver branches",
                .keys = keys,
                .row_size = sizeof(struct manifest_branch),
                .id_offset = offsetof(struct manifest_branch, id),
                .id = branch_id,
                .check = branch_check,
                .agrees = branch_agrees}},
};

const struct manifest_branch *manifest_branch_all(struct manifest *manifest, size_t *ret_count)
{
    return manifest_rows(manifest, &manifest_driver_subject, 0, ret_count);
}

const struct manifest_branch *manifest_branch_find(struct manifest *manifest,
                                                   const struct version *driver)
{
    size_t count;
    const struct manifest_branch *rows = manifest_branch_all(manifest, &count);
    for (size_t i = 0; i < count && driver->count > 0; i++)
        if (rows[i].branch == driver->part[0])
            return &rows[i];
    return NULL;
}

/* Whether the branch drives a GPU of this compute capability; row is what is known of it. */
static bool branch_drives(const struct manifest_branch *branch, const struct version *capability,
                          const struct manifest_capability *row)
{
    if (branch->capability_min.count == 0 ||
        version_compare(&branch->capability_min, capability) > 0)
        return false;
    if (row == NULL)
        return true;
    return branch->branch >= row->first_branch &&
           (row->last_branch == 0 || branch->branch <= row->last_branch);
}

const struct manifest_branch *manifest_branch_newest(struct manifest *manifest,
                                                     const struct version *capability)
{
    const struct manifest_capability *row = manifest_capability_find(manifest, capability);
    const struct manifest_capability *newest = manifest_capability_newest(manifest);
    if (row == NULL && newest != NULL && version_compare(capability, &newest->capability) > 0)
        return NULL;
    size_t count;
    const struct manifest_branch *rows = manifest_branch_all(manifest, &count);
    for (size_t i = count; i > 0; i--) {
        const struct manifest_branch *branch = &rows[i - 1];
        if (branch->latest.count == 0)
            continue;
        if (capability->count == 0 || branch_drives(branch, capability, row))
            return branch;
    }
    return NULL;
}

const struct manifest_branch *manifest_branch_for_cuda(struct manifest *manifest,
                                                       const struct version *cuda)
{
    struct version wanted = *cuda;
    if (wanted.count > 2)
        wanted.count = 2;
    size_t count;
    const struct manifest_branch *rows = manifest_branch_all(manifest, &count);
    for (size_t i = 0; i < count && wanted.count > 0; i++)
        if (rows[i].cuda.count > 0 && version_compare(&rows[i].cuda, &wanted) >= 0)
            return &rows[i];
    return NULL;
}
