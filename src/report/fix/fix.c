/* SPDX-License-Identifier: MIT */
#include "report/fix/fix.h"

#include <string.h>

#include "base/shell.h"
#include "base/wrap.h"
#include "rules/engine/finding.h"
#include "rules/sudo.h"

/* Where a block of the script stands: what runs comes first, safest first. */
enum rank { RANK_SAFE, RANK_CHANGE, RANK_REBOOT, RANK_DECIDE, RANK_INFO, RANK_NOTHING };

/* What has a block. */
struct entry {
    const struct finding *finding;
    bool fixed; /* by what was run just now: what is left is what makes it stay */
};

/* The script while it is written. */
struct script {
    const struct report_input *input;
    struct entry *entries;
    size_t count, capacity;
    struct text *output;
    unsigned indent;        /* of what is in a function */
    struct strlist printed; /* commands that are lines of it */
    struct strlist reboots; /* codes of findings that take a reboot after them */
};

/* Words behind "# ", folded; the second line and later ones hang below the first. */
static void comment(const struct script *script, unsigned hang, const char *words)
{
    AUTO_TEXT struct text folded = {0};
    struct wrap wrap;
    wrap_begin(&wrap, &folded, script->input->columns - script->indent - 2, 0, hang);
    wrap_words(&wrap, words);
    for (char *rest = folded.data, *line; (line = string_next_line(&rest)) != NULL;)
        text_printf(script->output, "%*s# %s\n", (int)script->indent, "", line);
}

/* A command that is not run: on lines of its own, so that it can be copied. */
static void comment_command(const struct script *script, const char *command)
{
    AUTO_STRLIST struct strlist lines = {0};
    fix_split(command, &lines);
    for (size_t i = 0; i < lines.count; i++) {
        struct wrap wrap;
        text_printf(script->output, "%*s#       ", (int)script->indent, "");
        wrap_begin(&wrap, script->output, script->input->columns, 0, 0);
        wrap_whole(&wrap, lines.items[i]);
        wrap_end(&wrap);
    }
}

static bool is_change(const struct finding_fix *fix)
{
    return fix->command && fix->kind >= FIX_CHOICE;
}

