/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <unistd.h>

#include "install/plan/plan.h"

#include "install/catalog_text.h"
#include "manifest/manifest.h"

#define X86(component) "'linux-x86_64': <" component "/linux-x86_64/a.tar.xz "
static const char release[] =
    "{'release_label': '13.3.0', 'release_product': 'cuda',"
    " 'cuda_nvcc': {'name': 'NVCC', 'license': 'CUDA Toolkit', 'version': '13.3.33',"
    "   'license_path': 'cuda_nvcc/LICENSE.txt', " X86(
        "cuda_nvcc") "100>},"
                     " 'cuda_cudart': {'name': 'cudart', 'license': 'CUDA Toolkit', " X86(
                         "cuda_cudart") "20>},"
                                        " 'cccl': {'name': 'CCCL', 'license': 'CCCL EULA', " X86(
                                            "cccl") "3>},"
                                                    " 'libcublas': {'name': 'cuBLAS', 'license': "
                                                    "'CUDA Toolkit', " X86(
                                                        "libcublas") "4000>},"
                                                                     " 'nvidia_driver': {'name': "
                                                                     "'Driver', " X86(
                                                                         "nvidia_driver") "70000>},"
                                                                                          " 'brand_"
                                                                                          "new': "
                                                                                          "{'name':"
                                                                                          " 'New',"
                                                                                          " " X86(
                                                                                              "bran"
                                                                                              "d_"
                                                                                              "new") "9>},"
                                                                                                     " 'libcudla': {'name': 'cuDLA', 'linux-aarch64': <libcudla/linux-aarch64/q 8>},"
                                                                                                     " 'cuda_gdb': {'linux-x86_64': {'relative_path': 'cuda_gdb/linux-x86_64/g', 'sha256': ''}}}";

struct plan_case {
    struct manifest *manifest;
    struct catalog catalog;
    struct request request;
    struct request_product product;
    struct plan plan;
    struct error error;
};

static void begin(struct plan_case *it, const char *text, enum extent extent)
{
    *it = (struct plan_case){.manifest = manifest_new()};
    it->request.platform = mem_string("linux-x86_64");
    it->request.prefix = mem_string("/opt/cuda-13.3");
    it->request.extent = extent;
    it->product = (struct request_product){.spec = (char *)(uintptr_t) "cuda@13.3.0",
                                           .product = (char *)(uintptr_t) "cuda"};
    assert_true(version_parse("13.3.0", &it->product.version));
    AUTO_FREE char *json = catalog_text(text);
    if (!catalog_parse(json, strlen(json), "R", &it->catalog, &it->error))
        fail_msg("%s: %s", it->error.where, it->error.why);
}

static bool add(struct plan_case *it)
{
    return plan_add(&it->plan, &it->catalog, &it->request, &it->product, it->manifest, &it->error);
}

static void end(struct plan_case *it)
{
    plan_free(&it->plan);
    catalog_free(&it->catalog);
    request_free(&it->request);
    error_clear(&it->error);
    manifest_free(it->manifest);
}

static char *names(const struct plan *plan)
{
    AUTO_STRLIST struct strlist list = {0};
    for (size_t i = 0; i < plan->item_count; i++)
        strlist_add(&list, plan->items[i].component);
    strlist_sort(&list);
    return strlist_join(&list, " ");
}

static const char *why_out(const struct plan *plan, const char *component)
{
    for (size_t i = 0; i < plan->excluded_count; i++)
        if (string_equal(plan->excluded[i].component, component))
            return plan->excluded[i].reason;
    return NULL;
}

