/* SPDX-License-Identifier: MIT */
#include "probe/library/library_scan.h"

#include <string.h>

#include "base/path.h"
#include "probe/places/path_match.h"
#include "probe/places/site.h"

#define DIRECTORIES_MAX 512

/* Places outside toolkits and the loader's search: patterns of path_match() below "/". */
static const char *const extra_places[] = {
    "usr/local/cuda-*/lib64", /* what packages put beside their own toolkit: CUDA 10.1's cuBLAS */
    "usr/local/cuda-*/targets/*/lib",
    "usr/lib/wsl/lib",
    "usr/lib/wsl/drivers/nv*", /* a driver store, slow to list: only NVIDIA's */
    "usr/lib/*-linux-gnu/tegra",
    "usr/lib/*-linux-gnu/nvidia",
    "usr/lib/*-linux-gnu/nvidia/*",
    "usr/local/nvidia/lib*",           /* Google's Container-Optimized OS: in containers, */
    "var/lib/nvidia/lib*",             /* on the host, */
    "home/kubernetes/bin/nvidia/lib*", /* and on that of GKE */
    "opt/nvidia/lib*",
    "opt/nvidia/*/lib*",
    "run/opengl-driver/lib",       /* NixOS */
    "run/nvidia/driver/usr/lib64", /* NVIDIA's GPU operator */
    "run/nvidia/driver/usr/lib/*-linux-gnu",
};

/* The same below the user's home: Julia keeps what its packages bring there. */
static const char *const home_places[] = {".julia/artifacts/*/lib"};

static const char *const site_places[] = {"nvidia/*/lib", "tensorrt_libs"};

/* Below every library directory of a toolkit or conda prefix. */
static const char *const side_directories[] = {"stubs", "compat"};

static struct library_copy *find_copy(const struct library_scan *scan, const char *path)
{
    for (size_t i = 0; i < scan->count; i++)
        if (string_equal(scan->copies[i].path, path))
            return &scan->copies[i];
    return NULL;
}

/* Real path of a file by name in directory; a link that leads nowhere stays as it is. */
static char *copy_path(const struct host *host, const char *found, char **ret_broken)
{
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *real = NULL;
    enum host_status status = host_real_path(host, found, &real, &error);
    if (status == HOST_OK)
        return mem_steal(&real);
    AUTO_FREE char *target = NULL;
    if (status == HOST_ABSENT && host_read_link(host, found, &target, NULL) == HOST_OK)
        *ret_broken = mem_printf("a link to %s, which does not exist", target);
    else
        *ret_broken = mem_printf("cannot be reached: %s", error.why ? error.why : "not there");
    return mem_string(found);
}

static void add_copy(const struct host *host, const char *directory, const char *file_name,
                     struct library_scan *scan)
{
    size_t stem;
    const struct library_family *family = library_family_of(file_name, &stem);
    if (family == NULL)
        return;
    if (scan->names++ == LIBRARY_NAMES_MAX)
        scan->truncated = true;
    if (scan->truncated)
        return;
    AUTO_FREE char *found = path_join(directory, file_name);
    AUTO_FREE char *broken = NULL;
    AUTO_FREE char *path = copy_path(host, found, &broken);
    struct library_copy *copy = find_copy(scan, path);
    if (copy == NULL && scan->count == LIBRARY_COPIES_MAX) {
        scan->truncated = true;
        return;
    }
    if (copy == NULL) {
        copy = vec_push(scan->copies, scan->count, scan->capacity);
        copy->name = mem_string_n(file_name, stem);
        copy->family = family;
        copy->path = mem_steal(&path);
        copy->broken = mem_steal(&broken);
    }
    if (copy->found_as.count < LIBRARY_FOUND_MAX)
        strlist_add_new(&copy->found_as, found);
}

/* again: add the spelling of a directory that was listed under another one too. */
static void add_directory(const struct host *host, const char *directory, bool again,
                          struct library_scan *scan)
{
    AUTO_FREE char *real = NULL;
    AUTO_ERROR struct error error = {0};
    AUTO_STRLIST struct strlist names = {0};
    if (directory[0] != '/' || host_real_path(host, directory, &real, NULL) != HOST_OK)
        return;
    if (scan->directories.count >= DIRECTORIES_MAX) {
        scan->truncated = true;
        return;
    }
    bool fresh = strlist_add_new(&scan->directories, real);
    if (!fresh && (!again || string_equal(real, directory)))
        return;
    if (host_list(host, directory, &names, &error) != HOST_OK && scan->problem == NULL &&
        host_is_directory(host, directory)) /* what is not a directory holds no library */
        scan->problem = mem_printf("cannot list %s: %s", directory, error.why ? error.why : "");
    for (size_t i = 0; i < names.count; i++)
        add_copy(host, directory, names.items[i], scan);
}

