/* SPDX-License-Identifier: MIT */
#include "rules/engine/finding.h"
#include "rules/world.h"

/* nouveau_loaded */

#define NOUVEAU "nouveau_loaded"

static struct facts *with_nouveau(void)
{
    struct facts *facts = world_with_gpu();
    world_gpu(facts, "0000:01:00.0", "2330", "nouveau");
    facts_set_boolean(facts, "module", "nouveau", true, "/proc/modules");
    world_module_file(facts, "6.8.0-50-generic", "580.95.05");
    return facts;
}

static void test_nouveau_bound_to_the_gpu(void **state)
{
    (void)state;
    struct facts *facts = with_nouveau();
    assert_found(facts, PURPOSE_RUN, NOUVEAU, SEVERITY_FAIL, "nouveau holds the GPU at 0000:01:00");
    assert_found(facts, PURPOSE_BUILD, NOUVEAU, SEVERITY_INFO, "nouveau holds");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, NOUVEAU), "update-initramfs -u");
    assert_fix(found(judgement, NOUVEAU), "blacklist nouveau");
    assert_true(found(judgement, NOUVEAU)->fixes[0].reboot);
    judgement_free(judgement);
    facts_set_string(facts, "os", "id", "rhel", "/etc/os-release");
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, NOUVEAU), "dracut --force");
    judgement_free(judgement);
    facts_set_boolean(facts, "os", "ostree", true, "/run/ostree-booted");
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, NOUVEAU), "rpm-ostree kargs");
    judgement_free(judgement);
    facts_set_boolean(facts, "os", "ostree", false, "/run/ostree-booted");
    facts_set_string(facts, "os", "id", "nixos", "/etc/os-release");
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, NOUVEAU), "boot.blacklistedKernelModules");
    judgement_free(judgement);
    facts_free(facts);
}

static void test_nouveau_loaded_with_the_gpu_free(void **state)
{
    (void)state;
    struct facts *facts = with_nouveau();
    world_gpu(facts, "0000:01:00.0", "2330", NULL);
    assert_found(facts, PURPOSE_RUN, NOUVEAU, SEVERITY_FAIL,
                 "nouveau is loaded, but nvidia is not");
    facts_free(facts);
}

/* The command line keeps nouveau from loading by itself: whoever loaded it did so by name, and what
 * kept nvidia away comes first. */
static void test_nouveau_as_fallback(void **state)
{
    (void)state;
    struct facts *facts = with_nouveau();
    facts_set_boolean(facts, "module", "nvidia", false, "/proc/modules");
    AUTO_STRLIST struct strlist options = {0};
    strlist_add(&options, "rd.driver.blacklist=nouveau");
    facts_set_list(facts, "boot", "options", &options, "/proc/cmdline");
    assert_found(facts, PURPOSE_RUN, NOUVEAU, SEVERITY_FAIL, "nouveau holds the GPU");
    strlist_add(&options, "modprobe.blacklist=pcspkr,nouveau");
    facts_set_list(facts, "boot", "options", &options, "/proc/cmdline");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_null(found(judgement, NOUVEAU));
    assert_non_null(strstr(found(judgement, "module_not_loaded")->why,
                           "the system then loaded the blacklisted nouveau"));
    assert_null(found(judgement, "module_not_loaded")->caused_by);
    assert_int_equal(check_of(judgement, NOUVEAU)->status, CHECK_SKIP);
    judgement_free(judgement);
    facts_free(facts);
}

static void test_nova_is_told_by_its_name(void **state)
{
    (void)state;
    struct facts *facts = with_nouveau();
    world_gpu(facts, "0000:01:00.0", "2330", "nova_core");
    assert_found(facts, PURPOSE_RUN, NOUVEAU, SEVERITY_FAIL, "nova_core holds");
    facts_free(facts);
}

/* The usual fresh machine: installing the driver fixes both. */
static void test_nouveau_follows_from_a_missing_driver(void **state)
{
    (void)state;
    struct facts *facts = world_with_gpu();
    world_gpu(facts, "0000:01:00.0", "2330", "nouveau");
    facts_set_boolean(facts, "module", "nouveau", true, "/proc/modules");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_string_equal(judgement->findings[0]->code, "DRV-001");
    assert_string_equal(judgement->findings[1]->code, "DRV-003");
    assert_string_equal(judgement->findings[1]->caused_by, "DRV-001");
    assert_false(fix_says(judgement->findings[1], "blacklist"));
    assert_int_equal(judgement->fail, 1);
    judgement_free(judgement);
    facts_free(facts);
}

