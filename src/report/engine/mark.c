/* SPDX-License-Identifier: MIT */
#include "report/engine/mark.h"

#include "rules/engine/finding.h"

#define COLOUR_RED    "\x1b[31m"
#define COLOUR_GREEN  "\x1b[32m"
#define COLOUR_YELLOW "\x1b[33m"
#define COLOUR_BLUE   "\x1b[34m"
#define COLOUR_BOLD   "\x1b[1m"
#define COLOUR_FAINT  "\x1b[2m"
#define COLOUR_OFF    "\x1b[0m"

struct look {
    const char *word;   /* five columns with the space behind it */
    const char *sign;   /* one column */
    const char *colour; /* escape sequence */
};

static const struct look looks[] = {
    [MARK_NONE] = {.word = "     ", .sign = " ", .colour = ""},
    [MARK_OK] = {.word = "ok   ", .sign = "✓", .colour = COLOUR_GREEN},
    [MARK_INFO] = {.word = "info ", .sign = "·", .colour = COLOUR_BLUE},
    [MARK_WARN] = {.word = "WARN ", .sign = "!", .colour = COLOUR_YELLOW},
    [MARK_FAIL] = {.word = "FAIL ", .sign = "✗", .colour = COLOUR_RED},
    [MARK_SKIP] = {.word = "skip ", .sign = "–", .colour = COLOUR_FAINT},
    [MARK_UNKNOWN] = {.word = "??   ", .sign = "?", .colour = COLOUR_YELLOW},
};

static const enum mark severity_marks[] = {
    [SEVERITY_INFO] = MARK_INFO,
    [SEVERITY_WARN] = MARK_WARN,
    [SEVERITY_FAIL] = MARK_FAIL,
};

enum mark mark_of_severity(enum severity severity)
{
    return severity_marks[severity];
}

unsigned mark_width(bool colour)
{
    return colour ? 2 : 5;
}

void mark_append(struct text *output, enum mark mark, bool colour)
{
    const struct look *look = &looks[mark];
    if (!colour)
        text_append(output, look->word);
    else if (mark == MARK_NONE)
        text_append(output, "  ");
    else
        text_printf(output, "%s%s" COLOUR_OFF " ", look->colour, look->sign);
}

void mark_append_word(struct text *output, enum mark mark, const char *word, bool colour)
{
    if (colour)
        text_printf(output, COLOUR_BOLD "%s%s" COLOUR_OFF, looks[mark].colour, word);
    else
        text_append(output, word);
}

void mark_dim(struct text *output, enum dim dim, bool colour)
{
    if (colour)
        text_append(output, dim == DIM_BEGIN ? COLOUR_FAINT : COLOUR_OFF);
}
