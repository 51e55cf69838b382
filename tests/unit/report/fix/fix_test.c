/* SPDX-License-Identifier: MIT */
#include "report/fix/fix.h"
#include "test.h"

#include <string.h>

#include "rules/engine/finding.h"
#include "report/sample.h"

static void add(struct finding *finding, enum fix_kind kind, const char *command, const char *note)
{
    sample_fix(finding, command, note, false);
    finding->fixes[finding->fix_count - 1].kind = kind;
    finding->fixes[finding->fix_count - 1].root = true;
}

static struct judgement *empty(void)
{
    return mem_alloc(sizeof(struct judgement));
}

static char *script_after(struct judgement *judgement, struct judgement *before,
                          const struct report_ran *ran, size_t count)
{
    AUTO_TEXT struct text text = {0};
    struct facts *facts = sample_facts();
    const struct report_input input = {.tool_version = "0.1.0",
                                       .manifest_date = "2026-11-20",
                                       .root = "/",
                                       .facts = facts,
                                       .judgement = judgement,
                                       .columns = 80,
                                       .ran = ran,
                                       .ran_count = count,
                                       .before = &before,
                                       .before_count = before != NULL};
    report_fix(&input, &text);
    facts_free(facts);
    judgement_free(judgement);
    judgement_free(before);
    return text_steal(&text);
}

static char *script_of(struct judgement *judgement)
{
    return script_after(judgement, NULL, NULL, 0);
}

/* The lines that run in main(), without their indentation, one behind the other. */
static char *lines_of(const char *script)
{
    AUTO_TEXT struct text lines = {0};
    const char *body = strstr(script, "main() {\n");
    AUTO_FREE char *copy = mem_string(body ? body + strlen("main() {\n") : "");
    for (char *rest = copy, *line; (line = string_next_line(&rest)) != NULL;) {
        if (string_equal(line, "}"))
            break;
        line = string_trim(line);
        if (*line && *line != '#')
            text_printf(&lines, "%s\n", line);
    }
    return text_steal(&lines);
}

static void assert_lines(struct judgement *judgement, const char *expected)
{
    AUTO_FREE char *script = script_of(judgement);
    AUTO_FREE char *lines = lines_of(script);
    assert_string_equal(lines, expected);
}

