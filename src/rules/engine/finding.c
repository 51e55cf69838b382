/* SPDX-License-Identifier: MIT */
#include "rules/engine/finding.h"

#include <string.h>

static const char *const purpose_names[] = {
    [PURPOSE_RUN] = "run",
    [PURPOSE_BUILD] = "build",
    [PURPOSE_CONTAINER] = "container",
};

static const char *const severity_names[] = {
    [SEVERITY_INFO] = "info",
    [SEVERITY_WARN] = "warn",
    [SEVERITY_FAIL] = "fail",
};

static const char *const fix_kind_names[] = {
    [FIX_RUN] = "run",       [FIX_STEP] = "step", [FIX_ALSO] = "also",
    [FIX_CHOICE] = "choice", [FIX_LOOK] = "look", [FIX_SHELL] = "shell",
    [FIX_REBOOT] = "reboot", [FIX_HOST] = "host", [FIX_ADVICE] = "advice",
};

static const char *const check_status_names[] = {
    [CHECK_PASS] = "pass", [CHECK_WARN] = "warn",       [CHECK_FAIL] = "fail",
    [CHECK_SKIP] = "skip", [CHECK_UNKNOWN] = "unknown",
};

const char *purpose_name(enum purpose purpose)
{
    return purpose_names[purpose];
}

bool purpose_from_name(const char *name, enum purpose *ret_purpose)
{
    for (size_t i = 0; i < sizeof(purpose_names) / sizeof(purpose_names[0]); i++) {
        if (strcmp(purpose_names[i], name) == 0) {
            *ret_purpose = (enum purpose)i;
            return true;
        }
    }
    return false;
}

const char *severity_name(enum severity severity)
{
    return severity_names[severity];
}

const char *check_status_name(enum check_status status)
{
    return check_status_names[status];
}

const char *fix_kind_name(enum fix_kind kind)
{
    return fix_kind_names[kind];
}

static void fix_release(struct finding_fix *fix)
{
    for (size_t i = 0; i < fix->program_count; i++)
        strlist_free(&fix->program[i]);
    free(fix->program);
    free(fix->command);
    free(fix->note);
}

static void finding_free(struct finding *finding)
{
    for (size_t i = 0; i < finding->fix_count; i++)
        fix_release(&finding->fixes[i]);
    for (size_t i = 0; i < finding->evidence_count; i++) {
        free(finding->evidence[i].source);
        free(finding->evidence[i].name);
        free(finding->evidence[i].value);
        free(finding->evidence[i].group);
    }
    free(finding->fixes);
    free(finding->evidence);
    free(finding->subject);
    free(finding->message);
    free(finding->why);
    free(finding->manifest);
    free(finding);
}

const char *finding_message(const struct finding *finding)
{
    return finding->message ? finding->message : finding->cause;
}

struct finding *judgement_add(struct judgement *judgement)
{
    struct finding *finding = mem_alloc(sizeof(*finding));
    *vec_push(judgement->findings, judgement->finding_count, judgement->finding_capacity) = finding;
    return finding;
}

static bool lasts(const struct finding_fix *fix)
{
    return !fix->for_now && fix->kind != FIX_LOOK;
}

/* The first way is no alternative to another: "or the wheel …" is "the wheel …". */
static void first_is_no_other(struct finding_fix *fix)
{
    static const char *const beginnings[] = {"or, ", "or "};
    for (size_t i = 0; i < 2 && fix->note; i++) {
        size_t length = strlen(beginnings[i]);
        if (strncmp(fix->note, beginnings[i], length) != 0)
            continue;
        memmove(fix->note, fix->note + length, strlen(fix->note) - length + 1);
        return;
    }
}

static void order(struct finding *finding)
{
    size_t place = 0;
    bool any = false;
    for (size_t i = 0; i < finding->fix_count; i++)
        any = any || lasts(&finding->fixes[i]);
    for (size_t i = 0; any && i < finding->fix_count; i++) {
        struct finding_fix fix = finding->fixes[i];
        if (fix.for_now)
            continue;
        memmove(&finding->fixes[place + 1], &finding->fixes[place], (i - place) * sizeof(fix));
        finding->fixes[place++] = fix;
    }
}

void finding_order_fixes(struct finding *finding)
{
    order(finding);
    if (finding->fix_count)
        first_is_no_other(&finding->fixes[0]);
}

void judgement_free(struct judgement *judgement)
{
    if (judgement == NULL)
        return;
    for (size_t i = 0; i < judgement->finding_count; i++)
        finding_free(judgement->findings[i]);
    for (size_t i = 0; i < judgement->check_count; i++) {
        free(judgement->checks[i].reason);
        free(judgement->checks[i].lacks);
        strlist_free(&judgement->checks[i].rests_on);
    }
    free(judgement->findings);
    free(judgement->checks);
    free(judgement->purpose_reason);
    free(judgement);
}
