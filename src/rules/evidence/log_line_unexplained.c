/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "manifest/error/log.h"
#include "rules/evidence/judges.h"
#include "rules/evidence/log_line.h"
#include "rules/query/hardware.h"
#include "rules/query/judged.h"
#include "rules/query/remaining.h"

/* log_line_unexplained: lines of one row about one device are one finding. */

#define LINES_SHOWN 12  /* as evidence; the others are counted */
#define QUOTE_MAX   160 /* bytes of a line in a message */

/* "3 times since 2026-11-21T13:37:01Z", "once, 12 s after boot". */
static char *when_of(const struct facts *facts, const char *group)
{
    AUTO_TEXT struct text text = {0};
    int64_t count = 1, seconds = -1;
    const char *first = facts_string(facts, group, "first");
    facts_integer(facts, group, "count", &count);
    facts_integer(facts, group, "first_seconds", &seconds);
    if (count > 1)
        text_printf(&text, "%" PRId64 " times", count);
    else
        text_append(&text, "once");
    if (first)
        text_printf(&text, "%s %s", count > 1 ? " since" : ", at", first);
    else if (seconds >= 0)
        text_printf(&text, "%s %" PRId64 " s after boot", count > 1 ? ", first" : ",", seconds);
    return text_steal(&text);
}

/* Prints the log that the line stands in. */
static char *log_command(const char *source)
{
    if (string_ends(source, ".journal"))
        return mem_printf("sudo journalctl -b --file=%s", source);
    return source[0] == '/' && !string_starts(source, "/dev/") ? mem_printf("sudo cat %s", source)
                                                               : mem_string("sudo dmesg");
}

/* ADDRESS in a command is the device's; without one, all of NVIDIA's are looked at. LOG prints the
 * log. */
static char *command_here(const char *command, const char *bus_id, const char *source)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *log = log_command(source);
    const struct {
        const char *word, *here;
    } words[] = {{"-s ADDRESS", bus_id ? NULL : "-d 10de:"},
                 {"ADDRESS", bus_id ? bus_id : "*"},
                 {"LOG ", log}};
    for (const char *at = command; *at;) {
        size_t i = 0;
        while (i < 3 && (words[i].here == NULL || !string_starts(at, words[i].word)))
            i++;
        if (i == 3) {
            text_append_char(&text, *at++);
            continue;
        }
        text_append(&text, words[i].here);
        at += strlen(words[i].word) - (i == 2 ? 1 : 0);
    }
    return text_steal(&text);
}

static void explain(const struct rule_context *context, struct finding *finding,
                    const struct log_line *line, const struct finding *suspect, size_t open)
{
    const char *meaning = line->meaning ? line->meaning : "the manifest does not list this line";
    AUTO_FREE char *remaining =
        line->remaining ? remaining_here(context->facts, line->remaining) : NULL;
    if (open > 0)
        finding_why(finding,
                    "%s; gpuenv could not check %zu of the causes that it knows for this line%s%s",
                    meaning, open, remaining ? "; other possible causes: " : "",
                    remaining ? remaining : "");
    else if (suspect)
        finding_why(finding, "%s; %s may be the reason: fix that finding first, then check again",
                    meaning, suspect->code);
    else if (remaining)
        finding_why(finding, "%s; no other finding explains this error; possible causes: %s",
                    meaning, remaining);
    else
        finding_why(finding, "%s; no other finding explains this error", meaning);
    AUTO_FREE char *command = command_here(
        line->command ? line->command
                      : "sudo dmesg --level=emerg,alert,crit,err,warn | grep -i -e nvrm -e nvidia",
        line->bus_id, facts_get(context->facts, line->group, "message")->source);
    bool root = line->root || line->command == NULL;
    finding_fix_command(finding, FIX_LOOK | (root ? NEEDS_ROOT : 0),
                        "shows which of these causes applies", "%s", command);
}

static void add_line(const struct facts *facts, struct finding *finding, const char *group)
{
    static const char *const names[] = {"message", "count", "first_seconds", "first", "last"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const struct fact *fact = facts_get(facts, group, names[i]);
        if (fact && fact->state == FACT_VALUE)
            finding_evidence(finding, facts, group, names[i]);
    }
}

