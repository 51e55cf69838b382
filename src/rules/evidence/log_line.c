/* SPDX-License-Identifier: MIT */
#include "rules/evidence/log_line.h"

#include <string.h>

#include "manifest/error/error.h"
#include "manifest/error/log.h"

/* The subject is the address of a GPU, and neither this device nor below it. */
static bool is_of_other_device(const struct facts *facts, const struct finding *finding,
                               const char *bus_id)
{
    const char *subject = finding->subject;
    if (bus_id == NULL || subject == NULL || string_equal(subject, bus_id))
        return false;
    AUTO_FREE char *group = facts_group_name("pci", subject);
    const struct strlist *bridges = facts_list(facts, group, "bridges");
    return facts_get(facts, group, "class") && !(bridges && strlist_has(bridges, bus_id));
}

static bool same_event(const struct facts *facts, const char *line, const char *event)
{
    int64_t number = -1, other = -1;
    facts_integer(facts, line, "number", &number);
    facts_integer(facts, event, "number", &other);
    return number == other &&
           string_equal(facts_string(facts, line, "event"), facts_string(facts, event, "event")) &&
           string_equal(facts_string(facts, line, "bus_id"), facts_string(facts, event, "bus_id"));
}

/* Whether a finding rests on the line: it has it as evidence, or the event that it belongs to. */
static bool is_used(const struct rule_context *context, const char *line)
{
    const struct judgement *judgement = context->judgement;
    bool known = facts_string(context->facts, line, "event") != NULL;
    for (size_t i = 0; known && i < judgement->finding_count; i++) {
        const struct finding *finding = judgement->findings[i];
        for (size_t k = 0; k < finding->evidence_count; k++) {
            const char *group = finding->evidence[k].group;
            if (group && string_starts(group, "kernel_log/") &&
                same_event(context->facts, line, group))
                return true;
        }
    }
    return false;
}

static bool event_is_of_this_boot(const struct facts *facts, const char *event)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "kernel_log", &i)) != NULL;)
        if (string_equal(facts_string(facts, group, "event"), event) &&
            string_equal(facts_string(facts, group, "boot"), "current"))
            return true;
    return false;
}

static bool any_event(const struct facts *facts, const struct strlist *events)
{
    for (size_t i = 0; i < events->count; i++)
        if (event_is_of_this_boot(facts, events->items[i]))
            return true;
    return false;
}

static bool any_found(const struct rule_context *context, const struct strlist *causes,
                      const char *bus_id)
{
    const struct judgement *judgement = context->judgement;
    for (size_t i = 0; i < causes->count; i++)
        rule_asks_for_cause(context, causes->items[i]);
    for (size_t i = 0; i < judgement->finding_count; i++)
        if (strlist_has(causes, judgement->findings[i]->cause) &&
            !is_of_other_device(context->facts, judgement->findings[i], bus_id))
            return true;
    return false;
}

static enum severity severity_of(const char *word)
{
    return string_equal(word, "warn") ? SEVERITY_WARN : SEVERITY_INFO;
}

/* What NVIDIA takes for the program's own fault, or says needs nothing, says nothing of the GPU. */
static bool is_of_program(const struct manifest_error *xid)
{
    return string_equal(xid->application, "yes") || string_equal(xid->action, "IGNORE") ||
           string_equal(xid->action, "RESTART_APP");
}

/* False: the manifest has no such Xid, or a finding explains it. */
static bool read_xid(struct rule_context *context, int64_t number, struct log_line *line,
                     bool *ret_explained)
{
    const struct manifest_error *xid = manifest_error(context->manifest, ERRORS_XID, number);
    *ret_explained = xid && any_found(context, &xid->findings, line->bus_id);
    if (xid == NULL || *ret_explained)
        return false;
    line->row = xid->id;
    line->meaning = xid->meaning ? xid->meaning : xid->name;
    line->remaining = xid->remaining ? xid->remaining : xid->cause;
    line->command = xid->command;
    line->root = string_equal(xid->root, "yes");
    line->told = xid->findings.count > 0;
    line->causes = &xid->findings;
    line->severity = is_of_program(xid) ? SEVERITY_INFO : SEVERITY_WARN;
    return true;
}

static void read_row(const struct manifest_log *row, struct log_line *line)
{
    line->row = row->id;
    line->meaning = row->meaning;
    line->remaining = row->remaining;
    line->command = row->command;
    line->root = string_equal(row->root, "yes");
    line->told = row->findings.count > 0;
    line->causes = &row->findings;
    line->severity = severity_of(row->severity);
}

static bool row_explains(const struct rule_context *context, const struct manifest_log *row,
                         const struct log_line *line)
{
    if (manifest_log_is(row, "detail"))
        return any_event(context->facts, &row->of);
    return manifest_log_is(row, "harmless") || any_found(context, &row->findings, line->bus_id);
}

bool log_line_unexplained(struct rule_context *context, const char *group,
                          struct log_line *ret_line)
{
    const struct facts *facts = context->facts;
    const char *by = facts_string(facts, group, "by");
    bool trouble = facts_true(facts, group, "trouble");
    bool explained = false;
    int64_t number;
    *ret_line = (struct log_line){.group = group,
                                  .message = facts_string(facts, group, "message"),
                                  .bus_id = facts_string(facts, group, "bus_id"),
                                  .severity = trouble ? SEVERITY_WARN : SEVERITY_INFO};
    if (ret_line->message == NULL || by == NULL || is_used(context, group))
        return false;
    const struct manifest_log *row =
        manifest_log_of(context->manifest, by, trouble, ret_line->message);
    /* What the words of this one say comes before what its number says. */
    bool is_xid = string_equal(facts_string(facts, group, "event"), "xid") &&
                  (row == NULL || manifest_log_is(row, "other"));
    if (is_xid && facts_integer(facts, group, "number", &number)) {
        if (read_xid(context, number, ret_line, &explained) || explained)
            return !explained;
    }
    if (row && row_explains(context, row, ret_line))
        return false;
    /* A detail without its message is a line like any other. */
    if (row && manifest_log_is(row, "detail"))
        row = manifest_log_of(context->manifest, by, trouble, "");
    if (row)
        read_row(row, ret_line);
    return true;
}

size_t log_line_open_causes(const struct rule_context *context, const struct log_line *line)
{
    const struct judgement *judgement = context->judgement;
    size_t count = 0;
    for (size_t i = 0; line->causes && i < judgement->check_count; i++)
        count +=
            judgement->checks[i].lacks && strlist_has(line->causes, judgement->checks[i].cause);
    return count;
}

/* Findings about frameworks, toolkits and requests have no line in the log. */
static bool is_about_driver(const struct finding *finding)
{
    static const char *const letters[] = {"CTR-", "DRV-", "GPU-", "MOD-", "SYS-"};
    for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
        if (string_starts(finding->code, letters[i]))
            return true;
    return false;
}

const struct finding *log_line_suspect(const struct rule_context *context,
                                       const struct log_line *line, enum severity severity)
{
    const struct judgement *judgement = context->judgement;
    for (size_t i = 0; i < judgement->finding_count; i++) {
        const struct finding *finding = judgement->findings[i];
        if (finding->severity == severity && finding->caused_by == NULL &&
            is_about_driver(finding) && !is_of_other_device(context->facts, finding, line->bus_id))
            return finding;
    }
    return NULL;
}
