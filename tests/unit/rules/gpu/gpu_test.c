/* SPDX-License-Identifier: MIT */
#include "manifest/manifest.h"
#include "rules/engine/finding.h"
#include "rules/requirement/requirement.h"
#include "rules/rules.h"
#include "rules/world.h"

#define CAUSE "gpu_absent_from_pci"

static void test_found_without_a_gpu(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_FAIL, "no NVIDIA GPU");
    assert_found(facts, PURPOSE_CONTAINER, CAUSE, SEVERITY_FAIL, "no NVIDIA GPU");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_int_equal(judgement->fail, 1);
    assert_fix(found(judgement, CAUSE), "/sys/bus/pci/rescan");
    assert_int_equal(check_of(judgement, "driver_not_installed")->status, CHECK_SKIP);
    assert_says(check_of(judgement, "driver_not_installed")->reason, "no NVIDIA GPU on the bus");
    assert_says(check_of(judgement, "module_not_loaded")->reason, "no NVIDIA GPU on the bus");
    assert_says(check_of(judgement, "nouveau_loaded")->reason, "no NVIDIA GPU on the bus");
    judgement_free(judgement);
    facts_free(facts);
}

static void test_no_pci_bus_at_all(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    facts_set_absent(facts, "pci", "count", "/sys/bus/pci/devices");
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_FAIL, "no NVIDIA GPU");
    facts_free(facts);
}

static void test_passes_with_a_gpu(void **state)
{
    (void)state;
    struct facts *facts = world_with_gpu();
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_PASS, NULL);
    assert_check(facts, PURPOSE_CONTAINER, CAUSE, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_skipped_where_there_is_none_to_find(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    assert_check(facts, PURPOSE_BUILD, CAUSE, CHECK_SKIP, "not needed to build");
    facts_set_string(facts, "assumed/0", "capability", "9.0", "--assume-gpu");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_SKIP, "assumed");
    facts_free(facts);

    facts = world_bare();
    facts_set_integer(facts, "machine", "wsl", 2, "/proc/version");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_SKIP, "WSL");
    assert_check(facts, PURPOSE_CONTAINER, CAUSE, CHECK_SKIP, "WSL");
    facts_free(facts);

    facts = world_bare(); /* a container in WSL */
    facts_set_string(facts, "device/dxg", "path", "/dev/dxg", "/dev/dxg");
    facts_set_string(facts, "device/dxg", "number", "10:125", "/dev/dxg");
    assert_check(facts, PURPOSE_CONTAINER, CAUSE, CHECK_SKIP, "WSL");
    facts_free(facts);

    facts = world_bare();
    facts_set_string(facts, "machine", "jetson_release", "36.4.3", "/etc/nv_tegra_release");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_SKIP, "Jetson");
    facts_free(facts);
}

/* A library that is there and did not get to answer might have listed one. */
static void test_unknown_where_the_driver_did_not_answer(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    world_no_answer(facts, "libnvidia-ml.so.1", "out of memory in nvmlInit_v2");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_UNKNOWN, "out of memory in nvmlInit_v2");
    world_no_answer(facts, "libcuda.so.1", "killed by signal 11 in cuInit");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_UNKNOWN, "killed by signal 11 in cuInit");
    facts_free(facts);

    facts = world_bare();
    facts_set_integer(facts, "answer/libcuda.so.1", "init", 0, "cuInit");
    facts_set_unknown(facts, "answer/libcuda.so.1", "device_count", "out of memory in cuInit",
                      "cuInit");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_UNKNOWN, "out of memory in cuInit");
    facts_set_integer(facts, "answer/libcuda.so.1", "device_count", 1, "cuDeviceGetCount");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_SKIP, "the driver lists a GPU");
    facts_set_integer(facts, "answer/libcuda.so.1", "device_count", 0, "cuDeviceGetCount");
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_FAIL, "no NVIDIA GPU");
    facts_free(facts);

    facts = world_bare();
    world_no_answer(facts, "libnvidia-ml.so.1", "out of memory in nvmlInit_v2");
    facts_set_integer(facts, "answer/libcuda.so.1", "init", 100, "cuInit");
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_FAIL, "no NVIDIA GPU");
    facts_free(facts);
}

/* What the driver lists is there, whether or not its bus is shown. */
static void test_skipped_where_the_driver_lists_one(void **state)
{
    (void)state;
    static const char *const kinds[] = {"nvml/0", "cuda/0"};
    for (size_t i = 0; i < 2; i++) {
        struct facts *facts = world_bare();
        facts_set_boolean(facts, "module", "nvidia", false, "/sys/module");
        facts_set_string(facts, kinds[i], "name", "NVIDIA H200", "nvmlDeviceGetName");
        assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_SKIP, "the driver lists a GPU");
        facts_free(facts);
    }
}

