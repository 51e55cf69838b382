/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/gpu/judges.h"
#include "rules/query/gpu_nvml.h"
#include "rules/query/gpu_process.h"

/* mig_enabled_no_instance, compute_mode_exclusive: GPUs that were set to take no program, or one.
 */

static bool mig_is_empty(const struct facts *facts, const char *group)
{
    int64_t instances;
    return facts_true(facts, group, "mig") &&
           facts_integer(facts, group, "mig_instances", &instances) && instances == 0;
}

static size_t count_empty(const struct facts *facts)
{
    size_t count = 0;
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "nvml", &i)) != NULL;)
        count += mig_is_empty(facts, group);
    return count;
}

static void mig_found(struct rule_context *context, const char *group, enum severity severity)
{
    AUTO_FREE char *label = nvml_label(context->facts, group);
    struct finding *finding =
        rule_found(context, severity,
                   "%s is in MIG mode but has no MIG instance: no program can use it", label);
    nvml_finding(context, finding, group, "mig");
    finding_evidence(finding, context->facts, group, "mig_instances");
    finding_why(finding,
                "in MIG mode, CUDA programs run only on MIG instances, and no instance exists%s",
                judged_place(context->facts) == PLACE_CONTAINER
                    ? ", or this container was given no instance"
                    : "; instances do not survive a reboot");
    if (nvml_fix_on_host(context, finding))
        return;
    AUTO_FREE char *number = nvml_argument(group);
    finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT,
                        "makes the whole GPU one instance; nvidia-smi mig -lgip lists other sizes",
                        "sudo nvidia-smi mig -i %s -cgi 0 -C", number);
    finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT,
                        "turns MIG mode off; stop every program that uses the GPU first",
                        "sudo nvidia-smi -i %s -mig 0", number);
}

void judge_mig_enabled_no_instance(struct rule_context *context)
{
    size_t in_mode = 0;
    const char *group;
    if (!rule_require_nvml_gpus(context))
        return;
    enum severity severity = nvml_severity_of_part(context, count_empty(context->facts));
    for (size_t i = 0; (group = facts_next(context->facts, "nvml", &i)) != NULL;) {
        bool lacks = !rule_require_nvml_fact(context, group, "mig");
        in_mode += lacks || facts_true(context->facts, group, "mig");
        if (mig_is_empty(context->facts, group))
            mig_found(context, group, severity);
        else if (facts_true(context->facts, group, "mig"))
            rule_require_nvml_fact(context, group, "mig_instances");
    }
    if (in_mode == 0)
        rule_skip(context, "no GPU here is in MIG mode");
}

enum mode { MODE_SHARED, MODE_EXCLUSIVE, MODE_THREAD, MODE_PROHIBITED };

static enum mode mode_of(const struct facts *facts, const char *group)
{
    const char *mode = facts_string(facts, group, "compute_mode");
    if (string_equal(mode, "prohibited"))
        return MODE_PROHIBITED;
    if (string_equal(mode, "exclusive-thread"))
        return MODE_THREAD;
    return mode && string_starts(mode, "exclusive") ? MODE_EXCLUSIVE : MODE_SHARED;
}

static size_t count_prohibited(const struct facts *facts)
{
    size_t count = 0;
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "nvml", &i)) != NULL;)
        count += mode_of(facts, group) == MODE_PROHIBITED;
    return count;
}

static void add_default_mode(const struct rule_context *context, struct finding *finding,
                             const char *group, const char *note)
{
    AUTO_FREE char *number = nvml_argument(group);
    if (!nvml_fix_on_host(context, finding))
        finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT, note,
                            "sudo nvidia-smi -i %s -c DEFAULT", number);
}

static void prohibited_found(struct rule_context *context, const char *group)
{
    AUTO_FREE char *label = nvml_label(context->facts, group);
    struct finding *finding =
        rule_found(context, nvml_severity_of_part(context, count_prohibited(context->facts)),
                   "%s accepts no CUDA program: its compute mode is prohibited", label);
    nvml_finding(context, finding, group, "compute_mode");
    finding_why(finding, "in compute mode \"prohibited\", no CUDA program can use the GPU");
    add_default_mode(context, finding, group, NULL);
}

