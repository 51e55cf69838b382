/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <ftw.h>
#include <unistd.h>

#include "install/plan/catalog.h"

#include "install/catalog_text.h"

static bool parse(const char *quoted, struct catalog *catalog, struct error *error)
{
    AUTO_FREE char *text = catalog_text(quoted);
    return catalog_parse(text, strlen(text), "redistrib_1.json", catalog, error);
}

static const struct catalog_component *component(const struct catalog *catalog, const char *key)
{
    for (size_t i = 0; i < catalog->component_count; i++)
        if (string_equal(catalog->components[i].key, key))
            return &catalog->components[i];
    fail_msg("no component %s", key);
    return NULL;
}

static const char *path_of(const struct catalog *catalog, const char *key, const char *platform,
                           const char *cuda)
{
    struct version version = {.count = 0};
    if (cuda)
        assert_true(version_parse(cuda, &version));
    const struct catalog_entry *entry =
        catalog_entry_find(component(catalog, key), platform, &version);
    return entry ? entry->path : NULL;
}

/* The oldest generation: no label, no licence path, platforms at once. */
static void test_flat(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    AUTO_CATALOG struct catalog catalog = {.name = NULL};
    assert_true(parse("{'release_date': '2021-09-15', 'cuda_nvcc': {'name': 'NVCC',"
                      " 'license': 'CUDA Toolkit', 'version': '11.4.120',"
                      " 'linux-x86_64': <cuda_nvcc/linux-x86_64/n.tar.xz 12>,"
                      " 'linux-ppc64le': <cuda_nvcc/linux-ppc64le/n.tar.xz 12>}}",
                      &catalog, &error));
    assert_null(catalog.product);
    assert_string_equal(catalog.date, "2021-09-15");
    assert_string_equal(component(&catalog, "cuda_nvcc")->version, "11.4.120");
    assert_null(component(&catalog, "cuda_nvcc")->license_path);
    assert_string_equal(path_of(&catalog, "cuda_nvcc", "linux-x86_64", "11.4.2"),
                        "cuda_nvcc/linux-x86_64/n.tar.xz");
    assert_null(path_of(&catalog, "cuda_nvcc", "linux-sbsa", "11.4.2"));
    const struct catalog_entry *entry = component(&catalog, "cuda_nvcc")->entries;
    char hex[DIGEST_HEX_SIZE];
    assert_int_equal(entry->size, 12);
    assert_string_equal(digest_hex(&entry->sha256, hex), SHA);
    assert_null(entry->problem);
}

#define X86 "cudnn/linux-x86_64/"
#define ARM "cudnn/windows-arm64/"

/* The array cuda_variant between platforms, nested variants, one by major.minor, the hybrid entry:
 * a flat archive beside a nested one, which is another archive. */
