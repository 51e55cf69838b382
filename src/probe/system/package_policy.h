/* SPDX-License-Identifier: MIT */
#ifndef PROBE_SYSTEM_PACKAGE_POLICY_H
#define PROBE_SYSTEM_PACKAGE_POLICY_H

#include "base/strlist.h"
#include "host/root/file.h"

/* What somebody told the package manager about packages: which it must not change, and which
 * streams of modules it takes. dpkg keeps its own holds in its status. */

struct package_hold {
    const char *what; /* "versionlock", "exclude", "IgnorePkg", "zypper lock" */
    char *pattern;    /* as it is written: a name, or with wildcards, or with a version */
    const char *path;
};

/* Start with {0}. */
struct package_policy {
    struct package_hold *holds;
    size_t count, capacity;
    struct strlist streams; /* "nvidia-driver:open-dkms": those that are enabled */
};
#define AUTO_PACKAGE_POLICY AUTO(package_policy_free)

/* HOST_ABSENT when there is no file that could say so. On another failure error names the file. */
enum host_status package_policy_read(const struct host *host, struct package_policy *policy,
                                     struct error *error);
void package_policy_free(struct package_policy *policy);

/* What holds a package; NULL: nothing does. version is that of the database. */
const struct package_hold *package_hold_of(const struct package_policy *policy, const char *name,
                                           const char *version);

#endif
