/* SPDX-License-Identifier: MIT */
#include "probe/tree.h"

#define DMI      "/sys/class/dmi/id"
#define ON_METAL "processor\t: 0\nflags\t\t: fpu vme sse2\n"
#define ON_GUEST "processor\t: 0\nflags\t\t: fpu vme hypervisor sse2\n"
#define ON_ARM   "processor\t: 0\nFeatures\t: fp asimd\n"

struct sample {
    const char *vendor;
    const char *product;
    const char *cpuinfo;
    const char *kind;
};

static void dmi_and_processor_decide(void **state)
{
    static const struct sample samples[] = {
        {"Amazon EC2", "p5.48xlarge", ON_GUEST, "amazon"},
        {"Amazon EC2", "c5.metal", ON_METAL, "none"},
        {"Amazon EC2", "c7g.metal", ON_ARM, "none"},
        {"Google", "Google Compute Engine", ON_GUEST, "google"},
        {"Google", "Chromebox", ON_METAL, "none"},
        {"Microsoft Corporation", "Virtual Machine", ON_GUEST, "microsoft"},
        {"Microsoft Corporation", "Surface", ON_METAL, "none"},
        {"VMware, Inc.", "VMware20,1", ON_GUEST, "vmware"},
        {"innotek GmbH", "VirtualBox", ON_GUEST, "virtualbox"},
        {"Parallels International GmbH.", "Parallels", ON_GUEST, "parallels"},
        {"QEMU", "Standard PC (i440FX + PIIX, 1996)", ON_GUEST, "qemu"},
        {"QEMU", "Standard PC (i440FX + PIIX, 1996)", ON_METAL, "qemu"},
        {"Xen", "HVM domU", ON_GUEST, "xen"},
        {"Red Hat", "KVM", ON_GUEST, "kvm"},
        {"OpenStack Foundation", "OpenStack Nova", ON_GUEST, "kvm"},
        {"Supermicro", "SYS-821GE-TNHR", ON_METAL, "none"},
        {"Supermicro", "SYS-821GE-TNHR", ON_GUEST, "other"},
        {"NVIDIA", "Grace", ON_ARM, "none"},
    };
    struct tree *tree = *state;
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        tree_file(tree, DMI "/sys_vendor", samples[i].vendor);
        tree_file(tree, DMI "/product_name", samples[i].product);
        tree_file(tree, "/proc/cpuinfo", samples[i].cpuinfo);
        tree_probe(tree, probe_machine);
        assert_fact(tree, "machine", "virtualization", samples[i].kind);
    }
}

static void other_files_decide_without_dmi(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/proc/cpuinfo", ON_GUEST);
    tree_probe(tree, probe_machine);
    assert_fact(tree, "machine", "virtualization", "other");

    tree_file(tree, "/sys/devices/system/clocksource/clocksource0/available_clocksource",
              "tsc kvm-clock\n");
    tree_probe(tree, probe_machine);
    assert_fact(tree, "machine", "virtualization", "kvm");

    tree_file(tree, "/proc/device-tree/hypervisor/compatible", "vmware");
    tree_probe(tree, probe_machine);
    assert_fact(tree, "machine", "virtualization", "vmware");

    tree_file(tree, "/sys/hypervisor/type", "xen\n");
    tree_probe(tree, probe_machine);
    assert_fact(tree, "machine", "virtualization", "xen");

    tree_file(tree, "/proc/xen/capabilities", "control_d\n");
    tree_probe(tree, probe_machine);
    assert_fact(tree, "machine", "virtualization", "none");

    tree_file(tree, "/proc/sys/kernel/osrelease", "5.15.153.1-Microsoft-standard-WSL2\n");
    tree_probe(tree, probe_machine);
    assert_fact(tree, "machine", "virtualization", "microsoft");
}

static void says_so_when_nothing_says_it(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_machine);
    assert_fact_skipped(tree, "machine", "virtualization", "the tree holds no /proc/cpuinfo");
    tree_file(tree, "/proc/cpuinfo", ON_ARM);
    tree_probe(tree, probe_machine);
    assert_fact_unknown(tree, "machine", "virtualization", "neither");
    tree_directory(tree, "/proc/device-tree");
    tree_probe(tree, probe_machine);
    assert_fact(tree, "machine", "virtualization", "none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(dmi_and_processor_decide),
        tree_test(other_files_decide_without_dmi),
        tree_test(says_so_when_nothing_says_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
