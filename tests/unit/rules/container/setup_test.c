/* SPDX-License-Identifier: MIT */
#include "rules/container/engines.h"

#define CONTAINER_TOOLKIT_MISSING           "container_toolkit_missing"
#define DOCKER_SNAP_OR_DESKTOP              "docker_snap_or_desktop"
#define DOCKER_NOT_RESTARTED_AFTER_TOOLKIT  "docker_not_restarted_after_toolkit"
#define TOOLKIT_NO_CGROUPS_WITH_ROOT_ENGINE "toolkit_no_cgroups_with_root_engine"
#define TOOLKIT_DRIVER_ROOT_WRONG           "toolkit_driver_root_wrong"
#define TOOLKIT_LDCONFIG_MISSING            "toolkit_ldconfig_missing"

/* The ends that the tests of each cause have in common, for tests/program/rules-tested. */
static void nothing_is_wrong(void **state)
{
    (void)state;
    struct facts *facts = world_with_docker();
    assert_check(facts, PURPOSE_CONTAINER, "container_toolkit_missing", CHECK_PASS, NULL);
    assert_check(facts, PURPOSE_CONTAINER, "docker_not_restarted_after_toolkit", CHECK_PASS, NULL);
    assert_check(facts, PURPOSE_CONTAINER, "toolkit_no_cgroups_with_root_engine", CHECK_PASS, NULL);
    assert_check(facts, PURPOSE_CONTAINER, "toolkit_driver_root_wrong", CHECK_PASS, NULL);
    assert_check(facts, PURPOSE_CONTAINER, "toolkit_ldconfig_missing", CHECK_PASS, NULL);
    assert_check(facts, PURPOSE_CONTAINER, "docker_snap_or_desktop", CHECK_SKIP, "not a snap");
    facts_free(facts);
}

static void no_toolkit(void **state)
{
    (void)state;
    struct facts *facts = world_with_docker();
    world_list(facts, TOOLKIT, "programs", "");
    assert_found(facts, PURPOSE_CONTAINER, CONTAINER_TOOLKIT_MISSING, SEVERITY_FAIL,
                 "NVIDIA's container toolkit is not");
    assert_check(facts, PURPOSE_RUN, CONTAINER_TOOLKIT_MISSING, CHECK_PASS, NULL);
    facts_set_string(facts, "os", "id", "nixos", "/etc/os-release");
    assert_check(facts, PURPOSE_CONTAINER, CONTAINER_TOOLKIT_MISSING, CHECK_PASS, NULL);
    facts_set_string(facts, "os", "id", "ubuntu", "/etc/os-release");
    facts_set_string(facts, SPEC, "kind", "nvidia.com/gpu", "/etc/cdi");
    assert_check(facts, PURPOSE_CONTAINER, CONTAINER_TOOLKIT_MISSING, CHECK_PASS, NULL);
    facts_free(facts);

    facts = world_with_docker();
    world_list(facts, DOCKER, "missing_programs", "/usr/bin/nvidia-container-runtime");
    assert_found(facts, PURPOSE_RUN, CONTAINER_TOOLKIT_MISSING, SEVERITY_FAIL,
                 "/usr/bin/nvidia-container-runtime");
    facts_set_boolean(facts, DOCKER, "running", false, "/proc"); /* what nobody runs */
    assert_check(facts, PURPOSE_RUN, CONTAINER_TOOLKIT_MISSING, CHECK_PASS, NULL);
    facts_set_boolean(facts, "module", "nvidia", false, "/proc/modules");
    assert_check(facts, PURPOSE_RUN, CONTAINER_TOOLKIT_MISSING, CHECK_SKIP,
                 "the nvidia module is not loaded");
    facts_free(facts);
    facts = world_with_docker();
    assert_ends(facts, CONTAINER_TOOLKIT_MISSING, ENGINES, "count");
    facts = world_with_docker();
    facts_set_unknown(facts, TOOLKIT, "programs", "I/O error", "/usr/bin");
    assert_check(facts, PURPOSE_CONTAINER, CONTAINER_TOOLKIT_MISSING, CHECK_UNKNOWN, "I/O error");
    facts_free(facts);
}

