/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_RULES_CONTAINER_ENGINES_H
#define TESTS_UNIT_RULES_CONTAINER_ENGINES_H

#include "rules/world.h"

/* Hosts with engines and NVIDIA's toolkit, as records. */
#define ENGINES "container_engine"
#define TOOLKIT "container_toolkit"
#define DOCKER  ENGINES "/docker"
#define PODMAN  ENGINES "/podman"
#define RECORD  "docker_container/3f2a9c1e5b7d"
#define SPEC    "cdi//etc/cdi/nvidia.yaml"

/* An engine whose configuration was read; lists as in world_list(). */
UNUSED static void world_engine(struct facts *facts, const char *instance, const char *name,
                                const char *config, const char *nvidia_runtimes)
{
    AUTO_FREE char *group = facts_group_name(ENGINES, instance);
    int64_t count = 0;
    facts_integer(facts, ENGINES, "count", &count);
    facts_set_integer(facts, ENGINES, "count", count + 1, "/proc");
    facts_set_string(facts, group, "name", name, config);
    facts_set_string(facts, group, "config", config, config);
    world_list(facts, group, "files", config);
    world_list(facts, group, "unread", "");
    facts_set_integer(facts, group, "modified", 1000, config);
    facts_set_boolean(facts, group, "running", true, "/proc");
    facts_set_integer(facts, group, "started", 5000, "/proc");
    facts_set_boolean(facts, group, "rootless", false, "/proc");
    facts_set_boolean(facts, group, "virtual", false, config);
    facts_set_absent(facts, group, "own_toolkit_config", config);
    world_list(facts, group, "runtimes", nvidia_runtimes);
    world_list(facts, group, "nvidia_runtimes", nvidia_runtimes);
    world_list(facts, group, "missing_programs", "");
    world_list(facts, group, "flawed_programs", "");
    facts_set_absent(facts, group, "problem", config);
    facts_set_absent(facts, group, "config_version", config);
    facts_set_absent(facts, group, "default_runtime", config);
    facts_set_absent(facts, group, "cdi", config);
    facts_set_absent(facts, group, "cdi_dirs", config);
}

UNUSED static void world_container_toolkit(struct facts *facts)
{
    static const char config[] = "/etc/nvidia-container-runtime/config.toml";
    world_list(facts, TOOLKIT, "programs", "/usr/bin/nvidia-ctk:/usr/bin/nvidia-container-cli");
    facts_set_string(facts, TOOLKIT, "config", config, config);
    facts_set_integer(facts, TOOLKIT, "config_modified", 900, config);
    facts_set_string(facts, TOOLKIT, "mode", "auto", config);
    facts_set_boolean(facts, TOOLKIT, "no_cgroups", false, config);
    facts_set_string(facts, TOOLKIT, "default_kind", "nvidia.com/gpu", config);
    facts_set_string(facts, TOOLKIT, "ldconfig", "/sbin/ldconfig", config);
    facts_set_boolean(facts, TOOLKIT, "ldconfig_present", true, config);
    facts_set_absent(facts, TOOLKIT, "root", config);
    facts_set_absent(facts, TOOLKIT, "root_has_driver", config);
    world_list(facts, TOOLKIT, "oci_hooks", "");
    world_list(facts, TOOLKIT, "docker_runtimes", "nvidia");
    facts_set_absent(facts, TOOLKIT, "containerd_runtime", config);
}

/* A host with a driver, Docker with NVIDIA's runtime, and no container. */
UNUSED static struct facts *world_with_docker(void)
{
    struct facts *facts = world_with_driver("570.86.15");
    world_container_toolkit(facts);
    world_engine(facts, "docker", "docker", "/etc/docker/daemon.json", "nvidia");
    facts_set_boolean(facts, "container", "user_namespace", false, "/proc/self/uid_map");
    facts_set_boolean(facts, "kubernetes", "node", false, "/var/lib/kubelet");
    facts_set_boolean(facts, "kubernetes", "plugin_image", false, "/usr/bin");
    facts_set_absent(facts, "kubernetes", "docker", "/proc");
    facts_set_absent(facts, "kubernetes", "registered", "/var/lib/kubelet");
    facts_set_absent(facts, "kubernetes", "plugin_error", "/var/log/pods");
    facts_set_absent(facts, "docker_container", "count", "/var/lib/docker/containers");
    facts_set_integer(facts, "docker_client", "count", 0, ".docker/config.json");
    facts_set_integer(facts, "quadlet", "count", 0, "/etc/containers/systemd");
    return facts;
}

/* The same with podman, and a specification of the driver's. */
UNUSED static struct facts *world_with_podman(void)
{
    struct facts *facts = world_with_docker();
    world_engine(facts, "podman", "podman", "/etc/containers/containers.conf", "");
    facts_set_absent(facts, PODMAN, "running", "/proc");
    facts_set_integer(facts, "cdi", "count", 1, "/etc/cdi");
    facts_set_string(facts, SPEC, "path", "/etc/cdi/nvidia.yaml", "/etc/cdi");
    facts_set_string(facts, SPEC, "kind", "nvidia.com/gpu", "/etc/cdi");
    facts_set_string(facts, SPEC, "version", "0.5.0", "/etc/cdi");
    world_list(facts, SPEC, "devices", "0:all");
    world_list(facts, SPEC, "driver_versions", "570.86.15");
    world_list(facts, SPEC, "missing_paths", "");
    world_list(facts, SPEC, "missing_hooks", "");
    world_list(facts, SPEC, "numbers", "");
    world_list(facts, SPEC, "flawed_hooks", "");
    facts_set_absent(facts, SPEC, "problem", "/etc/cdi");
    return facts;
}

/* Docker's record of a container whose last start failed. */
UNUSED static void world_record(struct facts *facts, const char *error)
{
    facts_set_integer(facts, "docker_container", "count", 1, "/var/lib/docker");
    facts_set_string(facts, RECORD, "name", "app", "/var/lib/docker");
    facts_set_string(facts, RECORD, "image", "app:1", "/var/lib/docker");
    facts_set_boolean(facts, RECORD, "running", false, "/var/lib/docker");
    facts_set_string(facts, RECORD, "error", error, "/var/lib/docker");
    facts_set_string(facts, RECORD, "runtime", "nvidia", "/var/lib/docker");
    facts_set_boolean(facts, RECORD, "gpus", false, "/var/lib/docker");
    world_list(facts, RECORD, "cdi_devices", "");
    facts_set_absent(facts, RECORD, "visible_devices", "/var/lib/docker");
    facts_set_absent(facts, RECORD, "require_cuda", "/var/lib/docker");
    facts_set_absent(facts, RECORD, "compose_file", "/var/lib/docker");
    facts_set_absent(facts, RECORD, "compose_service", "/var/lib/docker");
}

/* What a check of such a host ends as: with nothing wrong, without an engine, and when what group
 * and name say is not known. */
UNUSED static void assert_ends(struct facts *facts, const char *cause, const char *group,
                               const char *name)
{
    struct facts *bare = world_with_driver("570.86.15");
    assert_check(bare, PURPOSE_CONTAINER, cause, CHECK_SKIP, "no container engine");
    facts_free(bare);
    assert_check(facts, PURPOSE_BUILD, cause, CHECK_SKIP, "");
    facts_set_unknown(facts, group, name, "cannot be read: I/O error", "/etc");
    assert_check(facts, PURPOSE_CONTAINER, cause, CHECK_UNKNOWN, "I/O error");
    facts_free(facts);
}

#endif
