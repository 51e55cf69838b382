/* SPDX-License-Identifier: MIT */
#include "probe/kernel/kernel_line.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "base/text.h"

#define MESSAGE_MAX 300
#define SHAPE_MAX   200
#define WALL_MAX    40
#define LEVEL_ERROR 3

/* Words for a failure, without the letter that may be a capital. Which lines with them are harmless
 * is for the rules: manifests/log.json. */
static const char *const trouble_words[] = {
    "rror",          "RROR",
    "ail",           "FAIL",
    "annot",         "an't ",
    "ould not",      "nable to",
    "imed out",      "imeout",
    "IMEOUT",        "iving up",
    "nvalid",        "efus",
    "arning",        "WARNING",
    "BUG",           "ncorrect",
    "naccessible",   "ot ready",
    "Link Down",     "ard not present",
    "orrupt",        "nexpected",
    "ot respond",    "tuck",
    "o space",       "alted",
    "ault addr",     "PAGE_FAULT",
    "allen off",     "isagree",
    "nknown symbol", "ejected",
    "mismatch",      "nsupported",
    "ot supported",  "iolation",
    "verflow",       "ad state",
    "eset required", "xception",
};
#define WORD_COUNT (sizeof(trouble_words) / sizeof(trouble_words[0]))
_Static_assert(WORD_COUNT <= KERNEL_LINE_WORDS_MAX, "kernel_lines has room for each word");

static void make_ready(struct kernel_lines *lines)
{
    for (size_t i = 0; i < WORD_COUNT; i++)
        kernel_pairs_add(&lines->words[i], trouble_words[i]);
    lines->ready = true;
}

static bool tells_of_trouble(struct kernel_lines *lines, const struct kernel_pairs *pairs,
                             const char *line)
{
    if (!lines->ready)
        make_ready(lines);
    for (size_t i = 0; i < WORD_COUNT; i++)
        if (kernel_pairs_may_have(pairs, &lines->words[i]) && strstr(line, trouble_words[i]))
            return true;
    return false;
}

static bool is_of_driver(const char *line)
{
    static const char *const starts[] = {
        "NVRM",       "nvidia-modeset:", "nvidia-uvm:", "nvidia-nvlink", "nvidia-nvswitch",
        "nvidia-drm", "nvidia-peermem",  "nvidia-vgpu"};
    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
        if (string_starts(line, starts[i]))
            return true;
    return string_starts(line, "[drm") && strstr(line, "nvidia");
}

/* A security module tells of a program that it kept out, a trace of where the kernel was, and the
 * command line names modules: none of them says that something happened to a device. */
static bool is_of_others(const char *line)
{
    static const char *const parts[] = {"ommand line", "audit(",
                                        "apparmor=", "avc:", "Modules linked in"};
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (strstr(line, parts[i]))
            return true;
    return strstr(line, "+0x") && !string_starts(line, "RIP") && !string_starts(line, "WARNING") &&
           !strstr(line, "lockup");
}

/* "nvidia-bt" of a Bluetooth driver is somebody else's. */
static bool names_nvidia(const char *line)
{
    static const char *const names[] = {"NVIDIA",   "NVRM",     "[nvidia", " nvidia ",
                                        " nvidia/", " nvidia:", "nvidia_"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strstr(line, names[i]))
            return true;
    return string_starts(line, "nvidia");
}

/* Numbers and names of processes away: "GPU # at #:#:#.# failed (name=*)". */
static char *shape_of(const char *line)
{
    AUTO_TEXT struct text shape = {0};
    bool in_word = false;
    while (*line && shape.size < SHAPE_MAX) {
        size_t run = strspn(line, "0123456789abcdefABCDEFxX");
        size_t digits = strcspn(line, "0123456789");
        bool number = run > 0 && digits < run && !in_word && !isalnum((unsigned char)line[run]) &&
                      line[run] != '_';
        if (!number && isdigit((unsigned char)*line)) {
            run = strspn(line, "0123456789");
            number = true;
        }
        if (number) {
            text_append_char(&shape, '#');
            line += run;
            in_word = true;
            continue;
        }
        if (string_starts(line, "name=")) {
            text_append(&shape, "name=*");
            line += strcspn(line, ",");
            continue;
        }
        in_word = isalnum((unsigned char)*line) || *line == '_';
        text_append_char(&shape, *line++);
    }
    return text_steal(&shape);
}

