/* SPDX-License-Identifier: MIT */
#include "rules/engine/finding.h"
#include "rules/world.h"

#define IOMMU  "p2p_iommu_acs"
#define PEERS  "peer_access_missing"
#define LANES  "pcie_widths_differ"
#define NARROW "pcie_slot_narrow"
#define MIXED  "mixed_gpu_architectures"
#define ONE    "pci/0000:01:00.0"
#define TWO    "pci/0000:02:00.0"

static void add_gpu(struct facts *facts, const char *address, int number)
{
    AUTO_FREE char *pci = facts_group_name("pci", address);
    AUTO_FREE char *nvml = mem_printf("nvml/%d", number);
    AUTO_FREE char *cuda = mem_printf("cuda/%d", number);
    world_gpu(facts, address, "2331", "nvidia");
    facts_set_integer(facts, pci, "link_width", 16, "sysfs");
    facts_set_integer(facts, pci, "link_width_max", 16, "sysfs");
    facts_set_integer(facts, pci, "bridge_link_width_max", 16, "sysfs");
    facts_set_string(facts, pci, "iommu_type", "DMA-FQ", "sysfs");
    facts_set_skipped(facts, pci, "acs_redirects", "only root", "sysfs");
    facts_set_string(facts, nvml, "bus_id", address, "NVML");
    facts_set_integer(facts, nvml, "nvlinks_active", 0, "NVML");
    facts_set_integer(facts, nvml, "nvlinks_inactive", 0, "NVML");
    facts_set_string(facts, cuda, "bus_id", address, "CUDA");
    world_list(facts, cuda, "peers", number == 0 ? "1" : "0");
}

/* Two GPUs that CUDA says may reach each other, below an IOMMU that translates. */
static struct facts *two(void)
{
    struct facts *facts = world_with_driver("570.86.15");
    world_answer(facts, "libcuda.so.1", 0, NULL, "12.8");
    world_answer(facts, "libnvidia-ml.so.1", 0, NULL, NULL);
    facts_set_integer(facts, "pci", "count", 2, "sysfs");
    facts_set_integer(facts, "pci", "nvswitch_count", 0, "sysfs");
    facts_set_integer(facts, "nvml", "count", 2, "NVML");
    facts_set_integer(facts, "cuda", "count", 2, "CUDA");
    add_gpu(facts, "0000:01:00.0", 0);
    add_gpu(facts, "0000:02:00.0", 1);
    return facts;
}

static void test_iommu(void **state)
{
    (void)state;
    struct facts *facts = two();
    assert_found(facts, PURPOSE_RUN, IOMMU, SEVERITY_WARN, "translates the addresses of 2 GPUs");
    assert_found(facts, PURPOSE_BUILD, IOMMU, SEVERITY_INFO, "translates");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, IOMMU), "iommu=pt");
    assert_fix(found(judgement, IOMMU), "NCCL_P2P_DISABLE=1");
    judgement_free(judgement);
    world_list(facts, "cuda/0", "peers", "");
    world_list(facts, "cuda/1", "peers", "");
    assert_check(facts, PURPOSE_RUN, IOMMU, CHECK_PASS, NULL);
    facts_set_string(facts, TWO, "iommu_type", "identity", "sysfs");
    assert_check(facts, PURPOSE_RUN, IOMMU, CHECK_SKIP, "no two GPUs");
    facts_set_integer(facts, "pci", "count", 1, "sysfs");
    assert_check(facts, PURPOSE_RUN, IOMMU, CHECK_SKIP, "fewer than two GPUs");
    facts_free(facts);
}

