/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rules/device/judges.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/query/judged.h"
#include "rules/remedy/remedy.h"

/* device_nodes_permission: nodes that are there, and that this user may not use. */

/* The group of what belongs to nobody in this user namespace (/proc/sys/kernel/overflowgid). */
#define GROUP_OF_NOBODY 65534

struct nodes {
    const char *refused; /* group of the first that CUDA cannot do without, or of a GPU */
    const char *unknown; /* of one that may be either */
    bool needed_refused; /* nvidiactl or nvidia-uvm */
    size_t gpus, gpus_refused, refusals;
    size_t withheld; /* refused by the device cgroup, whatever their mode says */
};

/* A record from before errors were kept tells of none. */
static bool is_refusal(const char *error)
{
    return error == NULL || string_equal(error, "EACCES");
}

/* What CUDA opens beside the GPU's own node; on a Jetson the GPU and its memory have others, which
 * its rules of udev give to the group video. */
static bool is_needed(const struct facts *facts, const char *path)
{
    static const char *const tegra[] = {"/dev/nvmap", "/dev/nvhost-gpu", "/dev/nvhost-ctrl-gpu"};
    if (judged_node_is_needed(path))
        return true;
    struct judged_answer cuda = judged_answer(facts, "libcuda.so.1");
    if (judged_place(facts) != PLACE_JETSON || cuda.start == START_WORKS)
        return false;
    for (size_t i = 0; i < sizeof(tegra) / sizeof(tegra[0]); i++)
        if (string_equal(path, tegra[i]))
            return true;
    return false;
}

static void nodes_add(struct nodes *nodes, const struct facts *facts, const char *group)
{
    const char *path = facts_string(facts, group, "path");
    bool usable, needed;
    if (path == NULL)
        return;
    needed = is_needed(facts, path);
    const struct fact *number = facts_get(facts, group, "number");
    if ((!needed && !judged_node_is_gpu(path)) || (number && number->state == FACT_ABSENT))
        return;
    nodes->gpus += !needed;
    if (!facts_boolean(facts, group, "usable", &usable)) {
        if (nodes->unknown == NULL && facts_get(facts, group, "usable"))
            nodes->unknown = group;
        return;
    }
    const char *error = facts_string(facts, group, "error");
    if (usable || !is_refusal(error)) {
        nodes->withheld += string_equal(error, "EPERM");
        return;
    }
    nodes->refusals++;
    nodes->gpus_refused += !needed;
    nodes->needed_refused = nodes->needed_refused || needed;
    nodes->refused = nodes->refused ? nodes->refused : group;
}

static struct nodes nodes_of(const struct facts *facts)
{
    struct nodes nodes = {.refused = NULL};
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "device", &i)) != NULL;)
        nodes_add(&nodes, facts, group);
    return nodes;
}

/* Octal "0660": whether its group may read and write. */
static bool group_may(const char *mode)
{
    size_t length = mode ? strlen(mode) : 0;
    return length >= 3 && mode[length - 2] >= '6' && mode[length - 2] <= '7';
}

/* Whether everybody may read and write. */
static bool everybody_may(const char *mode)
{
    size_t length = mode ? strlen(mode) : 0;
    return length >= 3 && mode[length - 1] >= '6';
}

/* " (video)", by /etc/group; "" when it is none of those that are looked for. free() it. */
static char *group_name(const struct facts *facts, int64_t group)
{
    const struct strlist *groups = facts_list(facts, "os", "device_groups");
    AUTO_FREE char *number = mem_printf("%lld ", (long long)group);
    for (size_t i = 0; groups && i < groups->count; i++)
        if (string_starts(groups->items[i], number))
            return mem_printf(" (%s)", groups->items[i] + strlen(number));
    return mem_string("");
}

/* Jetson Linux gives its nodes to the group video; this one has another group. */
static void add_jetson_fix(const struct facts *facts, struct finding *finding, const char *path)
{
    if (facts_string(facts, "container", "engine"))
        finding_fix_note(
            finding, FIX_HOST | NEEDS_ROOT,
            "on the host, not in this container: create the CDI specification again with a newer "
            "nvidia-ctk, which sets the group of %s; for now, start the container as root",
            path);
    else
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                         "find out which udev rule or service changed the group of %s from video",
                         path);
}

