/* SPDX-License-Identifier: MIT */
#include "rules/query/runtime.h"

#include <string.h>

#include "base/path.h"
#include "manifest/toolkit/library.h"
#include "manifest/versions/cuda.h"

void cuda_runtimes_free(struct cuda_runtimes *runtimes)
{
    for (size_t i = 0; i < runtimes->count; i++)
        free(runtimes->items[i].name);
    free(runtimes->items);
}

static char *runtime_name(const char *kind, const struct version *version, unsigned parts)
{
    char text[VERSION_TEXT_SIZE];
    if (version->count == 0)
        return mem_string(kind);
    return mem_printf("%s %s%s", kind, version_text(version, parts, text),
                      version->count == 1 ? ".x" : "");
}

static void add_toolkit(struct cuda_runtimes *runtimes, const struct facts *facts,
                        const struct judged_toolkit *toolkit)
{
    struct cuda_runtime *runtime = vec_push(runtimes->items, runtimes->count, runtimes->capacity);
    runtime->name = runtime_name("CUDA toolkit", &toolkit->version, 0);
    runtime->group = toolkit->group;
    runtime->path = toolkit->path;
    runtime->text = toolkit->text;
    runtime->version = toolkit->version;
    runtime->toolkit = true;
    runtime->is_default = toolkit->is_default;
    runtime->compat_path = facts_string(facts, toolkit->group, "compat_path");
}

/* The CUDA version of a libcudart: the first two numbers of its own, else what its SONAME tells: of
 * some releases that is the major alone, all of 11.x is libcudart.so.11.0. */
static struct version cudart_version(const struct facts *facts, struct manifest *manifest,
                                     const char *group, const char *text)
{
    struct version version = {.count = 0};
    const char *soname = facts_string(facts, group, "soname");
    if (text && version_parse(text, &version)) {
        version.count = version.count > 2 ? 2 : version.count;
        return version;
    }
    const char *number = soname ? strstr(soname, ".so.") : NULL;
    if (soname && !manifest_soname_cuda(manifest, "cudart", soname, &version) && number)
        version_parse(number + strlen(".so."), &version);
    return version;
}

static bool is_cudart(const struct facts *facts, const char *group)
{
    return string_equal(facts_string(facts, group, "name"), "libcudart") &&
           facts_string(facts, group, "path") && !judged_library_is_stub(facts, group) &&
           judged_library_fits(facts, group);
}

static bool same_version(const struct version *a, const struct version *b)
{
    return a->count == b->count && version_compare(a, b) == 0;
}

/* A toolkit's own copy, already counted with it. One of another version is not: /usr may be a
 * toolkit and hold Python packages too. */
static bool belongs_to_toolkit(const struct cuda_runtimes *runtimes, const char *path,
                               const struct version *version)
{
    for (size_t i = 0; i < runtimes->count; i++) {
        const struct cuda_runtime *runtime = &runtimes->items[i];
        if (!runtime->toolkit || !path_is_below(path, runtime->path))
            continue;
        struct version toolkit = runtime->version;
        toolkit.count = toolkit.count > version->count ? version->count : toolkit.count;
        if (version->count == 0 || runtime->version.count == 0 || same_version(&toolkit, version))
            return true;
    }
    return false;
}

static struct cuda_runtime *runtime_of_copy(struct cuda_runtimes *runtimes,
                                            const struct version *version)
{
    for (size_t i = 0; version->count && i < runtimes->count; i++)
        if (!runtimes->items[i].toolkit && same_version(&runtimes->items[i].version, version))
            return &runtimes->items[i];
    return NULL;
}

static void add_cudart(struct cuda_runtimes *runtimes, const struct facts *facts,
                       struct manifest *manifest, const char *group)
{
    const char *path = facts_string(facts, group, "path");
    struct judged_version own = judged_version(facts, group);
    struct version version = cudart_version(facts, manifest, group, own.text);
    if (belongs_to_toolkit(runtimes, path, &version))
        return;
    struct cuda_runtime *runtime = runtime_of_copy(runtimes, &version);
    if (runtime) {
        runtime->more++;
        return;
    }
    runtime = vec_push(runtimes->items, runtimes->count, runtimes->capacity);
    runtime->name = runtime_name("CUDA runtime", &version, 2);
    runtime->group = own.group;
    runtime->path = path;
    runtime->text = own.text;
    runtime->version = version;
}

static bool has_major(const struct cuda_runtimes *runtimes, unsigned major, bool toolkits)
{
    for (size_t i = 0; i < runtimes->count; i++)
        if ((toolkits || !runtimes->items[i].toolkit) && runtimes->items[i].version.count &&
            runtimes->items[i].version.part[0] == major)
            return true;
    return false;
}

