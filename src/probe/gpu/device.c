/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "host/root/file.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"

#define DEVICES     "/proc/devices"
#define DEVICES_MAX 65536

/* Nodes of the NVIDIA, WSL and Tegra drivers, by name below /dev, and those of MIG below that. */
static const char *const patterns[] = {
    "nvidia[0-9]*",
    "nvidiactl",
    "nvidia-modeset",
    "nvidia-uvm",
    "nvidia-uvm-tools",
    "nvidia-nvlink",
    "nvidia-nvswitch*",
    "dxg",
    "nvmap",
    "nvhost-*",
};
#define CAPABILITIES "nvidia-caps"
#define CHANNELS     "nvidia-caps-imex-channels"

/* /dev/nvidia0, /dev/nvidia1, …: one per GPU. */
static bool is_gpu(const char *name)
{
    static const char prefix[] = "nvidia";
    if (!string_starts(name, prefix))
        return false;
    const char *digits = name + strlen(prefix);
    return digits[0] && digits[strspn(digits, "0123456789")] == '\0';
}

static bool is_wanted(const char *name)
{
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
        if (fnmatch(patterns[i], name, 0) == 0)
            return true;
    return false;
}

/* The kernel asks the device cgroup too when access(2) is asked (inode_permission() in fs/namei.c):
 * no node needs to be opened, which could wake a GPU. */
static void note_access(const struct host *host, struct facts *facts, const char *group,
                        const char *path)
{
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *label = NULL;
    int number = host_refusal(host, path);
    AUTO_FREE char *other = mem_printf("errno %d", number);
    const char *name = number == EPERM ? "EPERM" : number == EACCES ? "EACCES" : other;
    facts_set_boolean(facts, group, "usable", number == 0, "access(2)");
    facts_set_string(facts, group, "error", number == 0 ? NULL : name, "access(2)");
    enum host_status status = host_read_label(host, path, &label, &error);
    if (status == HOST_OK)
        facts_set_string(facts, group, "label", label, path);
    else
        note_missing(facts, group, "label", status, &error, path);
}

static void note_node(const struct host *host, struct facts *facts, const char *name)
{
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *path = mem_printf("/dev/%s", name);
    AUTO_FREE char *group = facts_group_name("device", name);
    struct host_stat stat;
    enum host_status status = host_stat(host, path, &stat, &error);
    facts_set_string(facts, group, "path", path, path);
    if (status != HOST_OK) {
        static const char *const names[] = {"mode",   "user",  "group", "number",
                                            "usable", "error", "label"};
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
            note_missing(facts, group, names[i], status, &error, path);
        return;
    }
    AUTO_FREE char *mode = mem_printf("%04o", stat.mode);
    AUTO_FREE char *number = mem_printf("%u:%u", stat.device_major, stat.device_minor);
    facts_set_string(facts, group, "mode", mode, path);
    facts_set_integer(facts, group, "user", stat.user, path);
    facts_set_integer(facts, group, "group", stat.group, path);
    facts_set_string(facts, group, "number", stat.type == HOST_CHARACTER ? number : NULL, path);
    note_access(host, facts, group, path);
}

static void note_nodes_below(const struct host *host, struct facts *facts, const char *directory)
{
    AUTO_FREE char *path = mem_printf("/dev/%s", directory);
    AUTO_STRLIST struct strlist names = {0};
    host_list(host, path, &names, NULL);
    for (size_t i = 0; i < names.count && i < PROBE_INSTANCES; i++) {
        AUTO_FREE char *name = mem_printf("%s/%s", directory, names.items[i]);
        note_node(host, facts, name);
    }
}

static void note_nodes(const struct host *host, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_STRLIST struct strlist names = {0};
    enum host_status status = host_list(host, "/dev", &names, &error);
    if (status != HOST_OK) {
        note_missing_below(host, facts, "device", "count", status, &error, "/dev", "/dev");
        return;
    }
    int64_t gpus = 0;
    size_t nodes = 0;
    for (size_t i = 0; i < names.count; i++) {
        gpus += is_gpu(names.items[i]);
        if (is_wanted(names.items[i]) && nodes++ < PROBE_INSTANCES)
            note_node(host, facts, names.items[i]);
    }
    note_nodes_below(host, facts, CAPABILITIES);
    note_nodes_below(host, facts, CHANNELS);
    if (nodes > PROBE_INSTANCES)
        facts_set_unknown(facts, "device", "count", "too many nodes to keep", "/dev");
    else
        facts_set_integer(facts, "device", "count", gpus, "/dev");
}

/* Majors of drivers, by the names they have in /proc/devices; the first of a fact counts. */
struct major_row {
    const char *driver;
    const char *name; /* of the fact */
};

static const struct major_row major_rows[] = {
    {"nvidia-uvm", "uvm_major"},      {"nvidia", "gpu_major"},
    {"nvidia-caps", "caps_major"},    {"nvidia-nvswitch", "nvswitch_major"},
    {"nvidia-frontend", "gpu_major"},
};
#define MAJOR_COUNT (sizeof(major_rows) / sizeof(major_rows[0]))

/* "Character devices:", then lines such as "234 nvidia-uvm", up to an empty line. */
static void note_major_line(struct facts *facts, char *line)
{
    line = string_trim(line);
    char *name = strchr(line, ' ');
    unsigned long long major;
    for (size_t i = 0; name && i < MAJOR_COUNT; i++) {
        const char *fact = major_rows[i].name;
        const struct fact *known = facts_get(facts, "device", fact);
        if (!string_equal(name + 1, major_rows[i].driver) || (known && known->state != FACT_ABSENT))
            continue;
        *name = '\0';
        if (string_to_unsigned(line, &major) && major <= UINT32_MAX)
            facts_set_integer(facts, "device", fact, (int64_t)major, DEVICES);
        else
            note_unexpected(facts, "device", fact, "not a number", line, DEVICES);
        return;
    }
}

static void note_majors(const struct host *host, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    enum host_status status = note_read_text(host, DEVICES, DEVICES_MAX, &text, &error);
    for (size_t i = 0; i < MAJOR_COUNT; i++) {
        if (status == HOST_OK)
            facts_set_absent(facts, "device", major_rows[i].name, DEVICES);
        else
            note_missing_below(host, facts, "device", major_rows[i].name, status, &error, DEVICES,
                               DEVICES);
    }
    char *cursor = text.data;
    for (char *line; (line = string_next_line(&cursor));)
        note_major_line(facts, line);
}

/* libcuda and NVML run this program, by this path, to load nvidia_uvm and make nodes (NVIDIA's
 * nvidia-modprobe, README). For an ordinary user it can do so only when it is setuid root. */
static void note_modprobe(const struct host *host, struct facts *facts)
{
    static const char path[] = "/usr/bin/nvidia-modprobe";
    AUTO_ERROR struct error error = {0};
    struct host_stat info;
    enum host_status status = host_stat(host, path, &info, &error);
    if (status == HOST_OK || status == HOST_ABSENT)
        facts_set_boolean(facts, "device", "modprobe_setuid",
                          status == HOST_OK && info.user == 0 && (info.mode & 04000) != 0, path);
    else
        note_missing(facts, "device", "modprobe_setuid", status, &error, path);
}

void probe_device(const struct probe_context *context, struct facts *facts)
{
    note_nodes(context->host, facts);
    note_majors(context->host, facts);
    note_modprobe(context->host, facts);
}
