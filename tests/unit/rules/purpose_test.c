/* SPDX-License-Identifier: MIT */
#include "manifest/manifest.h"
#include "rules/engine/finding.h"
#include "rules/rules.h"
#include "rules/world.h"

static void assert_purpose(const struct facts *facts, const struct judge_options *options,
                           enum purpose purpose, const char *words)
{
    struct manifest *manifest = manifest_new();
    struct judgement *judgement = rules_judge(facts, manifest, options);
    assert_int_equal(judgement->purpose, purpose);
    assert_says(judgement->purpose_reason, words);
    assert_int_equal(judgement->gpu_request != NULL,
                     strstr(judgement->purpose_reason, "no sign of a GPU") != NULL);
    judgement_free(judgement);
    manifest_free(manifest);
}

static const struct judge_options none = {.purpose_given = false};

static void test_given_profile_wins(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    world_container(facts, "docker");
    struct judge_options options = {.purpose_given = true, .purpose = PURPOSE_RUN, .tree = true};
    assert_purpose(facts, &options, PURPOSE_RUN, "--for");
    facts_free(facts);
}

static void test_a_machine_is_judged_for_running(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    assert_purpose(facts, &none, PURPOSE_RUN, "not in a container");
    facts_free(facts);
}

static void test_a_tree_is_judged_for_building(void **state)
{
    (void)state;
    struct facts *facts = world_with_gpu();
    world_container(facts, "docker");
    struct judge_options options = {.tree = true};
    assert_purpose(facts, &options, PURPOSE_BUILD, "an image tree");
    facts_free(facts);
}

static void test_a_container_without_gpu_builds(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    world_container(facts, "podman");
    assert_purpose(facts, &none, PURPOSE_BUILD, "podman");
    facts_free(facts);
}

static void test_a_container_that_shows_a_gpu(void **state)
{
    (void)state;
    struct facts *facts = world_with_gpu();
    world_container(facts, "docker");
    assert_purpose(facts, &none, PURPOSE_CONTAINER, "GPU on the PCI bus");
    facts_free(facts);

    facts = world_bare();
    world_container(facts, "docker");
    facts_set_string(facts, "device/nvidiactl", "path", "/dev/nvidiactl", "/dev");
    facts_set_string(facts, "device/nvidiactl", "number", "195:255", "/dev");
    assert_purpose(facts, &none, PURPOSE_CONTAINER, "device node");
    facts_free(facts);

    facts = world_bare();
    world_container(facts, "docker");
    facts_set_boolean(facts, "container", "nvidia_libraries", true, "/proc/self/mountinfo");
    assert_purpose(facts, &none, PURPOSE_CONTAINER, "the driver's libraries mounted");
    facts_free(facts);

    facts = world_bare();
    world_container(facts, "docker");
    world_driver_libraries(facts, "580.95.05");
    assert_purpose(facts, &none, PURPOSE_CONTAINER, "libcuda");
    facts_free(facts);
}

/* What says that a container was meant to have one. */
static void test_a_container_that_wants_a_gpu(void **state)
{
    static const struct {
        const char *visible;
        bool wants;
    } rows[] = {{"all", true},   {"0,2", true},   {"GPU-1b2c", true}, {"nvidia.com/gpu=0", true},
                {"none", false}, {"void", false}, {"", false},        {NULL, false}};
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct facts *facts = world_bare();
        world_container(facts, "docker");
        facts_set_string(facts, "environment", "NVIDIA_VISIBLE_DEVICES", rows[i].visible, "env");
        assert_purpose(facts, &none, rows[i].wants ? PURPOSE_CONTAINER : PURPOSE_BUILD,
                       rows[i].wants ? "asks for GPUs" : "no sign of a GPU");
        facts_free(facts);
    }
    struct facts *facts = world_bare();
    world_container(facts, "docker");
    facts_set_string(facts, "framework/0", "package", "torch", "METADATA");
    facts_set_string(facts, "framework/0", "version", "2.5.1", "METADATA");
    facts_set_string(facts, "framework/0", "accelerator", "cuda", "METADATA");
    facts_set_boolean(facts, "framework/0", "active", false, "PATH");
    assert_purpose(facts, &none, PURPOSE_BUILD, "no sign of a GPU");
    facts_set_boolean(facts, "framework/0", "active", true, "PATH");
    assert_purpose(facts, &none, PURPOSE_CONTAINER, "torch 2.5.1 for CUDA is installed");
    facts_set_string(facts, "framework/0", "accelerator", "cpu", "METADATA");
    assert_purpose(facts, &none, PURPOSE_BUILD, "no sign of a GPU");
    facts_free(facts);
}

