/* SPDX-License-Identifier: MIT */
#include "rules/engine/finding.h"
#include "rules/world.h"

#define MAJOR  "cudnn_wrong_major"
#define PATH   "cudnn_not_on_loader_path"
#define TRT    "/usr/lib/libnvinfer.so.8.6.1"
#define SYSTEM "/usr/lib/x86_64-linux-gnu"

/* TensorRT, which asks for that cuDNN and would not get it. */
static struct facts *with_need(const char *unresolved, const char *origin)
{
    struct facts *facts = world_with_driver("580.95.05");
    world_library(facts, "tensorrt", TRT, "libnvinfer.so.8", "8.6.1", origin);
    AUTO_FREE char *group = facts_group_name("library", TRT);
    world_list(facts, group, "unresolved", unresolved);
    return facts;
}

static void add_system_cudnn(struct facts *facts)
{
    world_cudnn(facts, SYSTEM, "9.8.0", "package");
    world_loader(facts, "libcudnn.so.9", SYSTEM "/libcudnn.so.9", SYSTEM "/libcudnn.so.9.8.0",
                 "ld.so.cache");
}

static void test_another_major_is_here(void **state)
{
    (void)state;
    struct facts *facts = with_need("libcudnn.so.8", "package");
    add_system_cudnn(facts);
    assert_found(facts, PURPOSE_RUN, MAJOR, SEVERITY_FAIL, "needs libcudnn.so.8, but only cuDNN");
    assert_found(facts, PURPOSE_BUILD, MAJOR, SEVERITY_INFO, "libcudnn.so.8");
    assert_check(facts, PURPOSE_RUN, PATH, CHECK_PASS, NULL);
    assert_check(facts, PURPOSE_RUN, "cudnn_missing", CHECK_PASS, NULL);
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_string_equal(judgement->findings[0]->cause, MAJOR);
    assert_fix(found(judgement, MAJOR), "libcudnn8");
    assert_fix(found(judgement, MAJOR), "built for cuDNN 9");
    judgement_free(judgement);
    facts_free(facts);
    facts = with_need("libcudnn_ops_infer.so.8", "wheel"); /* its program may have loaded it */
    add_system_cudnn(facts);
    assert_found(facts, PURPOSE_RUN, MAJOR, SEVERITY_WARN, "libcudnn_ops_infer.so.8");
    facts_free(facts);
}

/* JetPack has one cuDNN: installing it brings no other major. */
static void test_another_major_on_a_jetson(void **state)
{
    (void)state;
    struct facts *facts = with_need("libcudnn.so.8", "package");
    add_system_cudnn(facts);
    facts_set_string(facts, "machine", "jetson_release", "36.4.3", "/etc/nv_tegra_release");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_false(fix_says(found(judgement, MAJOR), "nvidia-jetpack"));
    assert_fix(found(judgement, MAJOR), "built for cuDNN 9");
    judgement_free(judgement);
    facts_free(facts);
}

static void test_the_other_major_was_called(void **state)
{
    (void)state;
    struct facts *facts = with_need("libcudnn.so.8", "package");
    add_system_cudnn(facts);
    AUTO_FREE char *group = facts_group_name("library", SYSTEM "/libcudnn.so.9.8.0");
    facts_set_absent(facts, group, "version", SYSTEM);
    world_called(facts, "libcudnn.so.9", SYSTEM "/libcudnn.so.9.8.0", "9.8.1", "cudnnGetVersion");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_says(found(judgement, MAJOR)->message, "only cuDNN 9.8.1 is here");
    assert_true(evidence_from(found(judgement, MAJOR), "cudnnGetVersion"));
    judgement_free(judgement);
    facts_free(facts);
}

