/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/version.h"
#include "rules/container/engine.h"
#include "rules/container/judges.h"
#include "rules/engine/finding.h"
#include "rules/engine/threshold.h"
#include "rules/query/judged.h"
#include "rules/query/packages.h"

/* Which Docker answers here: the system's, a snap, Docker Desktop, a user's own. */
#define TOOLKIT "container_toolkit"
#define SNAP    "docker-snap"
#define DESKTOP "docker-desktop"
#define SOCKET  "/.docker/desktop/"

/* Without a wish for a GPU nothing is wrong: --for container, or the toolkit on the host. */
static bool is_wanted(const struct rule_context *context)
{
    return context->purpose == PURPOSE_CONTAINER || container_has_toolkit(context->facts);
}

static void snap_found(struct rule_context *context, const char *snap)
{
    const struct facts *facts = context->facts;
    const struct strlist *runtimes = facts_list(facts, TOOLKIT, "docker_runtimes");
    struct finding *finding = rule_found(
        context, SEVERITY_FAIL, "Docker is a snap, which cannot use NVIDIA's toolkit on this host");
    if (runtimes && runtimes->count > 0)
        finding_why(finding,
                    "the runtime is registered in /etc/docker/daemon.json, but the snap's daemon "
                    "reads %s, and it cannot start programs of the host",
                    facts_string(facts, snap, "config"));
    else
        finding_why(finding,
                    "a snap is confined: its daemon reads %s and cannot start programs of "
                    "the host",
                    facts_string(facts, snap, "config"));
    finding_evidence(finding, facts, snap, "config");
    finding_evidence(finding, facts, snap, "runtimes");
    finding_evidence(finding, facts, TOOLKIT, "docker_runtimes");
    finding_fix_note(
        finding, FIX_ADVICE | NEEDS_ROOT,
        "update the snap (sudo snap refresh docker): newer revisions may contain NVIDIA's runtime");
    finding_fix_note(
        finding, FIX_CHOICE,
        "or replace the snap with Docker's own packages (docs.docker.com/engine/install): "
        "sudo snap remove docker. This deletes the snap's containers and images");
}

/* False: the check has ended with a finding about the snap, or cannot be decided. */
static bool require_no_snap(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *snap = container_engine(facts, SNAP);
    const char *usual = container_engine(facts, "docker");
    if (snap == NULL || !container_engine_works(facts, snap) ||
        (usual && facts_true(facts, usual, "running")))
        return true;
    if (!rule_require_fact(context, snap, "nvidia_runtimes"))
        return false;
    if (!container_first(facts, snap, "nvidia_runtimes") && is_wanted(context))
        snap_found(context, snap);
    return false;
}

/* The user whose docker speaks to Docker Desktop: the group. NULL: nobody's does. */
static const char *client_of_desktop(const struct facts *facts)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "docker_client", &i)) != NULL;) {
        const char *endpoint = facts_string(facts, group, "endpoint");
        if (string_equal(facts_string(facts, group, "context"), "desktop-linux") ||
            (endpoint && strstr(endpoint, SOCKET)))
            return group;
    }
    return NULL;
}

static void desktop_found(struct rule_context *context, const char *client, bool has_other)
{
    const struct facts *facts = context->facts;
    const char *desktop = container_engine(facts, DESKTOP);
    struct finding *finding = rule_found(
        context, SEVERITY_FAIL,
        client ? "docker is connected to Docker Desktop, whose containers get no GPU on Linux"
               : "Docker Desktop is the only Docker here, and its containers get no GPU on Linux");
    finding_why(finding, "Docker Desktop for Linux runs its containers in a virtual machine "
                         "that has no GPU; NVIDIA's toolkit on this host has no effect there");
    if (client)
        finding_evidence(finding, facts, client, "context");
    if (client)
        finding_evidence(finding, facts, client, "endpoint");
    finding_evidence(finding, facts, desktop, "config");
    finding_evidence(finding, facts, desktop, "running");
    finding_evidence(finding, facts, TOOLKIT, "docker_runtimes");
    if (!has_other)
        finding_fix_note(finding, FIX_CHOICE,
                         "install Docker Engine beside it (docs.docker.com/engine/install), and "
                         "NVIDIA's container toolkit");
    if (client)
        finding_fix_command(finding, FIX_CHOICE,
                            "run it as the user of this docker command, which then no longer shows "
                            "Docker Desktop's images and containers",
                            "docker context use default");
}

