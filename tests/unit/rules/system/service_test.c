/* SPDX-License-Identifier: MIT */
#include "rules/engine/finding.h"
#include "rules/world.h"

#define RELEASE "fabric_manager_version_mismatch"
#define RUNS    "fabric_manager_not_running"
#define FABRIC  "fabric_not_completed"
#define DRIVER  "570.86.15"

/* A board with NVSwitches whose Fabric Manager is of that release; running or not. */
static struct facts *board(const char *release, bool running, int64_t init)
{
    struct facts *facts = world_with_driver(DRIVER);
    facts_set_integer(facts, "pci", "nvswitch_count", 4, "/sys/bus/pci/devices");
    facts_set_boolean(facts, "service/fabricmanager", "present", release != NULL, "/usr/bin");
    facts_set_boolean(facts, "service/fabricmanager", "running", running, "/proc");
    facts_set_string(facts, "fabric_manager", "version", release, "/var/lib/dpkg/status");
    facts_set_absent(facts, "fabric_manager", "log_version", "/var/log/fabricmanager.log");
    world_answer(facts, "libcuda.so.1", init, init ? "CUDA_ERROR_SYSTEM_NOT_READY" : NULL, "12.8");
    return facts;
}

static void world_fabric(struct facts *facts, const char *state)
{
    facts_set_string(facts, "nvml/0", "bus_id", "0000:01:00.0", "NVML");
    facts_set_string(facts, "nvml/0", "fabric_state", state, "NVML");
}

/* The symptom follows from that code. */
static void assert_explained(const struct facts *facts, const char *code)
{
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    const struct finding *symptom = found(judgement, "cuda_init_failed");
    assert_non_null(symptom);
    assert_string_equal(symptom->caused_by, code);
    assert_string_equal(judgement->findings[0]->code, code);
    judgement_free(judgement);
}

static void test_other_release(void **state)
{
    (void)state;
    struct facts *facts = board("570.124.06", false, 802);
    assert_found(facts, PURPOSE_RUN, RELEASE, SEVERITY_FAIL,
                 "Fabric Manager is 570.124.06 (according to /var/lib/dpkg/status), but the loaded "
                 "driver is "
                 "570.86.15");
    assert_found(facts, PURPOSE_BUILD, RELEASE, SEVERITY_INFO, "570.124.06");
    assert_check(facts, PURPOSE_RUN, RUNS, CHECK_SKIP, "another finding says that Fabric Manager");
    assert_explained(facts, "DRV-032");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, RELEASE), "nvidia-fabricmanager-570=570.86.15*");
    judgement_free(judgement);
    facts_free(facts);
}

static void test_old_process_after_an_upgrade(void **state)
{
    (void)state;
    struct facts *facts = board(DRIVER, true, 802);
    facts_set_string(facts, "fabric_manager", "log_version", "570.80.01", "fabricmanager.log");
    assert_found(facts, PURPOSE_RUN, RELEASE, SEVERITY_FAIL,
                 "570.80.01 (according to fabricmanager.log)");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, RELEASE), "systemctl restart nvidia-fabricmanager");
    judgement_free(judgement);
    facts_set_boolean(facts, "service/fabricmanager", "running", false, "/proc");
    assert_check(facts, PURPOSE_RUN, RELEASE, CHECK_PASS, NULL); /* an old log of what ended */
    facts_free(facts);
}

static void test_other_release_while_all_works(void **state)
{
    (void)state;
    struct facts *facts = board("570.124.06", true, 0);
    assert_found(facts, PURPOSE_RUN, RELEASE, SEVERITY_INFO, "570.124.06");
    facts_free(facts);
    facts = board("570.124.06", true, 0);
    world_no_answer(facts, "libcuda.so.1", "no answer within 5 s");
    facts_set_unknown(facts, "answer/libcuda.so.1", "init", "no answer within 5 s", "cuInit");
    assert_found(facts, PURPOSE_RUN, RELEASE, SEVERITY_WARN, "570.124.06");
    facts_free(facts);
}

static void test_release_cannot_be_told(void **state)
{
    (void)state;
    struct facts *facts = board(DRIVER, true, 802);
    assert_check(facts, PURPOSE_RUN, RELEASE, CHECK_PASS, NULL);
    facts_set_unknown(facts, "fabric_manager", "version", "no permission", "dpkg");
    assert_check(facts, PURPOSE_RUN, RELEASE, CHECK_UNKNOWN, "no permission");
    facts_set_absent(facts, "fabric_manager", "version", "dpkg");
    assert_check(facts, PURPOSE_RUN, RELEASE, CHECK_SKIP, "nothing shows");
    facts_set_boolean(facts, "service/fabricmanager", "present", false, "/usr/bin");
    assert_check(facts, PURPOSE_RUN, RELEASE, CHECK_SKIP, "not installed");
    world_container(facts, "docker");
    assert_check(facts, PURPOSE_RUN, RELEASE, CHECK_SKIP, "Fabric Manager runs on the host");
    facts_free(facts);
}

static void test_not_running(void **state)
{
    (void)state;
    struct facts *facts = board(DRIVER, false, 802);
    assert_found(facts, PURPOSE_RUN, RUNS, SEVERITY_FAIL,
                 "4 NVSwitches are on the PCI bus, and Fabric Manager (nv-fabricmanager) is "
                 "installed but does not run");
    assert_found(facts, PURPOSE_BUILD, RUNS, SEVERITY_INFO, "does not run");
    assert_explained(facts, "DRV-031");
    facts_set_boolean(facts, "service/fabricmanager", "masked", true, "unit");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, RUNS), "unmask");
    judgement_free(judgement);
    facts_free(facts);
    facts = board(NULL, false, 802);
    assert_found(facts, PURPOSE_RUN, RUNS, SEVERITY_FAIL, "is not installed");
    facts_free(facts);
}

