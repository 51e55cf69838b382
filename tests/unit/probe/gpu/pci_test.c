/* SPDX-License-Identifier: MIT */
#include "probe/tree.h"

#include "probe/gpu/pci_slot.h"

#define BUS  "/sys/bus/pci/devices"
#define GPU  BUS "/0000:18:00.0"
#define FACT "pci/0000:18:00.0"

static void make_function(const struct tree *tree, const char *address, const char *vendor,
                          const char *device, const char *class)
{
    AUTO_FREE char *vendor_path = mem_printf(BUS "/%s/vendor", address);
    AUTO_FREE char *device_path = mem_printf(BUS "/%s/device", address);
    AUTO_FREE char *class_path = mem_printf(BUS "/%s/class", address);
    tree_file(tree, vendor_path, vendor);
    tree_file(tree, device_path, device);
    tree_file(tree, class_path, class);
}

static void make_gpu(const struct tree *tree)
{
    make_function(tree, "0000:18:00.0", "0x10de\n", "0x2330\n", "0x030200\n");
    tree_file(tree, GPU "/subsystem_vendor", "0x10de\n");
    tree_file(tree, GPU "/subsystem_device", "0x16c1\n");
    tree_file(tree, GPU "/revision", "0xa1\n");
    tree_file(tree, GPU "/current_link_speed", "2.5 GT/s PCIe\n");
    tree_file(tree, GPU "/max_link_speed", "32.0 GT/s PCIe\n");
    tree_file(tree, GPU "/current_link_width", "8\n");
    tree_file(tree, GPU "/max_link_width", "16\n");
    tree_file(tree, GPU "/power_state", "D0\n");
    tree_file(tree, GPU "/resource",
              "0x00000ae042000000 0x00000ae042ffffff 0x000000000014220c\n"
              "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
              "0x00000ac000000000 0x00000adfffffffff 0x000000000014220c\n"
              "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
              "0x00000ae040000000 0x00000ae041ffffff 0x000000000014220c\n"
              "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
              "0x00000000f6000000 0x00000000f607ffff 0x0000000000046200\n");
    tree_link(tree, GPU "/driver", "../../../../bus/pci/drivers/nvidia");
}

static void reads_a_gpu(void **state)
{
    struct tree *tree = *state;
    make_gpu(tree);
    tree_probe(tree, probe_pci);
    assert_fact_integer(tree, "pci", "count", 1);
    assert_fact_integer(tree, "pci", "nvswitch_count", 0);
    assert_fact(tree, FACT, "device_id", "2330");
    assert_fact(tree, FACT, "subsystem", "10de:16c1");
    assert_fact(tree, FACT, "class", "030200");
    assert_fact(tree, FACT, "revision", "a1");
    assert_fact(tree, FACT, "driver", "nvidia");
    assert_fact(tree, FACT, "link_speed", "2.5 GT/s PCIe");
    assert_fact(tree, FACT, "link_speed_max", "32.0 GT/s PCIe");
    assert_fact_integer(tree, FACT, "link_width", 8);
    assert_fact_integer(tree, FACT, "link_width_max", 16);
    assert_fact(tree, FACT, "power_state", "D0");
    assert_fact_list(tree, FACT, "bar_bytes", "16777216,0,137438953472,0,33554432,0");
    assert_fact_list(tree, FACT, "bars_unassigned", "");
    assert_fact_absent(tree, "pci", "other_gpus");
}

