/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/gpu/judges.h"
#include "rules/module/module.h"
#include "rules/query/gpu_nvml.h"
#include "rules/query/hardware.h"
#include "rules/query/vendor_refusal.h"

/* gsp_rpc_timeout: the processor on the GPU that runs part of the driver (GSP) does not answer.
 * NVIDIA, "XID Errors": 119 GSP_RPC_TIMEOUT, 120 GSP_ERROR, 62 PMU_HALT_ERROR, 154
 * GPU_RECOVERY_ACTION_CHANGED. A heartbeat that stops has no Xid of its own, and no address. */

static const int64_t xid_timeout[] = {119, 0};
static const int64_t xid_gsp[] = {119, 120, 0};
static const int64_t xid_halt[] = {62, 0};
static const int64_t xid_recovery[] = {154, 0};

/* The log's Xid 154 for that GPU, where the last one asks for a reset; NULL: it asks for none. */
static const char *reset_wanted(const struct facts *facts, const char *address)
{
    const char *log = hardware_xid(facts, address, xid_recovery);
    const char *message = log ? facts_string(facts, log, "message") : NULL;
    const char *to = message ? strstr(message, " to 0x") : NULL;
    return to && !string_starts(to, " to 0x0 ") ? log : NULL;
}

/* The firmware's own words, of this GPU; those without an address where it is the only one, or the
 * one that wants a reset. */
static const char *words_of(const struct facts *facts, const char *address)
{
    int64_t gpus = 0;
    const char *own = hardware_event(facts, "gsp_timeout", address);
    const char *any = module_event(facts, "gsp_timeout", address);
    facts_integer(facts, "pci", "count", &gpus);
    if (own || any == NULL)
        return own;
    return gpus == 1 || reset_wanted(facts, address) ? any : NULL;
}

/* The timeout tells more than the error before it. */
static const char *log_of(const struct facts *facts, const char *address)
{
    const char *log = hardware_xid(facts, address, xid_timeout);
    log = log ? log : hardware_xid(facts, address, xid_gsp);
    log = log ? log : hardware_xid(facts, address, xid_halt);
    return log ? log : words_of(facts, address);
}

/* What the log has: a clause. free() it. */
static char *log_words(const struct facts *facts, const char *log)
{
    int64_t number = 0;
    const char *message = facts_string(facts, log, "message");
    facts_integer(facts, log, "number", &number);
    if (number > 0)
        return mem_printf("%s: Xid %lld",
                          number == 119 ? "did not answer the driver" : "has failed",
                          (long long)number);
    return mem_printf("has stopped: %s", message ? message : "no answer");
}

static void gsp_fixes(const struct rule_context *context, struct finding *finding,
                      const char *address)
{
    const char *nvml = hardware_listed(context->facts, "nvml", address);
    if (nvml)
        nvml_fix_by_reset(context, finding, nvml);
    else if (!nvml_fix_on_host(context, finding))
        finding_fix_command(finding, FIX_REBOOT | NEEDS_ROOT | THEN_REBOOT,
                            "a reboot of the machine restarts the GPU", "sudo systemctl reboot");
    if (judged_place(context->facts) == PLACE_CONTAINER)
        return;
    finding_fix_note(
        finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
        "if this happens again: update the driver, because some releases are known for such "
        "timeouts; otherwise switch the machine off and on, and have the GPU checked");
}

/* CUDA lists the GPU, and NVML measures it: it has been reset since. */
static bool answers_again(const struct rule_context *context, const char *address)
{
    const struct facts *facts = context->facts;
    const char *nvml = hardware_listed(facts, "nvml", address);
    struct vendor_refusal refusal = {.group = NULL};
    if (nvml)
        refusal = vendor_refusal_of(facts, context->manifest, ERRORS_NVML, nvml);
    return judged_answer(facts, "libcuda.so.1").start == START_WORKS &&
           hardware_listed(facts, "cuda", address) && !vendor_refusal_is_fault(&refusal, true);
}

static void gsp_found(struct rule_context *context, const char *pci, const char *log)
{
    const struct facts *facts = context->facts;
    const char *address = hardware_address(pci);
    bool works = answers_again(context, address);
    const char *reset = reset_wanted(facts, address);
    AUTO_FREE char *label = hardware_label(facts, address);
    AUTO_FREE char *words = log_words(facts, log);
    enum severity severity =
        works ? nvml_severity_of_warning(context) : severity_for_use(context->purpose);
    struct finding *finding = rule_found(
        context, severity, "the firmware (GSP) of %s %s, according to %s%s", label, words,
        facts_get(facts, log, "event")->source, works ? "; CUDA lists the GPU again" : "");
    finding_subject(finding, address);
    finding_why(finding,
                "part of the driver runs on a processor in the GPU; when that processor hangs, "
                "every call waits and then fails until the GPU is reset%s",
                reset ? ", which the driver requests (Xid 154)" : "");
    finding_evidence(finding, facts, log, "message");
    finding_evidence(finding, facts, log, "last");
    finding_evidence(finding, facts, reset, "message");
    finding_evidence(finding, facts, "module", "version");
    gsp_fixes(context, finding, address);
}

void judge_gsp_rpc_timeout(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *group;
    size_t found = 0;
    if (!rule_require_gpu_on_bus(context))
        return;
    if (rule_has_found(context, "gpu_fell_off_bus")) {
        rule_skip(context, "a GPU has fallen off the bus: its firmware cannot answer");
        return;
    }
    for (size_t i = 0; (group = facts_next(facts, "pci", &i)) != NULL;) {
        const char *log = log_of(facts, hardware_address(group));
        if (log == NULL || !judged_pci_is_gpu(facts, group))
            continue;
        gsp_found(context, group, log);
        found++;
    }
    if (found == 0)
        hardware_end_without_log(context);
}
