/* SPDX-License-Identifier: MIT */
#include "explain/catalogue.h"

#include <ctype.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "match/fold.h"

#define LISTS ERRORS_MESSAGE /* that a hole can be of: those before it */

static bool is_word(char c)
{
    return fold(c) != ' ';
}

/* A number that is no part of a longer word or version. */
static size_t take_number(const struct catalogue_words *words, const char *text, size_t size,
                          uint32_t *ret_row)
{
    size_t count = 0;
    unsigned long long number;
    while (count < size && count < 20 && isdigit((unsigned char)text[count]))
        count++;
    if (size > 2 && text[0] == '0' && text[1] == 'x')
        for (count = 2; count < size && count < 20 && isxdigit((unsigned char)text[count]);)
            count++;
    bool is_part =
        count < size && (is_word(text[count]) || (text[count] == '.' && count + 1 < size &&
                                                  isdigit((unsigned char)text[count + 1])));
    AUTO_FREE char *digits = mem_string_n(text, count);
    if (count == 0 || is_part || !string_to_unsigned(digits, &number))
        return 0;
    for (size_t i = 0; i < words->count; i++)
        if (number != 0 && manifest_error_has_number(&words->rows[i], number)) {
            *ret_row = (uint32_t)i;
            return count;
        }
    return 0;
}

/* Go programs leave NVML_ out: ERROR_LIBRARY_NOT_FOUND. */
static bool is_named(const struct manifest_error *row, const char *word)
{
    if (row->name && string_starts(row->name, "NVML_") &&
        string_equal(row->name + strlen("NVML_"), word))
        return true;
    return string_equal(row->name, word) || string_equal(row->runtime_name, word) ||
           string_equal(row->older_name, word);
}

static size_t take_name(const struct catalogue_words *words, const char *text, size_t size,
                        uint32_t *ret_row)
{
    size_t count = 0;
    while (count < size && count < 120 && is_word(text[count]))
        count++;
    AUTO_FREE char *word = mem_string_n(text, count);
    for (size_t i = 0; count > 0 && i < words->count; i++)
        if (words->rows[i].code != 0 && is_named(&words->rows[i], word)) {
            *ret_row = (uint32_t)i;
            return count;
        }
    return 0;
}

static size_t take_words(const struct catalogue_words *words, const char *text, size_t size,
                         uint32_t *ret_row)
{
    size_t longest = 0;
    for (size_t i = 0; i < words->count; i++) {
        size_t at = 0;
        if (words->words[i] == NULL || !fold_matches(words->words[i], text, size, &at) ||
            at <= longest || (at < size && is_word(text[at - 1]) && is_word(text[at])))
            continue;
        longest = at;
        *ret_row = (uint32_t)i;
    }
    return longest;
}

/* "1: misaligned address": the words tell more than the number, which may be of another list. */
static size_t take_numbered(const struct catalogue_words *words, const char *text, size_t size,
                            uint32_t *ret_row)
{
    size_t count = take_number(words, text, size, ret_row);
    size_t at = count;
    while (at < size && at < count + 4 && !is_word(text[at]))
        at++;
    if (count > 0 && at > count)
        take_words(words, text + at, size - at, ret_row);
    return count;
}

static size_t take(void *context, unsigned list, const char *text, size_t size, uint32_t *ret_row)
{
    const struct catalogue *catalogue = context;
    const struct catalogue_words *words = &catalogue->words[list];
    if (size > 0 && isdigit((unsigned char)*text))
        return take_numbered(words, text, size, ret_row);
    size_t taken = take_name(words, text, size, ret_row);
    return taken ? taken : take_words(words, text, size, ret_row);
}

void catalogue_read_lists(struct manifest *manifest, struct catalogue *ret_catalogue)
{
    *ret_catalogue = (struct catalogue){.manifest = manifest};
    for (unsigned list = 0; list < LISTS; list++) {
        struct catalogue_words *words = &ret_catalogue->words[list];
        words->rows = manifest_errors(manifest, list, &words->count);
        words->words = mem_alloc((words->count + 1) * sizeof(*words->words));
        for (size_t i = 0; i < words->count; i++)
            if (words->rows[i].words != NULL && words->rows[i].code != 0)
                words->words[i] = fold_text(words->rows[i].words);
    }
    ret_catalogue->lists = (struct pattern_lists){
        .names = manifest_error_list_words, .count = LISTS, .take = take, .context = ret_catalogue};
}

static struct catalogue_entry *add(struct catalogue *catalogue, const struct pattern *pattern)
{
    *vec_push(catalogue->patterns, catalogue->count, catalogue->capacity) = *pattern;
    return vec_push(catalogue->entries, catalogue->entry_count, catalogue->entry_capacity);
}

static struct catalogue_entry *add_text(struct catalogue *catalogue, const char *text)
{
    struct pattern pattern;
    if (text == NULL || pattern_parse(text, &catalogue->lists, &pattern) != NULL)
        return NULL;
    return add(catalogue, &pattern);
}

static void add_name(struct catalogue *catalogue, enum manifest_error_list list,
                     const struct manifest_error *row, const char *name)
{
    struct catalogue_entry *entry =
        row->code == 0 && list != ERRORS_MESSAGE ? NULL : add_text(catalogue, name);
    if (entry != NULL)
        *entry = (struct catalogue_entry){.error = row, .list = list};
}

