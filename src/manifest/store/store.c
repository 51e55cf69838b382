/* SPDX-License-Identifier: MIT */
#include "manifest/store/store.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/strlist.h"
#include "base/text.h"
#include "manifest/reader/problems.h"
#include "manifest/reader/subject.h"
#include "manifest/store/embedded.h"
#include "manifest/store/part.h"

/* What can be read by itself: a table by its number, or the fields. */
enum { PART_FIELDS = MANIFEST_TABLES, PARTS };

struct slot {
    const struct manifest_subject *subject;
    struct part_text text; /* what is read of it when it is asked for */
    struct manifest_store store;
    enum { SLOT_UNREAD, SLOT_READ, SLOT_BROKEN } state;
    struct manifest_store parts; /* read alone */
    struct {
        bool tried, sound;
    } part[PARTS];
    struct selection *selections; /* rows read alone */
    size_t selection_count;
    size_t selection_capacity;
};

/* The rows of one table that have one of texts. Who wants more than these few has the table read.
 */
#define SELECTIONS_MAX 8
struct selection {
    unsigned table;
    char *texts;
    struct manifest_store store;
};

struct manifest {
    char *name; /* of the document; NULL: built in */
    struct slot *slots;
    size_t slot_count;
    bool missed; /* a subject was asked for that cannot be read */
    struct error problem;
};

struct manifest *store_new(const struct manifest_subject *const *subjects, const char *name)
{
    struct manifest *manifest = mem_alloc(sizeof(*manifest));
    manifest->name = mem_string(name);
    while (subjects[manifest->slot_count] != NULL)
        manifest->slot_count++;
    manifest->slots = mem_alloc(manifest->slot_count * sizeof(*manifest->slots));
    for (size_t i = 0; i < manifest->slot_count; i++)
        manifest->slots[i].subject = subjects[i];
    return manifest;
}

struct manifest *store_new_built_in(const struct manifest_subject *const *subjects)
{
    struct manifest *manifest = store_new(subjects, NULL);
    for (size_t i = 0; i < manifest->slot_count; i++) {
        struct slot *slot = &manifest->slots[i];
        const struct manifest_subject_text *text = manifest_embedded;
        while (text->name != NULL && !string_equal(text->name, slot->subject->name))
            text++;
        if (text->name != NULL)
            slot->text = part_text_of(text->text, (size_t)(text->end - text->text));
    }
    return manifest;
}

struct manifest *store_new_lazy(const struct manifest_subject *const *subjects, const char *name,
                                const char *text, size_t size)
{
    struct manifest *manifest = store_new(subjects, name);
    struct locate_members members = {.scan = {.at = text, .end = text + size}};
    for (size_t i = 0; i < manifest->slot_count; i++) {
        struct slot *slot = &manifest->slots[i];
        const struct locate_member *member = locate_members_find(&members, slot->subject->name);
        if (member != NULL)
            slot->text = part_text_of(member->value, member->size);
    }
    free(members.items);
    return manifest;
}

const char *store_name(const struct manifest *manifest)
{
    return manifest->name;
}

static void slot_clear(struct slot *slot)
{
    part_text_free(&slot->text);
    subject_free(slot->subject, &slot->store);
    subject_free(slot->subject, &slot->parts);
    for (size_t i = 0; i < slot->selection_count; i++) {
        subject_free(slot->subject, &slot->selections[i].store);
        free(slot->selections[i].texts);
    }
    free(slot->selections);
}

void store_free(struct manifest *manifest)
{
    if (manifest == NULL)
        return;
    for (size_t i = 0; i < manifest->slot_count; i++)
        slot_clear(&manifest->slots[i]);
    free(manifest->slots);
    free(manifest->name);
    error_clear(&manifest->problem);
    free(manifest);
}

/* What is wrong with the whole of a document. */
static bool document_problem(struct manifest_document *document, const char *why)
{
    struct manifest_problem *problem = problems_add(document->problems);
    if (problem == NULL)
        return false;
    problem->line = locate_line(&document->locator, NULL, 0);
    error_set(&problem->error, ERROR_DATA, "the manifest is not valid");
    if (problem->line > 0)
        error_where(&problem->error, "%s:%zu", document->name, problem->line);
    else
        error_where(&problem->error, "%s", document->name);
    return error_why(&problem->error, "%s", why);
}

