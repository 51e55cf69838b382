/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <string.h>

#include "base/memory.h"
#include "base/strlist.h"
#include "base/text.h"
#include "manifest/gpu/gpu.h"
#include "manifest/gpu/gpu_match.h"
#include "manifest/gpu/gpu_table.h"
#include "manifest/reader/slug.h"

/* A GPU's name within other words: "ASUS TUF GeForce RTX 4090 OC", "GH200 Grace Hopper Superchip".
 * A word that makes no other name of it tells no GPU from another. */

#define WORDS_MAX 24 /* of a text that is looked through */

/* What all words are held against: names, and architectures, each with a space around its words. */
struct known {
    struct strlist names, architectures;
};
#define AUTO_KNOWN AUTO(known_free)

static void known_free(struct known *known)
{
    strlist_free(&known->names);
    strlist_free(&known->architectures);
}

static void add_words(struct strlist *list, const char *name)
{
    AUTO_FREE char *words = manifest_words(name);
    strlist_take(list, mem_printf(" %s ", words));
}

static void add_names(struct strlist *list, const struct manifest_gpu *gpu)
{
    add_words(list, gpu->name);
    for (size_t i = 0; i < gpu->names.count; i++)
        add_words(list, gpu->names.items[i]);
}

static void known_read(struct manifest *manifest, struct known *known)
{
    size_t count;
    for (size_t i = 0; i < gpu_count(manifest); i++)
        add_names(&known->names, gpu_at(manifest, i));
    const struct manifest_gpu *listed = device_rows_named(manifest, "", &count);
    for (size_t i = 0; i < count; i++)
        add_names(&known->names, &listed[i]);
    const struct manifest_gpu_range *ranges = gpu_ranges(manifest, &count);
    for (size_t i = 0; i < count; i++)
        add_words(&known->architectures, ranges[i].architecture);
}

static bool has_word(const char *name, const char *word)
{
    AUTO_FREE char *wanted = mem_printf(" %s ", word);
    return strstr(name, wanted) != NULL;
}

static bool has_all(const char *name, const struct strlist *words)
{
    for (size_t i = 0; i < words->count; i++)
        if (!gpu_name_is_noise(words->items[i]) && !has_word(name, words->items[i]))
            return false;
    return true;
}

static bool any_has(const struct strlist *list, const char *word)
{
    for (size_t i = 0; i < list->count; i++)
        if (has_word(list->items[i], word))
            return true;
    return false;
}

/* Three digits, which may be the number of another model. */
static bool has_number(const char *word)
{
    size_t digits = 0;
    for (; *word != '\0' && digits < 3; word++)
        digits = isdigit((unsigned char)*word) ? digits + 1 : 0;
    return digits == 3;
}

/* Whether the name of gpu in run is the same with word beside it. A letter alone ("GAMING X TRIO")
 * is of a name where it is beside it, and then in the run. */
static bool is_free(const char *word, const struct strlist *run, const struct known *known,
                    const struct manifest_gpu *gpu)
{
    AUTO_FREE char *bare = gpu_text_bare(word);
    AUTO_STRLIST struct strlist own = {0};
    add_words(&own, gpu->architecture);
    if (*bare == '\0' || word[1] == '\0' || gpu_name_is_noise(word) || any_has(&own, word) ||
        strlist_has(run, word))
        return true;
    if (has_number(word) || any_has(&known->architectures, word))
        return false;
    for (size_t i = 0; i < known->names.count; i++)
        if (has_word(known->names.items[i], word) && has_all(known->names.items[i], run))
            return false;
    return true;
}

/* Whether all words but those from first on, which are run, are free beside the GPU. */
static bool others_are_free(const struct strlist *words, size_t first, const struct strlist *run,
                            const struct known *known, const struct manifest_gpu *gpu)
{
    for (size_t i = 0; i < words->count; i++)
        if ((i < first || i >= first + run->count) && !is_free(words->items[i], run, known, gpu))
            return false;
    return true;
}

/* What NVIDIA has before its numbers. */
static bool speaks_of_nvidia(const struct strlist *words)
{
    static const char *const series[] = {"nvidia", "geforce", "quadro", "tesla", "rtx",
                                         "gtx",    "titan",   "jetson", "grid"};
    for (size_t i = 0; i < sizeof(series) / sizeof(series[0]); i++)
        if (strlist_has(words, series[i]))
            return true;
    return false;
}

/* "rtx 4090", "a2" beside "nvidia", "h100" alone; not "a2" of "a2-highgpu-1g", no number alone. */
static bool may_be_name(const char *run, bool is_of_nvidia)
{
    bool has_letter = false;
    for (const char *c = run; *c != '\0'; c++)
        has_letter = has_letter || isalpha((unsigned char)*c);
    if (!is_of_nvidia || !has_letter)
        return has_letter && has_number(run);
    return run[strcspn(run, "0123456789")] != '\0' || strstr(run, "titan") != NULL ||
           strstr(run, "jetson") != NULL;
}

/* Takes away the models beside which the words that are not of the run are not free. */
static void keep_free(struct manifest *manifest, const struct strlist *words, size_t first,
                      const struct strlist *run, struct gpu_models *models)
{
    AUTO_KNOWN struct known known = {.names = {0}};
    size_t kept = 0;
    known_read(manifest, &known);
    for (size_t i = 0; i < models->count; i++)
        if (others_are_free(words, first, run, &known, models->items[i]))
            models->items[kept++] = models->items[i];
    models->count = kept;
}

/* Whether that many words from first on name a GPU; then models are those beside which the other
 * words are free, or none. */
static bool try_run(struct manifest *manifest, const struct strlist *words, size_t first,
                    size_t size, struct gpu_models *models)
{
    AUTO_STRLIST struct strlist run = {0};
    for (size_t i = first; i < first + size; i++)
        strlist_add(&run, words->items[i]);
    AUTO_FREE char *name = strlist_join(&run, " ");
    if (may_be_name(name, speaks_of_nvidia(words)))
        gpu_models_by_name(manifest, name, models);
    if (models->count == 0)
        return false;
    keep_free(manifest, words, first, &run, models);
    return true;
}

/* "ZT-P10510B-10L", "VCGGTX1050T4PB": what a maker calls a card; not "V100-SXM2-16GB". */
static bool is_part_number(const char *word)
{
    AUTO_FREE char *bare = gpu_text_bare(word);
    return strlen(bare) >= 9 && bare[strcspn(bare, "0123456789")] != '\0';
}

static void split_words(const char *text, struct strlist *words)
{
    AUTO_STRLIST struct strlist parts = {0};
    strlist_split(&parts, text, ' ');
    for (size_t i = 0; i < parts.count; i++) {
        AUTO_FREE char *plain = manifest_words(parts.items[i]);
        if (*plain != '\0' && !is_part_number(parts.items[i]))
            strlist_split(words, plain, ' ');
    }
}

/* The longest run of words that names a GPU decides. */
void gpu_models_within(struct manifest *manifest, const char *text, struct gpu_models *models)
{
    AUTO_STRLIST struct strlist words = {0};
    split_words(text, &words);
    if (words.count > WORDS_MAX)
        return;
    for (size_t size = words.count; size > 0; size--)
        for (size_t first = 0; first + size <= words.count; first++)
            if (try_run(manifest, &words, first, size, models))
                return;
}
