/* SPDX-License-Identifier: MIT */
#include "probe/tree.h"

#include "probe/system/package_policy.h"

/* What holds NAME at VERSION in a tree: "what pattern", or "". */
static void assert_hold(const struct tree *tree, const char *name, const char *version,
                        const char *expected)
{
    AUTO_PACKAGE_POLICY struct package_policy policy = {.count = 0};
    struct host *host = host_new(tree->root, NULL);
    assert_int_equal(package_policy_read(host, &policy, NULL), HOST_OK);
    const struct package_hold *hold = package_hold_of(&policy, name, version);
    AUTO_FREE char *found = hold ? mem_printf("%s %s", hold->what, hold->pattern) : mem_string("");
    assert_string_equal(found, expected);
    host_free(host);
}

static void versionlock_in_its_three_forms(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/etc/dnf/plugins/versionlock.list",
              "\n# Added lock on Tue\nkmod-nvidia-3:570.86.15-1.el9.*\n!nvidia-driver-3:575*\n");
    tree_file(tree, "/etc/yum/pluginconf.d/versionlock.list", "3:cuda-drivers-570.86.15-1.*\n");
    tree_file(tree, "/etc/dnf/versionlock.toml",
              "version = \"1.0\"\n\n[[packages]]\nname = \"akmod-nvidia\"\n"
              "[[packages.conditions]]\nkey = \"evr\"\ncomparator = \"=\"\nvalue = \"3:565\"\n");
    assert_hold(tree, "kmod-nvidia", "570.86.15-1.el9",
                "versionlock kmod-nvidia-3:570.86.15-1.el9.*");
    assert_hold(tree, "kmod-nvidia-latest-dkms", "570.86.15-1.el9", "");
    assert_hold(tree, "cuda-drivers", "570.124.06-1", "versionlock 3:cuda-drivers-570.86.15-1.*");
    assert_hold(tree, "akmod-nvidia", "565.57.01-1.fc41", "versionlock akmod-nvidia");
    assert_hold(tree, "nvidia-driver", "570.86.15-1.el9", "");
}

static void excludes_of_all_repositories(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/etc/dnf/dnf.conf",
              "[main]\ngpgcheck=1\nexclude = kernel*, nvidia-driver*\n  libnvidia-ml\n"
              "[other]\nexclude=cuda*\n");
    tree_link(tree, "/etc/yum.conf", "dnf/dnf.conf");
    assert_hold(tree, "nvidia-driver-libs", "1-1", "exclude nvidia-driver*");
    assert_hold(tree, "libnvidia-ml", "1-1", "exclude libnvidia-ml");
    assert_hold(tree, "cuda-toolkit", "1-1", "");
    AUTO_PACKAGE_POLICY struct package_policy policy = {.count = 0};
    struct host *host = host_new(tree->root, NULL);
    assert_int_equal(package_policy_read(host, &policy, NULL), HOST_OK);
    assert_int_equal(policy.count, 3);
    host_free(host);
}

static void locks_of_zypper_and_pacman(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/etc/zypp/locks",
              "\ntype: package\nmatch_type: glob\ncase_sensitive: on\nsolvable_name: nvidia-*-G06\n"
              "\ntype: package\nsolvable_name: kernel-default\n");
    tree_file(tree, "/etc/pacman.conf",
              "[options]\nHoldPkg = pacman glibc\nIgnorePkg   = nvidia-utils linux\n"
              "#IgnorePkg = cuda\n[core]\nInclude = /etc/pacman.d/mirrorlist\n");
    assert_hold(tree, "nvidia-video-G06", "1-1", "zypper lock nvidia-*-G06");
    assert_hold(tree, "nvidia-utils", "580.95.05-1", "IgnorePkg nvidia-utils");
    assert_hold(tree, "cuda", "13.0-1", "");
    assert_hold(tree, "glibc", "2.42-1", "");
}

static void streams_that_are_enabled(void **state)
{
    struct tree *tree = *state;
    AUTO_PACKAGE_POLICY struct package_policy policy = {.count = 0};
    AUTO_ERROR struct error error = {0};
    struct host *host = host_new(tree->root, NULL);
    assert_int_equal(package_policy_read(host, &policy, NULL), HOST_ABSENT);
    tree_file(tree, "/etc/dnf/modules.d/nvidia-driver.module",
              "[nvidia-driver]\nname=nvidia-driver\nstream=570-open\nprofiles=default\n"
              "state=enabled\n");
    tree_file(tree, "/etc/dnf/modules.d/perl.module",
              "[perl]\nname=perl\nstream=5.32\nprofiles=\nstate=disabled\n");
    tree_file(tree, "/etc/dnf/modules.d/README", "name=a\nstream=b\nstate=enabled\n");
    assert_int_equal(package_policy_read(host, &policy, NULL), HOST_OK);
    assert_int_equal(policy.streams.count, 1);
    assert_string_equal(policy.streams.items[0], "nvidia-driver:570-open");
    tree_bytes(tree, "/etc/zypp/locks", "a\0b", 3);
    assert_int_equal(package_policy_read(host, &policy, &error), HOST_FAILED);
    host_free(host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(versionlock_in_its_three_forms),
        tree_test(excludes_of_all_repositories),
        tree_test(locks_of_zypper_and_pacman),
        tree_test(streams_that_are_enabled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
