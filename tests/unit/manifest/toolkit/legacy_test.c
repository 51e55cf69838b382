/* SPDX-License-Identifier: MIT */
#include "manifest/asked.h"
#include "manifest/broken.h"

#include "manifest/manifest.h"
#include "manifest/reader/range.h"
#include "manifest/toolkit/legacy.h"
#include "manifest/toolkit/single.h"

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
    assert_true(count >= 280);
    size_t linux_files = 0;
    size_t linux_sha256 = 0;
    size_t md5 = 0;
    for (size_t i = 0; i < count; i++) {
        linux_files += string_starts(runfiles[i].platform, "linux");
        linux_sha256 += string_starts(runfiles[i].platform, "linux") && runfiles[i].sha256 != NULL;
        md5 += runfiles[i].md5 != NULL;
    }
    assert_true(linux_files >= 168);
    assert_true(linux_sha256 >= 167);
    assert_true(md5 >= 24);

    const struct manifest_archive *archives = manifest_archives(manifest, &count);
    assert_true(count >= 440);
    size_t listed = 0;
    size_t sha256 = 0;
    for (size_t i = 0; i < count; i++) {
        listed += string_equal(archives[i].redistrib, "yes");
        sha256 += archives[i].sha256 != NULL;
    }
    assert_true(listed >= 173);
    assert_true(sha256 >= 439);
    rows_of(manifest, &manifest_legacy_subject, "advice", &count);
    assert_true(count >= 10);
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
        {"7.0.5", "9.0.176", "linux-x86_64", "cudnn-9.0-linux-x64-v7.tgz"},
        {"6.0", "8.0.61", "linux-x86_64", "cudnn-8.0-linux-x64-v6.0.tgz"},
        {"3.0", "7.0", "linux-x86_64", "cudnn-7.0-linux-x64-v3.0-prod.tgz"},
        {"5.1", "7.5.18", "linux-x86_64", "cudnn-7.5-linux-x64-v5.1.tgz"},
        /* cudnn.pairs has the pair: NVIDIA's image for 7.5 installs the archive for 7.0. */
        {"3.0", "7.5.18", "linux-x86_64", "cudnn-7.0-linux-x64-v3.0-prod.tgz"},
        {"8.2.2", "11.2.2", "linux-x86_64", "cudnn-11.4-linux-x64-v8.2.2.26.tgz"},
        {"7.4.2", "9.0.176", "linux-x86_64", "cudnn-9.0-linux-x64-v7.4.2.24.tgz"},
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
    assert_null(archive(manifest, "3.0", "8.0", "linux-x86_64"));
    assert_null(archive(manifest, "7.6.5", "9.1", "linux-x86_64"));
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
    const struct manifest_advice *rows =
        rows_of(manifest, &manifest_legacy_subject, "advice", &count);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct version number = version(cases[i].version);
        size_t found = 0;
        for (size_t row = 0; row < count; row++)
            found += string_equal(rows[row].id, cases[i].id) &&
                     manifest_range_has(&rows[row].versions, &number) &&
                     strstr(rows[row].text, cases[i].part) != NULL;
        assert_int_equal(found, 1);
    }
    manifest_free(manifest);
}

#define RUNFILE "legacy.runfiles[file=cuda_8.0.61_375.26_linux-run]"
#define WINDOWS "legacy.runfiles[file=cuda_8.0.61_win10-exe]"
#define NETWORK "legacy.runfiles[file=cuda_8.0.61_win10_network-exe]"
#define TGZ     "legacy.archives[file=cudnn-10.2-linux-x64-v8.0.5.39.tgz]"
#define ADVICE  "legacy.advice[topic=silent]"

static void test_runfiles_are_refused(void **state)
{
    (void)state;
    static const struct broken cases[] = {
        {RUNFILE ".version", "\"8.0.44\"", RUNFILE ".file", "a name that contains 8.0.44"},
        {RUNFILE ".version", "\"8\"", NULL, "a row that sorts after legacy/cuda/8.0.44"},
        {WINDOWS ".kind", "\"patch\"", NETWORK ".version",
         "a row that sorts after legacy/cuda/8.0.61"},
        {RUNFILE ".file", "\"../run\"", NULL, "a name without a directory"},
        {RUNFILE ".file", "\"8.0.61.run\"", RUNFILE ".path",
         "a path that begins with / and ends with /8.0.61.run"},
        {RUNFILE ".path", NULL, NULL, "found nothing"},
        {RUNFILE ".path", "\"http://x/cuda_8.0.61_375.26_linux-run\"", NULL,
         "a path that begins with / and ends with"},
        {RUNFILE ".host", "\"example.org\"", NULL, "one of \"developer.nvidia.com\""},
        {RUNFILE ".urls", "[\"file:///etc\"]", NULL, "expected URLs"},
        {RUNFILE ".kind", "\"deb\"", NULL, "one of \"local\""},
        {RUNFILE ".platform", "\"linux\"", NULL, "one of \"linux-x86_64\""},
        {RUNFILE ".md5", "\"33e1bd980e91af4e55f3ef835c103f9b\"", NULL, "nothing, since there"},
        {"legacy.runfiles[file=cuda_9.2.148_win10].md5", "\"efaf\"", NULL, "32 lowercase hex"},
        {RUNFILE ".cuda", "\"8.0\"", NULL, "unknown key"},
    };
    REFUSE(cases);
}

