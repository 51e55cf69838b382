/* SPDX-License-Identifier: MIT */
#include "probe/tree.h"

#define GPUS "/proc/driver/nvidia/gpus"
#define H100 "driver_gpu/0000:62:00.0"
#define A10G "driver_gpu/0000:00:1e.0"

/* As a 535 driver with GSP firmware prints it. */
static const char h100[] = "Model: \t\t NVIDIA H100 80GB HBM3\n"
                           "IRQ:   \t\t 10\n"
                           "GPU UUID: \t GPU-9221d5d1-b60b-a624-bf14-0a1819cfda3b\n"
                           "Video BIOS: \t 96.00.99.00.01\n"
                           "Bus Type: \t PCIe\n"
                           "DMA Size: \t 52 bits\n"
                           "DMA Mask: \t 0xfffffffffffff\n"
                           "Bus Location: \t 0000:62:00.0\n"
                           "Device Minor: \t 5\n"
                           "GPU Firmware: \t 535.129.03\n"
                           "GPU Excluded:\t No\n";

static void says_what_the_module_says(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, GPUS "/0000:62:00.0/information", h100);
    tree_probe(tree, probe_driver_gpu);
    assert_fact_integer(tree, "driver_gpu", "count", 1);
    assert_fact(tree, H100, "bus_id", "0000:62:00.0");
    assert_fact(tree, H100, "model", "NVIDIA H100 80GB HBM3");
    assert_fact_integer(tree, H100, "minor", 5);
    assert_fact(tree, H100, "firmware", "535.129.03");
    assert_fact_boolean(tree, H100, "excluded", false);
}

static void older_releases_have_fewer_lines(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, GPUS "/0000:00:1e.0/information",
              "Model: \t\t NVIDIA A10G\nBus Location: \t 0000:00:1E.0\nDevice Minor: \t 3\n"
              "Blacklisted:\t Yes\n");
    tree_file(tree, GPUS "/0000:62:00.0/information",
              "Model: \t\t Tesla V100\nBus Location: \t 0000:62:00.0\nDevice Minor: \t 0\n"
              "GPU Firmware: \t N/A\n");
    tree_probe(tree, probe_driver_gpu);
    assert_fact_integer(tree, "driver_gpu", "count", 2);
    assert_fact(tree, A10G, "bus_id", "0000:00:1e.0");
    assert_fact_absent(tree, A10G, "firmware");
    assert_fact_boolean(tree, A10G, "excluded", true);
    assert_fact_absent(tree, H100, "firmware");
    assert_fact_absent(tree, H100, "excluded");
}

static void nonsense_is_unknown_and_nothing_else_is_lost(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, GPUS "/0000:62:00.0/information",
              "Model:\nBus Location\nDevice Minor: five\033[31m\nGPU Excluded: Maybe\n");
    tree_bytes(tree, GPUS "/b/information", "Model: a\0b\n", 11);
    tree_file(tree, GPUS "/c/information", "");
    tree_directory(tree, GPUS "/d");
    tree_probe(tree, probe_driver_gpu);
    assert_fact_integer(tree, "driver_gpu", "count", 4);
    assert_fact_unknown(tree, H100, "model", "there is no value after \"Model:\"");
    assert_fact_unknown(tree, H100, "bus_id", "no line \"Bus Location:\"");
    assert_fact_unknown(tree, H100, "minor", "not a number: \"five\\x1b[31m\"");
    assert_fact_unknown(tree, H100, "excluded", "neither Yes nor No: \"Maybe\"");
    assert_fact_unknown(tree, "driver_gpu/b", "model", "NUL byte");
    assert_fact_unknown(tree, "driver_gpu/c", "minor", "no line");
    assert_fact_absent(tree, "driver_gpu/d", "model");
}

static void a_driver_without_gpus_has_none(void **state)
{
    struct tree *tree = *state;
    tree_directory(tree, GPUS);
    tree_probe(tree, probe_driver_gpu);
    assert_fact_integer(tree, "driver_gpu", "count", 0);
}

static void without_the_module_there_is_no_list(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/proc/modules", "");
    tree_probe(tree, probe_driver_gpu);
    assert_fact_absent(tree, "driver_gpu", "count");
}

static void a_tree_without_proc_does_not_say(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_driver_gpu);
    assert_fact_skipped(tree, "driver_gpu", "count", "the tree holds no /proc");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(says_what_the_module_says),
        tree_test(older_releases_have_fewer_lines),
        tree_test(nonsense_is_unknown_and_nothing_else_is_lost),
        tree_test(a_driver_without_gpus_has_none),
        tree_test(without_the_module_there_is_no_list),
        tree_test(a_tree_without_proc_does_not_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
