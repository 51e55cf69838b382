/* SPDX-License-Identifier: MIT */
#include "rules/engine/finding.h"
#include "rules/world.h"

#define PCI  "pci/0000:01:00.0"
#define OFF  "dgpu_powered_off"
#define FELL "gpu_fell_off_bus"
#define GSP  "gsp_rpc_timeout"
#define BAR  "pci_bar_unassigned"
#define LINK "pcie_link_degraded"
#define NVL  "nvlink_inactive"
#define ECC  "ecc_uncorrectable"

static void add_log(struct facts *facts, const char *event, int64_t number, const char *boot)
{
    AUTO_FREE char *name = mem_printf("%s-%lld@0000:01:00.0", event, (long long)number);
    AUTO_FREE char *group = facts_group_name("kernel_log", name);
    facts_set_integer(facts, "kernel_log", "count", 1, "/var/log/kern.log");
    facts_set_string(facts, group, "event", event, "/var/log/kern.log");
    facts_set_string(facts, group, "boot", boot, "/var/log/kern.log");
    facts_set_string(facts, group, "bus_id", "0000:01:00.0", "/var/log/kern.log");
    facts_set_string(facts, group, "message", event, "/var/log/kern.log");
    if (number > 0)
        facts_set_integer(facts, group, "number", number, "/var/log/kern.log");
}

static struct facts *healthy(void)
{
    struct facts *facts = world_with_driver("570.86.15");
    world_answer(facts, "libnvidia-ml.so.1", 0, NULL, "12.570.86.15");
    world_answer(facts, "libcuda.so.1", 0, NULL, "12.8");
    facts_set_integer(facts, "kernel_log", "count", 0, "/var/log/kern.log");
    facts_set_string(facts, PCI, "revision", "a1", "config");
    facts_set_string(facts, PCI, "power_state", "D0", "sysfs");
    facts_set_string(facts, PCI, "link_speed", "2.5 GT/s PCIe", "sysfs");
    facts_set_string(facts, PCI, "link_speed_max", "32.0 GT/s PCIe", "sysfs");
    facts_set_integer(facts, PCI, "link_width", 16, "sysfs");
    facts_set_integer(facts, PCI, "link_width_max", 16, "sysfs");
    facts_set_string(facts, PCI, "bridge_link_speed_max", "16.0 GT/s PCIe", "sysfs");
    facts_set_integer(facts, PCI, "bridge_link_width_max", 16, "sysfs");
    world_list(facts, PCI, "bars_unassigned", "");
    world_list(facts, PCI, "bar_bytes", "16777216:0:34359738368:0:33554432:128");
    facts_set_integer(facts, "nvml", "count", 1, "NVML");
    facts_set_string(facts, "nvml/0", "bus_id", "0000:01:00.0", "NVML");
    facts_set_integer(facts, "nvml/0", "utilization_percent", 0, "NVML");
    facts_set_integer(facts, "nvml/0", "nvlinks_active", 18, "NVML");
    facts_set_integer(facts, "nvml/0", "nvlinks_inactive", 0, "NVML");
    facts_set_string(facts, "cuda/0", "bus_id", "0000:01:00.0", "CUDA");
    return facts;
}

/* NVML and CUDA list no GPU. */
static struct facts *lost(void)
{
    struct facts *facts = healthy();
    facts_set_integer(facts, "nvml", "count", 0, "NVML");
    facts_set_absent(facts, "nvml/0", "bus_id", "NVML");
    facts_set_absent(facts, "cuda/0", "bus_id", "CUDA");
    world_answer(facts, "libcuda.so.1", 999, "CUDA_ERROR_UNKNOWN", "12.8");
    return facts;
}

static void test_healthy_passes(void **state)
{
    static const char *const causes[] = {OFF, FELL, GSP, BAR, LINK, NVL};
    (void)state;
    struct facts *facts = healthy();
    for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
        assert_check(facts, PURPOSE_RUN, causes[i], CHECK_PASS, NULL);
    facts_free(facts);
    facts = world_bare();
    for (size_t i = 0; i < 5; i++)
        assert_check(facts, PURPOSE_RUN, causes[i], CHECK_SKIP, "no NVIDIA GPU");
    facts_free(facts);
}

