/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <string.h>

#include "base/path.h"
#include "host/root/file.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"
#include "probe/places/path_match.h"

/* Guests of LXC (lxc.container.conf(5), and Proxmox's files of them): which of NVIDIA's nodes their
 * configuration mounts, and which devices it allows. */
#define KIND       "lxc_guest"
#define TEXT_MAX   (1u << 18)
#define GUESTS_MAX 128
#define DEPTH_MAX  4
#define COMMON     "/usr/share/lxc/config/common.conf"

struct guest {
    const struct host *host;
    const char *rules; /* the keys that count here: "lxc.cgroup2.devices." */
    struct strlist nodes, optional, allowed;
    bool restricted; /* devices are denied unless they are allowed */
    bool whole;      /* every file of it was read */
};

/* "c 195:* rwm": whoever may only make a node may not open it. */
static void take_allow(struct guest *guest, const char *value)
{
    AUTO_STRLIST struct strlist words = {0};
    strlist_split_words(&words, value);
    if (words.count > 0 && strcmp(words.items[0], "a") == 0)
        guest->restricted = false;
    else if (words.count > 1 && strcmp(words.items[0], "c") == 0 &&
             (words.count == 2 || (strchr(words.items[2], 'r') && strchr(words.items[2], 'w'))))
        strlist_add_new(&guest->allowed, words.items[1]);
}

/* "/dev/nvidia0 dev/nvidia0 none bind,optional,create=file" */
static void take_mount(struct guest *guest, const char *value)
{
    AUTO_STRLIST struct strlist words = {0};
    strlist_split_words(&words, value);
    if (words.count < 4 || !string_starts(words.items[0], "/dev/nvidia") ||
        strstr(words.items[3], "create=dir"))
        return;
    strlist_add_new(&guest->nodes, words.items[0]);
    if (strstr(words.items[3], "optional"))
        strlist_add_new(&guest->optional, words.items[0]);
}

/* Proxmox's "dev0: /dev/nvidia0,mode=0666", which allows the node, whatever its number. */
static void take_device(struct guest *guest, const char *value)
{
    AUTO_FREE char *path = mem_string_n(value, strcspn(value, ","));
    if (!string_starts(path, "/dev/nvidia"))
        return;
    strlist_add_new(&guest->nodes, path);
    strlist_add_new(&guest->allowed, path);
}

static void take_file(struct guest *guest, const char *path, unsigned depth);

static void take_include(struct guest *guest, const char *path, unsigned depth)
{
    AUTO_STRLIST struct strlist files = {0};
    if (!host_is_directory(guest->host, path)) {
        take_file(guest, path, depth + 1);
        return;
    }
    path_match(guest->host, path, "*.conf", &files);
    for (size_t i = 0; i < files.count; i++)
        take_file(guest, files.items[i], depth + 1);
}

static void take_pair(struct guest *guest, const char *key, const char *value, unsigned depth)
{
    size_t length = strlen(guest->rules);
    if (strcmp(key, "lxc.include") == 0)
        take_include(guest, value, depth);
    else if (strcmp(key, "lxc.mount.entry") == 0)
        take_mount(guest, value);
    else if (string_starts(key, "dev") && isdigit((unsigned char)key[3]))
        take_device(guest, value);
    else if (strncmp(key, guest->rules, length) != 0)
        return;
    else if (strcmp(key + length, "allow") == 0)
        take_allow(guest, value);
    else if (strcmp(key + length, "deny") == 0 && value[0] == 'a')
        guest->restricted = true;
}

/* "key = value", and Proxmox's "key: value"; a section of Proxmox's is a snapshot. */
static void take_file(struct guest *guest, const char *path, unsigned depth)
{
    AUTO_TEXT struct text text = {0};
    if (depth > DEPTH_MAX || note_read_text(guest->host, path, TEXT_MAX, &text, NULL) != HOST_OK) {
        guest->whole = false;
        return;
    }
    char *cursor = text.data;
    for (char *line; (line = string_next_line(&cursor)) != NULL;) {
        line = string_trim(line);
        size_t length = strcspn(line, ":= \t");
        if (*line == '[')
            return;
        if (*line == '#' || line[length] == '\0')
            continue;
        char *value = line + length + strspn(line + length, ":= \t");
        line[length] = '\0';
        take_pair(guest, line, value, depth);
    }
}

/* The keys of the version of cgroups that controls devices here; LXC looks at what is mounted. */
static const char *rules_of(const struct host *host, const struct facts *facts)
{
    int64_t version = 0;
    if (host_exists(host, "/sys/fs/cgroup/cgroup.controllers"))
        return "lxc.cgroup2.devices.";
    if (host_exists(host, "/sys/fs/cgroup/devices"))
        return "lxc.cgroup.devices.";
    return facts_integer(facts, "cgroup", "version", &version) && version == 1
               ? "lxc.cgroup.devices."
               : "lxc.cgroup2.devices.";
}

static void note_guest(const struct host *host, struct facts *facts, const char *path,
                       const char *name, bool of_proxmox)
{
    struct guest guest = {.host = host, .rules = rules_of(host, facts), .whole = true};
    AUTO_FREE char *group = facts_group_name(KIND, name);
    if (of_proxmox) /* it includes this file in what it makes of its own */
        take_file(&guest, COMMON, 0);
    take_file(&guest, path, 0);
    facts_set_string(facts, group, "config", path, path);
    facts_set_string(facts, group, "rules", guest.rules, path);
    facts_set_list(facts, group, "nodes", &guest.nodes, path);
    facts_set_list(facts, group, "optional", &guest.optional, path);
    if (guest.whole) {
        facts_set_boolean(facts, group, "restricted", guest.restricted, path);
        facts_set_list(facts, group, "allowed", &guest.allowed, path);
    } else {
        facts_set_unknown(facts, group, "restricted", "a file of it cannot be read", path);
        facts_set_unknown(facts, group, "allowed", "a file of it cannot be read", path);
    }
    strlist_free(&guest.nodes);
    strlist_free(&guest.optional);
    strlist_free(&guest.allowed);
}

void probe_lxc_guest(const struct probe_context *context, struct facts *facts)
{
    static const char proxmox[] = "/etc/pve/lxc";
    static const char place[] = "/var/lib/lxc";
    const struct host *host = context->host;
    AUTO_ERROR struct error error = {0};
    AUTO_STRLIST struct strlist names = {0};
    bool of_proxmox = host_is_directory(host, proxmox);
    const char *source = of_proxmox ? proxmox : place;
    size_t count = 0;
    enum host_status status = host_list(host, source, &names, &error);
    if (status == HOST_DENIED)
        facts_set_skipped(facts, KIND, "count", "only root can read it", source);
    else if (status != HOST_OK)
        note_missing(facts, KIND, "count", status, &error, source);
    if (status != HOST_OK)
        return;
    for (size_t i = 0; i < names.count && count < GUESTS_MAX; i++) {
        AUTO_FREE char *path = of_proxmox ? path_join(source, names.items[i])
                                          : mem_printf("%s/%s/config", source, names.items[i]);
        AUTO_FREE char *name = mem_string_n(names.items[i], strcspn(names.items[i], "."));
        if (!host_exists(host, path) || (of_proxmox && !string_ends(path, ".conf")))
            continue;
        note_guest(host, facts, path, of_proxmox ? name : names.items[i], of_proxmox);
        count++;
    }
    facts_set_integer(facts, KIND, "count", (int64_t)count, source);
}
