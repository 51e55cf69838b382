/* SPDX-License-Identifier: MIT */
#include "match/fold.h"

#include "base/text.h"

char *fold_text(const char *text)
{
    AUTO_TEXT struct text folded = {0};
    for (const char *c = text; *c != '\0'; c++) {
        char letter = fold(*c);
        if (letter != ' ' || folded.size == 0 || folded.data[folded.size - 1] != ' ')
            text_append_char(&folded, letter);
    }
    return text_steal(&folded);
}

bool fold_matches(const char *literal, const char *text, size_t size, size_t *at)
{
    size_t here = *at;
    if (*literal == ' ' && here > 0 && fold(text[here - 1]) == ' ')
        literal++;
    for (const char *c = literal; *c != '\0'; c++) {
        if (here == size) {
            if (c[0] == ' ' && c[1] == '\0')
                break;
            return false;
        }
        if (fold(text[here]) != *c)
            return false;
        here++;
        while (*c == ' ' && here < size && fold(text[here]) == ' ')
            here++;
    }
    *at = here;
    return true;
}
