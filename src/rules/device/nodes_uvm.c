/* SPDX-License-Identifier: MIT */
/* uvm_module_not_loaded: CUDA has no memory without the module. */
#include "base/memory.h"
#include "base/shell.h"
#include "base/text.h"
#include "rules/device/judges.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/module/module.h"
#include "rules/query/judged.h"
#include "rules/remedy/remedy.h"

/* How grave it is depends on whether the first CUDA program can load the module itself. */
static enum severity uvm_severity(const struct rule_context *context, const char **ret_why)
{
    const struct fact *fact = facts_get(context->facts, "device", "modprobe_setuid");
    *ret_why = "every CUDA program needs nvidia_uvm; nvidia-smi does not";
    if (context->purpose == PURPOSE_BUILD || judged_place(context->facts) == PLACE_CONTAINER)
        return severity_for_use(context->purpose);
    const char *path;
    const char *line = module_forbidden(context->facts, "nvidia_uvm", &path);
    if (line && !string_starts(line, "blacklist")) /* whoever asks for it, it does not come */
        return SEVERITY_FAIL;
    if (facts_true(context->facts, "device", "modprobe_setuid")) {
        *ret_why = "every CUDA program needs nvidia_uvm; nvidia-modprobe is setuid root here, so "
                   "the first program loads the module: healthy";
        return SEVERITY_INFO;
    }
    if (fact && (fact->state == FACT_VALUE || fact->state == FACT_ABSENT))
        return SEVERITY_FAIL;
    *ret_why = "every CUDA program needs nvidia_uvm; if nvidia-modprobe is setuid root, the first "
               "program loads the module; otherwise CUDA programs fail";
    return SEVERITY_WARN;
}

/* A line of modprobe's settings that keeps the module away or gives its name to another. */
static void add_uvm_permission(const struct facts *facts, struct finding *finding)
{
    const char *path;
    const char *line = module_forbidden(facts, "nvidia_uvm", &path);
    if (line == NULL || *path != '/')
        return;
    AUTO_FREE char *why = mem_string(finding->why);
    finding_why(finding, "%s; %s has \"%s\", which %s", why, path, line,
                string_starts(line, "alias") ? "assigns the module's name to another module"
                                             : "keeps the module from loading");
    finding_evidence_text(finding, path, line);
    AUTO_FREE char *quoted = shell_quote(path);
    finding_fix_command(finding, FIX_STEP | NEEDS_ROOT, "comments such lines out",
                        "sudo sed -i -E '/nvidia[-_]uvm/s/^/# /' %s", quoted);
}

void judge_uvm_module_not_loaded(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    if (!rule_require_gpu_on_bus(context) || !rule_require_fact(context, "module", "nvidia"))
        return;
    if (!facts_true(facts, "module", "nvidia")) {
        rule_skip(context, "the nvidia module is not loaded");
        return;
    }
    if (!rule_require_fact(context, "module", "nvidia_uvm") ||
        facts_true(facts, "module", "nvidia_uvm") ||
        !rule_require_seen(context, "device", "modprobe_setuid"))
        return;
    const char *why;
    enum severity severity = uvm_severity(context, &why);
    struct finding *finding =
        rule_found(context, severity, "the nvidia module is loaded, but nvidia_uvm is not");
    finding_why(finding, "%s", why);
    finding_evidence(finding, facts, "module", "nvidia");
    finding_evidence(finding, facts, "module", "nvidia_uvm");
    finding_evidence(finding, facts, "device", "modprobe_setuid");
    finding_follows(context, finding, "dev_nodes_missing_after_boot");
    add_uvm_permission(facts, finding);
    remedy_load_module(context, finding, "nvidia_uvm",
                       "if nvidia_uvm still does not load: grep -rn nvidia.uvm /etc/modprobe.d, "
                       "where the module may be blacklisted or renamed");
    remedy_load_at_boot(context, finding, "nvidia_uvm");
}
