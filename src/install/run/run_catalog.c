/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "install/fetch/fetch.h"
#include "install/io/fd.h"
#include "install/plan/own_catalog.h"
#include "install/run/run.h"
#include "install/run/run_archive.h"
#include "install/run/run_catalog.h"
#include "install/run/run_lock.h"
#include "install/run/run_lock_plan.h"
#include "install/run/run_plan.h"
#include "install/run/run_single.h"
#include "manifest/toolkit/pin.h"
#include "manifest/toolkit/single.h"

/* What the file must be for this product: by its pin in the manifest. */
struct wanted {
    const struct request_product *product;
    const struct manifest_pin *pin;        /* NULL: not listed */
    const struct lockfile_product *locked; /* NULL: no lock file is used */
    struct digest sha256;                  /* of a pin, or of the lock file */
    bool by_file, by_content;
    char *path; /* below a mirror */
};

static bool refuse_unpinned(const struct run *run, const struct request_product *product,
                            struct error *error)
{
    char text[VERSION_TEXT_SIZE];
    const struct manifest_pin *row =
        manifest_pin_find(run->manifest, product->product, &product->version);
    version_text(&product->version, 0, text);
    error_set(error, ERROR_UNSATISFIABLE, "%s %s has no pin: its downloads could not be verified",
              product->product, text);
    if (row)
        error_where(error, "manifest row %s", row->id);
    if (row && row->superseded.count) {
        char instead[VERSION_TEXT_SIZE];
        return error_next(error, "the file of %s@%s replaced this file", product->product,
                          version_text(&row->superseded, 0, instead));
    }
    return error_next(error,
                      "choose a pinned version (gpuenv manifest show pin), or trust the "
                      "server alone: --allow-unpinned %s@%s",
                      product->product, text);
}

/* A file without a pin is proved as a whole, by what the lock file says of it. */
static bool prove_by(struct wanted *wanted, const char *pin, const char *sha256)
{
    wanted->by_content = string_equal(pin, "content");
    wanted->by_file = !wanted->by_content;
    return digest_parse(sha256, &wanted->sha256);
}

/* Two digests of the same kind can be compared; else the archives are, one by one. */
static bool lock_agrees(const struct run *run, const struct wanted *wanted, struct error *error)
{
    const struct lockfile_product *locked = wanted->locked;
    bool of_file = !string_equal(locked->pin, "content");
    if (of_file != wanted->by_file || string_equal(locked->catalog, wanted->pin->sha256))
        return true;
    error_set(error, ERROR_DATA, "the lock file contradicts the pin of %s", locked->product);
    error_where(error, "%s: %s", run->request->lock_path, locked->catalog_path);
    error_why(error, "sha256 locked %s, pinned %s (manifest row %s)", locked->catalog,
              wanted->pin->sha256, wanted->pin->id);
    return error_next(error, LOCKFILE_NEXT);
}

char *run_catalog_path(const struct request_product *product)
{
    char version[VERSION_TEXT_SIZE];
    return mem_printf("compute/%s/redist/redistrib_%s.json", product->product,
                      version_text(&product->version, 0, version));
}

static bool wanted_of(const struct run *run, const struct request_product *product,
                      struct wanted *ret_wanted, struct error *error)
{
    struct wanted wanted = {.product = product, .locked = run_locked(run, product->product)};
    wanted.pin = manifest_pin_find(run->manifest, product->product, &product->version);
    if (wanted.pin && !manifest_pin_is_pinned(wanted.pin))
        wanted.pin = NULL;
    if (wanted.pin == NULL && wanted.locked == NULL && !run->request->allow_unpinned)
        return refuse_unpinned(run, product, error);
    if (wanted.pin && !prove_by(&wanted, wanted.pin->pin, wanted.pin->sha256)) {
        error_set(error, ERROR_DATA, "the pin holds no SHA-256");
        return error_where(error, "manifest row %s", wanted.pin->id);
    }
    if (wanted.pin && wanted.locked && !lock_agrees(run, &wanted, error))
        return false;
    if (wanted.pin == NULL && wanted.locked)
        prove_by(&wanted, wanted.locked->pin, wanted.locked->catalog);
    wanted.path = run_catalog_path(product);
    *ret_wanted = wanted;
    return true;
}

static bool refuse_differs(const struct wanted *wanted, const char *url, const struct digest *found,
                           struct error *error)
{
    char hex[DIGEST_HEX_SIZE], expected[DIGEST_HEX_SIZE];
    error_set(error, ERROR_DATA, "the list of archives does not match the %s list",
              wanted->pin ? "pinned" : "locked");
    error_where(error, "%s", url);
    error_why(error, "%s sha256 expected %s, found %s", wanted->by_file ? "file" : "content",
              digest_hex(&wanted->sha256, expected), digest_hex(found, hex));
    return error_next(
        error,
        "name another --mirror; if NVIDIA's own file has changed, report the change at "
        "https://github.com/NVIDIA/build-system-archive-import-examples/issues and to gpuenv");
}

