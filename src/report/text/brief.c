/* SPDX-License-Identifier: MIT */
#include "report/text/brief.h"

#include <string.h>

#include "report/engine/words.h"
#include "report/machine/framework_list.h"
#include "report/machine/gpu_list.h"
#include "report/machine/summary.h"
#include "report/machine/trial_list.h"
#include "report/text/page.h"
#include "report/text/unknown.h"
#include "rules/engine/finding.h"

#define LABEL_COLUMNS  12
#define SOURCES_SHOWN  2  /* behind the top finding */
#define SOURCE_COLUMNS 40 /* of a longer one the end is shown */

/* What stands on the page. Where there is no room the last piece of the highest rank goes first. */
enum rank {
    RANK_STAYS,
    RANK_PROBLEM, /* further problems and warnings */
    RANK_GPU,     /* and the driver */
    RANK_FIX,     /* of further problems */
    RANK_ALSO,    /* what follows from a finding */
    RANK_UNKNOWN,
    RANK_CUDA,
    RANK_MACHINE,
    RANK_INFO,
    RANK_BLANK,
};
struct piece {
    enum rank rank;
    struct text text;
};
struct brief {
    const struct report_input *input;
    bool *shown; /* for each finding: it is on the page, by itself or as a consequence */
    struct piece *pieces;
    size_t count, capacity;
};

static void brief_clear(struct brief *brief)
{
    for (size_t i = 0; i < brief->count; i++)
        text_free(&brief->pieces[i].text);
    free(brief->pieces);
    free(brief->shown);
}

/* The text stays where it is until the next piece is begun. */
static struct page piece_begin(struct brief *brief, enum rank rank)
{
    struct piece *piece = vec_push(brief->pieces, brief->count, brief->capacity);
    piece->rank = rank;
    return (struct page){.input = brief->input, .output = &piece->text};
}

/* The rows that a terminal of so many columns needs: a command is one line however long it is. */
static unsigned rows_of(const struct text *text, unsigned columns)
{
    unsigned rows = 0;
    const char *line = text_string(text);
    for (const char *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        unsigned width = wrap_width(line, (size_t)(end - line));
        for (const char *at = line; (at = memchr(at, '\x1b', (size_t)(end - at))) != NULL; at++)
            width -= (unsigned)strcspn(at, "m") + 1;
        rows += width > columns ? (width + columns - 1) / columns : 1;
    }
    return rows;
}

static unsigned brief_rows(const struct brief *brief)
{
    unsigned rows = 0;
    for (size_t i = 0; i < brief->count; i++)
        rows += rows_of(&brief->pieces[i].text, brief->input->columns);
    return rows;
}

/* The piece that goes first; NULL: all that is left stays. */
static struct piece *least_piece(const struct brief *brief)
{
    struct piece *least = NULL;
    for (size_t i = 0; i < brief->count; i++) {
        struct piece *piece = &brief->pieces[i];
        if (piece->text.size > 0 && piece->rank != RANK_STAYS &&
            (least == NULL || piece->rank >= least->rank))
            least = piece;
    }
    return least;
}

static void leave_out(struct brief *brief, unsigned limit)
{
    struct piece *piece;
    while (brief_rows(brief) > limit && (piece = least_piece(brief)) != NULL)
        text_clear(&piece->text);
}

/* The clause that a message begins with, without its numbers and places in detail. */
static char *message_head(const struct finding *finding)
{
    static const char *const ends[] = {": ", "; ", " (", ", although ", ", and "};
    const char *message = finding_message(finding);
    size_t size = strlen(message);
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        const char *end = strstr(message, ends[i]);
        if (end && (size_t)(end - message) < size)
            size = (size_t)(end - message);
    }
    return mem_string_n(message, size);
}

/* What follows from the cause, and what follows from that. */
static void add_consequences(struct brief *brief, const char *cause, struct strlist *heads)
{
    const struct judgement *judgement = brief->input->judgement;
    for (size_t i = 0; i < judgement->finding_count; i++) {
        const struct finding *finding = judgement->findings[i];
        if (brief->shown[i] || !string_equal(finding->caused_by, cause))
            continue;
        brief->shown[i] = true;
        strlist_take(heads, message_head(finding));
        add_consequences(brief, finding->code, heads);
    }
}

/* "also: cuInit fails with error 803 (because of DRV-004)", in one line for all that follows. */
static void append_consequences(struct brief *brief, const struct finding *cause)
{
    AUTO_STRLIST struct strlist heads = {0};
    add_consequences(brief, cause->code, &heads);
    if (heads.count == 0)
        return;
    struct page page = piece_begin(brief, RANK_ALSO);
    struct wrap wrap = page_detail(&page, 0, "also: ");
    for (size_t i = 0; i < heads.count; i++)
        wrap_printf(&wrap, "%s%s", heads.items[i], i + 1 < heads.count ? "," : "");
    wrap_printf(&wrap, "(because of %s)", cause->code);
    wrap_end(&wrap);
}

