/* SPDX-License-Identifier: MIT */
#include "rules/engine/finding.h"
#include "rules/world_framework.h"

/* What lies in an environment and cannot be used there. */

#define UNFIT   "framework_for_another_system"
#define MISSING "framework_requirement_missing"
#define CLASH   "framework_packages_clash"
#define DAMAGED "library_damaged"
#define BROKEN  "python_environment_broken"

static void test_nothing_and_unknown(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    assert_check(facts, PURPOSE_RUN, UNFIT, CHECK_SKIP, "no framework");
    assert_check(facts, PURPOSE_RUN, MISSING, CHECK_SKIP, "no framework");
    assert_check(facts, PURPOSE_RUN, CLASH, CHECK_SKIP, "no framework");
    assert_check(facts, PURPOSE_RUN, DAMAGED, CHECK_SKIP, "no framework");
    facts_set_absent(facts, "python", "count", "probe");
    assert_check(facts, PURPOSE_RUN, BROKEN, CHECK_SKIP, "no Python environment");
    facts_set_unknown(facts, "framework", "count", "cannot list", "probe");
    facts_set_unknown(facts, "python", "count", "cannot list", "probe");
    assert_check(facts, PURPOSE_RUN, UNFIT, CHECK_UNKNOWN, "framework.count: cannot list");
    assert_check(facts, PURPOSE_RUN, MISSING, CHECK_UNKNOWN, "cannot list");
    assert_check(facts, PURPOSE_RUN, CLASH, CHECK_UNKNOWN, "cannot list");
    assert_check(facts, PURPOSE_RUN, DAMAGED, CHECK_UNKNOWN, "cannot list");
    assert_check(facts, PURPOSE_RUN, BROKEN, CHECK_UNKNOWN, "python.count: cannot list");
    facts_free(facts);
}

static void test_wheel_for_another_python(void **state)
{
    (void)state;
    struct facts *facts = world_with_torch();
    world_list(facts, "framework/0", "tags", "cp312-cp312-manylinux_2_28_x86_64");
    facts_set_boolean(facts, "framework/0", "python_fits", true, SITE);
    facts_set_string(facts, "framework/0", "platform", "x86_64", SITE);
    assert_check(facts, PURPOSE_RUN, UNFIT, CHECK_PASS, NULL);
    world_list(facts, "framework/0", "tags", "cp310-cp310-manylinux_2_28_x86_64");
    facts_set_boolean(facts, "framework/0", "python_fits", false, SITE);
    assert_found(facts, PURPOSE_RUN, UNFIT, SEVERITY_FAIL,
                 "the tag cp310-cp310-manylinux_2_28_x86_64, but this environment has Python 3.12");
    assert_found(facts, PURPOSE_BUILD, UNFIT, SEVERITY_INFO, "cp310");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    const struct finding *finding = found(judgement, UNFIT);
    assert_string_equal(finding->subject, VENV);
    assert_string_equal(finding->evidence[finding->evidence_count - 2].name, "tags");
    assert_fix(finding, "install --force-reinstall --no-deps torch==2.5.1");
    judgement_free(judgement);
    world_idle(facts);
    assert_found(facts, PURPOSE_RUN, UNFIT, SEVERITY_INFO, "cp310");
    facts_free(facts);
}

static void test_wheel_for_another_machine(void **state)
{
    (void)state;
    struct facts *facts = world_with_torch();
    facts_set_string(facts, "os", "architecture", "x86_64", "uname");
    facts_set_string(facts, "framework/0", "platform", "aarch64", SITE);
    assert_found(facts, PURPOSE_RUN, UNFIT, SEVERITY_FAIL,
                 "libraries are for aarch64, but this machine's programs are for x86_64");
    facts_set_string(facts, "framework/0", "platform", "jetson", SITE); /* jetson_wrong_wheel's */
    assert_check(facts, PURPOSE_RUN, UNFIT, CHECK_PASS, NULL);
    facts_set_string(facts, "framework/0", "platform", "x86_64", SITE);
    facts_set_string(facts, "os", "glibc_version", "2.39", "libc.so.6");
    world_list(facts, "framework/0", "tags", "cp312-cp312-musllinux_1_2_x86_64");
    assert_found(facts, PURPOSE_RUN, UNFIT, SEVERITY_FAIL, "for the C library musl");
    world_list(facts, "framework/0", "tags",
               "cp312-cp312-musllinux_1_2_x86_64:cp312-cp312-manylinux_2_28_x86_64");
    assert_check(facts, PURPOSE_RUN, UNFIT, CHECK_PASS, NULL); /* for both */
    facts_free(facts);
}

