/* SPDX-License-Identifier: MIT */
#include "rules/engine/finding.h"
#include "rules/world.h"

#define GIB  (1LL << 30)
#define ECC  "ecc_uncorrectable"
#define PEND "row_remap_pending"
#define BAD  "row_remap_failure"
#define SLOW "gpu_throttled_power_thermal"
#define MIG  "mig_enabled_no_instance"
#define MODE "compute_mode_exclusive"
#define FULL "gpu_memory_taken_by_other"
#define HELD "orphan_process_holds_gpu"

static const char *const causes[] = {ECC, PEND, BAD, SLOW, MIG, MODE, FULL, HELD};
#define CAUSE_COUNT (sizeof(causes) / sizeof(causes[0]))

/* A healthy H100 as NVML tells of it. */
static void add_nvml(struct facts *facts, const char *group, const char *bus_id)
{
    facts_set_string(facts, group, "name", "NVIDIA H100 80GB HBM3", "NVML");
    facts_set_string(facts, group, "bus_id", bus_id, "NVML");
    facts_set_string(facts, group, "capability", "9.0", "NVML");
    facts_set_string(facts, group, "compute_mode", "default", "NVML");
    facts_set_boolean(facts, group, "mig", false, "NVML");
    facts_set_integer(facts, group, "mig_instances", 0, "NVML");
    facts_set_integer(facts, group, "memory_total_bytes", 80 * GIB, "NVML");
    facts_set_integer(facts, group, "memory_used_bytes", GIB / 2, "NVML");
    facts_set_integer(facts, group, "memory_free_bytes", 79 * GIB, "NVML");
    facts_set_integer(facts, group, "ecc_uncorrected_volatile", 0, "NVML");
    facts_set_integer(facts, group, "ecc_uncorrected_aggregate", 0, "NVML");
    facts_set_boolean(facts, group, "remap_pending", false, "NVML");
    facts_set_boolean(facts, group, "remap_failure", false, "NVML");
    facts_set_absent(facts, group, "retired_pages_pending", "NVML");
    facts_set_integer(facts, group, "power_limit_mw", 700000, "NVML");
    facts_set_integer(facts, group, "power_default_mw", 700000, "NVML");
    world_list(facts, group, "clock_event_reasons", "idle:applications_clocks");
    world_list(facts, group, "processes", "");
}

static struct facts *healthy(void)
{
    struct facts *facts = world_with_driver("570.86.15");
    world_answer(facts, "libnvidia-ml.so.1", 0, NULL, "12.570.86.15");
    world_answer(facts, "libcuda.so.1", 0, NULL, "12.8");
    facts_set_integer(facts, "nvml", "count", 1, "NVML");
    add_nvml(facts, "nvml/0", "0000:01:00.0");
    return facts;
}

static void add_second(struct facts *facts)
{
    facts_set_integer(facts, "pci", "count", 2, "sysfs");
    world_gpu(facts, "0000:02:00.0", "2330", "nvidia");
    facts_set_integer(facts, "nvml", "count", 2, "NVML");
    add_nvml(facts, "nvml/1", "0000:02:00.0");
}

static void test_healthy_passes(void **state)
{
    (void)state;
    struct facts *facts = healthy();
    for (size_t i = 0; i < CAUSE_COUNT; i++)
        if (strcmp(causes[i], MIG) != 0)
            assert_check(facts, PURPOSE_RUN, causes[i], CHECK_PASS, NULL);
    assert_check(facts, PURPOSE_RUN, MIG, CHECK_SKIP, "MIG mode");
    assert_check(facts, PURPOSE_RUN, "gpu_count_short_vs_pci", CHECK_PASS, NULL);
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_int_equal(judgement->fail + judgement->warn + judgement->unknown, 0);
    judgement_free(judgement);
    facts_free(facts);
}

