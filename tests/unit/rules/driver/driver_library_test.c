/* SPDX-License-Identifier: MIT */
#include "rules/engine/finding.h"
#include "rules/world.h"

/* driver_library_mismatch */

#define MISMATCH "driver_library_mismatch"

static void test_mismatch_is_found(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("570.195.03");
    world_driver_libraries(facts, "570.211.01");
    assert_found(facts, PURPOSE_RUN, MISMATCH, SEVERITY_FAIL,
                 "user-space driver 570.211.01 does not match the loaded module 570.195.03");
    assert_found(facts, PURPOSE_BUILD, MISMATCH, SEVERITY_INFO, "570.211.01");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_int_equal(found_count(judgement, MISMATCH), 1);
    judgement_free(judgement);
    facts_free(facts);
}

/* What the module on disk is decides whether a reboot helps. */
static void test_fix_follows_the_module_on_disk(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("570.195.03");
    world_driver_libraries(facts, "570.211.01");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, MISMATCH), "--fix-broken");
    assert_false(fix_says(found(judgement, MISMATCH), "rmmod"));
    judgement_free(judgement);

    world_module_file(facts, "6.8.0-50-generic", "570.211.01");
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, MISMATCH), "sudo rmmod nvidia_uvm nvidia_drm nvidia_modeset "
                                           "nvidia && sudo modprobe -a nvidia nvidia_uvm");
    assert_fix(found(judgement, MISMATCH), "sudo reboot");
    assert_false(fix_says(found(judgement, MISMATCH), "--fix-broken"));
    judgement_free(judgement);

    facts_set_boolean(facts, "module", "nvidia_uvm", false, "/proc/modules"); /* rmmod minds it */
    facts_set_boolean(facts, "module", "nvidia_drm", false, "/proc/modules");
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_string_equal(found(judgement, MISMATCH)->fixes[0].command,
                        "sudo rmmod nvidia && sudo modprobe nvidia");
    judgement_free(judgement);

    world_package(facts, "nvidia-dkms-570", "install ok half-configured");
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_says(found(judgement, MISMATCH)->fixes[0].command, "sudo dpkg --configure -a");
    judgement_free(judgement);
    facts_free(facts);
}

static void test_nvml_alone_is_found_too(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("570.195.03");
    static const char path[] = "/usr/lib/libnvidia-ml.so.535.183.01";
    world_library(facts, "driver", path, "libnvidia-ml.so.1", "535.183.01", "package");
    world_loader(facts, "libnvidia-ml.so.1", "/usr/lib/libnvidia-ml.so.1", path, "ld.so.cache");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_string_equal(found(judgement, MISMATCH)->subject, "libnvidia-ml.so.1");
    assert_fix(found(judgement, MISMATCH),
               "remove the package that installed /usr/lib/libnvidia-ml");
    assert_false(fix_says(found(judgement, MISMATCH), "reboot"));
    judgement_free(judgement);
    world_package(facts, "libnvidia-compute-535", "install ok installed");
    facts_set_string(facts, "package/libnvidia-compute-535", "version", "535.183.01-0ubuntu1", "x");
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, MISMATCH), "apt-get remove libnvidia-compute-535");
    judgement_free(judgement);
    facts_free(facts);
}

