/* SPDX-License-Identifier: MIT */
#include "resolve/asking.h"
#include "resolve/engine/resolution.h"

static struct asking ask_framework(const char *driver, const char *specs, const char *framework)
{
    struct asking asking = asking_of(driver, "H100");
    ask_for(&asking, specs, framework);
    return asking;
}

static bool notes_say(const struct asking *asking, const char *words)
{
    return any_says(&asking->resolution.notes, words);
}

/* The versions that the release asks for, of the CUDA that was chosen. */
static void test_exact(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = ask_framework("580.178.04", "", "pytorch@2.11");
    assert_chosen(&asking, "nccl", "2.28.9", "wanted");
    assert_string_equal(chosen(&asking, "nccl")->build, "cuda13");
    assert_says(chosen(&asking, "nccl")->why, "requires nvidia-nccl-cu13 ==2.28.9");
    assert_chosen(&asking, "cusparselt", "0.8.0", "wanted");
    assert_chosen(&asking, "nvshmem", "3.4.5", "wanted");
    assert_string_equal(chosen(&asking, "nvshmem")->build, "cuda13");
    assert_null(chosen(&asking, "cublas"));
}

/* A list without variants is for the CUDA of the package that has this version. */
static void test_untold(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = ask_framework("570.86.10", "", "pytorch@2.8");
    assert_chosen(&asking, "cusparselt", "0.7.1", "wanted");
    assert_int_equal(chosen(&asking, "cusparselt")->limits.count, 0);
    assert_chosen(&asking, "nccl", "2.27.3", "wanted");
}

static void test_range(void **state)
{
    (void)state;
    AUTO_ASKING struct asking optional = ask_framework("575.57.08", "", "cupy@13.6");
    assert_chosen(&optional, "nccl", "2.26.5", "wanted");
    assert_says(chosen(&optional, "nccl")->why, "cupy 13.6.0 can use nccl >=2.16,<2.27");
    assert_chosen(&optional, "cutensor", "2.8.1", "wanted");
    AUTO_ASKING struct asking jax = ask_framework("575.57.08", "", "jax");
    assert_non_null(chosen(&jax, "nccl"));
    assert_string_equal(chosen(&jax, "nccl")->build, "cuda12");
}

/* What is named counts, and what cannot be had is told. */
static void test_other(void **state)
{
    (void)state;
    AUTO_ASKING struct asking named = ask_framework("580.178.04", "nccl@2.32.3", "pytorch@2.11");
    assert_chosen(&named, "nccl", "2.32.3", "paired");
    AUTO_ASKING struct asking old = asking_of("535.104.05", "A100");
    ask_for(&old, "", "cupy@10.6");
    assert_null(chosen(&old, "cutensor"));
    assert_true(notes_say(&old, "cupy 10.6.0 can use cutensor>=1.3,<1.6 too, which is left out: "));
    assert_true(old.fits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_untold),
        cmocka_unit_test(test_range),
        cmocka_unit_test(test_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
