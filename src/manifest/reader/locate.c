/* SPDX-License-Identifier: MIT */
#include "manifest/reader/locate.h"

#include <ctype.h>
#include <string.h>

#include "base/json.h"

#define KEY_SHOWN 80

/* The containers that are open. */
struct trail {
    struct {
        const char *key; /* in the text, not terminated; NULL: none was read yet */
        size_t key_size;
        size_t index;
        bool is_object;
    } steps[JSON_DEPTH];
    size_t depth;
};

/* What the next character is, white space aside; '\0' at the end. */
static char scan_next(struct locate_scan *scan)
{
    for (; scan->at < scan->end; scan->at++) {
        if (*scan->at == '\n')
            scan->line++;
        else if (*scan->at != ' ' && *scan->at != '\t' && *scan->at != '\r')
            return *scan->at;
    }
    return '\0';
}

/* Goes past c. False: something else comes next. */
static bool scan_take(struct locate_scan *scan, char c)
{
    if (scan_next(scan) != c || scan->at == scan->end)
        return false;
    scan->at++;
    return true;
}

/* Goes past a string; ret_start and ret_size are what stands between its quotes. */
static bool scan_string(struct locate_scan *scan, const char **ret_start, size_t *ret_size)
{
    if (!scan_take(scan, '"'))
        return false;
    const char *start = scan->at;
    for (; scan->at < scan->end && (unsigned char)*scan->at >= ' '; scan->at++) {
        if (*scan->at == '"') {
            *ret_start = start;
            *ret_size = (size_t)(scan->at++ - start);
            return true;
        }
        if (*scan->at == '\\' && ++scan->at == scan->end)
            return false;
    }
    return false;
}

/* Goes past a number, true, false or null, which are not looked at. */
static bool scan_word(struct locate_scan *scan)
{
    const char *start = scan->at;
    while (scan->at < scan->end &&
           (isalnum((unsigned char)*scan->at) || strchr("+-.", *scan->at) != NULL) &&
           *scan->at != '\0')
        scan->at++;
    return scan->at > start;
}

static bool scan_value(struct locate_scan *scan, struct trail *trail);

/* Goes past the container whose bracket was taken. After a failure trail tells where that was. */
static bool scan_container(struct locate_scan *scan, bool is_object, struct trail *trail)
{
    if (trail->depth == JSON_DEPTH)
        return false;
    size_t level = trail->depth++;
    trail->steps[level].key = NULL;
    trail->steps[level].index = 0;
    trail->steps[level].is_object = is_object;
    char close = is_object ? '}' : ']';
    bool empty = scan_take(scan, close);
    while (!empty) {
        trail->steps[level].key = NULL;
        if (is_object &&
            (!scan_string(scan, &trail->steps[level].key, &trail->steps[level].key_size) ||
             !scan_take(scan, ':')))
            return false;
        if (!scan_value(scan, trail))
            return false;
        if (scan_take(scan, close))
            break;
        if (!scan_take(scan, ','))
            return false;
        trail->steps[level].index++;
    }
    trail->depth--;
    return true;
}

static bool scan_value(struct locate_scan *scan, struct trail *trail)
{
    const char *start;
    size_t size;
    switch (scan_next(scan)) {
    case '"':
        return scan_string(scan, &start, &size);
    case '{':
    case '[':
        return scan_container(scan, *scan->at++ == '{', trail);
    default:
        return scan_word(scan);
    }
}

/* Goes past a value, and the comma behind it. */
static bool scan_past(struct locate_scan *scan)
{
    struct trail trail = {.depth = 0};
    return scan_value(scan, &trail) && scan_take(scan, ',');
}

/* Whether the string of the text is key. */
static bool key_is(const char *start, size_t size, const char *key)
{
    if (memchr(start, '\\', size) == NULL)
        return strlen(key) == size && memcmp(start, key, size) == 0;
    AUTO_JSON json_t *string = json_loadb(start - 1, size + 2, JSON_DECODE_ANY, NULL);
    return string_equal(json_string_value(string), key);
}

static bool enter_member(struct locate_scan *scan, const char *key, size_t *ret_line)
{
    if (!scan_take(scan, '{'))
        return false;
    while (scan_next(scan) == '"') {
        const char *start;
        size_t size;
        size_t line = scan->line;
        if (!scan_string(scan, &start, &size) || !scan_take(scan, ':'))
            return false;
        if (key_is(start, size, key)) {
            *ret_line = line;
            return true;
        }
        if (!scan_past(scan))
            return false;
    }
    return false;
}

/* From item number from, where scan is, to item number to. */
static bool enter_item(struct locate_scan *scan, size_t from, size_t to, size_t *ret_line)
{
    for (; from < to; from++)
        if (!scan_past(scan))
            return false;
    char next = scan_next(scan);
    if (next == '\0' || next == ']')
        return false;
    *ret_line = scan->line;
    return true;
}

/* Whether steps lead through the array where an item was found, to that item or a later one. */
static bool is_onward(const struct locator *locator, const struct locate_step *steps, size_t count)
{
    size_t prefix = locator->prefix_count;
    if (prefix == 0 || count <= prefix)
        return false;
    for (size_t i = 0; i < prefix; i++)
        if (!string_equal(locator->prefix[i], steps[i].key))
            return false;
    return steps[prefix].key == NULL && steps[prefix].index >= locator->index;
}