/* Leading zeros are no difference: 570.86.5 is 570.86.05. */
static void test_compared_by_number(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("570.086.05");
    world_driver_libraries(facts, "570.86.5");
    assert_check(facts, PURPOSE_RUN, MISMATCH, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_compat_and_stub_are_excepted(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("535.183.01");
    static const char compat[] = "/usr/local/cuda-13.0/compat/libcuda.so.580.95.05";
    world_library(facts, "driver", compat, "libcuda.so.1", "580.95.05", "compat");
    world_loader(facts, "libcuda.so.1", "/usr/local/cuda-13.0/compat/libcuda.so.1", compat,
                 "LD_LIBRARY_PATH: /usr/local/cuda-13.0/compat");
    assert_check(facts, PURPOSE_RUN, MISMATCH, CHECK_PASS, NULL);
    static const char stub[] = "/usr/local/cuda-13.0/lib64/stubs/libcuda.so";
    world_library(facts, "driver", stub, "libcuda.so.1", NULL, "toolkit");
    world_loader(facts, "libcuda.so.1", stub, stub, "LD_LIBRARY_PATH: /stubs");
    assert_check(facts, PURPOSE_RUN, MISMATCH, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_mismatch_in_a_container(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("570.195.03");
    world_driver_libraries(facts, "570.211.01");
    world_container(facts, "docker");
    struct judgement *judgement = world_judge(facts, PURPOSE_CONTAINER);
    assert_int_equal(found(judgement, MISMATCH)->severity, SEVERITY_FAIL);
    assert_fix(found(judgement, MISMATCH), "start the container again");
    assert_fix(found(judgement, MISMATCH), "on the host");
    judgement_free(judgement);
    facts_free(facts);
}

static void test_mismatch_skips(void **state)
{
    (void)state;
    struct facts *facts = world_with_gpu();
    assert_check(facts, PURPOSE_RUN, MISMATCH, CHECK_SKIP, "not loaded");
    facts_free(facts);
    facts = world_with_driver("570.195.03");
    world_no_driver_libraries(facts);
    assert_check(facts, PURPOSE_RUN, MISMATCH, CHECK_SKIP, "no driver library");
    facts_set_integer(facts, "machine", "wsl", 2, "/proc/version");
    assert_check(facts, PURPOSE_RUN, MISMATCH, CHECK_SKIP, "WSL");
    facts_free(facts);
}

/* "cannot compare" instead of a guess. */
static void test_versions_that_are_none(void **state)
{
    static const char *const odd[] = {"",          "570",  "570.86.15\n",
                                      "570.86rc1", "12.4", "999999999999.1"};
    (void)state;
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        struct facts *facts = world_with_driver("570.195.03");
        facts_set_string(facts, "library//usr/lib/libcuda.so.570.195.03", "version", odd[i], "x");
        assert_check(facts, PURPOSE_RUN, MISMATCH, CHECK_UNKNOWN, "cannot compare");
        facts_free(facts);
    }
    struct facts *facts = world_with_driver("570.195.03");
    facts_set_unknown(facts, "module", "version", "permission denied", "/sys/module");
    assert_check(facts, PURPOSE_RUN, MISMATCH, CHECK_UNKNOWN, "permission denied");
    facts_free(facts);
}

/* The probe may not tell a version; the file's name does. */
static void test_version_of_the_file_name(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("570.195.03");
    world_driver_libraries(facts, "570.211.01");
    facts_set_absent(facts, "library//usr/lib/libcuda.so.570.211.01", "version", "x");
    assert_found(facts, PURPOSE_RUN, MISMATCH, SEVERITY_FAIL, "570.211.01");
    facts_free(facts);
}

/* stub_libcuda_loaded */

#define STUB  "stub_libcuda_loaded"
#define STUBS "/usr/local/cuda-13.0/targets/x86_64-linux/lib/stubs"

static void add_stub(struct facts *facts)
{
    world_library(facts, "driver", STUBS "/libcuda.so", "libcuda.so.1", NULL, "toolkit");
    world_list(facts, "library/" STUBS "/libcuda.so", "found_as", STUBS "/libcuda.so");
    facts_set_string(facts, "environment", "LD_LIBRARY_PATH", "/opt/x/lib:" STUBS, "environment");
}

static void test_stub_is_found(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    add_stub(facts);
    world_loader(facts, "libcuda.so.1", STUBS "/libcuda.so.1", STUBS "/libcuda.so",
                 "LD_LIBRARY_PATH: " STUBS);
    assert_found(facts, PURPOSE_RUN, STUB, SEVERITY_FAIL, STUBS);
    assert_found(facts, PURPOSE_BUILD, STUB, SEVERITY_INFO, STUBS);
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_string_equal(found(judgement, STUB)->fixes[0].command,
                        "export LD_LIBRARY_PATH=/opt/x/lib");
    judgement_free(judgement);

    facts_set_string(facts, "environment", "LD_LIBRARY_PATH", STUBS, "environment");
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_string_equal(found(judgement, STUB)->fixes[0].command, "unset LD_LIBRARY_PATH");
    judgement_free(judgement);
    facts_free(facts);
}

static void test_stub_in_the_cache(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    world_loader(facts, "libcuda.so.1", STUBS "/libcuda.so.1", STUBS "/libcuda.so", "ld.so.cache");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, STUB), "ldconfig");
    judgement_free(judgement);
    facts_free(facts);
}

/* numba and Triton open libcuda.so: LD_LIBRARY_PATH gives them the stub. */
static void test_unversioned_stub_is_a_warning(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    add_stub(facts);
    assert_found(facts, PURPOSE_RUN, STUB, SEVERITY_WARN, "libcuda.so get the link-time stub");
    assert_check(facts, PURPOSE_BUILD, STUB, CHECK_PASS, NULL);
    /* another libcuda.so comes first */
    world_loader(facts, "libcuda.so", "/opt/x/lib/libcuda.so", "/usr/lib/libcuda.so.580.95.05",
                 "LD_LIBRARY_PATH: /opt/x/lib");
    assert_check(facts, PURPOSE_RUN, STUB, CHECK_PASS, NULL);
    facts_free(facts);
}

/* "stubs" must be a component, and the stub elsewhere is where it belongs. */
static void test_stub_passes(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    world_library(facts, "driver", STUBS "/libcuda.so", "libcuda.so.1", NULL, "toolkit");
    facts_set_string(facts, "environment", "LD_LIBRARY_PATH", "/opt/mystubs/lib", "environment");
    assert_check(facts, PURPOSE_RUN, STUB, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_stub_skip_and_unknown(void **state)
{
    (void)state;
    struct facts *facts = world_with_gpu();
    assert_check(facts, PURPOSE_RUN, STUB, CHECK_SKIP, "no libcuda.so.1");
    facts_set_unknown(facts, "loader/libcuda.so.1", "path", "cache damaged", "/etc/ld.so.cache");
    assert_check(facts, PURPOSE_RUN, STUB, CHECK_UNKNOWN, "cache damaged");
    facts_free(facts);
}

/* --from: the libraries were not seen, and the driver itself tells. */
static void test_told_without_libraries(void **state)
{
    (void)state;
    static const char log[] = "kernel_log/api_mismatch";
    struct facts *facts = facts_new();
    facts_set_skipped(facts, "loader/libcuda.so.1", "path", "not in what was sent", "--from");
    facts_set_string(facts, log, "event", "api_mismatch", "dmesg.txt:1");
    facts_set_string(facts, log, "boot", "current", "dmesg.txt:1");
    facts_set_string(facts, log, "message", "NVRM: API mismatch: the client has", "dmesg.txt:1");
    assert_found(facts, PURPOSE_RUN, MISMATCH, SEVERITY_FAIL, "the kernel log says");
    facts_set_string(facts, log, "boot", "earlier", "dmesg.txt:1");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_int_equal(found_count(judgement, MISMATCH), 0);
    judgement_free(judgement);
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_told_without_libraries),
        cmocka_unit_test(test_mismatch_is_found),
        cmocka_unit_test(test_fix_follows_the_module_on_disk),
        cmocka_unit_test(test_nvml_alone_is_found_too),
        cmocka_unit_test(test_compared_by_number),
        cmocka_unit_test(test_compat_and_stub_are_excepted),
        cmocka_unit_test(test_mismatch_in_a_container),
        cmocka_unit_test(test_mismatch_skips),
        cmocka_unit_test(test_versions_that_are_none),
        cmocka_unit_test(test_version_of_the_file_name),
        cmocka_unit_test(test_stub_is_found),
        cmocka_unit_test(test_stub_in_the_cache),
        cmocka_unit_test(test_unversioned_stub_is_a_warning),
        cmocka_unit_test(test_stub_passes),
        cmocka_unit_test(test_stub_skip_and_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
