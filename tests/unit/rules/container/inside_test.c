/* SPDX-License-Identifier: MIT */
#include "rules/world.h"

#define COMPUTE "container_driver_capabilities_missing_compute"
#define LXC     "lxc_missing_device_or_libs"

/* A container with nodes and mounted libraries, and without libcuda. */
static struct facts *utility_alone(void)
{
    struct facts *facts = world_bare();
    world_gpu(facts, "0000:01:00.0", "2330", "nvidia");
    facts_set_integer(facts, "pci", "count", 1, "/sys/bus/pci/devices");
    world_module(facts, "570.86.15");
    world_container(facts, "docker");
    world_node(facts, "nvidia0", "195:0", true);
    facts_set_integer(facts, "device", "count", 1, "/dev");
    facts_set_boolean(facts, "container", "nvidia_libraries", true, "/proc/self/mountinfo");
    facts_set_absent(facts, "environment", "NVIDIA_DRIVER_CAPABILITIES", "environment");
    world_list(facts, "container_toolkit", "programs", "");
    return facts;
}

static void without_compute(void **state)
{
    (void)state;
    struct facts *facts = utility_alone();
    assert_found(facts, PURPOSE_CONTAINER, COMPUTE, SEVERITY_FAIL, "capability compute");
    facts_set_string(facts, "environment", "NVIDIA_DRIVER_CAPABILITIES", "utility", "environment");
    struct judgement *judgement = world_judge(facts, PURPOSE_CONTAINER);
    assert_says(found(judgement, COMPUTE)->why, "NVIDIA_DRIVER_CAPABILITIES=utility");
    assert_string_equal(found(judgement, "libcuda_missing")->caused_by, "CTR-005");
    judgement_free(judgement);
    facts_set_string(facts, "environment", "NVIDIA_DRIVER_CAPABILITIES", "all", "environment");
    assert_check(facts, PURPOSE_CONTAINER, COMPUTE, CHECK_PASS, NULL); /* another cause */
    assert_check(facts, PURPOSE_BUILD, COMPUTE, CHECK_SKIP, "not needed to build");
    facts_set_unknown(facts, "container", "nvidia_libraries", "I/O error", "/proc/self/mountinfo");
    assert_check(facts, PURPOSE_CONTAINER, COMPUTE, CHECK_UNKNOWN, "I/O error");
    facts_free(facts);
    facts = world_with_driver("570.86.15");
    assert_check(facts, PURPOSE_RUN, COMPUTE, CHECK_SKIP, "not in a container");
    facts_free(facts);
}

/* A guest with the nodes, and the driver's libraries of that release. */
static struct facts *guest(const char *release)
{
    struct facts *facts = world_with_driver("570.86.15");
    world_container(facts, "lxc");
    world_driver_libraries(facts, release);
    facts_set_boolean(facts, "container", "nvidia_libraries", false, "/proc/self/mountinfo");
    world_list(facts, "container_toolkit", "programs", "");
    return facts;
}

static void a_guest_of_lxc(void **state)
{
    (void)state;
    struct facts *facts = guest("570.86.15");
    assert_check(facts, PURPOSE_CONTAINER, LXC, CHECK_PASS, NULL);
    assert_check(facts, PURPOSE_BUILD, LXC, CHECK_SKIP, "not needed to build");
    world_container(facts, "docker");
    assert_check(facts, PURPOSE_CONTAINER, LXC, CHECK_SKIP, "not in a guest of LXC");
    facts_set_unknown(facts, "container", "engine", "I/O error", "/.dockerenv");
    assert_check(facts, PURPOSE_CONTAINER, LXC, CHECK_UNKNOWN, "I/O error");
    facts_free(facts);
}

static void neither_nodes_nor_libraries(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    world_gpu(facts, "0000:01:00.0", "2330", "nvidia");
    facts_set_integer(facts, "pci", "count", 1, "/sys/bus/pci/devices");
    world_module(facts, "570.86.15");
    world_container(facts, "lxc");
    facts_set_boolean(facts, "container", "nvidia_libraries", false, "/proc/self/mountinfo");
    world_list(facts, "container_toolkit", "programs", "");
    assert_check(facts, PURPOSE_CONTAINER, LXC, CHECK_PASS, NULL); /* it has no sign of one */
    world_list(facts, "container_toolkit", "programs", "/usr/bin/nvidia-ctk");
    assert_found(facts, PURPOSE_CONTAINER, LXC, SEVERITY_FAIL, "nodes (/dev/nvidia0 and others)");
    struct judgement *judgement = world_judge(facts, PURPOSE_CONTAINER);
    assert_string_equal(found(judgement, "container_no_gpu_requested")->caused_by, "CTR-011");
    assert_fix(found(judgement, LXC), "lxc config device add NAME gpu gpu");
    judgement_free(judgement);
    world_node(facts, "nvidia0", "195:0", true);
    assert_found(facts, PURPOSE_CONTAINER, LXC, SEVERITY_FAIL, "the driver's libraries");
    facts_free(facts);
}

static void libraries_of_another_release(void **state)
{
    (void)state;
    struct facts *facts = world_with_gpu();
    world_gpu(facts, "0000:01:00.0", "2330", "nvidia");
    world_module(facts, "570.86.15");
    world_driver_libraries(facts, "565.77");
    world_container(facts, "lxc");
    world_node(facts, "nvidia0", "195:0", true);
    facts_set_boolean(facts, "container", "nvidia_libraries", false, "/proc/self/mountinfo");
    world_list(facts, "container_toolkit", "programs", "");
    assert_found(facts, PURPOSE_CONTAINER, LXC, SEVERITY_FAIL, "libraries 565.77");
    struct judgement *judgement = world_judge(facts, PURPOSE_CONTAINER);
    assert_string_equal(found(judgement, "driver_library_mismatch")->caused_by, "CTR-011");
    judgement_free(judgement);
    facts_free(facts);
}

#define IMEX "imex_channel_missing"

static void a_channel_without_its_node(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("570.86.15");
    world_container(facts, "kubernetes");
    facts_set_boolean(facts, "container", "nvidia_libraries", true, "/proc/self/mountinfo");
    assert_check(facts, PURPOSE_CONTAINER, IMEX, CHECK_SKIP, "was given an IMEX channel");
    facts_set_string(facts, "environment", "NVIDIA_IMEX_CHANNELS", "0", "environment");
    facts_set_integer(facts, "container", "imex_major", 234, "/proc/devices");
    assert_found(facts, PURPOSE_CONTAINER, IMEX, SEVERITY_FAIL, "channel0");
    world_node(facts, "nvidia-caps-imex-channels/channel0", "234:0", true);
    assert_check(facts, PURPOSE_CONTAINER, IMEX, CHECK_PASS, NULL);
    facts_set_string(facts, "environment", "NVIDIA_IMEX_CHANNELS", "0,3", "environment");
    assert_found(facts, PURPOSE_CONTAINER, IMEX, SEVERITY_FAIL, "channel3");
    facts_set_string(facts, "environment", "NVIDIA_IMEX_CHANNELS", "all", "environment");
    assert_check(facts, PURPOSE_CONTAINER, IMEX, CHECK_PASS, NULL); /* which may be none */
    facts_set_unknown(facts, "container", "imex_major", "I/O error", "/proc/devices");
    assert_check(facts, PURPOSE_CONTAINER, IMEX, CHECK_UNKNOWN, "I/O error");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_compute),
        cmocka_unit_test(a_guest_of_lxc),
        cmocka_unit_test(neither_nodes_nor_libraries),
        cmocka_unit_test(libraries_of_another_release),
        cmocka_unit_test(a_channel_without_its_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
