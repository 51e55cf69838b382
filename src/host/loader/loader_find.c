/* SPDX-License-Identifier: MIT */
#include "host/loader/loader.h"

#include <string.h>

#include "base/text.h"
#include "host/loader/loader_private.h"

/* glibc sysdeps/generic/dl-cache.h: the entry is from a glibc-hwcaps subdirectory when of the upper
 * half only this bit and ISA level bits are set. Other values are masks of processor features that
 * glibc before 2.37 compared; of those only the one for thread-local storage is met everywhere. */
#define HWCAP_EXTENSION  (UINT64_C(1) << 62)
#define HWCAP_LEVEL_MASK (UINT64_C(0x3ff) << 32)
#define HWCAP_LOW_MASK   UINT64_C(0xffffffff)
#define HWCAP_TLS        (UINT64_C(1) << 63)

/* Not modelled, because glibc decides it by what else is loaded: an object that is already loaded
 * under this name, the RPATH of the objects that led here, DF_1_NODEFLIB, audit modules. Also not
 * the subdirectories older than glibc-hwcaps ("tls", "haswell"), gone since glibc 2.37. */

struct search {
    const struct loader *loader;
    const char *soname;
    const char *origin; /* NULL: not known */
    struct loader_hit *hit;
};

static void note_passed_over(struct search *search, const char *what, const char *reason)
{
    AUTO_FREE char *note = mem_printf("%s: %s", what, reason);
    strlist_add_new(&search->hit->passed_over, note);
}

/* Looks at one file; a hit is filled with it. */
static enum loader_verdict try_file(struct search *search, const char *path, const char *why,
                                    const char *where)
{
    AUTO_FREE char *reason = NULL;
    struct loader_hit *hit = search->hit;
    enum loader_verdict verdict = loader_judge(search->loader, path, &reason);
    if (reason != NULL)
        note_passed_over(search, path, reason);
    if (verdict != LOADER_OPENS)
        return verdict;
    hit->path = mem_string(path);
    hit->why = why;
    hit->where = mem_string(where);
    if (host_real_path(search->loader->host, path, &hit->real_path, NULL) != HOST_OK)
        hit->real_path = mem_string(path);
    return verdict;
}

static bool goes_on(enum loader_verdict verdict)
{
    return verdict == LOADER_ABSENT || verdict == LOADER_PASSES_OVER;
}

static enum loader_verdict try_directory(struct search *search, const char *directory,
                                         const char *why, const char *where)
{
    const struct strlist *levels = &search->loader->target.levels;
    const char *base = string_equal(directory, "/") ? "" : directory;
    for (size_t i = 0; i < levels->count; i++) {
        AUTO_FREE char *path =
            mem_printf("%s/glibc-hwcaps/%s/%s", base, levels->items[i], search->soname);
        enum loader_verdict verdict = try_file(search, path, why, where);
        if (!goes_on(verdict))
            return verdict;
    }
    AUTO_FREE char *path = mem_printf("%s/%s", base, search->soname);
    return try_file(search, path, why, where);
}

/* True when the search is over. */
static bool search_items(struct search *search, const struct loader_items *items, const char *why)
{
    for (size_t i = 0; i < items->count; i++) {
        const struct loader_item *item = &items->items[i];
        if (item->directory == NULL) {
            note_passed_over(search, why, item->note);
            continue;
        }
        AUTO_FREE char *where = item->note ? mem_printf("%s (%s)", item->directory, item->note)
                                           : mem_string(item->directory);
        enum loader_verdict verdict = try_directory(search, item->directory, why, where);
        if (!goes_on(verdict))
            return verdict != LOADER_LEAVES_LIST;
    }
    return false;
}

static bool search_path(struct search *search, const char *path, const char *why)
{
    AUTO_ITEMS struct loader_items items = {0};
    loader_items_read(search->loader, path, ":", search->origin, &items);
    return search_items(search, &items, why);
}

static bool search_directories(struct search *search, const struct strlist *directories,
                               const char *why)
{
    for (size_t i = 0; i < directories->count; i++) {
        const char *directory = directories->items[i];
        enum loader_verdict verdict = try_directory(search, directory, why, directory);
        if (!goes_on(verdict))
            return verdict != LOADER_LEAVES_LIST;
    }
    return false;
}

