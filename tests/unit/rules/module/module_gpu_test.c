/* SPDX-License-Identifier: MIT */
#include "rules/engine/finding.h"
#include "rules/world.h"

/* legacy_gpu_dropped_by_driver, open_kmod_unsupported_gpu, open_kmod_required */

#define DROPPED "legacy_gpu_dropped_by_driver"
#define CLOSED  "open_kmod_unsupported_gpu"
#define OPEN    "open_kmod_required"

#define GPU         "pci/0000:01:00.0"
#define GTX_1080    "1b80"
#define H100        "2330"
#define RTX_5090    "2b85"
#define RTX_3090    "2204"
#define GTX_1050_M  "1c8d" /* no row has its model */
#define UNKNOWN_GPU "0612"

/* The module of that release and flavour runs, and no driver is bound to the GPU. */
static struct facts *untaken(const char *device_id, const char *release, const char *flavour)
{
    struct facts *facts = world_with_driver(release);
    world_gpu(facts, "0000:01:00.0", device_id, NULL);
    facts_set_string(facts, "module", "flavour", flavour, "/proc/driver/nvidia/version");
    facts_set_integer(facts, "driver_gpu", "count", 0, "/proc/driver/nvidia/gpus");
    return facts;
}

static void log_says(struct facts *facts, const char *event, const char *message)
{
    AUTO_FREE char *group = mem_printf("kernel_log/%s", event);
    facts_set_string(facts, group, "event", event, "/dev/kmsg");
    facts_set_string(facts, group, "boot", "current", "/dev/kmsg");
    facts_set_string(facts, group, "message", message, "/dev/kmsg");
}

static void assert_top(const struct facts *facts, const char *cause, const char *fix)
{
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_string_equal(judgement->findings[0]->cause, cause);
    assert_fix(judgement->findings[0], fix);
    judgement_free(judgement);
}

static void test_dropped_by_id(void **state)
{
    (void)state;
    struct facts *facts = untaken(GTX_1080, "595.71.05", "proprietary");
    assert_found(facts, PURPOSE_RUN, DROPPED, SEVERITY_FAIL, "R580");
    assert_found(facts, PURPOSE_BUILD, DROPPED, SEVERITY_INFO, "595.71.05");
    assert_top(facts, DROPPED, "580");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_non_null(found(judgement, DROPPED)->manifest);
    judgement_free(judgement);
    facts_free(facts);

    facts = untaken(GTX_1080, "580.95.05", "proprietary"); /* its last branch */
    assert_check(facts, PURPOSE_RUN, DROPPED, CHECK_PASS, NULL);
    facts_free(facts);

    facts = untaken(GTX_1050_M, "595.71.05", "proprietary");
    assert_found(facts, PURPOSE_RUN, DROPPED, SEVERITY_FAIL, "R580");
    facts_free(facts);

    facts = untaken(H100, "595.71.05", "proprietary"); /* no branch has dropped it */
    assert_check(facts, PURPOSE_RUN, DROPPED, CHECK_PASS, NULL);
    facts_free(facts);
}

/* The log knows GPUs that the manifest does not. */
static void test_dropped_by_the_log(void **state)
{
    (void)state;
    struct facts *facts = untaken(UNKNOWN_GPU, "470.256.02", "proprietary");
    assert_check(facts, PURPOSE_RUN, DROPPED, CHECK_PASS, NULL);
    log_says(facts, "legacy_gpu",
             "NVRM:  supported through the NVIDIA 390.xx Legacy drivers. Please");
    assert_found(facts, PURPOSE_RUN, DROPPED, SEVERITY_FAIL, "R390");
    assert_top(facts, DROPPED, "nvidia:390");
    facts_set_string(facts, "os", "id", "other", "/etc/os-release");
    facts_set_absent(facts, "os", "id_like", "/etc/os-release");
    assert_top(facts, DROPPED, "driver branch R390");
    facts_set_string(facts, "kernel_log/legacy_gpu", "boot", "earlier", "/var/log/kern.log");
    assert_check(facts, PURPOSE_RUN, DROPPED, CHECK_PASS, NULL);
    facts_free(facts);
}

