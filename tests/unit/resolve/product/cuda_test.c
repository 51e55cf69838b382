/* SPDX-License-Identifier: MIT */
#include "resolve/asking.h"
#include "resolve/engine/resolution.h"

/* What issue 4 asks for, each checked by hand against the rows of the facts: the newest release
 * with a pin that driver and GPUs run, and the newest exact one beside it. */
static void test_must_be_shown(void **state)
{
    (void)state;
    static const struct {
        const char *driver, *gpus, *version, *rule, *exact, *limit;
    } rows[] = {
        /* R535 is of CUDA 12.2, at least 525.60.13; CUDA 13 has no code for 7.0 */
        {"535.104.05", "Tesla V100", "12.9.2", "minor_version", "12.2.2", "V100"},
        /* R580 is of CUDA 13.0, at least 580.65.06: any CUDA 13 */
        {"580.95.05", "GeForce RTX 5090", NULL, "minor_version", "13.0.3", NULL},
        /* R470 is of CUDA 11.4, at least 450.80.02; 3.7 ends with 11.8 */
        {"470.256.02", "Tesla K80", "11.8.0", "minor_version", "11.4.4", "K80"},
        /* the floor of 12 itself; CUDA 13 has code for 9.0 and none for 6.1 */
        {"525.60.13", "H100;GeForce GTX 1080 Ti", "12.9.2", "minor_version", "12.0.0",
         "GTX 1080 Ti"},
        /* R550 is of CUDA 12.4; CUDA 13 asks for 580.65.06, which no GPU stands in the way of */
        {"550.54.15", "GeForce RTX 4090;GeForce RTX 4090", "12.9.2", "minor_version", "12.4.1",
         NULL},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        AUTO_ASKING struct asking asking = ask(rows[i].driver, rows[i].gpus, "cuda");
        assert_true(asking.fits);
        assert_chosen(&asking, "cuda", rows[i].version ? rows[i].version : newest_cuda(&asking, 13),
                      rows[i].rule);
        const struct resolve_choice *choice = chosen(&asking, "cuda");
        assert_string_equal(choice->exact, rows[i].exact);
        assert_int_equal(choice->limit_gpu != NULL, rows[i].limit != NULL);
        if (rows[i].limit)
            assert_says(choice->limit_gpu, rows[i].limit);
        assert_true(any_says(&choice->limits, "error 222"));
        assert_true(any_says(&choice->limits, "error 36"));
        assert_int_not_equal(strcmp(choice->pin, "none"), 0);
    }
}

static void test_exact(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = ask("580.178.04", "V100", "cuda@auto");
    assert_chosen(&asking, "cuda", "12.9.2", "exact");
    const struct resolve_choice *choice = chosen(&asking, "cuda");
    assert_null(choice->exact);
    assert_int_equal(choice->limits.count, 0);
    assert_candidate(&asking, "cuda", "12.9.1", FIT_EXACT, "driver_new_enough");
    assert_candidate(&asking, "cuda", "13.0.2", FIT_NO, "toolkit_drops_gpu");
    assert_says(candidate(&asking, "cuda", "13.0.2", NULL)->why, "12.9 is the last");
}

/* The minimum of 12.8.2 is not listed: that of 12.8.1 before it holds, since no update asks for
 * less. */
static void test_unlisted_minimum(void **state)
{
    (void)state;
    AUTO_ASKING struct asking below = ask("570.86.15", "A100", "cuda@12.8");
    assert_chosen(&below, "cuda", "12.8.2", "minor_version");
    assert_string_equal(chosen(&below, "cuda")->exact, "12.8.0");
    assert_says(
        chosen(&below, "cuda")->why,
        "the minimum driver of CUDA 12.8.2 is not listed; the minimum for 12.8.1 is 570.124.06");
    AUTO_ASKING struct asking at = ask("570.124.06", "A100", "cuda@12.8");
    assert_chosen(&at, "cuda", "12.8.2", "exact");
    /* below the floor of the major, too */
    AUTO_ASKING struct asking older = ask("580.65.05", "A100", "cuda");
    assert_candidate(&older, "cuda", "13.0.3", FIT_NO, "driver_too_old");
    assert_candidate(&older, "cuda", "13.0.0", FIT_NO, "driver_too_old");
    /* no release of 13.4 has one: the branch tells */
    AUTO_ASKING struct asking newest = ask("615.71.09", "A100", "cuda@13.4.2");
    assert_chosen(&newest, "cuda", "13.4.2", "exact");
}