static void test_variants(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    AUTO_CATALOG struct catalog catalog = {.name = NULL};
    assert_true(parse(
        "{'release_label': '9.27.0', 'release_product': 'cudnn', 'cudnn': {"
        " 'version': '9.27.0.1', 'linux-x86_64': {'cuda12': <" X86 "a_cuda12-archive.tar.xz 1>,"
        " 'cuda13': <" X86 "a_cuda13-archive.tar.xz 1>}, 'cuda_variant': ['12', '13'],"
        " 'windows-arm64': {'cuda13': <" ARM "a_cuda13-archive.zip 1>,"
        " 'relative_path': '" ARM "a_cuda13.4-archive.zip', 'sha256': '" SHA
        "', 'size': '5'}, 'name': 'cuDNN'}, 'cuda_compat': {'cuda_variant': ['13.1'],"
        " 'linux-sbsa': {'cuda13.1': <cuda_compat/linux-sbsa/c-archive.tar.xz 1>}}}",
        &catalog, &error));
    assert_string_equal(catalog.product, "cudnn");
    assert_string_equal(path_of(&catalog, "cudnn", "linux-x86_64", "12"),
                        X86 "a_cuda12-archive.tar.xz");
    assert_string_equal(path_of(&catalog, "cudnn", "linux-x86_64", "13.0"),
                        X86 "a_cuda13-archive.tar.xz");
    assert_null(path_of(&catalog, "cudnn", "linux-x86_64", "11"));
    assert_null(path_of(&catalog, "cudnn", "linux-x86_64", NULL)); /* two, and no word which */
    assert_string_equal(path_of(&catalog, "cudnn", "windows-arm64", "13.4"),
                        ARM "a_cuda13-archive.zip");
    assert_null(path_of(&catalog, "cudnn", "windows-arm64", "12"));
    const char *compat = "cuda_compat/linux-sbsa/c-archive.tar.xz";
    assert_string_equal(path_of(&catalog, "cuda_compat", "linux-sbsa", "13.1.1"), compat);
    assert_null(path_of(&catalog, "cuda_compat", "linux-sbsa", "13.2.1"));
    assert_string_equal(path_of(&catalog, "cuda_compat", "linux-sbsa", NULL), compat);
    assert_int_equal(component(&catalog, "cudnn")->entry_count, 4);
}

/* The archive of another component, platform or variant proves nothing of this one. */
static void test_archives_of_others(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "{'c': {'linux-x86_64': <d/linux-x86_64/a 1>}}",
        "{'c': {'linux-x86_64': <c/linux-sbsa/a 1>}}",
        "{'c': {'linux-all': <c/linux-all/a 1>}}",
        "{'c': {'linux-x86_64': {'cuda12': <c/linux-x86_64/a_cuda13-archive.tar.xz 1>}}}",
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        AUTO_ERROR struct error error = {0};
        AUTO_CATALOG struct catalog catalog = {.name = NULL};
        assert_true(parse(cases[i], &catalog, &error));
        assert_non_null(strstr(catalog.components[0].entries[0].problem, "of this component"));
    }
}

