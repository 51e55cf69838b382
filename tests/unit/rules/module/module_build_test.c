/* SPDX-License-Identifier: MIT */
#include "rules/engine/finding.h"
#include "rules/world.h"

/* kmod_missing_headers, kmod_compiler_mismatch, dkms_build_failed, kmod_not_built_for_kernel */

#define HEADERS  "kmod_missing_headers"
#define COMPILER "kmod_compiler_mismatch"
#define BUILD    "dkms_build_failed"
#define KERNEL   "kmod_not_built_for_kernel"

#define RELEASE "6.8.0-50-generic"
#define OTHER   "6.8.0-45-generic"
#define DKMS    "dkms/nvidia/580.95.05"
#define LOG     "/var/lib/dkms/nvidia/580.95.05/build/make.log"

static const char *const causes[] = {HEADERS, COMPILER, BUILD, KERNEL};

/* DKMS has the driver, the running kernel no module; its headers are there. */
static struct facts *not_built(void)
{
    struct facts *facts = world_with_gpu();
    facts_set_integer(facts, "module_file", "count", 0, "/lib/modules");
    facts_set_string(facts, DKMS, "module", "nvidia", "/var/lib/dkms");
    facts_set_string(facts, DKMS, "version", "580.95.05", "/var/lib/dkms");
    facts_set_string(facts, DKMS, "state", "added", "/var/lib/dkms");
    world_list(facts, DKMS, "kernels", "");
    facts_set_string(facts, "installed_kernel/" RELEASE, "release", RELEASE, "/lib/modules");
    facts_set_boolean(facts, "installed_kernel/" RELEASE, "headers", true, "/lib/modules");
    world_package(facts, "nvidia-dkms-580", "install ok installed");
    return facts;
}

static void failed_log(struct facts *facts, const char *kernel, const char *errors)
{
    facts_set_string(facts, DKMS, "log", LOG, LOG);
    facts_set_string(facts, DKMS, "log_kernel", kernel, LOG);
    facts_set_string(facts, DKMS, "log_outcome", "failed", LOG);
    world_list(facts, DKMS, "log_errors", errors);
}

static void without_headers(struct facts *facts)
{
    facts_set_boolean(facts, "installed_kernel/" RELEASE, "headers", false, "/lib/modules");
}

/* It is the first finding, no other of the four is there, and the symptoms follow from it. */
static void assert_alone(const struct facts *facts, const char *cause)
{
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_string_equal(judgement->findings[0]->cause, cause);
    for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
        assert_int_equal(found_count(judgement, causes[i]), strcmp(causes[i], cause) == 0);
    const struct finding *symptom = found(judgement, "module_not_loaded");
    assert_non_null(symptom);
    assert_string_equal(symptom->caused_by, judgement->findings[0]->code);
    assert_int_equal(judgement->fail, 1);
    judgement_free(judgement);
}

static void assert_fix_of(const struct facts *facts, const char *cause, const char *words)
{
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_non_null(found(judgement, cause));
    assert_fix(found(judgement, cause), words);
    judgement_free(judgement);
}

static void test_headers_are_missing(void **state)
{
    (void)state;
    struct facts *facts = not_built();
    without_headers(facts);
    assert_found(facts, PURPOSE_RUN, HEADERS, SEVERITY_FAIL, RELEASE);
    assert_found(facts, PURPOSE_BUILD, HEADERS, SEVERITY_INFO, RELEASE);
    assert_alone(facts, HEADERS);
    assert_fix_of(facts, HEADERS, "apt-get install linux-headers-" RELEASE " && sudo dkms");
    facts_set_string(facts, "os", "id", "fedora", "/etc/os-release");
    assert_fix_of(facts, HEADERS, "dnf install kernel-devel-" RELEASE);
    facts_free(facts);
}

static void test_the_package_of_headers_is_the_kernels_kind(void **state)
{
    (void)state;
    struct facts *facts = not_built();
    facts_set_string(facts, "os", "id", "debian", "/etc/os-release");
    facts_set_string(facts, "kernel", "release", "6.1.0-18-cloud-amd64", "uname(2)");
    facts_set_string(facts, "installed_kernel/c", "release", "6.1.0-18-cloud-amd64", "/lib");
    facts_set_boolean(facts, "installed_kernel/c", "headers", false, "/lib");
    assert_fix_of(facts, HEADERS, "apt-get install linux-headers-cloud-amd64");
    facts_free(facts);
}