static void add_matches(const struct host *host, const char *base, const char *pattern,
                        struct library_scan *scan)
{
    AUTO_STRLIST struct strlist paths = {0};
    path_match(host, base, pattern, &paths);
    for (size_t i = 0; i < paths.count; i++)
        add_directory(host, paths.items[i], false, scan);
}

static void add_root(const struct host *host, const char *root, struct library_scan *scan)
{
    AUTO_STRLIST struct strlist directories = {0};
    toolkit_library_directories(host, root, &directories);
    strlist_add(&directories, root); /* for its own compat directory */
    for (size_t i = 0; i < directories.count; i++) {
        if (!string_equal(directories.items[i], root))
            add_directory(host, directories.items[i], false, scan);
        for (size_t k = 0; k < sizeof(side_directories) / sizeof(*side_directories); k++)
            add_matches(host, directories.items[i], side_directories[k], scan);
    }
}

static void add_conda(const struct host *host, const char *prefix, struct library_scan *scan)
{
    AUTO_FREE char *real = NULL;
    if (prefix && prefix[0] == '/' && host_real_path(host, prefix, &real, NULL) == HOST_OK &&
        host_is_directory(host, real) && !string_equal(real, "/"))
        strlist_add_new(&scan->conda, real);
}

/* One that --python names, too. */
static void find_conda(const struct probe_context *context, struct library_scan *scan)
{
    const struct host *host = context->host;
    AUTO_PLACES struct site_places places = {.items = NULL};
    site_places_named(host, context->pythons, context->sites, &places);
    for (size_t i = 0; i < places.count; i++) {
        AUTO_FREE char *meta = path_join(places.items[i].prefix, "conda-meta");
        if (string_equal(places.items[i].named_by, "--python") && host_is_directory(host, meta))
            add_conda(host, places.items[i].prefix, scan);
    }
    add_conda(host, host_environment(host, "CONDA_PREFIX"), scan);
    add_conda(host, "/opt/conda", scan);
}

void library_scan_find(const struct probe_context *context, struct library_scan *ret_scan)
{
    struct library_scan *scan = ret_scan;
    const struct host *host = context->host;
    AUTO_STRLIST struct strlist directories = {0};
    site_directories(host, context->pythons, context->sites, &scan->sites);
    toolkit_roots_find(host, &scan->sites, &scan->roots);
    find_conda(context, scan);
    loader_directories(context->loader, &directories);
    for (size_t i = 0; i < directories.count; i++)
        add_directory(host, directories.items[i], true, scan);
    for (size_t i = 0; i < scan->roots.count; i++)
        if (!string_equal(scan->roots.items[i].origin, "hpc-sdk") ||
            toolkit_root_is_chosen(&scan->roots.items[i])) /* else a module has to load it */
            add_root(host, scan->roots.items[i].path, scan);
    for (size_t i = 0; i < scan->conda.count; i++)
        add_root(host, scan->conda.items[i], scan);
    for (size_t i = 0; i < scan->sites.count; i++)
        for (size_t k = 0; k < sizeof(site_places) / sizeof(*site_places); k++)
            add_matches(host, scan->sites.items[i], site_places[k], scan);
    for (size_t i = 0; i < sizeof(extra_places) / sizeof(*extra_places); i++)
        add_matches(host, "/", extra_places[i], scan);
    const char *home = host_environment(host, "HOME");
    for (size_t i = 0; home && i < sizeof(home_places) / sizeof(*home_places); i++)
        add_matches(host, home, home_places[i], scan);
}

void library_scan_free(struct library_scan *scan)
{
    for (size_t i = 0; i < scan->count; i++) {
        struct library_copy *copy = &scan->copies[i];
        free(copy->path);
        free(copy->name);
        free(copy->broken);
        strlist_free(&copy->found_as);
    }
    free(scan->copies);
    free(scan->problem);
    strlist_free(&scan->sites);
    toolkit_roots_free(&scan->roots);
    strlist_free(&scan->conda);
    strlist_free(&scan->directories);
    *scan = (struct library_scan){0};
}

const char *library_origin(const struct library_scan *scan, const struct library_copy *copy)
{
    if (path_has_component(copy->path, "compat"))
        return "compat";
    if (path_is_below(copy->path, "/usr/lib/wsl"))
        return "wsl";
    if (path_has_component(copy->path, "site-packages") ||
        path_has_component(copy->path, "dist-packages"))
        return "wheel";
    for (size_t i = 0; i < scan->conda.count; i++)
        if (path_is_below(copy->path, scan->conda.items[i]))
            return "conda";
    for (size_t i = 0; i < scan->sites.count; i++) /* --python names one with packages alone */
        if (path_is_below(copy->path, scan->sites.items[i]))
            return "wheel";
    const struct toolkit_root *root = toolkit_roots_holding(&scan->roots, copy->path);
    if (root == NULL || (copy->family->interface && string_equal(root->origin, "package")))
        return "system";
    return string_equal(root->origin, "directory") ? "toolkit" : root->origin;
}
