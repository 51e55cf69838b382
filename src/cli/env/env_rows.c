/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cli/env/env.h"
#include "cli/machine/installed.h"
#include "host/loader/ldcache.h"
#include "host/root/file.h"

/* Where NVIDIA's runfiles have what profilers of frameworks load; the lists' archives have it in
 * lib. */
#define CUPTI "extras/CUPTI/lib64"

#define LDCACHE_MAX (64u << 20)

/* As Docker and login(1) have it. */
#define DEFAULT_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

void env_free(struct env *env)
{
    for (size_t i = 0; i < env->count; i++)
        free(env->rows[i].value);
    free(env->rows);
    free(env->prefix);
    free(env->note);
    *env = (struct env){.prefix = NULL};
}

/* What a prefix holds, as far as it decides. */
struct look {
    const struct host *host;
    const char *prefix;
    const char *lib; /* "lib", "lib64"; NULL: no shared library */
    bool bin, include, toolkit, runtime, cudnn, pkgconfig, cupti;
};

static bool has(const struct look *look, const char *path)
{
    AUTO_FREE char *whole = mem_printf("%s/%s", look->prefix, path);
    return host_exists(look->host, whole);
}

static bool has_libraries(const struct look *look, const char *directory, bool *ret_cudnn)
{
    AUTO_FREE char *path = mem_printf("%s/%s", look->prefix, directory);
    AUTO_STRLIST struct strlist names = {0};
    bool found = false;
    if (host_list(look->host, path, &names, NULL) != HOST_OK)
        return false;
    for (size_t i = 0; i < names.count; i++) {
        const char *so = strstr(names.items[i], ".so");
        if (so == NULL || (so[3] != '\0' && so[3] != '.'))
            continue;
        found = true;
        *ret_cudnn = *ret_cudnn || string_starts(names.items[i], "libcudnn.so");
    }
    return found;
}

/* In a toolkit of NVIDIA's runfiles up to 10.0, lib has 32-bit libraries. */
static bool is_other(const struct look *look, const char *a, const char *b)
{
    AUTO_FREE char *path_a = mem_printf("%s/%s", look->prefix, a);
    AUTO_FREE char *path_b = mem_printf("%s/%s", look->prefix, b);
    AUTO_FREE char *real_a = NULL;
    AUTO_FREE char *real_b = NULL;
    return host_real_path(look->host, path_a, &real_a, NULL) == HOST_OK &&
           host_real_path(look->host, path_b, &real_b, NULL) == HOST_OK &&
           !string_equal(real_a, real_b);
}

static struct look look_at(const struct host *host, const char *prefix)
{
    struct look look = {.host = host, .prefix = prefix};
    bool in_lib = has_libraries(&look, "lib", &look.cudnn);
    bool in_lib64 = has_libraries(&look, "lib64", &look.cudnn);
    look.lib = in_lib64 && (!in_lib || is_other(&look, "lib", "lib64")) ? "lib64"
               : in_lib                                                 ? "lib"
                                                                        : NULL;
    bool ignored = false;
    look.cupti =
        look.lib && string_equal(look.lib, "lib64") && has_libraries(&look, CUPTI, &ignored);
    look.bin = has(&look, "bin");
    look.include = has(&look, "include");
    look.toolkit = has(&look, "bin/nvcc") || has(&look, "include/cuda.h") ||
                   has(&look, "include/cuda_runtime_api.h");
    look.runtime = has(&look, "version.json") || has(&look, "version.txt");
    look.cudnn = look.cudnn || has(&look, "include/cudnn.h");
    look.pkgconfig = has(&look, "lib/pkgconfig");
    return look;
}

static bool is_in(const char *path, const char *directory)
{
    size_t size = strlen(directory);
    return strncmp(path, directory, size) == 0 && path[size] == '/' &&
           strchr(path + size + 1, '/') == NULL;
}

/* Whether entry is what the loader takes: the first of its name and kind. */
static bool is_first(const struct ldcache *cache, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (cache->entries[i].flags == cache->entries[at].flags &&
            string_equal(cache->entries[i].soname, cache->entries[at].soname))
            return false;
    return true;
}

