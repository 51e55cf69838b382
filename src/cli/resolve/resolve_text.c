/* SPDX-License-Identifier: MIT */
#include "cli/resolve/resolve_print.h"

#include <string.h>

#include "base/wrap.h"
#include "manifest/manifest.h"
#include "resolve/engine/resolution.h"

#define INDENT 5
#define SHOWN  3 /* versions of one reason, and reasons of one product */

/* "     why: the words", those after the first line below the first word. */
static void append_line(const struct report_input *input, const char *label, const char *words,
                        struct text *output)
{
    struct wrap wrap;
    text_printf(output, "%*s%s: ", INDENT, "", label);
    unsigned column = INDENT + (unsigned)strlen(label) + 2;
    wrap_begin(&wrap, output, input->columns, column, column);
    wrap_words(&wrap, words);
    wrap_end(&wrap);
}

/* One command to copy, however long: on a line of its own where it fits on that alone. */
static void append_step(const struct report_input *input, const char *label, const char *command,
                        struct text *output)
{
    struct wrap wrap;
    unsigned width = wrap_width(command, strlen(command));
    bool apart = INDENT + strlen(label) + 2 + width > input->columns;
    text_printf(output, apart ? "%*s%s:\n  " : "%*s%s: ", INDENT, "", label);
    wrap_begin(&wrap, output, UINT32_MAX, 0, 0);
    wrap_whole(&wrap, command);
    wrap_end(&wrap);
}

/* What one does after the other, one to a line. */
static void append_command(const struct report_input *input, const char *label, const char *command,
                           struct text *output)
{
    static const char and[] = " && ";
    for (const char *end; (end = strstr(command, and)) != NULL; command = end + strlen(and)) {
        AUTO_FREE char *step = mem_string_n(command, (size_t)(end - command));
        append_step(input, label, step, output);
    }
    append_step(input, label, command, output);
}

/* "cu126 (exact): pip install …" */
static void append_also(const struct report_input *input, const char *also, struct text *output)
{
    const char *command = strstr(also, "): ");
    if (command == NULL) {
        append_line(input, "also", also, output);
        return;
    }
    AUTO_FREE char *label = mem_printf("also %.*s", (int)(command + 1 - also), also);
    append_command(input, label, command + strlen("): "), output);
}

