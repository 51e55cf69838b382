/* SPDX-License-Identifier: MIT */
#include "rules/driver/driver_told.h"

#include "rules/engine/context.h"

/* The driver's line of this boot about a client of another version; NULL: there is none. */
static const char *mismatch_in_log(const struct facts *facts)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "kernel_log", &i)) != NULL;)
        if (string_equal(facts_string(facts, group, "event"), "api_mismatch") &&
            string_equal(facts_string(facts, group, "boot"), "current"))
            return group;
    return NULL;
}

bool driver_mismatch_told(struct rule_context *context, bool answered)
{
    const struct facts *facts = context->facts;
    const struct fact *path = facts_peek(facts, "loader/libcuda.so.1", "path");
    if (path == NULL || path->state != FACT_SKIPPED)
        return false;
    const char *log = mismatch_in_log(facts);
    int64_t init;
    /* NVML of this machine works: another client, as in a container, had the other version. */
    if (facts_integer(facts, "answer/libnvidia-ml.so.1", "init", &init) && init == 0)
        return false;
    if (log == NULL && !answered)
        return false;
    struct finding *finding =
        rule_found(context, severity_for_use(context->purpose),
                   "%s says that the user-space driver does not match the loaded module",
                   log ? "the kernel log" : "the driver's library");
    finding_why(finding,
                "the driver's libraries and the kernel module must have exactly the same "
                "version; the versions differ if packages were upgraded and the module was "
                "not reloaded");
    finding_evidence(finding, facts, log, "message");
    finding_evidence(finding, facts, "answer/libnvidia-ml.so.1", "init");
    finding_fix_note(finding, FIX_REBOOT | NEEDS_ROOT | THEN_REBOOT, "reboot");
    return true;
}
