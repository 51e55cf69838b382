/* SPDX-License-Identifier: MIT */
#include "probe/framework/framework_preload.h"

#include <string.h>

#include "host/root/file.h"
#include "probe/places/path_match.h"

/* The folder of a family's wheel below nvidia/. */
static const char *component_of(const char *family)
{
    static const char *const names[][2] = {{"cudart", "cuda_runtime"},
                                           {"cublasLt", "cublas"},
                                           {"nvrtc", "cuda_nvrtc"},
                                           {"cupti", "cuda_cupti"}};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (string_equal(family, names[i][0]))
            return names[i][1];
    return family;
}

static const char *paths_of(const struct loaded *loaded)
{
    return loaded->runpath ? loaded->runpath : loaded->rpath;
}

static bool names_wheel(const struct loaded *opener, const char *family)
{
    AUTO_FREE char *part = mem_printf("/nvidia/%s/", component_of(family));
    return paths_of(opener) != NULL && strstr(paths_of(opener), part) != NULL;
}

/* A library that names the wheels it looks into opens nothing of the others. */
static bool is_looked_for(const struct loaded *opener, const char *family)
{
    const char *paths = paths_of(opener);
    if (paths == NULL || strstr(paths, "/nvidia/") == NULL || strstr(paths, "/nvidia/cu1"))
        return true;
    return names_wheel(opener, family);
}

/* The main library among what is loaded. NULL: it is not. */
static const struct loaded *find_main(const struct loading *loading)
{
    for (size_t k = 0; k < loading->count; k++)
        if (string_equal(loading->items[k].path, loading->framework->library))
            return &loading->items[k];
    return NULL;
}

/* The library that opens a family: the main one, or where that looks into other wheels alone the
 * first beside it that names this one, as libtensorflow_framework.so.2 from TensorFlow 2.20 on.
 * NULL: none does. It moves when more is loaded. */
static const struct loaded *find_opener(const struct loading *loading, const char *family)
{
    const struct loaded *opener = find_main(loading);
    if (opener == NULL || is_looked_for(opener, family))
        return opener;
    AUTO_FREE char *folder =
        mem_string_n(opener->path, strlen(opener->path) - strlen(strrchr(opener->path, '/')) + 1);
    for (size_t k = 0; k < loading->count; k++) {
        const struct loaded *beside = &loading->items[k];
        if (beside->path && string_starts(beside->path, folder) && names_wheel(beside, family))
            return beside;
    }
    return NULL;
}

static char *cudnn_soname(const struct framework_build *build)
{
    const char *wanted = build->cudnn.value ? build->cudnn.value : "";
    const char *least = strstr(wanted, ">="); /* "<10.0,>=9.1": built with a 9 */
    const char *digits = least ? least : wanted;
    digits += strspn(digits, "<>=~!");
    size_t length = strspn(digits, "0123456789");
    return length > 0 ? mem_printf("libcudnn.so.%.*s", (int)length, digits) : NULL;
}

/* CuPy opens by ctypes: the program asks, not the modules, and their paths do not count. */
static void open_one(struct loading *loading, const char *soname, const struct loaded *opener)
{
    struct loaded program = {.path = opener->path};
    if (string_equal(loading->framework->row->name, "cupy"))
        loading_open(loading, soname, &program);
    else
        loading_open(loading, soname, opener);
}

/* TensorFlow before 1.14 is linked to what later ones open. */
static bool is_linked(const struct loading *loading, const char *family)
{
    const char *library = loading->framework->library;
    for (size_t i = 0; i < loading->count; i++) {
        const struct loaded *loaded = &loading->items[i];
        const struct library_family *found = library_family_of(loaded->soname, NULL);
        if (found && string_equal(found->name, family) && string_equal(loaded->how, "needed") &&
            string_equal(loaded->by, library))
            return true;
    }
    return false;
}

