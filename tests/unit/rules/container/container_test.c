/* SPDX-License-Identifier: MIT */
#include "rules/container/gpu_request.h"
#include "rules/world.h"

#define CAUSE "container_no_gpu_requested"

/* A container of that engine on a machine with a GPU and a driver, without any of it inside. */
static struct facts *without_gpu(const char *engine)
{
    struct facts *facts = world_bare();
    world_gpu(facts, "0000:01:00.0", "2204", "nvidia");
    facts_set_integer(facts, "pci", "count", 1, "/sys/bus/pci/devices");
    facts_set_boolean(facts, "module", "nvidia", true, "/proc/modules");
    facts_set_integer(facts, "device", "count", 0, "/dev");
    facts_set_boolean(facts, "container", "nvidia_libraries", false, "/proc/self/mountinfo");
    world_container(facts, engine);
    return facts;
}

static void found_without_node_and_library(void **state)
{
    static const struct {
        const char *engine, *fix;
    } rows[] = {
        {"docker", "docker run --gpus all"},
        {"podman", "podman run --device nvidia.com/gpu=all"},
        {"kubernetes", "{limits: {nvidia.com/gpu: 1}}"},
        {"lxc", "lxc config device add"},
        {"systemd-nspawn", "--bind=/dev/nvidia0"},
        {"other", "apptainer and singularity --nv"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct facts *facts = without_gpu(rows[i].engine);
        assert_found(facts, PURPOSE_CONTAINER, CAUSE, SEVERITY_FAIL,
                     "this container was started without its GPU");
        assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_FAIL, "without its GPU");
        struct judgement *judgement = world_judge(facts, PURPOSE_CONTAINER);
        assert_string_equal(judgement->findings[0]->cause, CAUSE);
        assert_fix(found(judgement, CAUSE), rows[i].fix);
        judgement_free(judgement);
        facts_free(facts);
    }
    struct facts *facts = without_gpu("docker");
    struct judgement *judgement = world_judge(facts, PURPOSE_CONTAINER);
    assert_fix(found(judgement, CAUSE), "capabilities: [gpu]");
    judgement_free(judgement);
    facts_free(facts);
}

static void the_variable_alone_gives_nothing(void **state)
{
    (void)state;
    struct facts *facts = without_gpu("docker");
    facts_set_string(facts, "environment", "NVIDIA_VISIBLE_DEVICES", "all", "environment");
    struct judgement *judgement = world_judge(facts, PURPOSE_CONTAINER);
    assert_says(found(judgement, CAUSE)->why, "NVIDIA_VISIBLE_DEVICES=all alone changes nothing");
    judgement_free(judgement);
    facts_free(facts);
}

static void nodes_without_libraries(void **state)
{
    (void)state;
    struct facts *facts = without_gpu("docker");
    world_node(facts, "nvidia0", "195:0", true);
    facts_set_integer(facts, "device", "count", 1, "/dev");
    struct judgement *judgement = world_judge(facts, PURPOSE_CONTAINER);
    assert_says(found(judgement, CAUSE)->why, "--privileged and --device pass only device nodes");
    judgement_free(judgement);

    world_driver_libraries(facts, "570.86.15"); /* LXC, with the driver installed inside */
    assert_check(facts, PURPOSE_CONTAINER, CAUSE, CHECK_PASS, NULL);
    facts_free(facts);
}

/* What follows is told under it. */
static void a_host_without_a_gpu(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    facts_set_integer(facts, "device", "count", 0, "/dev");
    facts_set_boolean(facts, "container", "nvidia_libraries", false, "/proc/self/mountinfo");
    world_container(facts, "docker");
    struct judgement *judgement = world_judge(facts, PURPOSE_CONTAINER);
    assert_string_equal(judgement->findings[0]->cause, CAUSE);
    assert_fix(found(judgement, CAUSE), "check that the host has an NVIDIA GPU");
    assert_string_equal(found(judgement, "gpu_absent_from_pci")->caused_by, "CTR-001");
    assert_int_equal(judgement->fail, 1);
    judgement_free(judgement);

    facts_set_string(facts, "container", "sandbox", "gvisor", "/proc/sentry-meminfo");
    judgement = world_judge(facts, PURPOSE_CONTAINER); /* hides the bus */
    const struct finding *finding = found(judgement, CAUSE);
    for (size_t i = 0; i < finding->fix_count; i++)
        assert_null(strstr(finding->fixes[i].note, "PCI bus"));
    judgement_free(judgement);
    facts_free(facts);
}