static const char *rule_words(const char *rule)
{
    static const struct {
        const char *rule, *words;
    } rows[] = {
        {"exact", "runs without limits"},
        {"minor_version", "runs through minor-version compatibility"},
        {"forward_compatible", "runs through cuda-compat"},
        {"newest", "the newest"},
        {"wanted", "what the framework needs"},
        {"recommended", "recommended"},
        {"asked", "the requested version, not known to run"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (string_equal(rows[i].rule, rule))
            return rows[i].words;
    return rule;
}

/* What an answer rests on. */
struct basis {
    const char *row, *source, *confidence, *pin;
};

static void append_row(const struct report_input *input, const struct basis *basis,
                       struct text *output)
{
    AUTO_TEXT struct text words = {0};
    if (basis->row)
        text_append(&words, basis->row);
    if (basis->row && basis->confidence)
        text_printf(&words, " (%s)", basis->confidence);
    if (basis->row && basis->source && input->verbose)
        text_printf(&words, " [%s]", basis->source);
    if (basis->pin)
        text_printf(&words, "%s%s%s", basis->row ? "; " : "",
                    string_equal(basis->pin, "none") ? "not pinned" : "pinned by ",
                    string_equal(basis->pin, "none") ? "" : basis->pin);
    if (words.size)
        append_line(input, "row", text_string(&words), output);
}

/* "2.11.0 (cu126)" */
static void append_version(const char *version, const char *build, struct text *text)
{
    text_append(text, version);
    if (build)
        text_printf(text, " (%s)", build);
}

static void append_choice(const struct report_input *input, const struct resolve_choice *choice,
                          struct text *output)
{
    struct wrap wrap;
    bool limited = string_equal(choice->rule, "exact") && choice->limits.count > 0;
    wrap_begin(&wrap, output, input->columns, 0, INDENT);
    wrap_printf(&wrap, "%s %s%s%s%s: %s", choice->product, choice->version,
                choice->build ? " (" : "", choice->build ? choice->build : "",
                choice->build ? ")" : "",
                limited ? "runs, but with limits" : rule_words(choice->rule));
    wrap_end(&wrap);
    append_line(input, "why", choice->why, output);
    for (size_t i = 0; i < choice->limits.count; i++)
        append_line(input, "but", choice->limits.items[i], output);
    if (choice->install)
        append_line(input, "install", choice->install, output);
    if (choice->exact) {
        AUTO_FREE char *words =
            mem_printf("%s is the newest version without compatibility limits: to request it, "
                       "use %s@%s",
                       choice->exact, choice->product, choice->exact);
        append_line(input, "exact", words, output);
    }
    if (choice->limit_gpu) {
        AUTO_FREE char *words = mem_printf("%s rules out newer versions", choice->limit_gpu);
        append_line(input, "GPU", words, output);
    }
    for (size_t i = 0; i < choice->packages.count; i++)
        append_line(input, "package", choice->packages.items[i], output);
    if (choice->python)
        append_line(input, "Python", choice->python, output);
    for (size_t i = 0; i < choice->commands.count; i++)
        append_command(input, "run", choice->commands.items[i], output);
    if (choice->uv)
        append_command(input, "or", choice->uv, output);
    for (size_t i = 0; i < choice->also.count; i++)
        append_also(input, choice->also.items[i], output);
    if (choice->notes)
        append_line(input, "note", choice->notes, output);
    struct basis basis = {choice->row, choice->source, choice->confidence, choice->pin};
    append_row(input, &basis, output);
}

/* What each GPU runs in an environment of its own. */
static void append_mixed_gpus(const struct report_input *input, const struct resolution *resolution,
                              struct text *output)
{
    const char *product = NULL;
    for (size_t i = 0; i < resolution->mixed_gpu_count; i++) {
        const struct mixed_gpu *mixed = &resolution->mixed_gpus[i];
        if (!string_equal(product, mixed->product)) {
            AUTO_FREE char *head = mem_printf(
                "%s needs one environment per GPU, with CUDA_VISIBLE_DEVICES set to that GPU:",
                mixed->product);
            wrap_paragraph(output, input->columns, 0, head);
        }
        product = mixed->product;
        AUTO_TEXT struct text words = {0};
        append_version(mixed->version ? mixed->version : "nothing fits", mixed->build, &words);
        append_line(input, mixed->gpu, text_string(&words), output);
        if (mixed->command)
            append_command(input, "run", mixed->command, output);
    }
}

/* All of one product that were turned down for one reason: the newest few, and in words the one
 * that is nearest to the choice; without a choice the newest. */
static void append_reason(const struct report_input *input, const struct resolution *resolution,
                          size_t first, struct text *output)
{
    const struct resolve_candidate *head = &resolution->candidates[first];
    const struct resolve_candidate *last = head;
    bool chosen = resolve_choice_of(resolution, head->product) != NULL;
    AUTO_TEXT struct text versions = {0};
    size_t count = 0;
    for (size_t i = first; i < resolution->candidate_count; i++) {
        const struct resolve_candidate *one = &resolution->candidates[i];
        if (!string_equal(one->product, head->product) ||
            !string_equal(one->turned_down, head->turned_down))
            continue;
        last = chosen ? one : head;
        if (++count > SHOWN)
            continue;
        text_append(&versions, count > 1 ? ", " : "");
        append_version(one->version, one->build, &versions);
    }
    if (count > SHOWN)
        text_printf(&versions, " and %zu more", count - SHOWN);
    struct wrap wrap;
    text_append(output, "not  ");
    wrap_begin(&wrap, output, input->columns, INDENT, INDENT);
    wrap_printf(&wrap, "%s %s: %s", head->product, text_string(&versions), head->turned_down);
    wrap_end(&wrap);
    append_line(input, "why", last->turned_why ? last->turned_why : last->why, output);
    struct basis basis = {last->row, last->source, last->confidence, NULL};
    append_row(input, &basis, output);
}

static bool is_told_before(const struct resolution *resolution, size_t index)
{
    const struct resolve_candidate *one = &resolution->candidates[index];
    for (size_t i = 0; i < index; i++)
        if (string_equal(resolution->candidates[i].product, one->product) &&
            string_equal(resolution->candidates[i].turned_down, one->turned_down))
            return true;
    return false;
}

static void append_condensed(const struct report_input *input, const struct resolution *resolution,
                             struct text *output)
{
    for (size_t i = 0; i < resolution->candidate_count; i++) {
        const struct resolve_candidate *one = &resolution->candidates[i];
        if (one->turned_down && !is_told_before(resolution, i) &&
            !string_equal(one->turned_down, "outside_request"))
            append_reason(input, resolution, i, output);
    }
}

/* With -v every version that was looked at. */
static void append_all(const struct report_input *input, const struct resolution *resolution,
                       struct text *output)
{
    for (size_t i = 0; i < resolution->candidate_count; i++) {
        const struct resolve_candidate *one = &resolution->candidates[i];
        const char *slug = one->turned_down ? one->turned_down : one->reason;
        struct wrap wrap;
        wrap_begin(&wrap, output, input->columns, 0, INDENT);
        wrap_printf(&wrap, "%-4s %s %s%s%s%s: %s: %s",
                    one->fit == FIT_NO        ? "no"
                    : one->fit == FIT_UNKNOWN ? "??"
                                              : "ok",
                    one->product, one->version, one->build ? " (" : "",
                    one->build ? one->build : "", one->build ? ")" : "", slug,
                    one->turned_why ? one->turned_why : one->why);
        wrap_end(&wrap);
    }
}

/* Where to look further. */
static void append_hint(const struct report_input *input, const struct resolution *resolution,
                        struct text *output)
{
    if (resolution->candidate_count == 0)
        return;
    wrap_paragraph(output, input->columns, 0,
                   input->verbose ? "\"gpuenv manifest show ROW\" prints a whole row"
                                  : "\"gpuenv manifest show ROW\" prints a whole row; -v prints "
                                    "every version that was considered");
}

void resolve_append_text(const struct report_input *input, const struct resolution *resolution,
                         struct text *output)
{
    struct wrap wrap;
    if (!input->quiet) {
        AUTO_FREE char *manifest = report_manifest_text(input);
        text_printf(output, "gpuenv %s, %s\n", input->tool_version, manifest);
        wrap_begin(&wrap, output, input->columns, 0, INDENT);
        wrap_printf(&wrap, "for %s", resolution->machine);
        wrap_end(&wrap);
        for (size_t i = 0; i < resolution->notes.count; i++)
            append_line(input, "note", resolution->notes.items[i], output);
    }
    for (size_t i = 0; i < resolution->chosen_count; i++)
        append_choice(input, &resolution->chosen[i], output);
    if (!input->quiet || resolution->failed.count)
        append_mixed_gpus(input, resolution, output);
    if (input->verbose)
        append_all(input, resolution, output);
    else if (!input->quiet || resolution->failed.count)
        append_condensed(input, resolution, output);
    if (!input->quiet)
        append_hint(input, resolution, output);
}
