/* SPDX-License-Identifier: MIT */
#include "from/from.h"

#include <inttypes.h>
#include <string.h>

#include "test.h"
#include "facts/facts.h"

/* A file and the facts that it must give: "group name value", the value as text, and its source. */
struct expected {
    const char *fact, *value, *source;
};
static const struct {
    const char *text;
    struct expected facts[8];
} rows[] = {
    {"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.15  Release Build  (u@h)\n"
     "GCC version:  gcc version 12\n",
     {{"module version", "570.86.15", "f:1"},
      {"module flavour", "open", "f:1"},
      {"module compiler", "gcc version 12", "f:2"}}},
    {"noise\nModule                  Size  Used by\nnvidia              62390272  2 x\n",
     {{"module nvidia", "true", "f:3"},
      {"module nvidia_users", "2", "f:3"},
      {"module nvidia_uvm", "false", "f:3"},
      {"module nouveau", "false", "f:3"}}},
    {"nvidia              62390272  2 x\nvideo 77 0\n",
     {{"module nvidia", "true", "f:1"}, {"module nouveau", "skipped", "--from"}}},
    {"ii  nvidia-driver-535:amd64 535.1-0 amd64 text\nrc  nvidia-driver-470 470.1 amd64 text\n"
     "iF  libnvidia-compute-535 535.1-0 amd64 text\nin the 3 cases we had\n",
     {{"package/nvidia-driver-535 version", "535.1-0", "f:1"},
      {"package/libnvidia-compute-535 status", "install ok half-configured", "f:3"},
      {"package/nvidia-driver-470 name", "(none)", ""},
      {"package count", "skipped", "--from"}}},
    {"nvidia-driver-cuda-570.86.15-1.el9.x86_64\nplain.x86_64\n",
     {{"package/nvidia-driver-cuda version", "570.86.15-1.el9", "f:1"}}},
    {"01:00.0 VGA compatible controller [0300]: NVIDIA Corporation GP108 [GeForce GT 1030] "
     "[10de:1d01] (rev a1)\n\tSubsystem: X [10de:11c7]\n"
     "\tRegion 0: Memory at c0000000 (32-bit, non-prefetchable) [size=16M]\n"
     "\tRegion 1: Memory at <unassigned> (64-bit, prefetchable) [size=256M]\n"
     "\t\tLnkCap:\tPort #0, Speed 8GT/s, Width x16\n"
     "\t\tLnkSta:\tSpeed 2.5GT/s (downgraded), Width x4\n\tKernel modules: nvidia\n",
     {{"pci/0000:01:00.0 device_id", "1d01", "f:1"},
      {"pci/0000:01:00.0 subsystem", "10de:11c7", "f:2"},
      {"pci/0000:01:00.0 driver", "absent", "f:1"},
      {"pci/0000:01:00.0 link_speed", "2.5 GT/s PCIe", "f:6"},
      {"pci/0000:01:00.0 link_width_max", "16", "f:5"},
      {"pci/0000:01:00.0 bar_bytes", "16777216,268435456,0,0,0,0", "f:1"},
      {"pci/0000:01:00.0 bars_unassigned", "1", "f:1"},
      {"pci nvswitch_count", "skipped", "--from"}}},
    {"0000:5a:00.0 3D controller: NVIDIA Corporation Device 1db6 (rev ff)\n",
     {{"pci/0000:5a:00.0 device_id", "1db6", "f:1"},
      {"pci/0000:5a:00.0 class", "030200", "f:1"},
      {"pci/0000:5a:00.0 revision", "unknown", "f:1"},
      {"pci/0000:5a:00.0 driver", "skipped", "--from"}}},
    {"PyTorch version: 2.5.1\nPython platform: Linux-x86_64-with-glibc2.35\n",
     {{"framework/0 version", "2.5.1", "f:1"}, {"kernel release", "skipped", "--from"}}},
    {"PyTorch version: 2.5.1\nGPU models and configuration: \n",
     {{"framework/0 version", "2.5.1", "f:1"}, {"nvml count", "skipped", "--from"}}},
    {"PyTorch version: 2.5.1\nGPU models and configuration: \nGPU 0: A\nGPU 1: B\n",
     {{"nvml count", "2", "f:2"}, {"nvml/1 name", "B", "f:4"}}},
    {"PyTorch version: 2.5.1\nPython platform: Linux-6.5.0-x86_64-with-glibc2.35\n",
     {{"kernel release", "6.5.0", "f:2"}}},
    {"No devices were found\n",
     {{"answer/libnvidia-ml.so.1 init", "0", "f:1"}, {"nvml count", "0", "f:1"}}},
    {"x: Failed to initialize NVML: Insufficient Permissions\n",
     {{"answer/libnvidia-ml.so.1 init", "4", "f:1"},
      {"answer/libnvidia-ml.so.1 init_name", "NVML_ERROR_NO_PERMISSION", "f:1"}}},
    {"PRETTY_NAME=\"Debian GNU/Linux 12\"\nID=debian\n",
     {{"os pretty_name", "Debian GNU/Linux 12", "f:1"}, {"os id", "debian", "f:2"}}},
    {"PRETTY_NAME=\"Bob's \\\"Linux\\\"\" \nID='bob'\nIDLE=1\n",
     {{"os pretty_name", "Bob's \"Linux\"", "f:1"}, {"os id", "bob", "f:2"}}},
    {"\x1b[1m[    1.000000]\x1b[0m NVRM: loading NVIDIA UNIX x86_64 Kernel Module  535.1  d\r\n"
     "> [    2.000000] NVRM: Xid (PCI:0000:09:00): 79, pid=1, GPU has fallen off the bus.\n",
     {{"module version", "535.1", "f:1"},
      {"kernel_log/xid-79@0000:09:00.0 number", "79", "f:2"},
      {"kernel_log complete", "false", "f"},
      {"pci/0000:09:00.0 driver", "skipped", "--from"},
      {"pci count", "skipped", "--from"}}},
    {"==============NVSMI LOG==============\nDriver Version : 535.1\nAttached GPUs : 1\n"
     "GPU 00000000:07:00.0\n    GPU UUID : ERR!\n    FB Memory Usage\n        Total : 10 MiB\n"
     "    Temperature\n        GPU Current Temp : N/A\n",
     {{"module version", "535.1", "f:1"},
      {"nvml/0 bus_id", "0000:07:00.0", "f:4"},
      {"nvml/0 uuid", "unknown", "f:5"},
      {"nvml/0 memory_total_bytes", "10485760", "f:7"},
      {"nvml/0 temperature_c", "absent", "f:9"},
      {"nvml/0 processes", "skipped", "--from"},
      {"nvml count", "1", "f:1"}}},
};

