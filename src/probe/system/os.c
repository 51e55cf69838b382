/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/version.h"
#include "host/elf/elf.h"
#include "host/packages/pacman.h"
#include "host/packages/rpm.h"
#include "host/root/file.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"
#include "probe/system/dpkg.h"
#include "probe/system/system_field.h"

#define RELEASE_MAX 65536
#define GROUP_MAX   (1u << 20)

static void note_release_line(struct facts *facts, char *line, const char *path)
{
    line = string_trim(line);
    char *equals = strchr(line, '=');
    if (equals == NULL)
        return;
    *equals = '\0';
    for (size_t i = 0; i < RELEASE_FIELDS; i++)
        if (strcmp(line, release_fields[i].key) == 0)
            facts_set_string(facts, "os", release_fields[i].name, release_value(equals + 1), path);
}

static void note_release(const struct host *host, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    const char *path = "/etc/os-release";
    enum host_status status = note_read_text(host, path, RELEASE_MAX, &text, &error);
    if (status == HOST_ABSENT) {
        path = "/usr/lib/os-release";
        status = note_read_text(host, path, RELEASE_MAX, &text, &error);
    }
    for (size_t i = 0; i < RELEASE_FIELDS; i++) {
        if (status == HOST_OK)
            facts_set_absent(facts, "os", release_fields[i].name, path);
        else
            note_missing(facts, "os", release_fields[i].name, status, &error, path);
    }
    char *cursor = text.data;
    for (char *line; (line = string_next_line(&cursor));)
        note_release_line(facts, line, path);
}

static void note_architecture(const struct loader *loader, struct facts *facts)
{
    static const char source[] = "ELF header of the system's programs";
    char buffer[24];
    unsigned bits = loader_bits(loader);
    if (bits == 0)
        facts_set_unknown(facts, "os", "architecture", "no program of the system could be read",
                          source);
    else
        facts_set_string(facts, "os", "architecture",
                         elf_machine_name(loader_machine(loader), bits, buffer), source);
}

/* True when path is a C library that says which glibc it is; else the failure stays in error. */
static bool note_glibc_of(const struct host *host, struct facts *facts, const char *path,
                          struct error *error)
{
    AUTO_ELF struct elf_info info = {0};
    AUTO_ERROR struct error failure = {0};
    enum host_status status = elf_read(host, path, &info, &failure);
    if (status == HOST_OK && info.glibc_defined) {
        facts_set_string(facts, "os", "glibc_version", info.glibc_defined, path);
        return true;
    }
    if (status == HOST_DENIED || status == HOST_FAILED) {
        error_clear(error);
        *error = failure;
        failure = (struct error){0};
    }
    return false;
}

static bool note_glibc_file(const struct probe_context *context, struct facts *facts,
                            struct error *error)
{
    static const char *const patterns[] = {
        "/lib/*-linux-gnu*/libc.so.6",
        "/usr/lib/*-linux-gnu*/libc.so.6",
        "/lib64/libc.so.6",
        "/usr/lib64/libc.so.6",
        "/lib/libc.so.6",
        "/usr/lib/libc.so.6",
    };
    AUTO_STRLIST struct strlist paths = {0};
    AUTO_HIT struct loader_hit hit = {0};
    loader_find(context->loader, "libc.so.6", NULL, NULL, NULL, &hit);
    if (hit.path)
        strlist_add(&paths, hit.path);
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
        host_glob(context->host, patterns[i], &paths);
    for (size_t i = 0; i < paths.count; i++)
        if (note_glibc_of(context->host, facts, paths.items[i], error))
            return true;
    return false;
}

/* rpm's and pacman's glibc; a release stands behind the version. */
static bool is_glibc(const char *name)
{
    return strcmp(name, "glibc") == 0;
}

static void note_glibc_version(struct facts *facts, const char *text, const char *path)
{
    struct version version;
    char buffer[VERSION_TEXT_SIZE];
    if (version_parse_prefix(text, &version))
        facts_set_string(facts, "os", "glibc_version", version_text(&version, 0, buffer), path);
}

