/* SPDX-License-Identifier: MIT */
/* What lies beside each other in one environment: wheels of two releases, riders of another CUDA.
 */
#include "rules/engine/finding.h"
#include "rules/world_framework.h"

#define WRONG     "cuda_libs_wrong_version"
#define NVRTC     "nvrtc_missing_or_stub"
#define TOO_OLD   "gpu_too_old_for_framework"
#define LIBDEVICE "libdevice_missing"
#define SHADOW    "ld_library_path_shadows_wheel_libs"
#define NVRTC_DIR SITE "/nvidia/cuda_nvrtc/lib"

static void world_wheel(struct facts *facts, unsigned n, const char *name, const char *version)
{
    AUTO_FREE char *group = mem_printf("wheel/%u", n);
    facts_set_string(facts, group, "name", name, SITE);
    facts_set_string(facts, group, "version", version, SITE);
    facts_set_string(facts, group, "origin", "wheel", SITE);
    facts_set_string(facts, group, "environment", VENV, SITE);
    facts_set_string(facts, group, "python", "python/0", SITE);
}

static void set_one(struct facts *facts, const char *group, const char *name, const char *text)
{
    AUTO_STRLIST struct strlist list = {0};
    strlist_add(&list, text);
    facts_set_list(facts, group, name, &list, SITE);
}

static void test_jitlink_left_behind(void **state)
{
    (void)state;
    struct facts *facts = world_with_torch();
    world_wheel(facts, 0, "nvidia-cusparse-cu12", "12.5.10.65");
    world_wheel(facts, 1, "nvidia-nvjitlink-cu12", "12.4.127");
    assert_check(facts, PURPOSE_RUN, WRONG, CHECK_PASS, NULL); /* all of it may be of 12.4 */
    world_wheel(facts, 2, "nvidia-cuda-runtime-cu12", "12.9.79");
    assert_found(facts, PURPOSE_RUN, WRONG, SEVERITY_FAIL, "belongs to CUDA 12.9");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, WRONG), "install 'nvidia-nvjitlink-cu12>=12.9,<13'");
    judgement_free(judgement);
    world_wheel(facts, 1, "nvidia-nvjitlink-cu12", "12.9.86");
    assert_check(facts, PURPOSE_RUN, WRONG, CHECK_PASS, NULL);
    world_wheel(facts, 0, "nvidia-cusparse-cu12", "12.3.1.170"); /* older beside newer is healthy */
    assert_check(facts, PURPOSE_RUN, WRONG, CHECK_PASS, NULL);
    world_wheel(facts, 0, "nvidia-cusparse-cu12", "12.5.10.65");
    world_wheel(facts, 1, "nvidia-nvjitlink-cu12", "12.4.127");
    set_one(facts, "framework/0", "wanted", "nvidia-nvjitlink-cu12==12.4.127");
    assert_check(facts, PURPOSE_RUN, WRONG, CHECK_PASS, NULL); /* the pin decides */
    facts_free(facts);
}

static void test_older_than_pinned(void **state)
{
    (void)state;
    struct facts *facts = world_with_torch();
    set_one(facts, "framework/0", "missing", "nvidia-nccl-cu12==2.19.3: 2.18.1 is");
    assert_found(facts, PURPOSE_RUN, WRONG, SEVERITY_FAIL, "2.18.1 is installed");
    set_one(facts, "framework/0", "missing", "nvidia-nccl-cu12==2.19.3: 2.21.5 is");
    assert_check(facts, PURPOSE_RUN, WRONG, CHECK_PASS, NULL);
    set_one(facts, "framework/0", "missing", "nvidia-cublas-cu12==12.4.5.8: 12.3.4.1 is");
    assert_check(facts, PURPOSE_RUN, WRONG, CHECK_PASS, NULL);
    facts_free(facts);
}

