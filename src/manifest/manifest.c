/* SPDX-License-Identifier: MIT */
#include "manifest/manifest.h"

#include <string.h>

#include "manifest/embedded.h"
#include "manifest/subject.h"

struct slot {
    const struct manifest_subject *subject;
    struct manifest_store store;
    enum { SLOT_UNREAD, SLOT_READ, SLOT_BROKEN } state;
};

struct manifest {
    char *name; /* of the document; NULL: built in */
    struct slot *slots;
    size_t slot_count;
    struct error problem;
};

static struct manifest *manifest_empty(const char *name)
{
    struct manifest *manifest = mem_alloc(sizeof(*manifest));
    manifest->name = mem_string(name);
    while (manifest_subjects[manifest->slot_count] != NULL)
        manifest->slot_count++;
    manifest->slots = mem_alloc(manifest->slot_count * sizeof(*manifest->slots));
    for (size_t i = 0; i < manifest->slot_count; i++)
        manifest->slots[i].subject = manifest_subjects[i];
    return manifest;
}

struct manifest *manifest_new(void)
{
    return manifest_empty(NULL);
}

void manifest_free(struct manifest *manifest)
{
    if (manifest == NULL)
        return;
    for (size_t i = 0; i < manifest->slot_count; i++)
        subject_free(manifest->slots[i].subject, &manifest->slots[i].store);
    free(manifest->slots);
    free(manifest->name);
    error_clear(&manifest->problem);
    free(manifest);
}

static void manifest_free_at(struct manifest **manifest)
{
    manifest_free(*manifest);
}

static bool slot_take(struct slot *slot, json_t *json, const char *document, struct error *error)
{
    slot->state = SLOT_BROKEN;
    if (!subject_read(slot->subject, json, document, &slot->store, error)) {
        subject_free(slot->subject, &slot->store);
        return false;
    }
    slot->state = SLOT_READ;
    return true;
}

static bool slot_read_embedded(struct slot *slot, struct error *error)
{
    const char *name = slot->subject->name;
    AUTO_FREE char *document = mem_printf("manifests/%s.json", name);
    slot->state = SLOT_BROKEN;
    const struct manifest_subject_text *text = manifest_embedded;
    while (text->name != NULL && !string_equal(text->name, name))
        text++;
    if (text->name == NULL) {
        error_set(error, ERROR_DATA, "the manifest is not valid");
        error_where(error, "%s", document);
        return error_why(error, "no such file");
    }
    AUTO_JSON json_t *json =
        json_parse(text->text, (size_t)(text->end - text->text), MANIFEST_MAX, document, error);
    return json != NULL && slot_take(slot, json, document, error);
}

static struct slot *slot_find(struct manifest *manifest, const struct manifest_subject *subject)
{
    for (size_t i = 0; i < manifest->slot_count; i++)
        if (manifest->slots[i].subject == subject)
            return &manifest->slots[i];
    return NULL;
}

/* The subject as it was read, NULL when it cannot be. Only the first problem is kept. */
static const struct manifest_store *manifest_store(struct manifest *manifest,
                                                   const struct manifest_subject *subject)
{
    struct slot *slot = slot_find(manifest, subject);
    if (slot == NULL || slot->state == SLOT_BROKEN)
        return NULL;
    if (slot->state == SLOT_READ)
        return &slot->store;
    AUTO_ERROR struct error error = {0};
    if (slot_read_embedded(slot, &error))
        return &slot->store;
    if (!error_is_set(&manifest->problem)) {
        manifest->problem = error;
        manifest->problem.kind = ERROR_INTERNAL;
        error = (struct error){0};
        error_prefix(&manifest->problem, "built-in data");
        error_next(&manifest->problem, "this is a fault of gpuenv: please report it");
    }
    return NULL;
}

const struct error *manifest_problem(const struct manifest *manifest)
{
    return error_is_set(&manifest->problem) ? &manifest->problem : NULL;
}

const void *manifest_rows(struct manifest *manifest, const struct manifest_subject *subject,
                          unsigned table, size_t *ret_count)
{
    const struct manifest_store *store = manifest_store(manifest, subject);
    *ret_count = store != NULL ? store->tables[table].count : 0;
    return store != NULL ? store->tables[table].items : NULL;
}

void *manifest_fields(struct manifest *manifest, const struct manifest_subject *subject)
{
    const struct manifest_store *store = manifest_store(manifest, subject);
    return store != NULL ? store->fields : NULL;
}

/* Every file of manifests/ must have a reader. */
static bool embedded_are_known(struct error *error)
{
    for (const struct manifest_subject_text *text = manifest_embedded; text->name != NULL; text++) {
        size_t i = 0;
        while (manifest_subjects[i] != NULL &&
               !string_equal(manifest_subjects[i]->name, text->name))
            i++;
        if (manifest_subjects[i] != NULL)
            continue;
        error_set(error, ERROR_DATA, "the manifest is not valid");
        error_where(error, "manifests/%s.json", text->name);
        return error_why(error, "gpuenv has no such subject");
    }
    return true;
}

bool manifest_check(struct manifest *manifest, struct error *error)
{
    if (manifest->name == NULL && !embedded_are_known(error))
        return false;
    for (size_t i = 0; i < manifest->slot_count; i++) {
        struct slot *slot = &manifest->slots[i];
        if (slot->state == SLOT_READ)
            continue;
        subject_free(slot->subject, &slot->store);
        if (!slot_read_embedded(slot, error))
            return false;
    }
    return manifest_agrees(manifest, manifest->name, error);
}

static bool document_keys_known(json_t *json, const char *name, struct error *error)
{
    struct manifest_place place = {.document = name, .error = error};
    const char *key;
    json_t *value;
    json_object_foreach(json, key, value)
    {
        size_t i = 0;
        while (manifest_subjects[i] != NULL && !string_equal(manifest_subjects[i]->name, key))
            i++;
        if (manifest_subjects[i] == NULL && !string_starts(key, "x_")) {
            place.subject = key;
            return place_problem_value(&place, NULL, value, "no such subject");
        }
    }
    return true;
}

static bool manifest_read(struct manifest *manifest, json_t *json, struct error *error)
{
    if (!json_is_object(json)) {
        error_set(error, ERROR_DATA, "the manifest is not valid");
        error_where(error, "%s", manifest->name);
        return error_why(error, "expected an object with one key per subject");
    }
    for (size_t i = 0; i < manifest->slot_count; i++) {
        struct slot *slot = &manifest->slots[i];
        json_t *subject = json_object_get(json, slot->subject->name);
        if (!slot_take(slot, subject, manifest->name, error))
            return false;
    }
    return document_keys_known(json, manifest->name, error) &&
           manifest_agrees(manifest, manifest->name, error);
}

struct manifest *manifest_load(const char *text, size_t size, const char *name, struct error *error)
{
    AUTO_JSON json_t *json = json_parse(text, size, MANIFEST_MAX, name, error);
    AUTO(manifest_free_at) struct manifest *manifest = manifest_empty(name);
    if (json != NULL && manifest_read(manifest, json, error))
        return mem_steal(&manifest);
    if (error != NULL && error->next == NULL)
        error_next(error, "correct it, or do without it: gpuenv has a manifest of its own");
    return NULL;
}
