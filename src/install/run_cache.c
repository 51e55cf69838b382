/* SPDX-License-Identifier: MIT */
#include "install/run_cache.h"

#include <time.h>
#include <unistd.h>

#include "base/wrap.h"
#include "host/local/terminal.h"
#include "install/cache/cache_prune.h"
#include "install/output/print.h"
#include "install/print/envelope.h"
#include "install/run/run.h"

#define DAY 86400

struct sum {
    size_t files;
    uint64_t bytes;
};

static void sum_add(struct sum *sum, const struct cache_entry *entry)
{
    sum->files++;
    sum->bytes += entry->size;
}

/* By when they were used last. */
static const struct {
    const char *words, *key;
    int64_t days; /* 0: whatever is older */
} ages[] = {
    {"within a day", "day", 1},
    {"within a week", "week", 7},
    {"within 30 days", "month", 30},
    {"longer ago", "older", 0},
};
#define AGES (sizeof(ages) / sizeof(ages[0]))

static const char *const kind_words[] = {
    [CACHE_ARCHIVE] = "archives", [CACHE_PARTIAL] = "unfinished", [CACHE_LIST] = "lists"};
static const char *const kind_keys[] = {
    [CACHE_ARCHIVE] = "archives", [CACHE_PARTIAL] = "partial", [CACHE_LIST] = "proved"};

struct summary {
    struct sum kinds[CACHE_KINDS], by_age[AGES], total, removed, left, busy;
};

static struct summary summarize(const struct cache_contents *contents, int64_t now)
{
    struct summary summary = {.total = {.files = 0}};
    for (size_t i = 0; i < contents->count; i++) {
        const struct cache_entry *entry = &contents->entries[i];
        size_t age = 0;
        while (ages[age].days && now - entry->used > ages[age].days * DAY)
            age++;
        sum_add(&summary.kinds[entry->kind], entry);
        sum_add(&summary.by_age[age], entry);
        sum_add(&summary.total, entry);
        sum_add(entry->is_removed ? &summary.removed : &summary.left, entry);
        if (entry->is_busy)
            sum_add(&summary.busy, entry);
    }
    return summary;
}

static void append_sum(const char *words, const struct sum *sum, struct text *output)
{
    char size[PRINT_SIZE];
    text_printf(output, "  %-15s %6zu %-5s  %8s\n", words, sum->files,
                sum->files == 1 ? "file" : "files", print_size(sum->bytes, size));
}

static void append_others(const struct cache_contents *contents, struct text *output)
{
    if (contents->others > 0)
        text_printf(output, "  %zu more files that gpuenv did not create; they are kept\n",
                    contents->others);
}

static void print_show(const struct cache_contents *contents, const struct summary *summary,
                       struct text *output)
{
    text_append_safe(output, contents->path ? contents->path : "there is no place for a cache");
    text_append_char(output, '\n');
    if (summary->total.files == 0)
        text_append(output, "  nothing is kept there\n");
    else
        append_sum("total", &summary->total, output);
    for (size_t i = 0; i < CACHE_KINDS; i++)
        if (summary->kinds[i].files > 0)
            append_sum(kind_words[i], &summary->kinds[i], output);
    append_others(contents, output);
    if (summary->total.files == 0)
        return;
    text_append(output, "last used\n");
    for (size_t i = 0; i < AGES; i++)
        if (summary->by_age[i].files > 0)
            append_sum(ages[i].words, &summary->by_age[i], output);
    wrap_paragraph(output, terminal_width(STDOUT_FILENO), 0,
                   "to free space: gpuenv cache prune --older-than 30, --max-size 5GB or --all");
}

static void print_prune(const struct run *run, const struct cache_contents *contents,
                        const struct summary *summary, struct text *output)
{
    text_append_safe(output, contents->path ? contents->path : "there is no place for a cache");
    text_append_char(output, '\n');
    append_sum(run->request->dry_run ? "would remove" : "removed", &summary->removed, output);
    append_sum(run->request->dry_run ? "would leave" : "left", &summary->left, output);
    if (summary->busy.files > 0)
        append_sum("in use", &summary->busy, output);
    append_others(contents, output);
}

static json_t *sum_json(const struct sum *sum)
{
    json_t *json = json_object();
    json_object_set_new(json, "files", json_integer((json_int_t)sum->files));
    json_object_set_new(json, "bytes", json_integer((json_int_t)sum->bytes));
    return json;
}

static void print_json(const struct run *run, const struct cache_contents *contents,
                       const struct summary *summary, struct text *output)
{
    AUTO_JSON json_t *json = print_envelope(run);
    json_t *by_age = json_object();
    bool prunes = run->request->action == ACTION_CACHE_PRUNE;
    json_object_set_new(json, "path", json_from_string(contents->path));
    json_object_set_new(json, "total", sum_json(&summary->total));
    for (size_t i = 0; i < CACHE_KINDS; i++)
        json_object_set_new(json, kind_keys[i], sum_json(&summary->kinds[i]));
    for (size_t i = 0; i < AGES; i++)
        json_object_set_new(by_age, ages[i].key, sum_json(&summary->by_age[i]));
    json_object_set_new(json, "last_used", by_age);
    json_object_set_new(json, "in_use", sum_json(&summary->busy));
    json_object_set_new(json, "others", json_integer((json_int_t)contents->others));
    if (prunes) {
        json_object_set_new(json, "removed", sum_json(&summary->removed));
        json_object_set_new(json, "left", sum_json(&summary->left));
        json_object_set_new(json, "changed", json_boolean(summary->removed.files > 0));
    }
    json_append_text(json, output);
}

bool run_cache(struct run *run, struct text *output, struct error *error)
{
    AUTO_CONTENTS struct cache_contents contents = {.fd = -1};
    const struct request *request = run->request;
    const struct cache_limits limits = {.all = request->prune_all,
                                        .by_age = request->prune_by_age,
                                        .older_than_s = (int64_t)request->older_than_days * DAY,
                                        .by_size = request->prune_by_size,
                                        .max_size = request->max_size};
    int64_t now = (int64_t)time(NULL);
    bool prunes = request->action == ACTION_CACHE_PRUNE;
    if (!cache_contents_read(&contents, error))
        return false;
    if (prunes)
        cache_mark(&contents, &limits, now);
    if (prunes && !request->dry_run &&
        !cache_remove_marked(&contents, &limits, now, request->lock_timeout_s, error))
        return false;
    struct summary summary = summarize(&contents, now);
    if (print_is_json(run))
        print_json(run, &contents, &summary, output);
    else if (prunes)
        print_prune(run, &contents, &summary, output);
    else
        print_show(&contents, &summary, output);
    return true;
}
