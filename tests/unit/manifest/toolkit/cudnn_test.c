/* SPDX-License-Identifier: MIT */
#include "manifest/asked.h"
#include "manifest/broken.h"

#include "base/strlist.h"
#include "base/text.h"
#include "base/version.h"
#include "manifest/toolkit/cudnn.h"

static const struct manifest_cudnn *release_find(void **state, const char *text)
{
    struct version version = version_of(text);
    return manifest_cudnn_find(*state, &version);
}

static const struct manifest_cudnn_pair *pair_find(void **state, const char *cudnn,
                                                   const char *cuda)
{
    struct version release = version_of(cudnn);
    struct version toolkit = version_of(cuda);
    return manifest_cudnn_pair_find(*state, &release, &toolkit);
}

/* cudnn.csv has 72 rows, cudnn_libraries.csv 19. */
static void test_counts(void **state)
{
    size_t count;
    assert_non_null(manifest_cudnn_all(*state, &count));
    assert_true(count >= 72);
    assert_non_null(manifest_cudnn_pairs(*state, &count));
    assert_true(count >= 167);
    AUTO_JSON json_t *json = joined_json();
    assert_true(joined_count(json, "cudnn", "libraries") >= 19);
}

/* The first column names the row of cudnn.csv. */
static void test_releases(void **state)
{
    static const struct {
        const char *asked, *id, *build, *stage, *date;
    } cases[] = {
        {"5.1", "cudnn/5.1", "", NULL, NULL},
        {"5.1.10", "cudnn/5.1", "", NULL, NULL},
        {"8.1.1", "cudnn/8.1.1", "8.1.1.33", NULL, "2021-02-26"},
        {"8.4.0", "cudnn/8.4.0", "8.4.0.27", NULL, "2022-04"},
        {"9.10.2", "cudnn/9.10.2", "9.10.2.21", NULL, "2025-06-06"},
        {"9.12.0", "cudnn/9.12.0", "9.12.0.46", NULL, NULL},
        {"9.26.1", "cudnn/9.26.1", "9.26.1.1", NULL, "2026-10-07"},
        /* A build, and fewer numbers than a release has. */
        {"9.10.2.21", "cudnn/9.10.2", "9.10.2.21", NULL, "2025-06-06"},
        {"9.10", "cudnn/9.10.2", "9.10.2.21", NULL, "2025-06-06"},
        {"9.1", "cudnn/9.1.1", "9.1.1.17", NULL, "2024-05-02"},
        {"9.26", "cudnn/9.26.1", "9.26.1.1", NULL, "2026-10-07"},
        {"8", "cudnn/8.9.7", "8.9.7.29", NULL, NULL},
        /* A preview is found by its own number only. */
        {"8.0.0", "cudnn/8.0.0", "", "preview", NULL},
        {"8.0", "cudnn/8.0.5", "8.0.5.39", NULL, NULL},
        {"9.25.0", "cudnn/9.25.0", "9.25.0.15", "preview", NULL},
        {"9.25", "cudnn/9.25.1", "9.25.1.1", NULL, NULL}, /* named in the notes of 9.25.0 */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct manifest_cudnn *release = release_find(state, cases[i].asked);
        assert_non_null(release);
        assert_string_equal(release->id, cases[i].id);
        assert_version(&release->build, cases[i].build);
        assert_true(string_equal(release->stage, cases[i].stage));
        assert_true(string_equal(release->date, cases[i].date));
    }
    static const char *const unlisted[] = {"", "2", "10", "9.99", "9.99.0"};
    for (size_t i = 0; i < sizeof(unlisted) / sizeof(*unlisted); i++)
        assert_null(release_find(state, unlisted[i]));
}

