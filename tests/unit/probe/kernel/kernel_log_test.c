/* SPDX-License-Identifier: MIT */
#include "probe/tree.h"

#include "journal_make.h"

#include "base/text.h"

#define XID    "NVRM: Xid (PCI:0000:01:00): 79, pid=1, GPU has fallen off the bus.\n"
#define GROUP  "kernel_log/xid-79@0000:01:00.0"
#define BEFORE "kernel_log/earlier/xid-79@0000:01:00.0"

static void no_log_is_not_a_clean_one(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_kernel_log);
    assert_fact_skipped(tree, "kernel_log", "count", "the tree holds no kernel log");
    assert_fact_boolean(tree, "kernel_log", "complete", false);
    assert_fact_list(tree, "kernel_log", "read", "");

    tree_directory(tree, "/dev");
    tree_directory(tree, "/dev/kmsg");
    tree_probe(tree, probe_kernel_log);
    assert_fact_unknown(tree, "kernel_log", "count", "/dev/kmsg: this is not the kernel's log");
}

static void the_kernel_s_own_log(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/dev/kmsg",
              "5,0,0,-;Linux version 6.8.0-45-generic\n"
              "3,900,5000000,-;NVRM: Xid (PCI:0000:01:00): 79, pid=1, GPU has fallen\n"
              "3,901,9000000,-;NVRM: Xid (PCI:0000:01:00): 79, pid=2, GPU has fallen\n"
              "12,902,9500000,-;NVRM: Xid (PCI:0000:02:00): 63, a program wrote this\n"
              "3,903,9900000,-;NVRM: The NVIDIA GPU 0000:02:00.0\\x0aNVRM: (PCI ID: 10de:2204) "
              "installed in this system has\\x0aNVRM: fallen off the bus and is not\n");
    tree_probe(tree, probe_kernel_log);
    assert_fact_integer(tree, "kernel_log", "count", 2);
    assert_fact_boolean(tree, "kernel_log", "complete", true);
    assert_fact_list(tree, "kernel_log", "read", "/dev/kmsg");
    assert_fact(tree, GROUP, "event", "xid");
    assert_fact(tree, GROUP, "boot", "current");
    assert_fact_integer(tree, GROUP, "number", 79);
    assert_fact(tree, GROUP, "bus_id", "0000:01:00.0");
    assert_fact_integer(tree, GROUP, "count", 2);
    assert_fact_integer(tree, GROUP, "first_seconds", 5);
    assert_fact_integer(tree, GROUP, "last_seconds", 9);
    assert_fact_absent(tree, GROUP, "last");
    assert_fact(tree, GROUP, "message", "NVRM: Xid (PCI:0000:01:00): 79, pid=2, GPU has fallen");
    assert_fact_integer(tree, "kernel_log/fallen_off_bus@0000:02:00.0", "count", 1);
    assert_fact_absent(tree, "kernel_log/fallen_off_bus@0000:02:00.0", "number");
}

static void text_logs_hold_several_boots(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/var/log/kern.log.1",
              "Nov 19 10:00:00 h kernel: [    0.000000] Linux version 6.8\n"
              "Nov 19 10:00:09 h kernel: [    9.000000] " XID);
    tree_file(tree, "/var/log/kern.log",
              "Nov 20 10:00:00 h kernel: [    0.000000] Linux version 6.8\n"
              "Nov 20 10:00:09 h kernel: [    7.000000] " XID
              "2026-11-21T10:00:00.000000+00:00 h kernel: [    0.000000] Linux version 6.8\n"
              "2026-11-21T10:00:05.000000+00:00 h kernel: [    5.500000] " XID);
    tree_file(tree, "/var/log/syslog",
              "Nov 21 10:00:00 h kernel: [ 1.0] " XID XID
              "Nov 21 10:00:01 h nvidia-powerd[7]: error: no GPU\n");
    tree_probe(tree, probe_kernel_log);
    assert_fact_integer(tree, "kernel_log", "count", 2);
    assert_fact_boolean(tree, "kernel_log", "complete", true);
    assert_fact_list(tree, "kernel_log", "read",
                     "/var/log/kern.log.1,/var/log/kern.log,/var/log/syslog");
    assert_fact_integer(tree, "log_line", "count", 2); /* the Xid, and the service */
    assert_fact(tree, "log_line/1", "event", "xid");
    assert_fact(tree, "log_line/2", "message", "nvidia-powerd: error: no GPU");
    assert_fact_integer(tree, GROUP, "count", 1);
    assert_fact_integer(tree, GROUP, "first_seconds", 5);
    assert_fact(tree, GROUP, "first", "2026-11-21T10:00:05.000000+00:00");
    assert_fact_integer(tree, BEFORE, "count", 2);
    assert_fact(tree, BEFORE, "boot", "earlier");
    assert_fact(tree, BEFORE, "first", "Nov 19 10:00:09");
    assert_fact(tree, BEFORE, "last", "Nov 20 10:00:09");
}