void judge_docker_snap_or_desktop(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    if (!container_require_engine(context) || !require_no_snap(context))
        return;
    const char *desktop = container_engine(facts, DESKTOP);
    const char *usual = container_engine(facts, "docker");
    if (desktop == NULL || judged_place(facts) == PLACE_WSL) {
        rule_skip(context, "Docker is not a snap and not Docker Desktop here");
        return;
    }
    if (!rule_require_fact(context, desktop, "running") ||
        !rule_require_fact(context, "docker_client", "count") ||
        !facts_true(facts, desktop, "running") || !is_wanted(context))
        return;
    const char *client = client_of_desktop(facts);
    if (client || (usual == NULL && container_engine(facts, "docker-rootless") == NULL))
        desktop_found(context, client, usual != NULL);
}

/* A user's own daemon that would have the toolkit write device rules: the group. NULL: none. */
static const char *rootless_with_rules(const struct facts *facts)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "container_engine", &i)) != NULL;)
        if (facts_true(facts, group, "rootless") && facts_true(facts, group, "running") &&
            container_first(facts, group, "nvidia_runtimes") &&
            !facts_string(facts, group, "own_toolkit_config"))
            return group;
    return NULL;
}

void judge_toolkit_cgroups_with_rootless_engine(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    if (!container_require_engine(context) || !rule_require_fact(context, TOOLKIT, "no_cgroups"))
        return;
    const char *engine = rootless_with_rules(facts);
    const char *mode = facts_string(facts, TOOLKIT, "mode");
    const char *package = facts_find(facts, "package", "name", "nvidia-container-toolkit");
    struct version number;
    const char *release = packages_release(facts, package, &number);
    if (engine == NULL || facts_get(facts, TOOLKIT, "no_cgroups")->state != FACT_VALUE) {
        rule_skip(context, "no rootless engine here uses NVIDIA's runtime");
        return;
    }
    const struct manifest_threshold *row = threshold_of(context, "toolkit-without-device-rules");
    if (row == NULL || facts_true(facts, TOOLKIT, "no_cgroups") ||
        (!string_equal(mode, "auto") && !string_equal(mode, "legacy")))
        return;
    if (release == NULL || version_compare(&number, &row->version) >= 0) {
        rule_skip(context,
                  "gpuenv does not know whether this release of the toolkit needs no-cgroups");
        return;
    }
    const char *usual = container_engine(facts, "docker");
    bool both = usual && facts_true(facts, usual, "running");
    struct finding *finding = rule_found(
        context, SEVERITY_FAIL,
        "rootless %s cannot start containers with a GPU: the toolkit tries to write device rules",
        facts_string(facts, engine, "name"));
    finding_subject(finding, facts_string(facts, engine, "config"));
    finding_why(finding,
                "only root may write device rules of cgroups, and no-cgroups = true is not set in "
                "%s; such containers fail with \"failed to add device rules\"",
                facts_string(facts, TOOLKIT, "config"));
    finding_manifest(finding, row->id);
    finding_evidence(finding, facts, engine, "nvidia_runtimes");
    finding_evidence(finding, facts, TOOLKIT, "no_cgroups");
    finding_evidence(finding, facts, package, "version");
    if (both)
        finding_fix_note(finding, FIX_ADVICE,
                         "use CDI in the rootless daemon (\"features\": {\"cdi\": true} in its "
                         "daemon.json, docker run --device nvidia.com/gpu=all): the system's "
                         "Docker runs too, and needs no-cgroups = false");
    else
        finding_fix_command(finding, FIX_STEP | NEEDS_ROOT, "then start the containers again",
                            "sudo nvidia-ctk config --set nvidia-container-cli.no-cgroups=true "
                            "--in-place");
}