/* An upper bound of a table makes no driver fail, nor does a driver that is not listed yet. */
static void test_newer_drivers(void **state)
{
    (void)state;
    AUTO_ASKING struct asking old = ask("615.71.09", "H100", "cuda@11.8");
    assert_chosen(&old, "cuda", "11.8.0", "exact");
    /* without a GPU it is compared by number */
    AUTO_ASKING struct asking number = ask("999.10", NULL, "cuda");
    assert_chosen(&number, "cuda", newest_cuda(&number, 13), "exact");
    assert_says(chosen(&number, "cuda")->why, "newer than this manifest (");
    assert_true(any_says(&number.resolution.notes, "compares the driver's number"));
    AUTO_ASKING struct asking older = ask("999.10", NULL, "cuda@12.8.1");
    assert_says(chosen(&older, "cuda")->why, "is made for driver 570");
    assert_says(chosen(&older, "cuda")->why, "newer than this manifest (");
    AUTO_ASKING struct asking dropped = ask("999.10", "V100", "cuda");
    assert_false(dropped.fits);
    assert_candidate(&dropped, "cuda", "12.9.2", FIT_NO, "driver_drops_gpu");
}

/* Whether a branch of tomorrow still drives a GPU, only the GPU's own answer tells. */
static void test_newer_driver_and_gpu(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = ask("999.10", "H100", "cuda");
    assert_false(asking.fits);
    assert_candidate(&asking, "cuda", "12.9.2", FIT_UNKNOWN, "driver_unknown_for_gpu");
    assert_says(candidate(&asking, "cuda", "12.9.2", NULL)->why, "newer than this manifest (");
    assert_says(asking.error.why, "whether the driver still supports H100");
    assert_says(asking.error.next, "update gpuenv");
    assert_true(any_says(&asking.resolution.notes, "whether the driver still supports H100"));
    AUTO_ASKING struct asking named = ask("999.10", "H100", "cuda@12.8.1");
    assert_chosen(&named, "cuda", "12.8.1", "asked");
    AUTO_ASKING struct asking beside = ask("999.10", "H100", "cudnn");
    assert_false(beside.fits);
    assert_says(beside.error.why, "newer than this manifest (");
    AUTO_ASKING struct asking torch = ask("999.10", "H100", "pytorch");
    assert_false(torch.fits);
    assert_says(torch.error.why, "newer than this manifest (");
    /* the driver was called, but this GPU is assumed */
    AUTO_ASKING struct asking assumed = asking_of("999.10", "H100");
    assumed.machine.driver_api = version_of("15.0");
    ask_for(&assumed, "cuda", NULL);
    assert_false(assumed.fits);
    AUTO_ASKING struct asking live = asking_of("999.10", "H100");
    live.machine.driver_api = version_of("15.0");
    live.gpus[0].answers = true;
    ask_for(&live, "cuda cudnn", NULL);
    assert_chosen(&live, "cuda", newest_cuda(&live, 13), "exact");
    assert_says(chosen(&live, "cuda")->why, "newer than this manifest (");
    assert_says(chosen(&live, "cudnn")->why, "newer than this manifest (");
    assert_true(any_says(&live.resolution.notes, "newer than this manifest ("));
    /* it tells the CUDA that it supports, and no version */
    AUTO_ASKING struct asking told = asking_of(NULL, "H100");
    told.machine.driver_api = version_of("15.0");
    told.gpus[0].answers = true;
    ask_for(&told, "cuda", NULL);
    assert_chosen(&told, "cuda", newest_cuda(&told, 13), "exact");
    assert_says(chosen(&told, "cuda")->why, "newer than this manifest (");
    AUTO_ASKING struct asking silent = asking_of(NULL, "H100");
    silent.machine.driver_api = version_of("15.0");
    ask_for(&silent, "cuda", NULL);
    assert_false(silent.fits);
    AUTO_ASKING struct asking listed = asking_of(NULL, "H100");
    listed.machine.driver_api = version_of("13.4");
    ask_for(&listed, "cuda", NULL);
    assert_true(listed.fits);
    /* one of two GPUs that answers is not both */
    AUTO_ASKING struct asking two = asking_of("999.10", "H100;A100");
    two.machine.driver_api = version_of("15.0");
    two.gpus[0].answers = true;
    ask_for(&two, "cuda", NULL);
    assert_false(two.fits);
    assert_says(two.error.why, "A100");
    /* the driver that is there is told of beside the one that is recommended */
    AUTO_ASKING struct asking driver = ask("999.10", "H100", "cuda@12.8 driver");
    assert_true(any_says(&driver.resolution.notes, "999.10 is present: it may run"));
    AUTO_ASKING struct asking gone = ask("999.10", "V100", "cuda@12.8 driver");
    assert_true(any_says(&gone.resolution.notes, "999.10 is present: it does not run"));
}

