/* SPDX-License-Identifier: MIT */
#include "probe/framework/framework_private.h"

#include <string.h>

#include "base/path.h"
#include "host/root/file.h"
#include "probe/engine/note.h"
#include "probe/places/path_match.h"
#include "probe/python/metadata.h"
#include "probe/python/python_literal.h"

#define HEAD_SIZE    16384
#define METADATA_MAX (4u << 20)

/* The PyTorch of the same environment, whose build is known: it is noted before what rides on it.
 */
static const struct framework *find_torch(const struct framework_work *work,
                                          const struct framework *framework)
{
    for (size_t i = 0; i < work->frameworks->count; i++) {
        const struct framework *other = &work->frameworks->items[i];
        if (other->environment == framework->environment &&
            string_equal(other->row->name, "pytorch"))
            return other;
    }
    return NULL;
}

/* One that has a library for each CUDA takes that of PyTorch's: libbitsandbytes_cuda124.so. */
static void choose_library(const struct framework_work *work, struct framework *framework)
{
    const struct framework *torch = find_torch(work, framework);
    const char *cuda = torch ? torch->build.cuda.value : NULL;
    struct version version;
    if (!string_equal(framework->row->name, "bitsandbytes"))
        return;
    framework->first = framework->library;
    framework->library = NULL;
    if (cuda == NULL || framework->folder == NULL || !version_parse(cuda, &version))
        return;
    AUTO_FREE char *path = mem_printf("%s/libbitsandbytes_cuda%u%u.so", framework->folder,
                                      version.part[0], version.part[1]);
    if (host_exists(work->host, path))
        framework->library = mem_steal(&path);
}

/* What a fact rests on where nothing better is known. */
static const char *origin_source(const struct framework *framework)
{
    if (framework->package)
        return framework->package->info;
    return framework->folder ? framework->folder : framework->environment->directory;
}

static void note_cited(struct framework_work *work, const struct framework *framework,
                       const char *name, const struct cited *cited)
{
    facts_set_string(work->facts, framework->group, name, cited->value,
                     cited->value ? cited->source : origin_source(framework));
}

/* METADATA has the name as its maker writes it, and the version. */
static void note_package(struct framework_work *work, const struct framework *framework)
{
    const char *bytes = text_string(&framework->metadata), *source = origin_source(framework);
    size_t size = framework->metadata.size;
    const struct python_package *package = framework->package;
    AUTO_FREE char *name = metadata_value(bytes, size, "Name");
    AUTO_FREE char *version = metadata_value(bytes, size, "Version");
    AUTO_FREE char *python = metadata_value(bytes, size, "Requires-Python");
    AUTO_FREE char *file =
        framework->folder
            ? path_join(framework->folder,
                        framework->row->version_file ? framework->row->version_file : "")
            : NULL;
    AUTO_TEXT struct text text = {0};
    if (package == NULL && file &&
        host_read_head(work->host, file, HEAD_SIZE, &text, NULL) == HOST_OK)
        python_assigned(text_string(&text), text.size, "__version__", &version);
    facts_set_string(work->facts, framework->group, "package",
                     name      ? name
                     : package ? package->name
                               : framework->row->folder,
                     source);
    if (version == NULL && package)
        version = mem_string(package->version);
    facts_set_string(work->facts, framework->group, "version", version,
                     package == NULL && version ? file : source);
    facts_set_string(work->facts, framework->group, "requires_python", python, source);
}

/* The channel's name: an URL of it can hold a token. */
static char *channel_of(const struct host *host, const struct python_package *conda)
{
    AUTO_TEXT struct text text = {0};
    if (host_read_head(host, conda->info, HEAD_SIZE, &text, NULL) != HOST_OK)
        return NULL;
    AUTO_FREE char *url = python_item_one(text_string(&text), text.size, "channel");
    char *last = url ? strrchr(url, '/') : NULL;
    if (last && (string_starts(last, "/linux-") || string_equal(last, "/noarch")))
        *last = '\0';
    return url ? mem_string(path_base(url)) : NULL;
}

/* ".../whl/cu126/torch-…" of direct_url.json: "cu126". */
static char *index_of(const struct host *host, const struct framework *framework)
{
    AUTO_TEXT struct text text = {0};
    if (framework->package == NULL)
        return NULL;
    AUTO_FREE char *path = path_join(framework->package->info, "direct_url.json");
    if (host_read_head(host, path, HEAD_SIZE, &text, NULL) != HOST_OK)
        return NULL;
    AUTO_FREE char *url = python_item_one(text_string(&text), text.size, "url");
    const char *tag = url ? strstr(url, "/whl/") : NULL;
    if (tag == NULL)
        return NULL;
    tag += strlen("/whl/");
    size_t length = strcspn(tag, "/");
    return length < 32 && tag[length] == '/' ? mem_string_n(tag, length) : NULL;
}

