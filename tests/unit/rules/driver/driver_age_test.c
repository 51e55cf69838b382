/* SPDX-License-Identifier: MIT */
#include "rules/engine/finding.h"
#include "rules/query/framework_choice.h"
#include "rules/world_framework.h"

#define CAUSE "driver_too_old"

static struct facts *machine(const char *driver, const char *cuda)
{
    struct facts *facts = world_with_driver(driver);
    AUTO_FREE char *path = mem_printf("/usr/local/cuda-%s", cuda);
    world_default_toolkit(facts, path, cuda);
    return facts;
}

static void test_too_old_is_found(void **state)
{
    (void)state;
    struct facts *facts = machine("470.256.02", "12.4");
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_FAIL,
                 "driver 470.256.02 (supports CUDA 11.4) is too old for CUDA toolkit 12.4");
    assert_found(facts, PURPOSE_CONTAINER, CAUSE, SEVERITY_FAIL, "470.256.02");
    assert_found(facts, PURPOSE_BUILD, CAUSE, SEVERITY_INFO, "470.256.02");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    const struct finding *finding = found(judgement, CAUSE);
    assert_says(finding->why, "requires driver 550.54.14");
    assert_says(finding->why, "any CUDA 12 release runs on driver 525.60.13 or newer");
    assert_non_null(finding->manifest);
    assert_fix(finding, "CUDA 11.4 or older");
    /* R550 is no longer fixed; R580 is, and drives the GPU */
    assert_says(finding->fixes[0].command, "ubuntu-drivers install nvidia:580");
    assert_fix(finding, "R550 or newer");
    assert_string_equal(finding->subject, "/usr/local/cuda-12.4");
    assert_int_equal(judgement->exit_code, 1);
    judgement_free(judgement);
    facts_free(facts);
}

static void test_every_12_is_too_new_for_470(void **state)
{
    static const char *const releases[] = {"12.0", "12.1.1", "12.4.1", "12.6", "12.8.1", "12.9.1"};
    (void)state;
    for (size_t i = 0; i < sizeof(releases) / sizeof(releases[0]); i++) {
        struct facts *facts = machine("470.256.02", releases[i]);
        assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_FAIL, NULL);
        facts_free(facts);
    }
}

static void test_exact_passes(void **state)
{
    (void)state;
    struct facts *facts = machine("570.86.15", "12.8");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_null(found(judgement, CAUSE));
    assert_int_equal(check_of(judgement, CAUSE)->status, CHECK_PASS);
    judgement_free(judgement);
    facts_free(facts);
    facts = machine("999.10", "12.8");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_minor_version_compatibility_passes_and_says_what_is_lost(void **state)
{
    (void)state;
    struct facts *facts = machine("535.183.01", "12.9");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_PASS, NULL);
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_INFO, "minor-version compatibility");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_says(found(judgement, CAUSE)->why, "PTX");
    assert_says(found(judgement, CAUSE)->why, "222");
    assert_int_equal(judgement->exit_code, 0);
    judgement_free(judgement);
    facts_free(facts);
}

static void test_ptx_of_a_newer_toolkit(void **state)
{
    static const char ptx[] = "ptx_toolchain_newer_than_driver";
    (void)state;
    struct facts *facts = machine("535.183.01", "12.9");
    assert_found(facts, PURPOSE_RUN, ptx, SEVERITY_WARN, "CUDA toolkit 12.9");
    assert_found(facts, PURPOSE_BUILD, ptx, SEVERITY_INFO, "535.183.01");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_string_equal(judgement->findings[0]->cause, ptx);
    assert_says(found(judgement, ptx)->why, "222");
    assert_fix(found(judgement, ptx), "-gencode");
    assert_string_equal(found(judgement, CAUSE)->caused_by, "DRV-035");
    judgement_free(judgement);
    facts_free(facts);
    facts = machine("575.57.08", "12.9");
    assert_check(facts, PURPOSE_RUN, ptx, CHECK_PASS, NULL);
    facts_free(facts);
    facts = machine("575.57.08", "13.0"); /* another major: too old altogether */
    assert_check(facts, PURPOSE_RUN, ptx, CHECK_PASS, NULL);
    facts_free(facts);
    facts = world_with_driver("535.183.01");
    assert_check(facts, PURPOSE_RUN, ptx, CHECK_SKIP, "no CUDA toolkit");
    facts_set_unknown(facts, "toolkit", "count", "/opt: refused", "/opt");
    assert_check(facts, PURPOSE_RUN, ptx, CHECK_UNKNOWN, "refused");
    facts_free(facts);
}

