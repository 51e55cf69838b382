/* SPDX-License-Identifier: MIT */
#include "manifest/manifest.h"
#include "rules/engine/finding.h"
#include "rules/query/framework_choice.h"
#include "rules/rules.h"
#include "rules/world_framework.h"

#define NEWER  "gpu_newer_than_framework_build"
#define OLDER  "gpu_too_old_for_framework"
#define CPU    "cpu_only_framework_build"
#define WHEEL  "jetson_wrong_wheel"
#define ARCH   "jetson_arch_missing_in_build"
#define CLASH  "onnxruntime_cpu_gpu_packages_clash"
#define UUID   "cuda_visible_devices_uuid_unparsed"
#define MIG    "mig_uuid_parse_zero_devices"
#define PTX    "framework_ptx_newer_than_driver"
#define WANTED "framework_does_not_fit"

static void test_nothing_installed(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("550.90.07");
    assert_check(facts, PURPOSE_RUN, NEWER, CHECK_SKIP, "no framework");
    assert_check(facts, PURPOSE_RUN, CPU, CHECK_SKIP, "no framework");
    facts_set_unknown(facts, "framework", "count", "cannot list", "probe");
    assert_check(facts, PURPOSE_RUN, CPU, CHECK_UNKNOWN, "cannot list");
    facts_free(facts);
}

/* The manifest lists 5.0 to 9.0 for this build. */
static void test_code_by_the_manifest(void **state)
{
    (void)state;
    struct facts *facts = world_with_torch();
    assert_check(facts, PURPOSE_RUN, NEWER, CHECK_PASS, NULL);
    assert_check(facts, PURPOSE_RUN, OLDER, CHECK_PASS, NULL);
    facts_set_string(facts, "assumed/0", "capability", "12.0", "--assume-gpu");
    assert_found(facts, PURPOSE_RUN, NEWER, SEVERITY_FAIL, "no code for");
    assert_found(facts, PURPOSE_BUILD, NEWER, SEVERITY_INFO, "12.0");
    facts_set_string(facts, "assumed/0", "capability", "3.5", "--assume-gpu");
    assert_found(facts, PURPOSE_RUN, OLDER, SEVERITY_FAIL, "3.5");
    assert_check(facts, PURPOSE_RUN, NEWER, CHECK_PASS, NULL);
    world_idle(facts);
    assert_found(facts, PURPOSE_RUN, OLDER, SEVERITY_INFO, "3.5");
    facts_free(facts);
}

/* Where nothing lists the code, nothing is ruled out. */
static void test_code_unknown(void **state)
{
    (void)state;
    struct facts *facts = world_with_torch();
    facts_set_string(facts, "framework/0", "version", "2.9.0a0+145a3a7bda.nv25.10", SITE);
    assert_check(facts, PURPOSE_RUN, NEWER, CHECK_UNKNOWN, "framework/0.sass is not in the record");
    facts_set_unknown(facts, "framework/0", "sass", "cut short", SITE);
    assert_check(facts, PURPOSE_RUN, OLDER, CHECK_UNKNOWN, "cut short");
    facts_set_absent(facts, "framework/0", "sass", SITE);
    assert_check(facts, PURPOSE_RUN, NEWER, CHECK_UNKNOWN, "framework/0.library");
    facts_set_string(facts, "framework/0", "library", SITE "/torch/lib/libtorch_cuda.so", SITE);
    assert_check(facts, PURPOSE_RUN, NEWER, CHECK_SKIP, "no GPU code in");
    facts_set_absent(facts, "framework/0", "library", SITE);
    facts_set_absent(facts, "framework/0", "cuda", SITE);
    assert_check(facts, PURPOSE_RUN, NEWER, CHECK_SKIP, "generated at run time");
    world_idle(facts);
    assert_check(facts, PURPOSE_RUN, NEWER, CHECK_PASS, NULL);
    facts_free(facts);
}

/* What the files hold comes before what is listed. */
static void test_code_by_the_files(void **state)
{
    (void)state;
    struct facts *facts = world_with_torch();
    world_list(facts, "framework/0", "sass", "sm_70:sm_80");
    assert_found(facts, PURPOSE_RUN, NEWER, SEVERITY_FAIL, "9.0");
    world_list(facts, "framework/0", "ptx", "compute_80");
    assert_check(facts, PURPOSE_RUN, NEWER, CHECK_PASS, NULL);
    facts_free(facts);
}

