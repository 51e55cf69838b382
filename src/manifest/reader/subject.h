/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_READER_SUBJECT_H
#define MANIFEST_READER_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"
#include "base/strlist.h"
#include "manifest/reader/locate.h"

struct manifest_problems;
struct version;

/* How a subject (one file of manifests/) is read. A new subject is one file that defines its tables
 * of keys, and one row in subjects.def. */

#define MANIFEST_SCHEMA 1

struct manifest;

/* What a key holds, and the type of the field it is read into. */
enum key_type {
    KEY_STRING,   /* const char * */
    KEY_DATE,     /* const char *: 2026-11-20 or 2026-11 */
    KEY_CHOICE,   /* const char *: one of choices */
    KEY_VERSION,  /* struct version */
    KEY_RANGE,    /* struct manifest_range: ">=525", "<580" or ">=525,<580" */
    KEY_UNSIGNED, /* unsigned, from 1 on */
    KEY_CODE,     /* unsigned, from 0 on */
    KEY_NUMBER,   /* double, above 0 */
    KEY_STRINGS,  /* struct strlist, no string twice */
    KEY_SIZE,     /* uint64_t, from 1 on */
    KEY_SHA256,   /* const char *: 64 small hexadecimal digits */
    KEY_SOURCES,  /* const char *: the citations of the source keys that the list names */
};

struct manifest_key {
    const char *name;
    enum key_type type;
    bool required;
    size_t offset; /* of the field in the row */
    const char *const *choices;
};

/* The key and the field have one name. What follows are more initialisers. */
#define KEY(row, field, key_type, ...) KEY_AS(row, field, #field, key_type, __VA_ARGS__)
/* Where the key has another name than the field. */
#define KEY_AS(row, field, key, key_type, ...)                                                     \
    {                                                                                              \
        .name = (key), .type = (key_type), .offset = offsetof(struct row, field), __VA_ARGS__      \
    }
#define KEYS_OF_EVERY_ROW(row)                                                                     \
    KEY(row, source, KEY_SOURCES, .required = true),                                               \
        KEY(row, confidence, KEY_CHOICE, .required = true, .choices = manifest_confidence),        \
        KEY(row, notes, KEY_STRING)
extern const char *const manifest_confidence[];
extern const char *const manifest_yes[];
extern const char *const manifest_yes_no[];
extern const char *const manifest_gpu_classes[];

/* What is read, and what is wrong with it. */
struct manifest_document {
    const char *name;       /* what problems call it */
    bool joined;            /* it has all subjects, a key each; else it is one of them */
    struct locator locator; /* its text; without one problems have no line */
    struct manifest_problems *problems;
};
/* Whether no more problems are wanted. */
bool document_is_full(const struct manifest_document *document);

/* Where the reader is. */
struct manifest_place {
    struct manifest_document *document;
    const char *subject;
    const char *table; /* NULL: in the subject itself */
    size_t row;        /* PLACE_NO_ROW: table is an object, no list */
};
#define PLACE_NO_ROW SIZE_MAX

/* Adds a problem (ERROR_DATA): the line and the path of key (NULL: the row itself), what was found
 * and, as format, what was expected. Returns false. */
bool place_problem(const struct manifest_place *place, const char *key, const char *found,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));
/* The same for a version; one with count 0 is a missing one. */
bool place_problem_version(const struct manifest_place *place, const char *key,
                           const struct version *found, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same for a value; NULL is a missing one. */
bool place_problem_value(const struct manifest_place *place, const char *key, const json_t *found,
                         const char *expected);
/* A key, or with NULL the subject itself, that is none of the known ones; kind is what the message
 * calls it: "key". It names the known one that is near. Returns false. */
bool place_unknown(const struct manifest_place *place, const char *key, const char *kind,
                   const struct strlist *known);
/* What can be done about the problem that was added last. Returns false. */
bool place_next(const struct manifest_place *place, const char *next);

/* Whether what a row says of other tables and subjects is so there. */
typedef bool manifest_agreement(struct manifest *manifest, struct manifest_place *place,
                                const void *row);

struct manifest_table {
    const char *name;                /* rows */
    bool later;                      /* older ones of this format lack it */
    const char *about;               /* what a row is, in a few words: "toolkit releases" */
    const struct manifest_key *keys; /* the first one is in the id; ends with name NULL */
    size_t row_size;
    size_t id_offset;
    char *(*id)(const void *row); /* a new string; no two rows may have one id */
    /* Whether the row agrees with itself and with the one before it (NULL for the first). */
    bool (*check)(const struct manifest_place *place, const void *row, const void *previous);
    manifest_agreement *agrees; /* NULL: it says nothing of others */
};

#define MANIFEST_TABLES 8
struct manifest_subject {
    const char *name;
    bool later; /* older manifests of this format lack it: then nothing of it is known */
    const struct manifest_key *fields; /* of the subject itself; NULL: none */
    size_t fields_size;
    struct manifest_table tables[MANIFEST_TABLES]; /* those with a name */
};

/* A subject as it was read. Start with {0}. */
struct manifest_store {
    json_t *json; /* has the strings of the rows */
    void *fields;
    struct {
        void *items;
        size_t count;
    } tables[MANIFEST_TABLES];
    struct strlist texts; /* ids and joined citations */
};

/* One value into field. sources: those of the subject; texts takes what has to be kept. */
bool value_read(const struct manifest_place *place, const struct manifest_key *key,
                const json_t *value, const json_t *sources, struct strlist *texts, void *field);

/* Reads the subject strictly, and goes on after a problem while more are wanted. False: there are
 * problems. store must be empty; it has to be freed also then. */
bool subject_read(const struct manifest_subject *subject, json_t *json,
                  struct manifest_document *document, struct manifest_store *store);
/* One of its tables, with the citations in json; the other tables of store stay as they are. */
bool subject_read_table(struct manifest_place *place, const struct manifest_subject *subject,
                        unsigned table, const json_t *json, struct manifest_store *store);
/* Its fields alone. */
bool subject_read_fields(const struct manifest_place *place, const struct manifest_subject *subject,
                         const json_t *json, struct manifest_store *store);
void subject_free(const struct manifest_subject *subject, struct manifest_store *store);

#endif
