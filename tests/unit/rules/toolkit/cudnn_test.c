/* SPDX-License-Identifier: MIT */
#include "rules/engine/finding.h"
#include "rules/world.h"

/* cudnn_missing */

#define MISSING "cudnn_missing"

static void test_missing_is_told_not_failed(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    world_default_toolkit(facts, "/usr/local/cuda-13.0", "13.0");
    assert_found(facts, PURPOSE_RUN, MISSING, SEVERITY_INFO, "no cuDNN is installed");
    assert_found(facts, PURPOSE_BUILD, MISSING, SEVERITY_INFO, "no cuDNN is installed");
    assert_check(facts, PURPOSE_RUN, MISSING, CHECK_PASS, NULL);
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, MISSING), "nvidia-cudnn-cu13");
    assert_fix(found(judgement, MISSING), "apt-get install cudnn9-cuda-13");
    judgement_free(judgement);
    world_default_toolkit(facts, "/usr/local/cuda-13.0", "10.2"); /* no wheel is for it */
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_false(fix_says(found(judgement, MISSING), "pip install"));
    judgement_free(judgement);
    facts_free(facts);
}

static void test_missing_fails_where_it_is_needed(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    static const char path[] = "/opt/trt/libnvinfer_plugin.so.8";
    world_library(facts, "tensorrt", path, "libnvinfer_plugin.so.8", "8.6.1", "system");
    AUTO_FREE char *group = facts_group_name("library", path);
    world_list(facts, group, "unresolved", "libcublas.so.12:libcudnn.so.8");
    assert_found(facts, PURPOSE_RUN, MISSING, SEVERITY_FAIL, "needs libcudnn.so.8");
    assert_found(facts, PURPOSE_BUILD, MISSING, SEVERITY_INFO, "needs libcudnn.so.8");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, MISSING), "package libcudnn8");
    assert_false(fix_says(found(judgement, MISSING), "install cudnn9"));
    judgement_free(judgement);
    facts_set_string(facts, "machine", "jetson_release", "36.4.3", "/etc/nv_tegra_release");
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, MISSING), "nvidia-jetpack");
    assert_false(fix_says(found(judgement, MISSING), "libcudnn8"));
    judgement_free(judgement);
    facts_free(facts);
}

static void test_on_the_path_passes_silently(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    world_cudnn(facts, "/usr/lib", "9.19.0", "package");
    world_loader(facts, "libcudnn.so.9", "/usr/lib/libcudnn.so.9", "/usr/lib/libcudnn.so.9.19.0",
                 "ld.so.cache");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_null(found(judgement, MISSING));
    assert_int_equal(check_of(judgement, MISSING)->status, CHECK_PASS);
    judgement_free(judgement);
    facts_free(facts);
}

static void test_off_the_path_is_mentioned(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    world_cudnn(facts, "/venv/nvidia/cudnn/lib", "9.1.0", "wheel");
    world_loader(facts, "libcudnn.so.9", NULL, NULL, "ld.so.cache");
    assert_check(facts, PURPOSE_RUN, MISSING, CHECK_PASS, NULL);
    assert_found(facts, PURPOSE_RUN, "cudnn_not_on_loader_path", SEVERITY_INFO,
                 "cuDNN 9.1.0 is not on the loader's path, only at /venv/nvidia/cudnn/lib");
    facts_free(facts);
}

static void test_missing_skip_and_unknown(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    assert_check(facts, PURPOSE_BUILD, MISSING, CHECK_SKIP, "neither a GPU");
    facts_set_unknown(facts, "library", "count", "too many files", "/usr/lib");
    assert_check(facts, PURPOSE_BUILD, MISSING, CHECK_UNKNOWN, "too many files");
    facts_set_integer(facts, "library", "count", 8, "probe");
    world_cudnn(facts, "/usr/lib", "9.19.0", "package");
    world_loader(facts, "libcudnn.so.9", NULL, NULL, "ld.so.cache");
    facts_set_unknown(facts, "loader/libcudnn.so.9", "path", "cache damaged", "/etc/ld.so.cache");
    assert_check(facts, PURPOSE_BUILD, "cudnn_not_on_loader_path", CHECK_UNKNOWN, "cache damaged");
    facts_free(facts);
}

/* cudnn_sublibrary_mixed */

#define MIXED  "cudnn_sublibrary_mixed"
#define SYSTEM "/usr/lib/x86_64-linux-gnu"
#define WHEEL  "/venv/lib/python3.12/site-packages/nvidia/cudnn/lib"

