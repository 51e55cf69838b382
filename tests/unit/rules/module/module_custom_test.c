/* SPDX-License-Identifier: MIT */
#include "manifest/manifest.h"
#include "rules/engine/finding.h"
#include "rules/rules.h"
#include "rules/world.h"

/* custom_kmod_userspace_mismatch, gpu_bound_to_vfio */

#define CUSTOM "custom_kmod_userspace_mismatch"
#define VFIO   "gpu_bound_to_vfio"
#define GPU    "pci/0000:01:00.0"
#define CONF   "modprobe//etc/modprobe.d/vfio.conf"

/* Module and file of one release, put in by hand; libraries of another. */
static struct facts *by_hand(void)
{
    struct facts *facts = world_with_gpu();
    world_gpu(facts, "0000:01:00.0", "2684", "nvidia");
    world_module(facts, "570.124.06");
    world_module_file(facts, "6.8.0-50-generic", "570.124.06");
    world_driver_libraries(facts, "570.124.04");
    facts_set_boolean(facts, "driver_install", "runfile", true, "/usr/bin/nvidia-uninstall");
    return facts;
}

static void test_custom(void **state)
{
    (void)state;
    struct facts *facts = by_hand();
    assert_found(facts, PURPOSE_RUN, CUSTOM, SEVERITY_FAIL, "570.124.06 was installed by hand");
    assert_found(facts, PURPOSE_BUILD, CUSTOM, SEVERITY_INFO, "570.124.04");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_string_equal(judgement->findings[0]->cause, CUSTOM);
    assert_string_equal(found(judgement, "driver_library_mismatch")->caused_by, "MOD-010");
    assert_false(fix_says(found(judgement, "driver_library_mismatch"), "sudo reboot"));
    assert_fix(judgement->findings[0], "nvidia-uninstall");
    judgement_free(judgement);
    facts_free(facts);
}

static void assert_plain_mismatch(const struct facts *facts)
{
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_null(found(judgement, CUSTOM));
    assert_non_null(found(judgement, "driver_library_mismatch"));
    assert_null(found(judgement, "driver_library_mismatch")->caused_by);
    judgement_free(judgement);
}

/* What DKMS or a package keeps is fixed by them; a newer file waits for a reboot. */
static void test_not_custom(void **state)
{
    (void)state;
    struct facts *facts = by_hand();
    facts_set_string(facts, "dkms/nvidia/570.124.06", "version", "570.124.06", "/var/lib/dkms");
    assert_plain_mismatch(facts);
    facts_free(facts);

    facts = by_hand();
    world_package(facts, "nvidia-kernel-dkms", "install ok installed");
    facts_set_string(facts, "package/nvidia-kernel-dkms", "version", "570.124.06-1", "dpkg");
    assert_plain_mismatch(facts);
    facts_set_string(facts, "package/nvidia-kernel-dkms", "version", "570.124.04-1", "dpkg");
    assert_found(facts, PURPOSE_RUN, CUSTOM, SEVERITY_FAIL, "by hand");
    facts_free(facts);

    facts = by_hand();
    world_module_file(facts, "6.8.0-50-generic", "570.124.04");
    assert_plain_mismatch(facts);
    facts_free(facts);

    facts = by_hand(); /* in updates/dkms, and no trace of a .run file */
    facts_set_boolean(facts, "driver_install", "runfile", false, "/usr/bin/nvidia-uninstall");
    assert_plain_mismatch(facts);
    facts_free(facts);
}

static void test_custom_pass_skip_unknown(void **state)
{
    (void)state;
    struct facts *facts = by_hand();
    world_driver_libraries(facts, "570.124.06");
    assert_check(facts, PURPOSE_RUN, CUSTOM, CHECK_PASS, NULL);
    facts_free(facts);
    facts = by_hand();
    world_answer(facts, "libcuda.so.1", 0, NULL, "12.8"); /* it works */
    assert_check(facts, PURPOSE_RUN, CUSTOM, CHECK_PASS, NULL);
    facts_set_unknown(facts, "module", "nvidia", "permission denied", "/proc/modules");
    assert_check(facts, PURPOSE_RUN, CUSTOM, CHECK_UNKNOWN, "permission denied");
    facts_free(facts);
    facts = by_hand();
    world_container(facts, "docker");
    assert_check(facts, PURPOSE_CONTAINER, CUSTOM, CHECK_SKIP, "belongs to the host");
    facts_free(facts);
}

