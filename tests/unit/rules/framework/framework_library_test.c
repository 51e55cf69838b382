/* SPDX-License-Identifier: MIT */
#include "rules/engine/finding.h"
#include "rules/world_framework.h"

#define MISSING "cuda_libs_missing"
#define WRONG   "cuda_libs_wrong_version"
#define DEPENDS "cuda_libs_dependency_of_library"
#define NVRTC   "nvrtc_missing_or_stub"
#define JETSON  "jetson_libs_missing"
#define SHADOW  "ld_library_path_shadows_wheel_libs"
#define LIBS    "/usr/local/cuda-11.8/lib64"

static struct facts *with_tensorflow(void)
{
    struct facts *facts = world_with_driver("550.90.07");
    world_framework(facts, "tensorflow", "tensorflow", "2.15.1", "12.2");
    return facts;
}

static void test_missing(void **state)
{
    (void)state;
    struct facts *facts = with_tensorflow();
    assert_check(facts, PURPOSE_RUN, MISSING, CHECK_PASS, NULL);
    world_load(facts, 0, "cudart", "libcudart.so.12", NULL, NULL);
    world_load(facts, 1, "nccl", "libnccl.so.2", NULL, NULL);
    assert_found(facts, PURPOSE_RUN, MISSING, SEVERITY_FAIL, "libcudart.so.12");
    assert_found(facts, PURPOSE_BUILD, MISSING, SEVERITY_INFO, "libcudart.so.12");
    AUTO_STRLIST struct strlist optional = {0};
    strlist_add(&optional, "and-cuda: nvidia-cublas-cu12==12.3.4.1");
    facts_set_list(facts, "framework/0", "optional", &optional, SITE);
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, MISSING), "'tensorflow[and-cuda]==2.15.1'");
    assert_null(strstr(found(judgement, MISSING)->message, "nccl"));
    judgement_free(judgement);
    world_idle(facts);
    assert_found(facts, PURPOSE_RUN, MISSING, SEVERITY_INFO, "libcudart.so.12");
    world_load(facts, 0, "cudart", "libcudart.so.12", LIBS "/libcudart.so.12", "ld.so.cache");
    assert_check(facts, PURPOSE_RUN, MISSING, CHECK_PASS, NULL);
    facts_free(facts);
}

/* It is there, and the loader does not look. */
static void test_elsewhere(void **state)
{
    (void)state;
    struct facts *facts = with_tensorflow();
    world_load(facts, 0, "cudart", "libcudart.so.12", NULL, NULL);
    world_library(facts, "cudart", "/opt/c/libcudart.so.12.2.140", "libcudart.so.12", "12.2.140",
                  "system");
    assert_found(facts, PURPOSE_RUN, MISSING, SEVERITY_FAIL, "/opt/c/libcudart.so.12.2.140");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, MISSING), "LD_LIBRARY_PATH=/opt/c");
    judgement_free(judgement);
    facts_free(facts);
}

static void test_another_number(void **state)
{
    (void)state;
    struct facts *facts = with_tensorflow();
    world_load(facts, 0, "cublas", "libcublas.so.12", NULL, NULL);
    world_library(facts, "cublas", LIBS "/libcublas.so.11.11.3.6", "libcublas.so.11", "11.11.3.6",
                  "toolkit");
    assert_found(facts, PURPOSE_RUN, WRONG, SEVERITY_FAIL, "libcublas.so.11 11.11.3.6");
    assert_check(facts, PURPOSE_RUN, MISSING, CHECK_PASS, NULL);
    facts_free(facts);
}

/* A link gives one the name of the other. */
static void test_another_soname(void **state)
{
    (void)state;
    struct facts *facts = with_tensorflow();
    world_load(facts, 0, "cusparse", "libcusparse.so.11", LIBS "/libcusparse.so.12.0.2.55",
               "LD_LIBRARY_PATH: " LIBS);
    world_library(facts, "cusparse", LIBS "/libcusparse.so.12.0.2.55", "libcusparse.so.12",
                  "12.0.2.55", "toolkit");
    assert_found(facts, PURPOSE_RUN, WRONG, SEVERITY_FAIL, "libcusparse.so.12");
    facts_free(facts);
}

static void test_dependency(void **state)
{
    (void)state;
    struct facts *facts = with_tensorflow();
    world_load(facts, 0, "cusolver", "libcusolver.so.11", LIBS "/libcusolver.so.11", "ld.so.cache");
    world_load(facts, 1, "nvJitLink", "libnvJitLink.so.12", NULL, NULL);
    facts_set_string(facts, "framework_library/1", "by", LIBS "/libcusolver.so.11", "probe");
    assert_found(facts, PURPOSE_RUN, DEPENDS, SEVERITY_FAIL, "libnvJitLink.so.12");
    assert_check(facts, PURPOSE_RUN, MISSING, CHECK_PASS, NULL);
    world_load(facts, 2, "nvJitLink", "libnvJitLink.so.12", LIBS "/libnvJitLink.so.12", "RUNPATH");
    assert_check(facts, PURPOSE_RUN, DEPENDS, CHECK_PASS, NULL);
    facts_free(facts);
}