static void counts_by_vendor_and_class(void **state)
{
    struct tree *tree = *state;
    make_function(tree, "0000:00:02.0", "0x8086", "0x9bc5", "0x030000");
    make_function(tree, "0000:03:00.0", "0x1002", "0x744c", "0x038000");
    make_function(tree, "0000:03:00.1", "0x1002", "0xab30", "0x040300");
    make_function(tree, "0000:04:00.0", "0x1a03", "0x2000", "0x030000");
    make_function(tree, "0000:01:00.0", "0x10de", "0x2684", "0x030000");
    make_function(tree, "0000:01:00.1", "0x10de", "0x22ba", "0x040300");
    make_function(tree, "0001:00:00.0", "0x10de", "0x20b2", "0x030200");
    make_function(tree, "0005:00:00.0", "0x10de", "0x1af1", "0x068000");
    make_function(tree, "0006:00:00.0", "0x10de", "0x1af1", "0x068000");
    tree_probe(tree, probe_pci);
    assert_fact_integer(tree, "pci", "count", 2);
    assert_fact_integer(tree, "pci", "nvswitch_count", 2);
    assert_fact_list(tree, "pci", "other_gpus",
                     "Intel 8086:9bc5 at 0000:00:02.0,AMD 1002:744c at 0000:03:00.0");
    size_t cursor = 0;
    assert_string_equal(facts_next(tree->facts, "pci", &cursor), "pci/0000:01:00.0");
    assert_string_equal(facts_next(tree->facts, "pci", &cursor), "pci/0001:00:00.0");
    assert_null(facts_next(tree->facts, "pci", &cursor));
    assert_fact_absent(tree, "pci/0000:01:00.0", "driver");
    assert_fact_absent(tree, "pci/0000:01:00.0", "link_speed");
    assert_fact_absent(tree, "pci/0000:01:00.0", "bar_bytes");
}

static void a_tree_without_a_bus_is_not_a_tree_without_gpus(void **state)
{
    struct tree *tree = *state;
    tree_directory(tree, "/sys/bus");
    tree_probe(tree, probe_pci);
    assert_fact_skipped(tree, "pci", "count", "the tree holds no /sys/bus/pci");
    assert_fact_skipped(tree, "pci", "nvswitch_count", "the tree holds no /sys/bus/pci");
    tree_directory(tree, BUS);
    tree_probe(tree, probe_pci);
    assert_fact_integer(tree, "pci", "count", 0);
}

static void finds_unassigned_bars(void **state)
{
    struct tree *tree = *state;
    make_gpu(tree);
    tree_file(tree, GPU "/resource",
              "0x00000000f6000000 0x00000000f6ffffff 0x0000000000040200\n"
              "0x0000000000000000 0x0000001fffffffff 0x000000002014220c\n"
              "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
              "0x0000000000001000 0x0000000000001fff 0x000000002014220c\n");
    tree_probe(tree, probe_pci);
    assert_fact_list(tree, FACT, "bar_bytes", "16777216,137438953472,0,4096");
    assert_fact_list(tree, FACT, "bars_unassigned", "1,3");
}

static void a_fallen_gpu_has_revision_ff(void **state)
{
    struct tree *tree = *state;
    make_gpu(tree);
    char config[64];
    memset(config, 0xff, sizeof(config));
    tree_bytes(tree, GPU "/config", config, sizeof(config));
    tree_probe(tree, probe_pci);
    assert_fact(tree, FACT, "revision", "ff");

    tree_file(tree, GPU "/power_state", "D3cold\n");
    tree_probe(tree, probe_pci);
    assert_fact(tree, FACT, "revision", "a1");

    tree_file(tree, GPU "/power_state", "D0\n");
    tree_bytes(tree, GPU "/config", "\xde\x10\x30\x23\x07\x05\x10\x00\xa1\x00", 10);
    tree_probe(tree, probe_pci);
    assert_fact(tree, FACT, "revision", "a1");
}

static void a_link_that_is_not_shown_is_skipped(void **state)
{
    struct tree *tree = *state;
    make_gpu(tree);
    tree_file(tree, GPU "/current_link_speed", "Unknown\n");
    tree_file(tree, GPU "/max_link_speed", "Unknown speed\n");
    tree_file(tree, GPU "/current_link_width", "0\n");
    tree_file(tree, GPU "/max_link_width", "255\n");
    tree_probe(tree, probe_pci);
    assert_fact_skipped(tree, FACT, "link_speed", "not shown");
    assert_fact_skipped(tree, FACT, "link_speed_max", "not shown");
    assert_fact_skipped(tree, FACT, "link_width", "not shown");
    assert_fact_skipped(tree, FACT, "link_width_max", "not shown");
}