/* A rule that forgot to quote must not get a second line into the script. */
static bool is_one_line(const char *command)
{
    for (const char *c = command; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return false;
    return true;
}

static const char *ran_before(const struct script *script, const char *command)
{
    for (size_t i = 0; i < script->input->ran_count; i++) {
        const struct report_ran *ran = &script->input->ran[i];
        if (ran->status != RAN_NOT && strstr(command, ran->command))
            return ran->status == RAN_DONE ? "was run just now" : "failed just now";
    }
    return NULL;
}

/* Whether the fix with index is a line that runs: of a finding's ways the first, with what belongs
 * to it, and whatever gpuenv would run itself. */
static bool is_live(const struct script *script, const struct entry *entry, size_t index)
{
    const struct finding *finding = entry->finding;
    bool first = true, before = false, live = false;
    if (finding->severity == SEVERITY_INFO || finding->caused_by)
        return false;
    for (size_t i = 0; i <= index; i++) {
        const struct finding_fix *fix = &finding->fixes[i];
        live = false;
        if (!is_change(fix))
            continue;
        bool ran = fix->kind == FIX_RUN && ran_before(script, fix->command);
        live = is_one_line(fix->command) && ((fix->kind == FIX_RUN && !ran) ||
                                             (fix->kind == FIX_STEP && first && !entry->fixed) ||
                                             (fix->kind == FIX_ALSO && before));
        first = false;
        before = live || ran;
    }
    return live;
}

static enum rank rank_of(const struct script *script, const struct entry *entry)
{
    const struct finding *finding = entry->finding;
    enum rank rank = RANK_SAFE;
    bool live = false;
    if (finding->caused_by || (finding->severity == SEVERITY_INFO && finding->fix_count == 0))
        return RANK_NOTHING;
    if (finding->severity == SEVERITY_INFO)
        return RANK_INFO;
    for (size_t i = 0; i < finding->fix_count; i++) {
        const struct finding_fix *fix = &finding->fixes[i];
        if (!is_live(script, entry, i))
            continue;
        live = true;
        if (fix->reboot)
            rank = RANK_REBOOT;
        else if (fix->kind != FIX_RUN && rank == RANK_SAFE)
            rank = RANK_CHANGE;
    }
    if (entry->fixed && !live)
        return RANK_NOTHING;
    return live ? rank : RANK_DECIDE;
}

static bool is_found(const struct judgement *judgement, const struct finding *finding)
{
    for (size_t i = 0; i < judgement->finding_count; i++)
        if (string_equal(judgement->findings[i]->code, finding->code) &&
            string_equal(judgement->findings[i]->subject, finding->subject))
            return true;
    return false;
}

static bool was_run_for(const struct report_input *input, const struct finding *finding)
{
    for (size_t i = 0; i < input->ran_count; i++)
        if (input->ran[i].status == RAN_DONE && string_equal(input->ran[i].code, finding->code))
            return true;
    return false;
}

static void add_entry(struct script *script, const struct finding *finding, bool fixed)
{
    struct entry *entry = vec_push(script->entries, script->count, script->capacity);
    entry->finding = finding;
    entry->fixed = fixed;
}

/* A cause that was fixed is in all judgements until then: it has one block. */
static void add_fixed(struct script *script, const struct judgement *before)
{
    for (size_t i = 0; i < before->finding_count; i++) {
        const struct finding *finding = before->findings[i];
        bool added = false;
        for (size_t k = 0; k < script->count; k++)
            added = added || string_equal(script->entries[k].finding->code, finding->code);
        if (!added && was_run_for(script->input, finding) &&
            !is_found(script->input->judgement, finding))
            add_entry(script, finding, true);
    }
}

static void begin(struct script *script)
{
    const struct report_input *input = script->input;
    for (size_t i = 0; i < input->before_count; i++)
        add_fixed(script, input->before[i]);
    for (size_t i = 0; i < input->judgement->finding_count; i++)
        add_entry(script, input->judgement->findings[i], false);
}

static void end(struct script *script)
{
    free(script->entries);
    strlist_free(&script->printed);
    strlist_free(&script->reboots);
}

/* "makes the nodes now (needs root)": label, note and what a command needs, as far as there are
 * any. */
static void comment_fix(const struct script *script, const struct finding_fix *fix,
                        const char *label, unsigned hang)
{
    AUTO_TEXT struct text text = {0};
    bool told = fix->note && string_contains_nocase(fix->note, "reboot");
    bool does = fix->kind == FIX_REBOOT;
    bool root = fix->root && fix->command;
    const char *reboot = fix->reboot && !told && !does ? "a reboot" : NULL;
    text_append(&text, label);
    if (fix->note)
        text_printf(&text, "%s%s", *label && !string_ends(label, " ") ? ": " : "", fix_note(fix));
    if (root || reboot)
        text_printf(&text, "%sneeds %s%s%s%s", text.size ? " (" : "", root ? "root" : "",
                    root && reboot ? " and " : "", reboot ? reboot : "", text.size ? ")" : "");
    if (text.size)
        comment(script, hang, text_string(&text));
}

static void live_fix(struct script *script, const struct finding *finding,
                     const struct finding_fix *fix)
{
    AUTO_STRLIST struct strlist lines = {0};
    comment_fix(script, fix, "", 0);
    if (fix->reboot)
        strlist_add_new(&script->reboots, finding->code);
    if (!strlist_add_new(&script->printed, fix->command)) {
        comment(script, 0, "the same command is above");
        return;
    }
    fix_split(fix->command, &lines);
    for (size_t i = 0; i < lines.count; i++)
        text_printf(script->output, "%*s%s\n", (int)script->indent, "", lines.items[i]);
}

static const char *label_of(const struct script *script, const struct finding_fix *fix, bool or)
{
    static const char *const labels[] = {
        [FIX_ADVICE] = "- ",           [FIX_HOST] = "- ",
        [FIX_LOOK] = "- look",         [FIX_SHELL] = "- in your own shell",
        [FIX_CHOICE] = "- you decide", [FIX_STEP] = "- or",
        [FIX_ALSO] = "- and",          [FIX_REBOOT] = "- reboot",
        [FIX_RUN] = "- run it",
    };
    if (fix->kind == FIX_RUN && ran_before(script, fix->command))
        return string_equal(ran_before(script, fix->command), "failed just now")
                   ? "- failed just now"
                   : "- was run just now";
    return fix->kind == FIX_STEP && ! or ? "- " : labels[fix->kind];
}

static void comment_way(const struct script *script, const struct finding_fix *fix, bool or)
{
    comment_fix(script, fix, label_of(script, fix, or), 2);
    if (fix->command)
        comment_command(script, fix->command);
}

/* Findings that go away with this one. */
static void comment_consequences(const struct script *script, const struct finding *finding)
{
    const struct judgement *judgement = script->input->judgement;
    AUTO_STRLIST struct strlist names = {0};
    for (size_t i = 0; i < judgement->finding_count; i++) {
        const struct finding *other = judgement->findings[i];
        if (!string_equal(other->caused_by, finding->code))
            continue;
        AUTO_FREE char *name = mem_printf("%s %s", other->code, other->cause);
        strlist_add_new(&names, name);
    }
    if (names.count == 0)
        return;
    AUTO_FREE char *list = strlist_join(&names, ", ");
    AUTO_FREE char *words = mem_printf("this also fixes: %s", list);
    comment(script, 0, words);
}

static void block_title(const struct script *script, const struct entry *entry)
{
    const struct finding *finding = entry->finding;
    AUTO_FREE char *title =
        mem_printf("%s %s (%s): %s", finding->code, finding->cause,
                   entry->fixed ? "fixed just now" : severity_name(finding->severity),
                   finding_message(finding));
    text_append_char(script->output, '\n');
    comment(script, 0, title);
    if (finding->why && !entry->fixed) {
        AUTO_FREE char *why = mem_printf("why: %s", finding->why);
        comment(script, 0, why);
    }
    comment_consequences(script, finding);
}

static void block(struct script *script, const struct entry *entry)
{
    const struct finding *finding = entry->finding;
    bool or = false;
    block_title(script, entry);
    for (size_t i = 0; i < finding->fix_count; i++) {
        if (is_live(script, entry, i))
            live_fix(script, finding, &finding->fixes[i]);
        else if (!entry->fixed)
            comment_way(script, &finding->fixes[i], or);
        or = or || is_change(&finding->fixes[i]);
    }
    if (finding->fix_count == 0)
        comment(script, 0, "- gpuenv knows no fix for this");
}

static void blocks(struct script *script, enum rank rank)
{
    for (size_t i = 0; i < script->count; i++)
        if (rank_of(script, &script->entries[i]) == rank)
            block(script, &script->entries[i]);
}

static size_t count_rank(const struct script *script, enum rank rank)
{
    size_t count = 0;
    for (size_t i = 0; i < script->count; i++)
        count += rank_of(script, &script->entries[i]) == rank;
    return count;
}

static size_t count_live(const struct script *script)
{
    return count_rank(script, RANK_SAFE) + count_rank(script, RANK_CHANGE) +
           count_rank(script, RANK_REBOOT);
}

static void finish_main(struct script *script)
{
    if (script->reboots.count) {
        AUTO_FREE char *codes = strlist_join(&script->reboots, ", ");
        AUTO_FREE char *words = mem_printf("done; only a reboot remains, for %s", codes);
        AUTO_FREE char *quoted = shell_quote(words);
        text_append_char(script->output, '\n');
        comment(script, 0, "Last of all, when you are ready:");
        comment_command(script, sudo_is_used(script->input->facts) ? "sudo reboot" : "reboot");
        text_printf(script->output, "%*sprintf '%%s\\n' %s >&2\n", (int)script->indent, "", quoted);
    }
    text_append(script->output, "}\n");
    script->indent = 0;
}

static void live_blocks(struct script *script)
{
    static const enum rank ranks[] = {RANK_SAFE, RANK_CHANGE, RANK_REBOOT};
    text_append(script->output, "\nmain() {");
    script->indent = 4;
    for (size_t i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++)
        blocks(script, ranks[i]);
    finish_main(script);
}

static void other_blocks(struct script *script)
{
    if (count_rank(script, RANK_DECIDE)) {
        text_append(script->output, "\n");
        comment(script, 0, "Nothing below runs by itself: you decide.");
        blocks(script, RANK_DECIDE);
    }
    if (count_rank(script, RANK_INFO) && !script->input->quiet) {
        text_append(script->output, "\n");
        comment(script, 0, "Not faults: optional changes.");
        blocks(script, RANK_INFO);
    }
}

bool report_fix_any(const struct report_input *input)
{
    struct script script = {.input = input};
    begin(&script);
    bool any = count_live(&script) || count_rank(&script, RANK_DECIDE);
    end(&script);
    return any;
}

void report_fix(const struct report_input *input, struct text *output)
{
    struct script script = {.input = input, .output = output};
    begin(&script);
    size_t live = count_live(&script);
    bool any = live || count_rank(&script, RANK_DECIDE) || count_rank(&script, RANK_INFO);
    fix_append_head(input, live > 0, any, output);
    if (live)
        live_blocks(&script);
    other_blocks(&script);
    if (live) /* last, so that a script that was cut off does nothing */
        text_append(output, "\nmain\n");
    end(&script);
}
