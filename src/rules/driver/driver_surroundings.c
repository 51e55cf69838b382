/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/path.h"
#include "base/shell.h"
#include "rules/driver/driver_answers.h"
#include "rules/engine/finding.h"
#include "rules/module/module.h"
#include "rules/query/confidential.h"
#include "rules/query/judged.h"
#include "rules/query/remaining.h"
#include "rules/query/vm_guest.h"

/* What explains an error of cuInit without being a fault that has a finding of its own. */

#define NOT_READY       802 /* CUDA_ERROR_SYSTEM_NOT_READY of cuda.h */
#define MPS_UNREACHABLE 805 /* CUDA_ERROR_MPS_CONNECTION_FAILED */
#define PIPE_VARIABLE   "CUDA_MPS_PIPE_DIRECTORY"
#define LOG_VARIABLE    "CUDA_MPS_LOG_DIRECTORY"

static void add_hmm_fixes(const struct facts *facts, struct finding *finding)
{
    const char *initramfs = module_initramfs_command(facts);
    if (judged_place(facts) == PLACE_CONTAINER) {
        finding_fix_note(
            finding, FIX_HOST | NEEDS_ROOT | THEN_REBOOT,
            "on the host: set uvm_disable_hmm=1 for nvidia_uvm in /etc/modprobe.d, then "
            "reboot");
        return;
    }
    finding_fix_command(finding, FIX_STEP | NEEDS_ROOT | THEN_REBOOT,
                        "turns off HMM (few programs need it); then reboot",
                        "echo 'options nvidia_uvm uvm_disable_hmm=1' | sudo tee -a "
                        "/etc/modprobe.d/nvidia-uvm.conf%s%s",
                        initramfs ? " && " : "", initramfs ? initramfs : "");
    finding_fix_note(
        finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
        "or keep HMM and add nokaslr to the kernel's command line, which makes attacks "
        "on the kernel easier; then reboot");
}

/* manifests/file.json, "HMM with KASLR": the kernel's log has the line. */
static bool tell_hmm(const struct rule_context *context, struct finding *finding)
{
    const struct facts *facts = context->facts;
    const char *log = module_event(facts, "hmm_failed", NULL);
    if (log == NULL)
        return false;
    finding_why(
        finding,
        "nvidia_uvm found no free address range for HMM (heterogeneous memory management), and "
        "CUDA does not start without such a range; on some kernels, KASLR leaves no free range");
    finding_evidence(finding, facts, log, "message");
    finding_evidence(finding, facts, "driver_parameter", "uvm_disable_hmm");
    add_hmm_fixes(facts, finding);
    return true;
}

/* Nothing in the log, but no cause that needs NVSwitches or a confidential guest can be meant. */
static bool tell_hmm_alone(const struct rule_context *context, struct finding *finding,
                           const struct manifest_error *error, int64_t number)
{
    const struct facts *facts = context->facts;
    int64_t switches = 1;
    bool disabled = true;
    facts_integer(facts, "pci", "nvswitch_count", &switches);
    facts_boolean(facts, "driver_parameter", "uvm_disable_hmm", &disabled);
    if (number != NOT_READY || disabled || switches > 0 || vm_guest_is(facts) ||
        judged_place(facts) != PLACE_MACHINE)
        return false;
    AUTO_FREE char *remaining = remaining_here(facts, error->remaining);
    if (strstr(remaining, "NVSwitch")) /* behind other devices than its own */
        return false;
    finding_why(finding,
                "this machine has no NVSwitches to wait for; no other finding explains the error; "
                "possible causes: %s",
                remaining);
    finding_evidence(finding, facts, "pci", "nvswitch_count");
    finding_evidence(finding, facts, "driver_parameter", "uvm_disable_hmm");
    finding_fix_command(finding, FIX_LOOK | NEEDS_ROOT, "shows whether HMM is the cause",
                        "sudo dmesg | grep -i -e request_free_mem_region -e nvidia-uvm");
    add_hmm_fixes(facts, finding);
    return true;
}

#define ATTESTED                                                                                   \
    "run this command after the GPU's attestation has succeeded; if the attestation fails, fix "   \
    "the attestation first"

static void add_confidential_fixes(struct finding *finding, bool waits)
{
    if (!waits)
        finding_fix_command(finding, FIX_LOOK, "shows whether the GPU is ready",
                            "nvidia-smi conf-compute -grs");
    finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT, ATTESTED,
                        "sudo nvidia-smi conf-compute -srs 1");
    if (waits)
        finding_fix_command(finding, FIX_LOOK, "shows whether the GPU is ready now",
                            "nvidia-smi conf-compute -grs");
}

/* waits: NVML has said that the GPU's state is the cause. */
static void say_confidential(const struct facts *facts, struct finding *finding,
                             const struct manifest_error *error, bool waits)
{
    const char *kind = facts_string(facts, "machine", "confidential");
    finding_evidence(finding, facts, "machine", "confidential");
    finding_evidence(finding, facts, "nvml", "confidential");
    finding_evidence(finding, facts, "nvml", "confidential_ready");
    if (waits) {
        finding_why(finding,
                    "confidential computing is on for the GPU, and NVML says that the GPU is not "
                    "ready: the GPU does not work until it has been attested and set to ready");
        return;
    }
    AUTO_FREE char *remaining = remaining_here(facts, error->remaining);
    finding_why(finding,
                "this is a confidential virtual machine (%s): its GPU does not work until the GPU "
                "has been attested and set to ready (conf-compute); possible causes: %s",
                kind ? kind : "NVML says so", remaining);
    finding_evidence(finding, facts, "pci", "nvswitch_count");
}