static void test_without_answers(void **state)
{
    (void)state;
    struct facts *facts = world_with_gpu();
    for (size_t i = 0; i < CAUSE_COUNT; i++)
        assert_check(facts, PURPOSE_RUN, causes[i], CHECK_SKIP, "NVML was not asked");
    world_answer(facts, "libnvidia-ml.so.1", 9, "Driver Not Loaded", NULL);
    facts_set_unknown(facts, "nvml", "count", "nvmlInit: error 9", "nvmlInit");
    for (size_t i = 0; i < CAUSE_COUNT; i++)
        assert_check(facts, PURPOSE_RUN, causes[i], CHECK_SKIP, "error 9");
    world_no_answer(facts, "libnvidia-ml.so.1", "killed by signal 11");
    for (size_t i = 0; i < CAUSE_COUNT; i++)
        assert_check(facts, PURPOSE_RUN, causes[i], CHECK_UNKNOWN, "signal 11");
    facts_set_integer(facts, "nvml", "count", 0, "NVML");
    for (size_t i = 0; i < CAUSE_COUNT; i++)
        assert_check(facts, PURPOSE_RUN, causes[i], CHECK_SKIP, "lists no GPU");
    facts_free(facts);
}

static void test_unknown_facts(void **state)
{
    static const char *const names[][2] = {
        {ECC, "ecc_uncorrected_volatile"},
        {PEND, "remap_pending"},
        {BAD, "remap_failure"},
        {SLOW, "clock_event_reasons"},
        {MIG, "mig"},
        {MODE, "compute_mode"},
        {FULL, "memory_free_bytes"},
        {HELD, "memory_used_bytes"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct facts *facts = healthy();
        facts_set_unknown(facts, "nvml/0", names[i][1], "error 15 (GPU is lost)", "NVML");
        assert_check(facts, PURPOSE_RUN, names[i][0], CHECK_UNKNOWN, "GPU is lost");
        facts_free(facts);
    }
}

static void test_ecc(void **state)
{
    (void)state;
    struct facts *facts = healthy();
    facts_set_integer(facts, "nvml/0", "ecc_uncorrected_aggregate", 3, "NVML");
    assert_found(facts, PURPOSE_RUN, ECC, SEVERITY_INFO, "3 uncorrectable memory errors in its");
    facts_set_integer(facts, "nvml/0", "ecc_uncorrected_volatile", 1, "NVML");
    assert_found(facts, PURPOSE_RUN, ECC, SEVERITY_FAIL, "1 uncorrectable memory error since");
    assert_found(facts, PURPOSE_BUILD, ECC, SEVERITY_INFO, "GPU 0 (NVIDIA H100 80GB HBM3)");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_string_equal(found(judgement, ECC)->subject, "GPU 0, 0000:01:00.0");
    assert_fix(found(judgement, ECC), "--gpu-reset -i 0");
    judgement_free(judgement);
    world_container(facts, "docker");
    judgement = world_judge(facts, PURPOSE_CONTAINER);
    assert_fix(found(judgement, ECC), "only on the host");
    assert_false(fix_says(found(judgement, ECC), "--gpu-reset"));
    judgement_free(judgement);
    facts_set_absent(facts, "nvml/0", "ecc_uncorrected_volatile", "NVML");
    assert_check(facts, PURPOSE_RUN, ECC, CHECK_SKIP, "no GPU here counts");
    facts_free(facts);
}

static void test_rows(void **state)
{
    (void)state;
    struct facts *facts = healthy();
    facts_set_boolean(facts, "nvml/0", "remap_pending", true, "NVML");
    assert_found(facts, PURPOSE_RUN, PEND, SEVERITY_WARN, "with a spare row");
    assert_found(facts, PURPOSE_BUILD, PEND, SEVERITY_INFO, "with a spare row");
    facts_set_absent(facts, "nvml/0", "remap_pending", "NVML");
    assert_check(facts, PURPOSE_RUN, PEND, CHECK_SKIP, "no GPU here");
    facts_set_boolean(facts, "nvml/0", "retired_pages_pending", true, "NVML");
    assert_found(facts, PURPOSE_RUN, PEND, SEVERITY_WARN, "bad page");
    assert_check(facts, PURPOSE_RUN, BAD, CHECK_PASS, NULL);
    facts_set_boolean(facts, "nvml/0", "remap_failure", true, "NVML");
    assert_found(facts, PURPOSE_RUN, BAD, SEVERITY_FAIL, "no spare row is left");
    facts_set_absent(facts, "nvml/0", "remap_failure", "NVML");
    assert_check(facts, PURPOSE_RUN, BAD, CHECK_SKIP, "no GPU here");
    facts_free(facts);
}

static void test_clocks(void **state)
{
    (void)state;
    struct facts *facts = healthy();
    world_list(facts, "nvml/0", "clock_event_reasons", "sw_power_cap");
    assert_check(facts, PURPOSE_RUN, SLOW, CHECK_PASS, NULL);
    facts_set_integer(facts, "nvml/0", "power_limit_mw", 400000, "NVML");
    assert_found(facts, PURPOSE_RUN, SLOW, SEVERITY_WARN, "400 W; the default is 700 W");
    world_list(facts, "nvml/0", "clock_event_reasons", "idle");
    assert_check(facts, PURPOSE_RUN, SLOW, CHECK_PASS, NULL);
    world_list(facts, "nvml/0", "clock_event_reasons", "hw_slowdown:hw_power_brake");
    assert_found(facts, PURPOSE_RUN, SLOW, SEVERITY_WARN, "power brake");
    world_list(facts, "nvml/0", "clock_event_reasons", "sw_power_cap:sw_thermal");
    assert_found(facts, PURPOSE_RUN, SLOW, SEVERITY_WARN, "too hot");
    assert_found(facts, PURPOSE_BUILD, SLOW, SEVERITY_INFO, "too hot");
    world_list(facts, "nvml/0", "clock_event_reasons", "sync_boost:display_clocks:bit_40");
    assert_check(facts, PURPOSE_RUN, SLOW, CHECK_PASS, NULL);
    facts_set_absent(facts, "nvml/0", "clock_event_reasons", "NVML");
    assert_check(facts, PURPOSE_RUN, SLOW, CHECK_SKIP, "clock speed");
    facts_free(facts);
}

static void test_mig(void **state)
{
    (void)state;
    struct facts *facts = healthy();
    facts_set_boolean(facts, "nvml/0", "mig", true, "NVML");
    assert_found(facts, PURPOSE_RUN, MIG, SEVERITY_FAIL, "no MIG instance");
    assert_found(facts, PURPOSE_BUILD, MIG, SEVERITY_INFO, "no MIG instance");
    facts_set_integer(facts, "nvml/0", "mig_instances", 2, "NVML");
    assert_check(facts, PURPOSE_RUN, MIG, CHECK_PASS, NULL);
    facts_set_unknown(facts, "nvml/0", "mig_instances", "error 4", "NVML");
    assert_check(facts, PURPOSE_RUN, MIG, CHECK_UNKNOWN, "error 4");
    facts_set_integer(facts, "nvml/0", "mig_instances", 0, "NVML");
    add_second(facts);
    assert_found(facts, PURPOSE_RUN, MIG, SEVERITY_WARN, "GPU 0");
    facts_free(facts);
}

/* cuInit says that there is no device: the empty MIG GPU explains it. */
static void test_mig_explains_cuda(void **state)
{
    (void)state;
    struct facts *facts = healthy();
    facts_set_boolean(facts, "nvml/0", "mig", true, "NVML");
    world_answer(facts, "libcuda.so.1", 100, "CUDA_ERROR_NO_DEVICE", "12.8");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_string_equal(found(judgement, "cuda_init_failed")->caused_by, "GPU-008");
    judgement_free(judgement);
    facts_free(facts);
}

static void test_compute_mode(void **state)
{
    (void)state;
    struct facts *facts = healthy();
    facts_set_string(facts, "nvml/0", "compute_mode", "exclusive-process", "NVML");
    assert_found(facts, PURPOSE_RUN, MODE, SEVERITY_INFO, "one program at a time");
    world_list(facts, "nvml/0", "processes", "4321 2147483648");
    assert_found(facts, PURPOSE_RUN, MODE, SEVERITY_WARN, "process 4321 with 2.0 GiB");
    facts_set_integer(facts, "gpu_process/4321", "pid", 4321, "/proc");
    facts_set_string(facts, "gpu_process/4321", "name", "nvidia-cuda-mps", "/proc");
    assert_found(facts, PURPOSE_RUN, MODE, SEVERITY_INFO, "one program at a time");
    facts_set_string(facts, "nvml/0", "compute_mode", "exclusive-thread", "NVML");
    assert_found(facts, PURPOSE_RUN, MODE, SEVERITY_WARN, "one thread of one program");
    facts_set_string(facts, "nvml/0", "compute_mode", "prohibited", "NVML");
    assert_found(facts, PURPOSE_RUN, MODE, SEVERITY_FAIL, "prohibited");
    add_second(facts);
    assert_found(facts, PURPOSE_RUN, MODE, SEVERITY_WARN, "prohibited");
    facts_free(facts);
}

/* A record of another machine may call its GPUs anything; what is printed is run by people. */
static void test_a_name_is_no_command(void **state)
{
    static const char group[] = "nvml/0;reboot";
    (void)state;
    struct facts *facts = world_with_driver("570.86.15");
    world_answer(facts, "libnvidia-ml.so.1", 0, NULL, "12.570.86.15");
    world_answer(facts, "libcuda.so.1", 0, NULL, "12.8");
    facts_set_integer(facts, "nvml", "count", 1, "NVML");
    add_nvml(facts, group, "0000:01:00.0");
    facts_set_boolean(facts, group, "mig", true, "NVML");
    facts_set_boolean(facts, group, "remap_failure", true, "NVML");
    facts_set_string(facts, group, "compute_mode", "prohibited", "NVML");
    facts_set_integer(facts, group, "power_limit_mw", 100000, "NVML");
    world_list(facts, group, "clock_event_reasons", "sw_power_cap");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    size_t named = 0;
    for (size_t i = 0; i < judgement->finding_count; i++)
        for (size_t k = 0; k < judgement->findings[i]->fix_count; k++) {
            const char *command = judgement->findings[i]->fixes[k].command;
            const char *at = command ? strstr(command, ";reboot") : NULL;
            if (at == NULL)
                continue;
            assert_true(at - command > 1 && memcmp(at - 2, "'0;reboot'", 10) == 0);
            named++;
        }
    assert_true(named >= 4);
    judgement_free(judgement);
    facts_free(facts);
}

static void test_memory_taken(void **state)
{
    (void)state;
    struct facts *facts = healthy();
    facts_set_integer(facts, "nvml/0", "memory_free_bytes", 8 * GIB, "NVML");
    facts_set_integer(facts, "nvml/0", "memory_used_bytes", 72 * GIB, "NVML");
    world_list(facts, "nvml/0", "processes", "7 ?:4321 2147483648:4400 75161927680:x y:");
    assert_check(facts, PURPOSE_RUN, FULL, CHECK_PASS, NULL); /* a tenth is free */
    facts_set_integer(facts, "nvml/0", "memory_free_bytes", 7 * GIB, "NVML");
    facts_set_integer(facts, "gpu_process/4400", "pid", 4400, "/proc");
    facts_set_string(facts, "gpu_process/4400", "name", "python3", "/proc");
    assert_found(facts, PURPOSE_RUN, FULL, SEVERITY_WARN,
                 "7.0 GiB of 80.0 GiB free: the memory is in use by python3 (4400) with 70.0 GiB, "
                 "process 4321 with 2.0 GiB, process 7");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, FULL), "kill 4400 4321 7");
    judgement_free(judgement);
    assert_check(facts, PURPOSE_RUN, HELD, CHECK_PASS, NULL);
    facts_set_unknown(facts, "nvml/0", "processes", "error 4", "NVML");
    assert_check(facts, PURPOSE_RUN, FULL, CHECK_UNKNOWN, "error 4");
    assert_check(facts, PURPOSE_RUN, HELD, CHECK_UNKNOWN, "error 4");
    facts_free(facts);
}