static struct facts *with_system_cudnn(void)
{
    struct facts *facts = world_with_driver("580.95.05");
    world_cudnn(facts, SYSTEM, "9.19.0", "package");
    world_loader(facts, "libcudnn.so.9", SYSTEM "/libcudnn.so.9", SYSTEM "/libcudnn.so.9.19.0",
                 "ld.so.cache");
    world_loader(facts, "libcudnn_ops.so.9", SYSTEM "/libcudnn_ops.so.9",
                 SYSTEM "/libcudnn_ops.so.9.19.0", "ld.so.cache");
    return facts;
}

static void test_one_release_passes(void **state)
{
    (void)state;
    struct facts *facts = with_system_cudnn();
    assert_check(facts, PURPOSE_RUN, MIXED, CHECK_PASS, NULL);
    /* a whole second copy that nothing mixes with */
    world_cudnn(facts, WHEEL, "9.1.0", "wheel");
    assert_check(facts, PURPOSE_RUN, MIXED, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_two_releases_in_one_directory(void **state)
{
    (void)state;
    struct facts *facts = with_system_cudnn();
    AUTO_FREE char *group = facts_group_name("library", SYSTEM "/libcudnn_cnn.so.9.19.0");
    facts_set_string(facts, group, "version", "9.1.0", "x");
    assert_found(facts, PURPOSE_RUN, MIXED, SEVERITY_FAIL, "libcudnn_cnn.so.9.19.0 (9.1.0)");
    assert_found(facts, PURPOSE_BUILD, MIXED, SEVERITY_INFO, "cuDNN is mixed");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_says(found(judgement, MIXED)->why, "not supported; if cuDNN compares the parts");
    judgement_free(judgement);
    facts_free(facts);
}

/* In a wheel's directory it is a fault of that environment, loader or not. */
static void test_two_releases_in_a_wheel(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    world_cudnn(facts, WHEEL, "9.19.0.56", "wheel");
    world_loader(facts, "libcudnn.so.9", NULL, NULL, "ld.so.cache");
    assert_check(facts, PURPOSE_RUN, MIXED, CHECK_PASS, NULL);
    AUTO_FREE char *group = facts_group_name("library", WHEEL "/libcudnn_ops.so.9.19.0.56");
    facts_set_string(facts, group, "version", "9.19.0", "x"); /* the fourth number is no release */
    assert_check(facts, PURPOSE_RUN, MIXED, CHECK_PASS, NULL);
    facts_set_string(facts, group, "version", "9.18.0.1", "x");
    assert_found(facts, PURPOSE_RUN, MIXED, SEVERITY_FAIL, WHEEL);
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, MIXED), "pip install --force-reinstall");
    judgement_free(judgement);
    facts_free(facts);
}

/* A wheel without a part that the system's newer cuDNN has: the same wheel again does not help. */
static void test_a_wheel_gets_a_part_of_the_systems(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    static const char part[] = "/usr/lib/libcudnn_engines_tensor_ir.so.9.23.0";
    world_cudnn(facts, WHEEL, "9.20.0.48", "wheel");
    world_loader(facts, "libcudnn.so.9", NULL, NULL, "ld.so.cache");
    world_library(facts, "cudnn", part, "libcudnn_engines_tensor_ir.so.9", "9.23.0", "system");
    world_loader(facts, "libcudnn_engines_tensor_ir.so.9", part, part, "ld.so.cache");
    assert_found(facts, PURPOSE_RUN, MIXED, SEVERITY_WARN, "tensor_ir.so.9.23.0 (9.23.0)");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, MIXED), "==9.23.0.*");
    assert_false(fix_says(found(judgement, MIXED), "--force-reinstall"));
    judgement_free(judgement);
    facts_free(facts);
}

/* LD_LIBRARY_PATH comes before $ORIGIN: the loader's libcudnn.so.9 is from the cache, its ops are
 * not. */
static void test_library_path_shadows_a_sublibrary(void **state)
{
    (void)state;
    struct facts *facts = with_system_cudnn();
    world_library(facts, "cudnn", "/app/lib/libcudnn_ops.so.9.21.0", "libcudnn_ops.so.9", "9.21.0",
                  "system");
    world_loader(facts, "libcudnn_ops.so.9", "/app/lib/libcudnn_ops.so.9",
                 "/app/lib/libcudnn_ops.so.9.21.0", "LD_LIBRARY_PATH: /app/lib");
    assert_found(facts, PURPOSE_RUN, MIXED, SEVERITY_FAIL, "/app/lib/libcudnn_ops.so.9.21.0");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, MIXED), "remove /app/lib from LD_LIBRARY_PATH");
    judgement_free(judgement);
    facts_free(facts);
}

