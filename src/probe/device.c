/* SPDX-License-Identifier: MIT */
#include <fnmatch.h>
#include <string.h>

#include "host/file.h"
#include "probe/note.h"
#include "probe/probes.h"

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

static void note_node(const struct host *host, struct facts *facts, const char *name)
{
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *path = mem_printf("/dev/%s", name);
    AUTO_FREE char *group = facts_group_name("device", name);
    struct host_stat stat;
    enum host_status status = host_stat(host, path, &stat, &error);
    facts_set_string(facts, group, "path", path, path);
    if (status != HOST_OK) {
        static const char *const names[] = {"mode", "user", "group", "number", "usable"};
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
    facts_set_boolean(facts, group, "usable", host_can_write(host, path), "access(2)");
}

static void note_nodes(const struct host *host, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_STRLIST struct strlist names = {0};
    AUTO_STRLIST struct strlist capabilities = {0};
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
    host_list(host, "/dev/" CAPABILITIES, &capabilities, NULL);
    for (size_t i = 0; i < capabilities.count && i < PROBE_INSTANCES; i++) {
        AUTO_FREE char *name = mem_printf(CAPABILITIES "/%s", capabilities.items[i]);
        note_node(host, facts, name);
    }
    if (nodes > PROBE_INSTANCES)
        facts_set_unknown(facts, "device", "count", "too many nodes to keep", "/dev");
    else
        facts_set_integer(facts, "device", "count", gpus, "/dev");
}

/* "Character devices:", then lines such as "234 nvidia-uvm", up to an empty line. */
static bool note_major_line(struct facts *facts, char *line)
{
    line = string_trim(line);
    char *name = strchr(line, ' ');
    unsigned long long major;
    if (name == NULL || strcmp(name, " nvidia-uvm") != 0)
        return false;
    *name = '\0';
    if (string_to_unsigned(line, &major) && major <= UINT32_MAX)
        facts_set_integer(facts, "device", "uvm_major", (int64_t)major, DEVICES);
    else
        note_unexpected(facts, "device", "uvm_major", "not a number", line, DEVICES);
    return true;
}

static void note_uvm_major(const struct host *host, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    enum host_status status = note_read_text(host, DEVICES, DEVICES_MAX, &text, &error);
    if (status != HOST_OK) {
        note_missing_below(host, facts, "device", "uvm_major", status, &error, DEVICES, DEVICES);
        return;
    }
    char *cursor = text.data;
    for (char *line; (line = string_next_line(&cursor));)
        if (note_major_line(facts, line))
            return;
    facts_set_absent(facts, "device", "uvm_major", DEVICES);
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
    note_uvm_major(context->host, facts);
    note_modprobe(context->host, facts);
}
