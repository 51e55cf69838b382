/* SPDX-License-Identifier: MIT */
#include "rules/gpu_nvml.h"
#include "rules/hardware.h"

/* gsp_rpc_timeout: the processor on the GPU that runs part of the driver (GSP) does not answer.
 * NVIDIA, "XID Errors": 119 GSP_RPC_TIMEOUT, 120 GSP_ERROR. */

static const int64_t xid_timeout[] = {119, 0};
static const int64_t xid_gsp[] = {119, 120, 0};

/* The timeout tells more than the error before it. */
static const char *log_of(const struct facts *facts, const char *address)
{
    const char *timeout = hardware_xid(facts, address, xid_timeout);
    return timeout ? timeout : hardware_xid(facts, address, xid_gsp);
}

static void gsp_fixes(const struct rule_context *context, struct finding *finding,
                      const char *address)
{
    const char *nvml = hardware_listed(context->facts, "nvml", address);
    if (nvml)
        nvml_fix_by_reset(context, finding, nvml);
    else if (!nvml_fix_on_host(context, finding)) {
        finding_fix_command(finding, true, true, "the GPU starts anew with the machine",
                            "sudo systemctl reboot");
        finding_fix_kind(finding, FIX_REBOOT);
    }
    if (judged_place(context->facts) == PLACE_CONTAINER)
        return;
    finding_fix_note(finding, true, true,
                     "when it comes back: update the driver, since releases with such timeouts "
                     "are known; else switch the machine off and on, and have the GPU looked at");
}

static void gsp_found(struct rule_context *context, const char *pci, const char *log)
{
    const struct facts *facts = context->facts;
    const char *address = hardware_address(pci);
    struct judged_answer cuda = judged_answer(facts, "libcuda.so.1");
    bool works = cuda.start == START_WORKS && hardware_listed(facts, "cuda", address);
    int64_t number = 0;
    facts_integer(facts, log, "number", &number);
    AUTO_FREE char *label = hardware_label(facts, address);
    enum severity severity =
        works ? nvml_severity_of_warning(context) : severity_for_use(context->profile);
    struct finding *finding = rule_found(
        context, severity, "the firmware (GSP) of %s %s: Xid %lld in %s%s", label,
        number == 119 ? "did not answer the driver" : "has failed", (long long)number,
        facts_get(facts, log, "event")->source, works ? "; CUDA lists the GPU again" : "");
    finding_subject(finding, address);
    finding_why(finding, "part of the driver runs on a processor in the GPU; when that hangs, "
                         "every call waits and then fails until the GPU is reset");
    finding_evidence(finding, facts, log, "message");
    finding_evidence(finding, facts, log, "last");
    finding_evidence(finding, facts, "module", "version");
    gsp_fixes(context, finding, address);
}

void judge_gsp_rpc_timeout(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *group;
    size_t found = 0;
    if (!judged_gpu_on_bus(context))
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
