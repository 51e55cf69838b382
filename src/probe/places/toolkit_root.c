/* SPDX-License-Identifier: MIT */
#include "probe/places/toolkit_root.h"

#include <string.h>

#include "base/path.h"
#include "probe/places/path_match.h"

/* A root has at least one of these. */
static const char *const root_marks[] = {
    "bin/nvcc", "version.json", "version.txt", "include/cuda.h", "lib*/libcudart.so*",
};

/* A conda prefix or a site-packages package is a toolkit only with one of these: all the others
 * hold CUDA's libraries alone. */
static const char *const conda_marks[] = {"bin/nvcc", "targets/*-linux"};

/* NVIDIA's HPC SDK has a directory for each of its CUDA releases. */
#define HPC_SDK "/opt/nvidia/hpc_sdk"
static const char hpc_cuda[] = "cuda/[0-9]*";

#define LIST_VARIABLE "CUDAToolkit_ROOT"
static const char *const root_variables[] = {"CUDA_HOME", "CUDA_PATH", LIST_VARIABLE};

/* Debian's nvidia-cuda-toolkit: its tools are in /usr, and these directories stand in for a root
 * of the usual shape. */
static const char *const distribution_roots[] = {"/usr/lib/cuda", "/usr/lib/nvidia-cuda-toolkit"};

static bool has_mark(const struct host *host, const char *root, const char *const marks[],
                     size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (path_matches(host, root, marks[i]))
            return true;
    return false;
}

static bool is_denied(const struct host *host, const char *root)
{
    struct host_stat stat;
    AUTO_FREE char *inside = path_join(root, "include");
    return host_stat(host, inside, &stat, NULL) == HOST_DENIED;
}

/* Beside cuda/12.9, it has its own compilers and the mathematical libraries. */
static bool is_hpc_sdk(const struct host *host, const char *root)
{
    AUTO_FREE char *cuda = path_parent(root);
    AUTO_FREE char *sdk = path_parent(cuda);
    AUTO_FREE char *compiler = path_join(sdk, "compilers/bin/nvc");
    AUTO_FREE char *libraries = path_join(sdk, "math_libs");
    return string_equal(path_base(cuda), "cuda") &&
           (host_exists(host, compiler) || host_is_directory(host, libraries));
}

static const char *origin_of(const struct host *host, const char *root)
{
    AUTO_FREE char *conda = path_join(root, "conda-meta");
    if (string_equal(root, "/usr"))
        return "package";
    if (path_is_below(root, "/nix/store") || path_is_below(root, "/gnu/store"))
        return "store";
    if (path_has_component(root, "site-packages") || path_has_component(root, "dist-packages"))
        return "wheel";
    if (is_hpc_sdk(host, root))
        return "hpc-sdk";
    return host_is_directory(host, conda) ? "conda" : "directory";
}

/* The real path of a directory; that of a distribution's stand-in is /usr. NULL when there is no
 * such directory. */
static char *real_root(const struct host *host, const char *path)
{
    AUTO_FREE char *real = NULL;
    if (host_real_path(host, path, &real, NULL) != HOST_OK || !host_is_directory(host, real))
        return NULL;
    for (size_t i = 0; i < sizeof(distribution_roots) / sizeof(*distribution_roots); i++)
        if (string_equal(real, distribution_roots[i]))
            return mem_string("/usr");
    return mem_steal(&real);
}

static struct toolkit_root *find_root(const struct toolkit_roots *roots, const char *path)
{
    for (size_t i = 0; i < roots->count; i++)
        if (string_equal(roots->items[i].path, path))
            return &roots->items[i];
    return NULL;
}

