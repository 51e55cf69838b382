/* SPDX-License-Identifier: MIT */
#include "manifest/manifest.h"
#include "rules/engine/finding.h"
#include "rules/engine/rule.h"
#include "rules/rules.h"
#include "rules/world.h"

static struct judgement *judge(const struct facts *facts, const struct judge_options *options)
{
    struct manifest *manifest = manifest_new();
    struct judgement *judgement = rules_judge(facts, manifest, options);
    manifest_free(manifest);
    return judgement;
}

static unsigned checks_counted(const struct judgement *judgement)
{
    return judgement->pass + judgement->warn + judgement->fail + judgement->skip +
           judgement->unknown;
}

static void test_healthy_machine_passes_everything(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    world_default_toolkit(facts, "/usr/local/cuda-13.0", "13.0.2");
    world_cudnn(facts, "/usr/lib", "9.19.0", "package");
    world_loader(facts, "libcudnn.so.9", "/usr/lib/libcudnn.so.9", "/usr/lib/libcudnn.so.9.19.0",
                 "ld.so.cache");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    for (size_t i = 0; i < judgement->finding_count; i++)
        print_error("%s: %s\n", judgement->findings[i]->code, judgement->findings[i]->message);
    assert_int_equal(judgement->finding_count, 0);
    assert_int_equal(judgement->fail + judgement->warn + judgement->unknown, 0);
    assert_int_equal(checks_counted(judgement), judgement->check_count);
    assert_int_equal(judgement->exit_code, 0);
    judgement_free(judgement);
    facts_free(facts);
}

static void test_exit_codes(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    struct judge_options options = {.purpose_given = true, .purpose = PURPOSE_RUN};
    struct judgement *judgement = judge(facts, &options);
    assert_int_equal(judgement->exit_code, 0);
    judgement_free(judgement);

    facts_set_unknown(facts, "module", "nvidia_uvm", "permission denied", "/proc/modules");
    judgement = judge(facts, &options);
    assert_int_equal(judgement->unknown, 1);
    assert_int_equal(judgement->exit_code, 3);
    judgement_free(judgement);

    facts_set_string(facts, "module", "version", "570.86.15", "/sys/module/nvidia/version");
    judgement = judge(facts, &options);
    assert_int_equal(judgement->fail, 1);
    assert_int_equal(judgement->unknown, 1);
    assert_int_equal(judgement->exit_code, 1);
    judgement_free(judgement);
    facts_free(facts);
}

/* A build needs no driver, and no answer of one. */
static void test_unknown_counts_where_it_is_needed(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    facts_set_unknown(facts, "module", "version", "no answer in 10 s", "/sys/module/nvidia");
    AUTO_STRLIST struct strlist driver_checks = {0};
    strlist_add(&driver_checks, "DRV-004");
    static const int codes[] = {[PURPOSE_RUN] = 3, [PURPOSE_BUILD] = 0, [PURPOSE_CONTAINER] = 3};
    for (enum purpose purpose = PURPOSE_RUN; purpose <= PURPOSE_CONTAINER; purpose++) {
        struct judge_options options = {
            .purpose_given = true, .purpose = purpose, .only = &driver_checks};
        struct judgement *judgement = judge(facts, &options);
        assert_true(judgement->unknown > 0);
        assert_int_equal(judgement->exit_code, codes[purpose]);
        judgement_free(judgement);
    }
    facts_free(facts);
}

static void test_strict_counts_warnings(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    facts_set_boolean(facts, "module", "nvidia_uvm", false, "/proc/modules");
    struct judge_options options = {.purpose_given = true, .purpose = PURPOSE_RUN};
    struct judgement *judgement = judge(facts, &options);
    assert_int_equal(judgement->warn, 1);
    assert_int_equal(judgement->exit_code, 0);
    judgement_free(judgement);
    options.strict = true;
    judgement = judge(facts, &options);
    assert_int_equal(judgement->exit_code, 1);
    judgement_free(judgement);
    facts_free(facts);
}

static void test_strict_ignores_info(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    struct judge_options options = {.purpose_given = true, .purpose = PURPOSE_RUN, .strict = true};
    struct judgement *judgement = judge(facts, &options);
    assert_non_null(found(judgement, "cudnn_missing"));
    assert_int_equal(check_of(judgement, "cudnn_missing")->status, CHECK_PASS);
    assert_int_equal(judgement->exit_code, 0);
    judgement_free(judgement);
    facts_free(facts);
}

static struct facts *with_nouveau(void)
{
    struct facts *facts = world_with_gpu();
    world_gpu(facts, "0000:01:00.0", "2330", "nouveau");
    facts_set_boolean(facts, "module", "nouveau", true, "/proc/modules");
    return facts;
}