static void test_memory_held(void **state)
{
    (void)state;
    struct facts *facts = healthy();
    facts_set_integer(facts, "nvml/0", "memory_used_bytes", 4 * GIB, "NVML");
    assert_check(facts, PURPOSE_RUN, HELD, CHECK_PASS, NULL); /* 5 % */
    facts_set_integer(facts, "nvml/0", "memory_used_bytes", 5 * GIB, "NVML");
    assert_found(facts, PURPOSE_RUN, HELD, SEVERITY_WARN, "5.0 GiB in use, and NVML names no");
    facts_set_string(facts, "driver_gpu/0", "bus_id", "0000:01:00.0", "/proc");
    facts_set_integer(facts, "driver_gpu/0", "minor", 3, "/proc");
    facts_set_integer(facts, "gpu_process/99", "pid", 99, "/proc");
    facts_set_string(facts, "gpu_process/99", "name", "worker", "/proc");
    facts_set_integer(facts, "gpu_process/99", "parent", 1, "/proc");
    world_list(facts, "gpu_process/99", "nodes", "/dev/nvidia3");
    assert_found(facts, PURPOSE_RUN, HELD, SEVERITY_WARN, "open by: worker (99) without a parent");
    facts_set_boolean(facts, "nvml/0", "mig", true, "NVML");
    assert_check(facts, PURPOSE_RUN, HELD, CHECK_PASS, NULL);
    facts_set_boolean(facts, "nvml/0", "mig", false, "NVML");
    world_container(facts, "docker");
    assert_found(facts, PURPOSE_CONTAINER, HELD, SEVERITY_INFO, "5.0 GiB in use");
    facts_set_string(facts, "nvml/0", "name", "NVIDIA GH200 480GB", "NVML");
    assert_check(facts, PURPOSE_RUN, HELD, CHECK_PASS, NULL);
    facts_set_integer(facts, "machine", "wsl", 2, "/proc/version");
    assert_check(facts, PURPOSE_RUN, HELD, CHECK_SKIP, "Windows");
    facts_free(facts);
}