/* The server of MPS takes the GPU for itself and shares it out: how it is meant to be. */
static bool served_by_mps(const struct facts *facts, const struct strlist *processes)
{
    for (size_t i = 0; i < processes->count; i++) {
        const char *name = gpu_process_name(facts, processes->items[i]);
        if (name && string_starts(name, "nvidia-cuda-mps"))
            return true;
    }
    return false;
}

static void exclusive_found(struct rule_context *context, const char *group)
{
    const struct facts *facts = context->facts;
    const struct strlist *processes = facts_list(facts, group, "processes");
    bool taken = processes && processes->count > 0 && !served_by_mps(facts, processes);
    AUTO_FREE char *label = nvml_label(facts, group);
    AUTO_FREE char *who = taken ? gpu_process_describe(facts, processes) : NULL;
    struct finding *finding =
        rule_found(context, taken ? nvml_severity_of_warning(context) : SEVERITY_INFO,
                   "%s accepts one program at a time (compute mode %s)%s%s", label,
                   facts_string(facts, group, "compute_mode"),
                   taken ? ", and one is running: " : "", taken ? who : "");
    nvml_finding(context, finding, group, "compute_mode");
    finding_evidence(finding, facts, group, "processes");
    if (taken)
        finding_why(finding, "a second program on this GPU fails with error 46, \"all CUDA-capable "
                             "devices are busy or unavailable\"");
    else
        finding_why(
            finding,
            "a second program on this GPU would fail with error 46, \"all CUDA-capable devices are "
            "busy or unavailable\"; with MPS, or with one job per GPU, this mode is healthy");
    if (taken)
        finding_fix_note(finding, FIX_ADVICE,
                         "wait for that program to end, or use another GPU "
                         "(CUDA_VISIBLE_DEVICES)");
    if (taken && judged_place(facts) == PLACE_CONTAINER)
        finding_fix_note(finding, FIX_ADVICE,
                         "if that program is the MPS server, this container must be able to reach "
                         "that server: share the host's IPC (--ipc=host, hostIPC) and the MPS pipe "
                         "directory (CUDA_MPS_PIPE_DIRECTORY)");
    add_default_mode(context, finding, group, "lets several programs share the GPU");
}

/* Gone since CUDA 8. A program with several threads, or contexts, fails by itself in it. */
static void thread_found(struct rule_context *context, const char *group)
{
    AUTO_FREE char *label = nvml_label(context->facts, group);
    struct finding *finding =
        rule_found(context, nvml_severity_of_warning(context),
                   "%s accepts one thread of one program (compute mode exclusive-thread)", label);
    nvml_finding(context, finding, group, "compute_mode");
    finding_evidence(finding, context->facts, group, "processes");
    finding_why(finding,
                "a second thread that uses CUDA gets an error (46 or 10), even if no other program "
                "uses the GPU; this mode is deprecated, and frameworks do not work in it");
    if (nvml_fix_on_host(context, finding))
        return;
    AUTO_FREE char *number = nvml_argument(group);
    finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT, "allows one program with all its threads",
                        "sudo nvidia-smi -i %s -c EXCLUSIVE_PROCESS", number);
    add_default_mode(context, finding, group, "or lets several programs share the GPU");
}

void judge_compute_mode_exclusive(struct rule_context *context)
{
    const char *group;
    if (!rule_require_nvml_gpus(context))
        return;
    for (size_t i = 0; (group = facts_next(context->facts, "nvml", &i)) != NULL;) {
        enum mode mode = mode_of(context->facts, group);
        rule_require_nvml_fact(context, group, "compute_mode");
        if (mode == MODE_PROHIBITED)
            prohibited_found(context, group);
        else if (mode == MODE_THREAD)
            thread_found(context, group);
        else if (mode == MODE_EXCLUSIVE && rule_require_nvml_fact(context, group, "processes"))
            exclusive_found(context, group);
    }
}