static size_t lines_within(const char *text, size_t offset)
{
    size_t lines = 1;
    for (size_t i = 0; i < offset; i++)
        if (text[i] == '\n')
            lines++;
    return lines;
}

static json_t *document_parse(const struct manifest_document *document)
{
    const struct locator *text = &document->locator;
    size_t offset;
    AUTO_ERROR struct error error = {0};
    json_t *json =
        json_parse_offset(text->text, text->size, MANIFEST_MAX, document->name, &offset, &error);
    struct manifest_problem *problem = json == NULL ? problems_add(document->problems) : NULL;
    if (problem == NULL)
        return json;
    problem->error = error;
    error = (struct error){0};
    problem->line = lines_within(text->text, offset < text->size ? offset : text->size);
    problem->key = locate_path(text->text, text->size, offset);
    if (*problem->key == '\0') {
        free(mem_steal(&problem->key));
        return NULL;
    }
    AUTO_FREE char *where = mem_steal(&problem->error.where);
    error_where(&problem->error, "%s: %s", where, problem->key);
    return NULL;
}

static bool slot_take(struct slot *slot, json_t *json, struct manifest_document *document)
{
    slot->state = SLOT_BROKEN;
    if (!subject_read(slot->subject, json, document, &slot->store)) {
        subject_free(slot->subject, &slot->store);
        return false;
    }
    slot->state = SLOT_READ;
    return true;
}

/* A subject that the manifest lacks: a later one is read as one without rows. */
static bool slot_take_none(struct slot *slot)
{
    slot->state = slot->subject->later ? SLOT_READ : SLOT_BROKEN;
    return slot->subject->later;
}

static bool slot_read_text(const struct manifest *manifest, struct slot *slot,
                           struct manifest_problems *problems)
{
    const char *subject = slot->subject->name;
    AUTO_FREE char *name = manifest->name ? mem_printf("%s: %s", manifest->name, subject)
                                          : mem_printf("manifests/%s.json", subject);
    struct manifest_document document = {
        .name = name,
        .locator = {.text = slot->text.text, .size = slot->text.size},
        .problems = problems};
    if (slot->text.text == NULL)
        return slot_take_none(slot) || document_problem(&document, "no such file");
    slot->state = SLOT_BROKEN;
    AUTO_JSON json_t *json = document_parse(&document);
    return json != NULL && slot_take(slot, json, &document);
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
    AUTO_PROBLEMS struct manifest_problems problems = {.max = 1};
    struct slot *slot = slot_find(manifest, subject);
    if (slot != NULL && slot->state == SLOT_READ)
        return &slot->store;
    if (slot != NULL && slot->state == SLOT_UNREAD && slot_read_text(manifest, slot, &problems))
        return &slot->store;
    manifest->missed = true;
    if (problems.count > 0 && !error_is_set(&manifest->problem)) {
        problems_fail(&problems, &manifest->problem);
        manifest->problem.kind = ERROR_INTERNAL;
        if (manifest->name == NULL) {
            error_prefix(&manifest->problem, "built-in data");
            error_next(&manifest->problem, "this is a bug in gpuenv: please report it");
        }
    }
    return NULL;
}

bool manifest_missed(struct manifest *manifest)
{
    bool missed = manifest->missed;
    manifest->missed = false;
    return missed;
}

const struct error *store_problem(const struct manifest *manifest)
{
    return error_is_set(&manifest->problem) ? &manifest->problem : NULL;
}

/* Reads a part by itself where the whole subject was not asked for. What was handed out stays. */
static bool slot_has_part(struct slot *slot, unsigned part)
{
    if (slot == NULL || slot->state == SLOT_BROKEN)
        return false;
    if (!slot->part[part].tried && slot->state == SLOT_UNREAD) {
        slot->part[part].tried = true;
        slot->part[part].sound =
            part == PART_FIELDS ? part_read_fields(&slot->text, slot->subject, &slot->parts)
                                : part_read_table(&slot->text, slot->subject, part, &slot->parts);
    }
    return slot->part[part].sound;
}

