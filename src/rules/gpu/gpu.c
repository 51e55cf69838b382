/* SPDX-License-Identifier: MIT */
#include "base/shell.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/gpu/hardware_bus.h"
#include "rules/gpu/judges.h"
#include "rules/query/judged.h"
#include "rules/query/vm_guest.h"
#include "rules/requirement/requirement.h"

/* False, and the check is ended, when nothing is to be looked for on the bus. */
static bool require_bus(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    size_t cursor = 0;
    if (facts_next(facts, "assumed", &cursor))
        rule_skip(context, "the GPU is assumed (--assume-gpu)");
    else if (judged_place(facts) == PLACE_WSL || judged_device_path(facts, "/dev/dxg"))
        rule_skip(context, "WSL passes the GPU through /dev/dxg, not PCI");
    else if (judged_place(facts) == PLACE_JETSON)
        rule_skip(context, "a Jetson's GPU is not on PCI");
    else if (context->purpose == PURPOSE_BUILD)
        rule_skip(context, "a GPU is not needed to build");
    else
        return true;
    return false;
}

/* What the driver's libraries tell of its GPUs. silent: why one that was asked did not tell. */
struct listing {
    bool lists, denies;
    const char *silent; /* NULL: none was asked, or all have told */
};

static struct listing listing_of(const struct facts *facts)
{
    static const char *const libraries[] = {"libnvidia-ml.so.1", "libcuda.so.1"};
    struct listing listing = {.lists = false};
    size_t nvml = 0;
    size_t cuda = 0;
    listing.lists = facts_next(facts, "nvml", &nvml) || facts_next(facts, "cuda", &cuda);
    for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
        struct judged_answer answer = judged_answer(facts, libraries[i]);
        int64_t count = 0;
        const struct fact *fact =
            answer.group ? facts_get(facts, answer.group, "device_count") : NULL;
        bool told = fact && facts_integer(facts, answer.group, "device_count", &count);
        listing.lists = listing.lists || count > 0;
        listing.denies = listing.denies || told || answer.start == START_FAILED;
        if (answer.start == START_UNKNOWN)
            listing.silent = answer.reason;
        else if (answer.start == START_WORKS && fact && fact->state == FACT_UNKNOWN)
            listing.silent = fact->reason;
    }
    return listing;
}

/* True when the loaded driver itself says that it has no GPU: its list in /proc is empty, and no
 * library that was asked lists one. In a container both may be another's. */
static bool driver_has_none(const struct facts *facts, const struct listing *listing)
{
    int64_t driven;
    return judged_place(facts) == PLACE_MACHINE && listing->denies && !listing->lists &&
           listing->silent == NULL && facts_integer(facts, "driver_gpu", "count", &driven) &&
           driven == 0;
}

/* False, and the check is ended, where the bus is hidden: a sandbox may hide it, and not the driver
 * or its nodes. But without its module a node is a leftover, and a driver without a GPU made its
 * node before the GPU left the bus. */
static bool require_bus_shown(struct rule_context *context, const char *node)
{
    const struct facts *facts = context->facts;
    struct listing listing = listing_of(facts);
    bool loaded = true;
    facts_boolean(facts, "module", "nvidia", &loaded);
    if (listing.lists)
        rule_skip(context, "sysfs shows no GPU here, but the driver lists a GPU");
    else if (node && loaded && !driver_has_none(facts, &listing))
        rule_skip(context, "sysfs shows no GPU here, but its driver created %s", node);
    else if (listing.silent && !listing.denies)
        rule_unknown(
            context,
            "sysfs shows no GPU here, and the driver did not say whether it lists a GPU: %s",
            listing.silent);
    else if (facts_string(facts, "container", "sandbox"))
        rule_unknown(context, "gVisor shows no PCI bus, and no driver answers inside gVisor");
    else
        return true;
    return false;
}

/* A udev rule takes the card off the bus, mostly to save power: no rescan keeps it there. */
static bool tell_removing_rule(const struct facts *facts, struct finding *finding)
{
    const struct strlist *rules = facts_list(facts, "hybrid", "remove_rules");
    if (rules == NULL || rules->count == 0 || judged_place(facts) == PLACE_CONTAINER)
        return false;
    AUTO_FREE char *quoted = shell_quote(rules->items[0]);
    finding_why(finding,
                "%s has a rule that removes NVIDIA GPUs from the bus (ATTR{remove}=\"1\"); "
                "power-saving tools for laptops write such rules",
                rules->items[0]);
    finding_evidence(finding, facts, "hybrid", "remove_rules");
    finding_fix_command(finding, FIX_STEP | NEEDS_ROOT | THEN_REBOOT,
                        "disables the rule; if a tool wrote the rule (envycontrol, prime-select), "
                        "choose the mode with both GPUs in that tool instead; then reboot",
                        "sudo mv %s %s.off", quoted, quoted);
    return true;
}

