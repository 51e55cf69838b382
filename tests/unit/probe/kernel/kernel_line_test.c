/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/memory.h"
#include "base/text.h"
#include "probe/kernel/kernel_stream.h"

static const struct strlist watched = {.items = (char *[]){(char *)"0000:01:00.0"}, .count = 1};

static void take(struct kernel_stream *stream, int64_t seconds, const char *line)
{
    AUTO_FREE char *text = mem_string(line);
    stream_take(stream, text, (struct kernel_time){.seconds = seconds});
}

/* Whether the line alone is kept; by: as whose. */
static bool is_kept(const char *line, const char *by)
{
    struct kernel_stream stream;
    stream_begin(&stream, &watched);
    stream_source(&stream, "log");
    take(&stream, 1, line);
    bool kept = stream.said.count == 1;
    if (kept)
        assert_string_equal(stream.said.lines[0].by, by);
    stream_free(&stream);
    return kept;
}

static void test_which(void **state)
{
    (void)state;
    assert_true(is_kept("NVRM: anything", "driver"));
    assert_true(is_kept("nvidia-modeset: anything", "driver"));
    assert_true(is_kept("[drm:nv_drm_load [nvidia_drm]] *ERROR* x", "driver"));
    assert_true(is_kept("nvidia 0000:01:00.0: PCIe Bus Error: severity=Corrected", "kernel"));
    assert_true(is_kept("DMAR: [DMA Write] Request device [01:00.0] fault addr 0", "kernel"));
    assert_true(is_kept("nvidia_uvm: Unknown symbol x (err -2)", "kernel"));
    assert_false(is_kept("nvidia 0000:01:00.0: enabling device (0006 -> 0007)", NULL));
    assert_false(is_kept("nvme 0000:02:00.0: PCIe Bus Error: severity=Corrected", NULL));
    assert_false(is_kept("Bluetooth: hci0: firmware load for nvidia-bt failed", NULL));
    assert_false(is_kept("audit: apparmor=\"DENIED\" name=\"/proc/driver/nvidia/x\" error", NULL));
    assert_false(is_kept("Kernel command line: nvidia.fail=error", NULL));
    assert_false(is_kept("usb 1-1: error", NULL));
}

static void test_numbers_are_counted_as_one(void **state)
{
    (void)state;
    AUTO_FACTS struct facts *facts = facts_new();
    struct kernel_stream stream;
    int64_t value;
    stream_begin(&stream, &watched);
    stream_source(&stream, "log");
    take(&stream, 10, "NVRM: abc: failed with 0x1f for 3");
    take(&stream, 20, "NVRM: abc: failed with 0x2e for 17");
    take(&stream, 30, "NVRM: Xid (PCI:0000:01:00): 43, pid=1, name=a");
    take(&stream, 30, "NVRM: Xid (PCI:0000:01:00): 45, pid=2, name=b");
    kernel_lines_note(&stream.said, facts);
    assert_int_equal(stream.said.count, 3);
    assert_true(facts_integer(facts, "log_line/1", "count", &value) && value == 2);
    assert_true(facts_integer(facts, "log_line/1", "first_seconds", &value) && value == 10);
    assert_true(facts_integer(facts, "log_line/1", "last_seconds", &value) && value == 20);
    assert_string_equal(facts_string(facts, "log_line/1", "message"),
                        "NVRM: abc: failed with 0x1f for 3");
    assert_true(facts_true(facts, "log_line/1", "trouble"));
    assert_true(facts_integer(facts, "log_line/3", "number", &value) && value == 45);
    assert_string_equal(facts_string(facts, "log_line/3", "event"), "xid");
    stream_free(&stream);
}

static void test_an_earlier_boot_is_forgotten(void **state)
{
    (void)state;
    struct kernel_stream stream;
    stream_begin(&stream, &watched);
    stream_source(&stream, "log");
    take(&stream, 500, "NVRM: abc: failed");
    take(&stream, 0, "Linux version 6.8.0");
    assert_int_equal(stream.said.count, 0);
    stream_free(&stream);
}

static void test_services(void **state)
{
    (void)state;
    struct kernel_stream stream;
    char text[] =
        "Nov 20 08:00:08 node nvidia-persistenced[812]: Failed to query NVIDIA devices.\n"
        "Nov 20 08:00:08 node nvidia-persistenced[812]: Started (812)\n"
        "Nov 20 08:00:08 node systemd[1]: nvidia-powerd.service: Failed with result 'x'.\n"
        "Nov 20 08:00:08 node systemd[1]: ssh.service: Failed with result 'x'.\n"
        "Nov 20 08:00:09 node cron[7]: error\n";
    stream_begin(&stream, &watched);
    stream_source(&stream, "log");
    stream_take_file(&stream, text, false, true);
    assert_int_equal(stream.said.count, 2);
    assert_string_equal(stream.said.lines[0].by, "service");
    assert_string_equal(stream.said.lines[0].message,
                        "nvidia-persistenced: Failed to query NVIDIA devices.");
    assert_string_equal(stream.said.lines[0].first, "Nov 20 08:00:08");
    assert_string_equal(stream.said.lines[1].message,
                        "systemd: nvidia-powerd.service: Failed with result 'x'.");
    stream_free(&stream);
}

/* The same line in two logs: the higher count. Levels say what words do not. */
static void test_two_logs(void **state)
{
    (void)state;
    struct kernel_stream one, two;
    struct kernel_lines all = {0};
    stream_begin(&one, &watched);
    stream_begin(&two, &watched);
    stream_source(&one, "one");
    stream_source(&two, "two");
    take(&one, 5, "NVRM: abc");
    take(&two, 4, "NVRM: abc");
    take(&two, 6, "NVRM: abc");
    two.level = 3;
    take(&two, 7, "nvidia 0000:01:00.0: something odd");
    kernel_lines_merge(&all, &one.said);
    kernel_lines_merge(&all, &two.said);
    assert_int_equal(all.count, 2);
    assert_int_equal(all.lines[0].count, 2);
    assert_int_equal(all.lines[0].first_seconds, 4);
    assert_string_equal(all.lines[0].source, "two");
    assert_true(all.lines[1].trouble);
    kernel_lines_free(&all);
    stream_free(&one);
    stream_free(&two);
}

static void test_bounded(void **state)
{
    (void)state;
    struct kernel_stream stream;
    stream_begin(&stream, &watched);
    stream_source(&stream, "log");
    for (size_t i = 0; i < 2 * KERNEL_LINES_MAX; i++) {
        AUTO_FREE char *line = mem_printf("NVRM: %c%c%c: failed", (int)('g' + i % 16),
                                          (int)('g' + i / 16 % 16), (int)('g' + i / 256));
        take(&stream, 1, line);
    }
    assert_int_equal(stream.said.count, KERNEL_LINES_MAX);
    assert_int_equal(stream.said.left_out, KERNEL_LINES_MAX);
    stream_free(&stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_which),
        cmocka_unit_test(test_numbers_are_counted_as_one),
        cmocka_unit_test(test_an_earlier_boot_is_forgotten),
        cmocka_unit_test(test_services),
        cmocka_unit_test(test_two_logs),
        cmocka_unit_test(test_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