static void test_powered_off(void **state)
{
    (void)state;
    struct facts *facts = lost();
    world_module(facts, NULL);
    world_gpu(facts, "0000:01:00.0", "2330", NULL);
    facts_set_string(facts, "hybrid", "prime", "off", "/etc/prime-discrete");
    facts_set_string(facts, PCI, "revision", "ff", "config");
    assert_found(facts, PURPOSE_RUN, OFF, SEVERITY_FAIL, "prime-select: /etc/prime-discrete");
    assert_check(facts, PURPOSE_RUN, FELL, CHECK_SKIP, "on purpose");
    facts_set_string(facts, "hybrid", "prime", "on-demand", "/etc/prime-discrete");
    assert_check(facts, PURPOSE_RUN, OFF, CHECK_PASS, NULL);
    facts_set_string(facts, "hybrid", "bbswitch", "OFF", "/proc/acpi/bbswitch");
    assert_found(facts, PURPOSE_RUN, OFF, SEVERITY_FAIL, "bbswitch");
    world_module(facts, "570.86.15");
    assert_check(facts, PURPOSE_RUN, OFF, CHECK_PASS, NULL);
    world_container(facts, "docker");
    assert_check(facts, PURPOSE_CONTAINER, OFF, CHECK_SKIP, "on the host");
    facts_free(facts);
}

static void test_fell_off(void **state)
{
    (void)state;
    struct facts *facts = lost();
    facts_set_string(facts, PCI, "revision", "ff", "config");
    assert_found(facts, PURPOSE_RUN, FELL, SEVERITY_FAIL, "all ones");
    assert_found(facts, PURPOSE_BUILD, FELL, SEVERITY_INFO, "all ones");
    add_log(facts, "xid", 79, "current");
    assert_found(facts, PURPOSE_RUN, FELL, SEVERITY_FAIL, "Xid 79 in /var/log/kern.log");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_string_equal(found(judgement, "gpu_count_short_vs_pci")->caused_by, "GPU-013");
    assert_null(found(judgement, GSP));
    judgement_free(judgement);
    facts_free(facts);
    facts = lost();
    facts_set_string(facts, PCI, "revision", "ff", "config");
    facts_set_string(facts, PCI, "power_state", "D3cold", "sysfs");
    assert_check(facts, PURPOSE_RUN, FELL, CHECK_PASS, NULL);
    facts_set_unknown(facts, PCI, "revision", "I/O error", "config");
    assert_check(facts, PURPOSE_RUN, FELL, CHECK_UNKNOWN, "I/O error");
    facts_free(facts);
}

static void test_fell_off_before(void **state)
{
    (void)state;
    struct facts *facts = healthy();
    add_log(facts, "xid", 79, "earlier");
    assert_check(facts, PURPOSE_RUN, FELL, CHECK_PASS, NULL);
    add_log(facts, "xid", 79, "current");
    assert_found(facts, PURPOSE_RUN, FELL, SEVERITY_WARN, "answers again");
    facts_free(facts);
}

static void test_gsp(void **state)
{
    (void)state;
    struct facts *facts = lost();
    facts_set_unknown(facts, "kernel_log", "count", "Permission denied", "/dev/kmsg");
    assert_check(facts, PURPOSE_RUN, GSP, CHECK_UNKNOWN, "Permission denied");
    add_log(facts, "xid", 120, "current");
    assert_found(facts, PURPOSE_RUN, GSP, SEVERITY_FAIL, "Xid 120");
    add_log(facts, "xid", 119, "current");
    assert_found(facts, PURPOSE_RUN, GSP, SEVERITY_FAIL, "Xid 119, according to /var/log/kern.log");
    facts_free(facts);
    facts = healthy();
    facts_set_unknown(facts, "kernel_log", "count", "Permission denied", "/dev/kmsg");
    assert_check(facts, PURPOSE_RUN, GSP, CHECK_SKIP, "only the kernel's log");
    add_log(facts, "xid", 119, "current");
    assert_found(facts, PURPOSE_RUN, GSP, SEVERITY_WARN, "CUDA lists the GPU again");
    facts_free(facts);
}

