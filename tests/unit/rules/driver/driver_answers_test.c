/* SPDX-License-Identifier: MIT */
#include "rules/engine/finding.h"
#include "rules/world.h"

#define CUDA     "cuda_init_failed"
#define NVML     "nvml_init_failed"
#define MISMATCH "driver_library_mismatch"
#define LIBCUDA  "libcuda.so.1"
#define LIBNVML  "libnvidia-ml.so.1"

static void test_answers_that_work_pass(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    assert_check(facts, PURPOSE_RUN, CUDA, CHECK_SKIP, "not asked");
    assert_check(facts, PURPOSE_RUN, NVML, CHECK_SKIP, "not asked");
    world_answer(facts, LIBCUDA, 0, NULL, "13.0");
    world_answer(facts, LIBNVML, 0, NULL, NULL);
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_int_equal(check_of(judgement, CUDA)->status, CHECK_PASS);
    assert_int_equal(check_of(judgement, NVML)->status, CHECK_PASS);
    assert_int_equal(judgement->exit_code, 0);
    judgement_free(judgement);
    facts_set_skipped(facts, "answer/" LIBCUDA, "init", "others may write /opt", "/opt");
    assert_check(facts, PURPOSE_RUN, CUDA, CHECK_SKIP, "others may write /opt");
    facts_free(facts);
}

/* The kernel log of gVisor tells nothing; its host does. */
static void test_in_gvisor_the_host_is_to_be_asked(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    facts_set_string(facts, "container", "sandbox", "gvisor", "/proc/sentry-meminfo");
    world_answer(facts, LIBCUDA, 999, NULL, "13.0");
    struct judgement *judgement = world_judge(facts, PURPOSE_CONTAINER);
    const struct finding *finding = found(judgement, CUDA);
    assert_says(finding->why, "--nvproxy");
    assert_int_equal(finding->fix_count, 1);
    assert_string_equal(finding->fixes[0].command, "runsc nvproxy list-supported-drivers");
    assert_int_equal(finding->fixes[0].kind, FIX_HOST);
    judgement_free(judgement);
    facts_free(facts);
}

