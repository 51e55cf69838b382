/* SPDX-License-Identifier: MIT */
#include "rules/query/confidential.h"

bool confidential_is(const struct facts *facts)
{
    return facts_string(facts, "machine", "confidential") ||
           facts_true(facts, "nvml", "confidential");
}

/* Drivers whose GPUs do not use it say "not ready", too. */
bool confidential_waits(const struct facts *facts)
{
    bool ready = true;
    facts_boolean(facts, "nvml", "confidential_ready", &ready);
    return !ready && facts_true(facts, "nvml", "confidential");
}
