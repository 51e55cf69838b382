/* SPDX-License-Identifier: MIT */
#include "manifest/reader/slug.h"
#include "manifest/reader/subject.h"
#include "manifest/store/store.h"
#include "manifest/versions/capability.h"
#include "manifest/versions/compat.h"
#include "manifest/versions/driver.h"
#include "manifest/versions/listed.h"

/* manifests/compat.json: forward compatibility. */
enum { TABLE_PAIRS, TABLE_CLASSES, TABLE_RULES, TABLE_CONTAINERS };

/* A cuda-compat package on a driver branch. */
struct compat_row {
    const char *id;
    struct version cuda;
    unsigned branch;
    const char *verdict; /* yes, no, paired */
    const char *source;
    const char *confidence;
    const char *notes;
};

/* Whether a class of GPUs may use it. */
struct compat_class {
    const char *id;
    const char *gpu_class;
    const char *eligible; /* yes, no; NULL: some of it, or not known */
    const char *source;
    const char *confidence;
    const char *notes;
};

/* What else holds. */
struct compat_rule {
    const char *id;
    const char *rule;
    struct version since; /* the first CUDA version for which it holds; count 0: all */
    const char *text;
    const char *source;
    const char *confidence;
    const char *notes;
};

/* What NVIDIA's container image of a CUDA version asks for (NVIDIA_REQUIRE_CUDA). */
struct compat_container {
    const char *id;
    struct version cuda;
    struct strlist branches; /* older than the image's own, which it takes with its cuda-compat */
    struct strlist brands;   /* of GPUs, for which it takes them */
    const char *geforce;     /* yes, no: whether brands has it */
    const char *source;
    const char *confidence;
    const char *notes;
};

static const char *const verdicts[] = {"yes", "no", "paired", NULL};

static const struct manifest_key keys[] = {
    KEY(compat_row, cuda, KEY_VERSION, .required = true),
    KEY(compat_row, branch, KEY_UNSIGNED, .required = true),
    KEY(compat_row, verdict, KEY_CHOICE, .required = true, .choices = verdicts),
    KEYS_OF_EVERY_ROW(compat_row),
    {.name = NULL},
};

static const struct manifest_key class_keys[] = {
    {.name = "class",
     .type = KEY_CHOICE,
     .required = true,
     .offset = offsetof(struct compat_class, gpu_class),
     .choices = manifest_gpu_classes},
    KEY(compat_class, eligible, KEY_CHOICE, .choices = manifest_yes_no),
    KEYS_OF_EVERY_ROW(compat_class),
    {.name = NULL},
};

static const struct manifest_key rule_keys[] = {
    KEY(compat_rule, rule, KEY_STRING, .required = true),
    KEY(compat_rule, since, KEY_VERSION),
    KEY(compat_rule, text, KEY_STRING, .required = true),
    KEYS_OF_EVERY_ROW(compat_rule),
    {.name = NULL},
};

static const struct manifest_key container_keys[] = {
    KEY(compat_container, cuda, KEY_VERSION, .required = true),
    KEY(compat_container, branches, KEY_STRINGS, .required = true),
    KEY(compat_container, brands, KEY_STRINGS, .required = true),
    KEY(compat_container, geforce, KEY_CHOICE, .required = true, .choices = manifest_yes_no),
    KEYS_OF_EVERY_ROW(compat_container),
    {.name = NULL},
};

static char *compat_id(const void *row)
{
    const struct compat_row *compat = row;
    char version[VERSION_TEXT_SIZE];
    return mem_printf("compat/%s/%u", version_text(&compat->cuda, 0, version), compat->branch);
}

static char *class_id(const void *row)
{
    const struct compat_class *class = row;
    return mem_printf("compat/%s", class->gpu_class);
}

static char *rule_id(const void *row)
{
    const struct compat_rule *rule = row;
    return mem_printf("compat/rule-%s", rule->rule);
}

static char *container_id(const void *row)
{
    const struct compat_container *container = row;
    char version[VERSION_TEXT_SIZE];
    return mem_printf("compat/container-%s", version_text(&container->cuda, 0, version));
}

