/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rules/device/judges.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/query/judged.h"

/* Device nodes that a security module or a device cgroup refuses, whatever their mode says. */

#define GPU_MAJOR "195"

/* What programs meet that open the nodes with one error. */
struct denied {
    const char *first; /* group of the first node that CUDA needs, refused with that error */
    const char *unknown;
    size_t gpus, gpus_refused; /* nodes of GPUs */
    bool needed_refused;       /* nvidiactl or nvidia-uvm */
};

/* Octal "0666": whether everybody may read and write. */
static bool mode_admits(const char *mode)
{
    size_t length = mode ? strlen(mode) : 0;
    return length >= 3 && (mode[length - 1] == '6' || mode[length - 1] == '7');
}

/* The only node of WSL: its number is nobody's business. */
static bool is_wsl_node(const char *path)
{
    return strcmp(path, "/dev/dxg") == 0;
}

static void denied_add(struct denied *denied, const struct facts *facts, const char *group,
                       const char *error)
{
    const char *path = facts_string(facts, group, "path");
    bool usable;
    if (path == NULL)
        return;
    bool numbered = facts_string(facts, group, "number") != NULL;
    bool needed = is_wsl_node(path) || (numbered && judged_node_is_needed(path));
    if (!needed && !(numbered && judged_node_is_gpu(path)))
        return;
    denied->gpus += judged_node_is_gpu(path);
    if (!facts_boolean(facts, group, "usable", &usable)) {
        if (denied->unknown == NULL && facts_get(facts, group, "usable"))
            denied->unknown = group;
        return;
    }
    if (usable || !string_equal(facts_string(facts, group, "error"), error))
        return;
    if (string_equal(error, "EACCES") && !mode_admits(facts_string(facts, group, "mode")))
        return;
    denied->gpus_refused += judged_node_is_gpu(path);
    denied->needed_refused = denied->needed_refused || needed;
    denied->first = denied->first ? denied->first : group;
}

/* Some GPUs of several may be another container's or job's: that is healthy. */
static bool require_denied(struct rule_context *context, const char *error, struct denied *denied)
{
    const struct facts *facts = context->facts;
    const char *group;
    bool any = false;
    *denied = (struct denied){.first = NULL};
    for (size_t i = 0; (group = facts_next(facts, "device", &i)) != NULL; any = true)
        denied_add(denied, facts, group, error);
    if (denied->first && (denied->needed_refused || denied->gpus_refused == denied->gpus))
        return true;
    if (denied->first)
        rule_skip(context, "%zu of %zu GPUs are usable here", denied->gpus - denied->gpus_refused,
                  denied->gpus);
    else if (denied->unknown)
        rule_require_fact(context, denied->unknown, "usable");
    else if (!any)
        rule_skip(context, "no device node exists");
    return false;
}

/* "/dev/nvidiactl and other nodes": free() it. */
static char *nodes_words(const struct facts *facts, const struct denied *denied)
{
    size_t refused = denied->gpus_refused + denied->needed_refused;
    return mem_printf("%s%s", facts_string(facts, denied->first, "path"),
                      refused > 1 ? " and other nodes" : "");
}

static void add_evidence(const struct rule_context *context, struct finding *finding,
                         const struct denied *denied)
{
    finding_subject(finding, facts_string(context->facts, denied->first, "path"));
    finding_evidence(finding, context->facts, denied->first, "error");
    finding_evidence(finding, context->facts, denied->first, "mode");
}

/* "system_u:system_r:container_t:s0": its type is a container's. */
static bool label_is_container(const char *label)
{
    return label && (strstr(label, ":container_t:") || strstr(label, ":svirt_lxc_net_t:"));
}

static void selinux_found(struct rule_context *context, const struct denied *denied)
{
    const struct facts *facts = context->facts;
    const char *label = facts_string(facts, "security", "label");
    const char *mode = facts_string(facts, denied->first, "mode");
    const char *engine = facts_string(facts, "container", "engine");
    AUTO_FREE char *nodes = nodes_words(facts, denied);
    struct finding *finding =
        rule_found(context, severity_for_use(context->purpose),
                   "SELinux denies this container access to %s (EACCES, mode %s; label %s)", nodes,
                   mode, label);
    finding_why(finding,
                "the file mode allows everyone access, so something else denies access; SELinux "
                "%s, and this process's label may not use host devices",
                facts_string(facts, "security", "selinux")
                    ? "is enforcing"
                    : "is on (whether it is enforcing is not visible here)");
    add_evidence(context, finding, denied);
    finding_evidence(finding, facts, "security", "selinux");
    finding_evidence(finding, facts, "security", "label");
    if (string_equal(engine, "kubernetes"))
        finding_fix_note(finding, FIX_ADVICE,
                         "in the pod, set securityContext.seLinuxOptions to a type that may use "
                         "devices (outside Kubernetes: --security-opt label=disable)");
    else
        finding_fix_note(finding, FIX_ADVICE,
                         "start the container with --security-opt label=disable (Docker and "
                         "Podman), which turns SELinux off for this container only");
    finding_fix_note(finding, FIX_HOST | NEEDS_ROOT,
                     "or on the host, for all containers: sudo setsebool -P container_use_devices "
                     "on");
}

