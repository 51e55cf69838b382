/* SPDX-License-Identifier: MIT */
#include "rules/repository/sources.h"

#define INDEX   "cuda_repo_index_inconsistent"
#define MACHINE "wrong_arch_repo_or_wheel"
#define RELEASE "apt_repo_of_other_release"
#define FILE    "/etc/apt/sources.list.d/cuda.list"
#define BASE    "https://developer.download.nvidia.com/compute/cuda/repos/"

static void an_index_of_another_size(void **state)
{
    (void)state;
    struct facts *facts = world_with_sources();
    AUTO_FREE char *group = world_source(facts, FILE, CUDA_2204, KEYRING, KEY);
    assert_check(facts, PURPOSE_BUILD, INDEX, CHECK_PASS, NULL);
    facts_set_string(facts, group, "index", "Packages.gz.FAILED", "partial");
    facts_set_integer(facts, group, "index_bytes", 844033, "partial");
    facts_set_integer(facts, group, "index_expected_bytes", 845178, "partial");
    assert_found(facts, PURPOSE_BUILD, INDEX, SEVERITY_FAIL, "845178");
    facts_set_integer(facts, group, "index_bytes", 0, "partial"); /* nothing was kept */
    assert_found(facts, PURPOSE_BUILD, INDEX, SEVERITY_FAIL, "(845178 bytes)");
    facts_set_boolean(facts, group, "index_page", true, "partial"); /* a proxy's */
    assert_check(facts, PURPOSE_BUILD, INDEX, CHECK_PASS, NULL);
    facts_set_boolean(facts, group, "index_page", false, "partial");
    facts_set_string(facts, group, "index_malformed", "Version: 1", "lists");
    assert_found(facts, PURPOSE_BUILD, INDEX, SEVERITY_FAIL, "Package");
    facts_free(facts);
    assert_needs(INDEX, "apt_source", "count");
}

/* The signature is right, and apt refuses the file all the same. */
static void a_signed_file_that_apt_refuses(void **state)
{
    (void)state;
    static const char *const rows[][3] = {
        {"Valid-Until: Thu, 01 Jan 2026 00:00:00 UTC", "too old", "another mirror"},
        {"Date: Thu, 01 Jan 2099 00:00:00 UTC", "newer than this machine's clock", "timedatectl"},
        {"Label: other (NVIDIA CUDA)", "another name", "--allow-releaseinfo-change"},
    };
    struct facts *facts = world_with_sources();
    AUTO_FREE char *group = world_source(facts, FILE, CUDA_2204, KEYRING, KEY);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        facts_set_string(facts, group, "stop", rows[i][0], "partial");
        assert_found(facts, PURPOSE_BUILD, INDEX, SEVERITY_FAIL, rows[i][1]);
        assert_found_fix(facts, PURPOSE_BUILD, INDEX, rows[i][2]);
    }
    facts_set_absent(facts, group, "stop", "partial");
    assert_check(facts, PURPOSE_BUILD, INDEX, CHECK_PASS, NULL);
    facts_free(facts);
}

static void a_package_that_apt_refused(void **state)
{
    (void)state;
    static const char group[] = "apt_archive/libxnvctrl0.deb.FAILED";
    struct facts *facts = world_with_sources();
    facts_set_integer(facts, "apt_archive", "count", 1, "partial");
    facts_set_string(facts, group, "name", "libxnvctrl0", "partial");
    facts_set_string(facts, group, "origin", "developer.download.nvidia.com", "partial");
    facts_set_integer(facts, group, "bytes", 11536, "partial");
    facts_set_integer(facts, group, "expected_bytes", 37228, "partial");
    assert_found(facts, PURPOSE_BUILD, INDEX, SEVERITY_FAIL,
                 "has 11536 bytes, its index says 37228");
    assert_found(facts, PURPOSE_RUN, INDEX, SEVERITY_WARN, "libxnvctrl0");
    facts_set_integer(facts, group, "bytes", 0, "partial");
    assert_found(facts, PURPOSE_BUILD, INDEX, SEVERITY_FAIL, "its index (37228 bytes)");
    facts_set_string(facts, group, "origin", "deb.debian.org", "partial");
    assert_check(facts, PURPOSE_BUILD, INDEX, CHECK_PASS, NULL);
    facts_set_string(facts, group, "name", "cuda-toolkit-12-8", "partial");
    assert_found(facts, PURPOSE_BUILD, INDEX, SEVERITY_FAIL, "deb.debian.org");
    facts_free(facts);
}