static void survives_hostile_files(void **state)
{
    static const char *const resources[] = {
        "",
        "\n",
        "0x1 0x0 0x0\n",
        "0x0 0xffffffffffffffff 0x0\n",
        "0x0 0x1ffffffffffffffff 0x0\n",
        "0 0\n",
        "0x0 0x0 0x0 0x0\n",
        "\377\033[31m\n",
    };
    struct tree *tree = *state;
    make_gpu(tree);
    tree_file(tree, GPU "/device", "0xzz");
    tree_file(tree, GPU "/subsystem_device", "");
    tree_file(tree, GPU "/revision", "a1");
    tree_file(tree, GPU "/current_link_width", "sixteen");
    for (size_t i = 0; i < sizeof(resources) / sizeof(resources[0]); i++) {
        tree_file(tree, GPU "/resource", resources[i]);
        tree_probe(tree, probe_pci);
        assert_fact_unknown(tree, FACT, "bar_bytes", "not lines of");
        assert_fact_unknown(tree, FACT, "bars_unassigned", "not lines of");
    }
    assert_fact_unknown(tree, FACT, "device_id", "not a hexadecimal number: \"0xzz\"");
    assert_fact_unknown(tree, FACT, "subsystem", "not a hexadecimal number");
    assert_fact_unknown(tree, FACT, "revision", "not a hexadecimal number");
    assert_fact_unknown(tree, FACT, "link_width", "not a number");
}

/* What cannot be told apart from a GPU makes the count unknown, and not smaller. */
static void unreadable_functions_make_the_count_unknown(void **state)
{
    struct tree *tree = *state;
    make_gpu(tree);
    make_function(tree, "0000:19:00.0", "hello", "0x2330", "0x030200");
    tree_probe(tree, probe_pci);
    assert_fact_unknown(tree, "pci", "count", "0000:19:00.0: not a hexadecimal number");
    assert_fact_unknown(tree, "pci", "nvswitch_count", "unreadable functions: 1");
    assert_fact(tree, FACT, "device_id", "2330");
}

#define ROOT "/sys/devices/pci0000:17"

/* As sysfs has it: a link into the tree of devices, where the bridges stand. */
static void make_slot(const struct tree *tree)
{
    static const char device[] = ROOT "/0000:17:01.0/0000:18:00.0";
    tree_link(tree, GPU, "../../../devices/pci0000:17/0000:17:01.0/0000:18:00.0");
    tree_link(tree, BUS "/0000:17:01.0", "../../../devices/pci0000:17/0000:17:01.0");
    static const char *const files[][2] = {
        {"vendor", "0x10de\n"},
        {"class", "0x030200\n"},
        {"aer_dev_correctable", "RxErr 3\nTOTAL_ERR_COR 12\n"},
        {"aer_dev_nonfatal", "TOTAL_ERR_NONFATAL 0\n"},
        {"aer_dev_fatal", "RxErr 3\n"},
        {"power/runtime_status", "suspended\n"},
        {"power/control", "auto\n"},
        {"driver_override", "(null)\n"},
        {"numa_node", "-1\n"},
        {"sriov_numvfs", "4\n"},
    };
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        AUTO_FREE char *path = mem_printf("%s/%s", device, files[i][0]);
        tree_file(tree, path, files[i][1]);
    }
    tree_link(tree, ROOT "/0000:17:01.0/0000:18:00.0/iommu_group",
              "../../../../kernel/iommu_groups/7");
    tree_file(tree, "/sys/kernel/iommu_groups/7/type", "DMA-FQ\n");
    tree_file(tree, ROOT "/0000:17:01.0/current_link_speed", "16.0 GT/s PCIe\n");
    tree_file(tree, ROOT "/0000:17:01.0/max_link_speed", "Unknown\n");
    tree_file(tree, ROOT "/0000:17:01.0/current_link_width", "8\n");
    tree_file(tree, ROOT "/0000:17:01.0/max_link_width", "255\n");
}

