/* SPDX-License-Identifier: MIT */
#include "rules/container/quadlet.h"

#include <string.h>

#include "rules/container/engine.h"
#include "rules/container/judges.h"
#include "rules/engine/finding.h"
#include "rules/query/judged.h"

/* Quadlets on the host: whether they ask for a GPU as podman gives one. */
#define PODMAN "podman"
#define CDI    "nvidia.com/"

const char *quadlet_of_cdi(const struct facts *facts)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "quadlet", &i)) != NULL;) {
        const struct strlist *devices = facts_list(facts, group, "devices");
        for (size_t k = 0; devices && k < devices->count; k++)
            if (string_starts(devices->items[k], CDI))
                return group;
    }
    return NULL;
}

/* "nvidia.com/gpu=all": whether a specification of that kind is there, and whether one has it. */
static bool kind_is_described(const struct facts *facts, const char *device, bool *ret_has_device)
{
    const char *equals = strchr(device, '=');
    const char *group;
    bool described = false;
    *ret_has_device = false;
    if (equals == NULL)
        return false;
    AUTO_FREE char *kind = mem_string_n(device, (size_t)(equals - device));
    for (size_t i = 0; (group = facts_next(facts, "cdi", &i)) != NULL;) {
        const struct strlist *names = facts_list(facts, group, "devices");
        if (!string_equal(facts_string(facts, group, "kind"), kind) || names == NULL)
            continue;
        described = true;
        *ret_has_device = *ret_has_device || strlist_has(names, equals + 1);
    }
    return described;
}

const char *quadlet_of_unknown_device(const struct facts *facts, const char **ret_device)
{
    const char *group;
    bool has_device;
    for (size_t i = 0; (group = facts_next(facts, "quadlet", &i)) != NULL;) {
        const struct strlist *devices = facts_list(facts, group, "devices");
        for (size_t k = 0; devices && k < devices->count; k++)
            if (kind_is_described(facts, devices->items[k], &has_device) && !has_device) {
                *ret_device = devices->items[k];
                return group;
            }
    }
    return NULL;
}

/* False, and the check is ended, where no Quadlet is here that podman could start. */
static bool require_quadlets(struct rule_context *context)
{
    int64_t count = 0;
    if (!container_require_engine(context) || !rule_require_fact(context, "quadlet", "count"))
        return false;
    if (facts_integer(context->facts, "quadlet", "count", &count) && count > 0)
        return true;
    rule_skip(context, "there are no Quadlets here");
    return false;
}

/* A variable that means a GPU: "NVIDIA_VISIBLE_DEVICES=all". */
static bool wants_gpu(const char *variable)
{
    static const char *const none[] = {"", "void", "none", "-1", "NoDevFiles"};
    const char *value = variable ? strchr(variable, '=') : NULL;
    for (size_t i = 0; value && i < sizeof(none) / sizeof(none[0]); i++)
        if (strcmp(value + 1, none[i]) == 0)
            return false;
    return value != NULL;
}

/* A hook, or a default runtime of NVIDIA's, acts on the variable alone. */
static bool variable_is_enough(const struct facts *facts)
{
    const char *group;
    if (container_first(facts, "container_toolkit", "oci_hooks"))
        return true;
    for (size_t i = 0; (group = facts_next(facts, "container_engine", &i)) != NULL;) {
        const struct strlist *runtimes = facts_list(facts, group, "nvidia_runtimes");
        const char *usual = facts_string(facts, group, "default_runtime");
        if (string_equal(facts_string(facts, group, "name"), PODMAN) && runtimes && usual &&
            strlist_has(runtimes, usual))
            return true;
    }
    return false;
}

void judge_quadlet_no_gpu_requested(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *group;
    if (!require_quadlets(context) ||
        !rule_require_fact(context, "container_toolkit", "oci_hooks") || variable_is_enough(facts))
        return;
    for (size_t i = 0; (group = facts_next(facts, "quadlet", &i)) != NULL;) {
        const char *variable = facts_string(facts, group, "visible_devices");
        if (!rule_require_fact(context, group, "devices"))
            return;
        if (!wants_gpu(variable) || container_first(facts, group, "devices"))
            continue;
        const char *path = facts_string(facts, group, "path");
        struct finding *finding = rule_found(
            context, SEVERITY_FAIL,
            "the Quadlet %s sets %s but adds no GPU, so its container has none", path, variable);
        finding_subject(finding, path);
        finding_why(finding, "podman adds a GPU only as a device (AddDevice=). The variable adds "
                             "none, because podman does not use NVIDIA's runtime or hook here");
        finding_evidence(finding, facts, group, "visible_devices");
        finding_evidence(finding, facts, group, "devices");
        finding_fix_note(finding, FIX_ADVICE,
                         "under [Container] in %s, add the line AddDevice=nvidia.com/gpu=all; then "
                         "run systemctl daemon-reload and restart the unit (both with --user for a "
                         "user's Quadlet)",
                         path);
        return;
    }
}

static bool has_label(const struct facts *facts, const char *type)
{
    const char *node = judged_node(facts, "nvidiactl");
    const char *label = node ? facts_string(facts, node, "label") : NULL;
    return label && strstr(label, type);
}

void judge_quadlet_selinux_denies_device(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *group;
    if (!require_quadlets(context) || !rule_require_fact(context, "security", "selinux"))
        return;
    if (!string_equal(facts_string(facts, "security", "selinux"), "enforcing")) {
        rule_skip(context, "SELinux is not enforcing");
        return;
    }
    if (!rule_require_fact(context, "security", "container_use_devices") ||
        !rule_require_fact(context, "security", "container_use_xserver_devices") ||
        facts_true(facts, "security", "container_use_devices") ||
        facts_true(facts, "security", "container_use_xserver_devices") ||
        facts_get(facts, "security", "container_use_devices")->state != FACT_VALUE ||
        !has_label(facts, ":xserver_misc_device_t"))
        return;
    for (size_t i = 0; (group = facts_next(facts, "quadlet", &i)) != NULL;) {
        bool off = true;
        if (!container_first(facts, group, "devices") ||
            !facts_boolean(facts, group, "label_off", &off) || off)
            continue;
        const char *path = facts_string(facts, group, "path");
        struct finding *finding =
            rule_found(context, SEVERITY_FAIL,
                       "SELinux denies the container of the Quadlet %s access to its GPU", path);
        finding_subject(finding, path);
        finding_why(finding,
                    "containers have the label container_t, which may not open NVIDIA's nodes "
                    "(xserver_misc_device_t); NVML says \"Insufficient Permissions\"");
        finding_evidence(finding, facts, "security", "selinux");
        finding_evidence(finding, facts, "security", "container_use_devices");
        finding_evidence(finding, facts, group, "devices");
        finding_evidence(finding, facts, group, "label_off");
        finding_fix_note(finding, FIX_ADVICE,
                         "under [Container] in %s, add the line SecurityLabelDisable=true, then "
                         "run systemctl daemon-reload and restart the unit; this turns off "
                         "SELinux's separation for this "
                         "container only",
                         path);
        finding_fix_command(
            finding, FIX_CHOICE | NEEDS_ROOT,
            "or allow it for all containers: they can then use every device that they are "
            "given",
            "sudo setsebool -P container_use_devices on");
        return;
    }
}
