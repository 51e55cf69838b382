/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "host/root/file.h"
#include "probe/engine/build_log.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"
#include "probe/kernel/module_file.h"
#include "probe/places/path_match.h"

/* dkms(8), and its script: DKMS/<module>/<version>/source is there once a module is added,
 * …/<version>/<kernel>/<arch>/module/ once it is built, and the link DKMS/<module>/kernel-<kernel>-
 * <arch> leads to <version>/<kernel>/<arch> once it is installed. */
#define DKMS        "/var/lib/dkms"
#define KERNELS_MAX 1024
#define LOGS_MAX    32

enum dkms_state { DKMS_ADDED, DKMS_BUILT, DKMS_INSTALLED };

static const char *const state_names[] = {
    [DKMS_ADDED] = "added", [DKMS_BUILT] = "built", [DKMS_INSTALLED] = "installed"};

/* One module in one version. */
struct item {
    const struct host *host;
    const char *module;
    const char *version;
    char *directory;
    enum dkms_state state;
    struct strlist kernels;
};

/* Where no link tells, an nvidia module in DKMS's place is taken for this one. */
static bool is_in_place(const struct host *host, const char *kernel)
{
    AUTO_FREE char *directory = mem_printf("/lib/modules/%s/updates/dkms", kernel);
    AUTO_STRLIST struct strlist names = {0};
    host_list(host, directory, &names, NULL);
    for (size_t i = 0; i < names.count; i++)
        if (module_file_is_nvidia(names.items[i]))
            return true;
    return false;
}

static bool is_installed(const struct item *item, const char *kernel, const char *arch)
{
    AUTO_FREE char *link = mem_printf(DKMS "/%s/kernel-%s-%s", item->module, kernel, arch);
    AUTO_FREE char *target = NULL;
    enum host_status status = host_read_link(item->host, link, &target, NULL);
    if (status != HOST_OK)
        return is_in_place(item->host, kernel);
    AUTO_FREE char *relative = mem_printf("%s/%s/%s", item->version, kernel, arch);
    AUTO_FREE char *absolute = mem_printf("%s/%s/%s", item->directory, kernel, arch);
    return strcmp(target, relative) == 0 || strcmp(target, absolute) == 0;
}

static bool is_built(const struct item *item, const char *kernel, const char *arch)
{
    AUTO_FREE char *module = mem_printf("%s/%s/%s/module", item->directory, kernel, arch);
    AUTO_STRLIST struct strlist files = {0};
    return host_list(item->host, module, &files, NULL) == HOST_OK && files.count > 0;
}

static void walk_kernel(struct item *item, const char *kernel)
{
    AUTO_FREE char *directory = mem_printf("%s/%s", item->directory, kernel);
    AUTO_STRLIST struct strlist archs = {0};
    host_list(item->host, directory, &archs, NULL);
    for (size_t i = 0; i < archs.count; i++) {
        if (!is_built(item, kernel, archs.items[i]))
            continue;
        strlist_add_new(&item->kernels, kernel);
        enum dkms_state state =
            is_installed(item, kernel, archs.items[i]) ? DKMS_INSTALLED : DKMS_BUILT;
        if (state > item->state)
            item->state = state;
    }
}

/* The newest log: of a build that failed …/VERSION/build/make.log, of one that ended, and in newer
 * releases of both, …/VERSION/KERNEL/ARCH/log/make.log. */
static void newest_log(const struct item *item, struct build_log *newest, char **ret_problem)
{
    static const char *const patterns[] = {"build/make.log", "*/*/log/make.log"};
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
        AUTO_STRLIST struct strlist paths = {0};
        path_match(item->host, item->directory, patterns[i], &paths);
        for (size_t k = 0; k < paths.count && k < LOGS_MAX; k++) {
            AUTO_ERROR struct error error = {0};
            struct build_log log;
            enum host_status status = build_log_read(item->host, paths.items[k], &log, &error);
            if (status != HOST_OK && *ret_problem == NULL)
                *ret_problem =
                    mem_printf("%s: %s", paths.items[k], error.why ? error.why : "cannot be read");
            if (status == HOST_OK && (newest->path == NULL || log.modified > newest->modified)) {
                build_log_free(newest);
                *newest = log;
            } else {
                build_log_free(&log);
            }
        }
    }
}