/* nouveau holds the GPU, so nvidia cannot be loaded: one fault, not two. */
static void test_consequence_stands_behind_its_cause_uncounted(void **state)
{
    (void)state;
    struct facts *facts = with_nouveau();
    world_module_file(facts, "6.8.0-50-generic", "580.95.05");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_string_equal(judgement->findings[0]->code, "DRV-003");
    assert_null(judgement->findings[0]->caused_by);
    assert_string_equal(judgement->findings[1]->code, "DRV-002");
    assert_string_equal(judgement->findings[1]->caused_by, "DRV-003");
    assert_int_equal(judgement->fail, 1);
    assert_int_equal(judgement->exit_code, 1);
    assert_int_equal(checks_counted(judgement), judgement->check_count - 1);
    judgement_free(judgement);
    facts_free(facts);
}

static void test_ignoring_a_cause_makes_its_consequence_count(void **state)
{
    (void)state;
    struct facts *facts = with_nouveau();
    world_module_file(facts, "6.8.0-50-generic", "580.95.05");
    AUTO_STRLIST struct strlist ignore = {0};
    strlist_add(&ignore, "nouveau_loaded");
    struct judge_options options = {
        .purpose_given = true, .purpose = PURPOSE_RUN, .ignore = &ignore};
    struct judgement *judgement = judge(facts, &options);
    assert_null(found(judgement, "nouveau_loaded"));
    assert_int_equal(check_of(judgement, "nouveau_loaded")->status, CHECK_SKIP);
    assert_says(check_of(judgement, "nouveau_loaded")->reason, "--ignore");
    assert_null(found(judgement, "module_not_loaded")->caused_by);
    assert_int_equal(judgement->exit_code, 1);
    judgement_free(judgement);
    facts_free(facts);
}

static void test_ignoring_all_fails_gives_zero(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    AUTO_STRLIST struct strlist ignore = {0};
    strlist_add(&ignore, "gpu-001");
    struct judge_options options = {
        .purpose_given = true, .purpose = PURPOSE_RUN, .ignore = &ignore};
    struct judgement *judgement = judge(facts, &options);
    assert_int_equal(judgement->finding_count, 0);
    assert_int_equal(judgement->exit_code, 0);
    judgement_free(judgement);
    facts_free(facts);
}

static void test_only_runs_what_is_named(void **state)
{
    (void)state;
    struct facts *facts = with_nouveau();
    AUTO_STRLIST struct strlist only = {0};
    strlist_add(&only, "drv-003");
    strlist_add(&only, "cudnn_missing");
    struct judge_options options = {.purpose_given = true, .purpose = PURPOSE_RUN, .only = &only};
    struct judgement *judgement = judge(facts, &options);
    assert_int_equal(judgement->check_count, 2);
    assert_string_equal(judgement->checks[0].code, "DRV-003");
    assert_string_equal(judgement->checks[1].code, "DNN-001");
    judgement_free(judgement);
    facts_free(facts);
}

static void test_empty_only_runs_all(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    AUTO_STRLIST struct strlist only = {0};
    struct judge_options options = {.purpose_given = true, .only = &only};
    struct judgement *judgement = judge(facts, &options);
    size_t rules = 0;
    for (const struct rule *rule = rule_table; rule->code; rule++)
        rules++;
    assert_int_equal(judgement->check_count, rules);
    judgement_free(judgement);
    facts_free(facts);
}

/* A warning of an early rule stands behind a failure of a late one. */
static void test_the_gravest_comes_first(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("535.183.01");
    facts_set_boolean(facts, "module", "nvidia_uvm", false, "/proc/modules");
    world_default_toolkit(facts, "/usr/local/cuda-13.0", "13.0");
    world_toolkit(facts, "/usr/local/cuda-12.4", "12.4", "/usr/local/cuda-12.4", "");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_int_equal(judgement->findings[0]->severity, SEVERITY_FAIL);
    assert_string_equal(judgement->findings[0]->code, "DRV-005");
    for (size_t i = 1; i < judgement->finding_count; i++)
        assert_true(judgement->findings[i]->severity <= judgement->findings[i - 1]->severity);
    assert_string_equal(judgement->findings[1]->code, "DRV-007");
    judgement_free(judgement);
    facts_free(facts);
}

static double fake_clock(void)
{
    static double now = 0;
    return now += 2;
}

static void test_durations_come_from_the_clock_given(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    struct judge_options options = {.purpose_given = true, .now_ms = fake_clock};
    struct judgement *judgement = judge(facts, &options);
    for (size_t i = 0; i < judgement->check_count; i++)
        assert_true(judgement->checks[i].duration_ms > 1.9 &&
                    judgement->checks[i].duration_ms < 2.1);
    judgement_free(judgement);
    facts_free(facts);
}

/* An empty record: nothing passes, nothing is found, nothing crashes. */
static void test_empty_record_is_unknown(void **state)
{
    (void)state;
    struct facts *facts = facts_new();
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_int_equal(judgement->finding_count, 0);
    for (size_t i = 0; i < judgement->check_count; i++)
        if (judgement->checks[i].status == CHECK_PASS)
            fail_msg("%s passes where its facts are unknown", judgement->checks[i].code);
    assert_int_equal(judgement->pass, 0);
    assert_true(judgement->unknown > 5);
    assert_int_equal(judgement->exit_code, 3);
    judgement_free(judgement);
    facts_free(facts);
}