static void note_glibc_rpm(const struct rpm_package *package, void *data)
{
    note_glibc_version(data, package->version, package->path);
}

static void note_glibc_pacman(const struct pacman_package *package, void *data)
{
    note_glibc_version(data, package->version, package->directory);
}

static void note_glibc_package(const struct dpkg_package *package, void *data)
{
    if (strcmp(package->name, "libc6") == 0 && package->version && dpkg_is_present(package))
        note_glibc_version(data, package->version, package->path);
}

static void note_glibc(const struct probe_context *context, struct facts *facts)
{
    static const char source[] = "libc.so.6";
    AUTO_ERROR struct error error = {0};
    const char *running = host_libc_version(context->host);
    if (running) {
        facts_set_string(facts, "os", "glibc_version", running, "gnu_get_libc_version(3)");
        return;
    }
    if (note_glibc_file(context, facts, &error))
        return;
    if (error_is_set(&error))
        note_missing(facts, "os", "glibc_version", HOST_FAILED, &error, source);
    else
        facts_set_absent(facts, "os", "glibc_version", source);
    struct rpm_search rpm = {.wants = is_glibc, .each = note_glibc_rpm, .data = facts};
    const char *path;
    size_t count = 0;
    dpkg_each(context->host, note_glibc_package, facts, &count, NULL);
    if (count == 0 && rpm_each(context->host, &rpm, &count, &path, NULL) == HOST_ABSENT)
        pacman_each(context->host, is_glibc, note_glibc_pacman, facts, &count, NULL);
}

/* group(5), "video:x:44:": members are nobody's business. */
static void note_group_line(struct strlist *groups, char *line)
{
    static const char *const names[] = {"video", "render", "nvidia", "vglusers", "gpu"};
    const char *name = strsep(&line, ":");
    strsep(&line, ":");
    const char *number = strsep(&line, ":");
    unsigned long long id;
    for (size_t i = 0; number && i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(name, names[i]) == 0 && string_to_unsigned(number, &id))
            strlist_take(groups, mem_printf("%llu %s", id, name));
}

static void note_groups(const struct host *host, struct facts *facts)
{
    static const char path[] = "/etc/group";
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    AUTO_STRLIST struct strlist groups = {0};
    enum host_status status = note_read_text(host, path, GROUP_MAX, &text, &error);
    if (status != HOST_OK) {
        note_missing(facts, "os", "device_groups", status, &error, path);
        return;
    }
    char *cursor = text.data;
    for (char *line; (line = string_next_line(&cursor));)
        note_group_line(&groups, line);
    facts_set_list(facts, "os", "device_groups", &groups, path);
}

/* Systems that are images of ostree's: Fedora's atomic desktops, CoreOS, bootc. */
static void note_ostree(const struct host *host, struct facts *facts)
{
    static const char booted[] = "/run/ostree-booted";
    facts_set_boolean(facts, "os", "ostree",
                      host_exists(host, booted) || host_exists(host, "/ostree"), booted);
}

/* Containers and images mostly have none. */
static void note_sudo(const struct host *host, struct facts *facts)
{
    static const char *const paths[] = {"/usr/bin/sudo", "/bin/sudo", "/usr/local/bin/sudo",
                                        "/run/wrappers/bin/sudo"};
    facts_set_absent(facts, "os", "sudo", paths[0]);
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        if (!host_exists(host, paths[i]))
            continue;
        facts_set_string(facts, "os", "sudo", paths[i], paths[i]);
        return;
    }
}

void probe_os(const struct probe_context *context, struct facts *facts)
{
    note_release(context->host, facts);
    note_ostree(context->host, facts);
    note_architecture(context->loader, facts);
    note_glibc(context, facts);
    note_groups(context->host, facts);
    note_sudo(context->host, facts);
}
