/* SPDX-License-Identifier: MIT */
#include "probe/framework/framework.h"

#include <fnmatch.h>
#include <string.h>

#include "base/path.h"
#include "host/root/file.h"
#include "probe/places/path_match.h"
#include "probe/python/python_literal.h"

#define URL_FILE_MAX 16384

/* The place of the pattern that the name fits; -1: none does. No pattern begins with a wildcard. */
static int pattern_of(const struct framework_row *row, const char *name)
{
    for (int i = 0; i < FRAMEWORK_PATTERNS && row->packages[i]; i++)
        if (row->packages[i][0] == name[0] && fnmatch(row->packages[i], name, 0) == 0)
            return i;
    return -1;
}

bool framework_row_has(const struct framework_row *row, const char *name)
{
    return pattern_of(row, name) >= 0;
}

static void add_beside(struct framework *framework, const struct python_package *package)
{
    AUTO_FREE char *words = mem_printf("%s %s", package->name, package->version);
    strlist_add_new(&framework->beside, words);
}

/* The folder of a site, if it is there. */
static void find_folder(const struct host *host, const char *site, struct framework *framework)
{
    AUTO_FREE char *folder = path_join(site, framework->row->folder);
    if (framework->folder == NULL && host_is_directory(host, folder)) {
        framework->folder = mem_steal(&folder);
        free(framework->site);
        framework->site = mem_string(site);
    }
}

/* {"dir_info": {"editable": true}, "url": "file:///home/u/src/vllm"}: "/home/u/src/vllm"; NULL: it
 * is no such installation. free() it. */
static char *editable_tree(const struct host *host, const struct python_package *package)
{
    static const char scheme[] = "file://";
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *path = path_join(package->info, "direct_url.json");
    if (host_read_head(host, path, URL_FILE_MAX, &text, NULL) != HOST_OK ||
        strstr(text_string(&text), "\"editable\"") == NULL)
        return NULL;
    AUTO_FREE char *url = python_item_one(text_string(&text), text.size, "url");
    return url && string_starts(url, scheme) && url[strlen(scheme)] == '/'
               ? mem_string(url + strlen(scheme))
               : NULL;
}

/* pip install -e: the folder lies in the working tree. */
static void find_editable(const struct host *host, const struct python_package *package,
                          struct framework *framework)
{
    static const char *const parts[] = {".", "src", "python"};
    AUTO_FREE char *tree = editable_tree(host, package);
    for (size_t i = 0; tree && i < sizeof(parts) / sizeof(*parts); i++) {
        AUTO_FREE char *site = path_join(tree, parts[i]);
        find_folder(host, i == 0 ? tree : site, framework);
    }
}

static void find_library(const struct host *host, struct framework *framework)
{
    const struct framework_row *row = framework->row;
    for (size_t i = 0; i < FRAMEWORK_LIBRARIES && row->libraries[i] && framework->site; i++) {
        AUTO_STRLIST struct strlist paths = {0};
        path_match(host, framework->site, row->libraries[i], &paths);
        if (paths.count == 0)
            continue;
        framework->library = mem_string(paths.items[paths.count - 1]);
        return;
    }
}

static struct framework *add_framework(const struct host *host, const struct framework_row *row,
                                       const struct python_environment *environment,
                                       const struct python_package *package,
                                       struct frameworks *frameworks)
{
    if (frameworks->count == FRAMEWORKS_MAX)
        return NULL;
    struct framework *framework =
        vec_push(frameworks->items, frameworks->count, frameworks->capacity);
    framework->row = row;
    framework->environment = environment;
    framework->group = mem_printf("framework/%zu", frameworks->count - 1);
    if (package && package->build)
        framework->conda = package;
    else if (package)
        find_folder(host, package->site, framework);
    if (package && package->build == NULL && framework->folder == NULL)
        find_editable(host, package, framework);
    framework->package = package;
    if (package && package->build == NULL && framework->site == NULL)
        framework->site = mem_string(package->site);
    for (size_t i = 0; i < environment->sites.count; i++)
        if (package == NULL || package->build)
            find_folder(host, environment->sites.items[i], framework);
    find_library(host, framework);
    return framework;
}

/* The version up to what is local to a build: "2.5.1" of "2.5.1+cu124". */
static bool same_release(const char *a, const char *b)
{
    size_t length = strcspn(a, "+");
    return strcspn(b, "+") == length && strncmp(a, b, length) == 0;
}

/* conda's packages leave a dist-info too: it is one framework then. */
static bool join_conda(const struct python_environment *environment,
                       const struct python_package *package, size_t first,
                       struct frameworks *frameworks)
{
    for (size_t i = first; i < frameworks->count; i++) {
        struct framework *framework = &frameworks->items[i];
        if (framework->environment != environment)
            continue;
        bool same = framework->conda == NULL && framework->package &&
                    same_release(framework->package->version, package->version);
        if (same)
            framework->conda = package;
        else
            add_beside(framework, package);
        return true;
    }
    return false;
}