/* What no rule explains is the top finding, with its number and what it may be. */
static void test_unexplained_numbers_are_said(void **state)
{
    static const struct {
        int64_t number;
        const char *name, *remains;
    } errors[] = {
        {802, "CUDA_ERROR_SYSTEM_NOT_READY", "Fabric Manager"},
        {999, "CUDA_ERROR_UNKNOWN", "bad state"},
        {100, "CUDA_ERROR_NO_DEVICE", "cgroup"},
        {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "reloaded"},
        {46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "exclusive"},
        {304, "CUDA_ERROR_OPERATING_SYSTEM", "SELinux"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        struct facts *facts = world_with_driver("580.95.05");
        world_answer(facts, LIBCUDA, errors[i].number, NULL, "13.0");
        struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
        const struct finding *top = judgement->findings[0];
        assert_string_equal(top->cause, CUDA);
        assert_int_equal(top->severity, SEVERITY_FAIL);
        assert_says(top->message, errors[i].name);
        assert_says(top->why, errors[i].remains);
        AUTO_FREE char *row = mem_printf("error/cuda-%lld", (long long)errors[i].number);
        assert_string_equal(top->manifest, row);
        assert_int_equal(top->fix_count, 1);
        assert_non_null(top->fixes[0].command);
        assert_int_equal(judgement->exit_code, 1);
        judgement_free(judgement);
        facts_free(facts);
    }
}

static void assert_no_ready_fix(const struct facts *facts)
{
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_false(fix_says(found(judgement, CUDA), "-srs 1"));
    judgement_free(judgement);
}

/* Of GPUs that do not use confidential computing, drivers say "not ready", too. */
static void test_confidential_gpus(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    world_answer(facts, LIBCUDA, 802, NULL, "13.0");
    facts_set_integer(facts, "pci", "nvswitch_count", 4, "sysfs");
    facts_set_boolean(facts, "nvml", "confidential", false, "NVML");
    facts_set_boolean(facts, "nvml", "confidential_ready", false, "NVML");
    assert_no_ready_fix(facts);
    facts_set_boolean(facts, "nvml", "confidential", true, "NVML");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_says(found(judgement, CUDA)->why, "NVML says that the GPU is not ready");
    assert_string_equal(found(judgement, CUDA)->fixes[0].command,
                        "sudo nvidia-smi conf-compute -srs 1");
    assert_fix(found(judgement, CUDA), "conf-compute -grs");
    judgement_free(judgement);
    facts_set_boolean(facts, "nvml", "confidential_ready", true, "NVML");
    assert_no_ready_fix(facts);
    facts_free(facts);
}

/* The protected PCIe mode hides that confidential computing is on. */
static void test_confidential_guests(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    world_answer(facts, LIBCUDA, 802, NULL, "13.0");
    facts_set_integer(facts, "pci", "nvswitch_count", 0, "sysfs");
    facts_set_boolean(facts, "nvml", "confidential", false, "NVML");
    facts_set_string(facts, "machine", "confidential", "tdx", "/proc/cpuinfo");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_says(found(judgement, CUDA)->why, "confidential virtual machine (tdx)");
    assert_string_equal(found(judgement, CUDA)->fixes[0].command, "nvidia-smi conf-compute -grs");
    judgement_free(judgement);
    facts_set_boolean(facts, "nvml", "confidential_ready", true, "NVML");
    assert_no_ready_fix(facts);
    facts_free(facts);
}

static void test_a_number_of_the_future(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    world_answer(facts, LIBCUDA, 4711, "CUDA_ERROR_NEW", "13.0");
    assert_found(facts, PURPOSE_RUN, CUDA, SEVERITY_FAIL, "error 4711 (CUDA_ERROR_NEW)");
    world_answer(facts, LIBCUDA, -1, NULL, "13.0");
    assert_found(facts, PURPOSE_RUN, CUDA, SEVERITY_FAIL, "error -1");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_says(found(judgement, CUDA)->why, "this manifest (20");
    assert_null(found(judgement, CUDA)->manifest);
    assert_fix(found(judgement, CUDA), "dmesg");
    judgement_free(judgement);
    facts_free(facts);
}

/* A number that is known, but seldom comes from cuInit: what is known of it is said. */
static void test_a_number_with_a_meaning_alone(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    world_answer(facts, LIBCUDA, 1, NULL, "13.0");
    assert_found(facts, PURPOSE_RUN, CUDA, SEVERITY_FAIL, "error 1 (CUDA_ERROR_INVALID_VALUE)");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_says(found(judgement, CUDA)->why,
                "an invalid value was passed to a CUDA call; no other finding");
    assert_says(found(judgement, CUDA)->why, "common causes: a null pointer");
    assert_string_equal(found(judgement, CUDA)->manifest, "error/cuda-1");
    assert_fix(found(judgement, CUDA), "dmesg");
    judgement_free(judgement);
    facts_free(facts);
}

static void test_explained_numbers_are_consequences(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    facts_set_boolean(facts, "module", "nvidia_uvm", false, "/proc/modules");
    world_answer(facts, LIBCUDA, 999, "CUDA_ERROR_UNKNOWN", "13.0");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_string_equal(judgement->findings[0]->code, "DRV-007");
    assert_string_equal(judgement->findings[1]->code, "DRV-013");
    assert_string_equal(judgement->findings[1]->caused_by, "DRV-007");
    assert_int_equal(judgement->findings[1]->fix_count, 0);
    judgement_free(judgement);
    facts_free(facts);
    facts = world_bare();
    world_driver_libraries(facts, "535.183.01");
    world_answer(facts, LIBCUDA, 100, "CUDA_ERROR_NO_DEVICE", "12.2");
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_string_equal(judgement->findings[0]->code, "GPU-001");
    assert_string_equal(found(judgement, CUDA)->caused_by, "GPU-001");
    assert_int_equal(judgement->fail, 1);
    judgement_free(judgement);
    assert_check(facts, PURPOSE_BUILD, CUDA, CHECK_SKIP, "no GPU");
    facts_free(facts);
}

static void test_crash_and_hang_are_unknown(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    world_no_answer(facts, LIBCUDA, "no answer in 10 s in cuInit");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_int_equal(check_of(judgement, CUDA)->status, CHECK_UNKNOWN);
    assert_says(check_of(judgement, CUDA)->reason, "no answer in 10 s in cuInit");
    assert_int_equal(judgement->exit_code, 3);
    judgement_free(judgement);
    world_no_answer(facts, LIBNVML, "killed by signal 11 in nvmlInit_v2");
    assert_check(facts, PURPOSE_RUN, NVML, CHECK_UNKNOWN, "signal 11");
    facts_free(facts);
}

static void test_nvml_alone_is_a_warning(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    world_answer(facts, LIBCUDA, 0, NULL, "13.0");
    world_answer(facts, LIBNVML, 999, "Unknown Error", NULL);
    assert_found(facts, PURPOSE_RUN, NVML, SEVERITY_WARN, "nvmlInit");
    world_answer(facts, LIBCUDA, 999, NULL, "13.0");
    assert_found(facts, PURPOSE_RUN, NVML, SEVERITY_FAIL, "NVML_ERROR_UNKNOWN");
    facts_free(facts);
}

/* driver_library_mismatch, told by the libraries. */

static void test_answers_tell_a_mismatch(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("570.195.03");
    world_driver_libraries(facts, "570.211.01");
    world_module_file(facts, "6.8.0-50-generic", "570.211.01");
    world_answer(facts, LIBCUDA, 803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "12.8");
    world_answer(facts, LIBNVML, 18, "Driver/library version mismatch", NULL);
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_string_equal(judgement->findings[0]->cause, MISMATCH);
    assert_string_equal(found(judgement, CUDA)->caused_by, "DRV-004");
    assert_string_equal(found(judgement, NVML)->caused_by, "DRV-004");
    assert_int_equal(judgement->fail, 1);
    judgement_free(judgement);
    facts_free(facts);
}

static void test_mismatch_without_versions(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("570.195.03");
    facts_set_absent(facts, "module", "version", "/sys/module/nvidia/version");
    world_answer(facts, LIBNVML, 18, "Driver/library version mismatch", NULL);
    assert_found(facts, PURPOSE_RUN, MISMATCH, SEVERITY_FAIL, "has a different version");
    world_answer(facts, LIBNVML, 0, NULL, NULL);
    assert_check(facts, PURPOSE_RUN, MISMATCH, CHECK_UNKNOWN, "version");
    facts_free(facts);
}

/* A library that starts is of the module's release, whatever its file is called. */
static void test_what_works_is_no_mismatch(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("570.195.03");
    world_driver_libraries(facts, "570.211.01");
    world_answer(facts, LIBCUDA, 0, NULL, "12.8");
    world_answer(facts, LIBNVML, 0, NULL, NULL);
    assert_check(facts, PURPOSE_RUN, MISMATCH, CHECK_PASS, NULL);
    facts_free(facts);
}

/* libcuda_kmod_version_mismatch */

#define STALE "libcuda_kmod_version_mismatch"

static struct facts *with_stale(const char *origin, const char *version)
{
    struct facts *facts = world_with_driver("570.195.03");
    AUTO_FREE char *path = mem_printf("/opt/old/libcuda.so.%s", version);
    world_library(facts, "driver", path, LIBCUDA, version, origin);
    world_loader(facts, LIBCUDA, "/opt/old/libcuda.so.1", path, "LD_LIBRARY_PATH: /opt/old");
    facts_set_string(facts, "environment", "LD_LIBRARY_PATH", "/opt/old:/usr/local/lib",
                     "environment");
    return facts;
}

static void test_stale_copy_is_picked(void **state)
{
    (void)state;
    struct facts *facts = with_stale("system", "535.183.01");
    world_answer(facts, LIBCUDA, 803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "12.2");
    assert_found(facts, PURPOSE_RUN, STALE, SEVERITY_FAIL,
                 "/opt/old/libcuda.so.535.183.01 (535.183.01)");
    assert_check(facts, PURPOSE_RUN, MISMATCH, CHECK_PASS, NULL);
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_string_equal(judgement->findings[0]->cause, STALE);
    assert_says(judgement->findings[0]->why, "/usr/lib/libcuda.so.570.195.03");
    assert_says(judgement->findings[0]->why, "LD_LIBRARY_PATH: /opt/old");
    assert_fix(judgement->findings[0], "export LD_LIBRARY_PATH=/usr/local/lib");
    assert_string_equal(found(judgement, CUDA)->caused_by, "DRV-008");
    assert_int_equal(judgement->fail, 1);
    judgement_free(judgement);
    facts_free(facts);
}

static void test_stale_copy_in_the_cache(void **state)
{
    (void)state;
    struct facts *facts = with_stale("system", "535.183.01");
    world_loader(facts, LIBCUDA, "/opt/old/libcuda.so.1", "/opt/old/libcuda.so.535.183.01",
                 "ld.so.cache");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, STALE), "sudo rm /opt/old/libcuda.so.535.183.01 && sudo ldconfig");
    judgement_free(judgement);
    world_container(facts, "docker");
    judgement = world_judge(facts, PURPOSE_CONTAINER);
    assert_false(fix_says(found(judgement, STALE), "sudo rm"));
    assert_fix(found(judgement, STALE), "image");
    judgement_free(judgement);
    facts_free(facts);
}