static void test_another_major_fails(void **state)
{
    (void)state;
    struct facts *facts = machine("575.57.08", "13.0");
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_FAIL, "is too old for CUDA toolkit 13.0");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_says(found(judgement, CAUSE)->why, "580.65.06");
    judgement_free(judgement);
    facts_free(facts);
}

/* Several toolkits. */

static void test_default_that_runs_makes_others_a_warning(void **state)
{
    (void)state;
    struct facts *facts = machine("535.183.01", "12.2");
    world_toolkit(facts, "/usr/local/cuda-13.0", "13.0", "/usr/local/cuda-13.0", "");
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_WARN, "/usr/local/cuda-13.0");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_int_equal(judgement->exit_code, 0);
    judgement_free(judgement);
    facts_free(facts);
}

static void test_default_that_does_not_run_fails(void **state)
{
    (void)state;
    struct facts *facts = machine("535.183.01", "13.0");
    world_toolkit(facts, "/usr/local/cuda-12.2", "12.2", "/usr/local/cuda-12.2", "");
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_FAIL, "/usr/local/cuda-13.0");
    facts_free(facts);
}

/* Without the link, CUDA_HOME is the default. */
static void test_cuda_home_is_the_default_without_a_link(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("535.183.01");
    world_toolkit(facts, "/opt/cuda-13.0", "13.0", "/opt/cuda-13.0", "");
    world_toolkit(facts, "/opt/cuda-12.2", "12.2", "CUDA_HOME", "");
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_WARN, "/opt/cuda-13.0");
    facts_free(facts);
}

/* Copies of libcudart in Python environments. */

static void add_wheel(struct facts *facts, const char *environment, const char *soname,
                      const char *version)
{
    AUTO_FREE char *path =
        mem_printf("%s/site-packages/nvidia/cuda_runtime/lib/%s", environment, soname);
    world_library(facts, "cudart", path, soname, version, "wheel");
}

static struct judgement *judge_with_build(const struct facts *facts, struct manifest *manifest,
                                          const char *command)
{
    struct framework_choice choice = {.framework = mem_string("pytorch"),
                                      .title = mem_string("PyTorch"),
                                      .version = mem_string("2.9.0"),
                                      .command = command ? mem_string(command) : NULL};
    struct framework_choices choices = {.items = &choice, .count = 1};
    struct judge_options options = {
        .purpose_given = true, .purpose = PURPOSE_RUN, .choices = &choices};
    struct judgement *judgement = rules_judge(facts, manifest, &options);
    free(choice.framework);
    free(choice.title);
    free(choice.version);
    free(choice.command);
    return judgement;
}

/* The build for the driver's CUDA is offered, as the rules about frameworks do. */
static void test_build_for_the_older_cuda(void **state)
{
    static const char install[] = "pip install torch==2.9.0", general[] = "build of that program";
    (void)state;
    struct facts *facts = world_with_driver("570.86.15");
    struct manifest *manifest = manifest_new();
    world_framework(facts, "pytorch", "torch", "2.11.0+cu130", "13.0");
    add_wheel(facts, VENV, "libcudart.so.13", "13.0.96");
    struct judgement *judgement = judge_with_build(facts, manifest, install);
    assert_fix(found(judgement, CAUSE), VENV "/bin/python -m pip install torch==2.9.0");
    assert_false(fix_says(found(judgement, CAUSE), general));
    judgement_free(judgement);
    judgement = judge_with_build(facts, manifest, NULL);
    assert_fix(found(judgement, CAUSE), general);
    judgement_free(judgement);
    facts_set_string(facts, "python/0", "version", "2.7.18", VENV);
    facts_set_string(facts, "framework/0", "environment", "/usr/local", VENV);
    judgement = judge_with_build(facts, manifest, install);
    assert_fix(found(judgement, CAUSE), "python2 -m pip install");
    judgement_free(judgement);
    facts_set_string(facts, "framework/1", "name", "vllm", VENV);
    facts_set_string(facts, "framework/1", "environment", "/usr/local", VENV);
    facts_set_string(facts, "framework/1", "torch_wanted", "==2.11.0", VENV);
    judgement = judge_with_build(facts, manifest, install);
    assert_false(fix_says(found(judgement, CAUSE), "pip install"));
    assert_fix(found(judgement, CAUSE), general);
    judgement_free(judgement);
    manifest_free(manifest);
    facts_free(facts);
}

