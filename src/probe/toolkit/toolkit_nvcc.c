/* SPDX-License-Identifier: MIT */
#include "probe/places/toolkit_root.h"

#include <string.h>

#include "base/path.h"
#include "host/child/child.h"
#include "host/loader/trust.h"
#include "host/root/clock.h"

bool toolkit_parse_nvcc(const char *output, struct version *ret_version)
{
    const char *release = strstr(output, "release ");
    if (release == NULL)
        return false;
    const char *full = strstr(release, ", V");
    return (full && version_parse_prefix(full + strlen(", V"), ret_version)) ||
           version_parse_prefix(release + strlen("release "), ret_version);
}

/* Milliseconds until the deadline on CLOCK_MONOTONIC; 0 when it has passed. */
static unsigned time_left(uint64_t deadline_ms)
{
    uint64_t now = clock_ms();
    uint64_t left = deadline_ms > now ? deadline_ms - now : 0;
    return left > 600000 ? 600000 : (unsigned)left;
}

static void run_nvcc(const struct host *host, const char *nvcc, uint64_t deadline_ms,
                     struct facts *facts, const char *group)
{
    unsigned timeout_ms = time_left(deadline_ms);
    AUTO_CHILD_RESULT struct child_result result = {0};
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *source = mem_printf("%s --version", nvcc);
    const char *const argv[] = {nvcc, "--version", NULL};
    if (timeout_ms == 0) {
        facts_set_unknown(facts, group, "nvcc_version", "no time left to run nvcc", source);
        return;
    }
    if (!child_run(host, argv, timeout_ms, &result, &error)) {
        facts_set_unknown(facts, group, "nvcc_version",
                          error.why ? error.why : "could not be started", source);
        return;
    }
    struct version version;
    AUTO_FREE char *problem = child_result_problem(&result);
    if (problem) {
        facts_set_unknown(facts, group, "nvcc_version", problem, source);
    } else if (!toolkit_parse_nvcc(text_string(&result.output), &version)) {
        facts_set_unknown(facts, group, "nvcc_version", "no \"release N.N\" in nvcc's output",
                          source);
    } else {
        char buffer[VERSION_TEXT_SIZE];
        facts_set_string(facts, group, "nvcc_version", version_text(&version, 0, buffer), source);
    }
}

/* The fact is set when false. */
static bool may_run(const struct host *host, const char *nvcc, struct facts *facts,
                    const char *group)
{
    AUTO_FREE char *reason = NULL;
    if (trust_file(host, nvcc, &reason))
        return true;
    AUTO_FREE char *skipped = mem_printf("not run as root: %s", reason);
    facts_set_skipped(facts, group, "nvcc_version", skipped, nvcc);
    return false;
}

void toolkit_note_nvcc(const struct host *host, const char *root, uint64_t deadline_ms,
                       struct facts *facts, const char *group)
{
    AUTO_FREE char *nvcc = path_join(root, "bin/nvcc");
    AUTO_FREE char *real = NULL;
    AUTO_ERROR struct error error = {0};
    enum host_status status = host_real_path(host, nvcc, &real, &error);
    if (status == HOST_ABSENT)
        facts_set_absent(facts, group, "nvcc_version", nvcc);
    else if (status != HOST_OK)
        facts_set_unknown(facts, group, "nvcc_version",
                          error.why ? error.why : "its path cannot be followed", nvcc);
    else if (may_run(host, nvcc, facts, group))
        run_nvcc(host, real, deadline_ms, facts, group);
}