static void open_family(struct loading *loading, const char *family, const struct version *cuda)
{
    const struct probe_knowledge *knowledge = loading->work->knowledge;
    const struct loaded *opener = find_opener(loading, family);
    if (opener == NULL || is_linked(loading, family))
        return;
    AUTO_FREE char *cudnn = cudnn_soname(&loading->framework->build);
    const char *soname = string_equal(family, "cudnn") ? cudnn
                         : knowledge ? knowledge->soname(knowledge->data, family, cuda)
                                     : NULL;
    if (soname)
        open_one(loading, soname, opener);
}

static void open_families(struct loading *loading, const struct version *cuda)
{
    AUTO_STRLIST struct strlist checked = {0};
    const struct framework_row *row = loading->framework->row;
    for (size_t i = 0; row->opened && row->opened[i]; i++)
        open_family(loading, row->opened[i], cuda);
    preload_checked(loading, &checked);
    for (size_t i = 0; i < checked.count; i++)
        open_family(loading, checked.items[i], cuda);
}

/* cuDNN itself, or a copy that auditwheel renamed: libcudnn-74a4c495.so.9.1.0. */
static const struct loaded *find_cudnn(const struct loading *loading, unsigned *ret_major)
{
    for (size_t i = 0; i < loading->count; i++) {
        const struct loaded *loaded = &loading->items[i];
        const char *number = strstr(loaded->soname, ".so.");
        struct version version;
        if (loaded->path == NULL || number == NULL ||
            !version_parse_prefix(number + strlen(".so."), &version) ||
            !(string_starts(loaded->soname, "libcudnn.so.") ||
              string_starts(loaded->soname, "libcudnn-")))
            continue;
        *ret_major = version.part[0];
        return loaded;
    }
    return NULL;
}

/* cuDNN opens its parts by name, next to itself or wherever the loader finds them. */
static void open_parts(struct loading *loading)
{
    const struct probe_knowledge *knowledge = loading->work->knowledge;
    unsigned major;
    if (knowledge == NULL || find_cudnn(loading, &major) == NULL)
        return;
    const struct strlist *all = knowledge->cudnn(knowledge->data, major);
    for (size_t i = 1; all && i < all->count; i++)
        loading_open(loading, all->items[i], find_cudnn(loading, &major)); /* again: items move */
}

static const struct loaded *find_at(const struct loading *loading, const char *path)
{
    for (size_t i = 0; i < loading->count; i++)
        if (string_equal(loading->items[i].path, path))
            return &loading->items[i];
    return NULL;
}

void opened_before(struct loading *loading)
{
    struct version cuda;
    AUTO_STRLIST struct strlist checked = {0};
    AUTO_STRLIST struct strlist askers = {0};
    const struct framework *framework = loading->framework;
    const struct probe_knowledge *knowledge = loading->work->knowledge;
    const char *text = framework->build.cuda.value;
    if (knowledge == NULL || text == NULL || !version_parse(text, &cuda) ||
        !preload_checked(loading, &checked))
        return;
    path_match(loading->work->host, framework->site, "jax_cuda*_plugin/_versions.so", &askers);
    if (askers.count != 1 || !loading_file(loading, askers.items[0], "needed"))
        return;
    AUTO_FREE char *cudnn = cudnn_soname(&framework->build);
    for (size_t i = 0; i < checked.count; i++) {
        const char *family = checked.items[i];
        const struct loaded *asker = find_at(loading, askers.items[0]); /* again: items move */
        const char *soname = string_equal(family, "cudnn")
                                 ? cudnn
                                 : knowledge->soname(knowledge->data, family, &cuda);
        if (asker && soname && is_looked_for(asker, family))
            loading_open(loading, soname, asker);
    }
}

void opened_run(struct loading *loading)
{
    struct version cuda;
    const char *text = loading->framework->build.cuda.value;
    if (text && version_parse(text, &cuda))
        open_families(loading, &cuda);
    open_parts(loading);
}
