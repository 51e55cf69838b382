/* SPDX-License-Identifier: MIT */
#include "tree.h"

#include "probe/probes.h"

#define DKMS    "/var/lib/dkms/nvidia"
#define VERSION DKMS "/570.86.15"
#define GROUP   "dkms/nvidia/570.86.15"

static void no_dkms_is_absent(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_dkms);
    assert_fact_absent(tree, "dkms", "count");
    tree_directory(tree, "/var/lib/dkms/zfs/2.2.2/source");
    tree_probe(tree, probe_dkms);
    assert_fact_integer(tree, "dkms", "count", 0);
}

static void follows_the_three_states(void **state)
{
    struct tree *tree = *state;
    tree_link(tree, VERSION "/source", "/usr/src/nvidia-570.86.15");
    tree_directory(tree, VERSION "/build");
    tree_probe(tree, probe_dkms);
    assert_fact_integer(tree, "dkms", "count", 1);
    assert_fact(tree, GROUP, "module", "nvidia");
    assert_fact(tree, GROUP, "version", "570.86.15");
    assert_fact(tree, GROUP, "state", "added");
    assert_fact_list(tree, GROUP, "kernels", "");

    tree_directory(tree, VERSION "/6.8.0-45-generic/x86_64/log");
    tree_probe(tree, probe_dkms);
    assert_fact(tree, GROUP, "state", "added");

    tree_file(tree, VERSION "/6.8.0-45-generic/x86_64/module/nvidia.ko.zst", "");
    tree_file(tree, VERSION "/6.8.0-48-generic/x86_64/module/nvidia.ko.zst", "");
    tree_probe(tree, probe_dkms);
    assert_fact(tree, GROUP, "state", "built");
    assert_fact_list(tree, GROUP, "kernels", "6.8.0-45-generic,6.8.0-48-generic");

    tree_link(tree, DKMS "/kernel-6.8.0-48-generic-x86_64", "570.86.15/6.8.0-48-generic/x86_64");
    tree_probe(tree, probe_dkms);
    assert_fact(tree, GROUP, "state", "installed");
}

static void the_link_says_which_version_is_installed(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, DKMS "/550.54.15/6.8.0/x86_64/module/nvidia.ko", "");
    tree_file(tree, VERSION "/6.8.0/x86_64/module/nvidia.ko", "");
    tree_link(tree, DKMS "/kernel-6.8.0-x86_64", VERSION "/6.8.0/x86_64");
    tree_file(tree, "/lib/modules/6.8.0/updates/dkms/nvidia.ko", "");
    tree_probe(tree, probe_dkms);
    assert_fact_integer(tree, "dkms", "count", 2);
    assert_fact(tree, "dkms/nvidia/550.54.15", "state", "built");
    assert_fact(tree, GROUP, "state", "installed");
}

static void without_a_link_the_module_file_tells(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/var/lib/dkms/nvidia-current/570.86.15/6.1.0/x86_64/module/nvidia-current.ko",
              "");
    tree_file(tree, "/lib/modules/6.1.0/updates/dkms/nvidia-current-uvm.ko", "");
    tree_probe(tree, probe_dkms);
    assert_fact(tree, "dkms/nvidia-current/570.86.15", "state", "built");
    tree_file(tree, "/lib/modules/6.1.0/updates/dkms/nvidia-current.ko", "");
    tree_probe(tree, probe_dkms);
    assert_fact(tree, "dkms/nvidia-current/570.86.15", "state", "installed");
}

static void survives_hostile_trees(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/var/lib/dkms/nvidia\033[31m/1\n\377/k\033/x/module/nvidia.ko", "");
    tree_file(tree, "/var/lib/dkms/nvidia-file", "not a directory");
    tree_link(tree, "/var/lib/dkms/nvidia-loop", "nvidia-loop");
    tree_probe(tree, probe_dkms);
    assert_fact(tree, "dkms/nvidia\\x1b[31m/1\\x0a\\xff", "version", "1\n\377");
    assert_fact_unknown(tree, "dkms", "count", "cannot be read");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(no_dkms_is_absent),
        tree_test(follows_the_three_states),
        tree_test(the_link_says_which_version_is_installed),
        tree_test(without_a_link_the_module_file_tells),
        tree_test(survives_hostile_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
