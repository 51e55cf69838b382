/* SPDX-License-Identifier: MIT */
#include "probe/python/python_world.h"

#include <string.h>

#include "base/path.h"
#include "base/text.h"
#include "host/root/file.h"
#include "probe/places/path_match.h"
#include "probe/places/site.h"
#include "probe/python/python_literal.h"

#define CONFIGURATION_MAX 65536
#define PATH_FILES_MAX    64 /* *.pth of one directory */
#define PATH_FILE_SIZE    16384
#define PATH_SITES_MAX    32
#define VIRTUALENV_OLD    "lib/python2.7/orig-prefix.txt" /* of virtualenv before 20 */

/* "3.12t" of ".../python3.12t/site-packages"; NULL where the name has no minor. free() it. */
static char *site_minor(const char *site)
{
    AUTO_FREE char *parent = path_parent(site);
    const char *base = path_base(parent);
    if (!string_starts(base, "python3.") && !string_starts(base, "python2."))
        return NULL;
    return mem_string(base + strlen("python"));
}

/* Debian's /usr/lib/python3 serves the Python that /usr/bin/python3 leads to. */
static char *default_minor(const struct host *host, const char *prefix)
{
    AUTO_FREE char *link = path_join(prefix, "bin/python3");
    AUTO_FREE char *target = NULL;
    if (host_read_link(host, link, &target, NULL) != HOST_OK ||
        !string_starts(path_base(target), "python3."))
        return NULL;
    return mem_string(path_base(target) + strlen("python"));
}

/* "version = 3.12.4" of pyvenv.cfg; virtualenv writes version_info = 3.12.4.final.0. */
static char *configured(const struct text *text, const char *key)
{
    AUTO_FREE char *copy = mem_string_n(text_string(text), text->size);
    char *cursor = copy;
    for (char *line; (line = string_next_line(&cursor)) != NULL;) {
        char *value = strchr(line, '=');
        if (value == NULL)
            continue;
        *value = '\0';
        if (string_equal(string_trim(line), key))
            return mem_string(string_trim(value + 1));
    }
    return NULL;
}

static char *first_numbers(const char *text)
{
    size_t length = strspn(text, "0123456789.");
    while (length > 0 && text[length - 1] == '.')
        length--;
    return length > 0 ? mem_string_n(text, length) : NULL;
}

static const char *venv_kind(const char *prefix, const struct text *configuration)
{
    if (strstr(prefix, "/pipx/"))
        return "pipx";
    AUTO_FREE char *uv = configured(configuration, "uv");
    return uv || strstr(prefix, "/uv/tools/") ? "uv" : "venv";
}

static void read_venv(const struct text *text, const char *path,
                      struct python_environment *environment)
{
    AUTO_FREE char *version = configured(text, "version_info");
    version = version ? version : configured(text, "version");
    AUTO_FREE char *numbers = version ? first_numbers(version) : NULL;
    AUTO_FREE char *home = configured(text, "home");
    AUTO_FREE char *shared = configured(text, "include-system-site-packages");
    if (home && home[0] == '/' && environment->base == NULL)
        environment->base = path_parent(home);
    environment->system_site = shared && strcasecmp(shared, "true") == 0;
    if (numbers && environment->version == NULL) {
        environment->version = mem_steal(&numbers);
        environment->version_source = mem_string(path);
    }
}

/* "python-3.12.4-h1234_0.json": conda's Python; python-dateutil is none. */
static void read_conda_version(const struct host *host, const char *meta,
                               struct python_environment *environment)
{
    AUTO_STRLIST struct strlist names = {0};
    host_list(host, meta, &names, NULL);
    for (size_t i = 0; i < names.count && environment->version == NULL; i++) {
        const char *digits = names.items[i] + strlen("python-");
        if (!string_starts(names.items[i], "python-3") &&
            !string_starts(names.items[i], "python-2.7"))
            continue;
        AUTO_FREE char *version = first_numbers(digits);
        if (version == NULL || digits[strlen(version)] != '-')
            continue;
        environment->version = mem_steal(&version);
        environment->version_source = path_join(meta, names.items[i]);
    }
}

