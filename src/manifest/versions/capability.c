/* SPDX-License-Identifier: MIT */
#include "manifest/reader/slug.h"
#include "manifest/reader/subject.h"
#include "manifest/store/store.h"
#include "manifest/versions/capability.h"
#include "manifest/versions/listed.h"

/* manifests/capability.json: GPU architectures and compute capabilities. */
enum { TABLE_ARCHITECTURES, TABLE_CAPABILITIES };

static const char *const modules[] = {"no", "yes", "required", NULL};

static const struct manifest_key architecture_keys[] = {
    KEY(manifest_architecture, architecture, KEY_STRING, .required = true),
    KEY(manifest_architecture, capabilities, KEY_STRINGS, .required = true),
    KEY(manifest_architecture, last_branch, KEY_UNSIGNED),
    KEY(manifest_architecture, open_module, KEY_CHOICE, .choices = modules),
    KEY(manifest_architecture, open_module_from, KEY_UNSIGNED),
    KEY(manifest_architecture, proprietary_module, KEY_CHOICE, .choices = modules),
    KEYS_OF_EVERY_ROW(manifest_architecture),
    {.name = NULL},
};

static const struct manifest_key capability_keys[] = {
    KEY(manifest_capability, capability, KEY_VERSION, .required = true),
    KEY(manifest_capability, sm, KEY_STRING, .required = true),
    KEY(manifest_capability, architecture, KEY_STRING, .required = true),
    KEY(manifest_capability, variant, KEY_STRING),
    KEY(manifest_capability, boards, KEY_STRINGS),
    KEY(manifest_capability, first_cuda, KEY_VERSION),
    KEY(manifest_capability, last_cuda, KEY_VERSION),
    KEY(manifest_capability, dropped_in, KEY_VERSION),
    KEY(manifest_capability, first_branch, KEY_UNSIGNED),
    KEY(manifest_capability, last_branch, KEY_UNSIGNED),
    KEY(manifest_capability, renamed_to, KEY_VERSION),
    KEYS_OF_EVERY_ROW(manifest_capability),
    {.name = NULL},
};

static char *architecture_id(const void *row)
{
    const struct manifest_architecture *architecture = row;
    AUTO_FREE char *slug = manifest_slug(architecture->architecture);
    return mem_printf("architecture/%s", slug);
}

static char *capability_id(const void *row)
{
    const struct manifest_capability *capability = row;
    char version[VERSION_TEXT_SIZE];
    return mem_printf("capability/%s", version_text(&capability->capability, 0, version));
}

static bool architecture_check(const struct manifest_place *place, const void *row,
                               const void *previous)
{
    const struct manifest_architecture *architecture = row;
    (void)previous;
    for (size_t i = 0; i < architecture->capabilities.count; i++) {
        const char *text = architecture->capabilities.items[i];
        struct version capability;
        if (!version_parse(text, &capability) || capability.count != 2)
            return place_problem(place, "capabilities", text, "compute capabilities such as 9.0");
    }
    bool open_required = string_equal(architecture->open_module, "required");
    bool proprietary_required = string_equal(architecture->proprietary_module, "required");
    if (open_required && proprietary_required)
        return place_problem(place, "proprietary_module", "required",
                             "a value that differs from open_module");
    if (string_equal(architecture->open_module, "no") && architecture->open_module_from > 0)
        return place_problem(place, "open_module_from", "a branch",
                             "none, since open_module is \"no\"");
    return true;
}

/* A toolkit or branch that ends before it begins. */
static bool capability_spans(const struct manifest_place *place,
                             const struct manifest_capability *row)
{
    if (row->last_cuda.count > 0 && version_compare(&row->last_cuda, &row->first_cuda) < 0)
        return place_problem_version(place, "last_cuda", &row->last_cuda, "at least first_cuda");
    if (row->dropped_in.count > 0 &&
        (row->last_cuda.count == 0 || version_compare(&row->dropped_in, &row->last_cuda) <= 0))
        return place_problem_version(place, "dropped_in", &row->dropped_in,
                                     "a release after last_cuda");
    if (row->last_branch == 0 || row->last_branch >= row->first_branch)
        return true;
    AUTO_FREE char *found = mem_printf("branch %u", row->last_branch);
    return place_problem(place, "last_branch", found, "at least first_branch");
}

static bool capability_check(const struct manifest_place *place, const void *row,
                             const void *previous)
{
    const struct manifest_capability *capability = row;
    const struct manifest_capability *before = previous;
    const struct version *version = &capability->capability;
    if (version->count != 2)
        return place_problem_version(place, "capability", version, "two numbers");
    if (before != NULL && version_compare(version, &before->capability) <= 0)
        return place_problem_version(place, "capability", version, "a row that sorts after %s",
                                     before->id);
    AUTO_FREE char *sm = mem_printf("sm_%u%u", version->part[0], version->part[1]);
    if (!string_equal(capability->sm, sm))
        return place_problem(place, "sm", capability->sm, "%s", sm);
    return capability_spans(place, capability);
}

