/* SPDX-License-Identifier: MIT */
#include "probe/probes.h"

#define SOURCE "getrlimit(2)"

/* RLIM_INFINITY comes as the highest number there is. */
static void note_limit(struct facts *facts, const char *name, unsigned long long bytes)
{
    if (bytes > INT64_MAX)
        facts_set_absent(facts, "limits", name, SOURCE);
    else
        facts_set_integer(facts, "limits", name, (int64_t)bytes, SOURCE);
}

void probe_limits(const struct probe_context *context, struct facts *facts)
{
    facts_set_integer(facts, "limits", "user_id", host_user_id(context->host), "getuid(2)");
    unsigned long long soft;
    unsigned long long hard;
    if (host_memlock_limit(context->host, &soft, &hard)) {
        note_limit(facts, "memlock_bytes", soft);
        note_limit(facts, "memlock_hard_bytes", hard);
        return;
    }
    facts_set_unknown(facts, "limits", "memlock_bytes", "the kernel gave no answer", SOURCE);
    facts_set_unknown(facts, "limits", "memlock_hard_bytes", "the kernel gave no answer", SOURCE);
}
