/* SPDX-License-Identifier: MIT */
#include "probe/framework/framework_private.h"

#include <string.h>

#include "base/path.h"
#include "host/elf/elf.h"
#include "host/root/file.h"
#include "probe/python/python_literal.h"

#define FILE_MAX 262144

/* A file that a framework's build wrote about itself. */
struct own_file {
    char *path;
    struct text text;
};

#define AUTO_OWN AUTO(own_file_free)

static void own_file_free(struct own_file *file)
{
    free(file->path);
    text_free(&file->text);
}

static bool own_file_read(const struct host *host, const struct framework *framework,
                          const char *name, struct own_file *file)
{
    if (framework->folder == NULL)
        return false;
    file->path = path_join(framework->folder, name);
    return host_read(host, file->path, FILE_MAX, &file->text, NULL) == HOST_OK;
}

/* A string that stands there and is not None, False or empty; NULL. free() it. */
static char *own_value(const struct own_file *file, const char *name)
{
    AUTO_FREE char *value = NULL;
    if (!python_assigned(text_string(&file->text), file->text.size, name, &value) ||
        string_equal(value, "None") || string_equal(value, "False") || value[0] == '\0')
        return NULL;
    return mem_steal(&value);
}

static bool own_has(const struct own_file *file, const char *name)
{
    AUTO_FREE char *value = NULL;
    return python_assigned(text_string(&file->text), file->text.size, name, &value);
}

/* The first two numbers of "12.4.127"; "12.4" and "12" as they are. free() it. */
static char *release_of(const char *version)
{
    struct version parsed;
    char buffer[VERSION_TEXT_SIZE];
    if (version == NULL || !version_parse_prefix(version, &parsed))
        return NULL;
    return mem_string(version_text(&parsed, 2, buffer));
}

static void set_release(struct cited *cited, const char *version, const char *source)
{
    AUTO_FREE char *release = release_of(version);
    cited_set(cited, release, source);
}

void framework_read_torch(const struct host *host, const struct framework *framework,
                          struct framework_build *build)
{
    AUTO_OWN struct own_file file = {.path = NULL};
    if (!own_file_read(host, framework, "version.py", &file))
        return;
    AUTO_FREE char *cuda = own_value(&file, "cuda");
    AUTO_FREE char *hip = own_value(&file, "hip");
    AUTO_FREE char *xpu = own_value(&file, "xpu");
    set_release(&build->cuda, cuda, file.path);
    set_release(&build->rocm, hip, file.path);
    const char *accelerator = cuda ? "cuda" : hip ? "rocm" : xpu ? "xpu" : NULL;
    if (accelerator == NULL && own_has(&file, "cuda"))
        accelerator = "cpu";
    cited_set(&build->accelerator, accelerator, file.path);
}

/* From 2.0 on torchaudio has the number of the PyTorch that it is built for, and from 2.11 on no
 * pin says so. */
void framework_read_torchaudio(const struct host *host, const struct framework *framework,
                               struct framework_build *build)
{
    struct version version;
    const struct python_package *package = framework->package;
    char text[VERSION_TEXT_SIZE];
    framework_read_torch(host, framework, build);
    if (package && version_parse_prefix(package->version, &version) && version.part[0] >= 2)
        cited_set(&build->torch, version_text(&version, 0, text), package->info);
}

/* "sm_80" is machine code alone, "compute_90" both (TensorFlow's hermetic CUDA rules). */
static void add_capabilities(const struct strlist *names, struct framework_build *build)
{
    for (size_t i = 0; i < names->count; i++) {
        const char *name = names->items[i];
        if (string_starts(name, "sm_")) {
            strlist_add_new(&build->sass, name);
        } else if (string_starts(name, "compute_")) {
            AUTO_FREE char *sass = mem_printf("sm_%s", name + strlen("compute_"));
            strlist_add_new(&build->sass, sass);
            strlist_add_new(&build->ptx, name);
        }
    }
}

