/* SPDX-License-Identifier: MIT */
#include "probe/framework/framework_preload.h"

#include <string.h>

#include "base/path.h"
#include "host/root/file.h"
#include "probe/places/path_match.h"
#include "probe/python/python_literal.h"

#define SOURCE_MAX 524288 /* bytes of torch/__init__.py */
#define WORDS_MAX  8      /* quoted words of a line that are looked at */

/* The libraries of wheels that are loaded where a text has no list that can be read, in order. */
static const char *const usual[] = {
    "libcublasLt.so.*",  "libcublas.so.*",         "libcudnn.so.*",
    "libnvrtc.so.*",     "libnvrtc-builtins.so.*", "libcudart.so.*",
    "libcupti.so.*",     "libcufft.so.*",          "libcurand.so.*",
    "libnvJitLink.so.*", "libcusparse.so.*",       "libcusparseLt.so.*",
    "libcusolver.so.*",  "libnccl.so.*",           NULL};

/* What CuPy's modules open through cuda-pathfinder: the runtime is linked into them. */
static const char *const of_cupy[] = {"libcublasLt.so.*",  "libcublas.so.*",
                                      "libnvrtc.so.*",     "libnvrtc-builtins.so.*",
                                      "libcufft.so.*",     "libcurand.so.*",
                                      "libnvJitLink.so.*", "libcusparse.so.*",
                                      "libcusolver.so.*",  NULL};

/* Whose text: below the directory of packages. */
static bool read_source(const struct loading *loading, const char *pattern, struct text *text,
                        char **ret_path)
{
    AUTO_STRLIST struct strlist paths = {0};
    const struct framework *framework = loading->framework;
    if (framework->site == NULL)
        return false;
    path_match(loading->work->host, framework->site, pattern, &paths);
    if (paths.count == 0 ||
        host_read(loading->work->host, paths.items[0], SOURCE_MAX, text, NULL) != HOST_OK)
        return false;
    *ret_path = mem_string(paths.items[0]);
    return true;
}

/* The words of a line that stand in quotes of either kind. */
static void quoted_words(const char *line, struct strlist *words)
{
    while (words->count < WORDS_MAX && *(line += strcspn(line, "\"'")) != '\0') {
        const char quote[] = {*line++, '\0'};
        size_t size = strcspn(line, quote);
        strlist_take(words, mem_string_n(line, size));
        line += size + (line[size] != '\0');
    }
}

static bool is_library(const char *word)
{
    return string_starts(word, "lib") && strstr(word, ".so") != NULL;
}

static void add_matches(const struct loading *loading, const char *site, const char *folder,
                        const char *library, struct strlist *paths)
{
    AUTO_FREE char *pattern = mem_printf("%s/lib/%s", folder, library);
    path_match(loading->work->host, site, pattern, paths);
}

/* From 13 on the wheels of one CUDA share nvidia/cu13: beside those of 12 it is not taken for 12.
 */
static bool is_of_another_cuda(const char *path, const char *cuda)
{
    static const char shared[] = "/nvidia/cu";
    const char *at = strstr(path, shared);
    size_t digits = at ? strspn(at + strlen(shared), "0123456789") : 0;
    return cuda && digits > 0 &&
           (strncmp(at + strlen(shared), cuda, digits) != 0 || cuda[digits] != '.') &&
           !(strncmp(at + strlen(shared), cuda, digits) == 0 && cuda[digits] == '\0');
}

/* The first that fits, as the texts look for it: in each directory of packages the folder of that
 * name, that of CUDA's major, one beside nvidia/. NULL: none. free() it. */
static char *find_wheel(const struct loading *loading, const char *folder, const char *library)
{
    const struct strlist *sites = &loading->framework->environment->sites;
    const char *cuda = loading->framework->build.cuda.value;
    AUTO_STRLIST struct strlist paths = {0};
    AUTO_FREE char *below = mem_printf("nvidia/%s", folder);
    AUTO_FREE char *major =
        cuda ? mem_printf("nvidia/cu%.*s", (int)strcspn(cuda, "."), cuda) : NULL;
    for (size_t i = 0; i < sites->count && paths.count == 0; i++) {
        add_matches(loading, sites->items[i], below, library, &paths);
        if (major)
            add_matches(loading, sites->items[i], major, library, &paths);
        add_matches(loading, sites->items[i], folder, library, &paths);
    }
    for (size_t i = 0; i < paths.count; i++)
        if (!is_of_another_cuda(paths.items[i], cuda))
            return mem_string(paths.items[i]);
    return NULL;
}