static void test_another_gpu_that_works_makes_it_a_warning(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    facts_set_integer(facts, "pci", "count", 2, "sysfs");
    world_gpu(facts, "0000:02:00.0", "1b80", "nouveau");
    assert_found(facts, PURPOSE_RUN, NOUVEAU, SEVERITY_WARN, "0000:02:00.0");
    facts_free(facts);
}

static void test_nouveau_pass_skip_unknown(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    assert_check(facts, PURPOSE_RUN, NOUVEAU, CHECK_PASS, NULL);
    facts_set_unknown(facts, "pci/0000:01:00.0", "driver", "permission denied", "sysfs");
    assert_check(facts, PURPOSE_RUN, NOUVEAU, CHECK_UNKNOWN, "permission denied");
    facts_free(facts);

    facts = world_with_gpu();
    facts_set_unknown(facts, "module", "nouveau", "permission denied", "/proc/modules");
    assert_check(facts, PURPOSE_RUN, NOUVEAU, CHECK_UNKNOWN, "permission denied");
    facts_free(facts);

    facts = world_bare(); /* nouveau without an NVIDIA GPU harms nobody */
    facts_set_boolean(facts, "module", "nouveau", true, "/proc/modules");
    assert_check(facts, PURPOSE_RUN, NOUVEAU, CHECK_SKIP, "no NVIDIA GPU on the bus");
    facts_free(facts);
}

/* An audio function or a bridge of vendor 10de is no GPU. */
static void test_other_functions_are_not_gpus(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    world_gpu(facts, "0000:01:00.1", "22bc", "nouveau");
    facts_set_string(facts, "pci/0000:01:00.1", "class", "040300", "sysfs");
    assert_check(facts, PURPOSE_RUN, NOUVEAU, CHECK_PASS, NULL);
    facts_free(facts);
}

/* module_not_loaded */

#define MODULE "module_not_loaded"

static void test_module_there_and_not_loaded(void **state)
{
    (void)state;
    struct facts *facts = world_with_gpu();
    world_module_file(facts, "6.8.0-50-generic", "580.95.05");
    assert_found(facts, PURPOSE_RUN, MODULE, SEVERITY_FAIL, "running kernel 6.8.0-50-generic");
    assert_found(facts, PURPOSE_BUILD, MODULE, SEVERITY_INFO, "not loaded");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_string_equal(found(judgement, MODULE)->fixes[0].command, "sudo modprobe nvidia");
    assert_null(found(judgement, MODULE)->caused_by);
    judgement_free(judgement);
    facts_free(facts);
}

static void test_module_that_a_setting_keeps_away(void **state)
{
    static const char file[] = "modprobe//etc/modprobe.d/off.conf";
    (void)state;
    struct facts *facts = world_with_gpu();
    world_module_file(facts, "6.8.0-50-generic", "580.95.05");
    facts_set_string(facts, file, "path", "/etc/modprobe.d/off.conf", "/etc/modprobe.d/off.conf");
    world_list(facts, file, "lines", "options nvidia NVreg_Foo=1:blacklist nvidia");
    assert_found(facts, PURPOSE_RUN, MODULE, SEVERITY_FAIL,
                 "/etc/modprobe.d/off.conf has \"blacklist nvidia\"");
    world_list(facts, file, "lines", "install nvidia /bin/false");
    assert_found(facts, PURPOSE_RUN, MODULE, SEVERITY_FAIL, "has \"install nvidia /bin/false\"");
    /* Such a line loads it; and another module's is another's. */
    world_list(facts, file, "lines",
               "install nvidia /sbin/modprobe -i nvidia:blacklist nvidia-drm");
    assert_found(facts, PURPOSE_RUN, MODULE, SEVERITY_FAIL, "although it is installed");
    world_list(facts, "boot", "blacklisted", "nvidia");
    assert_found(facts, PURPOSE_RUN, MODULE, SEVERITY_FAIL, "the kernel's command line");
    facts_free(facts);
}

static void test_module_for_another_kernel_only(void **state)
{
    (void)state;
    struct facts *facts = world_with_gpu();
    world_module_file(facts, "6.5.0-18-generic", "580.95.05");
    facts_set_string(facts, "dkms/nvidia-580.95.05", "module", "nvidia", "/var/lib/dkms");
    assert_found(facts, PURPOSE_RUN, MODULE, SEVERITY_FAIL, "for kernel 6.5.0-18-generic");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_says(judgement->findings[0]->fixes[0].command,
                "sudo apt-get install linux-headers-6.8.0-50-generic && sudo dkms autoinstall");
    assert_fix(judgement->findings[0], "choose kernel 6.5.0-18-generic");
    assert_string_equal(found(judgement, MODULE)->caused_by, judgement->findings[0]->code);
    judgement_free(judgement);
    facts_free(facts);
}

