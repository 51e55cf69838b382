/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_UPDATE_UPDATE_H
#define INSTALL_UPDATE_UPDATE_H

#include "base/text.h"
#include "manifest/update/statement.h"

struct error;
struct manifest;

/* gpuenv manifest update: a newer manifest that trusted keys signed, or nothing
 * (docs/reference/manifest-update.md). */
struct update_request {
    const char *from;      /* URL, directory or file */
    const char *directory; /* where it is kept */
    const char *path;      /* the file there */
    const char *cacert;    /* NULL: none */
    unsigned timeout_s, lock_timeout_s;
    bool only_look;    /* nothing is written */
    int64_t now;       /* seconds since 1970 */
    const char *roots; /* what this build trusts */
    size_t roots_size; /* 0: nothing */
    unsigned built_in; /* version of the built-in manifest */
};

enum update_outcome {
    UPDATE_NEW,     /* a newer manifest than the one before */
    UPDATE_RENEWED, /* the same manifest, said again later */
    UPDATE_SAME,    /* nothing has changed */
    UPDATE_OLDER,   /* the built-in manifest is as new, or newer: it is used, nothing is kept */
};
struct update_result {
    enum update_outcome outcome;
    struct update_statement statement; /* of the source */
    unsigned root_version;             /* that is trusted now */
    bool changed;                      /* the file was written, or with only_look would be */
    char *note;                        /* on what was kept; NULL: none */
};
#define AUTO_UPDATE AUTO(update_result_free)

/* Everything is checked before anything is written. A newer root is kept also where what comes
 * after it is refused: keys that were withdrawn are not trusted again. note may be set after a
 * failure, too. */
bool update_run(const struct update_request *request, struct update_result *ret_result,
                struct error *error);
void update_result_free(struct update_result *result);

#endif
