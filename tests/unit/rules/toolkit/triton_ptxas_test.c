/* SPDX-License-Identifier: MIT */
#include "rules/engine/finding.h"
#include "rules/world_framework.h"

/* The ptxas that Triton compiles with, on an H100 (9.0: CUDA 11.8 and newer). */

static const char unfit[] = "triton_ptxas_unfit";

static void set_compilers(struct facts *facts, const char *group, const char *words)
{
    AUTO_STRLIST struct strlist compilers = {0};
    strlist_split(&compilers, words, ',');
    facts_set_list(facts, group, "compilers", &compilers, SITE);
}

static struct facts *with_triton(const char *compilers)
{
    static const char group[] = "framework/1";
    struct facts *facts = world_with_torch();
    facts_set_integer(facts, "framework", "count", 2, "probe");
    facts_set_string(facts, group, "name", "triton-language", SITE);
    facts_set_string(facts, group, "package", "triton", SITE);
    facts_set_string(facts, group, "version", "3.1.0", SITE);
    facts_set_string(facts, group, "environment", VENV, VENV);
    facts_set_string(facts, group, "python", "python/0", VENV);
    facts_set_boolean(facts, group, "active", true, VENV);
    facts_set_string(facts, group, "accelerator", "cuda", SITE);
    set_compilers(facts, group, compilers);
    return facts;
}

static void set_variable(struct facts *facts, bool there, const char *release)
{
    facts_set_boolean(facts, "ptxas/TRITON_PTXAS_PATH", "there", there, "environment");
    facts_set_string(facts, "ptxas/TRITON_PTXAS_PATH", "release", release, "environment");
}

static void test_own(void **state)
{
    (void)state;
    struct facts *facts = with_triton("ptxas 12.4.131");
    assert_check(facts, PURPOSE_RUN, unfit, CHECK_PASS, NULL);
    facts_free(facts);
    facts = with_triton("ptxas 11.7.99");
    assert_found(facts, PURPOSE_RUN, unfit, SEVERITY_WARN, "the first CUDA that does is 11.8");
    assert_found(facts, PURPOSE_BUILD, unfit, SEVERITY_INFO, "11.7.99");
    facts_set_string(facts, "framework/0", "name", "vllm", SITE);
    assert_found(facts, PURPOSE_RUN, unfit, SEVERITY_FAIL, "11.7.99");
    facts_free(facts);
    /* What it does not say is not judged. */
    facts = with_triton("");
    assert_check(facts, PURPOSE_RUN, unfit, CHECK_PASS, NULL);
    facts_free(facts);
}

/* PyTorch's own copy is what torch.compile takes; the second one is for newer GPUs alone. */
static void test_others(void **state)
{
    (void)state;
    struct facts *facts = with_triton("ptxas 11.7.99,ptxas-blackwell 12.9.86");
    assert_check(facts, PURPOSE_RUN, unfit, CHECK_WARN, NULL);
    set_compilers(facts, "framework/0", "ptxas 11.7.64");
    assert_check(facts, PURPOSE_RUN, unfit, CHECK_WARN, NULL);
    set_compilers(facts, "framework/0", "ptxas 12.4.131");
    assert_check(facts, PURPOSE_RUN, unfit, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_variable(void **state)
{
    (void)state;
    struct facts *facts = with_triton("ptxas 11.7.99");
    set_variable(facts, true, "12.8.93");
    assert_check(facts, PURPOSE_RUN, unfit, CHECK_PASS, NULL);
    set_variable(facts, true, NULL); /* a script */
    assert_check(facts, PURPOSE_RUN, unfit, CHECK_PASS, NULL);
    set_variable(facts, false, NULL);
    assert_check(facts, PURPOSE_RUN, unfit, CHECK_WARN, NULL);
    facts_free(facts);
    facts = with_triton("ptxas 12.4.131");
    set_variable(facts, true, "11.2.67");
    set_compilers(facts, "framework/0", "ptxas 12.4.131");
    assert_found(facts, PURPOSE_RUN, unfit, SEVERITY_WARN, "from TRITON_PTXAS_PATH");
    assert_found_fix(facts, PURPOSE_RUN, unfit, "unset TRITON_PTXAS_PATH");
    facts_free(facts);
}

static void test_nothing_to_judge(void **state)
{
    (void)state;
    struct facts *facts = world_with_torch();
    assert_check(facts, PURPOSE_RUN, unfit, CHECK_SKIP, "no Triton");
    facts_set_unknown(facts, "framework", "count", "permission denied", "probe");
    assert_check(facts, PURPOSE_RUN, unfit, CHECK_UNKNOWN, "permission denied");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_variable),
        cmocka_unit_test(test_nothing_to_judge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