static void test_old_compat_is_a_stale_copy(void **state)
{
    (void)state;
    struct facts *facts = with_stale("compat", "535.183.01");
    world_answer(facts, LIBCUDA, 803, NULL, "12.2");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_string_equal(judgement->findings[0]->cause, STALE);
    assert_null(found(judgement, "forward_compat_unsupported_gpu"));
    judgement_free(judgement);
    facts_free(facts);
}

/* A leftover of the loaded module's release, after an upgrade: a reboot fixes it. */
static void test_waiting_for_a_reboot_is_not_stale(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("570.195.03");
    world_driver_libraries(facts, "570.211.01");
    world_module_file(facts, "6.8.0-50-generic", "570.211.01");
    assert_check(facts, PURPOSE_RUN, STALE, CHECK_PASS, NULL);
    assert_check(facts, PURPOSE_RUN, MISMATCH, CHECK_FAIL, NULL);
    facts_free(facts);
}

static void test_no_right_copy_is_the_other_cause(void **state)
{
    (void)state;
    struct facts *facts = with_stale("system", "535.183.01");
    AUTO_FREE char *right = facts_group_name("library", "/usr/lib/libcuda.so.570.195.03");
    facts_set_string(facts, right, "architecture", "i386", "/usr/lib"); /* of no use here */
    assert_check(facts, PURPOSE_RUN, STALE, CHECK_PASS, NULL);
    assert_check(facts, PURPOSE_RUN, MISMATCH, CHECK_FAIL, NULL);
    facts_free(facts);
}

