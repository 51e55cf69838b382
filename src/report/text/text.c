/* SPDX-License-Identifier: MIT */
#include "report/text/text.h"

#include <string.h>

#include "report/engine/words.h"
#include "report/machine/framework_list.h"
#include "report/machine/gpu_list.h"
#include "report/machine/summary.h"
#include "report/machine/trial_list.h"
#include "report/text/brief.h"
#include "report/text/page.h"
#include "rules/engine/finding.h"
#include "rules/engine/rule.h"
#include "rules/rules.h"

enum block page_block(const char *code)
{
    const struct rule *rule = rule_find(code);
    return rule ? rule->block : BLOCK_HOST;
}

/* What a block holds. */
struct block_state {
    unsigned checks;
    unsigned by_status[CHECK_UNKNOWN + 1];
    bool found;              /* something was found, here or below its cause */
    const char *follows;     /* code in another block, below which one of these stands */
    const char *skip_reason; /* of the first skipped check */
};

static struct block_state block_look(const struct page *page, enum block block)
{
    const struct judgement *judgement = page->input->judgement;
    struct block_state state = {0};
    for (size_t i = 0; i < judgement->check_count; i++) {
        const struct check *check = &judgement->checks[i];
        if (page_block(check->code) != block)
            continue;
        state.checks++;
        state.by_status[check->status]++;
        if (check->status == CHECK_SKIP && state.skip_reason == NULL)
            state.skip_reason = check->reason;
    }
    for (size_t i = 0; i < judgement->finding_count; i++) {
        const struct finding *finding = judgement->findings[i];
        if (page_block(finding->code) != block)
            continue;
        state.checks++;
        state.found = true;
        if (page_is_consequence(page, finding) && page_block(finding->caused_by) != block)
            state.follows = finding->caused_by;
    }
    return state;
}

static void append_trial(const struct page *page, unsigned indent)
{
    AUTO_TEXT struct text sentence = {0};
    trial_list_append(page->input->facts, &sentence);
    if (sentence.size == 0)
        return;
    struct wrap wrap;
    text_printf(page->output, "%*s", (int)indent, "");
    wrap_begin(&wrap, page->output, page->input->columns, indent, indent);
    wrap_words(&wrap, "--try:");
    wrap_words(&wrap, text_string(&sentence));
    wrap_end(&wrap);
}

/* The line that says what the block is about: "ok" only where every check that applies passed and
 * found nothing to tell, no mark where there is no check yet. */
static void append_block_line(struct page *page, enum block block, const struct block_state *state)
{
    AUTO_TEXT struct text sentence = {0};
    AUTO_STRLIST struct strlist sources = {0};
    summary_append(page->input, block, &sentence, &sources);
    if (sentence.size == 0 && state->checks == 0)
        return;
    enum mark mark = MARK_OK;
    bool all_skipped = state->by_status[CHECK_SKIP] == state->checks;
    bool told_below = state->found || state->by_status[CHECK_UNKNOWN] > 0;
    bool only_required = block == BLOCK_HOST && all_skipped; /* --require was not given */
    if (state->checks == 0 || told_below || only_required ||
        (!all_skipped && summary_is_of_nothing(page->input, block)))
        mark = MARK_NONE;
    else if (all_skipped)
        mark = MARK_SKIP;
    struct wrap wrap = page_line(page, 0, mark, block_name(block));
    while (wrap.column < mark_width(page->input->colour) + strlen("Frameworks")) {
        text_append_char(page->output, ' ');
        wrap.column++;
    }
    wrap.indent = wrap.column + 1;
    if (sentence.size > 0)
        wrap_words(&wrap, text_string(&sentence));
    else if (mark == MARK_SKIP && state->skip_reason)
        wrap_words(&wrap, state->skip_reason);
    page_sources(&wrap, &sources);
    if (state->follows)
        wrap_printf(&wrap, "(see %s)", state->follows);
    wrap_end(&wrap);
    if (block == BLOCK_GPU) {
        gpu_list_append(page->input, wrap.indent, page->output);
        append_trial(page, wrap.indent);
    }
    if (block == BLOCK_FRAMEWORKS)
        framework_list_append(page->input, wrap.indent, page->output);
}

static void append_block(struct page *page, enum block block)
{
    const struct judgement *judgement = page->input->judgement;
    struct block_state state = block_look(page, block);
    if (!page->input->quiet)
        append_block_line(page, block, &state);
    for (size_t i = 0; i < judgement->finding_count; i++) {
        const struct finding *finding = judgement->findings[i];
        if (page_block(finding->code) == block && !page_is_consequence(page, finding))
            page_finding(page, i, 0);
    }
    if (!page->input->quiet)
        page_checks(page, block);
}

