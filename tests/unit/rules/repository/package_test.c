/* SPDX-License-Identifier: MIT */
#include "rules/repository/sources.h"

#define MIXED   "apt_held_or_mixed_repo_packages"
#define RUNFILE "runfile_over_packages"
#define LEFT    "package_left_unconfigured"
#define OFFER   "apt_offer/cuda-drivers"

static void a_package_that_waits_for_another_version(void **state)
{
    (void)state;
    struct facts *facts = world_with_sources();
    assert_check(facts, PURPOSE_RUN, MIXED, CHECK_PASS, NULL);
    free(world_unfinished(facts, "nvidia-dkms-530",
                          "nvidia-kernel-common-530 (>= 530.41): 530.30 is installed", ""));
    assert_found(facts, PURPOSE_RUN, MIXED, SEVERITY_WARN, "nvidia-kernel-common-530");
    facts_set_boolean(facts, "module", "nvidia", false, "/proc/modules");
    assert_found(facts, PURPOSE_RUN, MIXED, SEVERITY_FAIL, "nvidia-dkms-530");
    facts_free(facts);
    assert_needs(MIXED, "package_state", "count");
}

static void a_choice_that_does_not_go_together(void **state)
{
    (void)state;
    struct facts *facts = world_with_sources();
    facts_set_integer(facts, "apt_offer", "count", 1, "lists");
    facts_set_string(facts, OFFER, "name", "cuda-drivers", "lists");
    facts_set_string(facts, OFFER, "version", "440.33.01-1", "lists");
    facts_set_string(facts, OFFER, "origin", "developer.download.nvidia.com", "lists");
    facts_set_string(facts, OFFER, "needs", "nvidia-driver-440 (= 440.33.01)", "lists");
    facts_set_string(facts, OFFER, "chosen", "440.100", "lists");
    facts_set_string(facts, OFFER, "chosen_origin", "archive.ubuntu.com", "lists");
    facts_set_boolean(facts, OFFER, "held", false, "lists");
    assert_found(facts, PURPOSE_BUILD, MIXED, SEVERITY_FAIL, "archive.ubuntu.com");
    assert_found_fix(facts, PURPOSE_BUILD, MIXED, "cuda-repository-pin-600");
    facts_set_boolean(facts, OFFER, "pinned", true, "lists");
    facts_set_string(facts, OFFER, "chosen_name", "nvidia-driver-440", "lists");
    assert_found_fix(facts, PURPOSE_BUILD, MIXED, "apt-cache policy nvidia-driver-440");
    facts_set_boolean(facts, OFFER, "held", true, "lists");
    assert_found_fix(facts, PURPOSE_BUILD, MIXED, "apt-mark unhold");
    facts_free(facts);
}

static void world_origin(struct facts *facts, const char *name, const char *version,
                         const char *repository)
{
    AUTO_FREE char *group = facts_group_name("package_origin", name);
    facts_set_string(facts, group, "name", name, "yumdb");
    facts_set_string(facts, group, "version", version, "yumdb");
    facts_set_string(facts, group, "repository", repository, "yumdb");
}

static void packages_of_two_repositories(void **state)
{
    (void)state;
    struct facts *facts = world_with_sources();
    world_origin(facts, "nvidia-driver", "418.67", "cuda-rhel7");
    world_origin(facts, "nvidia-x11-drv-libs", "440.64", "elrepo");
    assert_found(facts, PURPOSE_BUILD, MIXED, SEVERITY_FAIL, "elrepo");
    world_origin(facts, "nvidia-x11-drv-libs", "418.67", "elrepo");
    assert_check(facts, PURPOSE_BUILD, MIXED, CHECK_PASS, NULL);
    facts_free(facts);
}

static void a_runfile_beside_packages(void **state)
{
    (void)state;
    struct facts *facts = world_with_sources();
    facts_set_boolean(facts, "driver_install", "runfile", true, "/usr/bin/nvidia-uninstall");
    facts_set_string(facts, "driver_install", "runfile_version", "570.86.15", "log");
    assert_check(facts, PURPOSE_RUN, RUNFILE, CHECK_PASS, NULL);
    world_package(facts, "nvidia-container-toolkit", "install ok installed"); /* no driver */
    assert_check(facts, PURPOSE_RUN, RUNFILE, CHECK_PASS, NULL);
    world_package(facts, "nvidia-driver-570", "install ok installed");
    assert_found(facts, PURPOSE_RUN, RUNFILE, SEVERITY_WARN, "nvidia-driver-570");
    facts_set_string(facts, "package/nvidia-driver-570", "version", "570.99-0ubuntu1", "dpkg");
    assert_found(facts, PURPOSE_RUN, RUNFILE, SEVERITY_FAIL, "nvidia-driver-570"); /* of two */
    facts_set_absent(facts, "driver_install", "runfile_version",
                     "log"); /* the module's is 570.86 */
    assert_found(facts, PURPOSE_RUN, RUNFILE, SEVERITY_FAIL, "nvidia-driver-570");
    facts_set_string(facts, "package/nvidia-driver-570", "version", "3:570.86.15-1", "dpkg");
    assert_found(facts, PURPOSE_RUN, RUNFILE, SEVERITY_WARN, "nvidia-driver-570");
    facts_set_boolean(facts, "driver_install", "runfile", false, "/usr/bin/nvidia-uninstall");
    AUTO_FREE char *group = world_unfinished(facts, "nvidia-340", "", "");
    assert_check(facts, PURPOSE_RUN, RUNFILE, CHECK_PASS, NULL);
    facts_set_string(facts, group, "overwrites", "'/x', which is also in package y", "log");
    assert_found(facts, PURPOSE_RUN, RUNFILE, SEVERITY_WARN, "'/x'");
    facts_set_unknown(facts, "driver_install", "runfile", "I/O error", "/usr/bin");
    assert_check(facts, PURPOSE_RUN, RUNFILE, CHECK_UNKNOWN, "I/O error");
    world_container(facts, "docker");
    assert_check(facts, PURPOSE_RUN, RUNFILE, CHECK_SKIP, "not installed here");
    facts_free(facts);
}

