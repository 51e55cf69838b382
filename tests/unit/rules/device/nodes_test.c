/* SPDX-License-Identifier: MIT */
#include "rules/engine/finding.h"
#include "rules/world.h"

#define BOOT "dev_nodes_missing_after_boot"
#define UVM  "uvm_device_nodes_missing"
#define MAY  "device_nodes_permission"

/* A copy of a working machine's record without those nodes. */
static bool keeps_all_but_nodes(const char *group)
{
    return strncmp(group, "device", strlen("device")) != 0;
}

static bool keeps_all_but_uvm(const char *group)
{
    return strcmp(group, "device/nvidia-uvm") != 0;
}

static struct facts *without(bool (*keeps)(const char *group), int64_t count)
{
    struct facts *whole = world_with_driver("580.95.05");
    struct facts *facts = facts_new();
    facts_copy(facts, whole, keeps);
    facts_set_integer(facts, "device", "count", count, "/dev");
    facts_set_boolean(facts, "device", "modprobe_setuid", false, "/usr/bin/nvidia-modprobe");
    facts_free(whole);
    return facts;
}

static void test_no_nodes_after_boot(void **state)
{
    (void)state;
    struct facts *facts = without(keeps_all_but_nodes, 0);
    assert_found(facts, PURPOSE_RUN, BOOT, SEVERITY_FAIL,
                 "/dev/nvidia0, /dev/nvidiactl are not there");
    assert_found(facts, PURPOSE_BUILD, BOOT, SEVERITY_INFO, "/dev/nvidiactl");
    assert_check(facts, PURPOSE_RUN, UVM, CHECK_SKIP, "the GPU's own nodes do not exist");
    assert_check(facts, PURPOSE_RUN, MAY, CHECK_SKIP, "no GPU device node");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_string_equal(judgement->findings[0]->cause, BOOT);
    assert_fix(found(judgement, BOOT), "nvidia-persistenced");
    assert_fix(found(judgement, BOOT), "nvidia-modprobe -c 0 -u");
    assert_int_equal(judgement->fail, 1);
    judgement_free(judgement);
    facts_free(facts);
}

static void test_control_node_alone_is_missing(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    facts_set_absent(facts, "device/nvidiactl", "number", "/dev/nvidiactl"); /* a plain file */
    assert_found(facts, PURPOSE_RUN, BOOT, SEVERITY_WARN, "/dev/nvidiactl is not there");
    facts_free(facts);
}

static void test_nodes_by_minor_number(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    facts_set_integer(facts, "driver_gpu/0000:01:00.0", "minor", 0, "/proc/driver/nvidia");
    facts_set_integer(facts, "driver_gpu/0000:02:00.0", "minor", 3, "/proc/driver/nvidia");
    facts_set_boolean(facts, "device", "modprobe_setuid", false, "/usr/bin/nvidia-modprobe");
    assert_found(facts, PURPOSE_RUN, BOOT, SEVERITY_FAIL, "but /dev/nvidia3 is not there");
    facts_set_boolean(facts, "driver_gpu/0000:02:00.0", "excluded", true, "/proc/driver/nvidia");
    assert_check(facts, PURPOSE_RUN, BOOT, CHECK_PASS, NULL);
    facts_free(facts);
}

/* gpuenv's own question to libcuda fails there, since it cannot gain nvidia-modprobe's rights. */
static void test_setuid_helper_is_healthy(void **state)
{
    (void)state;
    struct facts *facts = without(keeps_all_but_nodes, 0);
    facts_set_boolean(facts, "device", "modprobe_setuid", true, "/usr/bin/nvidia-modprobe");
    facts_set_boolean(facts, "module", "nvidia_uvm", false, "/proc/modules");
    world_answer(facts, "libcuda.so.1", 999, "CUDA_ERROR_UNKNOWN", "13.0");
    world_answer(facts, "libnvidia-ml.so.1", 9, "Driver Not Loaded", NULL);
    assert_found(facts, PURPOSE_RUN, BOOT, SEVERITY_INFO, "/dev/nvidia0");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_says(found(judgement, BOOT)->why, "healthy");
    assert_string_equal(found(judgement, "uvm_module_not_loaded")->caused_by, "DRV-010");
    assert_non_null(found(judgement, "cuda_init_failed")->caused_by);
    assert_non_null(found(judgement, "nvml_init_failed")->caused_by);
    assert_int_equal(judgement->fail + judgement->warn + judgement->unknown, 0);
    assert_int_equal(judgement->exit_code, 0);
    judgement_free(judgement);
    facts_free(facts);
}