static struct kernel_line *find_or_add(struct kernel_lines *lines, const char *shape,
                                       const char *bus_id)
{
    for (size_t i = 0; i < lines->count; i++)
        if (strcmp(lines->lines[i].shape, shape) == 0 &&
            strcmp(lines->lines[i].bus_id, bus_id) == 0)
            return &lines->lines[i];
    if (lines->count >= KERNEL_LINES_MAX) {
        lines->left_out++;
        return NULL;
    }
    struct kernel_line *line = vec_push(lines->lines, lines->count, lines->capacity);
    line->shape = mem_string(shape);
    memcpy(line->bus_id, bus_id, strlen(bus_id) + 1);
    line->first_seconds = -1;
    line->last_seconds = -1;
    return line;
}

static void set_string(char **target, const char *value, size_t max)
{
    free(*target);
    *target = mem_string_n(value, strnlen(value, max));
}

/* An Xid is what its number says: that one is no mere number. */
static struct kernel_line *count_line(struct kernel_lines *lines, const char *bus_id,
                                      int64_t number, struct kernel_time time, const char *text)
{
    AUTO_FREE char *words = shape_of(text);
    AUTO_FREE char *shape = mem_printf("%" PRId64 " %s", number, words);
    struct kernel_line *line = find_or_add(lines, shape, bus_id);
    if (line == NULL)
        return NULL;
    line->count++;
    if (time.seconds >= 0) {
        line->first_seconds = line->first_seconds < 0 ? time.seconds : line->first_seconds;
        line->last_seconds = time.seconds;
    }
    if (time.wall) {
        if (line->first == NULL)
            set_string(&line->first, time.wall, WALL_MAX);
        set_string(&line->last, time.wall, WALL_MAX);
    }
    if (line->message == NULL)
        set_string(&line->message, text, MESSAGE_MAX);
    if (line->source == NULL)
        set_string(&line->source, lines->source, PATH_MAX);
    line->number = number;
    return line;
}

/* The kernel's line counts where it tells of a failure of a watched device, or of nvidia. */
static bool find_device(const struct kernel_reader *reader, const char *line,
                        char ret_bus_id[static KERNEL_BUS_ID_SIZE])
{
    if (is_of_others(line))
        return false;
    bool addressed = kernel_address_find(line, reader->watched, ret_bus_id);
    if (addressed && strlist_has(reader->watched, ret_bus_id))
        return true;
    /* Of another maker's device that happens to be named beside it. */
    return !addressed && names_nvidia(line);
}

void kernel_lines_add(struct kernel_lines *lines, const struct kernel_reader *reader,
                      const struct kernel_event *event, int level, struct kernel_time time,
                      const char *text)
{
    char bus_id[KERNEL_BUS_ID_SIZE] = "";
    bool driver = is_of_driver(text);
    bool trouble =
        (level >= 0 && level <= LEVEL_ERROR) || tells_of_trouble(lines, &reader->line, text);
    if (!driver && (!trouble || !find_device(reader, text, bus_id)))
        return;
    if (driver && !kernel_address_find(text, reader->watched, bus_id) &&
        string_starts(text, "NVRM"))
        memcpy(bus_id, reader->last_bus_id, sizeof(bus_id));
    int64_t number = event && event->numbered ? event->number : -1;
    struct kernel_line *line = count_line(lines, bus_id, number, time, text);
    if (line == NULL)
        return;
    line->by = driver ? "driver" : "kernel";
    line->trouble = line->trouble || trouble;
    line->event = event ? event->name : NULL;
}

