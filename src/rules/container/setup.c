/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rules/container/engine.h"
#include "rules/container/judges.h"
#include "rules/container/quadlet.h"
#include "rules/engine/finding.h"
#include "rules/query/judged.h"

/* NVIDIA's toolkit on the host, and whether the engines here were told of it. */
#define TOOLKIT "container_toolkit"
#define DELAY   5 /* seconds: files are written and daemons started by different clocks */

static void program_missing_found(struct rule_context *context, const char *group,
                                  const char *program, const char *flawed)
{
    const struct facts *facts = context->facts;
    const char *name = facts_string(facts, group, "name");
    struct finding *finding =
        program
            ? rule_found(context, SEVERITY_FAIL,
                         "the configuration of %s names %s, which is not installed", name, program)
            : rule_found(context, SEVERITY_FAIL, "a runtime of %s cannot be started: %s", name,
                         flawed);
    finding_subject(finding, facts_string(facts, group, "config"));
    finding_why(finding, "a container that asks for this runtime does not start; the program is "
                         "part of NVIDIA's container toolkit");
    finding_evidence(finding, facts, group, "nvidia_runtimes");
    finding_evidence(finding, facts, group, program ? "missing_programs" : "flawed_programs");
    container_install_toolkit(context, finding);
}

/* Docker's --gpus needs this one program of the toolkit; a runtime of NVIDIA's and CDI are other
 * ways to a GPU. */
static bool hook_is_gone(struct rule_context *context, const char *docker)
{
    const struct facts *facts = context->facts;
    const struct strlist *programs = facts_list(facts, TOOLKIT, "programs");
    const struct strlist *runtimes = facts_list(facts, docker, "runtimes");
    if (context->purpose != PURPOSE_CONTAINER || programs == NULL || programs->count == 0 ||
        (runtimes && runtimes->count > 0) || facts_true(facts, docker, "cdi") ||
        !container_engine_is_before(context, "docker", "docker-cdi-default"))
        return false;
    for (size_t i = 0; i < programs->count; i++)
        if (string_ends(programs->items[i], "/nvidia-container-runtime-hook"))
            return false;
    return true;
}

static void hook_gone_found(struct rule_context *context, const char *docker)
{
    struct finding *finding =
        rule_found(context, SEVERITY_FAIL,
                   "NVIDIA's container toolkit is installed without nvidia-container-runtime-hook, "
                   "which docker run --gpus needs");
    finding_why(finding, "Docker has neither a runtime of NVIDIA's nor CDI here, so no container "
                         "gets a GPU: \"could not select device driver\"");
    finding_evidence(finding, context->facts, TOOLKIT, "programs");
    finding_evidence(finding, context->facts, docker, "config");
    container_install_toolkit(context, finding);
    container_configure_docker(finding, "then register the runtime with Docker, and restart Docker",
                               "");
}

static bool has_nvidia_cdi(const struct facts *facts)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "cdi", &i)) != NULL;)
        if (container_spec_is_nvidia(facts, group))
            return true;
    return false;
}

/* Programs of NixOS are found by nothing but its configuration. */
static bool is_nixos(const struct facts *facts)
{
    return string_equal(facts_string(facts, "os", "id"), "nixos");
}

void judge_container_toolkit_missing(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *group;
    const char *engine = NULL;
    bool asked = context->purpose == PURPOSE_CONTAINER;
    if (!container_require_engine(context))
        return;
    for (size_t i = 0; (group = facts_next(facts, "container_engine", &i)) != NULL;) {
        const char *program = container_first(facts, group, "missing_programs");
        const char *flawed = container_first(facts, group, "flawed_programs");
        if (!container_engine_works(facts, group))
            continue;
        /* A snap does not use the toolkit of the host: docker_snap_or_desktop speaks of it. */
        if (engine == NULL && !string_equal(group, container_engine(facts, "docker-snap")))
            engine = group;
        if (program || flawed) {
            program_missing_found(context, group, program, flawed);
            return;
        }
        if (string_equal(group, container_engine(facts, "docker")) &&
            hook_is_gone(context, group)) {
            hook_gone_found(context, group);
            return;
        }
    }
    if (!asked && quadlet_of_cdi(facts)) {
        engine = container_engine(facts, "podman"); /* whose container it is */
        asked = true;
    }
    if (!asked || engine == NULL || is_nixos(facts) ||
        !rule_require_fact(context, TOOLKIT, "programs") || container_has_toolkit(facts) ||
        has_nvidia_cdi(facts))
        return;
    const char *name = facts_string(facts, engine, "name");
    struct finding *finding = rule_found(
        context, SEVERITY_FAIL,
        "%s is installed, but NVIDIA's container toolkit is not: no container gets a GPU", name);
    finding_why(finding, "the toolkit (nvidia-container-toolkit) adds the driver's libraries and "
                         "device nodes to containers; the driver alone does not");
    finding_evidence(finding, facts, TOOLKIT, "programs");
    finding_evidence(finding, facts, engine, "config");
    container_install_toolkit(context, finding);
    if (string_equal(name, "docker"))
        container_configure_docker(finding,
                                   "then register the runtime with Docker, and restart Docker", "");
}