static void test_boot_skip_and_unknown(void **state)
{
    (void)state;
    struct facts *facts = without(keeps_all_but_nodes, 0);
    world_container(facts, "docker");
    assert_check(facts, PURPOSE_CONTAINER, BOOT, CHECK_SKIP, "container");
    facts_set_absent(facts, "container", "engine", "/.dockerenv");
    world_gpu(facts, "0000:01:00.0", "2330", "vfio-pci");
    assert_check(facts, PURPOSE_RUN, BOOT, CHECK_SKIP, "bound to the nvidia driver");
    world_gpu(facts, "0000:01:00.0", "2330", "nvidia");
    facts_set_unknown(facts, "device", "count", "too many nodes", "/dev");
    assert_check(facts, PURPOSE_RUN, BOOT, CHECK_UNKNOWN, "too many nodes");
    assert_check(facts, PURPOSE_RUN, UVM, CHECK_UNKNOWN, "too many nodes");
    facts_set_boolean(facts, "module", "nvidia", false, "/proc/modules");
    assert_check(facts, PURPOSE_RUN, BOOT, CHECK_SKIP, "not loaded");
    facts_free(facts);
    facts = world_with_driver("580.95.05");
    assert_check(facts, PURPOSE_RUN, BOOT, CHECK_PASS, NULL);
    assert_check(facts, PURPOSE_RUN, UVM, CHECK_PASS, NULL);
    assert_check(facts, PURPOSE_RUN, MAY, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_uvm_node_is_missing(void **state)
{
    (void)state;
    struct facts *facts = without(keeps_all_but_uvm, 1);
    world_answer(facts, "libcuda.so.1", 999, "CUDA_ERROR_UNKNOWN", "13.0");
    assert_found(facts, PURPOSE_RUN, UVM, SEVERITY_FAIL, "/dev/nvidia-uvm is not there");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_string_equal(found(judgement, "cuda_init_failed")->caused_by, "DRV-011");
    assert_int_equal(judgement->fail, 1);
    assert_fix(found(judgement, UVM), "nvidia-modprobe -c 0 -u");
    judgement_free(judgement);
    facts_set_boolean(facts, "device", "modprobe_setuid", true, "/usr/bin/nvidia-modprobe");
    assert_found(facts, PURPOSE_RUN, UVM, SEVERITY_INFO, "/dev/nvidia-uvm");
    world_container(facts, "podman"); /* the image's nvidia-modprobe is of no use there */
    assert_found(facts, PURPOSE_CONTAINER, UVM, SEVERITY_FAIL, "/dev/nvidia-uvm");
    judgement = world_judge(facts, PURPOSE_CONTAINER);
    assert_fix(found(judgement, UVM), "on the host");
    judgement_free(judgement);
    facts_set_boolean(facts, "module", "nvidia_uvm", false, "/proc/modules");
    assert_check(facts, PURPOSE_CONTAINER, UVM, CHECK_SKIP, "not loaded");
    facts_free(facts);
}

static void test_user_may_not_use_nodes(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    world_node(facts, "nvidia0", "195:0", false);
    world_node(facts, "nvidiactl", "195:255", false);
    world_node(facts, "nvidia-uvm", "510:0", false);
    world_answer(facts, "libcuda.so.1", 100, "CUDA_ERROR_NO_DEVICE", "13.0");
    assert_found(facts, PURPOSE_RUN, MAY, SEVERITY_FAIL,
                 "this user (id 1000) may not use /dev/nvidia0 and other nodes (mode 0660, owner "
                 "0, group 44)");
    world_list(facts, "os", "device_groups", "4 kvm:44 video");
    assert_found(facts, PURPOSE_RUN, MAY, SEVERITY_FAIL, "owner 0, group 44 (video))");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_string_equal(judgement->findings[0]->cause, MAY);
    assert_string_equal(found(judgement, "cuda_init_failed")->caused_by, "DRV-012");
    assert_fix(found(judgement, MAY), "sudo usermod -aG \"$(stat -c %G /dev/nvidia0)\" \"$USER\"");
    assert_fix(found(judgement, MAY), "NVreg_DeviceFileMode=0666");
    judgement_free(judgement);
    world_container(facts, "docker");
    judgement = world_judge(facts, PURPOSE_CONTAINER);
    assert_fix(found(judgement, MAY), "--group-add 44");
    judgement_free(judgement);
    facts_free(facts);
}

/* A Jetson has nodes of other names, which belong to the group video. */
static void test_user_of_a_jetson(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("540.4.0");
    facts_set_string(facts, "machine", "jetson_release", "36.4.3", "/etc/nv_tegra_release");
    world_node(facts, "nvmap", "10:120", false);
    world_answer(facts, "libcuda.so.1", 100, "CUDA_ERROR_NO_DEVICE", "12.6");
    assert_found(facts, PURPOSE_RUN, MAY, SEVERITY_FAIL, "may not use /dev/nvmap");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, MAY), "usermod -aG \"$(stat -c %G /dev/nvmap)\"");
    assert_int_equal(found(judgement, MAY)->fix_count, 1);
    judgement_free(judgement);
    world_answer(facts, "libcuda.so.1", 0, NULL, "12.6");
    assert_check(facts, PURPOSE_RUN, MAY, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_group_that_gives_nothing_is_not_advised(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    world_node(facts, "nvidiactl", "195:255", false);
    facts_set_string(facts, "device/nvidiactl", "mode", "0600", "/dev/nvidiactl");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_false(fix_says(found(judgement, MAY), "usermod"));
    assert_int_equal(found(judgement, MAY)->severity, SEVERITY_FAIL);
    judgement_free(judgement);
    facts_free(facts);
}

static void test_another_gpu_works(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    world_node(facts, "nvidia1", "195:1", false);
    assert_found(facts, PURPOSE_RUN, MAY, SEVERITY_WARN, "/dev/nvidia1");
    facts_set_string(facts, "device/nvidia1", "error", "EPERM", "access(2)");
    assert_check(facts, PURPOSE_RUN, MAY, CHECK_SKIP, "the device cgroup");
    facts_free(facts);
}

static void test_a_mode_that_admits_is_not_widened(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    world_node(facts, "nvidiactl", "195:255", false);
    facts_set_string(facts, "device/nvidiactl", "mode", "0666", "/dev/nvidiactl");
    facts_set_string(facts, "device/nvidiactl", "error", "EACCES", "access(2)");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_false(fix_says(found(judgement, MAY), "DeviceFileMode"));
    assert_fix(found(judgement, MAY), "AppArmor or SELinux");
    judgement_free(judgement);
    facts_free(facts);
}

static void test_permission_skip_and_unknown(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    facts_set_unknown(facts, "device/nvidia0", "usable", "input/output error", "/dev/nvidia0");
    assert_check(facts, PURPOSE_RUN, MAY, CHECK_UNKNOWN, "input/output error");
    world_node(facts, "nvidia0", "195:0", false);
    facts_set_integer(facts, "limits", "user_id", 0, "getuid(2)");
    assert_check(facts, PURPOSE_RUN, MAY, CHECK_SKIP, "root");
    facts_free(facts);
}

/* Its host had no nodes when the container was started. */
static void test_a_container_with_libraries_and_no_nodes(void **state)
{
    (void)state;
    static const char cause[] = "dev_nodes_missing_after_boot";
    struct facts *facts = world_with_gpu();
    world_gpu(facts, "0000:01:00.0", "2330", "nvidia");
    world_module(facts, "570.86.15");
    world_driver_libraries(facts, "570.86.15");
    world_container(facts, "kubernetes");
    facts_set_boolean(facts, "container", "nvidia_libraries", true, "/proc/self/mountinfo");
    facts_set_string(facts, "environment", "NVIDIA_VISIBLE_DEVICES", "void", "environment");
    assert_check(facts, PURPOSE_CONTAINER, cause, CHECK_SKIP, "that it was given");
    world_answer(facts, "libcuda.so.1", 100, "CUDA_ERROR_NO_DEVICE", "12.8");
    assert_found(facts, PURPOSE_CONTAINER, cause, SEVERITY_FAIL, "none of the GPU's device nodes");
    struct judgement *judgement = world_judge(facts, PURPOSE_CONTAINER);
    assert_fix(found(judgement, cause), "on the host");
    assert_string_equal(found(judgement, "cuda_init_failed")->caused_by, "DRV-010");
    judgement_free(judgement);
    facts_set_string(facts, "environment", "NVIDIA_VISIBLE_DEVICES", "none", "environment");
    assert_check(facts, PURPOSE_CONTAINER, cause, CHECK_SKIP, "that it was given");
    facts_set_string(facts, "environment", "NVIDIA_VISIBLE_DEVICES", "all", "environment");
    world_node(facts, "nvidia0", "195:0", true);
    assert_check(facts, PURPOSE_CONTAINER, cause, CHECK_SKIP, "that it was given");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_container_with_libraries_and_no_nodes),
        cmocka_unit_test(test_no_nodes_after_boot),
        cmocka_unit_test(test_control_node_alone_is_missing),
        cmocka_unit_test(test_nodes_by_minor_number),
        cmocka_unit_test(test_setuid_helper_is_healthy),
        cmocka_unit_test(test_boot_skip_and_unknown),
        cmocka_unit_test(test_uvm_node_is_missing),
        cmocka_unit_test(test_user_may_not_use_nodes),
        cmocka_unit_test(test_user_of_a_jetson),
        cmocka_unit_test(test_group_that_gives_nothing_is_not_advised),
        cmocka_unit_test(test_another_gpu_works),
        cmocka_unit_test(test_a_mode_that_admits_is_not_widened),
        cmocka_unit_test(test_permission_skip_and_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