void kernel_lines_add_service(struct kernel_lines *lines, const char *service,
                              struct kernel_time time, const char *text)
{
    struct kernel_pairs pairs = {{0}};
    kernel_pairs_add(&pairs, text);
    if (!tells_of_trouble(lines, &pairs, text))
        return;
    AUTO_FREE char *whole = mem_printf("%s: %s", service, text);
    struct kernel_line *line = count_line(lines, "", -1, time, whole);
    if (line == NULL)
        return;
    line->by = "service";
    line->trouble = true;
}

static void join(struct kernel_line *target, const struct kernel_line *line)
{
    target->by = line->by;
    target->event = line->event;
    target->number = line->number;
    target->trouble = target->trouble || line->trouble;
    if (line->first_seconds >= 0 &&
        (target->first_seconds < 0 || line->first_seconds < target->first_seconds))
        target->first_seconds = line->first_seconds;
    if (line->last_seconds > target->last_seconds)
        target->last_seconds = line->last_seconds;
    if (line->first && target->first == NULL)
        set_string(&target->first, line->first, WALL_MAX);
    if (line->last && target->last == NULL)
        set_string(&target->last, line->last, WALL_MAX);
    if (line->count <= target->count)
        return;
    target->count = line->count;
    set_string(&target->message, line->message, MESSAGE_MAX);
    set_string(&target->source, line->source, PATH_MAX);
}

void kernel_lines_merge(struct kernel_lines *target, const struct kernel_lines *lines)
{
    target->left_out = target->left_out > lines->left_out ? target->left_out : lines->left_out;
    for (size_t i = 0; i < lines->count; i++) {
        const struct kernel_line *line = &lines->lines[i];
        struct kernel_line *known = find_or_add(target, line->shape, line->bus_id);
        if (known)
            join(known, line);
    }
}

static void note_number(struct facts *facts, const char *group, const char *name, int64_t number,
                        const char *source)
{
    if (number >= 0)
        facts_set_integer(facts, group, name, number, source);
    else
        facts_set_absent(facts, group, name, source);
}

static void note_one(const struct kernel_line *line, size_t index, struct facts *facts)
{
    const char *source = line->source;
    AUTO_FREE char *instance = mem_printf("%zu", index + 1);
    AUTO_FREE char *group = facts_group_name("log_line", instance);
    facts_set_string(facts, group, "by", line->by, source);
    facts_set_string(facts, group, "event", line->event, source);
    note_number(facts, group, "number", line->number, source);
    facts_set_string(facts, group, "bus_id", line->bus_id[0] ? line->bus_id : NULL, source);
    facts_set_boolean(facts, group, "trouble", line->trouble, source);
    facts_set_integer(facts, group, "count", line->count, source);
    note_number(facts, group, "first_seconds", line->first_seconds, source);
    note_number(facts, group, "last_seconds", line->last_seconds, source);
    facts_set_string(facts, group, "first", line->first, source);
    facts_set_string(facts, group, "last", line->last, source);
    facts_set_string(facts, group, "message", line->message, source);
}

void kernel_lines_note(const struct kernel_lines *lines, struct facts *facts)
{
    facts_set_integer(facts, "log_line", "left_out", lines->left_out,
                      "the logs that could be read");
    for (size_t i = 0; i < lines->count; i++)
        note_one(&lines->lines[i], i, facts);
}

void kernel_lines_clear(struct kernel_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++) {
        free(lines->lines[i].first);
        free(lines->lines[i].last);
        free(lines->lines[i].message);
        free(lines->lines[i].shape);
        free(lines->lines[i].source);
    }
    lines->count = 0;
    lines->left_out = 0;
}

void kernel_lines_free(struct kernel_lines *lines)
{
    kernel_lines_clear(lines);
    free(lines->lines);
    *lines = (struct kernel_lines){0};
}
