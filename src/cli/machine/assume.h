/* SPDX-License-Identifier: MIT */
#ifndef CLI_MACHINE_ASSUME_H
#define CLI_MACHINE_ASSUME_H

#include "cli/engine/session.h"
#include "facts/facts.h"

struct error;

/* Turns --assume-driver and --assume-gpu into the facts "assumed". GPUs are looked up in the
 * session's manifest. NULL with ERROR_USAGE for a driver that is not a version or a GPU that is not
 * known; an empty record when nothing is assumed. The caller owns the result. */
struct facts *assume_facts(const struct session *session, const struct arguments *arguments,
                           struct error *error);

/* Puts the assumed facts in the place of those the record had of the same option. */
struct facts *assume_apply(struct facts *facts, const struct facts *assumed);

#endif
