/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <string.h>

#include "rules/engine/context.h"
#include "rules/engine/finding.h"

static struct judgement *one_finding(struct finding **ret_finding)
{
    struct judgement *judgement = mem_alloc(sizeof(*judgement));
    *ret_finding = judgement_add(judgement);
    return judgement;
}

static void test_kinds(void **state)
{
    struct finding *finding;
    struct judgement *judgement = one_finding(&finding);
    (void)state;
    finding_fix_command(finding, FIX_STEP | NEEDS_ROOT, NULL, "sudo x");
    finding_fix_command(finding, FIX_SHELL, NULL, "export X=1");
    finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT, "do it");
    finding_fix_command(finding, FIX_LOOK | NEEDS_ROOT, NULL, "sudo look");
    assert_int_equal(finding->fixes[0].kind, FIX_STEP);
    assert_int_equal(finding->fixes[1].kind, FIX_SHELL);
    assert_int_equal(finding->fixes[2].kind, FIX_ADVICE);
    assert_int_equal(finding->fixes[3].kind, FIX_LOOK);
    assert_int_equal(finding->fixes[0].program_count, 0);
    judgement_free(judgement);
}

static void test_run(void **state)
{
    struct finding *finding;
    struct judgement *judgement = one_finding(&finding);
    (void)state;
    finding_fix_run(finding, "why", (const char *const[]){"ln", "-sT", "a b", "$x", NULL});
    finding_fix_run_then(finding, (const char *const[]){"ldconfig", NULL});
    const struct finding_fix *fix = &finding->fixes[0];
    assert_int_equal(finding->fix_count, 1);
    assert_int_equal(fix->kind, FIX_RUN);
    assert_true(fix->root);
    assert_false(fix->reboot);
    assert_string_equal(fix->note, "why");
    assert_string_equal(fix->command, "sudo ln -sT 'a b' '$x' && sudo ldconfig");
    assert_int_equal(fix->program_count, 2);
    assert_int_equal(fix->program[0].count, 4);
    assert_string_equal(fix->program[0].items[2], "a b");
    assert_string_equal(fix->program[0].items[3], "$x");
    assert_int_equal(fix->program[1].count, 1);
    judgement_free(judgement);
}

static void test_names(void **state)
{
    (void)state;
    for (int kind = FIX_ADVICE; kind <= FIX_RUN; kind++) {
        assert_non_null(fix_kind_name((enum fix_kind)kind));
        for (int other = FIX_ADVICE; other < kind; other++)
            assert_string_not_equal(fix_kind_name((enum fix_kind)kind),
                                    fix_kind_name((enum fix_kind)other));
    }
}

static void test_stop_gaps_come_last(void **state)
{
    static const struct {
        unsigned kinds[4]; /* 0: the end */
        const char *order;
    } rows[] = {
        {{FIX_SHELL | FOR_NOW, FIX_STEP, FIX_ALSO, 0}, "bca"},
        {{FIX_SHELL | FOR_NOW, FIX_STEP, FIX_SHELL | FOR_NOW, FIX_STEP}, "bdac"},
        {{FIX_STEP, FIX_SHELL | FOR_NOW, 0}, "ab"},
        {{FIX_SHELL | FOR_NOW, 0}, "a"},
        {{FIX_SHELL | FOR_NOW, FIX_LOOK, 0}, "ab"}, /* looking is no fix */
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct finding *finding;
        struct judgement *judgement = one_finding(&finding);
        AUTO_TEXT struct text order = {0};
        for (size_t k = 0; k < 4 && rows[i].kinds[k]; k++)
            finding_fix_command(finding, rows[i].kinds[k], NULL, "%c", (char)('a' + k));
        finding_order_fixes(finding);
        for (size_t k = 0; k < finding->fix_count; k++)
            text_append(&order, finding->fixes[k].command);
        assert_string_equal(text_string(&order), rows[i].order);
        judgement_free(judgement);
    }
}

static void test_system_without_a_shell(void **state)
{
    struct finding *finding;
    struct judgement *judgement = one_finding(&finding);
    (void)state;
    finding_fix_command(finding, FIX_LOOK | NEEDS_ROOT, "shows", "sudo dmesg | grep -i nvrm");
    finding_fix_command(finding, FIX_STEP | NEEDS_ROOT, NULL,
                        "sudo systemctl restart nvidia-fabricmanager");
    finding_fix_command(finding, FIX_STEP | NEEDS_ROOT, NULL,
                        "sudo systemctl restart nvidia-fabricmanager2");
    finding_fix_run(finding, "why", (const char *const[]){"modprobe", "nvidia_uvm", NULL});
    finding_fix_command(finding, FIX_SHELL, NULL, "export X=1");
    finding_fix_note(finding, FIX_ADVICE, "do it");
    finding_fit_system(finding, NULL);
    finding_fit_system(finding, "ubuntu");
    assert_string_equal(finding->fixes[0].command, "sudo dmesg | grep -i nvrm");
    assert_int_equal(finding->fixes[3].program_count, 1);
    finding_fit_system(finding, "talos");
    const struct finding_fix *fixes = finding->fixes;
    assert_string_equal(fixes[0].command, "talosctl dmesg | grep -i nvrm");
    assert_string_equal(fixes[0].note, "shows");
    assert_int_equal(fixes[0].kind, FIX_LOOK);
    assert_false(fixes[0].root);
    assert_string_equal(fixes[1].command, "talosctl service ext-nvidia-fabricmanager restart");
    assert_int_equal(fixes[1].kind, FIX_CHOICE); /* no line of a script that runs on the machine */
    assert_null(fixes[2].command);               /* another service */
    assert_null(fixes[3].command);
    assert_int_equal(fixes[3].kind, FIX_ADVICE);
    assert_int_equal(fixes[3].program_count, 0); /* --fix --yes runs nothing */
    assert_non_null(strstr(fixes[3].note, "in a privileged pod on this node"));
    assert_non_null(strstr(fixes[3].note, "modprobe nvidia_uvm; why"));
    assert_string_equal(fixes[4].command, "export X=1");
    assert_string_equal(fixes[5].note, "do it");
    finding_fit_system(finding, "talos");
    assert_string_equal(fixes[0].command, "talosctl dmesg | grep -i nvrm");
    judgement_free(judgement);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_run),
        cmocka_unit_test(test_stop_gaps_come_last),
        cmocka_unit_test(test_system_without_a_shell),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