static void test_stale_skip(void **state)
{
    (void)state;
    struct facts *facts = world_with_gpu();
    assert_check(facts, PURPOSE_RUN, STALE, CHECK_SKIP, "not known");
    world_module(facts, "570.195.03");
    assert_check(facts, PURPOSE_RUN, STALE, CHECK_SKIP, "finds no libcuda.so.1");
    facts_free(facts);
    facts = with_stale("system", "535.183.01");
    world_answer(facts, LIBCUDA, 0, NULL, "12.8");
    assert_check(facts, PURPOSE_RUN, STALE, CHECK_PASS, NULL);
    facts_free(facts);
}

/* forward_compat_unsupported_gpu */

#define COMPAT "forward_compat_unsupported_gpu"

static struct facts *with_compat(const char *driver, const char *device_id, const char *compat)
{
    struct facts *facts = world_with_driver(driver);
    AUTO_FREE char *path = mem_printf("/usr/local/cuda/compat/libcuda.so.%s", compat);
    world_gpu(facts, "0000:01:00.0", device_id, "nvidia");
    world_library(facts, "driver", path, LIBCUDA, compat, "compat");
    world_loader(facts, LIBCUDA, "/usr/local/cuda/compat/libcuda.so.1", path,
                 "LD_LIBRARY_PATH: /usr/local/cuda/compat");
    return facts;
}

#define RTX_3090 "2204"
#define H100     "2330"

