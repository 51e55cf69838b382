/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <string.h>

#include "base/path.h"
#include "host/root/file.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"
#include "probe/gpu/pci_slot.h"

/* The files of a PCI function: Documentation/ABI/testing/sysfs-bus-pci of the kernel. */
#define DEVICES       "/sys/bus/pci/devices"
#define VENDOR_NVIDIA 0x10de
#define VENDOR_AMD    0x1002
#define VENDOR_INTEL  0x8086
#define BAR_COUNT     6

/* IORESOURCE_UNSET of the kernel's include/linux/ioport.h: a size, but no address yet. */
#define RESOURCE_UNSET 0x20000000u

/* What the walk over all functions finds. */
struct bus {
    struct strlist displays; /* addresses */
    struct strlist others;   /* "AMD 1002:744c at 0000:03:00.0" */
    int64_t switches;
    size_t unreadable;
    char *problem; /* of the first unreadable one */
};

enum function_kind { FUNCTION_OTHER, FUNCTION_DISPLAY, FUNCTION_BRIDGE };

static enum host_status read_hex(const struct host *host, const char *device, const char *file,
                                 unsigned long long *ret_value, struct error *error)
{
    AUTO_FREE char *path = mem_printf("%s/%s", device, file);
    AUTO_FREE char *line = NULL;
    enum host_status status = host_read_line(host, path, &line, error);
    if (status != HOST_OK)
        return status;
    if (string_starts(line, "0x") && string_to_unsigned(line, ret_value) &&
        *ret_value <= UINT32_MAX)
        return HOST_OK;
    AUTO_FREE char *safe = string_safe(line);
    error_set(error, ERROR_DATA, "not a hexadecimal number");
    error_why(error, "\"%.40s\"", safe);
    return HOST_FAILED;
}

/* Numbers are kept as lspci shows them: hex digits without 0x. */
static void note_hex(const struct host *host, struct facts *facts, const char *group,
                     const char *name, const char *device, const char *file, int digits)
{
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *path = mem_printf("%s/%s", device, file);
    unsigned long long value;
    enum host_status status = read_hex(host, device, file, &value, &error);
    if (status != HOST_OK) {
        note_missing(facts, group, name, status, &error, path);
        return;
    }
    AUTO_FREE char *hex = mem_printf("%0*llx", digits, value);
    facts_set_string(facts, group, name, hex, path);
}

static void note_subsystem(const struct host *host, struct facts *facts, const char *group,
                           const char *device)
{
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *path = mem_printf("%s/subsystem_device", device);
    unsigned long long vendor = 0;
    unsigned long long model = 0;
    enum host_status status = read_hex(host, device, "subsystem_vendor", &vendor, &error);
    if (status == HOST_OK)
        status = read_hex(host, device, "subsystem_device", &model, &error);
    if (status != HOST_OK) {
        note_missing(facts, group, "subsystem", status, &error, path);
        return;
    }
    AUTO_FREE char *both = mem_printf("%04llx:%04llx", vendor, model);
    facts_set_string(facts, group, "subsystem", both, path);
}

/* sysfs keeps the revision of the day the function was found; a function that has fallen off the
 * bus answers ff everywhere, which only its configuration space shows. It is left alone in D3cold:
 * a look would wake it. */
static void note_revision(const struct host *host, struct facts *facts, const char *group,
                          const char *device)
{
    static const char dead[] = "\xff\xff\xff\xff\xff\xff\xff\xff\xff";
    AUTO_FREE char *path = mem_printf("%s/config", device);
    AUTO_TEXT struct text config = {0};
    if (!string_equal(facts_string(facts, group, "power_state"), "D3cold") &&
        host_read_head(host, path, sizeof(dead) - 1, &config, NULL) == HOST_OK &&
        config.size == sizeof(dead) - 1 && memcmp(config.data, dead, config.size) == 0)
        facts_set_string(facts, group, "revision", "ff", path);
    else
        note_hex(host, facts, group, "revision", device, "revision", 2);
}

static void note_driver(const struct host *host, struct facts *facts, const char *group,
                        const char *device)
{
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *path = mem_printf("%s/driver", device);
    AUTO_FREE char *target = NULL;
    enum host_status status = host_read_link(host, path, &target, &error);
    if (status != HOST_OK) {
        note_missing(facts, group, "driver", status, &error, path);
        return;
    }
    facts_set_string(facts, group, "driver", path_base(target), path);
}

