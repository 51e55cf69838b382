/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "host/root/file.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"

/* Which devices the cgroup lets a program open. */
#define CGROUP    "/proc/self/cgroup"
#define MOUNT     "/sys/fs/cgroup"
#define DEVICES   "/proc/devices"
#define CHAR      "/dev/char"
#define TEXT_MAX  (1u << 20)
#define RULES_MAX 512
#define LINKS_MAX 256
#define GPU_MAJOR 195 /* NV_MAJOR_DEVICE_NUMBER of the driver's nv-frontend.h */
#define V2_REASON                                                                                  \
    "cgroup v2 keeps its device rules in a BPF program, which cannot be read: device/….error "   \
    "says whether a node may be opened"

/* The path of a controller in /proc/self/cgroup, "5:devices:/docker/…"; with "" that of version 2.
 * NULL when it has no line. Points into text, which is cut apart. */
static char *path_of(char *text, const char *controller)
{
    char *found = NULL;
    char *cursor = text;
    for (char *line; (line = string_next_line(&cursor));) {
        char *list = strchr(line, ':');
        char *path = list ? strchr(list + 1, ':') : NULL;
        if (path == NULL)
            continue;
        *path++ = '\0';
        AUTO_STRLIST struct strlist names = {0};
        strlist_split(&names, list + 1, ',');
        if (strlist_has(&names, controller))
            found = path;
    }
    return found;
}

/* "c 195:* rwm", "a *:* rwm": what devices.list of cgroup v1 allows (Documentation/admin-guide/
 * cgroup-v1/devices.rst). Single minors, as device plugins write them, count for their major. */
static bool rule_allows(const char *rule, unsigned major)
{
    AUTO_FREE char *own = mem_printf("c %u:", major);
    const char *rights = strrchr(rule, ' ');
    bool fits =
        string_starts(rule, "a ") || string_starts(rule, "c *:") || string_starts(rule, own);
    return fits && strchr(rights, 'r') && strchr(rights, 'w');
}

static bool is_allowed(const struct strlist *rules, unsigned major)
{
    for (size_t i = 0; i < rules->count; i++)
        if (rule_allows(rules->items[i], major))
            return true;
    return false;
}

/* The major of nvidia-uvm, which is another one at every boot; 0 when it is not to be known. */
static unsigned uvm_major(const struct host *host)
{
    AUTO_TEXT struct text text = {0};
    unsigned long long major = 0;
    if (note_read_text(host, DEVICES, 65536, &text, NULL) != HOST_OK)
        return 0;
    char *cursor = text.data;
    for (char *line; (line = string_next_line(&cursor));) {
        char *name = strchr(string_trim(line), ' ');
        if (name == NULL || strcmp(name, " nvidia-uvm") != 0)
            continue;
        *name = '\0';
        if (!string_to_unsigned(string_trim(line), &major) || major > UINT16_MAX)
            major = 0;
    }
    return (unsigned)major;
}

static void note_rules(const struct host *host, struct facts *facts, const char *path)
{
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    AUTO_STRLIST struct strlist rules = {0};
    AUTO_FREE char *own = mem_printf(MOUNT "/devices%s/devices.list", path);
    static const char top[] = MOUNT "/devices/devices.list";
    const char *source = own;
    enum host_status status = note_read_text(host, own, TEXT_MAX, &text, &error);
    if (status == HOST_ABSENT) { /* a container sees its own cgroup as the top */
        source = top;
        status = note_read_text(host, top, TEXT_MAX, &text, &error);
    }
    char *cursor = text.data;
    for (char *line; (line = string_next_line(&cursor));)
        if (rules.count < RULES_MAX && *string_trim(line))
            strlist_add(&rules, string_trim(line));
    static const char *const names[] = {"device_rules", "allows_gpu", "allows_uvm"};
    for (size_t i = 0; i < 3 && status != HOST_OK; i++)
        note_missing(facts, "cgroup", names[i], status, &error, source);
    if (status != HOST_OK)
        return;
    unsigned uvm = uvm_major(host);
    facts_set_list(facts, "cgroup", "device_rules", &rules, source);
    facts_set_boolean(facts, "cgroup", "allows_gpu", is_allowed(&rules, GPU_MAJOR), source);
    if (uvm > 0)
        facts_set_boolean(facts, "cgroup", "allows_uvm", is_allowed(&rules, uvm), source);
    else
        facts_set_absent(facts, "cgroup", "allows_uvm", DEVICES);
}

static void note_all(struct facts *facts,
                     void (*set)(struct facts *, const char *, const char *, const char *,
                                 const char *),
                     const char *reason, const char *source)
{
    static const char *const names[] = {"device_rules", "allows_gpu", "allows_uvm"};
    for (size_t i = 0; i < 3; i++)
        set(facts, "cgroup", names[i], reason, source);
}

static void note_cgroup(const struct host *host, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    enum host_status status = note_read_text(host, CGROUP, TEXT_MAX, &text, &error);
    if (status != HOST_OK) {
        static const char *const names[] = {"version", "path", "device_rules", "allows_gpu",
                                            "allows_uvm"};
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
            note_missing_below(host, facts, "cgroup", names[i], status, &error, CGROUP, CGROUP);
        return;
    }
    AUTO_FREE char *copy = mem_string(text_string(&text));
    const char *devices = path_of(copy, "devices");
    const char *unified = text.data ? path_of(text.data, "") : NULL;
    const char *path = devices ? devices : unified;
    if (path)
        facts_set_integer(facts, "cgroup", "version", devices ? 1 : 2, CGROUP);
    else
        facts_set_absent(facts, "cgroup", "version", CGROUP);
    facts_set_string(facts, "cgroup", "path", path, CGROUP);
    if (devices)
        note_rules(host, facts, string_equal(devices, "/") ? "" : devices);
    else if (path)
        note_all(facts, facts_set_unknown, V2_REASON, CGROUP);
    else
        note_all(facts, facts_set_skipped, "no cgroup", CGROUP);
}

/* /dev/char/195:0 -> ../nvidia0: systemd looks devices up there when it writes a container's rules
 * again (daemon-reload), and leaves out what has no link. */
static void note_links(const struct host *host, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_STRLIST struct strlist names = {0};
    AUTO_STRLIST struct strlist links = {0};
    enum host_status status = host_list(host, CHAR, &names, &error);
    for (size_t i = 0; i < names.count && links.count < LINKS_MAX; i++) {
        AUTO_FREE char *path = mem_printf(CHAR "/%s", names.items[i]);
        AUTO_FREE char *target = NULL;
        if (host_read_link(host, path, &target, NULL) == HOST_OK && strstr(target, "nvidia"))
            strlist_add(&links, names.items[i]);
    }
    if (status == HOST_OK)
        facts_set_list(facts, "cgroup", "char_links", &links, CHAR);
    else
        note_missing_below(host, facts, "cgroup", "char_links", status, &error, CHAR, "/dev");
}

void probe_cgroup(const struct probe_context *context, struct facts *facts)
{
    note_cgroup(context->host, facts);
    note_links(context->host, facts);
}
