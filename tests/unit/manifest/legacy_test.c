/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/json.h"
#include "manifest/legacy.h"

static struct version version(const char *text)
{
    struct version version = {.count = 0};
    assert_true(version_parse(text, &version));
    return version;
}

static const struct manifest_runfile *runfile(struct manifest *manifest, const char *text,
                                              const char *platform)
{
    const struct version number = version(text);
    return manifest_runfile_find(manifest, &number, platform);
}

static const struct manifest_archive *archive(struct manifest *manifest, const char *text,
                                              const char *cuda, const char *platform)
{
    const struct version number = version(text);
    const struct version pair = version(cuda);
    return manifest_archive_find(manifest, &number, &pair, platform);
}

/* shared/redist/legacy.json: cuda_runfiles, cudnn_archives, install_notes. */
static void test_counts(void **state)
{
    (void)state;
    struct manifest *manifest = manifest_new();
    size_t count;
    const struct manifest_runfile *runfiles = manifest_runfiles(manifest, &count);
    assert_int_equal(count, 280);
    size_t linux_files = 0;
    size_t linux_sha256 = 0;
    size_t md5 = 0;
    for (size_t i = 0; i < count; i++) {
        linux_files += string_starts(runfiles[i].platform, "linux");
        linux_sha256 += string_starts(runfiles[i].platform, "linux") && runfiles[i].sha256 != NULL;
        md5 += runfiles[i].md5 != NULL;
    }
    assert_int_equal(linux_files, 168);
    assert_int_equal(linux_sha256, 167);
    assert_int_equal(md5, 24);

    const struct manifest_archive *archives = manifest_archives(manifest, &count);
    assert_int_equal(count, 383);
    size_t listed = 0;
    size_t sha256 = 0;
    for (size_t i = 0; i < count; i++) {
        listed += string_equal(archives[i].redistrib, "yes");
        sha256 += archives[i].sha256 != NULL;
    }
    assert_int_equal(listed, 173);
    assert_int_equal(sha256, 381);
    manifest_advice_all(manifest, &count);
    assert_int_equal(count, 9);
    manifest_free(manifest);
}

static void test_runfiles(void **state)
{
    (void)state;
    struct manifest *manifest = manifest_new();
    const struct manifest_runfile *row = runfile(manifest, "8.0.61", "linux-x86_64");
    assert_non_null(row);
    assert_string_equal(row->id, "legacy/cuda/8.0.61/cuda_8.0.61_375.26_linux-run");
    assert_string_equal(row->host, "developer.nvidia.com");
    assert_string_equal(row->sha256,
                        "9ceca9c2397f841024e03410bfd6eabfd72b384256fbed1c1e4834b5b0ce9dc4");
    assert_null(row->md5);
    assert_int_equal(row->urls.count, 1);
    assert_string_equal(row->confidence, "high");

    row = runfile(manifest, "13.3.0", "linux-x86_64");
    assert_non_null(row);
    assert_string_equal(row->path,
                        "/compute/cuda/13.3.0/local_installers/cuda_13.3.0_610.43.02_linux.run");
    assert_null(row->host);
    assert_non_null(runfile(manifest, "9.2.148", "linux-x86_64"));
    row = runfile(manifest, "9.2.148", "windows-x86_64");
    assert_non_null(row);
    assert_null(row->sha256);
    assert_string_equal(row->md5, "efaf92a93bdef21da29aba8a8768a16d");

    assert_null(runfile(manifest, "8.0", "linux-x86_64"));
    assert_null(runfile(manifest, "8.0.61.2", "linux-x86_64")); /* a patch */
    assert_null(runfile(manifest, "8.0.61", "linux-sbsa"));
    assert_null(runfile(manifest, "13.4.2", "linux-x86_64"));
    manifest_free(manifest);
}

