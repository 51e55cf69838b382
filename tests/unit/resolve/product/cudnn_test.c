/* SPDX-License-Identifier: MIT */
#include "resolve/asking.h"
#include "resolve/engine/resolution.h"

/* cuDNN 9.11.0 dropped CUDA 11 and every GPU below 7.5, 9.12.0 brought CUDA 13. */
static void test_traps(void **state)
{
    (void)state;
    AUTO_ASKING struct asking volta = ask("535.104.05", "Tesla V100", "cudnn");
    assert_chosen(&volta, "cudnn", "9.10.2", "paired");
    assert_string_equal(chosen(&volta, "cudnn")->build, "cuda12");
    assert_says(chosen(&volta, "cudnn")->limit_gpu, "V100");
    assert_candidate(&volta, "cudnn", "9.11.0", FIT_NO, "cudnn_drops_gpu");
    /* the driver is of CUDA 13, the GPU keeps it at 12 */
    AUTO_ASKING struct asking newer = ask("580.178.04", "Tesla V100", "cudnn");
    assert_chosen(&newer, "cudnn", "9.10.2", "paired");
    assert_string_equal(chosen(&newer, "cudnn")->build, "cuda12");
    AUTO_ASKING struct asking eleven = ask("470.256.02", "A100", "cuda cudnn");
    assert_chosen(&eleven, "cuda", "11.8.0", "minor_version");
    assert_chosen(&eleven, "cudnn", "9.10.2", "paired");
    assert_string_equal(chosen(&eleven, "cudnn")->build, "cuda11");
    assert_candidate(&eleven, "cudnn", "9.11.0", FIT_NO, "no_pair");
}

/* The lowest GPU and driver of 9.25.0 are not known: that is never a yes. */
static void test_unknown_floor(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = ask("580.178.04", "H100", "cuda cudnn");
    assert_chosen(&asking, "cuda", newest_cuda(&asking, 13), "minor_version");
    assert_chosen(&asking, "cudnn", "9.27.0", "paired");
    assert_string_equal(chosen(&asking, "cudnn")->build, "cuda13");
    assert_candidate(&asking, "cudnn", "9.25.0", FIT_UNKNOWN, "cudnn_floor_unknown");
    AUTO_ASKING struct asking named = ask("580.178.04", "H100", "cuda cudnn@9.25.0");
    assert_chosen(&named, "cudnn", "9.25.0", "asked");
    assert_true(any_says(&chosen(&named, "cudnn")->limits, "not known"));
    /* below the floor of an earlier release it is a no all the same */
    AUTO_ASKING struct asking volta = ask("580.178.04", "V100", "cudnn@9.26.1");
    assert_false(volta.fits);
    assert_candidate(&volta, "cudnn", "9.26.1", FIT_NO, "cudnn_drops_gpu");
}

static void test_driver_floor(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = ask("550.54.15", "A100", "cuda@13.0.2 cudnn@9.12");
    assert_false(asking.fits);
    AUTO_ASKING struct asking prefix = asking_of("550.54.15", "A100");
    prefix.machine.toolkit = version_of("13.0");
    prefix.machine.toolkit_is_prefix = true;
    ask_for(&prefix, "cudnn", NULL);
    assert_candidate(&prefix, "cudnn", "9.12.0", FIT_NO, "driver_too_old");
    assert_false(prefix.fits);
    AUTO_ASKING struct asking below = ask("525.60.11", NULL, "cudnn@9.10.2");
    assert_string_equal(chosen(&below, "cudnn")->build, "cuda11");
}

static void test_pairing_keeps_cuda_down(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = ask("580.178.04", "H100", "cuda cudnn@9.10");
    assert_chosen(&asking, "cuda", "12.9.2", "exact");
    assert_chosen(&asking, "cudnn", "9.10.2", "paired");
    assert_string_equal(candidate(&asking, "cuda", "13.0.2", NULL)->turned_down, "no_pair");
    AUTO_ASKING struct asking never = ask("580.178.04", "H100", "cuda@13 cudnn@9.10.2");
    assert_false(never.fits);
    assert_non_null(chosen(&never, "cuda"));
    assert_null(chosen(&never, "cudnn"));
    assert_says(never.error.why, "not built for CUDA 13");
    AUTO_ASKING struct asking old = ask(NULL, NULL, "cuda@11.8 cudnn@9.20");
    assert_false(old.fits);
    assert_says(old.error.why, "not built for CUDA 11.8");
}

