/* SPDX-License-Identifier: MIT */
#include "probe/gpu/pci_slot.h"

#include <string.h>

#include "base/little_endian.h"
#include "host/root/file.h"
#include "probe/engine/note.h"

/* Documentation/ABI/testing/sysfs-bus-pci, -sysfs-bus-pci-devices-aer_stats and
 * -sysfs-kernel-iommu_groups of the kernel. */
#define DEVICES      "/sys/bus/pci/devices"
#define IOMMU_GROUPS "/sys/kernel/iommu_groups"
#define BRIDGES_MAX  16

/* PCI Express Base Specification, 7.7.8 (ACS) and 7.6.3: extended capabilities begin at 0x100. */
#define CONFIG_BASIC     64 /* what a user who is not root gets */
#define CONFIG_SOME      1024
#define CONFIG_ALL       4096
#define EXTENDED         0x100
#define CAPABILITY_ACS   0x000d
#define ACS_CONTROL      6
#define ACS_REDIRECTS    0x1c /* request redirect, completion redirect, upstream forwarding */
#define CAPABILITIES_MAX 64

/* "0000:18:00.0" */
static bool is_address(const char *name)
{
    static const char hex[] = "0123456789abcdef";
    size_t domain = strspn(name, hex);
    if (domain < 4 || domain > 8 || name[domain] != ':')
        return false;
    const char *rest = name + domain + 1;
    return strlen(rest) == 7 && strspn(rest, hex) == 2 && rest[2] == ':' &&
           strspn(rest + 3, hex) == 2 && rest[5] == '.' && strspn(rest + 6, hex) == 1;
}

/* The parts of the function's real path are what stands between it and its root:
 * /sys/devices/pci0000:17/0000:17:01.0/0000:18:00.0. */
static void find_bridges(const struct host *host, const char *device, const char *address,
                         struct strlist *bridges)
{
    AUTO_FREE char *real = NULL;
    AUTO_STRLIST struct strlist parts = {0};
    if (host_real_path(host, device, &real, NULL) != HOST_OK)
        return;
    strlist_split(&parts, real, '/');
    for (size_t i = 0; i < parts.count && bridges->count < BRIDGES_MAX; i++)
        if (is_address(parts.items[i]) && strcmp(parts.items[i], address) != 0)
            strlist_add(bridges, parts.items[i]);
}

static bool is_hidden(const char *value)
{
    unsigned long long lanes;
    return string_starts(value, "Unknown") ||
           (string_to_unsigned(value, &lanes) && (lanes == 0 || lanes > 32));
}

static void note_bridge_link(const struct host *host, struct facts *facts, const char *group,
                             const char *bridge)
{
    static const char *const files[] = {"current_link_speed", "max_link_speed",
                                        "current_link_width", "max_link_width"};
    static const char *const names[] = {"bridge_link_speed", "bridge_link_speed_max",
                                        "bridge_link_width", "bridge_link_width_max"};
    for (size_t i = 0; i < 4; i++) {
        AUTO_FREE char *path = mem_printf(DEVICES "/%s/%s", bridge ? bridge : "", files[i]);
        AUTO_FREE char *line = NULL;
        if (bridge == NULL)
            facts_set_absent(facts, group, names[i], DEVICES);
        else if (host_read_line(host, path, &line, NULL) == HOST_OK && is_hidden(line))
            facts_set_skipped(facts, group, names[i], "the link is not shown here", path);
        else if (i < 2)
            note_line(host, facts, group, names[i], path);
        else
            note_integer(host, facts, group, names[i], path);
    }
}

bool pci_find_acs(const unsigned char *config, size_t size, unsigned *ret_control, bool *ret_more)
{
    size_t at = EXTENDED;
    *ret_more = false;
    for (size_t i = 0; i < CAPABILITIES_MAX && at >= EXTENDED; i++) {
        if (at + 8 > size) {
            *ret_more = true;
            return false;
        }
        unsigned id = load16(config + at);
        if (id == CAPABILITY_ACS) {
            *ret_control = load16(config + at + ACS_CONTROL);
            return true;
        }
        if (id == 0xffff) /* the device does not answer */
            return false;
        at = (size_t)(config[at + 2] >> 4 | config[at + 3] << 4) & ~(size_t)3;
    }
    return false;
}

/* What keeps a bridge's configuration from being read; NULL when it was. */
static const char *read_acs(const struct host *host, const char *bridge, bool *ret_redirects)
{
    AUTO_FREE char *path = mem_printf(DEVICES "/%s/config", bridge);
    AUTO_TEXT struct text config = {0};
    unsigned control = 0;
    bool more = true;
    for (size_t size = CONFIG_SOME; more && size <= CONFIG_ALL; size *= CONFIG_ALL / CONFIG_SOME) {
        if (host_read_head(host, path, size, &config, NULL) != HOST_OK)
            return "a bridge's configuration cannot be read";
        if (config.size <= CONFIG_BASIC)
            return "only root can read the bridges' configuration; instead, check whether copies "
                   "between GPUs work";
        if (config.size <= EXTENDED)
            break; /* PCI, not PCI Express: no such capability */
        pci_find_acs((const unsigned char *)config.data, config.size, &control, &more);
    }
    *ret_redirects = (control & ACS_REDIRECTS) != 0;
    return NULL;
}