static void test_archives(void **state)
{
    (void)state;
    static const struct {
        const char *version, *cuda, *platform, *file;
    } cases[] = {
        {"8.9.7.29", "12", "linux-x86_64", "cudnn-linux-x86_64-8.9.7.29_cuda12-archive.tar.xz"},
        {"8.9.7", "12.2.1", "linux-x86_64", "cudnn-linux-x86_64-8.9.7.29_cuda12-archive.tar.xz"},
        {"9.15.0", "13", "linux-x86_64", "cudnn-linux-x86_64-9.15.0.58_cuda13-archive.tar.xz"},
        {"8.0.5", "10.2", "linux-x86_64", "cudnn-10.2-linux-x64-v8.0.5.39.tgz"},
        {"8.0.5", "11.1.1", "linux-ppc64le", "cudnn-11.1-linux-ppc64le-v8.0.5.39.tgz"},
        {"7.6.5", "10.1", "linux-x86_64", "cudnn-10.1-linux-x64-v7.6.5.32.tgz"},
        /* Of two names of one archive the one with an address. */
        {"7.0.5", "8.0", "linux-x86_64", "cudnn-8.0-linux-x64-v7.tgz"},
        /* Not the release candidate. */
        {"5.0", "7.5", "linux-x86_64", "cudnn-7.5-linux-x64-v5.0-ga.tgz"},
    };
    struct manifest *manifest = manifest_new();
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct manifest_archive *row =
            archive(manifest, cases[i].version, cases[i].cuda, cases[i].platform);
        if (row == NULL)
            fail_msg("not found: %s", cases[i].file);
        assert_string_equal(row->file, cases[i].file);
    }
    assert_null(archive(manifest, "9.10.2", "13", "linux-x86_64"));
    assert_null(archive(manifest, "8.9.7", "12", "linux-aarch64"));
    assert_null(archive(manifest, "8.0.5", "10", "linux-x86_64"));
    assert_null(archive(manifest, "3.0", "7.0", "linux-x86_64"));
    manifest_free(manifest);
}

/* Where the sources disagree, the row says so. */
static void test_disagreements(void **state)
{
    (void)state;
    struct manifest *manifest = manifest_new();
    const struct manifest_archive *row = archive(manifest, "8.9.5.30", "12", "linux-sbsa");
    assert_non_null(row);
    assert_string_equal(row->sha256,
                        "107d3dbec6345e1a3879a151cf3cbf6a2d96162c7b8eeb2ff85b84a67e79e2d1");
    assert_non_null(strstr(row->notes, "0491f7b0"));
    row = archive(manifest, "8.0.5.39", "11.1", "linux-sbsa");
    assert_non_null(row);
    assert_string_equal(row->confidence, "low");
    assert_non_null(strstr(row->notes, "ppc64le"));
    manifest_free(manifest);
}

static void test_advice(void **state)
{
    (void)state;
    static const struct {
        const char *id, *version, *part;
    } cases[] = {
        {"legacy/cuda/perl", "8.0.61", "PERL5LIB"},
        {"legacy/cuda/silent-before-10.1", "9.2.148", "--toolkitpath="},
        {"legacy/cuda/silent", "10.1.105", "--installpath="},
        {"legacy/cuda/libxml2", "10.1.243", "libxml2.so.2"},
        {"legacy/cuda/unpack", "9.1.85.1", "--noexec"},
        {"legacy/cudnn/tgz", "8.2.4.15", "lib64"},
        {"legacy/cudnn/local-installers", "8.4.1.50", "local_installers"},
        {"legacy/cudnn/major-suffix", "8.7.0.84", "_cuda11"},
        {"legacy/cudnn/rpath", "8.9.7.29", "$ORIGIN"},
    };
    struct manifest *manifest = manifest_new();
    size_t count;
    const struct manifest_advice *rows = manifest_advice_all(manifest, &count);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct version number = version(cases[i].version);
        size_t found = 0;
        for (size_t row = 0; row < count; row++)
            found += string_equal(rows[row].id, cases[i].id) &&
                     manifest_range_has(&rows[row].versions, &number) &&
                     strstr(rows[row].text, cases[i].part) != NULL;
        assert_int_equal(found, 1);
    }
    const struct version late = version("10.1.105");
    assert_string_equal(rows[2].id, "legacy/cuda/silent");
    assert_true(manifest_range_has(&rows[2].versions, &late));
    manifest_free(manifest);
}