static bool load_wheel(struct loading *loading, const char *folder, const char *library,
                       const char *how)
{
    AUTO_FREE char *path = find_wheel(loading, folder, library);
    return path && loading_file(loading, path, how);
}

static void load_wheels(struct loading *loading, const char *const *libraries, const char *how)
{
    for (size_t i = 0; libraries[i]; i++)
        load_wheel(loading, "*", libraries[i], how);
}

/* Which of the libraries in PyTorch's text are meant. */
enum torch_list {
    TORCH_ALL, /* of the list cuda_libs */
    TORCH_FEW, /* of the calls _preload_cuda_deps("cuda_nvrtc", "libnvrtc.so.*[0-9]") */
};

/* The pairs of a folder and a pattern, in the order of the text; the first that is not there ends
 * it, unless the text says that it may be missing. False: the text has none. */
static bool load_torch_list(struct loading *loading, const char *source, enum torch_list list)
{
    AUTO_FREE char *copy = mem_string(source);
    char *cursor = copy;
    bool any = false;
    for (char *line; (line = string_next_line(&cursor)) != NULL;) {
        AUTO_STRLIST struct strlist words = {0};
        bool call = strstr(line, "_preload_cuda_deps(") != NULL;
        if (call != (list == TORCH_FEW) || strstr(line, ".so") == NULL)
            continue;
        quoted_words(line, &words);
        if (words.count < 2 || !is_library(words.items[1]))
            continue;
        any = true;
        if (!load_wheel(loading, words.items[0], words.items[1], "preloaded") &&
            strstr(line, "required=False") == NULL)
            break;
    }
    return any;
}

static void load_torch_all(struct loading *loading, const char *source)
{
    if (!load_torch_list(loading, source, TORCH_ALL))
        load_wheels(loading, usual, "preloaded");
}

/* What the path of the CUDA runtime must have in it, before a library is loaded that nothing lacks:
 * `if "libcudart.so" not in _maps`. free() it. */
static char *torch_condition(const char *source)
{
    AUTO_STRLIST struct strlist words = {0};
    const char *at = strstr(source, " not in _maps");
    if (at == NULL)
        return mem_string("libcudart.so");
    const char *line = at;
    while (line > source && line[-1] != '\n')
        line--;
    AUTO_FREE char *before = mem_string_n(line, (size_t)(at - line));
    quoted_words(before, &words);
    return mem_string(words.count > 0 ? words.items[words.count - 1] : "libcudart.so");
}

/* How torch's first library fared: whether the runtime came from where the text asks for it,
 * whether a library of CUDA is missing. */
static void look_at_first(const struct loading *loading, size_t first, const char *condition,
                          bool *ret_runtime, bool *ret_lacks)
{
    *ret_runtime = *ret_lacks = false;
    for (size_t i = first; i < loading->count; i++) {
        const struct loaded *loaded = &loading->items[i];
        const struct library_family *family = library_family_of(loaded->soname, NULL);
        *ret_runtime |= loaded->real && strstr(loaded->real, "libcudart.so") != NULL &&
                        strstr(loaded->real, condition) != NULL;
        *ret_lacks |= loaded->path == NULL && family && family->interface == 0;
    }
}

void preload_torch(struct loading *loading, size_t first)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *path = NULL;
    if (!string_equal(loading->framework->row->name, "pytorch") ||
        !read_source(loading, "torch/__init__.py", &text, &path) ||
        strstr(text_string(&text), "_preload_cuda_deps(") == NULL)
        return;
    const char *source = text_string(&text);
    bool runtime, lacks;
    AUTO_FREE char *condition = torch_condition(source);
    look_at_first(loading, first, condition, &runtime, &lacks);
    bool all = strstr(source, "_preload_cuda_deps()") ||
               strstr(source, "_preload_cuda_deps(required=False)");
    if (lacks) { /* dlopen(3) has taken back what came with it */
        AUTO_FREE char *library =
            mem_string(first < loading->count ? loading->items[first].path : NULL);
        loading_drop(loading, first);
        load_torch_all(loading, source);
        if (library)
            loading_file(loading, library, "needed");
    } else if (runtime && all)
        load_torch_all(loading, source);
    else if (runtime)
        load_torch_list(loading, source, TORCH_FEW);
}