static void test_numpy_for_another_system(void **state)
{
    (void)state;
    struct facts *facts = world_with_torch();
    world_list(facts, "python/0", "misfit", "numpy 2.2.0 (cp312-cp312-musllinux_1_2_x86_64)");
    assert_found(facts, PURPOSE_RUN, UNFIT, SEVERITY_FAIL, "numpy 2.2.0");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, UNFIT), "install --force-reinstall --no-deps numpy");
    judgement_free(judgement);
    facts_free(facts);
}

static void test_requirement(void **state)
{
    (void)state;
    struct facts *facts = world_with_torch();
    world_list(facts, "framework/0", "requires_missing", "");
    assert_check(facts, PURPOSE_RUN, MISSING, CHECK_PASS, NULL);
    AUTO_STRLIST struct strlist other = {0};
    strlist_add(&other, "numpy<2.0: 2.2.0 is");
    facts_set_list(facts, "framework/0", "requires_missing", &other, SITE);
    assert_found(facts, PURPOSE_RUN, MISSING, SEVERITY_FAIL,
                 "requires numpy<2.0, but NumPy 2.2.0 is installed");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, MISSING), "install 'numpy<2.0'");
    judgement_free(judgement);
    facts_free(facts);
}

static void test_plugin_that_is_not_there(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("550.90.07");
    world_framework(facts, "jax", "jaxlib", "0.4.35", "12.3");
    world_list(facts, "framework/0", "requires_missing", "jax-cuda12-plugin");
    assert_found(facts, PURPOSE_RUN, MISSING, SEVERITY_FAIL,
                 "requires the package jax-cuda12-plugin, which is not installed");
    assert_found(facts, PURPOSE_BUILD, MISSING, SEVERITY_INFO, "jax-cuda12-plugin");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, MISSING), "install jax-cuda12-plugin==0.4.35");
    judgement_free(judgement);
    facts_free(facts);
}

/* framework/1 beside PyTorch, in the same folder. */
static struct facts *with_twin(const char *package, const char *accelerator)
{
    static const char group[] = "framework/1";
    struct facts *facts = world_with_torch();
    facts_set_integer(facts, "framework", "count", 2, "probe");
    facts_set_string(facts, "framework/0", "directory", SITE "/torch", SITE);
    facts_set_string(facts, group, "name", "pytorch", SITE);
    facts_set_string(facts, group, "package", package, SITE);
    facts_set_string(facts, group, "version", "2.4.0", SITE);
    facts_set_string(facts, group, "environment", VENV, VENV);
    facts_set_string(facts, group, "python", "python/0", VENV);
    facts_set_string(facts, group, "directory", SITE "/torch", SITE);
    facts_set_boolean(facts, group, "active", true, VENV);
    facts_set_string(facts, group, "accelerator", accelerator, SITE);
    facts_set_boolean(facts, group, "cpu_only", string_equal(accelerator, "cpu"), SITE);
    return facts;
}

