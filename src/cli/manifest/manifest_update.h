/* SPDX-License-Identifier: MIT */
#ifndef CLI_MANIFEST_MANIFEST_UPDATE_H
#define CLI_MANIFEST_MANIFEST_UPDATE_H

#include "cli/engine/session.h"

struct error;

extern const struct option option_update_dry_run;

/* manifest update [FROM]: hands it to gpuenv-install. Comes back only with an error. */
bool manifest_update(const struct session *session, const struct arguments *arguments,
                     struct error *error);

#endif