/* _load("cublas", ["libcublas.so.12", "libcublasLt.so.12"]): what is not there is left out. */
static void load_jax(struct loading *loading)
{
    static const char call[] = "_load(";
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *path = NULL;
    if (!read_source(loading, "jax_plugins/xla_cuda*/__init__.py", &text, &path))
        return;
    AUTO_FREE char *copy = text_steal(&text);
    char *cursor = copy;
    for (char *line; (line = string_next_line(&cursor)) != NULL;) {
        AUTO_STRLIST struct strlist words = {0};
        line = string_trim(line);
        if (!string_starts(line, call))
            continue;
        quoted_words(line, &words);
        for (size_t i = 1; i < words.count; i++)
            if (is_library(words.items[i]))
                load_wheel(loading, words.items[0], words.items[i], "opened");
    }
}

/* {"package": "nvidia-cublas-cu12", "library": "libcublas.so.12"}: one that is not there ends the
 * import. */
static void load_faiss(struct loading *loading)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *path = NULL;
    if (!read_source(loading, "faiss/_preload_library.json", &text, &path))
        return;
    AUTO_FREE char *copy = text_steal(&text);
    for (char *at = copy; (at = strstr(at, "\"library\"")) != NULL; at++) {
        AUTO_FREE char *library = python_item_one(at, strlen(at), "library");
        if (library && is_library(library) && !load_wheel(loading, "*", library, "needed"))
            loading_miss(loading, library, path);
    }
}

void preload_before(struct loading *loading)
{
    const char *name = loading->framework->row->name;
    if (loading->framework->build.finds_wheels) /* CuPy: the wheels' before the system's */
        load_wheels(loading, of_cupy, "opened");
    else if (string_equal(name, "jax"))
        load_jax(loading);
    else if (string_equal(name, "faiss"))
        load_faiss(loading);
}

/* The names that JAX's plugin gives what it checks, and the families. */
static const char *const jax_names[][2] = {
    {"CUDA", "cudart"}, {"cuDNN", "cudnn"},   {"cuFFT", "cufft"},      {"cuSOLVER", "cusolver"},
    {"cuPTI", "cupti"}, {"cuBLAS", "cublas"}, {"cuSPARSE", "cusparse"}};

static void add_checked(const char *name, struct strlist *families)
{
    for (size_t i = 0; i < sizeof(jax_names) / sizeof(*jax_names); i++)
        if (string_equal(name, jax_names[i][0]))
            strlist_add_new(families, jax_names[i][1]);
}

/* The name stands in the line of the call or in the next one. */
bool preload_checked(const struct loading *loading, struct strlist *families)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *path = NULL;
    bool open = false;
    if (!string_equal(loading->framework->row->name, "jax") ||
        !read_source(loading, "jax_plugins/xla_cuda*/__init__.py", &text, &path))
        return false;
    AUTO_FREE char *copy = text_steal(&text);
    char *cursor = copy;
    for (char *line; (line = string_next_line(&cursor)) != NULL;) {
        AUTO_STRLIST struct strlist words = {0};
        line = string_trim(line);
        if (*line == '#')
            continue;
        open |= strstr(line, "_version_check(") != NULL;
        quoted_words(line, &words);
        if (!open || words.count == 0)
            continue;
        add_checked(words.items[0], families);
        open = false;
    }
    return families->count > 0;
}

void preload_variable(struct loading *loading)
{
    static const char name[] = "LD_PRELOAD";
    const char *value = host_environment(loading->work->host, name);
    AUTO_FREE char *copy = value ? mem_string(value) : NULL;
    char *rest = copy;
    for (char *object; rest && (object = strsep(&rest, ": ")) != NULL;) {
        size_t first = loading->count;
        if (*object == '\0' || strchr(object, '/') == NULL ||
            !loading_file(loading, object, "preloaded") || loading->count == first)
            continue;
        free(loading->items[first].why);
        loading->items[first].why = mem_printf("%s: %s", name, object);
    }
}