static void make_config(const struct tree *tree, size_t size, unsigned acs_at, unsigned control)
{
    unsigned char config[4096] = {0};
    config[0x100] = 1; /* AER, then ACS */
    config[0x102] = (unsigned char)(1 | (acs_at & 0xf) << 4);
    config[0x103] = (unsigned char)(acs_at >> 4);
    config[acs_at] = 0x0d;
    config[acs_at + 2] = 1;
    config[acs_at + 6] = (unsigned char)control;
    tree_bytes(tree, ROOT "/0000:17:01.0/config", (const char *)config, size);
}

static void the_slot_and_what_is_above(void **state)
{
    struct tree *tree = *state;
    make_slot(tree);
    make_config(tree, 4096, 0x148, 0x1d);
    tree_probe(tree, probe_pci);
    assert_fact(tree, FACT, "bridge", "0000:17:01.0");
    assert_fact_list(tree, FACT, "bridges", "0000:17:01.0");
    assert_fact(tree, FACT, "bridge_link_speed", "16.0 GT/s PCIe");
    assert_fact_skipped(tree, FACT, "bridge_link_speed_max", "not shown");
    assert_fact_integer(tree, FACT, "bridge_link_width", 8);
    assert_fact_skipped(tree, FACT, "bridge_link_width_max", "not shown");
    assert_fact_list(tree, FACT, "acs_redirects", "0000:17:01.0");
    assert_fact_integer(tree, FACT, "iommu_group", 7);
    assert_fact(tree, FACT, "iommu_type", "DMA-FQ");
    assert_fact_integer(tree, FACT, "aer_correctable", 12);
    assert_fact_integer(tree, FACT, "aer_nonfatal", 0);
    assert_fact_unknown(tree, FACT, "aer_fatal", "no line TOTAL_ERR");
    assert_fact(tree, FACT, "runtime_status", "suspended");
    assert_fact(tree, FACT, "runtime_control", "auto");
    assert_fact_absent(tree, FACT, "driver_override");
    assert_fact_absent(tree, FACT, "numa_node");
    assert_fact_integer(tree, FACT, "sriov_functions", 4);
    assert_fact_boolean(tree, FACT, "virtual_function", false);
    assert_fact_boolean(tree, FACT, "vgpu_host", false);
}

static void what_only_root_can_read(void **state)
{
    struct tree *tree = *state;
    make_slot(tree);
    make_config(tree, 64, 0x148, 0x1d);
    tree_probe(tree, probe_pci);
    assert_fact_skipped(tree, FACT, "acs_redirects", "only root");
    make_config(tree, 256, 0x148, 0x1d); /* PCI without Express */
    tree_probe(tree, probe_pci);
    assert_fact_list(tree, FACT, "acs_redirects", "");
    make_config(tree, 4096, 0x148, 0x01); /* source validation alone */
    tree_probe(tree, probe_pci);
    assert_fact_list(tree, FACT, "acs_redirects", "");
    make_config(tree, 4096, 0xf00, 0x04); /* beyond what is read at first */
    tree_probe(tree, probe_pci);
    assert_fact_list(tree, FACT, "acs_redirects", "0000:17:01.0");
    tree_file(tree, ROOT "/0000:17:01.0/0000:18:00.0/power_state", "D3cold\n");
    tree_probe(tree, probe_pci);
    assert_fact_skipped(tree, FACT, "acs_redirects", "asleep");
}