static void test_wheel_that_is_too_new(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("535.183.01");
    add_wheel(facts, "/venv/a", "libcudart.so.13", "13.0.96");
    add_wheel(facts, "/venv/b", "libcudart.so.13", "13.0.88");
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_FAIL, "CUDA runtime 13.0 in /venv/a");
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_FAIL, "1 more place");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_int_equal(found_count(judgement, CAUSE), 1);
    assert_fix(found(judgement, CAUSE), "a build of that program for CUDA 12.2 or older");
    judgement_free(judgement);

    add_wheel(facts, "/venv/c", "libcudart.so.12", "12.1.105");
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_WARN, "/venv/a");
    facts_free(facts);
}

static void test_wheel_beside_a_default_that_runs(void **state)
{
    (void)state;
    struct facts *facts = machine("535.183.01", "12.2");
    add_wheel(facts, "/venv/a", "libcudart.so.13", "13.0.96");
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_WARN, "/venv/a");
    facts_free(facts);
}

/* What else runs does not help a framework that is imported here. */
static void test_wheel_of_an_active_framework(void **state)
{
    (void)state;
    struct facts *facts = machine("535.183.01", "12.2");
    add_wheel(facts, "/venv/a", "libcudart.so.13", "13.0.96");
    facts_set_string(facts, "framework/0", "package", "torch", "/venv/a");
    facts_set_string(facts, "framework/0", "version", "2.11.0", "/venv/a");
    facts_set_string(facts, "framework/0", "directory", "/venv/a/torch", "/venv/a");
    facts_set_string(facts, "framework/0", "cuda", "13.0", "/venv/a");
    facts_set_boolean(facts, "framework/0", "active", true, "/venv/a");
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_FAIL, "/venv/a");
    assert_found(facts, PURPOSE_BUILD, CAUSE, SEVERITY_INFO, "/venv/a");
    facts_set_boolean(facts, "framework/0", "active", false, "/venv/a");
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_WARN, "/venv/a");
    facts_set_boolean(facts, "framework/0", "active", true, "/venv/a");
    facts_set_string(facts, "framework/0", "cuda", "12.6", "/venv/a");
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_WARN, "/venv/a"); /* another one's copy */
    facts_free(facts);
}

/* Without a runtime of its CUDA a framework tells by itself what it wants: the major alone. */
static void test_framework_without_a_runtime(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("535.183.01");
    facts_set_string(facts, "framework/0", "package", "onnxruntime-gpu", "METADATA");
    facts_set_string(facts, "framework/0", "version", "1.30.0", "METADATA");
    facts_set_string(facts, "framework/0", "directory", "/venv/onnxruntime", "METADATA");
    facts_set_string(facts, "framework/0", "cuda", "13.0", "build_and_package_info.py");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_SKIP, NULL); /* nothing says that it is used */
    facts_set_boolean(facts, "framework/0", "active", true, "PATH");
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_FAIL,
                 "onnxruntime-gpu 1.30.0, built for CUDA 13, in /venv/onnxruntime");
    facts_set_string(facts, "framework/0", "cuda", "12.9", "build_and_package_info.py");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_PASS, NULL);
    facts_free(facts);
}

/* libcudart.so.11.0 is of any 11.x: its SONAME tells the major alone. */
static void test_framework_beside_a_toolkit_of_its_major(void **state)
{
    (void)state;
    struct facts *facts = machine("535.183.01", "13.0");
    facts_set_string(facts, "framework/0", "package", "torch", "METADATA");
    facts_set_string(facts, "framework/0", "version", "2.15.0", "METADATA");
    facts_set_string(facts, "framework/0", "directory", "/venv/torch", "METADATA");
    facts_set_string(facts, "framework/0", "cuda", "13.2", "version.py");
    facts_set_boolean(facts, "framework/0", "active", true, "PATH");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    size_t count = 0;
    for (size_t i = 0; i < judgement->finding_count; i++)
        if (string_equal(judgement->findings[i]->cause, CAUSE))
            count++;
    assert_int_equal(count, 2); /* the toolkit, and what is built for the same major */
    judgement_free(judgement);
    facts_free(facts);
}

