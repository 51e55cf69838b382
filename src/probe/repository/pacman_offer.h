/* SPDX-License-Identifier: MIT */
#ifndef PROBE_REPOSITORY_PACMAN_OFFER_H
#define PROBE_REPOSITORY_PACMAN_OFFER_H

#include "facts/facts.h"
#include "host/root/file.h"

/* Notes the driver packages that pacman would update, and whose dependencies on one version its own
 * choice does not meet; returns how many. None where pacman is not used. */
int64_t pacman_note_offers(const struct host *host, struct facts *facts);

#endif