const void *manifest_rows(struct manifest *manifest, const struct manifest_subject *subject,
                          unsigned table, size_t *ret_count)
{
    struct slot *slot = slot_find(manifest, subject);
    const struct manifest_store *store =
        slot_has_part(slot, table) ? &slot->parts : manifest_store(manifest, subject);
    *ret_count = store != NULL ? store->tables[table].count : 0;
    return store != NULL ? store->tables[table].items : NULL;
}

static const struct selection *selection_find(const struct slot *slot, unsigned table,
                                              const char *texts)
{
    for (size_t i = 0; i < slot->selection_count; i++)
        if (slot->selections[i].table == table && string_equal(slot->selections[i].texts, texts))
            return &slot->selections[i];
    return NULL;
}

/* NULL: the table was or must be read as a whole. */
static const struct selection *slot_select(struct slot *slot, unsigned table,
                                           const struct strlist *texts)
{
    if (slot == NULL || slot->state != SLOT_UNREAD || slot->part[table].tried)
        return NULL;
    AUTO_FREE char *joined = strlist_join(texts, "\n");
    const struct selection *found = selection_find(slot, table, joined);
    if (found != NULL || slot->selection_count == SELECTIONS_MAX)
        return found;
    struct manifest_store store = {.json = NULL};
    if (!part_read_rows(&slot->text, slot->subject, table, texts, &store)) {
        subject_free(slot->subject, &store);
        return NULL;
    }
    struct selection *selection =
        vec_push(slot->selections, slot->selection_count, slot->selection_capacity);
    selection->table = table;
    selection->texts = mem_steal(&joined);
    selection->store = store;
    return selection;
}

const void *manifest_rows_selected(struct manifest *manifest,
                                   const struct manifest_subject *subject, unsigned table,
                                   const struct strlist *texts, size_t *ret_count)
{
    const struct selection *selection = slot_select(slot_find(manifest, subject), table, texts);
    if (selection == NULL)
        return manifest_rows(manifest, subject, table, ret_count);
    *ret_count = selection->store.tables[table].count;
    return selection->store.tables[table].items;
}

void *manifest_fields(struct manifest *manifest, const struct manifest_subject *subject)
{
    struct slot *slot = slot_find(manifest, subject);
    const struct manifest_store *store =
        slot_has_part(slot, PART_FIELDS) ? &slot->parts : manifest_store(manifest, subject);
    return store != NULL ? store->fields : NULL;
}

const json_t *manifest_json(struct manifest *manifest, const struct manifest_subject *subject)
{
    const struct manifest_store *store = manifest_store(manifest, subject);
    return store != NULL ? store->json : NULL;
}

static void document_keys_known(const struct manifest *manifest, json_t *json,
                                struct manifest_document *document)
{
    AUTO_STRLIST struct strlist known = {0};
    for (size_t i = 0; i < manifest->slot_count; i++)
        strlist_add(&known, manifest->slots[i].subject->name);
    const char *key;
    json_t *value;
    json_object_foreach(json, key, value)
    {
        struct manifest_place place = {.document = document, .subject = key};
        if (!strlist_has(&known, key) && !string_starts(key, "x_"))
            place_unknown(&place, NULL, "subject", &known);
    }
}

void store_read_document(struct manifest *manifest, struct manifest_document *document)
{
    AUTO_JSON json_t *json = document_parse(document);
    if (json == NULL)
        return;
    if (!json_is_object(json)) {
        document_problem(document, "expected an object with one key per subject");
        return;
    }
    if (json_is_integer(json_object_get(json, "schema"))) {
        document_problem(document, "expected all subjects joined, found a single subject");
        place_next(&(struct manifest_place){.document = document},
                   "use gpuenv.manifest.json, which a build of gpuenv creates from manifests/");
        return;
    }
    document_keys_known(manifest, json, document);
    for (size_t i = 0; i < manifest->slot_count && !document_is_full(document); i++) {
        struct slot *slot = &manifest->slots[i];
        json_t *subject = json_object_get(json, slot->subject->name);
        if (subject != NULL || !slot_take_none(slot))
            slot_take(slot, subject, document);
    }
}