void judge_docker_not_restarted_after_toolkit(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    int64_t started = 0;
    int64_t written = 0;
    int64_t toolkit = 0;
    if (!container_require_engine(context))
        return;
    const char *docker = container_engine(facts, "docker");
    if (docker == NULL || !facts_true(facts, docker, "running")) {
        rule_skip(context, "no Docker of the system is running");
        return;
    }
    if (!rule_require_fact(context, docker, "nvidia_runtimes") ||
        !rule_require_fact(context, TOOLKIT, "config_modified"))
        return;
    if (!container_first(facts, docker, "nvidia_runtimes") ||
        !facts_integer(facts, docker, "started", &started) ||
        !facts_integer(facts, docker, "modified", &written) ||
        !facts_integer(facts, TOOLKIT, "config_modified", &toolkit) || written - DELAY <= started ||
        toolkit - DELAY <= started)
        return;
    struct finding *finding =
        rule_found(context, SEVERITY_FAIL,
                   "Docker was started before NVIDIA's toolkit was set up, and must be restarted");
    finding_why(finding, "dockerd looks for the toolkit when it starts; %s was written after that",
                container_first(facts, docker, "files"));
    finding_evidence(finding, facts, docker, "started");
    finding_evidence(finding, facts, docker, "modified");
    finding_evidence(finding, facts, TOOLKIT, "config_modified");
    finding_fix_command(finding, FIX_STEP | NEEDS_ROOT, "running containers are stopped",
                        CONTAINER_RESTART_DOCKER);
}

/* Where root has only some of the host's users: device rules cannot be written there. */
static bool in_user_namespace(const struct facts *facts)
{
    return facts_true(facts, "container", "user_namespace");
}

void judge_toolkit_no_cgroups_with_root_engine(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *group;
    const char *found = NULL;
    if (!container_require_engine(context) || !rule_require_fact(context, TOOLKIT, "no_cgroups") ||
        !facts_true(facts, TOOLKIT, "no_cgroups"))
        return;
    if (!rule_require_fact(context, "container", "user_namespace") || in_user_namespace(facts))
        return;
    for (size_t i = 0; (group = facts_next(facts, "container_engine", &i)) != NULL;) {
        if (!facts_true(facts, group, "running"))
            continue;
        if (facts_true(facts, group, "rootless")) {
            rule_skip(context, "a user's own engine runs, which needs no-cgroups = true");
            return;
        }
        if (found == NULL && container_first(facts, group, "nvidia_runtimes"))
            found = group;
    }
    if (found == NULL)
        return;
    const char *config = facts_string(facts, TOOLKIT, "config");
    struct finding *finding =
        rule_found(context, SEVERITY_FAIL,
                   "no-cgroups = true in %s: containers of %s may not open the GPU's device nodes",
                   config, facts_string(facts, found, "name"));
    finding_why(finding,
                "%s runs as root, so the kernel denies every device that the toolkit does "
                "not allow; with no-cgroups it allows none. NVML says \"Unknown Error\"",
                facts_string(facts, found, "name"));
    finding_evidence(finding, facts, TOOLKIT, "no_cgroups");
    finding_evidence(finding, facts, found, "nvidia_runtimes");
    finding_fix_command(finding, FIX_STEP | NEEDS_ROOT, "then start the containers again",
                        "sudo nvidia-ctk config --set nvidia-container-cli.no-cgroups=false "
                        "--in-place");
}

void judge_toolkit_driver_root_wrong(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    bool has_driver = true;
    if (!container_require_engine(context) || !rule_require_fact(context, TOOLKIT, "root"))
        return;
    const char *root = facts_string(facts, TOOLKIT, "root");
    if (root == NULL || strcmp(root, "/") == 0 || !container_has_toolkit(facts) ||
        !facts_boolean(facts, TOOLKIT, "root_has_driver", &has_driver) || has_driver ||
        !judged_has_driver_library(facts))
        return;
    struct finding *finding =
        rule_found(context, SEVERITY_FAIL,
                   "NVIDIA's container toolkit looks for the driver in %s, where there "
                   "is none; the driver is on the host",
                   root);
    finding_why(finding, "containers with a GPU do not start: \"load library failed: "
                         "libnvidia-ml.so.1\"");
    finding_evidence(finding, facts, TOOLKIT, "root");
    finding_evidence(finding, facts, TOOLKIT, "root_has_driver");
    finding_fix_note(
        finding, FIX_ADVICE,
        "under [nvidia-container-cli] in %s, set: root = \"/\"; with the GPU operator, "
        "install its chart with driver.enabled=false, so that it writes that itself",
        facts_string(facts, TOOLKIT, "config"));
}

void judge_toolkit_ldconfig_missing(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    bool present = true;
    if (!container_require_engine(context) || !rule_require_fact(context, TOOLKIT, "ldconfig"))
        return;
    const char *mode = facts_string(facts, TOOLKIT, "mode");
    if (!container_has_toolkit(facts) || string_equal(mode, "cdi") || string_equal(mode, "csv") ||
        judged_place(facts) == PLACE_JETSON ||
        !facts_boolean(facts, TOOLKIT, "ldconfig_present", &present) || present)
        return;
    const char *config = facts_string(facts, TOOLKIT, "config");
    struct finding *finding =
        rule_found(context, SEVERITY_FAIL, "%s names %s, which does not exist", config,
                   facts_string(facts, TOOLKIT, "ldconfig"));
    finding_follows(context, finding, "toolkit_driver_root_wrong");
    finding_why(finding, "the toolkit runs the host's ldconfig in every container with a GPU; "
                         "without it, such containers do not start (\"ldcache error: open "
                         "failed\"). ldconfig.real is a file of Ubuntu's alone");
    finding_evidence(finding, facts, TOOLKIT, "ldconfig");
    finding_evidence(finding, facts, TOOLKIT, "ldconfig_present");
    finding_fix_command(finding, FIX_STEP | NEEDS_ROOT, NULL,
                        "sudo nvidia-ctk config --set "
                        "nvidia-container-cli.ldconfig=@/sbin/ldconfig --in-place");
}
