/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_UPDATE_STATE_H
#define INSTALL_UPDATE_STATE_H

#include "base/text.h"
#include "install/update/trust.h"
#include "manifest/update/bundle.h"
#include "manifest/update/statement.h"

struct error;

/* What is kept on this machine: one file, which is replaced as a whole. Its place is gpuenv's to
 * say (cli/engine/kept.h). */
struct update_state {
    char *directory;
    char *path;
    int fd;           /* of the directory, locked; -1: not opened */
    struct text text; /* of the file */
    struct update_bundle bundle;
    bool is_there;                     /* and whole */
    bool is_valid;                     /* statement and manifest are what trusted keys signed */
    struct update_signed document;     /* of the statement */
    struct update_statement statement; /* where it is valid */
};
#define AUTO_STATE AUTO(update_state_close)

/* Makes the directory and locks it; with only_look it is left as it is, and nothing is locked. */
bool update_state_open(const char *directory, const char *path, bool only_look,
                       unsigned lock_timeout_s, struct update_state *ret_state,
                       struct error *error);
void update_state_close(struct update_state *state);

/* Reads the file. One that is damaged, or not to be trusted, is as none: *ret_note says why
 * (free() it). The roots that it holds are added to trust where they follow on it. */
void update_state_read(struct update_state *state, struct update_trust *trust, char **ret_note);
/* Whether trust, as it is now, still has what is kept: sets is_valid. False: ERROR_INTERNAL. */
bool update_state_judge(struct update_state *state, const struct update_trust *trust,
                        struct error *error);
/* Replaces the file, whole or not at all, by these parts and the roots of trust. */
bool update_state_write(const struct update_state *state, const struct update_trust *trust,
                        const struct update_bundle *parts, struct error *error);

#endif
