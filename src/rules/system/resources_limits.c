/* SPDX-License-Identifier: MIT */
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/threshold.h"
#include "rules/query/gpu_nvml.h"
#include "rules/system/judges.h"
#include "rules/system/resources.h"

/* shm_too_small, memlock_too_low: limits that a container or a login sets. */

/* A Python framework that hands data over in shared memory, else a CUDA runtime that came with
 * one; NULL: none. ret_name: the fact that says where. */
static const char *framework_library(const struct facts *facts, const char **ret_name)
{
    static const char *const names[] = {"pytorch", "paddlepaddle", "mxnet", "vllm"};
    const char *group;
    *ret_name = "environment";
    for (size_t i = 0; (group = facts_next(facts, "framework", &i)) != NULL;)
        for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
            if (string_equal(facts_string(facts, group, "name"), names[k]) &&
                facts_string(facts, group, *ret_name))
                return group;
    *ret_name = "path";
    for (size_t i = 0; (group = facts_next(facts, "library", &i)) != NULL;)
        if (string_equal(facts_string(facts, group, "family"), "cudart") &&
            (judged_library_has_origin(facts, group, "wheel") ||
             judged_library_has_origin(facts, group, "conda")))
            return group;
    return NULL;
}

static void shm_fixes(const struct facts *facts, struct finding *finding)
{
    if (string_equal(facts_string(facts, "container", "engine"), "kubernetes"))
        finding_fix_note(
            finding, FIX_ADVICE,
            "give the pod an emptyDir volume with medium: Memory, mounted at /dev/shm");
    else
        finding_fix_note(finding, FIX_ADVICE,
                         "start the container with --shm-size=8g, or with --ipc=host; in a compose "
                         "file shm_size: 8gb");
    finding_fix_note(finding, FIX_ADVICE | FOR_NOW,
                     "for now: let the main process load the data: num_workers=0");
}

void judge_shm_too_small(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    int64_t bytes = 0, given = threshold_bytes(context, "container-shm");
    const char *name;
    const char *library = framework_library(facts, &name);
    if (judged_place(facts) != PLACE_CONTAINER) {
        rule_skip(context, "only containers get a small /dev/shm");
        return;
    }
    if (library == NULL) {
        rule_skip(context, "no framework that uses shared memory was found");
        return;
    }
    if (!rule_require_fact(context, "disk", "shm_bytes") ||
        !facts_integer(facts, "disk", "shm_bytes", &bytes) || bytes > given)
        return;
    AUTO_FREE char *size = nvml_bytes(bytes);
    struct finding *finding = rule_found(context, nvml_severity_of_warning(context),
                                         "this container's /dev/shm has %s, and a framework that "
                                         "uses shared memory is installed: %s",
                                         size, facts_string(facts, library, name));
    finding_subject(finding, "/dev/shm");
    finding_why(finding, "data loader processes and NCCL exchange data through /dev/shm; when "
                         "/dev/shm is full, these processes die with a bus error");
    finding_evidence(finding, facts, "disk", "shm_bytes");
    finding_evidence(finding, facts, library, "package");
    finding_evidence(finding, facts, library, name);
    finding_manifest(finding, "threshold/container-shm");
    shm_fixes(facts, finding);
}

static bool has_rdma_node(const struct facts *facts)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "device", &i)) != NULL;) {
        const char *path = facts_string(facts, group, "path");
        if (path && string_starts(path, "/dev/infiniband/uverbs"))
            return true;
    }
    return false;
}

/* False, and the check is ended, when nothing here locks memory for an RDMA card, or no limit
 * holds. */
static bool require_locked_memory(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    int64_t user = -1;
    bool container = judged_place(facts) == PLACE_CONTAINER;
    facts_integer(facts, "limits", "user_id", &user);
    if (!facts_true(facts, "machine", "infiniband"))
        rule_skip(context, "no RDMA card is here");
    else if (container && !has_rdma_node(facts))
        rule_skip(context, "the RDMA card was not passed to this container");
    else if (user == 0 && !container)
        rule_skip(context, "root may lock any amount of memory");
    else if (facts_true(facts, "security", "ipc_lock"))
        rule_skip(context, "this process may lock any amount of memory (CAP_IPC_LOCK)");
    else
        return true;
    return false;
}

/* A pod has no option for limits: it inherits its runtime's. The capability counts only where it is
 * effective, which it is for root alone. */
static void container_fixes(const struct facts *facts, struct finding *finding)
{
    int64_t user = -1;
    facts_integer(facts, "limits", "user_id", &user);
    if (string_equal(facts_string(facts, "container", "engine"), "kubernetes")) {
        finding_fix_note(finding, FIX_HOST | NEEDS_ROOT,
                         "on the node: set LimitMEMLOCK=infinity, which pods inherit, in the unit "
                         "of the container runtime (containerd or crio); then restart the runtime "
                         "and create the pod again");
        if (user == 0)
            finding_fix_note(finding, FIX_ADVICE,
                             "or give the container the capability IPC_LOCK (securityContext)");
        return;
    }
    finding_fix_note(finding, FIX_ADVICE, "start the container with --ulimit memlock=-1:-1%s",
                     user == 0 ? " (or --cap-add=IPC_LOCK)" : "");
}

void judge_memlock_too_low(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    int64_t bytes = 0, low = threshold_bytes(context, "memlock");
    if (!require_locked_memory(context) || !rule_require_fact(context, "limits", "memlock_bytes") ||
        !facts_integer(facts, "limits", "memlock_bytes", &bytes) || bytes >= low)
        return;
    AUTO_FREE char *size = nvml_bytes(bytes);
    struct finding *finding = rule_found(
        context, nvml_severity_of_warning(context),
        "programs here may lock no more than %s of memory (memlock), and there is an RDMA card",
        size);
    finding_subject(finding, "memlock");
    finding_why(finding, "RDMA locks its buffers in memory; with such a low limit, NCCL and MPI "
                         "fail with \"Cannot allocate memory\" or do not use the card");
    finding_evidence(finding, facts, "limits", "memlock_bytes");
    finding_evidence(finding, facts, "limits", "memlock_hard_bytes");
    finding_evidence(finding, facts, "machine", "infiniband");
    finding_manifest(finding, "threshold/memlock");
    if (judged_place(facts) == PLACE_CONTAINER) {
        container_fixes(facts, finding);
        return;
    }
    finding_fix_command(finding, FIX_STEP | NEEDS_ROOT,
                        "adds the lines of a limits.conf; then log in again",
                        "printf '* soft memlock unlimited\\n* hard memlock unlimited\\n' | sudo "
                        "tee -a /etc/security/limits.d/memlock.conf");
    finding_fix_note(
        finding, FIX_ADVICE | NEEDS_ROOT,
        "for services and for Slurm's slurmd: set LimitMEMLOCK=infinity in their systemd units");
}
