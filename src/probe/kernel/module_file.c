/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "host/elf/elf.h"
#include "host/packed/packed_module.h"
#include "host/root/file.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"
#include "probe/kernel/der.h"
#include "probe/kernel/module_file.h"

#define DEPTH_MAX       6
#define DIRECTORIES_MAX 20000
#define SIGNATURE_MAX   65536
#define UNPACKED_MAX    2

/* Of .modinfo, under the same names, and of the signature behind the module. */
static const char *const fact_names[] = {"version", "license", "vermagic",
                                         "signed",  "signer",  "signer_serial"};
#define MODINFO_COUNT 3
#define FACT_COUNT    (sizeof(fact_names) / sizeof(fact_names[0]))

/* Where kernels keep their modules; the last one is NixOS's. */
static const char *const bases[] = {
    "/lib/modules",
    "/usr/lib/modules",
    "/run/booted-system/kernel-modules/lib/modules",
};

/* Where below a kernel's directory an nvidia module may lie: DKMS, akmods, weak modules, the .run
 * file, Ubuntu's prebuilt ones, Arch, NixOS. The rest of a kernel's tree is large and not searched.
 */
static const char *const places[] = {
    "updates",
    "extra",
    "extramodules",
    "weak-updates",
    "kernel/drivers/video",
    "kernel/drivers/char/drm",
    "misc",
    "volatile",
    "kernel/nvidia-*",
};

static const char *const compressions[] = {".xz", ".zst", ".gz"};

/* A walk below one kernel's directory. */
struct walk {
    const struct host *host;
    struct facts *facts;
    const char *kernel;
    const char *running; /* kernel release; NULL on a tree */
    size_t unpacked;
    size_t directories; /* that may still be listed, of all kernels together */
    size_t found;
    enum host_status status; /* of the first directory that could not be listed */
    struct error error;
};

static bool is_compressed(const char *path)
{
    for (size_t i = 0; i < sizeof(compressions) / sizeof(compressions[0]); i++)
        if (string_ends(path, compressions[i]))
            return true;
    return false;
}

bool module_file_is_nvidia(const char *name)
{
    static const char *const others[] = {"-uvm", "-drm", "-modeset", "-peermem", "-fs"};
    static const char *const own[] = {"nvidia-current", "nvidia-tesla", "nvidia-legacy",
                                      "nvidia-open"};
    const char *end = strstr(name, ".ko");
    if (end == NULL || (end[3] != '\0' && !is_compressed(end + 3)))
        return false;
    AUTO_FREE char *stem = mem_string_n(name, (size_t)(end - name));
    if (strcmp(stem, "nvidia") == 0)
        return true;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (string_ends(stem, others[i]))
            return false;
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        if (string_starts(stem, own[i]))
            return true;
    return false;
}

static const char *field_of(const struct strlist *fields, const char *key)
{
    size_t length = strlen(key);
    for (size_t i = 0; i < fields->count; i++)
        if (string_starts(fields->items[i], key) && fields->items[i][length] == '=')
            return fields->items[i] + length + 1;
    return NULL;
}

static void note_fields(struct facts *facts, const char *group, const struct strlist *fields,
                        const char *path)
{
    for (size_t i = 0; i < MODINFO_COUNT; i++)
        facts_set_string(facts, group, fact_names[i], field_of(fields, fact_names[i]), path);
}

/* Who signed it, by its last bytes. An unsigned module has no signer. */
static void note_signer(struct facts *facts, const char *group, const struct text *end,
                        const char *path)
{
    AUTO_KEY struct der_key key = {0};
    bool is_signed = end->size > 0 && der_module_signer(end->data, end->size, &key);
    facts_set_boolean(facts, group, "signed", is_signed, path);
    if (is_signed && key.name == NULL)
        facts_set_unknown(facts, group, "signer", "a signature in another format", path);
    else
        facts_set_string(facts, group, "signer", key.name, path);
    facts_set_string(facts, group, "signer_serial", key.serial, path);
}

static void note_signature(const struct host *host, struct facts *facts, const char *group,
                           const char *path)
{
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text end = {0};
    bool cut;
    enum host_status status = host_read_tail(host, path, SIGNATURE_MAX, &end, &cut, &error);
    if (status != HOST_OK) {
        for (size_t i = MODINFO_COUNT; i < FACT_COUNT; i++)
            note_missing(facts, group, fact_names[i], status, &error, path);
        return;
    }
    note_signer(facts, group, &end, path);
}

/* Unpacking takes time. Of modules for the kernel that runs it is worth it when theirs is not
 * loaded, which would say the same; in a tree, which has no running kernel, for a few. NULL: it is.
 */
static const char *not_unpacked(const struct walk *walk, const char *path)
{
    bool loaded = false;
    if (!packed_module_can(path))
        return "this build cannot unpack a module with this compression";
    facts_boolean(walk->facts, "module", "nvidia", &loaded);
    if (loaded)
        return "compressed; the loaded module has the same information";
    if (walk->running && strcmp(walk->running, walk->kernel) != 0)
        return "compressed, and for a kernel other than the running one";
    return walk->unpacked < UNPACKED_MAX
               ? NULL
               : "compressed; gpuenv has already unpacked enough other modules";
}

