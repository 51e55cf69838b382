/* SPDX-License-Identifier: MIT */
#include "match/search.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "match/automaton.h"
#include "match/clean.h"

#define PIECE    65536u        /* bytes that are taken at once */
#define LINE     8192u         /* a longer line is read in pieces of this size */
#define BEHIND   PATTERN_REACH /* what a pattern may read behind the end of its anchor */
#define BEFORE   8192u         /* and before it */
#define WINDOW   262144u       /* as much is kept before it is moved */
#define HITS_MAX 4096u

struct hit {
    uint32_t pattern;
    size_t end;
};
struct search {
    const struct pattern *patterns;
    const struct pattern_lists *lists;
    search_each *each;
    void *context;
    struct automaton *automaton;
    automaton_state state;
    struct text line; /* the beginning of a line whose end was not yet given */
    bool inside;      /* its start was read before */
    struct text window;
    uint64_t moved; /* bytes before the window */
    size_t read;    /* by the automaton */
    size_t counted; /* up to here lines are counted */
    uint64_t lines; /* ends of lines before counted */
    uint64_t total; /* lines in all */
    struct hit hits[HITS_MAX];
    size_t hit_count;
    size_t hit_end; /* of those that are noted now */
};

struct search *search_new(const struct pattern *patterns, size_t count,
                          const struct pattern_lists *lists, search_each *each, void *context)
{
    struct search *search = mem_alloc(sizeof(*search));
    search->patterns = patterns;
    search->lists = lists;
    search->each = each;
    search->context = context;
    search->automaton = automaton_new();
    for (size_t i = 0; i < count; i++)
        if (patterns[i].anchor != NULL)
            automaton_add(search->automaton, patterns[i].anchor, (uint32_t)i);
    automaton_compile(search->automaton);
    search->state = automaton_start(search->automaton);
    return search;
}

void search_free(struct search *search)
{
    if (search == NULL)
        return;
    automaton_free(search->automaton);
    text_free(&search->line);
    text_free(&search->window);
    free(search);
}

static uint64_t line_at(struct search *search, size_t end)
{
    const char *data = search->window.data;
    while (search->counted < end) {
        const char *next = memchr(data + search->counted, '\n', end - search->counted);
        if (next == NULL) {
            search->counted = end;
            break;
        }
        search->counted = (size_t)(next - data) + 1;
        search->lines++;
    }
    return search->lines + 1;
}

static void settle(struct search *search, const struct hit *hit)
{
    struct search_found found = {
        .pattern = hit->pattern, .text = search->window.data, .size = search->window.size};
    if (!pattern_matches(&search->patterns[hit->pattern], search->lists, found.text, found.size,
                         hit->end, &found.match))
        return;
    found.line = line_at(search, hit->end > 0 ? hit->end - 1 : 0);
    found.at = search->moved + found.match.start;
    search->each(search->context, &found);
}

/* Those whose pattern cannot go on in what was not yet given. */
static void settle_hits(struct search *search, bool all)
{
    size_t done = 0;
    while (done < search->hit_count &&
           (all || search->hits[done].end + BEHIND <= search->window.size))
        settle(search, &search->hits[done++]);
    search->hit_count -= done;
    memmove(search->hits, search->hits + done, search->hit_count * sizeof(*search->hits));
}

static void note_hit(void *context, uint32_t number)
{
    struct search *search = context;
    if (search->hit_count == HITS_MAX)
        settle_hits(search, true);
    search->hits[search->hit_count++] = (struct hit){.pattern = number, .end = search->hit_end};
}

static void move_window(struct search *search)
{
    struct text *window = &search->window;
    if (window->size < WINDOW)
        return;
    size_t kept = BEFORE + BEHIND;
    size_t cut = window->size - kept;
    line_at(search, cut);
    memmove(window->data, window->data + cut, kept);
    window->size = kept;
    window->data[kept] = '\0';
    search->read -= cut;
    search->moved += cut;
    search->counted = search->counted > cut ? search->counted - cut : 0;
    for (size_t i = 0; i < search->hit_count; i++)
        search->hits[i].end -= cut;
}

static void read_window(struct search *search, bool all)
{
    while (search->read < search->window.size) {
        bool found;
        search->read +=
            automaton_read(search->automaton, &search->state, search->window.data + search->read,
                           search->window.size - search->read, &found);
        search->hit_end = search->read;
        if (found)
            automaton_each(search->automaton, search->state, note_hit, search);
    }
    settle_hits(search, all);
    move_window(search);
}

/* A line, or a piece of one. */
static void take_line(struct search *search, const char *bytes, size_t size, bool changes,
                      bool ends)
{
    size_t prefix = search->inside ? 0 : clean_prefix(bytes, size);
    if (changes && clean_changes(bytes, size))
        clean_append(&search->window, bytes + prefix, size - prefix);
    else
        text_append_n(&search->window, bytes + prefix, size - prefix);
    if (ends)
        text_append_char(&search->window, '\n');
    search->total += ends;
    search->inside = !ends;
}

/* The bytes up to the end of the line that was begun; how many. */
static size_t end_line(struct search *search, const char *bytes, size_t size)
{
    if (search->line.size == 0)
        return 0;
    const char *end = memchr(bytes, '\n', size);
    size_t taken = end ? (size_t)(end - bytes) : size;
    if (search->line.size + taken > LINE && end == NULL)
        taken = LINE > search->line.size ? LINE - search->line.size : 0;
    text_append_n(&search->line, bytes, taken);
    if (end == NULL && search->line.size < LINE)
        return taken;
    take_line(search, search->line.data, search->line.size, true, end != NULL);
    text_clear(&search->line);
    return taken + (end != NULL);
}

static void take_lines(struct search *search, const char *bytes, size_t size)
{
    bool changes = clean_changes(bytes, size);
    for (size_t at = end_line(search, bytes, size); at < size;) {
        const char *end = memchr(bytes + at, '\n', size - at);
        size_t count = end ? (size_t)(end - bytes) - at : size - at;
        if (end == NULL && count < LINE) {
            text_append_n(&search->line, bytes + at, count);
            return;
        }
        take_line(search, bytes + at, count, changes, end != NULL);
        at += count + (end != NULL);
    }
}

void search_feed(struct search *search, const char *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        size_t count = size - at < PIECE ? size - at : PIECE;
        take_lines(search, bytes + at, count);
        read_window(search, false);
        at += count;
    }
}

void search_end(struct search *search)
{
    if (search->line.size > 0)
        take_line(search, search->line.data, search->line.size, true, false);
    text_append_char(&search->window, '\n');
    search->total += search->inside;
    read_window(search, true);
}

uint64_t search_lines(const struct search *search)
{
    return search->total;
}

void search_restart(struct search *search)
{
    search->state = automaton_start(search->automaton);
    text_clear(&search->line);
    text_clear(&search->window);
    search->inside = false;
    search->moved = search->lines = search->total = 0;
    search->read = search->counted = search->hit_count = 0;
}
