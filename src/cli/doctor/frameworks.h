/* SPDX-License-Identifier: MIT */
#ifndef CLI_DOCTOR_FRAMEWORKS_H
#define CLI_DOCTOR_FRAMEWORKS_H

#include "cli/engine/options.h"
#include "cli/engine/session.h"

struct error;
struct framework_choices;
struct framework_install;
struct manifest;
struct resolve_specs;

/* What doctor resolves for its rules, which do not resolve: the build of each framework that suits
 * this machine. */

/* Every --for-framework that is given. ERROR_USAGE with the nearest name for an unknown one. */
bool frameworks_take(const struct session *session, const struct arguments *arguments,
                     struct resolve_specs *specs, struct error *error);

/* Adds a choice for each framework that the record has, and for each of specs. */
void frameworks_choose(struct manifest *manifest, const struct facts *facts,
                       const struct resolve_specs *specs, struct framework_choices *choices);

/* Adds what is to be told of the PTX of installed frameworks on the GPUs here. */
void frameworks_judge_ptx(struct manifest *manifest, const struct facts *facts,
                          struct framework_choices *choices);

/* What `gpuenv install` would do with install->asked: framework_choices.try_install, whose data is
 * a struct install_sources. */
struct install_sources {
    struct manifest *manifest;
    const struct facts *facts;
};
void frameworks_try_install(const void *data, struct framework_install *install);

#endif
