/* SPDX-License-Identifier: MIT */
#include "manifest/manifest.h"
#include "rules/engine/finding.h"
#include "rules/rules.h"
#include "rules/world.h"

#define CAUSE   "nvcc_missing"
#define RUNTIME "nvcc:ptxas:cicc:libdevice:headers"

static const struct judge_options tree = {.tree = true};

static enum check_status status_of_tree(const struct facts *facts)
{
    struct manifest *manifest = manifest_new();
    struct judgement *judgement = rules_judge(facts, manifest, &tree);
    enum check_status status = check_of(judgement, CAUSE)->status;
    judgement_free(judgement);
    manifest_free(manifest);
    return status;
}

static void test_asked_for_and_not_there(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    assert_found(facts, PURPOSE_BUILD, CAUSE, SEVERITY_FAIL, "no nvcc");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_SKIP, "nothing is built");
    struct judgement *judgement = world_judge(facts, PURPOSE_BUILD);
    assert_fix(found(judgement, CAUSE), "cuda-toolkit");
    assert_fix(found(judgement, CAUSE), "-devel");
    assert_false(fix_says(found(judgement, CAUSE), "has ptxas"));
    judgement_free(judgement);
    facts_set_string(facts, "wheel/0", "name", "nvidia-cuda-nvcc-cu12", "METADATA");
    judgement = world_judge(facts, PURPOSE_BUILD);
    assert_fix(found(judgement, CAUSE), "nvidia-cuda-nvcc-cu12 has ptxas");
    judgement_free(judgement);
    facts_free(facts);
}

/* NVIDIA's repository for aarch64 has the CUDA of servers. */
static void test_a_jetson_has_its_own(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    facts_set_string(facts, "machine", "jetson_release", "36.4.3", "/etc/nv_tegra_release");
    struct judgement *judgement = world_judge(facts, PURPOSE_BUILD);
    assert_fix(found(judgement, CAUSE), "nvidia-jetpack");
    const struct finding *finding = found(judgement, CAUSE);
    for (size_t i = 0; i < finding->fix_count; i++)
        if (finding->fixes[i].command)
            assert_null(strstr(finding->fixes[i].command, "cuda-toolkit"));
    judgement_free(judgement);
    facts_free(facts);
}

/* An image of runtime libraries is a good image, until its build is asked for. */
static void test_an_image_needs_a_sign(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    assert_int_equal(status_of_tree(facts), CHECK_SKIP);
    world_default_toolkit(facts, "/usr/local/cuda-12.8", "12.8");
    world_toolkit(facts, "/usr/local/cuda-12.8", "12.8", "/usr/local/cuda", RUNTIME);
    assert_int_equal(status_of_tree(facts), CHECK_SKIP);
    facts_set_string(facts, "environment", "CUDA_HOME", "/usr/local/cuda-12.8", "environment");
    assert_int_equal(status_of_tree(facts), CHECK_FAIL);
    facts_set_absent(facts, "environment", "CUDA_HOME", "environment");
    world_toolkit(facts, "/usr/local/cuda-12.8", "12.8", "/usr/local/cuda", "nvcc:cicc:libdevice");
    assert_int_equal(status_of_tree(facts), CHECK_FAIL);
    facts_free(facts);
}

static void test_half_a_toolkit_is_the_cause(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    world_default_toolkit(facts, "/usr/local/cuda-12.8", "12.8");
    world_toolkit(facts, "/usr/local/cuda-12.8", "12.8", "/usr/local/cuda", "nvcc:cicc:libdevice");
    struct judgement *judgement = world_judge(facts, PURPOSE_BUILD);
    assert_string_equal(judgement->findings[0]->cause, "toolkit_incomplete");
    assert_string_equal(found(judgement, CAUSE)->caused_by, "CUD-001");
    assert_int_equal(judgement->fail, 1);
    judgement_free(judgement);
    facts_free(facts);
}

static void test_nvcc_that_is_there_passes(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    facts_set_string(facts, "toolkit", "nvcc_on_path", "/usr/bin/nvcc", "PATH");
    assert_check(facts, PURPOSE_BUILD, CAUSE, CHECK_PASS, NULL);
    facts_set_absent(facts, "toolkit", "nvcc_on_path", "PATH");
    world_toolkit(facts, "/opt/cuda", "12.8", "", "");
    assert_check(facts, PURPOSE_BUILD, CAUSE, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_nvcc_of_an_environment(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    world_toolkit(facts, "/home/u/conda", "12.8", "", "");
    size_t cursor = 0;
    facts_set_string(facts, facts_next(facts, "toolkit", &cursor), "origin", "conda", "conda");
    assert_found(facts, PURPOSE_BUILD, CAUSE, SEVERITY_WARN, "/home/u/conda");
    world_toolkit(facts, "/home/u/conda", "12.8", "CUDA_HOME", "");
    cursor = 0;
    facts_set_string(facts, facts_next(facts, "toolkit", &cursor), "origin", "conda", "conda");
    assert_check(facts, PURPOSE_BUILD, CAUSE, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_unknown(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    world_toolkit(facts, "/opt/cuda", "12.8", "", "");
    size_t cursor = 0;
    facts_set_unknown(facts, facts_next(facts, "toolkit", &cursor), "missing", "not readable",
                      "/opt/cuda");
    assert_check(facts, PURPOSE_BUILD, CAUSE, CHECK_UNKNOWN, "not known");
    facts_set_unknown(facts, "toolkit", "count", "too many", "probe");
    assert_check(facts, PURPOSE_BUILD, CAUSE, CHECK_UNKNOWN, "too many");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_asked_for_and_not_there),
        cmocka_unit_test(test_a_jetson_has_its_own),
        cmocka_unit_test(test_an_image_needs_a_sign),
        cmocka_unit_test(test_half_a_toolkit_is_the_cause),
        cmocka_unit_test(test_nvcc_that_is_there_passes),
        cmocka_unit_test(test_nvcc_of_an_environment),
        cmocka_unit_test(test_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