static void test_compat_on_geforce(void **state)
{
    (void)state;
    struct facts *facts = with_compat("525.147.05", RTX_3090, "530.30.02");
    assert_found(facts, PURPOSE_CONTAINER, COMPAT, SEVERITY_FAIL, "/usr/local/cuda/compat");
    struct judgement *judgement = world_judge(facts, PURPOSE_CONTAINER);
    assert_string_equal(judgement->findings[0]->cause, COMPAT);
    assert_says(judgement->findings[0]->why, "804");
    assert_fix(judgement->findings[0], "LD_LIBRARY_PATH");
    assert_fix(judgement->findings[0], "R530");
    judgement_free(judgement);
    world_answer(facts, LIBCUDA, 0, NULL, "12.1"); /* it works: the class was wrong */
    assert_check(facts, PURPOSE_CONTAINER, COMPAT, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_804_is_enough(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("525.147.05");
    world_answer(facts, LIBCUDA, 804, NULL, "12.1");
    assert_found(facts, PURPOSE_RUN, COMPAT, SEVERITY_FAIL, "804");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_string_equal(found(judgement, CUDA)->caused_by, "DRV-009");
    judgement_free(judgement);
    facts_free(facts);
}

static void test_compat_on_a_data_centre_gpu_passes(void **state)
{
    (void)state;
    struct facts *facts = with_compat("535.183.01", H100, "570.86.15");
    assert_check(facts, PURPOSE_RUN, COMPAT, CHECK_PASS, NULL);
    world_no_answer(facts, LIBCUDA, "no answer in 10 s");
    assert_check(facts, PURPOSE_RUN, COMPAT, CHECK_UNKNOWN, "no answer in 10 s");
    world_answer(facts, LIBCUDA, 803, NULL, "12.8");
    assert_found(facts, PURPOSE_RUN, COMPAT, SEVERITY_FAIL, "compat");
    facts_free(facts);
    facts = with_compat("570.86.15", RTX_3090, "570.86.15"); /* the driver's own release */
    assert_check(facts, PURPOSE_RUN, COMPAT, CHECK_PASS, NULL);
    facts_free(facts);
    facts = world_with_driver("570.86.15");
    assert_check(facts, PURPOSE_RUN, COMPAT, CHECK_SKIP, "no cuda-compat");
    facts_free(facts);
}

/* driver_too_old, by what the driver says of itself. */

#define OLD "driver_too_old"

static void test_called_version_decides(void **state)
{
    (void)state;
    struct facts *facts = world_bare(); /* libcuda of a driver, no GPU: what a build machine has */
    world_driver_libraries(facts, "535.183.01");
    world_default_toolkit(facts, "/usr/local/cuda-13.0", "13.0");
    world_answer(facts, LIBCUDA, 100, "CUDA_ERROR_NO_DEVICE", "12.2");
    assert_found(facts, PURPOSE_RUN, OLD, SEVERITY_FAIL,
                 "driver 535.183.01 (supports CUDA 12.2) is too old for CUDA toolkit 13.0");
    world_answer(facts, LIBCUDA, 100, "CUDA_ERROR_NO_DEVICE", "13.0");
    assert_check(facts, PURPOSE_RUN, OLD, CHECK_PASS, NULL);
    world_answer(facts, LIBCUDA, 100, "CUDA_ERROR_NO_DEVICE", "13.9"); /* newer than the manifest */
    assert_check(facts, PURPOSE_RUN, OLD, CHECK_PASS, NULL);
    facts_free(facts);
    facts = world_with_driver("535.183.01");
    world_default_toolkit(facts, "/usr/local/cuda-12.9", "12.9.1");
    world_answer(facts, LIBCUDA, 0, NULL, "12.2");
    assert_found(facts, PURPOSE_RUN, OLD, SEVERITY_INFO, "minor-version compatibility");
    facts_free(facts);
}

static void test_compat_does_not_speak_for_the_driver(void **state)
{
    (void)state;
    struct facts *facts = with_compat("470.256.02", RTX_3090, "570.86.15");
    world_default_toolkit(facts, "/usr/local/cuda-12.8", "12.8");
    world_answer(facts, LIBCUDA, 804, NULL, "12.8");
    assert_found(facts, PURPOSE_RUN, OLD, SEVERITY_FAIL, "supports CUDA 11.4");
    facts_free(facts);
}

static void test_wsl_tells_by_answer(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    facts_set_integer(facts, "machine", "wsl", 2, "/proc/version");
    world_library(facts, "driver", "/usr/lib/wsl/lib/libcuda.so.1.1", LIBCUDA, NULL, "wsl");
    world_loader(facts, LIBCUDA, "/usr/lib/wsl/lib/libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1.1",
                 "ld.so.cache");
    world_default_toolkit(facts, "/usr/local/cuda-13.0", "13.0");
    assert_check(facts, PURPOSE_RUN, OLD, CHECK_SKIP, "Windows driver");
    world_answer(facts, LIBCUDA, 0, NULL, "12.6");
    assert_found(facts, PURPOSE_RUN, OLD, SEVERITY_FAIL,
                 "the driver (supports CUDA 12.6) is too old for CUDA toolkit 13.0");
    facts_free(facts);
}

static void test_assumed_driver_is_the_yardstick(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    world_default_toolkit(facts, "/usr/local/cuda-13.0", "13.0");
    world_answer(facts, LIBCUDA, 0, NULL, "13.0");
    facts_set_string(facts, "assumed", "driver_version", "535.183.01", "--assume-driver");
    assert_found(facts, PURPOSE_RUN, OLD, SEVERITY_FAIL, "assumed driver 535.183.01");
    facts_free(facts);
}

static void test_cudnn_tells_its_cuda(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("535.183.01");
    world_answer(facts, LIBCUDA, 0, NULL, "12.2");
    facts_set_string(facts, "answer/libcudnn.so.9", "path", "/usr/lib/libcudnn.so.9", "dlopen(3)");
    facts_set_string(facts, "answer/libcudnn.so.9", "version", "9.19.0", "cudnnGetVersion");
    facts_set_string(facts, "answer/libcudnn.so.9", "cudart_version", "13.0", "cudnnGet");
    assert_found(facts, PURPOSE_RUN, OLD, SEVERITY_FAIL, "cuDNN 9.19.0, built for CUDA 13");
    facts_set_string(facts, "answer/libcudnn.so.9", "cudart_version", "12.9", "cudnnGet");
    assert_check(facts, PURPOSE_RUN, OLD, CHECK_PASS, NULL);
    facts_free(facts);
}

#define TRUST "vendor_library_not_trusted"

static void world_untrusted(struct facts *facts, const char *library, const char *reason)
{
    AUTO_FREE char *group = facts_group_name("answer", library);
    facts_set_string(facts, group, "library", library, "the loader's search");
    facts_set_string(facts, group, "untrusted", reason, "/opt/lib");
    facts_set_skipped(facts, group, "init", reason, "/opt/lib");
    facts_set_skipped(facts, group, "version", reason, "/opt/lib");
}

static void test_a_library_that_others_can_change(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    assert_check(facts, PURPOSE_RUN, TRUST, CHECK_SKIP, "no vendor library");
    world_answer(facts, LIBCUDA, 0, NULL, "13.0");
    facts_set_absent(facts, "answer/" LIBCUDA, "untrusted", "permissions");
    world_answer(facts, LIBNVML, 0, NULL, NULL);
    facts_set_skipped(facts, "answer/" LIBNVML, "init", "users other than root can change it", "x");
    assert_check(facts, PURPOSE_RUN, TRUST, CHECK_PASS, NULL); /* only the fact says so */
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_null(found(judgement, TRUST));
    judgement_free(judgement);

    world_untrusted(facts, LIBCUDA, "users other than root can change /opt (it would load /opt/a)");
    world_untrusted(facts, LIBNVML, "users other than root can change /srv");
    assert_found(facts, PURPOSE_RUN, TRUST, SEVERITY_INFO,
                 "did not call libcuda.so.1, libnvidia-ml.so.1: users other than root can change "
                 "/opt (it would load /opt/a)");
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_int_equal(found_count(judgement, TRUST), 1);
    const struct finding *finding = found(judgement, TRUST);
    assert_says(finding->why, "runs as root");
    assert_int_equal(finding->evidence_count, 2);
    assert_fix(finding, "as an ordinary user");
    assert_fix(finding, "namei -l /usr/lib/libcuda.so.580.95.05");
    assert_int_equal(judgement->exit_code, 0);
    judgement_free(judgement);
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers_that_work_pass),
        cmocka_unit_test(test_a_library_that_others_can_change),
        cmocka_unit_test(test_unexplained_numbers_are_said),
        cmocka_unit_test(test_in_gvisor_the_host_is_to_be_asked),
        cmocka_unit_test(test_confidential_gpus),
        cmocka_unit_test(test_confidential_guests),
        cmocka_unit_test(test_a_number_of_the_future),
        cmocka_unit_test(test_a_number_with_a_meaning_alone),
        cmocka_unit_test(test_explained_numbers_are_consequences),
        cmocka_unit_test(test_crash_and_hang_are_unknown),
        cmocka_unit_test(test_nvml_alone_is_a_warning),
        cmocka_unit_test(test_answers_tell_a_mismatch),
        cmocka_unit_test(test_mismatch_without_versions),
        cmocka_unit_test(test_what_works_is_no_mismatch),
        cmocka_unit_test(test_stale_copy_is_picked),
        cmocka_unit_test(test_stale_copy_in_the_cache),
        cmocka_unit_test(test_old_compat_is_a_stale_copy),
        cmocka_unit_test(test_waiting_for_a_reboot_is_not_stale),
        cmocka_unit_test(test_no_right_copy_is_the_other_cause),
        cmocka_unit_test(test_stale_skip),
        cmocka_unit_test(test_compat_on_geforce),
        cmocka_unit_test(test_804_is_enough),
        cmocka_unit_test(test_compat_on_a_data_centre_gpu_passes),
        cmocka_unit_test(test_called_version_decides),
        cmocka_unit_test(test_compat_does_not_speak_for_the_driver),
        cmocka_unit_test(test_wsl_tells_by_answer),
        cmocka_unit_test(test_assumed_driver_is_the_yardstick),
        cmocka_unit_test(test_cudnn_tells_its_cuda),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