static void a_package_that_is_not_finished(void **state)
{
    (void)state;
    struct facts *facts = world_with_sources();
    assert_check(facts, PURPOSE_BUILD, LEFT, CHECK_PASS, NULL);
    AUTO_FREE char *group = world_unfinished(facts, "man-db", "", "");
    assert_found(facts, PURPOSE_BUILD, LEFT, SEVERITY_WARN, "man-db");
    assert_check(facts, PURPOSE_RUN, LEFT, CHECK_PASS, NULL); /* not of NVIDIA */
    world_list(facts, group, "missing", "libx");
    assert_found(facts, PURPOSE_BUILD, LEFT, SEVERITY_FAIL, "man-db");
    facts_free(facts);
    assert_needs(LEFT, "package_state", "count");
}

static void set_package(struct facts *facts, const char *name, const char *version,
                        const char *hold, const char *vendor)
{
    AUTO_FREE char *group = facts_group_name("package", name);
    facts_set_string(facts, group, "name", name, "rpm");
    facts_set_string(facts, group, "version", version, "rpm");
    facts_set_string(facts, group, "hold", hold, "/etc/dnf/dnf.conf");
    facts_set_string(facts, group, "vendor", vendor, "rpm");
}

static void packages_of_rpm_at_two_releases(void **state)
{
    (void)state;
    struct facts *facts = world_with_sources();
    facts_set_string(facts, "package", "database", "rpm", "rpm");
    set_package(facts, "akmod-nvidia", "3:565.77-1.fc41", NULL, "RPM Fusion");
    set_package(facts, "xorg-x11-drv-nvidia-cuda-libs", "3:560.35.03-5.fc41", NULL, "RPM Fusion");
    assert_check(facts, PURPOSE_RUN, MIXED, CHECK_PASS, NULL);
    set_package(facts, "kmod-nvidia-6.11.4-301.fc41.x86_64", "3:555.58-1.fc41", "exclude", NULL);
    set_package(facts, "nvidia-container-toolkit", "1.17.0-1", "exclude", NULL);
    assert_check(facts, PURPOSE_RUN, MIXED, CHECK_PASS, NULL); /* of a kernel; another product */
    set_package(facts, "xorg-x11-drv-nvidia-cuda-libs", "3:560.35.03-5.fc41", "exclude", NULL);
    assert_found(facts, PURPOSE_RUN, MIXED, SEVERITY_WARN, "is held (exclude)");
    assert_found_fix(facts, PURPOSE_RUN, MIXED, "/etc/dnf/dnf.conf");
    set_package(facts, "xorg-x11-drv-nvidia-cuda-libs", "3:565.77-1.fc41", "exclude", NULL);
    assert_check(facts, PURPOSE_RUN, MIXED, CHECK_PASS, NULL);
    set_package(facts, "xorg-x11-drv-nvidia-cuda-libs", "3:560.35.03-5.fc41", NULL, "NVIDIA");
    assert_found(facts, PURPOSE_BUILD, MIXED, SEVERITY_FAIL, "come from");
    set_package(facts, "xorg-x11-drv-nvidia-cuda-libs", "3:565.57.01-1.fc41", NULL, "NVIDIA");
    assert_check(facts, PURPOSE_RUN, MIXED, CHECK_PASS, NULL); /* of one branch */
    facts_set_string(facts, "package", "database", "dpkg", "dpkg");
    set_package(facts, "xorg-x11-drv-nvidia-cuda-libs", "3:560.35.03-5.fc41", "dpkg", NULL);
    assert_check(facts, PURPOSE_RUN, MIXED, CHECK_PASS, NULL); /* what apt would do decides there */
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_package_that_waits_for_another_version),
        cmocka_unit_test(a_choice_that_does_not_go_together),
        cmocka_unit_test(packages_of_rpm_at_two_releases),
        cmocka_unit_test(packages_of_two_repositories),
        cmocka_unit_test(a_runfile_beside_packages),
        cmocka_unit_test(a_package_that_is_not_finished),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
