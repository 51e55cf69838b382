/* SPDX-License-Identifier: MIT */
#ifndef RULES_REPOSITORY_RELEASE_H
#define RULES_REPOSITORY_RELEASE_H

#include "rules/engine/context.h"

/* Finds packages of the driver in rpm's or pacman's database that stay at two releases: one is
 * held, or they come from two vendors. True when it did. */
bool release_find_two(struct rule_context *context);

#endif
