/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rules/container/engine.h"
#include "rules/container/judges.h"
#include "rules/engine/finding.h"
#include "rules/query/judged.h"

/* The configuration of LXC's guests, as their host has it. */
#define KIND "lxc_guest"
#define DEV  "/dev/"

/* False, and the check is ended, where no guest has a configuration, or no driver runs. */
static bool require_guest(struct rule_context *context)
{
    bool loaded = true;
    if (!container_require_some(context, KIND, "no guest of LXC is configured here"))
        return false;
    if (!facts_boolean(context->facts, "module", "nvidia", &loaded) || loaded)
        return true;
    rule_skip(context, "the nvidia module is not loaded");
    return false;
}

/* Without one of these no program of a guest has a GPU. */
static bool is_needed(const char *path)
{
    return judged_node_is_gpu(path) || judged_node_is_needed(path);
}

/* The node of the host behind the path; NULL: it does not exist. */
static const char *number_of(const struct facts *facts, const char *path)
{
    const char *node = string_starts(path, DEV) ? judged_node(facts, path + sizeof(DEV) - 1) : NULL;
    return node ? facts_string(facts, node, "number") : NULL;
}

/* "195:0" is within "195:0", "195:*" and "*:*". */
static bool is_within(const char *number, const char *pattern)
{
    size_t major = strcspn(number, ":");
    size_t length = strcspn(pattern, ":");
    const char *minor = pattern + length + (pattern[length] == ':');
    bool of_major = strncmp(pattern, "*", length) == 0 ||
                    (length == major && strncmp(number, pattern, major) == 0);
    return of_major && (strcmp(minor, "*") == 0 || *minor == '\0' ||
                        strcmp(minor, number + major + (number[major] == ':')) == 0);
}

static bool is_allowed(const struct facts *facts, const char *group, const char *path,
                       const char *number)
{
    const struct strlist *allowed = facts_list(facts, group, "allowed");
    bool restricted = false;
    if (!facts_boolean(facts, group, "restricted", &restricted) || !restricted || allowed == NULL)
        return true;
    for (size_t i = 0; i < allowed->count; i++)
        if (string_equal(allowed->items[i], path) || is_within(number, allowed->items[i]))
            return true;
    return false;
}

/* What is wrong with a node that the guest is to have. */
static bool does_not_fit(const struct facts *facts, const char *group, const char *path)
{
    const struct strlist *optional = facts_list(facts, group, "optional");
    const char *number = number_of(facts, path);
    if (number)
        return is_needed(path) && !is_allowed(facts, group, path, number);
    return is_needed(path) || !(optional && strlist_has(optional, path));
}

/* The guest's file, for people. */
static const char *file_of(const struct facts *facts, const char *group)
{
    const char *path = facts_string(facts, group, "config");
    return path ? path : "its configuration";
}

static void denied_found(struct rule_context *context, const char *group, const char *path,
                         const char *number)
{
    const struct facts *facts = context->facts;
    const char *rules = facts_string(facts, group, "rules");
    const char *config = facts_string(facts, group, "config");
    const char *name = group + sizeof(KIND "/") - 1;
    struct finding *finding =
        rule_found(context, SEVERITY_FAIL,
                   "the LXC guest %s mounts %s but is not allowed to open it", name, path);
    finding_subject(finding, file_of(facts, group));
    finding_why(finding,
                "the node has the number %s, and no line %sallow in the guest's configuration "
                "allows that number. The number of nvidia-uvm can change at each boot",
                number, rules ? rules : "");
    finding_evidence(finding, facts, group, "allowed");
    if (rules && config)
        finding_fix_note(finding, FIX_ADVICE,
                         "add to %s: %sallow%s c %.*s:* rwm, then restart the guest", config, rules,
                         string_starts(config, "/etc/pve/") ? ":" : " =", (int)strcspn(number, ":"),
                         number);
    finding_fix_note(finding, FIX_ADVICE,
                     "or, on Proxmox 8.2 and newer, replace the lines for this node with dev0: %s, "
                     "which needs no number",
                     path);
}

static void missing_found(struct rule_context *context, const char *group, const char *path)
{
    const struct facts *facts = context->facts;
    const struct strlist *optional = facts_list(facts, group, "optional");
    const char *name = group + sizeof(KIND "/") - 1;
    struct finding *finding = rule_found(
        context, SEVERITY_FAIL, "the LXC guest %s mounts %s, which does not exist", name, path);
    finding_subject(finding, file_of(facts, group));
    if (optional && strlist_has(optional, path))
        finding_why(finding, "the mount is optional: the guest starts without the node, and its "
                             "programs find no GPU");
    else
        finding_why(finding, "the guest does not start until the node exists; the driver creates "
                             "some nodes only when a program first needs them");
    finding_evidence(finding, facts, group, "nodes");
    finding_fix_command(finding, FIX_STEP | NEEDS_ROOT, "creates the nodes; then restart the guest",
                        "sudo nvidia-modprobe -c 0 -u");
    finding_fix_note(
        finding, FIX_ADVICE,
        "at each boot, start nvidia-persistenced, or a unit that runs this command, before the "
        "guests; remove nodes that this machine never has from %s",
        file_of(facts, group));
}

void judge_lxc_guest_config_misfit(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *group;
    if (!require_guest(context) || !rule_require_fact(context, "device", "count"))
        return;
    for (size_t i = 0; (group = facts_next(facts, KIND, &i)) != NULL;) {
        const struct strlist *nodes = facts_list(facts, group, "nodes");
        for (size_t k = 0; nodes && k < nodes->count; k++) {
            const char *path = nodes->items[k];
            const char *number = number_of(facts, path);
            if (!does_not_fit(facts, group, path))
                continue;
            if (number)
                denied_found(context, group, path, number);
            else
                missing_found(context, group, path);
            return;
        }
    }
}
