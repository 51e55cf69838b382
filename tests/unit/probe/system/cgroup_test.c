/* SPDX-License-Identifier: MIT */
/* What may keep a program from a device node: cgroup, security modules, the driver's parameters. */
#include "probe/tree.h"

#define LIST "/sys/fs/cgroup/devices/docker/abc/devices.list"

static void rules_of_version_1(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/proc/self/cgroup", "9:name=systemd:/x\n5:devices,pids:/docker/abc\n0::/x\n");
    tree_file(tree, LIST, "c 1:3 rwm\nc 195:* rw\nc 235:0 rw\n");
    tree_file(tree, "/proc/devices", "Character devices:\n195 nvidia\n235 nvidia-uvm\n");
    tree_probe(tree, probe_cgroup);
    assert_fact_integer(tree, "cgroup", "version", 1);
    assert_fact(tree, "cgroup", "path", "/docker/abc");
    assert_fact_list(tree, "cgroup", "device_rules", "c 1:3 rwm,c 195:* rw,c 235:0 rw");
    assert_fact_boolean(tree, "cgroup", "allows_gpu", true);
    assert_fact_boolean(tree, "cgroup", "allows_uvm", true);

    /* What is left after a daemon-reload: nodes may be made, not opened. */
    tree_file(tree, LIST, "c 1:3 rwm\nc *:* m\nc 195:* m\nb *:* m\n");
    tree_probe(tree, probe_cgroup);
    assert_fact_boolean(tree, "cgroup", "allows_gpu", false);
    assert_fact_boolean(tree, "cgroup", "allows_uvm", false);

    tree_file(tree, LIST, "a *:* rwm\n");
    tree_file(tree, "/proc/devices", "Character devices:\n  1 mem\n");
    tree_probe(tree, probe_cgroup);
    assert_fact_boolean(tree, "cgroup", "allows_gpu", true);
    assert_fact_absent(tree, "cgroup", "allows_uvm");
}

static void a_container_sees_its_own_as_the_top(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/proc/self/cgroup", "5:devices:/docker/abc\n");
    tree_file(tree, "/sys/fs/cgroup/devices/devices.list", "c 195:255 rw\n");
    tree_probe(tree, probe_cgroup);
    assert_fact_boolean(tree, "cgroup", "allows_gpu", true);
}

static void rules_of_version_2_are_unknown(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/proc/self/cgroup", "0::/user.slice\n");
    tree_probe(tree, probe_cgroup);
    assert_fact_integer(tree, "cgroup", "version", 2);
    assert_fact(tree, "cgroup", "path", "/user.slice");
    assert_fact_unknown(tree, "cgroup", "allows_gpu", "BPF");
    assert_fact_unknown(tree, "cgroup", "device_rules", "BPF");
}

static void odd_cgroups(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_cgroup);
    assert_fact_skipped(tree, "cgroup", "version", "/proc/self/cgroup");
    tree_file(tree, "/proc/self/cgroup", "");
    tree_probe(tree, probe_cgroup);
    assert_fact_absent(tree, "cgroup", "version");
    assert_fact_skipped(tree, "cgroup", "allows_gpu", "no cgroup");
    tree_file(tree, "/proc/self/cgroup", "::\n:devices:/\033[31m/../..\nx\n");
    tree_probe(tree, probe_cgroup);
    assert_fact_absent(tree, "cgroup", "allows_gpu");
    tree_file(tree, "/proc/self/cgroup", "5:devices:/\n");
    tree_file(tree, "/sys/fs/cgroup/devices/devices.list", "\n195\nc 195:\nc 195: \033rw\n");
    tree_file(tree, "/proc/devices", "x nvidia-uvm\n-1 nvidia-uvm\n");
    tree_probe(tree, probe_cgroup);
    assert_fact_absent(tree, "cgroup", "allows_uvm");
}

static void links_of_char(void **state)
{
    struct tree *tree = *state;
    tree_directory(tree, "/dev");
    tree_probe(tree, probe_cgroup);
    assert_fact_absent(tree, "cgroup", "char_links");
    tree_link(tree, "/dev/char/195:0", "../nvidia0");
    tree_link(tree, "/dev/char/1:3", "../null");
    tree_probe(tree, probe_cgroup);
    assert_fact_list(tree, "cgroup", "char_links", "195:0");
}