static void capabilities_in_circles_end(void **state)
{
    (void)state;
    unsigned char config[4096] = {0};
    unsigned control = 0;
    bool more;
    config[0x100] = 1;
    config[0x103] = 0x10; /* leads to itself */
    assert_false(pci_find_acs(config, sizeof(config), &control, &more));
    assert_false(more);
    config[0x102] = 0xf0;
    config[0x103] = 0xff; /* to the last bytes */
    assert_false(pci_find_acs(config, sizeof(config), &control, &more));
    assert_true(more);
    memset(config, 0xff, sizeof(config));
    assert_false(pci_find_acs(config, sizeof(config), &control, &more));
    assert_false(more);
}

static void a_plain_directory_has_no_bridge(void **state)
{
    struct tree *tree = *state;
    make_gpu(tree);
    tree_link(tree, GPU "/iommu_group", "\033[31m");
    tree_file(tree, GPU "/driver_override", "vfio-pci\n");
    tree_file(tree, GPU "/numa_node", "1\n");
    tree_probe(tree, probe_pci);
    assert_fact_absent(tree, FACT, "bridge");
    assert_fact_list(tree, FACT, "bridges", "");
    assert_fact_absent(tree, FACT, "bridge_link_speed");
    assert_fact_list(tree, FACT, "acs_redirects", "");
    assert_fact_unknown(tree, FACT, "iommu_group", "not a group");
    assert_fact_absent(tree, FACT, "aer_fatal");
    assert_fact(tree, FACT, "driver_override", "vfio-pci");
    assert_fact_integer(tree, FACT, "numa_node", 1);
}

static void what_switches_a_gpu_off(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_hybrid);
    assert_fact_absent(tree, "hybrid", "bbswitch");
    assert_fact_list(tree, "hybrid", "remove_rules", "");
    tree_file(tree, "/proc/acpi/bbswitch", "0000:01:00.0 OFF\n");
    tree_file(tree, "/etc/prime-discrete", "intel\n");
    tree_file(tree, "/etc/supergfxd.conf", "{\n  \"mode\": \"Integrated\",\n}\n");
    tree_file(tree, "/etc/udev/rules.d/00-remove.rules",
              "ACTION==\"add\", SUBSYSTEM==\"pci\", ATTR{vendor}==\"0x10de\", "
              "ATTR{class}==\"0x03[0-9]*\", ATTR{power/control}=\"auto\", ATTR{remove}=\"1\"\n");
    tree_file(tree, "/etc/udev/rules.d/01-audio.rules",
              "ATTR{vendor}==\"0x10de\", ATTR{class}==\"0x040300\", ATTR{remove}=\"1\"\n");
    tree_probe(tree, probe_hybrid);
    assert_fact(tree, "hybrid", "bbswitch", "OFF");
    assert_fact(tree, "hybrid", "prime", "intel");
    assert_fact(tree, "hybrid", "supergfx", "Integrated");
    assert_fact_list(tree, "hybrid", "remove_rules", "/etc/udev/rules.d/00-remove.rules");
    assert_fact_boolean(tree, "hybrid", "optimus_manager", false);
    tree_file(tree, "/proc/acpi/bbswitch", "\033[31m\n");
    tree_file(tree, "/etc/supergfxd.conf", "\"mode\"");
    tree_probe(tree, probe_hybrid);
    assert_fact_unknown(tree, "hybrid", "bbswitch", "neither ON nor OFF");
    assert_fact_absent(tree, "hybrid", "supergfx");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(reads_a_gpu),
        tree_test(counts_by_vendor_and_class),
        tree_test(a_tree_without_a_bus_is_not_a_tree_without_gpus),
        tree_test(finds_unassigned_bars),
        tree_test(a_fallen_gpu_has_revision_ff),
        tree_test(a_link_that_is_not_shown_is_skipped),
        tree_test(survives_hostile_files),
        tree_test(unreadable_functions_make_the_count_unknown),
        tree_test(the_slot_and_what_is_above),
        tree_test(what_only_root_can_read),
        cmocka_unit_test(capabilities_in_circles_end),
        tree_test(a_plain_directory_has_no_bridge),
        tree_test(what_switches_a_gpu_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
