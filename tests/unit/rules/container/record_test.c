/* SPDX-License-Identifier: MIT */
#include "rules/container/engines.h"

#define CONTAINER_REQUIRES_NEWER_DRIVER "container_requires_newer_driver"
#define TOOLKIT_MODE_REFUSES_GPUS_FLAG  "toolkit_mode_refuses_gpus_flag"
#define TOOLKIT_IMEX_OF_LEGACY_IMAGE    "toolkit_imex_of_legacy_image"
#define DOCKER_RUNTIME_NOT_REGISTERED   "docker_runtime_not_registered"

static const char *const causes[] = {
    "container_requires_newer_driver", "toolkit_mode_refuses_gpus_flag",
    "toolkit_imex_of_legacy_image", "docker_runtime_not_registered", "docker_cdi_disabled"};
#define COUNT (sizeof(causes) / sizeof(causes[0]))

static void what_they_have_in_common(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        struct facts *facts = world_with_docker();
        assert_check(facts, PURPOSE_RUN, causes[i], CHECK_SKIP, "Docker has no containers here");
        world_record(facts, NULL);
        assert_check(facts, PURPOSE_RUN, causes[i], CHECK_PASS, NULL);
        facts_set_unknown(facts, "docker_container", "count", "I/O error", "/var/lib/docker");
        assert_check(facts, PURPOSE_RUN, causes[i], CHECK_UNKNOWN, "I/O error");
        facts_set_skipped(facts, "docker_container", "count", "only root can read it",
                          "/var/lib/docker");
        assert_check(facts, PURPOSE_RUN, causes[i], CHECK_SKIP, "only root can read it");
        facts_free(facts);
    }
}

static void an_unsatisfied_condition(void **state)
{
    (void)state;
    struct facts *facts = world_with_docker();
    world_record(facts, "requirement error: unsatisfied condition: cuda>=12.8, please update");
    world_answer(facts, "libcuda.so.1", 0, "CUDA_SUCCESS", "12.8"); /* upgraded since */
    assert_check(facts, PURPOSE_RUN, CONTAINER_REQUIRES_NEWER_DRIVER, CHECK_PASS, NULL);
    world_answer(facts, "libcuda.so.1", 0, "CUDA_SUCCESS", "12.4");
    assert_found(facts, PURPOSE_RUN, CONTAINER_REQUIRES_NEWER_DRIVER, SEVERITY_FAIL,
                 "requires a driver for CUDA 12.8");
    facts_set_boolean(facts, RECORD, "running", true, "/var/lib/docker"); /* started since */
    assert_check(facts, PURPOSE_RUN, CONTAINER_REQUIRES_NEWER_DRIVER, CHECK_PASS, NULL);
    facts_set_boolean(facts, RECORD, "running", false, "/var/lib/docker");
    facts_set_string(facts, RECORD, "error", "unsatisfied condition: cuda>=x", "/var/lib/docker");
    assert_check(facts, PURPOSE_RUN, CONTAINER_REQUIRES_NEWER_DRIVER, CHECK_PASS, NULL);
    facts_free(facts);
}

static void a_mode_that_refuses(void **state)
{
    (void)state;
    struct facts *facts = world_with_docker();
    world_record(facts, "invoking the NVIDIA Container Runtime Hook directly (e.g. specifying the "
                        "docker --gpus flag) is not supported");
    assert_check(facts, PURPOSE_RUN, TOOLKIT_MODE_REFUSES_GPUS_FLAG, CHECK_SKIP,
                 "was changed after");
    facts_set_string(facts, TOOLKIT, "mode", "cdi", "/etc");
    assert_found(facts, PURPOSE_RUN, TOOLKIT_MODE_REFUSES_GPUS_FLAG, SEVERITY_FAIL,
                 "refuses in mode cdi");
    facts_set_string(facts, TOOLKIT, "mode", "auto", "/etc");
    facts_set_string(facts, "machine", "jetson_release", "36.4.3", "/etc/nv_tegra_release");
    assert_found(facts, PURPOSE_RUN, TOOLKIT_MODE_REFUSES_GPUS_FLAG, SEVERITY_FAIL,
                 "refuses in mode csv");
    facts_free(facts);
}

/* What compose made is changed in its file. */
static void a_container_of_compose(void **state)
{
    (void)state;
    struct facts *facts = world_with_docker();
    world_record(facts, "invoking the NVIDIA Container Runtime Hook directly is not supported");
    facts_set_string(facts, TOOLKIT, "mode", "cdi", "/etc/nvidia-container-runtime/config.toml");
    facts_set_string(facts, RECORD, "compose_file", "/srv/app/compose.yaml", "/var/lib/docker");
    facts_set_string(facts, RECORD, "compose_service", "web", "/var/lib/docker");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    const struct finding *finding = found(judgement, TOOLKIT_MODE_REFUSES_GPUS_FLAG);
    assert_fix(finding, "the service web of the compose file /srv/app/compose.yaml");
    assert_false(fix_says(finding, "start the container with"));
    judgement_free(judgement);
    facts_free(facts);
}

static void channels_of_an_old_image(void **state)
{
    (void)state;
    struct facts *facts = world_with_docker();
    world_record(facts, "error parsing IMEX info: unsupported IMEX channel value: all");
    assert_found(facts, PURPOSE_RUN, TOOLKIT_IMEX_OF_LEGACY_IMAGE, SEVERITY_FAIL, "IMEX channels");
    facts_free(facts);
}

static void a_runtime_of_no_name(void **state)
{
    (void)state;
    struct facts *facts = world_with_docker();
    world_record(facts, "unknown or invalid runtime name: nvidia");
    assert_check(facts, PURPOSE_RUN, DOCKER_RUNTIME_NOT_REGISTERED, CHECK_PASS,
                 NULL); /* registered since */
    world_list(facts, DOCKER, "runtimes", "");
    assert_found(facts, PURPOSE_RUN, DOCKER_RUNTIME_NOT_REGISTERED, SEVERITY_FAIL,
                 "asks for the runtime nvidia");
    facts_set_string(facts, RECORD, "runtime", "kata", "/var/lib/docker"); /* another's */
    assert_check(facts, PURPOSE_RUN, DOCKER_RUNTIME_NOT_REGISTERED, CHECK_PASS, NULL);
    facts_free(facts);
}

static void cdi_that_is_off(void **state)
{
    static const char cause[] = "docker_cdi_disabled";
    (void)state;
    struct facts *facts = world_with_docker();
    world_record(facts, "could not select device driver \"cdi\" with capabilities: []");
    assert_found(facts, PURPOSE_RUN, cause, SEVERITY_FAIL, "CDI is not enabled in Docker");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, cause), "--cdi.enabled");
    judgement_free(judgement);
    facts_set_boolean(facts, DOCKER, "cdi", true, "/etc/docker/daemon.json");
    assert_check(facts, PURPOSE_RUN, cause, CHECK_SKIP, "was enabled after");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_they_have_in_common), cmocka_unit_test(an_unsatisfied_condition),
        cmocka_unit_test(a_mode_that_refuses),      cmocka_unit_test(channels_of_an_old_image),
        cmocka_unit_test(a_runtime_of_no_name),     cmocka_unit_test(cdi_that_is_off),
        cmocka_unit_test(a_container_of_compose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
