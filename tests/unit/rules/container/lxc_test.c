/* SPDX-License-Identifier: MIT */
#include "rules/container/engines.h"

#define MISFIT "lxc_guest_config_misfit"
#define GUEST  "lxc_guest/101"
#define CONFIG "/etc/pve/lxc/101.conf"

/* numbers: of devices that it may open. */
static void allow(struct facts *facts, const char *first, const char *second)
{
    AUTO_STRLIST struct strlist allowed = {0};
    strlist_add(&allowed, first);
    strlist_add(&allowed, second);
    facts_set_list(facts, GUEST, "allowed", &allowed, CONFIG);
}

static void node(struct facts *facts, const char *name, const char *number)
{
    AUTO_FREE char *group = facts_group_name("device", name);
    AUTO_FREE char *path = mem_printf("/dev/%s", name);
    facts_set_string(facts, group, "path", path, "/dev");
    facts_set_string(facts, group, "number", number, "/dev");
}

static struct facts *world_with_guest(void)
{
    struct facts *facts = world_with_driver("570.86.15");
    node(facts, "nvidia0", "195:0");
    node(facts, "nvidiactl", "195:255");
    node(facts, "nvidia-uvm", "509:0");
    facts_set_integer(facts, "device", "count", 1, "/dev");
    facts_set_string(facts, GUEST, "rules", "lxc.cgroup2.devices.", CONFIG);
    facts_set_integer(facts, "lxc_guest", "count", 1, "/etc/pve/lxc");
    facts_set_string(facts, GUEST, "config", CONFIG, CONFIG);
    world_list(facts, GUEST, "nodes", "/dev/nvidia0:/dev/nvidiactl:/dev/nvidia-uvm");
    world_list(facts, GUEST, "optional", "");
    facts_set_boolean(facts, GUEST, "restricted", true, CONFIG);
    allow(facts, "195:*", "509:0");
    return facts;
}

static void what_fits(void **state)
{
    (void)state;
    struct facts *facts = world_with_guest();
    assert_check(facts, PURPOSE_RUN, "lxc_guest_config_misfit", CHECK_PASS, NULL);
    assert_check(facts, PURPOSE_BUILD, "lxc_guest_config_misfit", CHECK_SKIP, "build");
    allow(facts, "*:*", "1:3");
    assert_check(facts, PURPOSE_RUN, MISFIT, CHECK_PASS, NULL);
    allow(facts, "1:3", "5:0");
    facts_set_boolean(facts, GUEST, "restricted", false, CONFIG);
    assert_check(facts, PURPOSE_RUN, MISFIT, CHECK_PASS, NULL);
    facts_set_unknown(facts, "lxc_guest", "count", "I/O error", "/etc/pve/lxc");
    assert_check(facts, PURPOSE_RUN, "lxc_guest_config_misfit", CHECK_UNKNOWN, "I/O error");
    facts_set_absent(facts, "lxc_guest", "count", "/var/lib/lxc");
    assert_check(facts, PURPOSE_RUN, MISFIT, CHECK_SKIP, "no guest of LXC");
    facts_free(facts);
}

static void a_number_that_is_not_allowed(void **state)
{
    (void)state;
    struct facts *facts = world_with_guest();
    allow(facts, "195:*", "506:*");
    assert_found(facts, PURPOSE_RUN, "lxc_guest_config_misfit", SEVERITY_FAIL, "/dev/nvidia-uvm");
    assert_found_fix(facts, PURPOSE_RUN, MISFIT, "lxc.cgroup2.devices.allow: c 509:* rwm");
    allow(facts, "195:0", "509:*"); /* not nvidiactl, 195:255 */
    assert_found(facts, PURPOSE_RUN, MISFIT, SEVERITY_FAIL, "/dev/nvidiactl");
    facts_free(facts);
}

static void a_node_that_is_missing(void **state)
{
    (void)state;
    struct facts *facts = world_with_guest();
    world_list(facts, GUEST, "nodes", "/dev/nvidia0:/dev/nvidia-modeset");
    assert_found(facts, PURPOSE_RUN, MISFIT, SEVERITY_FAIL, "/dev/nvidia-modeset");
    world_list(facts, GUEST, "optional", "/dev/nvidia-modeset");
    assert_check(facts, PURPOSE_RUN, MISFIT, CHECK_PASS, NULL);
    world_list(facts, GUEST, "nodes", "/dev/nvidia1");
    world_list(facts, GUEST, "optional", "/dev/nvidia1");
    assert_found(facts, PURPOSE_RUN, MISFIT, SEVERITY_FAIL, "/dev/nvidia1");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_says(found(judgement, MISFIT)->why, "the mount is optional");
    judgement_free(judgement);
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fits),
        cmocka_unit_test(a_number_that_is_not_allowed),
        cmocka_unit_test(a_node_that_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