/* A line of the log that names no GPU, and Xid 154 with what the driver asks for. */
static void add_words(struct facts *facts, const char *event, const char *message)
{
    AUTO_FREE char *group = facts_group_name("kernel_log", event);
    facts_set_string(facts, group, "event", event, "/var/log/kern.log");
    facts_set_string(facts, group, "boot", "current", "/var/log/kern.log");
    facts_set_absent(facts, group, "bus_id", "/var/log/kern.log");
    facts_set_string(facts, group, "message", message, "/var/log/kern.log");
}

static void add_recovery(struct facts *facts, const char *message)
{
    add_log(facts, "xid", 154, "current");
    AUTO_FREE char *group = facts_group_name("kernel_log", "xid-154@0000:01:00.0");
    facts_set_string(facts, group, "message", message, "/var/log/kern.log");
}

static void test_gsp_without_its_xids(void **state)
{
    (void)state;
    struct facts *facts = lost();
    add_words(facts, "gsp_timeout", "GSP RM heartbeat timed out");
    facts_set_integer(facts, "pci", "count", 2, "sysfs");
    assert_check(facts, PURPOSE_RUN, GSP, CHECK_PASS, NULL);
    add_recovery(facts, "from 0x1 (GPU Reset Required) to 0x0 (None)");
    assert_check(facts, PURPOSE_RUN, GSP, CHECK_PASS, NULL);
    add_recovery(facts, "from 0x0 (None) to 0x1 (GPU Reset Required)");
    assert_found(facts, PURPOSE_RUN, GSP, SEVERITY_FAIL, "heartbeat");
    facts_free(facts);
    facts = lost();
    add_words(facts, "gsp_timeout", "GSP RM heartbeat timed out");
    assert_found(facts, PURPOSE_RUN, GSP, SEVERITY_FAIL, "heartbeat");
    add_log(facts, "xid", 62, "current");
    assert_found(facts, PURPOSE_RUN, GSP, SEVERITY_FAIL, "Xid 62");
    facts_free(facts);
}

static void test_bar(void **state)
{
    (void)state;
    struct facts *facts = lost();
    world_module(facts, NULL);
    world_gpu(facts, "0000:01:00.0", "2330", NULL);
    world_list(facts, PCI, "bars_unassigned", "5");
    assert_check(facts, PURPOSE_RUN, BAR, CHECK_PASS, NULL);
    world_list(facts, PCI, "bars_unassigned", "2:5");
    assert_found(facts, PURPOSE_RUN, BAR, SEVERITY_FAIL, "(BAR 2)");
    world_list(facts, PCI, "bars_unassigned", "");
    add_log(facts, "bar_invalid", 0, "current");
    assert_found(facts, PURPOSE_RUN, BAR, SEVERITY_FAIL, "/var/log/kern.log says so");
    world_gpu(facts, "0000:01:00.0", "2330", "nvidia");
    assert_check(facts, PURPOSE_RUN, BAR, CHECK_PASS, NULL);
    world_gpu(facts, "0000:01:00.0", "2330", NULL);
    facts_set_string(facts, "kernel_log/bar_invalid-0@0000:01:00.0", "boot", "earlier", "log");
    facts_set_unknown(facts, PCI, "bars_unassigned", "I/O error", "resource");
    assert_check(facts, PURPOSE_RUN, BAR, CHECK_UNKNOWN, "I/O error");
    facts_free(facts);
}

static void test_link(void **state)
{
    (void)state;
    struct facts *facts = healthy();
    facts_set_integer(facts, "nvml/0", "utilization_percent", 95, "NVML");
    assert_found(facts, PURPOSE_RUN, LINK, SEVERITY_WARN, "2.5 GT/s instead of 16.0 GT/s");
    assert_found(facts, PURPOSE_BUILD, LINK, SEVERITY_INFO, "2.5 GT/s");
    facts_set_string(facts, PCI, "link_speed", "16.0 GT/s PCIe", "sysfs");
    assert_check(facts, PURPOSE_RUN, LINK, CHECK_PASS, NULL);
    facts_set_integer(facts, "nvml/0", "utilization_percent", 0, "NVML");
    facts_set_integer(facts, PCI, "link_width", 8, "sysfs");
    assert_found(facts, PURPOSE_RUN, LINK, SEVERITY_WARN, "8 lanes instead of 16");
    facts_set_integer(facts, PCI, "bridge_link_width_max", 8, "sysfs");
    assert_check(facts, PURPOSE_RUN, LINK, CHECK_PASS, NULL);
    facts_set_absent(facts, PCI, "bridge_link_width_max", "sysfs");
    facts_set_absent(facts, PCI, "bridge_link_speed_max", "sysfs");
    assert_check(facts, PURPOSE_RUN, LINK, CHECK_SKIP, "nothing here shows");
    facts_free(facts);
}