/* TensorFlow's wheels have PTX for 9.0, and reports say that it fails on 12.0. */
static void test_ptx_that_fails_by_reports(void **state)
{
    (void)state;
    struct facts *facts = world_with_torch();
    facts_set_string(facts, "framework/0", "name", "tensorflow", SITE);
    facts_set_string(facts, "framework/0", "package", "tensorflow", SITE);
    facts_set_string(facts, "framework/0", "version", "2.20.0", SITE);
    facts_set_string(facts, "framework/0", "cuda", "12.5", SITE);
    world_list(facts, "framework/0", "sass", "sm_60:sm_70:sm_80:sm_89");
    world_list(facts, "framework/0", "ptx", "compute_90");
    assert_check(facts, PURPOSE_RUN, NEWER, CHECK_PASS, NULL); /* 9.0 */
    facts_set_string(facts, "assumed/0", "capability", "10.0", "--assume-gpu");
    assert_check(facts, PURPOSE_RUN, NEWER, CHECK_UNKNOWN,
                 "does not say whether this GPU runs"); /* XLA must know it as well */
    facts_set_string(facts, "assumed/0", "capability", "12.0", "--assume-gpu");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_int_equal(found(judgement, NEWER)->severity, SEVERITY_FAIL);
    assert_says(found(judgement, NEWER)->why, "CUDA_ERROR_INVALID_PTX");
    assert_says(found(judgement, NEWER)->manifest, "framework/tensorflow-2.20.0");
    judgement_free(judgement);
    world_list(facts, "framework/0", "sass", "sm_60:sm_120");
    assert_check(facts, PURPOSE_RUN, NEWER, CHECK_PASS, NULL); /* a build of one's own */
    facts_free(facts);
}

/* Judges with what was told of framework/0's PTX on that GPU. */
static struct judgement *judge_ptx(const struct facts *facts, struct framework_ptx *ptx)
{
    struct manifest *manifest = manifest_new();
    struct framework_choices choices = {.ptx = ptx, .ptx_count = 1};
    struct judge_options options = {
        .purpose_given = true, .purpose = PURPOSE_RUN, .choices = &choices};
    struct judgement *judgement = rules_judge(facts, manifest, &options);
    manifest_free(manifest);
    return judgement;
}

static void test_ptx_of_a_newer_cuda(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    assert_check(facts, PURPOSE_RUN, PTX, CHECK_SKIP, "no framework");
    facts_free(facts);
    facts = world_with_torch();
    assert_check(facts, PURPOSE_RUN, PTX, CHECK_PASS, NULL);
    char group[] = "framework/0", why[] = "PTX 8.7 is all", row[] = "ptx/8.7";
    struct framework_ptx ptx = {.group = group, .why = why, .row = row};
    assert_true(version_parse("8.0", &ptx.capability) && version_parse("570.26", &ptx.driver_min));
    struct judgement *judgement = judge_ptx(facts, &ptx);
    assert_int_equal(check_of(judgement, PTX)->status, CHECK_PASS); /* of another GPU */
    judgement_free(judgement);
    assert_true(version_parse("9.0", &ptx.capability));
    judgement = judge_ptx(facts, &ptx);
    assert_int_equal(found(judgement, PTX)->severity, SEVERITY_FAIL);
    assert_says(found(judgement, PTX)->message, "only PTX for");
    assert_says(found(judgement, PTX)->why, "PTX 8.7 is all");
    assert_string_equal(found(judgement, PTX)->manifest, "ptx/8.7");
    assert_fix(found(judgement, PTX), "570");
    judgement_free(judgement);
    facts_set_string(facts, "assumed/0", "capability", "9.0", "--assume-gpu");
    facts_set_string(facts, "assumed/1", "capability", "8.0", "--assume-gpu");
    judgement = judge_ptx(facts, &ptx);
    assert_int_equal(found(judgement, PTX)->severity, SEVERITY_WARN);
    judgement_free(judgement);
    ptx.unknown = true;
    judgement = judge_ptx(facts, &ptx);
    assert_null(found(judgement, PTX));
    assert_int_equal(check_of(judgement, PTX)->status, CHECK_UNKNOWN);
    assert_says(check_of(judgement, PTX)->reason, ": PTX 8.7");
    judgement_free(judgement);
    facts_free(facts);
}

