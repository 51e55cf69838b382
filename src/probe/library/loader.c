/* SPDX-License-Identifier: MIT */
#include "probe/engine/probes.h"

#include <string.h>

#include "base/path.h"
#include "probe/library/library_scan.h"

#define CACHE "/etc/ld.so.cache"

/* Programs ask for these whether or not they are found anywhere. The names of CUDA's own libraries
 * have the release in them: those are asked for that were found. */
static const char *const driver_names[] = {
    "libcuda.so.1",          "libcuda.so",
    "libnvidia-ml.so.1",     "libnvidia-ptxjitcompiler.so.1",
    "libnvidia-encode.so.1", "libnvcuvid.so.1",
};

#define NAMES_MAX 512

/* A name that a program asks for: with one or two numbers (libcudart.so.12, libcudart.so.11.0),
 * not the file behind it (libcudart.so.12.8.90) and not the compiler's name (libcudart.so). */
static void add_name(const char *name, struct strlist *names)
{
    struct version version;
    if (names->count < NAMES_MAX && library_family_of(name, NULL) != NULL &&
        library_name_version(name, &version) && version.count <= 2)
        strlist_add_new(names, name);
}

/* A SONAME was chosen by who built the library: libnvinfer_builder_resource has all of its
 * version in it. */
static void add_soname(const char *soname, struct strlist *names)
{
    if (names->count < NAMES_MAX && strchr(soname, '/') == NULL &&
        library_family_of(soname, NULL) != NULL)
        strlist_add_new(names, soname);
}

/* What the library probe found, when it has run. */
static bool add_recorded(const struct facts *facts, struct strlist *names)
{
    size_t cursor = 0;
    const char *group;
    while ((group = facts_next(facts, "library", &cursor)) != NULL) {
        const char *soname = facts_string(facts, group, "soname");
        const struct strlist *found = facts_list(facts, group, "found_as");
        if (soname)
            add_soname(soname, names);
        for (size_t i = 0; found && i < found->count; i++)
            add_name(path_base(found->items[i]), names);
    }
    return facts_get(facts, "library", "count") != NULL;
}

static void add_scanned(const struct probe_context *context, struct strlist *names)
{
    AUTO_SCAN struct library_scan scan = {0};
    library_scan_find(context, &scan);
    for (size_t i = 0; i < scan.count; i++)
        for (size_t k = 0; k < scan.copies[i].found_as.count; k++)
            add_name(path_base(scan.copies[i].found_as.items[k]), names);
}

static void find_names(const struct probe_context *context, const struct facts *facts,
                       struct strlist *names)
{
    for (size_t i = 0; i < sizeof(driver_names) / sizeof(*driver_names); i++)
        strlist_add(names, driver_names[i]);
    const struct ldcache *cache = loader_cache(context->loader);
    AUTO_STRLIST struct strlist found = {0};
    for (size_t i = 0; cache && i < cache->count; i++)
        add_name(cache->entries[i].soname, &found);
    if (!add_recorded(facts, &found))
        add_scanned(context, &found);
    strlist_sort(&found);
    for (size_t i = 0; i < found.count; i++)
        strlist_add_new(names, found.items[i]);
}

/* Nothing found: absent, unless the cache that would have said where is there and not readable. */
static void note_nothing(const char *group, const char *problem, struct facts *facts)
{
    static const char source[] = "LD_LIBRARY_PATH, ld.so.cache, default directories";
    static const char *const names[] = {"path", "real_path", "why"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (problem)
            facts_set_unknown(facts, group, names[i], problem, CACHE);
        else
            facts_set_absent(facts, group, names[i], source);
    }
}

static void note_hit(const char *group, const struct loader_hit *hit, struct facts *facts)
{
    bool cache = string_equal(hit->why, "ld.so.cache") || hit->where == NULL;
    AUTO_FREE char *why = cache ? mem_string(hit->why) : mem_printf("%s: %s", hit->why, hit->where);
    facts_set_string(facts, group, "path", hit->path, why);
    facts_set_string(facts, group, "real_path", hit->real_path, hit->path);
    facts_set_string(facts, group, "why", why, hit->path);
}

static void note_name(const struct loader *loader, const char *name, const char *problem,
                      struct facts *facts)
{
    AUTO_FREE char *group = facts_group_name("loader", name);
    AUTO_HIT struct loader_hit hit = {0};
    loader_find(loader, name, NULL, NULL, NULL, &hit);
    facts_set_string(facts, group, "name", name, "the loader's search");
    if (hit.path)
        note_hit(group, &hit, facts);
    else
        note_nothing(group, problem, facts);
    facts_set_list(facts, group, "passed_over", &hit.passed_over, "the loader's search");
}

/* The problem that makes a search without result doubtful; NULL when there is none. */
static const char *note_cache(const struct probe_context *context, struct facts *facts)
{
    const char *problem = loader_problem(context->loader);
    if (problem == NULL) {
        facts_set_string(facts, "loader", "cache", CACHE, CACHE);
        return NULL;
    }
    struct host_stat stat;
    if (host_stat(context->host, CACHE, &stat, NULL) == HOST_ABSENT) {
        facts_set_absent(facts, "loader", "cache", CACHE);
        return NULL;
    }
    facts_set_unknown(facts, "loader", "cache", problem, CACHE);
    return problem;
}

void probe_loader(const struct probe_context *context, struct facts *facts)
{
    AUTO_STRLIST struct strlist names = {0};
    const char *problem = note_cache(context, facts);
    find_names(context, facts, &names);
    for (size_t i = 0; i < names.count; i++)
        note_name(context->loader, names.items[i], problem, facts);
}
