/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/path.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"
#include "probe/places/path_match.h"
#include "probe/places/site.h"

/* CMake, and what a build directory already holds of its choices. The build directory is the one
 * that the user stands in, or its folder build (docs/decisions/0031-which-cmake-cache.md). */

#define CACHE_MAX (4 * 1024 * 1024)

static const struct cache_entry {
    const char *fact, *name;
} cache_entries[] = {
    {"cache_compiler", "CMAKE_CUDA_COMPILER:"},
    {"cache_host_compiler", "CMAKE_CUDA_HOST_COMPILER:"},
    {"cache_architectures", "CMAKE_CUDA_ARCHITECTURES:"},
    {"cache_headers", "CUDAToolkit_INCLUDE_DIR:"},
};
#define CACHE_ENTRIES (sizeof(cache_entries) / sizeof(*cache_entries))

static char *cmake_on_path(const struct host *host)
{
    AUTO_STRLIST struct strlist directories = {0};
    path_list(host_environment(host, "PATH"), &directories);
    for (size_t i = 0; i < directories.count; i++) {
        AUTO_FREE char *real = NULL;
        if (site_program(host, directories.items[i], "cmake", &real))
            return mem_steal(&real);
    }
    return NULL;
}

/* The only share/cmake-3.28 around it; pip's CMake keeps it among its package's files. */
static char *version_beside(const struct host *host, const char *program)
{
    static const char *const patterns[] = {
        "share/cmake-[0-9]*", "lib/python3*/site-packages/cmake/data/share/cmake-[0-9]*"};
    AUTO_FREE char *bin = path_parent(program);
    AUTO_FREE char *prefix = path_parent(bin);
    AUTO_STRLIST struct strlist paths = {0};
    for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++)
        path_match(host, prefix, patterns[i], &paths);
    struct version version;
    const char *text = paths.count == 1 ? strrchr(paths.items[0], '-') + 1 : "";
    return version_parse(text, &version) ? mem_string(text) : NULL;
}

/* "NAME:TYPE=VALUE". free() it. */
static char *cached(const char *text, const char *name)
{
    for (const char *at = text; (at = strstr(at, name)) != NULL; at++) {
        const char *value = strpbrk(at, "=\n");
        if ((at == text || at[-1] == '\n') && value && *value == '=')
            return mem_string_n(value + 1, strcspn(value + 1, "\r\n"));
    }
    return NULL;
}

/* The cache of the build directory; NULL: there is none. free() it. */
static char *cache_path(const struct host *host)
{
    static const char *const places[] = {"CMakeCache.txt", "build/CMakeCache.txt"};
    const char *here = host_environment(host, "PWD");
    for (size_t i = 0; here && *here == '/' && i < sizeof(places) / sizeof(*places); i++) {
        AUTO_FREE char *file = path_join(here, places[i]);
        if (host_exists(host, file))
            return mem_steal(&file);
    }
    return NULL;
}

static void note_entries(const struct host *host, struct facts *facts, const char *text,
                         const char *path)
{
    for (size_t i = 0; i < CACHE_ENTRIES; i++) {
        AUTO_FREE char *value = cached(text, cache_entries[i].name);
        facts_set_string(facts, "cmake", cache_entries[i].fact, value, path);
    }
    AUTO_FREE char *compiler = cached(text, cache_entries[0].name);
    if (compiler && *compiler == '/')
        facts_set_boolean(facts, "cmake", "cache_compiler_there", host_exists(host, compiler),
                          compiler);
    else
        facts_set_absent(facts, "cmake", "cache_compiler_there", path);
}

static void note_cache(const struct host *host, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *path = cache_path(host);
    const char *source = path ? path : "PWD";
    enum host_status status =
        path ? note_read_text(host, path, CACHE_MAX, &text, &error) : HOST_ABSENT;
    facts_set_string(facts, "cmake", "cache", path, "PWD");
    if (status == HOST_OK) {
        note_entries(host, facts, text_string(&text), path);
        return;
    }
    for (size_t i = 0; i < CACHE_ENTRIES; i++)
        note_missing(facts, "cmake", cache_entries[i].fact, status, &error, source);
    facts_set_absent(facts, "cmake", "cache_compiler_there", source);
}

void probe_cmake(const struct probe_context *context, struct facts *facts)
{
    const struct host *host = context->host;
    AUTO_FREE char *program = cmake_on_path(host);
    AUTO_FREE char *version = program ? version_beside(host, program) : NULL;
    facts_set_string(facts, "cmake", "path", program, "PATH");
    facts_set_string(facts, "cmake", "version", version, program ? program : "PATH");
    note_cache(host, facts);
}