/* A wheel without a sub-library that the system's newer cuDNN has (an optional one too). */
static void test_wheel_falls_back_to_the_system(void **state)
{
    (void)state;
    struct facts *facts = with_system_cudnn();
    world_cudnn(facts, WHEEL, "9.1.0", "wheel");
    world_library(facts, "cudnn", SYSTEM "/libcudnn_engines_tensor_ir.so.9.19.0",
                  "libcudnn_engines_tensor_ir.so.9", "9.19.0", "package");
    world_loader(facts, "libcudnn_engines_tensor_ir.so.9",
                 SYSTEM "/libcudnn_engines_tensor_ir.so.9",
                 SYSTEM "/libcudnn_engines_tensor_ir.so.9.19.0", "ld.so.cache");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    const struct finding *finding = found(judgement, MIXED);
    assert_non_null(finding);
    assert_says(finding->subject, WHEEL);
    assert_says(finding->message, "libcudnn_engines_tensor_ir");
    assert_int_equal(finding->severity, SEVERITY_WARN);
    assert_int_equal(found_count(judgement, MIXED), 1);
    judgement_free(judgement);
    facts_free(facts);
}

static void test_missing_sublibrary(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    world_library(facts, "cudnn", SYSTEM "/libcudnn.so.9.19.0", "libcudnn.so.9", "9.19.0",
                  "package");
    world_library(facts, "cudnn", SYSTEM "/libcudnn_ops.so.9.19.0", "libcudnn_ops.so.9", "9.19.0",
                  "package");
    world_loader(facts, "libcudnn.so.9", SYSTEM "/libcudnn.so.9", SYSTEM "/libcudnn.so.9.19.0",
                 "ld.so.cache");
    assert_found(facts, PURPOSE_RUN, MIXED, SEVERITY_FAIL, "lacks its sub-libraries");
    assert_found(facts, PURPOSE_RUN, MIXED, SEVERITY_FAIL, "libcudnn_cnn.so.9");
    facts_free(facts);
}

/* Versions not known: one directory passes, two do not. */
static void test_unknown_versions_are_judged_by_directory(void **state)
{
    (void)state;
    struct facts *facts = with_system_cudnn();
    AUTO_FREE char *main = facts_group_name("library", SYSTEM "/libcudnn.so.9.19.0");
    facts_set_absent(facts, main, "version", "x");
    assert_check(facts, PURPOSE_RUN, MIXED, CHECK_PASS, NULL);
    world_library(facts, "cudnn", "/app/lib/libcudnn_ops.so.9", "libcudnn_ops.so.9", NULL,
                  "system");
    world_loader(facts, "libcudnn_ops.so.9", "/app/lib/libcudnn_ops.so.9",
                 "/app/lib/libcudnn_ops.so.9", "LD_LIBRARY_PATH: /app/lib");
    assert_found(facts, PURPOSE_RUN, MIXED, SEVERITY_FAIL, "/app/lib/libcudnn_ops.so.9");
    facts_free(facts);
}

/* Two directories of one release work. */
static void test_two_directories_of_one_release_pass(void **state)
{
    (void)state;
    struct facts *facts = with_system_cudnn();
    world_library(facts, "cudnn", "/app/lib/libcudnn_ops.so.9.19.0", "libcudnn_ops.so.9", "9.19.0",
                  "system");
    world_loader(facts, "libcudnn_ops.so.9", "/app/lib/libcudnn_ops.so.9",
                 "/app/lib/libcudnn_ops.so.9.19.0", "LD_LIBRARY_PATH: /app/lib");
    assert_check(facts, PURPOSE_RUN, MIXED, CHECK_PASS, NULL);
    facts_free(facts);
}

/* Files of an older release that no link leads to. */
static void test_leftover_is_info(void **state)
{
    (void)state;
    struct facts *facts = with_system_cudnn();
    static const char path[] = SYSTEM "/libcudnn_ops.so.9.1.0";
    AUTO_FREE char *group = facts_group_name("library", path);
    world_library(facts, "cudnn", path, "libcudnn_ops.so.9", "9.1.0", "system");
    world_list(facts, group, "found_as", path);
    assert_found(facts, PURPOSE_RUN, MIXED, SEVERITY_INFO, path);
    facts_free(facts);
}

/* The same for libcudnn itself: no program asks for that file's whole name. */
static void test_leftover_main_library_is_not_judged(void **state)
{
    (void)state;
    struct facts *facts = with_system_cudnn();
    static const char path[] = "/opt/old/libcudnn.so.9.1.0";
    AUTO_FREE char *group = facts_group_name("library", path);
    world_library(facts, "cudnn", path, "libcudnn.so.9", "9.1.0", "system");
    world_list(facts, group, "found_as", path);
    assert_check(facts, PURPOSE_RUN, MIXED, CHECK_PASS, NULL);
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_null(found(judgement, MIXED));
    judgement_free(judgement);
    facts_free(facts);
}

