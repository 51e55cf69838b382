/* SPDX-License-Identifier: MIT */
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/query/judged.h"
#include "rules/remedy/remedy.h"
#include "rules/system/judges.h"

/* Fabric Manager and the fabric that it brings up: what stands behind cuInit's 802. */

#define SERVICE         "service/fabricmanager"
#define UNIT            "nvidia-fabricmanager"
#define NOT_READY       802 /* CUDA_ERROR_SYSTEM_NOT_READY of cuda.h */
#define VERSION_CAUSE   "fabric_manager_version_mismatch"
#define MANAGER_CAUSE   "fabric_manager_not_running"
#define FABRIC_SHOWS    "nvidia-smi -q | grep -A 3 Fabric"
#define MANAGER_LOG     "sudo tail -n 30 /var/log/fabricmanager.log"
#define MANAGER_RESTART "sudo systemctl restart " UNIT

static struct judged_answer cuda_answer(const struct rule_context *context)
{
    return judged_answer(context->facts, "libcuda.so.1");
}

static int64_t switch_count(const struct facts *facts)
{
    int64_t count = 0;
    facts_integer(facts, "pci", "nvswitch_count", &count);
    return count;
}

/* The GPUs whose fabric has not come up. */
struct fabric {
    const char *first; /* group of the first of them */
    const char *unknown;
    size_t waiting, gpus;
};

static struct fabric fabric_of(const struct facts *facts)
{
    struct fabric fabric = {.first = NULL};
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "nvml", &i)) != NULL;) {
        int64_t status = 0;
        const struct fact *fact = facts_get(facts, group, "fabric_state");
        const char *state = facts_string(facts, group, "fabric_state");
        facts_integer(facts, group, "fabric_status", &status);
        fabric.gpus++;
        if (fact && fact->state == FACT_UNKNOWN && fabric.unknown == NULL)
            fabric.unknown = group;
        if (state == NULL || string_equal(state, "not-supported") ||
            (string_equal(state, "completed") && status == 0))
            continue;
        fabric.first = fabric.first ? fabric.first : group;
        fabric.waiting++;
    }
    return fabric;
}

/* True where Fabric Manager is installed to serve GPUs that wait for their fabric, though no
 * NVSwitch is on the PCI bus: from Blackwell on they are behind InfiniBand devices. In a virtual
 * machine it may be the host's to serve them: its log tells whether it tried. */
static bool manager_is_meant(const struct facts *facts)
{
    const struct strlist *errors = facts_list(facts, "fabric_manager", "log_errors");
    return judged_place(facts) == PLACE_MACHINE && facts_true(facts, SERVICE, "present") &&
           (string_equal(facts_string(facts, "machine", "virtualization"), "none") ||
            (errors && errors->count)) &&
           fabric_of(facts).waiting > 0;
}

/* False, and the check is ended, unless this is a machine that runs its NVSwitches itself. */
static bool require_switches(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    if (!rule_require_gpu_on_bus(context))
        return false;
    if (facts_get(facts, "pci", "nvswitch_count") == NULL) {
        rule_skip(context, "NVSwitches are not in the record");
        return false;
    }
    if (!rule_require_fact(context, "pci", "nvswitch_count"))
        return false;
    if (switch_count(facts) > 0 || manager_is_meant(facts))
        return true;
    rule_skip(context, "no NVSwitch on the PCI bus: no Fabric Manager is needed");
    return false;
}

/* False, and the check is ended, unless cuInit said that the system is not ready. */
static bool require_not_ready(struct rule_context *context)
{
    struct judged_answer answer = cuda_answer(context);
    if (judged_answer_is(&answer, NOT_READY))
        return true;
    if (answer.start == START_UNKNOWN)
        rule_unknown(context, "libcuda.so.1: %s", answer.reason);
    else if (answer.start == START_NOT_ASKED)
        rule_skip(context, "libcuda.so.1 was not asked%s%s", answer.reason ? ": " : "",
                  answer.reason ? answer.reason : "");
    else if (answer.start == START_FAILED)
        rule_skip(context, "cuInit fails with a different error (%lld)", (long long)answer.number);
    return false;
}

