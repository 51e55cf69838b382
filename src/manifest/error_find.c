/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "manifest/error.h"

/* What may stand before a number, longest first. list ERROR_LISTS: it names none. */
static const struct {
    const char *word;
    enum manifest_error_list list;
} prefixes[] = {
    {"cudnn_status", ERRORS_CUDNN}, {"curesult", ERRORS_CUDA}, {"status", ERROR_LISTS},
    {"result", ERROR_LISTS},        {"cudnn", ERRORS_CUDNN},   {"error", ERROR_LISTS},
    {"cuda", ERRORS_CUDA},          {"nvml", ERRORS_NVML},     {"nccl", ERRORS_NCCL},
    {"code", ERROR_LISTS},          {"xid", ERRORS_XID},
};

/* "cuda-802" has a hyphen; in "error -18" it is a sign, and no error has one. */
static const char *skip_separators(const char *words)
{
    if (*words == '-')
        return words + 1;
    return words + strspn(words, " :/#=");
}

/* Whether text is digits up to its end, a colon or a comma. */
static bool read_number(const char *text, uint64_t *ret_number)
{
    size_t size = strspn(text, "0123456789");
    if (size == 0 || size > 18 || strchr(":, ", text[size]) == NULL)
        return false;
    if (text[size] == ' ' && text[size + strspn(text + size, " ")] != '\0')
        return false;
    *ret_number = 0;
    for (size_t i = 0; i < size; i++)
        *ret_number = *ret_number * 10 + (uint64_t)(text[i] - '0');
    return true;
}

/* "xid 79", "CUDA error 802", "error/cuda-802", "18". */
static bool read_numbered(const char *words, struct manifest_error_hits *hits)
{
    const char *rest = words + strspn(words, " ");
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes);) {
        size_t size = strlen(prefixes[i].word);
        if (strncasecmp(rest, prefixes[i].word, size) != 0) {
            i++;
            continue;
        }
        if (prefixes[i].list != ERROR_LISTS && hits->list != ERROR_LISTS)
            return false;
        if (prefixes[i].list != ERROR_LISTS)
            hits->list = prefixes[i].list;
        rest = skip_separators(rest + size);
        i = 0;
    }
    return read_number(rest, &hits->number);
}

/* A line of the kernel log: "NVRM: Xid (PCI:0000:01:00): 79, pid=…". */
static bool read_log_line(const char *line, struct manifest_error_hits *hits)
{
    const char *at = strstr(line, "Xid (");
    if (at == NULL || (at > line && isalnum((unsigned char)at[-1])))
        return false;
    at = strchr(at, ')');
    if (at == NULL || !read_number(at + 1 + strspn(at + 1, ": "), &hits->number))
        return false;
    hits->list = ERRORS_XID;
    return true;
}

static bool is_name_of(const struct manifest_error *row, const char *word)
{
    return (row->name != NULL && strcasecmp(row->name, word) == 0) ||
           (row->runtime_name != NULL && strcasecmp(row->runtime_name, word) == 0) ||
           (row->older_name != NULL && strcasecmp(row->older_name, word) == 0);
}

/* cuDNN numbered its statuses from 1 on before cuDNN 9, and from 1001 on since. */
static bool is_number_of(const struct manifest_error *row, uint64_t number)
{
    return row->code == number || (row->older_code != 0 && row->older_code == number);
}

static bool is_name_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether the name stands in words, and is no part of a longer one. */
static bool has_name(const char *words, const char *name)
{
    if (name == NULL)
        return false;
    size_t size = strlen(name);
    for (const char *at = words; (at = strstr(at, name)) != NULL; at++)
        if ((at == words || !is_name_letter(at[-1])) && !is_name_letter(at[size]))
            return true;
    return false;
}

/* The first row that has its name in words. One that stands for success explains nothing. */
static const struct manifest_error *find_named(struct manifest *manifest, const char *words,
                                               enum manifest_error_list *ret_list)
{
    for (enum manifest_error_list list = 0; list < ERROR_LISTS; list++) {
        size_t count;
        const struct manifest_error *rows = manifest_errors(manifest, list, &count);
        *ret_list = list;
        for (size_t i = 0; i < count; i++)
            if (rows[i].code != 0 &&
                (has_name(words, rows[i].name) || has_name(words, rows[i].runtime_name) ||
                 has_name(words, rows[i].older_name)))
                return &rows[i];
    }
    return NULL;
}

