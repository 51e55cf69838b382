/* SPDX-License-Identifier: MIT */
#include "host/child/asking_private.h"

#include <string.h>

static void replace(char **field, const char *text, size_t size)
{
    free(*field);
    *field = mem_string_n(text, size < ASKING_STEP_MAX ? size : ASKING_STEP_MAX);
}

static void take_answer(struct asking_lines *lines, const char *text, size_t size,
                        struct text *answers)
{
    if (answers->size + size + 1 > ASKING_ANSWERS_MAX) {
        lines->overflow = true;
        return;
    }
    text_append_n(answers, text, size);
    text_append_char(answers, '\n');
}

static void take_line(struct asking_lines *lines, const char *line, size_t size,
                      struct text *answers)
{
    if (size < 2 || line[0] != ASKING_MARK)
        return;
    const char *text = line + 2;
    size -= 2;
    switch (line[1]) {
    case ASKING_ANSWER:
        take_answer(lines, text, size, answers);
        break;
    case ASKING_STEP:
        replace(&lines->step, text, size);
        break;
    case ASKING_REFUSED:
        replace(&lines->refused, text, size);
        break;
    case ASKING_DONE:
        lines->done = true;
        break;
    default:
        break;
    }
}

static void take_part(struct asking_lines *lines, const char *bytes, size_t size)
{
    if (lines->partial.size + size > ASKING_LINE_MAX)
        lines->dropping = true;
    if (!lines->dropping)
        text_append_n(&lines->partial, bytes, size);
}

void asking_lines_take(struct asking_lines *lines, const char *bytes, size_t size,
                       struct text *answers)
{
    while (size > 0) {
        const char *end = memchr(bytes, '\n', size);
        size_t length = end ? (size_t)(end - bytes) : size;
        take_part(lines, bytes, length);
        if (end == NULL)
            return;
        if (lines->dropping)
            lines->overflow = true;
        else
            take_line(lines, text_string(&lines->partial), lines->partial.size, answers);
        text_clear(&lines->partial);
        lines->dropping = false;
        bytes += length + 1;
        size -= length + 1;
    }
}

void asking_lines_free(struct asking_lines *lines)
{
    text_free(&lines->partial);
    free(lines->step);
    free(lines->refused);
    *lines = (struct asking_lines){0};
}
