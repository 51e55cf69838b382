/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "manifest/error/error_words.h"

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

#define QUOTES "\"'`([{"
#define ENDS   " \t\r.!?;\"'`)]}"

/* A number at text, decimal or hexadecimal, and no longer word; ret_end: what is behind it. */
static bool take_number(const char *text, uint64_t *ret_number, const char **ret_end)
{
    bool hexadecimal = strncasecmp(text, "0x", 2) == 0;
    const char *digits = text + (hexadecimal ? 2 : 0);
    size_t size = strspn(digits, hexadecimal ? "0123456789abcdefABCDEF" : "0123456789");
    const char *end = digits + size;
    if (size == 0 || size > (hexadecimal ? 15 : 18) || isalnum((unsigned char)*end) || *end == '_')
        return false;
    if (*end == '.' && isdigit((unsigned char)end[1]))
        return false;
    *ret_number = strtoull(digits, NULL, hexadecimal ? 16 : 10);
    *ret_end = end;
    return true;
}

/* Whether text is a number up to its end or, unless that is to be all, a colon, a comma or the end
 * of the line. */
static bool read_number(const char *text, bool all, uint64_t *ret_number)
{
    const char *end;
    if (!take_number(text, ret_number, &end))
        return false;
    end += strspn(end, all ? ENDS "\n" : ENDS);
    return *end == '\0' || (!all && strchr(":,\n", *end) != NULL);
}

/* "xid 79", "CUDA error 802", "error/cuda-802", "18". Of a number alone that more words follow it
 * is not known what it is: "01:00.0 VGA compatible controller". */
static bool read_numbered(const char *words, bool all, struct manifest_error_hits *hits)
{
    const char *start = words + strspn(words, " \t\r\n" QUOTES);
    const char *rest = start;
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
    return read_number(rest, all || rest == start, &hits->number);
}

/* In the kernel log and what is made of it: "NVRM: Xid (PCI:0000:01:00): 79, pid=…", "Xid 48
 * Double Bit ECC Error". at: behind the word Xid. */
static bool read_xid(const char *at, uint64_t *ret_number)
{
    at += strspn(at, " :#=");
    if (*at == '(') {
        at = strchr(at, ')');
        if (at == NULL)
            return false;
        at += 1 + strspn(at + 1, ": ");
    }
    const char *end;
    return take_number(at, ret_number, &end);
}

static bool read_log_line(const char *line, struct manifest_error_hits *hits)
{
    for (const char *at = line; (at = strcasestr(at, "xid")) != NULL; at++) {
        if ((at > line && isalnum((unsigned char)at[-1])) || !read_xid(at + 3, &hits->number))
            continue;
        hits->list = ERRORS_XID;
        return true;
    }
    return false;
}

/* Whose call a word is: "cuInit", "cudaGetDeviceCount", "nvmlInit_v2"; also "CUDA" alone. */
static enum manifest_error_list caller_of(const char *word, size_t size)
{
    static const struct {
        const char *start;
        enum manifest_error_list list;
    } starts[] = {{"cudnn", ERRORS_CUDNN},
                  {"cuda", ERRORS_CUDA},
                  {"nvml", ERRORS_NVML},
                  {"nccl", ERRORS_NCCL}};
    for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
        size_t length = strlen(starts[i].start);
        if (size >= length && strncasecmp(word, starts[i].start, length) == 0 &&
            (size == length || isupper((unsigned char)word[length])))
            return starts[i].list;
    }
    return size > 2 && strncmp(word, "cu", 2) == 0 && isupper((unsigned char)word[2]) ? ERRORS_CUDA
                                                                                      : ERROR_LISTS;
}

/* What may stand between a call and its result. */
static bool is_filler(const char *word, size_t size)
{
    static const char *const fillers[] = {"returned", "returns", "return", "failed",
                                          "failure",  "with",    "error",  "code",
                                          "status",   "result",  "unknown"};
    for (size_t i = 0; i < sizeof(fillers) / sizeof(*fillers); i++)
        if (strlen(fillers[i]) == size && strncasecmp(word, fillers[i], size) == 0)
            return true;
    return false;
}

static size_t word_size(const char *word)
{
    size_t size = 0;
    while (isalnum((unsigned char)word[size]) || word[size] == '_')
        size++;
    return size;
}

/* "(0) = 803", " returned 35", ": UNKNOWN ERROR (303)": what is behind a call. */
static bool read_returned(const char *at, uint64_t *ret_number)
{
    bool returned = false;
    if (*at == '(') {
        at += strcspn(at, ")\n");
        returned = *at == ')';
    }
    for (;;) {
        const char *end;
        at += strspn(at, " :=(#->)");
        if (returned && take_number(at, ret_number, &end))
            return true;
        size_t size = word_size(at);
        if (!is_filler(at, size))
            return false;
        returned = true;
        at += size;
    }
}

/* The first result of a call that words tell of. */
static bool read_call(const char *words, struct manifest_error_hits *hits)
{
    for (const char *at = words; *at != '\0';) {
        size_t size = word_size(at);
        enum manifest_error_list list = caller_of(at, size);
        if (list != ERROR_LISTS && read_returned(at + size, &hits->number)) {
            hits->list = list;
            return true;
        }
        at += size > 0 ? size : 1;
    }
    return false;
}

static bool is_name_of(const struct manifest_error *row, const char *word)
{
    return (row->name != NULL && strcasecmp(row->name, word) == 0) ||
           (row->runtime_name != NULL && strcasecmp(row->runtime_name, word) == 0) ||
           (row->older_name != NULL && strcasecmp(row->older_name, word) == 0);
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
        if (hits->is_number ? manifest_error_has_number(&rows[i], hits->number)
                            : is_name_of(&rows[i], words))
            return &rows[i];
    return NULL;
}

static void find_in_lists(struct manifest *manifest, const char *words,
                          struct manifest_error_hits *hits)
{
    for (enum manifest_error_list list = 0; list < ERROR_LISTS; list++) {
        hits->rows[list] = find_in_list(manifest, list, words, hits);
        if (hits->rows[list] != NULL)
            hits->count++;
    }
}

struct manifest_error_hits manifest_error_find_code(struct manifest *manifest, const char *words)
{
    struct manifest_error_hits hits = {.list = ERROR_LISTS};
    hits.is_number = read_numbered(words, true, &hits);
    find_in_lists(manifest, words, &hits);
    return hits;
}

struct manifest_error_hits manifest_error_find(struct manifest *manifest, const char *words)
{
    struct manifest_error_hits hits = {.list = ERROR_LISTS};
    hits.is_number = read_numbered(words, false, &hits) || read_log_line(words, &hits);
    find_in_lists(manifest, words, &hits);
    if (hits.is_number || hits.count > 0)
        return hits;
    enum manifest_error_list list;
    const struct manifest_error *row = error_find_words(manifest, words, &list);
    if (row == NULL)
        row = find_named(manifest, words, &list);
    hits.is_number = row == NULL && read_call(words, &hits);
    if (hits.is_number)
        find_in_lists(manifest, words, &hits);
    if (row != NULL) {
        hits.rows[list] = row;
        hits.count = 1;
    }
    return hits;
}
