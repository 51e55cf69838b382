/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/module/judges.h"
#include "rules/module/module.h"

/* uvm_stale_after_suspend: CUDA does not start since the machine woke up. */

#define CUDA_UNKNOWN 999 /* CUDA_ERROR_UNKNOWN (cuda.h) */

/* False, and the check is ended, when another cause explains that number before a suspend does. */
static bool require_unexplained(struct rule_context *context)
{
    static const char *const causes[] = {
        "driver_library_mismatch",
        "libcuda_kmod_version_mismatch",
        "custom_kmod_userspace_mismatch",
        "uvm_module_not_loaded",
        "uvm_device_nodes_missing",
        "dev_nodes_missing_after_boot",
        "device_nodes_permission",
        "forward_compat_unsupported_gpu",
        "cgroup_device_denied",
        "cgroup_lost_after_daemon_reload",
        "selinux_denies_device",
        "gpu_fell_off_bus",
        "gsp_rpc_timeout",
        "gsp_firmware_missing",
    };
    for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
        if (rule_has_found(context, causes[i])) {
            rule_skip(context, "%s explains the error", causes[i]);
            return false;
        }
    return true;
}

/* How often the machine slept since its start, which a container sees too; 0: never, or not known.
 */
static int64_t suspends_of(const struct facts *facts)
{
    int64_t count = 0;
    facts_integer(facts, "boot", "suspends", &count);
    return count;
}

/* The log, which would tell whether nvidia_uvm is older than the last resume, cannot be read. */
static bool log_is_hidden(const struct facts *facts)
{
    const struct fact *count = facts_get(facts, "kernel_log", "count");
    return judged_place(facts) == PLACE_CONTAINER || (count && count->state == FACT_UNKNOWN);
}

static bool require_unknown_error(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    struct judged_answer answer = judged_answer(facts, "libcuda.so.1");
    if (!rule_require_gpu_on_bus(context))
        return false;
    if (!judged_answer_is(&answer, CUDA_UNKNOWN))
        return false;
    if (judged_place(facts) == PLACE_CONTAINER && suspends_of(facts) == 0) {
        rule_skip(context, "the kernel's log belongs to the host");
        return false;
    }
    return rule_require_fact(context, "module", "nvidia_uvm") &&
           facts_true(facts, "module", "nvidia_uvm") && require_unexplained(context);
}

/* The resume that came after the module was loaded; NULL: there was none. */
static const char *resume_since_load(const struct facts *facts, int64_t *ret_seconds)
{
    int64_t loaded;
    const char *resume = module_event(facts, "resume", NULL);
    const char *uvm = module_event(facts, "uvm_loaded", NULL);
    *ret_seconds = -1;
    if (resume == NULL)
        return NULL;
    if (!facts_integer(facts, resume, "last_seconds", ret_seconds))
        *ret_seconds = -1;
    if (uvm && *ret_seconds >= 0 && facts_integer(facts, uvm, "last_seconds", &loaded) &&
        loaded > *ret_seconds)
        return NULL;
    return resume;
}

static bool uses_uvm(const struct facts *facts, const char *process)
{
    const struct strlist *nodes = facts_list(facts, process, "nodes");
    return nodes && strlist_has(nodes, "/dev/nvidia-uvm");
}

/* "ipython (4711), Xorg (900)": those that must end before nvidia_uvm can be taken out. */
static char *holders(const struct facts *facts, int64_t resumed)
{
    AUTO_STRLIST struct strlist list = {0};
    bool any_uvm = false;
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "gpu_process", &i)) != NULL;)
        any_uvm = any_uvm || uses_uvm(facts, group);
    for (size_t i = 0; (group = facts_next(facts, "gpu_process", &i)) != NULL;) {
        int64_t pid, started;
        const char *name = facts_string(facts, group, "name");
        if (name == NULL || !facts_integer(facts, group, "pid", &pid) ||
            (any_uvm && !uses_uvm(facts, group)))
            continue;
        if (resumed >= 0 && facts_integer(facts, group, "started_seconds", &started) &&
            started > resumed)
            continue;
        strlist_take(&list, mem_printf("%s (%lld)", name, (long long)pid));
    }
    return strlist_join(&list, ", ");
}