static bool compat_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct compat_row *compat = row;
    const struct compat_row *before = previous;
    if (compat->cuda.count != 2)
        return place_problem_version(place, "cuda", &compat->cuda, "two numbers");
    if (before == NULL)
        return true;
    int order = version_compare(&compat->cuda, &before->cuda);
    if (order < 0 || (order == 0 && compat->branch < before->branch))
        return place_problem(place, "cuda", compat->id, "a row that sorts after %s", before->id);
    return true;
}

static size_t class_rank(const struct compat_class *class)
{
    size_t rank = 0;
    while (!string_equal(manifest_gpu_classes[rank], class->gpu_class))
        rank++;
    return rank;
}

static bool class_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct compat_class *class = row;
    const struct compat_class *before = previous;
    if (before == NULL || class_rank(before) < class_rank(class))
        return true;
    return place_problem(place, "class", class->id, "a row that sorts after %s", before->id);
}

static bool rule_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct compat_rule *rule = row;
    (void)previous;
    return slug_check(place, "rule", rule->rule);
}

static bool container_check(const struct manifest_place *place, const void *row,
                            const void *previous)
{
    const struct compat_container *container = row;
    const struct compat_container *before = previous;
    if (container->cuda.count != 2)
        return place_problem_version(place, "cuda", &container->cuda, "two numbers");
    if (before != NULL && version_compare(&container->cuda, &before->cuda) < 0)
        return place_problem_version(place, "cuda", &container->cuda, "a row that sorts after %s",
                                     before->id);
    if (strlist_has(&container->brands, "geforce") == string_equal(container->geforce, "yes"))
        return true;
    return place_problem(place, "geforce", container->geforce, "the value of brands");
}

static manifest_agreement compat_agrees;
static manifest_agreement rule_agrees;
static manifest_agreement container_agrees;

const struct manifest_subject manifest_compat_subject = {
    .name = "compat",
    .tables =
        {
            [TABLE_PAIRS] = {.name = "rows",
                             .about = "cuda-compat packages on driver branches",
                             .keys = keys,
                             .row_size = sizeof(struct compat_row),
                             .id_offset = offsetof(struct compat_row, id),
                             .id = compat_id,
                             .check = compat_check,
                             .agrees = compat_agrees},
            [TABLE_CLASSES] = {.name = "classes",
                               .about = "GPU classes that can use cuda-compat",
                               .keys = class_keys,
                               .row_size = sizeof(struct compat_class),
                               .id_offset = offsetof(struct compat_class, id),
                               .id = class_id,
                               .check = class_check},
            [TABLE_RULES] = {.name = "rules",
                             .about = "other conditions for cuda-compat",
                             .keys = rule_keys,
                             .row_size = sizeof(struct compat_rule),
                             .id_offset = offsetof(struct compat_rule, id),
                             .id = rule_id,
                             .check = rule_check,
                             .agrees = rule_agrees},
            [TABLE_CONTAINERS] = {.name = "containers",
                                  .about = "what container images accept",
                                  .keys = container_keys,
                                  .row_size = sizeof(struct compat_container),
                                  .id_offset = offsetof(struct compat_container, id),
                                  .id = container_id,
                                  .check = container_check,
                                  .agrees = container_agrees},
        },
};

static const struct compat_row *row_for(struct manifest *manifest, const struct version *cuda,
                                        unsigned branch)
{
    size_t count;
    const struct compat_row *rows =
        manifest_rows(manifest, &manifest_compat_subject, TABLE_PAIRS, &count);
    for (size_t i = 0; i < count; i++)
        if (rows[i].branch == branch && version_within(cuda, &rows[i].cuda))
            return &rows[i];
    return NULL;
}

enum manifest_compat manifest_compat_find(struct manifest *manifest, const struct version *cuda,
                                          unsigned branch, const char **ret_id)
{
    const struct compat_row *row = row_for(manifest, cuda, branch);
    if (row == NULL)
        return COMPAT_UNKNOWN;
    if (ret_id != NULL)
        *ret_id = row->id;
    return string_equal(row->verdict, "yes") ? COMPAT_YES : COMPAT_NO;
}

