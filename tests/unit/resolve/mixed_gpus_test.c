/* SPDX-License-Identifier: MIT */
#include "asking.h"
#include "resolve/mixed_gpus.h"
#include "resolve/engine/resolution.h"

static void ask_mixed_gpus(struct asking *asking, const char *specs)
{
    ask_for(asking, specs, NULL);
    resolve_mixed_gpus(asking->manifest, &asking->machine, &asking->specs, &asking->resolution);
}

static void assert_mixed_gpus(const struct mixed_gpu *mixed, const char *product, const char *gpu,
                              const char *version, const char *build)
{
    assert_string_equal(mixed->product, product);
    assert_true(string_starts(mixed->gpu, gpu));
    assert_true(string_equal(mixed->version, version));
    assert_true(string_equal(mixed->build, build));
    assert_int_equal(mixed->command != NULL, version != NULL);
}

/* No build has code for both but by PTX of long ago. */
static void test_one_keeps_newer_ones_out(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = asking_of("580.95.05", "GTX 1080 Ti;RTX 5090;RTX 5090");
    ask_mixed_gpus(&asking, "cuda pytorch");
    const struct resolution *resolution = &asking.resolution;
    assert_string_equal(chosen(&asking, "pytorch")->version, "1.5.1");
    assert_int_equal(resolution->mixed_gpu_count, 2);
    assert_mixed_gpus(&resolution->mixed_gpus[0], "pytorch", "GeForce GTX 1080 Ti", "2.14.0",
                      "cu126");
    assert_mixed_gpus(&resolution->mixed_gpus[1], "pytorch", "GeForce RTX 5090", "2.15.0", "cu132");
}

static void test_nothing_suits_all(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = asking_of("580.95.05", "GTX 1080 Ti;RTX 5090");
    ask_mixed_gpus(&asking, "pytorch@2.7");
    assert_false(asking.fits);
    assert_int_equal(asking.resolution.mixed_gpu_count, 2);
    assert_mixed_gpus(&asking.resolution.mixed_gpus[0], "pytorch", "GeForce GTX 1080 Ti", "2.7.1",
                      "cu126");
    assert_mixed_gpus(&asking.resolution.mixed_gpus[1], "pytorch", "GeForce RTX 5090", "2.7.1",
                      "cu128");
    /* The driver has left one of them. */
    AUTO_ASKING struct asking kepler = asking_of("580.95.05", "Tesla K80;RTX 5090");
    ask_mixed_gpus(&kepler, "torch jax");
    assert_int_equal(kepler.resolution.mixed_gpu_count, 4);
    assert_mixed_gpus(&kepler.resolution.mixed_gpus[0], "pytorch", "Tesla K80", NULL, NULL);
    assert_mixed_gpus(&kepler.resolution.mixed_gpus[1], "pytorch", "GeForce RTX 5090", "2.15.0",
                      "cu132");
    assert_mixed_gpus(&kepler.resolution.mixed_gpus[2], "jax", "Tesla K80", NULL, NULL);
    /* With a driver to be chosen, what is there does not count. */
    AUTO_ASKING struct asking driver = asking_of("470.256.02", "GTX 1080 Ti;RTX 5090");
    ask_mixed_gpus(&driver, "pytorch driver");
    assert_int_equal(driver.resolution.mixed_gpu_count, 2);
    assert_mixed_gpus(&driver.resolution.mixed_gpus[1], "pytorch", "GeForce RTX 5090", "2.15.0",
                      "cu132");
}

static void test_nothing_to_gain(void **state)
{
    (void)state;
    static const struct {
        const char *gpus, *specs;
    } rows[] = {
        {"H100;RTX 4090", "pytorch"},           /* one build for both */
        {"RTX 4090;RTX 4090", "pytorch@2.7"},   /* of one kind */
        {"GTX 1080 Ti", "pytorch"},             /* alone */
        {"H100;GTX 1080 Ti", "cuda cudnn"},     /* no framework */
        {"V100;H100", "jax"},                   /* the same release */
        {"a;b", "pytorch"},                     /* nothing known */
        {"Tesla K80;GeForce GTX 680", "torch"}, /* neither is driven */
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        AUTO_ASKING struct asking asking = asking_of("580.95.05", rows[i].gpus);
        ask_mixed_gpus(&asking, rows[i].specs);
        assert_int_equal(asking.resolution.mixed_gpu_count, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_keeps_newer_ones_out),
        cmocka_unit_test(test_nothing_suits_all),
        cmocka_unit_test(test_nothing_to_gain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