/* The joined document with one key of one row changed; NULL removes it. */
static struct manifest *changed(const char *table, const char *id, const char *key,
                                const char *value, struct error *error)
{
    AUTO_JSON json_t *document = json_load_file(TEST_BINARY_DIR "/gpuenv.manifest.json", 0, NULL);
    json_t *rows = json_object_get(json_object_get(document, "legacy"), table);
    json_t *row = NULL;
    for (size_t i = 0; i < json_array_size(rows) && row == NULL; i++) {
        json_t *candidate = json_array_get(rows, i);
        const char *name = json_string_value(json_object_get(candidate, "file"));
        if (name == NULL)
            name = json_string_value(json_object_get(candidate, "topic"));
        if (string_equal(name, id))
            row = candidate;
    }
    assert_non_null(row);
    if (value == NULL)
        json_object_del(row, key);
    else
        json_object_set_new(row, key, json_loads(value, JSON_DECODE_ANY, NULL));
    AUTO_TEXT struct text text = {0};
    json_append_text(document, &text);
    return manifest_load(text.data, text.size, "M", error);
}

#define RUNFILE "cuda_8.0.61_375.26_linux-run"
#define TGZ     "cudnn-10.2-linux-x64-v8.0.5.39.tgz"
#define TXZ     "cudnn-linux-x86_64-8.5.0.96_cuda11-archive.tar.xz"

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *table, *id, *key, *value, *why;
    } cases[] = {
        {"runfiles", RUNFILE, "version", "\"8.0.44\"", "a name with 8.0.44 in it"},
        {"runfiles", RUNFILE, "version", "\"8\"", "a row above legacy/cuda/8.0.44"},
        {"runfiles", "cuda_8.0.61_win10-exe", "kind", "\"patch\"",
         "a row above legacy/cuda/8.0.61"},
        {"runfiles", RUNFILE, "file", "\"../run\"", "a name without a directory"},
        {"runfiles", RUNFILE, "file", "\"8.0.61.run\"", "a path from / to /8.0.61.run"},
        {"runfiles", RUNFILE, "path", NULL, "found nothing"},
        {"runfiles", RUNFILE, "path", "\"http://x/" RUNFILE "\"", "a path from / to"},
        {"runfiles", RUNFILE, "host", "\"example.org\"", "one of \"developer.nvidia.com\""},
        {"runfiles", RUNFILE, "urls", "[\"file:///etc\"]", "addresses (URLs)"},
        {"runfiles", RUNFILE, "kind", "\"deb\"", "one of \"local\""},
        {"runfiles", RUNFILE, "platform", "\"linux\"", "one of \"linux-x86_64\""},
        {"runfiles", RUNFILE, "md5", "\"33e1bd980e91af4e55f3ef835c103f9b\"", "nothing, since"},
        {"runfiles", "cuda_9.2.148_win10", "md5", "\"efaf\"", "32 small hexadecimal digits"},
        {"runfiles", RUNFILE, "cuda", "\"8.0\"", "no such key"},
        {"archives", TGZ, "cuda", NULL, "found nothing"},
        {"archives", TGZ, "cuda", "\"12.0\"", "a row above"},
        {"archives", TGZ, "stage", "\"ga\"", "one of \"rc\""},
        {"archives", TGZ, "redistrib", "true", "one of \"yes\""},
        {"archives", TGZ, "redistrib", "\"yes\"", "a version whose redistrib file pin.rows has"},
        {"archives", TGZ, "sha256", "\"0\"", "64 small hexadecimal digits"},
        {"archives", TXZ, "path", NULL, "a path, since there is an address"},
        {"advice", "silent", "topic", "\"zeal\"", "a row above legacy/cuda/zeal"},
        {"advice", "silent", "versions", "\"10.1\"", "versions such as"},
        {"advice", "silent", "product", "\"nccl\"", "one of \"cuda\""},
        {"advice", "silent", "text", "\"\"", "a string that is not empty"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        AUTO_ERROR struct error error = {0};
        struct manifest *manifest =
            changed(cases[i].table, cases[i].id, cases[i].key, cases[i].value, &error);
        if (manifest != NULL)
            fail_msg("taken: %s %s %s", cases[i].table, cases[i].key, cases[i].value);
        if (strstr(error.why, cases[i].why) == NULL)
            fail_msg("%s: %s", error.where, error.why);
        AUTO_FREE char *where = mem_printf("M: legacy.%s[", cases[i].table);
        assert_true(string_starts(error.where, where));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),   cmocka_unit_test(test_runfiles),
        cmocka_unit_test(test_archives), cmocka_unit_test(test_disagreements),
        cmocka_unit_test(test_advice),   cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