/* One package per release: the unit's name is its name, in Ubuntu's own with the branch. */
static void add_install(const struct rule_context *context, struct finding *finding,
                        const char *release)
{
    struct version version = {.count = 0};
    bool known = release && driver_version_parse(release, &version);
    if (!known) {
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                         "install " UNIT " in the driver's release, and start it");
        return;
    }
    const char *tool = remedy_rpm_tool(context->facts);
    if (string_equal(facts_string(context->facts, "os", "id"), "talos")) {
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                         "use the system extensions of one NVIDIA release: the extension with " UNIT
                         " must have the loaded module's release, %s",
                         release);
        return;
    }
    AUTO_FREE char *note = mem_printf("the release must be %s, the same as the loaded module's; "
                                      "then: sudo systemctl enable --now " UNIT,
                                      release);
    switch (remedy_distribution(context->facts)) {
    case DISTRIBUTION_UBUNTU:
    case DISTRIBUTION_DEBIAN:
        finding_fix_command(finding, FIX_STEP | NEEDS_ROOT, note,
                            "sudo apt-get install '" UNIT "-%u=%s*' || sudo apt-get install '" UNIT
                            "=%s*'",
                            version.part[0], release, release);
        return;
    case DISTRIBUTION_RHEL:
        finding_fix_command(finding, FIX_STEP | NEEDS_ROOT, note,
                            "sudo %s install '" UNIT "-%s*' || sudo %s install "
                            "'nvidia-fabric-manager-%s*'",
                            tool, release, tool, release);
        return;
    case DISTRIBUTION_SUSE:
    case DISTRIBUTION_ARCH:
    case DISTRIBUTION_OTHER:
        break;
    }
    finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT, "install " UNIT ": %s", note);
}

/* The release that Fabric Manager is of, when it is not the module's: what runs is told by its log,
 * else by its package. fact_name: which of the two. */
static const char *other_release(const struct facts *facts, const char *driver,
                                 const char **fact_name)
{
    const char *installed = facts_string(facts, "fabric_manager", "version");
    const char *logged = facts_string(facts, "fabric_manager", "log_version");
    *fact_name = "version";
    if (installed && !string_equal(installed, driver))
        return installed;
    *fact_name = "log_version";
    if (logged && !string_equal(logged, driver) && facts_true(facts, SERVICE, "running"))
        return logged;
    return NULL;
}

static void add_hold(const struct facts *facts, struct finding *finding)
{
    AUTO_FREE char *how = NULL;
    switch (remedy_distribution(facts)) {
    case DISTRIBUTION_UBUNTU:
    case DISTRIBUTION_DEBIAN:
        how = mem_string("apt-mark hold");
        break;
    case DISTRIBUTION_RHEL:
        how = mem_printf("%s versionlock", remedy_rpm_tool(facts));
        break;
    case DISTRIBUTION_SUSE:
        how = mem_string("zypper addlock");
        break;
    case DISTRIBUTION_ARCH:
    case DISTRIBUTION_OTHER:
        return;
    }
    finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                     "hold the driver and Fabric Manager packages (%s), so an upgrade never "
                     "changes only one of the two",
                     how);
}

static void mismatch_found(struct rule_context *context, const char *driver, const char *release,
                           const char *fact_name)
{
    const struct facts *facts = context->facts;
    struct judged_answer answer = cuda_answer(context);
    enum severity severity = severity_for_use(context->purpose);
    if (answer.start == START_WORKS)
        severity = SEVERITY_INFO;
    else if (severity == SEVERITY_FAIL && !judged_answer_is(&answer, NOT_READY))
        severity = SEVERITY_WARN;
    const struct fact *fact = facts_get(facts, "fabric_manager", fact_name);
    struct finding *finding = rule_found(
        context, severity, "Fabric Manager is %s (according to %s), but the loaded driver is %s",
        release, fact->source, driver);
    finding_subject(finding, UNIT);
    finding_why(
        finding,
        "the NVSwitches wait for Fabric Manager, which must have exactly the driver's version%s",
        answer.start == START_WORKS ? "; CUDA works now, but may not after the next boot"
                                    : "; CUDA programs then fail with error 802");
    finding_evidence(finding, facts, "fabric_manager", fact_name);
    finding_evidence(finding, facts, "module", "version");
    finding_evidence(finding, facts, "fabric_manager", "log_errors");
    if (answer.group)
        finding_evidence(finding, facts, answer.group, "init");
    if (string_equal(fact_name, "log_version")) {
        finding_fix_command(finding, FIX_STEP | NEEDS_ROOT,
                            "the installed release is right; this command starts Fabric Manager",
                            MANAGER_RESTART);
        return;
    }
    add_install(context, finding, driver);
    add_hold(facts, finding);
}

