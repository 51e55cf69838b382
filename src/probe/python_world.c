/* SPDX-License-Identifier: MIT */
#include "probe/python_world.h"

#include <string.h>

#include "base/text.h"
#include "host/file.h"
#include "probe/site.h"
#include "probe/toolkit_path.h"

static const char *const variables[] = {"VIRTUAL_ENV", "CONDA_PREFIX", "UV_PROJECT_ENVIRONMENT"};

/* DIR of --python: a prefix, its Python, or a directory of packages. */
static void add_given(const struct host *host, const char *given, struct python_world *world)
{
    AUTO_FREE char *directory = mem_string(given);
    if (!host_is_directory(host, given)) { /* …/bin/python3 */
        AUTO_FREE char *bin = path_parent(given);
        free(directory);
        directory = path_parent(bin);
    }
    const char *base = path_base(directory);
    if (string_equal(base, "site-packages") || string_equal(base, "dist-packages")) {
        AUTO_FREE char *versioned = path_parent(directory);
        AUTO_FREE char *lib = path_parent(versioned);
        AUTO_FREE char *prefix = path_parent(lib);
        if (string_starts(path_base(lib), "lib") &&
            python_prefix_add(host, prefix, NULL, "--python", world))
            return;
    }
    python_prefix_add(host, directory, NULL, "--python", world);
}

/* Directories that every Python looks into first. */
static void add_python_path(const struct host *host, struct python_world *world)
{
    AUTO_STRLIST struct strlist directories = {0};
    path_list(host_environment(host, "PYTHONPATH"), &directories);
    for (size_t i = 0; i < directories.count; i++)
        python_prefix_add(host, directories.items[i], "directory", "PYTHONPATH", world);
}

static void add_pyenv(const struct host *host, const char *root, struct python_world *world)
{
    AUTO_STRLIST struct strlist prefixes = {0};
    site_pyenv_prefixes(host, root, &prefixes);
    for (size_t i = 0; i < prefixes.count; i++)
        python_prefix_add(host, prefixes.items[i], "system", "pyenv", world);
}

static void add_program(const struct host *host, const char *directory, struct python_world *world)
{
    AUTO_FREE char *python = path_join(directory, "python3");
    AUTO_FREE char *real = NULL;
    AUTO_FREE char *prefix = path_parent(directory);
    if (string_equal(path_base(directory), "shims"))
        add_pyenv(host, prefix, world);
    else if (host_real_path(host, python, &real, NULL) == HOST_OK) {
        AUTO_FREE char *bin = path_parent(real);
        AUTO_FREE char *real_prefix = path_parent(bin);
        AUTO_FREE char *cfg = path_join(prefix, "pyvenv.cfg");
        python_prefix_add(host, prefix, NULL, "PATH", world);
        if (!host_exists(host, cfg))
            python_prefix_add(host, real_prefix, NULL, "PATH", world);
    }
}

void python_world_find(const struct host *host, const struct strlist *given,
                       struct python_world *ret_world)
{
    *ret_world = (struct python_world){.items = NULL};
    for (size_t i = 0; given && i < given->count; i++)
        add_given(host, given->items[i], ret_world);
    for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
        python_prefix_add(host, host_environment(host, variables[i]), NULL, variables[i],
                          ret_world);
    add_python_path(host, ret_world);
    AUTO_STRLIST struct strlist programs = {0};
    path_list(host_environment(host, "PATH"), &programs);
    for (size_t i = 0; i < programs.count; i++)
        add_program(host, programs.items[i], ret_world);
    python_places_add(host, ret_world);
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