const char *manifest_compat_source(struct manifest *manifest, const struct version *cuda,
                                   unsigned branch, const char **ret_confidence)
{
    const struct compat_row *row = row_for(manifest, cuda, branch);
    *ret_confidence = row ? row->confidence : NULL;
    return row ? row->source : NULL;
}

/* No CUDA that drives the GPU has a cuda-compat package: the first of these came later. */
static bool is_too_old(struct manifest *manifest, const struct version *capability)
{
    size_t count;
    const struct compat_rule *rules =
        manifest_rows(manifest, &manifest_compat_subject, TABLE_RULES, &count);
    const struct manifest_capability *row = manifest_capability_find(manifest, capability);
    for (size_t i = 0; row && row->last_cuda.count > 0 && i < count; i++)
        if (string_equal(rules[i].rule, "first-cuda"))
            return version_compare(&row->last_cuda, &rules[i].since) < 0;
    return false;
}

enum manifest_compat manifest_class_compat(struct manifest *manifest, const char *gpu_class,
                                           const struct version *capability)
{
    size_t count;
    if (is_too_old(manifest, capability))
        return COMPAT_NO;
    const struct compat_class *rows =
        manifest_rows(manifest, &manifest_compat_subject, TABLE_CLASSES, &count);
    for (size_t i = 0; i < count; i++) {
        if (!string_equal(rows[i].gpu_class, gpu_class) || rows[i].eligible == NULL)
            continue;
        return string_equal(rows[i].eligible, "yes") ? COMPAT_YES : COMPAT_NO;
    }
    return COMPAT_UNKNOWN;
}

static bool rule_agrees(struct manifest *manifest, struct manifest_place *place, const void *row)
{
    const struct compat_rule *rule = row;
    return cuda_listed(manifest, place, "since", &rule->since);
}

/* An image takes older branches only, and none that the matrix turns away. */
static bool container_agrees(struct manifest *manifest, struct manifest_place *place,
                             const void *row)
{
    const struct compat_container *container = row;
    if (!cuda_listed(manifest, place, "cuda", &container->cuda))
        return false;
    for (size_t i = 0; i < container->branches.count; i++) {
        const char *text = container->branches.items[i];
        struct version driver;
        const struct manifest_branch *branch = NULL;
        if (version_parse(text, &driver) && driver.count == 1)
            branch = manifest_branch_find(manifest, &driver);
        if (branch == NULL)
            return place_problem(place, "branches", text, "branches that driver.rows lists");
        const char *pair;
        if (branch->cuda.count > 0 && version_compare(&branch->cuda, &container->cuda) > 0)
            return place_problem(place, "branches", text,
                                 "no branch that supports a newer CUDA than this row's; %s does",
                                 branch->id);
        if (manifest_compat_find(manifest, &container->cuda, branch->branch, &pair) == COMPAT_NO)
            return place_problem(place, "branches", text, "no branch that %s rejects", pair);
    }
    return true;
}

/* A compat package is of use on older branches only. */
static bool compat_agrees(struct manifest *manifest, struct manifest_place *place, const void *row)
{
    const struct compat_row *compat = row;
    const struct version driver = {.part = {compat->branch}, .count = 1};
    const struct manifest_branch *branch = manifest_branch_find(manifest, &driver);
    if (branch == NULL)
        return branch_listed(manifest, place, "branch", compat->branch);
    if (!cuda_listed(manifest, place, "cuda", &compat->cuda))
        return false;
    if (branch->cuda.count == 0)
        return true;
    int order = version_compare(&branch->cuda, &compat->cuda);
    const char *verdict = order < 0 ? "yes" : order == 0 ? "paired" : "no";
    if (string_equal(compat->verdict, verdict))
        return true;
    char cuda[VERSION_TEXT_SIZE];
    return place_problem(place, "verdict", compat->verdict, "\"%s\", since %s supports CUDA %s",
                         verdict, branch->id, version_text(&branch->cuda, 0, cuda));
}
