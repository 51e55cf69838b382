/* SPDX-License-Identifier: MIT */
#include "manifest/asked.h"
#include "base/version.h"
#include "manifest/broken.h"
#include "manifest/toolkit/library.h"

/* library_sonames.csv has 92 rows, of which two name what is of a few minors each;
 * library_version_query.csv 24, pip_wheel_layout.csv 10, ml_library_releases.csv 8. */
static void test_counts(void **state)
{
    (void)state;
    AUTO_JSON json_t *json = joined_json();
    assert_true(joined_count(json, "library", "sonames") >= 95);
    assert_true(joined_count(json, "library", "versions") >= 24);
    assert_true(joined_count(json, "library", "wheels") >= 29);
    assert_true(joined_count(json, "library", "releases") >= 8);
    assert_true(joined_count(json, "library", "origins") >= 8);
}

/* Cells of those files, each under what names its row there. */
static void test_cells(void **state)
{
    (void)state;
    static const struct {
        const char *at, *value;
    } cases[] = {
        {"library.sonames[library=cudart,cuda=11].sonames", "[\"libcudart.so.11.0\"]"},
        {"library.sonames[library=cudart,cuda=13].sonames", "[\"libcudart.so.13\"]"},
        {"library.sonames[library=cufft,cuda=12].sonames", "[\"libcufft.so.11\"]"},
        {"library.sonames[library=curand,cuda=13].sonames", "[\"libcurand.so.10\"]"},
        {"library.sonames[library=cusolver,cuda=11.0].sonames", "[\"libcusolver.so.10\"]"},
        {"library.sonames[library=cusolver,cuda=11.1].sonames", "[\"libcusolver.so.11\"]"},
        {"library.sonames[library=cusparse,cuda=13].sonames", "[\"libcusparse.so.12\"]"},
        {"library.sonames[library=nvvm,cuda=11].confidence", "\"medium\""},
        {"library.sonames[library=cublas,cuda=10.1].cuda_last", "\"10.2\""},
        {"library.sonames[library=cublas,cuda=10.0].sonames", "[\"libcublas.so.10.0\"]"},
        {"library.sonames[library=TensorRT,confidence=low].sonames", "[\"libnvinfer.so.11\"]"},
        {"library.versions[function=cudaDriverGetVersion].example", "\"0, and success\""},
        {"library.versions[function=cudnnGetMaxDeviceVersion].example", "\"1210 is 12.1\""},
        {"library.versions[function=cublasGetVersion_v2].needs", "\"a handle, and so a GPU\""},
        {"library.versions[function=getInferLibVersion].confidence", "\"medium\""},
        {"library.wheels[directory=nvidia/cublas/lib].libraries",
         "[\"cublas\",\"cublasLt\",\"nvblas\"]"},
        {"library.wheels[cuda=13,package=nvidia-nccl-cu13].directory", "\"nvidia/nccl/lib\""},
        {"library.wheels[cuda=12,package=nvidia-cuda-nvcc-cu12].directory",
         "\"nvidia/cuda_nvcc/nvvm/lib64\""},
        {"library.wheels[cuda=13,package=nvidia-nvvm].directory", "\"nvidia/cu13/lib\""},
        {"library.releases[library=NCCL,release=2.31.2].date", "\"2026-08-11\""},
        {"library.releases[library=TensorRT,release=11.1.0].cuda", "[\"12.9\",\"13.3\"]"},
        {"library.releases[library=TensorRT,release=11.3.0].capability_min", "\"7.5\""},
    };
    AUTO_JSON json_t *json = joined_json();
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        assert_cell(json, cases[i].at, cases[i].value);
}