void judge_selinux_denies_device(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const struct fact *selinux = facts_get(facts, "security", "selinux");
    struct denied denied;
    if (!require_denied(context, "EACCES", &denied))
        return;
    if (selinux == NULL)
        rule_skip(context, "SELinux is not in the record");
    else if (selinux->state == FACT_ABSENT)
        rule_skip(context, "SELinux is off");
    else if (selinux->state == FACT_VALUE && !string_equal(selinux->string, "enforcing"))
        rule_skip(context, "SELinux is not enforcing");
    else if (label_is_container(facts_string(facts, "security", "label")))
        selinux_found(context, &denied);
    else if (rule_require_fact(context, "security", "label"))
        rule_skip(context, "the label of this process is not a container's");
}

/* The first rule for the GPUs' major alone, as cgroup version 1 shows it; NULL: none. */
static const char *major_rule(const struct facts *facts)
{
    const struct fact *rules = facts_get(facts, "cgroup", "device_rules");
    for (size_t i = 0; rules && rules->state == FACT_VALUE && i < rules->list.count; i++)
        if (string_starts(rules->list.items[i], "c " GPU_MAJOR ":"))
            return rules->list.items[i];
    return NULL;
}

static bool rule_opens(const char *rule)
{
    const char *access = strrchr(rule, ' ');
    return access && (strchr(access, 'r') || strchr(access, 'w'));
}

/* A scope that a container runtime had systemd make, not one of a login. */
static bool is_engine_scope(const char *path)
{
    const char *name = path ? strrchr(path, '/') : NULL;
    size_t length = name ? strlen(name) : 0;
    return length > 6 && string_equal(name + length - 6, ".scope") &&
           !string_starts(name, "/session-") && !string_starts(name, "/init.scope");
}

/* The runtime's hook put driver and nodes in after the engine had written the cgroup's rules, of
 * which the engine therefore knows nothing. LXC writes the rules itself. */
static bool was_given_gpu(const struct facts *facts)
{
    return facts_true(facts, "container", "nvidia_libraries") &&
           !string_equal(facts_string(facts, "container", "engine"), "lxc");
}

/* What shows that systemd took the rules away: a clause for free(); NULL when nothing does. */
static char *reload_words(const struct facts *facts)
{
    int64_t version = 0;
    const char *path = facts_string(facts, "cgroup", "path");
    const char *rule = major_rule(facts);
    facts_integer(facts, "cgroup", "version", &version);
    if (version == 1 && rule && !rule_opens(rule))
        return mem_printf("of the rules for major number " GPU_MAJOR ", only \"%s\" is left", rule);
    if (version != 2 || judged_place(facts) != PLACE_CONTAINER)
        return NULL;
    if (is_engine_scope(path))
        return mem_printf("the container's cgroup is a systemd scope: %s", path);
    if (was_given_gpu(facts) && string_equal(path, "/"))
        return mem_string("the container runtime gave the GPU to this container (its driver "
                          "libraries are mounted), so the rules must have been lost later");
    return NULL;
}

static void reload_found(struct rule_context *context, const struct denied *denied,
                         const char *words)
{
    const struct facts *facts = context->facts;
    AUTO_FREE char *nodes = nodes_words(facts, denied);
    struct finding *finding = rule_found(context, severity_for_use(context->purpose),
                                         "the device cgroup denies access to %s (EPERM), which can "
                                         "happen after systemctl daemon-reload: %s",
                                         nodes, words);
    finding_why(
        finding,
        "when systemd reloads its units, it rewrites the device rules of its cgroups and drops the "
        "GPU that the container runtime added%s",
        was_given_gpu(facts)
            ? ""
            : "; if the GPU never worked in this container, the container was not given a GPU");
    add_evidence(context, finding, denied);
    finding_evidence(finding, facts, "cgroup", "path");
    finding_evidence(finding, facts, "cgroup", "device_rules");
    finding_evidence(finding, facts, "container", "nvidia_libraries");
    finding_fix_note(finding, FIX_ADVICE,
                     "start the container (or pod) again: the new container gets the GPU back");
    finding_fix_note(
        finding, FIX_HOST | NEEDS_ROOT,
        "on the host, to prevent this in future: sudo nvidia-ctk system create-dev-char-symlinks "
        "--create-all (at every boot), or pass GPUs through CDI");
    if (string_equal(facts_string(facts, "container", "engine"), "docker"))
        finding_fix_note(finding, FIX_HOST | NEEDS_ROOT,
                         "on the host: let Docker manage its cgroups itself: \"exec-opts\": "
                         "[\"native.cgroupdriver=cgroupfs\"] in /etc/docker/daemon.json");
}