static void test_soname_tells_the_major(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("450.80.02");
    add_wheel(facts, "/venv/a", "libcudart.so.11.0", NULL);
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_PASS, NULL);
    add_wheel(facts, "/venv/b", "libcudart.so.12", NULL);
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_says(found(judgement, CAUSE)->message, "CUDA runtime 12.x in /venv/b");
    judgement_free(judgement);
    facts_free(facts);
    facts = world_with_driver("410.48"); /* before 11 it told the minor too */
    add_wheel(facts, "/venv/a", "libcudart.so.10.1", NULL);
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_FAIL, "CUDA runtime 10.1 in /venv/a");
    facts_free(facts);
}

static void test_toolkits_own_copy_is_not_counted_twice(void **state)
{
    (void)state;
    struct facts *facts = machine("470.256.02", "12.4");
    world_library(facts, "cudart", "/usr/local/cuda-12.4/lib64/libcudart.so.12.4.127",
                  "libcudart.so.12", "12.4.127", "toolkit");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_int_equal(found_count(judgement, CAUSE), 1);
    judgement_free(judgement);
    facts_free(facts);
}

/* /usr is the root of Debian's toolkit, and everything is below it. */
static void test_wheel_below_a_toolkit_root_is_its_own(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("535.183.01");
    world_toolkit(facts, "/usr", "11.8", "PATH", "");
    add_wheel(facts, "/usr/lib/python3", "libcudart.so.13", "13.0.96");
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_WARN, "/usr/lib/python3");
    facts_free(facts);
}

static void test_other_architecture_and_stub_do_not_count(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("535.183.01");
    world_library(facts, "cudart", "/opt/arm/libcudart.so.13", "libcudart.so.13", "13.0.96",
                  "system");
    facts_set_string(facts, "library//opt/arm/libcudart.so.13", "architecture", "aarch64", "x");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_SKIP, "no CUDA toolkit or runtime");
    facts_free(facts);
}

/* Assumed machines. */

static void test_assumed_driver_is_the_yardstick(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    world_default_toolkit(facts, "/usr/local/cuda-13.0", "13.0");
    facts_set_string(facts, "assumed", "driver_version", "570.86.15", "--assume-driver");
    assert_found(facts, PURPOSE_BUILD, CAUSE, SEVERITY_FAIL, "assumed driver 570.86.15");
    struct judgement *judgement = world_judge(facts, PURPOSE_BUILD);
    assert_fix(found(judgement, CAUSE), "R580 or newer");
    assert_false(fix_says(found(judgement, CAUSE), "ubuntu-drivers"));
    assert_int_equal(judgement->exit_code, 1);
    judgement_free(judgement);
    facts_free(facts);

    facts = machine("580.95.05", "13.0"); /* before the loaded one */
    facts_set_string(facts, "assumed", "driver_version", "570.86.15", "--assume-driver");
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_FAIL, "assumed driver 570.86.15");
    facts_free(facts);
}

/* A V100: R580 is its last branch, and no driver brings it CUDA 13.4's. */
static void test_no_branch_beyond_the_gpus_last(void **state)
{
    (void)state;
    struct facts *facts = machine("470.256.02", "12.9.1");
    world_gpu(facts, "0000:01:00.0", "1db4", "nvidia");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, CAUSE), "nvidia:580");
    assert_false(fix_says(found(judgement, CAUSE), "615"));
    assert_false(fix_says(found(judgement, CAUSE), "a newer driver is not enough"));
    judgement_free(judgement);
    /* a K80: R470 is its last */
    world_gpu(facts, "0000:01:00.0", "102d", "nvidia");
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_says(found(judgement, CAUSE)->why, "no branch newer than R470 drives this GPU");
    assert_false(fix_says(found(judgement, CAUSE), "ubuntu-drivers"));
    assert_fix(found(judgement, CAUSE), "CUDA 11.8 or older");
    judgement_free(judgement);
    world_gpu(facts, "0000:02:00.0", "1db4", "nvidia"); /* both: the older one decides */
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_says(found(judgement, CAUSE)->why, "no branch newer than R470 drives this GPU");
    judgement_free(judgement);
    facts_free(facts);
}

