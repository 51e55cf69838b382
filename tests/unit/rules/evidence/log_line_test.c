/* SPDX-License-Identifier: MIT */
#include "rules/engine/finding.h"
#include "rules/world.h"

#define CAUSE "log_line_unexplained"
#define GPU   "0000:01:00.0"

/* A line of this boot; event NULL: none of kernel_log. */
static void add_line(struct facts *facts, const char *name, const char *by, const char *bus_id,
                     const char *event, const char *message)
{
    AUTO_FREE char *group = facts_group_name("log_line", name);
    facts_set_string(facts, group, "by", by, "/var/log/kern.log");
    facts_set_string(facts, group, "bus_id", bus_id, "/var/log/kern.log");
    facts_set_string(facts, group, "event", event, "/var/log/kern.log");
    facts_set_boolean(facts, group, "trouble", strstr(message, "ail") || strstr(message, "rror"),
                      "/var/log/kern.log");
    facts_set_integer(facts, group, "count", 2, "/var/log/kern.log");
    facts_set_integer(facts, group, "first_seconds", 12, "/var/log/kern.log");
    facts_set_string(facts, group, "message", message, "/var/log/kern.log");
}

static void add_event(struct facts *facts, const char *event, int64_t number)
{
    AUTO_FREE char *group = facts_group_name("kernel_log", event);
    facts_set_string(facts, group, "event", event, "/var/log/kern.log");
    facts_set_string(facts, group, "boot", "current", "/var/log/kern.log");
    facts_set_string(facts, group, "bus_id", GPU, "/var/log/kern.log");
    facts_set_string(facts, group, "message", event, "/var/log/kern.log");
    if (number > 0)
        facts_set_integer(facts, group, "number", number, "/var/log/kern.log");
}

static struct facts *with_log(void)
{
    struct facts *facts = world_with_driver("570.86.15");
    world_answer(facts, "libnvidia-ml.so.1", 0, NULL, "12.570.86.15");
    world_answer(facts, "libcuda.so.1", 0, NULL, "12.8");
    facts_set_integer(facts, "kernel_log", "count", 0, "/var/log/kern.log");
    facts_set_integer(facts, "log_line", "count", 1, "/var/log/kern.log");
    facts_set_integer(facts, "log_line", "left_out", 0, "/var/log/kern.log");
    return facts;
}

static void test_a_failure_that_no_row_has(void **state)
{
    (void)state;
    struct facts *facts = with_log();
    add_line(facts, "1", "driver", GPU, NULL, "NVRM: abcInit: xyz failed");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    const struct finding *finding = found(judgement, CAUSE);
    assert_int_equal(finding->severity, SEVERITY_WARN);
    assert_int_equal(judgement->exit_code, EXIT_DONE);
    assert_non_null(strstr(finding->message, "\"NVRM: abcInit: xyz failed\" (2 times, first 12 s"));
    assert_non_null(strstr(finding->why, "possible causes: "));
    assert_int_equal(finding->fix_count, 1);
    assert_string_equal(finding->subject, GPU);
    judgement_free(judgement);
    judgement = world_judge(facts, PURPOSE_BUILD);
    assert_int_equal(found(judgement, CAUSE)->severity, SEVERITY_INFO);
    judgement_free(judgement);
    facts_free(facts);
}

/* The command looks where the line was found, and at the device that it names. */
static void test_the_command(void **state)
{
    (void)state;
    struct facts *facts = with_log();
    add_line(facts, "1", "service", NULL, NULL, "nvidia-powerd: failed");
    add_line(facts, "2", "kernel", GPU, NULL, "nvidia: severity=Uncorrected (Fatal), error");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    size_t seen = 0;
    for (size_t i = 0; i < judgement->finding_count; i++) {
        if (strcmp(judgement->findings[i]->cause, CAUSE) != 0)
            continue;
        seen++;
        assert_true(fix_says(judgement->findings[i], "sudo cat /var/log/kern.log | grep") ||
                    fix_says(judgement->findings[i], "sudo lspci -vvv -s " GPU));
    }
    assert_int_equal(seen, 2);
    judgement_free(judgement);
    facts_free(facts);
}

static void test_a_remark_is_shown(void **state)
{
    (void)state;
    struct facts *facts = with_log();
    add_line(facts, "1", "driver", NULL, NULL, "NVRM: abcInit: xyz");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_int_equal(found(judgement, CAUSE)->severity, SEVERITY_INFO);
    judgement_free(judgement);
    facts_free(facts);
}