static void first_sources(const struct finding *finding, struct strlist *sources)
{
    for (size_t i = 0; i < finding->evidence_count && sources->count < SOURCES_SHOWN; i++) {
        const char *source = finding->evidence[i].source;
        size_t size = strlen(source);
        AUTO_FREE char *end =
            size > SOURCE_COLUMNS ? mem_printf("...%s", source + size - SOURCE_COLUMNS) : NULL;
        strlist_add_new(sources, end ? end : source);
    }
}

/* The whole answer: what is wrong, where that was seen, why, and what fixes it. */
static void append_top(const struct page *page, const struct finding *finding)
{
    AUTO_STRLIST struct strlist sources = {0};
    first_sources(finding, &sources);
    page_message(page, 0, finding, &sources);
    page_why(page, 0, finding);
    page_first_fix(page, 0, finding);
}

static void append_problem(struct brief *brief, size_t index)
{
    const struct finding *finding = brief->input->judgement->findings[index];
    const struct strlist no_sources = {0};
    brief->shown[index] = true;
    if (index == 0) {
        struct page page = piece_begin(brief, RANK_STAYS);
        append_top(&page, finding);
    } else {
        struct page page = piece_begin(brief, RANK_PROBLEM);
        page_message(&page, 0, finding, &no_sources);
        page = piece_begin(brief, RANK_FIX);
        page_first_fix(&page, 0, finding);
    }
    append_consequences(brief, finding);
}

static bool has_top(const struct judgement *judgement)
{
    return judgement->finding_count > 0 && judgement->findings[0]->severity != SEVERITY_INFO;
}

/* Roots first; then what is left, where causes lead in a circle. */
static void append_problems(struct brief *brief)
{
    const struct judgement *judgement = brief->input->judgement;
    const struct page look = {.input = brief->input};
    for (unsigned left = 0; left < 2; left++)
        for (size_t i = 0; i < judgement->finding_count; i++) {
            const struct finding *finding = judgement->findings[i];
            if (finding->severity != SEVERITY_INFO && !brief->shown[i] &&
                (left || !page_is_consequence(&look, finding)))
                append_problem(brief, i);
        }
}

static void append_infos(struct brief *brief)
{
    const struct judgement *judgement = brief->input->judgement;
    const struct strlist no_sources = {0};
    for (size_t i = 0; i < judgement->finding_count; i++) {
        if (brief->shown[i])
            continue;
        struct page page = piece_begin(brief, RANK_INFO);
        page_message(&page, 0, judgement->findings[i], &no_sources);
    }
}

static void append_unknown(struct brief *brief)
{
    const struct judgement *judgement = brief->input->judgement;
    bool first = !has_top(judgement);
    for (size_t i = 0; i < judgement->check_count; i++) {
        if (!unknown_is_first(judgement, &judgement->checks[i]))
            continue;
        struct page page = piece_begin(brief, first ? RANK_STAYS : RANK_UNKNOWN);
        unknown_append(&page, &judgement->checks[i]);
        first = false;
    }
}

/* "CUDA        " before a row, where it is not empty. */
static void append_row(struct brief *brief, enum rank rank, const char *label, const char *words)
{
    struct page page = piece_begin(brief, rank);
    struct wrap wrap;
    if (*words == '\0')
        return;
    text_printf(page.output, "%-*s", LABEL_COLUMNS, label);
    wrap_begin(&wrap, page.output, brief->input->columns, LABEL_COLUMNS, LABEL_COLUMNS);
    wrap_words(&wrap, words);
    wrap_end(&wrap);
}

static void append_block(struct brief *brief, enum rank rank, enum block block)
{
    AUTO_TEXT struct text words = {0};
    AUTO_STRLIST struct strlist sources = {0};
    summary_append(brief->input, block, &words, &sources);
    append_row(brief, rank, block_name(block), text_string(&words));
}

static void append_gpus(struct brief *brief)
{
    AUTO_STRLIST struct strlist kinds = {0};
    gpu_list_kinds(brief->input->facts, &kinds);
    for (size_t i = 0; i < kinds.count; i++)
        append_row(brief, RANK_GPU, i == 0 ? block_name(BLOCK_GPU) : "", kinds.items[i]);
    if (kinds.count == 0)
        append_block(brief, RANK_GPU, BLOCK_GPU);
    AUTO_TEXT struct text trial = {0};
    trial_list_append(brief->input->facts, &trial);
    append_row(brief, RANK_GPU, "Computed", text_string(&trial));
}

static void append_frameworks(struct brief *brief)
{
    AUTO_STRLIST struct strlist lines = {0};
    framework_list_lines(brief->input->facts, &lines);
    for (size_t i = 0; i < lines.count; i++)
        append_row(brief, RANK_CUDA, i == 0 ? block_name(BLOCK_FRAMEWORKS) : "", lines.items[i]);
    if (lines.count == 0 && brief->input->sent)
        append_block(brief, RANK_MACHINE, BLOCK_FRAMEWORKS);
    else if (lines.count == 0)
        append_row(brief, RANK_MACHINE, block_name(BLOCK_FRAMEWORKS), "none found");
}

