/* SPDX-License-Identifier: MIT */
#include "manifest/error/message.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "manifest/reader/slug.h"
#include "manifest/reader/subject.h"
#include "manifest/store/store.h"

enum { PATTERNS, LIBRARIES, LIKELY, CLUES, CONSEQUENCES };

static const char *const kinds[] = {"fault", "wrapper", "harmless", "foreign", NULL};

static const struct manifest_key pattern_keys[] = {
    KEY(manifest_message, name, KEY_STRING, .required = true),
    KEY(manifest_message, program, KEY_STRING, .required = true),
    KEY(manifest_message, pattern, KEY_STRING, .required = true),
    KEY(manifest_message, kind, KEY_CHOICE, .choices = kinds),
    KEY(manifest_message, since, KEY_STRING),
    KEY(manifest_message, until, KEY_STRING),
    KEY(manifest_message, error, KEY_STRING),
    KEY(manifest_message, as, KEY_STRING),
    KEY(manifest_message, meaning, KEY_STRING),
    KEY(manifest_message, fix, KEY_STRING),
    KEY(manifest_message, findings, KEY_STRINGS),
    KEY(manifest_message, remaining, KEY_STRING),
    KEY(manifest_message, command, KEY_STRING),
    KEY(manifest_message, root, KEY_CHOICE, .choices = manifest_yes),
    KEY(manifest_message, sample, KEY_STRING, .required = true),
    KEYS_OF_EVERY_ROW(manifest_message),
    {.name = NULL},
};

static const struct manifest_key library_keys[] = {
    KEY(manifest_message_library, name, KEY_STRING, .required = true),
    KEY(manifest_message_library, stem, KEY_STRING, .required = true),
    KEY(manifest_message_library, as, KEY_STRING, .required = true),
    KEYS_OF_EVERY_ROW(manifest_message_library),
    {.name = NULL},
};

static const struct manifest_key likely_keys[] = {
    KEY(manifest_likely, error, KEY_STRING, .required = true),
    KEY(manifest_likely, findings, KEY_STRINGS),
    KEYS_OF_EVERY_ROW(manifest_likely),
    {.name = NULL},
};

static const struct manifest_key clue_keys[] = {
    KEY(manifest_clue, name, KEY_STRING, .required = true),
    KEY(manifest_clue, patterns, KEY_STRINGS, .required = true),
    KEY(manifest_clue, raises, KEY_STRINGS),
    KEY(manifest_clue, drops, KEY_STRINGS),
    KEY(manifest_clue, only, KEY_STRINGS),
    KEY(manifest_clue, tells, KEY_STRING, .required = true),
    KEYS_OF_EVERY_ROW(manifest_clue),
    {.name = NULL},
};

static const struct manifest_key consequence_keys[] = {
    KEY(manifest_consequence, error, KEY_STRING, .required = true),
    KEY(manifest_consequence, of, KEY_STRINGS, .required = true),
    KEYS_OF_EVERY_ROW(manifest_consequence),
    {.name = NULL},
};

static char *message_id(const void *row)
{
    return mem_printf("message/%s", ((const struct manifest_message *)row)->name);
}

static char *library_id(const void *row)
{
    return mem_printf("message/library-%s", ((const struct manifest_message_library *)row)->name);
}

static char *likely_id(const void *row)
{
    return mem_printf("message/likely-%s", ((const struct manifest_likely *)row)->error);
}

static char *clue_id(const void *row)
{
    return mem_printf("message/clue-%s", ((const struct manifest_clue *)row)->name);
}

static char *consequence_id(const void *row)
{
    return mem_printf("message/consequence-%s", ((const struct manifest_consequence *)row)->error);
}

/* A hole that holds an error tells which one it is: "CUDA error {cuda}"; a library has a row that
 * says what it means. */
static bool has_error(const char *pattern)
{
    if (strstr(pattern, MESSAGE_LIBRARY) != NULL)
        return true;
    for (enum manifest_error_list list = 0; list < ERRORS_MESSAGE; list++) {
        AUTO_FREE char *hole = mem_printf("{%s}", manifest_error_list_words[list]);
        if (strstr(pattern, hole) != NULL)
            return true;
    }
    return false;
}