static void test_split(void **state)
{
    static const struct {
        const char *command, *lines;
    } rows[] = {
        {"a && b c && d", "a|b c|d"},
        {"a 'x && y' && b", "a 'x && y'|b"},
        {"a \"x && \\\"y\" && b", "a \"x && \\\"y\"|b"},
        {"a x\\&\\& && b", "a x\\&\\&|b"},
        {"echo 1 | sudo tee f && b", "echo 1 | sudo tee f|b"},
        {"a && b || c", "a && b || c"},
        {"a; b && c", "a; b && c"},
        {"a & b && c", "a & b && c"},
        {"a '", "a '"},
        {"a", "a"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        AUTO_STRLIST struct strlist lines = {0};
        fix_split(rows[i].command, &lines);
        AUTO_FREE char *joined = strlist_join(&lines, "|");
        assert_string_equal(joined, rows[i].lines);
    }
}

static void test_nothing_to_mend(void **state)
{
    (void)state;
    AUTO_FREE char *script = script_of(empty());
    assert_non_null(strstr(script, "# Nothing here needs fixing.\n"));
    AUTO_FREE char *copy = mem_string(script);
    for (char *rest = copy, *line; (line = string_next_line(&rest)) != NULL;)
        assert_int_equal(*line, '#');
}

static void test_what_could_not_be_decided_is_not_fine(void **state)
{
    struct judgement *judgement = empty();
    (void)state;
    sample_check(judgement, "DRV-901", CHECK_UNKNOWN, "no answer");
    AUTO_FREE char *script = script_of(judgement);
    assert_null(strstr(script, "Nothing here needs fixing"));
    assert_non_null(strstr(script, "# No fix is needed for what was found; some checks"));
}

static void test_of_several_ways_the_first_runs(void **state)
{
    struct judgement *judgement = empty();
    struct finding *finding = sample_finding(judgement, "DRV-901", SEVERITY_FAIL, "it is old");
    (void)state;
    add(finding, FIX_LOOK, "sudo dmesg", "says why");
    add(finding, FIX_STEP, "sudo a && sudo b", NULL);
    add(finding, FIX_ALSO, "sudo c", "too");
    add(finding, FIX_STEP, "sudo d", "in another way");
    add(finding, FIX_ALSO, "sudo e", NULL);
    AUTO_FREE char *script = script_of(judgement);
    AUTO_FREE char *lines = lines_of(script);
    assert_string_equal(lines, "sudo a\nsudo b\nsudo c\n");
    assert_non_null(strstr(script, "# - look: says why (needs root)\n    #       sudo dmesg\n"));
    assert_non_null(strstr(script, "# - or: in another way (needs root)\n    #       sudo d\n"));
    assert_true(string_ends(script, "\nmain\n"));
}

static void test_what_a_person_decides_does_not_run(void **state)
{
    struct judgement *judgement = empty();
    struct finding *finding = sample_finding(judgement, "DRV-901", SEVERITY_FAIL, "it is old");
    (void)state;
    add(finding, FIX_CHOICE, "sudo rmmod nvidia", "when nobody uses it");
    add(finding, FIX_ALSO, "sudo after", NULL);
    add(finding, FIX_STEP, "sudo another", NULL);
    add(finding, FIX_SHELL, "unset X", NULL);
    add(finding, FIX_REBOOT, "sudo reboot", NULL);
    add(finding, FIX_HOST, NULL, "on the host: look there");
    AUTO_FREE char *script = script_of(judgement);
    assert_null(strstr(script, "main"));
    assert_non_null(strstr(script, "# - you decide: when nobody uses it (needs root)\n"));
    assert_non_null(strstr(script, "# - in your own shell (needs root)\n#       unset X\n"));
    assert_non_null(strstr(script, "\n#       sudo reboot\n"));
    assert_non_null(strstr(script, "\n# - on the host: look there\n"));
}

static void test_only_causes_that_are_faults(void **state)
{
    struct judgement *judgement = empty();
    struct finding *cause = sample_finding(judgement, "DRV-901", SEVERITY_WARN, "it is old");
    add(cause, FIX_STEP, "sudo cause", NULL);
    struct finding *follows = sample_finding(judgement, "DRV-902", SEVERITY_FAIL, "so is this");
    follows->caused_by = "DRV-901";
    add(follows, FIX_RUN, "sudo follows", NULL);
    struct finding *healthy = sample_finding(judgement, "DNN-901", SEVERITY_INFO, "not there");
    add(healthy, FIX_RUN, "sudo healthy", NULL);
    (void)state;
    AUTO_FREE char *script = script_of(judgement);
    AUTO_FREE char *lines = lines_of(script);
    assert_string_equal(lines, "sudo cause\n");
    assert_non_null(strstr(script, "# this also fixes: DRV-902 library_old\n"));
    assert_null(strstr(script, "sudo follows"));
    assert_non_null(strstr(script, "# Not faults: optional changes.\n"));
    assert_non_null(strstr(script, "\n#       sudo healthy\n"));
}

static void test_safest_first_and_once(void **state)
{
    struct judgement *judgement = empty();
    struct finding *late = sample_finding(judgement, "DRV-901", SEVERITY_FAIL, "a");
    add(late, FIX_STEP, "sudo late", NULL);
    late->fixes[0].reboot = true;
    add(sample_finding(judgement, "DRV-902", SEVERITY_FAIL, "b"), FIX_STEP, "sudo change", NULL);
    add(sample_finding(judgement, "GPU-901", SEVERITY_WARN, "c"), FIX_RUN, "sudo safe", NULL);
    add(sample_finding(judgement, "CUD-901", SEVERITY_WARN, "d"), FIX_RUN, "sudo safe", NULL);
    (void)state;
    assert_lines(judgement, "sudo safe\n"
                            "sudo change\n"
                            "sudo late\n"
                            "printf '%s\\n' 'done; only a reboot remains, for DRV-901' >&2\n");
}

/* What is found on a machine is in messages, notes and, quoted, in commands. */
static void test_words_of_a_machine_stay_behind_the_hash(void **state)
{
    struct judgement *judgement = empty();
    struct finding *finding =
        sample_finding(judgement, "DRV-901", SEVERITY_FAIL, "x\nrm -rf ~\n\x1b[2J");
    (void)state;
    finding->why = mem_string("y\nrm -rf ~");
    add(finding, FIX_STEP, "sudo forgot\nrm -rf ~", "z\nrm -rf ~");
    add(finding, FIX_RUN, "sudo good", "z\rrm");
    AUTO_FREE char *script = script_of(judgement);
    AUTO_FREE char *lines = lines_of(script);
    assert_string_equal(lines, "sudo good\n");
    assert_null(strstr(script, "\nrm"));
    assert_null(strchr(script, '\x1b'));
    assert_null(strchr(script, '\r'));
}

static void test_what_was_run_is_not_run_again(void **state)
{
    struct report_ran ran[] = {
        {.code = "DRV-901", .command = (char *)"modprobe x", .status = RAN_DONE},
        {.code = "DRV-902", .command = (char *)"modprobe y", .status = RAN_FAILED},
        {.code = "DRV-902", .command = (char *)"ldconfig", .status = RAN_NOT},
    };
    struct judgement *judgement = empty();
    struct finding *finding = sample_finding(judgement, "DRV-901", SEVERITY_FAIL, "a");
    (void)state;
    add(finding, FIX_RUN, "sudo modprobe x", NULL);
    add(finding, FIX_RUN, "sudo modprobe y", NULL);
    add(finding, FIX_RUN, "sudo ldconfig", NULL);
    AUTO_FREE char *script = script_after(judgement, NULL, ran, 3);
    AUTO_FREE char *lines = lines_of(script);
    assert_string_equal(lines, "sudo ldconfig\n");
    assert_non_null(strstr(script, "# - was run just now (needs root)\n"));
    assert_non_null(strstr(script, "# - failed just now (needs root)\n"));
}

/* A module that was loaded is gone again after the next start, unless a line is written. */
static void test_what_makes_it_stay_is_left(void **state)
{
    struct report_ran ran[] = {
        {.code = "DRV-901", .command = (char *)"modprobe x", .status = RAN_DONE}};
    struct judgement *before = empty();
    struct judgement *now = empty();
    struct finding *finding = sample_finding(before, "DRV-901", SEVERITY_FAIL, "not loaded");
    (void)state;
    add(finding, FIX_RUN, "sudo modprobe x", NULL);
    add(finding, FIX_ALSO, "sudo at-every-boot", "stays");
    add(finding, FIX_STEP, "sudo other-way", NULL);
    add(sample_finding(now, "GPU-901", SEVERITY_WARN, "next"), FIX_STEP, "sudo next", NULL);
    AUTO_FREE char *script = script_after(now, before, ran, 1);
    AUTO_FREE char *lines = lines_of(script);
    assert_string_equal(lines, "sudo at-every-boot\nsudo next\n");
    assert_non_null(strstr(script, "# DRV-901 module_old (fixed just now): not loaded\n"));
    assert_null(strstr(script, "other-way"));
}

static void test_it_runs_where_it_was_made(void **state)
{
    struct judgement *judgement = empty();
    (void)state;
    add(sample_finding(judgement, "DRV-901", SEVERITY_FAIL, "a"), FIX_STEP, "sudo a", NULL);
    AUTO_FREE char *script = script_of(judgement);
    assert_non_null(strstr(script, "\nif [ \"$(uname -r)\" != 6.8.0-45-generic ] ||\n"
                                   "    ! is ID ubuntu; then\n"));
    assert_non_null(strstr(script, "    exit 1\nfi\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_split),
        cmocka_unit_test(test_nothing_to_mend),
        cmocka_unit_test(test_what_could_not_be_decided_is_not_fine),
        cmocka_unit_test(test_of_several_ways_the_first_runs),
        cmocka_unit_test(test_what_a_person_decides_does_not_run),
        cmocka_unit_test(test_only_causes_that_are_faults),
        cmocka_unit_test(test_safest_first_and_once),
        cmocka_unit_test(test_words_of_a_machine_stay_behind_the_hash),
        cmocka_unit_test(test_what_was_run_is_not_run_again),
        cmocka_unit_test(test_what_makes_it_stay_is_left),
        cmocka_unit_test(test_it_runs_where_it_was_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