static char *text_of(const struct fact *fact)
{
    static const char *const states[] = {
        [FACT_ABSENT] = "absent", [FACT_UNKNOWN] = "unknown", [FACT_SKIPPED] = "skipped"};
    if (fact == NULL)
        return mem_string("(none)");
    if (fact->state != FACT_VALUE)
        return mem_string(states[fact->state]);
    switch (fact->type) {
    case FACT_STRING:
        return mem_string(fact->string);
    case FACT_INTEGER:
        return mem_printf("%" PRId64, fact->integer);
    case FACT_BOOLEAN:
        return mem_string(fact->boolean ? "true" : "false");
    default:
        return strlist_join(&fact->list, ",");
    }
}

static void check_fact(const struct facts *facts, const struct expected *expected)
{
    const char *blank = strrchr(expected->fact, ' ');
    AUTO_FREE char *group = mem_string_n(expected->fact, (size_t)(blank - expected->fact));
    const struct fact *fact = facts_get(facts, group, blank + 1);
    AUTO_FREE char *value = text_of(fact);
    AUTO_FREE char *seen = mem_printf("%s = %s", expected->fact, value);
    AUTO_FREE char *wanted = mem_printf("%s = %s", expected->fact, expected->value);
    assert_string_equal(seen, wanted);
    if (fact)
        assert_string_equal(fact->source, expected->source);
}

static void test_kinds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        AUTO_FROM struct from *from = from_new();
        assert_true(from_add(from, "f", rows[i].text, strlen(rows[i].text), NULL));
        AUTO_FACTS struct facts *facts = from_facts(from);
        for (size_t k = 0; k < 8 && rows[i].facts[k].fact; k++)
            check_fact(facts, &rows[i].facts[k]);
        check_fact(facts, &(struct expected){"toolkit count", "skipped", "--from"});
    }
}

/* The first file counts, and what no file has is filled from the next. */
static void test_several(void **state)
{
    (void)state;
    AUTO_FROM struct from *from = from_new();
    static const char one[] = "ID=debian\nPRETTY_NAME=\"One\"\n";
    static const char two[] = "PRETTY_NAME=\"Two\"\nVERSION_ID=\"12\"\n";
    assert_true(from_add(from, "one", one, strlen(one), NULL));
    assert_true(from_add(from, "two", two, strlen(two), NULL));
    assert_int_equal(from_read(from)->count, 2);
    AUTO_FACTS struct facts *facts = from_facts(from);
    check_fact(facts, &(struct expected){"os pretty_name", "One", "one:2"});
    check_fact(facts, &(struct expected){"os version_id", "12", "two:2"});
}

static void test_no_kind(void **state)
{
    (void)state;
    static const char *const texts[] = {"",           "\n\n",     "dear forum",
                                        "{\"a\": 1}", "\x1f\x8b", "[  x] y"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        AUTO_ERROR struct error error = {0};
        AUTO_FROM struct from *from = from_new();
        assert_false(from_add(from, "f", texts[i], strlen(texts[i]), &error));
        assert_int_equal(error.kind, ERROR_NO_INPUT);
        assert_non_null(strstr(error.next, "nvidia-bug-report.log"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_several),
        cmocka_unit_test(test_no_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
