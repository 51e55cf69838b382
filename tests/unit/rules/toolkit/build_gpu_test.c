/* SPDX-License-Identifier: MIT */
#include "rules/engine/finding.h"
#include "rules/world.h"

/* Toolkits that do not compile for the GPUs here. */

static const char too_old[] = "toolkit_too_old_for_gpu";
static const char too_new[] = "toolkit_too_new_for_gpu";
static const char shadowed[] = "distro_nvcc_shadows_toolkit";

/* device: 2330 H100 (9.0), 1db1 V100 (7.0) */
static struct facts *machine(const char *device, const char *cuda)
{
    struct facts *facts = world_bare();
    facts_set_integer(facts, "pci", "count", 1, "/sys/bus/pci/devices");
    world_gpu(facts, "0000:01:00.0", device, "nvidia");
    world_default_toolkit(facts, "/usr/local/cuda-1", cuda);
    return facts;
}

static void test_fit(void **state)
{
    static const struct {
        const char *device, *cuda;
        enum check_status old, new;
    } rows[] = {
        {"2330", "12.8", CHECK_PASS, CHECK_PASS}, {"2330", "11.3", CHECK_FAIL, CHECK_PASS},
        {"1db1", "12.9", CHECK_PASS, CHECK_PASS}, {"1db1", "13.0", CHECK_PASS, CHECK_FAIL},
        {"1db1", "8.0", CHECK_FAIL, CHECK_PASS},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct facts *facts = machine(rows[i].device, rows[i].cuda);
        assert_check(facts, PURPOSE_BUILD, too_old, rows[i].old, NULL);
        assert_check(facts, PURPOSE_BUILD, too_new, rows[i].new, NULL);
        facts_free(facts);
    }
    struct facts *facts = machine("2330", "12.8");
    assert_check(facts, PURPOSE_BUILD, too_old, CHECK_PASS, NULL);
    assert_check(facts, PURPOSE_BUILD, too_new, CHECK_PASS, NULL);
    facts_free(facts);
    facts = machine("2330", "11.3");
    assert_found(facts, PURPOSE_BUILD, too_old, SEVERITY_FAIL, "the first CUDA that does is 11.8");
    assert_check(facts, PURPOSE_BUILD, too_old, CHECK_FAIL, NULL);
    facts_set_string(facts, "environment", "CUDAARCHS", "80", "environment");
    assert_check(facts, PURPOSE_BUILD, too_old, CHECK_SKIP, "CUDAARCHS");
    facts_free(facts);
    facts = machine("1db1", "13.0");
    assert_found(facts, PURPOSE_BUILD, too_new, SEVERITY_FAIL, "the last CUDA that does is 12.9");
    world_toolkit(facts, "/opt/cuda-12.6", "12.6", "/opt/cuda-12.6", "");
    facts_set_integer(facts, "toolkit", "count", 2, "probe");
    assert_found_fix(facts, PURPOSE_BUILD, too_new, "CUDA_HOME=/opt/cuda-12.6");
    assert_found_fix(facts, PURPOSE_BUILD, too_new, "cuda-toolkit-12-9");
    facts_free(facts);
}

/* One of two GPUs: builds for the other one work. */
static void test_one_of_two(void **state)
{
    (void)state;
    struct facts *facts = machine("2330", "13.0");
    world_gpu(facts, "0000:02:00.0", "1db1", "nvidia");
    facts_set_integer(facts, "pci", "count", 2, "/sys/bus/pci/devices");
    assert_found(facts, PURPOSE_BUILD, too_new, SEVERITY_WARN, "V100");
    facts_free(facts);
}

static void test_version_unknown(void **state)
{
    (void)state;
    struct facts *facts = machine("2330", "11.3");
    facts_set_unknown(facts, "toolkit//usr/local/cuda-1", "version", "no time left", "probe");
    assert_check(facts, PURPOSE_BUILD, too_old, CHECK_UNKNOWN, "no time left");
    assert_check(facts, PURPOSE_BUILD, too_new, CHECK_UNKNOWN, "no time left");
    facts_free(facts);
}

/* A GPU that the manifest does not have. */
static void test_capability_unknown(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    facts_set_string(facts, "assumed/0", "capability", "99.0", "--assume-gpu");
    facts_set_integer(facts, "assumed", "count", 1, "--assume-gpu");
    world_default_toolkit(facts, "/usr/local/cuda-1", "12.8");
    assert_check(facts, PURPOSE_BUILD, too_old, CHECK_UNKNOWN, "does not list");
    assert_check(facts, PURPOSE_BUILD, too_new, CHECK_UNKNOWN, "does not list");
    facts_free(facts);
}

static struct facts *with_distribution(const char *device, const char *own, const char *cuda)
{
    struct facts *facts = machine(device, cuda);
    world_toolkit(facts, "/usr", own, "PATH", "");
    facts_set_string(facts, "toolkit//usr", "origin", "package", "/usr");
    facts_set_string(facts, "toolkit", "nvcc_on_path", "/usr/bin/nvcc", "PATH");
    facts_set_integer(facts, "toolkit", "count", 2, "probe");
    return facts;
}

static void test_shadow(void **state)
{
    (void)state;
    struct facts *facts = with_distribution("2330", "11.5", "12.8");
    assert_found(facts, PURPOSE_BUILD, shadowed, SEVERITY_FAIL, "/usr/bin/nvcc");
    struct judgement *judgement = world_judge(facts, PURPOSE_BUILD);
    assert_string_equal(found(judgement, too_old)->caused_by, "CUD-006");
    judgement_free(judgement);
    facts_free(facts);
    facts = with_distribution("2330", "12.0", "12.8");
    assert_found(facts, PURPOSE_BUILD, shadowed, SEVERITY_WARN, "/usr/local/cuda");
    facts_set_string(facts, "toolkit//usr", "version", "12.8", "/usr");
    assert_check(facts, PURPOSE_BUILD, shadowed, CHECK_PASS, NULL);
    facts_free(facts);
    facts = machine("2330", "12.8");
    assert_check(facts, PURPOSE_BUILD, shadowed, CHECK_SKIP, "not the distribution's");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fit),
        cmocka_unit_test(test_one_of_two),
        cmocka_unit_test(test_version_unknown),
        cmocka_unit_test(test_capability_unknown),
        cmocka_unit_test(test_shadow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
