/* SPDX-License-Identifier: MIT */
#include "rules/container/engines.h"

#define DEFAULT "container_runtime_not_default"
#define UNREAD  "runtime_configured_in_unread_file"
#define K3S     ENGINES "/k3s"
#define CONFIG  "/var/lib/rancher/k3s/agent/etc/containerd/config.toml"

/* A node whose plugin found no driver; its engine has these runtimes of NVIDIA's. */
static struct facts *node_of(const char *runtimes)
{
    struct facts *facts = world_with_docker();
    world_engine(facts, "k3s", "containerd", CONFIG, runtimes);
    facts_set_boolean(facts, "kubernetes", "node", true, "/var/lib/kubelet");
    facts_set_string(facts, "kubernetes", "plugin_error", "could not load NVML library", "0.log");
    return facts;
}

static void not_the_default(void **state)
{
    (void)state;
    struct facts *facts = node_of("nvidia");
    assert_found(facts, PURPOSE_RUN, DEFAULT, SEVERITY_FAIL, "runtimeClassName");
    assert_check(facts, PURPOSE_RUN, UNREAD, CHECK_PASS, NULL);
    facts_set_string(facts, K3S, "default_runtime", "nvidia", CONFIG);
    assert_check(facts, PURPOSE_RUN, DEFAULT, CHECK_PASS, NULL);
    facts_set_string(facts, K3S, "default_runtime", "runc", CONFIG);
    world_list(facts, "kubernetes", "registered", "GPU-1"); /* it has found them since */
    assert_check(facts, PURPOSE_RUN, DEFAULT, CHECK_PASS, NULL);
    facts_set_absent(facts, "kubernetes", "registered", "/var/lib/kubelet");
    facts_set_boolean(facts, "kubernetes", "docker", true, "/proc");
    assert_found(facts, PURPOSE_RUN, DEFAULT, SEVERITY_FAIL, "default-runtime");
    facts_free(facts);
}

static void a_file_that_is_not_imported(void **state)
{
    (void)state;
    struct facts *facts = node_of("");
    world_list(facts, K3S, "unread", "/etc/k0s/containerd.d/nvidia.toml");
    facts_set_string(facts, K3S, "default_runtime", "runc", CONFIG);
    assert_found(facts, PURPOSE_RUN, DEFAULT, SEVERITY_FAIL, "/etc/k0s/containerd.d/nvidia.toml");
    facts_free(facts);
}

static void a_configuration_of_another(void **state)
{
    (void)state;
    struct facts *facts = node_of("");
    assert_check(facts, PURPOSE_RUN, UNREAD, CHECK_PASS, NULL);
    world_engine(facts, "containerd", "containerd", "/etc/containerd/config.toml", "nvidia");
    assert_found(facts, PURPOSE_RUN, UNREAD, SEVERITY_FAIL, CONFIG);
    assert_check(facts, PURPOSE_RUN, DEFAULT, CHECK_PASS, NULL);
    facts_free(facts);
}

static void a_pod_of_the_plugin(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    world_gpu(facts, "0000:01:00.0", "2204", "nvidia");
    facts_set_integer(facts, "pci", "count", 1, "/sys/bus/pci/devices");
    facts_set_boolean(facts, "module", "nvidia", true, "/proc/modules");
    facts_set_boolean(facts, "container", "nvidia_libraries", false, "/proc/self/mountinfo");
    facts_set_boolean(facts, "kubernetes", "plugin_image", true, "/usr/bin");
    world_container(facts, "kubernetes");
    assert_found(facts, PURPOSE_CONTAINER, DEFAULT, SEVERITY_FAIL,
                 "not started by NVIDIA's runtime");
    struct judgement *judgement = world_judge(facts, PURPOSE_CONTAINER);
    assert_string_equal(found(judgement, "container_no_gpu_requested")->caused_by, "CTR-003");
    judgement_free(judgement);
    facts_free(facts);
}

static void nothing_to_be_seen(void **state)
{
    static const char *const causes[] = {"container_runtime_not_default",
                                         "runtime_configured_in_unread_file"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct facts *facts = world_with_docker();
        assert_check(facts, PURPOSE_RUN, causes[i], CHECK_SKIP, "not a node of Kubernetes");
        facts_free(facts);
        facts = node_of("nvidia");
        facts_set_skipped(facts, "kubernetes", "plugin_error", "only root can read it", "0.log");
        assert_check(facts, PURPOSE_RUN, causes[i], CHECK_SKIP, "only root can read it");
        facts_set_unknown(facts, "kubernetes", "plugin_error", "I/O error", "0.log");
        assert_check(facts, PURPOSE_RUN, causes[i], CHECK_UNKNOWN, "I/O error");
        facts_free(facts);
    }
    struct facts *facts = node_of("");
    assert_check(facts, PURPOSE_RUN, DEFAULT, CHECK_PASS, NULL);
    assert_check(facts, PURPOSE_RUN, UNREAD, CHECK_PASS, NULL);
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(not_the_default),
        cmocka_unit_test(a_file_that_is_not_imported),
        cmocka_unit_test(a_configuration_of_another),
        cmocka_unit_test(a_pod_of_the_plugin),
        cmocka_unit_test(nothing_to_be_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
