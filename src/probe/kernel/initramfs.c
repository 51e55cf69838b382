/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "host/root/file.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"

#define BOOT "/boot"

/* Names of initial RAM file systems: Debian's and Ubuntu's, Fedora's and Red Hat's, SUSE's, Arch's.
 * What follows the prefix is the kernel's release, but for Arch, where it is a package's name. */
struct pattern {
    const char *prefix;
    const char *suffix;
    bool release;
};

static const struct pattern patterns[] = {
    {"initrd.img-", "", true},
    {"initramfs-linux", ".img", false},
    {"initramfs-", ".img", true},
    {"initrd-", "", true},
};

/* Copies that are not started from, or from which a machine is only fixed. */
static bool is_spare(const char *name)
{
    return strstr(name, "kdump") || strstr(name, "fallback") || strstr(name, "rescue") ||
           string_ends(name, ".old-dkms") || string_ends(name, ".bak") ||
           string_ends(name, ".old") || string_ends(name, ".dpkg-bak");
}

static const struct pattern *pattern_of(const char *name)
{
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
        const struct pattern *pattern = &patterns[i];
        size_t least = strlen(pattern->prefix) + strlen(pattern->suffix) + pattern->release;
        if (string_starts(name, pattern->prefix) && string_ends(name, pattern->suffix) &&
            strlen(name) >= least)
            return is_spare(name) ? NULL : pattern;
    }
    return NULL;
}

/* Settings of modprobe that were changed after the image was made: it may not have them yet. */
static void note_newer(struct facts *facts, const char *group, int64_t made, const char *path)
{
    AUTO_STRLIST struct strlist newer = {0};
    const char *settings;
    for (size_t i = 0; (settings = facts_next(facts, "modprobe", &i)) != NULL;) {
        int64_t modified;
        const char *file = facts_string(facts, settings, "path");
        if (file && facts_integer(facts, settings, "modified", &modified) && modified > made)
            strlist_add(&newer, file);
    }
    facts_set_list(facts, group, "newer_settings", &newer, path);
}

static void note_image(const struct host *host, struct facts *facts, const char *name,
                       const struct pattern *pattern)
{
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *path = mem_printf(BOOT "/%s", name);
    AUTO_FREE char *group = facts_group_name("initramfs", name);
    size_t length = strlen(name) - strlen(pattern->prefix) - strlen(pattern->suffix);
    AUTO_FREE char *release = mem_string_n(name + strlen(pattern->prefix), length);
    struct host_stat stat;
    enum host_status status = host_stat(host, path, &stat, &error);
    facts_set_string(facts, group, "path", path, path);
    facts_set_string(facts, group, "kernel", pattern->release ? release : NULL, path);
    if (status == HOST_OK) {
        facts_set_integer(facts, group, "modified", stat.modified, path);
        note_newer(facts, group, stat.modified, path);
        return;
    }
    note_missing(facts, group, "modified", status, &error, path);
    note_missing(facts, group, "newer_settings", status, &error, path);
}

void probe_initramfs(const struct probe_context *context, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_STRLIST struct strlist names = {0};
    enum host_status status = host_list(context->host, BOOT, &names, &error);
    int64_t count = 0;
    for (size_t i = 0; i < names.count && count < PROBE_INSTANCES; i++) {
        const struct pattern *pattern = pattern_of(names.items[i]);
        if (pattern == NULL)
            continue;
        note_image(context->host, facts, names.items[i], pattern);
        count++;
    }
    if (status == HOST_OK)
        facts_set_integer(facts, "initramfs", "count", count, BOOT);
    else
        note_missing(facts, "initramfs", "count", status, &error, BOOT);
}