static void test_stub_and_other_architecture_do_not_count(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    world_library(facts, "cudnn", "/opt/stubs/libcudnn.so.9", "libcudnn.so.9", NULL, "toolkit");
    world_library(facts, "cudnn", "/opt/arm/libcudnn.so.9", "libcudnn.so.9", NULL, "system");
    facts_set_string(facts, "library//opt/arm/libcudnn.so.9", "architecture", "aarch64", "x");
    assert_check(facts, PURPOSE_RUN, MIXED, CHECK_SKIP, "no cuDNN");
    assert_found(facts, PURPOSE_RUN, MISSING, SEVERITY_INFO, "no cuDNN is installed");
    facts_free(facts);
}

/* A record may name any number; none is passed over in silence. */
static void test_too_many_copies_are_unknown(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    for (int i = 0; i < 300; i++) {
        AUTO_FREE char *path = mem_printf("/venv%d/libcudnn.so.7", i);
        world_library(facts, "cudnn", path, "libcudnn.so.7", "7.6.5", "wheel");
    }
    assert_check(facts, PURPOSE_RUN, MIXED, CHECK_UNKNOWN, "more than 256");
    facts_free(facts);
}

/* Up to cuDNN 7 there was one library. */
static void test_cudnn_7_has_no_sublibraries(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    world_library(facts, "cudnn", SYSTEM "/libcudnn.so.7.6.5", "libcudnn.so.7", "7.6.5", "system");
    assert_check(facts, PURPOSE_RUN, MIXED, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_mixed_skip_and_unknown(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    assert_check(facts, PURPOSE_RUN, MIXED, CHECK_SKIP, "no cuDNN");
    world_library(facts, "cudnn", SYSTEM "/libcudnn.so.99.0.0", "libcudnn.so.99", "99.0.0", "x");
    assert_check(facts, PURPOSE_RUN, MIXED, CHECK_UNKNOWN, "cuDNN 99");
    facts_set_unknown(facts, "library", "count", "too many files", "/usr/lib");
    assert_check(facts, PURPOSE_RUN, MIXED, CHECK_UNKNOWN, "too many files");
    facts_free(facts);
}

/* The SONAME's major is no release; what libcudnn says when called is. */
static void test_a_version_that_was_called(void **state)
{
    (void)state;
    struct facts *facts = with_system_cudnn();
    AUTO_FREE char *main = facts_group_name("library", SYSTEM "/libcudnn.so.9.19.0");
    AUTO_FREE char *part = facts_group_name("library", SYSTEM "/libcudnn_cnn.so.9.19.0");
    facts_set_string(facts, main, "version", "9", "x");
    assert_check(facts, PURPOSE_RUN, MIXED, CHECK_PASS, NULL);
    world_called(facts, "libcudnn.so.9", SYSTEM "/libcudnn.so.9", "9.19.0", "cudnnGetVersion");
    facts_set_string(facts, part, "version", "9", "x");
    assert_check(facts, PURPOSE_RUN, MIXED, CHECK_PASS, NULL);
    facts_set_string(facts, part, "version", "9.1.0", "x");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_says(found(judgement, MIXED)->message, "(9.19.0, as it reports) would load");
    assert_true(evidence_from(found(judgement, MIXED), "cudnnGetVersion"));
    judgement_free(judgement);
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_missing_is_told_not_failed),
        cmocka_unit_test(test_missing_fails_where_it_is_needed),
        cmocka_unit_test(test_on_the_path_passes_silently),
        cmocka_unit_test(test_off_the_path_is_mentioned),
        cmocka_unit_test(test_missing_skip_and_unknown),
        cmocka_unit_test(test_one_release_passes),
        cmocka_unit_test(test_two_releases_in_one_directory),
        cmocka_unit_test(test_a_version_that_was_called),
        cmocka_unit_test(test_two_releases_in_a_wheel),
        cmocka_unit_test(test_a_wheel_gets_a_part_of_the_systems),
        cmocka_unit_test(test_library_path_shadows_a_sublibrary),
        cmocka_unit_test(test_wheel_falls_back_to_the_system),
        cmocka_unit_test(test_missing_sublibrary),
        cmocka_unit_test(test_unknown_versions_are_judged_by_directory),
        cmocka_unit_test(test_two_directories_of_one_release_pass),
        cmocka_unit_test(test_leftover_is_info),
        cmocka_unit_test(test_leftover_main_library_is_not_judged),
        cmocka_unit_test(test_stub_and_other_architecture_do_not_count),
        cmocka_unit_test(test_too_many_copies_are_unknown),
        cmocka_unit_test(test_cudnn_7_has_no_sublibraries),
        cmocka_unit_test(test_mixed_skip_and_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