static struct facts *on_vfio(void)
{
    struct facts *facts = world_with_driver("580.95.05");
    world_gpu(facts, "0000:01:00.0", "2330", "vfio-pci");
    return facts;
}

static void assert_reason(const struct facts *facts, const char *why, const char *fix)
{
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_non_null(found(judgement, VFIO));
    assert_says(found(judgement, VFIO)->why, why);
    assert_fix(found(judgement, VFIO), fix);
    judgement_free(judgement);
}

static void test_vfio_says_who_set_it_aside(void **state)
{
    (void)state;
    struct facts *facts = on_vfio();
    assert_found(facts, PURPOSE_RUN, VFIO, SEVERITY_FAIL, "vfio-pci holds the GPU at 0000:01:00.0");
    assert_reason(facts, "no vfio-pci setting was found", "drivers_probe");
    facts_set_string(facts, GPU, "driver_override", "vfio-pci", "sysfs");
    assert_reason(facts, "driver_override says vfio-pci", "unset-override 0000:01:00.0");
    world_list(facts, "boot", "options", "vfio-pci.ids=10de");
    assert_reason(facts, "command line says vfio-pci.ids=10de", "remove vfio-pci.ids=10de from");
    facts_set_string(facts, CONF, "path", "/etc/modprobe.d/a b.conf", "/etc/modprobe.d");
    world_list(facts, CONF, "lines", "options vfio-pci ids=10de");
    assert_reason(facts, "/etc/modprobe.d/a b.conf says", "sudo mv '/etc/modprobe.d/a b.conf'");
    facts_free(facts);
}

static void test_vfio_explains_the_error(void **state)
{
    (void)state;
    struct facts *facts = on_vfio();
    world_answer(facts, "libcuda.so.1", 100, "CUDA_ERROR_NO_DEVICE", "13.0");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_string_equal(found(judgement, "cuda_init_failed")->caused_by, "MOD-009");
    judgement_free(judgement);
    facts_free(facts);
}

/* Of a host that nobody asked to run programs on it is a warning, and nothing without the driver.
 */
static void test_vfio_on_a_host(void **state)
{
    (void)state;
    struct facts *facts = on_vfio();
    struct manifest *manifest = manifest_new();
    struct judge_options options = {.purpose_given = false};
    struct judgement *judgement = rules_judge(facts, manifest, &options);
    assert_int_equal(judgement->purpose, PURPOSE_RUN);
    assert_int_equal(found(judgement, VFIO)->severity, SEVERITY_WARN);
    judgement_free(judgement);
    manifest_free(manifest);
    world_module(facts, NULL);
    assert_check(facts, PURPOSE_RUN, VFIO, CHECK_SKIP, "not loaded");
    facts_free(facts);
}

static void test_vfio_pass_unknown(void **state)
{
    (void)state;
    struct facts *facts = on_vfio();
    facts_set_integer(facts, "pci", "count", 2, "sysfs");
    world_gpu(facts, "0000:02:00.0", "2330", "nvidia"); /* one is left */
    assert_check(facts, PURPOSE_RUN, VFIO, CHECK_PASS, NULL);
    facts_set_unknown(facts, "module", "nvidia", "permission denied", "/proc/modules");
    assert_check(facts, PURPOSE_RUN, VFIO, CHECK_UNKNOWN, "permission denied");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_custom),
        cmocka_unit_test(test_not_custom),
        cmocka_unit_test(test_custom_pass_skip_unknown),
        cmocka_unit_test(test_vfio_says_who_set_it_aside),
        cmocka_unit_test(test_vfio_explains_the_error),
        cmocka_unit_test(test_vfio_on_a_host),
        cmocka_unit_test(test_vfio_pass_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
