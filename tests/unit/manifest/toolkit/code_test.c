/* SPDX-License-Identifier: MIT */
#include "manifest/asked.h"
#include "base/strlist.h"
#include "base/version.h"
#include "manifest/broken.h"
#include "manifest/toolkit/code.h"

/* NVIDIA's release history of PTX. */
static void test_ptx(void **state)
{
    static const struct {
        const char *version, *cuda;
        unsigned branch;
    } cases[] = {
        {"1.0", "1.0", 0},    {"5.0", "8.0", 361},  {"6.5", "10.2", 440}, {"7.0", "11.0", 445},
        {"7.8", "11.8", 520}, {"8.5", "12.5", 555}, {"8.6", "12.7", 565}, {"8.8", "12.9", 575},
        {"9.0", "13.0", 580}, {"9.4", "13.4", 615}, {"9.5", "13.5", 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct version version = version_of(cases[i].version);
        const struct manifest_ptx *row = manifest_ptx_find(*state, &version);
        assert_non_null(row);
        assert_version(&row->cuda, cases[i].cuda);
        assert_int_equal(row->branch, cases[i].branch);
    }
    static const char *const unlisted[] = {"1.5", "8.9", "9.6", "99.0", ""};
    for (size_t i = 0; i < sizeof(unlisted) / sizeof(*unlisted); i++) {
        struct version version = version_of(unlisted[i]);
        assert_null(manifest_ptx_find(*state, &version));
    }
}

static void test_families(void **state)
{
    struct version capability = version_of("10.0");
    const struct manifest_family *row = manifest_family_find(*state, &capability);
    assert_non_null(row);
    assert_string_equal(row->family, "10.0f");
    assert_true(strlist_has(&row->capabilities, "10.3"));
    assert_false(strlist_has(&row->capabilities, "10.1"));
    capability = version_of("12.0");
    row = manifest_family_find(*state, &capability);
    assert_non_null(row);
    assert_true(strlist_has(&row->capabilities, "12.1"));
    capability = version_of("9.0");
    assert_null(manifest_family_find(*state, &capability));
}

static void test_integrated(void **state)
{
    static const struct {
        const char *capability;
        bool integrated;
    } cases[] = {
        {"5.3", true},  {"6.2", true},  {"7.2", true},   {"8.7", true}, {"11.0", true},
        {"7.0", false}, {"8.6", false}, {"12.1", false}, {"", false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct version capability = version_of(cases[i].capability);
        assert_int_equal(manifest_integrated_find(*state, &capability) != NULL,
                         cases[i].integrated);
    }
}

static void test_empty(void **state)
{
    assert_int_equal(manifest_empty_find(*state, "sass", false)->bytes, 2200);
    assert_int_equal(manifest_empty_find(*state, "ptx", true)->bytes, 100);
    assert_null(manifest_empty_find(*state, "lto", true));
}

#define PTX    "code.ptx[version=8.7]"
#define FAMILY "code.families[family=12.0f]"
#define ORIN   "code.integrated[capability=8.7]"

static void test_refused(void **state)
{
    (void)state;
    static const struct broken cases[] = {
        {PTX ".version", "\"8\"", NULL, "two numbers"},
        {"code.empty[kind=ptx,packed=yes].bytes", "300", NULL, "less than in empty/ptx"},
        {"code.empty[kind=ptx,packed=yes].kind", "\"lto\"", NULL, "sass"},
        {PTX ".version", "\"8.5\"", NULL, "a unique row"},
        {PTX ".version", "\"8.4\"", NULL, "a unique row"},
        {"code.ptx[version=9.4].version", "\"0.9\"", NULL, "a row that sorts after ptx/9.3"},
        {PTX ".cuda", "\"12.8.1\"", NULL, "two numbers"},
        {PTX ".cuda", "\"12.7\"", NULL, "a later CUDA than in ptx/8.6"},
        {PTX ".branch", "575", PTX ".cuda", "CUDA 12.9, as in driver/575"},
        {PTX ".cuda", NULL, NULL, "a version"},
        {FAMILY ".family", "\"12.0\"", NULL, "a family such as 10.0f"},
        {FAMILY ".family", "\"f\"", NULL, "a family such as 10.0f"},
        {FAMILY ".family", "\"10.8f\"", NULL, "a row that sorts after family/11.0f"},
        {FAMILY ".capabilities", "[\"12.0\", \"13.0\"]", NULL, "the same major number"},
        {"code.families[family=12.1f].capabilities", "[\"12.0\"]", NULL, "not below the row's own"},
        {FAMILY ".capabilities", "[\"12.0\", \"12.9\"]", NULL, "that capability.rows lists"},
        {ORIN ".capability", "\"8\"", NULL, "two numbers"},
        {ORIN ".capability", "\"6.1\"", NULL, "a row that sorts after integrated/7.2"},
        {ORIN ".capability", "\"8.5\"", NULL, "that capability.rows lists"},
    };
    REFUSE(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_ptx, setup, teardown),
        cmocka_unit_test_setup_teardown(test_families, setup, teardown),
        cmocka_unit_test_setup_teardown(test_integrated, setup, teardown),
        cmocka_unit_test_setup_teardown(test_empty, setup, teardown),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
