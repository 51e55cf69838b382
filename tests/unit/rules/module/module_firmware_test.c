/* SPDX-License-Identifier: MIT */
#include "rules/engine/finding.h"
#include "rules/world.h"

#define CAUSE "gsp_firmware_missing"
#define LOG   "kernel_log/gsp_firmware_missing@0000:01:00.0"

/* The module runs, its log says that the firmware is not there, and NVML lists no GPU. */
static struct facts *without(const char *message)
{
    struct facts *facts = world_with_driver("550.76");
    facts_set_integer(facts, "kernel_log", "count", 1, "/var/log/kern.log");
    facts_set_string(facts, LOG, "event", CAUSE, "/var/log/kern.log");
    facts_set_string(facts, LOG, "boot", "current", "/var/log/kern.log");
    facts_set_string(facts, LOG, "bus_id", "0000:01:00.0", "/var/log/kern.log");
    facts_set_string(facts, LOG, "message", message, "/var/log/kern.log");
    facts_set_integer(facts, "nvml", "count", 0, "NVML");
    return facts;
}

static void assert_fix_says(const struct facts *facts, const char *words)
{
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_non_null(found(judgement, CAUSE));
    assert_fix(found(judgement, CAUSE), words);
    judgement_free(judgement);
}

static void test_missing(void **state)
{
    (void)state;
    struct facts *facts = without("nvidia 0000:01:00.0: Direct firmware load for "
                                  "nvidia/550.76/gsp_ga10x.bin failed with error -2");
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_FAIL, "nvidia/550.76/gsp_ga10x.bin");
    assert_found(facts, PURPOSE_BUILD, CAUSE, SEVERITY_INFO, "was not found");
    assert_fix_says(facts, "ls /lib/firmware/nvidia/");
    facts_set_string(facts, "nvml/0", "bus_id", "0000:01:00.0", "NVML"); /* it went on without */
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_PASS, NULL);
    facts_free(facts);
}

/* On the disk now: the module came from an initramfs that lacks it. */
static void test_not_in_the_initramfs(void **state)
{
    (void)state;
    struct facts *facts = without("NVRM: RmFetchGspRmImages: No firmware image found");
    world_list(facts, "module", "firmware", "gsp_ga10x.bin");
    facts_set_string(facts, "os", "id", "debian", "/etc/os-release");
    assert_fix_says(facts, "update-initramfs -u");
    facts_free(facts);
}

static void test_another_error_is_no_missing_file(void **state)
{
    (void)state;
    struct facts *facts = without("loading /lib/firmware/nvidia/570.133.20/gsp_ga10x.bin failed "
                                  "with error -4");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_PASS, NULL);
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_not_in_the_initramfs),
        cmocka_unit_test(test_another_error_is_no_missing_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
