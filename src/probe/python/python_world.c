/* SPDX-License-Identifier: MIT */
#include "probe/python/python_world.h"

#include <string.h>

#include "base/text.h"
#include "host/root/file.h"
#include "probe/places/path_match.h"
#include "probe/places/site.h"

static void add_places(const struct host *host, const struct site_places *places,
                       struct python_world *world)
{
    for (size_t i = 0; i < places->count; i++)
        if (!places->items[i].no_environment)
            python_prefix_add(host, places->items[i].prefix, places->items[i].kind,
                              places->items[i].named_by, world);
}

/* Directories that every Python looks into first. */
static void add_python_path(const struct host *host, struct python_world *world)
{
    AUTO_STRLIST struct strlist directories = {0};
    path_list(host_environment(host, "PYTHONPATH"), &directories);
    for (size_t i = 0; i < directories.count; i++)
        python_prefix_add(host, directories.items[i], "directory", "PYTHONPATH", world);
}

/* What `home` of pyvenv.cfg leads to: the Python whose packages an environment sees with
 * --system-site-packages. */
static void add_bases(const struct host *host, struct python_world *world)
{
    size_t count = world->count;
    for (size_t i = 0; i < count; i++)
        if (world->items[i].system_site && world->items[i].base)
            python_prefix_add(host, world->items[i].base, "system", "pyvenv.cfg", world);
}

void python_world_find(const struct host *host, const struct strlist *given, struct site_memo *memo,
                       struct python_world *ret_world)
{
    AUTO_PLACES struct site_places named = {.items = NULL};
    AUTO_PLACES struct site_places on_path = {.items = NULL};
    *ret_world = (struct python_world){.memo = memo};
    site_places_named(host, given, memo, &named);
    add_places(host, &named, ret_world);
    add_python_path(host, ret_world);
    site_places_on_path(host, &on_path);
    add_places(host, &on_path, ret_world);
    python_places_add(host, ret_world);
    add_bases(host, ret_world);
    python_active_find(host, ret_world);
}

const struct python_package *python_package_find(const struct python_environment *environment,
                                                 const char *name)
{
    const struct python_package *conda = NULL;
    for (size_t i = 0; i < environment->package_count; i++) {
        const struct python_package *package = &environment->packages[i];
        if (!string_equal(package->name, name))
            continue;
        if (package->build == NULL)
            return package;
        conda = package;
    }
    return conda;
}

static void environment_free(struct python_environment *environment)
{
    free(environment->directory);
    free(environment->group);
    strlist_free(&environment->named_by);
    free(environment->minor);
    free(environment->version);
    free(environment->version_source);
    free(environment->unread);
    free(environment->base);
    free(environment->program_broken);
    strlist_free(&environment->sites);
    for (size_t i = 0; i < environment->package_count; i++) {
        struct python_package *package = &environment->packages[i];
        free(package->name);
        free(package->version);
        free(package->site);
        free(package->info);
        free(package->build);
    }
    free(environment->packages);
    strlist_free(&environment->broken);
}

void python_world_free(struct python_world *world)
{
    for (size_t i = 0; i < world->count; i++)
        environment_free(&world->items[i]);
    free(world->items);
    strlist_free(&world->tried);
    free(world->active);
    *world = (struct python_world){.items = NULL};
}