/* The record of a machine with that architecture, and an entry with that end. */
static void assert_directory(const char *machine, const char *directory, enum check_status status)
{
    struct facts *facts = world_with_sources();
    AUTO_FREE char *uri = mem_printf(BASE "ubuntu2204/%s/", directory);
    AUTO_FREE char *group = world_source(facts, FILE, uri, KEYRING, KEY);
    facts_set_string(facts, "os", "architecture", machine, "ld.so");
    assert_check(facts, PURPOSE_BUILD, MACHINE, status, NULL);
    world_list(facts, group, "architectures", "riscv64"); /* for others, on purpose */
    assert_check(facts, PURPOSE_BUILD, MACHINE, CHECK_PASS, NULL);
    facts_free(facts);
}

static void directories_of_machines(void **state)
{
    (void)state;
    assert_directory("x86_64", "x86_64", CHECK_PASS);
    assert_directory("x86_64", "sbsa", CHECK_FAIL);
    assert_directory("aarch64", "sbsa", CHECK_PASS);
    assert_directory("aarch64", "aarch64", CHECK_FAIL);
    assert_directory("aarch64", "arm64", CHECK_FAIL);
    struct facts *facts = world_with_sources();
    free(world_source(facts, FILE, BASE "ubuntu2204/sbsa/", KEYRING, KEY));
    assert_found(facts, PURPOSE_BUILD, MACHINE, SEVERITY_FAIL, "called x86_64");
    facts_free(facts);
    assert_needs(MACHINE, "apt_source", "count");
}

static void wheels_of_other_machines(void **state)
{
    (void)state;
    struct facts *facts = world_with_sources();
    facts_set_string(facts, "os", "architecture", "x86_64", "ld.so");
    facts_set_boolean(facts, "python/0", "active", true, "venv");
    facts_set_string(facts, "wheel/0", "name", "nvidia-nccl-cu12", "WHEEL");
    facts_set_string(facts, "wheel/0", "environment", "/venv", "WHEEL");
    facts_set_string(facts, "wheel/0", "python", "python/0", "WHEEL");
    facts_set_string(facts, "wheel/0", "platform", "x86_64", "WHEEL");
    assert_check(facts, PURPOSE_RUN, MACHINE, CHECK_PASS, NULL);
    facts_set_absent(facts, "wheel/0", "platform", "WHEEL");
    assert_check(facts, PURPOSE_RUN, MACHINE, CHECK_PASS, NULL);
    facts_set_string(facts, "wheel/0", "platform", "aarch64", "WHEEL");
    assert_found(facts, PURPOSE_RUN, MACHINE, SEVERITY_FAIL, "nvidia-nccl-cu12 in /venv");
    assert_found(facts, PURPOSE_BUILD, MACHINE, SEVERITY_INFO, "aarch64");
    /* Its framework is for that machine, too, and has a cause of its own. */
    facts_set_string(facts, "framework/0", "environment", "/venv", "WHEEL");
    facts_set_string(facts, "framework/0", "platform", "aarch64", "WHEEL");
    assert_check(facts, PURPOSE_RUN, MACHINE, CHECK_PASS, NULL);
    facts_set_string(facts, "framework/0", "environment", "/other", "WHEEL");
    facts_set_boolean(facts, "python/0", "active", false, "venv");
    assert_check(facts, PURPOSE_RUN, MACHINE, CHECK_PASS, NULL);
    facts_free(facts);
}

static void a_repository_of_another_release(void **state)
{
    (void)state;
    struct facts *facts = world_with_sources();
    facts_set_string(facts, "os", "version_id", "24.04", "/etc/os-release");
    free(world_source(facts, FILE, CUDA_2204, KEYRING, KEY));
    assert_check(facts, PURPOSE_BUILD, RELEASE, CHECK_PASS, NULL); /* it may work */
    free(world_unfinished(facts, "nsight-systems", "", "libtinfo5"));
    assert_found(facts, PURPOSE_BUILD, RELEASE, SEVERITY_FAIL, "ubuntu2404");
    facts_set_string(facts, "os", "version_id", "22.04", "/etc/os-release");
    assert_check(facts, PURPOSE_BUILD, RELEASE, CHECK_PASS, NULL);
    facts_free(facts);
    assert_needs(RELEASE, "package_state", "count");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_index_of_another_size),
        cmocka_unit_test(a_signed_file_that_apt_refuses),
        cmocka_unit_test(a_package_that_apt_refused),
        cmocka_unit_test(directories_of_machines),
        cmocka_unit_test(wheels_of_other_machines),
        cmocka_unit_test(a_repository_of_another_release),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