static void test_build(void **state)
{
    (void)state;
    struct plan_case it;
    begin(&it, release, EXTENT_BUILD);
    assert_true(add(&it));
    AUTO_FREE char *got = names(&it.plan);
    assert_string_equal(got, "cccl cuda_cudart cuda_nvcc");
    assert_string_equal(it.plan.items[0].path,
                        "compute/cuda/redist/cuda_nvcc/linux-x86_64/a.tar.xz");
    assert_string_equal(it.plan.items[0].licence_path, "compute/cuda/redist/cuda_nvcc/LICENSE.txt");
    assert_string_equal(why_out(&it.plan, "nvidia_driver"), "driver");
    assert_string_equal(why_out(&it.plan, "libcublas"), "not in profile build");
    assert_string_equal(why_out(&it.plan, "brand_new"), "not known to this gpuenv");
    assert_int_equal(it.plan.licences.count, 2);
    assert_int_equal(it.plan.saved, 4000 + 70000 + 9);
    plan_sum(&it.plan, NULL, NULL);
    assert_int_equal(it.plan.download, 123);
    assert_true(it.plan.items[0].estimated);
    assert_true(it.plan.unpacked >= 123);
    end(&it);
}

/* The old name of a renamed component, one more, one less, a driver component by its name. */
static void test_wishes(void **state)
{
    (void)state;
    struct plan_case it;
    begin(&it, release, EXTENT_BUILD);
    strlist_add(&it.request.components, "-cuda_cccl");
    strlist_add(&it.request.components, "libcublas");
    strlist_add(&it.request.components, "+nvidia_driver");
    assert_true(add(&it));
    AUTO_FREE char *got = names(&it.plan);
    assert_string_equal(got, "cuda_cudart cuda_nvcc libcublas nvidia_driver");
    assert_string_equal(why_out(&it.plan, "cccl"), "left out by --component");
    assert_true(plan_components_known(&it.plan, &it.request, &it.error));
    strlist_add(&it.request.components, "nvcc");
    assert_false(plan_components_known(&it.plan, &it.request, &it.error));
    assert_int_equal(it.error.kind, ERROR_USAGE);
    assert_non_null(strstr(it.error.what, "\"nvcc\""));
    end(&it);
}

static void test_an_entry_without_a_digest_is_never_installed(void **state)
{
    (void)state;
    struct plan_case it;
    begin(&it, release, EXTENT_FULL);
    assert_false(add(&it));
    assert_int_equal(it.error.kind, ERROR_DATA);
    assert_non_null(strstr(it.error.where, "cuda_gdb.linux-x86_64"));
    assert_non_null(strstr(it.error.why, "sha256"));
    end(&it);
    begin(&it, release, EXTENT_FULL);
    strlist_add(&it.request.components, "-cuda_gdb");
    assert_true(add(&it));
    assert_string_equal(why_out(&it.plan, "libcudla"), "not for linux-x86_64");
    end(&it);
}

static void test_nothing_fits(void **state)
{
    (void)state;
    struct plan_case it;
    begin(&it, release, EXTENT_BUILD);
    free(it.request.platform);
    it.request.platform = mem_string("linux-ppc64le");
    assert_false(add(&it));
    assert_int_equal(it.error.kind, ERROR_UNSATISFIABLE);
    end(&it);

    begin(&it, "{'cuda_nvcc': {" X86("cuda_nvcc") "1>}}", EXTENT_BUILD);
    assert_false(add(&it));
    assert_int_equal(it.error.kind, ERROR_UNSATISFIABLE);
    assert_non_null(strstr(it.error.what, "has no cuda_cudart"));
    end(&it);

    begin(&it, release, EXTENT_BUILD);
    strlist_add(&it.request.components, "libcudla");
    assert_false(add(&it));
    assert_int_equal(it.error.kind, ERROR_UNSATISFIABLE);
    assert_non_null(strstr(it.error.what, "libcudla is not available for linux-x86_64"));
    end(&it);
}