static void test_nvlink(void **state)
{
    (void)state;
    struct facts *facts = healthy();
    facts_set_integer(facts, "nvml/0", "nvlinks_active", 4, "NVML");
    facts_set_integer(facts, "nvml/0", "nvlinks_inactive", 2, "NVML");
    assert_found(facts, PURPOSE_RUN, NVL, SEVERITY_WARN, "2 of the 6 NVLinks");
    facts_set_integer(facts, "nvml/0", "nvlinks_active", 0, "NVML");
    assert_check(facts, PURPOSE_RUN, NVL, CHECK_PASS, NULL);
    facts_set_string(facts, "nvml/1", "bus_id", "0000:02:00.0", "NVML");
    facts_set_integer(facts, "nvml/1", "nvlinks_active", 2, "NVML");
    facts_set_integer(facts, "nvml/1", "nvlinks_inactive", 0, "NVML");
    assert_found(facts, PURPOSE_RUN, NVL, SEVERITY_WARN, "2 of the 2 NVLinks");
    facts_set_integer(facts, "nvml/1", "nvlinks_active", 0, "NVML");
    facts_set_unknown(facts, "nvml/0", "nvlinks_inactive", "error 15", "NVML");
    assert_check(facts, PURPOSE_RUN, NVL, CHECK_UNKNOWN, "error 15");
    facts_free(facts);
}

static void test_ecc_by_log(void **state)
{
    (void)state;
    struct facts *facts = healthy();
    assert_check(facts, PURPOSE_RUN, ECC, CHECK_SKIP, "no GPU here counts");
    add_log(facts, "xid", 95, "current");
    assert_found(facts, PURPOSE_RUN, ECC, SEVERITY_FAIL, "Xid 95 in /var/log/kern.log");
    facts_set_integer(facts, "nvml/0", "ecc_uncorrected_volatile", 0, "NVML");
    assert_check(facts, PURPOSE_RUN, ECC, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_removed_by_rule(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    world_list(facts, "hybrid", "remove_rules", "/etc/udev/rules.d/50-x.rules");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    const struct finding *finding = found(judgement, "gpu_absent_from_pci");
    assert_non_null(finding);
    assert_says(finding->why, "50-x.rules");
    assert_fix(finding, "sudo mv");
    judgement_free(judgement);
    facts_free(facts);
}

/* Some tools take the GPU off the bus as well. */
static void test_powered_off_and_off_the_bus(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    assert_found(facts, PURPOSE_RUN, "gpu_absent_from_pci", SEVERITY_FAIL, "no NVIDIA GPU");
    facts_set_string(facts, "hybrid", "supergfx", "Integrated", "/etc/supergfxd.conf");
    assert_found(facts, PURPOSE_RUN, OFF, SEVERITY_FAIL, "removed from the PCI bus");
    assert_check(facts, PURPOSE_RUN, "gpu_absent_from_pci", CHECK_SKIP, "supergfxd");
    facts_set_string(facts, "hybrid", "supergfx", "Hybrid", "/etc/supergfxd.conf");
    assert_found(facts, PURPOSE_RUN, "gpu_absent_from_pci", SEVERITY_FAIL, "no NVIDIA GPU");
    assert_check(facts, PURPOSE_RUN, OFF, CHECK_SKIP, "no NVIDIA GPU");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_healthy_passes),
        cmocka_unit_test(test_powered_off),
        cmocka_unit_test(test_fell_off),
        cmocka_unit_test(test_fell_off_before),
        cmocka_unit_test(test_gsp),
        cmocka_unit_test(test_gsp_without_its_xids),
        cmocka_unit_test(test_bar),
        cmocka_unit_test(test_link),
        cmocka_unit_test(test_nvlink),
        cmocka_unit_test(test_ecc_by_log),
        cmocka_unit_test(test_removed_by_rule),
        cmocka_unit_test(test_powered_off_and_off_the_bus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