static void add_rider(struct facts *facts, const char *version, const char *cuda)
{
    facts_set_string(facts, "framework/1", "name", "torchvision", SITE);
    facts_set_string(facts, "framework/1", "package", "torchvision", SITE);
    facts_set_string(facts, "framework/1", "version", version, SITE);
    facts_set_string(facts, "framework/1", "environment", VENV, SITE);
    facts_set_boolean(facts, "framework/1", "active", true, SITE);
    facts_set_string(facts, "framework/1", "cuda", cuda, SITE);
}

static void test_rider(void **state)
{
    (void)state;
    struct facts *facts = world_with_torch();
    add_rider(facts, "0.20.1+cu118", "11.8");
    assert_found(facts, PURPOSE_RUN, WRONG, SEVERITY_FAIL, "is built for CUDA 11.8");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, WRONG), "torchvision==0.20.1 --index-url ");
    assert_fix(found(judgement, WRONG), "/cu124");
    judgement_free(judgement);
    add_rider(facts, "0.20.1+cu121", "12.1"); /* of one major */
    assert_check(facts, PURPOSE_RUN, WRONG, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_nvrtc_without_builtins(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("550.90.07");
    world_framework(facts, "cupy", "cupy-cuda12x", "14.0.0", "12");
    world_load(facts, 0, "nvrtc", "libnvrtc.so.12", NVRTC_DIR "/libnvrtc.so.12", "path");
    world_wheel(facts, 0, "nvidia-cuda-nvrtc-cu12", "12.4.127");
    facts_set_string(facts, "wheel/0", "directory", NVRTC_DIR, SITE);
    assert_check(facts, PURPOSE_RUN, NVRTC, CHECK_PASS, NULL);
    set_one(facts, "wheel/0", "broken", "missing: nvidia/cuda_nvrtc/lib/libnvrtc-builtins.so.12.4");
    assert_found(facts, PURPOSE_RUN, NVRTC, SEVERITY_FAIL, "libnvrtc-builtins.so.12.4 is missing");
    facts_set_string(facts, "wheel/0", "directory", "/opt/other/lib", SITE); /* of another copy */
    assert_check(facts, PURPOSE_RUN, NVRTC, CHECK_PASS, NULL);
    facts_free(facts);
}

/* NVRTC is one of the libraries that are lacking; CuPy opens it alone at its start. */
static void test_nvrtc_among_others(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("535.183.01");
    world_framework(facts, "mxnet", "mxnet-cu102", "1.9.1", "10.2");
    world_load(facts, 0, "nvrtc", "libnvrtc.so.10.2", NULL, NULL);
    assert_found(facts, PURPOSE_RUN, NVRTC, SEVERITY_FAIL, "libnvrtc.so.10.2");
    world_load(facts, 1, "cudart", "libcudart.so.10.2", NULL, NULL);
    assert_found(facts, PURPOSE_RUN, NVRTC, SEVERITY_FAIL, "libnvrtc.so.10.2");
    world_library(facts, "cudart", "/opt/c/libcudart.so.12.2.140", "libcudart.so.12", "12.2.140",
                  "system");
    assert_check(facts, PURPOSE_RUN, NVRTC, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_nvrtc_has_dropped_the_gpu(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    world_framework(facts, "cupy", "cupy-cuda13x", "13.6.0", "13");
    world_load(facts, 0, "nvrtc", "libnvrtc.so.13", NVRTC_DIR "/libnvrtc.so.13", "path");
    world_load_versions(facts, 0, "13.0.48", NULL, NULL);
    facts_set_string(facts, "assumed/0", "capability", "6.1", "--assume-gpu");
    assert_found(facts, PURPOSE_RUN, TOO_OLD, SEVERITY_FAIL, "no longer generates code");
    world_load_versions(facts, 0, "12.9.86", NULL, NULL);
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_int_equal(found_count(judgement, TOO_OLD), 0);
    judgement_free(judgement);
    facts_free(facts);
}

/* Its file is numbered by years: the toolkit that it lies in tells. */
static void test_cupti(void **state)
{
    (void)state;
    struct facts *facts = world_with_torch();
    facts_set_string(facts, "environment", "LD_LIBRARY_PATH", "/usr/local/cuda-12.1/extras", "env");
    world_load(facts, 0, "cupti", "libcupti.so.12", "/usr/local/cuda-12.1/extras/libcupti.so.12",
               "LD_LIBRARY_PATH: /usr/local/cuda-12.1/extras");
    facts_set_string(facts, "framework_library/0", "how", "needed", "probe");
    world_load_versions(facts, 0, "2023.1.1", SITE "/nvidia/cuda_cupti/lib/libcupti.so.12",
                        "12.4.127");
    assert_check(facts, PURPOSE_RUN, SHADOW, CHECK_PASS, NULL);
    facts_set_integer(facts, "toolkit", "count", 1, "probe");
    facts_set_string(facts, "toolkit/0", "path", "/usr/local/cuda-12.1", "probe");
    facts_set_string(facts, "toolkit/0", "version", "12.1.1", "probe");
    assert_found(facts, PURPOSE_RUN, SHADOW, SEVERITY_FAIL, "of CUDA 12.1.1");
    facts_set_string(facts, "toolkit/0", "version", "12.6.0", "probe");
    assert_check(facts, PURPOSE_RUN, SHADOW, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_numba(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("550.90.07");
    world_framework(facts, "numba-cuda", "numba-cuda", "0.15.1", NULL);
    facts_set_string(facts, "framework/0", "accelerator", "cuda", SITE);
    assert_found(facts, PURPOSE_RUN, LIBDEVICE, SEVERITY_FAIL, "libNVVM");
    world_wheel(facts, 0, "nvidia-cuda-nvcc-cu12", "12.4.131");
    assert_check(facts, PURPOSE_RUN, LIBDEVICE, CHECK_PASS, NULL);
    facts_free(facts);
}

static void assert_fix_says(const struct facts *facts, const char *cause, const char *words)
{
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, cause), words);
    judgement_free(judgement);
}

/* The wheel that brings a library has another name for each CUDA. */
static void test_wheel_of_its_cuda(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    world_framework(facts, "jax", "jax-cuda12-plugin", "0.7.0", "12");
    assert_fix_says(facts, LIBDEVICE, "install nvidia-cuda-nvcc-cu12");
    world_framework(facts, "jax", "jax-cuda13-plugin", "0.9.0", "13.0");
    assert_fix_says(facts, LIBDEVICE, "install nvidia-nvvm");
    world_framework(facts, "jax", "jax-cuda14-plugin", "0.19.0", "14");
    assert_fix_says(facts, LIBDEVICE, "the wheel that includes the file, for the framework's CUDA");
    world_framework(facts, "cupy", "cupy-cuda11x", "13.0.0", "11");
    world_load(facts, 0, "nvrtc", "libnvrtc.so.11.2", NULL, NULL);
    assert_fix_says(facts, NVRTC, "wheel nvidia-cuda-nvrtc-cu11, and");
    world_framework(facts, "cupy", "cupy-cuda14x", "19.0.0", "14");
    world_load(facts, 0, "nvrtc", "libnvrtc.so.14", NULL, NULL);
    assert_fix_says(facts, NVRTC, "wheel, and add the library's directory");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jitlink_left_behind),
        cmocka_unit_test(test_wheel_of_its_cuda),
        cmocka_unit_test(test_older_than_pinned),
        cmocka_unit_test(test_rider),
        cmocka_unit_test(test_nvrtc_without_builtins),
        cmocka_unit_test(test_nvrtc_among_others),
        cmocka_unit_test(test_nvrtc_has_dropped_the_gpu),
        cmocka_unit_test(test_cupti),
        cmocka_unit_test(test_numba),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