static void test_find(void **state)
{
    static const struct {
        const char *library, *cuda, *soname;
    } cases[] = {
        {"cudart", "12.4", "libcudart.so.12"},
        {"cudart", "10.2", "libcudart.so.10.2"},
        {"cudart", "11.8", "libcudart.so.11.0"},
        {"cusolver", "11.0", "libcusolver.so.10"},
        {"cusolver", "11.1", "libcusolver.so.11"},
        {"cusolver", "11", "libcusolver.so.11"},
        {"cublas", "10.2", "libcublas.so.10"},
        {"nvrtc", "11.8.0", "libnvrtc.so.11.2"},
        {"nvrtc", "11.1", "libnvrtc.so.11.1"},
        {"curand", "13.4", "libcurand.so.10"},
        {"NCCL", "12.4", "libnccl.so.2"},
        {"cudart", "99.0", NULL},
        {"cudart", "", NULL},
        {"nvvm", "11.8", NULL},
        {"TensorRT", "12.4", NULL},
        {"none", "12.4", NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct version cuda = version_of(cases[i].cuda);
        const char *soname = manifest_soname_find(*state, cases[i].library, &cuda);
        if (cases[i].soname == NULL)
            assert_null(soname);
        else
            assert_string_equal(soname, cases[i].soname);
    }
}

static void test_package(void **state)
{
    static const struct {
        const char *library;
        unsigned cuda;
        const char *package;
    } cases[] = {
        {"nvJitLink", 12, "nvidia-nvjitlink-cu12"},
        {"nvJitLink", 13, "nvidia-nvjitlink"},
        {"nvJitLink", 11, NULL},
        {"nvrtc", 11, "nvidia-cuda-nvrtc-cu11"},
        {"nvvm", 12, "nvidia-cuda-nvcc-cu12"},
        {"nvvm", 13, "nvidia-nvvm"},
        {"cublasLt", 13, "nvidia-cublas"},
        {"curand", 13, NULL},
        {"nvvm", 99, NULL},
        {"none", 12, NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const char *package = manifest_library_package(*state, cases[i].library, cases[i].cuda);
        if (cases[i].package == NULL)
            assert_null(package);
        else
            assert_string_equal(package, cases[i].package);
    }
}

static void test_cuda_of_soname(void **state)
{
    struct version cuda;
    assert_true(manifest_soname_cuda(*state, "cudart", "libcudart.so.11.0", &cuda));
    assert_version(&cuda, "11");
    assert_true(manifest_soname_cuda(*state, "cudart", "libcudart.so.10.1", &cuda));
    assert_version(&cuda, "10.1");
    assert_false(manifest_soname_cuda(*state, "curand", "libcurand.so.10", &cuda));
    assert_false(manifest_soname_cuda(*state, "cudart", "libcudart.so.99", &cuda));
}

static void test_origin(void **state)
{
    static const struct {
        const char *library, *version, *cuda;
    } cases[] = {
        {"cusparse", "12.0.2", "12.1"},     {"cusparse", "12.3.1.170", "12.4"},
        {"cusparse", "12.5.4.2", "12.6"},   {"cusparse", "12.5.8.93", "12.8"},
        {"cusparse", "12.5.10.65", "12.9"}, {"cusparse", "12.0.0.76", NULL},
        {"cusparse", "11.7.5.86", NULL},    {"cublas", "12.4.5.8", NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct version cuda, version = version_of(cases[i].version);
        bool found = manifest_library_origin(*state, cases[i].library, &version, &cuda);
        assert_int_equal(found, cases[i].cuda != NULL);
        if (found)
            assert_version(&cuda, cases[i].cuda);
    }
}

#define ORIGIN   "library.origins[library=cusparse,cuda=12.4]"
#define CUBLAS   "library.sonames[library=cublas,cuda=10.1]"
#define CUDART   "library.sonames[library=cudart,cuda=12]"
#define TENSORRT "library.releases[library=TensorRT,release=11.1.0]"

static void test_refused(void **state)
{
    (void)state;
    static const struct broken cases[] = {
        {CUDART ".cuda", "\"12.8.1\"", NULL, "one or two numbers"},
        {"library.sonames[library=cudart,cuda=13].cuda", "\"14\"", NULL, "that cuda.rows lists"},
        {CUDART ".cuda", "\"10.2\"", CUDART ".library", "a unique row"},
        {CUDART ".cuda", "\"9\"", NULL, "after library/cudart-11"},
        {CUDART ".release", "[\"7\"]", NULL, "none together with cuda"},
        {CUDART ".cuda_last", "\"13\"", NULL, "a later minor"},
        {CUDART ".sonames", NULL, NULL, "a list of"},
        {CUDART ".sonames", "[\"cudart.so.12\"]", NULL, "libcudart.so.13, found cudart.so.12"},
        {CUDART ".sonames", "[\"libcudart.so\"]", NULL, "sonames"},
        {CUBLAS ".cuda_last", "\"10.1\"", NULL, "a later minor"},
        {CUBLAS ".cuda_last", "\"11.0\"", NULL, "a later minor"},
        {CUBLAS ".cuda_last", "\"10.3\"", NULL, "that cuda.rows lists"},
        {"library.versions[function=nvrtcVersion].library", "\"nvrtc\"", NULL, "libcudart"},
        {"library.versions[function=nvrtcVersion].needs", NULL, NULL, "a non-empty string"},
        {"library.versions[function=nvrtcVersion].function", "\"nvvmVersion\"",
         "library.versions[function=nvvmVersion].function", "a unique row"},
        {"library.wheels[package=nvidia-nvvm].directory", "\"/nvidia/nccl\"", NULL,
         "below nvidia/"},
        {"library.wheels[package=nvidia-nvvm].directory", "\"nvidia/../..\"", NULL, "below nvidia"},
        {"library.wheels[package=nvidia-nvvm].package", "\"nvidia-nvvm==13.0\"", NULL,
         "expected nvidia-nvvm-13-0"},
        {"library.wheels[package=nvidia-nvvm].cuda", "12",
         "library.wheels[package=nvidia-nvvm].libraries", "library/wheel-nvvm-12"},
        {"library.wheels[package=nvidia-nvjitlink].cuda", "11", NULL,
         "after library/wheel-nvrtc-13"},
        {"library.wheels[package=nvidia-nccl-cu13].cuda", "14", NULL, "that cuda.rows lists"},
        {"library.wheels[package=nvidia-nccl-cu11].package", NULL,
         "library.wheels[package=nvidia-nccl-cu11]", "directory, package or both"},
        {ORIGIN ".cuda", "\"12\"", NULL, "two numbers"},
        {"library.origins[library=cusparse,cuda=12.9].cuda", "\"12.10\"", NULL,
         "that cuda.rows lists, found 12.10"},
        {ORIGIN ".cuda", "\"12.0\"", NULL, "after library/cusparse-of-12.3"},
        {ORIGIN ".version", "\"12.1.3\"", NULL, "more than in library/cusparse-of-12.3"},
        {ORIGIN ".version", NULL, NULL, "a version"},
        {ORIGIN ".library", "\"libcusparse.so\"", NULL, "expected libcusparse-so"},
        {TENSORRT ".release", "\"latest\"", NULL, "a number"},
        {TENSORRT ".cuda", "[\"12.7\"]", NULL, "that cuda.rows lists, found 12.7"},
        {TENSORRT ".cuda", "[\"cu129\"]", NULL, "such as 12.8, found cu129"},
        {TENSORRT ".capability_min", "\"7.6\"", NULL, "capability.rows lists, found 7.6"},
    };
    REFUSE(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_cells),
        cmocka_unit_test(test_refused),
        cmocka_unit_test_setup_teardown(test_find, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cuda_of_soname, setup, teardown),
        cmocka_unit_test_setup_teardown(test_origin, setup, teardown),
        cmocka_unit_test_setup_teardown(test_package, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
