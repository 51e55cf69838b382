/* SPDX-License-Identifier: MIT */
#include "resolve/asking.h"
#include "resolve/engine/resolution.h"

static struct asking on(const char *system, const char *release, const char *gpus)
{
    struct asking asking = asking_of(NULL, gpus);
    asking.machine.os_id = system;
    asking.machine.os_release = release;
    return asking;
}

static bool has_package(const struct resolve_choice *choice, const char *name)
{
    return strlist_has(&choice->packages, name);
}

/* Long-term support that has not ended goes first; what drives no GPU here is not taken. */
static void test_branches(void **state)
{
    (void)state;
    static const struct {
        const char *gpus;
        unsigned branch;
        const char *module, *limit;
    } rows[] = {
        {NULL, 580, "open", "older than Turing"},
        {"H100", 580, "open", NULL},
        {"Tesla V100", 580, "proprietary", NULL},
        {"GeForce RTX 5090", 580, "open", NULL},
        {"H100;GeForce GTX 1080 Ti", 580, "proprietary", NULL},
        /* R470 is the last for Kepler, and was long-term support */
        {"Tesla K80", 470, "proprietary", "no longer supported"},
        {"2.0", 390, "proprietary", "no longer supported"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        AUTO_ASKING struct asking asking = ask(NULL, rows[i].gpus, "driver");
        assert_chosen(&asking, "driver", latest_driver(&asking, rows[i].branch), "recommended");
        const struct resolve_choice *choice = chosen(&asking, "driver");
        assert_string_equal(choice->build, rows[i].module);
        if (rows[i].limit)
            assert_true(any_says(&choice->limits, rows[i].limit));
        else
            assert_int_equal(choice->limits.count, 0);
    }
}

/* R615, the first for Rubin: its kind is not known. */
static void test_unknown_kind(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = ask(NULL, "10.7", "driver@615");
    assert_chosen(&asking, "driver", latest_driver(&asking, 615), "recommended");
    assert_string_equal(chosen(&asking, "driver")->build, "open");
    assert_true(any_says(&chosen(&asking, "driver")->limits,
                         "it is not known whether R615 is a long-lived branch"));
}

static void test_why_not_others(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = ask(NULL, "H100", "driver");
    assert_string_equal(candidate(&asking, "driver", "620", NULL)->turned_down, "not_released");
    assert_string_equal(
        candidate(&asking, "driver", latest_driver(&asking, 610), NULL)->turned_down,
        "end_of_life");
    assert_string_equal(
        candidate(&asking, "driver", latest_driver(&asking, 595), NULL)->turned_down,
        "shorter_lived");
    assert_string_equal(
        candidate(&asking, "driver", latest_driver(&asking, 590), NULL)->turned_down,
        "not_long_lived");
    AUTO_ASKING struct asking volta = ask(NULL, "V100", "driver");
    assert_candidate(&volta, "driver", latest_driver(&volta, 595), FIT_NO, "driver_drops_gpu");
    assert_says(chosen(&volta, "driver")->limit_gpu, "V100");
}

static void test_module_conflict(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = ask(NULL, "GeForce RTX 5090;Tesla V100", "driver");
    assert_false(asking.fits);
    assert_int_equal(asking.error.kind, ERROR_UNSATISFIABLE);
    assert_says(asking.error.why, "open kernel module");
    assert_candidate(&asking, "driver", latest_driver(&asking, 580), FIT_NO, "module_conflict");
}

/* An old and a new GPU: each has a driver, and none is for both. */
static void test_no_driver_for_both(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = ask(NULL, "Tesla K80;GeForce RTX 4090", "driver");
    assert_false(asking.fits);
    assert_says(asking.error.why, "no driver supports all of these GPUs");
    assert_says(asking.error.why, "R470 is the last branch");
    assert_says(asking.error.why, "R520 is the first branch");
    assert_says(asking.error.next, "--assume-gpu NAME");
    AUTO_ASKING struct asking near = ask(NULL, "Tesla K80;GeForce RTX 3090", "driver");
    assert_chosen(&near, "driver", latest_driver(&near, 470), "recommended");
    AUTO_ASKING struct asking alone = ask("470.256.02", "GeForce RTX 4090", "driver");
    assert_true(alone.fits);
}

static void test_beside_cuda(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = ask("535.104.05", "H100", "cuda@13.0 driver");
    assert_chosen(&asking, "cuda", "13.0.3", "newest"); /* the driver that is there is no limit */
    assert_chosen(&asking, "driver", latest_driver(&asking, 580), "recommended");
    assert_true(any_says(&asking.resolution.notes, "535.104.05 (supports CUDA 12.2) is present: it "
                                                   "does not run"));
    /* long-term support runs it with limits, and the newest without is named */
    AUTO_ASKING struct asking newer = ask(NULL, "H100", "cuda@13.2.1 driver");
    assert_chosen(&newer, "driver", latest_driver(&newer, 580), "recommended");
    assert_int_equal(chosen(&newer, "driver")->fit, FIT_MINOR);
    struct version exact = version_of(chosen(&newer, "driver")->exact);
    assert_true(exact.part[0] >= 595);
    assert_true(any_says(&newer.resolution.notes, "is made for driver 595.58.03"));
    AUTO_ASKING struct asking enough = ask("580.95.05", "H100", "cuda@12.8.1 driver");
    assert_true(any_says(&enough.resolution.notes, "is present: it runs what"));
}

/* The kernel compiles PTX only of a CUDA that it knows: a build without machine code asks for it.
 */
static void test_beside_framework(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = asking_of(NULL, "H100");
    ask_for(&asking, "driver", "jax@0.11.0");
    assert_chosen(&asking, "driver", latest_driver(&asking, 580), "recommended");
    assert_true(any_says(&asking.resolution.notes, "jax 0.11.0 needs driver 580 or newer"));
}

static void test_named(void **state)
{
    (void)state;
    AUTO_ASKING struct asking branch = ask(NULL, "H100", "driver@570");
    assert_chosen(&branch, "driver", latest_driver(&branch, 570), "recommended");
    assert_true(any_says(&chosen(&branch, "driver")->limits, "no longer supported"));
    AUTO_ASKING struct asking release = ask(NULL, "H100", "driver@580.95.05");
    assert_chosen(&release, "driver", "580.95.05", "recommended");
    assert_false(any_says(&chosen(&release, "driver")->limits, "newer than this manifest"));
    AUTO_ASKING struct asking newer = ask(NULL, "H100", "driver@580.999.99");
    assert_chosen(&newer, "driver", "580.999.99", "recommended");
    assert_true(any_says(&chosen(&newer, "driver")->limits, "580.999.99 is newer than this mani"));
    AUTO_ASKING struct asking tomorrow = ask("535.104.05", "H100", "driver@999");
    assert_false(tomorrow.fits);
    assert_says(tomorrow.error.why, "driver 999 is newer than this manifest");
    assert_false(any_says(&tomorrow.resolution.notes, "what is chosen"));
    AUTO_ASKING struct asking gap = ask(NULL, "H100", "driver@571.1");
    assert_says(gap.error.why, "lists no driver 571.1");
    AUTO_ASKING struct asking never = ask(NULL, "V100", "driver@595");
    assert_false(never.fits);
    assert_says(never.error.why, "R580 is the last");
}

static void test_packages(void **state)
{
    (void)state;
    AUTO_ASKING struct asking ubuntu = on("ubuntu", "24.04", "GeForce RTX 5090");
    ask_for(&ubuntu, "driver", NULL);
    assert_true(has_package(chosen(&ubuntu, "driver"), "nvidia-driver-580-open"));
    assert_true(any_says(&chosen(&ubuntu, "driver")->commands,
                         "sudo apt-get install nvidia-driver-580-open"));
    AUTO_ASKING struct asking server = on("ubuntu", "22.04", "Tesla V100");
    ask_for(&server, "driver", NULL);
    assert_true(has_package(chosen(&server, "driver"), "nvidia-driver-580-server"));
    AUTO_ASKING struct asking kepler = on("debian", "12", "Tesla K80");
    ask_for(&kepler, "driver", NULL);
    assert_true(has_package(chosen(&kepler, "driver"), "nvidia-tesla-470-driver"));
    /* R580 is not in Debian 12: NVIDIA's repository goes before */
    AUTO_ASKING struct asking debian = on("debian", "12", "H100");
    ask_for(&debian, "driver", NULL);
    assert_true(has_package(chosen(&debian, "driver"), "nvidia-driver-pinning-580"));
    assert_int_equal(chosen(&debian, "driver")->commands.count, 2);
    assert_says(chosen(&debian, "driver")->commands.items[0], "debian12");
    assert_true(any_says(&debian.resolution.notes, "needs the component contrib in apt's sources"));
    AUTO_STRLIST struct strlist components = {0};
    strlist_add(&components, "main");
    AUTO_ASKING struct asking sources = on("debian", "12", "H100");
    sources.machine.apt_components = &components;
    sources.machine.apt_file = "/etc/apt/sources.list";
    ask_for(&sources, "driver", NULL);
    assert_int_equal(chosen(&sources, "driver")->commands.count, 2);
    assert_true(string_starts(chosen(&sources, "driver")->commands.items[0],
                              "sudo sed -i '/^deb / s/ main/& contrib/' /etc/apt/sources.list && "
                              "wget "));
    assert_false(any_says(&sources.resolution.notes, "component"));
    AUTO_ASKING struct asking old = on("debian", "11", "V100");
    ask_for(&old, "driver", NULL);
    assert_int_equal(chosen(&old, "driver")->commands.count, 0);
    assert_true(any_says(&old.resolution.notes,
                         "no R580 packages with the proprietary kernel module are "
                         "listed for debian 11: check that system's own packages"));
    AUTO_ASKING struct asking nowhere = on("plan9", "4", "H100");
    ask_for(&nowhere, "driver", NULL);
    assert_int_equal(chosen(&nowhere, "driver")->packages.count, 0);
    assert_true(any_says(&nowhere.resolution.notes, "no R580 packages"));
    AUTO_ASKING struct asking unknown = ask(NULL, "H100", "driver");
    assert_true(any_says(&unknown.resolution.notes, "distribution is not known"));
}

/* The proprietary module is the default of R535, and does not drive GH200. */
static void test_model_needs_open(void **state)
{
    (void)state;
    AUTO_ASKING struct asking hopper = ask(NULL, "H100", "driver@535");
    assert_string_equal(chosen(&hopper, "driver")->build, "proprietary");
    AUTO_ASKING struct asking grace = ask(NULL, "GH200", "driver@535");
    assert_string_equal(chosen(&grace, "driver")->build, "open");
    AUTO_ASKING struct asking both = ask(NULL, "GH200;V100", "driver");
    assert_false(both.fits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_branches),           cmocka_unit_test(test_unknown_kind),
        cmocka_unit_test(test_why_not_others),     cmocka_unit_test(test_module_conflict),
        cmocka_unit_test(test_no_driver_for_both), cmocka_unit_test(test_beside_cuda),
        cmocka_unit_test(test_beside_framework),   cmocka_unit_test(test_named),
        cmocka_unit_test(test_packages),           cmocka_unit_test(test_model_needs_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
