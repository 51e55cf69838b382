/* SPDX-License-Identifier: MIT */
#include "explain/nearest_message.h"

#include <string.h>

#include "base/memory.h"
#include "base/strlist.h"
#include "base/text.h"
#include "manifest/error/message.h"
#include "match/fold.h"

#define WORD_MIN  4  /* shorter words are in every message */
#define WORDS_MIN 3  /* of a pattern that is called near */
#define NEAR      60 /* of a hundred letters of its words are in the text */

/* How many of a hundred letters of the pattern's words are in the folded text. */
static unsigned share_of(const char *pattern, const char *folded)
{
    AUTO_FREE char *plain = fold_text(pattern);
    AUTO_STRLIST struct strlist words = {0};
    strlist_split_words(&words, plain);
    size_t all = 0, shared = 0, count = 0;
    for (size_t i = 0; i < words.count; i++) {
        size_t size = strlen(words.items[i]);
        if (size < WORD_MIN)
            continue;
        AUTO_FREE char *word = mem_printf(" %s ", words.items[i]);
        all += size;
        count++;
        if (strstr(folded, word) != NULL)
            shared += size;
    }
    return count < WORDS_MIN ? 0 : (unsigned)(shared * 100 / all);
}

char *nearest_message(struct manifest *manifest, const char *text)
{
    AUTO_FREE char *bare = fold_text(text);
    AUTO_FREE char *folded = mem_printf(" %s ", bare);
    const char *nearest = NULL;
    unsigned best = NEAR - 1;
    size_t count;
    const struct manifest_message *rows = manifest_messages(manifest, &count);
    for (size_t i = 0; i < count; i++) {
        unsigned share = share_of(rows[i].pattern, folded);
        if (share > best) {
            best = share;
            nearest = rows[i].pattern;
        }
    }
    return mem_string(nearest);
}

#define PART_MIN 15 /* folded letters; fewer are in too many messages */

/* What a library says of an error is that error, whoever else says it too. */
static bool is_said(struct manifest *manifest, const char *part)
{
    for (enum manifest_error_list list = 0; list < ERROR_LISTS; list++) {
        size_t count;
        const struct manifest_error *rows = manifest_errors(manifest, list, &count);
        for (size_t i = 0; i < count; i++) {
            AUTO_FREE char *said = rows[i].words ? fold_text(rows[i].words) : NULL;
            if (said != NULL && strcmp(string_trim(said), part) == 0)
                return true;
        }
    }
    return false;
}

const struct manifest_message *message_with_part(struct manifest *manifest, const char *words)
{
    AUTO_FREE char *folded = fold_text(words);
    char *part = string_trim(folded);
    if (strlen(part) < PART_MIN || is_said(manifest, part))
        return NULL;
    size_t count;
    const struct manifest_message *rows = manifest_messages(manifest, &count);
    for (size_t i = 0; i < count; i++) {
        AUTO_FREE char *pattern = fold_text(rows[i].pattern);
        if (strstr(pattern, part) != NULL)
            return &rows[i];
    }
    return NULL;
}
