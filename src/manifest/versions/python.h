/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_VERSIONS_PYTHON_H
#define MANIFEST_VERSIONS_PYTHON_H

#include <stdbool.h>

#include "base/version.h"

/* Whether the Pythons that a build is for ("3.9-3.13", ">=3.10", ">=3.10,<3.15", "3.8;3.9",
 * "3.9-3.12 (3.13 exp)") have that one, as far as it is known; what stands in brackets does not
 * count. ret_newest is then the newest that they name. NULL, and words without a version, have
 * every Python. */
bool python_list_has(const char *list, const struct version *python, struct version *ret_newest);
/* The newest of them; count 0: none is named. */
struct version python_list_newest(const char *list);

#endif