static void docker_is_a_snap(void **state)
{
    static const char config[] = "/var/snap/docker/current/config/daemon.json";
    (void)state;
    struct facts *facts = world_with_docker();
    facts_set_boolean(facts, DOCKER, "running", false, "/proc");
    world_engine(facts, "docker-snap", "docker", config, "");
    assert_found(facts, PURPOSE_RUN, DOCKER_SNAP_OR_DESKTOP, SEVERITY_FAIL, "Docker is a snap");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_says(found(judgement, DOCKER_SNAP_OR_DESKTOP)->why, config);
    assert_fix(found(judgement, DOCKER_SNAP_OR_DESKTOP), "snap remove docker");
    judgement_free(judgement);
    world_list(facts, TOOLKIT, "programs", ""); /* nobody wants containers with a GPU */
    assert_check(facts, PURPOSE_RUN, DOCKER_SNAP_OR_DESKTOP, CHECK_PASS, NULL);
    assert_found(facts, PURPOSE_CONTAINER, DOCKER_SNAP_OR_DESKTOP, SEVERITY_FAIL,
                 "Docker is a snap");
    world_list(facts, ENGINES "/docker-snap", "nvidia_runtimes", "nvidia"); /* its own toolkit */
    assert_check(facts, PURPOSE_CONTAINER, DOCKER_SNAP_OR_DESKTOP, CHECK_PASS, NULL);
    facts_set_boolean(facts, DOCKER, "running", true, "/proc");
    assert_check(facts, PURPOSE_CONTAINER, DOCKER_SNAP_OR_DESKTOP, CHECK_SKIP, "not a snap");
    facts_set_boolean(facts, DOCKER, "running", false, "/proc");
    facts_set_unknown(facts, ENGINES "/docker-snap", "nvidia_runtimes", "I/O error", config);
    assert_check(facts, PURPOSE_CONTAINER, DOCKER_SNAP_OR_DESKTOP, CHECK_UNKNOWN, "I/O error");
    facts_free(facts);
}

static void docker_was_started_before(void **state)
{
    (void)state;
    struct facts *facts = world_with_docker();
    facts_set_integer(facts, DOCKER, "modified", 6000, "/etc/docker/daemon.json");
    assert_check(facts, PURPOSE_RUN, DOCKER_NOT_RESTARTED_AFTER_TOOLKIT, CHECK_PASS,
                 NULL); /* an edit of something else */
    facts_set_integer(facts, TOOLKIT, "config_modified", 5999, "/etc");
    assert_found(facts, PURPOSE_RUN, DOCKER_NOT_RESTARTED_AFTER_TOOLKIT, SEVERITY_FAIL,
                 "was started before NVIDIA's toolkit");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, DOCKER_NOT_RESTARTED_AFTER_TOOLKIT), "systemctl restart docker");
    judgement_free(judgement);
    facts_set_integer(facts, TOOLKIT, "config_modified", 5003, "/etc"); /* at the same time */
    assert_check(facts, PURPOSE_RUN, DOCKER_NOT_RESTARTED_AFTER_TOOLKIT, CHECK_PASS, NULL);
    world_list(facts, DOCKER, "nvidia_runtimes", "");
    assert_check(facts, PURPOSE_RUN, DOCKER_NOT_RESTARTED_AFTER_TOOLKIT, CHECK_PASS, NULL);
    facts_set_boolean(facts, DOCKER, "running", false, "/proc");
    assert_check(facts, PURPOSE_RUN, DOCKER_NOT_RESTARTED_AFTER_TOOLKIT, CHECK_SKIP,
                 "no Docker of the system is running");
    facts_free(facts);
    assert_ends(world_with_docker(), DOCKER_NOT_RESTARTED_AFTER_TOOLKIT, DOCKER, "nvidia_runtimes");
    facts = world_with_docker();
    facts_set_unknown(facts, TOOLKIT, "config_modified", "I/O error", "/etc");
    assert_check(facts, PURPOSE_RUN, DOCKER_NOT_RESTARTED_AFTER_TOOLKIT, CHECK_UNKNOWN,
                 "I/O error");
    facts_free(facts);
}

