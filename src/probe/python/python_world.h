/* SPDX-License-Identifier: MIT */
#ifndef PROBE_PYTHON_PYTHON_WORLD_H
#define PROBE_PYTHON_PYTHON_WORLD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strlist.h"
#include "host/root/host.h"
#include "probe/places/site.h"

/* Python environments and what is installed in them, by the names of directories and files alone.
 */

enum python_active { PYTHON_NOT_ACTIVE, PYTHON_ACTIVE, PYTHON_ACTIVE_UNKNOWN };

struct python_package {
    char *name;    /* normalized: "nvidia-cudnn-cu12" */
    char *version; /* as the name of its metadata has it: "2.5.1+cu124" */
    char *site;    /* the directory of packages it lies in; of conda's packages the prefix */
    char *info;    /* its metadata: …/torch-2.5.1.dist-info, …/conda-meta/NAME-V-BUILD.json */
    char *build;   /* conda's build string; NULL elsewhere */
};

struct python_environment {
    char *directory;  /* real path */
    char *group;      /* "python/0" */
    const char *kind; /* system, user, venv, conda, pipx, uv, directory */
    struct strlist named_by;
    char *minor;   /* "3.12", of the directory's name; NULL: it does not say */
    char *version; /* the best that is known; NULL: nothing */
    char *version_source;
    bool free_threaded;
    bool system_site;
    enum python_active active;
    struct strlist sites; /* real paths */
    struct python_package *packages;
    size_t package_count, package_capacity;
    struct strlist broken; /* "NAME: reason" */
    char *base; /* prefix of the Python that a virtual environment was made from; or NULL */
    char *program_broken; /* its bin/python leads nowhere: to what; or NULL */
    char *unread;         /* why packages may lack some: a site could not be listed; or NULL */
};

struct python_world {
    struct python_environment *items;
    size_t count, capacity;
    struct site_memo *memo; /* what other probes found; may be NULL */
    bool truncated;         /* there were more than PYTHON_ENVIRONMENTS_MAX */
    struct strlist tried;   /* prefixes that were looked into */
    char *active;           /* directory of the active one; NULL: none can be told */
};

#define PYTHON_ENVIRONMENTS_MAX 64
#define PYTHON_PREFIXES_MAX     512  /* directories that are looked into for one */
#define PYTHON_PACKAGES_MAX     5000 /* of one environment */
#define PYTHON_BROKEN_MAX       20

#define AUTO_WORLD AUTO(python_world_free)

/* Finds the environments, those of given (--python; may be NULL) first, with their packages. memo
 * may be NULL. */
void python_world_find(const struct host *host, const struct strlist *given, struct site_memo *memo,
                       struct python_world *ret_world);
void python_world_free(struct python_world *world);

/* The package of that normalized name in the environment, of a wheel before conda's; NULL. */
const struct python_package *python_package_find(const struct python_environment *environment,
                                                 const char *name);

/* Between the files of python_*.c: */

/* python_open.c: adds the environments of a prefix, one for each Python there; named_by says what
 * led to it. kind may be NULL: the place tells. False when there is none. */
bool python_prefix_add(const struct host *host, const char *prefix, const char *kind,
                       const char *named_by, struct python_world *world);

/* python_places.c: adds those that are found without being named. */
void python_places_add(const struct host *host, struct python_world *world);

/* python_active.c: which of them python3 means. */
void python_active_find(const struct host *host, struct python_world *world);

/* python_packages.c: fills packages and broken. */
void python_packages_read(const struct host *host, struct python_environment *environment);

#endif
