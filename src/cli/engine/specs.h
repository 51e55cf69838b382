/* SPDX-License-Identifier: MIT */
#ifndef CLI_ENGINE_SPECS_H
#define CLI_ENGINE_SPECS_H

#include "cli/engine/options.h"
#include "cli/engine/session.h"

struct error;
struct resolve_spec;
struct resolve_specs;
struct strlist;

/* SPECs of the command line, of products and frameworks that the manifest has; ERROR_USAGE with the
 * nearest name otherwise. */
bool specs_take(const struct session *session, const struct strlist *words,
                struct resolve_specs *specs, struct error *error);
/* False, and ERROR_USAGE with a command for each, where several frameworks share the name. command
 * is what stands before the SPEC: "gpuenv resolve", "gpuenv doctor --for-framework". */
bool specs_name_one(const struct session *session, const char *command,
                    const struct resolve_spec *spec, struct error *error);

/* --for-framework, where it is given. */
bool specs_take_framework(const struct session *session, const struct arguments *arguments,
                          struct resolve_specs *specs, struct error *error);

#endif
