/* SPDX-License-Identifier: MIT */
#ifndef CLI_INSTALLER_INSTALLER_PRIVATE_H
#define CLI_INSTALLER_INSTALLER_PRIVATE_H

#include "base/json.h"
#include "cli/installer/installer.h"
#include "resolve/lockfile/lockfile.h"

struct error;
struct manifest;
struct resolution;
struct resolve_choice;
struct resolve_specs;
struct strlist;
struct version;

/* Private to installer*.c: --allow-unpinned and versions that the manifest does not list
 * (installer_unlisted.c), lock files (installer_lock.c). */

/* The version of cuda@X.Y.Z among specs where the manifest does not list it: the other products
 * have to fit it. It belongs to specs. NULL: there is none. */
const struct version *installer_unlisted_cuda(struct manifest *manifest,
                                              const struct resolve_specs *specs);
/* What resolve() can answer: an unlisted cuda is left out, of any other unlisted product only its
 * name is there, which finds the CUDA variant. */
bool installer_split(struct manifest *manifest, const struct resolve_specs *specs,
                     struct resolve_specs *ret_known, struct error *error);
/* Says of a SPEC with a whole version that the manifest does not list how it can be had all the
 * same, where there is one. */
void installer_tell_unlisted(struct manifest *manifest, const struct resolve_specs *specs,
                             struct error *error);
/* The unlisted versions, in the place of those that were chosen for their products. */
void installer_take_unlisted(struct manifest *manifest, const struct resolve_specs *specs,
                             struct resolution *resolution);

/* Leaves what is to be installed, in the order of specs. The framework that --for-framework names
 * is told of: its pip line is among the notes and in session->then. ERROR_UNSATISFIABLE: a
 * framework or driver as SPEC, with the line that installs it; a version older than NVIDIA's
 * archives; one without a pin that a framework wants (installer_framework.c). */
bool installer_leave_products(struct session *session, const struct arguments *arguments,
                              const struct resolve_specs *specs,
                              const struct resolve_specs *framework, struct resolution *resolution,
                              struct error *error);

/* --platform, each once and sorted, else this machine's. ERROR_USAGE for a word that is none. */
bool installer_platforms(const struct session *session, const struct arguments *arguments,
                         struct strlist *ret_platforms, struct error *error);

/* The CUDA that the chosen build is for: 9.0 of "cuda9.0"; false: it has none. */
bool installer_build_cuda(const struct resolve_choice *choice, struct version *ret_cuda);
/* For a cudnn without a cuda beside it: the CUDA of the archive that --archive names, by the name
 * that NVIDIA gave the file (installer_archive.c). False: none of them is listed. */
bool installer_archive_cuda(const struct session *session, const struct arguments *arguments,
                            const struct resolve_specs *specs, struct version *ret_cuda);

/* Adds to the notes what keeps the chosen CUDA from compiling on the system that is installed on
 * (installer_compile.c). */
void installer_note_compiling(const struct session *session, const struct arguments *arguments,
                              struct resolution *resolution);

/* Products whose archive --archive gives, by its name: what resolve() is not asked for, and what is
 * added to its answer (installer_given.c). */
bool installer_leave_given(const struct session *session, const struct arguments *arguments,
                           const struct resolve_specs *specs, struct resolve_specs *ret_rest,
                           struct error *error);
void installer_take_given(const struct session *session, const struct arguments *arguments,
                          const struct resolve_specs *specs, struct resolution *resolution);

/* Python indexes to ask for what NVIDIA's server does not have: of --index, else those of pip's
 * variables and files that need no credentials (installer_index.c). ERROR_USAGE: --index has no
 * such address. */
bool installer_indexes(const struct session *session, const struct arguments *arguments,
                       struct strlist *ret_indexes, struct error *error);

/* --lock FILE and --locked (installer_lock.c). */
struct installer_lock {
    struct lockfile_request asked;
    struct lockfile lock; /* what the file says, where it is used */
    bool is_used;         /* its versions are taken */
    bool extends;         /* but it lacks a platform */
    char *note;           /* why it is not used; NULL: it is, or there is none */
};
/* Reads it, where one is named and there, into session->lock. ERROR_DATA: no lock file that can be
 * used; ERROR_UNSATISFIABLE: with --locked it is missing or of another request. */
bool installer_lock_look(struct session *session, const struct arguments *arguments,
                         const struct resolve_specs *specs, struct error *error);
/* Its versions, in the order of specs. False: it is not used. What is chosen lives as long as the
 * session. */
bool installer_lock_resolve(const struct session *session, const struct arguments *arguments,
                            const struct resolve_specs *specs, struct resolution *resolution);
/* Its keys of the request; the extent and components that are locked. */
void installer_lock_add(const struct session *session, const struct arguments *arguments,
                        json_t *json);

/* What uname would call the machine of --root, by the programs in it; free() it. NULL: no --root,
 * or it cannot be told (installer_prefix.c). */
char *installer_image_machine(const struct arguments *arguments);
/* Whether this machine, or the one of --root, is a Jetson whose CUDA is not that of servers
 * (installer_prefix.c). */
bool installer_has_jetson_cuda(const struct session *session, const struct arguments *arguments);

#endif
