/* SPDX-License-Identifier: MIT */
#include "probe/places/site.h"

#include <string.h>

#include "base/path.h"
#include "host/root/file.h"
#include "probe/places/path_match.h"

/* Below a prefix (/usr, /usr/local, a virtual environment). lib64: Fedora and its kin. */
static const char *const site_patterns[] = {
    "lib/python3*/site-packages",  "lib64/python3*/site-packages",
    "lib/python3*/dist-packages", /* Debian and Ubuntu; python3 without a minor is theirs */
    "lib/python2.7/site-packages", "lib64/python2.7/site-packages",
    "lib/python2.7/dist-packages",
};

static const char *const site_prefixes[] = {"/usr", "/usr/local", "/opt/conda", "/opt/venv"};
static const struct site_variable {
    const char *name;
    bool loads_nothing;
} site_variables[] = {
    {.name = "VIRTUAL_ENV"},
    {.name = "CONDA_PREFIX"},
    {.name = "UV_PROJECT_ENVIRONMENT", .loads_nothing = true},
};

/* Nobody has so many; every one is looked into. */
#define SITES_MAX 256

void site_memo_free(struct site_memo *memo)
{
    for (size_t i = 0; i < memo->count; i++) {
        free(memo->items[i].prefix);
        strlist_free(&memo->items[i].sites);
    }
    free(memo->items);
    *memo = (struct site_memo){.items = NULL};
}

void site_places_free(struct site_places *places)
{
    for (size_t i = 0; i < places->count; i++)
        free(places->items[i].prefix);
    free(places->items);
    *places = (struct site_places){.items = NULL};
}

static void look_below(const struct host *host, const char *prefix, struct strlist *sites)
{
    for (size_t i = 0; i < sizeof(site_patterns) / sizeof(*site_patterns); i++) {
        AUTO_STRLIST struct strlist paths = {0};
        path_match(host, prefix, site_patterns[i], &paths);
        for (size_t k = 0; k < paths.count; k++) {
            AUTO_FREE char *real = NULL;
            if (host_real_path(host, paths.items[k], &real, NULL) == HOST_OK &&
                host_is_directory(host, real))
                strlist_add_new(sites, real);
        }
    }
}

/* What lies below a real path. */
static const struct strlist *remembered(const struct host *host, struct site_memo *memo,
                                        const char *real)
{
    for (size_t i = 0; i < memo->count; i++)
        if (string_equal(memo->items[i].prefix, real))
            return &memo->items[i].sites;
    struct site_found *found = vec_push(memo->items, memo->count, memo->capacity);
    found->prefix = mem_string(real);
    look_below(host, real, &found->sites);
    return &found->sites;
}

void site_of_prefix(const struct host *host, struct site_memo *memo, const char *prefix,
                    struct strlist *sites)
{
    AUTO_FREE char *real = NULL;
    if (host_real_path(host, prefix, &real, NULL) != HOST_OK)
        return;
    if (memo == NULL) {
        look_below(host, real, sites);
        return;
    }
    const struct strlist *found = remembered(host, memo, real);
    for (size_t i = 0; i < found->count; i++)
        strlist_add_new(sites, found->items[i]);
}

static struct site_place *add_place(struct site_places *places, const char *prefix,
                                    const char *named_by)
{
    struct site_place *place = vec_push(places->items, places->count, places->capacity);
    *place = (struct site_place){.prefix = mem_string(prefix), .named_by = named_by};
    return place;
}

/* DIR of --python: a prefix, its Python, or a directory of packages. free() it. */
static char *given_prefix(const struct host *host, struct site_memo *memo, const char *given)
{
    if (!host_is_directory(host, given)) { /* …/bin/python3 */
        AUTO_FREE char *bin = path_parent(given);
        return path_parent(bin);
    }
    const char *base = path_base(given);
    if (!string_equal(base, "site-packages") && !string_equal(base, "dist-packages"))
        return mem_string(given);
    AUTO_FREE char *versioned = path_parent(given);
    AUTO_FREE char *lib = path_parent(versioned);
    AUTO_FREE char *prefix = path_parent(lib);
    AUTO_STRLIST struct strlist sites = {0};
    if (string_starts(path_base(lib), "lib"))
        site_of_prefix(host, memo, prefix, &sites);
    return sites.count ? mem_steal(&prefix) : mem_string(given);
}