static void test_two_packages_in_one_folder(void **state)
{
    (void)state;
    struct facts *facts = world_with_torch();
    assert_check(facts, PURPOSE_RUN, CLASH, CHECK_PASS, NULL);
    facts_free(facts);
    facts = with_twin("torch-cpu", "cpu");
    assert_found(facts, PURPOSE_RUN, CLASH, SEVERITY_FAIL,
                 "torch 2.5.1+cu124 and torch-cpu 2.4.0 are both in " VENV);
    assert_found(facts, PURPOSE_BUILD, CLASH, SEVERITY_INFO, "share one folder");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_int_equal(found_count(judgement, CLASH), 1);
    /* the one for GPUs stays */
    assert_fix(found(judgement, CLASH), "uninstall -y torch torch-cpu");
    assert_fix(found(judgement, CLASH), "install torch==2.5.1+cu124");
    judgement_free(judgement);
    facts_set_string(facts, "framework/1", "directory", SITE "/torch_cpu", SITE);
    assert_check(facts, PURPOSE_RUN, CLASH, CHECK_PASS, NULL); /* two folders */
    facts_free(facts);
    facts = with_twin("torch", "cuda");
    assert_check(facts, PURPOSE_RUN, CLASH, CHECK_PASS, NULL); /* one package */
    facts_free(facts);
}

#define CUBLAS SITE "/nvidia/cublas/lib/libcublas.so.12"

static void test_damaged_library(void **state)
{
    (void)state;
    struct facts *facts = world_with_torch();
    world_load(facts, 0, "cublas", "libcublas.so.12", CUBLAS, "RPATH");
    assert_check(facts, PURPOSE_RUN, DAMAGED, CHECK_PASS, NULL);
    facts_set_string(facts, "framework_library/0", "damaged", CUBLAS ": truncated: 100 of 900 B",
                     "probe");
    assert_found(facts, PURPOSE_RUN, DAMAGED, SEVERITY_FAIL,
                 "loads a damaged library: " CUBLAS ": truncated");
    assert_found(facts, PURPOSE_BUILD, DAMAGED, SEVERITY_INFO, "truncated");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, DAMAGED), "--no-deps torch==2.5.1+cu124");
    judgement_free(judgement);
    facts_set_string(facts, "wheel/0", "name", "nvidia-cublas-cu12", SITE);
    facts_set_string(facts, "wheel/0", "version", "12.4.5.8", SITE);
    facts_set_string(facts, "wheel/0", "directory", SITE "/nvidia/cublas/lib", SITE);
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, DAMAGED), "--no-deps nvidia-cublas-cu12==12.4.5.8");
    judgement_free(judgement);
    facts_free(facts);
}

static void test_damaged_file_of_the_framework(void **state)
{
    (void)state;
    struct facts *facts = world_with_torch();
    world_list(facts, "framework/0", "damaged", "/opt/x/libx.so is a link to /opt/gone.so");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_int_equal(found_count(judgement, DAMAGED), 1);
    assert_fix(found(judgement, DAMAGED), "reinstall the package that contains this file");
    judgement_free(judgement);
    world_idle(facts);
    assert_found(facts, PURPOSE_RUN, DAMAGED, SEVERITY_INFO, "is a link to");
    facts_free(facts);
}

static void test_environment_without_python(void **state)
{
    (void)state;
    struct facts *facts = world_with_torch();
    assert_check(facts, PURPOSE_RUN, BROKEN, CHECK_PASS, NULL);
    facts_set_string(facts, "python/0", "program_broken", "bin/python leads to /opt/py312, gone",
                     VENV);
    assert_found(facts, PURPOSE_RUN, BROKEN, SEVERITY_FAIL,
                 "the Python environment " VENV " has no Python: bin/python leads to");
    assert_found(facts, PURPOSE_BUILD, BROKEN, SEVERITY_INFO, VENV);
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_string_equal(found(judgement, BROKEN)->subject, VENV);
    assert_fix(found(judgement, BROKEN), "python3 -m venv --upgrade " VENV);
    judgement_free(judgement);
    world_idle(facts);
    assert_found(facts, PURPOSE_RUN, BROKEN, SEVERITY_INFO, VENV);
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_and_unknown),
        cmocka_unit_test(test_wheel_for_another_python),
        cmocka_unit_test(test_wheel_for_another_machine),
        cmocka_unit_test(test_numpy_for_another_system),
        cmocka_unit_test(test_requirement),
        cmocka_unit_test(test_plugin_that_is_not_there),
        cmocka_unit_test(test_two_packages_in_one_folder),
        cmocka_unit_test(test_damaged_library),
        cmocka_unit_test(test_damaged_file_of_the_framework),
        cmocka_unit_test(test_environment_without_python),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