static int best_pattern(const struct framework_row *row,
                        const struct python_environment *environment, bool conda)
{
    int best = -1;
    for (size_t i = 0; i < environment->package_count; i++) {
        int pattern = pattern_of(row, environment->packages[i].name);
        bool is_conda = environment->packages[i].build != NULL;
        if (pattern >= 0 && is_conda == conda && (best < 0 || pattern < best))
            best = pattern;
    }
    return best;
}

/* Of conda's packages of one framework (pytorch, pytorch-gpu) one counts, and of a row that says
 * so; the others are named beside it. */
static void find_packages(const struct host *host, const struct framework_row *row,
                          const struct python_environment *environment, bool conda, size_t first,
                          struct frameworks *frameworks)
{
    int best = best_pattern(row, environment, conda);
    struct framework *chosen = NULL;
    for (size_t pass = 0; best >= 0 && pass < 2; pass++) {
        for (size_t i = 0; i < environment->package_count; i++) {
            const struct python_package *package = &environment->packages[i];
            int pattern = pattern_of(row, package->name);
            bool counts = pattern == best || !(row->one || conda);
            if (pattern < 0 || (package->build != NULL) != conda || counts != (pass == 0))
                continue;
            if (pass == 1 && chosen)
                add_beside(chosen, package);
            else if (pass == 0 && !(conda && join_conda(environment, package, first, frameworks)))
                chosen = add_framework(host, row, environment, package, frameworks);
        }
    }
}

/* A folder that no package says it owns: built from source, copied, or its metadata lost. */
static void find_folder_alone(const struct host *host, const struct framework_row *row,
                              const struct python_environment *environment,
                              struct frameworks *frameworks)
{
    for (size_t i = 0; row->version_file && i < environment->sites.count; i++) {
        AUTO_FREE char *file =
            mem_printf("%s/%s/%s", environment->sites.items[i], row->folder, row->version_file);
        if (host_exists(host, file)) {
            add_framework(host, row, environment, NULL, frameworks);
            return;
        }
    }
}

/* Packages that share a folder name each other. */
static void name_neighbours(struct frameworks *frameworks, size_t first)
{
    for (size_t i = first; i < frameworks->count; i++)
        for (size_t k = first; k < frameworks->count; k++)
            if (i != k && frameworks->items[k].package)
                add_beside(&frameworks->items[i], frameworks->items[k].package);
}

static void find_row(const struct host *host, const struct framework_row *row,
                     const struct python_environment *environment, struct frameworks *frameworks)
{
    size_t first = frameworks->count;
    find_packages(host, row, environment, false, first, frameworks);
    find_packages(host, row, environment, true, first, frameworks);
    if (frameworks->count == first)
        find_folder_alone(host, row, environment, frameworks);
    name_neighbours(frameworks, first);
}

void frameworks_find(const struct host *host, const struct python_world *world,
                     struct frameworks *ret_frameworks)
{
    *ret_frameworks = (struct frameworks){.items = NULL};
    for (size_t i = 0; i < world->count && !host_is_late(host); i++)
        for (const struct framework_row *row = framework_rows; row->name; row++)
            find_row(host, row, &world->items[i], ret_frameworks);
}

static void cited_free(struct cited *cited)
{
    free(cited->value);
    free(cited->source);
}

static void build_free(struct framework_build *build)
{
    struct cited *const all[] = {&build->accelerator, &build->cuda,  &build->rocm, &build->cudnn,
                                 &build->nccl,        &build->torch, &build->holds};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        cited_free(all[i]);
    strlist_free(&build->cudas);
    strlist_free(&build->sass);
    strlist_free(&build->ptx);
    strlist_free(&build->ptx_versions);
    free(build->code_source);
    free(build->code_problem);
}

void frameworks_free(struct frameworks *frameworks)
{
    for (size_t i = 0; i < frameworks->count; i++) {
        struct framework *framework = &frameworks->items[i];
        free(framework->group);
        free(framework->site);
        free(framework->folder);
        free(framework->library);
        free(framework->first);
        strlist_free(&framework->beside);
        text_free(&framework->metadata);
        build_free(&framework->build);
    }
    free(frameworks->items);
    *frameworks = (struct frameworks){.items = NULL};
}

void cited_set(struct cited *cited, const char *value, const char *source)
{
    if (cited->value || value == NULL || value[0] == '\0')
        return;
    cited->value = mem_string(value);
    cited->source = mem_string(source);
}
