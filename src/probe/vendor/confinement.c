/* SPDX-License-Identifier: MIT */
#include "probe/engine/probes.h"

#include "host/child/confinement.h"

void probe_confinement(const struct probe_context *context, struct facts *facts)
{
    (void)context;
    facts_set_boolean(facts, "confinement", "files", confinement_has_landlock(),
                      "landlock_create_ruleset(2)");
    facts_set_boolean(facts, "confinement", "calls", confinement_has_seccomp(), "prctl(2)");
}
