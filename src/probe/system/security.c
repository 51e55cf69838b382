/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "host/root/file.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"

/* Security modules of the kernel that may refuse a device node. */
#define ENFORCE  "/sys/fs/selinux/enforce"
#define BOOLEANS "/sys/fs/selinux/booleans/"
#define CONFIG   "/etc/selinux/config"
#define SYSTEMS  "/proc/filesystems"
#define LABEL    "/proc/self/attr/current"
#define APPARMOR "/sys/module/apparmor/parameters/enabled"
#define STATUS   "/proc/self/status"
#define TEXT_MAX 65536

static bool has_line_with(const struct host *host, const char *path, const char *part)
{
    AUTO_TEXT struct text text = {0};
    return note_read_text(host, path, TEXT_MAX, &text, NULL) == HOST_OK &&
           strstr(text_string(&text), part);
}

/* "system_u:system_r:container_t:s0:c1,c2": only a policy of SELinux gives labels of four parts. */
static bool label_is_of_policy(const char *label)
{
    size_t parts = label && label[0] != ':' ? 1 : 0;
    for (const char *at = label; parts && (at = strchr(at, ':')) != NULL; at++)
        parts++;
    return parts >= 4;
}

/* Containers do not see /sys/fs/selinux, or an empty one, and hide the list of file systems too; a
 * label tells all the same that a policy is loaded. */
static void note_selinux(const struct host *host, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *line = NULL;
    enum host_status status = host_read_line(host, ENFORCE, &line, &error);
    const char *label = facts_string(facts, "security", "label");
    if (status == HOST_OK && (string_equal(line, "1") || string_equal(line, "0")))
        facts_set_string(facts, "security", "selinux", line[0] == '1' ? "enforcing" : "permissive",
                         ENFORCE);
    else if (status == HOST_OK)
        note_unexpected(facts, "security", "selinux", "neither 0 nor 1", line, ENFORCE);
    else if (status != HOST_ABSENT)
        note_missing(facts, "security", "selinux", status, &error, ENFORCE);
    else if (label_is_of_policy(label) ||
             (label && strchr(label, ':') && has_line_with(host, SYSTEMS, "selinuxfs")))
        facts_set_skipped(facts, "security", "selinux",
                          "this process has an SELinux label, but the SELinux mode is hidden here",
                          LABEL);
    else
        facts_set_absent(facts, "security", "selinux", ENFORCE);
}

/* What is not there is not in force: no file, no security module. */
static void note_label(const struct host *host, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    enum host_status status = host_read_head(host, LABEL, 4096, &text, &error);
    char *label = text.data ? string_trim(text.data) : NULL;
    if (status == HOST_OK)
        facts_set_string(facts, "security", "label", label && label[0] ? label : NULL, LABEL);
    else /* EINVAL: no security module has labels */
        facts_set_absent(facts, "security", "label", LABEL);
}

/* SELINUX=enforcing: what the next start will be. */
static void note_configured(const struct host *host, struct facts *facts)
{
    static const char key[] = "SELINUX=";
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    enum host_status status = note_read_text(host, CONFIG, TEXT_MAX, &text, &error);
    if (status != HOST_OK) {
        note_missing(facts, "security", "selinux_configured", status, &error, CONFIG);
        return;
    }
    facts_set_absent(facts, "security", "selinux_configured", CONFIG);
    char *cursor = text.data;
    for (char *line; (line = string_next_line(&cursor));)
        if (string_starts(line, key))
            facts_set_string(facts, "security", "selinux_configured",
                             string_trim(line + strlen(key)), CONFIG);
}

/* "0 0": now, and pending. */
static void note_boolean(const struct host *host, struct facts *facts, const char *name)
{
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *line = NULL;
    AUTO_FREE char *path = mem_printf(BOOLEANS "%s", name);
    enum host_status status = host_read_line(host, path, &line, &error);
    if (status == HOST_OK)
        facts_set_boolean(facts, "security", name, line[0] == '1', path);
    else
        note_missing(facts, "security", name, status, &error, path);
}

static void note_apparmor(const struct host *host, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *line = NULL;
    enum host_status status = host_read_line(host, APPARMOR, &line, &error);
    if (status == HOST_OK || status == HOST_ABSENT)
        facts_set_boolean(facts, "security", "apparmor", string_equal(line, "Y"), APPARMOR);
    else
        note_missing(facts, "security", "apparmor", status, &error, APPARMOR);
}

/* proc(5): "Seccomp:\t2": system calls are filtered. */
static void note_seccomp(const struct host *host, struct facts *facts)
{
    static const char key[] = "Seccomp:";
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    enum host_status status = note_read_text(host, STATUS, TEXT_MAX, &text, &error);
    if (status != HOST_OK) {
        note_missing_below(host, facts, "security", "seccomp", status, &error, STATUS, STATUS);
        return;
    }
    facts_set_absent(facts, "security", "seccomp", STATUS);
    char *cursor = text.data;
    for (char *line; (line = string_next_line(&cursor));)
        if (string_starts(line, key))
            facts_set_boolean(facts, "security", "seccomp",
                              string_equal(string_trim(line + strlen(key)), "2"), STATUS);
}

/* proc(5): "CapEff:\t00000000a80465fb", a bit for each capability; CAP_IPC_LOCK is 14
 * (linux/capability.h). */
#define IPC_LOCK (1ull << 14)

static void note_ipc_lock(const struct host *host, struct facts *facts)
{
    static const char key[] = "CapEff:";
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    enum host_status status = note_read_text(host, STATUS, TEXT_MAX, &text, &error);
    if (status != HOST_OK) {
        note_missing_below(host, facts, "security", "ipc_lock", status, &error, STATUS, STATUS);
        return;
    }
    facts_set_absent(facts, "security", "ipc_lock", STATUS);
    char *cursor = text.data;
    for (char *line; (line = string_next_line(&cursor));)
        if (string_starts(line, key))
            facts_set_boolean(facts, "security", "ipc_lock",
                              strtoull(string_trim(line + strlen(key)), NULL, 16) & IPC_LOCK,
                              STATUS);
}

void probe_security(const struct probe_context *context, struct facts *facts)
{
    const struct host *host = context->host;
    note_label(host, facts);
    note_selinux(host, facts);
    note_configured(host, facts);
    note_boolean(host, facts, "container_use_devices");
    note_boolean(host, facts, "container_use_xserver_devices");
    note_apparmor(host, facts);
    note_seccomp(host, facts);
    note_ipc_lock(host, facts);
}
