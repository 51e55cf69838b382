/* SPDX-License-Identifier: MIT */
#include "probe/framework/framework_load.h"

#include <string.h>

#include "base/path.h"
#include "host/root/file.h"
#include "probe/engine/probes.h"
#include "probe/framework/framework_preload.h"
#include "probe/places/path_match.h"

#define ELSEWHERE_MAX 5

/* What importing a framework loads, in order, below its directory of packages; without a row its
 * main library alone. */
static const struct start {
    const char *framework, *pattern;
} starts[] = {
    {"pytorch", "torch/lib/libtorch_global_deps.so"},
    {"pytorch", "torch/lib/libtorch_cuda.so"},
    {"pytorch", "torch/lib/libcaffe2_nvrtc.so"},
    {"pytorch", "torch/lib/libtorch_cuda_linalg.so"}, /* when it is first needed */
    {"cupy", "cupy_backends/cuda/libs/*.so"},
    {"cupy", "cupy/cuda/*.so"},
    {"onnxruntime", "onnxruntime/capi/libonnxruntime_providers_cuda.so"},
    {"paddlepaddle", "paddle/base/libpaddle.so"},
    {"tensorrt", "tensorrt_libs/lib*.so.*"}, /* by their paths, before the bindings */
    {"tensorrt", "tensorrt/lib*.so.*"},      /* of wheels that hold all in one folder */
    {"tensorrt", "tensorrt/tensorrt.so"},
    {"tensorrt", "tensorrt_bindings/tensorrt.so"},
    {"llama-cpp-python", "llama_cpp/lib/lib*.so"},
    {"llama-cpp-python", "llama_cpp/libllama.so"},
};

static bool is_followed(const struct framework *framework)
{
    return framework->site != NULL && framework->library != NULL &&
           string_equal(framework->build.accelerator.value, "cuda");
}

static void load(struct loading *loading)
{
    const struct framework *framework = loading->framework;
    bool any = false;
    preload_before(loading);
    opened_before(loading);
    for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
        if (!string_equal(starts[i].framework, framework->row->name))
            continue;
        AUTO_STRLIST struct strlist paths = {0};
        path_match(loading->work->host, framework->site, starts[i].pattern, &paths);
        size_t first = loading->count;
        for (size_t k = 0; k < paths.count; k++)
            any |= loading_file(loading, paths.items[k], "needed");
        if (i == 0)
            preload_torch(loading, first);
    }
    if (any || loading_file(loading, framework->library, "needed"))
        opened_run(loading);
}

static void note_elsewhere(struct framework_work *work, const char *group,
                           const struct loaded *loaded)
{
    AUTO_STRLIST struct strlist paths = {0};
    size_t cursor = 0, stem = 0;
    const char *library;
    if (library_family_of(loaded->soname, &stem) == NULL || loaded->path)
        stem = 0;
    AUTO_FREE char *name = mem_string_n(loaded->soname, stem);
    while (stem > 0 && paths.count < ELSEWHERE_MAX &&
           (library = facts_next(work->facts, "library", &cursor)) != NULL)
        if (string_equal(facts_string(work->facts, library, "name"), name) &&
            !facts_true(work->facts, library, "stub"))
            strlist_add_new(&paths, facts_string(work->facts, library, "path"));
    facts_set_list(work->facts, group, "elsewhere", &paths, loaded->by);
}

/* Its own copy is not the one it gets, and the one it gets is not its own either. */
static const char *shadow_of(const struct loading *loading, const struct loaded *loaded,
                             const char *own)
{
    AUTO_FREE char *real = NULL;
    if (own == NULL || loaded->path == NULL ||
        host_real_path(loading->work->host, own, &real, NULL) != HOST_OK ||
        string_equal(real, loaded->real))
        return NULL;
    for (size_t i = 0; i < loading->own.count; i++)
        if (path_is_below(loaded->path, loading->own.items[i]))
            return NULL;
    return loaded->why;
}

static void note_version(struct framework_work *work, const char *group, const char *name,
                         const char *path)
{
    AUTO_CITED struct cited version = {NULL, NULL};
    if (path)
        framework_file_version(work, path, &version);
    facts_set_string(work->facts, group, name, version.value,
                     version.value ? version.source
                     : path        ? path
                                   : "the loader's search");
}

static void note_loaded(const struct loading *loading, const struct loaded *loaded,
                        const struct library_family *family, const char *group)
{
    struct framework_work *work = loading->work;
    struct facts *facts = work->facts;
    const struct framework *framework = loading->framework;
    const char *source = loaded->by;
    AUTO_FREE char *own = loading_own(loading, loaded->soname);
    facts_set_string(facts, group, "framework", framework->group, source);
    facts_set_string(facts, group, "name", framework->row->name, source);
    facts_set_string(facts, group, "environment", framework->environment->directory, source);
    facts_set_string(facts, group, "soname", loaded->soname, source);
    facts_set_string(facts, group, "family", family->name, source);
    facts_set_string(facts, group, "how", loaded->how, source);
    facts_set_string(facts, group, "by", loaded->by, source);
    facts_set_string(facts, group, "path", loaded->path, source);
    facts_set_string(facts, group, "real_path", loaded->real, source);
    facts_set_string(facts, group, "why", loaded->why, source);
    note_version(work, group, "version", loaded->path);
    facts_set_string(facts, group, "own", own, source);
    note_version(work, group, "own_version", own);
    facts_set_string(facts, group, "damaged", loaded->damage, source);
    facts_set_string(facts, group, "shadowed_by", shadow_of(loading, loaded, own), source);
    note_elsewhere(work, group, loaded);
}

