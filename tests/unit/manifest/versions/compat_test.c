/* SPDX-License-Identifier: MIT */
#include "manifest/asked.h"
#include "manifest/broken.h"
#include "manifest/gpu/gpu.h"
#include "manifest/gpu/gpu_compat.h"
#include "manifest/versions/compat.h"

/* forward_compat_matrix.csv has 84 rows, forward_compat_rules.csv 12,
 * forward_compat_container_require.csv 24; the classes are those that the rule "eligible GPUs"
 * names. */
static void test_counts(void **state)
{
    (void)state;
    AUTO_JSON json_t *json = joined_json();
    assert_true(joined_count(json, "compat", "rows") >= 84);
    assert_true(joined_count(json, "compat", "rules") >= 12);
    assert_true(joined_count(json, "compat", "containers") >= 24);
    assert_true(joined_count(json, "compat", "classes") >= 4);
}

/* forward_compat_rules.csv, "eligible GPUs": of workstation boards only selected ones. */
static void test_classes(void **state)
{
    static const struct {
        const char *gpu_class;
        enum manifest_compat compat;
    } cases[] = {
        {"data-centre", COMPAT_YES},     {"jetson", COMPAT_YES},       {"geforce", COMPAT_NO},
        {"workstation", COMPAT_UNKNOWN}, {"embedded", COMPAT_UNKNOWN}, {NULL, COMPAT_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct manifest_gpu model = {.gpu_class = cases[i].gpu_class};
        assert_int_equal(manifest_gpu_compat(*state, &model), cases[i].compat);
    }
    assert_int_equal(manifest_gpu_compat(*state, NULL), COMPAT_UNKNOWN);
    const struct manifest_gpu *quadro = manifest_gpu_by_name(*state, "Quadro RTX 6000", NULL);
    assert_non_null(quadro);
    assert_int_equal(manifest_gpu_compat(*state, quadro), COMPAT_UNKNOWN);
}

/* CUDA 8.0 was the last for Fermi, and 10.0 the first with a package. */
static void test_older_than_the_first_package(void **state)
{
    const struct manifest_gpu *fermi = manifest_gpu_by_name(*state, "Tesla M2070", NULL);
    const struct manifest_gpu *kepler = manifest_gpu_by_name(*state, "Tesla K80", NULL);
    assert_non_null(fermi);
    assert_non_null(kepler);
    assert_int_equal(manifest_gpu_compat(*state, fermi), COMPAT_NO);
    assert_int_equal(manifest_gpu_compat(*state, kepler), COMPAT_YES);
}

/* Cells of forward_compat_container_require.csv and forward_compat_rules.csv. */
static void test_cells(void **state)
{
    (void)state;
    static const struct {
        const char *at, *value;
    } cases[] = {
        {"compat.containers[cuda=10.0].branches", "[\"384\"]"},
        {"compat.containers[cuda=10.2].branches", "[\"396\",\"410\",\"418\",\"440\"]"},
        {"compat.containers[cuda=10.2].brands", "[\"tesla\"]"},
        {"compat.containers[cuda=11.7].geforce", "\"yes\""},
        {"compat.containers[cuda=12.4].branches", "[\"470\",\"525\",\"535\"]"},
        {"compat.containers[cuda=12.5].geforce", "\"no\""},
        {"compat.containers[cuda=13.0].branches", "[\"535\",\"550\",\"565\",\"570\",\"575\"]"},
        {"compat.containers[cuda=13.1].confidence", "\"medium\""},
        {"compat.containers[cuda=13.2].brands", "[\"tesla\",\"nvidia\",\"nvidiartx\"]"},
        {"compat.containers[cuda=13.2].confidence", "\"low\""},
        {"compat.rules[rule=first-cuda].since", "\"10.0\""},
        {"compat.rules[rule=files].since", "\"13.4\""},
        {"compat.rules[rule=nvidia-smi].confidence", "\"medium\""},
    };
    AUTO_JSON json_t *json = joined_json();
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        assert_cell(json, cases[i].at, cases[i].value);
}

#define CLASS     "compat.classes[class=geforce]"
#define RULE      "compat.rules[rule=first-cuda]"
#define CONTAINER "compat.containers[cuda=12.3]"

static void test_refused(void **state)
{
    (void)state;
    static const struct broken cases[] = {
        {CLASS ".class", "\"gamer\"", NULL, "one of \"data-centre\""},
        {CLASS ".class", "\"data-centre\"", NULL, "a unique row"},
        {"compat.classes[class=jetson].class", "\"workstation\"", NULL, "a unique row"},
        {"compat.classes[class=data-centre].class", "\"embedded\"",
         "compat.classes[class=workstation].class", "after compat/embedded"},
        {CLASS ".eligible", "\"some\"", NULL, "one of \"yes\", \"no\""},
        {RULE ".rule", "\"First CUDA\"", NULL, "expected first-cuda"},
        {RULE ".since", "\"10.3\"", NULL, "that cuda.rows lists"},
        {RULE ".text", NULL, NULL, "a non-empty string"},
        {CONTAINER ".cuda", "\"12.3.1\"", NULL, "two numbers"},
        {CONTAINER ".cuda", "\"12.0\"", NULL, "a unique row"},
        {"compat.containers[cuda=13.2].cuda", "\"11.9\"", NULL, "after compat/container-13.1"},
        {"compat.containers[cuda=13.2].cuda", "\"99.0\"", NULL, "that cuda.rows lists"},
        {CONTAINER ".branches", "[\"471\"]", NULL, "that driver.rows lists, found 471"},
        {CONTAINER ".branches", "[\"470.1\"]", NULL, "that driver.rows lists, found 470.1"},
        {CONTAINER ".branches", "[\"570\"]", NULL,
         "no branch that supports a newer CUDA than this row's; driver/570 does"},
        {CONTAINER ".geforce", "\"no\"", NULL, "the value of brands"},
        {CONTAINER ".brands", "[\"tesla\"]", CONTAINER ".geforce", "the value of brands"},
    };
    REFUSE(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test_setup_teardown(test_classes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_older_than_the_first_package, setup, teardown),
        cmocka_unit_test(test_cells),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
