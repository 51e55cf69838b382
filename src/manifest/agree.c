/* SPDX-License-Identifier: MIT */
#include "manifest/agree.h"
#include "manifest/cudnn_table.h"
#include "manifest/error.h"
#include "manifest/framework_table.h"
#include "manifest/pin.h"

/* What a row says of another subject must be there. */

bool branch_listed(struct manifest *manifest, const struct manifest_place *place, const char *key,
                   unsigned branch)
{
    const struct version driver = {.part = {branch}, .count = 1};
    if (branch == 0 || manifest_branch_find(manifest, &driver) != NULL)
        return true;
    AUTO_FREE char *found = mem_printf("branch %u", branch);
    return place_problem(place, key, found, "a branch that driver.rows has");
}

bool cuda_listed(struct manifest *manifest, const struct manifest_place *place, const char *key,
                 const struct version *cuda)
{
    if (cuda->count == 0 || manifest_cuda_find(manifest, cuda) != NULL)
        return true;
    return place_problem_version(place, key, cuda, "a CUDA version that cuda.rows has");
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
                                 "a compute capability that capability.rows has");
}

/* A driver of a branch that does not reach the toolkit's own CUDA version cannot be its minimum. */
static bool cuda_agrees(struct manifest *manifest, struct manifest_place *place, const void *row)
{
    const struct manifest_cuda *cuda = row;
    if (cuda->driver_min.count == 0)
        return true;
    const struct manifest_branch *branch = manifest_branch_find(manifest, &cuda->driver_min);
    if (branch == NULL)
        return branch_listed(manifest, place, "driver_min", cuda->driver_min.part[0]);
    struct version minor = cuda->version;
    minor.count = 2;
    if (branch->cuda.count == 0 || version_compare(&branch->cuda, &minor) >= 0)
        return true;
    return place_problem_version(place, "driver_min", &cuda->driver_min,
                                 "a driver that supports the release, which %s does not",
                                 branch->id);
}

static bool major_agrees(struct manifest *manifest, struct manifest_place *place, const void *row)
{
    const struct manifest_cuda_major *major = row;
    return branch_listed(manifest, place, "driver_min", major->driver_min.part[0]);
}

static bool capability_agrees(struct manifest *manifest, struct manifest_place *place,
                              const void *row)
{
    const struct manifest_capability *capability = row;
    if (!branch_listed(manifest, place, "first_branch", capability->first_branch) ||
        !branch_listed(manifest, place, "last_branch", capability->last_branch))
        return false;
    if (!capability_listed(manifest, place, "renamed_to", &capability->renamed_to))
        return false;
    const struct manifest_architecture *architecture =
        manifest_architecture_find(manifest, &capability->capability);
    if (architecture == NULL)
        return true;
    if (!string_equal(architecture->architecture, capability->architecture))
        return place_problem(place, "architecture", capability->architecture, "%s as %s has it",
                             architecture->architecture, architecture->id);
    if (architecture->last_branch == capability->last_branch)
        return true;
    AUTO_FREE char *found = mem_printf("branch %u", capability->last_branch);
    return place_problem(place, "last_branch", found, "branch %u as %s has it",
                         architecture->last_branch, architecture->id);
}

static bool architecture_agrees(struct manifest *manifest, struct manifest_place *place,
                                const void *row)
{
    const struct manifest_architecture *architecture = row;
    return branch_listed(manifest, place, "last_branch", architecture->last_branch) &&
           branch_listed(manifest, place, "open_module_from", architecture->open_module_from);
}

static bool gpu_agrees(struct manifest *manifest, struct manifest_place *place, const void *row)
{
    const struct manifest_gpu *gpu = row;
    const struct manifest_capability *capability =
        manifest_capability_find(manifest, &gpu->capability);
    if (capability == NULL)
        return capability_listed(manifest, place, "capability", &gpu->capability);
    if (!string_equal(gpu->architecture, capability->architecture))
        return place_problem(place, "architecture", gpu->architecture, "%s as %s has it",
                             capability->architecture, capability->id);
    return true;
}