/* Whatever its base image sets, and whatever the builder's host shows. */
/* Its host's GPU is on the bus that it sees; it was told to have none. */
static void test_a_container_that_declines_a_gpu(void **state)
{
    (void)state;
    struct facts *facts = world_with_gpu();
    world_no_driver_libraries(facts);
    world_container(facts, "docker");
    facts_set_boolean(facts, "container", "nvidia_libraries", false, "/proc/self/mountinfo");
    assert_purpose(facts, &none, PURPOSE_CONTAINER, "an NVIDIA GPU on the PCI bus");
    facts_set_string(facts, "environment", "NVIDIA_VISIBLE_DEVICES", "none", "environment");
    assert_purpose(facts, &none, PURPOSE_BUILD, "is to have no GPU (NVIDIA_VISIBLE_DEVICES=none)");
    world_node(facts, "nvidia0", "195:0", true);
    assert_purpose(facts, &none, PURPOSE_CONTAINER, "an NVIDIA device node");
    facts_free(facts);
}

static void test_a_step_of_an_image_build(void **state)
{
    (void)state;
    struct facts *facts = world_with_gpu();
    world_container(facts, "other");
    facts_set_string(facts, "container", "build_step", "buildkit", "/proc/sys/kernel/hostname");
    facts_set_string(facts, "environment", "NVIDIA_VISIBLE_DEVICES", "all", "environment");
    assert_purpose(facts, &none, PURPOSE_BUILD, "a step of an image build (buildkit)");
    facts_set_absent(facts, "container", "engine", "/.dockerenv");
    assert_purpose(facts, &none, PURPOSE_BUILD, "a step of an image build (buildkit)");
    facts_free(facts);
}

/* The devel images of NVIDIA have a stub and a cuda-compat: neither is a driver. */
static void test_stub_and_compat_do_not_show_a_gpu(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    world_container(facts, "docker");
    world_library(facts, "driver", "/usr/local/cuda-13.0/lib64/stubs/libcuda.so", "libcuda.so.1",
                  NULL, "toolkit");
    world_library(facts, "driver", "/usr/local/cuda-13.0/compat/libcuda.so.580.95.05",
                  "libcuda.so.1", "580.95.05", "compat");
    facts_set_boolean(facts, "container", "nvidia_libraries", false, "/proc/self/mountinfo");
    assert_purpose(facts, &none, PURPOSE_BUILD, "no sign of a GPU");
    facts_free(facts);
}

/* A container that may have been meant to have a GPU is not judged as one without: what is skipped
 * is named by the rules that would ask for more then. */
static void test_a_container_of_which_too_little_is_known(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    world_container(facts, "docker");
    facts_set_unknown(facts, "framework", "count", "permission denied", "site-packages");
    assert_purpose(facts, &none, PURPOSE_CONTAINER,
                   "may have been meant to have a GPU (framework.count: permission denied)");
    facts_set_skipped(facts, "framework", "count", "not read here", "site-packages");
    assert_purpose(facts, &none, PURPOSE_BUILD, "no sign of a GPU");
    struct manifest *manifest = manifest_new();
    struct judgement *judgement = rules_judge(facts, manifest, &none);
    for (size_t i = 0; i < judgement->check_count; i++)
        if (string_equal(judgement->checks[i].cause, "gpu_absent_from_pci"))
            assert_says(judgement->checks[i].reason, "framework.count: not read here");
    judgement_free(judgement);
    manifest_free(manifest);
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_given_profile_wins),
        cmocka_unit_test(test_a_machine_is_judged_for_running),
        cmocka_unit_test(test_a_tree_is_judged_for_building),
        cmocka_unit_test(test_a_container_without_gpu_builds),
        cmocka_unit_test(test_a_container_that_shows_a_gpu),
        cmocka_unit_test(test_a_container_that_wants_a_gpu),
        cmocka_unit_test(test_a_container_that_declines_a_gpu),
        cmocka_unit_test(test_a_step_of_an_image_build),
        cmocka_unit_test(test_a_container_of_which_too_little_is_known),
        cmocka_unit_test(test_stub_and_compat_do_not_show_a_gpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