/* --from: what was read, and what would tell more. */
static void append_sent(struct brief *brief)
{
    const struct report_input *input = brief->input;
    for (size_t i = 0; input->sent && i < input->sent->count; i++)
        append_row(brief, i == 0 ? RANK_STAYS : RANK_MACHINE, i == 0 ? "Read" : "",
                   input->sent->items[i]);
    AUTO_FREE char *causes = format_causes(input->judgement, input->possible);
    AUTO_FREE char *possible = mem_printf(
        "%s (from the log; gpuenv cannot tell from what was sent)", causes ? causes : "");
    if (causes)
        append_row(brief, RANK_STAYS, "Possible", possible);
    if (input->ask)
        append_row(brief, RANK_STAYS, "Ask for", input->ask);
}

static void append_machine(struct brief *brief)
{
    AUTO_TEXT struct text machine = {0};
    const struct judgement *judgement = brief->input->judgement;
    summary_append_machine(brief->input, &machine);
    append_row(brief, RANK_MACHINE, "Machine", text_string(&machine));
    const char *reason = brief->input->sent ? NULL : judgement->purpose_reason;
    AUTO_FREE char *purpose =
        mem_printf("%s%s%s%s", purpose_name(judgement->purpose), reason ? " (" : "",
                   reason ? reason : "", reason ? ")" : "");
    append_row(brief, RANK_MACHINE, "Profile", purpose);
}

static void append_facts(struct brief *brief)
{
    append_block(brief, RANK_GPU, BLOCK_DRIVER);
    append_gpus(brief);
    append_block(brief, RANK_CUDA, BLOCK_CUDA);
    append_block(brief, RANK_CUDA, BLOCK_CUDNN);
    append_frameworks(brief);
    append_machine(brief);
}

/* A build step needs none, so it is no problem; somebody who meant to have one learns it here. */
static void append_no_gpu(struct brief *brief)
{
    const char *request = brief->input->judgement->gpu_request;
    if (request == NULL)
        return;
    struct page page = piece_begin(brief, RANK_STAYS);
    AUTO_FREE char *words = mem_printf("no GPU was given to this container; if the container needs "
                                       "a GPU: %s, then gpuenv doctor --for container",
                                       request);
    wrap_paragraph(page.output, brief->input->columns, 0, words);
}

/* What a longer look has: explain, -v, --fix. */
static void append_more(struct brief *brief)
{
    const struct report_input *input = brief->input;
    const struct judgement *judgement = input->judgement;
    const char *code = has_top(judgement) ? judgement->findings[0]->code : NULL;
    struct page page = piece_begin(brief, RANK_STAYS);
    struct wrap wrap;
    AUTO_FREE char *explain = code ? mem_printf("gpuenv explain %s,", code) : NULL;
    mark_dim(page.output, DIM_BEGIN, input->colour);
    wrap_begin(&wrap, page.output, input->columns, 0, 0);
    wrap_words(&wrap, "more:");
    if (explain)
        wrap_unsplit(&wrap, explain);
    wrap_unsplit(&wrap, code ? "doctor -v, doctor --fix" : "gpuenv doctor -v");
    AUTO_FREE char *tool = mem_printf(
        "[gpuenv %s, manifest %s%s%s]", input->tool_version, input->manifest_version,
        input->manifest_origin == ORIGIN_BUILT_IN ? "" : ", ",
        input->manifest_origin == ORIGIN_BUILT_IN ? ""
                                                  : report_origin_text(input->manifest_origin));
    wrap_unsplit(&wrap, tool);
    mark_dim(page.output, DIM_END, input->colour);
    wrap_end(&wrap);
}

/* The cause and its fix once more, where the page's begin has scrolled away. */
static void append_again(const struct brief *brief, struct text *output)
{
    const struct report_input *input = brief->input;
    struct page page = {.input = input, .output = output};
    report_verdict_line(input, output);
    append_top(&page, input->judgement->findings[0]);
}

void report_brief(const struct report_input *input, struct text *output)
{
    AUTO(brief_clear) struct brief brief = {.input = input};
    brief.shown = mem_alloc((input->judgement->finding_count + 1) * sizeof(*brief.shown));
    bool ok = string_equal(report_verdict(input->judgement), "ok");
    unsigned limit = ok ? BRIEF_ROWS_OK : BRIEF_ROWS;
    struct page page = piece_begin(&brief, RANK_STAYS);
    report_verdict_line(input, page.output);
    append_no_gpu(&brief);
    append_problems(&brief);
    append_unknown(&brief);
    page = piece_begin(&brief, RANK_BLANK);
    text_append(page.output, "\n");
    append_facts(&brief);
    append_infos(&brief);
    append_sent(&brief);
    append_more(&brief);
    leave_out(&brief, limit);
    for (size_t i = 0; i < brief.count; i++)
        text_append_n(output, text_string(&brief.pieces[i].text), brief.pieces[i].text.size);
    if (brief_rows(&brief) > limit && has_top(input->judgement))
        append_again(&brief, output);
}
