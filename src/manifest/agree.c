/* SPDX-License-Identifier: MIT */
#include "manifest/agree.h"

bool branch_listed(struct manifest *manifest, const struct manifest_place *place, const char *key,
                   unsigned branch)
{
    const struct version driver = {.part = {branch}, .count = 1};
    if (branch == 0 || manifest_branch_find(manifest, &driver) != NULL)
        return true;
    AUTO_FREE char *found = mem_printf("branch %u", branch);
    return place_problem(place, key, found, "a branch that driver.rows has");
}

bool driver_listed(struct manifest *manifest, const struct manifest_place *place, const char *key,
                   const struct version *driver)
{
    if (driver->count == 0 || manifest_branch_find(manifest, driver) != NULL)
        return true;
    return place_problem_version(place, key, driver, "a driver of a branch that driver.rows has");
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

/* The rows of one table. What was asked of a subject that cannot be read has no answer. */
static bool rows_agree(struct manifest *manifest, struct manifest_document *document,
                       const struct manifest_subject *subject, unsigned number)
{
    const struct manifest_table *table = &subject->tables[number];
    struct manifest_place place = {
        .document = document, .subject = subject->name, .table = table->name};
    size_t count;
    const char *rows = manifest_rows(manifest, subject, number, &count);
    if (manifest_missed(manifest))
        document->problems->partial = true;
    bool agree = true;
    for (; place.row < count && !document_is_full(document); place.row++) {
        size_t before = document->problems->count;
        bool agrees = table->agrees(manifest, &place, rows + place.row * table->row_size);
        if (manifest_missed(manifest)) {
            problems_truncate(document->problems, before);
            document->problems->partial = true;
        } else if (!agrees) {
            agree = false;
        }
    }
    return agree;
}

static bool subject_agrees(struct manifest *manifest, const struct manifest_subject *subject,
                           struct manifest_document *document, struct manifest_problems *problems)
{
    AUTO_FREE char *name = mem_printf("manifests/%s.json", subject->name);
    struct manifest_document file = built_in_document(subject->name, name, problems);
    bool agree = true;
    for (unsigned i = 0; i < MANIFEST_TABLES; i++)
        if (subject->tables[i].agrees != NULL &&
            !rows_agree(manifest, document != NULL ? document : &file, subject, i))
            agree = false;
    return agree;
}

bool manifest_agrees(struct manifest *manifest, struct manifest_document *document,
                     struct manifest_problems *problems)
{
    bool agree = true;
    for (size_t i = 0; manifest_subjects[i] != NULL; i++)
        if (!subject_agrees(manifest, manifest_subjects[i], document, problems))
            agree = false;
    return agree;
}