/* Without a CUDA beside it: that of the prefix, of the driver, the newest. */
static void test_alone(void **state)
{
    (void)state;
    AUTO_ASKING struct asking prefix = asking_of("580.178.04", "H100");
    prefix.machine.toolkit = version_of("12.4");
    ask_for(&prefix, "cudnn", NULL);
    assert_string_equal(chosen(&prefix, "cudnn")->build, "cuda12");
    assert_true(any_says(&prefix.resolution.notes, "CUDA 12.4 is installed here"));
    /* one that is only installed beside does not keep out what is asked for; a prefix does */
    AUTO_ASKING struct asking beside = asking_of("535.104.05", "H100");
    beside.machine.toolkit = version_of("13.0");
    ask_for(&beside, "cudnn@9.8", NULL);
    assert_chosen(&beside, "cudnn", "9.8.0", "paired");
    assert_string_equal(chosen(&beside, "cudnn")->build, "cuda12");
    assert_true(any_says(&beside.resolution.notes, "another CUDA is chosen"));
    AUTO_ASKING struct asking joined = asking_of("535.104.05", "H100");
    joined.machine.toolkit = version_of("13.0");
    joined.machine.toolkit_is_prefix = true;
    ask_for(&joined, "cudnn@9.8", NULL);
    assert_false(joined.fits);
    assert_says(joined.error.why, "not built for CUDA 13.0");
    AUTO_ASKING struct asking driver = ask("535.104.05", NULL, "cudnn");
    assert_string_equal(chosen(&driver, "cudnn")->build, "cuda12");
    AUTO_ASKING struct asking newest = ask(NULL, NULL, "cudnn");
    assert_string_equal(chosen(&newest, "cudnn")->build, "cuda13");
    /* an old one is for an old CUDA, pinned or not */
    AUTO_ASKING struct asking old = ask("535.104.05", NULL, "cudnn@7.6.5");
    assert_chosen(&old, "cudnn", "7.6.5", "paired");
    assert_string_equal(chosen(&old, "cudnn")->build, "cuda10.2");
    assert_string_equal(chosen(&old, "cudnn")->pin, "none");
}

static void test_names_of_releases(void **state)
{
    (void)state;
    AUTO_ASKING struct asking build = ask("535.104.05", "A100", "cudnn@9.10.2.21");
    assert_chosen(&build, "cudnn", "9.10.2", "paired");
    AUTO_ASKING struct asking eight = ask("535.104.05", "A100", "cudnn@8");
    assert_chosen(&eight, "cudnn", "8.9.7", "paired");
    AUTO_ASKING struct asking never = ask("535.104.05", "A100", "cudnn@9.99");
    assert_false(never.fits);
    assert_says(never.error.why, "cuDNN 9.99 is newer than this manifest");
    AUTO_ASKING struct asking gap = ask("535.104.05", "A100", "cudnn@9.10.2.99");
    assert_says(gap.error.why, "lists no cuDNN 9.10.2.99");
}

/* A release that is older than the first toolkit for the GPU has no machine code for it. */
static void test_precedes_gpu(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = ask("580.178.04", "GeForce RTX 5090", "cuda@12 cudnn");
    assert_candidate(&asking, "cudnn", "9.6.0", FIT_UNKNOWN, "cudnn_precedes_gpu");
    assert_candidate(&asking, "cudnn", "9.7.0", FIT_EXACT, "paired");
    AUTO_ASKING struct asking rubin = ask("615.71.09", "10.7", "cudnn");
    assert_candidate(&rubin, "cudnn", "9.22.0", FIT_UNKNOWN, "cudnn_precedes_gpu");
    assert_sound(&rubin);
}

/* 10.7 has a row of its own from 9.25.0 on: CUDA 13.4 and R615. 9.25.0 is a preview, and of 9.25.1
 * no file is proved: it is chosen where nothing better runs, and says so. */
