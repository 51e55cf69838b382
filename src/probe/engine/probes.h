/* SPDX-License-Identifier: MIT */
#ifndef PROBE_ENGINE_PROBES_H
#define PROBE_ENGINE_PROBES_H

#include "probe/engine/probe.h"

/* The functions behind the rows of probe_table. Private to this room. */
#define PROBE(name, ...)                                                                           \
    void probe_##name(const struct probe_context *context, struct facts *facts);
#include "probe/engine/probes.def"
#undef PROBE

/* At most so many instances of one kind are kept; where there are more, "count" is unknown. No
 * machine comes near it; a hostile tree could. */
#define PROBE_INSTANCES 4096

#endif
