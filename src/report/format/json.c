/* SPDX-License-Identifier: MIT */
#include "report/format/json.h"

#include <math.h>

#include "report/machine/gpu_list.h"
#include "report/machine/trial_list.h"
#include "rules/engine/finding.h"

/* A fact as a bare value: null when it has none. */
static json_t *fact_value(const struct facts *facts, const char *group, const char *name)
{
    int64_t number;
    if (facts_integer(facts, group, name, &number))
        return json_integer(number);
    return json_from_string(facts_string(facts, group, name));
}

static json_t *host_json(const struct report_input *input)
{
    static const struct {
        const char *key, *group, *name;
    } rows[] = {
        {.key = "os", .group = "os", .name = "pretty_name"},
        {.key = "os_id", .group = "os", .name = "id"},
        {.key = "os_version", .group = "os", .name = "version_id"},
        {.key = "glibc", .group = "os", .name = "glibc_version"},
        {.key = "kernel", .group = "kernel", .name = "release"},
        {.key = "architecture", .group = "os", .name = "architecture"},
        {.key = "virtualization", .group = "machine", .name = "virtualization"},
        {.key = "container", .group = "container", .name = "engine"},
        {.key = "wsl", .group = "machine", .name = "wsl"},
        {.key = "jetson", .group = "machine", .name = "jetson_model"},
    };
    json_t *host = json_object();
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        json_object_set_new(host, rows[i].key,
                            fact_value(input->facts, rows[i].group, rows[i].name));
    json_object_set_new(host, "root", json_from_string(input->root));
    json_object_set_new(host, "record", json_from_string(input->record));
    json_object_set_new(host, "gpus", gpu_list_json(input->facts));
    json_object_set_new(host, "trial", trial_list_json(input->facts));
    return host;
}

static json_t *fixes_json(const struct finding *finding)
{
    json_t *fixes = json_array();
    for (size_t i = 0; i < finding->fix_count; i++) {
        const struct finding_fix *fix = &finding->fixes[i];
        json_t *object = json_object();
        json_object_set_new(object, "command", json_from_string(fix->command));
        json_object_set_new(object, "note", json_from_string(fix->note));
        json_object_set_new(object, "root", json_boolean(fix->root));
        json_object_set_new(object, "reboot", json_boolean(fix->reboot));
        json_object_set_new(object, "kind", json_string(fix_kind_name(fix->kind)));
        json_array_append_new(fixes, object);
    }
    return fixes;
}

static json_t *evidence_json(const struct finding *finding)
{
    json_t *list = json_array();
    for (size_t i = 0; i < finding->evidence_count; i++) {
        json_t *object = json_object();
        json_object_set_new(object, "source", json_from_string(finding->evidence[i].source));
        if (finding->evidence[i].name)
            json_object_set_new(object, "name", json_from_string(finding->evidence[i].name));
        json_object_set_new(object, "value", json_from_string(finding->evidence[i].value));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *finding_json(const struct finding *finding)
{
    json_t *object = json_object();
    json_object_set_new(object, "code", json_from_string(finding->code));
    json_object_set_new(object, "cause", json_from_string(finding->cause));
    json_object_set_new(object, "severity", json_string(severity_name(finding->severity)));
    json_object_set_new(object, "subject", json_from_string(finding->subject));
    json_object_set_new(object, "message", json_from_string(finding->message));
    json_object_set_new(object, "why", json_from_string(finding->why));
    json_object_set_new(object, "fix", fixes_json(finding));
    json_object_set_new(object, "evidence", evidence_json(finding));
    json_object_set_new(object, "manifest", json_from_string(finding->manifest));
    json_object_set_new(object, "caused_by", json_from_string(finding->caused_by));
    return object;
}

static json_t *findings_json(const struct judgement *judgement)
{
    json_t *list = json_array();
    for (size_t i = 0; i < judgement->finding_count; i++)
        json_array_append_new(list, finding_json(judgement->findings[i]));
    return list;
}

static json_t *ran_json(const struct report_input *input)
{
    static const char *const names[] = {
        [RAN_DONE] = "done", [RAN_FAILED] = "failed", [RAN_NOT] = "not run"};
    json_t *list = json_array();
    for (size_t i = 0; i < input->ran_count; i++) {
        const struct report_ran *ran = &input->ran[i];
        json_t *object = json_object();
        json_object_set_new(object, "code", json_from_string(ran->code));
        json_object_set_new(object, "command", json_from_string(ran->command));
        json_object_set_new(object, "status", json_string(names[ran->status]));
        json_object_set_new(object, "detail", json_from_string(ran->detail));
        json_object_set_new(object, "output", json_from_string(ran->said));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *checks_json(const struct judgement *judgement)
{
    json_t *list = json_array();
    for (size_t i = 0; i < judgement->check_count; i++) {
        const struct check *check = &judgement->checks[i];
        json_t *object = json_object();
        json_object_set_new(object, "code", json_from_string(check->code));
        json_object_set_new(object, "cause", json_from_string(check->cause));
        json_object_set_new(object, "status", json_string(check_status_name(check->status)));
        json_object_set_new(object, "reason", json_from_string(check->reason));
        json_object_set_new(object, "duration_ms",
                            json_real(isfinite(check->duration_ms) ? check->duration_ms : 0));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *purpose_json(const struct judgement *judgement)
{
    json_t *purpose = json_object();
    json_object_set_new(purpose, "name", json_string(purpose_name(judgement->purpose)));
    json_object_set_new(purpose, "reason", json_from_string(judgement->purpose_reason));
    return purpose;
}

static json_t *summary_json(const struct judgement *judgement)
{
    json_t *summary = json_object();
    json_object_set_new(summary, "pass", json_integer(judgement->pass));
    json_object_set_new(summary, "warn", json_integer(judgement->warn));
    json_object_set_new(summary, "fail", json_integer(judgement->fail));
    json_object_set_new(summary, "skip", json_integer(judgement->skip));
    json_object_set_new(summary, "unknown", json_integer(judgement->unknown));
    json_object_set_new(summary, "verdict", json_string(report_verdict(judgement)));
    json_object_set_new(summary, "exit_code", json_integer(judgement->exit_code));
    return summary;
}

static json_t *sent_json(const struct report_input *input)
{
    json_t *sent = json_object();
    json_object_set_new(sent, "read", json_from_list(input->sent));
    json_object_set_new(sent, "possible", json_from_list(input->possible));
    json_object_set_new(sent, "ask", json_from_string(input->ask));
    return sent;
}

void report_json(const struct report_input *input, struct text *output)
{
    const struct judgement *judgement = input->judgement;
    AUTO_JSON json_t *envelope = report_envelope(input);
    json_object_set_new(envelope, "host", host_json(input));
    json_object_set_new(envelope, "profile", purpose_json(judgement));
    json_object_set_new(envelope, "findings", findings_json(judgement));
    json_object_set_new(envelope, "checks", checks_json(judgement));
    json_object_set_new(envelope, "summary", summary_json(judgement));
    if (input->sent)
        json_object_set_new(envelope, "sent", sent_json(input));
    if (input->ran)
        json_object_set_new(envelope, "ran", ran_json(input));
    json_append_text(envelope, output);
}