/* Small letters and digits, one blank for any run of others and at both ends. */
static char *plain(const char *words)
{
    AUTO_TEXT struct text text = {0};
    text_append_char(&text, ' ');
    for (const char *c = words; *c != '\0'; c++) {
        if (isalnum((unsigned char)*c) && (unsigned char)*c < 0x80)
            text_append_char(&text, (char)tolower((unsigned char)*c));
        else if (text_string(&text)[text.size - 1] != ' ')
            text_append_char(&text, ' ');
    }
    if (text_string(&text)[text.size - 1] != ' ')
        text_append_char(&text, ' ');
    return text_steal(&text);
}

/* Shorter words ("CUDA error", "system error") are in too many messages. */
#define PART_MIN 15

/* What programs put before a message: "RuntimeError: CUDA error: …". Plain words, as plain() has
 * them. */
static const char *without_lead(const char *asked)
{
    static const char *const leads[] = {" cuda ",
                                        " error ",
                                        " failed ",
                                        " nvml ",
                                        " runtimeerror ",
                                        " torch ",
                                        " nccl ",
                                        " importerror ",
                                        " acceleratorerror ",
                                        " oserror ",
                                        " e "};
    for (size_t i = 0; i < sizeof(leads) / sizeof(*leads);) {
        size_t size = strlen(leads[i]) - 1; /* the blank behind it stays, as that before the next */
        if (strncmp(asked, leads[i], size + 1) != 0) {
            i++;
            continue;
        }
        asked += size;
        i = 0;
    }
    return asked;
}

/* The longest message that the words have in them; else the first that they are part of. */
static const struct manifest_error *find_message(struct manifest *manifest, const char *words)
{
    size_t count, longest = 0;
    const struct manifest_error *rows = manifest_errors(manifest, ERRORS_MESSAGE, &count);
    const struct manifest_error *found = NULL;
    AUTO_FREE char *asked = plain(words);
    const char *part = without_lead(asked);
    for (size_t i = 0; i < count; i++) {
        AUTO_FREE char *text = plain(rows[i].text);
        size_t size = strlen(text);
        if (strstr(asked, text) != NULL && size > longest) {
            longest = size;
            found = &rows[i];
        } else if (found == NULL && strlen(part) >= PART_MIN && strstr(text, part) != NULL) {
            found = &rows[i];
        }
    }
    return found;
}

static const struct manifest_error *find_in_list(struct manifest *manifest,
                                                 enum manifest_error_list list, const char *words,
                                                 const struct manifest_error_hits *hits)
{
    size_t count;
    const struct manifest_error *rows = manifest_errors(manifest, list, &count);
    if (list == ERRORS_MESSAGE ||
        (hits->is_number && hits->list != ERROR_LISTS && hits->list != list))
        return NULL;
    bool asked_for = hits->list == list || (list != ERRORS_CUDNN && list != ERRORS_NCCL);
    if (hits->is_number && !asked_for && hits->count > 0)
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (hits->is_number ? is_number_of(&rows[i], hits->number) : is_name_of(&rows[i], words))
            return &rows[i];
    return NULL;
}

struct manifest_error_hits manifest_error_find(struct manifest *manifest, const char *words)
{
    struct manifest_error_hits hits = {.list = ERROR_LISTS};
    hits.is_number = read_numbered(words, &hits) || read_log_line(words, &hits);
    for (enum manifest_error_list list = 0; list < ERROR_LISTS; list++) {
        hits.rows[list] = find_in_list(manifest, list, words, &hits);
        if (hits.rows[list] != NULL)
            hits.count++;
    }
    if (hits.is_number || hits.count > 0)
        return hits;
    const struct manifest_error *message = find_message(manifest, words);
    enum manifest_error_list list;
    const struct manifest_error *row = message ? manifest_error_meant(manifest, message, &list)
                                               : find_named(manifest, words, &list);
    if (row != NULL) {
        hits.rows[list] = row;
        hits.count = 1;
    }
    return hits;
}
