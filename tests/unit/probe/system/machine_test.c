/* SPDX-License-Identifier: MIT */
#include "probe/tree.h"

#define OSRELEASE "/proc/sys/kernel/osrelease"
#define VARIABLE  "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"

static void an_empty_tree_is_skipped(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_machine);
    assert_fact_skipped(tree, "machine", "product", "/sys/class");
    assert_fact_skipped(tree, "machine", "wsl", OSRELEASE);
    assert_fact_absent(tree, "machine", "jetson_release");
    assert_fact_skipped(tree, "machine", "jetson_model", "the tree holds no");
    assert_fact_skipped(tree, "machine", "secure_boot", "/sys/firmware");
    assert_fact_skipped(tree, "machine", "iommu", "/sys/kernel/iommu_groups");
}

static void names_the_product(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/sys/class/dmi/id/product_name", "DGX H100\n");
    tree_probe(tree, probe_machine);
    assert_fact(tree, "machine", "product", "DGX H100");
    tree_file(tree, "/sys/class/dmi/id/sys_vendor", "NVIDIA\n");
    tree_probe(tree, probe_machine);
    assert_fact(tree, "machine", "product", "NVIDIA DGX H100");
    tree_file(tree, "/sys/class/dmi/id/sys_vendor", "\n");
    tree_file(tree, "/sys/class/dmi/id/product_name", "");
    tree_probe(tree, probe_machine);
    assert_fact_absent(tree, "machine", "product");
}

static void knows_the_generations_of_wsl(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, OSRELEASE, "4.4.0-19041-Microsoft\n");
    tree_probe(tree, probe_machine);
    assert_fact_integer(tree, "machine", "wsl", 1);
    tree_file(tree, OSRELEASE, "5.15.153.1-microsoft-standard-WSL2\n");
    tree_probe(tree, probe_machine);
    assert_fact_integer(tree, "machine", "wsl", 2);
    tree_file(tree, OSRELEASE, "6.1.0-18-amd64\n");
    tree_probe(tree, probe_machine);
    assert_fact_absent(tree, "machine", "wsl");
    tree_file(tree, "/proc/sys/fs/binfmt_misc/WSLInterop", "enabled\n");
    tree_probe(tree, probe_machine);
    assert_fact_integer(tree, "machine", "wsl", 2);
}

static void reads_a_jetson(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/etc/nv_tegra_release",
              "# R36 (release), REVISION: 4.3, GCID: 1, BOARD: generic, EABI: aarch64\n"
              "# KERNEL_VARIANT: oot\n");
    tree_bytes(tree, "/proc/device-tree/model", "NVIDIA Orin NX Engineering Kit", 31);
    tree_bytes(tree, "/proc/device-tree/compatible", "nvidia,p3768\0nvidia,tegra234", 29);
    tree_probe(tree, probe_machine);
    assert_fact(tree, "machine", "jetson_release", "36.4.3");
    assert_fact(tree, "machine", "jetson_model", "NVIDIA Orin NX Engineering Kit");
}

static void another_board_is_no_jetson(void **state)
{
    struct tree *tree = *state;
    tree_bytes(tree, "/proc/device-tree/model", "Raspberry Pi 5 Model B", 23);
    tree_bytes(tree, "/proc/device-tree/compatible", "raspberrypi,5", 14);
    tree_probe(tree, probe_machine);
    assert_fact_absent(tree, "machine", "jetson_model");
    assert_fact_absent(tree, "machine", "jetson_release");
}

static void refuses_other_tegra_releases(void **state)
{
    static const char *const texts[] = {
        "",
        "\n",
        "# R36 (release), REVISION: \n",
        "# R (release), REVISION: 4.3,\n",
        "# R36\033[31m (release), REVISION: 4.3,\n",
        "# R36 (release), REVISION: 4.3\377\n",
        "# R99999999999999999999999999999999 (release), REVISION: 4.3,\n",
        "R36 (release), REVISION: 4.3,\n",
    };
    struct tree *tree = *state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        tree_file(tree, "/etc/nv_tegra_release", texts[i]);
        tree_probe(tree, probe_machine);
        assert_fact_unknown(tree, "machine", "jetson_release", "not a Jetson Linux release");
    }
}

