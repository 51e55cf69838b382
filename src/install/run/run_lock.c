/* SPDX-License-Identifier: MIT */
#include "resolve/lockfile/lockfile.h"

#include <string.h>

#include "host/local/local.h"
#include "install/run/run.h"
#include "install/run/run_lock.h"
#include "manifest/toolkit/pin.h"

/* The lock file, read from the request and made from the plan (docs/reference/lockfile.md). */

bool run_lock_read(struct run *run, struct error *error)
{
    const struct request *request = run->request;
    if (request->lock_text == NULL)
        return true;
    if (!lockfile_parse(request->lock_text, strlen(request->lock_text), request->lock_path,
                        &run->lock, error))
        return false;
    run->lock_name = request->lock_path;
    if (!request->lock_extends)
        run->lock_state = "used";
    return true;
}

const struct lockfile_product *run_locked(const struct run *run, const char *product)
{
    return lockfile_product_find(&run->lock, product);
}

bool run_is_locked(const struct run *run)
{
    return run->lock.product_count > 0 && !run->request->lock_extends;
}

static void make_request(const struct run *run, struct lockfile_request *made)
{
    const struct request *request = run->request;
    strlist_copy(&made->specs, &request->asked_specs);
    strlist_copy(&made->components, &request->components);
    strlist_copy(&made->assume_gpus, &request->asked_assume_gpus);
    strlist_copy(&made->platforms, &request->asked_platforms);
    for (size_t i = 0; i < run->lock.request.platforms.count; i++)
        strlist_add_new(&made->platforms, run->lock.request.platforms.items[i]);
    made->assume_driver = mem_string(request->asked_assume_driver);
    made->framework = mem_string(request->asked_framework);
    made->extent = mem_string(extent_word(request->extent));
}

static struct lockfile_archive *push_archive(struct lockfile_product *product)
{
    return vec_push(product->archives, product->archive_count, product->archive_capacity);
}

static void take_item(struct lockfile_product *product, const struct plan_item *item)
{
    char hex[DIGEST_HEX_SIZE];
    *push_archive(product) =
        (struct lockfile_archive){.component = mem_string(item->component),
                                  .version = mem_string(item->version),
                                  .platform = mem_string(item->platform),
                                  .variant = mem_string(item->variant),
                                  .path = mem_string(item->path),
                                  .size = item->size,
                                  .sha256 = mem_string(digest_hex(&item->sha256, hex)),
                                  .licence = mem_string(item->licence)};
}

/* What the prefix has already is not in the plan. */
static void take_component(struct lockfile_product *product,
                           const struct ledger_component *component)
{
    char hex[DIGEST_HEX_SIZE];
    *push_archive(product) =
        (struct lockfile_archive){.component = mem_string(component->name),
                                  .version = mem_string(component->version),
                                  .platform = mem_string(component->platform),
                                  .variant = mem_string(component->variant),
                                  .path = mem_string(component->archive),
                                  .size = component->size,
                                  .sha256 = mem_string(digest_hex(&component->sha256, hex)),
                                  .licence = mem_string(component->licence)};
}

/* Those of the platforms that are locked already. */
static void take_locked(struct lockfile_product *product, const struct lockfile_product *locked)
{
    for (size_t i = 0; locked && i < locked->archive_count; i++) {
        const struct lockfile_archive *archive = &locked->archives[i];
        *push_archive(product) =
            (struct lockfile_archive){.component = mem_string(archive->component),
                                      .version = mem_string(archive->version),
                                      .platform = mem_string(archive->platform),
                                      .variant = mem_string(archive->variant),
                                      .path = mem_string(archive->path),
                                      .size = archive->size,
                                      .sha256 = mem_string(archive->sha256),
                                      .licence = mem_string(archive->licence)};
    }
}

/* What proves the list of archives: the manifest's pin, else the lock file, else what came. */
static void take_catalog(const struct run *run, size_t index, const struct ledger_product *there,
                         struct lockfile_product *product)
{
    const struct request_product *wanted = &run->request->products[index];
    const struct manifest_pin *pin =
        manifest_pin_find(run->manifest, wanted->product, &wanted->version);
    const struct lockfile_product *locked = run_locked(run, wanted->product);
    char hex[DIGEST_HEX_SIZE], version[VERSION_TEXT_SIZE];
    product->catalog_path = mem_printf("compute/%s/redist/redistrib_%s.json", wanted->product,
                                       version_text(&wanted->version, 0, version));
    if (index < run->request->product_count && run->catalogs && run->catalogs[index].is_single) {
        free(mem_steal(&product->catalog_path));
        product->catalog_path = mem_string(run->catalogs[index].components[0].entries[0].path);
        product->pin = mem_string(run->pins[index]);
        product->catalog = mem_string(digest_hex(&run->catalog_digests[index], hex));
    } else if (pin && manifest_pin_is_pinned(pin)) {
        product->pin = mem_string(pin->pin);
        product->catalog = mem_string(pin->sha256);
    } else if (locked) {
        product->pin = mem_string(locked->pin);
        product->catalog = mem_string(locked->catalog);
    } else {
        product->pin = mem_string("none");
        product->catalog =
            mem_string(digest_hex(there ? &there->catalog : &run->catalog_digests[index], hex));
    }
}

static void make_product(const struct run *run, size_t index, struct lockfile *lock)
{
    const struct request_product *wanted = &run->request->products[index];
    struct lockfile_product *product =
        vec_push(lock->products, lock->product_count, lock->product_capacity);
    product->product = mem_string(wanted->product);
    product->version = wanted->version;
    product->cuda = wanted->cuda;
    const struct plan *plan = run->change.count > 0 ? &run->lock_plan : &run->plan;
    for (size_t i = 0; i < plan->item_count; i++)
        if (string_equal(plan->items[i].product, wanted->product))
            take_item(product, &plan->items[i]);
    const struct ledger_product *there =
        product->archive_count == 0 ? ledger_product_find(&run->prefix.ledger, wanted->product)
                                    : NULL;
    for (size_t i = 0; there && i < there->component_count; i++)
        take_component(product, &there->components[i]);
    take_catalog(run, index, there, product);
    take_locked(product, run_locked(run, wanted->product));
}

/* A file that says the same is left as it is. */
static bool is_there(const char *path, const struct text *text)
{
    AUTO_TEXT struct text there = {0};
    return local_read(path, LOCKFILE_MAX, &there, NULL) && there.size == text->size &&
           memcmp(text_string(&there), text_string(text), text->size) == 0;
}

bool run_lock_write(struct run *run, struct error *error)
{
    AUTO_LOCKFILE struct lockfile lock = {.products = NULL};
    AUTO_LOCKFILE struct lockfile again = {.products = NULL};
    AUTO_TEXT struct text text = {0};
    const char *path = run->request->lock_path;
    if (path == NULL || run_is_locked(run))
        return true;
    make_request(run, &lock.request);
    for (size_t i = 0; i < run->request->product_count; i++)
        make_product(run, i, &lock);
    lockfile_sort(&lock);
    lockfile_append(&lock, &text);
    if (!lockfile_parse(text_string(&text), text.size, path, &again, error))
        return error_prefix(error, "the ledger could not be read back");
    if (is_there(path, &text)) {
        run->lock_state = "used";
        return true;
    }
    run->lock_state = local_is_missing(path) ? "written" : "updated";
    return local_write(path, text_string(&text), text.size, error);
}
