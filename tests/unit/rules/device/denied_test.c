/* SPDX-License-Identifier: MIT */
#include "rules/engine/finding.h"
#include "rules/world.h"

#define SELINUX "selinux_denies_device"
#define CGROUP  "cgroup_device_denied"
#define RELOAD  "cgroup_lost_after_daemon_reload"
#define MODE    "device_nodes_permission"

static void refuse(struct facts *facts, const char *name, const char *error)
{
    AUTO_FREE char *group = facts_group_name("device", name);
    facts_set_boolean(facts, group, "usable", false, "open(2)");
    facts_set_string(facts, group, "error", error, "open(2)");
}

/* A container whose three nodes have mode 0666 and end with that error. */
static struct facts *container(const char *error)
{
    struct facts *facts = world_with_driver("580.95.05");
    world_container(facts, "docker");
    facts_set_absent(facts, "security", "selinux", "/sys/fs/selinux/enforce");
    facts_set_absent(facts, "security", "label", "/proc/self/attr/current");
    facts_set_integer(facts, "cgroup", "version", 2, "/proc/self/cgroup");
    facts_set_string(facts, "cgroup", "path", "/", "/proc/self/cgroup");
    facts_set_unknown(facts, "cgroup", "device_rules", "a BPF program", "/proc/self/cgroup");
    facts_set_unknown(facts, "cgroup", "allows_gpu", "a BPF program", "/proc/self/cgroup");
    refuse(facts, "nvidiactl", error);
    refuse(facts, "nvidia-uvm", error);
    refuse(facts, "nvidia0", error);
    return facts;
}

static void world_selinux(struct facts *facts, const char *mode, const char *type)
{
    AUTO_FREE char *label = mem_printf("system_u:system_r:%s:s0:c1,c2", type);
    facts_set_string(facts, "security", "selinux", mode, "/sys/fs/selinux/enforce");
    facts_set_string(facts, "security", "label", label, "/proc/self/attr/current");
}

static void world_version_1(struct facts *facts, const char *rules, bool allows)
{
    AUTO_STRLIST struct strlist list = {0};
    strlist_split(&list, rules, ',');
    facts_set_integer(facts, "cgroup", "version", 1, "/proc/self/cgroup");
    facts_set_list(facts, "cgroup", "device_rules", &list, "devices.list");
    facts_set_boolean(facts, "cgroup", "allows_gpu", allows, "devices.list");
}

static void assert_not_found(const struct facts *facts, const char *cause)
{
    struct judgement *judgement = world_judge(facts, PURPOSE_CONTAINER);
    assert_null(found(judgement, cause));
    judgement_free(judgement);
}

static void test_selinux_denies(void **state)
{
    (void)state;
    struct facts *facts = container("EACCES");
    world_selinux(facts, "enforcing", "container_t");
    assert_found(facts, PURPOSE_CONTAINER, SELINUX, SEVERITY_FAIL,
                 "and other nodes (EACCES, mode 0666; label "
                 "system_u:system_r:container_t:s0:c1,c2)");
    assert_found(facts, PURPOSE_BUILD, SELINUX, SEVERITY_INFO, "SELinux denies");
    assert_check(facts, PURPOSE_CONTAINER, MODE, CHECK_SKIP, "the nodes' mode does not deny");
    assert_not_found(facts, CGROUP);
    world_answer(facts, "libnvidia-ml.so.1", 4, NULL, NULL);
    struct judgement *judgement = world_judge(facts, PURPOSE_CONTAINER);
    assert_fix(found(judgement, SELINUX), "label=disable");
    assert_fix(found(judgement, SELINUX), "container_use_devices");
    assert_string_equal(found(judgement, "nvml_init_failed")->caused_by, "DRV-028");
    judgement_free(judgement);
    world_container(facts, "kubernetes");
    judgement = world_judge(facts, PURPOSE_CONTAINER);
    assert_fix(found(judgement, SELINUX), "seLinuxOptions");
    judgement_free(judgement);
    facts_free(facts);
}

/* Its mode is hidden in containers; that it is on is proved by the label. */
static void test_selinux_mode_is_hidden(void **state)
{
    (void)state;
    struct facts *facts = container("EACCES");
    world_selinux(facts, "enforcing", "container_t");
    facts_set_skipped(facts, "security", "selinux", "hidden here", "/sys/fs/selinux");
    struct judgement *judgement = world_judge(facts, PURPOSE_CONTAINER);
    assert_says(found(judgement, SELINUX)->why, "whether it is enforcing is not visible here");
    judgement_free(judgement);
    facts_set_unknown(facts, "security", "label", "refused", "/proc/self/attr/current");
    assert_check(facts, PURPOSE_CONTAINER, SELINUX, CHECK_UNKNOWN, "refused");
    facts_free(facts);
}

static void test_selinux_is_not_it(void **state)
{
    (void)state;
    struct facts *facts = container("EACCES");
    assert_check(facts, PURPOSE_CONTAINER, SELINUX, CHECK_SKIP, "SELinux is off");
    assert_found(facts, PURPOSE_CONTAINER, MODE, SEVERITY_FAIL, "may not use");
    world_selinux(facts, "permissive", "container_t");
    assert_check(facts, PURPOSE_CONTAINER, SELINUX, CHECK_SKIP, "not enforcing");
    world_selinux(facts, "enforcing", "unconfined_t");
    assert_check(facts, PURPOSE_CONTAINER, SELINUX, CHECK_SKIP, "not a container's");
    world_selinux(facts, "enforcing", "container_t");
    facts_set_string(facts, "device/nvidiactl", "mode", "0660", "/dev/nvidiactl");
    facts_set_string(facts, "device/nvidia-uvm", "mode", "0600", "/dev/nvidia-uvm");
    facts_set_string(facts, "device/nvidia0", "mode", "0660", "/dev/nvidia0");
    assert_not_found(facts, SELINUX);
    assert_found(facts, PURPOSE_CONTAINER, MODE, SEVERITY_FAIL, "mode 0660");
    facts_free(facts);
}

