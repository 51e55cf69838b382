/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rules/container/engine.h"
#include "rules/container/judges.h"
#include "rules/engine/finding.h"
#include "rules/query/judged.h"

/* A node whose device plugin finds no driver, because its pod was not started by NVIDIA's runtime;
 * and that pod from within. */

/* The engine that the kubelet uses: that of a distribution of Kubernetes, else the one that it was
 * told. NULL: not known. */
static const char *engine_of_kubelet(const struct facts *facts)
{
    static const char *const instances[] = {"k3s", "rke2", "k0s", "microk8s", "crio"};
    if (facts_true(facts, "kubernetes", "docker"))
        return container_engine(facts, "docker");
    for (size_t i = 0; i < sizeof(instances) / sizeof(instances[0]); i++) {
        const char *group = container_engine(facts, instances[i]);
        if (group && container_engine_works(facts, group))
            return group;
    }
    return container_engine(facts, "containerd");
}

/* False, and the check is ended, where the plugin found its GPUs, or that is not to be seen. */
static bool require_failed_plugin(struct rule_context *context, const char **ret_engine)
{
    const struct facts *facts = context->facts;
    if (!container_require_engine(context))
        return false;
    if (!facts_true(facts, "kubernetes", "node")) {
        rule_skip(context, "not a node of Kubernetes");
        return false;
    }
    if (!rule_require_fact(context, "kubernetes", "plugin_error") ||
        !facts_string(facts, "kubernetes", "plugin_error") ||
        container_first(facts, "kubernetes", "registered"))
        return false;
    *ret_engine = engine_of_kubelet(facts);
    return *ret_engine && rule_require_fact(context, *ret_engine, "nvidia_runtimes") &&
           container_first(facts, *ret_engine, "files");
}

static bool default_is_nvidia(const struct facts *facts, const char *engine)
{
    const struct strlist *runtimes = facts_list(facts, engine, "nvidia_runtimes");
    const char *name = facts_string(facts, engine, "default_runtime");
    return name && runtimes && strlist_has(runtimes, name);
}

/* Another engine's configuration that names NVIDIA's runtime; NULL: none does. */
static const char *configured_elsewhere(const struct facts *facts, const char *engine)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "container_engine", &i)) != NULL;)
        if (!string_equal(group, engine) && container_first(facts, group, "nvidia_runtimes") &&
            string_equal(facts_string(facts, group, "name"), "containerd"))
            return facts_string(facts, group, "config");
    if (facts_true(facts, "container_toolkit", "containerd_runtime") &&
        !string_equal(facts_string(facts, engine, "config"), "/etc/containerd/config.toml"))
        return "/etc/containerd/config.toml";
    return NULL;
}

static void show_plugin(struct rule_context *context, struct finding *finding, const char *engine)
{
    finding_evidence(finding, context->facts, "kubernetes", "plugin_error");
    finding_evidence(finding, context->facts, engine, "files");
    finding_evidence(finding, context->facts, engine, "nvidia_runtimes");
    finding_evidence(finding, context->facts, engine, "default_runtime");
}

/* Without Kubernetes: the only engine is a containerd that does not import the file which tells it
 * of NVIDIA's runtime. NULL: it does, or another engine may be the one that is used. */
static const char *containerd_that_was_not_told(const struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *found = NULL;
    const char *group;
    if (context->purpose != PURPOSE_CONTAINER || facts_true(facts, "kubernetes", "node"))
        return NULL;
    for (size_t i = 0; (group = facts_next(facts, "container_engine", &i)) != NULL;) {
        if (!container_engine_works(facts, group))
            continue;
        if (found || !string_equal(facts_string(facts, group, "name"), "containerd"))
            return NULL;
        found = group;
    }
    return found && container_first(facts, found, "unread") &&
                   !container_first(facts, found, "nvidia_runtimes") &&
                   !facts_true(facts, found, "cdi")
               ? found
               : NULL;
}

static void lone_unread_found(struct rule_context *context, const char *engine)
{
    const struct facts *facts = context->facts;
    const char *unread = container_first(facts, engine, "unread");
    const char *config = facts_string(facts, engine, "config");
    struct finding *finding =
        rule_found(context, SEVERITY_FAIL,
                   "NVIDIA's runtime is configured in %s, which containerd does not read", unread);
    finding_subject(finding, unread);
    finding_why(finding, "%s does not import this file, and defines no NVIDIA runtime itself",
                config);
    finding_evidence(finding, facts, engine, "files");
    finding_evidence(finding, facts, engine, "unread");
    finding_evidence(finding, facts, engine, "nvidia_runtimes");
    finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                     "move the file into a directory that the line imports in %s names, or add the "
                     "file to that line; "
                     "then restart containerd",
                     config);
}