/* CUDA 13 has no code for a V100: no driver makes it run. */
static void test_cuda_that_dropped_the_gpu(void **state)
{
    (void)state;
    struct facts *facts = machine("470.256.02", "13.4.1");
    world_gpu(facts, "0000:01:00.0", "1db4", "nvidia");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, CAUSE), "a newer driver is not enough");
    assert_fix(found(judgement, CAUSE), "for CUDA 12.9 or older");
    assert_fix(found(judgement, CAUSE), "without changing the driver");
    assert_false(fix_says(found(judgement, CAUSE), "nvidia:580"));
    judgement_free(judgement);
    world_gpu(facts, "0000:02:00.0", "2330", "nvidia"); /* an H100 beside it has code */
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_false(fix_says(found(judgement, CAUSE), "a newer driver is not enough"));
    judgement_free(judgement);
    facts_free(facts);
}

/* Forward compatibility. */

static void add_compat(struct facts *facts, const char *cuda, const char *version, bool loaded)
{
    AUTO_FREE char *directory = mem_printf("/usr/local/cuda-%s/compat", cuda);
    AUTO_FREE char *toolkit = mem_printf("toolkit//usr/local/cuda-%s", cuda);
    AUTO_FREE char *path = mem_printf("%s/libcuda.so.%s", directory, version);
    AUTO_FREE char *link = mem_printf("%s/libcuda.so.1", directory);
    facts_set_string(facts, toolkit, "compat_path", directory, directory);
    world_library(facts, "driver", path, "libcuda.so.1", version, "compat");
    if (loaded)
        world_loader(facts, "libcuda.so.1", link, path, "LD_LIBRARY_PATH: compat");
}

static void test_compat_on_a_data_centre_gpu_passes(void **state)
{
    (void)state;
    struct facts *facts = machine("535.183.01", "13.0");
    add_compat(facts, "13.0", "580.95.05", true);
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_PASS, NULL);
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_INFO, "through the cuda-compat in");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_non_null(found(judgement, CAUSE)->manifest);
    assert_true(strncmp(found(judgement, CAUSE)->manifest, "compat/", 7) == 0);
    judgement_free(judgement);
    facts_free(facts);
}

static void test_compat_not_on_the_path_is_named_as_the_fix(void **state)
{
    (void)state;
    struct facts *facts = machine("535.183.01", "13.0");
    add_compat(facts, "13.0", "580.95.05", false);
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_FAIL, "is too old");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    const struct finding *finding = found(judgement, CAUSE);
    assert_says(finding->why, "the loader does not look there");
    assert_says(finding->fixes[0].command,
                "LD_LIBRARY_PATH=/usr/local/cuda-13.0/compat${LD_LIBRARY_PATH");
    assert_false(finding->fixes[0].root);
    judgement_free(judgement);
    facts_free(facts);
}

static void test_compat_may_be_installed(void **state)
{
    (void)state;
    struct facts *facts = machine("535.183.01", "13.0");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_says(found(judgement, CAUSE)->fixes[0].command, "ubuntu-drivers install nvidia:580");
    assert_fix(found(judgement, CAUSE), "apt-get install cuda-compat-13-0");
    assert_fix(found(judgement, CAUSE), "export LD_LIBRARY_PATH=/usr/local/cuda-13.0/compat");
    judgement_free(judgement);
    world_gpu(facts, "0000:01:00.0", "1db4", "nvidia"); /* V100: the compat of 13.1 drives none */
    world_default_toolkit(facts, "/usr/local/cuda-13.1", "13.1");
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_false(fix_says(found(judgement, CAUSE), "cuda-compat-13-1"));
    judgement_free(judgement);
    world_gpu(facts, "0000:01:00.0", "2684", "nvidia"); /* RTX 4090 */
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_false(fix_says(found(judgement, CAUSE), "cuda-compat"));
    judgement_free(judgement);
    facts_free(facts);
}

static void test_compat_on_a_geforce_fails(void **state)
{
    (void)state;
    struct facts *facts = machine("535.183.01", "13.0");
    add_compat(facts, "13.0", "580.95.05", true);
    world_gpu(facts, "0000:01:00.0", "2684", "nvidia");
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_FAIL, "is too old");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_says(found(judgement, CAUSE)->why, "only data-centre GPUs");
    judgement_free(judgement);
    facts_free(facts);

    facts = machine("535.183.01", "13.0"); /* one GeForce among others is enough */
    add_compat(facts, "13.0", "580.95.05", true);
    world_gpu(facts, "0000:02:00.0", "2684", "nvidia");
    world_gpu(facts, "0000:03:00.0", "2330", "nvidia");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_FAIL, NULL);
    facts_free(facts);
}

