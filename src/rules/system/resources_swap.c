/* SPDX-License-Identifier: MIT */
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/threshold.h"
#include "rules/query/gpu_nvml.h"
#include "rules/query/judged.h"
#include "rules/system/judges.h"

/* no_swap: little memory is left, and nothing to swap to. */

void judge_no_swap(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    int64_t swap = 0, available = 0, total = 0;
    if (judged_place(facts) == PLACE_CONTAINER) {
        rule_skip(context, "memory and swap are the host's");
        return;
    }
    if (facts_peek(facts, "memory", "swap_total_bytes") == NULL) {
        rule_skip(context, "the record does not say how much memory is left");
        return;
    }
    if (!rule_require_fact(context, "memory", "swap_total_bytes"))
        return;
    if (!facts_integer(facts, "memory", "swap_total_bytes", &swap) ||
        !facts_integer(facts, "memory", "available_bytes", &available) ||
        !facts_integer(facts, "memory", "total_bytes", &total))
        return;
    int64_t least = threshold_bytes(context, "memory-without-swap");
    if (least == 0 || swap > 0 || available >= least)
        return;
    AUTO_FREE char *left = nvml_bytes(available);
    AUTO_FREE char *all = nvml_bytes(total);
    struct finding *finding =
        rule_found(context, SEVERITY_WARN,
                   "only %s of %s memory is available, and the machine has no swap", left, all);
    finding_why(finding, "when memory runs out, the kernel kills programs; compilers and programs "
                         "that load a model need several GB");
    finding_manifest(finding, "threshold/memory-without-swap");
    finding_evidence(finding, facts, "memory", "available_bytes");
    finding_evidence(finding, facts, "memory", "total_bytes");
    finding_evidence(finding, facts, "memory", "swap_total_bytes");
    finding_fix_note(finding, FIX_ADVICE,
                     "stop programs that you do not need, or use a machine with more memory");
    finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT,
                        "or add 8 GB of swap on the disk; swap is slow, but the kernel kills no "
                        "program while it lasts",
                        "sudo fallocate -l 8G /swapfile && sudo chmod 600 /swapfile && sudo mkswap "
                        "/swapfile && sudo swapon /swapfile");
}