static void seconds_that_fall_back_are_a_new_boot(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/var/log/messages",
              "Nov 20 10:00:00 h kernel: [ 5000.100000] " XID
              "Nov 20 10:00:00 h kernel: [ 4999.100000] " XID
              "Nov 20 10:00:00 h logger: [ 5000.100000] " XID
              "Nov 20 11:00:00 h kernel: [   10.100000] " XID);
    tree_probe(tree, probe_kernel_log);
    assert_fact_integer(tree, BEFORE, "count", 2);
    assert_fact_integer(tree, GROUP, "count", 1);
    assert_fact_boolean(tree, "kernel_log", "complete", false);
}

static void the_same_lines_in_two_logs_count_once(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/dev/kmsg", "3,900,5000000,-;" XID);
    tree_file(tree, "/var/log/kern.log",
              "Nov 20 10:00:00 h kernel: [    4.000000] " XID
              "Nov 20 10:00:00 h kernel: [    5.000000] " XID);
    tree_probe(tree, probe_kernel_log);
    assert_fact_integer(tree, GROUP, "count", 2);
    assert_fact_integer(tree, GROUP, "first_seconds", 4);
    assert_fact(tree, GROUP, "first", "Nov 20 10:00:00");
    assert_string_equal(tree_fact(tree, GROUP, "count")->source, "/var/log/kern.log");
}

static void lines_of_dmesg(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/var/log/dmesg",
              "[    0.000000] kernel: Linux version 6.8\n"
              "[    5.000000][ T1194] NVRM: The NVIDIA GPU 0000:02:00.0 (PCI ID: 10de:2c31)\n"
              "               NVRM: installed in this system requires use of the NVIDIA open "
              "kernel modules.\n[    6.000000] kernel: " XID);
    tree_probe(tree, probe_kernel_log);
    assert_fact_boolean(tree, "kernel_log", "complete", true);
    assert_fact_integer(tree, "kernel_log/open_required@0000:02:00.0", "count", 1);
    assert_fact_integer(tree, GROUP, "last_seconds", 6);
}

static void write_journal(const struct tree *tree, const char *name,
                          const struct journal_make *make)
{
    AUTO_FREE char *path = mem_printf("/var/log/journal/0123456789abcdef0123456789abcdef/%s", name);
    tree_bytes(tree, path, (const char *)make->bytes, make->size);
}

static void the_journal_is_read(void **state)
{
    struct tree *tree = *state;
    static struct journal_make make;
    tree_file(tree, "/proc/sys/kernel/random/boot_id", "bbbbbbbb-bbbb-bbbb-bbbb-bbbbbbbbbbbb\n");
    journal_begin(&make, true);
    journal_add(&make, XID, 0xaa, 1700000000, 50);
    write_journal(tree, "system@00-0000000000000001-0006000000000001.journal", &make);
    journal_begin(&make, true);
    journal_add(&make, XID, 0xaa, 1700000100, 150);
    journal_add(&make, "Linux version 6.8", 0xbb, 1700000200, 1);
    journal_add(&make, XID, 0xbb, 1700000204, 5);
    write_journal(tree, "system.journal", &make);
    write_journal(tree, "user-1000.journal", &make);
    tree_probe(tree, probe_kernel_log);
    assert_fact_integer(tree, "kernel_log", "count", 2);
    assert_fact_boolean(tree, "kernel_log", "complete", true);
    assert_fact_integer(tree, GROUP, "count", 1);
    assert_fact_integer(tree, GROUP, "last_seconds", 5);
    assert_fact(tree, GROUP, "last", "2023-11-14T22:16:44Z");
    assert_fact_integer(tree, BEFORE, "count", 2);

    /* All of another boot: nothing is known of this one. */
    tree_file(tree, "/proc/sys/kernel/random/boot_id", "cccccccc-cccc-cccc-cccc-cccccccccccc\n");
    tree_probe(tree, probe_kernel_log);
    assert_fact_integer(tree, BEFORE, "count", 3);
    assert_int_equal(tree_fact(tree, "kernel_log", "count")->state, FACT_SKIPPED);
}

