/* SPDX-License-Identifier: MIT */
#include "base/nearest.h"
#include "manifest/reader/problems.h"
#include "manifest/reader/subject.h"

#define FOUND_MAX 80
#define STEPS_MAX 4

/* "cuda.rows[14].driver_min": a new string. */
static char *place_path(const struct manifest_place *place, const char *key)
{
    struct text text = {0};
    text_append(&text, place->subject);
    if (place->table != NULL)
        text_printf(&text, ".%s", place->table);
    if (place->table != NULL && place->row != PLACE_NO_ROW)
        text_printf(&text, "[%zu]", place->row);
    if (key != NULL)
        text_printf(&text, ".%.*s", FOUND_MAX, key);
    return text_steal(&text);
}

static size_t place_line(const struct manifest_place *place, const char *key)
{
    struct locate_step steps[STEPS_MAX];
    size_t count = 0;
    if (place->document->joined)
        steps[count++] = (struct locate_step){.key = place->subject};
    if (place->table != NULL)
        steps[count++] = (struct locate_step){.key = place->table};
    if (place->table != NULL && place->row != PLACE_NO_ROW)
        steps[count++] = (struct locate_step){.index = place->row};
    if (key != NULL)
        steps[count++] = (struct locate_step){.key = key};
    return locate_line(&place->document->locator, steps, count);
}

/* A new problem without a reason; NULL where no more are wanted. */
static struct error *add_problem(const struct manifest_place *place, const char *key)
{
    struct manifest_problem *problem = problems_add(place->document->problems);
    if (problem == NULL)
        return NULL;
    problem->key = place_path(place, key);
    problem->line = place_line(place, key);
    error_set(&problem->error, ERROR_DATA, "the manifest is not valid");
    if (problem->line > 0)
        error_where(&problem->error, "%s:%zu: %s", place->document->name, problem->line,
                    problem->key);
    else
        error_where(&problem->error, "%s: %s", place->document->name, problem->key);
    return &problem->error;
}

bool place_problem(const struct manifest_place *place, const char *key, const char *found,
                   const char *format, ...)
{
    struct error *error = add_problem(place, key);
    AUTO_TEXT struct text expected = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&expected, format, arguments);
    va_end(arguments);
    return error_why(error, "expected %s, found %s", text_string(&expected), found);
}

bool place_unknown(const struct manifest_place *place, const char *key, const char *kind,
                   const struct strlist *known)
{
    struct error *error = add_problem(place, key);
    const char *name = key != NULL ? key : place->subject;
    const char *near = nearest_match(name, known);
    if (near != NULL)
        return error_why(error, "unknown %s \"%.*s\"; did you mean %s?", kind, FOUND_MAX, name,
                         near);
    return error_why(error, "unknown %s \"%.*s\"", kind, FOUND_MAX, name);
}

bool place_problem_version(const struct manifest_place *place, const char *key,
                           const struct version *found, const char *format, ...)
{
    AUTO_TEXT struct text expected = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&expected, format, arguments);
    va_end(arguments);
    char version[VERSION_TEXT_SIZE];
    version_text(found, 0, version);
    return place_problem(place, key, found->count > 0 ? version : "nothing", "%s",
                         text_string(&expected));
}

/* Stops jansson once there is enough to show. */
static int take_bytes(const char *bytes, size_t size, void *data)
{
    text_append_n(data, bytes, size);
    return ((struct text *)data)->size > FOUND_MAX ? -1 : 0;
}

bool place_problem_value(const struct manifest_place *place, const char *key, const json_t *found,
                         const char *expected)
{
    if (found == NULL)
        return place_problem(place, key, "nothing", "%s", expected);
    AUTO_TEXT struct text shown = {0};
    json_dump_callback(found, take_bytes, &shown,
                       JSON_COMPACT | JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
    if (shown.size <= FOUND_MAX)
        return place_problem(place, key, text_string(&shown), "%s", expected);
    AUTO_FREE char *start = mem_string_n(text_string(&shown), FOUND_MAX);
    AUTO_FREE char *cut = mem_printf("%s...", start);
    return place_problem(place, key, cut, "%s", expected);
}

bool place_next(const struct manifest_place *place, const char *next)
{
    const struct manifest_problems *problems = place->document->problems;
    if (problems->count > 0)
        error_next(&problems->items[problems->count - 1].error, "%s", next);
    return false;
}
