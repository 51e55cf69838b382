/* SPDX-License-Identifier: MIT */
#include "resolve/asking.h"
#include "manifest/manifest.h"
#include "resolve/engine/resolution.h"
#include "resolve/resolve.h"

static void test_parts(void **state)
{
    (void)state;
    static const struct {
        const char *text, *product, *version, *release;
        bool is_auto;
    } rows[] = {
        {.text = "cuda", .product = "cuda"},
        {.text = "CUDA@12.8", .product = "cuda", .version = "12.8"},
        {.text = "cuda@12.8.1", .product = "cuda", .version = "12.8.1"},
        {.text = "cuda@auto", .product = "cuda", .is_auto = true},
        {.text = "triton@25.03", .product = "triton", .version = "25.03"},
        {.text = "onnxruntime@0.2.x", .product = "onnxruntime", .release = "0.2.x"},
        {.text = "jax-cuda12-plugin", .product = "jax-cuda12-plugin"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        AUTO_SPECS struct resolve_specs specs = {0};
        char version[VERSION_TEXT_SIZE];
        assert_true(resolve_specs_add(&specs, rows[i].text, NULL));
        assert_int_equal(specs.count, 1);
        const struct resolve_spec *spec = &specs.items[0];
        assert_string_equal(spec->text, rows[i].text);
        assert_string_equal(spec->product, rows[i].product);
        assert_int_equal(spec->is_auto, rows[i].is_auto);
        assert_true(string_equal(spec->release, rows[i].release));
        version_text(&spec->version, 0, version);
        assert_string_equal(version, rows[i].version ? rows[i].version : "");
    }
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",         "@12", "cuda@",    "cuda@@12", "cuda@12@13",   "cuda 12",
        "cuda==12", "12",  "cuda@1 2", "cu\nda",   "cuda@\x1b[2J",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        AUTO_SPECS struct resolve_specs specs = {0};
        AUTO_ERROR struct error error = {0};
        if (resolve_specs_add(&specs, texts[i], &error))
            fail_msg("\"%s\" is taken", texts[i]);
        assert_int_equal(error.kind, ERROR_USAGE);
        assert_int_equal(specs.count, 0);
        assert_says(error.next, "PRODUCT@VERSION");
    }
}

static void test_twice(void **state)
{
    (void)state;
    AUTO_SPECS struct resolve_specs specs = {0};
    AUTO_ERROR struct error error = {0};
    assert_true(resolve_specs_add(&specs, "cuda", &error));
    assert_true(resolve_specs_add(&specs, "cudnn", &error));
    assert_false(resolve_specs_add(&specs, "Cuda@12", &error));
    assert_int_equal(error.kind, ERROR_USAGE);
    assert_says(error.what, "twice");
}

static void test_names(void **state)
{
    (void)state;
    struct manifest *manifest = manifest_new();
    AUTO_STRLIST struct strlist names = {0};
    resolve_names(manifest, &names);
    static const char *const some[] = {"cuda", "cudnn", "driver", "pytorch", "torch", "cutensor"};
    for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
        assert_true(strlist_has(&names, some[i]));
        assert_true(resolve_knows(manifest, some[i]));
    }
    assert_false(resolve_knows(manifest, "cuda-toolkit"));
    manifest_free(manifest);
}

static void test_unknown_name(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = ask("535.104.05", NULL, "nothing");
    assert_false(asking.fits);
    assert_int_equal(asking.error.kind, ERROR_USAGE);
    AUTO_ASKING struct asking framework = asking_of("535.104.05", NULL);
    ask_for(&framework, "cuda", "cudnn");
    assert_int_equal(framework.error.kind, ERROR_USAGE);
    assert_says(framework.error.what, "no framework");
}

/* A version that is none is not taken for "any". */
static void test_no_version(void **state)
{
    (void)state;
    static const char *const specs[] = {"cuda@latest",  "cuda@12.x",  "cuda@12.8.1.1.1.1.1",
                                        "cuda@AUTO",    "cuda@12.",   "cudnn@foo",
                                        "driver@570-1", "cutensor@<", "cuda@9999999999"};
    for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
        AUTO_ASKING struct asking asking = ask("535.104.05", "A100", specs[i]);
        assert_false(asking.fits);
        assert_int_equal(asking.error.kind, ERROR_USAGE);
        assert_says(asking.error.what, "is not a version of ");
        assert_non_null(asking.error.next);
        assert_int_equal(asking.resolution.candidate_count, 0);
    }
}

static void test_two_names_of_one(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = ask("535.104.05", NULL, "torch pytorch@2.5");
    assert_int_equal(asking.error.kind, ERROR_USAGE);
    assert_says(asking.error.what, "torch and pytorch@2.5 are the same product");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_twice),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_unknown_name),
        cmocka_unit_test(test_no_version),
        cmocka_unit_test(test_two_names_of_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
