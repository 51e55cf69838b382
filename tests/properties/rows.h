/* SPDX-License-Identifier: MIT */
#ifndef PROPERTIES_ROWS_H
#define PROPERTIES_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "manifest/reader/subject.h"

/* Which rows of the manifest are looked up, and taking one away. As in trace.h the linker puts
 * rows.c between the product's objects and manifest/store/. */

/* A row that was looked up by what it says, or any row of a table that was read whole. */
struct row_asked {
    char *key;  /* "error.errors ID" */
    char *id;   /* borrowed from key */
    bool whole; /* nothing but the whole table was asked for */
};

struct rows {
    struct row_asked *items;
    size_t count, capacity;
};

/* From now on each row is noted; NULL: none is. */
void rows_begin(struct rows *rows);
/* From now on the row of that key is not there; NULL: all are. */
void rows_take(const char *key);
void rows_free(struct rows *rows);

#endif
