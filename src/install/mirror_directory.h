/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_MIRROR_DIRECTORY_H
#define INSTALL_MIRROR_DIRECTORY_H

#include "install/fetch/fetch.h"
#include "install/run/run.h"

struct error;
struct text;

/* A directory that stands for NVIDIA's server: DIR/compute/PRODUCT/redist/…, with what the plans of
 * some platforms name. Only what is named is ever looked at or written; what is still coming is in
 * DIR/.gpuenv-mirror, which goes when all has come. */
#define MIRROR_DIRECTORY_WORK ".gpuenv-mirror"

struct mirror_directory {
    struct run *run;
    const char *path; /* absolute */
    int fd;           /* -1: it is not there yet */
    struct cache *work;
    uint64_t came; /* bytes that were put into it */
    size_t files;  /* in how many files */
};

/* As it is, locked by this process but for a dry run; fd is -1 where there is none. */
bool mirror_directory_open(struct run *run, struct mirror_directory *ret_mirror,
                           struct error *error);
/* Something is to come: makes what is missing. Not needed before mirror_directory_copy() and
 * mirror_directory_put_text(). */
bool mirror_directory_begin(struct mirror_directory *mirror, struct error *error);
/* Takes the working directory away, as far as nothing is left in it. False: it cannot be. */
bool mirror_directory_close(struct mirror_directory *mirror, struct error *error);

enum mirror_directory_state {
    MIRROR_DIRECTORY_MISSING,
    MIRROR_DIRECTORY_WHOLE, /* size and SHA-256 are right */
    MIRROR_DIRECTORY_OTHER, /* something else has its name */
};
/* False: it could not be read. */
bool mirror_directory_look(const struct mirror_directory *mirror, const char *path, uint64_t size,
                           const struct digest *sha256, enum mirror_directory_state *ret_state,
                           struct error *error);
/* The same for a small file by its bytes. */
bool mirror_directory_look_text(const struct mirror_directory *mirror, const char *path,
                                const struct text *text, enum mirror_directory_state *ret_state,
                                struct error *error);

/* Puts a verified file of the mirror's own cache into its place, synced; with --force over what is
 * there. */
bool mirror_directory_put(struct mirror_directory *mirror, const char *path, uint64_t size,
                          const struct digest *sha256, struct error *error);
bool mirror_directory_put_text(struct mirror_directory *mirror, const char *path,
                               const struct text *text, struct error *error);
/* Copies an open file into the mirror's own cache. False in *ret_same: its bytes are not the ones
 * wanted. */
bool mirror_directory_copy(struct mirror_directory *mirror, int from, uint64_t size,
                           const struct digest *sha256, bool *ret_same, struct error *error);

/* All archives of the plan that are not cached (mirror_directory_fetch.c). */
bool mirror_directory_fetch(struct mirror_directory *mirror, struct error *error);
/* The texts of the licences, as far as they can be had: that they cannot is noted. */
bool mirror_directory_fetch_licences(struct mirror_directory *mirror, struct error *error);

#endif