static void test_acs_and_faults(void **state)
{
    (void)state;
    struct facts *facts = two();
    facts_set_list(facts, ONE, "acs_redirects", &(struct strlist){0}, "config");
    world_list(facts, "cuda/0", "peers", "");
    world_list(facts, "cuda/1", "peers", "");
    assert_check(facts, PURPOSE_RUN, IOMMU, CHECK_PASS, NULL);
    AUTO_STRLIST struct strlist bridges = {0};
    strlist_add(&bridges, "0000:00:01.0");
    facts_set_list(facts, ONE, "acs_redirects", &bridges, "config");
    assert_found(facts, PURPOSE_RUN, IOMMU, SEVERITY_WARN, "ACS: 0000:00:01.0");
    facts_set_string(facts, "kernel_log/f", "event", "iommu_fault", "/dev/kmsg");
    facts_set_string(facts, "kernel_log/f", "boot", "current", "/dev/kmsg");
    facts_set_string(facts, "kernel_log/f", "bus_id", "0000:02:00.0", "/dev/kmsg");
    assert_found(facts, PURPOSE_RUN, IOMMU, SEVERITY_WARN, "IO_PAGE_FAULT or similar in /dev");
    facts_set_integer(facts, "nvml/0", "nvlinks_active", 4, "NVML");
    facts_set_integer(facts, "nvml/1", "nvlinks_active", 4, "NVML");
    assert_check(facts, PURPOSE_RUN, IOMMU, CHECK_SKIP, "no two GPUs");
    facts_free(facts);
}

static void test_peers(void **state)
{
    (void)state;
    struct facts *facts = two();
    assert_check(facts, PURPOSE_RUN, PEERS, CHECK_PASS, NULL);
    world_list(facts, "cuda/0", "peers", "");
    assert_found(facts, PURPOSE_RUN, PEERS, SEVERITY_INFO,
                 "GPU 0 cannot reach the memory of GPU 1");
    facts_set_integer(facts, "nvml/0", "nvlinks_active", 4, "NVML");
    facts_set_integer(facts, "nvml/1", "nvlinks_active", 4, "NVML");
    assert_found(facts, PURPOSE_RUN, PEERS, SEVERITY_WARN, "although active NVLinks");
    facts_set_integer(facts, "nvml", "count", 4, "NVML"); /* whom they join is not known */
    assert_found(facts, PURPOSE_RUN, PEERS, SEVERITY_INFO, "memory of GPU 1");
    facts_set_integer(facts, "pci", "nvswitch_count", 4, "sysfs");
    assert_found(facts, PURPOSE_RUN, PEERS, SEVERITY_WARN, "although active NVLinks");
    facts_set_boolean(facts, "nvml/0", "mig", true, "NVML");
    assert_found(facts, PURPOSE_RUN, PEERS, SEVERITY_INFO, "memory of GPU 1");
    facts_set_absent(facts, "cuda/0", "peers", "CUDA");
    assert_check(facts, PURPOSE_RUN, PEERS, CHECK_UNKNOWN, "cuda/0.peers");
    facts_set_skipped(facts, "cuda/0", "peers", "not asked", "CUDA");
    assert_check(facts, PURPOSE_RUN, PEERS, CHECK_SKIP, "cuda/0.peers: not asked");
    facts_free(facts);
}

static void test_lanes(void **state)
{
    (void)state;
    struct facts *facts = two();
    assert_check(facts, PURPOSE_RUN, LANES, CHECK_PASS, NULL);
    facts_set_integer(facts, TWO, "link_width", 4, "sysfs");
    assert_check(facts, PURPOSE_RUN, LANES, CHECK_PASS, NULL); /* pcie_link_degraded */
    assert_found(facts, PURPOSE_RUN, "pcie_link_degraded", SEVERITY_WARN, "4 lanes instead of 16");
    facts_set_integer(facts, TWO, "bridge_link_width_max", 4, "sysfs");
    assert_found(facts, PURPOSE_RUN, LANES, SEVERITY_INFO, "uses 4 PCI Express lanes");
    facts_set_string(facts, TWO, "device_id", "26b9", "sysfs");
    assert_check(facts, PURPOSE_RUN, LANES, CHECK_PASS, NULL); /* another model */
    facts_set_string(facts, "machine", "virtualization", "kvm", "DMI");
    assert_check(facts, PURPOSE_RUN, LANES, CHECK_SKIP, "virtual machine");
    facts_free(facts);
}

