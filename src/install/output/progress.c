/* SPDX-License-Identifier: MIT */
#include "install/output/progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/wrap.h"
#include "host/local/terminal.h"
#include "host/root/bytes.h"
#include "host/root/clock.h"
#include "install/output/print.h"

#define COLUMNS         80
#define BAR_EVERY_MS    100
#define JSON_EVERY_MS   1000
#define RATE_SAMPLES    16
#define RATE_EVERY_MS   250
#define NOTE_LABEL      "gpuenv: "
#define NOTE_LABEL_SIZE 8
#define CLEAR_REST      "\x1b[K"

/* Bytes that had come at a time. */
struct sample {
    uint64_t ms, bytes;
};

struct progress {
    enum progress_kind kind;
    bool quiet;
    struct progress_view view;
    char *file;    /* of the view */
    uint64_t came; /* in this run: what a rate is made of */
    uint64_t drawn_ms;
    bool is_drawn;
    struct sample samples[RATE_SAMPLES]; /* of the last seconds, oldest overwritten */
    size_t sample_count;
};

static const struct {
    const char *word;
    enum progress_kind kind;
} words[] = {
    {"none", PROGRESS_NONE},
    {"bar", PROGRESS_BAR},
    {"plain", PROGRESS_PLAIN},
    {"json", PROGRESS_JSON},
};

static bool is_capable_terminal(void)
{
    const char *terminal = getenv("TERM");
    return isatty(STDERR_FILENO) && terminal && *terminal && !string_equal(terminal, "dumb");
}

static bool kind_of(const char *word, enum progress_kind *ret_kind, struct error *error)
{
    if (string_equal(word, "auto")) {
        *ret_kind = is_capable_terminal() ? PROGRESS_BAR : PROGRESS_PLAIN;
        return true;
    }
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        if (!string_equal(word, words[i].word))
            continue;
        *ret_kind = words[i].kind;
        return true;
    }
    error_set(error, ERROR_USAGE, "--progress: unknown kind");
    error_where(error, "%s", word);
    return error_next(error, "choose auto, bar, plain, json or none");
}

struct progress *progress_new(const char *word, bool quiet, struct error *error)
{
    enum progress_kind kind = PROGRESS_NONE;
    if (!kind_of(word, &kind, error))
        return NULL;
    struct progress *progress = mem_alloc(sizeof(*progress));
    progress->kind = kind;
    progress->quiet = quiet;
    return progress;
}

/* One write(2) for one line: lines of other writers come between, not into it. What stderr does
 * not take is lost, and no reason to stop. */
static void say(const struct text *line)
{
    (void)!bytes_write(STDERR_FILENO, text_string(line), line->size);
}

static void take_bar_away(struct progress *progress)
{
    AUTO_TEXT struct text line = {0};
    if (!progress->is_drawn)
        return;
    text_append(&line, "\r" CLEAR_REST);
    say(&line);
    progress->is_drawn = false;
}

void progress_free(struct progress *progress)
{
    if (progress == NULL)
        return;
    take_bar_away(progress);
    free(progress->file);
    free(progress);
}

static unsigned columns_of_terminal(void)
{
    unsigned columns = terminal_columns(STDERR_FILENO);
    if (columns == 0 || columns > COLUMNS)
        columns = COLUMNS;
    return columns - 1; /* in the last column some terminals begin a new line */
}

static const struct sample *oldest_sample(const struct progress *progress)
{
    if (progress->sample_count < RATE_SAMPLES)
        return &progress->samples[0];
    return &progress->samples[progress->sample_count % RATE_SAMPLES];
}

/* Over the last four seconds or so. */
static void measure(struct progress *progress, uint64_t now)
{
    size_t count = progress->sample_count;
    if (count > 0 && now - progress->samples[(count - 1) % RATE_SAMPLES].ms < RATE_EVERY_MS)
        return;
    if (count > 0) {
        const struct sample *oldest = oldest_sample(progress);
        uint64_t came = progress->came - oldest->bytes;
        progress->view.rate = (uint64_t)((double)came * 1000 / (double)(now - oldest->ms + 1));
    }
    progress->samples[count % RATE_SAMPLES] = (struct sample){.ms = now, .bytes = progress->came};
    progress->sample_count++;
}

static void draw_bar(struct progress *progress)
{
    AUTO_TEXT struct text line = {0};
    text_append_char(&line, '\r');
    progress_append_bar(&progress->view, columns_of_terminal(), &line);
    text_append(&line, CLEAR_REST);
    say(&line);
    progress->is_drawn = true;
}

static void say_json(json_t *object)
{
    AUTO_TEXT struct text line = {0};
    AUTO_JSON json_t *owned = object;
    char *dumped = json_dumps(owned, JSON_COMPACT | JSON_ENSURE_ASCII);
    if (dumped == NULL)
        return;
    text_printf(&line, "%s\n", dumped);
    free(dumped);
    say(&line);
}

static json_t *event_new(const char *event)
{
    json_t *object = json_object();
    json_object_set_new(object, "event", json_string(event));
    return object;
}

static void set_bytes(json_t *object, const char *key, uint64_t bytes)
{
    json_object_set_new(object, key, json_integer((json_int_t)bytes));
}