static void add_prevention(const struct facts *facts, struct finding *finding)
{
    int64_t preserve = 0;
    facts_integer(facts, "driver_parameter", "preserve_video_memory", &preserve);
    if (string_equal(facts_string(facts, "os", "id"), "nixos")) {
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
                         "to prevent this in future: hardware.nvidia.powerManagement.enable = true "
                         "in the system's configuration");
        return;
    }
    const char *initramfs = module_initramfs_command(facts);
    if (preserve != 1)
        finding_fix_command(
            finding, FIX_ALSO | NEEDS_ROOT | THEN_REBOOT,
            "to prevent this in future: keeps the GPU's memory through suspend; then reboot",
            "echo 'options nvidia NVreg_PreserveVideoMemoryAllocations=1 "
            "NVreg_TemporaryFilePath=/var/tmp' | sudo tee -a "
            "/etc/modprobe.d/nvidia-suspend.conf%s%s",
            initramfs ? " && " : "", initramfs ? initramfs : "");
    finding_fix_command(finding, FIX_ALSO | NEEDS_ROOT,
                        "enables the driver units that save and restore the GPU's memory",
                        "sudo systemctl enable nvidia-suspend nvidia-resume nvidia-hibernate");
}

static void stale_fixes(const struct facts *facts, struct finding *finding, int64_t resumed)
{
    int64_t users = 0;
    AUTO_FREE char *names = holders(facts, resumed);
    facts_integer(facts, "module", "uvm_users", &users);
    if (users > 0 && *names)
        finding_fix_note(
            finding, FIX_ADVICE,
            "first stop the programs that have held nvidia_uvm open since before the suspend: %s",
            names);
    finding_fix_command(
        finding, FIX_STEP | NEEDS_ROOT,
        "reloads nvidia_uvm; the desktop can keep running, but stop compute programs first",
        "sudo rmmod nvidia_uvm && sudo modprobe nvidia_uvm");
    finding_fix_command(finding, FIX_REBOOT | NEEDS_ROOT | THEN_REBOOT,
                        "if rmmod says that the module is in use", "sudo reboot");
    add_prevention(facts, finding);
}

/* The log cannot be read, and the machine has slept: the likeliest by far. */
static void slept_found(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    int64_t count = suspends_of(facts);
    struct finding *finding =
        rule_found(context, severity_for_use(context->purpose),
                   "CUDA does not start (error 999), and the machine has been suspended %lld "
                   "time%s since boot: nvidia_uvm did not survive a suspend",
                   (long long)count, count == 1 ? "" : "s");
    finding_subject(finding, "nvidia_uvm");
    finding_why(finding, "the module and its nodes exist, cuInit returns 999, and no other finding "
                         "explains the error; the kernel's log would say whether nvidia_uvm was "
                         "loaded before the last resume, but cannot be read here");
    finding_evidence(finding, facts, "boot", "suspends");
    finding_evidence(finding, facts, "answer/libcuda.so.1", "init");
    if (judged_place(facts) != PLACE_CONTAINER) {
        stale_fixes(facts, finding, -1);
        return;
    }
    finding_fix_note(finding, FIX_HOST | NEEDS_ROOT,
                     "on the host, not in this container: stop all programs that use CUDA, "
                     "including this container, then run sudo rmmod nvidia_uvm && sudo modprobe "
                     "nvidia_uvm (or reboot), and start the container again");
}

void judge_uvm_stale_after_suspend(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    int64_t resumed;
    if (!require_unknown_error(context))
        return;
    const char *resume = resume_since_load(facts, &resumed);
    if (resume == NULL && suspends_of(facts) > 0 && log_is_hidden(facts)) {
        slept_found(context);
        return;
    }
    if (resume == NULL) {
        if (facts_get(facts, "kernel_log", "count"))
            rule_require_fact(context, "kernel_log", "count");
        return;
    }
    struct finding *finding =
        rule_found(context, severity_for_use(context->purpose),
                   "CUDA does not start (error 999) since the machine came back from suspend: "
                   "nvidia_uvm did not survive the suspend");
    finding_subject(finding, "nvidia_uvm");
    finding_why(finding,
                "the kernel's log shows a resume after nvidia_uvm was loaded, and the module and "
                "its nodes exist, but cuInit returns 999; nvidia-smi still works");
    finding_evidence(finding, facts, resume, "message");
    finding_evidence(finding, facts, resume, "last_seconds");
    finding_evidence(finding, facts, "answer/libcuda.so.1", "init");
    finding_evidence(finding, facts, "module", "uvm_users");
    stale_fixes(facts, finding, resumed);
}