static void services_in_the_journal(void **state)
{
    struct tree *tree = *state;
    static struct journal_make make;
    journal_begin(&make, true);
    journal_add(&make, "Linux version 6.8", 0xaa, 1700000000, 1);
    journal_add_service(&make, "nvidia-persistenced", "Failed in the boot before", 0xaa,
                        1700000005);
    write_journal(tree, "system@00-0000000000000001-0006000000000001.journal", &make);
    journal_begin(&make, false);
    journal_add(&make, "Linux version 6.8", 0xbb, 1700000200, 1);
    journal_add_service(&make, "nv-fabricmanager", "Failed to query devices", 0xbb, 1700000204);
    write_journal(tree, "system.journal", &make);
    tree_probe(tree, probe_kernel_log);
    assert_fact_integer(tree, "log_line", "count", 1);
    assert_fact(tree, "log_line/1", "by", "service");
    assert_fact(tree, "log_line/1", "message", "nv-fabricmanager: Failed to query devices");
    assert_fact(tree, "log_line/1", "first", "2023-11-14T22:16:44Z");
}

static void a_damaged_journal_is_said(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/var/log/journal/0123456789abcdef0123456789abcdef/system.journal", "LPKS");
    tree_file(tree, "/var/log/journal/remote/system.journal", "LPKS");
    tree_probe(tree, probe_kernel_log);
    assert_fact_unknown(tree, "kernel_log", "count", "system.journal: not a journal file");
}

static void errors_of_the_bus_count_near_gpus(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n");
    tree_file(tree, "/sys/bus/pci/devices/0000:01:00.0/class", "0x030200\n");
    tree_file(tree, "/dev/kmsg",
              "3,900,1,-;pcieport 0000:00:09.0: PCIe Bus Error: severity=Corrected\n"
              "3,900,1,-;pci 0000:01:00.0: BAR 1: no space for [mem size 0x1]\n");
    tree_probe(tree, NULL);
    assert_fact_integer(tree, "kernel_log", "count", 1);
    assert_fact_integer(tree, "kernel_log/bar_unassigned@0000:01:00.0", "count", 1);
}

static void hostile_logs_do_no_harm(void **state)
{
    struct tree *tree = *state;
    AUTO_TEXT struct text text = {0};
    for (int i = 0; i < 3000; i++)
        text_printf(&text, "Nov 20 10:00:00 h kernel: [%d.0] NVRM: Xid (PCI:0000:01:00): %d, x\n",
                    i, i);
    tree_file(tree, "/var/log/kern.log", text.data);
    tree_probe(tree, probe_kernel_log);
    assert_fact_unknown(tree, "kernel_log", "count", "too many different messages");

    static const char odd[] = "\0\0 kernel: [\n kernel: [99999999999999999999.1] NVRM: Xid (\n"
                              "N kernel: []\nNov kernel: NVRM: error \033[31m\377\n[1.2";
    tree_bytes(tree, "/var/log/kern.log", odd, sizeof(odd) - 1);
    tree_bytes(tree, "/dev/kmsg", odd, sizeof(odd) - 1);
    tree_probe(tree, probe_kernel_log);
    assert_fact(tree, "kernel_log/nvrm_error", "message", "NVRM: error \033[31m\377");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(no_log_is_not_a_clean_one),
        tree_test(the_kernel_s_own_log),
        tree_test(text_logs_hold_several_boots),
        tree_test(seconds_that_fall_back_are_a_new_boot),
        tree_test(the_same_lines_in_two_logs_count_once),
        tree_test(lines_of_dmesg),
        tree_test(the_journal_is_read),
        tree_test(services_in_the_journal),
        tree_test(a_damaged_journal_is_said),
        tree_test(errors_of_the_bus_count_near_gpus),
        tree_test(hostile_logs_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
