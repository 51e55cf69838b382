/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "manifest/reader/subject.h"
#include "manifest/store/store.h"
#include "manifest/toolkit/code.h"
#include "manifest/versions/driver.h"
#include "manifest/versions/listed.h"

enum { TABLE_PTX, TABLE_FAMILIES, TABLE_INTEGRATED, TABLE_EMPTY };

static const char *const empty_kinds[] = {"sass", "ptx", NULL};

static const struct manifest_key ptx_keys[] = {
    KEY(manifest_ptx, version, KEY_VERSION, .required = true),
    KEY(manifest_ptx, cuda, KEY_VERSION, .required = true),
    KEY(manifest_ptx, branch, KEY_UNSIGNED),
    KEYS_OF_EVERY_ROW(manifest_ptx),
    {.name = NULL},
};

static const struct manifest_key family_keys[] = {
    KEY(manifest_family, family, KEY_STRING, .required = true),
    KEY(manifest_family, capabilities, KEY_STRINGS, .required = true),
    KEYS_OF_EVERY_ROW(manifest_family),
    {.name = NULL},
};

static const struct manifest_key integrated_keys[] = {
    KEY(manifest_integrated, capability, KEY_VERSION, .required = true),
    KEYS_OF_EVERY_ROW(manifest_integrated),
    {.name = NULL},
};

static const struct manifest_key empty_keys[] = {
    KEY(manifest_empty, kind, KEY_CHOICE, .required = true, .choices = empty_kinds),
    KEY(manifest_empty, packed, KEY_CHOICE, .required = true, .choices = manifest_yes_no),
    KEY(manifest_empty, bytes, KEY_SIZE, .required = true),
    KEYS_OF_EVERY_ROW(manifest_empty),
    {.name = NULL},
};

static char *ptx_id(const void *row)
{
    const struct manifest_ptx *ptx = row;
    char version[VERSION_TEXT_SIZE];
    return mem_printf("ptx/%s", version_text(&ptx->version, 0, version));
}

static char *family_id(const void *row)
{
    const struct manifest_family *family = row;
    return mem_printf("family/%s", family->family);
}

static char *integrated_id(const void *row)
{
    const struct manifest_integrated *integrated = row;
    char version[VERSION_TEXT_SIZE];
    return mem_printf("integrated/%s", version_text(&integrated->capability, 0, version));
}

static char *empty_id(const void *row)
{
    const struct manifest_empty *empty = row;
    return mem_printf("empty/%s%s", empty->kind,
                      string_equal(empty->packed, "yes") ? "-compressed" : "");
}

static bool ptx_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct manifest_ptx *ptx = row;
    const struct manifest_ptx *before = previous;
    if (ptx->version.count != 2)
        return place_problem_version(place, "version", &ptx->version, "two numbers");
    if (ptx->cuda.count != 2)
        return place_problem_version(place, "cuda", &ptx->cuda, "two numbers");
    if (before == NULL)
        return true;
    if (version_compare(&ptx->version, &before->version) <= 0)
        return place_problem_version(place, "version", &ptx->version, "a row that sorts after %s",
                                     before->id);
    if (version_compare(&ptx->cuda, &before->cuda) <= 0)
        return place_problem_version(place, "cuda", &ptx->cuda, "a later CUDA than in %s",
                                     before->id);
    return true;
}

/* "10.0f" as 10.0. */
static bool family_parse(const char *family, struct version *ret_capability)
{
    AUTO_FREE char *number = mem_string_n(family, strlen(family) - string_ends(family, "f"));
    return string_ends(family, "f") && version_parse(number, ret_capability) &&
           ret_capability->count == 2;
}

static bool family_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct manifest_family *family = row;
    const struct manifest_family *before = previous;
    struct version first, last = {.count = 0}, one;
    if (!family_parse(family->family, &first))
        return place_problem(place, "family", family->family, "a family such as 10.0f");
    if (before && family_parse(before->family, &last) && version_compare(&first, &last) <= 0)
        return place_problem(place, "family", family->family, "a row that sorts after %s",
                             before->id);
    for (size_t i = 0; i < family->capabilities.count; i++) {
        const char *text = family->capabilities.items[i];
        if (!version_parse(text, &one) || one.count != 2 || one.part[0] != first.part[0] ||
            one.part[1] < first.part[1])
            return place_problem(
                place, "capabilities", text,
                "compute capabilities with the same major number, and not below the row's own");
    }
    return true;
}

static bool integrated_check(const struct manifest_place *place, const void *row,
                             const void *previous)
{
    const struct manifest_integrated *integrated = row;
    const struct manifest_integrated *before = previous;
    if (integrated->capability.count != 2)
        return place_problem_version(place, "capability", &integrated->capability, "two numbers");
    if (before && version_compare(&integrated->capability, &before->capability) <= 0)
        return place_problem_version(place, "capability", &integrated->capability,
                                     "a row that sorts after %s", before->id);
    return true;
}

