/* SPDX-License-Identifier: MIT */
#include "rules/engine/finding.h"
#include "rules/world.h"

#define CAUSE "cuda_home_malformed"

static struct facts *with_home(const char *value)
{
    struct facts *facts = world_bare();
    world_default_toolkit(facts, "/usr/local/cuda-13.0", "13.0");
    facts_set_string(facts, "environment", "CUDA_HOME", value, "environment");
    return facts;
}

/* What is wrong with a value, and the value that is proposed. */
static void test_malformed_values(void **state)
{
    static const struct {
        const char *value, *message, *fix;
    } rows[] = {
        {":/usr/local/cuda-13.0", "not a list", "export CUDA_HOME=/usr/local/cuda-13.0"},
        {"/usr/local/cuda:/usr/local/cuda-13.0", "not a list", "=/usr/local/cuda-13.0"},
        {"/opt/a/bin:/opt/b", "not a list", "=/opt/a"},
        {"/usr/local/cuda-13.0/bin", "not its bin", "=/usr/local/cuda-13.0"},
        {"/usr/local/cuda-13.0/bin/", "not its bin", "=/usr/local/cuda-13.0"},
        {"/usr/local/cuda-13.0/bin/nvcc", "not its bin", "=/usr/local/cuda-13.0"},
        {"/opt/my cuda/bin", "not its bin", "='/opt/my cuda'"},
        {"/nowhere", "there is no CUDA toolkit in that directory", "=/usr/local/cuda-13.0"},
        {"cuda-13.0", "not an absolute path", "=/usr/local/cuda-13.0"},
        {"/opt/x\n", "there is no CUDA toolkit in that directory", "=/usr/local/cuda-13.0"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct facts *facts = with_home(rows[i].value);
        assert_found(facts, PURPOSE_BUILD, CAUSE, SEVERITY_FAIL, rows[i].message);
        assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_INFO, rows[i].value);
        struct judgement *judgement = world_judge(facts, PURPOSE_BUILD);
        assert_fix(found(judgement, CAUSE), rows[i].fix);
        judgement_free(judgement);
        facts_free(facts);
    }
}

static void test_good_values_pass(void **state)
{
    (void)state;
    struct facts *facts = with_home("/usr/local/cuda-13.0");
    assert_check(facts, PURPOSE_BUILD, CAUSE, CHECK_PASS, NULL);
    facts_free(facts);
    facts = with_home("/usr/local/cuda-13.0/");
    assert_check(facts, PURPOSE_BUILD, CAUSE, CHECK_PASS, NULL);
    facts_free(facts);
    facts = with_home("/usr/local/cuda"); /* a link: the probe says that it leads there */
    world_list(facts, "toolkit//usr/local/cuda-13.0", "named_by", "/usr/local/cuda:CUDA_HOME");
    assert_check(facts, PURPOSE_BUILD, CAUSE, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_other_variables_are_judged_too(void **state)
{
    (void)state;
    struct facts *facts = with_home(NULL);
    facts_set_string(facts, "environment", "CUDA_PATH", "/nowhere", "environment");
    assert_found(facts, PURPOSE_BUILD, CAUSE, SEVERITY_FAIL, "CUDA_PATH");
    facts_set_absent(facts, "environment", "CUDA_PATH", "environment");
    facts_set_string(facts, "environment", "CUDAToolkit_ROOT", "/a:/b", "environment");
    assert_found(facts, PURPOSE_BUILD, CAUSE, SEVERITY_FAIL, "CUDAToolkit_ROOT");
    facts_set_string(facts, "environment", "CUDAToolkit_ROOT", "/a:/usr/local/cuda-13.0",
                     "environment"); /* CMake takes a list */
    assert_check(facts, PURPOSE_BUILD, CAUSE, CHECK_PASS, NULL);
    facts_free(facts);
}

/* One fault, not two: CUDA_HOME is right, the link is not. */
static void test_follows_from_a_dangling_link(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    facts_set_string(facts, "toolkit", "default_link", "/usr/local/cuda-12.4", "/usr/local/cuda");
    facts_set_string(facts, "environment", "CUDA_HOME", "/usr/local/cuda", "environment");
    struct judgement *judgement = world_judge(facts, PURPOSE_BUILD);
    assert_string_equal(judgement->findings[0]->code, "CUD-002");
    assert_string_equal(judgement->findings[1]->code, "CUD-003");
    assert_string_equal(judgement->findings[1]->caused_by, "CUD-002");
    assert_int_equal(judgement->fail, 1);
    judgement_free(judgement);
    facts_free(facts);
}

static void test_without_any_toolkit_unset_it(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    facts_set_string(facts, "environment", "CUDA_HOME", "/nowhere", "environment");
    struct judgement *judgement = world_judge(facts, PURPOSE_BUILD);
    assert_string_equal(found(judgement, CAUSE)->fixes[0].command, "unset CUDA_HOME");
    judgement_free(judgement);
    facts_free(facts);
}

static void test_skip_and_unknown(void **state)
{
    (void)state;
    struct facts *facts = with_home(NULL);
    assert_check(facts, PURPOSE_BUILD, CAUSE, CHECK_SKIP, "none of CUDA_HOME");
    facts_set_string(facts, "environment", "CUDA_HOME", "", "environment");
    assert_check(facts, PURPOSE_BUILD, CAUSE, CHECK_SKIP, "none of CUDA_HOME");
    facts_set_skipped(facts, "environment", "CUDA_HOME", "a tree has none", "environment");
    assert_check(facts, PURPOSE_BUILD, CAUSE, CHECK_SKIP, "a tree has none");
    facts_set_string(facts, "environment", "CUDA_HOME", "/nowhere", "environment");
    facts_set_unknown(facts, "toolkit", "count", "permission denied", "/usr/local");
    assert_check(facts, PURPOSE_BUILD, CAUSE, CHECK_UNKNOWN, "permission denied");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_malformed_values),
        cmocka_unit_test(test_good_values_pass),
        cmocka_unit_test(test_other_variables_are_judged_too),
        cmocka_unit_test(test_follows_from_a_dangling_link),
        cmocka_unit_test(test_without_any_toolkit_unset_it),
        cmocka_unit_test(test_skip_and_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