static void test_space(void **state)
{
    (void)state;
    struct plan_case it;
    begin(&it, release, EXTENT_BUILD);
    assert_true(add(&it));
    plan_sum(&it.plan, NULL, NULL);
    assert_true(plan_fits(&it.plan, &it.request, &it.error)); /* free is not known */
    it.plan.knows_free_prefix = it.plan.knows_free_cache = true;
    assert_false(plan_fits(&it.plan, &it.request, &it.error)); /* there is nothing free */
    error_clear(&it.error);
    it.plan.free_prefix = it.plan.staging;
    it.plan.free_cache = it.plan.download;
    assert_true(plan_fits(&it.plan, &it.request, &it.error));
    it.plan.one_file_system = true;
    assert_false(plan_fits(&it.plan, &it.request, &it.error));
    assert_int_equal(it.error.kind, ERROR_CANNOT_WRITE);
    it.plan.one_file_system = false;
    it.plan.free_prefix--;
    assert_false(plan_fits(&it.plan, &it.request, &it.error));
    assert_string_equal(it.error.where, "/opt/cuda-13.3");
    it.plan.free_prefix++;
    it.plan.free_cache--;
    assert_false(plan_fits(&it.plan, &it.request, &it.error));
    end(&it);
}

static void test_sizes_do_not_wrap(void **state)
{
    (void)state;
    struct plan_case it;
    begin(&it,
          "{'cuda_nvcc': {" X86(
              "cuda_nvcc") "9223372036854775807>},"
                           " 'cuda_cudart': {" X86(
                               "cuda_cudart") "9223372036854775807>},"
                                              " 'cccl': {" X86("cccl") "9223372036854775807>}}",
          EXTENT_BUILD);
    assert_true(add(&it));
    plan_sum(&it.plan, NULL, NULL);
    assert_true(it.plan.download == UINT64_MAX);
    it.plan.knows_free_prefix = true;
    it.plan.free_prefix = UINT64_MAX - 1;
    assert_false(plan_fits(&it.plan, &it.request, &it.error));
    end(&it);
}

static void test_what_an_extent_keeps(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        bool runtime;
    } cases[] = {
        {"lib/libcudart.so.12", true},
        {"lib/libcudart.so", true},
        {"lib/libcudart_static.a", false},
        {"lib/stubs/libcuda.so", false},
        {"include/cuda.h", false},
        {"bin/nvcc", false},
        {"LICENSE", true},
        {"nvvm/lib64/libnvvm.so.4", true},
        {"lib/libfoo.sofa", false},
        {"lib/python.so", false},
        {"pkg-config/cudart-12.pc", false},
        {"lib/11/libcutensor.so.1", true},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        assert_int_equal(plan_keeps(EXTENT_RUNTIME, cases[i].path, false), cases[i].runtime);
        assert_true(plan_keeps(EXTENT_FULL, cases[i].path, false));
    }
    assert_false(plan_keeps(EXTENT_RUNTIME, "include", true));
    assert_true(plan_keeps(EXTENT_BUILD, "include", true));
}

/* Counted by hand from the published files: names chosen from the tables of
 * ../shared/redist/README.md and the extents' definition, sizes added up. */
