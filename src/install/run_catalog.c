/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "install/fetch.h"
#include "install/run.h"
#include "manifest/pin.h"

/* What the file must be for this product: by its pin in the manifest. */
struct wanted {
    const struct request_product *product;
    const struct manifest_pin *pin; /* NULL: not listed */
    struct digest sha256;           /* of a pin */
    bool by_file, by_content;
    char *path; /* below a mirror */
};

static bool refuse_unpinned(const struct wanted *wanted, struct error *error)
{
    char text[VERSION_TEXT_SIZE];
    version_text(&wanted->product->version, 0, text);
    error_set(error, ERROR_UNSATISFIABLE,
              "%s %s has no pin: what is downloaded could not be proved", wanted->product->product,
              text);
    if (wanted->pin)
        error_where(error, "manifest row %s", wanted->pin->id);
    if (wanted->pin && wanted->pin->superseded.count) {
        char instead[VERSION_TEXT_SIZE];
        return error_next(error, "the file in its place is that of %s@%s", wanted->product->product,
                          version_text(&wanted->pin->superseded, 0, instead));
    }
    return error_next(error,
                      "choose a pinned version (gpuenv manifest show pin), or trust the "
                      "server alone: --allow-unpinned %s@%s",
                      wanted->product->product, text);
}

static bool wanted_of(const struct run *run, const struct request_product *product,
                      struct wanted *ret_wanted, struct error *error)
{
    char version[VERSION_TEXT_SIZE];
    struct wanted wanted = {.product = product};
    wanted.pin = manifest_pin_find(run->manifest, product->product, &product->version);
    if (wanted.pin && manifest_pin_is_pinned(wanted.pin)) {
        wanted.by_file = string_equal(wanted.pin->pin, "file");
        wanted.by_content = !wanted.by_file;
        if (!digest_parse(wanted.pin->sha256, &wanted.sha256)) {
            error_set(error, ERROR_DATA, "the pin holds no SHA-256");
            return error_where(error, "manifest row %s", wanted.pin->id);
        }
    } else if (!run->request->allow_unpinned) {
        return refuse_unpinned(&wanted, error);
    }
    wanted.path = mem_printf("compute/%s/redist/redistrib_%s.json", product->product,
                             version_text(&product->version, 0, version));
    *ret_wanted = wanted;
    return true;
}

static bool refuse_differs(const struct wanted *wanted, const char *url, const struct digest *found,
                           struct error *error)
{
    char hex[DIGEST_HEX_SIZE], expected[DIGEST_HEX_SIZE];
    error_set(error, ERROR_DATA, "the list of archives is not the one that is pinned");
    error_where(error, "%s", url);
    error_why(error, "%s sha256 expected %s, found %s", wanted->by_file ? "file" : "content",
              digest_hex(&wanted->sha256, expected), digest_hex(found, hex));
    return error_next(error,
                      "ask another --mirror; if NVIDIA's own file has changed, report it at "
                      "https://github.com/NVIDIA/build-system-archive-import-examples/issues "
                      "and to gpuenv");
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
    if (!wanted->by_content)
        return true;
    if (!catalog_content_digest(catalog, &found, error))
        return false;
    return digest_equal(&found, &wanted->sha256) || refuse_differs(wanted, url, &found, error);
}

/* One that was proved by content before: it is proved again, and no server is asked. */
static char *cache_name(const struct wanted *wanted)
{
    char hex[DIGEST_HEX_SIZE];
    return wanted->by_content ? mem_printf("catalog-%s", digest_hex(&wanted->sha256, hex)) : NULL;
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
                              .size = wanted->by_file ? wanted->pin->size : 0,
                              .pinned = wanted->by_file || wanted->by_content,
                              .proves = proves,
                              .data = &proof,
                              .fd = -1};
    const struct fetch_options options = {.sources = run->sources,
                                          .source_count = run->source_count,
                                          .cache = run->cache,
                                          .offline = run->request->offline,
                                          .timeout_s = run->request->timeout_s,
                                          .progress = run->progress};
    bool ok = fetch_one(&options, &item, &text, error) &&
              (name == NULL || cache_store(run->cache, name, &text, error));
    free(item.url);
    return ok;
}

static bool get_catalog(struct run *run, size_t index, struct error *error)
{
    struct wanted wanted = {.product = NULL};
    if (!wanted_of(run, &run->request->products[index], &wanted, error))
        return false;
    run->pins[index] = wanted.by_file ? "file" : wanted.by_content ? "content" : "none";
    AUTO_FREE char *name = cache_name(&wanted);
    bool ok =
        take_cached(run, &wanted, name, index) || fetch_catalog(run, &wanted, name, index, error);
    free(wanted.path);
    return ok;
}

bool run_catalogs(struct run *run, struct error *error)
{
    size_t count = run->request->product_count;
    run->catalogs = mem_alloc((count + 1) * sizeof(*run->catalogs));
    run->catalog_digests = mem_alloc((count + 1) * sizeof(*run->catalog_digests));
    run->pins = mem_alloc((count + 1) * sizeof(*run->pins));
    for (size_t i = 0; i < count; i++)
        if (!get_catalog(run, i, error))
            return false;
    return true;
}
