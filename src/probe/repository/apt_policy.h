/* SPDX-License-Identifier: MIT */
#ifndef PROBE_REPOSITORY_APT_POLICY_H
#define PROBE_REPOSITORY_APT_POLICY_H

#include "host/root/file.h"

/* Which repository apt prefers (apt_preferences(5)). */

/* What the signed file of a repository says of it; fields that it does not have are NULL. */
struct apt_origin {
    char *host; /* "developer.download.nvidia.com"; "" of file: addresses */
    char *origin, *label, *suite, *codename, *version;
    char *component; /* of the index */
    bool known;      /* its signed file was there */
    bool not_automatic, but_automatic;
};
void apt_origin_free(struct apt_origin *origin);

struct apt_pin {
    struct strlist packages; /* patterns; "*" */
    char *kind;              /* release, origin, version */
    char *value;             /* "l=NVIDIA CUDA" */
    int priority;
};
struct apt_policy {
    struct apt_pin *items;
    size_t count, capacity;
};
void apt_policy_free(struct apt_policy *policy);
struct apt_policy apt_policy_read(const struct host *host);

/* Whether a preference is about what only the signed file of a repository says. */
bool apt_policy_needs_release(const struct apt_policy *policy);

/* The priority of a version of a package in a repository. */
int apt_policy_priority(const struct apt_policy *policy, const char *package, const char *version,
                        const struct apt_origin *origin);

#endif