/* Of error.json: the names, and messages, in which no '{' is a hole. */
static void add_errors(struct catalogue *catalogue)
{
    for (enum manifest_error_list list = 0; list < ERROR_LISTS; list++) {
        size_t count;
        const struct manifest_error *rows = manifest_errors(catalogue->manifest, list, &count);
        for (size_t i = 0; i < count; i++) {
            add_name(catalogue, list, &rows[i], rows[i].name);
            add_name(catalogue, list, &rows[i], rows[i].runtime_name);
            add_name(catalogue, list, &rows[i], rows[i].older_name);
            AUTO_FREE char *text = mem_string(rows[i].text);
            for (char *c = text; c != NULL && *c != '\0'; c++)
                if (*c == '{')
                    *c = ' ';
            add_name(catalogue, list, &rows[i], text);
        }
    }
}

/* "{library}: cannot open", libcublas -> "libcublas{name}: cannot open" */
static char *form_of(const char *pattern, const struct manifest_message_library *library)
{
    const char *hole = strstr(pattern, MESSAGE_LIBRARY);
    return mem_printf("%.*s%s{name}%s", (int)(hole - pattern), pattern, library->stem,
                      hole + strlen(MESSAGE_LIBRARY));
}

void catalogue_forms(struct manifest *manifest, const struct manifest_message *row,
                     struct strlist *forms)
{
    size_t count = 0;
    const struct manifest_message_library *libraries = NULL;
    if (strstr(row->pattern, MESSAGE_LIBRARY) != NULL)
        libraries = manifest_message_libraries(manifest, &count);
    else
        strlist_add(forms, row->pattern);
    for (size_t i = 0; i < count; i++)
        strlist_take(forms, form_of(row->pattern, &libraries[i]));
}

static void add_message(struct catalogue *catalogue, const struct manifest_message *row)
{
    AUTO_STRLIST struct strlist forms = {0};
    catalogue_forms(catalogue->manifest, row, &forms);
    size_t count;
    const struct manifest_message_library *libraries =
        manifest_message_libraries(catalogue->manifest, &count);
    bool of_libraries = strstr(row->pattern, MESSAGE_LIBRARY) != NULL;
    for (size_t i = 0; i < forms.count; i++) {
        struct catalogue_entry *entry = add_text(catalogue, forms.items[i]);
        if (entry == NULL)
            continue;
        entry->message = row;
        if (of_libraries)
            entry->missed = manifest_message_named(catalogue->manifest, libraries[i].as);
    }
}

static void add_messages(struct catalogue *catalogue)
{
    size_t count;
    const struct manifest_message *rows = manifest_messages(catalogue->manifest, &count);
    for (size_t i = 0; i < count; i++)
        add_message(catalogue, &rows[i]);
}

static void add_clues(struct catalogue *catalogue)
{
    size_t count;
    const struct manifest_clue *rows = manifest_clues(catalogue->manifest, &count);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < rows[i].patterns.count; k++) {
            struct catalogue_entry *entry = add_text(catalogue, rows[i].patterns.items[k]);
            if (entry != NULL)
                *entry = (struct catalogue_entry){.clue = &rows[i], .clue_number = i};
        }
}

/* The kernel's lines lose "NVRM: " as a prefix (match/clean.h). */
static const char *without_prefix(const char *part)
{
    return string_starts(part, "NVRM:") ? part + strlen("NVRM:") : part;
}

static bool has_letters(const char *part)
{
    AUTO_FREE char *folded = fold_text(part);
    return folded[strspn(folded, " ")] != '\0';
}

/* "nouveau 0", "nvidia-drm: ", "Check failed: ": who speaks, in the log of a kernel; in other texts
 * anybody does. */
static bool is_speaker(const struct manifest_log *row)
{
    const char *part = row->parts.items[0];
    return row->parts.count == 1 && strchr(": _]0", part[strlen(part) - 1]) != NULL;
}

static void add_log(struct catalogue *catalogue, const struct manifest_log *row)
{
    const char **parts = mem_resize(NULL, row->parts.count + 1, sizeof(*parts));
    size_t count = 0;
    for (size_t i = 0; i < row->parts.count; i++)
        if (has_letters(without_prefix(row->parts.items[i])))
            parts[count++] = without_prefix(row->parts.items[i]);
    struct pattern pattern;
    pattern_scattered(parts, count, &pattern);
    free(parts);
    if (pattern.anchor != NULL && strlen(pattern.anchor) >= ANCHOR_MIN)
        add(catalogue, &pattern)->log = row;
    else
        pattern_free(&pattern);
}

/* Other lines, and those that continue one, are no messages of their own. */
static void add_logs(struct catalogue *catalogue)
{
    size_t count;
    const struct manifest_log *rows = manifest_logs(catalogue->manifest, &count);
    for (size_t i = 0; i < count; i++)
        if ((manifest_log_is(&rows[i], "fault") || manifest_log_is(&rows[i], "harmless")) &&
            !is_speaker(&rows[i]))
            add_log(catalogue, &rows[i]);
}

void catalogue_read(struct manifest *manifest, struct catalogue *ret_catalogue)
{
    catalogue_read_lists(manifest, ret_catalogue);
    add_messages(ret_catalogue);
    add_errors(ret_catalogue);
    add_logs(ret_catalogue);
    add_clues(ret_catalogue);
}

void catalogue_free(struct catalogue *catalogue)
{
    for (size_t i = 0; i < catalogue->count; i++)
        pattern_free(&catalogue->patterns[i]);
    free(catalogue->patterns);
    free(catalogue->entries);
    for (unsigned list = 0; list < LISTS; list++) {
        for (size_t i = 0; i < catalogue->words[list].count; i++)
            free(catalogue->words[list].words[i]);
        free(catalogue->words[list].words);
    }
    *catalogue = (struct catalogue){.manifest = NULL};
}