static void test_what_is_harmless(void **state)
{
    (void)state;
    struct facts *facts = with_log();
    add_line(facts, "1", "driver", NULL, NULL,
             "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.86.15");
    add_line(facts, "2", "driver", NULL, NULL,
             "NVRM: objClInitPcieChipset: *** Chipset Setup Function Error!");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_PASS, NULL);
    facts_free(facts);
}

/* A further line is silent beside its message alone. */
static void test_a_detail(void **state)
{
    (void)state;
    struct facts *facts = with_log();
    add_line(facts, "1", "driver", NULL, NULL, "NVRM: components have the same version.");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_PASS, NULL); /* shown: info counts as a pass */
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_non_null(found(judgement, CAUSE));
    judgement_free(judgement);
    add_event(facts, "api_mismatch", 0);
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_null(found(judgement, CAUSE));
    judgement_free(judgement);
    facts_free(facts);
}

/* The line is what a finding rests on: the same event of the same GPU. */
static void test_what_a_finding_rests_on(void **state)
{
    (void)state;
    struct facts *facts = with_log();
    add_event(facts, "xid", 79);
    add_line(facts, "1", "driver", GPU, "xid", "NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen");
    facts_set_integer(facts, "log_line/1", "number", 79, "/var/log/kern.log");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_non_null(found(judgement, "gpu_fell_off_bus"));
    assert_null(found(judgement, CAUSE));
    judgement_free(judgement);
    facts_set_integer(facts, "log_line/1", "number", 62, "/var/log/kern.log");
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_non_null(found(judgement, CAUSE));
    judgement_free(judgement);
    facts_free(facts);
}

/* Where a GPU has failed, what else was logged about it may come from that. */
static void test_a_suspect(void **state)
{
    (void)state;
    struct facts *facts = with_log();
    facts_set_string(facts, "pci/" GPU, "revision", "ff", "config");
    add_line(facts, "1", "driver", GPU, NULL, "NVRM: abcInit: xyz failed");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    const struct finding *finding = found(judgement, CAUSE);
    assert_int_equal(finding->severity, SEVERITY_INFO);
    assert_non_null(strstr(finding->why, "may be the reason"));
    judgement_free(judgement);
    /* Not for a line that its row has causes for. */
    add_line(facts, "1", "kernel", "0000:99:00.0", NULL,
             "nvidia: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction Layer");
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_int_equal(found(judgement, CAUSE)->severity, SEVERITY_WARN);
    judgement_free(judgement);
    facts_free(facts);
}

static void test_an_xid_of_a_program(void **state)
{
    (void)state;
    struct facts *facts = with_log();
    add_line(facts, "1", "driver", GPU, "xid", "NVRM: Xid (PCI:0000:01:00): 31, pid=7, MMU Fault");
    facts_set_integer(facts, "log_line/1", "number", 31, "/var/log/kern.log");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_int_equal(found(judgement, CAUSE)->severity, SEVERITY_INFO);
    assert_string_equal(found(judgement, CAUSE)->manifest, "error/xid-31");
    judgement_free(judgement);
    facts_free(facts);
}

static void test_more_than_is_kept(void **state)
{
    (void)state;
    struct facts *facts = with_log();
    facts_set_integer(facts, "log_line", "left_out", 9, "/var/log/kern.log");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_non_null(strstr(found(judgement, CAUSE)->message, "9 more lines"));
    judgement_free(judgement);
    facts_free(facts);
}

static void test_without_a_log(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("570.86.15");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_SKIP, NULL);
    facts_set_unknown(facts, "log_line", "count", "not permitted", "/dev/kmsg");
    facts_set_unknown(facts, "kernel_log", "count", "not permitted", "/dev/kmsg");
    world_answer(facts, "libcuda.so.1", 0, NULL, "12.8");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_SKIP, NULL);
    world_answer(facts, "libcuda.so.1", 999, "CUDA_ERROR_UNKNOWN", "12.8");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_UNKNOWN, NULL);
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_failure_that_no_row_has),
        cmocka_unit_test(test_the_command),
        cmocka_unit_test(test_a_remark_is_shown),
        cmocka_unit_test(test_what_is_harmless),
        cmocka_unit_test(test_a_detail),
        cmocka_unit_test(test_what_a_finding_rests_on),
        cmocka_unit_test(test_a_suspect),
        cmocka_unit_test(test_an_xid_of_a_program),
        cmocka_unit_test(test_more_than_is_kept),
        cmocka_unit_test(test_without_a_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