static void append_header(const struct page *page)
{
    const struct report_input *input = page->input;
    AUTO_TEXT struct text machine = {0};
    summary_append_machine(input, &machine);
    AUTO_FREE char *manifest = report_manifest_text(input);
    AUTO_FREE char *tool = mem_printf("gpuenv %s, %s", input->tool_version, manifest);
    AUTO_FREE char *purpose =
        mem_printf("checked for %s: %s", purpose_name(input->judgement->purpose),
                   input->judgement->purpose_reason ? input->judgement->purpose_reason : "");
    wrap_paragraph(page->output, input->columns, 0, tool);
    wrap_paragraph(page->output, input->columns, 0, text_string(&machine));
    wrap_paragraph(page->output, input->columns, 0, purpose);
    for (size_t i = 0; input->sent && i < input->sent->count; i++) {
        AUTO_FREE char *read = mem_printf("read: %s", input->sent->items[i]);
        wrap_paragraph(page->output, input->columns, 0, read);
    }
    AUTO_FREE char *causes = format_causes(input->judgement, input->possible);
    AUTO_FREE char *possible =
        mem_printf("possible causes, from the log; gpuenv cannot tell from what was sent: %s",
                   causes ? causes : "");
    if (causes)
        wrap_paragraph(page->output, input->columns, 0, possible);
    AUTO_FREE char *ask =
        input->ask ? mem_printf("on that machine, this would tell most: %s", input->ask) : NULL;
    if (ask)
        wrap_paragraph(page->output, input->columns, 0, ask);
}

/* What to read first: the top finding, else of the checks that could not be decided for the first
 * reason the last: those of a library that did not answer end with the one that is about it. */
static const char *top_code(const struct judgement *judgement)
{
    for (size_t i = 0; i < judgement->finding_count; i++)
        if (judgement->findings[i]->severity != SEVERITY_INFO)
            return judgement->findings[i]->code;
    const struct check *top = NULL;
    for (size_t i = 0; i < judgement->check_count; i++) {
        const struct check *check = &judgement->checks[i];
        if (check->status == CHECK_UNKNOWN &&
            (top == NULL || string_equal(top->reason, check->reason)))
            top = check;
    }
    return top ? top->code : NULL;
}

/* "1 warn", and where one check has found several, "1 warn (3 findings)". free() it. */
static char *count_words(const struct judgement *judgement, enum severity severity, unsigned checks)
{
    size_t findings = 0;
    for (size_t i = 0; i < judgement->finding_count; i++)
        findings += judgement->findings[i]->severity == severity &&
                    judgement->findings[i]->caused_by == NULL;
    return checks && findings > checks
               ? mem_printf("%u %s (%zu findings)", checks, severity_name(severity), findings)
               : mem_printf("%u %s", checks, severity_name(severity));
}

static void append_last_line(const struct page *page)
{
    const struct judgement *judgement = page->input->judgement;
    const char *code = top_code(judgement);
    struct wrap wrap;
    wrap_begin(&wrap, page->output, page->input->columns, 0, 0);
    AUTO_FREE char *fails = count_words(judgement, SEVERITY_FAIL, judgement->fail);
    AUTO_FREE char *warns = count_words(judgement, SEVERITY_WARN, judgement->warn);
    wrap_printf(&wrap, "%s, %s, %u pass, %u skip, %u unknown: %s%s", fails, warns, judgement->pass,
                judgement->skip, judgement->unknown, report_verdict(judgement), code ? ";" : "");
    if (code) {
        AUTO_FREE char *command = mem_printf("gpuenv explain %s", code);
        wrap_unsplit(&wrap, command);
    }
    wrap_end(&wrap);
}

/* A finding below a cause that stands below it would otherwise stand nowhere. */
static void append_forgotten(struct page *page)
{
    for (size_t i = 0; i < page->input->judgement->finding_count; i++)
        page_finding(page, i, 0);
}

/* The block that stands before all others: that of the top finding, where the usual order would
 * print another fault first; BLOCK_COUNT: none. */
static enum block first_block(const struct page *page)
{
    const struct judgement *judgement = page->input->judgement;
    if (judgement->finding_count == 0 || judgement->findings[0]->severity == SEVERITY_INFO)
        return BLOCK_COUNT;
    enum block top = page_block(judgement->findings[0]->code);
    for (size_t i = 1; i < judgement->finding_count; i++) {
        const struct finding *finding = judgement->findings[i];
        if (finding->severity != SEVERITY_INFO && page_block(finding->code) < top &&
            !page_is_consequence(page, finding))
            return top;
    }
    return BLOCK_COUNT;
}

void report_text(const struct report_input *input, struct text *output)
{
    AUTO_FREE bool *printed = mem_alloc((input->judgement->finding_count + 1) * sizeof(bool));
    struct page page = {.input = input, .output = output, .printed = printed};
    if (!input->quiet && !input->verbose) {
        report_brief(input, output);
        return;
    }
    if (!input->quiet) {
        report_verdict_line(input, output);
        append_header(&page);
    }
    enum block first = first_block(&page);
    if (first != BLOCK_COUNT)
        append_block(&page, first);
    for (enum block block = 0; block < BLOCK_COUNT; block++)
        if (block != first)
            append_block(&page, block);
    append_forgotten(&page);
    append_last_line(&page);
}
