/* SPDX-License-Identifier: MIT */
#include "probe/site.h"

#include <string.h>

#include "host/file.h"
#include "probe/toolkit_path.h"

/* Below a prefix (/usr, /usr/local, a virtual environment). lib64: Fedora and its kin. */
static const char *const site_patterns[] = {
    "lib/python3*/site-packages", "lib64/python3*/site-packages",
    "lib/python3*/dist-packages", /* Debian and Ubuntu; python3 without a minor is theirs */
};

static const char *const site_prefixes[] = {"/usr", "/usr/local", "/opt/conda", "/opt/venv"};
static const char *const site_variables[] = {"VIRTUAL_ENV", "CONDA_PREFIX"};

/* Nobody has so many; every one is looked into. */
#define SITES_MAX 256

void site_of_prefix(const struct host *host, const char *prefix, struct strlist *sites)
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

void site_pyenv_prefixes(const struct host *host, const char *root, struct strlist *prefixes)
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
        strlist_add_new(prefixes, prefix);
    }
}

static void add_prefix(const struct host *host, const char *prefix, struct strlist *directories)
{
    if (prefix && prefix[0] == '/' && directories->count < SITES_MAX)
        site_of_prefix(host, prefix, directories);
}

static void add_pyenv(const struct host *host, const char *root, struct strlist *directories)
{
    AUTO_STRLIST struct strlist prefixes = {0};
    site_pyenv_prefixes(host, root, &prefixes);
    for (size_t i = 0; i < prefixes.count; i++)
        add_prefix(host, prefixes.items[i], directories);
}

static void add_program(const struct host *host, const char *directory, struct strlist *directories)
{
    AUTO_FREE char *python = path_join(directory, "python3");
    AUTO_FREE char *real = NULL;
    if (host_real_path(host, python, &real, NULL) != HOST_OK)
        return;
    AUTO_FREE char *prefix = path_parent(directory);
    if (string_equal(path_base(directory), "shims")) {
        add_pyenv(host, prefix, directories);
        return;
    }
    add_prefix(host, prefix, directories);
    AUTO_FREE char *real_directory = path_parent(real);
    AUTO_FREE char *real_prefix = path_parent(real_directory);
    if (!string_equal(prefix, real_prefix))
        add_prefix(host, real_prefix, directories);
}

void site_directories(const struct host *host, struct strlist *directories)
{
    for (size_t i = 0; i < sizeof(site_variables) / sizeof(*site_variables); i++)
        add_prefix(host, host_environment(host, site_variables[i]), directories);
    const char *home = host_environment(host, "HOME");
    AUTO_FREE char *user = home ? path_join(home, ".local") : NULL;
    add_prefix(host, user, directories);
    AUTO_STRLIST struct strlist programs = {0};
    path_list(host_environment(host, "PATH"), &programs);
    for (size_t i = 0; i < programs.count; i++)
        add_program(host, programs.items[i], directories);
    for (size_t i = 0; i < sizeof(site_prefixes) / sizeof(*site_prefixes); i++)
        add_prefix(host, site_prefixes[i], directories);
}
