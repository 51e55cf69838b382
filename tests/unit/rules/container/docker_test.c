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
    assert_found(facts, PURPOSE_RUN, SNAP_RULE, SEVERITY_FAIL, "docker speaks to Docker Desktop");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, SNAP_RULE), "docker context use default");
    judgement_free(judgement);
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
    assert_found(facts, PURPOSE_RUN, ROOTLESS, SEVERITY_FAIL, "(rootless) cannot give GPUs");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, ROOTLESS), "no-cgroups=true");
    assert_non_null(found(judgement, ROOTLESS)->manifest);
    judgement_free(judgement);
    facts_set_boolean(facts, DOCKER, "running", true, "/proc");
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, ROOTLESS), "by CDI");
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
    assert_check(facts, PURPOSE_RUN, ROOTLESS, CHECK_SKIP, "not known");
    facts_free(facts);
    facts = rootless(NULL); /* dpkg is not used here */
    assert_check(facts, PURPOSE_RUN, ROOTLESS, CHECK_SKIP, "not known");
    facts_free(facts);
    facts = rootless("1.17.8-1");
    facts_set_string(facts, OWN, "own_toolkit_config", "/home/u/.config/x", "/home/u/.config");
    assert_check(facts, PURPOSE_RUN, ROOTLESS, CHECK_SKIP, "no user's own engine");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(docker_desktop_beside_docker),
        cmocka_unit_test(docker_desktop_alone),
        cmocka_unit_test(a_users_own_docker),
        cmocka_unit_test(what_is_not_known_is_not_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