static void add_root(const struct host *host, const char *path, const char *named_by,
                     struct toolkit_roots *roots)
{
    AUTO_FREE char *real = path[0] == '/' ? real_root(host, path) : NULL;
    if (real == NULL)
        return;
    struct toolkit_root *root = find_root(roots, real);
    if (root == NULL && roots->count == TOOLKIT_ROOTS_MAX) {
        roots->truncated = true;
        return;
    }
    if (root == NULL) {
        bool marked = has_mark(host, real, root_marks, sizeof(root_marks) / sizeof(*root_marks));
        bool denied = !marked && is_denied(host, real);
        if (!marked && !denied)
            return;
        root = vec_push(roots->items, roots->count, roots->capacity);
        root->origin = origin_of(host, real);
        root->denied = denied;
        root->path = mem_steal(&real);
    }
    strlist_add_new(&root->named_by, named_by);
}

static void add_nvcc(const struct host *host, const char *nvcc, const char *named_by,
                     struct toolkit_roots *roots)
{
    AUTO_FREE char *real = NULL;
    if (nvcc == NULL || *nvcc != '/' || host_real_path(host, nvcc, &real, NULL) != HOST_OK ||
        !string_equal(path_base(real), "nvcc"))
        return;
    AUTO_FREE char *bin = path_parent(real);
    AUTO_FREE char *root = path_parent(bin);
    add_root(host, string_equal(path_base(bin), "bin") ? root : bin, named_by, roots);
}

/* CUDAToolkit_ROOT may be a list: components of Nix have a directory each. */
static void add_variable(const struct host *host, const char *name, struct toolkit_roots *roots)
{
    const char *value = host_environment(host, name);
    if (value == NULL)
        return;
    add_root(host, value, name, roots);
    if (!string_equal(name, LIST_VARIABLE))
        return;
    AUTO_STRLIST struct strlist parts = {0};
    strlist_split(&parts, value, strchr(value, ';') ? ';' : ':');
    for (size_t i = 0; i < parts.count; i++)
        add_root(host, parts.items[i], name, roots);
}

static void add_conda(const struct host *host, const char *prefix, const char *named_by,
                      struct toolkit_roots *roots)
{
    if (prefix && has_mark(host, prefix, conda_marks, sizeof(conda_marks) / sizeof(*conda_marks)))
        add_root(host, prefix, named_by, roots);
}

static void add_matches(const struct host *host, const char *directory, const char *pattern,
                        struct toolkit_roots *roots)
{
    AUTO_STRLIST struct strlist paths = {0};
    path_match(host, directory, pattern, &paths);
    for (size_t i = 0; i < paths.count; i++)
        add_root(host, paths.items[i], paths.items[i], roots);
}

static void add_wheels(const struct host *host, const char *site, struct toolkit_roots *roots)
{
    AUTO_STRLIST struct strlist paths = {0};
    path_match(host, site, "nvidia/*/bin/nvcc", &paths);
    for (size_t i = 0; i < paths.count; i++) {
        AUTO_FREE char *bin = path_parent(paths.items[i]);
        AUTO_FREE char *root = path_parent(bin);
        add_root(host, root, root, roots);
    }
}

/* Without a module of the SDK's, nothing leads to it. */
static void add_hpc_sdk(const struct host *host, struct toolkit_roots *roots)
{
    const char *release = host_environment(host, "NVHPC_ROOT");
    AUTO_FREE char *pattern = mem_printf("Linux_*/[0-9]*/%s", hpc_cuda);
    add_matches(host, HPC_SDK, pattern, roots);
    if (release && *release == '/')
        add_matches(host, release, hpc_cuda, roots);
}

void toolkit_roots_find(const struct host *host, const struct strlist *sites,
                        struct toolkit_roots *ret_roots)
{
    add_matches(host, "/usr/local", "cuda*", ret_roots);
    add_matches(host, "/opt", "cuda*", ret_roots);
    for (size_t i = 0; i < sizeof(root_variables) / sizeof(*root_variables); i++)
        add_variable(host, root_variables[i], ret_roots);
    AUTO_FREE char *nvcc = toolkit_nvcc_on_path(host);
    add_nvcc(host, nvcc, "PATH", ret_roots);
    add_nvcc(host, host_environment(host, "CUDACXX"), "CUDACXX", ret_roots);
    if (host_exists(host, "/usr/bin/nvcc"))
        for (size_t i = 0; i < sizeof(distribution_roots) / sizeof(*distribution_roots); i++)
            add_root(host, distribution_roots[i], distribution_roots[i], ret_roots);
    add_conda(host, host_environment(host, "CONDA_PREFIX"), "CONDA_PREFIX", ret_roots);
    add_conda(host, "/opt/conda", "/opt/conda", ret_roots);
    for (size_t i = 0; i < sites->count; i++)
        add_wheels(host, sites->items[i], ret_roots);
    add_hpc_sdk(host, ret_roots);
}

