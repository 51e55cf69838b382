/* SPDX-License-Identifier: MIT */
#include "rules/device/nodes.h"

#include <string.h>

#include "rules/device/judges.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/query/judged.h"
#include "rules/remedy/remedy.h"

#define BOOT_UNIT "nvidia-persistenced"

struct first_use first_use(const struct rule_context *context)
{
    const struct fact *fact = facts_get(context->facts, "device", "modprobe_setuid");
    struct first_use use = {
        .severity = severity_for_use(context->purpose),
        .why = "no program here creates the nodes on first use: nvidia-modprobe is not setuid root",
    };
    if (judged_place(context->facts) == PLACE_CONTAINER) {
        use.why = "a container gets these nodes from its host";
    } else if (facts_true(context->facts, "device", "modprobe_setuid")) {
        use.severity = SEVERITY_INFO;
        use.healthy = true;
        use.why = "nvidia-modprobe is setuid root here, so the first CUDA program creates the "
                  "nodes: this is healthy";
    } else if (fact == NULL || fact->state == FACT_UNKNOWN || fact->state == FACT_SKIPPED) {
        if (use.severity == SEVERITY_FAIL)
            use.severity = SEVERITY_WARN;
        use.why = "if nvidia-modprobe is setuid root, the first CUDA program creates the nodes; "
                  "otherwise every CUDA program fails";
    }
    return use;
}

/* Nodes that programs need, and that are not there: "/dev/nvidia0, /dev/nvidiactl". */
static void missing_gpu_nodes(const struct facts *facts, struct strlist *missing)
{
    int64_t count = 0;
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "driver_gpu", &i)) != NULL;) {
        int64_t minor;
        if (!facts_integer(facts, group, "minor", &minor) || facts_true(facts, group, "excluded"))
            continue;
        AUTO_FREE char *name = mem_printf("nvidia%lld", (long long)minor);
        if (judged_node(facts, name) == NULL)
            strlist_take(missing, mem_printf("/dev/%s", name));
    }
    if (missing->count == 0 && facts_integer(facts, "device", "count", &count) && count == 0)
        strlist_add(missing, "/dev/nvidia0");
    if (judged_node(facts, "nvidiactl") == NULL)
        strlist_add(missing, "/dev/nvidiactl");
}

/* False, and the check is ended, where the question does not arise. A record from before nodes were
 * looked at tells nothing of them. */
static bool require_nodes(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    if (!rule_require_gpu_on_bus(context) || !rule_require_fact(context, "module", "nvidia"))
        return false;
    if (!facts_true(facts, "module", "nvidia")) {
        rule_skip(context, "the nvidia module is not loaded");
        return false;
    }
    if (facts_get(facts, "device", "count") == NULL) {
        rule_skip(context, "device nodes are not in the record");
        return false;
    }
    return rule_require_fact(context, "device", "count");
}

/* True when the module, which is loaded, has no GPU: then there is nothing to make nodes for. */
static bool no_gpu_is_bound(const struct facts *facts)
{
    const char *group;
    bool other = false;
    for (size_t i = 0; (group = facts_next(facts, "pci", &i)) != NULL;) {
        const struct fact *driver = facts_get(facts, group, "driver");
        if (!judged_pci_is_gpu(facts, group))
            continue;
        if (driver == NULL || driver->state == FACT_UNKNOWN || driver->state == FACT_SKIPPED ||
            string_equal(driver->string, "nvidia"))
            return false;
        other = true;
    }
    return other;
}

static void make_nodes_on_host(struct finding *finding)
{
    finding_fix_note(
        finding, FIX_HOST | NEEDS_ROOT,
        "on the host, not in this container, at every boot: sudo nvidia-modprobe -c 0 -u. Then "
        "start the "
        "container again. If its CDI specification was written without the node, first "
        "write it again");
}

/* A container that was given the driver's libraries on purpose, and no node at all: its host had
 * none to give when it was started. */
static void judge_given_nodes(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *visible = facts_string(facts, "environment", "NVIDIA_VISIBLE_DEVICES");
    struct judged_answer answer = judged_answer(facts, "libcuda.so.1");
    if (!facts_true(facts, "container", "nvidia_libraries") ||
        judged_device_path(facts, "/dev/nvidia") || answer.start != START_FAILED ||
        string_equal(visible, "none")) {
        rule_skip(context, "a container shows only the nodes that it was given");
        return;
    }
    if (!rule_require_fact(context, "device", "count"))
        return;
    struct finding *finding =
        rule_found(context, severity_for_use(context->purpose),
                   "this container has the driver's libraries, but none of the GPU's device nodes");
    finding_why(finding, "the host had no /dev/nvidia* when this container was started, or when "
                         "its CDI specification was written");
    finding_evidence(finding, facts, "container", "nvidia_libraries");
    finding_evidence(finding, facts, "device", "count");
    finding_evidence(finding, facts, answer.group, "init");
    make_nodes_on_host(finding);
}

