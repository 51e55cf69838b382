/* SPDX-License-Identifier: MIT */
#include "probe/repository/apt_sources.h"

#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "probe/engine/note.h"

#define LIST       "/etc/apt/sources.list"
#define PARTS      "/etc/apt/sources.list.d"
#define SOURCE_MAX (1u << 20)
#define FILES_MAX  256

static void source_clear(struct apt_source *source)
{
    strlist_free(&source->suites);
    strlist_free(&source->components);
    strlist_free(&source->signed_by);
    strlist_free(&source->architectures);
    *source = (struct apt_source){.uri = NULL};
}

/* The next word of a line, in place; NULL at its end or at a comment. Blanks between brackets
 * belong to it: cdrom:[Debian 12]/ */
static char *next_word(char **cursor)
{
    char *word = *cursor + strspn(*cursor, " \t\r");
    if (*word == '\0' || *word == '#')
        return NULL;
    char *end = word + strcspn(word, " \t\r");
    const char *open = memchr(word, '[', (size_t)(end - word));
    char *close = open && open > word ? strchr(open, ']') : NULL;
    if (close)
        end = close + strcspn(close, " \t\r");
    *cursor = *end ? end + 1 : end;
    *end = '\0';
    return word;
}

static bool is_yes(const char *value)
{
    static const char *const words[] = {"yes", "true", "with", "on", "enable", "1"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcasecmp(value, words[i]) == 0)
            return true;
    return false;
}

static void take_option(char *option, struct apt_source *source)
{
    char *value = strchr(option, '=');
    if (value == NULL)
        return;
    *value++ = '\0';
    if (strcasecmp(option, "signed-by") == 0)
        strlist_split_any(&source->signed_by, value, ",");
    else if (strcasecmp(option, "arch") == 0)
        strlist_split_any(&source->architectures, value, ",");
    else if (strcasecmp(option, "trusted") == 0)
        source->trusted = is_yes(value);
}

/* "[arch=amd64 signed-by=/x]" before the address. False when it has no end. */
static bool take_options(char **cursor, struct apt_source *source)
{
    char *at = *cursor + strspn(*cursor, " \t");
    if (*at != '[')
        return true;
    char *end = strchr(at, ']');
    if (end == NULL)
        return false;
    *end = '\0';
    *cursor = end + 1;
    for (at++; (end = next_word(&at)) != NULL;)
        take_option(end, source);
    return true;
}

/* False when apt refuses the line. */
static bool take_line(char *line, void (*each)(const struct apt_source *source, void *data),
                      void *data, unsigned number)
{
    char *word = next_word(&line);
    if (word == NULL)
        return true;
    if (!string_equal(word, "deb") && !string_equal(word, "deb-src"))
        return false;
    struct apt_source source = {.line = number};
    bool whole = take_options(&line, &source);
    source.uri = next_word(&line);
    char *suite = source.uri ? next_word(&line) : NULL;
    char *component = suite ? next_word(&line) : NULL;
    if (suite)
        strlist_add(&source.suites, suite);
    for (char *each_one = component; each_one; each_one = next_word(&line))
        strlist_add(&source.components, each_one);
    bool flat = suite && string_ends(suite, "/");
    if (suite && each && string_equal(word, "deb"))
        each(&source, data);
    source_clear(&source);
    return whole && suite && flat == (component == NULL);
}

enum apt_field {
    FIELD_OTHER,
    FIELD_TYPES,
    FIELD_URIS,
    FIELD_SUITES,
    FIELD_COMPONENTS,
    FIELD_ENABLED,
    FIELD_SIGNED_BY,
    FIELD_ARCHITECTURES,
    FIELD_TRUSTED,
};

/* The paragraph that is being read. */
struct paragraph {
    struct apt_source source;
    struct strlist types;
    struct strlist uris;
    struct text key; /* Signed-By's own block */
    bool disabled;
    enum apt_field at;
};

static void take_word(struct paragraph *paragraph, const char *word)
{
    struct apt_source *source = &paragraph->source;
    struct strlist *const lists[] = {
        [FIELD_TYPES] = &paragraph->types,
        [FIELD_URIS] = &paragraph->uris,
        [FIELD_SUITES] = &source->suites,
        [FIELD_COMPONENTS] = &source->components,
        [FIELD_SIGNED_BY] = &source->signed_by,
        [FIELD_ARCHITECTURES] = &source->architectures,
        [FIELD_TRUSTED] = NULL,
    };
    if (lists[paragraph->at])
        strlist_add(lists[paragraph->at], word);
    else if (paragraph->at == FIELD_ENABLED && strcasecmp(word, "no") == 0)
        paragraph->disabled = true;
    else if (paragraph->at == FIELD_TRUSTED)
        source->trusted = is_yes(word);
}

/* A line of the key that Signed-By holds; "." stands for a blank one. True when it was one. */
static bool take_key_line(struct paragraph *paragraph, char *text)
{
    char *line = string_trim(text);
    if (paragraph->at != FIELD_SIGNED_BY ||
        (paragraph->key.size == 0 && !string_starts(line, "-----BEGIN PGP")))
        return false;
    text_printf(&paragraph->key, "%s\n", strcmp(line, ".") == 0 ? "" : line);
    return true;
}