/* A log from before the headers went says nothing of now. */
static void test_missing_headers_come_before_an_old_log(void **state)
{
    (void)state;
    struct facts *facts = not_built();
    failed_log(facts, RELEASE, "make[1]: *** [nv.o] Error 1");
    without_headers(facts);
    assert_alone(facts, HEADERS);
    facts_free(facts);
}

static void test_headers_unknown(void **state)
{
    (void)state;
    struct facts *facts = not_built();
    facts_set_unknown(facts, "installed_kernel/" RELEASE, "headers", "permission denied", "/lib");
    assert_check(facts, PURPOSE_RUN, HEADERS, CHECK_UNKNOWN, "permission denied");
    facts_free(facts);
}

static void test_the_log_speaks_of_the_compiler(void **state)
{
    static const char *const lines[] = {"*** Failed CC version check. Bailing out! ***",
                                        "The kernel was built by gcc 12.3.0"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct facts *facts = not_built();
        failed_log(facts, RELEASE, lines[i]);
        facts_set_string(facts, "installed_kernel", "running_compiler", "12", "/proc/version");
        facts_set_string(facts, "compiler", "cc_version", i == 0 ? "12" : "11", "/usr/bin/cc");
        assert_found(facts, PURPOSE_RUN, COMPILER, SEVERITY_FAIL, "compiler");
        assert_alone(facts, COMPILER);
        assert_fix_of(facts, COMPILER, "IGNORE_CC_MISMATCH=1");
        facts_free(facts);
    }
}

/* The kernel's Makefile warns of any other name of the compiler, and goes on. */
static void test_a_warning_about_the_same_compiler(void **state)
{
    (void)state;
    struct facts *facts = not_built();
    failed_log(facts, RELEASE, "The kernel was built by: gcc (GCC) 13.2.1 20230801");
    assert_found(facts, PURPOSE_RUN, "dkms_build_failed", SEVERITY_FAIL, "could not be built");
    facts_set_string(facts, "installed_kernel", "running_compiler", "13", "/proc/version");
    facts_set_string(facts, "compiler", "cc_version", "13", "/usr/bin/cc");
    assert_found(facts, PURPOSE_RUN, "dkms_build_failed", SEVERITY_FAIL, "could not be built");
    facts_free(facts);
}

/* An option that the compiler lacks is the compiler's fault only where it is another one. */
static void test_an_unknown_option_with_another_compiler(void **state)
{
    (void)state;
    struct facts *facts = not_built();
    failed_log(facts, RELEASE, "gcc: error: unrecognized command-line option '-fnew'");
    facts_set_string(facts, "installed_kernel", "running_compiler", "12", "/proc/version");
    facts_set_string(facts, "compiler", "cc_version", "11", "/usr/bin/cc");
    assert_alone(facts, COMPILER);
    assert_fix_of(facts, COMPILER, "apt-get install gcc-12");
    facts_set_string(facts, "compiler", "cc_version", "12", "/usr/bin/cc");
    assert_alone(facts, BUILD);
    facts_free(facts);
}

static void test_the_build_failed(void **state)
{
    (void)state;
    struct facts *facts = not_built();
    failed_log(facts, RELEASE, "nv-dma.c error: implicit declaration of function 'dma_is_direct'");
    assert_found(facts, PURPOSE_RUN, BUILD, SEVERITY_FAIL, "580.95.05");
    assert_alone(facts, BUILD);
    assert_fix_of(facts, BUILD, "grep -n -m 5 -i error " LOG);
    facts_free(facts);
}

/* A failed build for another kernel counts only where none ever succeeded. */
static struct facts *failed_with(const char *line)
{
    struct facts *facts = not_built();
    failed_log(facts, RELEASE, line);
    return facts;
}

