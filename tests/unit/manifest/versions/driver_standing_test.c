/* SPDX-License-Identifier: MIT */
#include "manifest/asked.h"

#include "base/version.h"
#include "manifest/versions/driver_standing.h"

static enum standing standing(void **state, const char *driver, const char *cuda)
{
    struct version a = version_of(driver);
    struct version b = version_of(cuda);
    return driver_compare(*state, &a, &b).standing;
}

/* The rules, by example. Minima and floors are those of the embedded manifest. */
static const struct {
    const char *driver, *cuda;
    enum standing standing;
} rows[] = {
    /* at least the toolkit's own minimum */
    {"580.95.05", "13.0.2", STANDING_EXACT},
    {"570.86.15", "12.8", STANDING_EXACT},
    {"450.80.02", "11.0.3", STANDING_EXACT},
    {"410.48", "10.0.130", STANDING_EXACT},
    /* a newer driver runs every older CUDA, whatever upper bounds the notes have */
    {"580.95.05", "12.4", STANDING_EXACT},
    {"615.71.09", "10.2", STANDING_EXACT},
    {"610.57.04", "11.8", STANDING_EXACT},
    {"580.95.05", "1.0", STANDING_EXACT}, /* too old to be listed */
    /* of the same CUDA driver API version, if not of the same build */
    {"570.86.15", "12.8.1", STANDING_EXACT},
    {"580.65.06", "13.0.3", STANDING_EXACT},
    /* newer than everything listed */
    {"999.10", "13.4", STANDING_EXACT},
    {"999.10", "12.4", STANDING_EXACT},
    /* minor-version compatibility */
    {"535.183.01", "12.9", STANDING_MINOR},
    {"525.60.13", "12.8.1", STANDING_MINOR},
    {"450.80.02", "11.8", STANDING_MINOR},
    {"580.95.05", "13.2", STANDING_MINOR},
    {"580.95.05", "13.4.1", STANDING_MINOR},
    /* a minor that the manifest does not list yet */
    {"580.95.05", "13.99", STANDING_MINOR},
    /* too old */
    {"470.256.02", "12.0", STANDING_TOO_OLD},
    {"470.256.02", "12.9.1", STANDING_TOO_OLD},
    {"525.60.11", "12.1", STANDING_TOO_OLD},
    {"575.57.08", "13.0", STANDING_TOO_OLD},
    {"580.65.05", "13.1", STANDING_TOO_OLD},
    {"450.80.01", "11.8", STANDING_TOO_OLD},
    /* no minor-version compatibility before 11 */
    {"410.48", "10.1", STANDING_TOO_OLD},
    {"418.39", "10.2", STANDING_TOO_OLD},
    {"418.30", "10.1", STANDING_TOO_OLD},
    {"387.26", "9.2", STANDING_TOO_OLD},
    /* a libcudart's own version counts as its CUDA's */
    {"535.183.01", "12.2.140", STANDING_EXACT},
    {"470.256.02", "12.8.90", STANDING_TOO_OLD},
    /* a major alone: any driver of that major will do */
    {"525.60.13", "12", STANDING_EXACT},
    {"580.95.05", "12", STANDING_EXACT},
    {"526.10", "12", STANDING_EXACT}, /* a branch that is not listed */
    {"470.256.02", "12", STANDING_TOO_OLD},
    {"575.57.08", "13", STANDING_TOO_OLD},
    /* a branch alone: its newest release */
    {"580", "13.0.2", STANDING_EXACT},
    {"580", "13.2", STANDING_MINOR},
    /* nothing to compare with */
    {"580.95.05", "99.0", STANDING_UNKNOWN},
    {"999.10", "99.0", STANDING_UNKNOWN},
};

static void test_rules(void **state)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        enum standing got = standing(state, rows[i].driver, rows[i].cuda);
        if (got != rows[i].standing)
            fail_msg("driver %s, CUDA %s: %d, not %d", rows[i].driver, rows[i].cuda, got,
                     rows[i].standing);
    }
}

/* The order of drivers is the order of what they run: never does a newer one run less. */
static void test_a_newer_driver_never_runs_less(void **state)
{
    static const char *const drivers[] = {
        "418.39",     "440.33.01", "450.51.05", "450.80.02", "470.256.02", "525.60.13",
        "535.183.01", "550.54.14", "570.26",    "575.57.08", "580.65.06",  "580.95.05",
        "590.48.01",  "595.45.04", "610.57.04", "615.71.09", "620.10",     "700.10.01"};
    static const char *const releases[] = {"10.1", "10.2", "11.0", "11.4", "11.8", "12.0",
                                           "12.4", "12.8", "12.9", "13.0", "13.1", "13.3"};
    for (size_t i = 0; i < sizeof(releases) / sizeof(releases[0]); i++) {
        enum standing last = STANDING_TOO_OLD;
        for (size_t k = 0; k < sizeof(drivers) / sizeof(drivers[0]); k++) {
            enum standing now = standing(state, drivers[k], releases[i]);
            if (now > last)
                fail_msg("CUDA %s: driver %s runs less than %s", releases[i], drivers[k],
                         k ? drivers[k - 1] : "none");
            last = now;
        }
        assert_int_equal(last, STANDING_EXACT);
    }
}

/* What libcuda itself told decides before the lists do; before CUDA 11 the minimum does. */
static void test_told(void **state)
{
    static const struct {
        const char *driver, *api, *cuda;
        enum standing standing;
    } told[] = {
        {"387.26", "9.1", "9.1", STANDING_EXACT},
        {"387.26", "9.1", "9.2", STANDING_TOO_OLD},
        {"387.26", "9.1", "9.2.148", STANDING_TOO_OLD},
        {"535.183.01", "12.2", "12.8", STANDING_MINOR},
        {"535.183.01", "12.2", "13.0", STANDING_TOO_OLD},
        {"570.86.15", "12.8", "12.8", STANDING_EXACT},
        {"1.1", "3.0", "3.1", STANDING_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
        struct version driver = version_of(told[i].driver);
        struct version api = version_of(told[i].api);
        struct version cuda = version_of(told[i].cuda);
        struct comparison comparison = driver_compare_told(*state, &driver, &api, &cuda);
        if (comparison.standing != told[i].standing)
            fail_msg("driver %s (%s), CUDA %s: %d, not %d", told[i].driver, told[i].api,
                     told[i].cuda, comparison.standing, told[i].standing);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_told),
        cmocka_unit_test(test_a_newer_driver_never_runs_less),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