/* What it means is said once: here, or where error or as points to. */
static bool meaning_check(const struct manifest_place *place, const struct manifest_message *row)
{
    int said = (row->error != NULL) + (row->as != NULL) + (row->meaning != NULL);
    if (said == 0 && !has_error(row->pattern))
        return place_problem(place, "meaning", NULL, "a value here, in as or in error");
    if (said > 1)
        return place_problem(place, "meaning", row->name, "one of error, as and meaning");
    bool more = row->fix || row->findings.count || row->remaining || row->command;
    if (row->as != NULL && more)
        return place_problem(place, "as", row->as,
                             "no fix, findings, remaining or command beside as");
    if ((row->remaining != NULL) != (row->command != NULL))
        return place_problem(place, row->remaining ? "command" : "remaining", NULL,
                             "remaining and command, or neither");
    return !row->root || row->command ||
           place_problem(place, "command", NULL, "a command for root");
}

static bool message_check(const struct manifest_place *place, const void *item,
                          const void *previous)
{
    const struct manifest_message *row = item;
    const struct manifest_message *before = previous;
    if (!name_check(place, row->name, before ? before->name : NULL))
        return false;
    if (row->findings.count > MESSAGE_CAUSES)
        return place_problem(place, "findings", row->name, "at most %d causes", MESSAGE_CAUSES);
    return meaning_check(place, row);
}

static bool library_check(const struct manifest_place *place, const void *item,
                          const void *previous)
{
    const struct manifest_message_library *row = item;
    const struct manifest_message_library *before = previous;
    return name_check(place, row->name, before ? before->name : NULL);
}

static bool likely_check(const struct manifest_place *place, const void *item, const void *previous)
{
    const struct manifest_likely *row = item;
    const struct manifest_likely *before = previous;
    if (before && strcmp(row->error, before->error) <= 0)
        return place_problem(place, "error", row->error, "a row that sorts after %s",
                             before->error);
    return row->findings.count <= MESSAGE_CAUSES ||
           place_problem(place, "findings", row->error, "at most %d causes", MESSAGE_CAUSES);
}

static bool clue_check(const struct manifest_place *place, const void *item, const void *previous)
{
    const struct manifest_clue *row = item;
    const struct manifest_clue *before = previous;
    if (!name_check(place, row->name, before ? before->name : NULL))
        return false;
    if (row->patterns.count == 0)
        return place_problem(place, "patterns", NULL, "at least one pattern");
    return row->raises.count + row->drops.count + row->only.count > 0 ||
           place_problem(place, "raises", NULL, "causes here, in drops or in only");
}

static bool consequence_check(const struct manifest_place *place, const void *item,
                              const void *previous)
{
    const struct manifest_consequence *row = item;
    const struct manifest_consequence *before = previous;
    if (before && strcmp(row->error, before->error) < 0)
        return place_problem(place, "error", row->error, "a row that sorts after %s",
                             before->error);
    return row->of.count > 0 || place_problem(place, "of", NULL, "at least one error");
}

static manifest_agreement message_agrees, library_agrees, likely_agrees, consequence_agrees;

#define MESSAGE_TABLE(table, words, row, singular, ...)                                            \
    {                                                                                              \
        .name = (table), .about = (words), .keys = singular##_keys,                                \
        .row_size = sizeof(struct row), .id_offset = offsetof(struct row, id),                     \
        .id = singular##_id, .check = singular##_check, __VA_ARGS__                                \
    }
#define pattern_id    message_id
#define pattern_check message_check

const struct manifest_subject manifest_message_subject = {
    .name = "message",
    .later = true,
    .tables = {[PATTERNS] = MESSAGE_TABLE("patterns", "messages of programs", manifest_message,
                                          pattern, .agrees = message_agrees),
               [LIBRARIES] =
                   MESSAGE_TABLE("libraries", "libraries that messages name",
                                 manifest_message_library, library, .agrees = library_agrees),
               [LIKELY] = MESSAGE_TABLE("likely", "how likely the causes of errors are",
                                        manifest_likely, likely, .agrees = likely_agrees),
               [CLUES] = MESSAGE_TABLE("clues", "what else in a text says of causes", manifest_clue,
                                       clue, .agrees = NULL),
               [CONSEQUENCES] =
                   MESSAGE_TABLE("consequences", "errors that others bring with them",
                                 manifest_consequence, consequence, .agrees = consequence_agrees)},
};