static void test_compat_on_a_gpu_that_is_not_known(void **state)
{
    (void)state;
    struct facts *facts = machine("535.183.01", "13.0");
    add_compat(facts, "13.0", "580.95.05", true);
    world_gpu(facts, "0000:01:00.0", "fff1", "nvidia");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_UNKNOWN, "cuda-compat");
    facts_free(facts);
    facts = machine("535.183.01", "12.9"); /* runs without it: no need to know */
    add_compat(facts, "12.9", "575.57.08", true);
    world_gpu(facts, "0000:01:00.0", "fff1", "nvidia");
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_INFO, "minor-version compatibility");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_PASS, NULL);
    facts_free(facts);
}

/* What NVIDIA's matrix leaves out is not known; what it refuses fails. */
static void test_compat_on_branches_that_are_not_bases(void **state)
{
    (void)state;
    struct facts *facts = machine("575.57.08", "13.0");
    add_compat(facts, "13.0", "580.95.05", true);
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_UNKNOWN, "this driver's branch");
    facts_free(facts);
    facts = machine("570.86.15", "12.9"); /* cuda-compat-12-2 on R570: refused, and not needed */
    add_compat(facts, "12.9", "535.183.01", true);
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_INFO, "minor-version compatibility");
    facts_free(facts);
}

/* A compat package of an older CUDA does not reach the newer toolkit. */
static void test_compat_that_is_not_enough(void **state)
{
    (void)state;
    struct facts *facts = machine("535.183.01", "13.0");
    world_toolkit(facts, "/usr/local/cuda-12.8", "12.8", "/usr/local/cuda-12.8", "");
    add_compat(facts, "12.8", "570.86.15", true);
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_FAIL, "is too old for CUDA toolkit 13.0");
    facts_free(facts);
}

static void test_assumed_machine_with_compat(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    world_default_toolkit(facts, "/usr/local/cuda-13.0", "13.0");
    add_compat(facts, "13.0", "580.95.05", true);
    facts_set_string(facts, "assumed", "driver_version", "535.183.01", "--assume-driver");
    facts_set_string(facts, "assumed/0", "device_id", "2330", "--assume-gpu");
    assert_check(facts, PURPOSE_BUILD, CAUSE, CHECK_PASS, NULL);
    facts_free(facts);
}

/* Where nothing can be compared. */

static void test_gpu_that_came_after_the_driver(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("535.183.01");
    facts_set_string(facts, "assumed/0", "device_id", "2b85", "--assume-gpu"); /* RTX 5090 */
    assert_found(
        facts, PURPOSE_RUN, CAUSE, SEVERITY_FAIL,
        "driver 535.183.01 does not support GeForce RTX 5090 (compute capability 12.0) yet: "
        "R570 is the first branch that does");
    assert_found(facts, PURPOSE_BUILD, CAUSE, SEVERITY_INFO, "does not support");
    facts_set_string(facts, "assumed", "driver_version", "570.86.15", "--assume-driver");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_null(found(judgement, CAUSE));
    judgement_free(judgement);
    facts_free(facts);
}

static void test_gpu_on_the_bus_that_the_driver_does_not_know(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("535.183.01");
    world_gpu(facts, "0000:65:00.0", "2b85", NULL);
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_FAIL, "does not support GeForce RTX 5090");
    facts_set_string(facts, "pci/0000:65:00.0", "driver", "nvidia", "sysfs");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_null(found(judgement, CAUSE));
    judgement_free(judgement);
    facts_free(facts);
}

static void test_skips(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("470.256.02");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_SKIP, "no CUDA toolkit");
    facts_free(facts);
    facts = world_bare();
    world_default_toolkit(facts, "/usr/local/cuda-13.0", "13.0");
    assert_check(facts, PURPOSE_BUILD, CAUSE, CHECK_SKIP, "no NVIDIA driver");
    /* the libcuda of cuda-compat is no driver */
    add_compat(facts, "13.0", "580.95.05", true);
    assert_check(facts, PURPOSE_BUILD, CAUSE, CHECK_SKIP, "no NVIDIA driver");
    facts_set_string(facts, "machine", "jetson_release", "36.4.3", "/etc/nv_tegra_release");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_SKIP, "Jetson");
    facts_free(facts);
}