static void reads_the_secure_boot_variable(void **state)
{
    struct tree *tree = *state;
    tree_bytes(tree, VARIABLE, "\6\0\0\0\1", 5);
    tree_probe(tree, probe_machine);
    assert_fact_boolean(tree, "machine", "secure_boot", true);
    tree_bytes(tree, VARIABLE, "\6\0\0\0\0", 5);
    tree_probe(tree, probe_machine);
    assert_fact_boolean(tree, "machine", "secure_boot", false);
    tree_bytes(tree, VARIABLE, "\6\0\0\0\2", 5);
    tree_probe(tree, probe_machine);
    assert_fact_unknown(tree, "machine", "secure_boot", "a 0 or 1");
    tree_bytes(tree, VARIABLE, "\6\0\0\0", 4);
    tree_probe(tree, probe_machine);
    assert_fact_unknown(tree, "machine", "secure_boot", "a 0 or 1");
}

static void a_hidden_firmware_is_not_secure_boot_off(void **state)
{
    struct tree *tree = *state;
    tree_directory(tree, "/sys/firmware");
    tree_probe(tree, probe_machine);
    assert_fact_skipped(tree, "machine", "secure_boot", "hidden");
    tree_directory(tree, "/sys/firmware/acpi");
    tree_probe(tree, probe_machine);
    assert_fact_boolean(tree, "machine", "secure_boot", false);
    tree_directory(tree, "/sys/firmware/efi");
    tree_probe(tree, probe_machine);
    assert_fact_unknown(tree, "machine", "secure_boot", "not mounted");
    tree_file(tree, "/sys/firmware/efi/efivars/BootOrder-1", "x");
    tree_probe(tree, probe_machine);
    assert_fact_boolean(tree, "machine", "secure_boot", false);
}

static void groups_are_an_iommu(void **state)
{
    struct tree *tree = *state;
    tree_directory(tree, "/sys/kernel/iommu_groups");
    tree_probe(tree, probe_machine);
    assert_fact_boolean(tree, "machine", "iommu", false);
    tree_directory(tree, "/sys/kernel/iommu_groups/0");
    tree_probe(tree, probe_machine);
    assert_fact_boolean(tree, "machine", "iommu", true);
}

static void infiniband_and_processors(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_machine);
    assert_fact_skipped(tree, "machine", "infiniband", "/sys/class");
    assert_fact_skipped(tree, "machine", "processors", "/proc/cpuinfo");
    tree_directory(tree, "/sys/class/net");
    tree_file(tree, "/proc/cpuinfo", "processor\t: 0\nflags\t: x\nprocessor\t: 1\n");
    tree_probe(tree, probe_machine);
    assert_fact_boolean(tree, "machine", "infiniband", false);
    assert_fact_integer(tree, "machine", "processors", 2);
    tree_directory(tree, "/sys/class/infiniband/mlx5_0");
    tree_file(tree, "/proc/cpuinfo", "\033");
    tree_probe(tree, probe_machine);
    assert_fact_boolean(tree, "machine", "infiniband", true);
    assert_fact_absent(tree, "machine", "processors");
}

/* The flags of a host say that it can have such guests, not that it is one. */
static void confidential_guest(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu sse2 sev_snp\n");
    tree_probe(tree, probe_machine);
    assert_fact_absent(tree, "machine", "confidential");
    tree_file(tree, "/sys/class/dmi/id/sys_vendor", "QEMU\n");
    tree_file(tree, "/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu hypervisor sev_snp\n");
    tree_probe(tree, probe_machine);
    assert_fact(tree, "machine", "confidential", "sev-snp");
    tree_file(tree, "/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu hypervisor sev_snpx\n");
    tree_probe(tree, probe_machine);
    assert_fact_absent(tree, "machine", "confidential");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(an_empty_tree_is_skipped),
        tree_test(names_the_product),
        tree_test(knows_the_generations_of_wsl),
        tree_test(reads_a_jetson),
        tree_test(another_board_is_no_jetson),
        tree_test(refuses_other_tegra_releases),
        tree_test(reads_the_secure_boot_variable),
        tree_test(a_hidden_firmware_is_not_secure_boot_off),
        tree_test(groups_are_an_iommu),
        tree_test(confidential_guest),
        tree_test(infiniband_and_processors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
