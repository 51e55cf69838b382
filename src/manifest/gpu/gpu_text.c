/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/strlist.h"
#include "base/text.h"
#include "manifest/gpu/gpu_table.h"
#include "manifest/reader/slug.h"

char *gpu_text_name(const char *text)
{
    const char *open = strchr(text, '[');
    const char *close = open ? strchr(open, ']') : NULL;
    if (close == NULL || strncasecmp(open, "[10de:", 6) == 0)
        return mem_string(text);
    return mem_printf("%.*s", (int)(close - open) - 1, open + 1);
}

static size_t digits_at(const char *text)
{
    return strspn(text, "0123456789");
}

/* How long a MIG profile at text is: "1g.10gb"; 0: it is none. */
static size_t profile_at(const char *text)
{
    size_t slices = digits_at(text);
    if (slices == 0 || strncasecmp(text + slices, "g.", 2) != 0)
        return 0;
    const char *memory = text + slices + 2;
    size_t size = digits_at(memory);
    return size > 0 && strncasecmp(memory + size, "gb", 2) == 0 ? slices + 2 + size + 2 : 0;
}

static void trim(char *text)
{
    size_t size = strlen(text);
    while (size > 0 && (text[size - 1] == ' ' || text[size - 1] == '-' || text[size - 1] == '_'))
        text[--size] = '\0';
    if (size >= 4 && strcasecmp(text + size - 3, "mig") == 0 &&
        !isalnum((unsigned char)text[size - 4])) {
        text[size - 3] = '\0';
        trim(text);
    }
}

/* "A100-SXM4-40GB MIG 1g.5gb": what is before the profile. */
static char *slice_board(const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        bool starts = at == text || !isalnum((unsigned char)at[-1]);
        if (!starts || profile_at(at) == 0)
            continue;
        char *board = mem_printf("%.*s", (int)(at - text), text);
        trim(board);
        return board;
    }
    return NULL;
}

/* Whether text is a type of virtual GPUs: "8Q", "10CME", "2B4": GB of memory, and the kind. */
static bool is_virtual_type(const char *text)
{
    size_t digits = digits_at(text);
    if (digits == 0 || strchr("QCBAqcba", text[digits]) == NULL || text[digits] == '\0')
        return false;
    const char *rest = text + digits + 1;
    while (isalpha((unsigned char)*rest))
        rest++;
    return rest[digits_at(rest)] == '\0';
}

/* "GRID A100D-1-10CME": what is before the type and the slices. */
static char *virtual_board(const char *text)
{
    const char *dash = strrchr(text, '-');
    if (dash == NULL || dash == text || !is_virtual_type(dash + 1))
        return NULL;
    if (strncasecmp(text, "nvidia ", 7) == 0)
        text += 7;
    if (strncasecmp(text, "grid ", 5) == 0)
        text += 5;
    char *board = mem_printf("%.*s", (int)(dash - text), text);
    char *slices = strrchr(board, '-');
    if (slices && slices[1] != '\0' && digits_at(slices + 1) == strlen(slices + 1))
        *slices = '\0';
    return board;
}

char *gpu_text_board(const char *text)
{
    char *board = slice_board(text);
    if (board == NULL)
        board = virtual_board(text);
    return board;
}

/* "16gb", "sxm2", "pcie", "hbm3": of a card, and in no name of a chip. */
static bool is_form(const char *word)
{
    static const char *const forms[] = {"sxm",  "pcie",     "nvl", "hbm",
                                        "gddr", "graphics", "hgx", "dgx"};
    size_t digits = digits_at(word);
    if (digits > 0 && (string_equal(word + digits, "gb") || string_equal(word + digits, "g")))
        return true;
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        const char *rest = string_starts(word, forms[i]) ? word + strlen(forms[i]) : NULL;
        if (rest && strlen(rest) <= 2)
            return true;
    }
    return false;
}

char *gpu_text_bare(const char *text)
{
    AUTO_FREE char *plain = manifest_words(text);
    AUTO_STRLIST struct strlist words = {0};
    AUTO_STRLIST struct strlist kept = {0};
    strlist_split(&words, plain, ' ');
    for (size_t i = 0; i < words.count; i++)
        if (!is_form(words.items[i]))
            strlist_add(&kept, words.items[i]);
    return strlist_join(&kept, " ");
}

char *gpu_text_mobile(const char *text)
{
    AUTO_FREE char *words = manifest_words(text);
    char *form = strstr(words, " max q");
    if (form == NULL)
        return NULL;
    const char *rest = form + strlen(" max q");
    if (string_starts(rest, " design"))
        rest += strlen(" design");
    *form = '\0';
    if (string_ends(words, " with"))
        words[strlen(words) - strlen(" with")] = '\0';
    return mem_printf("%s mobile%s", words, rest);
}