static void say_bytes(const struct progress *progress)
{
    json_t *object = event_new("bytes");
    set_bytes(object, "done", progress->view.done);
    set_bytes(object, "total", progress->view.total);
    set_bytes(object, "rate", progress->view.rate);
    say_json(object);
}

/* What moves is shown now and then, what happens once (now: true) always. */
static void refresh(struct progress *progress, bool at_once)
{
    uint64_t now = clock_ms();
    uint64_t every = progress->kind == PROGRESS_BAR ? BAR_EVERY_MS : JSON_EVERY_MS;
    if (progress->quiet || (progress->kind != PROGRESS_BAR && progress->kind != PROGRESS_JSON))
        return;
    measure(progress, now);
    if (!at_once && now - progress->drawn_ms < every)
        return;
    progress->drawn_ms = now;
    if (progress->kind == PROGRESS_BAR)
        draw_bar(progress);
    else
        say_bytes(progress);
}

void progress_total(struct progress *progress, uint64_t bytes, unsigned files)
{
    if (progress == NULL)
        return;
    progress->view.total = bytes;
    progress->view.files = files;
    progress->view.done = progress->view.files_done = 0;
    if (progress->kind == PROGRESS_JSON && !progress->quiet) {
        json_t *object = event_new("total");
        set_bytes(object, "bytes", bytes);
        json_object_set_new(object, "files", json_integer(files));
        say_json(object);
    }
    if (progress->kind == PROGRESS_BAR)
        refresh(progress, true);
}

void progress_bytes(struct progress *progress, uint64_t bytes)
{
    if (progress == NULL)
        return;
    progress->view.done += bytes;
    progress->came += bytes;
    refresh(progress, false);
}

void progress_had(struct progress *progress, uint64_t bytes)
{
    if (progress == NULL)
        return;
    progress->view.done += bytes;
    refresh(progress, false);
}

void progress_lost(struct progress *progress, uint64_t bytes)
{
    if (progress == NULL)
        return;
    progress->view.done -= bytes < progress->view.done ? bytes : progress->view.done;
    refresh(progress, false);
}

static void say_step_json(const char *step, const char *file, uint64_t bytes)
{
    json_t *object = event_new("step");
    json_object_set_new(object, "step", json_from_string(step));
    json_object_set_new(object, "file", json_from_string(file));
    set_bytes(object, "bytes", bytes);
    say_json(object);
}

/* "fetched  3/21 libcublas-….tar.xz (523 MB)" */
static void say_step_plain(const struct progress *progress, const char *step, const char *file,
                           uint64_t bytes)
{
    AUTO_TEXT struct text line = {0};
    char size[PRINT_SIZE];
    text_printf(&line, "%s ", step);
    if (progress->view.files > 0)
        text_printf(&line, "%u/%u ", progress->view.files_done, progress->view.files);
    text_append_safe(&line, file);
    text_printf(&line, " (%s)\n", print_size(bytes, size));
    say(&line);
}

void progress_step(struct progress *progress, const char *step, const char *file, uint64_t bytes)
{
    if (progress == NULL)
        return;
    if (string_equal(step, "fetched") || string_equal(step, "cached"))
        progress->view.files_done++;
    free(progress->file);
    progress->file = mem_string(file);
    progress->view.file = progress->file;
    progress->view.step = step;
    if (progress->quiet)
        return;
    bool is_passing = string_equal(step, "fetching") || string_equal(step, "unpacking");
    if (progress->kind == PROGRESS_JSON)
        say_step_json(step, file, bytes);
    else if (progress->kind == PROGRESS_PLAIN && !is_passing)
        say_step_plain(progress, step, file, bytes);
    else if (progress->kind == PROGRESS_BAR)
        refresh(progress, false);
}

/* Behind "gpuenv: ". Parts of it may have been made safe before. */
static void append_note(struct text *line, const char *note)
{
    AUTO_FREE char *copy = mem_string(note);
    char *cursor = copy;
    bool is_terminal = isatty(STDERR_FILENO);
    for (const char *part = string_next_line(&cursor); part; part = string_next_line(&cursor)) {
        AUTO_TEXT struct text safe = {0};
        struct wrap wrap;
        text_append_safe_again(&safe, part);
        wrap_begin(&wrap, line, terminal_width(STDERR_FILENO), part == copy ? NOTE_LABEL_SIZE : 0,
                   4);
        if (is_terminal)
            wrap_words_again(&wrap, text_string(&safe));
        else
            text_append(line, text_string(&safe));
        wrap_end(&wrap);
    }
}

void progress_note(struct progress *progress, const char *format, ...)
{
    AUTO_TEXT struct text note = {0};
    va_list arguments;
    if (progress == NULL)
        return;
    va_start(arguments, format);
    text_vprintf(&note, format, arguments);
    va_end(arguments);
    if (progress->kind == PROGRESS_JSON) {
        json_t *object = event_new("note");
        json_object_set_new(object, "text", json_from_string(text_string(&note)));
        say_json(object);
        return;
    }
    AUTO_TEXT struct text line = {0};
    if (progress->is_drawn)
        text_append(&line, "\r" CLEAR_REST);
    text_append(&line, NOTE_LABEL);
    append_note(&line, text_string(&note));
    say(&line);
    if (progress->is_drawn)
        draw_bar(progress);
}