/* An entry that may not be used stays, with why; the rest of the file is good (M06, M08). */
static void test_bad_entries(void **state)
{
    (void)state;
    static const struct {
        const char *path, *sha256, *size, *problem;
    } cases[] = {
        {"\"c/linux-x86_64/a\"", NULL, "\"1\"",
         "sha256: expected 64 hexadecimal digits, found nothing"},
        {"\"c/linux-x86_64/a\"", "\"\"", "\"1\"",
         "sha256: expected 64 hexadecimal digits, found \"\""},
        {"\"c/linux-x86_64/a\"", "\"" SHA "0\"", "\"1\"", "sha256: expected 64"},
        {"\"c/linux-x86_64/a\"", "5", "\"1\"",
         "sha256: expected 64 hexadecimal digits, found something else"},
        {"\"c/linux-x86_64/a\"",
         "\"g00102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\"", "\"1\"",
         "sha256: expected 64"},
        {"\"c/linux-x86_64/a\"", "\"" SHA "\"", NULL, "size: expected a number of bytes"},
        {"\"c/linux-x86_64/a\"", "\"" SHA "\"", "\"-1\"", "size: expected"},
        {"\"c/linux-x86_64/a\"", "\"" SHA "\"", "\"0\"", "size: expected"},
        {"\"c/linux-x86_64/a\"", "\"" SHA "\"", "\"0x10\"", "size: expected"},
        {"\"c/linux-x86_64/a\"", "\"" SHA "\"", "\"9223372036854775808\"", "size: expected"},
        {"\"c/linux-x86_64/a\"", "\"" SHA "\"", "\"99999999999999999999999\"", "size: expected"},
        {"\"../x\"", "\"" SHA "\"", "\"1\"", "relative_path: expected a path below"},
        {"\"/etc/x\"", "\"" SHA "\"", "\"1\"", "relative_path: expected"},
        {"\"\"", "\"" SHA "\"", "\"1\"", "relative_path: expected"},
        {"\"c/linux-x86_64/./b\"", "\"" SHA "\"", "\"1\"", "relative_path: expected"},
        {"\"a\\u001bb\"", "\"" SHA "\"", "\"1\"", "found \"a\033b\""},
        {NULL, "\"" SHA "\"", "\"1\"", "relative_path: expected"},
        {"\"other/linux-x86_64/a\"", "\"" SHA "\"", "\"1\"", "of this component, platform"},
        {"\"c/linux-sbsa/a\"", "\"" SHA "\"", "\"1\"", "of this component, platform"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        AUTO_TEXT struct text text = {0};
        AUTO_ERROR struct error error = {0};
        AUTO_CATALOG struct catalog catalog = {.name = NULL};
        text_printf(&text, "{\"c\": {\"linux-x86_64\": {\"x\": 1");
        if (cases[i].path)
            text_printf(&text, ", \"relative_path\": %s", cases[i].path);
        if (cases[i].sha256)
            text_printf(&text, ", \"sha256\": %s", cases[i].sha256);
        if (cases[i].size)
            text_printf(&text, ", \"size\": %s", cases[i].size);
        text_append(&text, "}, 'linux-sbsa': <c/linux-sbsa/good 12>}}");
        assert_true(parse(text_string(&text), &catalog, &error));
        const struct catalog_entry *entry = component(&catalog, "c")->entries;
        assert_non_null(entry->problem);
        if (strstr(entry->problem, cases[i].problem) == NULL)
            fail_msg("%s", entry->problem);
        assert_string_equal(path_of(&catalog, "c", "linux-sbsa", NULL), "c/linux-sbsa/good");
        struct digest digest;
        assert_false(catalog_content_digest(&catalog, &digest, &error));
        assert_int_equal(error.kind, ERROR_DATA);
        assert_non_null(strstr(error.where, "c.linux-x86_64"));
    }
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "",
        "[]",
        "{}",
        "{\"release_date\": \"2021-09-15\"}",
        "{\"..\": {\"linux\": {}}}",
        "{\"a/b\": {}}",
        "{\"a\": {}, \"a\": {}}",
        "\xef\xbb\xbf{\"a\": {}}",
        "{\"a\": NaN}",
        "{\"a\": {}} // c",
        "{\"a\\u0000\": {}}",
        "{\"\xff\": {}}",
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        AUTO_ERROR struct error error = {0};
        AUTO_CATALOG struct catalog catalog = {.name = NULL};
        if (parse(cases[i], &catalog, &error))
            fail_msg("taken: %s", cases[i]);
        assert_int_equal(error.kind, ERROR_DATA);
        assert_true(string_starts(error.where, "redistrib_1.json"));
    }
}

/* Cut after any byte it is refused: never what stands before the cut. */
static void test_truncated(void **state)
{
    (void)state;
    AUTO_FREE char *text = catalog_text(
        "{'release_date': '2025-01-01', 'release_label': '12.8.0', 'release_product': 'cuda',"
        " 'cuda_nvcc': {'name': 'NVCC', 'license': 'CUDA Toolkit', 'version': '12.8.93',"
        " 'cuda_variant': ['12', '13'],"
        " 'linux-x86_64': {'cuda12': <cuda_nvcc/linux-x86_64/n.tar.xz 12>},"
        " 'linux-sbsa': <cuda_nvcc/linux-sbsa/n.tar.xz 12>}}");
    for (size_t size = 0; size < strlen(text); size++) {
        AUTO_ERROR struct error error = {0};
        AUTO_CATALOG struct catalog catalog = {.name = NULL};
        AUTO_FREE char *cut = mem_string_n(text, size); /* so that reading on is seen */
        assert_false(catalog_parse(cut, size, "redistrib_1.json", &catalog, &error));
        assert_int_equal(error.kind, ERROR_DATA);
    }
    AUTO_ERROR struct error error = {0};
    AUTO_CATALOG struct catalog catalog = {.name = NULL};
    assert_true(catalog_parse(text, strlen(text), "redistrib_1.json", &catalog, &error));
}

