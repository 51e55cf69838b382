/* SPDX-License-Identifier: MIT */
#ifndef CLI_INSTALLER_H
#define CLI_INSTALLER_H

#include "cli/command.h"
#include "resolve/resolve.h"

/* The commands that gpuenv-install carries out: gpuenv parses, resolves, and hands over. */

extern const struct option option_prefix, option_profile, option_component, option_mirror,
    option_archive, option_offline, option_accept_eula, option_allow_unpinned, option_no_cache,
    option_force, option_jobs, option_progress, option_stall, option_lock_timeout, option_platform,
    option_dry_run, option_install_framework;

/* Hands the request over, with what the options say: action ("plan", "install", "verify", "list",
 * "uninstall"), the products of the resolution (NULL: none) and the prefix (NULL: none). Comes back
 * only with an error. */
bool installer_run(const struct session *session, const struct arguments *arguments,
                   const char *action, const struct resolution *resolution, const char *prefix,
                   struct error *error);

/* Versions for the words of the command line, which must name products to install. */
bool installer_resolve(struct session *session, const struct arguments *arguments,
                       struct resolution *ret_resolution, struct error *error);

/* --prefix, else where the chosen products go: /usr/local/cuda-12.8 for root, below
 * $XDG_DATA_HOME/gpuenv for others; NULL: ERROR_USAGE, there is no home. The caller owns it. */
char *installer_prefix(const struct session *session, const struct arguments *arguments,
                       const struct resolution *resolution, struct error *error);
/* The prefix that one SPEC of the command line or --prefix names; NULL: ERROR_USAGE. */
char *installer_prefix_named(const struct session *session, const struct arguments *arguments,
                             struct error *error);

#endif
