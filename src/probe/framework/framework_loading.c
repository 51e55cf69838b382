/* SPDX-License-Identifier: MIT */
#include "probe/framework/framework_load.h"

#include <string.h>

#include "base/path.h"
#include "host/root/file.h"
#include "probe/framework/framework_preload.h"
#include "probe/places/path_match.h"

/* text with $ORIGIN and ${ORIGIN} replaced. free() it. */
static char *with_origin(const char *text, const char *directory)
{
    static const char *const words[] = {"$ORIGIN", "${ORIGIN}"};
    AUTO_TEXT struct text result = {0};
    while (text && *text) {
        size_t skip = 0;
        for (size_t i = 0; i < 2; i++)
            if (string_starts(text, words[i]))
                skip = strlen(words[i]);
        if (skip > 0)
            text_append(&result, directory);
        else
            text_append_char(&result, *text);
        text += skip > 0 ? skip : 1;
    }
    return result.size > 0 ? text_steal(&result) : NULL;
}

static char *joined(const char *first, const char *second)
{
    if (first && second)
        return mem_printf("%s:%s", first, second);
    return mem_string(first ? first : second);
}

static void find_own(const struct host *host, struct loading *loading)
{
    static const char *const patterns[] = {"nvidia/*/lib", "tensorrt_libs", "cusparselt/lib"};
    static const char *const parts[] = {"lib", "libs", "capi", "."};
    const struct framework *framework = loading->framework;
    for (size_t i = 0; framework->folder && i < sizeof(parts) / sizeof(*parts); i++) {
        AUTO_FREE char *directory = path_join(framework->folder, parts[i]);
        if (host_is_directory(host, directory))
            strlist_add_new(&loading->own, directory);
    }
    for (size_t i = 0; i < framework->environment->sites.count; i++)
        for (size_t k = 0; k < sizeof(patterns) / sizeof(*patterns); k++)
            path_match(host, framework->environment->sites.items[i], patterns[k], &loading->own);
    if (string_equal(framework->environment->kind, "conda"))
        strlist_take(&loading->own, path_join(framework->environment->directory, "lib"));
}

void loading_begin(struct framework_work *work, const struct framework *framework,
                   struct loading *ret_loading)
{
    *ret_loading = (struct loading){.work = work, .framework = framework};
    find_own(work->host, ret_loading);
    if (string_equal(framework->environment->kind, "conda"))
        ret_loading->program_rpath = path_join(framework->environment->directory, "lib");
    preload_variable(ret_loading);
}

void loading_forget_glibc(struct loading *loading)
{
    free(loading->glibc);
    free(loading->glibc_by);
    loading->glibc = loading->glibc_by = NULL;
}

void loading_drop(struct loading *loading, size_t first)
{
    for (size_t i = first; i < loading->count; i++) {
        struct loaded *loaded = &loading->items[i];
        free(loaded->soname);
        free(loaded->path);
        free(loaded->real);
        free(loaded->why);
        free(loaded->by);
        free(loaded->rpath);
        free(loaded->runpath);
        free(loaded->damage);
    }
    loading->count = first < loading->count ? first : loading->count;
    loading->next = loading->next < loading->count ? loading->next : loading->count;
}

void loading_free(struct loading *loading)
{
    loading_drop(loading, 0);
    free(loading->items);
    strlist_free(&loading->own);
    free(loading->program_rpath);
    loading_forget_glibc(loading);
}

static bool is_loaded(const struct loading *loading, const char *soname)
{
    for (size_t i = 0; i < loading->count; i++)
        if (string_equal(loading->items[i].soname, soname))
            return true;
    return false;
}

char *loading_own(const struct loading *loading, const char *soname)
{
    for (size_t i = 0; i < loading->own.count; i++) {
        AUTO_FREE char *path = path_join(loading->own.items[i], soname);
        if (host_exists(loading->work->host, path))
            return mem_steal(&path);
    }
    return NULL;
}