static const struct {
    const char *product, *version, *platform, *cuda;
    enum extent extent;
    const char *components;
    uint64_t bytes;
} published[] = {
    {"cuda", "11.4.4", "linux-x86_64", NULL, EXTENT_BUILD,
     "cuda_cccl cuda_cudart cuda_nvcc cuda_nvtx", 37759864},
    {"cuda", "11.8.0", "linux-x86_64", NULL, EXTENT_FULL,
     "cuda_cccl cuda_cudart cuda_cuobjdump cuda_cupti cuda_cuxxfilt cuda_gdb cuda_memcheck "
     "cuda_nvcc cuda_nvdisasm cuda_nvml_dev cuda_nvprune cuda_nvrtc cuda_nvtx cuda_profiler_api "
     "cuda_sanitizer_api libcublas libcufft libcufile libcurand libcusolver libcusparse libnpp "
     "libnvjpeg",
     1630457124},
    {"cuda", "12.4.1", "linux-ppc64le", NULL, EXTENT_BUILD,
     "cuda_cccl cuda_cudart cuda_nvcc cuda_nvtx cuda_profiler_api", 48249372},
    {"cuda", "12.8.2", "linux-x86_64", NULL, EXTENT_RUNTIME,
     "cuda_cudart cuda_cupti cuda_nvrtc cuda_nvtx libcublas libcufft libcufile libcurand "
     "libcusolver libcusparse libnpp libnvfatbin libnvjitlink libnvjpeg",
     2553520732},
    {"cuda", "12.9.2", "linux-sbsa", NULL, EXTENT_RUNTIME,
     "cuda_cudart cuda_cupti cuda_nvrtc cuda_nvtx libcublas libcufft libcufile libcurand "
     "libcusolver libcusparse libnpp libnvfatbin libnvjitlink libnvjpeg",
     2721638048},
    {"cuda", "12.6.3", "linux-aarch64", NULL, EXTENT_RUNTIME,
     "cuda_cudart cuda_cupti cuda_nvrtc cuda_nvtx libcublas libcudla libcufft libcufile libcurand "
     "libcusolver libcusparse libnpp libnvfatbin libnvjitlink libnvjpeg",
     1485815808},
    {"cuda", "13.0.3", "linux-x86_64", NULL, EXTENT_BUILD,
     "cuda_cccl cuda_crt cuda_cudart cuda_culibos cuda_nvcc cuda_nvtx cuda_profiler_api "
     "libnvptxcompiler libnvvm",
     86774444},
    {"cuda", "13.4.2", "linux-sbsa", NULL, EXTENT_BUILD,
     "cccl cuda_crt cuda_cudart cuda_culibos cuda_nvcc cuda_nvtx cuda_profiler_api "
     "libnvptxcompiler libnvvm",
     86967824},
    {"cudnn", "9.10.2", "linux-x86_64", "12", EXTENT_FULL, "cudnn cudnn_jit", 1013708920},
    {"cudnn", "8.9.7", "linux-x86_64", "11", EXTENT_RUNTIME, "cudnn", 860967256},
    {"cudnn", "9.27.0", "linux-sbsa", "13", EXTENT_FULL, "cudnn cudnn_jit", 1126958336},
    {"cutensor", "2.0.0", "linux-x86_64", NULL, EXTENT_FULL, "libcutensor", 524438184},
    {"nvpl", "25.5", "linux-sbsa", NULL, EXTENT_FULL,
     "nvpl_blas nvpl_common nvpl_fft nvpl_lapack nvpl_rand nvpl_scalapack nvpl_sparse nvpl_tensor",
     72107940},
};

static void check_published(size_t index)
{
    const char *directory = TEST_SOURCE_DIR "/../shared/redist";
    AUTO_FREE char *path = mem_printf("%s/%s/redistrib_%s.json", directory,
                                      published[index].product, published[index].version);
    AUTO_FREE char *text = mem_alloc(CATALOG_MAX);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t size = fread(text, 1, CATALOG_MAX - 1, file);
    fclose(file);
    struct plan_case it;
    begin(&it, text, published[index].extent);
    assert_true(size > 0);
    free(it.request.platform);
    it.request.platform = mem_string(published[index].platform);
    it.product.product = (char *)(uintptr_t)published[index].product;
    assert_true(version_parse(published[index].version, &it.product.version));
    if (published[index].cuda)
        assert_true(version_parse(published[index].cuda, &it.product.cuda));
    if (!add(&it))
        fail_msg("%s: %s", path, it.error.what);
    AUTO_FREE char *got = names(&it.plan);
    assert_string_equal(got, published[index].components);
    plan_sum(&it.plan, NULL, NULL);
    assert_int_equal(it.plan.download, published[index].bytes);
    end(&it);
}

static void test_published(void **state)
{
    (void)state;
    if (access(TEST_SOURCE_DIR "/../shared/redist", R_OK) != 0) {
        print_message("no ../shared/redist: the published files are not planned\n");
        skip();
    }
    for (size_t i = 0; i < sizeof(published) / sizeof(*published); i++)
        check_published(i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_build),
        cmocka_unit_test(test_wishes),
        cmocka_unit_test(test_an_entry_without_a_digest_is_never_installed),
        cmocka_unit_test(test_nothing_fits),
        cmocka_unit_test(test_space),
        cmocka_unit_test(test_sizes_do_not_wrap),
        cmocka_unit_test(test_what_an_extent_keeps),
        cmocka_unit_test(test_published),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
