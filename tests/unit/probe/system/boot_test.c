/* SPDX-License-Identifier: MIT */
#include "probe/tree.h"

#define SUSPENDS "/sys/power/suspend_stats/success"

static void words_of_the_command_line(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/proc/cmdline",
              "BOOT_IMAGE=/vmlinuz root=UUID=secret rd.luks.key=x intel_iommu=on iommu=pt "
              "rd.driver.blacklist=nouveau,nova-core modprobe.blacklist=nouveau pci=realloc "
              "pcie_aspm=off nvidia-drm.modeset=1 module.sig_enforce=1 quiet -- vfio=init\n");
    tree_probe(tree, probe_boot);
    assert_fact_list(tree, "boot", "options",
                     "intel_iommu=on,iommu=pt,rd.driver.blacklist=nouveau,nova-core,"
                     "modprobe.blacklist=nouveau,pci=realloc,pcie_aspm=off,nvidia-drm.modeset=1,"
                     "module.sig_enforce=1");
    assert_fact_list(tree, "boot", "blacklisted", "nouveau,nova_core");
}

static void without_a_command_line(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_boot);
    assert_fact_skipped(tree, "boot", "options", "the tree holds no /proc/cmdline");
    tree_file(tree, "/proc/cmdline", "");
    tree_probe(tree, probe_boot);
    assert_fact_list(tree, "boot", "options", "");
    tree_bytes(tree, "/proc/cmdline", "\0iommu=pt", 9);
    tree_probe(tree, probe_boot);
    assert_fact_unknown(tree, "boot", "options", "NUL");
}

static void how_often_it_slept(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_boot);
    assert_fact_absent(tree, "boot", "suspends");
    tree_file(tree, SUSPENDS, "3\n");
    tree_probe(tree, probe_boot);
    assert_fact_integer(tree, "boot", "suspends", 3);
    assert_string_equal(tree_fact(tree, "boot", "suspends")->source, SUSPENDS);
    static const char *const bad[] = {"-1\n", "", "3 \033[31m\n", "99999999999999999999\n"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        tree_file(tree, SUSPENDS, bad[i]);
        tree_probe(tree, probe_boot);
        assert_int_equal(tree_fact(tree, "boot", "suspends")->state, FACT_UNKNOWN);
    }
}

static void a_directory_in_its_place_is_unknown(void **state)
{
    struct tree *tree = *state;
    tree_directory(tree, SUSPENDS);
    tree_probe(tree, probe_boot);
    assert_fact_unknown(tree, "boot", "suspends", "is a directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(words_of_the_command_line),
        tree_test(without_a_command_line),
        tree_test(how_often_it_slept),
        tree_test(a_directory_in_its_place_is_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
