/* SPDX-License-Identifier: MIT */
#include "rules/world.h"

#define INSIDE   "wsl_linux_driver_inside"
#define DXGDMAL  "wsl_container_without_dxgdmal"
#define BLOCKED  "wsl_gpu_access_blocked"
#define MISMATCH "wsl_driver_mismatch"
#define LIBCUDA  "libcuda.so.1"
#define NVML     "libnvidia-ml.so.1"
#define WINDOWS  "/usr/lib/wsl/lib/"
#define LINUX    "/usr/lib/x86_64-linux-gnu/libcuda.so.550.120"

static const char *const causes[] = {"wsl_linux_driver_inside", "wsl_container_without_dxgdmal",
                                     "wsl_gpu_access_blocked", "wsl_driver_mismatch"};

static void windows_library(struct facts *facts, const char *soname)
{
    AUTO_FREE char *path = mem_printf(WINDOWS "%s", soname);
    world_library(facts, "driver", path, soname, NULL, "wsl");
    world_loader(facts, soname, path, path, "ld.so.cache");
}

/* WSL with the libraries of Windows's driver, which answer. */
static struct facts *wsl(void)
{
    struct facts *facts = world_bare();
    facts_set_integer(facts, "machine", "wsl", 2, "/proc/sys/kernel/osrelease");
    windows_library(facts, LIBCUDA);
    windows_library(facts, NVML);
    facts_set_integer(facts, "device", "count", 0, "/dev");
    world_node(facts, "dxg", "10:125", true);
    world_answer(facts, LIBCUDA, 0, NULL, "12.6");
    world_answer(facts, NVML, 0, NULL, NULL);
    facts_set_string(facts, "answer/" NVML, "driver_version", "561.09", NVML);
    return facts;
}

/* The same, and the loader picks a Linux driver's libcuda first, which finds no GPU. */
static struct facts *shadowed(void)
{
    struct facts *facts = wsl();
    world_library(facts, "driver", LINUX, LIBCUDA, "550.120", "package");
    world_loader(facts, LIBCUDA, "/usr/lib/x86_64-linux-gnu/" LIBCUDA, LINUX, "ld.so.cache");
    world_package(facts, "libnvidia-compute-550", "install ok installed");
    world_answer(facts, LIBCUDA, 100, "CUDA_ERROR_NO_DEVICE", "12.4");
    return facts;
}

static void only_in_wsl(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("570.86.15");
    for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
        assert_check(facts, PURPOSE_RUN, causes[i], CHECK_SKIP, "not WSL");
        assert_check(facts, PURPOSE_BUILD, causes[i], CHECK_SKIP, "not needed to build");
    }
    facts_set_unknown(facts, "machine", "wsl", "I/O error", "/proc/version");
    for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
        assert_check(facts, PURPOSE_RUN, causes[i], CHECK_UNKNOWN, "I/O error");
    facts_free(facts);
}

static void a_healthy_one_passes(void **state)
{
    (void)state;
    struct facts *facts = wsl();
    assert_check(facts, PURPOSE_RUN, INSIDE, CHECK_PASS, NULL);
    assert_check(facts, PURPOSE_RUN, BLOCKED, CHECK_PASS, NULL);
    assert_check(facts, PURPOSE_RUN, MISMATCH, CHECK_PASS, NULL);
    assert_check(facts, PURPOSE_RUN, DXGDMAL, CHECK_SKIP, "not in a container");
    world_container(facts, "docker");
    assert_check(facts, PURPOSE_RUN, DXGDMAL, CHECK_PASS, NULL);
    facts_free(facts);
}

static void a_linux_driver_inside(void **state)
{
    (void)state;
    struct facts *facts = shadowed();
    assert_found(facts, PURPOSE_RUN, INSIDE, SEVERITY_FAIL, LINUX);
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, INSIDE), "sudo apt-get remove libnvidia-compute-550");
    assert_fix(found(judgement, INSIDE), "export LD_LIBRARY_PATH=/usr/lib/wsl/lib");
    assert_string_equal(found(judgement, "cuda_init_failed")->caused_by, "DRV-038");
    judgement_free(judgement);
    world_default_toolkit(facts, "/usr/local/cuda-12.8", "12.8");
    assert_check(facts, PURPOSE_RUN, "driver_too_old", CHECK_SKIP, "hides that of the Windows");
    facts_set_boolean(facts, "driver_install", "runfile", true, "/usr/bin/nvidia-uninstall");
    assert_found_fix(facts, PURPOSE_RUN, INSIDE, "sudo nvidia-uninstall");
    world_answer(facts, LIBCUDA, 0, NULL, "12.4"); /* whatever it is, it works */
    assert_check(facts, PURPOSE_RUN, INSIDE, CHECK_PASS, NULL);
    facts_free(facts);
}