/* The lines after the first of the same row and device; those are told with it. */
struct pile {
    struct log_line first;
    struct strlist groups;
};

static void pile_found(struct rule_context *context, const struct pile *pile)
{
    const struct facts *facts = context->facts;
    const struct log_line *line = &pile->first;
    enum severity severity = context->purpose == PURPOSE_BUILD ? SEVERITY_INFO : line->severity;
    const struct finding *suspect =
        line->told ? NULL : log_line_suspect(context, line, SEVERITY_FAIL);
    if (suspect)
        severity = SEVERITY_INFO;
    AUTO_FREE char *when = when_of(facts, line->group);
    AUTO_FREE char *more = pile->groups.count > 1
                               ? mem_printf(", and %zu more line%s", pile->groups.count - 1,
                                            pile->groups.count > 2 ? "s" : "")
                               : mem_string("");
    bool cut = strlen(line->message) > QUOTE_MAX;
    size_t open = log_line_open_causes(context, line);
    struct finding *finding = rule_found(
        context, severity, "%s: \"%.*s%s\" (%s%s)",
        open ? "the log has a failure, and gpuenv cannot tell its cause from what it read"
             : "the log has a line that no finding explains",
        QUOTE_MAX, line->message, cut ? "..." : "", when, more);
    if (line->bus_id)
        finding_subject(finding, line->bus_id);
    explain(context, finding, line, suspect, open);
    for (size_t i = 0; i < pile->groups.count && i < LINES_SHOWN; i++)
        add_line(facts, finding, pile->groups.items[i]);
    finding_manifest(finding, line->row);
}

static struct pile *pile_of(struct pile *piles, size_t count, const struct log_line *line)
{
    for (size_t i = 0; i < count; i++)
        if (string_equal(piles[i].first.row, line->row) &&
            string_equal(piles[i].first.bus_id, line->bus_id))
            return &piles[i];
    return NULL;
}

static void judge_lines(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    struct pile *piles = NULL;
    size_t count = 0, capacity = 0;
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "log_line", &i)) != NULL;) {
        struct log_line line;
        if (!log_line_unexplained(context, group, &line))
            continue;
        struct pile *pile = pile_of(piles, count, &line);
        if (pile == NULL) {
            pile = vec_push(piles, count, capacity);
            pile->first = line;
        }
        strlist_add(&pile->groups, group);
    }
    for (size_t i = 0; i < count; i++)
        pile_found(context, &piles[i]);
    for (size_t i = 0; i < count; i++)
        strlist_free(&piles[i].groups);
    free(piles);
}

void judge_log_line_unexplained(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const struct fact *count = facts_get(facts, "log_line", "count");
    int64_t left_out;
    if (judged_place(facts) == PLACE_WSL) {
        rule_skip(context, "the kernel of WSL has no NVIDIA driver that could write to its log");
        return;
    }
    if (count == NULL || count->state != FACT_VALUE) {
        hardware_end_without_log(context);
        if (context->check->reason == NULL)
            rule_skip(context, "log_line.count: %s",
                      count && count->reason ? count->reason : "not in the record");
        return;
    }
    if (!manifest_log_is_known(context->manifest)) { /* harmless lines neither */
        rule_skip(context, "this manifest does not say what lines of the log mean");
        return;
    }
    judge_lines(context);
    if (!facts_integer(facts, "log_line", "left_out", &left_out) || left_out == 0)
        return;
    struct finding *finding = rule_found(
        context, SEVERITY_INFO,
        "the log has %" PRId64 " more lines about NVIDIA devices than gpuenv keeps", left_out);
    finding_why(finding, "gpuenv keeps at most 256 different lines");
    finding_evidence(finding, facts, "log_line", "left_out");
    finding_fix_command(finding, FIX_LOOK | NEEDS_ROOT, "shows all of them",
                        "sudo dmesg --level=emerg,alert,crit,err,warn | grep -i -e nvrm -e nvidia");
}