void judge_fabric_manager_version_mismatch(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *name;
    if (!require_switches(context) || !rule_require_fact(context, "module", "nvidia"))
        return;
    const char *driver = facts_string(facts, "module", "version");
    const struct fact *version = facts_get(facts, "fabric_manager", "version");
    if (driver == NULL) {
        rule_skip(context, "the nvidia module is not loaded");
        return;
    }
    const char *release = other_release(facts, driver, &name);
    if (release)
        mismatch_found(context, driver, release, name);
    else if (judged_place(facts) == PLACE_CONTAINER)
        rule_skip(context, "Fabric Manager runs on the host; a container cannot see it");
    else if (version == NULL)
        rule_skip(context, "Fabric Manager is not in the record");
    else if (version->state == FACT_UNKNOWN || version->state == FACT_SKIPPED)
        rule_require_fact(context, "fabric_manager", "version");
    else if (version->state == FACT_ABSENT)
        rule_skip(context, facts_true(facts, SERVICE, "present")
                               ? "nothing shows Fabric Manager's release"
                               : "Fabric Manager is not installed");
}

static void stopped_found(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    bool present = facts_true(facts, SERVICE, "present");
    bool extension = string_equal(facts_string(facts, "os", "id"), "talos"); /* starts by itself */
    const char *driver = facts_string(facts, "module", "version");
    const struct strlist *errors = facts_list(facts, "fabric_manager", "log_errors");
    const char *error = errors && errors->count ? errors->items[errors->count - 1] : NULL;
    AUTO_FREE char *waiting =
        switch_count(facts) > 0
            ? mem_printf("%lld NVSwitches are on the PCI bus", (long long)switch_count(facts))
            : mem_printf("%zu GPUs wait for their fabric", fabric_of(facts).waiting);
    struct finding *finding = rule_found(
        context, severity_for_use(context->purpose), "%s, and Fabric Manager (nv-fabricmanager) %s",
        waiting, present ? "is installed but does not run" : "is not installed");
    finding_subject(finding, UNIT);
    finding_why(finding,
                "GPUs connected by NVSwitches wait for Fabric Manager: cuInit returns error 802 "
                "(system not ready), and no process with that name is in /proc%s%s%s",
                facts_true(facts, SERVICE, "masked") ? "; its systemd unit is masked" : "",
                error ? "; its log says: " : "", error ? error : "");
    finding_evidence(finding, facts, "fabric_manager", "log_errors");
    finding_evidence(finding, facts, "pci", "nvswitch_count");
    finding_evidence(finding, facts, SERVICE, "running");
    finding_evidence(finding, facts, SERVICE, "present");
    finding_evidence(finding, facts, cuda_answer(context).group, "init");
    if (!present || extension)
        add_install(context, finding, driver);
    else if (facts_true(facts, SERVICE, "masked")) {
        finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT,
                            "Fabric Manager's unit was masked: find out why first",
                            "sudo systemctl unmask " UNIT " && sudo systemctl enable --now " UNIT);
    } else
        finding_fix_command(finding, FIX_STEP | NEEDS_ROOT,
                            "starts Fabric Manager now and at every boot",
                            "sudo systemctl enable --now " UNIT);
    if (present)
        finding_fix_command(finding, FIX_LOOK | NEEDS_ROOT,
                            "if Fabric Manager does not keep running, its log shows why",
                            MANAGER_LOG);
    if (switch_count(facts) == 0)
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                         "on Blackwell and newer boards (HGX B200 and later), Fabric Manager also "
                         "needs the package nvlsm and the modules for the boards' InfiniBand "
                         "devices: sudo modprobe -a mlx5_ib ib_umad");
}

