/* SPDX-License-Identifier: MIT */
#include "probe/python/python_world.h"

#include <string.h>

#include "base/path.h"
#include "base/text.h"
#include "host/root/file.h"
#include "probe/places/path_match.h"

static const char *const variables[] = {"VIRTUAL_ENV", "CONDA_PREFIX"};
#define VARIABLES (sizeof(variables) / sizeof(*variables))

/* What python3 means: a prefix, and the minor where the program's name tells. */
struct target {
    char *prefix;
    char *minor;
    bool three; /* a python3, whose minor may not be known */
};

static void target_set(const struct host *host, const char *prefix, struct target *target)
{
    if (host_real_path(host, prefix, &target->prefix, NULL) != HOST_OK)
        target->prefix = mem_string(prefix);
}

/* A directory of PATH that belongs to a named environment, or holds that program. */
static bool target_on_path(const struct host *host, const char *directory, const char *program,
                           struct target *target)
{
    AUTO_FREE char *prefix = path_parent(directory);
    for (size_t i = 0; i < VARIABLES; i++)
        if (string_equal(host_environment(host, variables[i]), prefix)) {
            target_set(host, prefix, target);
            return true;
        }
    AUTO_FREE char *real = NULL;
    if (string_equal(path_base(directory), "shims") ||
        !site_program(host, directory, program, &real))
        return false;
    target->three = string_equal(program, "python3");
    AUTO_FREE char *cfg = path_join(prefix, "pyvenv.cfg");
    if (host_exists(host, cfg)) {
        target_set(host, prefix, target);
        return true;
    }
    AUTO_FREE char *bin = path_parent(real);
    AUTO_FREE char *real_prefix = path_parent(bin);
    target_set(host, real_prefix, target);
    if (string_starts(path_base(real), "python3.") || string_starts(path_base(real), "python2."))
        target->minor = mem_string(path_base(real) + strlen("python"));
    return true;
}

/* pyenv's shim stands for the version that was named. */
static bool target_of_pyenv(const struct python_world *world, struct target *target)
{
    for (size_t i = 0; i < world->count; i++) {
        if (!strlist_has(&world->items[i].named_by, "pyenv"))
            continue;
        target->prefix = mem_string(world->items[i].directory);
        return true;
    }
    return false;
}

static bool find_on_path(const struct host *host, const struct python_world *world,
                         const char *program, struct target *target)
{
    AUTO_STRLIST struct strlist path = {0};
    path_list(host_environment(host, "PATH"), &path);
    for (size_t i = 0; i < path.count; i++) {
        if (target_on_path(host, path.items[i], program, target))
            return true;
        if (string_equal(path_base(path.items[i]), "shims") && target_of_pyenv(world, target))
            return true;
    }
    return false;
}

/* Images from before 2020 may have a python2 alone. */
static bool find_target(const struct host *host, const struct python_world *world,
                        struct target *target)
{
    if (find_on_path(host, world, "python3", target) ||
        find_on_path(host, world, "python2", target))
        return true;
    for (size_t i = 0; i < VARIABLES; i++) {
        const char *prefix = host_environment(host, variables[i]);
        if (prefix && prefix[0] == '/') {
            target_set(host, prefix, target);
            return true;
        }
    }
    return false;
}

static bool is_isolated(const struct python_environment *environment)
{
    static const char *const kinds[] = {"venv", "uv", "pipx"};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        if (string_equal(environment->kind, kinds[i]))
            return !environment->system_site;
    return false;
}

/* No python3 imports from an environment of Python 2.7. */
static bool is_other_major(const struct python_environment *environment,
                           const struct target *target)
{
    return target->three && environment->minor && string_starts(environment->minor, "2.");
}

static bool is_of(const struct python_environment *environment, const struct target *target)
{
    return !is_other_major(environment, target) &&
           string_equal(environment->directory, target->prefix) &&
           (target->minor == NULL || environment->minor == NULL ||
            string_equal(environment->minor, target->minor));
}

/* An environment made from a Python that is not the system's sees the packages of that one. */
static bool is_base(const struct python_environment *environment,
                    const struct python_environment *main)
{
    return main->base && string_equal(environment->directory, main->base);
}

/* The user's packages, and those of the administrator beside the distribution's, are seen by each
 * Python of their minor that is not kept apart. */
static bool is_seen_beside(const struct python_environment *environment,
                           const struct python_environment *main)
{
    bool other_base = main->base && !path_is_below(main->base, "/usr");
    bool of_system =
        other_base ? is_base(environment, main) : string_equal(environment->kind, "system");
    bool beside = string_equal(environment->kind, "user") ||
                  (string_equal(environment->directory, "/usr/local") &&
                   string_equal(main->directory, "/usr")) ||
                  (main->system_site && of_system);
    return beside && !is_isolated(main) && environment->minor &&
           string_equal(environment->minor, main->minor);
}