static void note_origin(struct framework_work *work, const struct framework *framework)
{
    const struct python_package *conda = framework->conda;
    const char *group = framework->group, *source = origin_source(framework);
    AUTO_FREE char *channel = conda ? channel_of(work->host, conda) : NULL;
    AUTO_FREE char *index = index_of(work->host, framework);
    facts_set_string(work->facts, group, "origin",
                     conda                ? "conda"
                     : framework->package ? "wheel"
                                          : "folder",
                     source);
    facts_set_string(work->facts, group, "build", conda ? conda->build : NULL,
                     conda ? conda->info : source);
    facts_set_string(work->facts, group, "channel", channel, conda ? conda->info : source);
    facts_set_string(work->facts, group, "index", index, source);
    facts_set_string(work->facts, group, "directory", framework->folder, source);
    facts_set_string(work->facts, group, "library", framework->library, source);
}

/* It holds that framework, with one of its libraries: another installation of it. */
static bool holds_framework(const struct host *host, const char *directory,
                            const struct framework_row *row)
{
    for (size_t i = 0; i < FRAMEWORK_LIBRARIES && row->libraries[i]; i++)
        if (path_matches(host, directory, row->libraries[i]))
            return true;
    return false;
}

/* What is imported: of JAX's packages jax. */
static const char *import_name(const struct framework_row *row)
{
    return string_equal(row->name, "jax") ? row->name : row->folder;
}

/* What Python imports under the framework's name from a directory of PYTHONPATH: these come before
 * the packages. A folder without __init__.py is no such module. free() it. */
static char *module_before(const struct host *host, const struct framework *framework)
{
    AUTO_STRLIST struct strlist directories = {0};
    const char *name = import_name(framework->row);
    path_list(host_environment(host, "PYTHONPATH"), &directories);
    for (size_t i = 0; i < directories.count; i++) {
        const char *directory = directories.items[i];
        AUTO_FREE char *package = mem_printf("%s/%s/__init__.py", directory, name);
        AUTO_FREE char *module = mem_printf("%s/%s.py", directory, name);
        bool is_module = host_exists(host, module);
        if (*directory != '/' || strlist_has(&framework->environment->sites, directory) ||
            holds_framework(host, directory, framework->row) ||
            !(is_module || host_exists(host, package)))
            continue;
        return is_module ? mem_steal(&module) : path_parent(package);
    }
    return NULL;
}

static void note_hidden(struct framework_work *work, const struct framework *framework)
{
    AUTO_FREE char *module = framework->folder && framework->environment->active == PYTHON_ACTIVE
                                 ? module_before(work->host, framework)
                                 : NULL;
    facts_set_string(work->facts, framework->group, "hidden_by", module, "PYTHONPATH");
}

static void note_environment(struct framework_work *work, const struct framework *framework)
{
    const struct python_environment *environment = framework->environment;
    const char *group = framework->group, *source = environment->directory;
    facts_set_string(work->facts, group, "environment", environment->directory, source);
    facts_set_string(work->facts, group, "python", environment->group, source);
    if (environment->active == PYTHON_ACTIVE_UNKNOWN)
        facts_set_unknown(work->facts, group, "active", "nothing says which Python to use", source);
    else
        facts_set_boolean(work->facts, group, "active", environment->active == PYTHON_ACTIVE,
                          source);
}

static void note_accelerator(struct framework_work *work, const struct framework *framework)
{
    static const char reason[] = "neither the package's files nor its metadata contain this";
    const struct framework_build *build = &framework->build;
    const char *group = framework->group, *accelerator = build->accelerator.value;
    bool cuda = string_equal(accelerator, "cuda");
    if (accelerator == NULL) {
        facts_set_unknown(work->facts, group, "accelerator", reason, origin_source(framework));
        facts_set_unknown(work->facts, group, "cpu_only", reason, origin_source(framework));
        facts_set_skipped(work->facts, group, "cuda", reason, origin_source(framework));
        return;
    }
    note_cited(work, framework, "accelerator", &build->accelerator);
    facts_set_boolean(work->facts, group, "cpu_only", string_equal(accelerator, "cpu"),
                      build->accelerator.source);
    if (cuda && build->cuda.value == NULL && build->cudas.count == 0 && !framework->row->any_cuda)
        facts_set_skipped(work->facts, group, "cuda", reason, build->accelerator.source);
    else if (cuda)
        note_cited(work, framework, "cuda", &build->cuda);
    else
        facts_set_absent(work->facts, group, "cuda", build->accelerator.source);
}