/* ONNX Runtime takes what torch has loaded. */
static void test_brought_by_another(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("550.90.07");
    world_framework(facts, "onnxruntime", "onnxruntime-gpu", "1.20.1", "12.6");
    world_load(facts, 0, "cublas", "libcublas.so.12", NULL, NULL);
    assert_found(facts, PURPOSE_RUN, MISSING, SEVERITY_FAIL, "libcublas.so.12");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, MISSING), "gpuenv install --for-framework onnxruntime@1.20 ");
    judgement_free(judgement);
    facts_set_string(facts, "framework/1", "name", "pytorch", SITE);
    facts_set_string(facts, "framework/1", "environment", VENV, SITE);
    facts_set_boolean(facts, "framework/1", "active", true, SITE);
    world_load(facts, 1, "cublas", "libcublas.so.12", SITE "/nvidia/libcublas.so.12", "RPATH");
    facts_set_string(facts, "framework_library/1", "framework", "framework/1", "probe");
    assert_found(facts, PURPOSE_RUN, MISSING, SEVERITY_INFO, "libcublas.so.12");
    facts_free(facts);
}

static void test_nvrtc(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("550.90.07");
    world_framework(facts, "cupy", "cupy-cuda11x", "12.3.0", "11");
    assert_check(facts, PURPOSE_RUN, NVRTC, CHECK_PASS, NULL);
    world_load(facts, 0, "nvrtc", "libnvrtc.so.11.2", NULL, NULL);
    world_load(facts, 1, "cublas", "libcublas.so.11", NULL, NULL);
    assert_found(facts, PURPOSE_RUN, NVRTC, SEVERITY_FAIL, "there is none");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_string_equal(found(judgement, MISSING)->caused_by, "LIB-005");
    judgement_free(judgement);
    world_library(facts, "nvrtc", "/opt/c/libnvrtc.so.12.0.140", "libnvrtc.so.12", "12.0.140",
                  "system");
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, NVRTC), "install cupy-cuda12x");
    judgement_free(judgement);
    world_load(facts, 0, "nvrtc", "libnvrtc.so.11.2", LIBS "/stubs/libnvrtc.so.11.2", "stubs");
    assert_found(facts, PURPOSE_RUN, NVRTC, SEVERITY_FAIL, "the stub of");
    facts_free(facts);
}

static void test_jetson(void **state)
{
    (void)state;
    struct facts *facts = with_tensorflow();
    assert_check(facts, PURPOSE_RUN, JETSON, CHECK_SKIP, "not a Jetson");
    facts_free(facts);
    facts = world_bare();
    world_jetson(facts, "32.6.1", "5.3");
    world_framework(facts, "pytorch", "torch", "1.10.0", "10.2");
    world_load(facts, 0, "curand", "libcurand.so.10", NULL, NULL);
    assert_found(facts, PURPOSE_RUN, JETSON, SEVERITY_FAIL, "part of JetPack");
    assert_check(facts, PURPOSE_RUN, MISSING, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_shadow(void **state)
{
    (void)state;
    struct facts *facts = world_with_torch();
    world_load(facts, 0, "nvJitLink", "libnvJitLink.so.12", LIBS "/libnvJitLink.so.12",
               "LD_LIBRARY_PATH: " LIBS);
    world_load_versions(facts, 0, "12.1.105", SITE "/nvidia/libnvJitLink.so.12", "12.4.127");
    assert_check(facts, PURPOSE_RUN, SHADOW, CHECK_SKIP, "is not set");
    facts_set_string(facts, "environment", "LD_LIBRARY_PATH", LIBS, "environment");
    assert_found(facts, PURPOSE_RUN, SHADOW, SEVERITY_FAIL, "12.1.105");
    world_idle(facts);
    assert_found(facts, PURPOSE_RUN, SHADOW, SEVERITY_INFO, "12.1.105");
    world_load_versions(facts, 0, "12.8.57", SITE "/nvidia/libnvJitLink.so.12", "12.4.127");
    assert_check(facts, PURPOSE_RUN, SHADOW, CHECK_PASS, NULL);
    facts_free(facts);
    facts = world_with_torch();
    facts_set_string(facts, "environment", "LD_LIBRARY_PATH", LIBS, "environment");
    world_load(facts, 0, "cublas", "libcublas.so.12", LIBS "/libcublas.so.12",
               "LD_LIBRARY_PATH: " LIBS);
    world_load_versions(facts, 0, "12.1.3.1", SITE "/nvidia/libcublas.so.12", "12.4.5.8");
    assert_found(facts, PURPOSE_RUN, SHADOW, SEVERITY_WARN, "libcublas.so.12");
    facts_set_string(facts, "framework_library/0", "how", "needed", "probe");
    assert_found(facts, PURPOSE_RUN, SHADOW, SEVERITY_FAIL, "libcublas.so.12");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_missing),        cmocka_unit_test(test_elsewhere),
        cmocka_unit_test(test_another_number), cmocka_unit_test(test_another_soname),
        cmocka_unit_test(test_dependency),     cmocka_unit_test(test_brought_by_another),
        cmocka_unit_test(test_nvrtc),          cmocka_unit_test(test_jetson),
        cmocka_unit_test(test_shadow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