static void add_fixes(const struct rule_context *context, struct finding *finding,
                      const struct nodes *nodes)
{
    const struct facts *facts = context->facts;
    const char *path = facts_string(facts, nodes->refused, "path");
    int64_t group = 0;
    bool joinable = facts_integer(facts, nodes->refused, "group", &group) && group != 0 &&
                    group_may(facts_string(facts, nodes->refused, "mode"));
    if (judged_place(facts) == PLACE_CONTAINER) {
        if (joinable && group == GROUP_OF_NOBODY)
            finding_fix_note(finding, FIX_ADVICE,
                             "the nodes belong to a host group that this container does not know: "
                             "start the container with --group-add keep-groups (rootless Podman), "
                             "as a host user who is in that group");
        else if (joinable)
            finding_fix_note(finding, FIX_ADVICE,
                             "start the container with --group-add %lld (rootless Podman: "
                             "--group-add keep-groups)",
                             (long long)group);
        else {
            finding_fix_note(finding, FIX_HOST | NEEDS_ROOT,
                             "on the host, not in this container: allow other users to use %s",
                             path);
        }
        return;
    }
    if (everybody_may(facts_string(facts, nodes->refused, "mode"))) {
        finding_fix_note(
            finding, FIX_ADVICE | NEEDS_ROOT,
            "the node's mode allows everyone access: check the kernel log for a denial by AppArmor "
            "or SELinux, or check whether a service's unit denies it");
        return;
    }
    AUTO_FREE char *quoted = shell_quote(path);
    if (joinable)
        finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT,
                            "adds you to the nodes' group; then log in again. For a service: put "
                            "the service's user in place of $USER, and restart the service",
                            "sudo usermod -aG \"$(stat -c %%G %s)\" \"$USER\"", quoted);
    if (judged_place(facts) == PLACE_JETSON) { /* its nodes are not the nvidia module's */
        if (!joinable)
            add_jetson_fix(facts, finding, path);
        return;
    }
    finding_fix_command(finding, FIX_STEP | NEEDS_ROOT | THEN_REBOOT,
                        "lets every user use the nodes; then reboot",
                        "echo 'options nvidia NVreg_DeviceFileMode=0666' | sudo tee -a "
                        "/etc/modprobe.d/nvidia-device-mode.conf");
}

static void refused_found(struct rule_context *context, const struct nodes *nodes)
{
    const struct facts *facts = context->facts;
    enum severity severity = severity_for_use(context->purpose);
    if (severity == SEVERITY_FAIL && !nodes->needed_refused && nodes->gpus_refused < nodes->gpus)
        severity = SEVERITY_WARN; /* another GPU works */
    const char *path = facts_string(facts, nodes->refused, "path");
    const char *mode = facts_string(facts, nodes->refused, "mode");
    int64_t owner = -1, group = -1, user = -1;
    facts_integer(facts, nodes->refused, "user", &owner);
    facts_integer(facts, nodes->refused, "group", &group);
    facts_integer(facts, "limits", "user_id", &user);
    AUTO_TEXT struct text who = {0};
    text_append(&who, "this user");
    if (user >= 0)
        text_printf(&who, " (id %lld)", (long long)user);
    AUTO_TEXT struct text rights = {0};
    if (mode)
        text_printf(&rights, "mode %s", mode);
    AUTO_FREE char *name = group_name(facts, group);
    if (mode && owner >= 0 && group >= 0)
        text_printf(&rights, ", owner %lld, group %lld%s", (long long)owner, (long long)group,
                    name);
    struct finding *finding =
        rule_found(context, severity, "%s may not use %s%s%s%s%s", text_string(&who), path,
                   nodes->refusals > 1 ? " and other nodes" : "", mode ? " (" : "",
                   text_string(&rights), mode ? ")" : "");
    finding_subject(finding, path);
    finding_why(finding,
                "a program must be able to read and write %s; otherwise CUDA finds no device",
                judged_place(facts) == PLACE_JETSON
                    ? "/dev/nvmap and the GPU's nodes (/dev/nvhost-gpu, /dev/nvgpu)"
                    : "/dev/nvidiactl, /dev/nvidia-uvm and its GPU's node");
    finding_evidence(finding, facts, nodes->refused, "usable");
    finding_evidence(finding, facts, nodes->refused, "mode");
    finding_evidence(finding, facts, nodes->refused, "group");
    if (*name)
        finding_evidence(finding, facts, "os", "device_groups");
    finding_evidence(finding, facts, "limits", "user_id");
    add_fixes(context, finding, nodes);
}

static bool is_refused_otherwise(const struct rule_context *context)
{
    return rule_has_found(context, "selinux_denies_device") ||
           rule_has_found(context, "cgroup_device_denied") ||
           rule_has_found(context, "cgroup_lost_after_daemon_reload");
}

/* Root of a user namespace is nobody to nodes whose owner the namespace does not have. */
static bool root_is_refused(const struct facts *facts, const struct nodes *nodes)
{
    return nodes->refused && string_equal(facts_string(facts, nodes->refused, "error"), "EACCES") &&
           !everybody_may(facts_string(facts, nodes->refused, "mode"));
}

void judge_device_nodes_permission(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    int64_t user;
    struct nodes nodes = nodes_of(facts);
    if (judged_place(facts) == PLACE_WSL) {
        rule_skip(context, "WSL reaches the GPU through /dev/dxg alone");
        return;
    }
    if (facts_integer(facts, "limits", "user_id", &user) && user == 0 &&
        !root_is_refused(facts, &nodes))
        rule_skip(context, "root may use every node");
    else if (nodes.refused && is_refused_otherwise(context))
        rule_skip(context,
                  "the nodes' mode does not deny access; another finding explains the denial");
    else if (nodes.refused)
        refused_found(context, &nodes);
    else if (nodes.unknown)
        rule_require_fact(context, nodes.unknown, "usable");
    else if (nodes.withheld > 0)
        rule_skip(context, "the device cgroup, not the nodes' mode, denies access here");
    else if (nodes.gpus == 0)
        rule_skip(context, "no GPU device node exists");
}
