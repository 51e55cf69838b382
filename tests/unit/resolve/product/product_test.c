/* SPDX-License-Identifier: MIT */
#include "resolve/asking.h"
#include "resolve/engine/resolution.h"

static void test_major(void **state)
{
    (void)state;
    AUTO_ASKING struct asking twelve = ask("535.104.05", "H100", "cuda cusparselt");
    assert_chosen(&twelve, "cusparselt", "0.8.1", "paired");
    assert_string_equal(chosen(&twelve, "cusparselt")->build, "cuda12");
    assert_candidate(&twelve, "cusparselt", "0.10.0", FIT_NO, "no_pair");
    AUTO_ASKING struct asking thirteen = ask("580.178.04", "H100", "cusparselt");
    assert_chosen(&thirteen, "cusparselt", "0.10.0", "paired");
    assert_candidate(&thirteen, "cusparselt", "0.7.1", FIT_UNKNOWN, "variants_unknown");
    AUTO_ASKING struct asking old = ask("535.104.05", "V100", "cuda cusparselt");
    assert_false(old.fits);
    assert_says(old.error.why, "cusparselt needs compute capability 8.0 or higher");
    AUTO_ASKING struct asking eleven = ask(NULL, NULL, "cuda@11.8 nvcomp");
    assert_chosen(&eleven, "nvcomp", "5.0.0.6", "paired");
}

static void test_pins(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = ask("580.178.04", "H100", "cudss");
    assert_chosen(&asking, "cudss", "0.7.1", "paired");
    const struct resolve_candidate *unpinned = candidate(&asking, "cudss", "0.8.0", NULL);
    assert_non_null(unpinned->turned_down);
    AUTO_ASKING struct asking named = ask("580.178.04", "H100", "cudss@0.8.0");
    assert_chosen(&named, "cudss", "0.8.0", "asked");
    assert_says(chosen(&named, "cudss")->install, "--allow-unpinned");
    AUTO_ASKING struct asking partial = ask("580.178.04", "H100", "cudss@0.8");
    assert_false(partial.fits);
}

/* A list of nvshmem that nobody has seen may be for any CUDA: it is taken where it is named. */
static void test_untold(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = ask("580.178.04", "H100", "nvshmem");
    assert_chosen(&asking, "nvshmem", "3.8.0", "paired");
    AUTO_ASKING struct asking named = ask("580.178.04", "H100", "nvshmem@3.6.5");
    assert_chosen(&named, "nvshmem", "3.6.5", "asked");
    assert_true(any_says(&chosen(&named, "nvshmem")->limits, "not known"));
    assert_string_equal(chosen(&named, "nvshmem")->build, "cuda13");
}

/* Nothing says for which CUDA: the newest build. */
static void test_any(void **state)
{
    (void)state;
    AUTO_ASKING struct asking any = ask(NULL, NULL, "cutensor");
    assert_chosen(&any, "cutensor", "2.8.1", "newest");
    assert_string_equal(chosen(&any, "cutensor")->build, "cuda13");
    AUTO_ASKING struct asking flat = ask(NULL, NULL, "cutensor@2.2.0");
    assert_null(chosen(&flat, "cutensor")->build);
}

/* A product by its own name, though it is also what people install with pip. */
static void test_nccl(void **state)
{
    (void)state;
    AUTO_ASKING struct asking twelve = ask("535.104.05", "H100", "cuda nccl");
    assert_chosen(&twelve, "nccl", "2.32.3", "paired");
    assert_string_equal(chosen(&twelve, "nccl")->build, "cuda12");
    assert_string_equal(chosen(&twelve, "nccl")->pin, "content");
    AUTO_ASKING struct asking eleven = ask(NULL, NULL, "cuda@11.8 nccl");
    assert_chosen(&eleven, "nccl", "2.21.5", "paired");
    AUTO_ASKING struct asking none = ask(NULL, NULL, "cuda@13.0 nccl@2.26");
    assert_false(none.fits);
    assert_says(none.error.why, "none for CUDA 13");
}

static void test_nothing(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = ask("590.48.01", "V100", "cutensor");
    assert_false(asking.fits);
    assert_says(asking.error.why, "no CUDA");
    AUTO_ASKING struct asking never = ask("580.178.04", "H100", "cutensor@9");
    assert_false(never.fits);
    assert_says(never.error.why, "cutensor 9 is newer than this manifest");
    AUTO_ASKING struct asking gap = ask("580.178.04", "H100", "cutensor@0.1");
    assert_says(gap.error.why, "lists no cutensor 0.1");
    /* not for another CUDA than the one that was asked for */
    AUTO_ASKING struct asking beside = ask("580.178.04", "H100", "cutensor cuda@99");
    assert_false(beside.fits);
    assert_null(chosen(&beside, "cutensor"));
    assert_true(strlist_has(&beside.resolution.failed, "cutensor"));
    AUTO_ASKING struct asking arm = ask("580.178.04", "H100", "nvpl");
    assert_false(arm.fits);
    assert_string_equal(candidate(&arm, "nvpl", "25.5", NULL)->turned_down, "no_platform");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_major), cmocka_unit_test(test_pins), cmocka_unit_test(test_untold),
        cmocka_unit_test(test_any),   cmocka_unit_test(test_nccl), cmocka_unit_test(test_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