/* As wide as its slot, and the slot has a quarter of the card's lanes. */
static void test_narrow_slot(void **state)
{
    (void)state;
    struct facts *facts = two();
    facts_set_string(facts, "nvml/0", "name", "NVIDIA RTX A6000", "NVML");
    facts_set_string(facts, "nvml/1", "name", "NVIDIA RTX A6000", "NVML");
    assert_check(facts, PURPOSE_RUN, NARROW, CHECK_PASS, NULL);
    facts_set_integer(facts, ONE, "link_width", 8, "sysfs");
    facts_set_integer(facts, TWO, "link_width", 8, "sysfs");
    facts_set_integer(facts, ONE, "bridge_link_width_max", 8, "sysfs");
    facts_set_integer(facts, TWO, "bridge_link_width_max", 8, "sysfs");
    assert_check(facts, PURPOSE_RUN, NARROW, CHECK_PASS, NULL); /* half is usual */
    facts_set_integer(facts, ONE, "link_width", 4, "sysfs");
    facts_set_integer(facts, ONE, "bridge_link_width_max", 4, "sysfs");
    assert_check(facts, PURPOSE_RUN, NARROW, CHECK_SKIP, "pcie_widths_differ");
    facts_set_integer(facts, TWO, "link_width", 4, "sysfs");
    facts_set_integer(facts, TWO, "bridge_link_width_max", 4, "sysfs");
    assert_found(facts, PURPOSE_RUN, NARROW, SEVERITY_INFO,
                 "(one of 2 such GPUs) has 4 PCI Express lanes");
    facts_set_string(facts, "nvml/0", "name", "NVIDIA GeForce RTX 4070 Laptop GPU", "NVML");
    facts_set_string(facts, "nvml/1", "name", "NVIDIA GeForce RTX 4070 Laptop GPU", "NVML");
    assert_check(facts, PURPOSE_RUN, NARROW, CHECK_PASS, NULL);
    facts_set_unknown(facts, ONE, "link_width_max", "no answer", "sysfs");
    assert_check(facts, PURPOSE_RUN, NARROW, CHECK_UNKNOWN, "no answer");
    facts_set_string(facts, "machine", "virtualization", "kvm", "DMI");
    assert_check(facts, PURPOSE_RUN, NARROW, CHECK_SKIP, "virtual machine");
    facts_free(facts);
}

/* Two of one architecture, and a framework whose code begins above one of them. */
static void test_framework_for_part(void **state)
{
    (void)state;
    struct facts *facts = two();
    facts_set_string(facts, ONE, "device_id", "102d", "sysfs"); /* K80, 3.7 */
    facts_set_string(facts, TWO, "device_id", "1024", "sysfs"); /* K40c, 3.5 */
    assert_check(facts, PURPOSE_RUN, MIXED, CHECK_PASS, NULL);
    facts_set_integer(facts, "framework", "count", 1, "METADATA");
    facts_set_string(facts, "framework/0", "name", "pytorch", "METADATA");
    facts_set_string(facts, "framework/0", "package", "torch", "METADATA");
    facts_set_string(facts, "framework/0", "version", "1.3.1", "METADATA");
    facts_set_string(facts, "framework/0", "environment", "/v", "METADATA");
    facts_set_boolean(facts, "framework/0", "active", true, "METADATA");
    world_list(facts, "framework/0", "sass", "sm_37:sm_50");
    assert_found(facts, PURPOSE_RUN, MIXED, SEVERITY_WARN,
                 "no code for 1 of the 2 GPUs here: Tesla K40c");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, MIXED), "CUDA_VISIBLE_DEVICES=0");
    assert_null(found(judgement, "gpu_too_old_for_framework"));
    judgement_free(judgement);
    world_list(facts, "framework/0", "sass", "sm_35:sm_50");
    assert_check(facts, PURPOSE_RUN, MIXED, CHECK_PASS, NULL);
    world_list(facts, "framework/0", "sass", "sm_60");
    assert_check(facts, PURPOSE_RUN, MIXED, CHECK_PASS, NULL); /* of use on neither */
    facts_set_boolean(facts, "framework/0", "active", false, "METADATA");
    world_list(facts, "framework/0", "sass", "sm_37");
    assert_check(facts, PURPOSE_RUN, MIXED, CHECK_PASS, NULL);
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_iommu),       cmocka_unit_test(test_acs_and_faults),
        cmocka_unit_test(test_peers),       cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_narrow_slot), cmocka_unit_test(test_framework_for_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
