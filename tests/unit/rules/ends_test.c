/* SPDX-License-Identifier: MIT */
#include "rules/engine/finding.h"
#include "rules/world.h"
#include "rules/world_framework.h"

/* How a check ends without a finding, of one machine for many rules: each file beside this one has
 * the findings of its rules, and what ends them for a reason of their own. */

static void assert_ends(const struct facts *facts, const char *const causes[],
                        enum check_status status, const char *words)
{
    for (size_t i = 0; causes[i]; i++)
        assert_check(facts, PURPOSE_RUN, causes[i], status, words);
}

static struct facts *healthy(void)
{
    struct facts *facts = world_with_driver("570.86.15");
    world_answer(facts, "libnvidia-ml.so.1", 0, "NVML_SUCCESS", NULL);
    facts_set_string(facts, "security", "selinux", "enforcing", "/sys/fs/selinux");
    facts_set_integer(facts, "nvml", "count", 1, "nvmlDeviceGetCount");
    facts_set_string(facts, "nvml/0", "compute_mode", "default", "NVML");
    facts_set_boolean(facts, "nvml/0", "remap_pending", false, "NVML");
    return facts;
}

static void test_passes(void **state)
{
    static const char *const causes[] = {
        "cgroup_device_denied",
        "cgroup_lost_after_daemon_reload",
        "selinux_denies_device",
        "compute_mode_exclusive",
        "row_remap_pending",
        "kmod_missing_headers",
        "kmod_compiler_mismatch",
        "dkms_build_failed",
        NULL,
    };
    (void)state;
    struct facts *facts = healthy();
    assert_ends(facts, causes, CHECK_PASS, NULL);
    facts_free(facts);
}

static const char *const about_bus[] = {
    "legacy_gpu_dropped_by_driver",
    "open_kmod_required",
    "open_kmod_unsupported_gpu",
    "gsp_firmware_missing",
    "kmod_missing_headers",
    "kmod_compiler_mismatch",
    "dkms_build_failed",
    "kmod_not_built_for_kernel",
    "pci_bar_unassigned",
    "pcie_link_degraded",
    "pcie_widths_differ",
    "pcie_slot_narrow",
    "p2p_iommu_acs",
    "vm_guest_refused_by_driver",
    "fabric_not_completed",
    "dgpu_powered_off",
    "false_alarm_not_a_fault",
    NULL,
};

static void test_bus(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    assert_ends(facts, about_bus, CHECK_SKIP, "no NVIDIA GPU on the bus");
    facts_set_unknown(facts, "pci", "count", "input/output error", "/sys/bus/pci/devices");
    assert_ends(facts, about_bus, CHECK_UNKNOWN, "pci.count: input/output error");
    facts_free(facts);
}

static void test_nvml(void **state)
{
    static const char *const causes[] = {
        "compute_mode_exclusive",      "nvlink_inactive",
        "gpu_memory_taken_by_other",   "ecc_uncorrectable",
        "row_remap_failure",           "row_remap_pending",
        "gpu_throttled_power_thermal", NULL,
    };
    (void)state;
    struct facts *facts = healthy();
    facts_set_integer(facts, "nvml", "count", 0, "nvmlDeviceGetCount");
    assert_ends(facts, causes, CHECK_SKIP, "NVML lists no GPU");
    world_no_answer(facts, "libnvidia-ml.so.1", "no answer in 10 s in nvmlInit");
    facts_set_unknown(facts, "nvml", "count", "no answer in 10 s", "nvmlInit");
    assert_ends(facts, causes, CHECK_UNKNOWN, "no answer in 10 s in nvmlInit");
    facts_free(facts);
}

static void test_frameworks(void **state)
{
    static const char *const causes[] = {
        "cuda_libs_missing",
        "cuda_libs_wrong_version",
        "cuda_libs_dependency_of_library",
        "cudnn_older_than_framework",
        "nvrtc_missing_or_stub",
        "onnxruntime_cpu_gpu_packages_clash",
        "gpu_too_old_for_framework",
        "ld_library_path_shadows_wheel_libs",
        "libdevice_missing",
        NULL,
    };
    (void)state;
    struct facts *facts = healthy();
    assert_ends(facts, causes, CHECK_SKIP, "no framework that gpuenv knows");
    facts_set_unknown(facts, "framework", "count", "permission denied", "site-packages");
    assert_ends(facts, causes, CHECK_UNKNOWN, "framework.count: permission denied");
    facts_free(facts);
}

static void test_jetson(void **state)
{
    static const char *const causes[] = {"jetson_libs_missing", "jetson_wrong_wheel",
                                         "jetson_arch_missing_in_build", NULL};
    (void)state;
    struct facts *facts = world_with_torch();
    world_jetson(facts, "35.4.1", "8.7");
    assert_check(facts, PURPOSE_RUN, "jetson_libs_missing", CHECK_PASS, NULL);
    facts_free(facts);
    facts = world_bare();
    world_jetson(facts, "35.4.1", "8.7");
    facts_set_unknown(facts, "framework", "count", "permission denied", "site-packages");
    assert_ends(facts, causes, CHECK_UNKNOWN, "framework.count: permission denied");
    facts_free(facts);
}

static void test_devices_chosen(void **state)
{
    static const char gpu[] = "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6";
    static const char mig[] = "MIG-8932f937-d72c-4106-c12f-20bd9faed9f6";
    (void)state;
    struct facts *facts = healthy();
    facts_set_unknown(facts, "framework", "count", "permission denied", "site-packages");
    facts_set_string(facts, "environment", "CUDA_VISIBLE_DEVICES", gpu, "environment");
    assert_check(facts, PURPOSE_RUN, "cuda_visible_devices_uuid_unparsed", CHECK_UNKNOWN,
                 "framework.count: permission denied");
    facts_set_string(facts, "environment", "CUDA_VISIBLE_DEVICES", mig, "environment");
    assert_check(facts, PURPOSE_RUN, "mig_uuid_parse_zero_devices", CHECK_UNKNOWN,
                 "framework.count: permission denied");
    facts_free(facts);
}

static void test_nodes_of_unknown_use(void **state)
{
    static const char *const causes[] = {"cgroup_device_denied", "cgroup_lost_after_daemon_reload",
                                         "selinux_denies_device", NULL};
    static const char *const nodes[] = {"device/nvidia0", "device/nvidiactl", "device/nvidia-uvm"};
    (void)state;
    struct facts *facts = healthy();
    for (size_t i = 0; i < 3; i++)
        facts_set_unknown(facts, nodes[i], "usable", "no answer", "access(2)");
    assert_ends(facts, causes, CHECK_UNKNOWN, "usable: no answer");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_passes),
        cmocka_unit_test(test_bus),
        cmocka_unit_test(test_nvml),
        cmocka_unit_test(test_frameworks),
        cmocka_unit_test(test_jetson),
        cmocka_unit_test(test_devices_chosen),
        cmocka_unit_test(test_nodes_of_unknown_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