static void note_code(struct framework_work *work, const struct framework *framework)
{
    const struct framework_build *build = &framework->build;
    const char *group = framework->group;
    if (build->code_problem && build->code_source == NULL) {
        facts_set_unknown(work->facts, group, "sass", build->code_problem, framework->library);
        facts_set_unknown(work->facts, group, "ptx", build->code_problem, framework->library);
        facts_set_unknown(work->facts, group, "ptx_versions", build->code_problem,
                          framework->library);
        return;
    }
    if (build->code_source) {
        facts_set_list(work->facts, group, "sass", &build->sass, build->code_source);
        facts_set_list(work->facts, group, "ptx", &build->ptx, build->code_source);
        facts_set_list(work->facts, group, "ptx_versions", &build->ptx_versions,
                       build->code_source);
        return;
    }
    facts_set_absent(work->facts, group, "sass", origin_source(framework));
    facts_set_absent(work->facts, group, "ptx", origin_source(framework));
    facts_set_absent(work->facts, group, "ptx_versions", origin_source(framework));
}

static void note_wants(struct framework_work *work, const struct framework *framework,
                       const struct framework_pins *pins)
{
    const struct framework_build *build = &framework->build;
    const char *group = framework->group, *source = origin_source(framework);
    AUTO_CITED struct cited cudnn = {NULL, NULL};
    AUTO_CITED struct cited nccl = {NULL, NULL};
    framework_carried(work, framework, "cudnn", &cudnn);
    framework_carried(work, framework, "nccl", &nccl);
    note_cited(work, framework, "rocm", &build->rocm);
    note_cited(work, framework, "cudnn_wanted", &build->cudnn);
    note_cited(work, framework, "cudnn_carried", &cudnn);
    note_cited(work, framework, "nccl_wanted", &build->nccl);
    note_cited(work, framework, "nccl_carried", &nccl);
    note_cited(work, framework, "torch_wanted", &build->torch);
    const struct python_package *holder = record_holder(work->host, framework);
    if (build->holds.value == NULL && holder)
        facts_set_string(work->facts, group, "holds", holder->name, holder->info);
    else
        note_cited(work, framework, "holds", &build->holds);
    facts_set_list(work->facts, group, "cudas", &build->cudas, source);
    facts_set_list(work->facts, group, "wanted", &pins->wanted, source);
    facts_set_list(work->facts, group, "missing", &pins->missing, source);
    facts_set_list(work->facts, group, "optional", &pins->optional, source);
    facts_set_list(work->facts, group, "beside", &framework->beside, source);
    facts_set_list(work->facts, group, "requires_missing", &pins->required, source);
    facts_set_list(work->facts, group, "parts_broken", &pins->broken_parts, source);
}

/* Of a wheel: what its RECORD lists. */
static void note_record(struct framework_work *work, const struct framework *framework)
{
    const struct python_package *package = framework->package;
    const char *group = framework->group, *source = origin_source(framework);
    AUTO_RECORD_CHECK struct record_check check = {.present = false};
    if (package && string_ends(package->info, ".dist-info"))
        record_check(work->host, framework->environment, package, &check);
    if (package && package->build == NULL && framework->folder == NULL &&
        check.broken.count < RECORD_BROKEN_MAX && !framework->row->one)
        strlist_take(&check.broken, mem_printf("missing: %s", framework->row->folder));
    if (check.present)
        facts_set_integer(work->facts, group, "libraries", (int64_t)check.libraries, source);
    else
        facts_set_absent(work->facts, group, "libraries", source);
    facts_set_list(work->facts, group, "broken", &check.broken, source);
}

static void read_metadata(const struct host *host, struct framework *framework)
{
    static const char *const names[] = {"METADATA", "PKG-INFO"};
    for (size_t i = 0; framework->package && framework->package->build == NULL &&
                       framework->metadata.size == 0 && i < 2;
         i++) {
        AUTO_FREE char *path = path_join(framework->package->info, names[i]);
        host_read(host, path, METADATA_MAX, &framework->metadata, NULL);
    }
}

void framework_note(struct framework_work *work, struct framework *framework)
{
    AUTO(framework_pins_free) struct framework_pins pins = {.wanted = {0}};
    AUTO_ELF struct elf_info elf = {0};
    char buffer[24];
    choose_library(work, framework);
    bool has_elf =
        framework->library && elf_read(work->host, framework->library, &elf, NULL) == HOST_OK;
    const char *machine =
        has_elf ? elf_machine_name(elf.machine, elf.bits, buffer)
                : elf_machine_name(loader_machine(work->loader), loader_bits(work->loader), buffer);
    facts_set_string(work->facts, framework->group, "name", framework->row->name,
                     origin_source(framework));
    read_metadata(work->host, framework);
    framework_build_read(work, framework, has_elf ? &elf : NULL, machine, &pins);
    framework_code_read(work->host, framework);
    note_package(work, framework);
    note_environment(work, framework);
    note_hidden(work, framework);
    note_origin(work, framework);
    note_accelerator(work, framework);
    note_wants(work, framework, &pins);
    note_code(work, framework);
    framework_note_tags(work, framework, has_elf ? &elf : NULL);
    note_record(work, framework);
    framework_note_arches(work, framework);
    framework_note_compilers(work, framework);
    text_free(&framework->metadata); /* not all of them at once */
}
