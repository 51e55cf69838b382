/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "host/root/file.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"
#include "probe/kernel/module_row.h"
#include "probe/kernel/nvrm.h"

#define MODULES      "/proc/modules"
#define MODULES_MAX  (4u << 20)
#define SYS_MODULE   "/sys/module"
#define NVRM_VERSION "/proc/driver/nvidia/version"
#define NVRM_MAX     16384

const struct module_row module_rows[MODULE_ROWS] = {
    {.module = "nvidia", .name = "nvidia", .sign = NVRM_VERSION},
    {.module = "nvidia_uvm", .name = "nvidia_uvm"},
    {.module = "nvidia_drm", .name = "nvidia_drm"},
    {.module = "nvidia_vgpu_vfio", .name = "nvidia_vgpu"},
    {.module = "nouveau", .name = "nouveau"},
    {.module = "nova_core", .name = "nova"},
    {.module = "vfio_pci", .name = "vfio_pci"},
};

/* The two lists of what is loaded. Either is enough; kernels without loadable modules have no
 * /proc/modules, but a directory in /sys/module for what is built in. */
struct module_lists {
    struct text modules;
    enum host_status modules_status;
    enum host_status sys_status;
    struct error error;
};

static bool list_names(const char *modules, const char *name)
{
    size_t length = strlen(name);
    for (const char *line = modules; line && *line;) {
        if (strncmp(line, name, length) == 0 && line[length] == ' ')
            return true;
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    return false;
}

static void note_module(const struct host *host, struct facts *facts,
                        const struct module_lists *lists, const struct module_row *row)
{
    AUTO_FREE char *directory = mem_printf(SYS_MODULE "/%s", row->module);
    if (host_is_directory(host, directory))
        facts_set_boolean(facts, "module", row->name, true, directory);
    else if (list_names(text_string(&lists->modules), row->module))
        facts_set_boolean(facts, "module", row->name, true, MODULES);
    else if (row->sign && host_exists(host, row->sign))
        facts_set_boolean(facts, "module", row->name, true, row->sign);
    else if (note_sandboxed(facts, "module", row->name, SYS_MODULE))
        return;
    else if (lists->modules_status == HOST_OK)
        facts_set_boolean(facts, "module", row->name, false, MODULES);
    else if (lists->sys_status == HOST_OK)
        facts_set_boolean(facts, "module", row->name, false, SYS_MODULE);
    else
        note_missing_below(host, facts, "module", row->name, lists->modules_status, &lists->error,
                           MODULES, SYS_MODULE);
}

static void note_modules(const struct host *host, struct facts *facts)
{
    struct module_lists lists = {0};
    AUTO_STRLIST struct strlist names = {0};
    lists.modules_status = note_read_text(host, MODULES, MODULES_MAX, &lists.modules, &lists.error);
    lists.sys_status = host_list(host, SYS_MODULE, &names, NULL);
    for (size_t i = 0; i < sizeof(module_rows) / sizeof(module_rows[0]); i++)
        note_module(host, facts, &lists, &module_rows[i]);
    text_free(&lists.modules);
    error_clear(&lists.error);
}

/* "absent" needs a sign that the module is not loaded. Where it is, it has a version, whether or
 * not its file is shown here. */
static void note_no_nvrm(const struct host *host, struct facts *facts, enum host_status status,
                         const struct error *error)
{
    static const char *const names[] = {"version_line", "compiler", "version", "flavour"};
    bool loaded = false;
    bool known = facts_boolean(facts, "module", "nvidia", &loaded);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (!note_sandboxed(facts, "module", names[i], NVRM_VERSION))
            note_missing_below(host, facts, "module", names[i], status, error, NVRM_VERSION,
                               known ? "/" : MODULES);
    for (size_t i = 2; loaded && i < sizeof(names) / sizeof(names[0]); i++)
        facts_set_unknown(facts, "module", names[i],
                          "the module is loaded, but does not report this", NVRM_VERSION);
}

static void note_part(struct facts *facts, const char *name, const char *value, const char *problem)
{
    if (value == NULL && problem)
        facts_set_unknown(facts, "module", name, problem, NVRM_VERSION);
    else
        facts_set_string(facts, "module", name, value, NVRM_VERSION);
}

static void note_nvrm(const struct host *host, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    enum host_status status = host_read(host, NVRM_VERSION, NVRM_MAX, &text, &error);
    if (status != HOST_OK) {
        note_no_nvrm(host, facts, status, &error);
        return;
    }
    AUTO(nvrm_free) struct nvrm nvrm = {0};
    nvrm_parse(text.data, text.size, &nvrm);
    note_part(facts, "version_line", nvrm.line, nvrm.problem);
    note_part(facts, "version", nvrm.version, nvrm.problem);
    note_part(facts, "flavour", nvrm.flavour, nvrm.problem);
    note_part(facts, "compiler", nvrm.compiler, nvrm.line ? NULL : nvrm.problem);
}

/* sysfs answers where procfs does not: the version, and by the taint that loading it left (P:
 * proprietary; Documentation/admin-guide/tainted-kernels) the flavour. */
static void note_from_sysfs(const struct host *host, struct facts *facts)
{
    static const char version[] = SYS_MODULE "/nvidia/version";
    static const char taint[] = SYS_MODULE "/nvidia/taint";
    AUTO_FREE char *line = NULL;
    AUTO_FREE char *letters = NULL;
    if (facts_string(facts, "module", "version") == NULL &&
        host_read_line(host, version, &line, NULL) == HOST_OK && line[0])
        facts_set_string(facts, "module", "version", line, version);
    if (facts_string(facts, "module", "flavour") == NULL &&
        host_read_line(host, taint, &letters, NULL) == HOST_OK && strchr(letters, 'O'))
        facts_set_string(facts, "module", "flavour", strchr(letters, 'P') ? "proprietary" : "open",
                         taint);
}

static void note_uvm_version(const struct host *host, struct facts *facts)
{
    static const char path[] = SYS_MODULE "/nvidia_uvm/version";
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *line = NULL;
    bool loaded = true;
    enum host_status status = host_read_line(host, path, &line, &error);
    if (facts_boolean(facts, "module", "nvidia_uvm", &loaded) && !loaded)
        facts_set_absent(facts, "module", "uvm_version", path);
    else if (status != HOST_OK)
        note_missing_below(host, facts, "module", "uvm_version", status, &error, path, SYS_MODULE);
    else
        note_line(host, facts, "module", "uvm_version", path);
}

/* What request_firmware() would find: /lib/firmware/nvidia/RELEASE. */
static void note_firmware(const struct host *host, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_STRLIST struct strlist names = {0};
    AUTO_STRLIST struct strlist files = {0};
    const char *version = facts_string(facts, "module", "version");
    if (version == NULL || strchr(version, '/')) {
        facts_set_skipped(facts, "module", "firmware", "no version of a loaded module is known",
                          NVRM_VERSION);
        return;
    }
    AUTO_FREE char *directory = mem_printf("/lib/firmware/nvidia/%s", version);
    enum host_status status = host_list(host, directory, &names, &error);
    for (size_t i = 0; i < names.count && i < PROBE_INSTANCES; i++)
        if (string_starts(names.items[i], "gsp"))
            strlist_add(&files, names.items[i]);
    if (status == HOST_OK)
        facts_set_list(facts, "module", "firmware", &files, directory);
    else
        note_missing(facts, "module", "firmware", status, &error, directory);
}

/* Modules that need it, and files of its that programs have open; as lsmod shows it. */
static void note_users(const struct host *host, struct facts *facts, const char *module,
                       const char *name)
{
    AUTO_FREE char *path = mem_printf(SYS_MODULE "/%s/refcnt", module);
    bool loaded = true;
    if (facts_boolean(facts, "module", module, &loaded) && !loaded)
        facts_set_absent(facts, "module", name, path);
    else
        note_integer(host, facts, "module", name, path);
}

void probe_module(const struct probe_context *context, struct facts *facts)
{
    note_modules(context->host, facts);
    note_nvrm(context->host, facts);
    note_from_sysfs(context->host, facts);
    note_uvm_version(context->host, facts);
    note_firmware(context->host, facts);
    note_users(context->host, facts, "nvidia", "nvidia_users");
    note_users(context->host, facts, "nvidia_uvm", "uvm_users");
}
