/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/json.h"
#include "manifest/pin.h"

static struct version version(const char *text)
{
    struct version version = {.count = 0};
    assert_true(version_parse(text, &version));
    return version;
}

static const struct manifest_pin *find(struct manifest *manifest, const char *product,
                                       const char *text)
{
    const struct version number = version(text);
    return manifest_pin_find(manifest, product, &number);
}

/* shared/redist/redist_index.json has 253 files: 52 proved byte by byte, 23 with a digest that
 * others state, 134 more of which a copy was at hand, 44 known by name. */
static void test_counts(void **state)
{
    (void)state;
    struct manifest *manifest = manifest_new();
    size_t count;
    const struct manifest_pin *rows = manifest_pin_all(manifest, &count);
    size_t proved = 0;
    size_t stated = 0;
    size_t content = 0;
    size_t none = 0;
    for (size_t i = 0; i < count; i++) {
        bool file = string_equal(rows[i].pin, "file");
        proved += file && rows[i].size > 0 && string_equal(rows[i].confidence, "high");
        stated += file && rows[i].size == 0 && string_equal(rows[i].confidence, "medium") &&
                  rows[i].notes != NULL;
        content += string_equal(rows[i].pin, "content");
        none += !manifest_pin_is_pinned(&rows[i]);
    }
    /* A row that is lost is noticed, one that is better proved than it was is welcome. */
    assert_int_equal(count, proved + stated + content + none);
    assert_true(count >= 253);
    assert_true(proved >= 52);
    assert_true(proved + stated >= 75);
    assert_true(proved + stated + content >= 209);
    manifest_free(manifest);
}

static void test_file_pin(void **state)
{
    (void)state;
    struct manifest *manifest = manifest_new();
    const struct manifest_pin *pin = find(manifest, "cuda", "12.8.1");
    assert_non_null(pin);
    assert_string_equal(pin->id, "pin/cuda-12.8.1");
    assert_string_equal(pin->pin, "file");
    assert_string_equal(pin->sha256,
                        "249e28a83008d711d5f72880541c8be6253f6d61608461de4fcb715554a6cf17");
    assert_int_equal(pin->size, 50197);
    assert_string_equal(pin->path, "/compute/cuda/redist/redistrib_12.8.1.json");
    assert_string_equal(pin->date, "2025-03-06");
    assert_true(strlist_has(&pin->platforms, "linux-x86_64"));
    assert_true(strlist_has(&pin->platforms, "linux-aarch64"));
    assert_int_equal(pin->variants.count, 0);
    assert_int_equal(pin->superseded.count, 0);
    manifest_free(manifest);
}

/* The general release of 13.4 is 13.4.1, of which no copy was at hand; Update 1 is 13.4.2. */
static void test_content_pin(void **state)
{
    (void)state;
    struct manifest *manifest = manifest_new();
    const struct manifest_pin *pin = find(manifest, "cuda", "13.4.2");
    assert_non_null(pin);
    assert_string_equal(pin->pin, "content");
    assert_int_equal(pin->size, 0);
    assert_string_equal(pin->date, "2026-09-16");
    assert_true(strlist_has(&pin->platforms, "windows-arm64"));
    const struct manifest_pin *general = find(manifest, "cuda", "13.4.1");
    assert_non_null(general);
    assert_string_equal(general->pin, "file");
    assert_string_equal(general->confidence, "medium");
    assert_null(find(manifest, "cuda", "13.4.0"));
    manifest_free(manifest);
}

static void test_variants(void **state)
{
    (void)state;
    static const struct {
        const char *product, *version, *variants;
    } cases[] = {
        {"cudnn", "9.10.2", "11 12"},     {"cudnn", "9.11.0", "12"},
        {"cudnn", "9.12.0", "12 13"},     {"cudnn", "9.27.0", "12 13 13.4"},
        {"cudnn", "8.5.0", "10 11"},      {"cudnn", "8.9.7", "11 12"},
        {"cudnn", "8.9.7.29", "12"},      {"cudnn", "8.9.5.30", "11"},
        {"cuda", "13.1.1", "13.1"},       {"cuda", "13.0.2", ""},
        {"cusparselt", "0.8.1", "12 13"},
    };
    struct manifest *manifest = manifest_new();
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct manifest_pin *pin = find(manifest, cases[i].product, cases[i].version);
        assert_non_null(pin);
        AUTO_FREE char *variants = strlist_join(&pin->variants, " ");
        assert_string_equal(variants, cases[i].variants);
    }
    manifest_free(manifest);
}

