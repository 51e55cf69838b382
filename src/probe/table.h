/* SPDX-License-Identifier: MIT */
#ifndef PROBE_TABLE_H
#define PROBE_TABLE_H

#include "probe/engine/probe.h"

/* In the order they run; ends with name NULL. Adding a probe: one file, one row of probes.def. */
extern const struct probe probe_table[];

/* Runs the probes whose group wanted() accepts (NULL: all) into facts. */
void probe_all(const struct probe_context *context, bool (*wanted)(const char *group),
               struct facts *facts);

#endif