static void test_running_is_not_its_fault(void **state)
{
    (void)state;
    struct facts *facts = board(DRIVER, true, 802);
    assert_check(facts, PURPOSE_RUN, RUNS, CHECK_PASS, NULL);
    facts_set_unknown(facts, "service/fabricmanager", "running", "/proc: refused", "/proc");
    assert_check(facts, PURPOSE_RUN, RUNS, CHECK_UNKNOWN, "refused");
    world_container(facts, "docker");
    assert_check(facts, PURPOSE_RUN, RUNS, CHECK_SKIP, "Fabric Manager runs on the host");
    facts_free(facts);
}

/* Without 802 a Fabric Manager that does not run is not a fault that was seen. */
static void test_cuda_was_not_refused(void **state)
{
    (void)state;
    struct facts *facts = board(DRIVER, false, 0);
    assert_check(facts, PURPOSE_RUN, RUNS, CHECK_PASS, NULL);
    facts_set_integer(facts, "answer/libcuda.so.1", "init", 999, "cuInit");
    assert_check(facts, PURPOSE_RUN, RUNS, CHECK_SKIP, "999");
    facts_set_unknown(facts, "answer/libcuda.so.1", "init", "it hung", "cuInit");
    assert_check(facts, PURPOSE_RUN, RUNS, CHECK_UNKNOWN, "it hung");
    facts_set_skipped(facts, "answer/libcuda.so.1", "init", "a tree", "cuInit");
    assert_check(facts, PURPOSE_RUN, RUNS, CHECK_SKIP, "a tree");
    facts_set_integer(facts, "pci", "nvswitch_count", 0, "/sys/bus/pci/devices");
    facts_set_integer(facts, "answer/libcuda.so.1", "init", 802, "cuInit");
    assert_check(facts, PURPOSE_RUN, RUNS, CHECK_SKIP, "no NVSwitch");
    facts_set_unknown(facts, "pci", "nvswitch_count", "sysfs is not there", "/sys");
    assert_check(facts, PURPOSE_RUN, RUNS, CHECK_UNKNOWN, "sysfs is not there");
    facts_free(facts);
}

static void test_fabric_not_completed(void **state)
{
    (void)state;
    struct facts *facts = board(DRIVER, true, 802);
    world_fabric(facts, "in-progress");
    assert_found(facts, PURPOSE_RUN, FABRIC, SEVERITY_FAIL,
                 "1 of 1 GPU is in-progress, according to NVML");
    assert_explained(facts, "DRV-033");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, FABRIC), "restart nvidia-fabricmanager");
    judgement_free(judgement);
    facts_set_integer(facts, "pci", "nvswitch_count", 0, "/sys/bus/pci/devices");
    facts_set_string(facts, "machine", "virtualization", "none", "/proc/cpuinfo");
    facts_set_boolean(facts, "service/fabricmanager", "present", false, "/usr/bin");
    facts_set_boolean(facts, "service/fabricmanager", "running", false, "/proc");
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, FABRIC), "NVL72");
    judgement_free(judgement);
    world_container(facts, "docker");
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, FABRIC), "tell the operator of the host");
    judgement_free(judgement);
    facts_free(facts);
}

static void test_fabric_follows_from_its_manager(void **state)
{
    (void)state;
    struct facts *facts = board(DRIVER, false, 802);
    world_fabric(facts, "not-started");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_string_equal(found(judgement, FABRIC)->caused_by, "DRV-031");
    assert_int_equal(judgement->fail, 1);
    judgement_free(judgement);
    facts_free(facts);
}

static void test_fabric_in_order(void **state)
{
    (void)state;
    struct facts *facts = board(DRIVER, true, 802);
    world_fabric(facts, "completed");
    assert_check(facts, PURPOSE_RUN, FABRIC, CHECK_PASS, NULL);
    facts_set_integer(facts, "nvml/0", "fabric_status", 999, "NVML");
    assert_found(facts, PURPOSE_RUN, FABRIC, SEVERITY_FAIL, "completed with NVML's error 999");
    world_fabric(facts, "not-supported");
    assert_check(facts, PURPOSE_RUN, FABRIC, CHECK_PASS, NULL);
    facts_set_unknown(facts, "nvml/0", "fabric_state", "NVML crashed", "NVML");
    assert_check(facts, PURPOSE_RUN, FABRIC, CHECK_UNKNOWN, "NVML crashed");
    facts_free(facts);
    facts = board(DRIVER, true, 0);
    world_fabric(facts, "in-progress");
    assert_check(facts, PURPOSE_RUN, FABRIC, CHECK_PASS, NULL);
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_other_release),
        cmocka_unit_test(test_old_process_after_an_upgrade),
        cmocka_unit_test(test_other_release_while_all_works),
        cmocka_unit_test(test_release_cannot_be_told),
        cmocka_unit_test(test_not_running),
        cmocka_unit_test(test_running_is_not_its_fault),
        cmocka_unit_test(test_cuda_was_not_refused),
        cmocka_unit_test(test_fabric_not_completed),
        cmocka_unit_test(test_fabric_follows_from_its_manager),
        cmocka_unit_test(test_fabric_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
