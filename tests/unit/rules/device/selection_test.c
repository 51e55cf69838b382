/* SPDX-License-Identifier: MIT */
#include "rules/engine/finding.h"
#include "rules/world.h"

#define CAUSE "cuda_visible_devices_bad_index"

static void choose(struct facts *facts, const char *value)
{
    facts_set_string(facts, "environment", "CUDA_VISIBLE_DEVICES", value, "environment");
}

/* Two GPUs, as NVML lists them. */
static struct facts *two_gpus(const char *value)
{
    struct facts *facts = world_with_driver("580.95.05");
    world_gpu(facts, "0000:02:00.0", "2330", "nvidia");
    facts_set_integer(facts, "pci", "count", 2, "/sys/bus/pci/devices");
    facts_set_integer(facts, "nvml", "count", 2, "nvmlDeviceGetCount");
    facts_set_string(facts, "nvml/0", "uuid", "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6", "nvml");
    facts_set_string(facts, "nvml/1", "uuid", "GPU-1a2b3c4d-0000-4106-c12f-20bd9faed9f6", "nvml");
    facts_set_absent(facts, "nvml/0", "mig", "nvml");
    facts_set_absent(facts, "nvml/1", "mig", "nvml");
    choose(facts, value);
    return facts;
}

static void assert_value(const char *value, enum check_status status)
{
    struct facts *facts = two_gpus(value);
    print_message("%s\n", value);
    assert_check(facts, PURPOSE_RUN, CAUSE, status, NULL);
    facts_free(facts);
}

static void test_good_values_pass(void **state)
{
    static const char *const values[] = {
        "0", "1", "0,1", "1,0", "0 ", " 1", "GPU-8932f937", "GPU-1A2B,0", "0, 1"};
    (void)state;
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        assert_value(values[i], CHECK_PASS);
}

static void test_values_that_hide_all_fail(void **state)
{
    static const char *const values[] = {"2",   "bash", "all",          "99999999999999999999",
                                         "2,0", ",0",   "GPU-ffffffff", "MIG-0123",
                                         "0x0", "-2"};
    (void)state;
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        assert_value(values[i], CHECK_FAIL);
}

static void test_what_is_hidden_is_said(void **state)
{
    (void)state;
    struct facts *facts = two_gpus("2");
    world_answer(facts, "libcuda.so.1", 100, "CUDA_ERROR_NO_DEVICE", "13.0");
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_FAIL, "see none of the 2 GPUs");
    assert_found(facts, PURPOSE_CONTAINER, CAUSE, SEVERITY_FAIL, "see none of the 2 GPUs");
    assert_found(facts, PURPOSE_BUILD, CAUSE, SEVERITY_INFO, "see none of the 2 GPUs");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_string_equal(judgement->findings[0]->cause, CAUSE);
    assert_says(judgement->findings[0]->why, "from 0 to 1");
    assert_string_equal(found(judgement, "cuda_init_failed")->caused_by, "GPU-012");
    assert_fix(judgement->findings[0], "unset CUDA_VISIBLE_DEVICES");
    judgement_free(judgement);
    facts_free(facts);
}

static void test_entries_behind_the_bad_one_are_ignored(void **state)
{
    (void)state;
    struct facts *facts = two_gpus("1,7,0");
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_WARN, "programs see only \"1\"");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, CAUSE), "export CUDA_VISIBLE_DEVICES=1");
    judgement_free(judgement);
    facts_free(facts);
}

static void test_hiding_all_is_a_choice(void **state)
{
    static const char *const values[] = {"", "-1", "NoDevFiles"};
    (void)state;
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        struct facts *facts = two_gpus(values[i]);
        world_answer(facts, "libcuda.so.1", 100, "CUDA_ERROR_NO_DEVICE", "13.0");
        assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_INFO, "programs see no GPU");
        struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
        assert_int_equal(judgement->exit_code, 0);
        assert_int_equal(judgement->fail + judgement->warn, 0);
        judgement_free(judgement);
        facts_free(facts);
    }
}

static void test_without_nvml_the_bus_counts(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    choose(facts, "1");
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_FAIL, "programs do not see the GPU");
    choose(facts, "GPU-8932f937");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_UNKNOWN, "no GPU UUIDs");
    world_answer(facts, "libcuda.so.1", 0, NULL, "13.0");
    facts_set_integer(facts, "cuda", "count", 1, "cuDeviceGetCount");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_PASS, NULL);
    world_answer(facts, "libcuda.so.1", 100, "CUDA_ERROR_NO_DEVICE", "13.0");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_FAIL, NULL);
    facts_free(facts);
}

static void test_mig(void **state)
{
    (void)state;
    struct facts *facts = two_gpus("MIG-0123");
    facts_set_boolean(facts, "nvml/1", "mig", true, "nvml");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_UNKNOWN, "MIG-0123");
    world_answer(facts, "libcuda.so.1", 0, NULL, "13.0");
    facts_set_integer(facts, "cuda", "count", 1, "cuDeviceGetCount");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_a_number_twice(void **state)
{
    (void)state;
    struct facts *facts = two_gpus("0,0");
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_FAIL, "see none of the 2 GPUs");
    choose(facts, "1, 0,1,7");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, CAUSE), "export CUDA_VISIBLE_DEVICES=1,0");
    judgement_free(judgement);
    facts_free(facts);
}

static void test_skip(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    assert_check(facts, PURPOSE_BUILD, CAUSE, CHECK_SKIP, "not set");
    choose(facts, "3");
    assert_check(facts, PURPOSE_BUILD, CAUSE, CHECK_SKIP, "no GPU to choose");
    facts_set_skipped(facts, "environment", "CUDA_VISIBLE_DEVICES", "a tree holds none", "--root");
    assert_check(facts, PURPOSE_BUILD, CAUSE, CHECK_SKIP, "a tree holds none");
    facts_set_unknown(facts, "environment", "CUDA_VISIBLE_DEVICES", "torn", "environment");
    assert_check(facts, PURPOSE_BUILD, CAUSE, CHECK_UNKNOWN, "torn");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_values_pass),
        cmocka_unit_test(test_values_that_hide_all_fail),
        cmocka_unit_test(test_what_is_hidden_is_said),
        cmocka_unit_test(test_entries_behind_the_bad_one_are_ignored),
        cmocka_unit_test(test_hiding_all_is_a_choice),
        cmocka_unit_test(test_without_nvml_the_bus_counts),
        cmocka_unit_test(test_mig),
        cmocka_unit_test(test_a_number_twice),
        cmocka_unit_test(test_skip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
