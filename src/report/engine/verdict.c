/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/wrap.h"
#include "report/engine/mark.h"
#include "report/engine/report.h"
#include "rules/engine/finding.h"

static const struct verdict {
    const char *word;
    enum mark mark;
} broken = {"broken", MARK_FAIL}, unknown = {"unknown", MARK_UNKNOWN},
  degraded = {"degraded", MARK_WARN}, ok = {"ok", MARK_OK};

static const struct verdict *verdict_of(const struct judgement *judgement)
{
    if (judgement->fail > 0)
        return &broken;
    if (judgement->exit_code == EXIT_UNKNOWN)
        return &unknown;
    return judgement->warn > 0 ? &degraded : &ok;
}

const char *report_verdict(const struct judgement *judgement)
{
    return verdict_of(judgement)->word;
}

void report_verdict_line(const struct report_input *input, struct text *output)
{
    const struct judgement *judgement = input->judgement;
    const struct verdict *verdict = verdict_of(judgement);
    AUTO_TEXT struct text words = {0};
    if (judgement->fail > 0)
        text_printf(&words, "%u problem%s", judgement->fail, judgement->fail == 1 ? "" : "s");
    else if (judgement->unknown > 0)
        text_printf(&words, "no problem found%s, but %u check%s could not be decided",
                    input->sent ? " in what was sent" : "", judgement->unknown,
                    judgement->unknown == 1 ? "" : "s");
    else
        text_printf(&words, "no problem found%s", input->sent ? " in what was sent" : "");
    if (judgement->warn > 0)
        text_printf(&words, ", %u warning%s", judgement->warn, judgement->warn == 1 ? "" : "s");
    if (input->sent)
        text_printf(&words, "; %u of %zu checks could be made",
                    judgement->pass + judgement->warn + judgement->fail, judgement->check_count);
    mark_append_word(output, verdict->mark, verdict->word, input->colour);
    struct wrap wrap;
    wrap_begin(&wrap, output, input->columns, (unsigned)strlen(verdict->word), 0);
    text_append(output, ":");
    wrap.column++;
    wrap.at_word = true;
    wrap_words(&wrap, text_string(&words));
    wrap_end(&wrap);
}