/* The place of the entry's glibc-hwcaps subdirectory among those for this processor; their number
 * when it is for another one. */
static size_t level_of(const struct loader *loader, const struct ldcache_entry *entry)
{
    static const char marker[] = "/glibc-hwcaps/";
    const struct strlist *levels = &loader->target.levels;
    const char *name = strstr(entry->path, marker);
    size_t level = 0;
    if (name == NULL)
        return levels->count;
    name += strlen(marker);
    size_t length = strcspn(name, "/");
    while (level < levels->count && (strlen(levels->items[level]) != length ||
                                     strncmp(levels->items[level], name, length) != 0))
        level++;
    return level;
}

static bool is_extension(const struct ldcache_entry *entry)
{
    return (entry->hwcap & ~(HWCAP_LEVEL_MASK | HWCAP_LOW_MASK)) == HWCAP_EXTENSION;
}

static size_t first_of_name(const struct loader *loader, const char *soname)
{
    size_t low = 0, high = loader->cache.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(loader->by_name[middle]->soname, soname) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The entry the loader takes: the one for the best level of this processor, else the first that is
 * for all processors. */
static const struct ldcache_entry *find_entry(const struct loader *loader, const char *soname)
{
    const struct ldcache_entry *best = NULL, *plain = NULL;
    size_t best_level = loader->target.levels.count;
    for (size_t i = first_of_name(loader, soname);
         i < loader->cache.count && strcmp(loader->by_name[i]->soname, soname) == 0; i++) {
        const struct ldcache_entry *entry = loader->by_name[i];
        if (is_extension(entry)) {
            size_t level = level_of(loader, entry);
            if (level < best_level) {
                best = entry;
                best_level = level;
            }
        } else if (plain == NULL && (entry->hwcap & ~HWCAP_TLS) == 0) {
            plain = entry;
        }
    }
    return best ? best : plain;
}

static bool search_cache(struct search *search)
{
    const struct ldcache_entry *entry = find_entry(search->loader, search->soname);
    if (entry == NULL)
        return false;
    enum loader_verdict verdict = try_file(search, entry->path, "ld.so.cache", LOADER_CACHE);
    if (verdict == LOADER_ABSENT)
        note_passed_over(search, entry->path, "named by " LOADER_CACHE ", but not there");
    return verdict == LOADER_OPENS || verdict == LOADER_GIVES_UP;
}

static void search_named_path(struct search *search)
{
    AUTO_FREE char *path = loader_expand(search->loader, search->soname, search->origin);
    if (path == NULL || path[0] != '/') {
        note_passed_over(search, search->soname, "a relative path: not searched");
        return;
    }
    try_file(search, path, "path", path);
}

void loader_find(const struct loader *loader, const char *soname, const char *from,
                 const char *rpath, const char *runpath, struct loader_hit *ret_hit)
{
    const char *slash = from ? strrchr(from, '/') : NULL;
    AUTO_FREE char *origin =
        slash ? mem_string_n(from, slash == from ? 1 : (size_t)(slash - from)) : NULL;
    struct search search = {.loader = loader, .soname = soname, .origin = origin, .hit = ret_hit};
    *ret_hit = (struct loader_hit){0};
    if (soname[0] == '\0' || host_is_late(loader->host))
        return;
    if (strchr(soname, '/') != NULL) {
        search_named_path(&search);
        return;
    }
    if (runpath == NULL && search_path(&search, rpath, "RPATH"))
        return;
    if (search_items(&search, &loader->library_path, "LD_LIBRARY_PATH") ||
        search_path(&search, runpath, "RUNPATH") || search_cache(&search) ||
        search_directories(&search, &loader->configured, "ld.so.conf"))
        return;
    search_directories(&search, &loader->target.defaults, "default directory");
}

void loader_hit_free(struct loader_hit *hit)
{
    if (hit == NULL)
        return;
    free(hit->path);
    free(hit->real_path);
    free(hit->where);
    strlist_free(&hit->passed_over);
    *hit = (struct loader_hit){0};
}