/* "Unknown" and widths that no slot has are what virtual machines show. */
static void note_link(const struct host *host, struct facts *facts, const char *group,
                      const char *device)
{
    static const char hidden[] = "the link is not shown here";
    AUTO_FREE char *speed = mem_printf("%s/current_link_speed", device);
    AUTO_FREE char *speed_max = mem_printf("%s/max_link_speed", device);
    AUTO_FREE char *width = mem_printf("%s/current_link_width", device);
    AUTO_FREE char *width_max = mem_printf("%s/max_link_width", device);
    const char *const names[] = {"link_speed", "link_speed_max", "link_width", "link_width_max"};
    const char *const paths[] = {speed, speed_max, width, width_max};
    for (size_t i = 0; i < 2; i++)
        if (note_line(host, facts, group, names[i], paths[i]) &&
            string_starts(facts_string(facts, group, names[i]), "Unknown"))
            facts_set_skipped(facts, group, names[i], hidden, paths[i]);
    for (size_t i = 2; i < 4; i++) {
        int64_t lanes;
        if (note_integer(host, facts, group, names[i], paths[i]) &&
            facts_integer(facts, group, names[i], &lanes) && (lanes == 0 || lanes > 32))
            facts_set_skipped(facts, group, names[i], hidden, paths[i]);
    }
}

/* One line of `resource`: "0x00000000f6000000 0x00000000f6ffffff 0x0000000000040200". */
static bool resource_parse(const char *line, uint64_t *ret_start, uint64_t *ret_size,
                           uint64_t *ret_flags)
{
    AUTO_STRLIST struct strlist words = {0};
    strlist_split(&words, line, ' ');
    unsigned long long start;
    unsigned long long end;
    unsigned long long flags;
    if (words.count != 3 || !string_to_unsigned(words.items[0], &start) ||
        !string_to_unsigned(words.items[1], &end) || !string_to_unsigned(words.items[2], &flags) ||
        end < start || end - start == UINT64_MAX)
        return false;
    *ret_start = start;
    *ret_size = end == 0 ? 0 : end - start + 1;
    *ret_flags = flags;
    return true;
}

/* The BARs are the first six lines; ROM and bridge windows follow. */
static bool bars_parse(char *text, struct strlist *sizes, struct strlist *unassigned)
{
    char *cursor = text;
    char *line;
    for (int bar = 0; bar < BAR_COUNT && (line = string_next_line(&cursor)); bar++) {
        uint64_t start;
        uint64_t size;
        uint64_t flags;
        if (!resource_parse(string_trim(line), &start, &size, &flags))
            return false;
        strlist_take(sizes, mem_printf("%" PRIu64, size));
        if (size > 0 && (start == 0 || (flags & RESOURCE_UNSET)))
            strlist_take(unassigned, mem_printf("%d", bar));
    }
    return sizes->count > 0;
}

static void note_bars(const struct host *host, struct facts *facts, const char *group,
                      const char *device)
{
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *path = mem_printf("%s/resource", device);
    AUTO_TEXT struct text text = {0};
    AUTO_STRLIST struct strlist sizes = {0};
    AUTO_STRLIST struct strlist unassigned = {0};
    enum host_status status = note_read_text(host, path, 65536, &text, &error);
    if (status != HOST_OK) {
        note_missing(facts, group, "bar_bytes", status, &error, path);
        note_missing(facts, group, "bars_unassigned", status, &error, path);
    } else if (bars_parse(text.data, &sizes, &unassigned)) {
        facts_set_list(facts, group, "bar_bytes", &sizes, path);
        facts_set_list(facts, group, "bars_unassigned", &unassigned, path);
    } else {
        static const char reason[] = "not lines of start, end and flags";
        facts_set_unknown(facts, group, "bar_bytes", reason, path);
        facts_set_unknown(facts, group, "bars_unassigned", reason, path);
    }
}

static void note_function(const struct host *host, struct facts *facts, const char *address)
{
    AUTO_FREE char *group = facts_group_name("pci", address);
    AUTO_FREE char *device = mem_printf(DEVICES "/%s", address);
    AUTO_FREE char *power = mem_printf("%s/power_state", device);
    note_hex(host, facts, group, "device_id", device, "device", 4);
    note_subsystem(host, facts, group, device);
    note_hex(host, facts, group, "class", device, "class", 6);
    note_line(host, facts, group, "power_state", power);
    note_revision(host, facts, group, device);
    note_driver(host, facts, group, device);
    note_link(host, facts, group, device);
    note_bars(host, facts, group, device);
    pci_slot_note(host, facts, group, address);
}

/* Makers whose GPUs are taken for ones that CUDA could use; what a server's management controller
 * or a virtual machine draws with is none. */
static const char *maker_of(unsigned long long vendor)
{
    return vendor == VENDOR_AMD ? "AMD" : vendor == VENDOR_INTEL ? "Intel" : NULL;
}

/* A display function (class 03) or an accelerator (1200) of another maker. */
static void look_at_other(const struct host *host, const char *device, unsigned long long vendor,
                          struct strlist *others)
{
    AUTO_ERROR struct error error = {0};
    unsigned long long class, model;
    if (maker_of(vendor) == NULL || read_hex(host, device, "class", &class, &error) != HOST_OK ||
        (class >> 16 != 0x03 && class >> 8 != 0x1200) ||
        read_hex(host, device, "device", &model, &error) != HOST_OK)
        return;
    strlist_take(others, mem_printf("%s %04llx:%04llx at %s", maker_of(vendor), vendor, model,
                                    path_base(device)));
}

