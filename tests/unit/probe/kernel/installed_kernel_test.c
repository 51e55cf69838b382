/* SPDX-License-Identifier: MIT */
/* Kernels, compilers and drivers that were not installed as finished packages. */
#include "probe/tree.h"

#define GROUP "installed_kernel/6.1.0-18-amd64"

static void kernels_and_their_parts(void **state)
{
    struct tree *tree = *state;
    tree_link(tree, "/lib/modules/6.1.0-18-amd64/build", "/usr/src/linux-headers-6.1.0-18-amd64");
    tree_directory(tree, "/usr");
    tree_directory(tree, "/usr/src");
    tree_directory(tree, "/usr/src/linux-headers-6.1.0-18-amd64");
    tree_file(tree, "/lib/modules/6.1.0-18-amd64/modules.dep", "");
    tree_file(tree, "/boot/vmlinuz-6.1.0-18-amd64", "");
    tree_file(tree, "/boot/config-6.1.0-18-amd64",
              "CONFIG_CC_VERSION_TEXT=\"gcc-12 (Debian 12.2.0-14) 12.2.0\"\n"
              "CONFIG_MODULE_SIG_FORCE=y\n");
    tree_link(tree, "/lib/modules/6.1.0-20-amd64/build", "/usr/src/linux-headers-6.1.0-20-amd64");
    tree_file(tree, "/lib/modules/6.1.0-20-amd64/config", "# CONFIG_MODULE_SIG_FORCE is not set\n");
    tree_file(tree, "/lib/modules/no-directory", "");
    tree_file(tree, "/proc/version",
              "Linux version 6.1.0-18-amd64 (builder@host) (gcc-12 (Debian 12.2.0-14) 12.2.0, GNU "
              "ld (GNU Binutils for Debian) 2.40) #1 SMP\n");
    tree_probe(tree, probe_installed_kernel);
    assert_fact_integer(tree, "installed_kernel", "count", 2);
    assert_fact(tree, "installed_kernel", "running_compiler", "12");
    assert_fact(tree, GROUP, "release", "6.1.0-18-amd64");
    assert_fact_boolean(tree, GROUP, "modules", true);
    assert_fact_boolean(tree, GROUP, "image", true);
    assert_fact_boolean(tree, GROUP, "headers", true);
    assert_fact(tree, GROUP, "headers_path", "/usr/src/linux-headers-6.1.0-18-amd64");
    assert_fact(tree, GROUP, "compiler", "gcc-12 (Debian 12.2.0-14) 12.2.0");
    assert_fact_boolean(tree, GROUP, "signature_forced", true);
    static const char other[] = "installed_kernel/6.1.0-20-amd64";
    assert_fact_boolean(tree, other, "modules", false);
    assert_fact_boolean(tree, other, "image", false);
    assert_fact_boolean(tree, other, "headers", false);
    assert_fact_absent(tree, other, "compiler");
    assert_fact_boolean(tree, other, "signature_forced", false);
}

static void assert_compiler(struct tree *tree, const char *version, const char *expected)
{
    tree_file(tree, "/proc/version", version);
    tree_probe(tree, probe_installed_kernel);
    if (expected)
        assert_fact(tree, "installed_kernel", "running_compiler", expected);
    else
        assert_fact_absent(tree, "installed_kernel", "running_compiler");
}

static void the_compiler_of_the_running_kernel(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_installed_kernel);
    assert_fact_absent(tree, "installed_kernel", "count");
    assert_fact_skipped(tree, "installed_kernel", "running_compiler", "/proc/version");
    assert_compiler(tree, "Linux (x86_64-linux-gnu-gcc-13 (Ubuntu 13.2.0) 13.2.0, GNU ld)", "13");
    assert_compiler(tree, "Linux 5.14 (gcc (GCC) 11.4.1 20231218 (Red Hat 11.4.1-3), ld)", "11");
    assert_compiler(tree, "Linux 5.4 (b@h) (gcc version 9.4.0 (Ubuntu 9.4.0-1ubuntu1)) #1", "9");
    assert_compiler(tree, "Linux 6.9 (clang version 18.1.0) #1", NULL);
    assert_compiler(tree, "gcc", NULL);
    assert_compiler(tree, "gcc-\033 1 gcc 999999999999.", NULL);
}