/* ldconfig knows the directory, and nobody's libraries of the same names go before it. */
static bool is_cached(const struct host *host, const char *lib)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *real = NULL;
    struct ldcache cache;
    bool found = false, first = true;
    if (host_real_path(host, lib, &real, NULL) != HOST_OK ||
        host_read(host, "/etc/ld.so.cache", LDCACHE_MAX, &text, NULL) != HOST_OK ||
        !ldcache_parse(text_string(&text), text.size, &cache, NULL))
        return false;
    for (size_t i = 0; first && i < cache.count; i++) {
        if (!is_in(cache.entries[i].path, lib) && !is_in(cache.entries[i].path, real))
            continue;
        found = true;
        first = is_first(&cache, i);
    }
    ldcache_free(&cache);
    return found && first;
}

static void add(struct env *env, const char *name, bool is_list, const char *below)
{
    *vec_push(env->rows, env->count, env->capacity) = (struct env_row){
        .name = name,
        .is_list = is_list,
        .fallback = string_equal(name, "PATH") ? DEFAULT_PATH : NULL,
        .value = below ? mem_printf("%s/%s", env->prefix, below) : mem_string(env->prefix)};
}

static void add_libraries(const struct look *look, struct env *env)
{
    AUTO_FREE char *both =
        look->cupti ? mem_printf("%s:%s/" CUPTI, look->lib, env->prefix) : mem_string(look->lib);
    add(env, "LD_LIBRARY_PATH", true, both);
}

/* nvcc, CMake and pkg-config find a toolkit by these. What nvcc does not belong to needs more. */
static void add_rows(const struct look *look, struct env *env)
{
    bool alone = look->include && !look->toolkit;
    AUTO_FREE char *lib = mem_printf("%s/%s", env->prefix, look->lib ? look->lib : "lib");
    if (look->toolkit || look->runtime) {
        add(env, "CUDA_HOME", false, NULL);
        add(env, "CUDA_PATH", false, NULL);
    }
    if (look->toolkit)
        add(env, "CUDAToolkit_ROOT", false, NULL);
    if (look->cudnn)
        add(env, "CUDNN_PATH", false, NULL);
    if (look->bin)
        add(env, "PATH", true, "bin");
    if (look->lib && !is_cached(look->host, lib))
        add_libraries(look, env);
    if (alone) {
        add(env, "CPATH", true, "include");
        if (look->lib)
            add(env, "LIBRARY_PATH", true, look->lib);
        add(env, "CMAKE_PREFIX_PATH", true, NULL);
    }
    if (look->pkgconfig)
        add(env, "PKG_CONFIG_PATH", true, "lib/pkgconfig");
}

/* A ':' would make two directories of it in every search path. */
static bool check_name(const char *prefix, struct error *error)
{
    const char *why = NULL;
    if (!utf8_valid(prefix, strlen(prefix)))
        why = "it is not UTF-8";
    else if (strchr(prefix, ':'))
        why = "the path has a ':', which separates directories in PATH";
    for (const char *c = prefix; why == NULL && *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            why = "it has a control character";
    if (why == NULL)
        return true;
    error_set(error, ERROR_USAGE,
              "the path of this prefix cannot be put into an environment variable");
    error_where(error, "%s", prefix);
    error_why(error, "%s", why);
    return error_next(
        error, "install into another --prefix, or give --prefix a link that points to this one");
}

bool env_of(const struct host *host, const char *prefix, struct env *ret_env, struct error *error)
{
    if (!check_name(prefix, error) || !installed_is_whole(host, prefix, &ret_env->note, error))
        return false;
    struct look look = look_at(host, prefix);
    if (!host_is_directory(host, prefix) || (!look.bin && !look.lib && !look.include)) {
        error_set(error, ERROR_NO_INPUT, "%s",
                  host_is_directory(host, prefix)
                      ? "the prefix has no bin, lib or include directory"
                      : "nothing is installed there");
        error_where(error, "%s", prefix);
        return error_next(error, "gpuenv list shows the installations");
    }
    ret_env->prefix = mem_string(prefix);
    add_rows(&look, ret_env);
    return true;
}

char *env_expand(const struct host *host, const struct env_row *row)
{
    const char *there = row->is_list ? host_environment(host, row->name) : NULL;
    AUTO_STRLIST struct strlist parts = {0}, kept = {0};
    if (there == NULL && row->is_list)
        there = row->fallback;
    if (there && *there)
        strlist_split(&parts, there, ':');
    strlist_add(&kept, row->value);
    for (size_t i = 0; i < parts.count; i++)
        if (!string_equal(parts.items[i], row->value))
            strlist_add(&kept, parts.items[i]);
    return strlist_join(&kept, ":");
}