static void test_driver_and_gpu(void **state)
{
    (void)state;
    static const struct {
        const char *driver, *gpu, *cuda;
        enum fit fit;
        const char *reason;
    } rows[] = {
        {"590.48.01", "7.0", "12.9.1", FIT_NO, "driver_drops_gpu"},
        {"495.46", "3.7", "11.4.4", FIT_NO, "driver_drops_gpu"},
        {"550.54.15", "12.0", "12.8.1", FIT_NO, "driver_precedes_gpu"},
        {"570.86.15", "12.0", "12.8.0", FIT_EXACT, "driver_new_enough"},
        {"570.86.15", "12.0", "12.6.3", FIT_NO, "toolkit_precedes_gpu"},
        {"570.86.15", "12.0", "12.9.1", FIT_MINOR, "minor_version_compatibility"},
        {"570.86.15", "9.0", "13.0.0", FIT_NO, "driver_too_old"},
        {"535.104.05", "6.1", "8.0.61", FIT_EXACT, "driver_new_enough"},
        /* the first branch is not listed, the first toolkit is: 12.9, which R575 came with */
        {"575.57.08", "12.1", "12.9.1", FIT_EXACT, "driver_new_enough"},
        {"570.86.15", "12.1", "12.9.1", FIT_UNKNOWN, "driver_unknown_for_gpu"},
        /* the driver of Orin is part of its system */
        {"580.95.05", "8.7", "12.9.1", FIT_UNKNOWN, "driver_unknown_for_gpu"},
        /* Thor is 10.1 up to CUDA 12.9, and 11.0 from 13.0 on */
        {"580.95.05", "11.0", "13.0.2", FIT_EXACT, "driver_new_enough"},
        {"580.95.05", "11.0", "12.9.1", FIT_NO, "toolkit_precedes_gpu"},
        {"580.95.05", "10.1", "13.0.2", FIT_NO, "toolkit_drops_gpu"},
        {"570.86.15", "10.1", "12.8.1", FIT_NO, "driver_precedes_gpu"},
        /* the first toolkit for 3.0 is not listed, nvcc's list has it */
        {"470.256.02", "3.0", "9.2.148", FIT_EXACT, "driver_new_enough"},
        {"470.256.02", "3.0", "11.0.3", FIT_NO, "toolkit_drops_gpu"},
        {"615.71.09", "10.7", "13.4.2", FIT_EXACT, "driver_new_enough"},
        {"610.57.04", "10.7", "13.4.2", FIT_NO, "driver_precedes_gpu"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        AUTO_ASKING struct asking asking = ask(rows[i].driver, rows[i].gpu, "cuda");
        assert_candidate(&asking, "cuda", rows[i].cuda, rows[i].fit, rows[i].reason);
        assert_sound(&asking);
    }
    AUTO_ASKING struct asking thor = ask("580.95.05", "10.1", "cuda@13");
    assert_says(candidate(&thor, "cuda", "13.0.2", NULL)->why, "call it 11.0");
}

/* Both are against it: the GPU is the graver reason, and the driver is told of. */
static void test_both_against(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = ask("535.104.05", "V100", "cuda@13.0.2");
    assert_false(asking.fits);
    assert_int_equal(asking.error.kind, ERROR_UNSATISFIABLE);
    assert_candidate(&asking, "cuda", "13.0.2", FIT_NO, "toolkit_drops_gpu");
    assert_says(candidate(&asking, "cuda", "13.0.2", NULL)->why, "is too old for this CUDA");
    assert_says(asking.error.why, "12.9 is the last");
}

static void test_unknown_gpu(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = ask("580.95.05", "H100;Frobnicator 9000", "cuda");
    assert_false(asking.fits);
    assert_candidate(&asking, "cuda", "13.0.2", FIT_UNKNOWN, "gpu_unknown");
    assert_true(any_says(&asking.resolution.notes, "a GPU of tomorrow is not in this manifest"));
    AUTO_ASKING struct asking named = ask("580.95.05", "Frobnicator 9000", "cuda@13.0.2");
    assert_chosen(&named, "cuda", "13.0.2", "asked");
    assert_true(any_says(&chosen(&named, "cuda")->limits, "not known"));
    AUTO_ASKING struct asking old = ask("535.104.05", "Frobnicator 9000", "cuda@13.0.2");
    assert_candidate(&old, "cuda", "13.0.2", FIT_NO, "driver_too_old");
    assert_false(old.fits);
}

static void test_no_driver(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = ask(NULL, NULL, "cuda");
    assert_chosen(&asking, "cuda", newest_cuda(&asking, 13), "newest");
    assert_candidate(&asking, "cuda", "12.8.1", FIT_UNKNOWN, "no_driver");
    assert_true(any_says(&asking.resolution.notes, "no driver was found"));
    AUTO_ASKING struct asking gpu = ask(NULL, "V100", "cuda");
    assert_chosen(&gpu, "cuda", "12.9.2", "newest");
}

/* A driver that tells only its CUDA, as in WSL. */
static void test_told(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = asking_of(NULL, "GeForce RTX 4090");
    asking.machine.driver_api = version_of("12.6");
    ask_for(&asking, "cuda", NULL);
    assert_chosen(&asking, "cuda", "12.9.2", "minor_version");
    assert_string_equal(chosen(&asking, "cuda")->exact, "12.6.3");
    assert_candidate(&asking, "cuda", "13.0.2", FIT_NO, "driver_too_old");
}

static void test_stages_and_pins(void **state)
{
    (void)state;
    AUTO_ASKING struct asking preview = ask("615.71.09", "H100", "cuda@13.4");
    assert_chosen(&preview, "cuda", "13.4.2", "exact");
    AUTO_ASKING struct asking named = ask("615.71.09", "H100", "cuda@13.4.0");
    assert_chosen(&named, "cuda", "13.4.0", "exact");
    assert_string_equal(chosen(&named, "cuda")->pin, "none");
    assert_says(chosen(&named, "cuda")->install, "--allow-unpinned");
    AUTO_ASKING struct asking rc = ask("450.51.06", NULL, "cuda@11.0");
    assert_chosen(&rc, "cuda", "11.0.3", "exact");
    assert_says(chosen(&rc, "cuda")->install, "--archive cuda_11.0.3_450.51.06_linux.run");
    assert_string_equal(candidate(&rc, "cuda", "12.8.1", NULL)->turned_down, "outside_request");
}

/* What fits and what a list of archives proves are two answers. */
static void test_fits_and_has_no_list(void **state)
{
    (void)state;
    AUTO_ASKING struct asking volta = ask("440.118.02", "Tesla V100", "cuda");
    assert_chosen(&volta, "cuda", "10.2.89", "exact");
    assert_says(chosen(&volta, "cuda")->install, "gpuenv install cuda@10.2.89 --archive");
    assert_says(chosen(&volta, "cuda")->install, "cuda_10.2.89_440.33.01_linux.run");
    assert_int_equal(chosen(&volta, "cuda")->limits.count, 0);
    AUTO_ASKING struct asking newer = ask("450.80.02", "Tesla V100", "cuda");
    assert_string_not_equal(chosen(&newer, "cuda")->pin, "none");
    assert_null(chosen(&newer, "cuda")->install);
}

static void test_unlisted(void **state)
{
    (void)state;
    AUTO_ASKING struct asking newer = ask("580.95.05", "H100", "cuda@99");
    assert_false(newer.fits);
    assert_int_equal(newer.error.kind, ERROR_UNSATISFIABLE);
    assert_says(newer.error.why, "newer than this manifest (");
    AUTO_ASKING struct asking patch = ask("615.71.09", "H100", "cuda@13.99");
    assert_says(patch.error.why, "newer than this manifest (");
    AUTO_ASKING struct asking never = ask("580.95.05", "H100", "cuda@12.7");
    assert_false(never.fits);
    assert_says(never.error.why, "lists no CUDA 12.7");
}

static void test_platform(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = asking_of("580.95.05", "H100");
    asking.machine.architecture = "riscv64";
    ask_for(&asking, "cuda@13.0", NULL);
    assert_false(asking.fits);
    assert_string_equal(candidate(&asking, "cuda", "13.0.2", NULL)->turned_down, "no_platform");
}

static struct asking with_compat(const char *driver, const char *gpus, const char *compat)
{
    struct asking asking = asking_of(driver, gpus);
    asking.compat[0] = version_of(compat);
    asking.machine.compat_count = 1;
    return asking;
}

static void test_forward_compatibility(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = with_compat("535.183.01", "H100", "13.0");
    ask_for(&asking, "cuda", NULL);
    assert_chosen(&asking, "cuda", "13.0.3", "forward_compatible");
    assert_candidate(&asking, "cuda", "13.0.2", FIT_COMPAT, "cuda_compat");
    assert_candidate(&asking, "cuda", "13.1.1", FIT_NO, "driver_too_old");
    assert_true(any_says(&chosen(&asking, "cuda")->limits, "LD_LIBRARY_PATH"));
    assert_string_equal(chosen(&asking, "cuda")->exact, "12.2.2");

    AUTO_ASKING struct asking geforce = with_compat("535.183.01", "H100;RTX 4090", "13.0");
    ask_for(&geforce, "cuda", NULL);
    assert_candidate(&geforce, "cuda", "13.0.2", FIT_NO, "driver_too_old");

    AUTO_ASKING struct asking bare = with_compat("535.183.01", "9.0", "13.0");
    ask_for(&bare, "cuda", NULL);
    assert_candidate(&bare, "cuda", "13.0.2", FIT_UNKNOWN, "cuda_compat_unknown");
    assert_chosen(&bare, "cuda", "12.9.2", "minor_version");

    /* R545 was a new-feature branch: it is no base for cuda-compat */
    AUTO_ASKING struct asking base = with_compat("545.29.06", "H100", "13.0");
    ask_for(&base, "cuda", NULL);
    assert_candidate(&base, "cuda", "13.0.2", FIT_NO, "driver_too_old");

    AUTO_ASKING struct asking absent = ask("535.183.01", "H100", "cuda");
    assert_candidate(&absent, "cuda", "13.0.2", FIT_NO, "driver_too_old");
    assert_says(candidate(&absent, "cuda", "13.0.2", NULL)->why, "cuda-compat-13-0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_must_be_shown),
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_unlisted_minimum),
        cmocka_unit_test(test_newer_drivers),
        cmocka_unit_test(test_newer_driver_and_gpu),
        cmocka_unit_test(test_driver_and_gpu),
        cmocka_unit_test(test_both_against),
        cmocka_unit_test(test_unknown_gpu),
        cmocka_unit_test(test_no_driver),
        cmocka_unit_test(test_told),
        cmocka_unit_test(test_stages_and_pins),
        cmocka_unit_test(test_fits_and_has_no_list),
        cmocka_unit_test(test_unlisted),
        cmocka_unit_test(test_platform),
        cmocka_unit_test(test_forward_compatibility),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
