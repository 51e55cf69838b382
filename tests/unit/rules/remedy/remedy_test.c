/* SPDX-License-Identifier: MIT */
#include "rules/world.h"

#include "manifest/manifest.h"
#include "rules/remedy/remedy.h"
#include "rules/remedy/repository.h"

static void test_distributions(void **state)
{
    static const struct {
        const char *id, *like;
        enum distribution distribution;
    } rows[] = {
        {"ubuntu", "debian", DISTRIBUTION_UBUNTU},
        {"debian", NULL, DISTRIBUTION_DEBIAN},
        {"pop", "ubuntu debian", DISTRIBUTION_UBUNTU},
        {"almalinux", "rhel centos fedora", DISTRIBUTION_RHEL},
        {"sles", "suse", DISTRIBUTION_SUSE},
        {"opensuse-tumbleweed", "opensuse suse", DISTRIBUTION_SUSE},
        {"manjaro", "arch", DISTRIBUTION_ARCH},
        {"alpine", NULL, DISTRIBUTION_OTHER},
        {NULL, NULL, DISTRIBUTION_OTHER},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct facts *facts = facts_new();
        facts_set_string(facts, "os", "id", rows[i].id, "/etc/os-release");
        facts_set_string(facts, "os", "id_like", rows[i].like, "/etc/os-release");
        assert_int_equal(remedy_distribution(facts), rows[i].distribution);
        facts_free(facts);
    }
}

static void test_images(void **state)
{
    (void)state;
    struct facts *facts = facts_new();
    facts_set_string(facts, "os", "id", "fedora", "/etc/os-release");
    facts_set_boolean(facts, "os", "ostree", false, "/run/ostree-booted");
    assert_null(remedy_image_tool(facts));
    facts_set_boolean(facts, "os", "ostree", true, "/run/ostree-booted");
    assert_string_equal(remedy_image_tool(facts), "rpm-ostree install");
    facts_set_boolean(facts, "os", "ostree", false, "/run/ostree-booted");
    facts_set_string(facts, "os", "id", "opensuse-microos", "/etc/os-release");
    assert_string_equal(remedy_image_tool(facts), "transactional-update pkg install");
    facts_free(facts);
}

/* A fresh system does not know NVIDIA's repository. */
static void test_repository(void **state)
{
    static const struct {
        const char *id, *version, *architecture, *says;
    } rows[] = {
        {"debian", "12", "x86_64", "repos/debian12/x86_64/cuda-keyring"},
        {"ubuntu", "22.04", "x86_64", "repos/ubuntu2204/x86_64/cuda-keyring"},
        {"ubuntu", "24.04", "aarch64", "repos/ubuntu2404/sbsa/cuda-keyring"},
        {"rocky", "9.3", "x86_64",
         "--add-repo https://developer.download.nvidia.com/compute/cuda/"
         "repos/rhel9/x86_64/cuda-rhel9.repo && install"},
        {"fedora", "42", "x86_64", "--from-repofile=https://"},
        {"amzn", "2023", "x86_64", "amzn2023/x86_64/cuda-amzn2023.repo"},
        {"sles", "15.6", "x86_64", "zypper addrepo"},
        {"linuxmint", "21", "x86_64", "install"}, /* its version is not Ubuntu's */
        {"debian", NULL, "x86_64", "install"},    /* testing */
        {"debian", "12", "riscv64", "install"},
    };
    (void)state;
    struct manifest *manifest = manifest_new();
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct facts *facts = facts_new();
        facts_set_string(facts, "os", "id", rows[i].id, "/etc/os-release");
        facts_set_string(facts, "os", "version_id", rows[i].version, "/etc/os-release");
        facts_set_string(facts, "os", "architecture", rows[i].architecture, "ld.so");
        AUTO_FREE char *command = repository_command(facts, manifest, "install");
        assert_says(command, rows[i].says);
        assert_true(string_ends(command, "install"));
        if (string_equal(rows[i].says, "install"))
            assert_string_equal(command, "install");
        world_package(facts, "cuda-keyring", "install ok installed");
        AUTO_FREE char *short_command = repository_command(facts, manifest, "install");
        assert_string_equal(short_command, "install");
        facts_free(facts);
    }
    manifest_free(manifest);
}

/* In WSL it is one for all Debians and Ubuntus, and none for the others. */
static void test_repository_in_wsl(void **state)
{
    static const char *const rows[][2] = {
        {"ubuntu", "repos/wsl-ubuntu/x86_64/cuda-keyring"},
        {"debian", "repos/wsl-ubuntu/x86_64/cuda-keyring"},
        {"fedora", "install"},
    };
    (void)state;
    struct manifest *manifest = manifest_new();
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct facts *facts = facts_new();
        facts_set_integer(facts, "machine", "wsl", 2, "/proc/version");
        facts_set_string(facts, "os", "id", rows[i][0], "/etc/os-release");
        facts_set_string(facts, "os", "version_id", "12", "/etc/os-release");
        facts_set_string(facts, "os", "architecture", "x86_64", "ld.so");
        AUTO_FREE char *command = repository_command(facts, manifest, "install");
        assert_says(command, rows[i][1]);
        assert_int_equal(string_equal(command, "install"), i == 2);
        facts_free(facts);
    }
    manifest_free(manifest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distributions),
        cmocka_unit_test(test_images),
        cmocka_unit_test(test_repository),
        cmocka_unit_test(test_repository_in_wsl),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
