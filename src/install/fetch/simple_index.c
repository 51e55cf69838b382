/* SPDX-License-Identifier: MIT */
#include "install/fetch/simple_index.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/hex.h"
#include "base/json.h"
#include "install/io/url.h"

/* The last step of a link without query and fragment, as it was before it was escaped; NULL: it has
 * none. */
static char *file_of(const char *link)
{
    AUTO_TEXT struct text name = {0};
    size_t size = strcspn(link, "?#");
    const char *slash = memrchr(link, '/', size);
    const char *at = slash ? slash + 1 : link;
    while (at < link + size) {
        int byte = at[0] == '%' && at + 2 < link + size ? hex_byte(at + 1) : -1;
        text_append_char(&name, byte > 0 ? (char)byte : *at);
        at += byte > 0 ? 3 : 1;
    }
    return name.size > 0 ? text_steal(&name) : NULL;
}

static char *find_in_json(const char *page, size_t size, const char *file)
{
    AUTO_JSON json_t *json = json_parse(page, size, SIMPLE_INDEX_MAX, "index", NULL);
    json_t *files = json_object_get(json, "files"), *each;
    size_t i;
    json_array_foreach(files, i, each)
    {
        const char *name = json_string_value(json_object_get(each, "filename"));
        const char *url = json_string_value(json_object_get(each, "url"));
        if (url && string_equal(name, file))
            return mem_string(url);
    }
    return NULL;
}

/* The value of an attribute that begins at text, without quotes; "&amp;" is what stands for "&". */
static char *value_at(const char *text, const char *end)
{
    AUTO_TEXT struct text value = {0};
    char quote = text < end && (*text == '"' || *text == '\'') ? *text++ : '\0';
    while (text < end &&
           (quote ? *text != quote : !isspace((unsigned char)*text) && *text != '>')) {
        text_append_char(&value, *text);
        text += end - text >= 5 && strncasecmp(text, "&amp;", 5) == 0 ? 5 : 1;
    }
    return text_steal(&value);
}

static const char *find_nocase(const char *text, const char *end, const char *word)
{
    size_t size = strlen(word);
    for (; (size_t)(end - text) >= size; text++)
        if (strncasecmp(text, word, size) == 0)
            return text;
    return NULL;
}

static char *find_in_html(const char *page, size_t size, const char *file)
{
    const char *end = page + size;
    const char *at = page;
    while ((at = find_nocase(at, end, "href")) != NULL) {
        at += strlen("href");
        while (at < end && isspace((unsigned char)*at))
            at++;
        if (at == end || *at != '=')
            continue;
        for (at++; at < end && isspace((unsigned char)*at);)
            at++;
        AUTO_FREE char *link = value_at(at, end);
        AUTO_FREE char *name = file_of(link);
        if (string_equal(name, file))
            return mem_steal(&link);
    }
    return NULL;
}

char *simple_index_find(const char *page, size_t size, const char *page_url, const char *file)
{
    size_t space = 0;
    while (space < size && isspace((unsigned char)page[space]))
        space++;
    bool is_json = space < size && page[space] == '{';
    AUTO_FREE char *link =
        is_json ? find_in_json(page, size, file) : find_in_html(page, size, file);
    return link ? url_resolve(page_url, link) : NULL;
}

/* Small letters, and one "-" for each run of "-", "_" and ".". */
char *simple_index_page(const char *index, const char *package)
{
    AUTO_TEXT struct text url = {0};
    size_t size = strlen(index);
    while (size > 0 && index[size - 1] == '/')
        size--;
    text_append_n(&url, index, size);
    text_append_char(&url, '/');
    for (const char *at = package; *at; at++) {
        bool dash = strchr("-_.", *at) != NULL;
        if (!dash)
            text_append_char(&url, (char)tolower((unsigned char)*at));
        else if (strchr("-_.", at[1]) == NULL)
            text_append_char(&url, '-');
    }
    text_append_char(&url, '/');
    return text_steal(&url);
}