/* The first column names the row of cudnn.csv. */
static void test_pairs(void **state)
{
    static const struct {
        const char *cudnn, *cuda, *id, *driver, *capability;
    } cases[] = {
        {"5.1", "8.0.61", "cudnn/5.1+cuda8.0", "", "3.0"},
        {"7.1.3", "9.1", "cudnn/7.1.3+cuda9.1", "", "3.0"},
        {"7.1.3", "8.0", "cudnn/7.1.3+cuda8.0", "", "3.0"},
        {"7.5.0", "10.0.130", "cudnn/7.5.0+cuda10.0", "410.48", "3.0"},
        {"7.5.0", "10.1", "cudnn/7.5.0+cuda10.1", "418.39", "3.0"},
        {"7.6.3", "9.2", "cudnn/7.6.3+cuda9.2", "396.26", "3.0"},
        {"7.6.5", "10.2", "cudnn/7.6.5+cuda10.2", "440", "3.0"},
        {"7.6.5", "10", "cudnn/7.6.5+cuda10.2", "440", "3.0"},
        {"8.0.0", "11.0", "cudnn/8.0.0+cuda11.0", "450", "3.5"},
        {"8.0.3", "10.1", "cudnn/8.0.3+cuda10.1", "418.39", "3.0"},
        {"8.1.1", "11.2", "cudnn/8.1.1+cuda11.2", "", "3.5"},
        {"8.2.1", "11.2", "cudnn/8.2.1+cuda11.2", "450", "3.5"},
        {"8.2.2", "11.4", "cudnn/8.2.2+cuda11.4", "470", "3.5"},
        {"8.3.0", "11.1", "cudnn/8.3.0+cuda11.1", "450", "3.5"},
        {"8.3.0", "10.2", "cudnn/8.3.0+cuda10.2", "", ""},
        /* From 8.4.0 on a build serves a major. */
        {"8.4.0", "11.8", "cudnn/8.4.0+cuda11", "450.80.02", "3.5"},
        {"8.4.0", "10.2", "cudnn/8.4.0+cuda10.2", "", "3.0"},
        {"8.6.0", "11.8", "cudnn/8.6.0+cuda11", "450.80.02", ""},
        {"8.8.0", "12.0", "cudnn/8.8.0+cuda12", "525.60.13", ""},
        {"8.9.7", "11.8.0", "cudnn/8.9.7+cuda11", "450.80.02", "5.0"},
        {"9.10.2", "11.8", "cudnn/9.10.2+cuda11", "450.80.02", "5.0"},
        {"9.10.2.21", "12.8.1", "cudnn/9.10.2+cuda12", "525.60.13", "5.0"},
        {"9.11.0", "12", "cudnn/9.11.0+cuda12", "525.60.13", "7.5"},
        {"9.12.0", "13.0.2", "cudnn/9.12.0+cuda13", "580.65.06", "7.5"},
        {"9.22.0", "13.4", "cudnn/9.22.0+cuda13", "580.65.06", "7.5"},
        {"9.26.1", "12.9", "cudnn/9.26.1+cuda12", "525.60.13", "7.5"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct manifest_cudnn_pair *pair = pair_find(state, cases[i].cudnn, cases[i].cuda);
        assert_non_null(pair);
        assert_string_equal(pair->id, cases[i].id);
        assert_version(&pair->driver_min, cases[i].driver);
        assert_version(&pair->capability_min, cases[i].capability);
    }
}

static void test_no_pair(void **state)
{
    static const struct {
        const char *cudnn, *cuda;
    } cases[] = {
        {"7.6.0", "8.0"},   {"7.6.0", "9.1"},   {"8.1.1", "11.3"},  {"8.1.1", "10.1"},
        {"8.4.0", "10.1"},  {"9.11.0", "11.8"}, {"9.10.2", "13.0"}, {"9.11.1", "13.0"},
        {"9.26.1", "11.8"}, {"9.26.1", "14.0"}, {"9.99.0", "13.0"}, {"9.10", "12.8"},
        {"9.10.2", ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        assert_null(pair_find(state, cases[i].cudnn, cases[i].cuda));
}

/* No later release has CUDA 11 again, or a floor below 7.5. */
static void test_what_9_11_dropped(void **state)
{
    size_t count;
    const struct manifest_cudnn_pair *pairs = manifest_cudnn_pairs(*state, &count);
    struct version first = version_of("9.11.0");
    struct version turing = version_of("7.5");
    size_t later = 0;
    for (size_t i = 0; i < count; i++) {
        if (version_compare(&pairs[i].cudnn, &first) < 0 || pairs[i].capability.count > 0)
            continue;
        assert_true(pairs[i].cuda.part[0] >= 12);
        const struct manifest_cudnn_pair *floor = manifest_cudnn_pair_floor(*state, &pairs[i]);
        assert_non_null(floor);
        assert_int_equal(version_compare(&floor->capability_min, &turing), 0);
        later++;
    }
    assert_true(later >= 2 + 2 * 23);
    assert_string_equal(release_find(state, "9.25.0")->stage, "preview");
    assert_non_null(strstr(release_find(state, "9.10.2")->notes, "below compute capability 7.5"));
}

static void test_floor(void **state)
{
    static const struct {
        const char *cudnn, *cuda, *floor;
    } cases[] = {
        {"9.17.0", "13", "cudnn/9.17.0+cuda13"},   {"9.25.0", "13", "cudnn/9.24.1+cuda13"},
        {"9.23.0", "12", "cudnn/9.23.0+cuda12"},   {"8.6.0", "11", "cudnn/8.5.0+cuda11"},
        {"8.6.0", "10.2", "cudnn/8.4.0+cuda10.2"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct manifest_cudnn_pair *pair = pair_find(state, cases[i].cudnn, cases[i].cuda);
        assert_string_equal(manifest_cudnn_pair_floor(*state, pair)->id, cases[i].floor);
    }
    /* 8.8.0 is the first with CUDA 12. */
    assert_null(manifest_cudnn_pair_floor(*state, pair_find(state, "8.8.0", "12")));
}

/* What is copied from the matrix of another release is not as sure as what is read. */
static void test_confidence(void **state)
{
    const struct manifest_cudnn_pair *read = pair_find(state, "9.17.0", "12");
    assert_string_equal(read->confidence, "high");
    assert_int_equal(read->listed.count, 9);
    assert_false(strlist_has(&read->listed, "12.7"));
    const struct manifest_cudnn_pair *copied = pair_find(state, "9.20.0", "12");
    assert_string_equal(copied->confidence, "low");
    assert_non_null(strstr(copied->notes, "9.17.0"));
    assert_non_null(strstr(copied->source, "matrix 9.17.0"));
    assert_int_equal(copied->listed.count, 0);
    assert_non_null(strstr(pair_find(state, "9.8.0", "12")->notes, "driver 570.26"));
}

/* The note of row 9.25.0 of cudnn.csv: "13.4 for compute 10.7", "10.7: 615". */
static void test_of_one_capability(void **state)
{
    const struct version rubin = version_of("10.7"), hopper = version_of("9.0");
    static const struct {
        const char *cudnn, *id, *confidence;
    } cases[] = {
        {"9.25.0", "cudnn/9.25.0+cuda13.4:10.7", "medium"},
        {"9.25.1", "cudnn/9.25.1+cuda13.4:10.7", "low"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct manifest_cudnn_pair *pair = pair_find(state, cases[i].cudnn, "13.4");
        assert_int_equal(pair->capability.count, 0);
        const struct manifest_cudnn_pair *own = manifest_cudnn_pair_for(*state, pair, &rubin);
        assert_string_equal(own->id, cases[i].id);
        assert_string_equal(own->confidence, cases[i].confidence);
        assert_version(&own->driver_min, "615");
        assert_version(&own->cuda, "13.4");
        assert_null(manifest_cudnn_pair_for(*state, pair, &hopper));
        assert_null(
            manifest_cudnn_pair_for(*state, pair_find(state, cases[i].cudnn, "12"), &rubin));
    }
    assert_null(manifest_cudnn_pair_for(*state, pair_find(state, "9.26.1", "13.4"), &rubin));
}

static void test_wheels(void **state)
{
    assert_string_equal(manifest_cudnn_wheel_find(*state, 12)->package, "nvidia-cudnn-cu12");
    assert_string_equal(manifest_cudnn_wheel_find(*state, 13)->package, "nvidia-cudnn-cu13");
    assert_null(manifest_cudnn_wheel_find(*state, 10));
}

static void test_refused(void **state)
{
    (void)state;
    static const struct broken cases[] = {
        {"cudnn.rows[version=9.10.2].version", "\"9\"", NULL, "two or three numbers"},
        {"cudnn.rows[version=9.10.2].version", "\"9.9.1\"", NULL, "after cudnn/9.10.1"},
        {"cudnn.rows[version=9.10.2].build", "\"9.10.1.4\"", NULL, "of cudnn/9.10.2"},
        {"cudnn.rows[version=9.10.2].build", "\"9.10.2\"", NULL, "a build of"},
        {"cudnn.rows[version=9.10.2].stage", "\"beta\"", NULL, "one of \"preview\""},
        {"cudnn.rows[version=9.26.1].version", "\"9.26.2\"", "cudnn.rows[version=9.26.1].build",
         "of cudnn/9.26.2"},
        {"cudnn.rows[version=6.0].version", "\"6.5\"", NULL, "cudnn.pairs"},
        {"cudnn.pairs[cudnn=9.12.0].cudnn", "\"9.11.2\"", NULL, "that cudnn.rows lists"},
        {"cudnn.pairs[cudnn=6.0,cuda=8.0].cudnn", "\"7.2\"", "cudnn.pairs[cudnn=7.0.1].cudnn",
         "after cudnn/7.2+cuda8.0"},
        {"cudnn.pairs[cudnn=6.0,cuda=8.0].cuda", "\"8.0.61\"", NULL, "one or two numbers"},
        {"cudnn.pairs[cudnn=6.0,cuda=8.0].cuda", "\"8.1\"", NULL, "that cuda.rows lists"},
        {"cudnn.pairs[cudnn=6.0,cuda=8.0].listed", "[\"8.0\"]", NULL, "none if"},
        {"cudnn.pairs[cudnn=8.9.6].listed", "[\"12.0\"]", NULL, "of a CUDA major"},
        {"cudnn.pairs[cudnn=8.9.6].listed", "[\"11.9\"]", NULL, "that cuda.rows lists"},
        {"cudnn.pairs[cudnn=8.9.6].driver_min", "\"999.1\"", NULL, "found 999.1"},
        {"cudnn.pairs[cudnn=8.9.6].driver_min", "\"418.39\"", NULL, "runs this"},
        {"cudnn.pairs[cudnn=8.9.6].capability_min", "\"5.1\"", NULL, "capability.rows lists"},
        {"cudnn.pairs[cudnn=8.9.6].capability_min", "\"3.0\"", NULL, "(see capability/3.0)"},
        {"cudnn.pairs[cudnn=8.9.6].capability_min", "\"3.5\"", NULL,
         "at least the value in cudnn/8.9.5+cuda11"},
        {"cudnn.pairs[cudnn=9.25.0,capability=10.7].capability", "\"10\"", NULL, "two numbers"},
        {"cudnn.pairs[cudnn=9.25.0,capability=10.7].capability", "\"10.8\"", NULL,
         "capability.rows lists"},
        {"cudnn.pairs[cudnn=9.25.0,capability=10.7].cuda", "\"13.3\"", NULL,
         "that compiles for capability/10.7"},
        {"cudnn.pairs[cudnn=9.25.0,capability=10.7].cuda", "\"13\"", NULL, "a minor"},
        {"cudnn.pairs[cudnn=9.25.0,capability=10.7].capability_min", "\"7.5\"", NULL,
         "nothing together with capability"},
        {"cudnn.wheels[cuda=12].package", "\"nvidia-cudnn\"", NULL, "ends with -cu12"},
        {"cudnn.wheels[cuda=12].cuda", "9", "cudnn.wheels[cuda=12].package", "ends with -cu9"},
        {"cudnn.libraries[soname=libcudnn.so.9].soname", "\"libcudnn.so.10\"", NULL, ".so.9"},
        {"cudnn.pairs[cudnn=9.25.0,capability=10.7].capability", "\"10\"", NULL, "two numbers"},
        {"cudnn.pairs[cudnn=9.25.0,capability=10.7].capability", "\"10.8\"", NULL,
         "capability.rows lists"},
        {"cudnn.pairs[cudnn=9.25.0,capability=10.7].cuda", "\"13.3\"", NULL,
         "that compiles for capability/10.7"},
        {"cudnn.pairs[cudnn=9.25.0,capability=10.7].cuda", "\"13\"", NULL, "a minor"},
        {"cudnn.pairs[cudnn=9.25.0,capability=10.7].capability_min", "\"7.5\"", NULL,
         "nothing together with capability"},
        {"cudnn.wheels[cuda=12].package", "\"nvidia-cudnn\"", NULL, "ends with -cu12"},
        {"cudnn.wheels[cuda=12].cuda", "9", "cudnn.wheels[cuda=12].package", "ends with -cu9"},
        {"cudnn.libraries[soname=libcudnn.so.9].soname", "\"libcudnn_x.so.9\"",
         "cudnn.majors[5].required", "cudnn.libraries lists"},
        {"cudnn.libraries[soname=libcudnn.so.9].role", "\"part\"", NULL, "programs link"},
        {"cudnn.libraries[soname=libcudnn_ops.so.9].role", "\"whole\"", NULL, "\"part\""},
        {"cudnn.libraries[soname=libcudnn.so.7].major", "4", NULL, "after cudnn/"},
    };
    REFUSE(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_releases, setup, teardown),
        cmocka_unit_test_setup_teardown(test_pairs, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_pair, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_9_11_dropped, setup, teardown),
        cmocka_unit_test_setup_teardown(test_floor, setup, teardown),
        cmocka_unit_test_setup_teardown(test_confidence, setup, teardown),
        cmocka_unit_test_setup_teardown(test_of_one_capability, setup, teardown),
        cmocka_unit_test_setup_teardown(test_wheels, setup, teardown),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
