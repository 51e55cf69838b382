/* SPDX-License-Identifier: MIT */
#ifndef PROBE_SYSTEM_CONFIDENTIAL_H
#define PROBE_SYSTEM_CONFIDENTIAL_H

#include "facts/facts.h"
#include "host/root/host.h"

/* Sets machine.confidential; machine.virtualization is noted before. */
void confidential_note(const struct host *host, struct facts *facts);

#endif
