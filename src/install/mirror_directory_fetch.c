/* SPDX-License-Identifier: MIT */
#include "install/mirror_directory.h"
#include "install/run/run.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "install/io/url.h"
#include "install/run/run_index.h"

/* Of an archive whose size is not listed: no more than the unpacker would take of it. */
#define UNSIZED_MAX (UINT64_C(16) << 30)

/* What a mirror lacks, from the user's cache, from other directories and from servers. */

static struct fetch_options options_of(const struct mirror_directory *mirror,
                                       const struct cache *cache)
{
    const struct run *run = mirror->run;
    return (struct fetch_options){.mirrors = run->mirrors,
                                  .mirror_count = run->mirror_count,
                                  .cache = cache,
                                  .offline = run->request->offline,
                                  .timeout_s = run->request->timeout_s,
                                  .cacert = run->request->cacert,
                                  .progress = run->progress,
                                  .lock = run->lock_name};
}

/* What an install has fetched before need not come again. */
static bool take_cached(struct mirror_directory *mirror, struct plan_item *item,
                        struct error *error)
{
    bool same = false;
    AUTO_CLOSE int fd = cache_find(mirror->run->cache, &item->sha256);
    if (fd < 0)
        return true;
    if (!mirror_directory_copy(mirror, fd, item->size, &item->sha256, &same, error))
        return false;
    if (!same)
        return true;
    progress_had(mirror->run->progress, item->size);
    item->cached = true;
    return mirror_directory_put(mirror, item->path, item->size, &item->sha256, error);
}

/* A file that is not the mirror's own partial is a file of another directory: it is copied. */
static bool keep(struct mirror_directory *mirror, const struct fetch_item *item, uint64_t size,
                 bool *ret_same, struct error *error)
{
    AUTO_URL struct url url = {0};
    *ret_same = true;
    if (!url_parse(item->url, &url) && !string_starts(item->url, cache_path(mirror->work)))
        return mirror_directory_copy(mirror, item->fd, size, item->sha256, ret_same, error);
    return cache_keep(mirror->work, item->sha256, item->fd, error);
}

static bool take(struct mirror_directory *mirror, struct fetch *fetch, struct fetch_item *item,
                 size_t *ret_done, struct error *error)
{
    struct digest found;
    uint64_t size;
    bool same;
    uint64_t most = item->size ? item->size : item->max;
    if (!digest_of_file(item->fd, most, item->url, &found, &size, error))
        return false;
    if (!digest_equal(&found, item->sha256))
        return fetch_refuse(fetch, item, &found, error);
    if (!keep(mirror, item, size, &same, error))
        return false;
    if (!same)
        return fetch_refuse(fetch, item, &found, error);
    close(fd_steal(&item->fd));
    ++*ret_done;
    return mirror_directory_put(mirror, item->path, size, item->sha256, error);
}

static bool fetch_all(struct mirror_directory *mirror, struct fetch *fetch, size_t count,
                      struct error *error)
{
    int *interrupt_fd = &mirror->run->interrupt.fd;
    size_t done = 0;
    while (done < count) {
        struct fetch_item *item;
        if (!fetch_step(fetch, interrupt_fd, 1, 1000, error) || run_interrupted(mirror->run, error))
            return false;
        while ((item = fetch_next(fetch)) != NULL)
            if (!take(mirror, fetch, item, &done, error))
                return false;
    }
    return true;
}

static size_t wanted_of(struct mirror_directory *mirror, struct fetch_item *items)
{
    size_t count = 0;
    for (size_t i = 0; i < mirror->run->plan.item_count; i++) {
        const struct plan_item *item = &mirror->run->plan.items[i];
        if (item->cached)
            continue;
        items[count++] = (struct fetch_item){.path = item->path,
                                             .size = item->size,
                                             .max = UNSIZED_MAX,
                                             .sha256 = &item->sha256,
                                             .pinned = true,
                                             .fd = -1};
    }
    return count;
}

bool mirror_directory_fetch(struct mirror_directory *mirror, struct error *error)
{
    struct plan *plan = &mirror->run->plan;
    AUTO_FREE struct fetch_item *items = mem_alloc((plan->item_count + 1) * sizeof(*items));
    for (size_t i = 0; i < plan->item_count; i++)
        if (!plan->items[i].cached && !take_cached(mirror, &plan->items[i], error))
            return false;
    size_t count = wanted_of(mirror, items);
    if (count > 0 && !mirror_directory_begin(mirror, error))
        return false;
    const struct fetch_options options = options_of(mirror, mirror->work);
    struct fetch *fetch = count > 0 && run_find_addresses(mirror->run, items, count, error)
                              ? fetch_new(&options, items, count, error)
                              : NULL;
    bool ok = count == 0 || (fetch && fetch_all(mirror, fetch, count, error));
    for (size_t i = 0; i < count; i++) {
        if (items[i].fd >= 0)
            close(items[i].fd);
        free(items[i].url);
    }
    fetch_free(fetch);
    return ok;
}

/* Nothing proves it: it is text, and no page that a server shows instead. */
#define LICENCE_MAX (1u << 20)
static bool is_text(struct fetch_item *item, const struct text *text, struct error *error)
{
    const char *start = text_string(text) + strspn(text_string(text), " \t\r\n");
    if (text->size > 0 && memchr(text_string(text), '\0', text->size) == NULL &&
        utf8_valid(text_string(text), text->size) && *start != '<')
        return true;
    error_set(error, ERROR_DATA, "this is not the text of a licence");
    return error_where(error, "%s", item->url);
}

static bool fetch_licence(struct mirror_directory *mirror, const struct plan_item *plan_item,
                          struct error *error)
{
    AUTO_TEXT struct text text = {0};
    AUTO_ERROR struct error wrong = {0};
    const struct run *run = mirror->run;
    const struct fetch_options options = options_of(mirror, run->cache);
    struct fetch_item item = {
        .path = plan_item->licence_path, .max = LICENCE_MAX, .proves = is_text, .fd = -1};
    bool ok = fetch_one(&options, &item, &text, &wrong);
    if (ok)
        ok = mirror_directory_put_text(mirror, plan_item->licence_path, &text, error);
    else
        progress_note(run->progress, "%s: not mirrored (%s); the archives contain the licence too",
                      plan_item->licence_path, wrong.why ? wrong.why : wrong.what);
    free(item.url);
    return ok || error_is_set(&wrong);
}

bool mirror_directory_fetch_licences(struct mirror_directory *mirror, struct error *error)
{
    AUTO_STRLIST struct strlist done = {0};
    const struct plan *plan = &mirror->run->plan;
    for (size_t i = 0; i < plan->item_count; i++) {
        const char *path = plan->items[i].licence_path;
        struct stat status;
        if (path == NULL || !strlist_add_new(&done, path) ||
            (mirror->fd >= 0 && fstatat(mirror->fd, path, &status, AT_SYMLINK_NOFOLLOW) == 0))
            continue;
        if (run_interrupted(mirror->run, error) || !fetch_licence(mirror, &plan->items[i], error))
            return false;
    }
    return true;
}
