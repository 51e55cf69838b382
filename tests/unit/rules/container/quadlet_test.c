/* SPDX-License-Identifier: MIT */
#include "rules/container/engines.h"

#define UNIT    "/etc/containers/systemd/app.container"
#define QUADLET "quadlet/" UNIT
#define REQUEST "quadlet_no_gpu_requested"
#define SELINUX "quadlet_selinux_denies_device"
#define MISSING "cdi_spec_missing_or_invalid"

static struct facts *world_with_quadlet(const char *devices, const char *variable)
{
    struct facts *facts = world_with_podman();
    facts_set_integer(facts, "quadlet", "count", 1, "/etc/containers/systemd");
    facts_set_string(facts, QUADLET, "path", UNIT, UNIT);
    facts_set_string(facts, QUADLET, "visible_devices", variable, UNIT);
    world_list(facts, QUADLET, "devices", devices);
    facts_set_boolean(facts, QUADLET, "label_off", false, UNIT);
    facts_set_string(facts, "security", "selinux", "enforcing", "/sys/fs/selinux/enforce");
    facts_set_boolean(facts, "security", "container_use_devices", false, "/sys/fs/selinux");
    facts_set_boolean(facts, "security", "container_use_xserver_devices", false, "/sys/fs/selinux");
    return facts;
}

static void a_variable_without_a_device(void **state)
{
    (void)state;
    struct facts *facts = world_with_quadlet("", "NVIDIA_VISIBLE_DEVICES=all");
    assert_found(facts, PURPOSE_RUN, REQUEST, SEVERITY_FAIL, UNIT);
    assert_found_fix(facts, PURPOSE_RUN, REQUEST, "AddDevice=nvidia.com/gpu=all");
    facts_set_string(facts, QUADLET, "visible_devices", "NVIDIA_VISIBLE_DEVICES=void", UNIT);
    assert_check(facts, PURPOSE_RUN, REQUEST, CHECK_PASS, NULL);
    facts_set_string(facts, QUADLET, "visible_devices", "CUDA_VISIBLE_DEVICES=0", UNIT);
    world_list(facts, TOOLKIT, "oci_hooks", "/usr/share/containers/oci/hooks.d/nvidia.json");
    assert_check(facts, PURPOSE_RUN, REQUEST, CHECK_PASS, NULL);
    world_list(facts, TOOLKIT, "oci_hooks", "");
    facts_set_string(facts, PODMAN, "default_runtime", "nvidia", "/etc/containers");
    world_list(facts, PODMAN, "nvidia_runtimes", "nvidia");
    assert_check(facts, PURPOSE_RUN, REQUEST, CHECK_PASS, NULL);
    facts_set_integer(facts, "quadlet", "count", 0, "/etc/containers/systemd");
    assert_check(facts, PURPOSE_RUN, REQUEST, CHECK_SKIP, "no Quadlets");
    facts_free(facts);
    facts = world_with_quadlet("", "CUDA_VISIBLE_DEVICES=0");
    assert_check(facts, PURPOSE_BUILD, REQUEST, CHECK_SKIP, "not needed to build");
    facts_set_unknown(facts, QUADLET, "devices", "I/O error", UNIT);
    assert_check(facts, PURPOSE_RUN, REQUEST, CHECK_UNKNOWN, "I/O error");
    facts_free(facts);
}

static void a_device_without_its_label(void **state)
{
    (void)state;
    struct facts *facts = world_with_quadlet("nvidia.com/gpu=all", NULL);
    assert_check(facts, PURPOSE_RUN, SELINUX, CHECK_PASS, NULL); /* its node's label is not known */
    facts_set_string(facts, "device/nvidiactl", "label",
                     "system_u:object_r:xserver_misc_device_t:s0", "/dev/nvidiactl");
    assert_found(facts, PURPOSE_RUN, SELINUX, SEVERITY_FAIL, UNIT);
    assert_found_fix(facts, PURPOSE_RUN, SELINUX, "SecurityLabelDisable=true");
    facts_set_boolean(facts, QUADLET, "label_off", true, UNIT);
    assert_check(facts, PURPOSE_RUN, SELINUX, CHECK_PASS, NULL);
    facts_set_boolean(facts, QUADLET, "label_off", false, UNIT);
    facts_set_boolean(facts, "security", "container_use_xserver_devices", true, "/sys/fs/selinux");
    assert_check(facts, PURPOSE_RUN, SELINUX, CHECK_PASS, NULL);
    facts_set_string(facts, "security", "selinux", "permissive", "/sys/fs/selinux/enforce");
    assert_check(facts, PURPOSE_RUN, SELINUX, CHECK_SKIP, "not enforcing");
    facts_set_unknown(facts, "security", "selinux", "I/O error", "/sys/fs/selinux/enforce");
    assert_check(facts, PURPOSE_RUN, SELINUX, CHECK_UNKNOWN, "I/O error");
    facts_free(facts);
}

static void a_device_that_nobody_describes(void **state)
{
    (void)state;
    struct facts *facts = world_with_quadlet("nvidia.com/gpu=1", NULL);
    assert_found(facts, PURPOSE_RUN, MISSING, SEVERITY_FAIL, "nvidia.com/gpu=1");
    world_list(facts, QUADLET, "devices", "nvidia.com/gpu=0:/dev/nvidia0");
    assert_check(facts, PURPOSE_RUN, MISSING, CHECK_PASS, NULL);
    facts_set_string(facts, SPEC, "kind", "example.com/other", "/etc/cdi");
    assert_found(facts, PURPOSE_RUN, MISSING, SEVERITY_FAIL, "no CDI specification describes");
    world_list(facts, TOOLKIT, "programs", "");
    assert_found(facts, PURPOSE_RUN, "container_toolkit_missing", SEVERITY_FAIL, "podman is");
    world_list(facts, QUADLET, "devices", "");
    assert_check(facts, PURPOSE_RUN, MISSING, CHECK_SKIP, "no container with a GPU");
    facts_free(facts);
}

/* A user's own configuration of podman counts beside the system's. */
static void podman_of_a_user(void **state)
{
    (void)state;
    static const char own[] = ENGINES "/podman-rootless";
    struct facts *facts = world_with_podman();
    world_engine(facts, "podman-rootless", "podman", "/home/u/.config/containers/containers.conf",
                 "");
    assert_check(facts, PURPOSE_CONTAINER, MISSING, CHECK_PASS, NULL);
    world_list(facts, own, "cdi_dirs", "/home/u/.config/cdi");
    assert_found(facts, PURPOSE_CONTAINER, MISSING, SEVERITY_FAIL, "/etc/cdi/nvidia.yaml");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_variable_without_a_device),
        cmocka_unit_test(a_device_without_its_label),
        cmocka_unit_test(a_device_that_nobody_describes),
        cmocka_unit_test(podman_of_a_user),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