static void test_the_disk_was_full(void **state)
{
    (void)state;
    struct facts *facts = failed_with("Fatal error: can't write: 'No space left on device'");
    assert_found(facts, PURPOSE_RUN, BUILD, SEVERITY_FAIL, ": the disk was full");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    const struct finding *finding = found(judgement, BUILD);
    assert_null(strstr(finding->why, "older than"));
    assert_string_equal(finding->fixes[0].command, "df -h /var/lib/dkms /tmp /lib/modules");
    assert_int_equal(finding->fixes[0].kind, FIX_LOOK);
    assert_int_equal(finding->fixes[1].kind, FIX_ALSO);
    judgement_free(judgement);
    facts_free(facts);
}

/* No newer driver drives the GPU: an older kernel is what is left. */
static void test_the_last_branch_is_in_use(void **state)
{
    (void)state;
    struct facts *facts = failed_with("error: 'struct drm_driver' has no member named 'date'");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_false(fix_says(found(judgement, BUILD), "a newer driver does not help"));
    judgement_free(judgement);
    world_gpu(facts, "0000:01:00.0", "1b80", NULL); /* a GTX 1080 */
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, BUILD), "R580 is the last branch that drives this GPU");
    assert_false(fix_says(found(judgement, BUILD), "nvidia:580"));
    judgement_free(judgement);
    facts_free(facts);
}

static void test_a_log_of_another_kernel(void **state)
{
    (void)state;
    struct facts *facts = not_built();
    failed_log(facts, OTHER, "make[1]: *** [nv.o] Error 1");
    assert_alone(facts, BUILD);
    world_list(facts, DKMS, "kernels", "6.8.0-40-generic");
    assert_alone(facts, KERNEL);
    facts_free(facts);
}

static void test_akmods_failed(void **state)
{
    (void)state;
    struct facts *facts = world_with_gpu();
    world_package(facts, "akmod-nvidia", "install ok installed");
    facts_set_integer(facts, "module_file", "count", 0, "/lib/modules");
    world_list(facts, "driver_install", "akmods_failed", "/var/cache/akmods/nvidia/1.failed.log");
    world_list(facts, "driver_install", "akmods_errors", "nv.c error 7");
    assert_found(facts, PURPOSE_RUN, BUILD, SEVERITY_FAIL, RELEASE);
    facts_free(facts);
}

static void test_built_for_another_kernel(void **state)
{
    (void)state;
    struct facts *facts = world_with_gpu();
    world_module_file(facts, OTHER, "580.95.05");
    assert_found(facts, PURPOSE_RUN, KERNEL, SEVERITY_FAIL, "there is a module for kernel " OTHER);
    assert_alone(facts, KERNEL);
    assert_fix_of(facts, KERNEL, "choose kernel " OTHER);
    world_package(facts, "linux-modules-nvidia-580-" OTHER, "install ok installed");
    assert_fix_of(facts, KERNEL, "apt-get install linux-modules-nvidia-580-" RELEASE);
    facts_free(facts);
}

/* Nothing decides: what remains is said, and the command that does. */
static void test_akmods_has_the_source(void **state)
{
    (void)state;
    struct facts *facts = world_with_gpu();
    facts_set_string(facts, "os", "id", "fedora", "/etc/os-release");
    world_module_file(facts, OTHER, "580.95.05");
    facts_set_string(facts, "installed_kernel/" RELEASE, "release", RELEASE, "/lib/modules");
    facts_set_boolean(facts, "installed_kernel/" RELEASE, "headers", true, "/lib/modules");
    facts_set_boolean(facts, "driver_install", "akmods", true, "/usr/src/akmods");
    assert_alone(facts, KERNEL);
    assert_fix_of(facts, KERNEL, "sudo akmods --force");
    without_headers(facts);
    assert_alone(facts, HEADERS);
    facts_free(facts);
}

/* An update has taken the running kernel's modules away: there is nothing to build for. */
static void test_the_kernel_was_replaced(void **state)
{
    (void)state;
    struct facts *facts = world_with_gpu();
    facts_set_string(facts, "os", "id", "arch", "/etc/os-release");
    world_module_file(facts, OTHER, "580.95.05");
    facts_set_integer(facts, "installed_kernel", "count", 1, "/lib/modules");
    facts_set_string(facts, "installed_kernel/" OTHER, "release", OTHER, "/lib/modules");
    assert_alone(facts, KERNEL);
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_int_equal(found(judgement, KERNEL)->fix_count, 1);
    assert_says(found(judgement, KERNEL)->fixes[0].note, "reboot: an update has replaced");
    judgement_free(judgement);
    facts_free(facts);
}