/* cuDNN tells the CUDA it was built with when it is called; it runs on every driver of that major.
 * Where a runtime of that major is here, that one is the stricter. */
static void add_cudnn(struct cuda_runtimes *runtimes, const struct facts *facts, const char *group)
{
    struct version version;
    const char *text = facts_string(facts, group, "cudart_version");
    const char *path = facts_string(facts, group, "path");
    const char *own = facts_string(facts, group, "version");
    if (text == NULL || path == NULL || !version_parse(text, &version) ||
        has_major(runtimes, version.part[0], true))
        return;
    struct cuda_runtime *runtime = vec_push(runtimes->items, runtimes->count, runtimes->capacity);
    runtime->name = mem_printf("cuDNN%s%s, built for CUDA %u,", own ? " " : "", own ? own : "",
                               version.part[0]);
    runtime->group = group;
    runtime->path = path;
    runtime->text = text;
    runtime->version = version;
    runtime->version.count = 1;
}

/* A framework that finds no runtime of its CUDA yet: what it is built for decides all the same, and
 * beside a toolkit of that major too, because a program chooses them apart.
 * Where a major has minor-version compatibility it runs on every driver of that. */
static void add_framework(struct cuda_runtimes *runtimes, const struct facts *facts,
                          struct manifest *manifest, const char *group)
{
    struct version version;
    const char *text = facts_string(facts, group, "cuda");
    const char *path = facts_string(facts, group, "directory");
    const char *package = facts_string(facts, group, "package");
    const char *own = facts_string(facts, group, "version");
    if (text == NULL || path == NULL || package == NULL || !facts_true(facts, group, "active") ||
        !version_parse(text, &version) || has_major(runtimes, version.part[0], false))
        return;
    char number[VERSION_TEXT_SIZE];
    const struct manifest_cuda_major *major = manifest_cuda_major_find(manifest, version.part[0]);
    if (major && major->driver_min.count)
        version.count = 1;
    struct cuda_runtime *runtime = vec_push(runtimes->items, runtimes->count, runtimes->capacity);
    runtime->name = mem_printf("%s%s%s, built for CUDA %s,", package, own ? " " : "",
                               own ? own : "", version_text(&version, 0, number));
    runtime->group = group;
    runtime->path = path;
    runtime->text = text;
    runtime->version = version;
}

/* Whether a framework built for that CUDA needs this copy of libcudart, or runs where it runs: of a
 * major with minor-version compatibility all are alike. */
static bool needs(struct manifest *manifest, const struct version *cuda,
                  const struct cuda_runtime *runtime)
{
    const struct version *own = &runtime->version;
    const struct manifest_cuda_major *major = manifest_cuda_major_find(manifest, cuda->part[0]);
    if (own->count == 0 || own->part[0] != cuda->part[0])
        return false;
    return (major && major->driver_min.count) ||
           (own->count > 1 && cuda->count > 1 && own->part[1] == cuda->part[1]);
}

/* Which copies of libcudart outside toolkits are those of frameworks that programs here import. A
 * framework whose copy is not here lacks more than a driver. */
static void mark_frameworks(struct cuda_runtimes *runtimes, const struct facts *facts,
                            struct manifest *manifest)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "framework", &i)) != NULL;) {
        struct version cuda;
        const char *text = facts_string(facts, group, "cuda");
        if (text == NULL || !facts_true(facts, group, "active") || !version_parse(text, &cuda))
            continue;
        for (size_t k = 0; k < runtimes->count; k++) {
            struct cuda_runtime *runtime = &runtimes->items[k];
            if (!runtime->toolkit && runtime->framework == NULL && needs(manifest, &cuda, runtime))
                runtime->framework = group;
        }
    }
}

struct cuda_runtimes cuda_runtimes(const struct facts *facts, struct manifest *manifest)
{
    struct cuda_runtimes runtimes = {.count = 0};
    AUTO_TOOLKITS struct judged_toolkits toolkits = judged_toolkits(facts);
    for (size_t i = 0; i < toolkits.count; i++)
        if (!judged_toolkit_is_idle(facts, &toolkits.items[i]))
            add_toolkit(&runtimes, facts, &toolkits.items[i]);
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "library", &i)) != NULL;)
        if (is_cudart(facts, group))
            add_cudart(&runtimes, facts, manifest, group);
    mark_frameworks(&runtimes, facts, manifest);
    for (size_t i = 0; (group = facts_next(facts, "answer", &i)) != NULL;)
        add_cudnn(&runtimes, facts, group);
    for (size_t i = 0; (group = facts_next(facts, "framework", &i)) != NULL;)
        add_framework(&runtimes, facts, manifest, group);
    return runtimes;
}
