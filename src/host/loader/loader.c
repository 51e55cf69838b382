/* SPDX-License-Identifier: MIT */
#include "host/loader/loader.h"

#include <string.h>

#include "base/text.h"
#include "host/loader/loader_private.h"

/* A machine with every package of a distribution has a cache of less than 1 MiB. */
#define CACHE_SIZE (4 * 1024 * 1024)

/* Directories of the cache that loader_directories() lists at most. */
#define DIRECTORIES_MAX 256

static void keep_problem(struct loader *loader, const struct error *error)
{
    struct text text = {0};
    error_format(error, &text);
    loader->problem = text_steal(&text);
}

static int compare_names(const void *a, const void *b)
{
    const struct ldcache_entry *const *left = a, *const *right = b;
    int order = strcmp((*left)->soname, (*right)->soname);
    return order != 0 ? order : (*left > *right) - (*left < *right);
}

static void keep_fitting(struct loader *loader)
{
    struct ldcache *cache = &loader->cache;
    const struct loader_target *target = &loader->target;
    size_t kept = 0;
    for (size_t i = 0; i < cache->count; i++) {
        const struct ldcache_entry *entry = &cache->entries[i];
        bool fits =
            target->machine == 0 || ldcache_entry_fits(entry, target->machine, target->bits);
        if (fits && entry->path[0] == '/')
            cache->entries[kept++] = *entry;
    }
    cache->count = kept;
    loader->by_name = mem_alloc((kept + 1) * sizeof(const struct ldcache_entry *));
    for (size_t i = 0; i < kept; i++)
        loader->by_name[i] = &cache->entries[i];
    qsort(loader->by_name, kept, sizeof(const struct ldcache_entry *), compare_names);
}

static void read_cache(struct loader *loader)
{
    AUTO_TEXT struct text content = {0};
    AUTO_ERROR struct error error = {0};
    enum host_status status = host_read(loader->host, LOADER_CACHE, CACHE_SIZE, &content, &error);
    if (status != HOST_OK) {
        keep_problem(loader, &error);
    } else if (!ldcache_parse(text_string(&content), content.size, &loader->cache, &error)) {
        error_where(&error, "%s", LOADER_CACHE);
        keep_problem(loader, &error);
    }
    if (status == HOST_ABSENT)
        loader_conf_read(loader->host, &loader->configured);
    keep_fitting(loader);
}

struct loader *loader_new(const struct host *host)
{
    struct loader *loader = mem_alloc(sizeof(*loader));
    loader->host = host;
    loader_target_find(host, &loader->target);
    read_cache(loader);
    loader_items_read(loader, host_environment(host, "LD_LIBRARY_PATH"), ":;", NULL,
                      &loader->library_path);
    loader_items_tidy(loader, &loader->library_path);
    return loader;
}

void loader_free(struct loader *loader)
{
    if (loader == NULL)
        return;
    free(loader->problem);
    free(loader->by_name);
    ldcache_free(&loader->cache);
    loader_items_free(&loader->library_path);
    strlist_free(&loader->configured);
    loader_target_free(&loader->target);
    free(loader);
}

const char *loader_problem(const struct loader *loader)
{
    return loader->problem;
}

uint16_t loader_machine(const struct loader *loader)
{
    return loader->target.machine;
}

unsigned loader_bits(const struct loader *loader)
{
    return loader->target.bits;
}

const struct ldcache *loader_cache(const struct loader *loader)
{
    return &loader->cache;
}

static void add_cache_directory(const char *path, struct strlist *directories)
{
    const char *end = strstr(path, "/glibc-hwcaps/");
    if (end == NULL)
        end = strrchr(path, '/');
    size_t length = end == path ? 1 : (size_t)(end - path);
    AUTO_FREE char *directory = mem_string_n(path, length);
    strlist_add_new(directories, directory);
}

void loader_directories(const struct loader *loader, struct strlist *directories)
{
    const struct loader_items *items = &loader->library_path;
    for (size_t i = 0; i < items->count; i++) {
        if (items->items[i].directory != NULL)
            strlist_add_new(directories, items->items[i].directory);
    }
    size_t most = directories->count + DIRECTORIES_MAX;
    for (size_t i = 0; i < loader->cache.count && directories->count < most; i++)
        add_cache_directory(loader->cache.entries[i].path, directories);
    for (size_t i = 0; i < loader->configured.count; i++)
        strlist_add_new(directories, loader->configured.items[i]);
    for (size_t i = 0; i < loader->target.defaults.count; i++)
        strlist_add_new(directories, loader->target.defaults.items[i]);
}
