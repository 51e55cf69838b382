/* SPDX-License-Identifier: MIT */
#include "rules/engine/finding.h"
#include "rules/world.h"

/* uvm_stale_after_suspend */

#define STALE "uvm_stale_after_suspend"

static void event(struct facts *facts, const char *name, int64_t seconds)
{
    AUTO_FREE char *group = mem_printf("kernel_log/%s", name);
    facts_set_string(facts, group, "event", name, "/dev/kmsg");
    facts_set_string(facts, group, "boot", "current", "/dev/kmsg");
    facts_set_string(facts, group, "message", name, "/dev/kmsg");
    facts_set_integer(facts, group, "last_seconds", seconds, "/dev/kmsg");
}

/* cuInit ends with number; the machine slept after nvidia_uvm was loaded. */
static struct facts *after_resume(int64_t number)
{
    struct facts *facts = world_with_driver("580.95.05");
    world_answer(facts, "libcuda.so.1", number, number ? "CUDA_ERROR_UNKNOWN" : NULL, "13.0");
    facts_set_integer(facts, "kernel_log", "count", 2, "/dev/kmsg");
    event(facts, "uvm_loaded", 9);
    event(facts, "resume", 8100);
    return facts;
}

static void process(struct facts *facts, const char *pid, const char *name, const char *nodes,
                    int64_t started)
{
    AUTO_FREE char *group = facts_group_name("gpu_process", pid);
    facts_set_integer(facts, group, "pid", strtol(pid, NULL, 10), "/proc");
    facts_set_string(facts, group, "name", name, "/proc");
    facts_set_integer(facts, group, "started_seconds", started, "/proc");
    world_list(facts, group, "nodes", nodes);
}

static void test_stale(void **state)
{
    (void)state;
    struct facts *facts = after_resume(999);
    assert_found(facts, PURPOSE_RUN, STALE, SEVERITY_FAIL, "suspend");
    assert_found(facts, PURPOSE_BUILD, STALE, SEVERITY_INFO, "999");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_string_equal(judgement->findings[0]->cause, STALE);
    assert_string_equal(found(judgement, "cuda_init_failed")->caused_by, "MOD-011");
    assert_fix(judgement->findings[0], "rmmod nvidia_uvm && sudo modprobe nvidia_uvm");
    assert_fix(judgement->findings[0], "NVreg_PreserveVideoMemoryAllocations=1");
    judgement_free(judgement);
    facts_set_integer(facts, "driver_parameter", "preserve_video_memory", 1, "/proc");
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_false(fix_says(judgement->findings[0], "NVreg_PreserveVideoMemoryAllocations"));
    judgement_free(judgement);
    facts_free(facts);
}

/* Those who hold nvidia_uvm since before have to end; who came later need not. */
static void test_holders_are_named(void **state)
{
    (void)state;
    struct facts *facts = after_resume(999);
    facts_set_integer(facts, "module", "uvm_users", 2, "/sys/module");
    process(facts, "4711", "ipython", "/dev/nvidia0:/dev/nvidia-uvm", 500);
    process(facts, "900", "Xorg", "/dev/nvidia0", 20);
    process(facts, "5000", "python", "/dev/nvidia-uvm", 9000);
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(judgement->findings[0], "ipython (4711)");
    assert_false(fix_says(judgement->findings[0], "Xorg"));
    assert_false(fix_says(judgement->findings[0], "python (5000)"));
    judgement_free(judgement);
    facts_set_integer(facts, "module", "uvm_users", 0, "/sys/module");
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_false(fix_says(judgement->findings[0], "ipython"));
    judgement_free(judgement);
    facts_free(facts);
}

static void test_loaded_again_since(void **state)
{
    (void)state;
    struct facts *facts = after_resume(999);
    event(facts, "uvm_loaded", 8200);
    assert_check(facts, PURPOSE_RUN, STALE, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_other_causes_come_first(void **state)
{
    (void)state;
    struct facts *facts = after_resume(999);
    world_driver_libraries(facts, "570.86.15");
    world_answer(facts, "libnvidia-ml.so.1", 18, NULL, NULL);
    assert_check(facts, PURPOSE_RUN, STALE, CHECK_SKIP, "driver_library_mismatch");
    facts_free(facts);

    facts = after_resume(999);
    facts_set_boolean(facts, "module", "nvidia_uvm", false, "/proc/modules");
    assert_check(facts, PURPOSE_RUN, STALE, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_pass_skip_unknown(void **state)
{
    (void)state;
    struct facts *facts = after_resume(0); /* slept and works */
    assert_check(facts, PURPOSE_RUN, STALE, CHECK_PASS, NULL);
    facts_free(facts);

    facts = after_resume(100);
    assert_check(facts, PURPOSE_RUN, STALE, CHECK_PASS, NULL);
    facts_free(facts);

    facts = after_resume(999);
    facts_set_string(facts, "kernel_log/resume", "boot", "earlier", "/var/log/kern.log");
    assert_check(facts, PURPOSE_RUN, STALE, CHECK_PASS, NULL);
    facts_set_unknown(facts, "kernel_log", "count", "permission denied", "/dev/kmsg");
    assert_check(facts, PURPOSE_RUN, STALE, CHECK_UNKNOWN, "permission denied");
    facts_free(facts);

    facts = after_resume(999);
    world_container(facts, "docker");
    assert_check(facts, PURPOSE_CONTAINER, STALE, CHECK_SKIP, "belongs to the host");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stale),
        cmocka_unit_test(test_holders_are_named),
        cmocka_unit_test(test_loaded_again_since),
        cmocka_unit_test(test_other_causes_come_first),
        cmocka_unit_test(test_pass_skip_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