/* Each four-part file of cuDNN has the archives of one CUDA; the three-part one has them all. */
static void test_superseded(void **state)
{
    (void)state;
    struct manifest *manifest = manifest_new();
    size_t count;
    const struct manifest_pin *rows = manifest_pin_all(manifest, &count);
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        bool four_parts = string_equal(rows[i].product, "cudnn") && rows[i].version.count == 4;
        if (!four_parts)
            continue;
        assert_int_equal(rows[i].superseded.count, 3);
        assert_true(version_within(&rows[i].version, &rows[i].superseded));
        found++;
    }
    assert_true(found >= 12);
    manifest_free(manifest);
}

static void test_lookup(void **state)
{
    (void)state;
    struct manifest *manifest = manifest_new();
    assert_null(find(manifest, "cuda", "12.8"));
    assert_null(find(manifest, "cuda", "12.8.1.0"));
    assert_null(find(manifest, "cuda", "9.10.2"));
    assert_null(find(manifest, "CUDA", "12.8.1"));
    assert_null(find(manifest, "tensorrt", "10.0.0"));
    assert_non_null(find(manifest, "nvpl", "25.1"));
    assert_non_null(find(manifest, "nvpl", "25.1.1"));
    /* A leading zero is part of the name and not of the number. */
    const struct manifest_pin *pin = find(manifest, "nvpl", "24.3");
    assert_non_null(pin);
    assert_string_equal(pin->id, "pin/nvpl-24.03");
    assert_string_equal(pin->path, "/compute/nvpl/redist/redistrib_24.03.json");

    static const char *const products[] = {
        "cublasmp", "cuda",    "cudnn",  "cudss",      "cuquantum", "cusolvermp", "cusparselt",
        "cutensor", "nppplus", "nvcomp", "nvjpeg2000", "nvpl",      "nvshmem",    "nvtiff"};
    for (size_t i = 0; i < sizeof(products) / sizeof(*products); i++)
        assert_true(manifest_pin_product(manifest, products[i]));
    assert_false(manifest_pin_product(manifest, "nccl"));
    assert_false(manifest_pin_product(manifest, "cud"));
    manifest_free(manifest);
}

/* Takes the joined document apart, changes one key of a row of pin and puts it together again. */
static bool taken(const char *id, const char *key, const char *value, struct error *error)
{
    static json_t *document;
    if (document == NULL)
        document = json_load_file(TEST_BINARY_DIR "/gpuenv.manifest.json", 0, NULL);
    assert_non_null(document);
    AUTO_JSON json_t *copy = json_deep_copy(document);
    json_t *rows = json_object_get(json_object_get(copy, "pin"), "rows");
    json_t *row = NULL;
    for (size_t i = 0; i < json_array_size(rows); i++) {
        json_t *candidate = json_array_get(rows, i);
        AUTO_FREE char *name =
            mem_printf("%s-%s", json_string_value(json_object_get(candidate, "product")),
                       json_string_value(json_object_get(candidate, "version")));
        if (string_equal(name, id))
            row = candidate;
    }
    assert_non_null(row);
    if (value == NULL)
        json_object_del(row, key);
    else
        json_object_set_new(row, key, json_loads(value, JSON_DECODE_ANY, NULL));
    AUTO_TEXT struct text text = {0};
    json_append_text(copy, &text);
    struct manifest *manifest = manifest_load(text.data, text.size, "M", error);
    manifest_free(manifest);
    return manifest != NULL;
}