static void test_both_majors_pass(void **state)
{
    (void)state;
    struct facts *facts = with_need("", "package");
    add_system_cudnn(facts);
    assert_check(facts, PURPOSE_RUN, MAJOR, CHECK_SKIP, "every library");
    assert_check(facts, PURPOSE_RUN, PATH, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_no_cudnn_is_another_cause(void **state)
{
    (void)state;
    struct facts *facts = with_need("libcudnn.so.8", "package");
    assert_check(facts, PURPOSE_RUN, MAJOR, CHECK_SKIP, "no cuDNN");
    assert_check(facts, PURPOSE_RUN, PATH, CHECK_SKIP, "no cuDNN");
    assert_check(facts, PURPOSE_RUN, "cudnn_missing", CHECK_FAIL, NULL);
    facts_free(facts);
}

static void test_needed_and_off_the_path(void **state)
{
    (void)state;
    struct facts *facts = with_need("libcudnn.so.9", "package");
    world_cudnn(facts, "/opt/cudnn/lib", "9.8.0", "system");
    world_loader(facts, "libcudnn.so.9", NULL, NULL, "ld.so.cache");
    assert_found(facts, PURPOSE_RUN, PATH, SEVERITY_FAIL, "only in /opt/cudnn/lib");
    assert_check(facts, PURPOSE_RUN, MAJOR, CHECK_PASS, NULL);
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_string_equal(judgement->findings[0]->cause, PATH);
    assert_fix(found(judgement, PATH), "export LD_LIBRARY_PATH=/opt/cudnn/lib$");
    assert_fix(found(judgement, PATH), "/etc/ld.so.conf.d");
    judgement_free(judgement);
    facts_free(facts);
    facts = with_need("libcudnn.so.9", "wheel");
    world_cudnn(facts, "/venv/nvidia/cudnn/lib", "9.8.0", "wheel");
    assert_found(facts, PURPOSE_RUN, PATH, SEVERITY_WARN, "/venv/nvidia/cudnn/lib");
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_false(fix_says(found(judgement, PATH), "ld.so.conf"));
    judgement_free(judgement);
    facts_free(facts);
}

/* The wheels of frameworks bring it and load it themselves. */
static void test_unneeded_is_told(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    world_cudnn(facts, "/venv/nvidia/cudnn/lib", "9.8.0", "wheel");
    world_loader(facts, "libcudnn.so.9", NULL, NULL, "ld.so.cache");
    assert_found(facts, PURPOSE_RUN, PATH, SEVERITY_INFO, "/venv/nvidia/cudnn/lib");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_int_equal(judgement->exit_code, 0);
    assert_int_equal(judgement->warn, 0);
    judgement_free(judgement);
    facts_free(facts);
}

/* A cuDNN's own parts are cudnn_sublibrary_mixed's. */
static void test_its_own_parts_do_not_count(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    add_system_cudnn(facts);
    AUTO_FREE char *group = facts_group_name("library", SYSTEM "/libcudnn_cnn.so.9.8.0");
    world_list(facts, group, "unresolved", "libcudnn_graph.so.9");
    assert_check(facts, PURPOSE_RUN, MAJOR, CHECK_SKIP, "every library");
    assert_check(facts, PURPOSE_RUN, PATH, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_unknown(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    facts_set_unknown(facts, "library", "count", "too many files", "/usr/lib");
    assert_check(facts, PURPOSE_RUN, MAJOR, CHECK_UNKNOWN, "too many files");
    assert_check(facts, PURPOSE_RUN, PATH, CHECK_UNKNOWN, "too many files");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_another_major_is_here),
        cmocka_unit_test(test_another_major_on_a_jetson),
        cmocka_unit_test(test_the_other_major_was_called),
        cmocka_unit_test(test_both_majors_pass),
        cmocka_unit_test(test_no_cudnn_is_another_cause),
        cmocka_unit_test(test_needed_and_off_the_path),
        cmocka_unit_test(test_unneeded_is_told),
        cmocka_unit_test(test_its_own_parts_do_not_count),
        cmocka_unit_test(test_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
