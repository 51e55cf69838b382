/* SPDX-License-Identifier: MIT */
#include "rules/engine/finding.h"
#include "rules/world.h"

#define CAUSE "vm_guest_refused_by_driver"

/* A KVM guest: a GeForce RTX 2070 that the module has and NVML does not list. */
static struct facts *guest(const char *driver)
{
    struct facts *facts = world_with_driver(driver);
    facts_set_string(facts, "machine", "virtualization", "kvm", "/proc/cpuinfo");
    world_gpu(facts, "0000:01:00.0", "1f02", "nvidia");
    facts_set_integer(facts, "nvml", "count", 0, "nvmlDeviceGetCount");
    world_answer(facts, "libnvidia-ml.so.1", 0, "NVML_SUCCESS", NULL);
    return facts;
}

static void test_found(void **state)
{
    (void)state;
    struct facts *facts = guest("460.80");
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_FAIL, "460.80 does not start the GPU");
    assert_found(facts, PURPOSE_BUILD, CAUSE, SEVERITY_INFO, "460.80");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_says(found(judgement, CAUSE)->why, "R465");
    assert_string_equal(found(judgement, CAUSE)->manifest, "threshold/vm-geforce");
    assert_string_equal(found(judgement, "gpu_count_short_vs_pci")->caused_by, "DRV-036");
    assert_fix(found(judgement, CAUSE), "hidden");
    judgement_free(judgement);
    facts_set_string(facts, "machine", "virtualization", "vmware", "DMI");
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_FAIL, "vmware");
    facts_free(facts);
}

static void test_passes(void **state)
{
    (void)state;
    struct facts *facts = guest("465.19.01");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_PASS, NULL);
    facts_free(facts);
    facts = guest("460.80");
    facts_set_integer(facts, "nvml", "count", 1, "nvmlDeviceGetCount");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_PASS, NULL);
    facts_set_integer(facts, "nvml", "count", 0, "nvmlDeviceGetCount");
    world_gpu(facts, "0000:01:00.0", "1eb8", "nvidia"); /* a T4 in a cloud */
    facts_set_string(facts, "machine", "virtualization", "google", "DMI");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_PASS, NULL);
    facts_set_string(facts, "machine", "virtualization", "kvm", "DMI");
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_FAIL, "460.80");
    facts_set_string(facts, "pci/0000:01:00.0", "revision", "ff", "sysfs");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_SKIP, "gpu_fell_off_bus says why");
    facts_free(facts);
}

static void test_does_not_apply(void **state)
{
    (void)state;
    struct facts *facts = guest("460.80");
    facts_set_string(facts, "machine", "virtualization", "none", "DMI");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_SKIP, "not a virtual machine");
    facts_set_string(facts, "machine", "virtualization", "kvm", "DMI");
    world_module(facts, NULL);
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_SKIP, "not loaded");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found),
        cmocka_unit_test(test_passes),
        cmocka_unit_test(test_does_not_apply),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
