/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/threshold.h"
#include "rules/module/module.h"
#include "rules/query/gpu_nvml.h"
#include "rules/system/judges.h"
#include "rules/system/resources.h"

/* host_ram_exhausted: the kernel ended a program because memory had run out. */

/* "python3" of "Out of memory: Killed process 5120 (python3) total-vm:…". free() it. */
static char *killed_name(const char *message)
{
    const char *at = message ? strstr(message, "Kill") : NULL;
    const char *open = at ? strchr(at, '(') : NULL;
    const char *close = open ? strchr(open, ')') : NULL;
    return close ? mem_string_n(open + 1, (size_t)(close - open - 1)) : NULL;
}

static bool is_compiler(const char *name)
{
    static const char *const compilers[] = {"cicc",     "nvcc", "ptxas", "cc1plus",
                                            "cudafe++", "cc1",  "ninja", "fatbinary"};
    for (size_t i = 0; i < sizeof(compilers) / sizeof(compilers[0]); i++)
        if (string_equal(name, compilers[i]))
            return true;
    return false;
}

/* How many compilers fit, 1 at least. */
static int64_t jobs_that_fit(const struct facts *facts, int64_t each)
{
    int64_t bytes = 0;
    if (!facts_integer(facts, "memory", "cgroup_limit_bytes", &bytes))
        facts_integer(facts, "memory", "total_bytes", &bytes);
    return bytes / 2 < each ? 1 : bytes / each;
}

static void jobs_fix(struct rule_context *context, struct finding *finding)
{
    int64_t each = threshold_bytes(context, "compiler-memory");
    if (each == 0)
        return;
    AUTO_FREE char *size = nvml_bytes(each);
    AUTO_FREE char *note = mem_printf("if this happens while code is compiled: run fewer compilers "
                                      "at a time (MAX_JOBS); each needs %s",
                                      size);
    finding_manifest(finding, "threshold/compiler-memory");
    finding_fix_command(finding, FIX_SHELL, note, "export MAX_JOBS=%lld",
                        (long long)jobs_that_fit(context->facts, each));
}

static void ram_fixes(struct rule_context *context, struct finding *finding, const char *killed,
                      bool limit)
{
    const struct facts *facts = context->facts;
    if (killed == NULL || is_compiler(killed))
        jobs_fix(context, finding);
    if (limit)
        finding_fix_note(finding, FIX_ADVICE,
                         "start the container or the service with a higher memory limit (docker "
                         "run --memory, resources.limits.memory, MemoryMax=)");
    if (nvml_memory_is_shared(facts))
        finding_fix_note(finding, FIX_ADVICE,
                         "the GPU and the CPU share memory here, and the GPU's part is never "
                         "swapped out: use a smaller model, or a model with fewer bits per weight");
    else if (!limit)
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                         "load less at a time (a smaller model, fewer workers), or add memory or "
                         "swap");
}

static void ram_evidence(const struct facts *facts, struct finding *finding, const char *log)
{
    static const char *const names[] = {"cgroup_oom_kills", "cgroup_limit_bytes", "total_bytes",
                                        "available_bytes", "swap_total_bytes"};
    finding_evidence(finding, facts, log, "message");
    finding_evidence(finding, facts, log, "last");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        finding_evidence(finding, facts, "memory", names[i]);
    finding_evidence(finding, facts, "machine", "processors");
    finding_evidence(finding, facts, "environment", "MAX_JOBS");
}

static void killed_by_kernel(struct rule_context *context, const char *log)
{
    const struct facts *facts = context->facts;
    int64_t total = 0;
    facts_integer(facts, "memory", "total_bytes", &total);
    AUTO_FREE char *killed = killed_name(facts_string(facts, log, "message"));
    AUTO_FREE char *size = nvml_bytes(total);
    struct finding *finding =
        rule_found(context, nvml_severity_of_warning(context),
                   "the kernel has killed %s since boot because memory had run out: %s",
                   killed ? killed : "a program", facts_get(facts, log, "event")->source);
    finding_subject(finding, killed);
    finding_why(finding,
                "the machine's memory%s%s%s is %s the GPU's: models pass through the machine's "
                "memory while they load, and compilers and data loaders use it; a killed program "
                "prints no message",
                total > 0 ? " (" : "", total > 0 ? size : "", total > 0 ? ")" : "",
                nvml_memory_is_shared(facts) ? "also" : "separate from");
    ram_evidence(facts, finding, log);
    ram_fixes(context, finding, killed, false);
}

static void killed_by_limit(struct rule_context *context, int64_t kills)
{
    const struct facts *facts = context->facts;
    int64_t limit = 0;
    facts_integer(facts, "memory", "cgroup_limit_bytes", &limit);
    AUTO_FREE char *size = nvml_bytes(limit);
    struct finding *finding = rule_found(
        context, nvml_severity_of_warning(context),
        "the memory limit%s%s of this %s killed %lld program%s: %s", limit > 0 ? " of " : "",
        limit > 0 ? size : "", judged_place(facts) == PLACE_CONTAINER ? "container" : "session",
        (long long)kills, kills == 1 ? "" : "s",
        facts_get(facts, "memory", "cgroup_oom_kills")->source);
    finding_subject(finding, "memory limit");
    finding_why(finding, "the kernel kills a program that exceeds its cgroup's limit, even if the "
                         "machine has memory left; the program prints no message");
    ram_evidence(facts, finding, NULL);
    ram_fixes(context, finding, NULL, true);
}

void judge_host_ram_exhausted(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    bool container = judged_place(facts) == PLACE_CONTAINER;
    int64_t kills = 0, seen = 0;
    bool told = facts_integer(facts, "memory", "cgroup_oom_kills", &kills);
    bool read = !container && facts_integer(facts, "kernel_log", "count", &seen);
    /* In a container the log is the host's, and of everybody there. */
    const char *log = container ? NULL : module_event(facts, "oom_kill", NULL);
    if (log)
        killed_by_kernel(context, log);
    else if (kills > 0)
        killed_by_limit(context, kills);
    else if (!told && !read)
        rule_skip(context, "neither the kernel's log nor the cgroup's count can be read here");
}