/* A pid that /proc does not have, where /proc shows every process. */
static void test_memory_held_elsewhere(void **state)
{
    (void)state;
    struct facts *facts = healthy();
    facts_set_integer(facts, "nvml/0", "memory_free_bytes", 2 * GIB, "NVML");
    facts_set_integer(facts, "nvml/0", "memory_used_bytes", 78 * GIB, "NVML");
    world_list(facts, "nvml/0", "processes", "991234 75161927680");
    facts_set_skipped(facts, "gpu_process", "count", "other users'", "/proc");
    assert_found(facts, PURPOSE_RUN, FULL, SEVERITY_WARN, "991234");
    assert_check(facts, PURPOSE_RUN, HELD, CHECK_SKIP, "other users'");
    facts_set_integer(facts, "gpu_process", "count", 0, "/proc");
    assert_check(facts, PURPOSE_RUN, FULL, CHECK_PASS, NULL);
    assert_found(facts, PURPOSE_RUN, HELD, SEVERITY_WARN,
                 "process 991234 with 70.0 GiB, which /proc");
    world_container(facts, "docker");
    assert_check(facts, PURPOSE_CONTAINER, HELD, CHECK_PASS, NULL);
    facts_set_absent(facts, "container", "engine", "/.dockerenv");
    facts_set_integer(facts, "gpu_process/991234", "pid", 991234, "/proc");
    assert_check(facts, PURPOSE_RUN, HELD, CHECK_PASS, NULL);
    assert_found(facts, PURPOSE_RUN, FULL, SEVERITY_WARN, "991234");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_healthy_passes),
        cmocka_unit_test(test_without_answers),
        cmocka_unit_test(test_unknown_facts),
        cmocka_unit_test(test_ecc),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_mig),
        cmocka_unit_test(test_mig_explains_cuda),
        cmocka_unit_test(test_compute_mode),
        cmocka_unit_test(test_a_name_is_no_command),
        cmocka_unit_test(test_memory_taken),
        cmocka_unit_test(test_memory_held),
        cmocka_unit_test(test_memory_held_elsewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
