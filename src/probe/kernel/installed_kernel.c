/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "host/root/file.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"

/* Kernels that modules can be built for: kernel, modules and headers (or "devel") are packages of
 * their own, and one may be missing. */
#define BASE        "/lib/modules"
#define VERSION     "/proc/version"
#define CONFIG_MAX  (4u << 20)
#define CONFIGS_MAX 8 /* of this many kernels the configuration is read: some 300 KB each */

static void note_image(const struct host *host, struct facts *facts, const char *group,
                       const char *release)
{
    static const char *const patterns[] = {"/boot/vmlinuz-%s", "/boot/vmlinux-%s",
                                           "/boot/Image-%s"};
    AUTO_FREE char *own = mem_printf(BASE "/%s/vmlinuz", release);
    bool there = host_exists(host, own);
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]) && !there; i++) {
        size_t length = strlen(patterns[i]) - strlen("%s");
        AUTO_FREE char *path = mem_printf("%.*s%s", (int)length, patterns[i], release);
        there = host_exists(host, path);
    }
    facts_set_boolean(facts, group, "image", there, "/boot");
}

static void note_headers(const struct host *host, struct facts *facts, const char *group,
                         const char *release)
{
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *path = mem_printf(BASE "/%s/build", release);
    AUTO_FREE char *target = NULL;
    struct host_stat stat;
    enum host_status status = host_stat(host, path, &stat, &error);
    if (status == HOST_OK || status == HOST_ABSENT)
        facts_set_boolean(facts, group, "headers", status == HOST_OK && stat.type == HOST_DIRECTORY,
                          path);
    else
        note_missing(facts, group, "headers", status, &error, path);
    if (host_read_link(host, path, &target, NULL) == HOST_OK)
        facts_set_string(facts, group, "headers_path", target, path);
    else
        facts_set_absent(facts, group, "headers_path", path);
}

/* CONFIG_CC_VERSION_TEXT="gcc-12 (Debian 12.2.0-14) 12.2.0" */
static void note_setting(struct facts *facts, const char *group, char *line, const char *path)
{
    static const char compiler[] = "CONFIG_CC_VERSION_TEXT=\"";
    if (string_equal(line, "CONFIG_MODULE_SIG_FORCE=y"))
        facts_set_boolean(facts, group, "signature_forced", true, path);
    if (!string_starts(line, compiler))
        return;
    char *text = line + strlen(compiler);
    text[strcspn(text, "\"")] = '\0';
    facts_set_string(facts, group, "compiler", text, path);
}

/* Where the configuration is: Debian and its kin /boot, Fedora and its kin also beside the modules,
 * and the headers have a copy. */
static void note_configuration(const struct host *host, struct facts *facts, const char *group,
                               const char *release)
{
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *boot = mem_printf("/boot/config-%s", release);
    AUTO_FREE char *own = mem_printf(BASE "/%s/config", release);
    AUTO_FREE char *headers = mem_printf(BASE "/%s/build/.config", release);
    const char *const paths[] = {boot, own, headers};
    AUTO_TEXT struct text text = {0};
    enum host_status status = HOST_ABSENT;
    const char *path = boot;
    for (size_t i = 0; i < 3 && status == HOST_ABSENT; i++) {
        status = note_read_text(host, paths[i], CONFIG_MAX, &text, &error);
        path = status == HOST_ABSENT ? path : paths[i];
    }
    if (status != HOST_OK) {
        note_missing(facts, group, "compiler", status, &error, path);
        note_missing(facts, group, "signature_forced", status, &error, path);
        return;
    }
    facts_set_absent(facts, group, "compiler", path);
    facts_set_boolean(facts, group, "signature_forced", false, path);
    char *cursor = text.data;
    for (char *line; (line = string_next_line(&cursor));)
        note_setting(facts, group, line, path);
}

static void note_kernel(const struct host *host, struct facts *facts, const char *release,
                        bool configuration)
{
    static const char reason[] = "more kernels than gpuenv looks at";
    AUTO_FREE char *group = facts_group_name("installed_kernel", release);
    AUTO_FREE char *dependencies = mem_printf(BASE "/%s/modules.dep", release);
    facts_set_string(facts, group, "release", release, BASE);
    facts_set_boolean(facts, group, "modules", host_exists(host, dependencies), dependencies);
    note_image(host, facts, group, release);
    note_headers(host, facts, group, release);
    if (configuration) {
        note_configuration(host, facts, group, release);
        return;
    }
    facts_set_skipped(facts, group, "compiler", reason, BASE);
    facts_set_skipped(facts, group, "signature_forced", reason, BASE);
}

/* The digits behind the first "gcc": "(gcc-12 (Debian 12.2.0-14) 12.2.0, GNU ld …)", "(gcc (GCC)
 * 11.4.1 20231218 …)", "(x86_64-linux-gnu-gcc-13 (Ubuntu …) 13.2.0, …)", "gcc version 9.4.0 (…)".
 * The full version is the last word before the comma, or before a date. */
static char *gcc_major(const char *text)
{
    const char *gcc = strstr(text, "gcc");
    if (gcc == NULL)
        return NULL;
    for (const char *at = gcc + strlen("gcc"); *at && *at != ','; at++) {
        size_t major = strspn(at, "0123456789");
        bool starts = at[-1] == ' ' || at[-1] == '-';
        if (major > 0 && major < 4 && starts && (at[major] == '.' || at[-1] == '-'))
            return mem_string_n(at, major);
    }
    return NULL;
}

static void note_running(const struct host *host, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *line = NULL;
    enum host_status status = host_read_line(host, VERSION, &line, &error);
    AUTO_FREE char *major = status == HOST_OK ? gcc_major(line) : NULL;
    if (status == HOST_OK)
        facts_set_string(facts, "installed_kernel", "running_compiler", major, VERSION);
    else
        note_missing_below(host, facts, "installed_kernel", "running_compiler", status, &error,
                           VERSION, VERSION);
}

void probe_installed_kernel(const struct probe_context *context, struct facts *facts)
{
    const struct host *host = context->host;
    AUTO_ERROR struct error error = {0};
    AUTO_STRLIST struct strlist names = {0};
    enum host_status status = host_list(host, BASE, &names, &error);
    size_t count = 0;
    for (size_t i = 0; i < names.count; i++) {
        AUTO_FREE char *path = mem_printf(BASE "/%s", names.items[i]);
        if (host_is_directory(host, path) && count++ < PROBE_INSTANCES)
            note_kernel(host, facts, names.items[i], count <= CONFIGS_MAX);
    }
    if (status != HOST_OK)
        note_missing(facts, "installed_kernel", "count", status, &error, BASE);
    else if (count > PROBE_INSTANCES)
        facts_set_unknown(facts, "installed_kernel", "count", "too many kernels to keep", BASE);
    else
        facts_set_integer(facts, "installed_kernel", "count", (int64_t)count, BASE);
    note_running(host, facts);
}
