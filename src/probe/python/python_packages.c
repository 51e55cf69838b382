/* SPDX-License-Identifier: MIT */
#include "probe/python/python_world.h"

#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "base/text.h"
#include "host/root/file.h"
#include "probe/python/metadata.h"

static void note_broken(struct python_environment *environment, const char *name,
                        const char *reason)
{
    AUTO_FREE char *line = mem_printf("%s: %s", name, reason);
    if (environment->broken.count < PYTHON_BROKEN_MAX)
        strlist_add_new(&environment->broken, line);
}

static struct python_package *add_package(struct python_environment *environment, const char *name,
                                          size_t length, const char *site, const char *file)
{
    if (environment->package_count == PYTHON_PACKAGES_MAX)
        return NULL;
    AUTO_FREE char *written = mem_string_n(name, length);
    struct python_package *package =
        vec_push(environment->packages, environment->package_count, environment->package_capacity);
    package->name = package_name_normal(written);
    package->site = mem_string(site);
    package->info = path_join(site, file);
    return package;
}

/* "torch-2.5.1+cu124.dist-info"; an egg-info may have "-py3.10" or "-py2.7" behind its
 * version. */
static void add_info(const char *site, const char *file, const char *suffix,
                     struct python_environment *environment)
{
    const char *dash = strchr(file, '-');
    const char *end = file + strlen(file) - strlen(suffix);
    if (dash == NULL || dash >= end) /* NAME.egg-info, NAME.dist-info: no version in the name */
        return;
    const char *python = strstr(dash + 1, "-py3");
    python = python ? python : strstr(dash + 1, "-py2");
    end = python && python < end ? python : end;
    struct python_package *package =
        add_package(environment, file, (size_t)(dash - file), site, file);
    if (package)
        package->version = mem_string_n(dash + 1, (size_t)(end - dash - 1));
}

static void add_entry(const char *site, const char *file, struct python_environment *environment)
{
    static const char *const suffixes[] = {".dist-info", ".egg-info"};
    if (file[0] == '~') { /* pip renames what it takes away to this, and forgets it when killed */
        note_broken(environment, file, "left behind by pip during an upgrade");
        return;
    }
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++)
        if (string_ends(file, suffixes[i]))
            add_info(site, file, suffixes[i], environment);
}

static void read_site(const struct host *host, const char *site,
                      struct python_environment *environment)
{
    AUTO_STRLIST struct strlist names = {0};
    AUTO_ERROR struct error error = {.kind = ERROR_NONE};
    enum host_status status = host_list(host, site, &names, &error);
    if (environment->unread == NULL && (status == HOST_DENIED || status == HOST_FAILED)) {
        AUTO_TEXT struct text why = {0};
        error_format(&error, &why);
        environment->unread = text_steal(&why);
    }
    for (size_t i = 0; i < names.count; i++)
        add_entry(site, names.items[i], environment);
}

/* The last '-' before end, or NULL. */
static const char *dash_before(const char *start, const char *end)
{
    while (end > start && end[-1] != '-')
        end--;
    return end > start ? end - 1 : NULL;
}

/* NAME-VERSION-BUILD.json: only NAME may have a '-' in it. */
static void add_conda(const char *file, struct python_environment *environment)
{
    const char *end = file + strlen(file) - strlen(".json");
    const char *build = dash_before(file, end);
    const char *version = build ? dash_before(file, build) : NULL;
    if (version == NULL || version == file)
        return;
    AUTO_FREE char *relative = path_join("conda-meta", file);
    struct python_package *package =
        add_package(environment, file, (size_t)(version - file), environment->directory, relative);
    if (package == NULL)
        return;
    package->version = mem_string_n(version + 1, (size_t)(build - version - 1));
    package->build = mem_string_n(build + 1, (size_t)(end - build - 1));
}

static void read_conda(const struct host *host, struct python_environment *environment)
{
    AUTO_STRLIST struct strlist names = {0};
    AUTO_FREE char *meta = path_join(environment->directory, "conda-meta");
    host_list(host, meta, &names, NULL);
    for (size_t i = 0; i < names.count; i++)
        if (string_ends(names.items[i], ".json"))
            add_conda(names.items[i], environment);
}

/* Two versions of one package in one directory; they follow each other by name. */
static void note_doubles(struct python_environment *environment)
{
    for (size_t i = 1; i < environment->package_count; i++) {
        const struct python_package *first = &environment->packages[i - 1];
        const struct python_package *second = &environment->packages[i];
        if (!string_equal(first->name, second->name) || !string_equal(first->site, second->site) ||
            string_equal(first->version, second->version))
            continue;
        AUTO_FREE char *reason =
            mem_printf("metadata of %s and of %s", first->version, second->version);
        note_broken(environment, first->name, reason);
    }
}

void python_packages_read(const struct host *host, struct python_environment *environment)
{
    for (size_t i = 0; i < environment->sites.count; i++)
        read_site(host, environment->sites.items[i], environment);
    if (string_equal(environment->kind, "conda"))
        read_conda(host, environment);
    note_doubles(environment);
}