static void test_unknowns(void **state)
{
    (void)state;
    struct facts *facts = machine("580.95.05", "13.0");
    facts_set_absent(facts, "toolkit//usr/local/cuda-13.0", "version", "version.json");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_UNKNOWN, "cannot compare");
    facts_set_string(facts, "toolkit//usr/local/cuda-13.0", "version", "13.0rc1", "version.json");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_UNKNOWN, "cannot compare");
    facts_set_string(facts, "toolkit//usr/local/cuda-13.0", "version", "99.0", "version.json");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_UNKNOWN, "the manifest does not list");
    facts_set_string(facts, "module", "version", "garbage", "/sys/module/nvidia/version");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_UNKNOWN, "garbage is not a driver version");
    facts_set_unknown(facts, "toolkit", "count", "permission denied", "/usr/local");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_UNKNOWN, "permission denied");
    facts_free(facts);
}

/* One toolkit fails, one cannot be compared: it fails. */
static void test_fail_outweighs_unknown(void **state)
{
    (void)state;
    struct facts *facts = machine("470.256.02", "12.4");
    world_toolkit(facts, "/opt/cuda", NULL, "/opt/cuda", "");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_FAIL, NULL);
    facts_free(facts);
}

/* Unknown is never counted as good, nor as a mere warning. */
static void test_unknown_outweighs_warn(void **state)
{
    (void)state;
    struct facts *facts = machine("535.183.01", "12.2");
    world_toolkit(facts, "/opt/cuda-13", "13.0", "/opt/cuda-13", "");
    world_toolkit(facts, "/opt/cuda", NULL, "/opt/cuda", "");
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_WARN, "/opt/cuda-13");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_UNKNOWN, "/opt/cuda");
    facts_free(facts);
}

static void test_wsl(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    static const char path[] = "/usr/lib/wsl/lib/libcuda.so.1.1";
    world_default_toolkit(facts, "/usr/local/cuda-13.0", "13.0");
    facts_set_integer(facts, "machine", "wsl", 2, "/proc/version");
    world_library(facts, "driver", path, "libcuda.so.1", NULL, "wsl");
    world_loader(facts, "libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1", path, "ld.so.cache");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_SKIP, "Windows driver");
    facts_set_string(facts, "library//usr/lib/wsl/lib/libcuda.so.1.1", "version", "560.94", path);
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, CAUSE), "in Windows");
    assert_fix(found(judgement, CAUSE), "wsl --shutdown");
    judgement_free(judgement);
    facts_free(facts);
}

static void test_in_a_container_the_driver_is_the_hosts(void **state)
{
    (void)state;
    struct facts *facts = machine("535.183.01", "13.0");
    world_container(facts, "docker");
    struct judgement *judgement = world_judge(facts, PURPOSE_CONTAINER);
    assert_fix(found(judgement, CAUSE), "on the host, not in this container: install driver branch "
                                        "R580 or newer");
    assert_false(fix_says(found(judgement, CAUSE), "ubuntu-drivers"));
    judgement_free(judgement);
    facts_free(facts);
}

/* A tree holds libraries, no module. */
static void test_driver_of_a_tree_is_its_libcuda(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    facts_set_skipped(facts, "module", "version", "a tree runs no kernel", "/sys/module");
    world_driver_libraries(facts, "535.183.01");
    world_default_toolkit(facts, "/usr/local/cuda-13.0", "13.0");
    assert_found(facts, PURPOSE_BUILD, CAUSE, SEVERITY_INFO, "driver 535.183.01");
    facts_free(facts);
}

/* The 1 of a plain libcuda.so.1 is the SONAME's, and no driver's. */
static void test_a_name_without_a_version(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    world_library(facts, "driver", "/usr/lib/wsl/lib/libcuda.so.1", "libcuda.so.1", NULL, "wsl");
    world_loader(facts, "libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1",
                 "/usr/lib/wsl/lib/libcuda.so.1", "ld.so.cache");
    world_default_toolkit(facts, "/usr/local/cuda-13.0", "13.0");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_UNKNOWN,
                 "neither a file nor a library call shows the driver's version");
    facts_set_integer(facts, "machine", "wsl", 2, "/proc/version");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_SKIP, "Windows driver");
    world_answer(facts, "libcuda.so.1", 0, NULL, "12.8");
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_FAIL, "the driver (supports CUDA 12.8)");
    facts_set_string(facts, "toolkit//usr/local/cuda-13.0", "version", "13.0rc1", "version.json");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_UNKNOWN,
                 "compare the driver (supports CUDA 12.8)");
    facts_free(facts);
}