#define DIGEST "\"249e28a83008d711d5f72880541c8be6253f6d61608461de4fcb715554a6cf17\""

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *id, *key, *value, *why;
    } cases[] = {
        {"cuda-12.8.1", "sha256", NULL, "a digest, since pin is \"file\", found nothing"},
        {"cuda-13.4.2", "sha256", NULL, "a digest, since pin is \"content\", found nothing"},
        {"cuda-11.0.3", "sha256", DIGEST, "nothing, since pin is \"none\", found 249e28a8"},
        {"cuda-12.8.1", "sha256", "\"249E\"", "64 small hexadecimal digits"},
        {"cuda-13.4.2", "size", "52032", "nothing, since pin is \"content\", found 52032"},
        {"cuda-11.0.3", "size", "52032", "nothing, since pin is \"none\""},
        {"cuda-12.8.1", "size", "0", "a whole number above 0"},
        {"cuda-12.8.1", "pin", "\"maybe\"", "one of \"file\", \"content\", \"none\""},
        {"cuda-12.8.1", "path", NULL, "found nothing"},
        {"cuda-12.8.1", "path", "\"/compute/cudnn/redist/redistrib_12.8.1.json\"",
         "expected /compute/cuda/redist/redistrib_12.8.1.json, after product and version"},
        {"cuda-12.8.1", "path", "\"/compute/cuda/redist/../redistrib_12.8.1.json\"", "after"},
        {"nvpl-24.03", "path", "\"/compute/nvpl/redist/redistrib_24.3.json\"", "after"},
        {"cuda-12.8.1", "product", "\"Cuda\"", "small letters and digits alone"},
        {"cuda-12.8.1", "product", "\"cu/da\"", "small letters and digits alone"},
        {"cuda-12.8.1", "product", "\"cublasmp\"", "a row above pin/cuda-12.8.0"},
        {"cuda-12.8.1", "version", "\"12.8.0\"", "pin/cuda-12.8.0"},
        {"cuda-12.8.1", "version", "\"12.8\"", "a row above pin/cuda-12.8.0"},
        {"cuda-12.8.1", "version", "\"12.6.9\"", "a row above pin/cuda-12.8.0"},
        {"cuda-12.8.1", "platforms", "[\"linux-x64\"]", "found linux-x64"},
        {"cuda-12.8.1", "platforms", "[\"source\", \"source\"]", "none twice"},
        {"cudnn-9.12.0", "variants", "[\"cuda12\"]", "found cuda12"},
        {"cudnn-9.12.0", "variants", "[\"12.8.1\"]", "found 12.8.1"},
        {"cuda-12.8.1", "date", "\"2025-03-07\"", "2025-03-06 as cuda/12.8.1 has it"},
        {"cudnn-8.9.7.29", "superseded", "\"8.9.8\"", "a version of cudnn with a row"},
        {"cudnn-8.9.7.29", "superseded", "\"8.9.7.29\"", "that nothing supersedes"},
        {"cudnn-8.9.7", "superseded", "\"8.9.6\"", "that nothing supersedes, found 8.9.7"},
        {"cuda-12.8.1", "superceded", "\"12.8.0\"", "no such key"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        AUTO_ERROR struct error error = {0};
        if (taken(cases[i].id, cases[i].key, cases[i].value, &error))
            fail_msg("taken: %s %s", cases[i].key, cases[i].value);
        if (strstr(error.why, cases[i].why) == NULL)
            fail_msg("%s: %s", error.where, error.why);
        assert_true(string_starts(error.where, "M: pin.rows["));
    }
}

/* A version that CUDA's own table does not have. */
static void test_cuda_without_release(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    AUTO_JSON json_t *document = json_load_file(TEST_BINARY_DIR "/gpuenv.manifest.json", 0, NULL);
    json_t *rows = json_object_get(json_object_get(document, "cuda"), "rows");
    for (size_t i = 0; i < json_array_size(rows); i++)
        if (string_equal(json_string_value(json_object_get(json_array_get(rows, i), "version")),
                         "12.8.1"))
            json_array_remove(rows, i);
    AUTO_TEXT struct text text = {0};
    json_append_text(document, &text);
    assert_null(manifest_load(text.data, text.size, "M", &error));
    assert_true(string_starts(error.where, "M: pin.rows["));
    assert_true(string_ends(error.where, "].version"));
    assert_string_equal(error.why, "expected a CUDA version that cuda.rows has, found 12.8.1");
}

/* Another date is one thing, a less exact one is none. */
static void test_date_may_be_less_exact(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    assert_true(taken("cuda-12.8.1", "date", "\"2025-03\"", &error));
    assert_true(taken("cuda-12.8.1", "date", NULL, &error));
    assert_true(taken("cuda-12.8.1", "x_seen", "\"2026-11-21\"", &error));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_file_pin),
        cmocka_unit_test(test_content_pin),
        cmocka_unit_test(test_variants),
        cmocka_unit_test(test_superseded),
        cmocka_unit_test(test_lookup),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_cuda_without_release),
        cmocka_unit_test(test_date_may_be_less_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