static void test_one_capability(void **state)
{
    (void)state;
    AUTO_ASKING struct asking rubin = ask("615.71.09", "10.7", "cudnn@9.25.1");
    assert_chosen(&rubin, "cudnn", "9.25.1", "paired");
    const struct resolve_choice *choice = chosen(&rubin, "cudnn");
    assert_string_equal(choice->row, "cudnn/9.25.1+cuda13.4:10.7");
    assert_string_equal(choice->confidence, "low");
    assert_string_equal(choice->build, "cuda13");
    assert_string_equal(choice->pin, "none");
    assert_says(choice->why, "with CUDA 13.4 and driver 615, or newer");
    assert_says(choice->install, "no checksums for this version");
    AUTO_ASKING struct asking preview = ask("615.71.09", "10.7", "cuda cudnn@9.25.0");
    assert_chosen(&preview, "cudnn", "9.25.0", "paired");
    assert_string_equal(chosen(&preview, "cudnn")->confidence, "medium");
    /* a version that is named in part is one with a pin, as ever */
    AUTO_ASKING struct asking part = ask("615.71.09", "10.7", "cudnn@9.25");
    assert_false(part.fits);
    assert_says(part.error.why, "no checksums for cuDNN 9.25.1");
    assert_says(part.error.next, "cudnn@9.25.1");
    /* what is in a prefix may be for newer GPUs alone: another CUDA is the way out, and is taken
     * where that is only installed */
    AUTO_ASKING struct asking prefix = asking_of(NULL, "V100");
    prefix.machine.toolkit = version_of("13.0");
    prefix.machine.toolkit_is_prefix = true;
    ask_for(&prefix, "cudnn", NULL);
    assert_false(prefix.fits);
    assert_says(prefix.error.next, "gpuenv resolve cuda cudnn");
    AUTO_ASKING struct asking installed = asking_of(NULL, "V100");
    installed.machine.toolkit = version_of("13.0");
    ask_for(&installed, "cudnn", NULL);
    assert_string_equal(chosen(&installed, "cudnn")->build, "cuda12");
    /* an older CUDA, an older driver, another GPU beside it */
    AUTO_ASKING struct asking older = asking_of("615.71.09", "10.7");
    older.machine.toolkit = version_of("13.2");
    older.machine.toolkit_is_prefix = true;
    ask_for(&older, "cudnn@9.25.1", NULL);
    assert_candidate(&older, "cudnn", "9.25.1", FIT_NO, "no_pair");
    assert_says(candidate(&older, "cudnn", "9.25.1", NULL)->why, "only with CUDA 13.4 or newer");
    AUTO_ASKING struct asking driver = asking_of("610.57.04", "10.7");
    driver.machine.toolkit = version_of("13.4");
    driver.machine.toolkit_is_prefix = true;
    ask_for(&driver, "cudnn@9.25.1", NULL);
    assert_candidate(&driver, "cudnn", "9.25.1", FIT_NO, "driver_too_old");
    AUTO_ASKING struct asking two = ask("615.71.09", "10.7;9.0", "cuda cudnn@9.25.0");
    assert_candidate(&two, "cudnn", "9.25.0", FIT_UNKNOWN, "cudnn_floor_unknown");
    AUTO_ASKING struct asking hopper = ask("615.71.09", "H100", "cudnn");
    assert_chosen(&hopper, "cudnn", "9.27.0", "paired");
    /* the driver to install is one that the row asks for */
    AUTO_ASKING struct asking install = ask(NULL, "10.7", "cuda@13.4 cudnn@9.25.1 driver@615");
    assert_chosen(&install, "driver", latest_driver(&install, 615), "recommended");
    assert_true(any_says(&install.resolution.notes, "cuDNN needs driver 615 or newer"));
}

static void test_unknown_gpu(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = ask("580.178.04", "Frobnicator 9000", "cuda@13.0.2 cudnn");
    assert_chosen(&asking, "cuda", "13.0.2", "asked");
    assert_null(chosen(&asking, "cudnn"));
    assert_candidate(&asking, "cudnn", "9.22.0", FIT_UNKNOWN, "gpu_unknown");
}

/* A toolkit that is there says nothing of the driver: what does not drive the GPU runs no cuDNN. */
static void test_driver_of_the_gpu(void **state)
{
    (void)state;
    AUTO_ASKING struct asking dropped = asking_of("590.48.01", "V100");
    dropped.machine.toolkit = version_of("12.8.1");
    ask_for(&dropped, "cudnn", NULL);
    assert_false(dropped.fits);
    assert_says(dropped.error.why, "no longer supports");
    AUTO_ASKING struct asking prefix = asking_of("590.48.01", "V100");
    prefix.machine.toolkit = version_of("12.8.1");
    prefix.machine.toolkit_is_prefix = true;
    ask_for(&prefix, "cudnn", NULL);
    assert_false(prefix.fits);
    assert_candidate(&prefix, "cudnn", "9.10.2", FIT_NO, "driver_drops_gpu");
    /* a driver that is newer than the manifest */
    AUTO_ASKING struct asking newer = asking_of("999.1", "H100");
    newer.machine.toolkit = version_of("12.8.1");
    ask_for(&newer, "cudnn@9.9.0", NULL);
    assert_chosen(&newer, "cudnn", "9.9.0", "asked");
    assert_candidate(&newer, "cudnn", "9.10.2", FIT_UNKNOWN, "driver_unknown_for_gpu");
    AUTO_ASKING struct asking beside = ask("999.1", "H100", "cuda@12.8.1 cudnn");
    assert_false(beside.fits);
    assert_chosen(&beside, "cudnn", NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_traps),        cmocka_unit_test(test_unknown_floor),
        cmocka_unit_test(test_driver_floor), cmocka_unit_test(test_pairing_keeps_cuda_down),
        cmocka_unit_test(test_alone),        cmocka_unit_test(test_names_of_releases),
        cmocka_unit_test(test_precedes_gpu), cmocka_unit_test(test_one_capability),
        cmocka_unit_test(test_unknown_gpu),  cmocka_unit_test(test_driver_of_the_gpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