/* Of what is not CUDA's and lies outside the environment nothing needs to be known. */
static bool is_followed(const struct loading *loading, const struct loaded *loaded)
{
    return loaded->path &&
           (path_is_below(loaded->path, loading->framework->environment->directory) ||
            (loading->framework->site && path_is_below(loaded->path, loading->framework->site)) ||
            library_family_of(loaded->soname, NULL) != NULL);
}

static struct loaded *add_loaded(struct loading *loading, const char *soname, const char *by,
                                 const char *how)
{
    if (loading->count == LOADED_MAX)
        return NULL;
    struct loaded *loaded = vec_push(loading->items, loading->count, loading->capacity);
    loaded->soname = mem_string(soname);
    loaded->by = mem_string(by);
    loaded->how = how;
    return loaded;
}

void loading_miss(struct loading *loading, const char *soname, const char *by)
{
    if (!is_loaded(loading, soname))
        add_loaded(loading, soname, by, "needed");
}

/* A link with that name in a directory that is searched, which leads nowhere or to itself: the
 * loader passes it over. */
static void note_dangling(struct loading *loading, struct loaded *loaded)
{
    AUTO_STRLIST struct strlist directories = {0};
    const struct host *host = loading->work->host;
    strlist_copy(&directories, &loading->own);
    loader_directories(loading->work->loader, &directories);
    for (size_t i = 0; i < directories.count && loaded->damage == NULL; i++) {
        AUTO_FREE char *path = path_join(directories.items[i], loaded->soname);
        AUTO_FREE char *target = NULL;
        struct host_stat stat;
        if (host_read_link(host, path, &target, NULL) != HOST_OK)
            continue;
        bool circle = string_equal(path_base(target), path_base(path)) &&
                      (strchr(target, '/') == NULL || string_equal(target, path));
        if (circle)
            loaded->damage = mem_printf("%s is a link to itself", path);
        else if (host_stat(host, path, &stat, NULL) == HOST_ABSENT)
            loaded->damage = mem_printf("%s is a link to %s, which does not exist", path, target);
    }
}

static void note_unread(struct loaded *loaded, const struct error *error)
{
    const char *why = error->why ? error->why : error->what;
    const char *cut = why ? strstr(why, "truncated") : NULL; /* without the offset */
    why = cut ? cut : why;
    if (loaded->damage == NULL && why)
        loaded->damage = mem_printf("%s: %s", loaded->path, why);
}

static void take_hit(struct loaded *loaded, const struct loader_hit *hit)
{
    if (hit->path == NULL)
        return;
    bool cache = string_equal(hit->why, "ld.so.cache") || hit->where == NULL;
    loaded->path = mem_string(hit->path);
    loaded->real = mem_string(hit->real_path);
    loaded->why = cache ? mem_string(hit->why) : mem_printf("%s: %s", hit->why, hit->where);
}

/* Resolves what one object asks for, unless it is there. */
static void resolve(struct loading *loading, const char *soname, const char *by, const char *rpath,
                    const char *runpath, const char *how)
{
    if (is_loaded(loading, soname))
        return;
    AUTO_FREE char *asker = mem_string(by);
    AUTO_FREE char *paths = mem_string(rpath);
    AUTO_FREE char *run = mem_string(runpath);
    struct loaded *loaded = add_loaded(loading, soname, asker, how);
    if (loaded == NULL)
        return;
    AUTO_HIT struct loader_hit hit = {0};
    loader_find(loading->work->loader, soname, asker, paths, run, &hit);
    take_hit(loaded, &hit);
    if (loaded->path == NULL && library_family_of(soname, NULL))
        note_dangling(loading, loaded);
    loaded->rpath = run ? NULL : mem_steal(&paths); /* for the chain of what it needs */
}

