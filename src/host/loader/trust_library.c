/* SPDX-License-Identifier: MIT */
#include "host/loader/trust_private.h"

#include <string.h>

#include "base/memory.h"
#include "host/elf/elf.h"
#include "host/loader/loader_private.h"

/* A library with more files than this is not one that gpuenv knows. */
#define FILES_MAX 256

/* One file of those that would be loaded. */
struct needed_file {
    char *path;           /* as the loader would open it */
    struct elf_info info; /* {0} until it is read */
    size_t loader;        /* index of the file that asked for it; its own for the first */
};

/* All of them, each once, in the order the loader comes to them. */
struct closure {
    const struct host *host;
    const struct loader *loader;
    struct needed_file *files;
    size_t count, capacity;
};

#define AUTO_CLOSURE AUTO(closure_free)

static void closure_free(struct closure *closure)
{
    for (size_t i = 0; i < closure->count; i++) {
        free(closure->files[i].path);
        elf_info_free(&closure->files[i].info);
    }
    free(closure->files);
}

static bool closure_add(struct closure *closure, const char *path, size_t loader)
{
    for (size_t i = 0; i < closure->count; i++)
        if (string_equal(closure->files[i].path, path))
            return true;
    if (closure->count == FILES_MAX)
        return false;
    struct needed_file *file = vec_push(closure->files, closure->count, closure->capacity);
    file->path = mem_string(path);
    file->loader = loader;
    return true;
}

/* The RPATH of who asked for the file, of who asked for that one, and so on, when the file itself
 * has no RUNPATH (glibc elf/dl-load.c, _dl_map_object). */
static bool find_by_rpath(const struct closure *closure, const char *soname, size_t from,
                          struct loader_hit *ret_hit)
{
    if (closure->files[from].info.runpath)
        return false;
    for (size_t at = from;; at = closure->files[at].loader) {
        const struct needed_file *file = &closure->files[at];
        AUTO_HIT struct loader_hit hit = {0};
        if (file->info.rpath && !file->info.runpath) {
            loader_find(closure->loader, soname, file->path, file->info.rpath, NULL, &hit);
            if (hit.path && string_equal(hit.why, "RPATH")) {
                *ret_hit = hit;
                hit = (struct loader_hit){0};
                return true;
            }
        }
        if (at == closure->files[at].loader)
            return false;
    }
}

/* What was found, and what lies before it and would be taken if it were another file. Nothing found
 * is nothing to fear: dlopen(3) says so better. */
static bool take_hit(struct closure *closure, const struct loader_hit *hit, size_t from,
                     char **ret_reason)
{
    bool absent;
    for (size_t i = 0; i < hit->passed_over.count; i++) {
        AUTO_FREE char *path = mem_string(hit->passed_over.items[i]);
        char *end = strstr(path, ": ");
        if (path[0] != '/' || end == NULL)
            continue;
        *end = '\0';
        if (!trust_walk(closure->host, path, &absent, ret_reason))
            return false;
    }
    if (hit->path == NULL || closure_add(closure, hit->path, from))
        return true;
    *ret_reason = mem_printf("the library needs more than %d files", FILES_MAX);
    return false;
}

static bool add_needed(struct closure *closure, size_t from, const char *soname, char **ret_reason)
{
    const struct needed_file *file = &closure->files[from];
    AUTO_HIT struct loader_hit hit = {0};
    if (!find_by_rpath(closure, soname, from, &hit))
        loader_find(closure->loader, soname, file->path, file->info.rpath, file->info.runpath,
                    &hit);
    return take_hit(closure, &hit, from, ret_reason);
}

/* A directory of a search path: files may come into it between the look and the loading, and the
 * library may open others by name when it runs. The child's current directory is the root. */
static bool trust_item(const struct closure *closure, const char *item, const char *origin,
                       char **ret_reason)
{
    bool absent;
    AUTO_FREE char *expanded = loader_expand(closure->loader, item, origin);
    if (expanded == NULL) {
        *ret_reason = mem_printf("%s depends on the program", item);
        return false;
    }
    return trust_walk(closure->host, expanded, &absent, ret_reason);
}

static bool trust_search_path(const struct closure *closure, const char *name, const char *value,
                              const char *separators, const char *origin, char **ret_reason)
{
    AUTO_FREE char *copy = mem_string(value ? value : "");
    char *rest = copy;
    for (char *item; (item = strsep(&rest, separators)) != NULL;) {
        AUTO_FREE char *reason = NULL;
        if (trust_item(closure, item, origin, &reason))
            continue;
        *ret_reason = mem_printf("%s: %s", name, reason);
        return false;
    }
    return true;
}

static bool trust_own_paths(const struct closure *closure, const char *path,
                            const struct elf_info *info, char **ret_reason)
{
    const char *slash = strrchr(path, '/');
    AUTO_FREE char *origin = mem_string_n(path, slash ? (size_t)(slash - path) : 0);
    AUTO_FREE char *name = mem_printf("%s of %s", info->runpath ? "RUNPATH" : "RPATH", path);
    return trust_search_path(closure, name, info->runpath ? info->runpath : info->rpath, ":",
                             origin, ret_reason);
}

/* Whether the file at index may be loaded; adds what it needs. */
static bool trust_next(struct closure *closure, size_t index, char **ret_reason)
{
    AUTO_ERROR struct error error = {0};
    struct elf_info info = {0};
    const char *path = closure->files[index].path;
    if (!trust_file(closure->host, path, ret_reason))
        return false;
    if (elf_read(closure->host, path, &info, &error) != HOST_OK) {
        *ret_reason = mem_printf("cannot read %s: %s", path, error.why ? error.why : error.what);
        return false;
    }
    closure->files[index].info = info;
    if (!trust_own_paths(closure, path, &info, ret_reason))
        return false;
    for (size_t i = 0; i < info.needed.count; i++)
        if (!add_needed(closure, index, info.needed.items[i], ret_reason))
            return false;
    return true;
}

static bool trust_closure(struct closure *closure, const char *soname, char **ret_reason)
{
    AUTO_HIT struct loader_hit hit = {0};
    const char *library_path = host_environment(closure->host, "LD_LIBRARY_PATH");
    loader_find(closure->loader, soname, NULL, NULL, NULL, &hit);
    if (!take_hit(closure, &hit, 0, ret_reason) ||
        !trust_search_path(closure, "LD_LIBRARY_PATH", library_path, ":;", NULL, ret_reason))
        return false;
    for (size_t i = 0; i < closure->count; i++)
        if (!trust_next(closure, i, ret_reason))
            return false;
    return true;
}

bool trust_library(const struct host *host, const struct loader *loader, const char *soname,
                   char **ret_reason)
{
    if (host_user_id(host) != 0)
        return true;
    AUTO_CLOSURE struct closure closure = {.host = host, .loader = loader};
    AUTO_FREE char *reason = NULL;
    if (trust_closure(&closure, soname, &reason))
        return true;
    *ret_reason = closure.count > 0 ? mem_printf("not loaded as root: %s (it would load %s)",
                                                 reason, closure.files[0].path)
                                    : mem_printf("not loaded as root: %s", reason);
    return false;
}
