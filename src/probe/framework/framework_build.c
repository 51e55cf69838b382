/* SPDX-License-Identifier: MIT */
#include "probe/framework/framework_private.h"

#include <string.h>

#include "base/path.h"
#include "host/root/file.h"

/* "12" of libcudart.so.12 and libcudart.so.11.0: the first number of a SONAME. free() it. */
static char *soname_major(const char *soname)
{
    struct version version;
    char buffer[VERSION_TEXT_SIZE];
    if (!library_name_version(soname, &version))
        return NULL;
    return mem_string(version_text(&version, 1, buffer));
}

/* "10.0" of libcudart.so.10.0, whose number is CUDA's; from 11 on all of a major version have that
 * of its first release. free() it. */
static char *soname_cuda(const char *soname)
{
    struct version version;
    char buffer[VERSION_TEXT_SIZE];
    if (!library_name_version(soname, &version))
        return NULL;
    return mem_string(version_text(&version, version.part[0] < 11 ? 2 : 1, buffer));
}

static void read_needed(const struct elf_info *elf, const char *path, struct framework_build *build)
{
    for (size_t i = 0; i < elf->needed.count; i++) {
        const char *name = elf->needed.items[i];
        const struct library_family *family = library_family_of(name, NULL);
        if (string_starts(name, "libcudnn-")) /* a copy of its own, renamed by auditwheel */
            cited_set(&build->cudnn, strstr(name, ".so.") ? strstr(name, ".so.") + 4 : NULL, path);
        AUTO_FREE char *major = family ? soname_major(name) : NULL;
        if (major == NULL)
            continue;
        /* The numbers of cuFFT, cuRAND and their like are not CUDA's. */
        if (string_equal(family->name, "cudart") || string_equal(family->name, "cublas")) {
            AUTO_FREE char *cuda = soname_cuda(name);
            if (build->cudas.count == 0)
                cited_set(&build->cuda, cuda, path);
            cited_set(&build->accelerator, "cuda", path);
        }
        if (string_equal(family->name, "cudnn"))
            cited_set(&build->cudnn, major, path);
    }
}

/* PyTorch keeps the code for GPUs in a library of its own. */
static void read_library_name(const struct framework *framework, struct framework_build *build)
{
    static const struct {
        const char *name, *accelerator;
    } names[] = {{"libtorch_cuda.so", "cuda"},
                 {"libtorch_hip.so", "rocm"},
                 {"libtorch_cpu.so", "cpu"},
                 {"libonnxruntime_providers_cuda.so", "cuda"}};
    const char *base = framework->library ? path_base(framework->library) : "";
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (string_equal(base, names[i].name))
            cited_set(&build->accelerator, names[i].accelerator, framework->library);
}

/* What a package is that nothing else is said of. */
static void read_plain(const struct framework *framework, struct framework_build *build)
{
    const char *source = framework->package ? framework->package->info : framework->folder;
    cited_set(&build->accelerator, framework->row->plain, source ? source : "");
}

/* What is known of wheels of that release, where nothing in them says it. */
static void read_release(const struct framework_work *work, struct framework *framework)
{
    const struct probe_knowledge *knowledge = work->knowledge;
    const struct python_package *package = framework->package;
    struct version release, cuda;
    char buffer[VERSION_TEXT_SIZE];
    if (!framework->row->silent || knowledge == NULL || package == NULL || package->build ||
        framework->conda || !version_parse_prefix(package->version, &release) ||
        !knowledge->built_for(knowledge->data, framework->row->name, &release, &cuda))
        return;
    cited_set(&framework->build.cuda, version_text(&cuda, 0, buffer), package->info);
}

/* An image of NVIDIA's or a build from source names no CUDA anywhere but in its libraries. */
void framework_build_read(const struct framework_work *work, struct framework *framework,
                          const struct elf_info *elf, const char *machine,
                          struct framework_pins *ret_pins)
{
    struct framework_build *build = &framework->build;
    if (framework->row->read)
        framework->row->read(work->host, framework, build);
    framework_read_name(framework, build);
    framework_read_local(framework, build);
    framework_read_conda(framework, build);
    framework_read_depends(work->host, framework, build);
    framework_pins_read(work->host, framework, machine, build, ret_pins);
    read_plain(framework, build);
    read_library_name(framework, build);
    if (elf && !string_equal(build->accelerator.value, "cpu"))
        read_needed(elf, framework->library, build);
    read_release(work, framework);
}

