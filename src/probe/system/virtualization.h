/* SPDX-License-Identifier: MIT */
#ifndef PROBE_SYSTEM_VIRTUALIZATION_H
#define PROBE_SYSTEM_VIRTUALIZATION_H

#include "facts/facts.h"
#include "host/root/host.h"

/* machine.virtualization. */
void virtualization_note(const struct host *host, struct facts *facts);

#endif