void judge_dev_nodes_missing_after_boot(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    if (judged_place(facts) == PLACE_CONTAINER) {
        judge_given_nodes(context);
        return;
    }
    if (!require_nodes(context))
        return;
    if (no_gpu_is_bound(facts)) {
        rule_skip(context, "no GPU is bound to the nvidia driver");
        return;
    }
    AUTO_STRLIST struct strlist missing = {0};
    missing_gpu_nodes(facts, &missing);
    if (missing.count == 0)
        return;
    struct first_use use = first_use(context);
    AUTO_FREE char *names = strlist_join(&missing, ", ");
    struct finding *finding =
        rule_found(context, use.severity, "the nvidia module is loaded, but %s %s not there", names,
                   missing.count == 1 ? "is" : "are");
    finding_subject(finding, missing.items[0]);
    finding_why(finding, "programs reach the GPU through these nodes; %s", use.why);
    finding_evidence(finding, facts, "module", "nvidia");
    finding_evidence(finding, facts, "device", "count");
    finding_evidence(finding, facts, "device", "modprobe_setuid");
    if (use.healthy)
        return;
    remedy_make_nodes(finding, "creates the nodes now and loads nvidia_uvm");
    finding_fix_command(finding, FIX_ALSO | NEEDS_ROOT, "creates them at every boot",
                        "sudo systemctl enable --now " BOOT_UNIT);
}

static void add_uvm_fixes(const struct rule_context *context, struct finding *finding)
{
    if (judged_place(context->facts) == PLACE_CONTAINER) {
        make_nodes_on_host(finding);
        return;
    }
    remedy_make_nodes(finding, "creates the nodes now");
    finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                     "run this at every boot too, before containers start: " BOOT_UNIT
                     " does not create /dev/nvidia-uvm, but your own unit can");
}

/* The node of nvidia-uvm when its major is not the module's: it leads to no driver, or to
 * another's. NULL: it is right, or that cannot be told. */
static const char *stray_uvm_node(const struct facts *facts, int64_t *ret_major)
{
    const char *node = judged_node(facts, "nvidia-uvm");
    const char *number = node ? facts_string(facts, node, "number") : NULL;
    int64_t major;
    if (number == NULL || !facts_integer(facts, "device", "uvm_major", &major))
        return NULL;
    *ret_major = major;
    AUTO_FREE char *prefix = mem_printf("%lld:", (long long)major);
    return string_starts(number, prefix) ? NULL : node;
}

static void stray_found(struct rule_context *context, const char *node, int64_t major)
{
    const struct facts *facts = context->facts;
    struct finding *finding = rule_found(context, severity_for_use(context->purpose),
                                         "/dev/nvidia-uvm has device number %s, but nvidia_uvm has "
                                         "major number %lld: the node does not lead to the module",
                                         facts_string(facts, node, "number"), (long long)major);
    finding_subject(finding, "/dev/nvidia-uvm");
    finding_why(
        finding,
        "the kernel may give that module a different major number at each boot (/proc/devices), so "
        "a node with a fixed or earlier number does not work; nvidia-smi does not need this node");
    finding_evidence(finding, facts, node, "number");
    finding_evidence(finding, facts, "device", "uvm_major");
    finding_evidence(finding, facts, node, "error");
    if (judged_place(facts) == PLACE_CONTAINER) {
        add_uvm_fixes(context, finding);
        return;
    }
    finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT, "creates the nodes again",
                        "sudo rm -f /dev/nvidia-uvm /dev/nvidia-uvm-tools && sudo nvidia-modprobe "
                        "-c 0 -u");
    finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                     "remove the rule or unit that creates the node with a fixed number (a udev "
                     "rule, tmpfiles.d, a unit that runs mknod)");
}

void judge_uvm_device_nodes_missing(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    if (!require_nodes(context))
        return;
    int64_t count = 0;
    facts_integer(facts, "device", "count", &count);
    if (count == 0 || judged_node(facts, "nvidiactl") == NULL) {
        rule_skip(context, "the GPU's own nodes do not exist");
        return;
    }
    int64_t major;
    const char *stray = stray_uvm_node(facts, &major);
    if (stray)
        stray_found(context, stray, major);
    if (judged_node(facts, "nvidia-uvm") || !rule_require_fact(context, "module", "nvidia_uvm"))
        return;
    if (!facts_true(facts, "module", "nvidia_uvm")) {
        rule_skip(context, "the nvidia_uvm module is not loaded");
        return;
    }
    struct first_use use = first_use(context);
    struct finding *finding =
        rule_found(context, use.severity, "nvidia_uvm is loaded, but /dev/nvidia-uvm is not there");
    finding_subject(finding, "/dev/nvidia-uvm");
    finding_why(finding, "CUDA needs this node for its memory, but nvidia-smi does not; %s",
                use.why);
    finding_evidence(finding, facts, "module", "nvidia_uvm");
    finding_evidence(finding, facts, "device", "uvm_major");
    finding_evidence(finding, facts, "device", "modprobe_setuid");
    if (!use.healthy)
        add_uvm_fixes(context, finding);
}