/* The module of the file counts where none is loaded: loading it would change nothing. */
static void test_dropped_and_not_loaded(void **state)
{
    (void)state;
    struct facts *facts = world_with_gpu();
    world_gpu(facts, "0000:01:00.0", GTX_1080, NULL);
    world_module_file(facts, "6.8.0-50-generic", "595.71.05");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_string_equal(judgement->findings[0]->cause, DROPPED);
    assert_string_equal(found(judgement, "module_not_loaded")->caused_by, "MOD-006");
    judgement_free(judgement);
    facts_free(facts);
}

static void test_another_gpu_that_works_makes_it_a_warning(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("595.71.05");
    facts_set_integer(facts, "pci", "count", 2, "sysfs");
    world_gpu(facts, "0000:02:00.0", GTX_1080, NULL);
    assert_found(facts, PURPOSE_RUN, DROPPED, SEVERITY_WARN, "0000:02:00.0");
    facts_free(facts);
}

static void test_open_module_on_an_old_gpu(void **state)
{
    (void)state;
    struct facts *facts = untaken(GTX_1080, "570.86.15", "open");
    assert_found(facts, PURPOSE_RUN, CLOSED, SEVERITY_FAIL, "0000:01:00.0");
    assert_top(facts, CLOSED, "proprietary flavour");
    facts_set_string(facts, "module", "flavour", "proprietary", "/proc");
    assert_check(facts, PURPOSE_RUN, CLOSED, CHECK_PASS, NULL);
    facts_free(facts);

    facts = untaken(RTX_3090, "570.86.15", "open");
    assert_check(facts, PURPOSE_RUN, CLOSED, CHECK_PASS, NULL);
    facts_free(facts);
}

/* Packages that suit an unknown GPU would be the open ones: none but this branch's are named. */
static void test_open_module_by_the_log(void **state)
{
    (void)state;
    struct facts *facts = untaken(UNKNOWN_GPU, "570.86.15", "open");
    assert_check(facts, PURPOSE_RUN, CLOSED, CHECK_PASS, NULL);
    log_says(facts, "open_unsupported", "NVRM: installed in this system is not supported by open");
    assert_found(facts, PURPOSE_RUN, CLOSED, SEVERITY_FAIL, "open kernel module 570.86.15");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_int_equal(found(judgement, CLOSED)->fix_count, 2);
    assert_string_equal(found(judgement, CLOSED)->fixes[0].command,
                        "sudo apt-get install nvidia-driver-570");
    judgement_free(judgement);
    facts_set_string(facts, "os", "id", "fedora", "/etc/os-release");
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_int_equal(found(judgement, CLOSED)->fix_count, 1);
    judgement_free(judgement);
    facts_free(facts);
}

static void first_fix_is(const struct facts *facts, const char *cause, const char *words,
                         const char *other)
{
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    const struct finding *finding = found(judgement, cause);
    assert_says(finding->fixes[0].command, words);
    for (size_t i = 0; other && i < finding->fix_count; i++)
        assert_false(finding->fixes[i].command && strstr(finding->fixes[i].command, other));
    judgement_free(judgement);
}

/* The driver stays with the repository that it is from. */
static void test_the_source_that_is_in_use(void **state)
{
    static const char *const rows[][2] = {{GTX_1080, DROPPED}, {GTX_1080, CLOSED}};
    static const char *const releases[][2] = {{"595.71.05", "proprietary"}, {"550.90.07", "open"}};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct facts *facts = untaken(rows[i][0], releases[i][0], releases[i][1]);
        facts_set_string(facts, "os", "id", "debian", "/etc/os-release");
        facts_set_string(facts, "os", "version_id", "12", "/etc/os-release");
        first_fix_is(facts, rows[i][1], "nvidia-driver libcuda1", NULL);
        world_package(facts, "cuda-keyring", "install ok installed");
        first_fix_is(facts, rows[i][1], "sudo apt-get install nvidia-driver-pinning-580",
                     "libcuda1");
        facts_free(facts);

        facts = untaken(rows[i][0], releases[i][0], releases[i][1]);
        facts_set_string(facts, "os", "version_id", "22.04", "/etc/os-release");
        world_package(facts, "cuda-keyring", "install ok installed");
        first_fix_is(facts, rows[i][1], i == 0 ? "nvidia:580" : "nvidia-driver-550", NULL);
        world_package(facts, "cuda-drivers", "install ok installed");
        first_fix_is(facts, rows[i][1], "nvidia-driver-pinning-580", "ubuntu-drivers");
        facts_free(facts);
    }
}