static void test_dkms_without_a_log(void **state)
{
    (void)state;
    struct facts *facts = not_built();
    facts_set_string(facts, "installed_kernel", "running_compiler", "12", "/proc/version");
    facts_set_string(facts, "compiler", "cc_version", "11", "/usr/bin/cc");
    assert_alone(facts, KERNEL);
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_says(judgement->findings[0]->why, "gcc 11");
    assert_says(judgement->findings[0]->why, "to check, run: sudo dkms autoinstall");
    judgement_free(judgement);
    facts_free(facts);
}

/* It lies in the right place, and is of another kernel or another build of that kernel. */
static void test_a_module_that_does_not_fit(void **state)
{
    static const char file[] = "module_file//lib/modules/" RELEASE "/updates/dkms/nvidia.ko";
    static const char log[] = "kernel_log/symbol_version";
    (void)state;
    struct facts *facts = world_with_gpu();
    world_module_file(facts, RELEASE, "580.95.05");
    facts_set_string(facts, file, "vermagic", RELEASE " SMP preempt mod_unload", file);
    assert_check(facts, PURPOSE_RUN, KERNEL, CHECK_PASS, NULL);
    facts_set_string(facts, file, "vermagic", OTHER " SMP preempt mod_unload", file);
    assert_found(facts, PURPOSE_RUN, KERNEL, SEVERITY_FAIL, "was built for kernel " OTHER);
    assert_alone(facts, KERNEL);
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_false(fix_says(found(judgement, KERNEL), "dkms autoinstall"));
    judgement_free(judgement);
    facts_set_integer(facts, "dkms", "count", 1, "/var/lib/dkms");
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_true(fix_says(found(judgement, KERNEL), "dkms autoinstall --force -k " RELEASE));
    judgement_free(judgement);
    facts_set_string(facts, file, "vermagic", RELEASE " SMP", file);
    facts_set_string(facts, log, "event", "symbol_version", "/dev/kmsg");
    facts_set_string(facts, log, "boot", "current", "/dev/kmsg");
    facts_set_string(facts, log, "message", "nvidia: disagrees about version of symbol",
                     "/dev/kmsg");
    assert_found(facts, PURPOSE_RUN, KERNEL, SEVERITY_FAIL, "another build of that kernel");
    world_module(facts, "580.95.05");
    assert_check(facts, PURPOSE_RUN, KERNEL, CHECK_PASS, NULL);
    facts_free(facts);
}

/* Red Hat and SUSE link a module of an older kernel with the same symbols; it loads. */
static void test_a_weak_module_fits(void **state)
{
    static const char path[] = "/lib/modules/" RELEASE "/weak-updates/nvidia/nvidia.ko";
    (void)state;
    struct facts *facts = world_with_gpu();
    AUTO_FREE char *file = facts_group_name("module_file", path);
    facts_set_string(facts, file, "path", path, path);
    facts_set_string(facts, file, "kernel", RELEASE, path);
    facts_set_string(facts, file, "version", "580.95.05", path);
    facts_set_string(facts, file, "vermagic", OTHER " SMP preempt mod_unload modversions", path);
    assert_check(facts, PURPOSE_RUN, KERNEL, CHECK_PASS, NULL);
    facts_free(facts);
}

static void assert_all(const struct facts *facts, enum purpose purpose, enum check_status status,
                       const char *words)
{
    for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
        assert_check(facts, purpose, causes[i], status, words);
}

