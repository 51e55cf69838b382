/* SPDX-License-Identifier: MIT */
/* What LXC's guests are to have, by their configuration. */
#include "probe/tree.h"

#define KIND  "lxc_guest"
#define GUEST "lxc_guest/web"

static void own_files(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_lxc_guest);
    assert_fact_absent(tree, KIND, "count");
    tree_file(tree, "/var/lib/lxc/web/config",
              "# lxc.mount.entry = /dev/nvidia9 x none bind 0 0\n"
              "lxc.include = /usr/share/lxc/config/common.conf\n"
              "lxc.cgroup.devices.allow = c 508:* rwm\n"
              "lxc.cgroup2.devices.allow = c 195:* rwm\n"
              "lxc.cgroup2.devices.allow = c 509:* m\n"
              "lxc.mount.entry = /dev/nvidia0  dev/nvidia0 none bind,create=file 0 0\n"
              "lxc.mount.entry=/dev/nvidia-uvm dev/nvidia-uvm none bind,optional,create=file\n"
              "lxc.mount.entry = /dev/nvidia-caps dev/nvidia-caps none bind,create=dir\n"
              "lxc.mount.entry = /srv srv none bind\nlxc.mount.entry = /dev/nvidia1\n"
              "dev = x\nlonely\n");
    tree_file(tree, "/var/lib/lxc/empty/rootfs", "");
    tree_probe(tree, probe_lxc_guest);
    assert_fact_integer(tree, KIND, "count", 1);
    assert_fact(tree, GUEST, "config", "/var/lib/lxc/web/config");
    assert_fact_list(tree, GUEST, "nodes", "/dev/nvidia0,/dev/nvidia-uvm");
    assert_fact_list(tree, GUEST, "optional", "/dev/nvidia-uvm");
    assert_fact_unknown(tree, GUEST, "restricted", "cannot be read"); /* the included file */
    tree_file(tree, "/usr/share/lxc/config/common.conf",
              "lxc.cgroup2.devices.deny = a\nlxc.cgroup2.devices.allow = c 136:* rwm\n"
              "lxc.include = /usr/share/lxc/config/common.conf.d/\n");
    tree_file(tree, "/usr/share/lxc/config/common.conf.d/a.conf",
              "lxc.cgroup2.devices.allow = c 5:0 rwm\n");
    tree_probe(tree, probe_lxc_guest);
    assert_fact_boolean(tree, GUEST, "restricted", true);
    assert_fact_list(tree, GUEST, "allowed", "136:*,5:0,195:*");
    tree_file(tree, "/usr/share/lxc/config/common.conf.d/a.conf",
              "lxc.cgroup2.devices.allow = a\n");
    tree_probe(tree, probe_lxc_guest);
    assert_fact_boolean(tree, GUEST, "restricted", false);
    tree_file(tree, "/sys/fs/cgroup/devices/tasks", "");
    tree_probe(tree, probe_lxc_guest);
    assert_fact(tree, GUEST, "rules", "lxc.cgroup.devices.");
    assert_fact_list(tree, GUEST, "allowed", "508:*");
    tree_file(tree, "/usr/share/lxc/config/common.conf", /* includes itself without end */
              "lxc.include = /usr/share/lxc/config/common.conf\n");
    tree_probe(tree, probe_lxc_guest);
    assert_fact_unknown(tree, GUEST, "restricted", "cannot be read");
}

static void files_of_proxmox(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/usr/share/lxc/config/common.conf", "lxc.cgroup2.devices.deny = a\n");
    tree_file(tree, "/var/lib/lxc/101/config", "lxc.mount.entry = /dev/nvidia5 d none bind\n");
    tree_file(tree, "/etc/pve/lxc/101.conf",
              "arch: amd64\ndev0: /dev/nvidia0,gid=44\ndev1: /dev/dri/card0\n"
              "lxc.cgroup2.devices.allow: c 509:* rwm\n\n[snapshot]\ndev2: /dev/nvidia7\n");
    tree_file(tree, "/etc/pve/lxc/101.conf.tmp", "dev0: /dev/nvidia8\n");
    tree_probe(tree, probe_lxc_guest);
    assert_fact_integer(tree, KIND, "count", 1);
    assert_fact_list(tree, KIND "/101", "nodes", "/dev/nvidia0");
    assert_fact_list(tree, KIND "/101", "optional", "");
    assert_fact_boolean(tree, KIND "/101", "restricted", true);
    assert_fact_list(tree, KIND "/101", "allowed", "/dev/nvidia0,509:*");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(own_files),
        tree_test(files_of_proxmox),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