void judge_runtime_configured_in_unread_file(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *engine = containerd_that_was_not_told(context);
    if (engine) {
        if (container_require_engine(context))
            lone_unread_found(context, engine);
        return;
    }
    if (!require_failed_plugin(context, &engine) ||
        container_first(facts, engine, "nvidia_runtimes") ||
        container_first(facts, engine, "unread"))
        return;
    const char *config = facts_string(facts, engine, "config");
    const char *other = configured_elsewhere(facts, engine);
    if (other == NULL)
        return;
    struct finding *finding =
        rule_found(context, SEVERITY_FAIL,
                   "NVIDIA's runtime is configured in %s; the kubelet's containerd "
                   "reads %s",
                   other, config);
    finding_why(finding, "two containerds have a configuration here, and the toolkit changed the "
                         "one that the kubelet does "
                         "not use; the device plugin finds no driver");
    show_plugin(context, finding, engine);
    finding_fix_note(finding, FIX_ADVICE,
                     "configure the containerd in use: with the GPU operator, set "
                     "CONTAINERD_CONFIG and CONTAINERD_SOCKET of its toolkit to those of this "
                     "engine (%s); K3s and RKE2 add the runtime by themselves when "
                     "nvidia-container-runtime is installed on the host and they are restarted",
                     config);
}

static void unread_found(struct rule_context *context, const char *engine, const char *unread)
{
    const char *config = facts_string(context->facts, engine, "config");
    struct finding *finding =
        rule_found(context, SEVERITY_FAIL, "%s names NVIDIA's runtime, but %s does not import it",
                   unread, config);
    finding_why(finding,
                "containers are started by the default runtime, %s, so the device plugin "
                "finds no driver",
                facts_string(context->facts, engine, "default_runtime"));
    show_plugin(context, finding, engine);
    finding_evidence(finding, context->facts, engine, "unread");
    finding_fix_note(finding, FIX_ADVICE,
                     "add the directory of %s to \"imports\" in %s, and restart the engine", unread,
                     config);
}

static void pod_found(struct rule_context *context)
{
    struct finding *finding =
        rule_found(context, SEVERITY_FAIL,
                   "this device plugin was not started by NVIDIA's runtime: it has no driver");
    finding_why(finding, "NVIDIA's runtime is not the default of the node's engine, and the pod "
                         "names no runtimeClassName");
    finding_evidence(finding, context->facts, "kubernetes", "plugin_image");
    finding_evidence(finding, context->facts, "container", "nvidia_libraries");
    finding_evidence(finding, context->facts, "environment", "NVIDIA_VISIBLE_DEVICES");
    finding_fix_note(finding, FIX_HOST,
                     "in the pod's spec of the DaemonSet: runtimeClassName: nvidia (and a "
                     "RuntimeClass with the handler nvidia), or make NVIDIA's runtime the default "
                     "on the node: sudo nvidia-ctk runtime configure --set-as-default");
}

/* True in a pod of the plugin that has nothing of the driver. */
static bool in_failed_plugin(const struct facts *facts)
{
    bool libraries = true;
    return string_equal(facts_string(facts, "container", "engine"), "kubernetes") &&
           facts_true(facts, "kubernetes", "plugin_image") &&
           facts_boolean(facts, "container", "nvidia_libraries", &libraries) && !libraries &&
           !judged_device_path(facts, "/dev/nvidia") && !judged_has_driver_library(facts);
}

void judge_container_runtime_not_default(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *engine;
    if (context->purpose != PURPOSE_BUILD && in_failed_plugin(facts)) {
        pod_found(context);
        return;
    }
    if (!require_failed_plugin(context, &engine))
        return;
    const char *unread = container_first(facts, engine, "unread");
    if (!container_first(facts, engine, "nvidia_runtimes")) {
        if (unread)
            unread_found(context, engine, unread);
        return;
    }
    if (default_is_nvidia(facts, engine))
        return;
    const char *name = facts_string(facts, engine, "name");
    bool docker = string_equal(name, "docker");
    struct finding *finding =
        rule_found(context, SEVERITY_FAIL,
                   "NVIDIA's runtime is not the default of %s, so the device plugin "
                   "finds no driver: set %s",
                   name, docker ? "default-runtime" : "runtimeClassName, or make it the default");
    finding_why(finding, "%s has the runtime %s, but pods that do not name it start with %s",
                facts_string(facts, engine, "config"),
                container_first(facts, engine, "nvidia_runtimes"),
                facts_string(facts, engine, "default_runtime")
                    ? facts_string(facts, engine, "default_runtime")
                    : "runc");
    show_plugin(context, finding, engine);
    if (docker) {
        container_configure_docker(finding, NULL, " --set-as-default");
        return;
    }
    finding_fix_note(finding, FIX_ADVICE,
                     "in the spec of the plugin's pods, and of every pod with a GPU: "
                     "runtimeClassName: nvidia; the plugin's Helm chart has the value "
                     "runtimeClassName");
}
