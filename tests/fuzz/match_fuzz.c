/* SPDX-License-Identifier: MIT */
/* Patterns, one a line up to an empty line, and a text: the same is found however the text is cut
 * into pieces, in a search that has read a text before, and inside it. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "match/search.h"

#define MAX      4096
#define PATTERNS 8

struct notes {
    struct text text;
};

static void note(void *context, const struct search_found *found)
{
    struct notes *notes = context;
    const struct pattern_match *match = &found->match;
    if (match->start > match->end || match->end > found->size || found->line == 0)
        abort();
    for (size_t i = 0; i < match->count; i++)
        if (match->values[i].bytes < found->text ||
            match->values[i].bytes + match->values[i].size > found->text + found->size)
            abort();
    text_printf(&notes->text, "%u:%llu:%zu ", found->pattern, (unsigned long long)found->line,
                match->count);
}

static char *found_in(struct search *search, struct notes *notes, const char *bytes, size_t size,
                      size_t piece)
{
    search_restart(search);
    for (size_t at = 0; at < size; at += piece)
        search_feed(search, bytes + at, size - at < piece ? size - at : piece);
    search_end(search);
    return text_steal(&notes->text);
}

/* The lines of words that are patterns; how many. */
static size_t read_patterns(char *words, struct pattern *patterns)
{
    size_t count = 0;
    for (char *line; count < PATTERNS && (line = string_next_line(&words)) != NULL;)
        count += pattern_parse(line, NULL, &patterns[count]) == NULL;
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pattern patterns[PATTERNS];
    if (size == 0 || size > MAX)
        return 0;
    AUTO_FREE char *input = mem_string_n((const char *)data, size);
    char *empty = memmem(input, size, "\n\n", 2);
    if (empty == NULL)
        return 0;
    *empty = '\0';
    const char *bytes = empty + 2;
    size_t left = size - (size_t)(bytes - input);
    size_t count = read_patterns(input, patterns);
    struct notes notes = {.text = {0}};
    struct search *search = search_new(patterns, count, NULL, note, &notes);
    AUTO_FREE char *whole = found_in(search, &notes, bytes, left, MAX);
    AUTO_FREE char *cut = found_in(search, &notes, bytes, left, 1 + data[0] % 13u);
    if (strcmp(whole, cut) != 0)
        abort();
    search_free(search);
    for (size_t i = 0; i < count; i++)
        pattern_free(&patterns[i]);
    return 0;
}
