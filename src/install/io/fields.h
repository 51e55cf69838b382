/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_IO_FIELDS_H
#define INSTALL_IO_FIELDS_H

#include "base/json.h"
#include "install/io/digest.h"
#include "manifest/reader/subject.h"

struct error;

/* JSON objects read strictly into structures by tables: a key that is not in the table, twice,
 * missing or of another type is ERROR_DATA with document, place and key. */
enum field_type {
    FIELD_STRING,  /* char *, owned; not empty */
    FIELD_STRINGS, /* struct strlist */
    FIELD_SIZE,    /* uint64_t */
    FIELD_NUMBER,  /* unsigned */
    FIELD_TIME,    /* int64_t */
    FIELD_BOOLEAN, /* bool */
    FIELD_MODE,    /* unsigned; "0644" */
    FIELD_DIGEST,  /* struct digest; 64 hexadecimal digits */
    FIELD_VERSION, /* struct version */
    FIELD_CHOICE,  /* int: the index in choices */
    FIELD_LIST,    /* an array, which the caller reads itself */
};
struct field {
    const char *name;
    enum field_type type;
    bool required;
    size_t offset;
    const char *const *choices; /* ends with NULL */
};
#define FIELD(row, field, field_type, ...) FIELD_AS(row, field, #field, field_type, __VA_ARGS__)
/* Where the key has another name than the field. */
#define FIELD_AS(row, field, key, field_type, ...)                                                 \
    {                                                                                              \
        .name = (key), .type = (field_type), .offset = offsetof(struct row, field), __VA_ARGS__    \
    }

/* fields ends with name NULL. document and place ("files[3]") are for the error; row must be
 * zeroed, and what was read into it is the caller's to free also after a failure. */
bool fields_read(const struct field *fields, const json_t *object, const char *document,
                 const char *place, void *row, struct error *error);

#endif