/* A wheel's or conda's package of the family, that of the framework's CUDA before others. */
static const struct python_package *carried_package(const struct framework *framework,
                                                    const char *wheel, const char *conda)
{
    const struct python_environment *environment = framework->environment;
    const char *cuda = framework->build.cuda.value;
    AUTO_FREE char *suffix = cuda ? mem_printf("-cu%.2s", cuda) : NULL;
    const struct python_package *found = NULL;
    for (size_t i = 0; i < environment->package_count; i++) {
        const struct python_package *package = &environment->packages[i];
        bool fits = package->build ? string_equal(package->name, conda)
                                   : framework_is_wheel_of(package->name, wheel);
        if (fits && (found == NULL || (suffix && string_ends(package->name, suffix))))
            found = package;
    }
    return found;
}

/* auditwheel's copies: libcudnn-74a4c495.so.9.1.0. */
static bool renamed_carried(const char *directory, const char *stem, const struct strlist *names,
                            struct cited *ret_version)
{
    AUTO_FREE char *prefix = mem_printf("%s-", stem);
    for (size_t i = 0; i < names->count; i++) {
        const char *number = strstr(names->items[i], ".so.");
        if (!string_starts(names->items[i], prefix) || number == NULL)
            continue;
        AUTO_FREE char *path = path_join(directory, names->items[i]);
        cited_set(ret_version, number + strlen(".so."), path);
        return true;
    }
    return false;
}

static bool library_carried(struct framework_work *work, const char *directory, const char *stem,
                            struct cited *ret_version)
{
    AUTO_STRLIST struct strlist names = {0};
    AUTO_FREE char *prefix = mem_printf("%s.so.", stem);
    host_list(work->host, directory, &names, NULL);
    for (size_t i = 0; i < names.count; i++) {
        if (!string_starts(names.items[i], prefix))
            continue;
        AUTO_FREE char *path = path_join(directory, names.items[i]);
        framework_file_version(work, path, ret_version);
        return ret_version->value != NULL;
    }
    return renamed_carried(directory, stem, &names, ret_version);
}

void framework_carried(struct framework_work *work, const struct framework *framework,
                       const char *family, struct cited *ret_version)
{
    static const char *const directories[] = {"lib", "libs", "capi", "."};
    AUTO_FREE char *stem = mem_printf("lib%s", family);
    for (size_t i = 0; framework->folder && i < sizeof(directories) / sizeof(*directories); i++) {
        AUTO_FREE char *directory = path_join(framework->folder, directories[i]);
        if (library_carried(work, directory, stem, ret_version))
            return;
    }
    AUTO_FREE char *renamed = framework->folder ? mem_printf("%s.libs", framework->folder) : NULL;
    if (renamed && library_carried(work, renamed, stem, ret_version))
        return;
    AUTO_FREE char *wheel = mem_printf("nvidia-%s", family);
    const struct python_package *package = carried_package(framework, wheel, family);
    if (package)
        cited_set(ret_version, package->version, package->info);
}

void framework_file_version(struct framework_work *work, const char *path,
                            struct cited *ret_version)
{
    AUTO_FREE char *real = NULL;
    if (host_real_path(work->host, path, &real, NULL) != HOST_OK)
        return;
    const struct library_family *family = library_family_of(path_base(real), NULL);
    AUTO_ELF struct elf_info elf = {0};
    struct version version;
    char buffer[VERSION_TEXT_SIZE];
    AUTO_FREE char *source = NULL;
    struct library_copy copy = {.path = real, .family = family};
    if (family == NULL || elf_read(work->host, real, &elf, NULL) != HOST_OK ||
        !library_version(work->host, &copy, elf.soname, &work->versions, &version, &source))
        return;
    cited_set(ret_version, version_text(&version, 0, buffer), source);
}
