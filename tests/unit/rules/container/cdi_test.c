/* SPDX-License-Identifier: MIT */
#include "rules/container/engines.h"

#define CDI_HOOK_MISSING                    "cdi_hook_missing"
#define CDI_SPEC_STALE_AFTER_DRIVER_UPGRADE "cdi_spec_stale_after_driver_upgrade"
#define CDI_SPEC_MISSING_OR_INVALID         "cdi_spec_missing_or_invalid"

static void whole_and_read(void **state)
{
    (void)state;
    struct facts *facts = world_with_podman();
    assert_check(facts, PURPOSE_CONTAINER, "cdi_hook_missing", CHECK_PASS, NULL);
    assert_check(facts, PURPOSE_CONTAINER, "cdi_spec_stale_after_driver_upgrade", CHECK_PASS, NULL);
    assert_check(facts, PURPOSE_CONTAINER, "cdi_spec_missing_or_invalid", CHECK_PASS, NULL);
    assert_check(facts, PURPOSE_CONTAINER, "cdi_refresh_before_driver", CHECK_PASS, NULL);
    facts_free(facts);
    facts = world_with_docker();
    assert_check(facts, PURPOSE_CONTAINER, "cdi_hook_missing", CHECK_SKIP, "no engine here uses");
    assert_check(facts, PURPOSE_CONTAINER, "cdi_spec_stale_after_driver_upgrade", CHECK_SKIP,
                 "no engine here uses");
    assert_check(facts, PURPOSE_CONTAINER, "cdi_spec_missing_or_invalid", CHECK_SKIP, "only CDI");
    assert_check(facts, PURPOSE_CONTAINER, "cdi_refresh_before_driver", CHECK_SKIP, "only CDI");
    facts_free(facts);
    facts = world_with_podman();
    facts_set_unknown(facts, "cdi", "count", "I/O error", "/etc/cdi");
    assert_check(facts, PURPOSE_CONTAINER, "cdi_hook_missing", CHECK_UNKNOWN, "I/O error");
    assert_check(facts, PURPOSE_CONTAINER, "cdi_spec_stale_after_driver_upgrade", CHECK_UNKNOWN,
                 "I/O error");
    assert_check(facts, PURPOSE_CONTAINER, "cdi_spec_missing_or_invalid", CHECK_UNKNOWN,
                 "I/O error");
    assert_check(facts, PURPOSE_CONTAINER, "cdi_refresh_before_driver", CHECK_UNKNOWN, "I/O error");
    facts_free(facts);
}

static void a_hook_that_is_gone(void **state)
{
    (void)state;
    struct facts *facts = world_with_podman();
    world_list(facts, SPEC, "missing_hooks", "/usr/bin/nvidia-cdi-hook");
    assert_found(facts, PURPOSE_CONTAINER, CDI_HOOK_MISSING, SEVERITY_FAIL,
                 "/usr/bin/nvidia-cdi-hook");
    facts_set_string(facts, SPEC, "kind", "vendor.com/net", "/etc/cdi"); /* not NVIDIA's */
    assert_check(facts, PURPOSE_CONTAINER, CDI_HOOK_MISSING, CHECK_PASS, NULL);
    facts_free(facts);
}

static void a_hook_that_cannot_be_started(void **state)
{
    (void)state;
    struct facts *facts = world_with_podman();
    world_list(facts, SPEC, "flawed_hooks", "/usr/bin/nvidia-cdi-hook is not executable");
    assert_found(facts, PURPOSE_CONTAINER, CDI_HOOK_MISSING, SEVERITY_FAIL,
                 "cannot be started: /usr/bin/nvidia-cdi-hook is not executable");
    facts_free(facts);
}

