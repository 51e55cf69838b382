/* SPDX-License-Identifier: MIT */
#include "manifest/error/error.h"
#include "manifest/gpu/gpu.h"
#include "manifest/versions/threshold.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/gpu/judges.h"
#include "rules/module/module.h"
#include "rules/query/confidential.h"
#include "rules/query/gpu_nvml.h"
#include "rules/query/hardware.h"
#include "rules/query/remaining.h"
#include "rules/query/vm_guest.h"

/* gpu_count_short_vs_pci: GPUs on the bus that the driver does not bring to programs. */

#define CONFIDENTIAL "confidential-capability"

/* Who says how many GPUs programs get. */
struct census {
    const char *kind; /* "nvml", "driver_gpu", "cuda" */
    const char *name; /* for people */
    int64_t count;
};

struct shortage {
    const struct facts *facts;
    struct census census;
    struct strlist missing;  /* "0000:41:00.0 (bound to no driver)" */
    struct strlist excluded; /* "0000:41:00.0": the driver was told to leave it alone */
    struct strlist passed;   /* "0000:41:00.0": vfio-pci holds it */
    size_t on_bus;
    size_t driven;   /* of those missing: the module lists them */
    size_t withheld; /* of those driven: the device cgroup refuses their nodes */
    size_t open;     /* of those driven: this user may open their nodes */
    size_t failed;   /* of those missing: the log says that they did not start */
};

static void shortage_clear(struct shortage *shortage)
{
    strlist_free(&shortage->missing);
    strlist_free(&shortage->excluded);
    strlist_free(&shortage->passed);
}

/* NVML, else the module, else CUDA where nothing hides GPUs from it. */
static bool take_census(const struct facts *facts, struct census *ret_census)
{
    static const struct census sources[] = {
        {"nvml", "NVML", 0}, {"driver_gpu", "the kernel module", 0}, {"cuda", "CUDA", 0}};
    for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
        *ret_census = sources[i];
        if (string_equal(sources[i].kind, "cuda") &&
            facts_string(facts, "environment", "CUDA_VISIBLE_DEVICES"))
            return false;
        if (facts_integer(facts, sources[i].kind, "count", &ret_census->count) &&
            (i == 0 || ret_census->count > 0))
            return true;
    }
    return false;
}

/* The node of this GPU. The device cgroup refuses it where a job of a scheduler was given others;
 * where this user may open it, no scheduler keeps the GPU away. */
static void look_at_node(struct shortage *shortage, const char *driven)
{
    const struct facts *facts = shortage->facts;
    int64_t minor;
    bool usable;
    if (!facts_integer(facts, driven, "minor", &minor))
        return;
    AUTO_FREE char *name = mem_printf("nvidia%lld", (long long)minor);
    const char *node = judged_node(facts, name);
    if (node == NULL || !facts_boolean(facts, node, "usable", &usable))
        return;
    shortage->open += usable;
    shortage->withheld += !usable && string_equal(facts_string(facts, node, "error"), "EPERM");
}

static void miss(struct shortage *shortage, const char *group, const char *address)
{
    const struct facts *facts = shortage->facts;
    const char *driven = hardware_listed(facts, "driver_gpu", address);
    const struct fact *driver = facts_get(facts, group, "driver");
    const char *revision = facts_string(facts, group, "revision");
    shortage->driven += driven != NULL;
    if (driven)
        look_at_node(shortage, driven);
    shortage->failed += hardware_event(facts, "rm_init_failed", address) ||
                        hardware_event(facts, "board_not_ready", address);
    if (string_equal(revision, "ff"))
        strlist_take(&shortage->missing, mem_printf("%s (does not answer)", address));
    else if (driver && driver->state == FACT_ABSENT)
        strlist_take(&shortage->missing, mem_printf("%s (no driver is bound to it)", address));
    else if (driver && driver->state == FACT_VALUE && !string_equal(driver->string, "nvidia"))
        strlist_take(&shortage->missing, mem_printf("%s (bound to %s)", address, driver->string));
    else
        strlist_add(&shortage->missing, address);
}

static void look_at(struct shortage *shortage, const char *group)
{
    const struct facts *facts = shortage->facts;
    const char *address = nvml_index(group);
    const char *driven = hardware_listed(facts, "driver_gpu", address);
    shortage->on_bus++;
    if (string_equal(facts_string(facts, group, "driver"), "vfio-pci"))
        strlist_add(&shortage->passed, address);
    else if (driven && facts_true(facts, driven, "excluded"))
        strlist_add(&shortage->excluded, address);
    else if (hardware_listed(facts, shortage->census.kind, address) == NULL)
        miss(shortage, group, address);
}

