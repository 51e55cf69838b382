/* SPDX-License-Identifier: MIT */
#include "rules/engine/finding.h"
#include "rules/world.h"

#define SHORT "gpu_count_short_vs_pci"
#define MIXED "mixed_gpu_architectures"

/* Two GPUs on the bus, one that NVML lists. */
static struct facts *one_of_two(const char *driver)
{
    struct facts *facts = world_with_driver("570.86.15");
    facts_set_integer(facts, "pci", "count", 2, "sysfs");
    world_gpu(facts, "0000:02:00.0", "2330", driver);
    world_answer(facts, "libnvidia-ml.so.1", 0, NULL, NULL);
    facts_set_integer(facts, "nvml", "count", 1, "NVML");
    facts_set_string(facts, "nvml/0", "bus_id", "0000:01:00.0", "NVML");
    return facts;
}

static void test_short(void **state)
{
    (void)state;
    struct facts *facts = one_of_two("nvidia");
    assert_found(facts, PURPOSE_RUN, SHORT, SEVERITY_FAIL,
                 "the bus shows 2 GPUs, but NVML lists 1; missing: 0000:02:00.0");
    facts_set_string(facts, "pci/0000:02:00.0", "revision", "ff", "sysfs");
    assert_found(facts, PURPOSE_RUN, SHORT, SEVERITY_FAIL, "0000:02:00.0 (does not answer)");
    facts_set_integer(facts, "nvml", "count", 0, "NVML");
    facts_set_string(facts, "nvml/0", "bus_id", NULL, "NVML");
    assert_found(facts, PURPOSE_RUN, SHORT, SEVERITY_FAIL, "NVML lists 0");
    facts_free(facts);
    facts = one_of_two(NULL);
    assert_found(facts, PURPOSE_RUN, SHORT, SEVERITY_FAIL, "(no driver is bound to it)");
    facts_free(facts);
}

/* world.h's GPU is an H100, which has a confidential mode. */
static void test_other_confidential_mode(void **state)
{
    (void)state;
    struct facts *facts = one_of_two("nvidia");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_says(found(judgement, SHORT)->why, "does not match this machine");
    judgement_free(judgement);
    facts_set_boolean(facts, "nvml", "confidential", true, "NVML");
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_says(found(judgement, SHORT)->why, "the other GPUs, for which NVML says that it is on");
    assert_fix(found(judgement, SHORT), "mode of the other GPUs");
    judgement_free(judgement);
    facts_set_boolean(facts, "nvml", "confidential", false, "NVML");
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_says(found(judgement, SHORT)->why, "the other GPUs, for which NVML says that it is off");
    assert_false(fix_says(found(judgement, SHORT), "mode of the other GPUs"));
    judgement_free(judgement);
    facts_set_string(facts, "machine", "confidential", "tdx", "/proc/cpuinfo");
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, SHORT), "mode of the other GPUs");
    judgement_free(judgement);
    facts_set_integer(facts, "nvml", "count", 0, "NVML"); /* then the driver says nothing of it */
    facts_set_string(facts, "nvml/0", "bus_id", NULL, "NVML");
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_says(found(judgement, SHORT)->why, "does not match this machine");
    assert_fix(found(judgement, SHORT), "mode on for this virtual machine");
    judgement_free(judgement);
    facts_free(facts);
}

static void test_set_aside(void **state)
{
    (void)state;
    struct facts *facts = one_of_two("vfio-pci");
    assert_found(facts, PURPOSE_RUN, SHORT, SEVERITY_INFO, "virtual machines (vfio-pci): 0000:02");
    facts_free(facts);
    facts = one_of_two("nvidia");
    facts_set_string(facts, "driver_gpu/1", "bus_id", "0000:02:00.0", "/proc");
    assert_found(facts, PURPOSE_RUN, SHORT, SEVERITY_WARN, "missing");
    facts_set_boolean(facts, "driver_gpu/1", "excluded", true, "/proc");
    assert_found(facts, PURPOSE_RUN, SHORT, SEVERITY_INFO, "excluded from the driver: 0000:02");
    facts_free(facts);
}

static void test_where_fewer_are_healthy(void **state)
{
    (void)state;
    struct facts *facts = one_of_two("nvidia");
    world_container(facts, "docker");
    assert_check(facts, PURPOSE_CONTAINER, SHORT, CHECK_SKIP, "given 1 of the 2");
    facts_set_string(facts, "assumed/0", "capability", "9.0", "--assume-gpu");
    assert_check(facts, PURPOSE_RUN, SHORT, CHECK_SKIP, "assumed");
    facts_free(facts);
}

