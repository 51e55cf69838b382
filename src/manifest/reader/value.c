/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/hex.h"
#include "manifest/reader/range.h"
#include "manifest/reader/subject.h"

/* What one list may hold: a document must not grow without bound when it is read. */
#define STRINGS_MAX 1000
#define SOURCES_MAX 10

/* What a reader of one type is given. False: the value is not of the type. */
struct reading {
    const struct manifest_key *key;
    const json_t *value;
    const json_t *sources;
    struct strlist *texts;
};

static bool read_string(const struct reading *reading, void *field)
{
    const char *string = json_string_value(reading->value);
    if (string == NULL || *string == '\0')
        return false;
    *(const char **)field = string;
    return true;
}

/* Two digits at text, from 1 to most. */
static bool is_two_digits(const char *text, int most)
{
    if (text[0] < '0' || text[0] > '9' || text[1] < '0' || text[1] > '9')
        return false;
    int number = (text[0] - '0') * 10 + (text[1] - '0');
    return number >= 1 && number <= most;
}

/* "2026-11" or "2026-11-20". */
static bool is_date(const char *text)
{
    size_t size = strlen(text);
    if (size != strlen("2026-11") && size != strlen("2026-11-20"))
        return false;
    if (text[0] != '1' && text[0] != '2')
        return false;
    if (strspn(text, "0123456789") != 4 || text[4] != '-' || !is_two_digits(text + 5, 12))
        return false;
    return text[7] == '\0' || (text[7] == '-' && is_two_digits(text + 8, 31));
}

static bool read_date(const struct reading *reading, void *field)
{
    return read_string(reading, field) && is_date(*(const char **)field);
}

static bool read_choice(const struct reading *reading, void *field)
{
    if (!read_string(reading, field))
        return false;
    for (const char *const *choice = reading->key->choices; *choice != NULL; choice++)
        if (string_equal(*choice, *(const char **)field))
            return true;
    return false;
}

static bool read_version(const struct reading *reading, void *field)
{
    const char *string = json_string_value(reading->value);
    return string != NULL && version_parse(string, field);
}

/* One bound of a range. A bound that is there twice is refused. */
static bool read_bound(const char *text, struct manifest_range *range)
{
    if (string_starts(text, ">="))
        return range->from.count == 0 && version_parse(text + 2, &range->from);
    if (string_starts(text, "<"))
        return range->below.count == 0 && version_parse(text + 1, &range->below);
    return false;
}

static bool read_range(const struct reading *reading, void *field)
{
    const char *string = json_string_value(reading->value);
    if (string == NULL)
        return false;
    AUTO_STRLIST struct strlist bounds = {0};
    strlist_split(&bounds, string, ',');
    struct manifest_range range = {.from = {.count = 0}};
    for (size_t i = 0; i < bounds.count; i++)
        if (!read_bound(bounds.items[i], &range))
            return false;
    if (range.from.count > 0 && range.below.count > 0 &&
        version_compare(&range.from, &range.below) >= 0)
        return false;
    *(struct manifest_range *)field = range;
    return true;
}

static bool read_unsigned(const struct reading *reading, void *field)
{
    json_int_t number = json_integer_value(reading->value);
    if (number < 1 || number > 1000000)
        return false;
    *(unsigned *)field = (unsigned)number;
    return true;
}

static bool read_code(const struct reading *reading, void *field)
{
    json_int_t number = json_integer_value(reading->value);
    if (!json_is_integer(reading->value) || number < 0 || number > 1000000)
        return false;
    *(unsigned *)field = (unsigned)number;
    return true;
}

static bool read_size(const struct reading *reading, void *field)
{
    json_int_t number = json_integer_value(reading->value);
    if (number < 1)
        return false;
    *(uint64_t *)field = (uint64_t)number;
    return true;
}

static bool read_sha256(const struct reading *reading, void *field)
{
    const char *string = json_string_value(reading->value);
    if (string == NULL || !hex_is(string, 64))
        return false;
    *(const char **)field = string;
    return true;
}

static bool read_number(const struct reading *reading, void *field)
{
    double number = json_number_value(reading->value);
    if (!(number > 0 && number < 1e9))
        return false;
    *(double *)field = number;
    return true;
}

static bool read_strings(const struct reading *reading, void *field)
{
    size_t count = json_array_size(reading->value);
    if (count == 0 || count > STRINGS_MAX)
        return false;
    for (size_t i = 0; i < count; i++) {
        const char *string = json_string_value(json_array_get(reading->value, i));
        if (string == NULL || *string == '\0' || !strlist_add_new(field, string))
            return false;
    }
    return true;
}

static bool read_sources(const struct reading *reading, void *field)
{
    AUTO_TEXT struct text joined = {0};
    size_t count = json_array_size(reading->value);
    if (count == 0 || count > SOURCES_MAX)
        return false;
    for (size_t i = 0; i < count; i++) {
        const char *key = json_string_value(json_array_get(reading->value, i));
        const json_t *citation = key ? json_object_get(reading->sources, key) : NULL;
        if (citation == NULL)
            return false;
        if (i > 0)
            text_append(&joined, "; ");
        if (json_is_string(citation)) /* else that is a problem of its own */
            text_append(&joined, json_string_value(citation));
    }
    char *text = text_steal(&joined);
    strlist_take(reading->texts, text);
    *(const char **)field = text;
    return true;
}

static const struct {
    bool (*read)(const struct reading *reading, void *field);
    const char *expected;
} types[] = {
    [KEY_STRING] = {read_string, "a non-empty string"},
    [KEY_DATE] = {read_date, "a date such as \"2026-11-20\" or \"2026-11\""},
    [KEY_CHOICE] = {read_choice, "one of"},
    [KEY_VERSION] = {read_version, "a version such as \"12.8.1\""},
    [KEY_RANGE] = {read_range, "versions such as \">=525,<580\", the lower bound below the upper"},
    [KEY_UNSIGNED] = {read_unsigned, "a whole number from 1 to 1000000"},
    [KEY_CODE] = {read_code, "a whole number from 0 to 1000000"},
    [KEY_NUMBER] = {read_number, "a number above 0"},
    [KEY_SIZE] = {read_size, "a whole number above 0"},
    [KEY_SHA256] = {read_sha256, "64 lowercase hexadecimal digits"},
    [KEY_STRINGS] = {read_strings, "a list of 1 to 1000 non-empty strings, without duplicates"},
    [KEY_SOURCES] = {read_sources, "a list of 1 to 10 keys from the table of sources"},
};

static bool choice_problem(const struct manifest_place *place, const struct manifest_key *key,
                           const json_t *value)
{
    AUTO_TEXT struct text expected = {0};
    text_append(&expected, types[KEY_CHOICE].expected);
    for (const char *const *choice = key->choices; *choice != NULL; choice++)
        text_printf(&expected, "%s \"%s\"", choice == key->choices ? "" : ",", *choice);
    return place_problem_value(place, key->name, value, text_string(&expected));
}

bool value_read(const struct manifest_place *place, const struct manifest_key *key,
                const json_t *value, const json_t *sources, struct strlist *texts, void *field)
{
    const struct reading reading = {.key = key, .value = value, .sources = sources, .texts = texts};
    if (value != NULL && types[key->type].read(&reading, field))
        return true;
    if (key->type == KEY_CHOICE)
        return choice_problem(place, key, value);
    return place_problem_value(place, key->name, value, types[key->type].expected);
}