static void test_not_known_in_a_sandbox_without_a_driver(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    facts_set_string(facts, "container", "engine", "docker", "/.dockerenv");
    facts_set_string(facts, "container", "sandbox", "gvisor", "/proc/sentry-meminfo");
    facts_set_skipped(facts, "pci", "count", "gVisor does not show this", "/sys/bus/pci/devices");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_UNKNOWN, "gVisor");
    assert_check(facts, PURPOSE_BUILD, CAUSE, CHECK_SKIP, "not needed to build");
    facts_set_string(facts, "nvml/0", "name", "NVIDIA H200", "nvmlDeviceGetName");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_SKIP, "the driver lists a GPU");
    facts_free(facts);
}

/* An assumed driver says nothing of this machine's GPU. */
static void test_assumed_driver_alone_does_not_skip(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    facts_set_string(facts, "assumed", "driver_version", "580.95.05", "--assume-driver");
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_FAIL, "no NVIDIA GPU");
    facts_free(facts);
}

static void test_nodes_without_pci_are_no_absence(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    facts_set_string(facts, "device/nvidia0", "path", "/dev/nvidia0", "/dev/nvidia0");
    facts_set_string(facts, "device/nvidia0", "number", "195:0", "/dev/nvidia0");
    facts_set_unknown(facts, "module", "nvidia", "permission denied", "/sys/module");
    assert_check(facts, PURPOSE_CONTAINER, CAUSE, CHECK_UNKNOWN, "module.nvidia");
    facts_set_boolean(facts, "module", "nvidia", true, "/sys/module");
    assert_check(facts, PURPOSE_CONTAINER, CAUSE, CHECK_SKIP, "/dev/nvidia0");
    facts_set_boolean(facts, "module", "nvidia", false, "/sys/module");
    assert_found(facts, PURPOSE_CONTAINER, CAUSE, SEVERITY_FAIL, "no NVIDIA GPU");
    facts_free(facts);
}

static void test_unknown_and_skipped_counts(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    facts_set_unknown(facts, "pci", "count", "permission denied", "/sys/bus/pci/devices");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_UNKNOWN, "permission denied");
    facts_set_skipped(facts, "pci", "count", "a tree has no bus", "/sys");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_SKIP, "a tree has no bus");
    facts_free(facts);
}

static void test_fix_fits_the_situation(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    facts_set_string(facts, "machine", "virtualization", "amazon", "DMI");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, CAUSE), "instance type");
    assert_false(fix_says(found(judgement, CAUSE), "rescan"));
    judgement_free(judgement);
    world_container(facts, "docker");
    judgement = world_judge(facts, PURPOSE_CONTAINER);
    assert_fix(found(judgement, CAUSE), "on the host");
    judgement_free(judgement);
    facts_free(facts);
}

/* Judged with --require. */
static struct judgement *judge_with(const struct facts *facts, const char *term)
{
    AUTO_REQUIREMENTS struct requirements requirements = {0};
    struct manifest *manifest = manifest_new();
    assert_true(requirements_add(&requirements, term, NULL));
    struct judge_options options = {.purpose_given = true, .requirements = &requirements};
    struct judgement *judgement = rules_judge(facts, manifest, &options);
    manifest_free(manifest);
    return judgement;
}

static void test_fewer_than_required(void **state)
{
    (void)state;
    static const struct {
        const char *term;
        bool found;
    } cases[] = {
        {"gpus>=2", true},  {"gpus>1", true},   {"gpus=4", true},
        {"gpus>=1", false}, {"gpus<=1", false}, {"gpus<1", false},
        {"gpus=1", false},  {"gpus=0", false},  {"memory>=2", false},
    };
    struct facts *facts = world_with_driver("570.86.15");
    facts_set_integer(facts, "nvml", "count", 1, "NVML");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct judgement *judgement = judge_with(facts, cases[i].term);
        const struct finding *finding = found(judgement, CAUSE);
        if ((finding != NULL) != cases[i].found)
            fail_msg("%s: %s", cases[i].term, finding ? finding->message : "nothing");
        if (finding) {
            assert_int_equal(finding->severity, SEVERITY_FAIL);
            assert_says(finding->message, "the PCI bus shows 1 GPU, but gpus");
            assert_string_equal(found(judgement, "requirement_not_met")->caused_by, "GPU-001");
        }
        judgement_free(judgement);
    }
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found_without_a_gpu),
        cmocka_unit_test(test_no_pci_bus_at_all),
        cmocka_unit_test(test_passes_with_a_gpu),
        cmocka_unit_test(test_fewer_than_required),
        cmocka_unit_test(test_skipped_where_there_is_none_to_find),
        cmocka_unit_test(test_unknown_where_the_driver_did_not_answer),
        cmocka_unit_test(test_skipped_where_the_driver_lists_one),
        cmocka_unit_test(test_not_known_in_a_sandbox_without_a_driver),
        cmocka_unit_test(test_assumed_driver_alone_does_not_skip),
        cmocka_unit_test(test_nodes_without_pci_are_no_absence),
        cmocka_unit_test(test_unknown_and_skipped_counts),
        cmocka_unit_test(test_fix_fits_the_situation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
