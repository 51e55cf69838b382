/* SPDX-License-Identifier: MIT */
#include "probe/engine/probes.h"

#define SOURCE "getrlimit(2)"

/* RLIM_INFINITY comes as the highest number there is. */
static void note_limit(struct facts *facts, const char *name, unsigned long long bytes)
{
    if (bytes > INT64_MAX)
        facts_set_absent(facts, "limits", name, SOURCE);
    else
        facts_set_integer(facts, "limits", name, (int64_t)bytes, SOURCE);
}

static void note_pair(struct facts *facts, bool answered, const char *soft_name,
                      const char *hard_name, unsigned long long soft, unsigned long long hard)
{
    static const char reason[] = "the kernel gave no answer";
    if (answered) {
        note_limit(facts, soft_name, soft);
        note_limit(facts, hard_name, hard);
        return;
    }
    facts_set_unknown(facts, "limits", soft_name, reason, SOURCE);
    facts_set_unknown(facts, "limits", hard_name, reason, SOURCE);
}

void probe_limits(const struct probe_context *context, struct facts *facts)
{
    const struct host *host = context->host;
    AUTO_STRLIST struct strlist groups = {0};
    unsigned long long soft = 0;
    unsigned long long hard = 0;
    facts_set_integer(facts, "limits", "user_id", host_user_id(host), "getuid(2)");
    bool answered = host_memlock_limit(host, &soft, &hard);
    note_pair(facts, answered, "memlock_bytes", "memlock_hard_bytes", soft, hard);
    answered = host_files_limit(host, &soft, &hard);
    note_pair(facts, answered, "files", "files_hard", soft, hard);
    if (host_groups(host, &groups))
        facts_set_list(facts, "limits", "groups", &groups, "getgroups(2)");
    else
        facts_set_unknown(facts, "limits", "groups", "the kernel gave no answer", "getgroups(2)");
}