/* PyTorch of the same environment, that is imported first; NULL: none that is for CUDA. */
static const struct framework *torch_beside(const struct framework_work *work,
                                            const struct framework *framework)
{
    for (size_t i = 0; i < work->frameworks->count; i++) {
        const struct framework *other = &work->frameworks->items[i];
        if (other->environment == framework->environment &&
            string_equal(other->row->name, "pytorch"))
            return is_followed(other) ? other : NULL;
    }
    return NULL;
}

/* One of its libraries needs a newer glibc than the wheel's tag and its main library say. */
static void note_glibc(const struct loading *loading)
{
    struct version needed, known;
    struct facts *facts = loading->work->facts;
    const char *group = loading->framework->group;
    const char *have = facts_string(facts, group, "glibc_needed");
    if (loading->glibc == NULL || !version_parse(loading->glibc, &needed) ||
        (have && (!version_parse(have, &known) || version_compare(&needed, &known) <= 0)))
        return;
    facts_set_string(facts, group, "glibc_needed", loading->glibc, loading->glibc_by);
}

/* Its own libraries, those that are of no family. */
static void note_damaged(const struct loading *loading, size_t first)
{
    AUTO_STRLIST struct strlist damaged = {0};
    const struct framework *framework = loading->framework;
    for (size_t i = first; i < loading->count; i++)
        if (loading->items[i].damage && library_family_of(loading->items[i].soname, NULL) == NULL)
            strlist_add_new(&damaged, loading->items[i].damage);
    facts_set_list(loading->work->facts, framework->group, "damaged", &damaged,
                   framework->library ? framework->library : framework->environment->directory);
}

/* What the framework's package is made of: elsewhere it is not to be had. */
static bool is_of_package(const struct framework *framework, const char *soname)
{
    static const char *const names[][2] = {
        {"pytorch", "libc10"},  {"pytorch", "libtorch"},          {"pytorch", "libcaffe2"},
        {"pytorch", "libshm."}, {"tensorflow", "libtensorflow_"}, {"onnxruntime", "libonnxruntime"},
        {"mxnet", "libmxnet"},
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (string_equal(framework->row->name, names[i][0]) && string_starts(soname, names[i][1]))
            return true;
    return false;
}

/* Parts of its own that its libraries are linked to and that are nowhere, whatever RECORD says. */
static void note_unmet(const struct loading *loading, size_t first)
{
    AUTO_STRLIST struct strlist unmet = {0};
    const struct framework *framework = loading->framework;
    for (size_t i = first; i < loading->count && framework->conda == NULL; i++) {
        const struct loaded *loaded = &loading->items[i];
        if (loaded->path == NULL && loaded->damage == NULL && framework->folder && loaded->by &&
            string_equal(loaded->how, "needed") && is_of_package(framework, loaded->soname) &&
            path_is_below(loaded->by, framework->folder))
            strlist_take(&unmet, mem_printf("%s: %s", loaded->soname, loaded->by));
    }
    facts_set_list(loading->work->facts, framework->group, "unmet", &unmet,
                   framework->library ? framework->library : framework->environment->directory);
}

static void note_framework(struct framework_work *work, const struct framework *framework,
                           const struct framework *torch, size_t *count)
{
    struct loading loading;
    loading_begin(work, torch ? torch : framework, &loading);
    if (torch)
        load(&loading);
    loading_forget_glibc(&loading);
    size_t first = torch ? loading.count : 0; /* what PyTorch has loaded is among its own facts */
    loading.framework = framework;
    load(&loading);
    for (size_t i = first; i < loading.count && *count < PROBE_INSTANCES; i++) {
        const struct library_family *family = library_family_of(loading.items[i].soname, NULL);
        if (family == NULL)
            continue;
        AUTO_FREE char *group = mem_printf("framework_library/%zu", (*count)++);
        note_loaded(&loading, &loading.items[i], family, group);
    }
    note_damaged(&loading, first);
    note_unmet(&loading, first);
    note_glibc(&loading);
    loading_free(&loading);
}

static void note_one(struct framework_work *work, const struct framework *framework, size_t *count)
{
    const struct framework *torch = NULL;
    if (!is_followed(framework))
        return;
    if (framework->row->start == FRAMEWORK_BESIDE_TORCH)
        torch = torch_beside(work, framework);
    if (torch || framework->row->start == FRAMEWORK_ALONE)
        note_framework(work, framework, torch, count);
}

void framework_note_loads(struct framework_work *work, const struct frameworks *frameworks)
{
    static const char source[] = "the loader's search for each framework";
    size_t count = 0;
    for (size_t i = 0; i < frameworks->count && !host_is_late(work->host); i++)
        note_one(work, &frameworks->items[i], &count);
    if (count == PROBE_INSTANCES)
        facts_set_unknown(work->facts, "framework_library", "count", "more than gpuenv keeps",
                          source);
    else
        facts_set_integer(work->facts, "framework_library", "count", (int64_t)count, source);
}
