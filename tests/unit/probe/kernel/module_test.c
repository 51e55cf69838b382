/* SPDX-License-Identifier: MIT */
#include "probe/tree.h"

#define NVRM "/proc/driver/nvidia/version"
#define LINE                                                                                       \
    "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.15  Release Build  (x)"

static void reads_a_loaded_driver(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/proc/modules",
              "nvidia_uvm 4931584 0 - Live 0x0 (OE)\n"
              "nvidia_drm 126976 0 - Live 0x0 (OE)\n"
              "nvidia 13959168 2 nvidia_uvm,nvidia_drm, Live 0x0 (OE)\n");
    tree_file(tree, NVRM, LINE "\nGCC version:  gcc version 12.2.0\n");
    tree_file(tree, "/sys/module/nvidia_uvm/version", "570.86.15\n");
    tree_probe(tree, probe_module);
    assert_fact_boolean(tree, "module", "nvidia", true);
    assert_fact_boolean(tree, "module", "nvidia_uvm", true);
    assert_fact_boolean(tree, "module", "nvidia_drm", true);
    assert_fact_boolean(tree, "module", "nouveau", false);
    assert_fact_boolean(tree, "module", "nova", false);
    assert_fact_boolean(tree, "module", "vfio_pci", false);
    assert_fact(tree, "module", "version", "570.86.15");
    assert_fact(tree, "module", "version_line", LINE);
    assert_fact(tree, "module", "flavour", "open");
    assert_fact(tree, "module", "compiler", "gcc version 12.2.0");
    assert_fact(tree, "module", "uvm_version", "570.86.15");
    assert_fact_absent(tree, "module", "firmware");
    tree_file(tree, "/lib/firmware/nvidia/570.86.15/gsp_ga10x.bin", "");
    tree_file(tree, "/lib/firmware/nvidia/570.86.15/README", "");
    tree_probe(tree, probe_module);
    assert_fact_list(tree, "module", "firmware", "gsp_ga10x.bin");
}

static void names_are_compared_whole(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/proc/modules", "nvidia_uvmx 1 0\nxnouveau 1 0\ni2c 1 1 nouveau,\nnvidia\n");
    tree_probe(tree, probe_module);
    assert_fact_boolean(tree, "module", "nvidia", false);
    assert_fact_boolean(tree, "module", "nvidia_uvm", false);
    assert_fact_boolean(tree, "module", "nouveau", false);
    assert_fact_absent(tree, "module", "version");
    assert_fact_absent(tree, "module", "uvm_version");
}

/* A kernel without loadable modules has no /proc/modules. */
static void sysfs_alone_is_enough(void **state)
{
    struct tree *tree = *state;
    tree_directory(tree, "/sys/module/nouveau");
    tree_probe(tree, probe_module);
    assert_fact_boolean(tree, "module", "nouveau", true);
    assert_fact_boolean(tree, "module", "nvidia", false);
    assert_string_equal(tree_fact(tree, "module", "nvidia")->source, "/sys/module");
    assert_fact_absent(tree, "module", "version");
}

static void an_empty_tree_is_skipped(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_module);
    assert_fact_skipped(tree, "module", "nvidia", "the tree holds no");
    assert_fact_skipped(tree, "module", "nouveau", "the tree holds no");
    assert_fact_skipped(tree, "module", "version", "the tree holds no");
    assert_fact_skipped(tree, "module", "version_line", "the tree holds no");
    assert_fact_skipped(tree, "module", "uvm_version", "the tree holds no");
}

static void the_version_file_is_a_sign_of_the_module(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, NVRM, LINE);
    tree_probe(tree, probe_module);
    assert_fact_boolean(tree, "module", "nvidia", true);
    assert_fact(tree, "module", "version", "570.86.15");
    assert_fact_absent(tree, "module", "compiler");
    assert_fact_skipped(tree, "module", "nvidia_uvm", "the tree holds no");
}

static void sysfs_answers_for_procfs(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/sys/module/nvidia/version", "570.86.15\n");
    tree_probe(tree, probe_module);
    assert_fact(tree, "module", "version", "570.86.15");
    assert_string_equal(tree_fact(tree, "module", "version")->source, "/sys/module/nvidia/version");
    assert_fact_unknown(tree, "module", "flavour", "does not report");

    tree_file(tree, "/sys/module/nvidia/taint", "OE\n");
    tree_probe(tree, probe_module);
    assert_fact(tree, "module", "flavour", "open");
    tree_file(tree, "/sys/module/nvidia/taint", "POE\n");
    tree_probe(tree, probe_module);
    assert_fact(tree, "module", "flavour", "proprietary");
}

static void a_loaded_module_without_a_version_is_unknown(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/proc/modules", "nvidia 1 0 - Live 0x0\n");
    tree_probe(tree, probe_module);
    assert_fact_boolean(tree, "module", "nvidia", true);
    assert_fact_unknown(tree, "module", "version", "does not report");
    assert_fact_absent(tree, "module", "version_line");
}

static void survives_a_hostile_version_file(void **state)
{
    struct tree *tree = *state;
    AUTO_FREE char *large = mem_alloc((1 << 20) + 1);
    memset(large, 'N', 1 << 20);
    const char *const texts[] = {"", large, "\1\2\3\377", "NVRM version: 5\033[31m"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        tree_file(tree, NVRM, texts[i]);
        tree_probe(tree, probe_module);
        assert_fact_boolean(tree, "module", "nvidia", true);
        assert_int_equal(tree_fact(tree, "module", "version")->state, FACT_UNKNOWN);
        assert_int_equal(tree_fact(tree, "module", "version_line")->state, FACT_UNKNOWN);
        assert_int_equal(tree_fact(tree, "module", "flavour")->state, FACT_UNKNOWN);
    }
    tree_bytes(tree, NVRM, "NVRM version: Kernel Module\0 570.86", 35);
    tree_probe(tree, probe_module);
    assert_fact_unknown(tree, "module", "version", "NUL");
    tree_file(tree, "/sys/module/nvidia/version", "570.86.15\n");
    tree_probe(tree, probe_module);
    assert_fact(tree, "module", "version", "570.86.15");
}

static void users_of_the_modules(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/proc/modules", "nvidia 1 2 - Live 0x0\n");
    tree_file(tree, "/sys/module/nvidia/refcnt", "42\n");
    tree_probe(tree, probe_module);
    assert_fact_integer(tree, "module", "nvidia_users", 42);
    assert_fact_absent(tree, "module", "uvm_users");
    tree_file(tree, "/sys/module/nvidia_uvm/refcnt", "\033[31m\n");
    tree_probe(tree, probe_module);
    assert_fact_unknown(tree, "module", "uvm_users", "not a number");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(reads_a_loaded_driver),
        tree_test(names_are_compared_whole),
        tree_test(sysfs_alone_is_enough),
        tree_test(an_empty_tree_is_skipped),
        tree_test(the_version_file_is_a_sign_of_the_module),
        tree_test(sysfs_answers_for_procfs),
        tree_test(a_loaded_module_without_a_version_is_unknown),
        tree_test(survives_a_hostile_version_file),
        tree_test(users_of_the_modules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
