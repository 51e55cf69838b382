/* SPDX-License-Identifier: MIT */
#include "probe/framework_load.h"

#include <string.h>

#include "host/file.h"

/* The folder of a family's wheel below nvidia/. */
static const char *component_of(const char *family)
{
    static const char *const names[][2] = {
        {"cudart", "cuda_runtime"}, {"cublasLt", "cublas"}, {"nvrtc", "cuda_nvrtc"}};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (string_equal(family, names[i][0]))
            return names[i][1];
    return family;
}

/* A library that names the wheels it looks into opens nothing of the others. */
static bool is_looked_for(const struct loaded *opener, const char *family)
{
    const char *paths = opener->runpath ? opener->runpath : opener->rpath;
    if (paths == NULL || strstr(paths, "/nvidia/") == NULL || strstr(paths, "/nvidia/cu1"))
        return true;
    AUTO_FREE char *part = mem_printf("/nvidia/%s/", component_of(family));
    return strstr(paths, part) != NULL;
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

static void open_families(struct loading *loading, const struct version *cuda)
{
    const struct framework *framework = loading->framework;
    const struct probe_sonames *sonames = loading->work->sonames;
    for (size_t i = 0; framework->row->opened && framework->row->opened[i]; i++) {
        const char *family = framework->row->opened[i];
        struct loaded *opener = NULL; /* the main library: looked up anew, as items move */
        for (size_t k = 0; k < loading->count && opener == NULL; k++)
            if (string_equal(loading->items[k].path, framework->library))
                opener = &loading->items[k];
        if (opener == NULL || !is_looked_for(opener, family))
            continue;
        AUTO_FREE char *cudnn = cudnn_soname(&framework->build);
        const char *soname = string_equal(family, "cudnn") ? cudnn
                             : sonames ? sonames->find(sonames->data, family, cuda)
                                       : NULL;
        if (soname)
            open_one(loading, soname, opener);
    }
}

/* cuDNN itself, or a copy that auditwheel renamed: libcudnn-74a4c495.so.9.1.0. */
static const struct loaded *find_cudnn(const struct loading *loading, char *ret_major)
{
    for (size_t i = 0; i < loading->count; i++) {
        const struct loaded *loaded = &loading->items[i];
        const char *number = strstr(loaded->soname, ".so.");
        if (loaded->path == NULL || number == NULL ||
            !(string_starts(loaded->soname, "libcudnn.so.") ||
              string_starts(loaded->soname, "libcudnn-")))
            continue;
        *ret_major = number[strlen(".so.")];
        return loaded;
    }
    return NULL;
}

/* cuDNN opens its parts by name, next to itself or wherever the loader finds them. */
static void open_parts(struct loading *loading)
{
    static const char *const parts_8[] = {"ops_infer", "ops_train", "cnn_infer", "cnn_train",
                                          "adv_infer", "adv_train", NULL};
    static const char *const parts_9[] = {
        "graph",     "ops", "cnn", "adv", "engines_precompiled", "engines_runtime_compiled",
        "heuristic", NULL};
    char major = '\0';
    if (find_cudnn(loading, &major) == NULL || (major != '8' && major != '9'))
        return;
    for (const char *const *part = major == '9' ? parts_9 : parts_8; *part; part++) {
        AUTO_FREE char *soname = mem_printf("libcudnn_%s.so.%c", *part, major);
        loading_open(loading, soname, find_cudnn(loading, &major)); /* anew, as items move */
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