static void remember(struct locator *locator, const struct locate_scan *scan,
                     const struct locate_step *steps, size_t at, size_t line)
{
    if (at == 0 || at > LOCATE_PREFIX)
        return;
    for (size_t i = 0; i < at; i++) {
        if (steps[i].key == NULL)
            return;
        locator->prefix[i] = steps[i].key;
    }
    locator->prefix_count = at;
    locator->index = steps[at].index;
    locator->line = line;
    locator->found = *scan;
}

size_t locate_line(struct locator *locator, const struct locate_step *steps, size_t count)
{
    if (locator->text == NULL)
        return 0;
    struct locate_scan scan = {locator->text, locator->text + locator->size, 1};
    scan_next(&scan);
    size_t line = scan.line;
    size_t step = 0;
    size_t item = 0;
    bool onward = is_onward(locator, steps, count);
    if (onward) {
        scan = locator->found;
        line = locator->line;
        step = locator->prefix_count;
        item = locator->index;
    }
    for (; step < count; step++) {
        if (steps[step].key != NULL) {
            if (!enter_member(&scan, steps[step].key, &line))
                break;
            continue;
        }
        size_t array_line = line;
        if ((!onward && !scan_take(&scan, '[')) ||
            !enter_item(&scan, item, steps[step].index, &line))
            break;
        onward = false;
        item = 0;
        remember(locator, &scan, steps, step, array_line);
    }
    return line;
}

bool locate_member(const char *text, size_t size, const char *key, const char **ret_start,
                   size_t *ret_size)
{
    struct locate_scan scan = {text, text + size, 1};
    struct trail trail = {.depth = 0};
    size_t line;
    if (!enter_member(&scan, key, &line))
        return false;
    scan_next(&scan);
    const char *start = scan.at;
    if (!scan_value(&scan, &trail))
        return false;
    *ret_start = start;
    *ret_size = (size_t)(scan.at - start);
    return true;
}

/* The end of a string whose first quote is before at: its last quote, or NULL. */
static const char *string_end(const char *at, const char *end)
{
    const char *quote = at;
    while ((quote = memchr(quote, '"', (size_t)(end - quote))) != NULL) {
        const char *slash = quote;
        while (slash > at && slash[-1] == '\\')
            slash--;
        if ((quote - slash) % 2 == 0)
            return quote;
        quote++;
    }
    return NULL;
}

/* Goes past a value of a text that is known to be JSON: brackets are only counted. A manifest is
 * large, and this takes a fifth of the time that scan_value() takes. */
static bool skip_value(struct locate_scan *scan)
{
    struct trail trail = {.depth = 0};
    size_t depth = 0;
    char first = scan_next(scan);
    if (first != '{' && first != '[')
        return scan_value(scan, &trail);
    for (const char *at = scan->at; at < scan->end; at++) {
        if (*at == '"') {
            at = string_end(at + 1, scan->end);
            if (at == NULL)
                return false;
        } else if (*at == '{' || *at == '[') {
            depth++;
        } else if ((*at == '}' || *at == ']') && --depth == 0) {
            scan->at = at + 1;
            return true;
        }
    }
    return false;
}

/* False: there are no more, or the text ends before the end of the next. */
static bool next_member(struct locate_scan *scan, bool is_first, struct locate_member *member)
{
    if (!scan_take(scan, is_first ? '{' : ',') ||
        !scan_string(scan, &member->key, &member->key_size) || !scan_take(scan, ':'))
        return false;
    scan_next(scan);
    member->value = scan->at;
    if (!skip_value(scan))
        return false;
    member->size = (size_t)(scan->at - member->value);
    return true;
}

const struct locate_member *locate_members_find(struct locate_members *members, const char *key)
{
    struct locate_member next;
    for (size_t i = 0;; i++) {
        if (i == members->count && !next_member(&members->scan, i == 0, &next)) {
            members->scan.at = members->scan.end;
            return NULL;
        }
        if (i == members->count)
            *vec_push(members->items, members->count, members->capacity) = next;
        if (key_is(members->items[i].key, members->items[i].key_size, key))
            return &members->items[i];
    }
}

bool locate_item(struct locate_scan *scan, const char **ret_start, size_t *ret_size)
{
    if (!scan_take(scan, '[') && !scan_take(scan, ','))
        return false;
    scan_next(scan);
    const char *start = scan->at;
    if (!skip_value(scan))
        return false;
    *ret_start = start;
    *ret_size = (size_t)(scan->at - start);
    return true;
}

char *locate_path(const char *text, size_t size, size_t offset)
{
    struct locate_scan scan = {text, text + (offset < size ? offset : size), 1};
    struct trail trail = {.depth = 0};
    struct text path = {0};
    scan_value(&scan, &trail);
    for (size_t i = 0; i < trail.depth; i++) {
        size_t shown = trail.steps[i].key_size < KEY_SHOWN ? trail.steps[i].key_size : KEY_SHOWN;
        if (!trail.steps[i].is_object)
            text_printf(&path, "[%zu]", trail.steps[i].index);
        else if (trail.steps[i].key != NULL)
            text_printf(&path, "%s%.*s", path.size > 0 ? "." : "", (int)shown, trail.steps[i].key);
    }
    return text_steal(&path);
}
