/* SPDX-License-Identifier: MIT */
#include "install/run/run_index.h"

#include <string.h>
#include <unistd.h>

#include "install/fetch/simple_index.h"
#include "install/io/url.h"
#include "manifest/toolkit/download.h"

static const struct manifest_download *run_download_of(const struct run *run,
                                                       const struct digest *sha256)
{
    char hex[DIGEST_HEX_SIZE];
    return manifest_download_find(run->manifest, digest_hex(sha256, hex));
}

const char *run_package_of(const struct run *run, const struct plan_item *item)
{
    const struct manifest_download *row = run_download_of(run, &item->sha256);
    return row ? row->package : NULL;
}

char *run_item_url(const struct run *run, const struct plan_item *item)
{
    const char *package = run_package_of(run, item);
    if (package == NULL && item->url && run->request->mirrors.count == 0)
        return mem_string(item->url);
    if (package == NULL || run->request->mirrors.count > 0)
        return run->mirror_count > 0 ? mirror_url(&run->mirrors[0], item->path) : NULL;
    return run->request->indexes.count > 0
               ? simple_index_page(run->request->indexes.items[0], package)
               : NULL;
}

/* A directory of the user's has it. */
static bool is_in_directory(const struct run *run, const char *path)
{
    AUTO_CLOSE int fd = mirrors_open(run->mirrors, run->mirror_count, path);
    return fd >= 0;
}

/* What a page is looked through for. */
struct search {
    const char *file;
    char *url; /* of the file; NULL: not found yet */
};

static bool has_file(struct fetch_item *item, const struct text *text, struct error *error)
{
    struct search *search = item->data;
    search->url = simple_index_find(text_string(text), text->size, item->url, search->file);
    if (search->url)
        return true;
    error_set(error, ERROR_UNAVAILABLE, "this index does not have the file");
    error_where(error, "%s", item->url);
    return error_why(error, "no link to %s", search->file);
}

static char *ask(struct run *run, const char *index, const struct manifest_download *row,
                 struct error *error)
{
    AUTO_TEXT struct text text = {0};
    struct search search = {.file = row->file};
    AUTO_FREE char *page = simple_index_page(index, row->package);
    const struct mirror mirror = {.base = page, .is_file = true, .is_secure = true};
    struct fetch_item item = {.path = row->package,
                              .max = SIMPLE_INDEX_MAX,
                              .pinned = true,
                              .address = &mirror,
                              .only_there = true,
                              .is_page = true,
                              .proves = has_file,
                              .data = &search,
                              .fd = -1};
    const struct fetch_options options = {.cache = run->cache,
                                          .timeout_s = run->request->timeout_s,
                                          .cacert = run->request->cacert,
                                          .progress = run->progress};
    fetch_one(&options, &item, &text, error);
    free(item.url);
    return search.url;
}

static bool advise(const struct manifest_download *row, struct error *error)
{
    char version[VERSION_TEXT_SIZE];
    error_next(error,
               "name a Python index that has it, with --index URL (its digest is checked, so it "
               "need not be trusted); or give the file with --archive %s, once it was fetched by:",
               row->file);
    return error_command(error, "pip download --no-deps %s==%s", row->package,
                         version_text(&row->version, 0, version));
}

static bool refuse_no_index(const struct manifest_download *row, struct error *error)
{
    error_set(error, ERROR_UNAVAILABLE, "cannot fetch %s", row->file);
    error_where(error, "manifest row %s", row->id);
    error_why(error, "NVIDIA's server does not have it, and no Python index is named: neither "
                     "--index, PIP_INDEX_URL nor pip's configuration names one");
    return advise(row, error);
}

static char *ask_all(struct run *run, const struct manifest_download *row, struct error *error)
{
    const struct strlist *indexes = &run->request->indexes;
    for (size_t i = 0; i < indexes->count; i++) {
        AUTO_ERROR struct error wrong = {0};
        char *url = ask(run, indexes->items[i], row, &wrong);
        if (url)
            return url;
        if (i + 1 < indexes->count)
            progress_note(run->progress, "%s: %s; asking the next index", wrong.where,
                          wrong.why ? wrong.why : wrong.what);
        else
            error_move(&wrong, error);
    }
    return NULL;
}

static void give(struct run *run, struct fetch_item *item, char *url)
{
    struct mirror **place = vec_push(run->addresses, run->address_count, run->address_capacity);
    AUTO_URL struct url parts = {.scheme = NULL};
    *place = mem_alloc(sizeof(**place));
    **place = (struct mirror){.base = url, .is_file = true};
    (*place)->is_secure = url_parse(url, &parts) && string_equal(parts.scheme, "https");
    item->address = *place;
}

static bool find_one(struct run *run, struct fetch_item *item, const struct manifest_download *row,
                     struct error *error)
{
    AUTO_ERROR struct error wrong = {0};
    bool has_mirrors = run->request->mirrors.count > 0;
    item->only_there = !has_mirrors;
    if (run->request->indexes.count == 0)
        return has_mirrors || refuse_no_index(row, error);
    char *url = ask_all(run, row, &wrong);
    if (url) {
        give(run, item, url);
        return true;
    }
    if (has_mirrors) {
        progress_note(run->progress, "%s: %s", wrong.where, wrong.why ? wrong.why : wrong.what);
        return true;
    }
    wrong.kind = ERROR_UNAVAILABLE;
    error_move(&wrong, error);
    return advise(row, error);
}

bool run_find_addresses(struct run *run, struct fetch_item *items, size_t count,
                        struct error *error)
{
    for (size_t i = 0; i < count && !run->request->offline; i++) {
        const struct manifest_download *row = run_download_of(run, items[i].sha256);
        if (row == NULL || row->package == NULL || cache_has(run->cache, items[i].sha256) ||
            is_in_directory(run, items[i].path))
            continue;
        if (!find_one(run, &items[i], row, error))
            return false;
    }
    return true;
}