static void resolve_base(const struct host *host, struct python_environment *environment)
{
    AUTO_FREE char *real = NULL;
    if (environment->base && host_real_path(host, environment->base, &real, NULL) == HOST_OK) {
        free(environment->base);
        environment->base = mem_steal(&real);
    }
}

static void read_version(const struct host *host, struct python_environment *environment)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *cfg = path_join(environment->directory, "pyvenv.cfg");
    AUTO_FREE char *meta = path_join(environment->directory, "conda-meta");
    if (host_read(host, cfg, CONFIGURATION_MAX, &text, NULL) == HOST_OK) {
        read_venv(&text, cfg, environment);
        resolve_base(host, environment);
    } else if (string_equal(environment->kind, "conda"))
        read_conda_version(host, meta, environment);
    if (environment->version == NULL && environment->minor) {
        environment->version = first_numbers(environment->minor);
        environment->version_source = mem_string(
            environment->sites.count > 0 ? environment->sites.items[0] : environment->directory);
    }
    environment->free_threaded = environment->minor && string_ends(environment->minor, "t");
}

/* bin/python of an environment is a link, to what it was made from. */
static void read_program(const struct host *host, struct python_environment *environment)
{
    static const char *const names[] = {"python3", "python"};
    bool isolated = string_equal(environment->kind, "venv") ||
                    string_equal(environment->kind, "uv") ||
                    string_equal(environment->kind, "pipx");
    for (size_t i = 0; isolated && i < 2 && environment->program_broken == NULL; i++) {
        AUTO_FREE char *path = mem_printf("%s/bin/%s", environment->directory, names[i]);
        AUTO_FREE char *target = NULL;
        struct host_stat stat;
        if (host_read_link(host, path, &target, NULL) == HOST_OK &&
            host_stat(host, path, &stat, NULL) == HOST_ABSENT)
            environment->program_broken =
                mem_printf("%s is a link to %s, which does not exist", path, target);
    }
}

/* By what lies in it, and by its place. */
static const char *prefix_kind(const struct host *host, const char *prefix)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *cfg = path_join(prefix, "pyvenv.cfg");
    AUTO_FREE char *meta = path_join(prefix, "conda-meta");
    if (host_read(host, cfg, CONFIGURATION_MAX, &text, NULL) == HOST_OK)
        return venv_kind(prefix, &text);
    if (host_is_directory(host, meta))
        return "conda";
    if (string_ends(prefix, "/.local"))
        return "user";
    AUTO_FREE char *old = path_join(prefix, VIRTUALENV_OLD);
    if (host_exists(host, old))
        return "venv";
    AUTO_FREE char *program = path_join(prefix, "bin/python3");
    AUTO_FREE char *program_2 = path_join(prefix, "bin/python2.7");
    bool known = string_equal(prefix, "/usr") || string_equal(prefix, "/usr/local");
    return known || host_exists(host, program) || host_exists(host, program_2) ? "system"
                                                                               : "directory";
}

static struct python_environment *find_same(const struct python_world *world, const char *directory,
                                            const char *minor)
{
    for (size_t i = 0; i < world->count; i++)
        if (string_equal(world->items[i].directory, directory) &&
            (minor == NULL || string_equal(world->items[i].minor, minor)))
            return &world->items[i];
    return NULL;
}

/* The environment of that prefix and minor, made when it is new; NULL when there are too many. */
static struct python_environment *environment_of(const char *prefix, const char *minor,
                                                 const char *kind, struct python_world *world)
{
    struct python_environment *environment = find_same(world, prefix, minor);
    if (environment)
        return environment;
    if (world->count == PYTHON_ENVIRONMENTS_MAX) {
        world->truncated = true;
        return NULL;
    }
    environment = vec_push(world->items, world->count, world->capacity);
    environment->directory = mem_string(prefix);
    environment->group = mem_printf("python/%zu", world->count - 1);
    environment->kind = kind;
    environment->minor = mem_string(minor);
    return environment;
}