static void test_package_without_any_module(void **state)
{
    (void)state;
    struct facts *facts = world_with_gpu();
    world_package(facts, "nvidia-driver-580", "install ok installed");
    assert_found(facts, PURPOSE_RUN, MODULE, SEVERITY_FAIL, "no nvidia.ko is installed");
    facts_free(facts);
}

static void test_vfio_and_secure_boot_are_mentioned(void **state)
{
    (void)state;
    struct facts *facts = world_with_gpu();
    world_module_file(facts, "6.8.0-50-generic", "580.95.05");
    world_gpu(facts, "0000:01:00.0", "2330", "vfio-pci");
    facts_set_boolean(facts, "machine", "secure_boot", true, "efivars");
    facts_set_boolean(facts, "module", "nouveau", true, "/proc/modules"); /* for another card */
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_says(found(judgement, MODULE)->why, "vfio-pci");
    assert_says(found(judgement, MODULE)->why, "Secure Boot");
    assert_null(found(judgement, NOUVEAU));
    judgement_free(judgement);
    facts_free(facts);
}

static void test_secure_boot_that_trusts_the_module_is_no_reason(void **state)
{
    static const char file[] = "module_file//lib/modules/6.8.0-50-generic/updates/dkms/nvidia.ko";
    (void)state;
    struct facts *facts = world_with_gpu();
    world_module_file(facts, "6.8.0-50-generic", "580.95.05");
    facts_set_boolean(facts, "machine", "secure_boot", true, "efivars");
    facts_set_string(facts, file, "signer", "Canonical Ltd. Kernel Module Signing", "nvidia.ko");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_null(strstr(found(judgement, MODULE)->why, "Secure Boot"));
    judgement_free(judgement);
    facts_set_string(facts, file, "signer", "somebody", "nvidia.ko");
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_says(found(judgement, MODULE)->why, "Secure Boot");
    judgement_free(judgement);
    facts_free(facts);
}

static void test_module_in_a_container_is_the_hosts(void **state)
{
    (void)state;
    struct facts *facts = world_with_gpu();
    world_container(facts, "docker");
    assert_found(facts, PURPOSE_CONTAINER, MODULE, SEVERITY_FAIL, "the host has not loaded");
    struct judgement *judgement = world_judge(facts, PURPOSE_CONTAINER);
    assert_fix(found(judgement, MODULE), "on the host");
    judgement_free(judgement);
    facts_free(facts);
}

static void test_module_pass_skip_unknown(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    assert_check(facts, PURPOSE_RUN, MODULE, CHECK_PASS, NULL);
    facts_set_unknown(facts, "module", "nvidia", "permission denied", "/proc/modules");
    assert_check(facts, PURPOSE_RUN, MODULE, CHECK_UNKNOWN, "permission denied");
    facts_set_skipped(facts, "module", "nvidia", "a tree runs no kernel", "/sys/module");
    assert_check(facts, PURPOSE_BUILD, MODULE, CHECK_SKIP, "a tree runs no kernel");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nouveau_bound_to_the_gpu),
        cmocka_unit_test(test_nouveau_loaded_with_the_gpu_free),
        cmocka_unit_test(test_nouveau_as_fallback),
        cmocka_unit_test(test_nova_is_told_by_its_name),
        cmocka_unit_test(test_nouveau_follows_from_a_missing_driver),
        cmocka_unit_test(test_another_gpu_that_works_makes_it_a_warning),
        cmocka_unit_test(test_nouveau_pass_skip_unknown),
        cmocka_unit_test(test_other_functions_are_not_gpus),
        cmocka_unit_test(test_module_there_and_not_loaded),
        cmocka_unit_test(test_module_that_a_setting_keeps_away),
        cmocka_unit_test(test_module_for_another_kernel_only),
        cmocka_unit_test(test_package_without_any_module),
        cmocka_unit_test(test_vfio_and_secure_boot_are_mentioned),
        cmocka_unit_test(test_secure_boot_that_trusts_the_module_is_no_reason),
        cmocka_unit_test(test_module_in_a_container_is_the_hosts),
        cmocka_unit_test(test_module_pass_skip_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
