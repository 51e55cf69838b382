/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "report/engine/words.h"
#include "report/format/format.h"
#include "rules/engine/rule.h"
#include "rules/rules.h"

/* JUnit's XML (docs/reference/output-formats.md#junit): a test case for each check. */
#define ATTRIBUTE_MOST 300u
#define LINE_MOST      4000u

/* U+FFFE and U+FFFF are UTF-8, and no characters of XML. */
static bool is_no_character(const char *at)
{
    return strncmp(at, "\xef\xbf\xbe", 3) == 0 || strncmp(at, "\xef\xbf\xbf", 3) == 0;
}

static void append_escaped(const char *line, struct text *output)
{
    for (const char *at = line; *at; at++)
        if (is_no_character(at)) {
            text_printf(output, "\\xef\\xbf\\x%02x", (unsigned char)at[2]);
            at += 2;
        } else if (strchr("&<>\"'", *at)) {
            text_printf(output, "&#%d;", *at);
        } else {
            text_append_char(output, *at);
        }
}

static void append_xml(const char *string, size_t most, struct text *output)
{
    AUTO_FREE char *line = format_line(string, most);
    append_escaped(line, output);
}

static void append_attribute(const char *name, const char *value, struct text *output)
{
    text_printf(output, " %s=\"", name);
    append_xml(value, ATTRIBUTE_MOST, output);
    text_append_char(output, '"');
}

static void append_line(const char *label, const char *string, struct text *output)
{
    if (string == NULL)
        return;
    text_append(output, label);
    append_xml(string, LINE_MOST, output);
    text_append_char(output, '\n');
}

static void append_command(const char *command, struct text *output)
{
    AUTO_FREE char *line = format_command(command, LINE_MOST);
    if (command == NULL)
        return;
    text_append(output, "fix: ");
    append_escaped(line, output);
    text_append_char(output, '\n');
}

/* How a check ends as a test case. */
enum outcome { PASSED, FAILED, ERROR, SKIPPED, OUTCOME_COUNT };
static const char *const elements[OUTCOME_COUNT] = {
    [FAILED] = "failure", [ERROR] = "error", [SKIPPED] = "skipped"};

/* The first finding of the check; NULL: none. */
static const struct finding *finding_of(const struct judgement *judgement, const char *code)
{
    for (size_t i = 0; i < judgement->finding_count; i++)
        if (string_equal(judgement->findings[i]->code, code))
            return judgement->findings[i];
    return NULL;
}

/* What it found follows from another check, which fails. */
static const char *cause_of(const struct judgement *judgement, const char *code)
{
    const char *cause = NULL;
    for (size_t i = 0; i < judgement->finding_count; i++) {
        const struct finding *finding = judgement->findings[i];
        if (!string_equal(finding->code, code))
            continue;
        if (!format_is_consequence(judgement, finding))
            return NULL;
        cause = finding->caused_by;
    }
    return cause;
}

/* A warning fails with --strict alone, and what is undecided is an error unless the profile does
 * not need it: the tests fail where the exit code is not 0. */
static enum outcome outcome_of(const struct judgement *judgement, const struct check *check)
{
    if (check->status == CHECK_SKIP)
        return SKIPPED;
    if (check->status == CHECK_UNKNOWN)
        return judgement->exit_code == EXIT_DONE ? SKIPPED : ERROR;
    if (check->status == CHECK_PASS)
        return PASSED;
    if (cause_of(judgement, check->code))
        return SKIPPED;
    return check->status == CHECK_FAIL || judgement->strict ? FAILED : PASSED;
}

static void append_findings(const struct judgement *judgement, const char *code,
                            struct text *output)
{
    for (size_t i = 0; i < judgement->finding_count; i++) {
        const struct finding *finding = judgement->findings[i];
        if (!string_equal(finding->code, code))
            continue;
        text_printf(output, "%s: ", severity_name(finding->severity));
        append_line("", finding_message(finding), output);
        append_line("why: ", finding->why, output);
        for (size_t k = 0; k < finding->fix_count; k++) {
            append_command(finding->fixes[k].command, output);
            append_line("note: ", finding->fixes[k].note, output);
        }
    }
}