static void take_words(struct paragraph *paragraph, char *text)
{
    char *word;
    if (take_key_line(paragraph, text))
        return;
    while ((word = next_word(&text)) != NULL)
        take_word(paragraph, word);
}

static void take_field(struct paragraph *paragraph, char *line)
{
    static const char *const names[] = {
        [FIELD_TYPES] = "Types:",
        [FIELD_URIS] = "URIs:",
        [FIELD_SUITES] = "Suites:",
        [FIELD_COMPONENTS] = "Components:",
        [FIELD_ENABLED] = "Enabled:",
        [FIELD_SIGNED_BY] = "Signed-By:",
        [FIELD_ARCHITECTURES] = "Architectures:",
        [FIELD_TRUSTED] = "Trusted:",
    };
    paragraph->at = FIELD_OTHER;
    for (enum apt_field i = FIELD_TYPES; i <= FIELD_TRUSTED; i++) {
        size_t length = strlen(names[i]);
        if (strncasecmp(line, names[i], length) != 0)
            continue;
        paragraph->at = i;
        take_words(paragraph, line + length);
    }
}

static void end_paragraph(struct paragraph *paragraph,
                          void (*each)(const struct apt_source *source, void *data), void *data)
{
    struct apt_source *source = &paragraph->source;
    source->inline_key = paragraph->key.size ? text_string(&paragraph->key) : NULL;
    bool taken =
        !paragraph->disabled && strlist_has(&paragraph->types, "deb") && source->suites.count > 0;
    for (size_t i = 0; taken && i < paragraph->uris.count; i++) {
        source->uri = paragraph->uris.items[i];
        each(source, data);
    }
    source_clear(source);
    strlist_free(&paragraph->types);
    strlist_free(&paragraph->uris);
    text_free(&paragraph->key);
    *paragraph = (struct paragraph){.disabled = false};
}

static void each_paragraph(char *text, void (*each)(const struct apt_source *source, void *data),
                           void *data)
{
    struct paragraph paragraph = {.disabled = false};
    unsigned number = 0;
    for (char *line; (line = string_next_line(&text)) != NULL;) {
        number++;
        if (line[0] == '#')
            continue;
        if (string_is_blank(line)) {
            end_paragraph(&paragraph, each, data);
            continue;
        }
        if (paragraph.source.line == 0)
            paragraph.source.line = number;
        if (line[0] == ' ' || line[0] == '\t')
            take_words(&paragraph, line);
        else
            take_field(&paragraph, line);
    }
    end_paragraph(&paragraph, each, data);
}

void apt_sources_each(char *text, enum apt_format format,
                      void (*each)(const struct apt_source *source, void *data), void *data)
{
    unsigned number = 0;
    if (format == APT_PARAGRAPHS) {
        each_paragraph(text, each, data);
        return;
    }
    for (char *line; (line = string_next_line(&text)) != NULL;)
        take_line(line, each, data, ++number);
}

char *apt_sources_refused(const char *text, enum apt_format format, unsigned *ret_line)
{
    AUTO_FREE char *copy = mem_string(text);
    char *cursor = copy;
    unsigned number = 0;
    for (char *line; (line = string_next_line(&cursor)) != NULL;) {
        AUTO_FREE char *whole = mem_string(line);
        number++;
        bool field = strchr(" \t\r#", line[0]) != NULL || strchr(line, ':') != NULL;
        if (format == APT_PARAGRAPHS ? field : take_line(line, NULL, NULL, number))
            continue;
        *ret_line = number;
        return mem_steal(&whole);
    }
    return NULL;
}

/* One walk over the files. */
struct files {
    const struct host *host;
    void (*each)(const char *path, enum apt_format format, char *text, void *data);
    void *data;
};

static enum host_status read_file(const struct files *files, const char *path, struct error *error)
{
    AUTO_TEXT struct text text = {0};
    char none[1] = "";
    enum host_status status = note_read_text(files->host, path, SOURCE_MAX, &text, error);
    if (status == HOST_OK)
        files->each(path, string_ends(path, ".sources") ? APT_PARAGRAPHS : APT_LINES,
                    text.size ? text.data : none, files->data);
    return status;
}

/* apt passes over a name with any other character. */
static bool is_read(const char *name)
{
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                 "_-.");
    return name[length] == '\0' && (string_ends(name, ".list") || string_ends(name, ".sources"));
}

enum host_status apt_sources_files(const struct host *host,
                                   void (*each)(const char *path, enum apt_format format,
                                                char *text, void *data),
                                   void *data, struct error *error)
{
    AUTO_STRLIST struct strlist names = {0};
    struct files files = {.host = host, .each = each, .data = data};
    enum host_status found = read_file(&files, LIST, error);
    if (found != HOST_OK && found != HOST_ABSENT)
        return found;
    enum host_status status = host_list(host, PARTS, &names, error);
    for (size_t i = 0; i < names.count && i < FILES_MAX && status == HOST_OK; i++) {
        if (!is_read(names.items[i]))
            continue;
        AUTO_FREE char *path = mem_printf(PARTS "/%s", names.items[i]);
        status = read_file(&files, path, error);
        if (status == HOST_OK || status == HOST_ABSENT)
            found = status == HOST_OK ? HOST_OK : found;
        if (status == HOST_ABSENT) /* a link that leads nowhere */
            status = HOST_OK;
    }
    return status == HOST_OK || status == HOST_ABSENT ? found : status;
}