/* What kind of NVIDIA function it is. A function without a vendor file has just gone. */
static enum host_status function_kind(const struct host *host, const char *address,
                                      struct strlist *others, enum function_kind *ret_kind,
                                      struct error *error)
{
    AUTO_FREE char *device = mem_printf(DEVICES "/%s", address);
    unsigned long long vendor;
    unsigned long long class;
    enum host_status status = read_hex(host, device, "vendor", &vendor, error);
    if (status != HOST_OK)
        return status;
    *ret_kind = FUNCTION_OTHER;
    if (vendor != VENDOR_NVIDIA) {
        look_at_other(host, device, vendor, others);
        return HOST_OK;
    }
    status = read_hex(host, device, "class", &class, error);
    if (status != HOST_OK)
        return status;
    if (class >> 8 == 0x0300 || class >> 8 == 0x0302)
        *ret_kind = FUNCTION_DISPLAY;
    else if (class >> 8 == 0x0680)
        *ret_kind = FUNCTION_BRIDGE;
    return HOST_OK;
}

static void walk_function(const struct host *host, const char *address, struct bus *bus)
{
    AUTO_ERROR struct error error = {0};
    enum function_kind kind = FUNCTION_OTHER;
    enum host_status status = function_kind(host, address, &bus->others, &kind, &error);
    if (status != HOST_OK && status != HOST_ABSENT && bus->unreadable++ == 0)
        bus->problem = mem_printf("%s: %s", address, error.what ? error.what : "cannot be read");
    if (kind == FUNCTION_BRIDGE)
        bus->switches++;
    if (kind == FUNCTION_DISPLAY)
        strlist_add(&bus->displays, address);
}

static void note_counts(struct facts *facts, const struct bus *bus)
{
    if (bus->displays.count == 0 && note_sandboxed(facts, "pci", "count", DEVICES) &&
        note_sandboxed(facts, "pci", "nvswitch_count", DEVICES) &&
        note_sandboxed(facts, "pci", "other_gpus", DEVICES))
        return;
    if (bus->unreadable > 0) {
        AUTO_FREE char *reason =
            mem_printf("unreadable functions: %zu; the first is %s", bus->unreadable, bus->problem);
        facts_set_unknown(facts, "pci", "count", reason, DEVICES);
        facts_set_unknown(facts, "pci", "nvswitch_count", reason, DEVICES);
        facts_set_unknown(facts, "pci", "other_gpus", reason, DEVICES);
        return;
    }
    if (bus->displays.count > PROBE_INSTANCES)
        facts_set_unknown(facts, "pci", "count", "too many functions to keep", DEVICES);
    else
        facts_set_integer(facts, "pci", "count", (int64_t)bus->displays.count, DEVICES);
    facts_set_integer(facts, "pci", "nvswitch_count", bus->switches, DEVICES);
    if (bus->others.count > 0)
        facts_set_list(facts, "pci", "other_gpus", &bus->others, DEVICES);
    else
        facts_set_absent(facts, "pci", "other_gpus", DEVICES);
}

static void set_none(struct facts *facts, const char *name)
{
    if (string_equal(name, "other_gpus"))
        facts_set_absent(facts, "pci", name, "/sys/bus");
    else
        facts_set_integer(facts, "pci", name, 0, "/sys/bus");
}

/* A kernel without PCI has buses, but no such bus; where there are no buses /sys is hidden. */
static void note_no_bus(const struct host *host, struct facts *facts, enum host_status status,
                        const struct error *error)
{
    static const char *const names[] = {"count", "nvswitch_count", "other_gpus"};
    bool none = status == HOST_ABSENT && host_is_live(host) && host_is_directory(host, "/sys/bus");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (note_sandboxed(facts, "pci", names[i], DEVICES))
            continue;
        if (none)
            set_none(facts, names[i]);
        else
            note_missing_below(host, facts, "pci", names[i], status, error, DEVICES,
                               "/sys/bus/pci");
    }
}

void probe_pci(const struct probe_context *context, struct facts *facts)
{
    const struct host *host = context->host;
    AUTO_ERROR struct error error = {0};
    AUTO_STRLIST struct strlist addresses = {0};
    enum host_status status = host_list(host, DEVICES, &addresses, &error);
    if (status != HOST_OK) {
        note_no_bus(host, facts, status, &error);
        return;
    }
    struct bus bus = {0};
    for (size_t i = 0; i < addresses.count; i++)
        walk_function(host, addresses.items[i], &bus);
    note_counts(facts, &bus);
    for (size_t i = 0; i < bus.displays.count && i < PROBE_INSTANCES; i++)
        note_function(host, facts, bus.displays.items[i]);
    strlist_free(&bus.displays);
    strlist_free(&bus.others);
    free(bus.problem);
}
