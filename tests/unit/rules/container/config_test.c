/* SPDX-License-Identifier: MIT */
#include "rules/container/engines.h"

#define REFUSED    "engine_config_refused"
#define UNKNOWN    "engine_default_runtime_unknown"
#define CONTAINERD ENGINES "/containerd"

static void nothing_wrong(void **state)
{
    (void)state;
    struct facts *facts = world_with_docker();
    assert_check(facts, PURPOSE_RUN, "engine_config_refused", CHECK_PASS, NULL);
    assert_check(facts, PURPOSE_RUN, "engine_default_runtime_unknown", CHECK_PASS, NULL);
    assert_check(facts, PURPOSE_BUILD, "engine_config_refused", CHECK_SKIP, "build");
    assert_check(facts, PURPOSE_BUILD, "engine_default_runtime_unknown", CHECK_SKIP, "build");
    facts_set_unknown(facts, DOCKER, "problem", "I/O error", "/etc/docker");
    assert_check(facts, PURPOSE_RUN, "engine_config_refused", CHECK_UNKNOWN, "I/O error");
    facts_set_unknown(facts, DOCKER, "default_runtime", "I/O error", "/etc/docker");
    assert_check(facts, PURPOSE_RUN, "engine_default_runtime_unknown", CHECK_UNKNOWN, "I/O error");
    facts_free(facts);
}

static void a_file_that_is_refused(void **state)
{
    (void)state;
    struct facts *facts = world_with_docker();
    facts_set_string(facts, DOCKER, "problem", "/etc/docker/daemon.json:3:1: x", "/etc/docker");
    assert_found(facts, PURPOSE_RUN, "engine_config_refused", SEVERITY_FAIL,
                 "/etc/docker/daemon.json:3:1: x");
    assert_found_fix(facts, PURPOSE_RUN, REFUSED, "dockerd --validate");
    facts_free(facts);
}

static void a_format_that_is_too_new(void **state)
{
    (void)state;
    struct facts *facts = world_with_docker();
    world_engine(facts, "containerd", "containerd", "/etc/containerd/config.toml", "nvidia");
    facts_set_integer(facts, CONTAINERD, "config_version", 3, "/etc/containerd");
    assert_check(facts, PURPOSE_RUN, REFUSED, CHECK_PASS, NULL); /* of no known release */
    world_package(facts, "containerd.io", "installed");
    facts_set_string(facts, "package/containerd.io", "version", "1.7.27-1", "dpkg");
    assert_found(facts, PURPOSE_RUN, REFUSED, SEVERITY_FAIL, "version 3, which containerd 1.7.27");
    facts_set_string(facts, "package/containerd.io", "version", "2.1.4-1", "dpkg");
    assert_check(facts, PURPOSE_RUN, REFUSED, CHECK_PASS, NULL);
    facts_set_string(facts, "package/containerd.io", "version", "1:2.1.4-1", "rpm"); /* an epoch */
    assert_check(facts, PURPOSE_RUN, REFUSED, CHECK_PASS, NULL);
    facts_free(facts);
}

static void defaults(void **state)
{
    static const struct {
        const char *runtime;
        bool is_known;
    } rows[] = {{"nvidia", true}, {"runc", true},           {"io.containerd.kata.v2", true},
                {"/opt/r", true}, {"nvidia-legacy", false}, {"crun", false}};
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct facts *facts = world_with_docker();
        facts_set_string(facts, DOCKER, "default_runtime", rows[i].runtime, "/etc/docker");
        if (rows[i].is_known)
            assert_check(facts, PURPOSE_RUN, UNKNOWN, CHECK_PASS, NULL);
        else
            assert_found(facts, PURPOSE_RUN, "engine_default_runtime_unknown", SEVERITY_FAIL,
                         rows[i].runtime);
        facts_free(facts);
    }
    struct facts *facts = world_with_podman();
    facts_set_string(facts, PODMAN, "default_runtime", "crun", "/etc/containers");
    assert_check(facts, PURPOSE_RUN, UNKNOWN, CHECK_PASS, NULL);
    facts_free(facts);
}

/* Some releases refuse it: the one that does not run has. */
static void a_part_of_a_higher_version(void **state)
{
    (void)state;
    static const char group[] = ENGINES "/containerd";
    struct facts *facts = world_with_docker();
    world_engine(facts, "containerd", "containerd", "/etc/containerd/config.toml", "nvidia");
    facts_set_string(facts, group, "newer_part", "/etc/containerd/conf.d/99-nvidia.toml", "/etc");
    facts_set_boolean(facts, "kubernetes", "node", true, "/var/lib/kubelet");
    assert_check(facts, PURPOSE_RUN, "engine_config_refused", CHECK_PASS, NULL);
    facts_set_boolean(facts, group, "running", false, "/proc");
    assert_found(facts, PURPOSE_RUN, "engine_config_refused", SEVERITY_FAIL, "99-nvidia.toml");
    facts_set_boolean(facts, "kubernetes", "node", false, "/var/lib/kubelet");
    assert_check(facts, PURPOSE_RUN, "engine_config_refused", CHECK_PASS, NULL);
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_wrong),
        cmocka_unit_test(a_file_that_is_refused),
        cmocka_unit_test(a_format_that_is_too_new),
        cmocka_unit_test(defaults),
        cmocka_unit_test(a_part_of_a_higher_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
