/* SPDX-License-Identifier: MIT */
#include "rules/engine/finding.h"
#include "rules/world.h"

#define NONE    "false_alarm_not_a_fault"
#define MIG     "mig_single_instance_visible"
#define NUMBERS "smi_cuda_version_confusion"
#define PCI     "pci/0000:01:00.0"

static struct facts *idle(void)
{
    struct facts *facts = world_with_driver("570.86.15");
    world_answer(facts, "libcuda.so.1", 0, NULL, "12.8");
    world_answer(facts, "libnvidia-ml.so.1", 0, NULL, NULL);
    facts_set_string(facts, PCI, "link_speed", "2.5 GT/s PCIe", "sysfs");
    facts_set_string(facts, PCI, "link_speed_max", "32.0 GT/s PCIe", "sysfs");
    facts_set_string(facts, PCI, "bridge_link_speed_max", "16.0 GT/s PCIe", "sysfs");
    facts_set_integer(facts, "pci", "nvswitch_count", 0, "sysfs");
    facts_set_integer(facts, "nvml", "count", 1, "NVML");
    facts_set_string(facts, "nvml/0", "bus_id", "0000:01:00.0", "NVML");
    facts_set_integer(facts, "nvml/0", "utilization_percent", 0, "NVML");
    facts_set_integer(facts, "nvml/0", "nvlinks_active", 0, "NVML");
    facts_set_integer(facts, "nvml/0", "nvlinks_inactive", 0, "NVML");
    facts_set_integer(facts, "cuda", "count", 1, "CUDA");
    return facts;
}

static void test_idle_link(void **state)
{
    (void)state;
    struct facts *facts = idle();
    assert_found(facts, PURPOSE_RUN, NONE, SEVERITY_INFO,
                 "at 2.5 GT/s now and can reach 16.0 GT/s:");
    assert_check(facts, PURPOSE_RUN, "pcie_link_degraded", CHECK_PASS, NULL);
    facts_set_integer(facts, "nvml/0", "utilization_percent", 20, "NVML");
    assert_check(facts, PURPOSE_RUN, NONE, CHECK_PASS, NULL); /* pcie_link_degraded */
    facts_set_unknown(facts, "nvml/0", "utilization_percent", "error 15", "NVML");
    assert_check(facts, PURPOSE_RUN, NONE, CHECK_UNKNOWN, "error 15");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_null(found(judgement, NONE));
    judgement_free(judgement);
    facts_set_integer(facts, "machine", "wsl", 2, "/proc/version");
    assert_check(facts, PURPOSE_RUN, NONE, CHECK_SKIP, "WSL");
    facts_free(facts);
}

static void test_links_without_bridge(void **state)
{
    (void)state;
    struct facts *facts = idle();
    facts_set_absent(facts, PCI, "link_speed", "sysfs");
    facts_set_integer(facts, "nvml/0", "nvlinks_inactive", 12, "NVML");
    assert_found(facts, PURPOSE_RUN, NONE, SEVERITY_INFO, "all NVLinks of GPU 0 are down: healthy");
    facts_set_integer(facts, "pci", "nvswitch_count", 6, "sysfs");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_null(found(judgement, NONE));
    judgement_free(judgement);
    facts_free(facts);
}

static void test_fabric_manager(void **state)
{
    (void)state;
    struct facts *facts = idle();
    facts_set_absent(facts, PCI, "link_speed", "sysfs");
    facts_set_boolean(facts, "service/fabricmanager", "present", true, "/usr/bin");
    facts_set_boolean(facts, "service/fabricmanager", "running", false, "/proc");
    facts_set_boolean(facts, "service/fabricmanager", "enabled", false, "systemd");
    assert_check(facts, PURPOSE_RUN, NONE, CHECK_PASS, NULL);
    facts_set_boolean(facts, "service/fabricmanager", "enabled", true, "systemd");
    assert_found(facts, PURPOSE_RUN, NONE, SEVERITY_INFO, "this machine has no NVSwitch");
    facts_set_string(facts, "nvml/0", "fabric_state", "completed", "NVML");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_null(found(judgement, NONE)); /* a guest of a machine with NVSwitches */
    judgement_free(judgement);
    facts_free(facts);
}

static void test_mig(void **state)
{
    (void)state;
    struct facts *facts = idle();
    assert_check(facts, PURPOSE_RUN, MIG, CHECK_SKIP, "fewer than two MIG");
    facts_set_boolean(facts, "nvml/0", "mig", true, "NVML");
    facts_set_integer(facts, "nvml/0", "mig_instances", 7, "NVML");
    assert_found(facts, PURPOSE_RUN, MIG, SEVERITY_INFO, "7 MIG instances");
    facts_set_integer(facts, "cuda", "count", 2, "CUDA");
    assert_check(facts, PURPOSE_RUN, MIG, CHECK_PASS, NULL);
    facts_set_absent(facts, "cuda", "count", "CUDA");
    assert_check(facts, PURPOSE_RUN, MIG, CHECK_SKIP, "was not asked");
    facts_set_unknown(facts, "nvml/0", "mig_instances", "error 4", "NVML");
    assert_check(facts, PURPOSE_RUN, MIG, CHECK_UNKNOWN, "error 4");
    facts_free(facts);
}

static void test_numbers(void **state)
{
    (void)state;
    struct facts *facts = idle();
    assert_found(facts, PURPOSE_RUN, NUMBERS, SEVERITY_INFO, "no CUDA toolkit is installed");
    world_default_toolkit(facts, "/usr/local/cuda-12.8", "12.8");
    assert_check(facts, PURPOSE_RUN, NUMBERS, CHECK_PASS, NULL);
    world_library(facts, "cudart", "/v/nvidia/cuda_runtime/lib/libcudart.so.12.1.105", NULL,
                  "12.1.105", "wheel");
    assert_found(facts, PURPOSE_RUN, NUMBERS, SEVERITY_INFO,
                 "bundled with a program or framework: CUDA runtime 12.1 in /v/nvidia");
    world_default_toolkit(facts, "/usr/local/cuda-12.8", "12.4");
    assert_found(facts, PURPOSE_RUN, NUMBERS, SEVERITY_INFO,
                 "installed: CUDA toolkit 12.4 in /usr/local/cuda-12.8");
    world_default_toolkit(facts, "/usr/local/cuda-12.8", "12.9"); /* DRV-035 says that */
    assert_check(facts, PURPOSE_RUN, NUMBERS, CHECK_SKIP,
                 "another finding says that the versions do not match");
    world_default_toolkit(facts, "/usr/local/cuda-12.8", "13.0"); /* and DRV-005 that */
    assert_check(facts, PURPOSE_RUN, NUMBERS, CHECK_SKIP,
                 "another finding says that the versions do not match");
    facts_free(facts);
    facts = world_bare();
    assert_check(facts, PURPOSE_RUN, NUMBERS, CHECK_SKIP, "no driver");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_idle_link),      cmocka_unit_test(test_links_without_bridge),
        cmocka_unit_test(test_fabric_manager), cmocka_unit_test(test_mig),
        cmocka_unit_test(test_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