/* A job of a scheduler: the module has both GPUs, the device cgroup refuses the node of one. */
static void test_given_to_another_job(void **state)
{
    (void)state;
    struct facts *facts = one_of_two("nvidia");
    facts_set_string(facts, "driver_gpu/1", "bus_id", "0000:02:00.0", "/proc");
    facts_set_integer(facts, "driver_gpu/1", "minor", 1, "/proc");
    facts_set_string(facts, "device/nvidia1", "path", "/dev/nvidia1", "/dev");
    facts_set_string(facts, "device/nvidia1", "number", "195:1", "/dev");
    facts_set_boolean(facts, "device/nvidia1", "usable", false, "access(2)");
    facts_set_string(facts, "device/nvidia1", "error", "EPERM", "access(2)");
    assert_check(facts, PURPOSE_RUN, SHORT, CHECK_SKIP, "allows this session 1 of the machine's 2");
    facts_set_string(facts, "device/nvidia1", "error", "EACCES", "access(2)");
    assert_found(facts, PURPOSE_RUN, SHORT, SEVERITY_WARN, "missing");
    facts_set_string(facts, "device/nvidia1", "error", "EPERM", "access(2)");
    facts_set_integer(facts, "nvml", "count", 0, "NVML");
    facts_set_string(facts, "nvml/0", "bus_id", NULL, "NVML");
    assert_found(facts, PURPOSE_RUN, SHORT, SEVERITY_FAIL, "NVML lists 0");
    facts_free(facts);
}

static void test_other_census(void **state)
{
    (void)state;
    struct facts *facts = one_of_two("nvidia");
    facts_set_unknown(facts, "nvml", "count", "no answer in 10 s", "NVML");
    world_no_answer(facts, "libnvidia-ml.so.1", "no answer in 10 s");
    assert_check(facts, PURPOSE_RUN, SHORT, CHECK_UNKNOWN, "no answer in 10 s");
    facts_set_integer(facts, "driver_gpu", "count", 1, "/proc");
    facts_set_string(facts, "driver_gpu/0", "bus_id", "0000:01:00.0", "/proc");
    assert_found(facts, PURPOSE_RUN, SHORT, SEVERITY_FAIL, "the kernel module lists 1");
    facts_set_integer(facts, "driver_gpu", "count", 0, "/proc");
    facts_set_integer(facts, "cuda", "count", 1, "CUDA");
    facts_set_string(facts, "cuda/0", "bus_id", "0000:01:00.0", "CUDA");
    assert_found(facts, PURPOSE_RUN, SHORT, SEVERITY_FAIL, "CUDA lists 1");
    facts_set_string(facts, "environment", "CUDA_VISIBLE_DEVICES", "0", "environment");
    assert_check(facts, PURPOSE_RUN, SHORT, CHECK_UNKNOWN, "no answer");
    facts_free(facts);
}

static void test_mixed(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("570.86.15");
    assert_check(facts, PURPOSE_RUN, MIXED, CHECK_SKIP, "fewer than two GPUs");
    facts_set_integer(facts, "pci", "count", 2, "sysfs");
    world_gpu(facts, "0000:02:00.0", "2330", "nvidia");
    assert_check(facts, PURPOSE_RUN, MIXED, CHECK_PASS, NULL);
    world_gpu(facts, "0000:02:00.0", "1db6", "nvidia"); /* V100 */
    assert_found(facts, PURPOSE_RUN, MIXED, SEVERITY_INFO, "(Volta, 7.0)");
    world_default_toolkit(facts, "/usr/local/cuda-12.8", "12.8.1");
    assert_found(facts, PURPOSE_RUN, MIXED, SEVERITY_INFO, "(Volta, 7.0)");
    world_default_toolkit(facts, "/usr/local/cuda-13.0", "13.0");
    assert_found(facts, PURPOSE_RUN, MIXED, SEVERITY_WARN, "13.0 does not compile for: 1 x ");
    world_gpu(facts, "0000:02:00.0", "1db6", "vfio-pci");
    assert_check(facts, PURPOSE_RUN, MIXED, CHECK_SKIP, "fewer than two GPUs");
    world_gpu(facts, "0000:02:00.0", "fffe", "nvidia");
    assert_check(facts, PURPOSE_RUN, MIXED, CHECK_UNKNOWN, "does not know 1 of 2");
    facts_free(facts);
}

static void test_mixed_by_driver(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("590.44.01");
    facts_set_integer(facts, "pci", "count", 2, "sysfs");
    world_gpu(facts, "0000:02:00.0", "1db6", NULL);
    assert_found(facts, PURPOSE_RUN, MIXED, SEVERITY_WARN,
                 "driver 590.44.01 does not support: 1 x");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_short),
        cmocka_unit_test(test_other_confidential_mode),
        cmocka_unit_test(test_set_aside),
        cmocka_unit_test(test_where_fewer_are_healthy),
        cmocka_unit_test(test_given_to_another_job),
        cmocka_unit_test(test_other_census),
        cmocka_unit_test(test_mixed),
        cmocka_unit_test(test_mixed_by_driver),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
