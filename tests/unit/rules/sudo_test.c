/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <string.h>

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/sudo.h"

/* user -1: nobody recorded who ran it; sudo_path NULL: there is none. */
static struct facts *machine(int64_t user, const char *engine, const char *sudo_path)
{
    struct facts *facts = facts_new();
    if (user >= 0)
        facts_set_integer(facts, "limits", "user_id", user, "getuid(2)");
    facts_set_string(facts, "container", "engine", engine, "/.dockerenv");
    facts_set_string(facts, "os", "sudo", sudo_path, "/usr/bin/sudo");
    return facts;
}

static void used(struct facts *facts, bool expected)
{
    assert_int_equal(sudo_is_used(facts), expected);
    facts_free(facts);
}

static void test_used(void **state)
{
    (void)state;
    used(machine(1000, NULL, "/usr/bin/sudo"), true);
    used(machine(1000, NULL, NULL), true); /* a described tree rarely has programs */
    used(machine(0, NULL, "/usr/bin/sudo"), false);
    used(machine(0, "docker", NULL), false);
    used(machine(1000, "docker", NULL), false);
    used(machine(1000, "docker", "/usr/bin/sudo"), true);
    used(machine(-1, "docker", NULL), true);
    used(facts_new(), true);

    struct facts *by_sudo = machine(0, NULL, "/usr/bin/sudo");
    facts_set_string(by_sudo, "environment", "SUDO_UID", "1000", "environment");
    used(by_sudo, true);

    struct facts *image = machine(-1, NULL, NULL);
    facts_set_skipped(image, "limits", "user_id", "a tree has no user", "--root");
    used(image, false);
    struct facts *disk = machine(-1, NULL, "/usr/bin/sudo");
    facts_set_skipped(disk, "limits", "user_id", "a tree has no user", "--root");
    used(disk, true);
}

static struct judgement *with_fixes(void)
{
    struct judgement *judgement = mem_alloc(sizeof(*judgement));
    struct finding *finding = judgement_add(judgement);
    finding_why(finding, "the driver's state decides: sudo dkms status");
    finding_fix_run(finding, NULL, (const char *const[]){"modprobe", "a sudo b", NULL});
    finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT, "find it, then run: sudo ldconfig");
    finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                     "on the host, not in this container: sudo modprobe x");
    finding_fix_command(finding, FIX_SHELL, NULL, "export X=1");
    return judgement;
}

static void test_settled(void **state)
{
    struct facts *facts = machine(0, "docker", NULL);
    struct judgement *judgement = with_fixes();
    (void)state;
    sudo_settle(facts, judgement);
    const struct finding *finding = judgement->findings[0];
    assert_string_equal(finding->why, "the driver's state decides: dkms status");
    assert_string_equal(finding->fixes[0].command, "modprobe 'a sudo b'");
    assert_null(finding->fixes[0].note);
    assert_string_equal(finding->fixes[1].note, "find it, then run: ldconfig");
    assert_non_null(strstr(finding->fixes[2].note, ": sudo modprobe x"));
    judgement_free(judgement);
    facts_free(facts);
}

static void test_for_another_user(void **state)
{
    struct facts *facts = machine(1000, "docker", NULL);
    struct judgement *judgement = with_fixes();
    (void)state;
    sudo_settle(facts, judgement);
    const struct finding *finding = judgement->findings[0];
    assert_string_equal(finding->fixes[0].command, "modprobe 'a sudo b'");
    assert_string_equal(finding->fixes[0].note, "as root");
    assert_string_equal(finding->fixes[3].command, "export X=1");
    assert_null(finding->fixes[3].note);
    judgement_free(judgement);
    facts_free(facts);
}

static void test_left_alone(void **state)
{
    struct facts *facts = machine(1000, NULL, NULL);
    struct judgement *judgement = with_fixes();
    (void)state;
    sudo_settle(facts, judgement);
    assert_string_equal(judgement->findings[0]->fixes[0].command, "sudo modprobe 'a sudo b'");
    judgement_free(judgement);
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_used),
        cmocka_unit_test(test_settled),
        cmocka_unit_test(test_for_another_user),
        cmocka_unit_test(test_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