/* CUD-004 asks for CUDA_HOME: with no answer it does not pass. */
static void test_no_answer_no_pass(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    world_default_toolkit(facts, "/usr/local/cuda-13.0", "13.0.2");
    facts_set_string(facts, "environment", "CUDA_HOME", "/usr/local/cuda-13.0", "environ");
    assert_check(facts, PURPOSE_BUILD, "cuda_home_malformed", CHECK_PASS, NULL);
    facts_set_unknown(facts, "environment", "CUDA_HOME", "not readable", "environ");
    assert_check(facts, PURPOSE_BUILD, "cuda_home_malformed", CHECK_UNKNOWN, "not readable");
    facts_set_skipped(facts, "environment", "CUDA_HOME", "a tree has none", "environ");
    assert_check(facts, PURPOSE_BUILD, "cuda_home_malformed", CHECK_SKIP, "a tree has none");
    facts_set_absent(facts, "environment", "CUDA_HOME", "environ");
    assert_check(facts, PURPOSE_BUILD, "cuda_home_malformed", CHECK_SKIP, "none of CUDA_HOME");
    facts_free(facts);
}

static void test_same_record_same_judgement(void **state)
{
    (void)state;
    struct facts *facts = with_nouveau();
    struct judgement *one = world_judge(facts, PURPOSE_RUN);
    struct judgement *two = world_judge(facts, PURPOSE_RUN);
    assert_int_equal(one->finding_count, two->finding_count);
    for (size_t i = 0; i < one->finding_count; i++)
        assert_string_equal(one->findings[i]->message, two->findings[i]->message);
    judgement_free(one);
    judgement_free(two);
    facts_free(facts);
}

static const struct check *check_named(const struct judgement *judgement, const char *cause)
{
    for (size_t i = 0; i < judgement->check_count; i++)
        if (string_equal(judgement->checks[i].cause, cause))
            return &judgement->checks[i];
    return NULL;
}

/* cuInit's error is explained by a node that is missing, or by one that could not be looked at. */
static void test_what_rests_on_an_undecided_rule_is_undecided(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    world_answer(facts, "libcuda.so.1", 100, "CUDA_ERROR_NO_DEVICE", "13.0");
    facts_set_boolean(facts, "device", "modprobe_setuid", true, "/usr/bin/nvidia-modprobe");
    facts_set_unknown(facts, "device/nvidiactl", "path", "permission denied", "/dev");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    const struct check *check = check_named(judgement, "cuda_init_failed");
    assert_int_equal(check->status, CHECK_UNKNOWN);
    assert_says(check->reason, "device/nvidiactl.path: permission denied");
    assert_true(judgement->exit_code != EXIT_DONE);
    judgement_free(judgement);
    facts_free(facts);
}

/* A warning that is one because a fact is unknown does not end as 0. */
static void test_a_warning_that_lacks_a_fact_is_undecided(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    facts_set_absent(facts, "device/nvidiactl", "number", "/dev/nvidiactl");
    facts_set_unknown(facts, "device", "modprobe_setuid", "permission denied", "/usr/bin");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_int_equal(check_named(judgement, "dev_nodes_missing_after_boot")->status, CHECK_UNKNOWN);
    assert_int_equal(judgement->exit_code, EXIT_UNKNOWN);
    judgement_free(judgement);
    facts_free(facts);
}

/* Each fact that a rule lacks is named, not only the first. */
static void test_all_that_is_missing_is_named(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    facts_set_skipped(facts, "module", "nvidia", "not shown in this sandbox", "/sys/module");
    facts_set_unknown(facts, "pci/0000:01:00.0", "driver", "permission denied", "/sys/bus/pci");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    const struct check *check = check_named(judgement, "nouveau_loaded");
    assert_int_equal(check->status, CHECK_UNKNOWN);
    assert_says(check->reason, "driver: permission denied");
    assert_says(check->reason, "module.nvidia: not shown in this sandbox");
    judgement_free(judgement);
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_healthy_machine_passes_everything),
        cmocka_unit_test(test_exit_codes),
        cmocka_unit_test(test_unknown_counts_where_it_is_needed),
        cmocka_unit_test(test_strict_counts_warnings),
        cmocka_unit_test(test_strict_ignores_info),
        cmocka_unit_test(test_consequence_stands_behind_its_cause_uncounted),
        cmocka_unit_test(test_ignoring_a_cause_makes_its_consequence_count),
        cmocka_unit_test(test_ignoring_all_fails_gives_zero),
        cmocka_unit_test(test_only_runs_what_is_named),
        cmocka_unit_test(test_empty_only_runs_all),
        cmocka_unit_test(test_the_gravest_comes_first),
        cmocka_unit_test(test_durations_come_from_the_clock_given),
        cmocka_unit_test(test_empty_record_is_unknown),
        cmocka_unit_test(test_no_answer_no_pass),
        cmocka_unit_test(test_what_rests_on_an_undecided_rule_is_undecided),
        cmocka_unit_test(test_a_warning_that_lacks_a_fact_is_undecided),
        cmocka_unit_test(test_all_that_is_missing_is_named),
        cmocka_unit_test(test_same_record_same_judgement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
