/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "base/shell.h"
#include "host/root/input.h"
#include "install/run/run_index.h"
#include "install/run/run_single.h"
#include "manifest/toolkit/pin.h"
#include "manifest/toolkit/single.h"

/* Whether an archive is given that no list would name: theirs are .tar.xz. */
static bool has_single_archive(const struct run *run)
{
    const struct strlist *archives = &run->request->archives;
    for (size_t i = 0; i < archives->count; i++)
        if (!string_ends(archives->items[i], ".tar.xz"))
            return true;
    return false;
}

bool run_is_single(const struct run *run, const struct request_product *product,
                   struct manifest_single *ret_single)
{
    const struct manifest_pin *pin =
        manifest_pin_find(run->manifest, product->product, &product->version);
    if (!manifest_single_find(run->manifest, product->product, &product->version, &product->cuda,
                              run->request->platform, ret_single))
        return false;
    if (path_is_named(&run->request->archives, ret_single->file))
        return true;
    if (pin && manifest_pin_is_pinned(pin))
        return false;
    if (ret_single->sha256 == NULL)
        return has_single_archive(run);
    return !(pin && run->request->allow_unpinned && run->request->archives.count == 0);
}

/* Of several, the one whose name has the version; of one, that one. */
static const char *archive_for(const struct run *run, const char *version)
{
    const struct strlist *archives = &run->request->archives;
    for (size_t i = 0; i < archives->count; i++)
        if (strstr(path_base(archives->items[i]), version))
            return archives->items[i];
    return archives->count == 1 ? archives->items[0] : NULL;
}

static bool refuse_unpinned(const struct request_product *product,
                            const struct manifest_single *single, struct error *error)
{
    char version[VERSION_TEXT_SIZE];
    version_text(&product->version, 0, version);
    error_set(error, ERROR_UNSATISFIABLE,
              "no checksum of the archive of %s %s is known: it could not be verified",
              product->product, version);
    if (single->row)
        error_where(error, "manifest row %s", single->row);
    return error_next(error,
                      "if you have the archive and trust it, add --archive FILE --allow-unpinned, "
                      "or choose another version");
}

/* Trusted as it is: what is unpacked is at least the file that was named. */
static bool digest_of_archive(const struct run *run, const struct request_product *product,
                              const struct manifest_single *single, struct digest *ret_digest,
                              struct error *error)
{
    char version[VERSION_TEXT_SIZE];
    uint64_t size;
    const char *path = archive_for(run, version_text(&product->version, 0, version));
    AUTO_CLOSE int fd = -1;
    if (!run->request->allow_unpinned || path == NULL)
        return refuse_unpinned(product, single, error);
    if (!input_open(path, &fd, error))
        return error_prefix(error, "--archive");
    return digest_of_file(fd, INT64_MAX, path, ret_digest, &size, error);
}

/* Below a mirror. */
static char *path_of(const struct request_product *product, const struct manifest_single *single)
{
    char version[VERSION_TEXT_SIZE];
    if (single->path)
        return mem_string(single->path + 1);
    version_text(&product->version, 0, version);
    return mem_printf("compute/%s/unlisted/%s-%s", product->product, product->product, version);
}

bool run_get_single(struct run *run, size_t index, const struct manifest_single *single,
                    struct error *error)
{
    const struct request_product *product = &run->request->products[index];
    struct digest *digest = &run->catalog_digests[index];
    AUTO_FREE char *path = path_of(product, single);
    AUTO_FREE char *url = manifest_single_url(single);
    run->pins[index] = single->sha256 ? "file" : "none";
    if (!digest_parse(single->sha256, digest) &&
        !digest_of_archive(run, product, single, digest, error))
        return false;
    catalog_of_single(run->manifest, product->product, &product->version, run->request->platform,
                      path, url, digest, &run->catalogs[index]);
    return true;
}

uint64_t run_single_size(const struct run *run, const struct plan_item *item)
{
    struct stat status;
    AUTO_CLOSE int fd = cache_find(run->cache, &item->sha256);
    if (fd < 0)
        fd = mirrors_open(run->mirrors, run->mirror_count, item->path);
    return fd >= 0 && fstat(fd, &status) == 0 ? (uint64_t)status.st_size : 0;
}

/* It is there, or a server may have it. */
static bool may_come(const struct run *run, const struct plan_item *item)
{
    if (item->size > 0 || cache_has(run->cache, &item->sha256))
        return true;
    for (size_t i = 0; i < run->request->mirrors.count; i++)
        if (!run->mirrors[i].is_directory && !run->request->offline)
            return true;
    return false;
}

/* A lock file says how large its archives are. */
static bool check_locked(struct run *run, struct error *error)
{
    for (size_t i = 0; i < run->lock_plan.item_count; i++) {
        struct plan_item *item = &run->lock_plan.items[i];
        if (item->layout && item->size == 0)
            item->size = run_single_size(run, item);
        if (item->size > 0)
            continue;
        error_set(error, ERROR_UNAVAILABLE,
                  "a lock file has the size of each archive, and that of %s is not known before it "
                  "is fetched",
                  path_base(item->path));
        return error_next(error, "install without --lock first (the archive is in the cache then), "
                                 "or give it: --archive FILE");
    }
    return true;
}

bool run_check_singles(struct run *run, struct error *error)
{
    bool any_by_hand = false;
    for (size_t i = 0; i < run->plan.item_count; i++) {
        struct plan_item *item = &run->plan.items[i];
        if (item->layout == NULL || item->there || run_package_of(run, item))
            continue;
        if (item->size == 0)
            item->size = run_single_size(run, item);
        item->by_hand = !item->cached && !may_come(run, item);
        any_by_hand = any_by_hand || item->by_hand;
    }
    return any_by_hand ? run_singles_are_here(run, error) : check_locked(run, error);
}