const struct manifest_message *manifest_messages(struct manifest *manifest, size_t *ret_count)
{
    return manifest_rows(manifest, &manifest_message_subject, PATTERNS, ret_count);
}

const struct manifest_message_library *manifest_message_libraries(struct manifest *manifest,
                                                                  size_t *ret_count)
{
    return manifest_rows(manifest, &manifest_message_subject, LIBRARIES, ret_count);
}

const struct manifest_likely *manifest_likely(struct manifest *manifest, const char *error)
{
    size_t count;
    const struct manifest_likely *rows =
        manifest_rows(manifest, &manifest_message_subject, LIKELY, &count);
    for (size_t i = 0; i < count; i++)
        if (string_equal(rows[i].error, error))
            return &rows[i];
    return NULL;
}

const struct manifest_clue *manifest_clues(struct manifest *manifest, size_t *ret_count)
{
    return manifest_rows(manifest, &manifest_message_subject, CLUES, ret_count);
}

const struct manifest_consequence *manifest_consequences(struct manifest *manifest,
                                                         size_t *ret_count)
{
    return manifest_rows(manifest, &manifest_message_subject, CONSEQUENCES, ret_count);
}

bool manifest_message_is(const struct manifest_message *row, const char *kind)
{
    return string_equal(row->kind ? row->kind : "fault", kind);
}

static int compare_name(const void *name, const void *row)
{
    return strcmp(name, ((const struct manifest_message *)row)->name);
}

const struct manifest_message *manifest_message_named(struct manifest *manifest, const char *name)
{
    size_t count;
    const struct manifest_message *rows = manifest_messages(manifest, &count);
    return count > 0 ? bsearch(name, rows, count, sizeof(*rows), compare_name) : NULL;
}

const struct manifest_message *manifest_message_meant(struct manifest *manifest,
                                                      const struct manifest_message *row)
{
    if (row->as == NULL)
        return row;
    const struct manifest_message *meant = manifest_message_named(manifest, row->as);
    return meant && meant->as == NULL ? meant : NULL;
}

static bool library_agrees(struct manifest *manifest, struct manifest_place *place,
                           const void *item)
{
    const struct manifest_message_library *row = item;
    const struct manifest_message *meant = manifest_message_named(manifest, row->as);
    return (meant && meant->as == NULL) ||
           place_problem(place, "as", row->as, "the name of a pattern with a meaning of its own");
}

static bool message_agrees(struct manifest *manifest, struct manifest_place *place,
                           const void *item)
{
    const struct manifest_message *row = item;
    enum manifest_error_list list;
    if (row->error && manifest_error_named(manifest, row->error, &list) == NULL)
        return place_problem(place, "error", row->error, "a row such as cuda-802");
    return manifest_message_meant(manifest, row) != NULL ||
           place_problem(place, "as", row->as, "the name of a row with a meaning of its own");
}

static bool likely_agrees(struct manifest *manifest, struct manifest_place *place, const void *item)
{
    const struct manifest_likely *row = item;
    enum manifest_error_list list;
    return manifest_error_named(manifest, row->error, &list) != NULL ||
           place_problem(place, "error", row->error, "a row such as cuda-802");
}

static bool consequence_agrees(struct manifest *manifest, struct manifest_place *place,
                               const void *item)
{
    const struct manifest_consequence *row = item;
    enum manifest_error_list list;
    for (size_t i = 0; i < row->of.count; i++)
        if (manifest_error_named(manifest, row->of.items[i], &list) == NULL)
            return place_problem(place, "of", row->of.items[i], "rows such as xid-79");
    return manifest_error_named(manifest, row->error, &list) != NULL ||
           place_problem(place, "error", row->error, "a row such as xid-45");
}