/* A sleeping function is left alone: reading its configuration, or its bridge's, would wake it. */
static void note_acs(const struct host *host, struct facts *facts, const char *group,
                     const struct strlist *bridges)
{
    AUTO_STRLIST struct strlist redirects = {0};
    const char *problem = NULL;
    const char *power = facts_string(facts, group, "power_state");
    if (power && string_starts(power, "D3"))
        problem = "the PCI function is asleep, and reading would wake it";
    for (size_t i = 0; i < bridges->count && problem == NULL; i++) {
        bool redirected = false;
        problem = read_acs(host, bridges->items[i], &redirected);
        if (problem == NULL && redirected)
            strlist_add(&redirects, bridges->items[i]);
    }
    if (problem)
        facts_set_skipped(facts, group, "acs_redirects", problem, DEVICES);
    else
        facts_set_list(facts, group, "acs_redirects", &redirects, DEVICES);
}

static void note_iommu(const struct host *host, struct facts *facts, const char *group,
                       const char *device)
{
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *path = mem_printf("%s/iommu_group", device);
    AUTO_FREE char *target = NULL;
    enum host_status status = host_read_link(host, path, &target, &error);
    const char *slash = target ? strrchr(target, '/') : NULL;
    unsigned long long number;
    if (status != HOST_OK) {
        note_missing(facts, group, "iommu_group", status, &error, path);
        note_missing(facts, group, "iommu_type", status, &error, path);
        return;
    }
    if (slash == NULL || !string_to_unsigned(slash + 1, &number) || number > INT32_MAX) {
        note_unexpected(facts, group, "iommu_group", "not a group", target, path);
        facts_set_unknown(facts, group, "iommu_type", "the group is not known", path);
        return;
    }
    AUTO_FREE char *type = mem_printf(IOMMU_GROUPS "/%llu/type", number);
    facts_set_integer(facts, group, "iommu_group", (int64_t)number, path);
    note_line(host, facts, group, "iommu_type", type);
}

/* Lines "RxErr 0" and, last, "TOTAL_ERR_COR 12". */
static void note_errors(const struct host *host, struct facts *facts, const char *group,
                        const char *device, const char *file, const char *name)
{
    static const char total[] = "TOTAL_ERR_";
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *path = mem_printf("%s/%s", device, file);
    enum host_status status = note_read_text(host, path, 65536, &text, &error);
    if (status != HOST_OK) {
        note_missing(facts, group, name, status, &error, path);
        return;
    }
    facts_set_unknown(facts, group, name, "no line TOTAL_ERR_…", path);
    char *cursor = text.data;
    for (char *line; (line = string_next_line(&cursor));) {
        char *blank = strchr(line, ' ');
        unsigned long long count;
        if (string_starts(line, total) && blank && string_to_unsigned(string_trim(blank), &count) &&
            count <= INT64_MAX)
            facts_set_integer(facts, group, name, (int64_t)count, path);
    }
}

/* A one-line file whose value may stand for none. */
static void note_word(const struct host *host, struct facts *facts, const char *group,
                      const char *name, const char *device, const char *file, const char *none)
{
    AUTO_FREE char *path = mem_printf("%s/%s", device, file);
    if (note_line(host, facts, group, name, path) &&
        string_equal(facts_string(facts, group, name), none))
        facts_set_absent(facts, group, name, path);
}

static void note_virtual(const struct host *host, struct facts *facts, const char *group,
                         const char *device)
{
    AUTO_FREE char *physical = mem_printf("%s/physfn", device);
    AUTO_FREE char *functions = mem_printf("%s/sriov_numvfs", device);
    AUTO_FREE char *mediated = mem_printf("%s/mdev_supported_types", device);
    AUTO_FREE char *vgpu = mem_printf("%s/nvidia/current_vgpu_type", device);
    facts_set_boolean(facts, group, "virtual_function", host_exists(host, physical), physical);
    note_integer(host, facts, group, "sriov_functions", functions);
    facts_set_boolean(facts, group, "vgpu_host",
                      host_is_directory(host, mediated) || host_exists(host, vgpu), mediated);
}

static void note_numa(const struct host *host, struct facts *facts, const char *group,
                      const char *device)
{
    AUTO_FREE char *path = mem_printf("%s/numa_node", device);
    AUTO_FREE char *line = NULL;
    if (host_read_line(host, path, &line, NULL) == HOST_OK && string_equal(line, "-1"))
        facts_set_absent(facts, group, "numa_node", path);
    else
        note_integer(host, facts, group, "numa_node", path);
}

void pci_slot_note(const struct host *host, struct facts *facts, const char *group,
                   const char *address)
{
    AUTO_FREE char *device = mem_printf(DEVICES "/%s", address);
    AUTO_STRLIST struct strlist bridges = {0};
    find_bridges(host, device, address, &bridges);
    const char *bridge = bridges.count > 0 ? bridges.items[bridges.count - 1] : NULL;
    facts_set_string(facts, group, "bridge", bridge, device);
    facts_set_list(facts, group, "bridges", &bridges, device);
    note_bridge_link(host, facts, group, bridge);
    note_acs(host, facts, group, &bridges);
    note_iommu(host, facts, group, device);
    note_errors(host, facts, group, device, "aer_dev_correctable", "aer_correctable");
    note_errors(host, facts, group, device, "aer_dev_nonfatal", "aer_nonfatal");
    note_errors(host, facts, group, device, "aer_dev_fatal", "aer_fatal");
    note_word(host, facts, group, "runtime_status", device, "power/runtime_status", "unsupported");
    note_word(host, facts, group, "runtime_control", device, "power/control", "");
    note_word(host, facts, group, "driver_override", device, "driver_override", "(null)");
    note_numa(host, facts, group, device);
    note_virtual(host, facts, group, device);
}