static bool gpu_other_agrees(struct manifest *manifest, struct manifest_place *place,
                             const void *row)
{
    const struct manifest_gpu *other = row;
    size_t count;
    const struct manifest_gpu *rows = manifest_gpu_all(manifest, &count);
    for (size_t i = 0; i < count; i++)
        if (string_equal(rows[i].id, other->id))
            return place_problem(place, "name", other->name, "a model that gpu.rows has not");
    return gpu_agrees(manifest, place, row);
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

static const struct {
    const struct manifest_subject *subject;
    unsigned table;
    manifest_agreement *agrees;
} checks[] = {
    {&manifest_capability_subject, 0, architecture_agrees},
    {&manifest_capability_subject, 1, capability_agrees},
    {&manifest_compat_subject, 0, compat_agrees},
    {&manifest_compat_subject, 2, compat_rule_agrees},
    {&manifest_compat_subject, 3, compat_container_agrees},
    {&manifest_cuda_subject, 0, major_agrees},
    {&manifest_cuda_subject, 1, cuda_agrees},
    {&manifest_cuda_subject, 2, cuda_compilers_agree},
    {&manifest_cuda_subject, 3, cuda_nvcc_agrees},
    {&manifest_cudnn_subject, CUDNN_MAJORS, cudnn_major_agrees},
    {&manifest_cudnn_subject, CUDNN_RELEASES, cudnn_release_agrees},
    {&manifest_cudnn_subject, CUDNN_PAIRS, cudnn_pair_agrees},
    {&manifest_cudnn_subject, CUDNN_LIBRARIES, cudnn_library_agrees},
    {&manifest_cudnn_subject, CUDNN_WHEELS, cudnn_wheel_agrees},
    {&manifest_error_subject, ERRORS_XID, error_xid_agrees},
    {&manifest_framework_subject, FRAMEWORK_FRAMEWORKS, framework_agrees},
    {&manifest_framework_subject, FRAMEWORK_BUILDS, framework_build_agrees},
    {&manifest_framework_subject, FRAMEWORK_PINS, framework_pin_agrees},
    {&manifest_framework_subject, FRAMEWORK_RIDERS, framework_rider_agrees},
    {&manifest_framework_subject, FRAMEWORK_INDEXES, framework_index_agrees},
    {&manifest_framework_subject, FRAMEWORK_CAPABILITIES, framework_capability_agrees},
    {&manifest_gpu_subject, 0, gpu_agrees},
    {&manifest_gpu_subject, 1, gpu_other_agrees},
    {&manifest_legacy_subject, 1, legacy_archive_agrees},
    {&manifest_library_subject, 0, library_soname_agrees},
    {&manifest_library_subject, 3, library_release_agrees},
    {&manifest_package_subject, 0, package_agrees},
    {&manifest_package_subject, 1, repository_agrees},
    {&manifest_pin_subject, 0, pin_agrees},
    {&manifest_system_subject, 1, system_agrees},
};

/* The rows of one table. What was asked of a subject that cannot be read has no answer. */
static bool rows_agree(struct manifest *manifest, struct manifest_document *document, size_t check)
{
    const struct manifest_subject *subject = checks[check].subject;
    const struct manifest_table *table = &subject->tables[checks[check].table];
    struct manifest_place place = {
        .document = document, .subject = subject->name, .table = table->name};
    size_t count;
    const char *rows = manifest_rows(manifest, subject, checks[check].table, &count);
    if (manifest_missed(manifest))
        document->problems->partial = true;
    bool agree = true;
    for (; place.row < count && !document_is_full(document); place.row++) {
        size_t before = document->problems->count;
        bool agrees = checks[check].agrees(manifest, &place, rows + place.row * table->row_size);
        if (manifest_missed(manifest)) {
            problems_truncate(document->problems, before);
            document->problems->partial = true;
        } else if (!agrees) {
            agree = false;
        }
    }
    return agree;
}

bool manifest_agrees(struct manifest *manifest, struct manifest_document *document,
                     struct manifest_problems *problems)
{
    bool agree = true;
    for (size_t i = 0; i < sizeof(checks) / sizeof(*checks); i++) {
        AUTO_FREE char *name = mem_printf("manifests/%s.json", checks[i].subject->name);
        struct manifest_document file = built_in_document(checks[i].subject->name, name, problems);
        if (!rows_agree(manifest, document != NULL ? document : &file, i))
            agree = false;
    }
    return agree;
}