/* Its library was cut off, or may not be read. */
static void test_code_that_cannot_be_read(void **state)
{
    (void)state;
    struct facts *facts = world_with_torch();
    facts_set_unknown(facts, "framework/0", "sass", "not a valid ELF file", SITE);
    assert_check(facts, PURPOSE_RUN, NEWER, CHECK_PASS, NULL); /* its makers' row tells */
    world_list(facts, "framework/0", "broken", "of another size than RECORD says");
    assert_check(facts, PURPOSE_RUN, NEWER, CHECK_UNKNOWN, "not a valid ELF file");
    world_list(facts, "framework/0", "broken", "");
    facts_set_string(facts, "framework/0", "version", "2.99.0", SITE);
    assert_check(facts, PURPOSE_RUN, OLDER, CHECK_UNKNOWN, "not a valid ELF file");
    world_idle(facts);
    assert_check(facts, PURPOSE_RUN, OLDER, CHECK_PASS, NULL);
    facts_free(facts);
}

/* A part of the GPUs is GPU-007's. */
static void test_part_of_the_gpus(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    world_framework(facts, "pytorch", "torch", "2.5.1+cu124", "12.4");
    facts_set_string(facts, "assumed/0", "capability", "9.0", "--assume-gpu");
    facts_set_string(facts, "assumed/1", "capability", "12.0", "--assume-gpu");
    assert_check(facts, PURPOSE_RUN, NEWER, CHECK_PASS, NULL);
    assert_found(facts, PURPOSE_RUN, "mixed_gpu_architectures", SEVERITY_WARN, "1 of the 2");
    facts_free(facts);
}

static void test_cpu_only(void **state)
{
    (void)state;
    struct facts *facts = world_with_torch();
    assert_check(facts, PURPOSE_RUN, CPU, CHECK_PASS, NULL);
    world_framework(facts, "pytorch", "torch", "2.5.1+cpu", NULL);
    assert_found(facts, PURPOSE_RUN, CPU, SEVERITY_WARN, "2.5.1+cpu");
    assert_found(facts, PURPOSE_BUILD, CPU, SEVERITY_INFO, "without CUDA");
    world_idle(facts);
    assert_found(facts, PURPOSE_RUN, CPU, SEVERITY_INFO, "without CUDA");
    world_framework(facts, "tensorflow", "tensorflow-cpu", "2.18.0", NULL);
    assert_found(facts, PURPOSE_RUN, CPU, SEVERITY_INFO, "without CUDA");
    world_framework(facts, "torchvision", "torchvision", "0.20.1+cpu", NULL);
    assert_check(facts, PURPOSE_RUN, CPU, CHECK_PASS, NULL);
    facts_free(facts);
    facts = world_bare();
    world_framework(facts, "pytorch", "torch", "2.5.1+cpu", NULL);
    assert_check(facts, PURPOSE_RUN, CPU, CHECK_SKIP, "no GPU");
    facts_free(facts);
}

static void test_jetson_wheel(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    assert_check(facts, PURPOSE_RUN, WHEEL, CHECK_SKIP, "not a Jetson");
    world_jetson(facts, "36.4.3", "8.7");
    world_framework(facts, "bitsandbytes", "bitsandbytes", "0.49.0", "12.6");
    facts_set_string(facts, "framework/0", "platform", "aarch64", SITE);
    world_list(facts, "framework/0", "tags", "py3-none-manylinux_2_24_aarch64");
    assert_found(facts, PURPOSE_RUN, WHEEL, SEVERITY_FAIL, "this is a Jetson");
    facts_set_string(facts, "machine", "jetson_release", "38.2", "/etc/nv_tegra_release");
    assert_check(facts, PURPOSE_RUN, WHEEL, CHECK_SKIP, "same CUDA as servers");
    facts_set_string(facts, "machine", "jetson_release", "35.4.1", "/etc/nv_tegra_release");
    world_framework(facts, "pytorch", "torch", "2.1.0", NULL);
    assert_found(facts, PURPOSE_RUN, WHEEL, SEVERITY_WARN, "no CUDA");
    assert_check(facts, PURPOSE_RUN, CPU, CHECK_PASS, NULL);
    facts_set_string(facts, "framework/0", "platform", "jetson", SITE);
    assert_check(facts, PURPOSE_RUN, WHEEL, CHECK_PASS, NULL);
    facts_free(facts);
}

/* Code of 8.6 does not run on 8.7: one of them is a Jetson's. */
static void test_jetson_code(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    world_jetson(facts, "36.4.3", "8.7");
    world_framework(facts, "pytorch", "torch", "2.13.0", "12.9");
    world_list(facts, "framework/0", "sass", "sm_80:sm_86:sm_90");
    assert_found(facts, PURPOSE_RUN, ARCH, SEVERITY_FAIL, "8.7");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_false(fix_says(found(judgement, ARCH), "gpuenv resolve"));
    judgement_free(judgement);
    assert_check(facts, PURPOSE_RUN, NEWER, CHECK_SKIP, "FRM-008");
    world_list(facts, "framework/0", "sass", "sm_80:sm_87");
    assert_check(facts, PURPOSE_RUN, ARCH, CHECK_PASS, NULL);
    facts_free(facts);
    facts = world_with_torch();
    assert_check(facts, PURPOSE_RUN, ARCH, CHECK_SKIP, "not a Jetson");
    facts_free(facts);
}