static void note_packed(struct walk *walk, const char *group, const char *path)
{
    AUTO_ERROR struct error error = {0};
    AUTO(packed_module_free) struct packed_module module = {.fields = {0}};
    const char *reason = not_unpacked(walk, path);
    if (reason) {
        for (size_t i = 0; i < FACT_COUNT; i++)
            facts_set_skipped(walk->facts, group, fact_names[i], reason, path);
        return;
    }
    walk->unpacked++;
    enum host_status status = packed_module_read(walk->host, path, true, &module, &error);
    if (status != HOST_OK) {
        for (size_t i = 0; i < FACT_COUNT; i++)
            note_missing(walk->facts, group, fact_names[i], status, &error, path);
        return;
    }
    note_fields(walk->facts, group, &module.fields, path);
    note_signer(walk->facts, group, &module.end, path);
}

static void note_modinfo(struct walk *walk, const char *group, const char *path)
{
    const struct host *host = walk->host;
    struct facts *facts = walk->facts;
    AUTO_ERROR struct error error = {0};
    AUTO_STRLIST struct strlist fields = {0};
    if (is_compressed(path)) {
        note_packed(walk, group, path);
        return;
    }
    note_signature(host, facts, group, path);
    enum host_status status = elf_read_modinfo(host, path, &fields, &error);
    if (status != HOST_OK) {
        for (size_t i = 0; i < MODINFO_COUNT; i++)
            note_missing(facts, group, fact_names[i], status, &error, path);
        return;
    }
    note_fields(facts, group, &fields, path);
}

/* name is the path below the base: "6.1.0-18-amd64/updates/dkms/nvidia.ko". */
static void note_file(struct walk *walk, const char *path, const char *name)
{
    struct host_stat stat;
    if (host_stat(walk->host, path, &stat, NULL) != HOST_OK || stat.type != HOST_REGULAR ||
        walk->found++ >= PROBE_INSTANCES)
        return;
    AUTO_FREE char *group = facts_group_name("module_file", name);
    facts_set_string(walk->facts, group, "path", path, path);
    facts_set_string(walk->facts, group, "kernel", walk->kernel, path);
    facts_set_integer(walk->facts, group, "modified", stat.modified, path);
    note_modinfo(walk, group, path);
}

static void note_failure(struct walk *walk, enum host_status status, struct error *error)
{
    if (status == HOST_OK || status == HOST_ABSENT || walk->status != HOST_OK)
        return;
    walk->status = status;
    walk->error = *error;
    *error = (struct error){0};
}

/* Links to files are followed (weak modules), links to directories are not: no circles. */
static void walk_directory(struct walk *walk, const char *base, const char *below, unsigned depth)
{
    AUTO_ERROR struct error error = {0};
    AUTO_STRLIST struct strlist names = {0};
    AUTO_FREE char *directory = mem_printf("%s/%s", base, below);
    if (depth > DEPTH_MAX || walk->directories == 0)
        return;
    walk->directories--;
    note_failure(walk, host_list(walk->host, directory, &names, &error), &error);
    for (size_t i = 0; i < names.count; i++) {
        AUTO_FREE char *name = mem_printf("%s/%s", below, names.items[i]);
        AUTO_FREE char *path = mem_printf("%s/%s", base, name);
        struct host_stat stat;
        if (module_file_is_nvidia(names.items[i]))
            note_file(walk, path, name);
        else if (strstr(names.items[i], ".ko") == NULL &&
                 host_lstat(walk->host, path, &stat, NULL) == HOST_OK &&
                 stat.type == HOST_DIRECTORY)
            walk_directory(walk, base, name, depth + 1);
    }
}

static void walk_kernel(struct walk *walk, const char *base, const char *kernel)
{
    walk->kernel = kernel;
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        if (strchr(places[i], '*') == NULL) {
            AUTO_FREE char *below = mem_printf("%s/%s", kernel, places[i]);
            walk_directory(walk, base, below, 0);
            continue;
        }
        AUTO_STRLIST struct strlist names = {0};
        AUTO_FREE char *parent = mem_printf("%s/%s/kernel", base, kernel);
        host_list(walk->host, parent, &names, NULL);
        for (size_t k = 0; k < names.count; k++) {
            AUTO_FREE char *below = mem_printf("%s/kernel/%s", kernel, names.items[k]);
            if (string_starts(names.items[k], "nvidia-"))
                walk_directory(walk, base, below, 0);
        }
    }
}

static void walk_base(struct walk *walk, const char *base)
{
    AUTO_ERROR struct error error = {0};
    AUTO_STRLIST struct strlist kernels = {0};
    note_failure(walk, host_list(walk->host, base, &kernels, &error), &error);
    for (size_t i = 0; i < kernels.count && !host_is_late(walk->host); i++)
        walk_kernel(walk, base, kernels.items[i]);
}

void probe_module_file(const struct probe_context *context, struct facts *facts)
{
    struct host_kernel kernel;
    struct walk walk = {
        .host = context->host, .facts = facts, .directories = DIRECTORIES_MAX, .status = HOST_OK};
    if (host_kernel(context->host, &kernel))
        walk.running = kernel.release;
    AUTO_STRLIST struct strlist seen = {0};
    for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++) {
        /* Where /lib is a link to /usr/lib, two of them are the same. */
        AUTO_FREE char *real = NULL;
        if (host_real_path(context->host, bases[i], &real, NULL) == HOST_OK &&
            strlist_add_new(&seen, real))
            walk_base(&walk, bases[i]);
    }
    if (seen.count == 0)
        facts_set_absent(facts, "module_file", "count", bases[0]);
    else if (walk.status != HOST_OK)
        note_missing(facts, "module_file", "count", walk.status, &walk.error, bases[0]);
    else if (walk.directories == 0 || walk.found > PROBE_INSTANCES)
        facts_set_unknown(facts, "module_file", "count", "too many directories to search",
                          bases[0]);
    else
        facts_set_integer(facts, "module_file", "count", (int64_t)walk.found, bases[0]);
    error_clear(&walk.error);
}
