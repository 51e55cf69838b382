/* SPDX-License-Identifier: MIT */
#include "manifest/reader/slug.h"

#include <string.h>

#include "manifest/reader/subject.h"

/* Longer than any name there is. */
#define NAME_BYTES 96

/* Letters and digits in small letters, one separator for any run of others. Works on ASCII alone,
 * whatever the locale. */
static char *normalise(const char *name, char separator)
{
    AUTO_TEXT struct text text = {0};
    bool gap = false;
    for (size_t i = 0; i < NAME_BYTES && name[i] != '\0'; i++) {
        char c = name[i];
        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        if ((c < 'a' || c > 'z') && (c < '0' || c > '9')) {
            gap = text.size > 0;
            continue;
        }
        if (gap)
            text_append_char(&text, separator);
        gap = false;
        text_append_char(&text, c);
    }
    return text_steal(&text);
}

char *manifest_slug(const char *name)
{
    return normalise(name, '-');
}

char *manifest_words(const char *name)
{
    return normalise(name, ' ');
}

bool slug_check(const struct manifest_place *place, const char *key, const char *value)
{
    AUTO_FREE char *slug = manifest_slug(value);
    return string_equal(slug, value) || place_problem(place, key, value, "%s", slug);
}

bool name_check(const struct manifest_place *place, const char *name, const char *before)
{
    if (!slug_check(place, "name", name))
        return false;
    return before == NULL || strcmp(name, before) >= 0 ||
           place_problem(place, "name", name, "a row that sorts after %s", before);
}
