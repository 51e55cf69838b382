/* SPDX-License-Identifier: MIT */
#include "asked.h"
#include "base/strlist.h"
#include "base/text.h"
#include "base/version.h"
#include "manifest/reader/range.h"
#include "manifest/toolkit/cudnn_major.h"
#include "manifest/versions/capability.h"
#include "manifest/versions/compat.h"
#include "manifest/versions/cuda.h"
#include "manifest/versions/driver.h"

static const struct manifest_cuda *cuda_find(void **state, const char *text)
{
    struct version version = version_of(text);
    return manifest_cuda_find(*state, &version);
}

static void test_cuda(void **state)
{
    static const struct {
        const char *version, *id, *driver_min, *bundled, *release, *date;
    } cases[] = {
        {"12.8.1", "cuda/12.8.1", "570.124.06", "570.124.06", "12.8 Update 1", "2025-03-06"},
        {"12.8", "cuda/12.8.0", "570.26", "570.86.10", "12.8 GA", "2025-01-23"},
        {"12", "cuda/12.0.0", "525.60.13", "525.60.13", "12.0 GA", "2022-12-08"},
        {"11.0", "cuda/11.0.2", "450.51.05", "450.51.05", "11.0 GA", NULL},
        {"11.0.1", "cuda/11.0.1", "450.36.06", "450.36.06", "11.0 RC", NULL},
        {"9.1.85", "cuda/9.1.85", "390.46", "387.26", "9.1 GA", NULL},
        {"13.0.2", "cuda/13.0.2", "580.95.05", "580.95.05", "13.0 Update 2", "2025-10-09"},
        {"13.3.1", "cuda/13.3.1", "610.43.02", "610.43.02", "13.3 Update 1", "2026-06-29"},
        /* Unknown stays unknown. */
        {"12.8.2", "cuda/12.8.2", "", "570.211.01", "12.8 Update 2", NULL},
        /* 13.4.0 was a preview, 13.4.1 is the release and 13.4.2 its first update. */
        {"13.4", "cuda/13.4.1", "", "", "13.4 GA", NULL},
        {"13.4.0", "cuda/13.4.0", "", "", "13.4 Developer Preview", NULL},
        {"13.4.2", "cuda/13.4.2", "", "", "13.4 Update 1", "2026-09-16"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct manifest_cuda *cuda = cuda_find(state, cases[i].version);
        assert_non_null(cuda);
        assert_string_equal(cuda->id, cases[i].id);
        assert_version(&cuda->driver_min, cases[i].driver_min);
        assert_version(&cuda->driver_bundled, cases[i].bundled);
        assert_string_equal(cuda->release, cases[i].release);
        assert_true(string_equal(cuda->date, cases[i].date));
        assert_non_null(strstr(cuda->source, " "));
    }
    assert_string_equal(cuda_find(state, "13.4.1")->ships_driver, "no");
    assert_string_equal(cuda_find(state, "13.4.1")->confidence, "medium");
    assert_null(cuda_find(state, "12.8.1")->notes);
}

static void test_cuda_not_listed(void **state)
{
    static const char *const versions[] = {"12.7", "12.8.93", "7.0", "14.0", "12.8.1.0", ""};
    for (size_t i = 0; i < sizeof(versions) / sizeof(*versions); i++)
        assert_null(cuda_find(state, versions[i]));
}

static void test_minor_compatibility(void **state)
{
    assert_version(&manifest_cuda_major_find(*state, 11)->driver_min, "450.80.02");
    assert_version(&manifest_cuda_major_find(*state, 12)->driver_min, "525.60.13");
    assert_version(&manifest_cuda_major_find(*state, 13)->driver_min, "580.65.06");
    assert_int_equal(manifest_cuda_major_find(*state, 10)->driver_min.count, 0);
    assert_null(manifest_cuda_major_find(*state, 9));
    assert_null(manifest_cuda_major_find(*state, 14));

    const struct manifest_cuda_major *twelve = manifest_cuda_major_find(*state, 12);
    struct version inside = version_of("575.57.08");
    struct version above = version_of("580.65.06");
    struct version below = version_of("470.256.02");
    assert_true(manifest_range_has(&twelve->table_range, &inside));
    assert_false(manifest_range_has(&twelve->table_range, &above));
    assert_false(manifest_range_has(&twelve->table_range, &below));
    assert_true(manifest_range_has(&manifest_cuda_major_find(*state, 13)->table_range, &above));
}

static const struct manifest_branch *branch_find(void **state, const char *text)
{
    struct version driver = version_of(text);
    return manifest_branch_find(*state, &driver);
}

static void test_branch(void **state)
{
    static const struct {
        const char *driver, *id, *cuda, *capability_min;
    } cases[] = {
        {"470.256.02", "driver/470", "11.4", "3.0"}, {"570.86.15", "driver/570", "12.8", "5.0"},
        {"535", "driver/535", "12.2", "5.0"},        {"580.95.05", "driver/580", "13.0", "5.0"},
        {"390.157", "driver/390", "9.1", "2.0"},     {"590.48.01", "driver/590", "13.1", "7.5"},
        {"615.71.09", "driver/615", "13.4", "7.5"},  {"565.57.01", "driver/565", "12.7", "5.0"},
        {"620.1", "driver/620", "", "7.5"},          {"304.137", "driver/304", "", ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct manifest_branch *branch = branch_find(state, cases[i].driver);
        assert_non_null(branch);
        assert_string_equal(branch->id, cases[i].id);
        assert_version(&branch->cuda, cases[i].cuda);
        assert_version(&branch->capability_min, cases[i].capability_min);
    }
    assert_null(branch_find(state, "999.1"));
    assert_null(branch_find(state, "571.1"));
    assert_null(branch_find(state, ""));

    const struct manifest_branch *lts = branch_find(state, "580");
    assert_version(&lts->latest, "580.178.04");
    assert_string_equal(lts->kind, "lts");
    assert_string_equal(lts->first_release, "2025-08-04");
    assert_string_equal(lts->eol, "2028-06");
    assert_string_equal(lts->open_module, "blackwell");
    assert_string_equal(lts->oldest_architecture, "Maxwell");
    assert_null(branch_find(state, "615")->kind);
}

/* The newest of which a release is listed: there will be newer ones. */
static unsigned newest_released(struct manifest *manifest)
{
    size_t count;
    const struct manifest_branch *branches = manifest_branch_all(manifest, &count);
    while (count > 0 && branches[count - 1].latest.count == 0)
        count--;
    assert_true(count > 0 && branches[count - 1].branch >= 615);
    return branches[count - 1].branch;
}

static void test_branch_newest(void **state)
{
    const unsigned newest = newest_released(*state);
    const struct {
        const char *capability;
        unsigned branch; /* 0: none */
    } cases[] = {
        {"", newest}, {"9.0", newest}, {"12.0", newest}, {"10.7", newest}, {"7.5", newest},
        {"7.0", 580}, {"6.1", 580},    {"5.2", 580},     {"3.5", 470},     {"3.0", 470},
        {"2.1", 390}, {"1.3", 340},    {"99.0", 0},      {"0.9", 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct version capability = version_of(cases[i].capability);
        const struct manifest_branch *branch = manifest_branch_newest(*state, &capability);
        assert_int_equal(branch != NULL ? branch->branch : 0, cases[i].branch);
    }
}

static void test_branch_for_cuda(void **state)
{
    static const struct {
        const char *cuda;
        unsigned branch; /* 0: none */
    } cases[] = {
        {"12.8", 570}, {"12.8.1", 570}, {"12.7", 565}, {"11.0.3", 450},
        {"8.0", 367},  {"13.4.2", 615}, {"13", 580},   {"7.0", 352},
        {"99.0", 0},   {"99", 0},       {"", 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct version cuda = version_of(cases[i].cuda);
        const struct manifest_branch *branch = manifest_branch_for_cuda(*state, &cuda);
        assert_int_equal(branch != NULL ? branch->branch : 0, cases[i].branch);
    }
}

static void test_compat(void **state)
{
    static const struct {
        const char *cuda;
        unsigned branch;
        enum manifest_compat answer;
        const char *id;
    } cases[] = {
        {"12.8", 535, COMPAT_YES, "compat/12.8/535"},
        {"12.8.1", 535, COMPAT_YES, "compat/12.8/535"},
        {"12.8", 570, COMPAT_NO, "compat/12.8/570"}, /* its own driver */
        {"12.8", 580, COMPAT_NO, "compat/12.8/580"},
        {"13.4", 610, COMPAT_YES, "compat/13.4/610"},
        {"12.2", 535, COMPAT_NO, "compat/12.2/535"},
        {"12.8", 550, COMPAT_UNKNOWN, NULL},
        {"11.8", 470, COMPAT_UNKNOWN, NULL},
        {"12", 535, COMPAT_UNKNOWN, NULL},
        {"", 535, COMPAT_UNKNOWN, NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct version cuda = version_of(cases[i].cuda);
        const char *id = NULL;
        assert_int_equal(manifest_compat_find(*state, &cuda, cases[i].branch, &id),
                         cases[i].answer);
        assert_true(string_equal(id, cases[i].id));
        assert_int_equal(manifest_compat_find(*state, &cuda, cases[i].branch, NULL),
                         cases[i].answer);
    }
}

static const struct manifest_capability *capability_find(void **state, const char *text)
{
    struct version capability = version_of(text);
    return manifest_capability_find(*state, &capability);
}

static void test_capability(void **state)
{
    static const struct {
        const char *capability, *sm, *architecture, *first, *last;
        unsigned first_branch, last_branch;
    } cases[] = {
        {"9.0", "sm_90", "Hopper", "11.8", "", 520, 0},
        {"10.0", "sm_100", "Blackwell", "12.8", "", 570, 0},
        {"12.1", "sm_121", "Blackwell", "12.9", "", 0, 0},
        {"7.5", "sm_75", "Turing", "10.0", "", 410, 0},
        {"7.0", "sm_70", "Volta", "9.0", "12.9", 384, 580},
        {"6.1", "sm_61", "Pascal", "8.0", "12.9", 0, 580},
        {"3.5", "sm_35", "Kepler", "5.0", "11.8", 0, 470},
        {"3.0", "sm_30", "Kepler", "", "10.2", 0, 470},
        {"2.0", "sm_20", "Fermi", "3.0", "8.0", 0, 390},
        {"10.7", "sm_107", "Rubin", "13.4", "", 615, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct manifest_capability *row = capability_find(state, cases[i].capability);
        assert_non_null(row);
        assert_string_equal(row->sm, cases[i].sm);
        assert_string_equal(row->architecture, cases[i].architecture);
        assert_version(&row->first_cuda, cases[i].first);
        assert_version(&row->last_cuda, cases[i].last);
        assert_int_equal(row->first_branch, cases[i].first_branch);
        assert_int_equal(row->last_branch, cases[i].last_branch);
    }
    assert_string_equal(capability_find(state, "9.0")->id, "capability/9.0");
    assert_null(capability_find(state, "9.1"));
    assert_null(capability_find(state, ""));
    /* Thor was 10.1 before it was 11.0. */
    assert_version(&capability_find(state, "10.1")->renamed_to, "11.0");
    assert_string_equal(capability_find(state, "10.1")->variant, "Thor");
    assert_version(&capability_find(state, "10.1")->last_cuda, "12.9");
    assert_version(&capability_find(state, "11.0")->first_cuda, "13.0");
}

static void test_architecture(void **state)
{
    static const struct {
        const char *capability, *id, *open_module, *proprietary_module;
        unsigned open_module_from;
    } cases[] = {
        {"12.0", "architecture/blackwell", "required", "no", 0},
        {"9.0", "architecture/hopper", "yes", "yes", 0},
        {"8.9", "architecture/ada-lovelace", "yes", "yes", 0},
        {"7.5", "architecture/turing", "yes", "yes", 515},
        {"7.0", "architecture/volta", "no", "required", 0},
        {"1.2", "architecture/tesla", "no", "yes", 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct version capability = version_of(cases[i].capability);
        const struct manifest_architecture *row = manifest_architecture_find(*state, &capability);
        assert_non_null(row);
        assert_string_equal(row->id, cases[i].id);
        assert_string_equal(row->open_module, cases[i].open_module);
        assert_string_equal(row->proprietary_module, cases[i].proprietary_module);
        assert_int_equal(row->open_module_from, cases[i].open_module_from);
    }
    static const char *const unlisted[] = {"8.7", "7.2", "13.0", ""};
    for (size_t i = 0; i < sizeof(unlisted) / sizeof(*unlisted); i++) {
        struct version capability = version_of(unlisted[i]);
        assert_null(manifest_architecture_find(*state, &capability));
    }
}

static void test_cudnn(void **state)
{
    const struct manifest_cudnn_major *nine = manifest_cudnn_major_find(*state, 9);
    assert_string_equal(nine->id, "cudnn/9");
    assert_int_equal(nine->required.count, 8);
    assert_string_equal(nine->required.items[0], "libcudnn.so.9");
    assert_true(strlist_has(&nine->required, "libcudnn_ops.so.9"));
    assert_int_equal(nine->optional.count, 1);
    assert_string_equal(nine->optional.items[0], "libcudnn_engines_tensor_ir.so.9");
    assert_int_equal(manifest_cudnn_major_find(*state, 8)->required.count, 7);
    assert_int_equal(manifest_cudnn_major_find(*state, 7)->required.count, 1);
    assert_null(manifest_cudnn_major_find(*state, 3));
    assert_null(manifest_cudnn_major_find(*state, 10));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_cuda, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cuda_not_listed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_minor_compatibility, setup, teardown),
        cmocka_unit_test_setup_teardown(test_branch, setup, teardown),
        cmocka_unit_test_setup_teardown(test_branch_newest, setup, teardown),
        cmocka_unit_test_setup_teardown(test_branch_for_cuda, setup, teardown),
        cmocka_unit_test_setup_teardown(test_compat, setup, teardown),
        cmocka_unit_test_setup_teardown(test_capability, setup, teardown),
        cmocka_unit_test_setup_teardown(test_architecture, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cudnn, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
