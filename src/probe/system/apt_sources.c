/* SPDX-License-Identifier: MIT */
#include "probe/system/apt_sources.h"

#include <string.h>
#include <strings.h>

#include "base/text.h"

static void source_clear(struct apt_source *source)
{
    strlist_free(&source->suites);
    strlist_free(&source->components);
    *source = (struct apt_source){.uri = NULL};
}

/* The next word of a line, in place; NULL at its end or at a comment. */
static char *next_word(char **cursor)
{
    char *word = *cursor + strspn(*cursor, " \t\r");
    if (*word == '\0' || *word == '#')
        return NULL;
    char *end = word + strcspn(word, " \t\r");
    *cursor = *end ? end + 1 : end;
    *end = '\0';
    return word;
}

/* "[arch=amd64 signed-by=/x]" before the address. */
static void pass_options(char **cursor)
{
    char *at = *cursor + strspn(*cursor, " \t");
    char *end = *at == '[' ? strchr(at, ']') : NULL;
    if (end)
        *cursor = end + 1;
}

static void take_line(char *line, void (*each)(const struct apt_source *source, void *data),
                      void *data)
{
    char *word = next_word(&line);
    if (!string_equal(word, "deb"))
        return;
    pass_options(&line);
    struct apt_source source = {.uri = next_word(&line)};
    char *suite = source.uri ? next_word(&line) : NULL;
    if (suite) {
        strlist_add(&source.suites, suite);
        while ((word = next_word(&line)) != NULL)
            strlist_add(&source.components, word);
        each(&source, data);
    }
    source_clear(&source);
}

enum apt_field {
    FIELD_OTHER,
    FIELD_TYPES,
    FIELD_URIS,
    FIELD_SUITES,
    FIELD_COMPONENTS,
    FIELD_ENABLED,
};

/* The paragraph that is being read. */
struct paragraph {
    struct apt_source source;
    struct strlist types;
    bool disabled;
    enum apt_field at;
};

static void take_words(struct paragraph *paragraph, char *text)
{
    char *word;
    while ((word = next_word(&text)) != NULL) {
        if (paragraph->at == FIELD_TYPES)
            strlist_add(&paragraph->types, word);
        else if (paragraph->at == FIELD_URIS && paragraph->source.uri == NULL)
            paragraph->source.uri = word;
        else if (paragraph->at == FIELD_SUITES)
            strlist_add(&paragraph->source.suites, word);
        else if (paragraph->at == FIELD_COMPONENTS)
            strlist_add(&paragraph->source.components, word);
        else if (paragraph->at == FIELD_ENABLED && strcasecmp(word, "no") == 0)
            paragraph->disabled = true;
    }
}

static void take_field(struct paragraph *paragraph, char *line)
{
    static const char *const names[] = {
        [FIELD_TYPES] = "Types:",     [FIELD_URIS] = "URIs:",
        [FIELD_SUITES] = "Suites:",   [FIELD_COMPONENTS] = "Components:",
        [FIELD_ENABLED] = "Enabled:",
    };
    paragraph->at = FIELD_OTHER;
    for (enum apt_field i = FIELD_TYPES; i <= FIELD_ENABLED; i++) {
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
    if (!paragraph->disabled && strlist_has(&paragraph->types, "deb") && paragraph->source.uri &&
        paragraph->source.suites.count > 0)
        each(&paragraph->source, data);
    source_clear(&paragraph->source);
    strlist_free(&paragraph->types);
    *paragraph = (struct paragraph){.disabled = false};
}

static void each_paragraph(char *text, void (*each)(const struct apt_source *source, void *data),
                           void *data)
{
    struct paragraph paragraph = {.disabled = false};
    for (char *line; (line = string_next_line(&text)) != NULL;) {
        if (line[0] == '#')
            continue;
        if (line[strspn(line, " \t\r")] == '\0')
            end_paragraph(&paragraph, each, data);
        else if (line[0] == ' ' || line[0] == '\t')
            take_words(&paragraph, line);
        else
            take_field(&paragraph, line);
    }
    end_paragraph(&paragraph, each, data);
}

void apt_sources_each(char *text, enum apt_format format,
                      void (*each)(const struct apt_source *source, void *data), void *data)
{
    if (format == APT_PARAGRAPHS) {
        each_paragraph(text, each, data);
        return;
    }
    for (char *line; (line = string_next_line(&text)) != NULL;)
        take_line(line, each, data);
}
