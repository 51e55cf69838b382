/* SPDX-License-Identifier: MIT */
#ifndef CLI_ENGINE_KEPT_H
#define CLI_ENGINE_KEPT_H

#include "base/text.h"
#include "host/root/host.h"

struct error;
struct manifest;

/* The manifest that `gpuenv manifest update` keeps, in a file of that name
 * (manifest/update/bundle.h). */

#define KEPT_NAME "manifest.update"

/* The directory of this user's own: GPUENV_DATA_DIR, else root's /var/lib/gpuenv or below the
 * user's data directory; free() it. NULL: ERROR_USAGE, there is none. */
char *kept_directory(const struct host *live, struct error *error);

/* What was read of it. */
struct kept {
    struct manifest *manifest; /* NULL: the built-in one is the newest, or none is kept */
    char *path;                /* where it is kept */
    struct text text;          /* of the manifest alone, which may still read it */
};
#define AUTO_KEPT AUTO(kept_free)

/* The newest one that is kept for this user, where it is newer than the built-in one; a user also
 * has root's. Where none is, it costs one open(2) for each place. notes gets what a person is to
 * know, a line each: a file that is damaged or not trusted, one that has expired. */
void kept_read(const struct host *live, struct manifest *built_in, struct kept *ret_kept,
               struct text *notes);
void kept_free(struct kept *kept);

#endif