static void passes_with_mounted_libraries(void **state)
{
    (void)state;
    struct facts *facts = without_gpu("podman");
    facts_set_boolean(facts, "container", "nvidia_libraries", true, "/proc/self/mountinfo");
    assert_check(facts, PURPOSE_CONTAINER, CAUSE, CHECK_PASS, NULL);
    facts_free(facts);
}

/* Docker Desktop in WSL: the driver came in by a directory, and /dev/dxg is not recorded. */
static void passes_where_the_driver_lists_a_gpu(void **state)
{
    (void)state;
    struct facts *facts = without_gpu("docker");
    facts_set_string(facts, "nvml/0", "name", "NVIDIA GeForce RTX 4090", "nvml");
    assert_check(facts, PURPOSE_CONTAINER, CAUSE, CHECK_PASS, NULL);
    facts_free(facts);
}

static void skipped_where_it_does_not_apply(void **state)
{
    (void)state;
    struct facts *facts = without_gpu("docker");
    assert_check(facts, PURPOSE_BUILD, CAUSE, CHECK_SKIP, "not needed to build");
    facts_set_boolean(facts, "module", "nvidia", false, "/proc/modules");
    assert_check(facts, PURPOSE_CONTAINER, CAUSE, CHECK_SKIP, "not loaded on the host");
    facts_set_string(facts, "assumed/0", "capability", "9.0", "--assume-gpu");
    assert_check(facts, PURPOSE_CONTAINER, CAUSE, CHECK_SKIP, "assumed");
    facts_free(facts);

    facts = world_with_gpu();
    facts_set_absent(facts, "container", "engine", "/.dockerenv");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_SKIP, "not in a container");
    facts_free(facts);

    facts = without_gpu("docker");
    facts_set_string(facts, "machine", "jetson_release", "36.4.3", "/etc/nv_tegra_release");
    assert_check(facts, PURPOSE_CONTAINER, CAUSE, CHECK_SKIP, "Jetson");
    facts_free(facts);
}

static void unknown_where_the_driver_did_not_answer(void **state)
{
    (void)state;
    struct facts *facts = without_gpu("docker");
    world_no_answer(facts, "libcuda.so.1", "killed by signal 11");
    assert_check(facts, PURPOSE_CONTAINER, CAUSE, CHECK_UNKNOWN,
                 "libcuda.so.1: killed by signal 11");
    facts_free(facts);

    facts = without_gpu("docker");
    world_answer(facts, "libnvidia-ml.so.1", 0, NULL, "13.0");
    facts_set_unknown(facts, "nvml", "count", "no answer", "libnvidia-ml.so.1");
    assert_check(facts, PURPOSE_CONTAINER, CAUSE, CHECK_UNKNOWN, "no answer");
    facts_set_integer(facts, "nvml", "count", 0, "libnvidia-ml.so.1");
    assert_found(facts, PURPOSE_CONTAINER, CAUSE, SEVERITY_FAIL, "without its GPU");
    facts_free(facts);
}

static void unknown_without_the_mounts(void **state)
{
    (void)state;
    struct facts *facts = without_gpu("docker");
    facts_set_unknown(facts, "container", "nvidia_libraries", "Permission denied",
                      "/proc/self/mountinfo");
    assert_check(facts, PURPOSE_CONTAINER, CAUSE, CHECK_UNKNOWN, "Permission denied");
    facts_free(facts);

    facts = without_gpu("docker");
    facts_set_unknown(facts, "device", "count", "/dev: Permission denied", "/dev");
    assert_check(facts, PURPOSE_CONTAINER, CAUSE, CHECK_UNKNOWN, "/dev");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(found_without_node_and_library),
        cmocka_unit_test(the_variable_alone_gives_nothing),
        cmocka_unit_test(nodes_without_libraries),
        cmocka_unit_test(a_host_without_a_gpu),
        cmocka_unit_test(passes_with_mounted_libraries),
        cmocka_unit_test(passes_where_the_driver_lists_a_gpu),
        cmocka_unit_test(skipped_where_it_does_not_apply),
        cmocka_unit_test(unknown_where_the_driver_did_not_answer),
        cmocka_unit_test(unknown_without_the_mounts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
