/* SPDX-License-Identifier: MIT */
#ifndef RULES_SUDO_H
#define RULES_SUDO_H

#include "facts/facts.h"

struct judgement;

/* Whether commands that need root begin with sudo where they are to be typed. Not for root, unless
 * gpuenv itself was run by sudo; not in a container or an image that has no sudo. */
bool sudo_is_used(const struct facts *facts);

/* Takes sudo out of all commands and words where it is not used. What is done on the host of a
 * container keeps it. */
void sudo_settle(const struct facts *facts, struct judgement *judgement);

#endif
