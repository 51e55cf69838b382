/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/memory.h"
#include "base/strlist.h"
#include "base/text.h"
#include "manifest/gpu/gpu.h"
#include "manifest/gpu/gpu_table.h"
#include "manifest/reader/slug.h"

/* Longer than any name of a GPU, and short enough to compare with all of them. */
#define NAME_MAX_BYTES 96
#define NEAREST_MAX    5

/* The words that were asked for, without a leading "nvidia". */
static void query_words(const char *name, struct strlist *words)
{
    AUTO_FREE char *plain = manifest_words(name);
    const char *start = string_starts(plain, "nvidia ") ? plain + strlen("nvidia ") : plain;
    if (*start != '\0')
        strlist_split(words, start, ' ');
}

static bool string_in(const char *text, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (string_equal(text, list[i]))
            return true;
    return false;
}

static void model_words(const struct manifest_gpu *gpu, struct strlist *words)
{
    AUTO_FREE char *plain = manifest_words(gpu->name);
    strlist_split(words, plain, ' ');
}

bool gpu_name_is_noise(const char *word)
{
    static const char *const noise[] = {"nvidia", "geforce",    "tesla",   "gpu",    "with",
                                        "design", "generation", "edition", "tensor", "core"};
    return string_in(word, noise, sizeof(noise) / sizeof(noise[0]));
}

/* What is left of a name when it is written together, without words that tell no GPU from another.
 * scripts/refresh/devices.py compares names so, too. */
static char *plain_of(const char *name)
{
    static const char *const mobile[] = {"laptop", "notebook"};
    AUTO_FREE char *plain = manifest_words(name);
    AUTO_STRLIST struct strlist words = {0};
    AUTO_TEXT struct text text = {0};
    strlist_split(&words, plain, ' ');
    for (size_t i = 0; i < words.count; i++) {
        const char *word = words.items[i];
        if (string_in(word, mobile, sizeof(mobile) / sizeof(mobile[0])))
            word = "mobile";
        if (!gpu_name_is_noise(word))
            text_append(&text, word);
    }
    return text_steal(&text);
}

static bool is_plain_name(const struct manifest_gpu *gpu, const struct strlist *query)
{
    AUTO_FREE char *joined = strlist_join(query, " ");
    AUTO_FREE char *wanted = plain_of(joined);
    AUTO_FREE char *name = plain_of(gpu->name);
    if (*wanted != '\0' && string_equal(name, wanted))
        return true;
    for (size_t i = 0; i < gpu->names.count; i++) {
        AUTO_FREE char *other = plain_of(gpu->names.items[i]);
        if (*wanted != '\0' && string_equal(other, wanted))
            return true;
    }
    return false;
}

static size_t words_shared(const struct strlist *query, const struct strlist *model)
{
    size_t shared = 0;
    for (size_t i = 0; i < query->count; i++)
        shared += strlist_has(model, query->items[i]) ? 1 : 0;
    return shared;
}

static bool is_name(const char *name, const struct strlist *query)
{
    AUTO_FREE char *plain = manifest_words(name);
    AUTO_FREE char *wanted = strlist_join(query, " ");
    return string_equal(plain, wanted);
}

static bool is_whole_name(const struct manifest_gpu *gpu, const struct strlist *query)
{
    if (is_name(gpu->name, query))
        return true;
    for (size_t i = 0; i < gpu->names.count; i++)
        if (is_name(gpu->names.items[i], query))
            return true;
    return false;
}

/* Drivers name the memory too: "NVIDIA H100 80GB HBM3". */
static bool has_all_words(const struct manifest_gpu *gpu, const struct strlist *query)
{
    AUTO_STRLIST struct strlist words = {0};
    model_words(gpu, &words);
    if (words_shared(query, &words) == 0)
        return false;
    if (gpu->memory_gb > 0)
        strlist_take(&words, mem_printf("%ugb", gpu->memory_gb));
    if (gpu->memory_type != NULL)
        strlist_take(&words, manifest_words(gpu->memory_type));
    return words_shared(query, &words) == query->count;
}

/* "rtx4090": the words asked for, written together, are some words of the name, written together.
 */
