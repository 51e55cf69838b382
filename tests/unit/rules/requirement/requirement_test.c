/* SPDX-License-Identifier: MIT */
#include "manifest/manifest.h"
#include "rules/engine/finding.h"
#include "rules/requirement/requirement.h"
#include "rules/rules.h"
#include "rules/world.h"

#define CAUSE "requirement_not_met"
#define GIB   (1LL << 30)

static struct requirement parsed(const char *term, struct requirements *requirements)
{
    AUTO_ERROR struct error error = {0};
    requirements_free(requirements);
    assert_true(requirements_add(requirements, term, &error));
    assert_int_equal(requirements->count, 1);
    return requirements->items[0];
}

static bool met(const char *term, const char *have)
{
    AUTO_REQUIREMENTS struct requirements requirements = {0};
    struct requirement requirement = parsed(term, &requirements);
    struct version version;
    assert_true(version_parse(have, &version));
    return requirement_met(&requirement, &version);
}

static void test_operators(void **state)
{
    (void)state;
    assert_true(met("driver>=550", "550.54.15"));
    assert_false(met("driver>550", "550.54.15"));
    assert_true(met("driver>550", "560.1"));
    assert_true(met("driver=550", "550.54.15"));
    assert_true(met("driver==550.54", "550.54.15"));
    assert_true(met("driver<=550", "550.54.15"));
    assert_false(met("driver<550", "550.54.15"));
    assert_false(met("driver>=550.90", "550.54.15"));
    assert_true(met("cuda>=12.8.1", "12.8"));
    assert_true(met("cuda<13", "12.8"));
    assert_false(met("cuda>=12.10", "12.8"));
    assert_true(met(" CC >= 8 ", "8.9"));
}

static void test_refused(void **state)
{
    static const char *const terms[] = {
        "",          "driver",      "drivr>=1", ">=5",      "driver>=", "cc>>8",     "cc=>8",
        "gpus>=1.5", "memory>79.5", "cuda>=x",  "cuda!=12", "cuda~=12", "driver>=-1"};
    (void)state;
    for (size_t i = 0; i < sizeof(terms) / sizeof(terms[0]); i++) {
        AUTO_ERROR struct error error = {0};
        AUTO_REQUIREMENTS struct requirements requirements = {0};
        assert_false(requirements_add(&requirements, terms[i], &error));
        assert_int_equal(error.kind, ERROR_USAGE);
        assert_says(error.what, "driver, cuda, toolkit, cudnn, nccl, gpus, cc, memory");
        assert_int_equal(requirements.count, 0);
    }
}

/* The check with that one term; for a finding the words are of its message, else of the reason. */
static void assert_term(const struct facts *facts, const char *term, enum check_status status,
                        const char *words)
{
    AUTO_REQUIREMENTS struct requirements requirements = {0};
    parsed(term, &requirements);
    struct manifest *manifest = manifest_new();
    struct judge_options options = {
        .purpose_given = true, .purpose = PURPOSE_BUILD, .requirements = &requirements};
    struct judgement *judgement = rules_judge(facts, manifest, &options);
    const struct check *check = check_of(judgement, CAUSE);
    if (check->status != status)
        print_error("%s: %s, %s\n", term, check_status_name(check->status),
                    check->reason ? check->reason : "");
    assert_int_equal(check->status, status);
    if (status == CHECK_FAIL)
        assert_true(found(judgement, CAUSE)->fix_count == 1);
    if (words)
        assert_says(status == CHECK_FAIL ? found(judgement, CAUSE)->message : check->reason, words);
    judgement_free(judgement);
    manifest_free(manifest);
}

static struct facts *world(void)
{
    struct facts *facts = world_with_driver("570.86.15");
    world_answer(facts, "libcuda.so.1", 0, NULL, "12.8");
    world_answer(facts, "libnvidia-ml.so.1", 0, NULL, NULL);
    facts_set_integer(facts, "nvml", "count", 2, "NVML");
    facts_set_string(facts, "nvml/0", "name", "NVIDIA H100 80GB HBM3", "NVML");
    facts_set_string(facts, "nvml/0", "capability", "9.0", "NVML");
    facts_set_integer(facts, "nvml/0", "memory_total_bytes", 85520809984, "NVML");
    facts_set_string(facts, "nvml/1", "name", "Tesla T4", "NVML");
    facts_set_string(facts, "nvml/1", "capability", "7.5", "NVML");
    facts_set_integer(facts, "nvml/1", "memory_total_bytes", 15 * GIB, "NVML");
    world_default_toolkit(facts, "/usr/local/cuda-12.4", "12.4");
    world_cudnn(facts, "/usr/lib", "9.8.0", "package");
    world_loader(facts, "libcudnn.so.9", "/usr/lib/libcudnn.so.9", "/usr/lib/libcudnn.so.9.8.0",
                 "ld.so.cache");
    return facts;
}