bool toolkit_root_is_chosen(const struct toolkit_root *root)
{
    if (string_equal(root->path, "/usr") || string_equal(root->path, "/usr/local/cuda"))
        return true;
    for (size_t i = 0; i < root->named_by.count; i++)
        if (root->named_by.items[i][0] != '/' ||
            string_equal(root->named_by.items[i], "/usr/local/cuda"))
            return true;
    return false;
}

void toolkit_roots_free(struct toolkit_roots *roots)
{
    for (size_t i = 0; i < roots->count; i++) {
        free(roots->items[i].path);
        strlist_free(&roots->items[i].named_by);
    }
    free(roots->items);
    *roots = (struct toolkit_roots){0};
}

const struct toolkit_root *toolkit_roots_holding(const struct toolkit_roots *roots,
                                                 const char *path)
{
    const struct toolkit_root *holder = NULL;
    for (size_t i = 0; i < roots->count; i++) {
        const struct toolkit_root *root = &roots->items[i];
        bool usr = string_equal(root->path, "/usr");
        bool inside = usr ? string_starts(path, "/usr/lib") : path_is_below(path, root->path);
        if (inside && (holder == NULL || strlen(root->path) > strlen(holder->path)))
            holder = root;
    }
    return holder;
}

void toolkit_library_directories(const struct host *host, const char *root,
                                 struct strlist *directories)
{
    static const char *const patterns[] = {"lib64", "lib", "lib/*-linux-gnu*", "targets/*/lib"};
    for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++)
        path_match(host, root, patterns[i], directories);
}

/* The HPC SDK's compilers/bin/nvcc calls that of the CUDA beside it: cuda/bin/nvcc leads to its
 * default release, and cuda/X.Y/bin/nvcc are all of them. NULL: it is no such nvcc. free() it. */
static char *behind_redirector(const struct host *host, const char *nvcc)
{
    static const char tail[] = "/compilers/bin/nvcc";
    AUTO_FREE char *real = NULL;
    AUTO_STRLIST struct strlist all = {0};
    if (host_real_path(host, nvcc, &real, NULL) != HOST_OK || strlen(real) <= strlen(tail) ||
        !string_equal(real + strlen(real) - strlen(tail), tail))
        return NULL;
    AUTO_FREE char *sdk = mem_string_n(real, strlen(real) - strlen(tail));
    AUTO_FREE char *cuda = path_join(sdk, "cuda");
    AUTO_FREE char *usual = path_join(cuda, "bin/nvcc");
    if (host_exists(host, usual))
        return mem_steal(&usual);
    path_match(host, cuda, "*/bin/nvcc", &all);
    return all.count ? mem_string(all.items[all.count - 1]) : NULL;
}

char *toolkit_nvcc_on_path(const struct host *host)
{
    AUTO_STRLIST struct strlist directories = {0};
    path_list(host_environment(host, "PATH"), &directories);
    for (size_t i = 0; i < directories.count; i++) {
        AUTO_FREE char *nvcc = path_join(directories.items[i], "nvcc");
        struct host_stat stat;
        if (host_stat(host, nvcc, &stat, NULL) == HOST_OK && stat.type == HOST_REGULAR &&
            (host_is_live(host) ? host_can_execute(host, nvcc) : (stat.mode & 0111) != 0)) {
            char *behind = behind_redirector(host, nvcc);
            return behind ? behind : mem_steal(&nvcc);
        }
    }
    return NULL;
}