/* What is compressed is smaller. */
static bool empty_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct manifest_empty *empty = row;
    const struct manifest_empty *before = previous;
    if (before == NULL || !string_equal(before->kind, empty->kind) || empty->bytes < before->bytes)
        return true;
    AUTO_FREE char *found = mem_printf("%llu", (unsigned long long)empty->bytes);
    return place_problem(place, "bytes", found, "less than in %s", before->id);
}

/* Branches older than driver.rows begins are named too. */
static bool ptx_agrees(struct manifest *manifest, struct manifest_place *place, const void *row)
{
    const struct manifest_ptx *ptx = row;
    const struct version driver = {.part = {ptx->branch}, .count = 1};
    const struct manifest_branch *branch =
        ptx->branch ? manifest_branch_find(manifest, &driver) : NULL;
    if (branch == NULL || branch->cuda.count == 0 || version_within(&branch->cuda, &ptx->cuda))
        return true;
    char cuda[VERSION_TEXT_SIZE];
    return place_problem_version(place, "cuda", &ptx->cuda, "CUDA %s, as in %s",
                                 version_text(&branch->cuda, 0, cuda), branch->id);
}

static bool family_agrees(struct manifest *manifest, struct manifest_place *place, const void *row)
{
    const struct manifest_family *family = row;
    for (size_t i = 0; i < family->capabilities.count; i++) {
        struct version capability;
        if (version_parse(family->capabilities.items[i], &capability) &&
            !capability_listed(manifest, place, "capabilities", &capability))
            return false;
    }
    return true;
}

static bool integrated_agrees(struct manifest *manifest, struct manifest_place *place,
                              const void *row)
{
    const struct manifest_integrated *integrated = row;
    return capability_listed(manifest, place, "capability", &integrated->capability);
}

const struct manifest_subject manifest_code_subject = {
    .name = "code",
    .tables =
        {
            [TABLE_PTX] = {.name = "ptx",
                           .about = "PTX versions, and the CUDA releases that support them",
                           .keys = ptx_keys,
                           .row_size = sizeof(struct manifest_ptx),
                           .id_offset = offsetof(struct manifest_ptx, id),
                           .id = ptx_id,
                           .check = ptx_check,
                           .agrees = ptx_agrees},
            [TABLE_FAMILIES] = {.name = "families",
                                .about = "families of GPUs that run the same code",
                                .keys = family_keys,
                                .row_size = sizeof(struct manifest_family),
                                .id_offset = offsetof(struct manifest_family, id),
                                .id = family_id,
                                .check = family_check,
                                .agrees = family_agrees},
            [TABLE_INTEGRATED] = {.name = "integrated",
                                  .about = "compute capabilities of integrated GPUs",
                                  .keys = integrated_keys,
                                  .row_size = sizeof(struct manifest_integrated),
                                  .id_offset = offsetof(struct manifest_integrated, id),
                                  .id = integrated_id,
                                  .check = integrated_check,
                                  .agrees = integrated_agrees},
            [TABLE_EMPTY] = {.name = "empty",
                             .about = "what nvcc puts into files without kernels",
                             .keys = empty_keys,
                             .row_size = sizeof(struct manifest_empty),
                             .id_offset = offsetof(struct manifest_empty, id),
                             .id = empty_id,
                             .check = empty_check},
        },
};

const struct manifest_ptx *manifest_ptx_all(struct manifest *manifest, size_t *ret_count)
{
    return manifest_rows(manifest, &manifest_code_subject, TABLE_PTX, ret_count);
}

const struct manifest_ptx *manifest_ptx_find(struct manifest *manifest,
                                             const struct version *version)
{
    size_t count;
    const struct manifest_ptx *rows = manifest_ptx_all(manifest, &count);
    for (size_t i = 0; i < count && version->count > 0; i++)
        if (version_compare(&rows[i].version, version) == 0)
            return &rows[i];
    return NULL;
}

const struct manifest_family *manifest_family_find(struct manifest *manifest,
                                                   const struct version *capability)
{
    size_t count;
    const struct manifest_family *rows =
        manifest_rows(manifest, &manifest_code_subject, TABLE_FAMILIES, &count);
    for (size_t i = 0; i < count; i++) {
        struct version first;
        if (family_parse(rows[i].family, &first) && version_compare(&first, capability) == 0)
            return &rows[i];
    }
    return NULL;
}

const struct manifest_integrated *manifest_integrated_find(struct manifest *manifest,
                                                           const struct version *capability)
{
    size_t count;
    const struct manifest_integrated *rows =
        manifest_rows(manifest, &manifest_code_subject, TABLE_INTEGRATED, &count);
    for (size_t i = 0; i < count && capability->count > 0; i++)
        if (version_compare(&rows[i].capability, capability) == 0)
            return &rows[i];
    return NULL;
}

const struct manifest_empty *manifest_empty_find(struct manifest *manifest, const char *kind,
                                                 bool packed)
{
    size_t count;
    const struct manifest_empty *rows =
        manifest_rows(manifest, &manifest_code_subject, TABLE_EMPTY, &count);
    for (size_t i = 0; i < count; i++)
        if (string_equal(rows[i].kind, kind) && string_equal(rows[i].packed, "yes") == packed)
            return &rows[i];
    return NULL;
}