static void no_cgroups(void **state)
{
    (void)state;
    struct facts *facts = world_with_docker();
    facts_set_boolean(facts, TOOLKIT, "no_cgroups", true, "/etc");
    assert_found(facts, PURPOSE_RUN, TOOLKIT_NO_CGROUPS_WITH_ROOT_ENGINE, SEVERITY_FAIL,
                 "no-cgroups = true");
    world_list(facts, DOCKER, "nvidia_runtimes", ""); /* which gives no container a GPU */
    assert_check(facts, PURPOSE_RUN, TOOLKIT_NO_CGROUPS_WITH_ROOT_ENGINE, CHECK_PASS, NULL);
    world_list(facts, DOCKER, "nvidia_runtimes", "nvidia");
    facts_set_boolean(facts, DOCKER, "rootless", true, "/proc");
    assert_check(facts, PURPOSE_RUN, TOOLKIT_NO_CGROUPS_WITH_ROOT_ENGINE, CHECK_SKIP,
                 "a user's own engine");
    facts_set_boolean(facts, DOCKER, "rootless", false, "/proc");
    facts_set_boolean(facts, "container", "user_namespace", true, "/proc/self/uid_map");
    assert_check(facts, PURPOSE_RUN, TOOLKIT_NO_CGROUPS_WITH_ROOT_ENGINE, CHECK_PASS, NULL);
    facts_set_unknown(facts, "container", "user_namespace", "I/O error", "/proc/self/uid_map");
    assert_check(facts, PURPOSE_RUN, TOOLKIT_NO_CGROUPS_WITH_ROOT_ENGINE, CHECK_UNKNOWN,
                 "I/O error");
    facts_free(facts);
    assert_ends(world_with_docker(), TOOLKIT_NO_CGROUPS_WITH_ROOT_ENGINE, TOOLKIT, "no_cgroups");
}

static void root_without_driver(void **state)
{
    (void)state;
    struct facts *facts = world_with_docker();
    facts_set_string(facts, TOOLKIT, "root", "/run/nvidia/driver", "/etc");
    facts_set_boolean(facts, TOOLKIT, "root_has_driver", false, "/etc");
    assert_found(facts, PURPOSE_RUN, TOOLKIT_DRIVER_ROOT_WRONG, SEVERITY_FAIL,
                 "/run/nvidia/driver");
    facts_set_boolean(facts, TOOLKIT, "ldconfig_present", false, "/etc"); /* below that root */
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_string_equal(found(judgement, "toolkit_ldconfig_missing")->caused_by, "CTR-018");
    judgement_free(judgement);
    facts_set_boolean(facts, TOOLKIT, "root_has_driver", true, "/etc");
    assert_check(facts, PURPOSE_RUN, TOOLKIT_DRIVER_ROOT_WRONG, CHECK_PASS, NULL);
    facts_set_string(facts, TOOLKIT, "root", "/", "/etc");
    assert_check(facts, PURPOSE_RUN, TOOLKIT_DRIVER_ROOT_WRONG, CHECK_PASS, NULL);
    facts_free(facts);
    facts = world_with_driver("570.86.15");
    assert_check(facts, PURPOSE_RUN, TOOLKIT_DRIVER_ROOT_WRONG, CHECK_SKIP, "no container engine");
    facts_free(facts);
    facts = world_with_docker();
    facts_set_unknown(facts, TOOLKIT, "root", "I/O error", "/etc");
    assert_check(facts, PURPOSE_RUN, TOOLKIT_DRIVER_ROOT_WRONG, CHECK_UNKNOWN, "I/O error");
    facts_free(facts);
}

static void ldconfig_is_missing(void **state)
{
    (void)state;
    struct facts *facts = world_with_docker();
    facts_set_string(facts, TOOLKIT, "ldconfig", "/sbin/ldconfig.real", "/etc");
    facts_set_boolean(facts, TOOLKIT, "ldconfig_present", false, "/etc");
    assert_found(facts, PURPOSE_RUN, TOOLKIT_LDCONFIG_MISSING, SEVERITY_FAIL,
                 "/sbin/ldconfig.real");
    facts_set_string(facts, TOOLKIT, "mode", "cdi", "/etc"); /* which has its own hook */
    assert_check(facts, PURPOSE_RUN, TOOLKIT_LDCONFIG_MISSING, CHECK_PASS, NULL);
    facts_set_string(facts, TOOLKIT, "mode", "auto", "/etc");
    world_list(facts, TOOLKIT, "programs", ""); /* a file that was left behind */
    assert_check(facts, PURPOSE_RUN, TOOLKIT_LDCONFIG_MISSING, CHECK_PASS, NULL);
    facts_free(facts);
    facts = world_with_driver("570.86.15");
    assert_check(facts, PURPOSE_RUN, TOOLKIT_LDCONFIG_MISSING, CHECK_SKIP, "no container engine");
    facts_free(facts);
    facts = world_with_docker();
    facts_set_unknown(facts, TOOLKIT, "ldconfig", "I/O error", "/etc");
    assert_check(facts, PURPOSE_RUN, TOOLKIT_LDCONFIG_MISSING, CHECK_UNKNOWN, "I/O error");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_wrong),    cmocka_unit_test(no_toolkit),
        cmocka_unit_test(docker_is_a_snap),    cmocka_unit_test(docker_was_started_before),
        cmocka_unit_test(no_cgroups),          cmocka_unit_test(root_without_driver),
        cmocka_unit_test(ldconfig_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
