/* SPDX-License-Identifier: MIT */
#include "manifest/broken.h"

#include "manifest/manifest.h"
#include "manifest/toolkit/pin.h"

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
    assert_false(manifest_pin_product(manifest, "tensorrt"));
    assert_false(manifest_pin_product(manifest, "cud"));
    manifest_free(manifest);
}

#define CUDA   "pin.rows[product=cuda,version=12.8.1]"
#define OTHER  "pin.rows[product=cuda,version=13.4.2]" /* by content */
#define NAMED  "pin.rows[product=cuda,version=11.0.3]" /* by name alone */
#define CUDNN  "pin.rows[product=cudnn,version=9.12.0]"
#define FIRST  "pin.rows[product=cudnn,version=8.9.7.29]"
#define DIGEST "\"249e28a83008d711d5f72880541c8be6253f6d61608461de4fcb715554a6cf17\""

static void test_proof_is_refused(void **state)
{
    (void)state;
    static const struct broken cases[] = {
        {CUDA ".sha256", NULL, NULL, "a digest, since pin is \"file\", found nothing"},
        {OTHER ".sha256", NULL, NULL, "a digest, since pin is \"content\", found nothing"},
        {NAMED ".sha256", DIGEST, NULL, "nothing, since pin is \"none\", found 249e28a8"},
        {CUDA ".sha256", "\"249E\"", NULL, "64 lowercase hexadecimal digits"},
        {OTHER ".sha256", DIGEST, NULL, "a different digest than in pin/cuda-12.8.1"},
        {OTHER ".size", "52032", NULL, "nothing, since pin is \"content\", found 52032"},
        {NAMED ".size", "52032", NULL, "nothing, since pin is \"none\""},
        {CUDA ".size", "0", NULL, "a whole number above 0"},
        {CUDA ".pin", "\"maybe\"", NULL, "one of \"file\", \"content\", \"none\""},
    };
    REFUSE(cases);
}

static void test_name_is_refused(void **state)
{
    (void)state;
    static const struct broken cases[] = {
        {CUDA ".path", NULL, NULL, "found nothing"},
        {CUDA ".path", "\"/compute/cudnn/redist/redistrib_12.8.1.json\"", NULL,
         "expected /compute/cuda/redist/redistrib_12.8.1.json, from product and version"},
        {CUDA ".path", "\"/compute/cuda/redist/../redistrib_12.8.1.json\"", NULL, "from product"},
        {"pin.rows[product=nvpl,version=24.03].path",
         "\"/compute/nvpl/redist/redistrib_24.3.json\"", NULL, "from product"},
        {CUDA ".product", "\"Cuda\"", NULL, "only lowercase letters and digits"},
        {CUDA ".product", "\"cu/da\"", NULL, "only lowercase letters and digits"},
        {CUDA ".product", "\"cublasmp\"", NULL, "a row that sorts after pin/cuda-12.8.0"},
        {CUDA ".version", "\"12.8.0\"", CUDA ".product", "found pin/cuda-12.8.0, which rows["},
        {CUDA ".version", "\"12.8\"", NULL, "a row that sorts after pin/cuda-12.8.0"},
        {CUDA ".version", "\"12.6.9\"", NULL, "a row that sorts after pin/cuda-12.8.0"},
    };
    REFUSE(cases);
}

static void test_contents_are_refused(void **state)
{
    (void)state;
    static const struct broken cases[] = {
        {CUDA ".platforms", "[\"linux-x64\"]", NULL, "found linux-x64"},
        {CUDA ".platforms", "[\"source\", \"source\"]", NULL, "without duplicates"},
        {CUDNN ".variants", "[\"cuda12\"]", NULL, "found cuda12"},
        {CUDNN ".variants", "[\"12.8.1\"]", NULL, "found 12.8.1"},
        {FIRST ".superseded", "\"8.9.8\"", NULL, "a version of cudnn whose row"},
        {FIRST ".superseded", "\"8.9.7.29\"", NULL, "is not superseded"},
        {"pin.rows[product=cudnn,version=8.9.7].superseded", "\"8.9.6\"", FIRST ".superseded",
         "whose row is not superseded, found 8.9.7"},
        {CUDA ".superceded", "\"12.8.0\"", NULL, "unknown key"},
    };
    REFUSE(cases);
}

/* What the tables of releases have. */
static void test_releases_must_agree(void **state)
{
    (void)state;
    static const struct broken cases[] = {
        {CUDA ".date", "\"2025-03-07\"", NULL, "2025-03-06, as in cuda/12.8.1"},
        {"cuda.rows[version=13.3.1]", NULL, "pin.rows[product=cuda,version=13.3.1].version",
         "a CUDA version that cuda.rows lists, found 13.3.1"},
        {"pin.rows[product=cudnn,version=9.26.0]",
         "{\"product\": \"cudnn\", \"version\": \"9.26.9\", \"pin\": \"none\","
         " \"path\": \"/compute/cudnn/redist/redistrib_9.26.9.json\","
         " \"source\": [\"nixpkgs\"], \"confidence\": \"low\"}",
         "pin.rows[product=cudnn,version=9.26.0].version",
         "a cuDNN release that cudnn.rows lists, found 9.26.9"},
    };
    REFUSE(cases);
}

/* Another date is one thing, a less exact one is none. */
static void test_date_may_be_less_exact(void **state)
{
    (void)state;
    static const struct broken dates[] = {{CUDA ".date", "\"2025-03\"", NULL, NULL},
                                          {CUDA ".date", NULL, NULL, NULL}};
    AUTO_JSON json_t *document = joined_cut(dates, 2);
    for (size_t i = 0; i < 2; i++) {
        AUTO_JSON json_t *json = broken_json(document, dates[i].at, dates[i].value);
        struct manifest *manifest = load_json(json, NULL);
        assert_non_null(manifest);
        manifest_free(manifest);
    }
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
        cmocka_unit_test(test_proof_is_refused),
        cmocka_unit_test(test_name_is_refused),
        cmocka_unit_test(test_contents_are_refused),
        cmocka_unit_test(test_releases_must_agree),
        cmocka_unit_test(test_date_may_be_less_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
