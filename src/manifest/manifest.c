/* SPDX-License-Identifier: MIT */
#include "manifest/manifest.h"

#include "manifest/agreement.h"
#include "manifest/reader/problems.h"
#include "manifest/reader/subject.h"
#include "manifest/store/store.h"

const struct manifest_subject *const manifest_subjects[] = {
#define SUBJECT(name) &manifest_##name##_subject,
#include "manifest/store/subjects.def"
#undef SUBJECT
    NULL,
};

struct manifest *manifest_new(void)
{
    return store_new_built_in(manifest_subjects);
}

struct manifest *manifest_load_again(const char *text, size_t size, const char *name)
{
    return store_new_lazy(manifest_subjects, name, text, size);
}

void manifest_free(struct manifest *manifest)
{
    store_free(manifest);
}

const struct error *manifest_problem(const struct manifest *manifest)
{
    return store_problem(manifest);
}

struct manifest *manifest_examine(const char *text, size_t size, const char *name,
                                  struct manifest_problems *problems)
{
    struct manifest *manifest = store_new(manifest_subjects, name);
    struct manifest_document document = {.name = store_name(manifest),
                                         .joined = true,
                                         .locator = {.text = text, .size = size},
                                         .problems = problems};
    store_read_document(manifest, &document);
    if (!document_is_full(&document))
        manifest_agrees(manifest, &document);
    if (problems->count == 0)
        return manifest;
    problems_sort(problems);
    manifest_free(manifest);
    return NULL;
}

struct manifest *manifest_load(const char *text, size_t size, const char *name, struct error *error)
{
    AUTO_PROBLEMS struct manifest_problems problems = {.max = 1};
    struct manifest *manifest = manifest_examine(text, size, name, &problems);
    if (manifest != NULL)
        return manifest;
    problems_fail(&problems, error);
    if (error != NULL && error->next == NULL)
        error_next(error, "correct this manifest, or use the built-in one");
    return NULL;
}
