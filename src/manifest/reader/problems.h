/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_READER_PROBLEMS_H
#define MANIFEST_READER_PROBLEMS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* No document is longer than this. */
#define MANIFEST_MAX (16u << 20)

/* One thing that is wrong with a manifest. */
struct manifest_problem {
    size_t line;        /* from 1 on; 0: of no line, or not known */
    char *key;          /* cuda.rows[14].driver_min; NULL: none */
    struct error error; /* ERROR_DATA; where names file, line and key */
};

/* All that is wrong. Start with {.max}. */
#define MANIFEST_PROBLEMS_MAX 1000
struct manifest_problems {
    struct manifest_problem *items; /* in the order of their lines */
    size_t count, capacity;
    size_t max;   /* no more than these are looked for */
    bool partial; /* rows that lean on a broken subject were not checked against it */
};
#define AUTO_PROBLEMS AUTO(manifest_problems_free)
void manifest_problems_free(struct manifest_problems *problems);

/* A new problem without a word yet; NULL when no more are wanted. */
struct manifest_problem *problems_add(struct manifest_problems *problems);
/* Takes away all but the first count problems. */
void problems_truncate(struct manifest_problems *problems, size_t count);
/* In the order of their lines. */
void problems_sort(struct manifest_problems *problems);
/* The first problem as the error of a function that ends with it. Returns false. */
bool problems_fail(struct manifest_problems *problems, struct error *error);

#endif
