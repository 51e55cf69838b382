/* SPDX-License-Identifier: MIT */
#ifndef BASE_FIELDS_H
#define BASE_FIELDS_H

#include "base/json.h"

struct error;

/* JSON objects read strictly into structures by tables: a key that is not in the table, one that is
 * missing, and a value of another type are errors with place and key. */
struct field;

/* How a value is read. A room that needs another type has its own row of this kind. */
struct field_type {
    /* Fills *to, the member of the structure; false: the value is not of this type. */
    bool (*read)(const struct field *field, const json_t *value, void *to);
    const char *expected; /* behind "expected ": "a list of strings" */
};
extern const struct field_type field_string;  /* char *, owned; not empty */
extern const struct field_type field_strings; /* struct strlist */
extern const struct field_type field_size;    /* uint64_t */
extern const struct field_type field_number;  /* unsigned */
extern const struct field_type field_time;    /* int64_t */
extern const struct field_type field_boolean; /* bool */
extern const struct field_type field_version; /* struct version */
extern const struct field_type field_choice;  /* int: the index in choices */
extern const struct field_type field_one_of;  /* char *, owned: one of choices */
extern const struct field_type field_list;    /* an array, which the caller reads itself */
extern const struct field_type field_below;   /* anything, which the caller reads itself */

struct field {
    const char *name;
    const struct field_type *type;
    bool required;
    size_t offset;
    const char *const *choices; /* of field_choice and field_one_of; ends with NULL */
};
#define FIELD(row, member, field_type, ...) FIELD_AS(row, member, #member, field_type, __VA_ARGS__)
/* Where the key has another name than the member. */
#define FIELD_AS(row, member, key, field_type, ...)                                                \
    {                                                                                              \
        .name = (key), .type = &(field_type), .offset = offsetof(struct row, member), __VA_ARGS__  \
    }

/* What is read, for its errors. */
struct fields_document {
    const char *name; /* a path */
    const char *what; /* "the lock file is not valid" */
    const char *next; /* what the user can do; NULL: nothing is said */
};

/* ERROR_DATA: "the lock file is not valid: gpuenv.lock: products[3].archives: expected a list".
 * place and key may be "". Returns false. */
bool fields_refuse(const struct fields_document *document, const char *place, const char *key,
                   const char *expected, struct error *error);

/* fields ends with name NULL. place ("files[3]") is for the error; row must be zeroed, and what was
 * read into it is the caller's to free also after a failure. */
bool fields_read(const struct field *fields, const json_t *object,
                 const struct fields_document *document, const char *place, void *row,
                 struct error *error);

#endif