static void mark(const struct host *host, const struct target *target, struct python_world *world)
{
    const char *without = host_environment(host, "PYTHONNOUSERSITE");
    for (size_t i = 0; i < world->count; i++) {
        if (!is_of(&world->items[i], target))
            continue;
        world->items[i].active = PYTHON_ACTIVE;
        if (world->active == NULL)
            world->active = mem_string(world->items[i].directory);
        for (size_t k = 0; k < world->count; k++)
            if (is_seen_beside(&world->items[k], &world->items[i]) &&
                !(without && *without && string_equal(world->items[k].kind, "user")))
                world->items[k].active = PYTHON_ACTIVE;
    }
}

/* What /usr/local and /usr hold is seen by one Python, whichever of them it lies in. */
static void mark_system(struct python_world *world)
{
    const struct python_environment *main = NULL;
    for (size_t i = 0; i < world->count && main == NULL; i++)
        if (world->items[i].active == PYTHON_ACTIVE && string_equal(world->items[i].kind, "system"))
            main = &world->items[i];
    for (size_t i = 0; main && i < world->count; i++) {
        struct python_environment *environment = &world->items[i];
        if (string_equal(environment->kind, "system") &&
            (environment->minor == NULL || main->minor == NULL ||
             string_equal(environment->minor, main->minor)))
            environment->active = PYTHON_ACTIVE;
    }
}

/* It holds one program, and only the command of that program runs in it. */
static bool is_of_one_program(const struct python_environment *environment)
{
    return string_equal(environment->kind, "pipx") || strstr(environment->directory, "/uv/tools/");
}

/* A tree without a python3: the first directory of PATH whose prefix holds packages stands for it.
 */
static bool target_of_packages(const struct host *host, const struct python_world *world,
                               struct target *target)
{
    AUTO_STRLIST struct strlist path = {0};
    path_list(host_environment(host, "PATH"), &path);
    for (size_t i = 0; i < path.count; i++) {
        AUTO_FREE char *prefix = path_parent(path.items[i]);
        for (size_t k = 0; k < world->count; k++)
            if (world->items[k].package_count > 0 && !is_other_major(&world->items[k], target) &&
                string_equal(world->items[k].directory, prefix)) {
                target_set(host, prefix, target);
                return true;
            }
    }
    return false;
}

/* Nothing says which one is meant: an image's only environment with packages is. */
static void mark_only_one(const struct target *target, struct python_world *world)
{
    struct python_environment *only = NULL;
    size_t count = 0;
    for (size_t i = 0; i < world->count; i++) {
        bool no = is_of_one_program(&world->items[i]) || is_other_major(&world->items[i], target);
        world->items[i].active = no ? PYTHON_NOT_ACTIVE : PYTHON_ACTIVE_UNKNOWN;
        if (world->items[i].package_count > 0 && !no) {
            only = &world->items[i];
            count++;
        }
    }
    if (count != 1)
        return;
    for (size_t i = 0; i < world->count; i++)
        world->items[i].active = PYTHON_NOT_ACTIVE;
    only->active = PYTHON_ACTIVE;
    world->active = mem_string(only->directory);
}

/* Who names one asks about it; a directory of PYTHONPATH is imported from by all. */
static void mark_given(struct python_world *world)
{
    for (size_t i = 0; i < world->count; i++) {
        struct python_environment *environment = &world->items[i];
        if (strlist_has(&environment->named_by, "--python") ||
            (strlist_has(&environment->named_by, "PYTHONPATH") &&
             string_equal(environment->kind, "directory")))
            environment->active = PYTHON_ACTIVE;
    }
}

/* What a named environment sees beside its own packages, as if it were the active one. */
static void mark_beside_given(const struct host *host, struct python_world *world)
{
    const char *without = host_environment(host, "PYTHONNOUSERSITE");
    for (size_t i = 0; i < world->count; i++) {
        if (!strlist_has(&world->items[i].named_by, "--python"))
            continue;
        for (size_t k = 0; k < world->count; k++)
            if (is_seen_beside(&world->items[k], &world->items[i]) &&
                !(without && *without && string_equal(world->items[k].kind, "user")))
                world->items[k].active = PYTHON_ACTIVE;
    }
}

void python_active_find(const struct host *host, struct python_world *world)
{
    struct target target = {.prefix = NULL};
    if (find_target(host, world, &target))
        mark(host, &target, world);
    bool open = world->active == NULL && (target.prefix == NULL || !host_is_live(host));
    struct target instead = {.three = target.three};
    if (open && !host_is_live(host) && target_of_packages(host, world, &instead)) {
        mark(host, &instead, world);
        mark_system(world);
    } else if (open)
        mark_only_one(&target, world);
    free(instead.prefix);
    mark_given(world);
    mark_beside_given(host, world);
    free(target.prefix);
    free(target.minor);
}
