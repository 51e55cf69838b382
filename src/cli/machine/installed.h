/* SPDX-License-Identifier: MIT */
#ifndef CLI_MACHINE_INSTALLED_H
#define CLI_MACHINE_INSTALLED_H

#include "base/version.h"
#include "cli/engine/session.h"

struct error;
struct strlist;

/* Installations, found without gpuenv-install: for commands that read them and change nothing. */

struct installed_product {
    char *product, *variant; /* variant may be NULL */
    struct version version;
};
struct installed {
    char *path; /* the prefix, or the link to it, absolute within the host's root */
    struct installed_product *products;
    size_t count, capacity;
};
#define AUTO_INSTALLED AUTO(installed_free)
void installed_free(struct installed *installed);

/* Reads PREFIX/.gpuenv/ledger.json as far as products go (docs/reference/ledger.md). False: there
 * is none, it belongs to another user than root and us, or cannot be read. */
bool installed_read(const struct host *host, const char *path, struct installed *ret_installed);

/* Whether an installation is all there. False, ERROR_NO_INPUT: an uninstall of it was begun, and
 * not ended. *ret_note: that a change of it was begun; NULL: none was; free() it. What gpuenv did
 * not install is whole. */
bool installed_is_whole(const struct host *host, const char *path, char **ret_note,
                        struct error *error);

/* The link that use sets: /usr/local/cuda of root and in trees, $XDG_DATA_HOME/gpuenv/cuda of
 * others; free() it. NULL: this user has no home. */
char *installed_link(const struct session *session, bool in_tree);

/* The directory that --prefix names, or the installation that words (one SPEC at most) name: the
 * newest that is within it, in the user's own place before /usr/local and /opt. Without either what
 * the links lead to, the user's own first, or the only installation there is. What --prefix names
 * need not be gpuenv's. ERROR_USAGE, ERROR_NO_INPUT: there is none. Sets path alone. */
bool installed_choose(const struct session *session, const struct host *host,
                      const struct arguments *arguments, const struct strlist *words,
                      char **ret_path, struct error *error);

/* The host that --root names, else the live one: never NULL on true. The caller frees *ret_tree,
 * which is NULL for the live one. */
bool installed_host(const struct session *session, const struct arguments *arguments,
                    struct host **ret_tree, const struct host **ret_host, struct error *error);

#endif