static void test_pass_skip_unknown(void **state)
{
    (void)state;
    struct facts *facts = not_built();
    world_module_file(facts, RELEASE, "580.95.05"); /* there is one: something else keeps it away */
    assert_all(facts, PURPOSE_RUN, CHECK_PASS, NULL);
    facts_free(facts);

    facts = not_built();
    world_module(facts, "580.95.05");
    assert_all(facts, PURPOSE_RUN, CHECK_PASS, NULL);
    facts_free(facts);

    facts = not_built();
    world_container(facts, "docker");
    assert_all(facts, PURPOSE_CONTAINER, CHECK_SKIP, "the host's");
    facts_free(facts);

    facts = not_built();
    world_gpu(facts, "0000:01:00.0", "2330", "vfio-pci");
    assert_all(facts, PURPOSE_RUN, CHECK_SKIP, "vfio-pci");
    facts_free(facts);

    facts = world_with_gpu(); /* no driver at all */
    assert_all(facts, PURPOSE_RUN, CHECK_SKIP, "no driver is installed");
    facts_free(facts);

    facts = not_built();
    facts_set_skipped(facts, "kernel", "release", "a tree runs no kernel", "uname(2)");
    assert_all(facts, PURPOSE_RUN, CHECK_SKIP, "a tree runs no kernel");
    facts_set_string(facts, "kernel", "release", RELEASE, "uname(2)");
    facts_set_unknown(facts, "module_file", "count", "permission denied", "/lib/modules");
    assert_all(facts, PURPOSE_RUN, CHECK_UNKNOWN, "permission denied");
    facts_free(facts);
}

/* The .run file's installer left nothing but its log. */
static struct facts *installer_failed(const char *error)
{
    struct facts *facts = world_with_gpu();
    facts_set_integer(facts, "module_file", "count", 0, "/lib/modules");
    facts_set_string(facts, "driver_install", "runfile_outcome", "failed", "log");
    facts_set_string(facts, "driver_install", "runfile_version", "340.108", "log");
    world_list(facts, "driver_install", "runfile_errors", error);
    return facts;
}

static void test_installer_refuses_the_compiler(void **state)
{
    (void)state;
    struct facts *facts = installer_failed("ERROR: The CC version check failed:");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    const struct finding *finding = found(judgement, COMPILER);
    assert_ptr_equal(judgement->findings[0], finding);
    assert_non_null(strstr(finding->why, "nvidia-installer.log"));
    assert_fix(finding, "--no-cc-version-check");
    assert_null(found(judgement, "driver_not_installed"));
    judgement_free(judgement);
    facts_free(facts);
    facts = installer_failed("ERROR: Unable to find the kernel source tree");
    assert_check(facts, PURPOSE_RUN, COMPILER, CHECK_SKIP, "no driver is installed");
    facts_free(facts);
}

static void test_module_of_the_installer_is_refused(void **state)
{
    (void)state;
    struct facts *facts =
        installer_failed("-> Kernel module load error: Key was rejected by service");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    const struct finding *finding = found(judgement, "secure_boot_rejects_module");
    assert_ptr_equal(judgement->findings[0], finding);
    assert_non_null(strstr(finding->why, "Key was rejected"));
    assert_fix(finding, "--module-signing-secret-key");
    judgement_free(judgement);
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_headers_are_missing),
        cmocka_unit_test(test_the_package_of_headers_is_the_kernels_kind),
        cmocka_unit_test(test_missing_headers_come_before_an_old_log),
        cmocka_unit_test(test_headers_unknown),
        cmocka_unit_test(test_the_log_speaks_of_the_compiler),
        cmocka_unit_test(test_a_warning_about_the_same_compiler),
        cmocka_unit_test(test_an_unknown_option_with_another_compiler),
        cmocka_unit_test(test_the_build_failed),
        cmocka_unit_test(test_the_disk_was_full),
        cmocka_unit_test(test_the_last_branch_is_in_use),
        cmocka_unit_test(test_a_log_of_another_kernel),
        cmocka_unit_test(test_akmods_failed),
        cmocka_unit_test(test_built_for_another_kernel),
        cmocka_unit_test(test_akmods_has_the_source),
        cmocka_unit_test(test_the_kernel_was_replaced),
        cmocka_unit_test(test_dkms_without_a_log),
        cmocka_unit_test(test_a_module_that_does_not_fit),
        cmocka_unit_test(test_a_weak_module_fits),
        cmocka_unit_test(test_pass_skip_unknown),
        cmocka_unit_test(test_installer_refuses_the_compiler),
        cmocka_unit_test(test_module_of_the_installer_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