static manifest_agreement architecture_agrees;
static manifest_agreement capability_agrees;

const struct manifest_subject manifest_capability_subject = {
    .name = "capability",
    .tables =
        {
            [TABLE_ARCHITECTURES] = {.name = "architectures",
                                     .about = "GPU architectures and their kernel modules",
                                     .keys = architecture_keys,
                                     .row_size = sizeof(struct manifest_architecture),
                                     .id_offset = offsetof(struct manifest_architecture, id),
                                     .id = architecture_id,
                                     .check = architecture_check,
                                     .agrees = architecture_agrees},
            [TABLE_CAPABILITIES] = {.name = "rows",
                                    .about = "compute capabilities and what runs on them",
                                    .keys = capability_keys,
                                    .row_size = sizeof(struct manifest_capability),
                                    .id_offset = offsetof(struct manifest_capability, id),
                                    .id = capability_id,
                                    .check = capability_check,
                                    .agrees = capability_agrees},
        },
};

const struct manifest_capability *manifest_capability_all(struct manifest *manifest,
                                                          size_t *ret_count)
{
    return manifest_rows(manifest, &manifest_capability_subject, TABLE_CAPABILITIES, ret_count);
}

const struct manifest_capability *manifest_capability_find(struct manifest *manifest,
                                                           const struct version *capability)
{
    size_t count;
    const struct manifest_capability *rows = manifest_capability_all(manifest, &count);
    for (size_t i = 0; i < count && capability->count > 0; i++)
        if (version_compare(&rows[i].capability, capability) == 0)
            return &rows[i];
    return NULL;
}

const struct manifest_capability *manifest_capability_newest(struct manifest *manifest)
{
    size_t count;
    const struct manifest_capability *rows = manifest_capability_all(manifest, &count);
    return count > 0 ? &rows[count - 1] : NULL;
}

static bool architecture_has(const struct manifest_architecture *architecture,
                             const struct version *capability)
{
    for (size_t i = 0; i < architecture->capabilities.count; i++) {
        struct version listed = {.count = 0};
        if (version_parse(architecture->capabilities.items[i], &listed) &&
            version_compare(&listed, capability) == 0)
            return true;
    }
    return false;
}

const struct manifest_architecture *manifest_architecture_find(struct manifest *manifest,
                                                               const struct version *capability)
{
    size_t count;
    const struct manifest_architecture *rows =
        manifest_rows(manifest, &manifest_capability_subject, TABLE_ARCHITECTURES, &count);
    for (size_t i = 0; i < count && capability->count > 0; i++)
        if (architecture_has(&rows[i], capability))
            return &rows[i];
    return NULL;
}

static bool capability_agrees(struct manifest *manifest, struct manifest_place *place,
                              const void *row)
{
    const struct manifest_capability *capability = row;
    if (!branch_listed(manifest, place, "first_branch", capability->first_branch) ||
        !branch_listed(manifest, place, "last_branch", capability->last_branch))
        return false;
    if (!cuda_listed(manifest, place, "last_cuda", &capability->last_cuda) ||
        !cuda_listed(manifest, place, "dropped_in", &capability->dropped_in) ||
        !capability_listed(manifest, place, "renamed_to", &capability->renamed_to))
        return false;
    const struct manifest_architecture *architecture =
        manifest_architecture_find(manifest, &capability->capability);
    if (architecture == NULL)
        return true;
    if (!string_equal(architecture->architecture, capability->architecture))
        return place_problem(place, "architecture", capability->architecture, "%s, as in %s",
                             architecture->architecture, architecture->id);
    if (architecture->last_branch == capability->last_branch)
        return true;
    AUTO_FREE char *found = mem_printf("branch %u", capability->last_branch);
    return place_problem(place, "last_branch", found, "branch %u, as in %s",
                         architecture->last_branch, architecture->id);
}

/* Those older than the first row of the table are history, and not listed there. */
static bool member_agrees(struct manifest *manifest, const struct manifest_place *place,
                          const struct manifest_architecture *architecture, const char *text)
{
    size_t count;
    const struct manifest_capability *rows = manifest_capability_all(manifest, &count);
    struct version number = {.count = 0};
    version_parse(text, &number);
    if (count == 0 || version_compare(&number, &rows[0].capability) < 0)
        return true;
    const struct manifest_architecture *first = manifest_architecture_find(manifest, &number);
    if (first != NULL && !string_equal(first->id, architecture->id))
        return place_problem(place, "capabilities", text, "none that %s already has", first->id);
    return capability_listed(manifest, place, "capabilities", &number);
}

static bool architecture_agrees(struct manifest *manifest, struct manifest_place *place,
                                const void *row)
{
    const struct manifest_architecture *architecture = row;
    for (size_t i = 0; i < architecture->capabilities.count; i++)
        if (!member_agrees(manifest, place, architecture, architecture->capabilities.items[i]))
            return false;
    return branch_listed(manifest, place, "last_branch", architecture->last_branch) &&
           branch_listed(manifest, place, "open_module_from", architecture->open_module_from);
}
