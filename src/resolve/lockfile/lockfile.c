/* SPDX-License-Identifier: MIT */
#include "resolve/lockfile/lockfile.h"

#include <stdlib.h>
#include <string.h>

static void archive_clear(struct lockfile_archive *archive)
{
    free(archive->component);
    free(archive->version);
    free(archive->platform);
    free(archive->variant);
    free(archive->path);
    free(archive->sha256);
    free(archive->licence);
}

static void product_clear(struct lockfile_product *product)
{
    for (size_t i = 0; i < product->archive_count; i++)
        archive_clear(&product->archives[i]);
    free(product->archives);
    free(product->product);
    free(product->pin);
    free(product->catalog);
    free(product->catalog_path);
}

void lockfile_request_free(struct lockfile_request *request)
{
    strlist_free(&request->specs);
    strlist_free(&request->components);
    strlist_free(&request->assume_gpus);
    strlist_free(&request->platforms);
    free(request->assume_driver);
    free(request->framework);
    free(request->extent);
    *request = (struct lockfile_request){.extent = NULL};
}

void lockfile_free(struct lockfile *lockfile)
{
    for (size_t i = 0; i < lockfile->product_count; i++)
        product_clear(&lockfile->products[i]);
    free(lockfile->products);
    lockfile_request_free(&lockfile->request);
    *lockfile = (struct lockfile){.products = NULL};
}

static int compare_products(const void *a, const void *b)
{
    return strcmp(((const struct lockfile_product *)a)->product,
                  ((const struct lockfile_product *)b)->product);
}

int lockfile_archive_compare(const struct lockfile_archive *a, const struct lockfile_archive *b)
{
    int order = strcmp(a->path, b->path);
    return order ? order : strcmp(a->component, b->component);
}

static int compare_archives(const void *a, const void *b)
{
    return lockfile_archive_compare(a, b);
}

void lockfile_sort(struct lockfile *lockfile)
{
    strlist_sort(&lockfile->request.specs);
    strlist_sort(&lockfile->request.assume_gpus);
    strlist_sort(&lockfile->request.platforms);
    if (lockfile->product_count > 1)
        qsort(lockfile->products, lockfile->product_count, sizeof(*lockfile->products),
              compare_products);
    for (size_t i = 0; i < lockfile->product_count; i++) {
        struct lockfile_product *product = &lockfile->products[i];
        if (product->archive_count > 1)
            qsort(product->archives, product->archive_count, sizeof(*product->archives),
                  compare_archives);
    }
}

const struct lockfile_product *lockfile_product_find(const struct lockfile *lockfile,
                                                     const char *product)
{
    for (size_t i = 0; i < lockfile->product_count; i++)
        if (string_equal(lockfile->products[i].product, product))
            return &lockfile->products[i];
    return NULL;
}

/* What is the same for all platforms stands under these. */
static bool is_for_all(const char *platform)
{
    return string_equal(platform, "linux-all") || string_equal(platform, "source");
}

const struct lockfile_archive *lockfile_archive_find(const struct lockfile_product *product,
                                                     const char *component, const char *platform)
{
    const struct lockfile_archive *shared = NULL;
    for (size_t i = 0; i < product->archive_count; i++) {
        const struct lockfile_archive *archive = &product->archives[i];
        if (!string_equal(archive->component, component))
            continue;
        if (string_equal(archive->platform, platform))
            return archive;
        if (is_for_all(archive->platform))
            shared = archive;
    }
    return shared;
}

static void differ(struct text *words, const char *what, const char *asked, const char *locked)
{
    text_printf(words, "%s%s: requested for %s, locked for %s", words->size > 0 ? "; " : "", what,
                asked && *asked ? asked : "none", locked && *locked ? locked : "none");
}

static bool same_string(struct text *words, const char *what, const char *asked, const char *locked)
{
    if (string_equal(asked, locked) || (asked == NULL && locked == NULL))
        return true;
    differ(words, what, asked, locked);
    return false;
}

static bool same_list(struct text *words, const char *what, const struct strlist *asked,
                      const struct strlist *locked)
{
    AUTO_FREE char *wanted = strlist_join(asked, " ");
    AUTO_FREE char *there = strlist_join(locked, " ");
    return same_string(words, what, wanted, there);
}

static bool has_platforms(struct text *words, const struct strlist *asked,
                          const struct strlist *locked)
{
    for (size_t i = 0; i < asked->count; i++) {
        if (strlist_has(locked, asked->items[i]))
            continue;
        AUTO_FREE char *there = strlist_join(locked, " ");
        differ(words, "platform", asked->items[i], there);
        return false;
    }
    return true;
}

enum lockfile_answer lockfile_compare(const struct lockfile_request *locked,
                                      const struct lockfile_request *asked, char **ret_difference)
{
    AUTO_TEXT struct text words = {0};
    bool same = same_list(&words, "SPECs", &asked->specs, &locked->specs);
    same &= same_string(&words, "--for-framework", asked->framework, locked->framework);
    same &= same_string(&words, "profile", asked->extent, locked->extent);
    same &= same_list(&words, "--component", &asked->components, &locked->components);
    same &= same_string(&words, "--assume-driver", asked->assume_driver, locked->assume_driver);
    same &= same_list(&words, "--assume-gpu", &asked->assume_gpus, &locked->assume_gpus);
    bool platforms = has_platforms(&words, &asked->platforms, &locked->platforms);
    *ret_difference = words.size > 0 ? text_steal(&words) : NULL;
    if (!same)
        return LOCKFILE_DIFFERS;
    return platforms ? LOCKFILE_ANSWERS : LOCKFILE_PLATFORM;
}