/* A libcudart whose file has no version: what it says when called, when it is that file. */
static void test_a_runtime_that_was_called(void **state)
{
    static const char path[] = "/venv/site-packages/nvidia/cuda_runtime/lib/libcudart.so.12";
    static const char link[] = "/opt/lib/libcudart.so.12";
    (void)state;
    for (int linked = 0; linked < 2; linked++) {
        struct facts *facts = world_with_driver("535.183.01");
        world_library(facts, "cudart", path, "libcudart.so.12", linked ? "12" : NULL, "wheel");
        AUTO_FREE char *group = facts_group_name("library", path);
        world_list(facts, group, "found_as", link);
        world_called(facts, "libcudart.so.12", "/elsewhere/libcudart.so.12", "12.9", "elsewhere");
        assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_PASS, NULL);
        world_called(facts, "libcudart.so.12", linked ? link : path, "12.9",
                     "cudaRuntimeGetVersion");
        struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
        assert_says(found(judgement, CAUSE)->message, "CUDA runtime 12.9 in /venv");
        assert_true(evidence_from(found(judgement, CAUSE), "cudaRuntimeGetVersion"));
        judgement_free(judgement);
        facts_set_string(facts, group, "version", "12.1.105", path); /* as read is better */
        judgement = world_judge(facts, PURPOSE_RUN);
        assert_null(found(judgement, CAUSE));
        judgement_free(judgement);
        facts_free(facts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_too_old_is_found),
        cmocka_unit_test(test_every_12_is_too_new_for_470),
        cmocka_unit_test(test_exact_passes),
        cmocka_unit_test(test_minor_version_compatibility_passes_and_says_what_is_lost),
        cmocka_unit_test(test_ptx_of_a_newer_toolkit),
        cmocka_unit_test(test_another_major_fails),
        cmocka_unit_test(test_default_that_runs_makes_others_a_warning),
        cmocka_unit_test(test_default_that_does_not_run_fails),
        cmocka_unit_test(test_cuda_home_is_the_default_without_a_link),
        cmocka_unit_test(test_build_for_the_older_cuda),
        cmocka_unit_test(test_wheel_that_is_too_new),
        cmocka_unit_test(test_wheel_beside_a_default_that_runs),
        cmocka_unit_test(test_wheel_of_an_active_framework),
        cmocka_unit_test(test_framework_without_a_runtime),
        cmocka_unit_test(test_framework_beside_a_toolkit_of_its_major),
        cmocka_unit_test(test_soname_tells_the_major),
        cmocka_unit_test(test_toolkits_own_copy_is_not_counted_twice),
        cmocka_unit_test(test_wheel_below_a_toolkit_root_is_its_own),
        cmocka_unit_test(test_other_architecture_and_stub_do_not_count),
        cmocka_unit_test(test_assumed_driver_is_the_yardstick),
        cmocka_unit_test(test_no_branch_beyond_the_gpus_last),
        cmocka_unit_test(test_cuda_that_dropped_the_gpu),
        cmocka_unit_test(test_compat_on_a_data_centre_gpu_passes),
        cmocka_unit_test(test_compat_not_on_the_path_is_named_as_the_fix),
        cmocka_unit_test(test_compat_may_be_installed),
        cmocka_unit_test(test_compat_on_a_geforce_fails),
        cmocka_unit_test(test_compat_on_a_gpu_that_is_not_known),
        cmocka_unit_test(test_compat_on_branches_that_are_not_bases),
        cmocka_unit_test(test_compat_that_is_not_enough),
        cmocka_unit_test(test_assumed_machine_with_compat),
        cmocka_unit_test(test_gpu_that_came_after_the_driver),
        cmocka_unit_test(test_gpu_on_the_bus_that_the_driver_does_not_know),
        cmocka_unit_test(test_skips),
        cmocka_unit_test(test_unknowns),
        cmocka_unit_test(test_fail_outweighs_unknown),
        cmocka_unit_test(test_unknown_outweighs_warn),
        cmocka_unit_test(test_wsl),
        cmocka_unit_test(test_a_name_without_a_version),
        cmocka_unit_test(test_a_runtime_that_was_called),
        cmocka_unit_test(test_in_a_container_the_driver_is_the_hosts),
        cmocka_unit_test(test_driver_of_a_tree_is_its_libcuda),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