static void test_terms(void **state)
{
    (void)state;
    struct facts *facts = world();
    assert_term(facts, "driver>=570.86", CHECK_PASS, NULL);
    assert_term(facts, "driver>=580", CHECK_FAIL, "driver>=580 is required but not met: 570.86.15");
    assert_term(facts, "cuda>=12.8", CHECK_PASS, NULL);
    assert_term(facts, "cuda>=13", CHECK_FAIL, "not met: 12.8");
    assert_term(facts, "toolkit=12.4", CHECK_PASS, NULL);
    assert_term(facts, "toolkit=12.4.1", CHECK_UNKNOWN, "the version is known only as 12.4");
    assert_term(facts, "toolkit>=12.6.1", CHECK_FAIL, "not met: 12.4");
    assert_term(facts, "cudnn>=9", CHECK_PASS, NULL);
    assert_term(facts, "cudnn<9", CHECK_FAIL, "not met: 9.8.0");
    assert_term(facts, "nccl>=2", CHECK_FAIL, "the loader finds no NCCL");
    assert_term(facts, "gpus=2", CHECK_PASS, NULL);
    assert_term(facts, "gpus>=8", CHECK_FAIL, "not met: 2");
    assert_term(facts, "cc>=7.5", CHECK_PASS, NULL);
    assert_term(facts, "cc>=8.0", CHECK_FAIL, "not met: GPU 1 (Tesla T4): 7.5");
    assert_term(facts, "memory>=15", CHECK_PASS, NULL);
    assert_term(facts, "memory>=80", CHECK_FAIL, "not met: GPU 1 (Tesla T4): 15.0 GiB");
    facts_free(facts);
}

static void test_gaps(void **state)
{
    (void)state;
    struct facts *facts = world();
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_SKIP, "nothing is required");
    facts_set_unknown(facts, "nvml/0", "capability", "error 15", "NVML");
    assert_term(facts, "cc>=7", CHECK_UNKNOWN, "error 15");
    assert_term(facts, "cc>=8", CHECK_FAIL, "GPU 1");
    facts_set_unknown(facts, "nvml", "count", "killed by signal 11", "NVML");
    world_no_answer(facts, "libnvidia-ml.so.1", "killed by signal 11");
    assert_term(facts, "gpus>=1", CHECK_UNKNOWN, "signal 11");
    facts_free(facts);

    facts = world_bare();
    assert_term(facts, "gpus>=1", CHECK_FAIL, "none that programs can use");
    assert_term(facts, "driver>=1", CHECK_FAIL, "there is no driver");
    assert_term(facts, "cuda>=1", CHECK_FAIL, "there is no driver");
    assert_term(facts, "cc>=1", CHECK_FAIL, "there is no GPU");
    assert_term(facts, "memory>=1", CHECK_FAIL, "there is no GPU");
    world_library(facts, "driver", "/usr/lib/libcuda.so.1", "libcuda.so.1", NULL, "package");
    world_loader(facts, "libcuda.so.1", "/usr/lib/libcuda.so.1", "/usr/lib/libcuda.so.1", "cache");
    assert_term(facts, "driver>=1", CHECK_UNKNOWN, "neither a file nor a library call");
    assert_term(facts, "cuda>=1", CHECK_UNKNOWN, "neither a file nor a library call");
    facts_set_unknown(facts, "library", "count", "too many files", "probe");
    assert_term(facts, "cudnn>=9", CHECK_UNKNOWN, "too many files");
    facts_free(facts);
}

static void test_assumed(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    facts_set_string(facts, "assumed", "driver_version", "570.86.15", "--assume-driver");
    facts_set_string(facts, "assumed/0", "name", "H100", "--assume-gpu");
    facts_set_string(facts, "assumed/0", "device_id", "2330", "--assume-gpu");
    facts_set_string(facts, "assumed/0", "capability", "9.0", "--assume-gpu");
    assert_term(facts, "cuda=12.8", CHECK_PASS, NULL);
    assert_term(facts, "driver>=570", CHECK_PASS, NULL);
    assert_term(facts, "gpus=1", CHECK_PASS, NULL);
    assert_term(facts, "cc>8", CHECK_PASS, NULL);
    assert_term(facts, "memory>=80", CHECK_PASS, NULL);
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operators), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_terms),     cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_assumed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
