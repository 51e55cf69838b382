/* SPDX-License-Identifier: MIT */
#include "rules/engine/finding.h"
#include "rules/world.h"

#define CALL    "gpu_call_failed"
#define LIBRARY "library_call_failed"
#define FALLEN  "gpu_fell_off_bus"

static void add_gpu(struct facts *facts, const char *group, const char *bus_id)
{
    facts_set_string(facts, group, "name", "NVIDIA H100 80GB HBM3", "NVML");
    facts_set_string(facts, group, "bus_id", bus_id, "NVML");
    facts_set_integer(facts, group, "temperature_c", 34, "NVML");
}

static struct facts *healthy(void)
{
    struct facts *facts = world_with_driver("570.86.15");
    world_answer(facts, "libnvidia-ml.so.1", 0, NULL, "12.570.86.15");
    facts_set_integer(facts, "nvml", "count", 1, "NVML");
    add_gpu(facts, "nvml/0", "0000:01:00.0");
    return facts;
}

/* Adds a second GPU whose handle NVML refuses. */
static void add_refused(struct facts *facts, const char *reason)
{
    static const char *const names[] = {"name", "bus_id", "temperature_c"};
    facts_set_integer(facts, "pci", "count", 2, "sysfs");
    world_gpu(facts, "0000:02:00.0", "2330", "nvidia");
    facts_set_integer(facts, "nvml", "count", 2, "NVML");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        facts_set_unknown(facts, "nvml/1", names[i], reason, "NVML");
}

static void test_no_error(void **state)
{
    (void)state;
    struct facts *facts = healthy();
    assert_check(facts, PURPOSE_RUN, CALL, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_not_asked(void **state)
{
    (void)state;
    struct facts *facts = world_with_gpu();
    assert_check(facts, PURPOSE_RUN, CALL, CHECK_SKIP, "was asked about a GPU");
    assert_check(facts, PURPOSE_RUN, LIBRARY, CHECK_SKIP, "asked no library for its version");
    facts_free(facts);
}

static void test_a_value(void **state)
{
    (void)state;
    struct facts *facts = healthy();
    facts_set_unknown(facts, "nvml/0", "temperature_c",
                      "nvmlDeviceGetTemperatureV: error 999 (Unknown Error)", "NVML");
    assert_check(facts, PURPOSE_RUN, CALL, CHECK_WARN, NULL);
    facts_set_unknown(facts, "nvml/0", "temperature_c", "no answer in 10 s", "NVML");
    assert_check(facts, PURPOSE_RUN, CALL, CHECK_PASS, NULL);
    facts_set_unknown(facts, "nvml/0", "temperature_c",
                      "nvmlDeviceGetTemperatureV: error 2 (Invalid Argument)", "NVML");
    assert_check(facts, PURPOSE_RUN, CALL, CHECK_PASS, NULL); /* information */
    facts_free(facts);
}

static void test_a_gpu(void **state)
{
    (void)state;
    struct facts *facts = healthy();
    add_refused(facts, "nvmlDeviceGetHandleByIndex_v2: error 16 (GPU requires reset)");
    assert_check(facts, PURPOSE_RUN, CALL, CHECK_FAIL, NULL);
    assert_check(facts, PURPOSE_RUN, FALLEN, CHECK_UNKNOWN, "bus_id");
    add_refused(facts, "nvmlDeviceGetHandleByIndex_v2: error 4 (Insufficient Permissions)");
    assert_check(facts, PURPOSE_RUN, CALL, CHECK_PASS, NULL); /* information */
    add_refused(facts, "nvmlDeviceGetHandleByIndex_v2: error 4711");
    assert_check(facts, PURPOSE_RUN, CALL, CHECK_FAIL, NULL); /* listed nowhere */
    facts_free(facts);
}

static void test_a_lost_gpu(void **state)
{
    (void)state;
    struct facts *facts = healthy();
    add_refused(facts, "nvmlDeviceGetHandleByIndex_v2: error 15 (GPU is lost)");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    const struct finding *finding = found(judgement, FALLEN);
    assert_non_null(finding);
    assert_string_equal(finding->subject, "0000:02:00.0");
    finding = found(judgement, CALL);
    assert_non_null(finding);
    assert_string_equal(finding->caused_by, "GPU-013");
    judgement_free(judgement);
    /* Words alone, as a record may have them. */
    add_refused(facts, "nvmlDeviceGetHandleByIndex_v2: GPU is lost");
    assert_check(facts, PURPOSE_RUN, FALLEN, CHECK_FAIL, NULL);
    facts_free(facts);
}

static void test_a_library(void **state)
{
    (void)state;
    struct facts *facts = healthy();
    facts_set_string(facts, "answer/libnccl.so.2", "library", "libnccl.so.2", "dlopen");
    facts_set_string(facts, "answer/libnccl.so.2", "version", "2.28.9", "ncclGetVersion");
    assert_check(facts, PURPOSE_RUN, LIBRARY, CHECK_PASS, NULL);
    facts_set_unknown(facts, "answer/libnccl.so.2", "version", "ncclGetVersion: error 3",
                      "ncclGetVersion");
    assert_check(facts, PURPOSE_RUN, LIBRARY, CHECK_WARN, NULL);
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_error),   cmocka_unit_test(test_not_asked),
        cmocka_unit_test(test_a_value),    cmocka_unit_test(test_a_gpu),
        cmocka_unit_test(test_a_lost_gpu), cmocka_unit_test(test_a_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