/* Parsed first and then proved where the pin is by content: nothing of it is used before. */
static bool take_catalog(struct run *run, const struct wanted *wanted, const char *url,
                         const struct text *text, size_t index, struct error *error)
{
    struct catalog *catalog = &run->catalogs[index];
    struct digest found;
    if (!digest_of_bytes(text_string(text), text->size, &run->catalog_digests[index], error))
        return false;
    if (wanted->by_file && !digest_equal(&run->catalog_digests[index], &wanted->sha256))
        return refuse_differs(wanted, url, &run->catalog_digests[index], error);
    if (!catalog_parse(text_string(text), text->size, url, catalog, error))
        return false;
    if (wanted->by_content && !catalog_content_digest(catalog, &found, error))
        return false;
    if (wanted->by_content && !digest_equal(&found, &wanted->sha256))
        return refuse_differs(wanted, url, &found, error);
    own_catalog_layouts(run->manifest, catalog);
    if (run->keeps_catalogs) {
        text_clear(&run->catalog_texts[index]);
        text_append_n(&run->catalog_texts[index], text_string(text), text->size);
    }
    return true;
}

/* One that was proved by content before: it is proved again, and no server is asked. */
static char *cache_name(const struct wanted *wanted)
{
    char hex[DIGEST_HEX_SIZE];
    return wanted->by_content ? mem_printf("catalog-%s", digest_hex(&wanted->sha256, hex)) : NULL;
}

/* What the manifest itself lists. Its pin is proved like any other. */
static bool take_of_manifest(struct run *run, const struct wanted *wanted, size_t index)
{
    AUTO_ERROR struct error lost = {0};
    AUTO_TEXT struct text text = {0};
    if (!wanted->by_content || !own_catalog(run->manifest, wanted->product, &text))
        return false;
    if (take_catalog(run, wanted, wanted->path, &text, index, &lost))
        return true;
    catalog_free(&run->catalogs[index]);
    return false;
}

static bool take_cached(struct run *run, const struct wanted *wanted, const char *name,
                        size_t index)
{
    AUTO_ERROR struct error lost = {0};
    AUTO_TEXT struct text text = {0};
    if (name == NULL || !cache_load(run->cache, name, CATALOG_MAX, &text))
        return false;
    if (take_catalog(run, wanted, name, &text, index, &lost))
        return true;
    catalog_free(&run->catalogs[index]);
    return false;
}

static struct fetch_options options_of(const struct run *run)
{
    return (struct fetch_options){.mirrors = run->mirrors,
                                  .mirror_count = run->mirror_count,
                                  .cache = run->cache,
                                  .offline = run->request->offline,
                                  .timeout_s = run->request->timeout_s,
                                  .cacert = run->request->cacert,
                                  .progress = run->progress,
                                  .lock = run->lock_name};
}

/* A mirror's own copy, where something else than its server proves it. */
static bool take_own(struct run *run, const struct wanted *wanted, size_t index)
{
    AUTO_TEXT struct text text = {0};
    AUTO_ERROR struct error lost = {0};
    const struct mirror own = {.base = run->request->prefix, .is_directory = true};
    bool in_place;
    if (!run->keeps_catalogs || !(wanted->by_file || wanted->by_content))
        return false;
    AUTO_CLOSE int fd = mirror_open(&own, wanted->path, &in_place, NULL);
    if (fd < 0 || !fd_read_all(fd, CATALOG_MAX, wanted->path, &text, NULL))
        return false;
    if (take_catalog(run, wanted, wanted->path, &text, index, &lost))
        return true;
    catalog_free(&run->catalogs[index]);
    return false;
}

/* What a fetched file is proved by. */
struct proof {
    struct run *run;
    const struct wanted *wanted;
    size_t index;
};

static bool proves(struct fetch_item *item, const struct text *text, struct error *error)
{
    const struct proof *proof = item->data;
    if (take_catalog(proof->run, proof->wanted, item->url, text, proof->index, error))
        return true;
    catalog_free(&proof->run->catalogs[proof->index]);
    return false;
}

static bool fetch_catalog(struct run *run, const struct wanted *wanted, const char *name,
                          size_t index, struct error *error)
{
    AUTO_TEXT struct text text = {0};
    struct proof proof = {.run = run, .wanted = wanted, .index = index};
    struct fetch_item item = {.path = wanted->path,
                              .max = CATALOG_MAX,
                              .sha256 = wanted->by_file ? &wanted->sha256 : NULL,
                              .size = wanted->by_file && wanted->pin ? wanted->pin->size : 0,
                              .pinned = wanted->by_file || wanted->by_content,
                              .proves = proves,
                              .data = &proof,
                              .fd = -1};
    const struct fetch_options options = options_of(run);
    bool ok = fetch_one(&options, &item, &text, error) &&
              (name == NULL || cache_store(run->cache, name, &text, error));
    free(item.url);
    return ok;
}

