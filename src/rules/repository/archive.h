/* SPDX-License-Identifier: MIT */
#ifndef RULES_REPOSITORY_ARCHIVE_H
#define RULES_REPOSITORY_ARCHIVE_H

#include "rules/engine/context.h"

/* Finds a package of NVIDIA's that arrived, and that apt refused because it is not the one of its
 * index. True when it did. */
bool archive_find_refused(struct rule_context *context);

#endif