static void test_onnxruntime_twice(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("550.90.07");
    world_framework(facts, "onnxruntime", "onnxruntime", "1.19.0", NULL);
    assert_check(facts, PURPOSE_RUN, CLASH, CHECK_PASS, NULL);
    facts_set_string(facts, "framework/1", "name", "onnxruntime", SITE);
    facts_set_string(facts, "framework/1", "package", "onnxruntime-gpu", SITE);
    facts_set_string(facts, "framework/1", "version", "1.19.0", SITE);
    facts_set_string(facts, "framework/1", "environment", VENV, SITE);
    assert_found(facts, PURPOSE_RUN, CLASH, SEVERITY_FAIL, "share one folder");
    facts_set_string(facts, "framework/1", "environment", "/opt/other", SITE);
    assert_check(facts, PURPOSE_RUN, CLASH, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_uuids(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("550.90.07");
    assert_check(facts, PURPOSE_RUN, UUID, CHECK_SKIP, "does not begin");
    facts_set_string(facts, "environment", "CUDA_VISIBLE_DEVICES", "GPU-0000-1111", "environment");
    assert_check(facts, PURPOSE_RUN, UUID, CHECK_SKIP, "no framework");
    world_framework(facts, "pytorch", "torch", "1.13.0+cu117", "11.7");
    assert_found(facts, PURPOSE_RUN, UUID, SEVERITY_FAIL, "1.13.0");
    assert_check(facts, PURPOSE_RUN, MIG, CHECK_SKIP, "does not begin");
    facts_set_string(facts, "framework/0", "version", "2.0.0+cu117", SITE);
    assert_check(facts, PURPOSE_RUN, UUID, CHECK_PASS, NULL);
    facts_set_string(facts, "environment", "CUDA_VISIBLE_DEVICES", "MIG-3eb87630", "environment");
    assert_found(facts, PURPOSE_RUN, MIG, SEVERITY_FAIL, "MIG devices");
    facts_set_string(facts, "framework/0", "version", "2.5.1+cu124", SITE);
    assert_check(facts, PURPOSE_RUN, MIG, CHECK_PASS, NULL);
    facts_set_string(facts, "framework/0", "version", "1.12.1+cu116", SITE);
    assert_check(facts, PURPOSE_RUN, MIG, CHECK_PASS, NULL);
    facts_free(facts);
}

/* Judges with one choice; the finding's severity, message and fix are looked at. */
static void assert_wanted(const struct facts *facts, struct framework_choice *choice,
                          enum severity severity, const char *words, const char *fix)
{
    struct manifest *manifest = manifest_new();
    struct framework_choices choices = {.items = choice, .count = 1};
    struct judge_options options = {
        .purpose_given = true, .purpose = PURPOSE_RUN, .choices = &choices};
    struct judgement *judgement = rules_judge(facts, manifest, &options);
    const struct finding *finding = found(judgement, WANTED);
    assert_non_null(finding);
    assert_int_equal(finding->severity, severity);
    if (severity == SEVERITY_INFO) /* it fits */
        assert_int_equal(check_of(judgement, WANTED)->status, CHECK_PASS);
    assert_says(finding->message, words);
    assert_fix(finding, fix);
    judgement_free(judgement);
    manifest_free(manifest);
}

static void assert_undecided(const struct facts *facts, struct framework_choice *choice)
{
    struct manifest *manifest = manifest_new();
    struct framework_choices choices = {.items = choice, .count = 1};
    struct judge_options options = {
        .purpose_given = true, .purpose = PURPOSE_RUN, .choices = &choices};
    struct judgement *judgement = rules_judge(facts, manifest, &options);
    assert_int_equal(check_of(judgement, WANTED)->status, CHECK_UNKNOWN);
    assert_null(found(judgement, WANTED));
    judgement_free(judgement);
    manifest_free(manifest);
}

static void test_wanted(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("550.90.07");
    char framework[] = "pytorch", title[] = "PyTorch", asked[] = "pytorch@2.5", version[] = "2.5.1",
         build[] = "cu124", command[] = "pip install torch==2.5.1",
         python[] = "3.9-3.11 (3.12 exp)", why[] = "too old", reason[] = "driver_too_old",
         cuda[] = "11.8", cudnn[] = "8.6";
    struct framework_choice choice = {.framework = framework, .title = title, .asked = asked};
    assert_check(facts, PURPOSE_RUN, WANTED, CHECK_SKIP, "--for-framework");
    choice.why = why;
    choice.reason = reason;
    assert_wanted(facts, &choice, SEVERITY_FAIL, "no requested build of PyTorch",
                  "resolve -v pytorch");
    choice.unknown = true;
    assert_undecided(facts, &choice);
    choice.unknown = false;
    choice.version = version;
    choice.build = build;
    choice.command = command;
    assert_wanted(facts, &choice, SEVERITY_INFO, "PyTorch 2.5.1 (cu124) runs on this machine",
                  "torch==2.5.1");
    choice.unknown = true;
    assert_undecided(facts, &choice);
    choice.unknown = false;
    world_python(facts, VENV, true);
    choice.python = python;
    assert_wanted(facts, &choice, SEVERITY_FAIL, "python3 here is 3.12", "python3.11 -m venv");
    char old[] = "2.7;3.3-3.6"; /* uv installs no Python that is so old */
    choice.python = old;
    assert_wanted(facts, &choice, SEVERITY_FAIL, "python3 here is 3.12",
                  "conda create python=3.6 ");
    char below[] = ">=3.9,<3.12";
    choice.python = below;
    assert_wanted(facts, &choice, SEVERITY_FAIL, "python3 here is 3.12", "uv venv --python 3.11");
    char newer[] = ">=3.9";
    choice.python = newer;
    assert_wanted(facts, &choice, SEVERITY_INFO, "runs on this machine", "torch==2.5.1");
    choice.glibc = (struct version){.part = {2, 28}, .count = 2};
    facts_set_string(facts, "os", "glibc_version", "2.17", "/lib64/libc.so.6");
    assert_wanted(facts, &choice, SEVERITY_FAIL, "needs glibc 2.28, but this system has 2.17",
                  "container with a newer");
    facts_set_string(facts, "os", "glibc_version", "2.28", "/lib64/libc.so.6");
    assert_wanted(facts, &choice, SEVERITY_INFO, "runs on this machine", "torch==2.5.1");
    choice.wants_system = true;
    choice.cuda = cuda;
    choice.cudnn = cudnn;
    assert_wanted(facts, &choice, SEVERITY_FAIL, "neither is here", "--for-framework pytorch@2.5");
    world_library(facts, "cudart", "/usr/lib/libcudart.so.11.8.89", "libcudart.so.11.0", "11.8.89",
                  "system");
    assert_wanted(facts, &choice, SEVERITY_FAIL, "such a cuDNN is not here", "--for-framework");
    world_loader(facts, "libcudnn.so.8", "/usr/lib/libcudnn.so.8", NULL, "ld.so.cache");
    assert_wanted(facts, &choice, SEVERITY_INFO, "runs on this machine", "torch==2.5.1");
    facts_free(facts);
}

/* The same judgement as inspect's: Thor is one chip under two numbers, and which of them its driver
 * tells decides nothing. */
static void test_code_of_the_other_number(void **state)
{
    (void)state;
    struct facts *facts = world_with_torch();
    facts_set_string(facts, "assumed/0", "capability", "11.0", "--assume-gpu");
    world_list(facts, "framework/0", "sass", "sm_90:sm_101");
    world_list(facts, "framework/0", "ptx", "");
    assert_check(facts, PURPOSE_RUN, NEWER, CHECK_UNKNOWN, "the build is for sm_90, sm_101");
    world_list(facts, "framework/0", "sass", "sm_90:sm_110");
    assert_check(facts, PURPOSE_RUN, NEWER, CHECK_PASS, NULL);
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_installed),
        cmocka_unit_test(test_code_of_the_other_number),
        cmocka_unit_test(test_code_by_the_manifest),
        cmocka_unit_test(test_code_unknown),
        cmocka_unit_test(test_code_by_the_files),
        cmocka_unit_test(test_ptx_that_fails_by_reports),
        cmocka_unit_test(test_ptx_of_a_newer_cuda),
        cmocka_unit_test(test_code_that_cannot_be_read),
        cmocka_unit_test(test_part_of_the_gpus),
        cmocka_unit_test(test_cpu_only),
        cmocka_unit_test(test_jetson_wheel),
        cmocka_unit_test(test_jetson_code),
        cmocka_unit_test(test_onnxruntime_twice),
        cmocka_unit_test(test_uuids),
        cmocka_unit_test(test_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