void judge_fabric_manager_not_running(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    if (!require_switches(context) || !require_not_ready(context))
        return;
    if (judged_place(facts) == PLACE_CONTAINER)
        rule_skip(context, "Fabric Manager runs on the host; a container cannot see it");
    else if (rule_has_found(context, VERSION_CAUSE))
        rule_skip(context,
                  "another finding says that Fabric Manager does not run because of its release");
    else if (rule_require_fact(context, SERVICE, "running") &&
             !facts_true(facts, SERVICE, "running"))
        stopped_found(context);
}

static void add_fabric_fixes(const struct rule_context *context, struct finding *finding)
{
    const struct facts *facts = context->facts;
    const char *virtualization = facts_string(facts, "machine", "virtualization");
    bool own = judged_place(facts) == PLACE_MACHINE &&
               (switch_count(facts) > 0 || string_equal(virtualization, "none"));
    finding_fix_command(
        finding, FIX_LOOK,
        "shows the state again: right after boot, the fabric can need a few minutes", FABRIC_SHOWS);
    if (!own) {
        finding_fix_note(finding, FIX_HOST | NEEDS_ROOT,
                         "tell the operator of the host: Fabric Manager (or the subnet manager of "
                         "the NVLinks) runs there, and this %s needs nothing installed",
                         judged_place(facts) == PLACE_CONTAINER ? "container" : "machine");
        return;
    }
    if (switch_count(facts) == 0 && !facts_true(facts, SERVICE, "present")) {
        finding_fix_note(
            finding, FIX_ADVICE | NEEDS_ROOT,
            "in a rack with separate switch machines (NVL72), tell the rack's operator: software "
            "on the switches sets the fabric up, and no Fabric Manager runs here; on a board with "
            "its own switches (HGX), install nvidia-fabricmanager in the driver's release");
        return;
    }
    finding_fix_command(finding, FIX_LOOK | NEEDS_ROOT, "says what it waits for", MANAGER_LOG);
    finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT,
                        "sets up the fabric again; stop GPU programs first", MANAGER_RESTART);
}

static void fabric_found(struct rule_context *context, const struct fabric *fabric)
{
    const struct facts *facts = context->facts;
    int64_t status = 0;
    const char *state = facts_string(facts, fabric->first, "fabric_state");
    AUTO_FREE char *with = facts_integer(facts, fabric->first, "fabric_status", &status) && status
                               ? mem_printf(" with NVML's error %lld", (long long)status)
                               : mem_string("");
    struct finding *finding =
        rule_found(context, severity_for_use(context->purpose),
                   "the fabric of %zu of %zu GPU%s is %s%s, according to NVML", fabric->waiting,
                   fabric->gpus, fabric->gpus == 1 ? "" : "s", state, with);
    finding_subject(finding, facts_string(facts, fabric->first, "bus_id"));
    finding_why(
        finding, "cuInit returns error 802 (system not ready) until the fabric is completed; %s",
        switch_count(facts) == 0
            ? "no NVSwitch is visible here, so another machine sets the fabric up"
        : judged_place(facts) == PLACE_CONTAINER
            ? "Fabric Manager sets the fabric up on the host, which is not visible from here"
            : "Fabric Manager sets the fabric up");
    finding_evidence(finding, facts, fabric->first, "fabric_state");
    finding_evidence(finding, facts, "pci", "nvswitch_count");
    finding_evidence(finding, facts, cuda_answer(context).group, "init");
    if (!finding_follows(context, finding, VERSION_CAUSE) &&
        !finding_follows(context, finding, MANAGER_CAUSE))
        add_fabric_fixes(context, finding);
}

void judge_fabric_not_completed(struct rule_context *context)
{
    if (!rule_require_gpu_on_bus(context) || !require_not_ready(context))
        return;
    struct fabric fabric = fabric_of(context->facts);
    if (fabric.waiting > 0)
        fabric_found(context, &fabric);
    else if (fabric.unknown)
        rule_require_fact(context, fabric.unknown, "fabric_state");
    else if (fabric.gpus == 0)
        rule_skip(context, "NVML lists no GPU");
}