/* The words of <failure>, <error> and <skipped>. */
static char *words_of(const struct judgement *judgement, const struct check *check)
{
    const char *cause = cause_of(judgement, check->code);
    const struct finding *finding = finding_of(judgement, check->code);
    if (check->status == CHECK_UNKNOWN)
        return mem_printf("could not be decided: %s", check->reason ? check->reason : "");
    if (check->status == CHECK_SKIP)
        return mem_string(check->reason ? check->reason : "");
    if (cause)
        return mem_printf("follows from %s", cause);
    return mem_string(finding && finding->message ? finding->message : check->cause);
}

static void append_outcome(const struct judgement *judgement, const struct check *check,
                           struct text *output)
{
    enum outcome outcome = outcome_of(judgement, check);
    AUTO_TEXT struct text findings = {0};
    append_findings(judgement, check->code, &findings);
    if (outcome != PASSED) {
        AUTO_FREE char *words = words_of(judgement, check);
        text_printf(output, "<%s", elements[outcome]);
        if (outcome != SKIPPED)
            append_attribute("type", check->cause, output);
        append_attribute("message", words, output);
        text_append_char(output, '>');
        if (outcome == FAILED)
            text_append(output, text_string(&findings));
        text_printf(output, "</%s>", elements[outcome]);
    }
    if (outcome != FAILED && findings.size > 0)
        text_printf(output, "<system-out>%s</system-out>", text_string(&findings));
}

static void append_case(const struct judgement *judgement, const struct check *check,
                        struct text *output)
{
    const struct rule *rule = rule_find(check->code);
    AUTO_FREE char *class = mem_printf("gpuenv.%s", rule ? block_name(rule->block) : "Other");
    AUTO_FREE char *name = mem_printf("%s %s", check->code, check->cause);
    text_append(output, "    <testcase");
    append_attribute("classname", class, output);
    append_attribute("name", name, output);
    text_printf(output, " time=\"%.3f\">",
                check->duration_ms > 0 && check->duration_ms < 1e8 ? check->duration_ms / 1e3 : 0);
    append_outcome(judgement, check, output);
    text_append(output, "</testcase>\n");
}

static void append_property(const char *name, const char *value, struct text *output)
{
    text_append(output, "      <property");
    append_attribute("name", name, output);
    append_attribute("value", value, output);
    text_append(output, "/>\n");
}

static void append_properties(const struct report_input *input, struct text *output)
{
    AUTO_FREE char *code = mem_printf("%d", (int)input->judgement->exit_code);
    text_append(output, "    <properties>\n");
    append_property("gpuenv", input->tool_version, output);
    append_property("manifest", input->manifest_version, output);
    append_property("profile", purpose_name(input->judgement->purpose), output);
    append_property("verdict", report_verdict(input->judgement), output);
    append_property("exit_code", code, output);
    text_append(output, "    </properties>\n");
}

void report_junit(const struct report_input *input, struct text *output)
{
    const struct judgement *judgement = input->judgement;
    size_t counts[OUTCOME_COUNT] = {0};
    for (size_t i = 0; i < judgement->check_count; i++)
        counts[outcome_of(judgement, &judgement->checks[i])]++;
    AUTO_FREE char *numbers = mem_printf("tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"",
                                         judgement->check_count, counts[FAILED], counts[ERROR]);
    text_append(output, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    text_printf(output, "<testsuites name=\"gpuenv\" %s>\n", numbers);
    text_printf(output, "  <testsuite name=\"gpuenv doctor\" %s skipped=\"%zu\">\n", numbers,
                counts[SKIPPED]);
    append_properties(input, output);
    for (size_t i = 0; i < judgement->check_count; i++)
        append_case(judgement, &judgement->checks[i], output);
    text_append(output, "  </testsuite>\n</testsuites>\n");
}
