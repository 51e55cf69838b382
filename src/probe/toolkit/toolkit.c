/* SPDX-License-Identifier: MIT */
#include "probe/engine/probes.h"

#include "base/path.h"
#include "probe/engine/build_log.h"
#include "probe/engine/note.h"
#include "probe/places/path_match.h"
#include "probe/places/site.h"
#include "probe/places/toolkit_root.h"
#include "probe/toolkit/toolkit_build.h"

#define DEFAULT_ROOT "/usr/local/cuda"
#define DENIED       "this user may not read this directory"

static void note_default(const struct host *host, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *target = NULL;
    struct host_stat stat;
    enum host_status status = host_lstat(host, DEFAULT_ROOT, &stat, &error);
    if (status == HOST_OK && stat.type == HOST_LINK)
        status = host_read_link(host, DEFAULT_ROOT, &target, &error);
    if (status == HOST_OK) /* a directory is no link: absent */
        facts_set_string(facts, "toolkit", "default_link", target, DEFAULT_ROOT);
    else
        note_missing(facts, "toolkit", "default_link", status, &error, DEFAULT_ROOT);

    AUTO_FREE char *real = NULL;
    status = host_real_path(host, DEFAULT_ROOT, &real, &error);
    if (status == HOST_OK)
        facts_set_string(facts, "toolkit", "default", real, DEFAULT_ROOT);
    else
        note_missing(facts, "toolkit", "default", status, &error, DEFAULT_ROOT);
}

static void note_nvcc_on_path(const struct host *host, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *nvcc = toolkit_nvcc_on_path(host);
    AUTO_FREE char *real = NULL;
    if (nvcc == NULL && !host_is_live(host) && host_environment(host, "PATH") == NULL) {
        facts_set_skipped(facts, "toolkit", "nvcc_on_path", "a tree has no PATH", "PATH");
        return;
    }
    if (nvcc == NULL) {
        AUTO_STRLIST struct strlist looked_into = {0};
        if (path_list(host_environment(host, "PATH"), &looked_into))
            facts_set_absent(facts, "toolkit", "nvcc_on_path", "PATH");
        else
            facts_set_unknown(facts, "toolkit", "nvcc_on_path",
                              "more directories than gpuenv looks at", "PATH");
        return;
    }
    enum host_status status = host_real_path(host, nvcc, &real, &error);
    if (status == HOST_OK)
        facts_set_string(facts, "toolkit", "nvcc_on_path", real, nvcc);
    else
        note_missing(facts, "toolkit", "nvcc_on_path", status, &error, nvcc);
}

static void note_nvcc_version(const struct probe_context *context, const char *root,
                              struct facts *facts, const char *group)
{
    if (context->deep && host_is_live(context->host))
        toolkit_note_nvcc(context->host, root, context->deadline_ms, facts, group);
    else
        facts_set_skipped(facts, group, "nvcc_version", "--deep on the live machine runs nvcc",
                          "nvcc --version");
}

static void note_missing_parts(const struct host *host, const struct toolkit_root *root,
                               struct facts *facts, const char *group)
{
    if (root->denied) {
        facts_set_unknown(facts, group, "missing", DENIED, root->path);
        return;
    }
    AUTO_STRLIST struct strlist missing = {0};
    toolkit_missing(host, root->path, &missing);
    facts_set_list(facts, group, "missing", &missing, root->path);
}

static void note_compat(const struct host *host, const struct toolkit_root *root,
                        struct facts *facts, const char *group)
{
    AUTO_FREE char *compat = path_join(root->path, "compat");
    if (root->denied) {
        facts_set_unknown(facts, group, "compat_path", DENIED, compat);
        return;
    }
    bool found = path_matches(host, compat, "libcuda.so*");
    facts_set_string(facts, group, "compat_path", found ? compat : NULL, compat);
}

static void note_root(const struct probe_context *context, const struct toolkit_root *root,
                      struct facts *facts)
{
    AUTO_FREE char *group = facts_group_name("toolkit", root->path);
    facts_set_string(facts, group, "path", root->path, root->path);
    facts_set_list(facts, group, "named_by", &root->named_by, root->path);
    toolkit_note_version(context->host, root, facts, group);
    facts_set_string(facts, group, "origin", root->origin, root->path);
    note_missing_parts(context->host, root, facts, group);
    note_nvcc_version(context, root->path, facts, group);
    note_compat(context->host, root, facts, group);
    toolkit_note_headers(context->host, root, facts, group);
    toolkit_note_compiler(context->host, root, facts, group);
    toolkit_note_libraries(context->host, root, facts, group);
    toolkit_note_includes(context->host, root, facts, group);
    toolkit_note_programs(context->host, root, facts, group);
    toolkit_note_wheels(context->host, root, facts, group);
}

/* What the toolkit's .run file wrote when it last ran: as root, or as a user. */
static void note_installer_log(const struct host *host, struct facts *facts)
{
    static const char *const logs[] = {"/var/log/cuda-installer.log", "/tmp/cuda-installer.log"};
    const char *path = logs[host_exists(host, logs[0]) || !host_exists(host, logs[1]) ? 0 : 1];
    AUTO_ERROR struct error error = {0};
    AUTO(build_log_free) struct build_log log = {0};
    enum host_status status = build_log_read(host, path, &log, &error);
    if (status == HOST_OK)
        facts_set_list(facts, "toolkit", "installer_errors", &log.errors, path);
    else
        note_missing(facts, "toolkit", "installer_errors", status, &error, path);
}

void probe_toolkit(const struct probe_context *context, struct facts *facts)
{
    static const char source[] = "/usr/local, /opt, environment, PATH, Python packages";
    AUTO_STRLIST struct strlist sites = {0};
    AUTO_ROOTS struct toolkit_roots roots = {0};
    site_directories(context->host, context->pythons, context->sites, &sites);
    toolkit_roots_find(context->host, &sites, &roots);
    if (roots.truncated)
        facts_set_unknown(facts, "toolkit", "count", "more than gpuenv looks at", source);
    else
        facts_set_integer(facts, "toolkit", "count", (int64_t)roots.count, source);
    note_default(context->host, facts);
    note_nvcc_on_path(context->host, facts);
    note_installer_log(context->host, facts);
    toolkit_note_variables(context->host, facts);
    for (size_t i = 0; i < roots.count; i++)
        note_root(context, &roots.items[i], facts);
}