static void test_archives_are_refused(void **state)
{
    (void)state;
    static const struct broken cases[] = {
        {TGZ ".cuda", NULL, NULL, "found nothing"},
        {TGZ ".stage", "\"ga\"", NULL, "one of \"rc\""},
        {TGZ ".redistrib", "true", NULL, "one of \"yes\""},
        {TGZ ".redistrib", "\"yes\"", TGZ ".version", "whose redistrib file pin.rows lists"},
        {TGZ ".sha256", "\"0\"", NULL, "64 lowercase hexadecimal digits"},
        {TGZ ".version", "\"8.0.4.30\"", NULL, "a row that sorts after legacy/cudnn/8.0.5.39"},
        {"legacy.archives[file=cudnn-linux-x86_64-8.5.0.96_cuda11-archive.tar.xz].path", NULL, NULL,
         "a path, since there is a URL"},
    };
    REFUSE(cases);
}

static void test_advice_is_refused(void **state)
{
    (void)state;
    static const struct broken cases[] = {
        {ADVICE ".topic", "\"again\"", ADVICE ".product",
         "a row that sorts after legacy/cuda/samples"},
        {ADVICE ".topic", "\"perl\"", ADVICE ".product", "found legacy/cuda/perl, which advice["},
        {ADVICE ".versions", "\"10.1\"", NULL, "versions such as"},
        {ADVICE ".product", "\"nccl\"", NULL, "one of \"cuda\""},
        {ADVICE ".text", "\"\"", NULL, "a non-empty string"},
    };
    REFUSE(cases);
}

static void test_layouts(void **state)
{
    (void)state;
    static const struct {
        const char *version, *component, *id, *nested;
    } cases[] = {
        {"7.5.18", "cuda_toolkit", "legacy/cuda/cuda_toolkit/7.0", "run_files/cuda-linux*.run"},
        {"10.0.130", "cuda_toolkit", "legacy/cuda/cuda_toolkit/7.0", "run_files/cuda-linux*.run"},
        {"10.1.105", "cuda_toolkit", "legacy/cuda/cuda_toolkit/10.1", NULL},
        {"10.2.89", "cuda_documentation", "legacy/cuda/cuda_documentation/10.1", NULL},
        {"11.4.1", "cuda_toolkit", "legacy/cuda/cuda_toolkit/11", NULL},
        {"9.0.176", "cuda_samples", "legacy/cuda/cuda_samples/7.0", "run_files/cuda-samples*.run"},
        {"13.0.0", "cuda_toolkit", NULL, NULL},
        {"6.5.14", "cuda_toolkit", NULL, NULL},
    };
    struct manifest *manifest = manifest_new();
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct version number = version(cases[i].version);
        const struct manifest_layout *found = NULL, *layout = NULL;
        while ((layout = manifest_single_layout(manifest, "cuda", &number, layout)) != NULL)
            if (string_equal(layout->component, cases[i].component)) {
                assert_null(found);
                found = layout;
            }
        assert_string_equal(found ? found->id : "", cases[i].id ? cases[i].id : "");
        if (found)
            assert_string_equal(found->nested ? found->nested : "",
                                cases[i].nested ? cases[i].nested : "");
    }
    manifest_free(manifest);
}

static void test_single(void **state)
{
    (void)state;
    struct manifest *manifest = manifest_new();
    struct manifest_single single;
    struct version number = version("9.0.176"), none = {.count = 0};
    assert_true(manifest_single_find(manifest, "cuda", &number, &none, "linux-x86_64", &single));
    assert_string_equal(single.file, "cuda_9.0.176_384.81_linux-run");
    assert_non_null(single.sha256);
    AUTO_FREE char *url = manifest_single_url(&single);
    assert_string_equal(url, "https://developer.nvidia.com/compute/cuda/9.0/Prod/local_installers/"
                             "cuda_9.0.176_384.81_linux-run");
    assert_true(manifest_single_find(manifest, "cuda", &number, &none, "linux-sbsa", &single));
    assert_null(single.file);
    assert_null(manifest_single_url(&single));
    number = version("9.0.177");
    assert_true(manifest_single_find(manifest, "cuda", &number, &none, "linux-x86_64", &single));
    assert_null(single.row);
    assert_false(
        manifest_single_find(manifest, "cutensor", &number, &none, "linux-x86_64", &single));
    manifest_free(manifest);
}

#define LAYOUT "legacy.layouts[component=cuda_samples]"

static void test_layouts_are_refused(void **state)
{
    (void)state;
    static const struct broken cases[] = {
        {LAYOUT ".versions", "\">=7.0\"", NULL, "a range with both ends"},
        {LAYOUT ".places", "[\"samples\"]", NULL, "FROM -> TO"},
        {LAYOUT ".places", "[\"a -> /etc\"]", NULL, "FROM -> TO"},
        {LAYOUT ".places", "[\"/a -> b\"]", NULL, "FROM -> TO"},
        {LAYOUT ".places", NULL, NULL, "found nothing"},
        {LAYOUT ".links", "[\"lib64\"]", NULL, "FROM -> TO"},
        {LAYOUT ".format", "\"deb\"", NULL, "one of \"runfile\""},
        {LAYOUT ".component", "\"cuda_a\"", LAYOUT ".versions",
         "a row that sorts after legacy/cuda/cuda_nvvp/11"},
    };
    REFUSE(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_runfiles),
        cmocka_unit_test(test_archives),
        cmocka_unit_test(test_disagreements),
        cmocka_unit_test(test_advice),
        cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_single),
        cmocka_unit_test(test_layouts_are_refused),
        cmocka_unit_test(test_runfiles_are_refused),
        cmocka_unit_test(test_archives_are_refused),
        cmocka_unit_test(test_advice_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
