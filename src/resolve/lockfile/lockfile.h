/* SPDX-License-Identifier: MIT */
#ifndef RESOLVE_LOCKFILE_LOCKFILE_H
#define RESOLVE_LOCKFILE_LOCKFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strlist.h"
#include "base/text.h"
#include "base/version.h"

/* The lock file: what was asked for, and what it was resolved to, archive by archive
 * (docs/reference/lockfile.md). Pure: text in, text out. What is read is untrusted. */
#define LOCKFILE_SCHEMA   1
#define LOCKFILE_MAX      (4u << 20)
#define LOCKFILE_NAME     "gpuenv.lock"
#define LOCKFILE_PATH_MAX 1024
/* What to do about one that cannot be used. */
#define LOCKFILE_NEXT "restore it from version control, or remove it: gpuenv creates it again"

struct lockfile_archive {
    char *component;
    char *version;  /* of the component; may be NULL */
    char *platform; /* linux-x86_64 …, linux-all, source */
    char *variant;  /* cuda12; may be NULL */
    char *path;     /* below a mirror: "compute/PRODUCT/redist/…" */
    uint64_t size;
    char *sha256;  /* 64 small hexadecimal digits */
    char *licence; /* may be NULL */
};
struct lockfile_product {
    char *product;
    struct version version;
    struct version cuda; /* its CUDA variant; count 0: none */
    char *pin;           /* what catalog is: file, content, or none: of a file without a pin */
    char *catalog;       /* sha256 of the list of archives: of its content for content, else of
                            the file */
    char *catalog_path;  /* below a mirror */
    struct lockfile_archive *archives; /* by path, then by component */
    size_t archive_count, archive_capacity;
};
/* What the answer hangs on, in the words of the command line. */
struct lockfile_request {
    struct strlist specs;       /* sorted */
    struct strlist components;  /* --component, in their order: the last one counts */
    struct strlist assume_gpus; /* sorted */
    struct strlist platforms;   /* sorted */
    char *assume_driver;        /* may be NULL */
    char *framework;            /* --for-framework; may be NULL */
    char *extent;
};
struct lockfile {
    struct lockfile_request request;
    struct lockfile_product *products; /* by name */
    size_t product_count, product_capacity;
};
#define AUTO_LOCKFILE AUTO(lockfile_free)
void lockfile_request_free(struct lockfile_request *request);
void lockfile_free(struct lockfile *lockfile);

/* Strict: ERROR_DATA with name and line or key; a newer schema says to update gpuenv.
 * *ret_lockfile must be {0}. */
bool lockfile_parse(const char *text, size_t size, const char *name, struct lockfile *ret_lockfile,
                    struct error *error);
/* Sorts what has no order of its own; for who fills one in. */
void lockfile_sort(struct lockfile *lockfile);
/* As JSON: keys and rows sorted, so that the same has the same bytes. Each archive once. */
void lockfile_append(const struct lockfile *lockfile, struct text *output);
/* NULL when it is not there. */
const struct lockfile_product *lockfile_product_find(const struct lockfile *lockfile,
                                                     const char *product);
/* By path; several components may be of one archive. */
int lockfile_archive_compare(const struct lockfile_archive *a, const struct lockfile_archive *b);
/* The archive of a component for a platform: its own before one for all. NULL: none. */
const struct lockfile_archive *lockfile_archive_find(const struct lockfile_product *product,
                                                     const char *component, const char *platform);

/* How a lock file stands to a request. */
enum lockfile_answer {
    LOCKFILE_ANSWERS,  /* all of it */
    LOCKFILE_PLATFORM, /* but not for every platform of the request */
    LOCKFILE_DIFFERS,
};
/* *ret_difference: what is asked and what is locked, in words, each difference; NULL where it
 * answers. free() it. */
enum lockfile_answer lockfile_compare(const struct lockfile_request *locked,
                                      const struct lockfile_request *asked, char **ret_difference);

#endif
