/* SPDX-License-Identifier: MIT */
#include "rules/engine/finding.h"
#include "rules/world_framework.h"

#define OLDER   "cudnn_older_than_framework"
#define MISSING "cudnn_missing"
#define MAJOR   "cudnn_wrong_major"
#define PATH    "cudnn_not_on_loader_path"
#define MIXED   "cudnn_sublibrary_mixed"
#define GLIBC   "glibc_too_old"
#define DEVICE  "libdevice_missing"
#define CUDNN   SITE "/nvidia/cudnn/lib"

static void test_older(void **state)
{
    (void)state;
    struct facts *facts = world_with_torch();
    world_load(facts, 0, "cudnn", "libcudnn.so.9", CUDNN "/libcudnn.so.9", "RPATH: " CUDNN);
    world_load_versions(facts, 0, "9.0.0.312", CUDNN "/libcudnn.so.9", "9.0.0.312");
    facts_set_string(facts, "framework/0", "cudnn_wanted", "9.1.0.70", SITE);
    assert_found(facts, PURPOSE_RUN, OLDER, SEVERITY_FAIL, "built with cuDNN 9.1.0.70");
    world_idle(facts);
    assert_found(facts, PURPOSE_RUN, OLDER, SEVERITY_INFO, "9.0.0.312");
    world_load_versions(facts, 0, "9.8.0", CUDNN "/libcudnn.so.9", "9.8.0");
    assert_check(facts, PURPOSE_RUN, OLDER, CHECK_PASS, NULL);
    world_load_versions(facts, 0, "9", CUDNN "/libcudnn.so.9", "9");
    assert_check(facts, PURPOSE_RUN, OLDER, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_cudnn_that_has_dropped_the_gpu(void **state)
{
    (void)state;
    static const char cause[] = "gpu_too_old_for_framework";
    struct facts *facts = world_with_torch();
    facts_set_string(facts, "framework/0", "cuda", "12", SITE);
    world_load(facts, 0, "cudnn", "libcudnn.so.9", CUDNN "/libcudnn.so.9", "RPATH: " CUDNN);
    world_load_versions(facts, 0, "9.28.0.42", CUDNN "/libcudnn.so.9", "9.28.0.42");
    assert_check(facts, PURPOSE_RUN, cause, CHECK_PASS, NULL);
    facts_set_string(facts, "assumed/0", "device_id", "1db4", "--assume-gpu"); /* V100 */
    assert_found(facts, PURPOSE_RUN, cause, SEVERITY_WARN,
                 "gets cuDNN 9.28.0.42, which no longer supports");
    world_load_versions(facts, 0, "9.10.2.21", CUDNN "/libcudnn.so.9", "9.10.2.21");
    assert_check(facts, PURPOSE_RUN, cause, CHECK_PASS, NULL);
    facts_free(facts);
}

/* The framework's files tell the major alone, the manifest the minor. */
static void test_older_by_the_manifest(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("550.90.07");
    world_framework(facts, "tensorflow", "tensorflow", "2.12.0", "11.8");
    facts_set_string(facts, "framework/0", "cudnn_wanted", "8", SITE);
    world_load(facts, 0, "cudnn", "libcudnn.so.8", "/usr/lib/libcudnn.so.8", "ld.so.cache");
    world_load_versions(facts, 0, "8.5.0", NULL, NULL);
    assert_found(facts, PURPOSE_RUN, OLDER, SEVERITY_FAIL, "cuDNN 8.6");
    facts_set_string(facts, "framework/0", "cudnn_wanted", ">=8.4,<9.0", SITE);
    assert_check(facts, PURPOSE_RUN, OLDER, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_asked_for(void **state)
{
    (void)state;
    struct facts *facts = world_with_torch();
    world_load(facts, 0, "cudnn", "libcudnn.so.9", NULL, NULL);
    assert_found(facts, PURPOSE_RUN, MISSING, SEVERITY_FAIL, "PyTorch 2.5.1+cu124");
    world_library(facts, "cudnn", SITE "/torch/lib/libcudnn.so.9", "libcudnn.so.9", "9.1.0",
                  "wheel");
    assert_found(facts, PURPOSE_RUN, MISSING, SEVERITY_FAIL, "belongs to another package");
    world_cudnn(facts, CUDNN, "9.1.0", "wheel");
    assert_found(facts, PURPOSE_RUN, PATH, SEVERITY_FAIL, CUDNN);
    assert_check(facts, PURPOSE_RUN, MISSING, CHECK_PASS, NULL);
    world_idle(facts);
    assert_found(facts, PURPOSE_RUN, PATH, SEVERITY_INFO, CUDNN);
    facts_free(facts);
    facts = world_with_torch();
    world_load(facts, 0, "cudnn", "libcudnn.so.8", NULL, NULL);
    world_cudnn(facts, "/usr/lib", "9.1.0", "system");
    assert_found(facts, PURPOSE_RUN, MAJOR, SEVERITY_FAIL, "needs libcudnn.so.8");
    facts_free(facts);
}

static void add_wheel(struct facts *facts, unsigned n, const char *name, const char *version)
{
    AUTO_FREE char *group = mem_printf("wheel/%u", n);
    facts_set_string(facts, group, "name", name, SITE);
    facts_set_string(facts, group, "version", version, SITE);
    facts_set_string(facts, group, "environment", VENV, SITE);
    facts_set_string(facts, group, "python", "python/0", SITE);
    facts_set_string(facts, group, "origin", "wheel", SITE);
    facts_set_string(facts, group, "directory", CUDNN, SITE);
}

static void test_two_wheels(void **state)
{
    (void)state;
    struct facts *facts = world_with_torch();
    add_wheel(facts, 0, "nvidia-cudnn-cu12", "9.1.0.70");
    assert_check(facts, PURPOSE_RUN, MIXED, CHECK_SKIP, "no cuDNN");
    add_wheel(facts, 1, "nvidia-cudnn-cu13", "9.13.0.50");
    assert_found(facts, PURPOSE_RUN, MIXED, SEVERITY_FAIL, "in one directory");
    world_idle(facts);
    assert_found(facts, PURPOSE_RUN, MIXED, SEVERITY_INFO, "in one directory");
    facts_set_string(facts, "wheel/1", "directory", "/opt/other", SITE);
    assert_check(facts, PURPOSE_RUN, MIXED, CHECK_SKIP, "no cuDNN");
    facts_free(facts);
}

static void test_glibc(void **state)
{
    (void)state;
    struct facts *facts = world_with_torch();
    facts_set_string(facts, "framework/0", "glibc_needed", "2.28", SITE);
    facts_set_absent(facts, "os", "glibc_version", "libc.so.6");
    assert_check(facts, PURPOSE_RUN, GLIBC, CHECK_SKIP, "not known");
    facts_set_unknown(facts, "os", "glibc_version", "no answer", "libc.so.6");
    assert_check(facts, PURPOSE_RUN, GLIBC, CHECK_UNKNOWN, "no answer");
    facts_set_string(facts, "os", "glibc_version", "2.28", "/lib/libc.so.6");
    assert_check(facts, PURPOSE_RUN, GLIBC, CHECK_PASS, NULL);
    facts_set_string(facts, "os", "glibc_version", "2.17", "/lib/libc.so.6");
    assert_found(facts, PURPOSE_RUN, GLIBC, SEVERITY_FAIL, "needs glibc 2.28");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_false(fix_says(found(judgement, GLIBC), "gpuenv resolve pytorch"));
    judgement_free(judgement);
    world_idle(facts);
    assert_found(facts, PURPOSE_RUN, GLIBC, SEVERITY_INFO, "2.17");
    facts_free(facts);
}

/* Another system's C library comes first. */
static void test_glibc_of_a_library(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("550.90.07");
    world_library(facts, "cudnn", "/opt/c/libcudnn.so.9", "libcudnn.so.9", "9.4.0", "system");
    facts_set_string(facts, "library//opt/c/libcudnn.so.9", "glibc_needed", "2.27", "ELF");
    facts_set_string(facts, "os", "glibc_version", "2.17", "/host/lib64/libc.so.6");
    facts_set_string(facts, "environment", "LD_LIBRARY_PATH", "/a:/host/lib64", "environment");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    const struct finding *finding = found(judgement, GLIBC);
    assert_non_null(finding);
    assert_int_equal(finding->severity, SEVERITY_FAIL);
    assert_says(finding->why, "LD_LIBRARY_PATH");
    judgement_free(judgement);
    facts_set_string(facts, "library//opt/c/libcudnn.so.9", "origin", "wheel", "ELF");
    assert_check(facts, PURPOSE_RUN, GLIBC, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_libdevice(void **state)
{
    (void)state;
    struct facts *facts = world_with_torch();
    assert_check(facts, PURPOSE_RUN, DEVICE, CHECK_SKIP, "XLA");
    world_framework(facts, "jax", "jax-cuda12-plugin", "0.4.30", "12");
    assert_found(facts, PURPOSE_RUN, DEVICE, SEVERITY_FAIL, "no toolkit or wheel");
    world_toolkit(facts, "/opt/cuda", "12.4", "CUDA_PATH", "");
    assert_found(facts, PURPOSE_RUN, DEVICE, SEVERITY_FAIL, "under /opt/cuda");
    facts_set_string(facts, "framework/0", "version", "0.9.0", SITE);
    assert_check(facts, PURPOSE_RUN, DEVICE, CHECK_PASS, NULL);
    facts_set_string(facts, "framework/0", "version", "0.4.30", SITE);
    facts_set_string(facts, "environment", "XLA_FLAGS", "--xla_gpu_cuda_data_dir=/opt/cuda", "e");
    assert_check(facts, PURPOSE_RUN, DEVICE, CHECK_PASS, NULL);
    facts_set_absent(facts, "environment", "XLA_FLAGS", "environment");
    add_wheel(facts, 0, "nvidia-cuda-nvcc-cu12", "12.4.131");
    assert_check(facts, PURPOSE_RUN, DEVICE, CHECK_PASS, NULL);
    facts_free(facts);
    facts = world_with_driver("550.90.07");
    world_framework(facts, "tensorflow", "tensorflow", "2.10.0", "11.2");
    assert_found(facts, PURPOSE_RUN, DEVICE, SEVERITY_INFO, "libdevice");
    facts_set_string(facts, "framework/0", "version", "2.17.0", SITE);
    assert_found(facts, PURPOSE_RUN, DEVICE, SEVERITY_WARN, "libdevice");
    world_toolkit(facts, "/usr/local/cuda-12.4", "12.4", "/usr/local/cuda", "");
    assert_check(facts, PURPOSE_RUN, DEVICE, CHECK_PASS, NULL);
    world_toolkit(facts, "/usr/local/cuda-12.4", "12.4", "/usr/local/cuda", "libdevice");
    assert_found(facts, PURPOSE_RUN, DEVICE, SEVERITY_WARN, "libdevice");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_older),
        cmocka_unit_test(test_cudnn_that_has_dropped_the_gpu),
        cmocka_unit_test(test_older_by_the_manifest),
        cmocka_unit_test(test_asked_for),
        cmocka_unit_test(test_two_wheels),
        cmocka_unit_test(test_glibc),
        cmocka_unit_test(test_glibc_of_a_library),
        cmocka_unit_test(test_libdevice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