static void test_open_module_that_wants_to_be_told(void **state)
{
    (void)state;
    struct facts *facts = untaken(RTX_3090, "515.43.04", "open");
    facts_set_boolean(facts, "driver_parameter", "open_unsupported_gpus", false, "/proc");
    assert_found(facts, PURPOSE_RUN, CLOSED, SEVERITY_FAIL, "unless NVreg_OpenRmEnableUnsupp");
    assert_top(facts, CLOSED, "NVreg_OpenRmEnableUnsupportedGpus=1");
    facts_set_boolean(facts, "driver_parameter", "open_unsupported_gpus", true, "/proc");
    assert_check(facts, PURPOSE_RUN, CLOSED, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_closed_module_on_blackwell(void **state)
{
    (void)state;
    struct facts *facts = untaken(RTX_5090, "570.144", "proprietary");
    assert_found(facts, PURPOSE_RUN, OPEN, SEVERITY_FAIL, "needs the open kernel module");
    assert_top(facts, OPEN, "nvidia-driver-570-open");
    facts_set_string(facts, "module", "flavour", "open", "/proc");
    assert_check(facts, PURPOSE_RUN, OPEN, CHECK_PASS, NULL);
    facts_free(facts);

    facts = untaken(RTX_3090, "570.144", "proprietary");
    assert_check(facts, PURPOSE_RUN, OPEN, CHECK_PASS, NULL);
    log_says(facts, "open_required", "requires use of the NVIDIA open kernel modules");
    assert_found(facts, PURPOSE_RUN, OPEN, SEVERITY_FAIL, "needs the open kernel module");
    facts_free(facts);
}

/* The shortage that follows is a consequence. */
static void test_the_count_follows(void **state)
{
    (void)state;
    struct facts *facts = untaken(RTX_5090, "570.144", "proprietary");
    facts_set_integer(facts, "nvml", "count", 0, "nvmlDeviceGetCount");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_non_null(found(judgement, "gpu_count_short_vs_pci"));
    assert_string_equal(found(judgement, "gpu_count_short_vs_pci")->caused_by, "MOD-008");
    assert_int_equal(judgement->fail, 1);
    judgement_free(judgement);
    facts_free(facts);
}

static void test_pass_skip_unknown(void **state)
{
    static const char *const causes[] = {DROPPED, CLOSED, OPEN};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct facts *facts = world_with_driver("595.71.05"); /* the GPU is taken: whatever it is */
        world_gpu(facts, "0000:01:00.0", GTX_1080, "nvidia");
        assert_check(facts, PURPOSE_RUN, causes[i], CHECK_PASS, NULL);
        world_gpu(facts, "0000:01:00.0", GTX_1080, "nouveau");
        assert_check(facts, PURPOSE_RUN, causes[i], CHECK_PASS, NULL);
        facts_set_unknown(facts, "module", "nvidia", "permission denied", "/proc/modules");
        assert_check(facts, PURPOSE_RUN, causes[i], CHECK_UNKNOWN, "permission denied");
        facts_free(facts);
        facts = untaken(GTX_1080, "595.71.05", "open");
        world_container(facts, "docker");
        assert_check(facts, PURPOSE_CONTAINER, causes[i], CHECK_SKIP, "the host's");
        facts_free(facts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dropped_by_id),
        cmocka_unit_test(test_dropped_by_the_log),
        cmocka_unit_test(test_dropped_and_not_loaded),
        cmocka_unit_test(test_another_gpu_that_works_makes_it_a_warning),
        cmocka_unit_test(test_open_module_on_an_old_gpu),
        cmocka_unit_test(test_open_module_by_the_log),
        cmocka_unit_test(test_the_source_that_is_in_use),
        cmocka_unit_test(test_open_module_that_wants_to_be_told),
        cmocka_unit_test(test_closed_module_on_blackwell),
        cmocka_unit_test(test_the_count_follows),
        cmocka_unit_test(test_pass_skip_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