static void note_glibc(struct loading *loading, const char *path, const struct elf_info *elf)
{
    struct version needed, highest;
    const char *folder = loading->framework->folder;
    if (elf->glibc_needed == NULL || folder == NULL || !path_is_below(path, folder) ||
        !version_parse(elf->glibc_needed, &needed) ||
        (loading->glibc && version_parse(loading->glibc, &highest) &&
         version_compare(&needed, &highest) <= 0))
        return;
    loading_forget_glibc(loading);
    loading->glibc = mem_string(elf->glibc_needed);
    loading->glibc_by = mem_string(path);
}

/* Reads the object's own paths, and resolves what it needs. */
static void follow(struct loading *loading, size_t index)
{
    AUTO_ELF struct elf_info elf = {0};
    AUTO_ERROR struct error error = {0};
    struct loaded *loaded = &loading->items[index];
    if (!is_followed(loading, loaded))
        return;
    const char *file = loaded->real ? loaded->real : loaded->path;
    enum host_status status = elf_read(loading->work->host, file, &elf, &error);
    if (status == HOST_FAILED)
        note_unread(loaded, &error);
    if (status != HOST_OK)
        return;
    AUTO_FREE char *directory = path_parent(loaded->path);
    AUTO_FREE char *rpath = elf.runpath ? NULL : with_origin(elf.rpath, directory);
    AUTO_FREE char *above = loaded->rpath;
    loaded->rpath = joined(rpath, above);
    loaded->runpath = with_origin(elf.runpath, directory);
    if (loaded->runpath == NULL && elf.runpath)
        loaded->runpath = mem_string("");
    AUTO_FREE char *path = mem_string(loaded->path);
    note_glibc(loading, path, &elf);
    AUTO_FREE char *chain = mem_string(loaded->rpath);
    AUTO_FREE char *runpath = mem_string(loaded->runpath);
    for (size_t i = 0; i < elf.needed.count; i++) /* items can move: loaded is not used any more */
        resolve(loading, elf.needed.items[i], path, chain, runpath, "needed");
}

static void follow_all(struct loading *loading)
{
    for (; loading->next < loading->count && !host_is_late(loading->work->host); loading->next++)
        follow(loading, loading->next);
}

static void note_damaged(struct loading *loading, const char *path, const char *real,
                         const char *how, const struct error *error)
{
    struct loaded *loaded = is_loaded(loading, path_base(path))
                                ? NULL
                                : add_loaded(loading, path_base(path), path, how);
    if (loaded == NULL)
        return;
    loaded->path = mem_string(path);
    loaded->real = mem_string(real);
    loaded->why = mem_string("path");
    note_unread(loaded, error);
}

bool loading_file(struct loading *loading, const char *path, const char *how)
{
    AUTO_ELF struct elf_info elf = {0};
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *real = NULL;
    const struct loader *loader = loading->work->loader;
    if (host_real_path(loading->work->host, path, &real, NULL) != HOST_OK)
        return false;
    enum host_status status = elf_read(loading->work->host, real, &elf, &error);
    if (status == HOST_FAILED)
        note_damaged(loading, path, real, how, &error);
    if (status != HOST_OK || elf.machine != loader_machine(loader) ||
        elf.bits != loader_bits(loader))
        return false;
    const char *soname = elf.soname ? elf.soname : path_base(path);
    if (is_loaded(loading, soname))
        return true;
    struct loaded *loaded = add_loaded(loading, soname, path, how);
    if (loaded == NULL)
        return false;
    loaded->path = mem_string(path);
    loaded->real = mem_steal(&real);
    loaded->why = mem_string("path");
    loaded->rpath = mem_string(loading->program_rpath);
    follow_all(loading);
    return true;
}

void loading_open(struct loading *loading, const char *soname, const struct loaded *by)
{
    resolve(loading, soname, by->path, by->rpath ? by->rpath : loading->program_rpath, by->runpath,
            "opened");
    follow_all(loading);
}