void framework_read_tensorflow(const struct host *host, const struct framework *framework,
                               struct framework_build *build)
{
    AUTO_OWN struct own_file file = {.path = NULL};
    if (!own_file_read(host, framework, "python/platform/build_info.py", &file))
        return;
    const char *bytes = text_string(&file.text);
    AUTO_FREE char *is_cuda = python_item_one(bytes, file.text.size, "is_cuda_build");
    AUTO_FREE char *is_rocm = python_item_one(bytes, file.text.size, "is_rocm_build");
    AUTO_FREE char *cuda = python_item_one(bytes, file.text.size, "cuda_version");
    AUTO_FREE char *cudnn = python_item_one(bytes, file.text.size, "cudnn_version");
    if (is_cuda == NULL) /* before 2.1: variables of the module */
        python_assigned(bytes, file.text.size, "is_cuda_build", &is_cuda);
    if (cuda == NULL)
        python_assigned(bytes, file.text.size, "cuda_version_number", &cuda);
    AUTO_STRLIST struct strlist capabilities = {0};
    if (python_item(bytes, file.text.size, "cuda_compute_capabilities", &capabilities)) {
        add_capabilities(&capabilities, build);
        build->code_source = mem_string(file.path);
    }
    bool rocm = string_equal(is_rocm, "True");
    if (string_equal(is_cuda, "True") && !rocm) {
        cited_set(&build->accelerator, "cuda", file.path);
        set_release(&build->cuda, cuda, file.path);
        cited_set(&build->cudnn, cudnn, file.path);
    } else if (is_cuda) {
        cited_set(&build->accelerator, rocm ? "rocm" : "cpu", file.path);
    }
}

void framework_read_onnxruntime(const struct host *host, const struct framework *framework,
                                struct framework_build *build)
{
    AUTO_OWN struct own_file file = {.path = NULL};
    if (own_file_read(host, framework, "capi/build_and_package_info.py", &file)) {
        AUTO_FREE char *package = own_value(&file, "package_name");
        AUTO_FREE char *cuda = own_value(&file, "cuda_version");
        cited_set(&build->holds, package, file.path);
        /* It speaks of the package whose files came last. */
        if (framework->package == NULL || string_equal(package, framework->package->name))
            set_release(&build->cuda, cuda, file.path);
    }
}

void framework_read_cupy(const struct host *host, const struct framework *framework,
                         struct framework_build *build)
{
    AUTO_OWN struct own_file file = {.path = NULL};
    if (!own_file_read(host, framework, ".data/_wheel.json", &file))
        return;
    AUTO_FREE char *cuda = python_item_one(text_string(&file.text), file.text.size, "cuda");
    char *wildcard = cuda ? strstr(cuda, ".x") : NULL;
    if (wildcard)
        *wildcard = '\0';
    cited_set(&build->cuda, cuda, file.path);
}

void framework_read_paddle(const struct host *host, const struct framework *framework,
                           struct framework_build *build)
{
    AUTO_OWN struct own_file file = {.path = NULL};
    if (!own_file_read(host, framework, "version/__init__.py", &file))
        return;
    AUTO_FREE char *cuda = own_value(&file, "cuda_version");
    AUTO_FREE char *cudnn = own_value(&file, "cudnn_version");
    AUTO_FREE char *nccl = own_value(&file, "nccl_version");
    AUTO_FREE char *hip = own_value(&file, "hip_version");
    set_release(&build->cuda, cuda, file.path);
    set_release(&build->rocm, hip, file.path);
    if (cuda) {
        cited_set(&build->cudnn, cudnn, file.path);
        cited_set(&build->nccl, string_equal(nccl, "0") ? NULL : nccl, file.path);
        cited_set(&build->accelerator, "cuda", file.path);
    } else if (own_has(&file, "cuda_version")) {
        cited_set(&build->accelerator, hip ? "rocm" : "cpu", file.path);
    }
}

/* "6.0+PTX 7.0 9.0a", as TORCH_CUDA_ARCH_LIST has it. */
static void add_arch_list(const char *list, struct framework_build *build)
{
    AUTO_FREE char *copy = mem_string(list);
    char *rest = copy;
    for (char *word; (word = strsep(&rest, " ;")) != NULL;) {
        char *ptx = strstr(word, "+PTX");
        if (ptx)
            *ptx = '\0';
        char *dot = strchr(word, '.');
        if (dot == NULL)
            continue;
        *dot = '\0';
        AUTO_FREE char *sass = mem_printf("sm_%s%s", word, dot + 1);
        AUTO_FREE char *virtual = mem_printf("compute_%s%s", word, dot + 1);
        strlist_add_new(&build->sass, sass);
        if (ptx)
            strlist_add_new(&build->ptx, virtual);
    }
}