static void test_cgroup_version_2(void **state)
{
    (void)state;
    struct facts *facts = container("EPERM");
    assert_found(facts, PURPOSE_CONTAINER, CGROUP, SEVERITY_FAIL, "daemon-reload");
    assert_check(facts, PURPOSE_CONTAINER, RELOAD, CHECK_SKIP, "nothing shows");
    assert_check(facts, PURPOSE_CONTAINER, MODE, CHECK_SKIP, "not the nodes' mode");
    facts_set_string(facts, "cgroup", "path", "/system.slice/docker-1f.scope", "/proc/self/cgroup");
    assert_found(facts, PURPOSE_CONTAINER, RELOAD, SEVERITY_FAIL, "/system.slice/docker-1f.scope");
    assert_found(facts, PURPOSE_BUILD, RELOAD, SEVERITY_INFO, "EPERM");
    assert_check(facts, PURPOSE_CONTAINER, CGROUP, CHECK_SKIP, "reload");
    world_answer(facts, "libcuda.so.1", 999, "CUDA_ERROR_UNKNOWN", "13.0");
    struct judgement *judgement = world_judge(facts, PURPOSE_CONTAINER);
    assert_string_equal(found(judgement, "cuda_init_failed")->caused_by, "DRV-030");
    assert_fix(found(judgement, RELOAD), "create-dev-char-symlinks");
    judgement_free(judgement);
    facts_free(facts);
}

/* A login's scope is systemd's too, and has no rules that a reload could take away. */
static void test_lxc(void **state)
{
    (void)state;
    struct facts *facts = container("EPERM");
    facts_set_string(facts, "container", "engine", "lxc", "/run/systemd/container");
    facts_set_string(facts, "device/nvidiactl", "number", "195:255", "stat(2)");
    struct judgement *judgement = world_judge(facts, PURPOSE_CONTAINER);
    assert_fix(found(judgement, CGROUP), "lxc.cgroup2.devices.allow: c 195:* rwm");
    judgement_free(judgement);
    facts_free(facts);
}

static void test_a_login_is_no_container(void **state)
{
    (void)state;
    struct facts *facts = container("EPERM");
    facts_set_absent(facts, "container", "engine", "/.dockerenv");
    facts_set_string(facts, "cgroup", "path", "/user.slice/user-1000.slice/session-1.scope", "cg");
    assert_not_found(facts, RELOAD);
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, CGROUP), "--gres=gpu:1");
    judgement_free(judgement);
    facts_free(facts);
}

static void test_cgroup_version_1(void **state)
{
    (void)state;
    struct facts *facts = container("EPERM");
    world_version_1(facts, "c *:* m,c 1:3 rwm", false);
    assert_found(facts, PURPOSE_CONTAINER, CGROUP, SEVERITY_FAIL,
                 "none of the rules allows access to major number 195");
    assert_not_found(facts, RELOAD);
    world_version_1(facts, "c 195:* m,c 1:3 rwm", false);
    assert_found(facts, PURPOSE_CONTAINER, RELOAD, SEVERITY_FAIL, "only \"c 195:* m\" is left");
    assert_not_found(facts, CGROUP);
    world_version_1(facts, "c 195:* rw,c 1:3 rwm", true);
    assert_found(facts, PURPOSE_CONTAINER, CGROUP, SEVERITY_FAIL,
                 "not to everything that CUDA needs");
    assert_not_found(facts, RELOAD);
    facts_free(facts);
}

/* A job or container that was given one of two GPUs. */
static void test_one_of_two_gpus_is_given(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    world_node(facts, "nvidia1", "195:1", true);
    refuse(facts, "nvidia1", "EPERM");
    assert_check(facts, PURPOSE_RUN, CGROUP, CHECK_SKIP, "1 of 2 GPUs are usable here");
    refuse(facts, "nvidia0", "EPERM");
    assert_found(facts, PURPOSE_RUN, CGROUP, SEVERITY_FAIL, "EPERM");
    facts_free(facts);
}

static void test_nodes_that_open_and_that_were_not_tried(void **state)
{
    static const char *const causes[] = {SELINUX, RELOAD, CGROUP};
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    struct facts *bare = world_bare();
    for (size_t i = 0; i < 3; i++) {
        assert_check(facts, PURPOSE_RUN, causes[i], CHECK_PASS, NULL);
        assert_check(bare, PURPOSE_RUN, causes[i], CHECK_SKIP, "no device node exists");
    }
    facts_set_unknown(facts, "device/nvidiactl", "usable", "not tried", "open(2)");
    for (size_t i = 0; i < 3; i++)
        assert_check(facts, PURPOSE_RUN, causes[i], CHECK_UNKNOWN, "not tried");
    facts_free(facts);
    facts_free(bare);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_selinux_denies),
        cmocka_unit_test(test_selinux_mode_is_hidden),
        cmocka_unit_test(test_selinux_is_not_it),
        cmocka_unit_test(test_cgroup_version_2),
        cmocka_unit_test(test_lxc),
        cmocka_unit_test(test_a_login_is_no_container),
        cmocka_unit_test(test_cgroup_version_1),
        cmocka_unit_test(test_one_of_two_gpus_is_given),
        cmocka_unit_test(test_nodes_that_open_and_that_were_not_tried),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
