/* SPDX-License-Identifier: MIT */
#ifndef RULES_QUERY_PACKAGES_H
#define RULES_QUERY_PACKAGES_H

#include "base/version.h"
#include "facts/facts.h"

/* What the package database says: that of dpkg, rpm or pacman. Strings belong to the record. */

/* The version of the package of that group (NULL: there is none) without its epoch, and as a number
 * without what its distribution adds: "4.9.3+ds1-1ubuntu0.2" of "5:4.9.3+ds1-1ubuntu0.2". NULL: it
 * is not known. */
const char *packages_release(const struct facts *facts, const char *group,
                             struct version *ret_version);

/* The package that owns a file of the driver or nvcc; NULL: none that is listed does, or nobody
 * knows. */
const char *packages_owner(const struct facts *facts, const char *path);

/* The group of an installed package whose name begins like one of these, up to NULL; NULL: none. */
const char *packages_beginning(const struct facts *facts, const char *const *beginnings);

/* The group of a package of NVIDIA's that the package manager has not finished with: one that dpkg
 * has not set up, or one that rpm has in two versions. NULL: none. */
const char *packages_half_done(const struct facts *facts);

/* The group of a package of NVIDIA's driver that is held at its version; NULL: none. */
const char *packages_held(const struct facts *facts);

#endif