static void files_that_are_gone(void **state)
{
    (void)state;
    struct facts *facts = world_with_podman();
    world_list(facts, SPEC, "missing_paths", "/usr/lib/libcuda.so.565.77");
    world_list(facts, SPEC, "driver_versions", "565.77");
    assert_found(facts, PURPOSE_RUN, CDI_SPEC_STALE_AFTER_DRIVER_UPGRADE, SEVERITY_FAIL,
                 "/usr/lib/libcuda.so.565.77");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_says(found(judgement, CDI_SPEC_STALE_AFTER_DRIVER_UPGRADE)->why,
                "for driver 565.77; the driver is now 570.86.15");
    assert_fix(found(judgement, CDI_SPEC_STALE_AFTER_DRIVER_UPGRADE),
               "cdi generate --output=/etc/cdi/nvidia.yaml");
    judgement_free(judgement);
    world_list(facts, SPEC, "missing_paths", "/dev/nvidia-uvm"); /* a node is made later */
    assert_check(facts, PURPOSE_RUN, CDI_SPEC_STALE_AFTER_DRIVER_UPGRADE, CHECK_PASS, NULL);
    assert_found(facts, PURPOSE_CONTAINER, CDI_SPEC_STALE_AFTER_DRIVER_UPGRADE, SEVERITY_FAIL,
                 "names /dev/nvidia-uvm"); /* and not by an engine */
    world_list(facts, SPEC, "missing_paths", "/dev/nvidia-uvm:/dev/dri/renderD129");
    assert_found(facts, PURPOSE_RUN, CDI_SPEC_STALE_AFTER_DRIVER_UPGRADE, SEVERITY_FAIL,
                 "/dev/dri/renderD129");
    facts_free(facts);
}

static void a_node_of_another_number(void **state)
{
    (void)state;
    struct facts *facts = world_with_podman();
    facts_set_string(facts, "device/nvidia-uvm", "path", "/dev/nvidia-uvm", "/dev");
    facts_set_string(facts, "device/nvidia-uvm", "number", "510:0", "/dev");
    AUTO_STRLIST struct strlist numbers = {0};
    strlist_add(&numbers, "/dev/nvidia-uvm 510:0");
    facts_set_list(facts, SPEC, "numbers", &numbers, "/etc/cdi");
    assert_check(facts, PURPOSE_RUN, CDI_SPEC_STALE_AFTER_DRIVER_UPGRADE, CHECK_PASS, NULL);
    facts_set_string(facts, "device/nvidia-uvm", "number", "509:0", "/dev");
    assert_found(facts, PURPOSE_RUN, CDI_SPEC_STALE_AFTER_DRIVER_UPGRADE, SEVERITY_FAIL,
                 "gives containers /dev/nvidia-uvm 510:0, but the host's node is 509:0");
    facts_free(facts);
}

static void a_version_that_is_too_new(void **state)
{
    static const char version[] = "cdi_spec_version_too_new";
    (void)state;
    struct facts *facts = world_with_podman();
    assert_check(facts, PURPOSE_CONTAINER, "cdi_spec_version_too_new", CHECK_SKIP,
                 "does not know the release");
    world_package(facts, "podman", "installed");
    facts_set_string(facts, "package/podman", "version", "5:4.9.3+ds1-1ubuntu0.2", "dpkg");
    assert_check(facts, PURPOSE_CONTAINER, "cdi_spec_version_too_new", CHECK_PASS, NULL);
    facts_set_string(facts, SPEC, "version", "0.7.0", "/etc/cdi");
    assert_found(facts, PURPOSE_CONTAINER, "cdi_spec_version_too_new", SEVERITY_FAIL,
                 "cdiVersion 0.7.0");
    struct judgement *judgement = world_judge(facts, PURPOSE_CONTAINER);
    assert_string_equal(found(judgement, version)->manifest, "threshold/podman-cdi-0-7-0");
    judgement_free(judgement);
    facts_set_string(facts, "package/podman", "version", "5.4.0", "dpkg");
    assert_check(facts, PURPOSE_CONTAINER, "cdi_spec_version_too_new", CHECK_PASS, NULL);
    facts_set_unknown(facts, "cdi", "count", "I/O error", "/etc/cdi");
    assert_check(facts, PURPOSE_CONTAINER, "cdi_spec_version_too_new", CHECK_UNKNOWN, "I/O error");
    facts_free(facts);
}

