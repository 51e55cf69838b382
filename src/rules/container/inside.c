/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rules/container/engine.h"
#include "rules/container/judges.h"
#include "rules/engine/finding.h"
#include "rules/query/judged.h"

/* Containers that got a part of what a GPU needs. */

/* False, and the check is ended, where nothing is to be run, or nobody knows whether this is a
 * container. */
static bool require_place(struct rule_context *context)
{
    if (context->purpose != PURPOSE_BUILD)
        return rule_require_fact(context, "container", "engine");
    rule_skip(context, "a GPU is not needed to build");
    return false;
}

void judge_container_driver_capabilities_missing_compute(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *capabilities = facts_string(facts, "environment", "NVIDIA_DRIVER_CAPABILITIES");
    if (!require_place(context))
        return;
    if (facts_string(facts, "container", "engine") == NULL) {
        rule_skip(context, "not in a container");
        return;
    }
    if (!rule_require_fact(context, "container", "nvidia_libraries") ||
        !facts_true(facts, "container", "nvidia_libraries") || judged_has_driver_library(facts) ||
        (capabilities && (strstr(capabilities, "compute") || strstr(capabilities, "all"))))
        return;
    struct finding *finding =
        rule_found(context, severity_for_use(context->purpose),
                   "this container was given the GPU without the driver capability compute");
    if (capabilities)
        finding_why(finding,
                    "NVIDIA_DRIVER_CAPABILITIES=%s: the runtime mounted the libraries of these "
                    "capabilities; libcuda comes with compute",
                    capabilities);
    else
        finding_why(finding, "NVIDIA_DRIVER_CAPABILITIES is not set, and the runtime then gives "
                             "utility alone, without libcuda");
    finding_evidence(finding, facts, "container", "nvidia_libraries");
    finding_evidence(finding, facts, "environment", "NVIDIA_DRIVER_CAPABILITIES");
    finding_fix_note(
        finding, FIX_HOST,
        "start the container again with: -e NVIDIA_DRIVER_CAPABILITIES=compute,utility "
        "(in a Dockerfile: ENV NVIDIA_DRIVER_CAPABILITIES=compute,utility)");
}

/* The first channel of a list ("0,2") that has no node; NULL: each has one, or it names none.
 * free() it. */
static char *channel_without_node(const struct facts *facts, const char *list)
{
    AUTO_STRLIST struct strlist channels = {0};
    strlist_split(&channels, list, ',');
    for (size_t i = 0; i < channels.count; i++) {
        unsigned long long number;
        if (!string_to_decimal(channels.items[i], UINT32_MAX, &number))
            continue;
        AUTO_FREE char *name = mem_printf("nvidia-caps-imex-channels/channel%llu", number);
        if (judged_node(facts, name) == NULL)
            return mem_printf("channel%llu", number);
    }
    return NULL;
}

void judge_imex_channel_missing(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    int64_t number = 0;
    if (!require_place(context))
        return;
    const char *list = facts_string(facts, "environment", "NVIDIA_IMEX_CHANNELS");
    if (facts_string(facts, "container", "engine") == NULL || list == NULL) {
        rule_skip(context, "no container that was given an IMEX channel");
        return;
    }
    if (!rule_require_fact(context, "container", "imex_major") ||
        !facts_integer(facts, "container", "imex_major", &number))
        return;
    AUTO_FREE char *channel = channel_without_node(facts, list);
    if (channel == NULL)
        return;
    struct finding *finding =
        rule_found(context, severity_for_use(context->purpose),
                   "this container was to have the IMEX %s, and its node does not exist", channel);
    finding_why(finding, "memory of other nodes is shared through "
                         "/dev/nvidia-caps-imex-channels; the driver knows these devices, but "
                         "nobody made the node on the host");
    finding_evidence(finding, facts, "environment", "NVIDIA_IMEX_CHANNELS");
    finding_evidence(finding, facts, "container", "imex_major");
    finding_fix_note(finding, FIX_HOST,
                     "make the channel on the host: the module's parameter "
                     "NVreg_CreateImexChannel0=1, or nvidia-modprobe; then start the container "
                     "again");
}

/* Adds how a guest of LXC gets nodes and libraries. */
static void fix_lxc(struct finding *finding, const char *release)
{
    finding_fix_note(finding, FIX_HOST,
                     "add the nodes to the guest. LXD, Incus: lxc config device add NAME gpu gpu; "
                     "Proxmox: dev0: /dev/nvidia0, dev1: /dev/nvidiactl, dev2: /dev/nvidia-uvm in "
                     "/etc/pve/lxc/ID.conf");
    if (release)
        finding_fix_note(finding, FIX_ADVICE,
                         "install the driver %s in this guest without its kernel module: the .run "
                         "installer with --no-kernel-module, or the packages of its libraries",
                         release);
    finding_fix_note(finding, FIX_HOST,
                     "or let the host's toolkit put both in: LXD, Incus: lxc config set NAME "
                     "nvidia.runtime=true");
}

/* The release of the driver's library in this guest; NULL: there is none. */
static const char *library_release(const struct facts *facts)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "library", &i)) != NULL;)
        if (string_equal(facts_string(facts, group, "name"), "libcuda") &&
            judged_library_of_driver(facts, group) && judged_library_version(facts, group))
            return judged_library_version(facts, group);
    return NULL;
}

void judge_lxc_missing_device_or_libs(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    if (!require_place(context))
        return;
    if (!string_equal(facts_string(facts, "container", "engine"), "lxc")) {
        rule_skip(context, "not in a guest of LXC");
        return;
    }
    const char *module = facts_string(facts, "module", "version");
    const char *library = library_release(facts);
    bool nodes = judged_device_path(facts, "/dev/nvidia") != NULL;
    bool wanted = nodes || library || container_has_toolkit(facts);
    if (!wanted || module == NULL || facts_true(facts, "container", "nvidia_libraries") ||
        (!nodes && !rule_require_fact(context, "device", "count")))
        return;
    if (nodes && judged_has_driver_library(facts) &&
        (library == NULL || string_equal(library, module)))
        return;
    struct finding *finding;
    if (nodes && library)
        finding =
            rule_found(context, severity_for_use(context->purpose),
                       "this LXC guest has the driver's libraries %s, the host's module is %s",
                       library, module);
    else
        finding = rule_found(context, severity_for_use(context->purpose), "this LXC guest lacks %s",
                             nodes     ? "the driver's libraries"
                             : library ? "the GPU's nodes (/dev/nvidia0 and others)"
                                       : "the GPU's nodes (/dev/nvidia0 and others) and the "
                                         "driver's libraries");
    finding_why(finding,
                "a guest of LXC shares the host's kernel module %s: it needs the host's "
                "nodes, and libraries of the same release",
                module);
    finding_evidence(finding, facts, "container", "engine");
    finding_evidence(finding, facts, "module", "version");
    finding_evidence(finding, facts, "device", "count");
    fix_lxc(finding, nodes && library && string_equal(library, module) ? NULL : module);
}