static void security_modules(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_security);
    assert_fact_absent(tree, "security", "selinux");
    assert_fact_absent(tree, "security", "label");
    assert_fact_boolean(tree, "security", "apparmor", false);
    tree_bytes(tree, "/proc/self/attr/current", "system_u:system_r:container_t:s0:c1,c2\0", 39);
    tree_file(tree, "/proc/filesystems", "nodev\tsysfs\nnodev\tselinuxfs\n");
    tree_probe(tree, probe_security);
    assert_fact(tree, "security", "label", "system_u:system_r:container_t:s0:c1,c2");
    assert_fact_skipped(tree, "security", "selinux", "hidden");

    tree_file(tree, "/proc/filesystems", "nodev\tsysfs\n"); /* hidden too: the label tells */
    tree_probe(tree, probe_security);
    assert_fact_skipped(tree, "security", "selinux", "hidden");
    tree_file(tree, "/sys/fs/selinux/enforce", "1");
    tree_file(tree, "/sys/fs/selinux/booleans/container_use_devices", "0 1");
    tree_file(tree, "/sys/fs/selinux/booleans/container_use_xserver_devices", "1 1");
    tree_file(tree, "/etc/selinux/config", "# SELINUX=disabled\nSELINUX=enforcing\n");
    tree_file(tree, "/sys/module/apparmor/parameters/enabled", "Y\n");
    tree_file(tree, "/proc/self/status",
              "Name:\tx\nCapEff:\t00000000a80465fb\nSeccomp:\t2\nSeccomp_filters:\t1\n");
    tree_probe(tree, probe_security);
    assert_fact(tree, "security", "selinux", "enforcing");
    assert_fact(tree, "security", "selinux_configured", "enforcing");
    assert_fact_boolean(tree, "security", "container_use_devices", false);
    assert_fact_boolean(tree, "security", "container_use_xserver_devices", true);
    assert_fact_boolean(tree, "security", "apparmor", true);
    assert_fact_boolean(tree, "security", "seccomp", true);
    assert_fact_boolean(tree, "security", "ipc_lock", true);
    tree_file(tree, "/proc/self/status", "CapEff:\t00000000a80425fb\n");
    tree_probe(tree, probe_security);
    assert_fact_boolean(tree, "security", "ipc_lock", false);
    tree_file(tree, "/proc/self/status", "\033[31m");
    tree_probe(tree, probe_security);
    assert_fact_absent(tree, "security", "ipc_lock");

    tree_file(tree, "/sys/fs/selinux/enforce", "0");
    tree_probe(tree, probe_security);
    assert_fact(tree, "security", "selinux", "permissive");
    tree_file(tree, "/sys/fs/selinux/enforce", "\033[31m");
    tree_file(tree, "/proc/self/attr/current", "docker-default (enforce)\n");
    tree_probe(tree, probe_security);
    assert_fact_unknown(tree, "security", "selinux", "neither 0 nor 1");
    assert_fact(tree, "security", "label", "docker-default (enforce)");
}

static void parameters_of_the_module(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_driver_parameter);
    assert_fact_absent(tree, "driver_parameter", "device_file_mode");
    assert_fact_absent(tree, "driver_parameter", "uvm_disable_hmm");
    tree_file(tree, "/sys/module/nvidia_uvm/parameters/uvm_disable_hmm", "N\n");
    tree_file(tree, "/proc/driver/nvidia/params",
              "ResmanDebugLevel: 4294967295\nModifyDeviceFiles: 1\nDeviceFileUID: 0\n"
              "DeviceFileGID: 44\nDeviceFileMode: 432\nEnableGpuFirmware: 18\n"
              "PreserveVideoMemoryAllocations: 1\nRegistryDwords: \"\"\n"
              "ExcludedGpus: \"GPU-1\"\nOpenRmEnableUnsupportedGpus: x\n");
    tree_probe(tree, probe_driver_parameter);
    assert_fact(tree, "driver_parameter", "device_file_mode", "0660");
    assert_fact_boolean(tree, "driver_parameter", "uvm_disable_hmm", false);
    assert_fact_integer(tree, "driver_parameter", "device_file_gid", 44);
    assert_fact_boolean(tree, "driver_parameter", "modify_device_files", true);
    assert_fact_integer(tree, "driver_parameter", "gpu_firmware", 18);
    assert_fact_integer(tree, "driver_parameter", "preserve_video_memory", 1);
    assert_fact_integer(tree, "driver_parameter", "debug_level", 4294967295);
    assert_fact_absent(tree, "driver_parameter", "registry");
    assert_fact(tree, "driver_parameter", "excluded_gpus", "GPU-1");
    assert_fact_unknown(tree, "driver_parameter", "open_unsupported_gpus", "not a number");
    assert_fact_absent(tree, "driver_parameter", "dynamic_power");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(rules_of_version_1),
        tree_test(a_container_sees_its_own_as_the_top),
        tree_test(rules_of_version_2_are_unknown),
        tree_test(odd_cgroups),
        tree_test(links_of_char),
        tree_test(security_modules),
        tree_test(parameters_of_the_module),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