/* The directories that NAME.pth in a site names: Python imports from them, too. Lines that begin
 * with "import" are code. */
static void add_path_files(const struct host *host, const char *site, struct strlist *sites)
{
    AUTO_STRLIST struct strlist files = {0};
    path_match(host, site, "*.pth", &files);
    for (size_t i = 0; i < files.count && i < PATH_FILES_MAX; i++) {
        AUTO_TEXT struct text text = {0};
        if (host_read_head(host, files.items[i], PATH_FILE_SIZE, &text, NULL) != HOST_OK)
            continue;
        AUTO_FREE char *copy = text_steal(&text);
        char *cursor = copy;
        for (char *line; (line = string_next_line(&cursor)) != NULL;) {
            AUTO_FREE char *real = NULL;
            line = string_trim(line);
            if (*line == '\0' || *line == '#' || string_starts(line, "import"))
                continue;
            AUTO_FREE char *path = *line == '/' ? mem_string(line) : path_join(site, line);
            if (host_real_path(host, path, &real, NULL) == HOST_OK &&
                host_is_directory(host, real) && sites->count < PATH_SITES_MAX)
                strlist_add_new(sites, real);
        }
    }
}

static void add_sites(const struct host *host, const char *prefix, const char *kind,
                      const struct strlist *sites, struct python_world *world)
{
    for (size_t i = 0; i < sites->count; i++) {
        AUTO_FREE char *minor = site_minor(sites->items[i]);
        if (minor == NULL)
            minor = default_minor(host, prefix);
        struct python_environment *environment = environment_of(prefix, minor, kind, world);
        if (environment == NULL)
            continue;
        strlist_add_new(&environment->sites, sites->items[i]);
        add_path_files(host, sites->items[i], &environment->sites);
    }
}

/* A directory of packages alone: pip install --target. */
static bool holds_packages(const struct host *host, const char *directory)
{
    return path_matches(host, directory, "*.dist-info") ||
           path_matches(host, directory, "*.egg-info");
}

static void name_them(const char *prefix, const char *named_by, const struct python_world *world)
{
    for (size_t i = 0; i < world->count; i++)
        if (string_equal(world->items[i].directory, prefix))
            strlist_add_new(&world->items[i].named_by, named_by);
}

static bool open_prefix(const struct host *host, const char *prefix, const char *kind,
                        struct python_world *world)
{
    AUTO_STRLIST struct strlist sites = {0};
    size_t before = world->count;
    site_of_prefix(host, world->memo, prefix, &sites);
    const char *found = prefix_kind(host, prefix);
    bool marked = !string_equal(found, "directory");
    if (sites.count == 0 && !marked && holds_packages(host, prefix))
        strlist_add(&sites, prefix);
    kind = kind && (!marked || string_equal(found, "system")) ? kind : found;
    add_sites(host, prefix, kind, &sites, world);
    /* made by conda, and no Python in it yet, or the metadata alone */
    if (sites.count == 0 && (string_equal(found, "conda") || string_ends(found, "venv")))
        environment_of(prefix, NULL, kind, world);
    for (size_t i = before; i < world->count; i++) {
        read_version(host, &world->items[i]);
        read_program(host, &world->items[i]);
        python_packages_read(host, &world->items[i]);
    }
    return world->count > before;
}

bool python_prefix_add(const struct host *host, const char *prefix, const char *kind,
                       const char *named_by, struct python_world *world)
{
    AUTO_FREE char *real = NULL;
    if (prefix == NULL || prefix[0] != '/' || prefix[1] == '\0' ||
        host_real_path(host, prefix, &real, NULL) != HOST_OK || !host_is_directory(host, real))
        return false;
    if (world->tried.count == PYTHON_PREFIXES_MAX)
        world->truncated = true;
    else if (strlist_add_new(&world->tried, real))
        open_prefix(host, real, kind, world);
    name_them(real, named_by, world);
    return find_same(world, real, NULL) != NULL;
}