static void add_fixes(const struct rule_context *context, struct finding *finding)
{
    if (judged_place(context->facts) == PLACE_CONTAINER) {
        finding_fix_note(finding, FIX_HOST | NEEDS_ROOT,
                         "look on the host: run gpuenv doctor there, or lspci -d 10de:");
    } else if (vm_guest_is(context->facts))
        finding_fix_note(finding, FIX_ADVICE,
                         "give this virtual machine a GPU: choose an instance type with a GPU, or "
                         "pass a GPU through on the host");
    if (judged_place(context->facts) == PLACE_CONTAINER || vm_guest_is(context->facts))
        return;
    finding_fix_command(finding, FIX_STEP | NEEDS_ROOT, "finds a GPU that was removed in software",
                        "echo 1 | sudo tee /sys/bus/pci/rescan");
    finding_fix_note(
        finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
        "switch the machine off, cut its power for a minute, check that the card is seated, check "
        "its power cables, and look for a disabled slot in the firmware setup");
}

/* A machine whose GPUs are another maker's: no rescan finds one that CUDA could use. */
static void tell_others(const struct facts *facts, struct finding *finding)
{
    const struct strlist *others = facts_list(facts, "pci", "other_gpus");
    if (others == NULL || others->count == 0)
        return;
    AUTO_FREE char *list = strlist_join(others, ", ");
    finding_why(finding,
                "a GPU is a PCI function of vendor 10de and class 0300 or 0302; the bus shows only "
                "GPUs that CUDA does not run on: %s",
                list);
    finding_evidence(finding, facts, "pci", "other_gpus");
    finding_fix_note(finding, FIX_ADVICE,
                     "if this machine has no NVIDIA GPU: use a build of the framework for its own "
                     "GPU or for the CPU, or run on another machine");
}

/* The term of --require that wants more GPUs than the bus shows; NULL: none. */
static const struct requirement *wants_more(const struct rule_context *context, int64_t count)
{
    const struct requirements *requirements = context->requirements;
    uint32_t part = count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
    struct version have = {.part = {part}, .width = {1}, .count = 1};
    for (size_t i = 0; requirements && i < requirements->count; i++) {
        const struct requirement *requirement = &requirements->items[i];
        enum requirement_operator sign = requirement->operator;
        bool least = sign != REQUIRE_LE && sign != REQUIRE_LT;
        if (requirement->word == REQUIRE_GPUS && least && !requirement_met(requirement, &have) &&
            version_compare(&have, &requirement->want) <= 0)
            return requirement;
    }
    return NULL;
}

static void short_found(struct rule_context *context, const struct requirement *requirement,
                        int64_t count)
{
    struct finding *finding =
        rule_found(context, severity_for_use(context->purpose),
                   "the PCI bus shows %lld GPU%s, but %s is required", (long long)count,
                   count == 1 ? "" : "s", requirement->text);
    finding_subject(finding, requirement->text);
    finding_why(finding, "no driver can find a GPU that the bus does not show: the missing GPUs "
                         "are not in this machine, or were not detected when it started");
    finding_evidence(finding, context->facts, "pci", "count");
    finding_evidence_text(finding, "--require", requirement->text);
    finding_evidence(finding, context->facts, "machine", "virtualization");
    if (!tell_removing_rule(context->facts, finding))
        add_fixes(context, finding);
    finding_fix_note(
        finding, FIX_ADVICE,
        "if the machine never had more GPUs: use another machine, or require fewer GPUs");
}

/* The module does not load without a GPU: there was one when it did. */
static void tell_departure(const struct facts *facts, struct finding *finding)
{
    finding_why(finding, "a GPU is a PCI function of vendor 10de and class 0300 or 0302; the bus "
                         "shows none, but the nvidia module is loaded, and this module loads only "
                         "if there is a GPU: the GPU has left the bus since then");
    finding_evidence(finding, facts, "module", "nvidia");
    finding_evidence(finding, facts, "driver_gpu", "count");
}

void judge_gpu_absent_from_pci(struct rule_context *context)
{
    if (!require_bus(context))
        return;
    int64_t count = 0;
    if (facts_integer(context->facts, "pci", "count", &count) && count > 0) {
        const struct requirement *requirement = wants_more(context, count);
        if (requirement)
            short_found(context, requirement, count);
        return;
    }
    const char *node = judged_device_path(context->facts, "/dev/nvidia");
    if (!require_bus_shown(context, node) || !rule_require_fact(context, "pci", "count"))
        return;
    const char *tool = hardware_switched_off(context->facts);
    if (tool) {
        rule_skip(context, "%s has switched the GPU off and removed it from the bus", tool);
        return;
    }
    struct finding *finding =
        rule_found(context, severity_for_use(context->purpose), "no NVIDIA GPU is on the PCI bus");
    finding_follows(context, finding, "container_no_gpu_requested");
    finding_why(finding, "a GPU is a PCI function of vendor 10de and class 0300 or 0302; the bus "
                         "shows none, so no driver can find a GPU");
    finding_evidence(finding, context->facts, "pci", "count");
    finding_evidence(finding, context->facts, "machine", "virtualization");
    if (facts_true(context->facts, "module", "nvidia"))
        tell_departure(context->facts, finding);
    else if (node)
        finding_evidence_text(finding, node, "left over: the nvidia module is not loaded");
    if (!facts_true(context->facts, "module", "nvidia"))
        tell_others(context->facts, finding);
    if (!tell_removing_rule(context->facts, finding))
        add_fixes(context, finding);
}