static void left_alone_found(struct rule_context *context, const struct shortage *shortage)
{
    AUTO_FREE char *excluded = strlist_join(&shortage->excluded, ", ");
    AUTO_FREE char *passed = strlist_join(&shortage->passed, ", ");
    struct finding *finding =
        rule_found(context, SEVERITY_INFO,
                   "GPUs set aside on purpose, not available to programs here: %s%s%s%s%s",
                   excluded[0] ? "excluded from the driver: " : "", excluded,
                   excluded[0] && passed[0] ? "; " : "",
                   passed[0] ? "reserved for virtual machines (vfio-pci): " : "", passed);
    finding_why(finding, "these GPUs were set aside in the machine's configuration: healthy");
    finding_evidence(finding, context->facts, "pci", "count");
    finding_evidence(finding, context->facts, shortage->census.kind, "count");
    if (excluded[0])
        finding_fix_command(finding, FIX_LOOK,
                            "if this is not intended: shows which setting excludes the GPUs",
                            "grep -r NVreg_ExcludedGpus /etc/modprobe.d /proc/cmdline");
}

static const char *kept_by(const struct shortage *shortage)
{
    return shortage->driven == shortage->missing.count
               ? "the kernel module uses the GPU, but programs do not see that GPU"
               : "the driver did not take over the GPU";
}

/* What the log says of a GPU that did not start: the words that tell most. */
static const char *event_of_start(const struct facts *facts)
{
    static const char *const events[] = {"board_not_ready", "rm_init_failed", "probe_failed"};
    const char *log = NULL;
    for (size_t i = 0; log == NULL && i < sizeof(events) / sizeof(events[0]); i++)
        log = module_event(facts, events[i], NULL);
    return log;
}

/* A GPU that has the mode, and starts only with a driver and machine that use it when it is on. */
static bool may_be_confidential(const struct rule_context *context)
{
    AUTO_GPUS struct judged_gpus gpus = judged_gpus(context->facts, context->manifest);
    const struct manifest_threshold *row = manifest_threshold_find(context->manifest, CONFIDENTIAL);
    for (size_t i = 0; row && i < gpus.count; i++)
        if (gpus.items[i].capability.count > 0 &&
            version_compare(&gpus.items[i].capability, &row->version) >= 0 && gpus.items[i].model &&
            string_equal(gpus.items[i].model->gpu_class, "data-centre"))
            return true;
    return false;
}

/* Whether NVML says of the GPUs that work whether their confidential computing is on. The driver
 * refuses one whose mode is another (gpu_mgr.c of open-gpu-kernel-modules 595.45.04). */
static bool others_mode(const struct shortage *shortage, bool *ret_on)
{
    return shortage->census.count > 0 &&
           facts_boolean(shortage->facts, "nvml", "confidential", ret_on);
}

/* "; the GPU's confidential …", "" where it cannot be the cause. free() it. */
static char *mode_cause(const struct rule_context *context, const struct shortage *shortage)
{
    static const char query[] = "(sudo python3 gpu_cc_tool.py --query-cc-mode, on the host)";
    bool on = false;
    if (!may_be_confidential(context))
        return mem_string("");
    if (others_mode(shortage, &on))
        return mem_printf("; the GPU's confidential computing mode differs from that of the other "
                          "GPUs, for which NVML says that it is %s %s",
                          on ? "on" : "off", query);
    return mem_printf("; the GPU's confidential computing mode does not match this machine %s",
                      query);
}

/* Nothing that was found explains it: what is left, in order, and the command that decides. */
static void tell_remaining(const struct rule_context *context, const struct shortage *shortage,
                           struct finding *finding)
{
    const struct facts *facts = context->facts;
    const struct manifest_error *row =
        manifest_error_find(context->manifest, "No devices were found").rows[ERRORS_MESSAGE];
    const char *log = event_of_start(facts);
    const char *said = log ? facts_string(facts, log, "message") : NULL;
    AUTO_FREE char *mode = mode_cause(context, shortage);
    AUTO_FREE char *quoted = said ? mem_printf("; the log says: \"%s\"", said) : mem_string("");
    AUTO_FREE char *remaining =
        row && row->remaining ? remaining_here(facts, row->remaining)
                              : mem_string("the GPU did not start, or this session may not use it");
    finding_why(finding, "%s%s; possible causes: %s%s", kept_by(shortage), quoted, remaining, mode);
    if (mode[0]) {
        finding_manifest(finding, "threshold/" CONFIDENTIAL);
        finding_evidence(finding, facts, "nvml", "confidential");
    }
    finding_evidence(finding, facts, log, "message");
    if (row == NULL || row->command == NULL)
        return;
    finding_fix_command(finding, FIX_LOOK | (row->root ? NEEDS_ROOT : 0),
                        "shows which of these causes applies", "%s", row->command);
}

/* Inside a virtual machine nobody reaches the card. */
static void add_start_fix(const struct shortage *shortage, struct finding *finding)
{
    const struct facts *facts = shortage->facts;
    bool on = false;
    if (confidential_is(facts) && others_mode(shortage, &on))
        finding_fix_note(finding, FIX_HOST | NEEDS_ROOT | THEN_REBOOT,
                         "on the host: give the GPU the confidential computing mode of the other "
                         "GPUs, reset the GPU, and start the virtual machine again");
    else if (confidential_is(facts))
        finding_fix_note(finding, FIX_HOST | NEEDS_ROOT | THEN_REBOOT,
                         "on the host: switch the GPU's confidential computing mode on for this "
                         "virtual machine, reset the GPU, and start the virtual machine again");
    else if (vm_guest_is(facts))
        finding_fix_note(
            finding, FIX_HOST | NEEDS_ROOT | THEN_REBOOT,
            "stop this virtual machine and start it again; if the GPU is still missing, "
            "the host has to reset or check it");
    else
        finding_fix_note(
            finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
            "switch the machine off and on again; if the GPU is still missing, check that the card "
            "is seated, check its power cables, or have the GPU replaced");
}