void judge_cgroup_lost_after_daemon_reload(struct rule_context *context)
{
    struct denied denied;
    if (!require_denied(context, "EPERM", &denied))
        return;
    AUTO_FREE char *words = reload_words(context->facts);
    if (words)
        reload_found(context, &denied, words);
    else
        rule_skip(context, "nothing shows that systemd wrote the cgroup's rules");
}

/* What is known of the rules: a clause. */
static const char *rules_words(const struct facts *facts)
{
    int64_t version = 0;
    if (judged_place(facts) == PLACE_WSL)
        return "no rule allows this container to use WSL's GPU";
    facts_integer(facts, "cgroup", "version", &version);
    const struct fact *rules = facts_get(facts, "cgroup", "device_rules");
    if (version == 1 && rules && rules->state == FACT_VALUE)
        return facts_true(facts, "cgroup", "allows_gpu")
                   ? "the rules allow access to major number " GPU_MAJOR
                     ", but not to everything that CUDA needs"
                   : "none of the rules allows access to major number " GPU_MAJOR;
    return was_given_gpu(facts)
               ? "the rules cannot be read; the container runtime gave the GPU to this container "
                 "(its driver libraries are mounted), so something removed the GPU's rules, such "
                 "as a systemctl daemon-reload on the host"
               : "the rules cannot be read: a systemctl daemon-reload on the host may have removed "
                 "them, or the GPU was never granted";
}

/* LXC's configuration names device numbers, and that of nvidia-uvm changes. */
static void add_lxc_fix(const struct facts *facts, const struct denied *denied,
                        struct finding *finding)
{
    const char *number = facts_string(facts, denied->first, "number");
    size_t length = number ? strcspn(number, ":") : 0;
    int64_t version = 2;
    facts_integer(facts, "cgroup", "version", &version);
    finding_fix_note(finding, FIX_HOST | NEEDS_ROOT,
                     "on the host, in the container's configuration: lxc.cgroup%s.devices.allow: c "
                     "%.*s:* rwm (ls -l /dev/nvidia* there shows the numbers; the number of "
                     "nvidia-uvm may change at each boot), then start the container again",
                     version == 1 ? "" : "2", length ? (int)length : 3,
                     length ? number : GPU_MAJOR);
}

static void add_cgroup_fixes(const struct rule_context *context, const struct denied *denied,
                             struct finding *finding)
{
    const struct facts *facts = context->facts;
    const char *engine = facts_string(facts, "container", "engine");
    if (engine == NULL && judged_place(facts) == PLACE_WSL) {
        finding_fix_note(finding, FIX_ADVICE,
                         "in a service, set DeviceAllow=/dev/dxg rw in its unit");
        return;
    }
    if (engine == NULL) {
        finding_fix_note(finding, FIX_ADVICE,
                         "in a scheduler job, request a GPU (Slurm: --gres=gpu:1); in a service, "
                         "set DeviceAllow=char-nvidia rw, char-nvidia-frontend rw and "
                         "char-nvidia-uvm rw in its unit");
        return;
    }
    if (string_equal(engine, "lxc")) {
        add_lxc_fix(facts, denied, finding);
        return;
    }
    finding_fix_note(finding, FIX_ADVICE,
                     "start the container again and let the container runtime provide the GPU: %s",
                     string_equal(engine, "kubernetes")
                         ? "an nvidia.com/gpu limit in the pod, not a /dev mount"
                         : "docker run --gpus all, not a /dev mount");
    finding_fix_note(finding, FIX_HOST | NEEDS_ROOT,
                     "on the host, if the GPU worked and then stopped: find what rewrote the rules "
                     "(kubelet's CPU manager, systemctl daemon-reload), and set no-cgroups = false "
                     "in /etc/nvidia-container-runtime/config.toml");
}

void judge_cgroup_device_denied(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    struct denied denied;
    if (!require_denied(context, "EPERM", &denied))
        return;
    if (rule_has_found(context, "cgroup_lost_after_daemon_reload")) {
        rule_skip(context, "a systemd reload removed the device rules");
        return;
    }
    AUTO_FREE char *nodes = nodes_words(facts, &denied);
    struct finding *finding =
        rule_found(context, severity_for_use(context->purpose),
                   "the device cgroup denies access to %s (EPERM): %s", nodes, rules_words(facts));
    finding_why(finding, "file modes and security modules fail with EACCES; only device cgroup "
                         "rules fail with EPERM, even for root");
    add_evidence(context, finding, &denied);
    finding_evidence(finding, facts, "cgroup", "version");
    finding_evidence(finding, facts, "cgroup", "path");
    finding_evidence(finding, facts, "cgroup", "device_rules");
    add_cgroup_fixes(context, &denied, finding);
}
