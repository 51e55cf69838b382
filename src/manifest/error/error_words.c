/* SPDX-License-Identifier: MIT */
#include "manifest/error/error_words.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"

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

/* The longest message that is in what is asked, and how long that is; else, 0, the first that part,
 * its end, is a part of. Both are plain words. */
static const struct manifest_error *find_message(struct manifest *manifest, const char *asked,
                                                 const char *part, size_t *ret_longest)
{
    size_t count, longest = 0;
    const struct manifest_error *rows = manifest_errors(manifest, ERRORS_MESSAGE, &count);
    const struct manifest_error *found = NULL;
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
    *ret_longest = longest;
    return found;
}

/* Whether what is said stands in words as a clause of its own: behind a mark or at the start, and
 * before one or at the end. */
static bool stands_in(const char *words, const char *said)
{
    size_t size = strlen(said);
    for (const char *at = words; (at = strcasestr(at, said)) != NULL; at++) {
        const char *before = at;
        const char *after = at + size;
        while (before > words && before[-1] == ' ')
            before--;
        after += strspn(after, " ");
        if ((before == words || strchr(":,;\"'`([-=>\n", before[-1]) != NULL) &&
            !isalnum((unsigned char)*after) && *after != '_')
            return true;
    }
    return false;
}

/* What is asked, as it is and in plain words. */
struct question {
    const char *words;
    const char *bare;
};

/* Whether a row of the library is meant by what its function says of it. "Invalid argument" is said
 * by many: the library has to be named too, or there are no other words. */
typedef bool said_test(const struct question *question, const char *library, const char *said);

static bool said_by_name(const struct question *question, const char *library, const char *said)
{
    return strcasestr(question->words, library) != NULL && stands_in(question->words, said);
}

static bool said_alone(const struct question *question, const char *library, const char *said)
{
    (void)library;
    AUTO_FREE char *whole = plain(said);
    return strlen(whole) >= PART_MIN && strcmp(question->bare, whole) == 0;
}

/* The row of which the longest is said. Of several as long that of the library which calls the
 * others, or, where CUDA is to be first, is called by them. */
static const struct manifest_error *find_said(struct manifest *manifest,
                                              const struct question *question, said_test *test,
                                              bool cuda_first, enum manifest_error_list *ret_list)
{
    static const struct {
        enum manifest_error_list list;
        const char *library;
    } lists[] = {{ERRORS_NCCL, "nccl"}, {ERRORS_NVML, "nvml"}, {ERRORS_CUDA, "cuda"}};
    const struct manifest_error *found = NULL;
    const size_t last = sizeof(lists) / sizeof(*lists) - 1;
    for (size_t step = 0; step <= last; step++) {
        size_t i = cuda_first ? last - step : step;
        size_t count;
        const struct manifest_error *rows = manifest_errors(manifest, lists[i].list, &count);
        for (size_t k = 0; k < count; k++) {
            if (rows[k].words == NULL || rows[k].code == 0 ||
                (found != NULL && strlen(rows[k].words) <= strlen(found->words)) ||
                !test(question, lists[i].library, rows[k].words))
                continue;
            found = &rows[k];
            *ret_list = lists[i].list;
        }
    }
    return found;
}

const struct manifest_error *error_find_words(struct manifest *manifest, const char *words,
                                              enum manifest_error_list *ret_list)
{
    size_t longest;
    enum manifest_error_list list;
    AUTO_FREE char *asked = plain(words);
    const struct question question = {.words = words, .bare = without_lead(asked)};
    const struct manifest_error *message = find_message(manifest, asked, question.bare, &longest);
    const struct manifest_error *said = find_said(manifest, &question, said_by_name, false, &list);
    if (said == NULL)
        said = find_said(manifest, &question, said_alone, true, &list);
    AUTO_FREE char *whole = plain(said ? said->words : "");
    if (said == NULL || (message != NULL && longest >= strlen(whole)))
        return message ? manifest_error_meant(manifest, message, ret_list) : NULL;
    *ret_list = list;
    return said;
}
