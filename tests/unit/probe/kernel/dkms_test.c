/* SPDX-License-Identifier: MIT */
#include "probe/tree.h"

#include "base/text.h"

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

static void the_log_says_why_a_build_failed(void **state)
{
    struct tree *tree = *state;
    tree_link(tree, VERSION "/source", "/usr/src/nvidia-570.86.15");
    tree_probe(tree, probe_dkms);
    assert_fact_absent(tree, GROUP, "log");
    assert_fact_absent(tree, GROUP, "log_errors");
    tree_file(tree, VERSION "/build/make.log",
              "DKMS make.log for nvidia-570.86.15 for kernel 6.8.0-48-generic (x86_64)\n"
              "make -C /lib/modules conftest error: in a test of the compiler\n"
              "  CC [M]  nvidia/nv.o -Werror=all\n"
              "warning: the compiler differs from the one used to build the kernel\n"
              "  The kernel was built by: gcc-12 12.2.0\n"
              "nv-dma.c:12:5: error: too few arguments to function\n"
              "make[2]: *** [scripts/Makefile.build:243: nvidia/nv-dma.o] Error 1\n");
    tree_probe(tree, probe_dkms);
    assert_fact(tree, GROUP, "log", VERSION "/build/make.log");
    assert_fact(tree, GROUP, "log_kernel", "6.8.0-48-generic");
    assert_fact(tree, GROUP, "log_outcome", "failed");
    assert_fact_list(tree, GROUP, "log_errors",
                     "The kernel was built by: gcc-12 12.2.0,"
                     "nv-dma.c:12:5: error: too few arguments to function,"
                     "make[2]: *** [scripts/Makefile.build:243: nvidia/nv-dma.o] Error 1");
}

static void only_the_last_errors_are_kept(void **state)
{
    struct tree *tree = *state;
    AUTO_TEXT struct text log = {0};
    text_append(&log,
                "DKMS (dkms-3.0.10) make.log for nvidia/570.86.15 for kernel 6.8.0 (x86_64)\n");
    for (int i = 0; i < 20000; i++)
        text_printf(&log, "file.c:%d: error: \033[31m\377 and more of it\n", i % 5000);
    text_append(&log, "# exit code: 2\n");
    tree_bytes(tree, VERSION "/6.8.0/x86_64/log/make.log", log.data, log.size);
    tree_probe(tree, probe_dkms);
    assert_fact(tree, GROUP, "log_kernel", "6.8.0");
    assert_fact(tree, GROUP, "log_outcome", "failed");
    assert_int_equal(tree_fact(tree, GROUP, "log_errors")->list.count, 6);
    assert_string_equal(tree_fact(tree, GROUP, "log_errors")->list.items[5],
                        "file.c:4999: error: \033[31m\377 and more of it");

    tree_file(tree, VERSION "/6.8.0/x86_64/log/make.log", "compiled\n# exit code: 0\n");
    tree_probe(tree, probe_dkms);
    assert_fact(tree, GROUP, "log_outcome", "ended");
    assert_fact_absent(tree, GROUP, "log_kernel");
    assert_fact_list(tree, GROUP, "log_errors", "");
}

static void a_log_that_cannot_be_read_is_unknown(void **state)
{
    struct tree *tree = *state;
    tree_directory(tree, VERSION "/build/make.log");
    tree_probe(tree, probe_dkms);
    assert_fact_unknown(tree, GROUP, "log_errors", "is a directory");
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
        tree_test(the_log_says_why_a_build_failed),
        tree_test(only_the_last_errors_are_kept),
        tree_test(a_log_that_cannot_be_read_is_unknown),
        tree_test(survives_hostile_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