/* The user did not write the version that cannot be had. */
static bool name_choice(const struct request_product *product, struct error *error)
{
    char text[VERSION_TEXT_SIZE];
    char asked[VERSION_TEXT_SIZE];
    if (product->asked.count < product->version.count)
        error_prefix(error, "%s %s, chosen for %s%s%s", product->product,
                     version_text(&product->version, 0, text), product->product,
                     product->asked.count ? "@" : "",
                     product->asked.count ? version_text(&product->asked, 0, asked) : "");
    return false;
}

static bool get_catalog(struct run *run, size_t index, struct error *error)
{
    struct wanted wanted = {.product = NULL};
    struct manifest_single single;
    if (run_is_single(run, &run->request->products[index], &single))
        return run_get_single(run, index, &single, error);
    if (!wanted_of(run, &run->request->products[index], &wanted, error))
        return false;
    run->pins[index] = wanted.pin == NULL ? "none" : wanted.by_file ? "file" : "content";
    AUTO_FREE char *name = cache_name(&wanted);
    bool ok = take_own(run, &wanted, index) || take_of_manifest(run, &wanted, index) ||
              take_cached(run, &wanted, name, index) ||
              fetch_catalog(run, &wanted, name, index, error);
    free(wanted.path);
    return ok || name_choice(wanted.product, error);
}

const char *pin_word(const char *word)
{
    return string_equal(word, "file") ? "file" : string_equal(word, "content") ? "content" : "none";
}

/* Nothing of it is asked for. */
static bool is_unchanged(const struct run *run, size_t index)
{
    return index < run->change.count && run->change.products[index].kind == CHANGE_NONE;
}

/* The archives of the products whose lists are here: what --archive brings is not missing. */
static void plan_known(struct run *run, const struct strlist *missing)
{
    AUTO_ERROR struct error ignored = {0};
    for (size_t i = 0; i < run->request->product_count; i++) {
        if (*missing->items[i] || is_unchanged(run, i))
            continue;
        if (run->change.count > 0)
            run_plan_product(run, i, &ignored);
        else if (run_is_locked(run))
            run_plan_locked(run, i, run->request->platform, &ignored);
        else
            plan_add(&run->plan, &run->catalogs[i], run->request, &run->request->products[i],
                     run->manifest, &ignored);
        error_clear(&ignored);
    }
    run_take_archives(run, &ignored);
}

/* All that is missing, and not the first alone. missing: paths of lists of archives, "" for those
 * that are here. */
static void name_missing(struct run *run, const struct strlist *missing, struct error *error)
{
    AUTO_ERROR struct error all = {0};
    size_t count = 0;
    plan_known(run, missing);
    AUTO_FREE struct fetch_item *items =
        mem_alloc((missing->count + run->plan.item_count + 1) * sizeof(*items));
    for (size_t i = 0; i < missing->count; i++)
        if (*missing->items[i])
            items[count++] =
                (struct fetch_item){.path = missing->items[i], .max = CATALOG_MAX, .fd = -1};
    for (size_t i = 0; i < run->plan.item_count; i++) {
        const struct plan_item *item = &run->plan.items[i];
        if (item->there)
            continue;
        items[count++] = (struct fetch_item){
            .path = item->path, .size = item->size, .sha256 = &item->sha256, .fd = -1};
    }
    const struct fetch_options options = options_of(run);
    struct fetch *fetch = fetch_new(&options, items, count, &all);
    fetch_free(fetch);
    if (fetch || !error_is_set(&all))
        return;
    error_clear(error);
    *error = all;
    all = (struct error){.kind = ERROR_NONE};
}

/* Offline, all that is missing is named at once; an error of another kind ends it. */
static bool get_catalogs(struct run *run, struct error *error)
{
    AUTO_STRLIST struct strlist missing = {0};
    bool any = false;
    for (size_t i = 0; i < run->request->product_count; i++) {
        if (is_unchanged(run, i))
            run->pins[i] = pin_word(run->change.products[i].there->pin);
        bool got = is_unchanged(run, i) || get_catalog(run, i, error);
        if (!got && (!run->request->offline || error->kind != ERROR_UNAVAILABLE))
            return false;
        strlist_take(&missing, got ? mem_string("") : run_catalog_path(&run->request->products[i]));
        any = any || !got;
    }
    if (any)
        name_missing(run, &missing, error);
    return !any;
}

bool run_catalogs(struct run *run, struct error *error)
{
    size_t count = run->request->product_count;
    run->catalogs = mem_alloc((count + 1) * sizeof(*run->catalogs));
    run->catalog_digests = mem_alloc((count + 1) * sizeof(*run->catalog_digests));
    run->pins = mem_alloc((count + 1) * sizeof(*run->pins));
    run->catalog_texts = mem_alloc((count + 1) * sizeof(*run->catalog_texts));
    return get_catalogs(run, error);
}