static bool tell_confidential(const struct rule_context *context, struct finding *finding,
                              const struct manifest_error *error, int64_t number)
{
    const struct facts *facts = context->facts;
    bool waits = confidential_waits(facts);
    int64_t switches = 0;
    facts_integer(facts, "pci", "nvswitch_count", &switches);
    if (number != NOT_READY || !confidential_is(facts) ||
        facts_true(facts, "nvml", "confidential_ready") || (switches > 0 && !waits))
        return false;
    say_confidential(facts, finding, error, waits);
    add_confidential_fixes(finding, waits);
    return true;
}

/* The daemon's log: the variable's, else beside a pipe directory that is not the usual one. */
static char *mps_log(const struct facts *facts, const char *directory)
{
    const char *given = facts_string(facts, "environment", LOG_VARIABLE);
    if (given)
        return mem_string(given);
    AUTO_FREE char *parent = path_parent(directory);
    return path_has_component(directory, "pipe") ? path_join(parent, "log")
                                                 : mem_string("/var/log/nvidia-mps");
}

static void add_mps_container_fixes(const struct facts *facts, struct finding *finding,
                                    const char *directory)
{
    if (string_equal(facts_string(facts, "container", "engine"), "kubernetes")) {
        finding_fix_note(finding, FIX_HOST,
                         "look at the log of the pod that runs the MPS daemon on this node (device "
                         "plugin: mps-control-daemon), and restart that pod");
        finding_fix_note(
            finding, FIX_ADVICE,
            "a pod that uses the node's MPS daemon needs hostIPC: true and the node's directory %s",
            directory);
        return;
    }
    finding_fix_note(finding, FIX_ADVICE,
                     "start the container with --ipc=host --pid=host, which MPS needs if its "
                     "daemon runs on the host; also mount the host's %s",
                     directory);
}

static void add_mps_fixes(const struct rule_context *context, struct finding *finding,
                          const char *directory)
{
    const struct facts *facts = context->facts;
    bool given = facts_string(facts, "environment", PIPE_VARIABLE) != NULL;
    bool container = judged_place(facts) == PLACE_CONTAINER;
    AUTO_FREE char *log = mps_log(facts, directory);
    AUTO_FREE char *quoted_log = shell_quote(log);
    AUTO_FREE char *quoted = shell_quote(directory);
    if (container)
        add_mps_container_fixes(facts, finding, directory);
    if (given)
        finding_fix_command(finding, FIX_SHELL,
                            "without this variable, the program uses the GPU without MPS",
                            "unset " PIPE_VARIABLE);
    else if (!container)
        finding_fix_command(
            finding, FIX_CHOICE,
            "removes the files of the ended MPS daemon, so programs use the GPU without MPS",
            "rm -r %s", quoted);
    if (!container)
        finding_fix_command(finding, FIX_CHOICE,
                            "starts the MPS daemon, to share the GPU through MPS",
                            PIPE_VARIABLE "=%s nvidia-cuda-mps-control -d", quoted);
    finding_fix_command(finding, FIX_LOOK, "shows why the MPS daemon or its server ended",
                        "tail -n 20 %s/*.log", quoted_log);
}

static bool tell_mps(const struct rule_context *context, struct finding *finding, int64_t number)
{
    const struct facts *facts = context->facts;
    const char *directory = facts_string(facts, "mps", "pipe_directory");
    bool usable = true;
    if (number != MPS_UNREACHABLE || directory == NULL)
        return false;
    bool given = facts_string(facts, "environment", PIPE_VARIABLE) != NULL;
    bool runs = facts_true(facts, "service/mps_control", "running");
    facts_boolean(facts, "mps", "usable", &usable);
    finding_why(
        finding, "the program asks the MPS daemon for the GPU, because %s %s; %s",
        given ? PIPE_VARIABLE " is" : "its pipe is in the usual directory,", directory,
        !usable ? "this user has no access to the daemon's pipe: the daemon belongs to another user"
        : runs  ? "the daemon runs, but does not answer: the daemon does not serve this user, or "
                  "its server has ended"
        : judged_place(facts) == PLACE_CONTAINER
            ? "no MPS daemon is visible here; to use a daemon on the host or in another pod, this "
              "container needs the host's ipc and pid namespaces"
            : "no MPS daemon (nvidia-cuda-mps-control) is running");
    finding_evidence(finding, facts, "mps", "pipe_directory");
    finding_evidence(finding, facts, "mps", "pipe");
    finding_evidence(finding, facts, "mps", "usable");
    finding_evidence(finding, facts, "service/mps_control", "running");
    add_mps_fixes(context, finding, directory);
    return true;
}

bool answers_tell_surroundings(const struct rule_context *context, struct finding *finding,
                               const struct manifest_error *error, int64_t number)
{
    if (tell_hmm(context, finding) || tell_mps(context, finding, number))
        return true;
    return error && error->remaining &&
           (tell_confidential(context, finding, error, number) ||
            tell_hmm_alone(context, finding, error, number));
}