static void its_fix_fits_the_place(void **state)
{
    (void)state;
    struct facts *facts = shadowed();
    world_container(facts, "docker");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, INSIDE), "from the image");
    assert_false(fix_says(found(judgement, INSIDE), "apt-get"));
    judgement_free(judgement);
    facts_set_absent(facts, "container", "engine", "/.dockerenv");
    facts_set_string(facts, "os", "id", "fedora", "/etc/os-release");
    facts_set_string(facts, "os", "id_like", NULL, "/etc/os-release");
    assert_found_fix(facts, PURPOSE_RUN, INSIDE, "remove the package that installed " LINUX);
    facts_set_unknown(facts, "loader/" LIBCUDA, "path", "I/O error", "/etc/ld.so.cache");
    assert_check(facts, PURPOSE_RUN, INSIDE, CHECK_UNKNOWN, "I/O error");
    facts_free(facts);
}

/* A copy of cuda-compat is a Linux driver's libcuda too: of it, an answer decides. */
static void a_compat_that_does_not_start(void **state)
{
    (void)state;
    static const char compat[] = "/usr/local/cuda/compat/libcuda.so.550.54.15";
    struct facts *facts = wsl();
    world_library(facts, "driver", compat, LIBCUDA, "550.54.15", "compat");
    world_loader(facts, LIBCUDA, "/usr/local/cuda/compat/" LIBCUDA, compat, "ld.so.cache");
    world_answer(facts, LIBCUDA, 100, "CUDA_ERROR_NO_DEVICE", "12.4");
    assert_found(facts, PURPOSE_RUN, INSIDE, SEVERITY_FAIL, compat);
    world_answer(facts, LIBCUDA, 804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", "12.4");
    assert_check(facts, PURPOSE_RUN, INSIDE, CHECK_PASS, NULL);
    facts_free(facts);
}

static void nvml_alone_is_enough(void **state)
{
    (void)state;
    static const char path[] = "/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.510.108.03";
    struct facts *facts = wsl();
    world_library(facts, "driver", path, NVML, "510.108.03", "package");
    world_loader(facts, NVML, path, path, "ld.so.cache");
    world_answer(facts, NVML, 9, "NVML_ERROR_DRIVER_NOT_LOADED", NULL);
    assert_found(facts, PURPOSE_RUN, INSIDE, SEVERITY_FAIL, path);
    facts_free(facts);
}

static void a_container_without_dxgdmal(void **state)
{
    (void)state;
    struct facts *facts = wsl();
    world_container(facts, "docker");
    world_answer(facts, LIBCUDA, 500, "CUDA_ERROR_NOT_FOUND", "12.6");
    assert_found(facts, PURPOSE_RUN, DXGDMAL, SEVERITY_FAIL, "libnvdxgdmal.so.1");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_non_null(found(judgement, DXGDMAL)->manifest);
    assert_string_equal(found(judgement, "cuda_init_failed")->caused_by, "DRV-039");
    judgement_free(judgement);
    facts_set_string(facts, "answer/" NVML, "driver_version", "551.86", NVML);
    assert_check(facts, PURPOSE_RUN, DXGDMAL, CHECK_PASS, NULL); /* has no such library */
    facts_set_absent(facts, "answer/" NVML, "driver_version", NVML);
    assert_found(facts, PURPOSE_RUN, DXGDMAL, SEVERITY_FAIL, "libnvdxgdmal.so.1");
    world_library(facts, "driver", WINDOWS "libnvdxgdmal.so.1", "libnvdxgdmal.so.1", NULL, "wsl");
    assert_check(facts, PURPOSE_RUN, DXGDMAL, CHECK_PASS, NULL);
    world_no_answer(facts, LIBCUDA, "no answer in 10 s in cuInit");
    assert_check(facts, PURPOSE_RUN, DXGDMAL, CHECK_UNKNOWN, "in cuInit");
    facts_free(facts);
}

static struct facts *blocked(void)
{
    struct facts *facts = wsl();
    world_answer(facts, NVML, 17, "NVML_ERROR_OPERATING_SYSTEM", NULL);
    world_answer(facts, LIBCUDA, 100, "CUDA_ERROR_NO_DEVICE", "13.0");
    return facts;
}

static void windows_blocks_the_gpu(void **state)
{
    (void)state;
    struct facts *facts = blocked();
    assert_found(facts, PURPOSE_RUN, BLOCKED, SEVERITY_FAIL,
                 "Windows does not let WSL use the GPU");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_string_equal(found(judgement, "nvml_init_failed")->caused_by, "DRV-040");
    assert_string_equal(found(judgement, "cuda_init_failed")->caused_by, "DRV-040");
    judgement_free(judgement);
    world_answer(facts, LIBCUDA, 0, NULL, "13.0");
    assert_check(facts, PURPOSE_RUN, BLOCKED, CHECK_PASS, NULL);
    world_no_answer(facts, NVML, "no answer in 10 s in nvmlInit_v2");
    assert_check(facts, PURPOSE_RUN, BLOCKED, CHECK_UNKNOWN, "nvmlInit_v2");
    facts_free(facts);
}

static void a_kernel_without_dxg(void **state)
{
    (void)state;
    struct facts *facts = blocked();
    struct facts *bare = world_bare();
    facts_set_integer(bare, "machine", "wsl", 2, "/proc/sys/kernel/osrelease");
    world_answer(bare, NVML, 17, "NVML_ERROR_OPERATING_SYSTEM", NULL);
    assert_found(bare, PURPOSE_RUN, BLOCKED, SEVERITY_FAIL, "/dev/dxg is missing");
    world_container(bare, "docker"); /* whose engine gave it none */
    assert_check(bare, PURPOSE_RUN, BLOCKED, CHECK_PASS, NULL);
    facts_set_boolean(facts, "device/dxg", "usable", false, "open(2)");
    facts_set_string(facts, "device/dxg", "error", "EPERM", "open(2)");
    world_container(facts, "docker");
    assert_found(facts, PURPOSE_RUN, "cgroup_device_denied", SEVERITY_FAIL, "/dev/dxg");
    assert_check(facts, PURPOSE_RUN, BLOCKED, CHECK_PASS, NULL);
    facts_free(bare);
    facts_free(facts);
}

static void libraries_that_do_not_fit(void **state)
{
    (void)state;
    struct facts *facts = wsl();
    world_answer(facts, LIBCUDA, 999, "CUDA_ERROR_UNKNOWN", NULL);
    facts_set_string(facts, "answer/" NVML, "cuda_version", "12.6", NVML);
    assert_check(facts, PURPOSE_RUN, MISMATCH, CHECK_PASS, NULL);
    facts_set_unknown(facts, "answer/" NVML, "cuda_version",
                      "nvmlSystemGetCudaDriverVersion_v2: error 999 (Unknown Error)", NVML);
    assert_found(facts, PURPOSE_RUN, MISMATCH, SEVERITY_FAIL, "do not match the driver");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, MISMATCH), "wsl --shutdown");
    assert_string_equal(found(judgement, "cuda_init_failed")->caused_by, "DRV-041");
    judgement_free(judgement);
    world_container(facts, "podman");
    assert_found_fix(facts, PURPOSE_RUN, MISMATCH, "nvidia-ctk cdi generate");
    world_no_answer(facts, LIBCUDA, "crashed in cuInit");
    assert_check(facts, PURPOSE_RUN, MISMATCH, CHECK_UNKNOWN, "crashed");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_in_wsl),
        cmocka_unit_test(a_healthy_one_passes),
        cmocka_unit_test(a_linux_driver_inside),
        cmocka_unit_test(its_fix_fits_the_place),
        cmocka_unit_test(a_compat_that_does_not_start),
        cmocka_unit_test(nvml_alone_is_enough),
        cmocka_unit_test(a_container_without_dxgdmal),
        cmocka_unit_test(windows_blocks_the_gpu),
        cmocka_unit_test(a_kernel_without_dxg),
        cmocka_unit_test(libraries_that_do_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