static void compilers(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_compiler);
    assert_fact_absent(tree, "compiler", "cc");
    assert_fact_boolean(tree, "compiler", "make", false);
    assert_fact_list(tree, "compiler", "gcc_versions", "");

    tree_file(tree, "/usr/bin/gcc", "");
    tree_probe(tree, probe_compiler);
    assert_fact(tree, "compiler", "cc", "/usr/bin/gcc");
    assert_fact_unknown(tree, "compiler", "cc_version", "does not include");
    tree_file(tree, "/usr/lib/gcc/x86_64-redhat-linux/11/cc1", "");
    tree_directory(tree, "/usr/lib/gcc/x86_64-redhat-linux/13");
    tree_probe(tree, probe_compiler);
    assert_fact(tree, "compiler", "cc_version", "11");

    struct tree *debian = tree;
    AUTO_FREE char *gcc = tree_path(debian, "/usr/bin/gcc");
    assert_int_equal(remove(gcc), 0);
    tree_file(debian, "/usr/bin/x86_64-linux-gnu-gcc-12", "");
    tree_link(debian, "/usr/bin/gcc", "gcc-12");
    tree_link(debian, "/usr/bin/gcc-12", "x86_64-linux-gnu-gcc-12");
    tree_file(debian, "/usr/lib/gcc/x86_64-linux-gnu/12/cc1", "");
    tree_probe(debian, probe_compiler);
    assert_fact(debian, "compiler", "cc", "/usr/bin/x86_64-linux-gnu-gcc-12");
    assert_fact(debian, "compiler", "cc_version", "12");
    assert_fact_list(debian, "compiler", "gcc_versions", "11,12");
}

static void the_run_file(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_driver_install);
    assert_fact_boolean(tree, "driver_install", "runfile", false);
    assert_fact_absent(tree, "driver_install", "runfile_version");
    assert_fact_boolean(tree, "driver_install", "reboot_required", false);
    assert_fact_boolean(tree, "driver_install", "akmods", false);

    tree_file(tree, "/usr/bin/nvidia-uninstall", "");
    tree_file(tree, "/run/reboot-required", "");
    tree_file(tree, "/var/log/nvidia-installer.log",
              "nvidia-installer log file '/var/log/nvidia-installer.log'\n"
              "installing driver version: 570.86.15\n"
              "ERROR: Unable to load the kernel module 'nvidia.ko'.\n");
    tree_file(tree, "/var/cache/akmods/nvidia/570.86.15-1-for-6.9.fc41.failed.log",
              "2026/11/21 akmodsbuild: nv.c:1:2: error: no\n");
    tree_file(tree, "/usr/src/akmods/nvidia-kmod-570.86.15-1.fc41.src.rpm", "");
    tree_probe(tree, probe_driver_install);
    assert_fact_boolean(tree, "driver_install", "runfile", true);
    assert_fact(tree, "driver_install", "runfile_version", "570.86.15");
    assert_fact(tree, "driver_install", "runfile_outcome", "failed");
    assert_fact_list(tree, "driver_install", "runfile_errors",
                     "ERROR: Unable to load the kernel module 'nvidia.ko'.");
    assert_fact_boolean(tree, "driver_install", "akmods", true);
    tree_file(tree, "/var/log/nvidia-installer.log",
              "-> Installing NVIDIA driver version 340.108.\nERROR: no\n");
    tree_probe(tree, probe_driver_install);
    assert_fact(tree, "driver_install", "runfile_version", "340.108");
    assert_fact_list(tree, "driver_install", "akmods_failed",
                     "/var/cache/akmods/nvidia/570.86.15-1-for-6.9.fc41.failed.log");
    assert_fact_list(tree, "driver_install", "akmods_errors",
                     "2026/11/21 akmodsbuild: nv.c:1:2: error: no");
    assert_fact_boolean(tree, "driver_install", "reboot_required", true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(kernels_and_their_parts),
        tree_test(the_compiler_of_the_running_kernel),
        tree_test(compilers),
        tree_test(the_run_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
