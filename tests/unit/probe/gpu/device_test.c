/* SPDX-License-Identifier: MIT */
#include "probe/tree.h"

static void lists_the_drivers_nodes(void **state)
{
    static const char *const names[] = {"nvidia0",
                                        "nvidia10",
                                        "nvidiactl",
                                        "nvidia-uvm",
                                        "dxg",
                                        "nvhost-gpu",
                                        "nvidia-caps/nvidia-cap1",
                                        "nvidia-x",
                                        "null",
                                        "nvidia"};
    struct tree *tree = *state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        AUTO_FREE char *path = mem_printf("/dev/%s", names[i]);
        tree_file(tree, path, "");
    }
    tree_file(tree, "/proc/devices",
              "Character devices:\n195 nvidia-frontend\n234 nvidia-uvm\n239 nvidia-caps\n\n"
              "Block devices:\n");
    tree_probe(tree, probe_device);
    assert_fact_integer(tree, "device", "count", 2);
    assert_fact_integer(tree, "device", "uvm_major", 234);
    assert_fact_integer(tree, "device", "gpu_major", 195);
    assert_fact_integer(tree, "device", "caps_major", 239);
    assert_fact_absent(tree, "device", "nvswitch_major");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        AUTO_FREE char *group = mem_printf("device/%s", names[i]);
        bool wanted = i < 7;
        assert_int_equal(facts_get(tree->facts, group, "path") != NULL, wanted);
    }
    assert_fact(tree, "device/nvidia-caps/nvidia-cap1", "path", "/dev/nvidia-caps/nvidia-cap1");
}

static void a_file_in_place_of_a_node_has_no_number(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/dev/nvidia0", "");
    AUTO_FREE char *path = tree_path(tree, "/dev/nvidia0");
    assert_int_equal(chmod(path, 0600), 0);
    tree_link(tree, "/dev/nvidia1", "/nowhere");
    tree_probe(tree, probe_device);
    assert_fact_integer(tree, "device", "count", 2);
    assert_fact(tree, "device/nvidia0", "mode", "0600");
    assert_fact_integer(tree, "device/nvidia0", "user", getuid());
    assert_fact_integer(tree, "device/nvidia0", "group", getgid());
    assert_fact_absent(tree, "device/nvidia0", "number");
    assert_fact_boolean(tree, "device/nvidia0", "usable", true);
    assert_fact_absent(tree, "device/nvidia0", "error");
    assert_fact_absent(tree, "device/nvidia0", "label");
    assert_fact_absent(tree, "device/nvidia1", "mode");
    assert_fact_absent(tree, "device/nvidia1", "usable");
}

/* As another user, whom its mode keeps out. */
static void says_why_a_node_is_refused(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/dev/nvidia0", "");
    AUTO_FREE char *path = tree_path(tree, "/dev/nvidia0");
    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(chmod(tree->root, 0755), 0);
    if (getuid() != 0)
        skip();
    assert_int_equal(setresuid(65534, 0, 0), 0); /* access(2) asks for the real user */
    tree_probe(tree, probe_device);
    assert_int_equal(setresuid(0, 0, 0), 0);
    assert_fact_boolean(tree, "device/nvidia0", "usable", false);
    assert_fact(tree, "device/nvidia0", "error", "EACCES");
}

static void sees_whether_nvidia_modprobe_is_setuid(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_device);
    assert_fact_boolean(tree, "device", "modprobe_setuid", false);
    tree_file(tree, "/usr/bin/nvidia-modprobe", "");
    AUTO_FREE char *path = tree_path(tree, "/usr/bin/nvidia-modprobe");
    assert_int_equal(chmod(path, 0755), 0);
    tree_probe(tree, probe_device);
    assert_fact_boolean(tree, "device", "modprobe_setuid", false);
    assert_int_equal(chmod(path, 04755), 0);
    tree_probe(tree, probe_device);
    assert_fact_boolean(tree, "device", "modprobe_setuid", getuid() == 0);
}

static void shows_the_number_of_a_real_node(void **state)
{
    struct tree *tree = *state;
    AUTO_FREE char *path = tree_path(tree, "/dev/nvidia0");
    if (mknod(path, S_IFCHR | 0600, (195 << 8) | 0) != 0) {
        print_message("device nodes cannot be made here: not tested\n");
        return;
    }
    tree_probe(tree, probe_device);
    assert_fact(tree, "device/nvidia0", "number", "195:0");
}

static void survives_hostile_devices(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/dev/nvidia0\033[31m", "");
    tree_file(tree, "/proc/devices", "x nvidia-uvm\n234 nvidia-uvm\n");
    tree_probe(tree, probe_device);
    assert_fact_integer(tree, "device", "count", 0);
    assert_fact(tree, "device/nvidia0\\x1b[31m", "path", "/dev/nvidia0\033[31m");
    assert_fact_unknown(tree, "device", "uvm_major", "not a number: \"x\"");
    tree_file(tree, "/proc/devices", "");
    tree_probe(tree, probe_device);
    assert_fact_absent(tree, "device", "uvm_major");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(lists_the_drivers_nodes),
        tree_test(a_file_in_place_of_a_node_has_no_number),
        tree_test(says_why_a_node_is_refused),
        tree_test(sees_whether_nvidia_modprobe_is_setuid),
        tree_test(shows_the_number_of_a_real_node),
        tree_test(survives_hostile_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