static void note_log(const struct item *item, struct facts *facts, const char *group)
{
    static const char *const names[] = {"log", "log_kernel", "log_outcome", "log_errors"};
    AUTO(build_log_free) struct build_log log = {0};
    AUTO_FREE char *problem = NULL;
    newest_log(item, &log, &problem);
    if (log.path) {
        facts_set_string(facts, group, names[0], log.path, log.path);
        facts_set_string(facts, group, names[1], log.kernel, log.path);
        facts_set_string(facts, group, names[2], log.outcome, log.path);
        facts_set_list(facts, group, names[3], &log.errors, log.path);
        return;
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (problem)
            facts_set_unknown(facts, group, names[i], problem, item->directory);
        else
            facts_set_absent(facts, group, names[i], item->directory);
    }
}

static void note_item(const struct item *item, struct facts *facts)
{
    AUTO_FREE char *instance = mem_printf("%s/%s", item->module, item->version);
    AUTO_FREE char *group = facts_group_name("dkms", instance);
    facts_set_string(facts, group, "module", item->module, item->directory);
    facts_set_string(facts, group, "version", item->version, item->directory);
    facts_set_string(facts, group, "state", state_names[item->state], item->directory);
    facts_set_list(facts, group, "kernels", &item->kernels, item->directory);
    note_log(item, facts, group);
}

/* False when the version's directory cannot be read: then nothing is known of it. */
static bool walk_version(const struct host *host, struct facts *facts, const char *module,
                         const char *version)
{
    AUTO_FREE char *directory = mem_printf(DKMS "/%s/%s", module, version);
    AUTO_STRLIST struct strlist names = {0};
    if (host_list(host, directory, &names, NULL) != HOST_OK)
        return false;
    struct item item = {.host = host, .module = module, .version = version, .directory = directory};
    for (size_t i = 0; i < names.count && i < KERNELS_MAX; i++)
        if (strcmp(names.items[i], "source") != 0 && strcmp(names.items[i], "build") != 0)
            walk_kernel(&item, names.items[i]);
    note_item(&item, facts);
    strlist_free(&item.kernels);
    return true;
}

/* How many module versions there are, and how many of them could not be read. */
struct tally {
    size_t found;
    size_t unreadable;
};

static void walk_module(const struct host *host, struct facts *facts, const char *module,
                        struct tally *tally)
{
    AUTO_FREE char *directory = mem_printf(DKMS "/%s", module);
    AUTO_STRLIST struct strlist versions = {0};
    enum host_status status = host_list(host, directory, &versions, NULL);
    if (status != HOST_OK && status != HOST_ABSENT)
        tally->unreadable++;
    for (size_t i = 0; i < versions.count; i++) {
        AUTO_FREE char *path = mem_printf("%s/%s", directory, versions.items[i]);
        struct host_stat stat;
        if (host_lstat(host, path, &stat, NULL) != HOST_OK || stat.type != HOST_DIRECTORY)
            continue;
        if (tally->found++ < PROBE_INSTANCES &&
            !walk_version(host, facts, module, versions.items[i]))
            tally->unreadable++;
    }
}

void probe_dkms(const struct probe_context *context, struct facts *facts)
{
    const struct host *host = context->host;
    AUTO_ERROR struct error error = {0};
    AUTO_STRLIST struct strlist modules = {0};
    enum host_status status = host_list(host, DKMS, &modules, &error);
    if (status != HOST_OK) {
        note_missing(facts, "dkms", "count", status, &error, DKMS);
        return;
    }
    struct tally tally = {0};
    for (size_t i = 0; i < modules.count; i++)
        if (string_starts(modules.items[i], "nvidia"))
            walk_module(host, facts, modules.items[i], &tally);
    if (tally.unreadable > 0)
        facts_set_unknown(facts, "dkms", "count", "some directories cannot be read", DKMS);
    else if (tally.found > PROBE_INSTANCES)
        facts_set_unknown(facts, "dkms", "count", "too many versions to keep", DKMS);
    else
        facts_set_integer(facts, "dkms", "count", (int64_t)tally.found, DKMS);
}