/* cpp_lib.json: "cuda": 1201 is 12.1. */
void framework_read_xformers(const struct host *host, const struct framework *framework,
                             struct framework_build *build)
{
    AUTO_OWN struct own_file file = {.path = NULL};
    if (!own_file_read(host, framework, "cpp_lib.json", &file))
        return;
    const char *bytes = text_string(&file.text);
    AUTO_FREE char *cuda = python_item_one(bytes, file.text.size, "cuda");
    AUTO_FREE char *torch = python_item_one(bytes, file.text.size, "torch");
    AUTO_FREE char *list = python_item_one(bytes, file.text.size, "TORCH_CUDA_ARCH_LIST");
    unsigned long long number;
    if (cuda && string_to_unsigned(cuda, &number) && number >= 100 && number < 100000) {
        AUTO_FREE char *release = mem_printf("%llu.%llu", number / 100, number % 100);
        cited_set(&build->cuda, release, file.path);
    }
    if (torch)
        torch[strcspn(torch, "+")] = '\0';
    cited_set(&build->torch, torch, file.path);
    if (list) {
        add_arch_list(list, build);
        build->code_source = mem_string(file.path);
    }
}

/* Its wheels are not in a package index: the name of the file says for which PyTorch,
 * …/flash_attn-2.5.8+cu122torch2.3cxx11abiFALSE-cp310-cp310-linux_x86_64.whl. */
void framework_read_flash_attn(const struct host *host, const struct framework *framework,
                               struct framework_build *build)
{
    static const char mark[] = "torch";
    AUTO_TEXT struct text text = {0};
    if (framework->package == NULL)
        return;
    AUTO_FREE char *path = path_join(framework->package->info, "direct_url.json");
    if (host_read(host, path, FILE_MAX, &text, NULL) != HOST_OK)
        return;
    AUTO_FREE char *url = python_item_one(text_string(&text), text.size, "url");
    const char *name = url ? strrchr(url, '/') : NULL;
    const char *torch = name ? strstr(name, mark) : NULL;
    if (torch == NULL)
        return;
    torch += strlen(mark);
    size_t length = strspn(torch, "0123456789.");
    while (length > 0 && torch[length - 1] == '.')
        length--;
    AUTO_FREE char *release = mem_string_n(torch, length);
    cited_set(&build->torch, release, path);
}

/* One library for each CUDA: libbitsandbytes_cuda124.so. */
void framework_read_bitsandbytes(const struct host *host, const struct framework *framework,
                                 struct framework_build *build)
{
    static const char prefix[] = "libbitsandbytes_cuda";
    AUTO_STRLIST struct strlist names = {0};
    if (framework->folder == NULL || host_list(host, framework->folder, &names, NULL) != HOST_OK)
        return;
    for (size_t i = 0; i < names.count; i++) {
        if (!string_starts(names.items[i], prefix))
            continue;
        size_t length;
        AUTO_FREE char *cuda = cuda_of_tag(names.items[i] + strlen(prefix), &length);
        if (cuda)
            strlist_add_new(&build->cudas, cuda);
    }
    cited_set(&build->accelerator, build->cudas.count > 0 ? "cuda" : NULL, framework->folder);
}

/* What only packages for CUDA are linked to. */
static bool is_of_cuda(const char *soname)
{
    static const char *const others[] = {"libc10_cuda.so", "libtorch_cuda.so", "libggml-cuda.so"};
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        if (string_equal(soname, others[i]))
            return true;
    return library_family_of(soname, NULL) != NULL;
}

/* One name for both kinds of build, and no file that tells: its library is linked to CUDA's or has
 * code for GPUs (CUDA linked statically), or it is for processors. */
void framework_read_linked(const struct host *host, const struct framework *framework,
                           struct framework_build *build)
{
    AUTO_ELF struct elf_info elf = {0};
    if (framework->library == NULL) {
        cited_set(&build->accelerator, framework->folder ? "cpu" : NULL, framework->folder);
        return;
    }
    if (elf_read(host, framework->library, &elf, NULL) != HOST_OK)
        return;
    const char *accelerator = "cpu";
    for (size_t i = 0; i < elf.needed.count; i++)
        if (is_of_cuda(elf.needed.items[i]))
            accelerator = "cuda";
    if (string_equal(accelerator, "cpu") && framework_has_code(host, framework->library))
        accelerator = "cuda";
    cited_set(&build->accelerator, accelerator, framework->library);
}
