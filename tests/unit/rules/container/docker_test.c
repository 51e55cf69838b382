/* SPDX-License-Identifier: MIT */
#include "rules/container/engines.h"

#define DESKTOP   ENGINES "/docker-desktop"
#define OWN       ENGINES "/docker-rootless"
#define CLIENT    "docker_client//home/u"
#define SNAP_RULE "docker_snap_or_desktop"
#define ROOTLESS  "toolkit_cgroups_with_rootless_engine"

static void with_desktop(struct facts *facts)
{
    world_engine(facts, "docker-desktop", "docker", "/opt/docker-desktop/bin/com.docker.backend",
                 "");
    facts_set_boolean(facts, DESKTOP, "virtual", true, "/opt/docker-desktop");
}

static void with_context(struct facts *facts, const char *context, const char *endpoint)
{
    facts_set_integer(facts, "docker_client", "count", 1, ".docker/config.json");
    facts_set_string(facts, CLIENT, "context", context, ".docker/config.json");
    facts_set_string(facts, CLIENT, "endpoint", endpoint, ".docker/config.json");
}

static void docker_desktop_beside_docker(void **state)
{
    (void)state;
    struct facts *facts = world_with_docker();
    with_desktop(facts);
    assert_check(facts, PURPOSE_RUN, SNAP_RULE, CHECK_PASS, NULL);
    with_context(facts, "mine", "unix:///home/u/.docker/desktop/docker.sock");
    assert_found(facts, PURPOSE_RUN, SNAP_RULE, SEVERITY_FAIL,
                 "docker is connected to Docker Desktop");
    assert_found_fix(facts, PURPOSE_RUN, SNAP_RULE, "docker context use default");
    with_context(facts, NULL, NULL);
    assert_check(facts, PURPOSE_RUN, SNAP_RULE, CHECK_PASS, NULL);
    with_context(facts, "desktop-linux", NULL);
    facts_set_boolean(facts, DESKTOP, "running", false, "/proc");
    assert_check(facts, PURPOSE_RUN, SNAP_RULE, CHECK_PASS, NULL);
    facts_set_unknown(facts, DESKTOP, "running", "I/O error", "/proc");
    assert_check(facts, PURPOSE_RUN, SNAP_RULE, CHECK_UNKNOWN, "I/O error");
    facts_set_integer(facts, "machine", "wsl", 2, "/proc/version");
    assert_check(facts, PURPOSE_RUN, SNAP_RULE, CHECK_SKIP, "not Docker Desktop");
    facts_free(facts);
}

static void docker_desktop_alone(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("570.86.15");
    world_container_toolkit(facts);
    world_list(facts, TOOLKIT, "programs", "");
    facts_set_integer(facts, ENGINES, "count", 0, "/proc");
    facts_set_integer(facts, "docker_client", "count", 0, ".docker/config.json");
    with_desktop(facts);
    assert_found(facts, PURPOSE_CONTAINER, SNAP_RULE, SEVERITY_FAIL, "the only Docker here");
    assert_check(facts, PURPOSE_RUN, SNAP_RULE, CHECK_PASS, NULL); /* no wish for a GPU */
    assert_check(facts, PURPOSE_CONTAINER, "container_toolkit_missing", CHECK_PASS, NULL);
    facts_free(facts);
}

static struct facts *rootless(const char *release)
{
    struct facts *facts = world_with_docker();
    facts_set_boolean(facts, DOCKER, "running", false, "/proc");
    world_engine(facts, "docker-rootless", "docker", "/home/u/.config/docker/daemon.json",
                 "nvidia");
    facts_set_boolean(facts, OWN, "rootless", true, "/proc");
    if (release == NULL)
        return facts;
    world_package(facts, "nvidia-container-toolkit", "install ok installed");
    facts_set_string(facts, "package/nvidia-container-toolkit", "version", release,
                     "/var/lib/dpkg/status");
    return facts;
}

static void a_users_own_docker(void **state)
{
    (void)state;
    struct facts *facts = rootless("1.17.8-1");
    assert_found(facts, PURPOSE_RUN, ROOTLESS, SEVERITY_FAIL, "cannot start containers with a GPU");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, ROOTLESS), "no-cgroups=true");
    assert_non_null(found(judgement, ROOTLESS)->manifest);
    judgement_free(judgement);
    facts_set_boolean(facts, DOCKER, "running", true, "/proc");
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, ROOTLESS), "use CDI in the rootless daemon");
    assert_false(fix_says(found(judgement, ROOTLESS), "no-cgroups=true"));
    judgement_free(judgement);
    facts_set_string(facts, TOOLKIT, "mode", "cdi", "/etc/nvidia-container-runtime/config.toml");
    assert_check(facts, PURPOSE_RUN, ROOTLESS, CHECK_PASS, NULL);
    facts_set_string(facts, TOOLKIT, "mode", "auto", "/etc/nvidia-container-runtime/config.toml");
    facts_set_boolean(facts, TOOLKIT, "no_cgroups", true, "/etc");
    assert_check(facts, PURPOSE_RUN, ROOTLESS, CHECK_PASS, NULL);
    facts_set_unknown(facts, TOOLKIT, "no_cgroups", "I/O error", "/etc");
    assert_check(facts, PURPOSE_RUN, ROOTLESS, CHECK_UNKNOWN, "I/O error");
    facts_free(facts);
}