/* What reads a specification besides podman. */
static void others_that_use_it(void **state)
{
    (void)state;
    struct facts *facts = world_with_podman();
    world_list(facts, SPEC, "missing_hooks", "/usr/bin/nvidia-cdi-hook");
    facts_set_string(facts, TOOLKIT, "mode", "cdi", "/etc");
    assert_found(facts, PURPOSE_RUN, CDI_HOOK_MISSING, SEVERITY_FAIL, "nvidia-cdi-hook");
    facts_set_boolean(facts, DOCKER, "cdi", true, "/etc/docker/daemon.json");
    assert_found(facts, PURPOSE_RUN, CDI_HOOK_MISSING, SEVERITY_FAIL, "nvidia-cdi-hook");
    facts_free(facts);
}

static void none_that_is_read(void **state)
{
    (void)state;
    struct facts *facts = world_with_podman();
    world_list(facts, PODMAN, "cdi_dirs", "/run/cdi");
    assert_found(facts, PURPOSE_CONTAINER, CDI_SPEC_MISSING_OR_INVALID, SEVERITY_FAIL,
                 "podman does not read /etc/cdi/nvidia.yaml");
    assert_check(facts, PURPOSE_RUN, CDI_SPEC_MISSING_OR_INVALID, CHECK_SKIP, "--for container");
    world_list(facts, PODMAN, "cdi_dirs", "/etc/cdi");
    assert_check(facts, PURPOSE_CONTAINER, CDI_SPEC_MISSING_OR_INVALID, CHECK_PASS, NULL);
    world_list(facts, SPEC, "devices", "");
    assert_found(facts, PURPOSE_CONTAINER, CDI_SPEC_MISSING_OR_INVALID, SEVERITY_FAIL,
                 "not a complete CDI specification");
    world_list(facts, TOOLKIT, "oci_hooks", "/usr/share/containers/oci/hooks.d/nvidia.json");
    assert_check(facts, PURPOSE_CONTAINER, CDI_SPEC_MISSING_OR_INVALID, CHECK_SKIP,
                 "only CDI"); /* the way before it */
    facts_free(facts);

    facts = world_with_docker();
    world_engine(facts, "podman", "podman", "/etc/containers/containers.conf", "");
    facts_set_absent(facts, PODMAN, "running", "/proc");
    assert_found(facts, PURPOSE_CONTAINER, CDI_SPEC_MISSING_OR_INVALID, SEVERITY_FAIL,
                 "and podman needs one");
    facts_set_boolean(facts, "service/cdi_refresh", "enabled", true, "/etc/systemd");
    assert_found(facts, PURPOSE_CONTAINER, "cdi_refresh_before_driver", SEVERITY_FAIL,
                 "has written no CDI specification");
    struct judgement *judgement = world_judge(facts, PURPOSE_CONTAINER);
    assert_string_equal(found(judgement, CDI_SPEC_MISSING_OR_INVALID)->caused_by, "CTR-015");
    judgement_free(judgement);
    world_list(facts, TOOLKIT, "programs", ""); /* another rule names that */
    assert_check(facts, PURPOSE_CONTAINER, CDI_SPEC_MISSING_OR_INVALID, CHECK_PASS, NULL);
    facts_free(facts);
}

static void a_name_that_no_specification_has(void **state)
{
    (void)state;
    struct facts *facts = world_with_podman();
    world_list(facts, "kubernetes", "registered", "GPU-1");
    assert_check(facts, PURPOSE_CONTAINER, CDI_SPEC_MISSING_OR_INVALID, CHECK_PASS, NULL);
    world_list(facts, DOCKER, "nvidia_runtimes", "nvidia:nvidia-cdi");
    assert_found(facts, PURPOSE_CONTAINER, CDI_SPEC_MISSING_OR_INVALID, SEVERITY_FAIL,
                 "nvidia.com/gpu=GPU-1");
    world_list(facts, SPEC, "devices", "0:GPU-1:all");
    assert_check(facts, PURPOSE_CONTAINER, CDI_SPEC_MISSING_OR_INVALID, CHECK_PASS, NULL);
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_and_read),
        cmocka_unit_test(a_hook_that_is_gone),
        cmocka_unit_test(a_hook_that_cannot_be_started),
        cmocka_unit_test(files_that_are_gone),
        cmocka_unit_test(a_node_of_another_number),
        cmocka_unit_test(others_that_use_it),
        cmocka_unit_test(a_version_that_is_too_new),
        cmocka_unit_test(none_that_is_read),
        cmocka_unit_test(a_name_that_no_specification_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
