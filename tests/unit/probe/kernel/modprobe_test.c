/* SPDX-License-Identifier: MIT */
/* What decides which module gets the GPU: modprobe.d, the initramfs. */
#include "probe/tree.h"

static void settings_are_gathered(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/etc/modprobe.d/b.conf",
              "# blacklist nvidia\nblacklist nouveau\n  blacklist  nvidia-drm  \n"
              "options nvidia NVreg_DeviceFileMode=0660 \\\n  NVreg_DeviceFileGID=44\n"
              "install nova_core /bin/false\nalias nouveau off\nblacklist pcspkr\n"
              "alias nvidia_uvm nvidia-331-uvm\nsoftdep nouveau pre: vfio-pci\n"
              "options vfio-pci ids=10de:1392\ninstall nvidia /sbin/modprobe -i nvidia\n");
    tree_file(tree, "/usr/lib/modprobe.d/a.conf", "options nvidia-drm modeset=1\n");
    tree_file(tree, "/usr/lib/modprobe.d/b.conf", "blacklist nvidia\n");
    tree_file(tree, "/usr/lib/modprobe.d/c.conf.dpkg-old", "blacklist nvidia\n");
    tree_file(tree, "/usr/lib/modprobe.d/other.conf", "options snd power_save=1\n");
    tree_file(tree, "/etc/modules-load.d/n.conf", "# nvidia\nnvidia-uvm\nloop\n");
    tree_file(tree, "/etc/modules", "nvidia\n");
    tree_probe(tree, probe_modprobe);
    assert_fact_integer(tree, "modprobe", "count", 2);
    assert_fact_list(tree, "modprobe", "blacklisted", "nouveau,nvidia_drm");
    assert_fact_list(tree, "modprobe", "disabled", "nova_core,nouveau");
    assert_fact_list(tree, "modprobe", "options",
                     "nvidia_drm modeset=1,nvidia NVreg_DeviceFileMode=0660     "
                     "NVreg_DeviceFileGID=44,vfio_pci ids=10de:1392");
    assert_fact_list(tree, "modprobe", "aliases", "nvidia_uvm nvidia-331-uvm");
    assert_fact_list(tree, "modprobe", "softdeps", "nouveau pre: vfio-pci");
    assert_fact_list(tree, "modprobe", "load", "nvidia_uvm,nvidia");
    assert_fact_list(tree, "modprobe", "unread", "");
    assert_fact(tree, "modprobe//etc/modprobe.d/b.conf", "path", "/etc/modprobe.d/b.conf");
    assert_fact_list(tree, "modprobe//usr/lib/modprobe.d/a.conf", "lines",
                     "options nvidia-drm modeset=1");
}

static void settings_that_cannot_be_read_are_said(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_modprobe);
    assert_fact_integer(tree, "modprobe", "count", 0);
    tree_directory(tree, "/etc");
    tree_directory(tree, "/etc/modprobe.d");
    tree_directory(tree, "/etc/modprobe.d/nvidia.conf");
    tree_bytes(tree, "/etc/modprobe.d/nouveau.conf", "blacklist nouveau\0", 18);
    tree_file(tree, "/etc/modprobe.d/odd.conf",
              "nvidia\nblacklist\noptions nvidia\n\\\nblacklist nvidia\033[31m\377\\");
    tree_probe(tree, probe_modprobe);
    assert_fact_list(tree, "modprobe", "blacklisted", "nvidia\033[31m\377\\");
    assert_fact_list(tree, "modprobe", "unread",
                     "/etc/modprobe.d/nouveau.conf: it holds a NUL byte,"
                     "/etc/modprobe.d/nvidia.conf: it is a directory, not a file");
}

static void images_are_dated(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/etc/modprobe.d/blacklist.conf", "blacklist nouveau\n");
    tree_file(tree, "/etc/modprobe.d/older.conf", "options nvidia x=1\n");
    tree_file(tree, "/boot/initrd.img-6.1.0-18-amd64", "");
    tree_file(tree, "/boot/initramfs-5.14.0-284.el9.x86_64.img", "");
    tree_file(tree, "/boot/initramfs-5.14.0-284.el9.x86_64kdump.img", "");
    tree_file(tree, "/boot/initramfs-linux-lts.img", "");
    tree_file(tree, "/boot/initrd.img-", "");
    tree_file(tree, "/boot/vmlinuz-6.1.0-18-amd64", "");
    tree_date(tree, "/etc/modprobe.d/blacklist.conf", 2000);
    tree_date(tree, "/etc/modprobe.d/older.conf", 500);
    tree_date(tree, "/boot/initrd.img-6.1.0-18-amd64", 1000);
    tree_date(tree, "/boot/initramfs-linux-lts.img", 3000);
    tree_probe(tree, NULL);
    assert_fact_integer(tree, "initramfs", "count", 3);
    static const char debian[] = "initramfs/initrd.img-6.1.0-18-amd64";
    assert_fact(tree, debian, "path", "/boot/initrd.img-6.1.0-18-amd64");
    assert_fact(tree, debian, "kernel", "6.1.0-18-amd64");
    assert_fact_integer(tree, debian, "modified", 1000);
    assert_fact_list(tree, debian, "newer_settings", "/etc/modprobe.d/blacklist.conf");
    assert_fact(tree, "initramfs/initramfs-5.14.0-284.el9.x86_64.img", "kernel",
                "5.14.0-284.el9.x86_64");
    assert_fact_absent(tree, "initramfs/initramfs-linux-lts.img", "kernel");
    assert_fact_list(tree, "initramfs/initramfs-linux-lts.img", "newer_settings", "");
    assert_fact_integer(tree, "modprobe//etc/modprobe.d/older.conf", "modified", 500);
}

static void no_boot_directory_is_absent(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_initramfs);
    assert_fact_absent(tree, "initramfs", "count");
    tree_link(tree, "/boot/initrd.img-6.1\033[31m", "nowhere");
    tree_probe(tree, probe_initramfs);
    assert_fact_absent(tree, "initramfs/initrd.img-6.1\\x1b[31m", "modified");
}

int main(void)
{
    const struct CMUnitTest tests[] = {

        tree_test(settings_are_gathered),
        tree_test(settings_that_cannot_be_read_are_said),
        tree_test(images_are_dated),
        tree_test(no_boot_directory_is_absent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