static void what_is_not_known_is_not_said(void **state)
{
    (void)state;
    struct facts *facts = rootless("1.18.0-1");
    assert_check(facts, PURPOSE_RUN, ROOTLESS, CHECK_SKIP, "does not know");
    facts_free(facts);
    facts = rootless(NULL); /* dpkg is not used here */
    assert_check(facts, PURPOSE_RUN, ROOTLESS, CHECK_SKIP, "does not know");
    facts_free(facts);
    facts = rootless("1.17.8-1");
    facts_set_string(facts, OWN, "own_toolkit_config", "/home/u/.config/x", "/home/u/.config");
    assert_check(facts, PURPOSE_RUN, ROOTLESS, CHECK_SKIP, "no rootless engine");
    facts_free(facts);
}

/* A snap uses nothing of the host's: the toolkit is not what it lacks. */
static void a_snap_without_the_toolkit(void **state)
{
    (void)state;
    struct facts *facts = world_with_docker();
    world_list(facts, TOOLKIT, "programs", "");
    facts_set_boolean(facts, DOCKER, "running", false, "/proc");
    world_engine(facts, "docker-snap", "docker", "/var/snap/docker/current/config/daemon.json", "");
    assert_check(facts, PURPOSE_CONTAINER, "container_toolkit_missing", CHECK_PASS, NULL);
    assert_found(facts, PURPOSE_CONTAINER, SNAP_RULE, SEVERITY_FAIL, "Docker is a snap");
    facts_free(facts);
}

/* Docker used a specification without being told to: its error names what is gone. */
static void a_record_that_names_a_lost_file(void **state)
{
    (void)state;
    static const char stale[] = "cdi_spec_stale_after_driver_upgrade";
    struct facts *facts = world_with_docker();
    facts_set_integer(facts, "cdi", "count", 1, "/etc/cdi");
    facts_set_string(facts, SPEC, "path", "/etc/cdi/nvidia.yaml", "/etc/cdi");
    facts_set_string(facts, SPEC, "kind", "nvidia.com/gpu", "/etc/cdi");
    world_list(facts, SPEC, "driver_versions", "565.77");
    world_list(facts, SPEC, "missing_paths", "/usr/lib/libEGL_nvidia.so.565.77");
    world_record(facts, "failed to fulfil mount request: open /usr/lib/libEGL_nvidia.so.565.77");
    assert_found(facts, PURPOSE_RUN, stale, SEVERITY_FAIL, "libEGL_nvidia.so.565.77");
    world_record(facts, "another error");
    assert_check(facts, PURPOSE_RUN, stale, CHECK_SKIP, "no engine here uses CDI");
    facts_free(facts);
}

/* The only engine does not import the file that the toolkit wrote. */
static void containerd_alone_was_not_told(void **state)
{
    (void)state;
    static const char group[] = ENGINES "/containerd";
    static const char unread[] = "runtime_configured_in_unread_file";
    struct facts *facts = world_with_driver("570.86.15");
    world_container_toolkit(facts);
    facts_set_integer(facts, ENGINES, "count", 0, "/proc");
    facts_set_boolean(facts, "kubernetes", "node", false, "/var/lib/kubelet");
    world_engine(facts, "containerd", "containerd", "/etc/containerd/config.toml", "");
    world_list(facts, group, "unread", "/etc/containerd/config.d/99-nvidia.toml");
    assert_found(facts, PURPOSE_CONTAINER, unread, SEVERITY_FAIL, "config.d/99-nvidia.toml");
    assert_check(facts, PURPOSE_RUN, unread, CHECK_SKIP, "not a node");
    facts_set_boolean(facts, group, "cdi", true, "/etc/containerd/config.toml");
    assert_check(facts, PURPOSE_CONTAINER, unread, CHECK_SKIP, "not a node");
    facts_set_absent(facts, group, "cdi", "/etc/containerd/config.toml");
    world_engine(facts, "docker", "docker", "/etc/docker/daemon.json", "nvidia");
    assert_check(facts, PURPOSE_CONTAINER, unread, CHECK_SKIP, "not a node");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(docker_desktop_beside_docker),
        cmocka_unit_test(docker_desktop_alone),
        cmocka_unit_test(a_users_own_docker),
        cmocka_unit_test(what_is_not_known_is_not_said),
        cmocka_unit_test(a_snap_without_the_toolkit),
        cmocka_unit_test(a_record_that_names_a_lost_file),
        cmocka_unit_test(containerd_alone_was_not_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