static bool is_run_of_words(const struct manifest_gpu *gpu, const struct strlist *query)
{
    AUTO_STRLIST struct strlist words = {0};
    model_words(gpu, &words);
    AUTO_FREE char *wanted = strlist_join(query, "");
    for (size_t first = 0; first < words.count; first++) {
        const char *rest = wanted;
        for (size_t i = first; i < words.count && string_starts(rest, words.items[i]); i++) {
            rest += strlen(words.items[i]);
            if (*rest == '\0')
                return true;
        }
    }
    return false;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* How many letters of query have to be changed, added or left out to find it somewhere in name. */
static size_t distance(const char *query, const char *name)
{
    size_t row[NAME_MAX_BYTES + 1] = {0};
    size_t width = strlen(name);
    for (size_t i = 0; query[i] != '\0'; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < width; j++) {
            size_t replaced = diagonal + (query[i] == name[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = least(replaced, least(row[j], diagonal) + 1);
        }
    }
    size_t best = row[0];
    for (size_t j = 1; j <= width; j++)
        best = least(best, row[j]);
    return best;
}

/* The same word by word: no order, and a word too many costs no more than its letters. */
static size_t distance_of_words(const struct strlist *query, const struct strlist *words)
{
    size_t sum = 0;
    for (size_t i = 0; i < query->count; i++) {
        size_t best = strlen(query->items[i]);
        for (size_t j = 0; j < words->count; j++)
            best = least(best, distance(query->items[i], words->items[j]));
        sum += best;
    }
    return sum;
}

struct near_gpu {
    const char *name;
    size_t shared;
    size_t distance;
    size_t row;
};

/* More words right first, then fewer letters wrong, then the order of the rows. */
static int compare_near(const void *a, const void *b)
{
    const struct near_gpu *left = a;
    const struct near_gpu *right = b;
    if (left->shared != right->shared)
        return left->shared > right->shared ? -1 : 1;
    if (left->distance != right->distance)
        return left->distance < right->distance ? -1 : 1;
    return left->row < right->row ? -1 : left->row > right->row;
}

/* Near is: half of the words right, or about a third of the letters wrong at most. */
static bool is_near(const struct manifest_gpu *gpu, const struct strlist *query, const char *wanted,
                    struct near_gpu *near)
{
    AUTO_FREE char *name = manifest_words(gpu->name);
    AUTO_STRLIST struct strlist words = {0};
    strlist_split(&words, name, ' ');
    near->name = gpu->name;
    near->shared = words_shared(query, &words);
    near->distance = least(distance(wanted, name), distance_of_words(query, &words));
    return near->shared * 2 >= query->count || near->distance <= 1 + strlen(wanted) / 3;
}

void gpu_names_near(struct manifest *manifest, const char *name, struct strlist *ret_nearest)
{
    AUTO_STRLIST struct strlist query = {0};
    query_words(name, &query);
    if (query.count == 0)
        return;
    AUTO_FREE char *wanted = strlist_join(&query, " ");
    size_t count = gpu_count(manifest);
    AUTO_FREE struct near_gpu *near = mem_resize(NULL, count + 1, sizeof(*near));
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        near[found].row = i;
        if (is_near(gpu_at(manifest, i), &query, wanted, &near[found]))
            found++;
    }
    qsort(near, found, sizeof(*near), compare_near);
    for (size_t i = 0; i < found && i < NEAREST_MAX; i++)
        strlist_add(ret_nearest, near[i].name);
}

bool gpu_name_fits(const struct manifest_gpu *gpu, const char *name, enum gpu_name_test test)
{
    static bool (*const tests[])(const struct manifest_gpu *gpu, const struct strlist *query) = {
        [GPU_NAME_WHOLE] = is_whole_name,
        [GPU_NAME_PLAIN] = is_plain_name,
        [GPU_NAME_WORDS] = has_all_words,
        [GPU_NAME_RUN] = is_run_of_words,
    };
    AUTO_STRLIST struct strlist query = {0};
    query_words(name, &query);
    return query.count > 0 && tests[test](gpu, &query);
}
