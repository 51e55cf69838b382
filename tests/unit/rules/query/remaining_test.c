/* SPDX-License-Identifier: MIT */
#include "rules/query/remaining.h"
#include "rules/world.h"

static void assert_remains(const struct facts *facts, const char *all, const char *here)
{
    AUTO_FREE char *left = remaining_here(facts, all);
    assert_string_equal(left, here);
}

static void test_a_machine(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("570.86.15");
    assert_remains(facts, "a; in a container b; c", "a; c");
    assert_remains(facts, "a; in a virtual machine b", "a");
    assert_remains(facts, "a", "a");
    assert_remains(facts, "in a container b", "in a container b");
    facts_set_string(facts, "machine", "virtualization", "kvm", "dmi");
    assert_remains(facts, "a; in a virtual machine b", "a; in a virtual machine b");
    facts_free(facts);
}

static void test_what_the_machine_has(void **state)
{
    (void)state;
    static const char all[] = "a; with NVSwitches, b; with HMM on, c; in a confidential virtual "
                              "machine, d";
    struct facts *facts = world_with_driver("570.86.15");
    facts_set_integer(facts, "pci", "nvswitch_count", 0, "/sys");
    assert_remains(facts, all, "a");
    facts_set_boolean(facts, "driver_parameter", "uvm_disable_hmm", false, "/sys");
    assert_remains(facts, all, "a; with HMM on, c");
    facts_set_integer(facts, "pci", "nvswitch_count", 6, "/sys");
    assert_remains(facts, all, "a; with NVSwitches, b; with HMM on, c");
    facts_set_string(facts, "machine", "confidential", "tdx", "/proc/cpuinfo");
    assert_remains(facts, all,
                   "in a confidential virtual machine, d; a; with NVSwitches, b; with HMM on, c");
    facts_set_boolean(facts, "nvml", "confidential_ready", true, "NVML");
    assert_remains(facts, all, "a; with NVSwitches, b; with HMM on, c");
    facts_free(facts);
}

static void test_a_container(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("570.86.15");
    facts_set_string(facts, "container", "engine", "docker", "/.dockerenv");
    assert_remains(facts, "a; in a container b", "a; in a container b");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_machine),
        cmocka_unit_test(test_what_the_machine_has),
        cmocka_unit_test(test_a_container),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
