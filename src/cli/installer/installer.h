/* SPDX-License-Identifier: MIT */
#ifndef CLI_INSTALLER_INSTALLER_H
#define CLI_INSTALLER_INSTALLER_H

#include "base/json.h"
#include "cli/engine/command.h"

struct error;
struct resolution;
struct resolve_machine;
struct resolve_spec;
struct resolve_specs;
struct version;

/* The commands that gpuenv-install carries out: gpuenv parses, resolves, and hands over. */

extern const struct option option_prefix, option_prefix_of, option_profile, option_component,
    option_mirror, option_archive, option_index, option_offline, option_accept_eula,
    option_allow_unpinned, option_no_cache, option_force, option_jobs, option_progress,
    option_stall, option_lock_timeout, option_platform, option_platforms, option_dry_run,
    option_install_framework, option_lock, option_locked, option_use, option_ldconfig,
    option_force_link, option_image, option_install_force, option_previous, option_cacert;

/* Of install; plan takes the same, so that only the command need be changed. */
extern const struct option *const installer_options[];

/* What is handed over beside the options. */
struct installer_request {
    const char *action;                  /* plan, install, verify, list, uninstall, link, use */
    const char *prefix;                  /* NULL: none */
    const char *link;                    /* to the installation in use; NULL: none */
    const struct resolution *resolution; /* products to install; NULL: none */
    const struct resolve_specs *specs;   /* products to be found in the prefix; NULL: none */
    json_t *more;                        /* keys of this action alone; NULL: none */
    bool only;                           /* uninstall: specs alone, not all of the prefix */
    bool previous;                       /* use: what the last change replaced */
};
/* Hands the request over. Comes back only with an error. */
bool installer_run(const struct session *session, const struct arguments *arguments,
                   const struct installer_request *request, struct error *error);
/* For a command on the prefix that --prefix or one SPEC of the command line names. */
bool installer_run_on(const struct session *session, const struct arguments *arguments,
                      const char *action, struct error *error);

/* uninstall: of the prefix that a SPEC names all, of --prefix or what /usr/local/cuda leads to the
 * products that are named. */
bool installer_uninstall(const struct session *session, const struct arguments *arguments,
                         struct error *error);
/* For use: products of a prefix become what they were before another version replaced them, the
 * SPECs of the command line or with --previous what the last change replaced. Of --prefix, else of
 * what /usr/local/cuda (a user's own link) leads to. */
bool installer_use_previous(const struct session *session, const struct arguments *arguments,
                            struct error *error);
/* The CUDA that an installation of ours has; false: there is none. */
bool installer_cuda_there(const struct session *session, const struct arguments *arguments,
                          const char *prefix, struct version *ret_version);
/* The directory that the link to the installation in use leads to, else the only installation
 * there is. NULL: error is filled; free() it. */
char *installer_linked_prefix(const struct session *session, const struct arguments *arguments,
                              struct error *error);

/* Versions for the words of the command line, which must name products to install. */
bool installer_resolve(struct session *session, const struct arguments *arguments,
                       struct resolution *ret_resolution, struct error *error);

/* What session->lock holds; NULL is none. */
void installer_lock_free(struct installer_lock *lock);

/* The versions of specs for a machine, as resolve() chooses them, and with --allow-unpinned whole
 * ones too that the manifest does not list. */
bool installer_choose(const struct session *session, const struct arguments *arguments,
                      const struct resolve_machine *machine, const struct resolve_specs *specs,
                      const struct resolve_spec *framework, struct resolution *ret_resolution,
                      struct error *error);

/* --root DIR as gpuenv-install takes it: absolute; NULL: this machine. free() it. */
char *installer_root(const struct arguments *arguments);
/* A path of the command line, made absolute; in an image they all begin at its root. free() it. */
char *installer_path(const struct arguments *arguments, const char *path);
/* The same of --prefix for a command that only reads: where it is a link to a directory, such as
 * /usr/local/cuda, that directory. */
char *installer_read_path(const struct session *session, const struct arguments *arguments,
                          const char *given);
/* The link that use sets (free() it): NULL for a user without a home, which with --use is
 * ERROR_USAGE. */
bool installer_link(const struct session *session, const struct arguments *arguments,
                    char **ret_link, struct error *error);

/* --prefix, else where the chosen products go: /usr/local/cuda-12.8 for root, below
 * $XDG_DATA_HOME/gpuenv for others; NULL: ERROR_USAGE, there is no home. The caller owns it. */
char *installer_usual_prefix(const struct session *session, const struct arguments *arguments,
                             const struct resolution *resolution, struct error *error);
char *installer_prefix(const struct session *session, const struct arguments *arguments,
                       const struct resolution *resolution, struct error *error);

#endif
