/* SPDX-License-Identifier: MIT */
#include "probe/python/python_world.h"

#include <string.h>

#include "base/path.h"
#include "base/text.h"
#include "host/root/file.h"
#include "probe/places/home.h"
#include "probe/places/path_match.h"

#define LIST_MAX      65536 /* bytes of a list of environments */
#define DEFAULT_PLACE "default place"

/* Prefixes below a home directory; a name with a wildcard stands for all that match. */
static const struct place {
    const char *pattern;
    const char *kind; /* NULL: what lies there tells */
} home_places[] = {
    {.pattern = ".local", .kind = "user"},
    {.pattern = "miniconda3"},
    {.pattern = "anaconda3"},
    {.pattern = "miniforge3"},
    {.pattern = "mambaforge"},
    {.pattern = "micromamba"},
    {.pattern = "miniconda3/envs/*"},
    {.pattern = "anaconda3/envs/*"},
    {.pattern = "miniforge3/envs/*"},
    {.pattern = "mambaforge/envs/*"},
    {.pattern = "micromamba/envs/*"},
    {.pattern = ".conda/envs/*"},
    {.pattern = ".local/share/pipx/venvs/*", .kind = "pipx"},
    {.pattern = ".local/pipx/venvs/*", .kind = "pipx"},
    {.pattern = ".local/share/uv/tools/*", .kind = "uv"},
    {.pattern = ".virtualenvs/*"},
    {.pattern = ".local/share/virtualenvs/*"}, /* Pipenv */
    {.pattern = ".cache/pypoetry/virtualenvs/*"},
    {.pattern =
         ".local/share/hatch/env/virtual/*/*"}, /* with a version of its own, else one more */
    {.pattern = ".local/share/hatch/env/virtual/*/*/*"},
    {.pattern = ".local/share/pdm/venvs/*"},
    {.pattern = ".pyenv/versions/*"},
    {.pattern = ".venv"},
    {.pattern = "venv"},
};

static const struct place system_places[] = {
    {.pattern = "usr", .kind = "system"},
    {.pattern = "usr/local", .kind = "system"},
    {.pattern = "opt/conda"},
    {.pattern = "opt/conda/envs/*"},
    {.pattern = "opt/miniconda3"},
    {.pattern = "opt/miniconda3/envs/*"},
    {.pattern = "opt/anaconda3"},
    {.pattern = "opt/anaconda3/envs/*"},
    {.pattern = "opt/miniforge3"},
    {.pattern = "opt/miniforge3/envs/*"},
    {.pattern = "opt/venv"},
    {.pattern = "opt/*venv*"},
    {.pattern = "opt/pipx/venvs/*", .kind = "pipx"},
    {.pattern = "opt/python/*"},
    {.pattern = "venv"},
    {.pattern = "app/.venv"},
    {.pattern = "app/venv"},
    {.pattern = "workspace/.venv"},
};

static void add_places(const struct host *host, const char *base, const struct place *places,
                       size_t count, struct python_world *world)
{
    for (size_t i = 0; i < count; i++) {
        AUTO_STRLIST struct strlist paths = {0};
        path_match(host, base, places[i].pattern, &paths);
        for (size_t k = 0; k < paths.count; k++)
            python_prefix_add(host, paths.items[k], places[i].kind, DEFAULT_PLACE, world);
    }
}

/* ~/.conda/environments.txt: a prefix in each line. */
static void add_conda_list(const struct host *host, const char *home, struct python_world *world)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *path = path_join(home, ".conda/environments.txt");
    if (host_read(host, path, LIST_MAX, &text, NULL) != HOST_OK)
        return;
    AUTO_FREE char *copy = text_steal(&text);
    char *cursor = copy;
    for (char *line; (line = string_next_line(&cursor)) != NULL;)
        python_prefix_add(host, string_trim(line), NULL, path, world);
}

/* Where a variable moves the environments of a tool, and the pattern below it. */
static const struct variable_place {
    const char *variable;
    struct place place;
} variable_places[] = {
    {"WORKON_HOME", {.pattern = "*"}}, /* Pipenv, virtualenvwrapper */
    {"POETRY_VIRTUALENVS_PATH", {.pattern = "*"}},
    {"POETRY_CACHE_DIR", {.pattern = "virtualenvs/*"}},
    {"XDG_CACHE_HOME", {.pattern = "pypoetry/virtualenvs/*"}},
    {"XDG_DATA_HOME", {.pattern = "virtualenvs/*"}},
    {"XDG_DATA_HOME", {.pattern = "hatch/env/virtual/*/*"}},
    {"XDG_DATA_HOME", {.pattern = "hatch/env/virtual/*/*/*"}},
    {"XDG_DATA_HOME", {.pattern = "pdm/venvs/*"}},
    {"HATCH_DATA_DIR", {.pattern = "env/virtual/*/*"}},
    {"HATCH_DATA_DIR", {.pattern = "env/virtual/*/*/*"}},
};

static void add_of_variables(const struct host *host, struct python_world *world)
{
    for (size_t i = 0; i < sizeof(variable_places) / sizeof(*variable_places); i++) {
        const char *directory = host_environment(host, variable_places[i].variable);
        if (directory && directory[0] == '/')
            add_places(host, directory, &variable_places[i].place, 1, world);
    }
}

static void add_home(const struct host *host, const char *home, struct python_world *world)
{
    add_places(host, home, home_places, sizeof(home_places) / sizeof(*home_places), world);
    add_conda_list(host, home, world);
}

static void add_homes(const struct host *host, struct python_world *world)
{
    AUTO_STRLIST struct strlist homes = {0};
    home_directories(host, &homes);
    for (size_t i = 0; i < homes.count; i++)
        add_home(host, homes.items[i], world);
}

/* .venv and venv in the directory that gpuenv was started in. */
static void add_working_directory(const struct host *host, struct python_world *world)
{
    static const char *const names[] = {".venv", "venv"};
    const char *directory = host_environment(host, "PWD");
    for (size_t i = 0; directory && i < sizeof(names) / sizeof(*names); i++) {
        AUTO_FREE char *path = path_join(directory, names[i]);
        python_prefix_add(host, path, NULL, "working directory", world);
    }
}

void python_places_add(const struct host *host, struct python_world *world)
{
    add_working_directory(host, world);
    add_places(host, "/", system_places, sizeof(system_places) / sizeof(*system_places), world);
    add_homes(host, world);
    add_of_variables(host, world);
}