void site_places_named(const struct host *host, const struct strlist *given, struct site_memo *memo,
                       struct site_places *places)
{
    for (size_t i = 0; given && i < given->count; i++) {
        AUTO_FREE char *prefix = given_prefix(host, memo, given->items[i]);
        add_place(places, prefix, "--python");
    }
    for (size_t i = 0; i < sizeof(site_variables) / sizeof(*site_variables); i++) {
        const struct site_variable *variable = &site_variables[i];
        const char *prefix = host_environment(host, variable->name);
        if (prefix)
            add_place(places, prefix, variable->name)->loads_nothing = variable->loads_nothing;
    }
}

/* The prefixes that the shims of pyenv in root stand for. */
static void add_pyenv(const struct host *host, const char *root, struct site_places *places)
{
    AUTO_TEXT struct text file = {0};
    AUTO_FREE char *path = path_join(root, "version");
    const char *variable = host_environment(host, "PYENV_VERSION");
    if (variable)
        text_append(&file, variable);
    else if (host_read(host, path, 4096, &file, NULL) != HOST_OK)
        return;
    AUTO_FREE char *versions = text_steal(&file);
    char *rest = versions;
    for (char *name; (name = strsep(&rest, ":\n")) != NULL;) {
        name = string_trim(name);
        if (*name == '\0' || *name == '.' || strchr(name, '/'))
            continue;
        AUTO_FREE char *prefix = mem_printf("%s/versions/%s", root, name);
        add_place(places, prefix, "pyenv")->kind = "system";
    }
}

bool site_program(const struct host *host, const char *directory, const char *name, char **ret_real)
{
    AUTO_FREE char *program = path_join(directory, name);
    return host_real_path(host, program, ret_real, NULL) == HOST_OK;
}

static void add_program(const struct host *host, const char *directory, struct site_places *places)
{
    AUTO_FREE char *real = NULL;
    AUTO_FREE char *prefix = path_parent(directory);
    if (string_equal(path_base(directory), "shims")) {
        add_pyenv(host, prefix, places);
        return;
    }
    if (!site_program(host, directory, "python3", &real) &&
        !site_program(host, directory, "python2", &real))
        return;
    add_place(places, prefix, "PATH");
    AUTO_FREE char *bin = path_parent(real);
    AUTO_FREE char *real_prefix = path_parent(bin);
    AUTO_FREE char *cfg = path_join(prefix, "pyvenv.cfg");
    if (!string_equal(prefix, real_prefix))
        add_place(places, real_prefix, "PATH")->no_environment = host_exists(host, cfg);
}

void site_places_on_path(const struct host *host, struct site_places *places)
{
    AUTO_STRLIST struct strlist programs = {0};
    path_list(host_environment(host, "PATH"), &programs);
    for (size_t i = 0; i < programs.count; i++)
        add_program(host, programs.items[i], places);
}

static void add_prefix(const struct host *host, struct site_memo *memo, const char *prefix,
                       struct strlist *directories)
{
    if (prefix && prefix[0] == '/' && directories->count < SITES_MAX)
        site_of_prefix(host, memo, prefix, directories);
}

/* One that --python names may hold packages alone. */
static void add_given(const struct host *host, struct site_memo *memo, const char *prefix,
                      struct strlist *directories)
{
    AUTO_STRLIST struct strlist sites = {0};
    AUTO_FREE char *real = NULL;
    add_prefix(host, memo, prefix, &sites);
    if (sites.count == 0 && host_real_path(host, prefix, &real, NULL) == HOST_OK &&
        !string_equal(real, "/"))
        strlist_add(&sites, real);
    for (size_t i = 0; i < sites.count; i++)
        strlist_add_new(directories, sites.items[i]);
}

static void add_places(const struct host *host, struct site_memo *memo,
                       const struct site_places *places, struct strlist *directories)
{
    for (size_t i = 0; i < places->count; i++) {
        const struct site_place *place = &places->items[i];
        if (string_equal(place->named_by, "--python"))
            add_given(host, memo, place->prefix, directories);
        else if (!place->loads_nothing)
            add_prefix(host, memo, place->prefix, directories);
    }
}

void site_directories(const struct host *host, const struct strlist *given, struct site_memo *memo,
                      struct strlist *directories)
{
    AUTO_PLACES struct site_places named = {.items = NULL};
    AUTO_PLACES struct site_places on_path = {.items = NULL};
    site_places_named(host, given, memo, &named);
    add_places(host, memo, &named, directories);
    const char *home = host_environment(host, "HOME");
    AUTO_FREE char *user = home ? path_join(home, ".local") : NULL;
    add_prefix(host, memo, user, directories);
    site_places_on_path(host, &on_path);
    add_places(host, memo, &on_path, directories);
    for (size_t i = 0; i < sizeof(site_prefixes) / sizeof(*site_prefixes); i++)
        add_prefix(host, memo, site_prefixes[i], directories);
}