static void test_limits(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    AUTO_CATALOG struct catalog catalog = {.name = NULL};
    AUTO_FREE char *large = malloc(CATALOG_MAX + 2);
    memset(large, ' ', CATALOG_MAX + 1);
    assert_false(catalog_parse(large, CATALOG_MAX + 1, "big", &catalog, &error));
    assert_non_null(strstr(error.what, "larger than the limit"));
    AUTO_TEXT struct text deep = {0};
    for (int i = 0; i < 100000; i++)
        text_append(&deep, "[");
    assert_false(catalog_parse(deep.data, deep.size, "deep", &catalog, &error));
    assert_non_null(strstr(error.what, "deeper"));
}

/* The line of each archive once, in the order of their bytes (docs/reference/manifest.md, pin). */
static void test_content_digest(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    AUTO_CATALOG struct catalog catalog = {.name = NULL};
    assert_true(parse("{'c': {'p': <c/p/b 12>, 'q': {'cuda12': <c/q/a 12>, 'cuda13': <c/q/a 12>}}}",
                      &catalog, &error));
    struct digest found, expected;
    assert_true(catalog_content_digest(&catalog, &found, &error));
    static const char lines[] = "c/p/b " SHA " 12\nc/q/a " SHA " 12\n";
    assert_true(digest_of_bytes(lines, strlen(lines), &expected, &error));
    assert_true(digest_equal(&found, &expected));
}

/* The published files, where they are: none is committed. */
static struct {
    size_t files, entries;
} seen;

static int parse_real(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    const char *base = path + walk->base;
    if (type != FTW_F || !string_starts(base, "redistrib_") || strstr(path, "not_nvidia"))
        return 0;
    AUTO_ERROR struct error error = {0};
    AUTO_CATALOG struct catalog catalog = {.name = NULL};
    AUTO_FREE char *text = malloc((size_t)status->st_size);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fread(text, 1, (size_t)status->st_size, file), status->st_size);
    fclose(file);
    if (!catalog_parse(text, (size_t)status->st_size, path, &catalog, &error))
        fail_msg("%s: %s: %s", error.what, error.where, error.why);
    struct digest digest;
    assert_true(catalog_content_digest(&catalog, &digest, &error));
    for (size_t i = 0; i < catalog.component_count; i++) {
        const struct catalog_component *one = &catalog.components[i];
        assert_non_null(one->name);
        seen.entries += one->entry_count;
        for (size_t k = 0; k < one->entry_count; k++) {
            const struct catalog_entry *entry = &one->entries[k];
            /* The archive's name says platform and variant. */
            assert_non_null(strstr(entry->path, string_equal(entry->platform, "linux-all")
                                                    ? "source"
                                                    : entry->platform));
            struct version cuda = {.count = 0};
            if (entry->variant)
                assert_true(version_parse(entry->variant + strlen("cuda"), &cuda));
            if (entry->variant && strstr(entry->path, "_cuda"))
                assert_non_null(strstr(entry->path, entry->variant));
            assert_non_null(catalog_entry_find(one, entry->platform, &cuda));
        }
    }
    seen.files++;
    return 0;
}

static void test_real_files(void **state)
{
    (void)state;
    const char *directory = TEST_SOURCE_DIR "/../shared/redist";
    if (access(directory, R_OK) != 0) {
        print_message("no %s: the published files are not read\n", directory);
        skip();
    }
    assert_int_equal(nftw(directory, parse_real, 16, FTW_PHYS), 0);
    assert_int_equal(seen.files, 186);
    assert_int_equal(seen.entries, 6591);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flat),
        cmocka_unit_test(test_variants),
        cmocka_unit_test(test_archives_of_others),
        cmocka_unit_test(test_bad_entries),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_content_digest),
        cmocka_unit_test(test_real_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