/* The module has it, and perhaps a scheduler gave this session the others. */
static bool may_be_of_others(const struct shortage *shortage)
{
    return shortage->driven > 0 && shortage->driven == shortage->missing.count &&
           shortage->failed == 0 && shortage->open < shortage->missing.count;
}

static void add_fixes(const struct shortage *shortage, struct finding *finding)
{
    if (shortage->census.count > 0 && shortage->driven < shortage->missing.count)
        finding_fix_note(
            finding, FIX_ADVICE | NEEDS_ROOT,
            "if someone drained the GPU (nvidia-smi drain --pciid ADDRESS --query says so), "
            "nothing is broken: nvidia-smi drain --pciid ADDRESS --modify 0");
    if (may_be_of_others(shortage))
        finding_fix_note(
            finding, FIX_ADVICE,
            "if a scheduler or a cgroup gave this session only some of the GPUs, nothing is wrong; "
            "otherwise the kernel log says why the GPU did not start");
    add_start_fix(shortage, finding);
}

static void short_found(struct rule_context *context, const struct shortage *shortage)
{
    AUTO_FREE char *missing = strlist_join(&shortage->missing, ", ");
    enum severity severity = severity_for_use(context->purpose);
    if (severity == SEVERITY_FAIL && shortage->census.count > 0 && may_be_of_others(shortage))
        severity = SEVERITY_WARN;
    struct finding *finding =
        rule_found(context, severity, "the bus shows %zu GPU%s, but %s lists %lld; missing: %s",
                   shortage->on_bus, shortage->on_bus == 1 ? "" : "s", shortage->census.name,
                   (long long)shortage->census.count, missing);
    finding_subject(finding, missing);
    finding_evidence(finding, context->facts, "pci", "count");
    finding_evidence(finding, context->facts, shortage->census.kind, "count");
    finding_evidence(finding, context->facts, "driver_gpu", "count");
    if (!hardware_follows(context, finding, shortage->missing.count) &&
        !finding_follows(context, finding, "nouveau_loaded"))
        if (!finding_follows(context, finding, "driver_library_mismatch") &&
            (shortage->missing.count == 1 || shortage->census.count == 0))
            module_follows(context, finding);
    if (finding->caused_by) {
        finding_why(finding, "%s; %s says why", kept_by(shortage), finding->caused_by);
        return;
    }
    tell_remaining(context, shortage, finding);
    add_fixes(shortage, finding);
}

static bool require_countable_bus(struct rule_context *context)
{
    size_t cursor = 0;
    if (facts_next(context->facts, "assumed", &cursor))
        rule_skip(context, "the GPU is assumed (--assume-gpu)");
    else if (!rule_require_gpu_on_bus(context))
        return false;
    else if (judged_all_on_vfio(context->facts))
        rule_skip(context, "vfio-pci holds every GPU, for virtual machines");
    else /* a container is given some of the GPUs that it sees on the bus */
        return rule_require_seen(context, "container", "engine");
    return false;
}

/* NVML, which should have counted, gave no answer, or what stands in for it did not. */
static void no_census(struct rule_context *context)
{
    if (rule_require_nvml_gpus(context))
        rule_skip(context, "nothing here shows how many GPUs programs get");
}

static void decide(struct rule_context *context, const struct shortage *shortage)
{
    bool container = judged_place(context->facts) == PLACE_CONTAINER;
    size_t expected = shortage->census.count < 0 ? 0 : (size_t)shortage->census.count;
    size_t aside = shortage->passed.count + shortage->excluded.count;
    bool is_short = shortage->on_bus > expected + aside && shortage->missing.count > 0;
    if (is_short && container && expected > 0) {
        rule_skip(
            context,
            "a container sees the whole bus, but this container was given %zu of the %zu GPUs",
            expected, shortage->on_bus);
        return;
    }
    if (is_short && shortage->census.count > 0 && shortage->withheld == shortage->missing.count) {
        rule_skip(context, "the device cgroup allows this session %zu of the machine's %zu GPUs",
                  expected, shortage->on_bus);
        return;
    }
    if (is_short)
        short_found(context, shortage);
    if (aside > 0)
        left_alone_found(context, shortage);
}

void judge_gpu_count_short_vs_pci(struct rule_context *context)
{
    AUTO(shortage_clear) struct shortage shortage = {.facts = context->facts};
    const char *group;
    if (!require_countable_bus(context))
        return;
    if (!take_census(context->facts, &shortage.census)) {
        no_census(context);
        return;
    }
    for (size_t i = 0; (group = facts_next(context->facts, "pci", &i)) != NULL;)
        if (judged_pci_is_gpu(context->facts, group))
            look_at(&shortage, group);
    decide(context, &shortage);
}
