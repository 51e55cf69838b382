/* SPDX-License-Identifier: MIT */
#ifndef PROBE_PLACES_SITE_H
#define PROBE_PLACES_SITE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strlist.h"
#include "host/root/host.h"

/* Where Python and its packages are, without running one: Python 3, and 2.7 of old images. */

/* What was found below prefixes: each is looked into once in a run. */
struct site_memo {
    struct site_found {
        char *prefix; /* real path */
        struct strlist sites;
    } * items;
    size_t count, capacity;
};
void site_memo_free(struct site_memo *memo);

/* Adds the directories Python packages are installed in (site-packages, dist-packages) below one
 * prefix (/usr, a virtual environment): real paths, each once. memo may be NULL. */
void site_of_prefix(const struct host *host, struct site_memo *memo, const char *prefix,
                    struct strlist *sites);

/* A prefix that something leads to. It need not be there. */
struct site_place {
    char *prefix;
    const char *named_by; /* --python, VIRTUAL_ENV, PATH, pyenv */
    const char *kind;     /* system; NULL: what lies there tells */
    bool no_environment;  /* the Python that a virtual environment on PATH was made from: its
                             libraries are looked at, it is not what programs import from */
    bool loads_nothing; /* UV_PROJECT_ENVIRONMENT: it makes no program load libraries from there */
};
struct site_places {
    struct site_place *items;
    size_t count, capacity;
};
#define AUTO_PLACES AUTO(site_places_free)
void site_places_free(struct site_places *places);

/* Adds those of --python (given; may be NULL), then of the variables. */
void site_places_named(const struct host *host, const struct strlist *given, struct site_memo *memo,
                       struct site_places *places);
/* Whether a directory of PATH has that program; *ret_real, to free(), is its real path. */
bool site_program(const struct host *host, const char *directory, const char *name,
                  char **ret_real);
/* Adds those of each python3 on PATH, or python2 where there is no python3; behind the shims of
 * pyenv those that PYENV_VERSION or its file "version" names. */
void site_places_on_path(const struct host *host, struct site_places *places);

/* Adds the directories of packages whose libraries count: of the distribution's Python, of what is
 * named or on PATH, of HOME/.local, /opt/conda, /opt/venv. Real paths, each once. given and memo
 * may be NULL. */
void site_directories(const struct host *host, const struct strlist *given, struct site_memo *memo,
                      struct strlist *directories);

#endif
