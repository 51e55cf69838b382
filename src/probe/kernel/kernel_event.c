/* SPDX-License-Identifier: MIT */
#include "probe/kernel/kernel_event.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define PARTS 3

enum about {
    ABOUT_ALL,     /* the parts are enough */
    ABOUT_NVIDIA,  /* a line that names nvidia or NVRM */
    ABOUT_WATCHED, /* a line that names NVIDIA, a GPU's address or that of a bridge above one */
};

/* A line is of the first row all of whose parts it has. What the driver prints is in NVIDIA's
 * open-gpu-kernel-modules (kernel-open/nvidia/nv.c, nv-pci.c; src/nvidia), the others in the Linux
 * kernel (drivers/pci, kernel/module, mm/oom_kill.c, kernel/power). */
struct event_row {
    const char *name;
    const char *parts[PARTS];
    enum about about;
};

static const struct event_row rows[] = {
    {"xid", {"NVRM: Xid ("}, ABOUT_ALL},
    {"sxid", {"SXid (PCI:"}, ABOUT_ALL},
    {"fallen_off_bus", {"fallen off the bus"}, ABOUT_ALL},
    {"gpu_inaccessible", {"hange power state from", "inaccessible"}, ABOUT_WATCHED},
    {"gpu_inaccessible", {"not ready ", "giving up"}, ABOUT_WATCHED},
    {"open_required", {"requires use of the NVIDIA open kernel modules"}, ABOUT_ALL},
    {"open_unsupported", {"not supported by open"}, ABOUT_NVIDIA},
    {"open_unsupported", {"Open nvidia.ko is only ready for use on"}, ABOUT_ALL},
    {"legacy_gpu", {"Legacy drivers"}, ABOUT_NVIDIA},
    {"gpu_unsupported", {"installed in this system is not supported by the"}, ABOUT_NVIDIA},
    {"power_cable", {"does not have the necessary power cables"}, ABOUT_ALL},
    {"bar_invalid", {"This PCI I/O region assigned to your NVIDIA device is invalid"}, ABOUT_ALL},
    {"bar_invalid", {"BAR", " is 0M @ 0x0"}, ABOUT_NVIDIA},
    {"bar_unassigned", {"BAR ", "no space for"}, ABOUT_WATCHED},
    {"bar_unassigned", {"BAR ", "failed to assign"}, ABOUT_WATCHED},
    {"bar_unassigned", {"BAR ", "can't assign"}, ABOUT_WATCHED},
    {"rm_init_failed", {"RmInitAdapter failed"}, ABOUT_ALL},
    {"gsp_timeout", {"imeout", "RPC from GSP"}, ABOUT_ALL},
    {"gsp_timeout", {"NVRM:", "eartbeat timed out"}, ABOUT_ALL},
    {"gsp_timeout", {"NVRM:", "PMU has halted"}, ABOUT_ALL},
    {"board_not_ready", {"NVRM:", "failed to wait for GFW"}, ABOUT_ALL},
    {"board_not_ready", {"NVRM:", "WPR2 already up"}, ABOUT_ALL},
    {"no_interrupt", {"find an IRQ for your NVIDIA card"}, ABOUT_ALL},
    {"gsp_firmware_missing", {"No firmware image found"}, ABOUT_NVIDIA},
    {"gsp_firmware_missing", {"firmware load for nvidia/", "failed"}, ABOUT_ALL},
    {"api_mismatch", {"API mismatch"}, ABOUT_NVIDIA},
    {"probe_not_called", {"NVIDIA probe routine was not called for"}, ABOUT_ALL},
    {"probe_failed", {"NVIDIA probe routine failed for"}, ABOUT_ALL},
    {"no_gpu_found", {"None of the NVIDIA"}, ABOUT_ALL},
    {"no_gpu_found", {"No NVIDIA", "found"}, ABOUT_NVIDIA},
    {"no_gpu_found", {"No NVIDIA", "probed"}, ABOUT_NVIDIA},
    {"driver_conflict", {"obtained ownership of"}, ABOUT_NVIDIA},
    {"cannot_attach", {"Cannot attach gpu"}, ABOUT_ALL},
    {"signature_rejected", {"Loading of unsigned module is rejected"}, ABOUT_ALL},
    {"signature_rejected", {"Loading of module with unavailable key is rejected"}, ABOUT_ALL},
    {"signature_rejected", {"unsigned module loading is restricted"}, ABOUT_ALL},
    {"signature_rejected", {"not signed with a trusted key"}, ABOUT_ALL},
    {"signature_rejected", {"Key was rejected by service"}, ABOUT_ALL},
    {"module_unverified", {"module verification failed"}, ABOUT_NVIDIA},
    {"lockdown", {"Kernel is locked down from"}, ABOUT_ALL},
    {"symbol_version", {"disagrees about version of symbol"}, ABOUT_NVIDIA},
    {"unknown_symbol", {"Unknown symbol"}, ABOUT_NVIDIA},
    {"vermagic", {"version magic '"}, ABOUT_NVIDIA},
    {"aer_fatal", {"severity=Uncorrect", "(Fatal)"}, ABOUT_WATCHED},
    {"aer_nonfatal", {"severity=Uncorrect", "(Non-Fatal)"}, ABOUT_WATCHED},
    {"aer_corrected", {"severity=Correct"}, ABOUT_WATCHED},
    {"link_down", {"pciehp", "Link Down"}, ABOUT_WATCHED},
    {"iommu_fault", {"IO_PAGE_FAULT"}, ABOUT_WATCHED},
    {"iommu_fault", {"DMAR:", "fault addr"}, ABOUT_WATCHED},
    {"cgroup_oom_kill", {"emory cgroup out of memory"}, ABOUT_ALL},
    {"oom_kill", {"ut of memory: Kill"}, ABOUT_ALL},
    {"avc_denied", {"avc:", "denied"}, ABOUT_NVIDIA},
    {"apparmor_denied", {"apparmor=\"DENIED\""}, ABOUT_NVIDIA},
    {"suspend", {"PM: suspend entry"}, ABOUT_ALL},
    {"suspend", {"PM: hibernation: hibernation entry"}, ABOUT_ALL},
    {"resume", {"PM: suspend exit"}, ABOUT_ALL},
    {"resume", {"PM: hibernation: hibernation exit"}, ABOUT_ALL},
    {"nvidia_loaded", {"NVRM: loading NVIDIA UNIX"}, ABOUT_ALL},
    {"uvm_loaded", {"nvidia-uvm: Loaded the UVM driver"}, ABOUT_ALL},
    {"hmm_failed", {"request_free_mem_region() err"}, ABOUT_NVIDIA},
    {"fabric", {"abric"}, ABOUT_NVIDIA},
    {"nouveau_error", {"nouveau", "fail"}, ABOUT_ALL},
    {"nouveau", {"nouveau "}, ABOUT_ALL},
    {"nvrm_error", {"NVRM:", "rror"}, ABOUT_ALL},
    {"nvrm_error", {"NVRM:", "fail"}, ABOUT_ALL},
};

#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))
_Static_assert(ROW_COUNT <= KERNEL_ROWS_MAX, "kernel_reader has room for each row");

void kernel_pairs_add(struct kernel_pairs *pairs, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    for (; at[0] && at[1]; at++) {
        unsigned bit = (at[0] * 31u + at[1]) % (64 * KERNEL_PAIR_WORDS);
        pairs->bits[bit / 64] |= (uint64_t)1 << (bit % 64);
    }
}

bool kernel_pairs_may_have(const struct kernel_pairs *line, const struct kernel_pairs *row)
{
    uint64_t missing = 0;
    for (size_t i = 0; i < KERNEL_PAIR_WORDS; i++)
        missing |= row->bits[i] & ~line->bits[i];
    return missing == 0;
}

static void make_ready(struct kernel_reader *reader)
{
    for (size_t i = 0; i < ROW_COUNT; i++)
        for (size_t k = 0; k < PARTS && rows[i].parts[k]; k++)
            kernel_pairs_add(&reader->rows[i], rows[i].parts[k]);
    reader->ready = true;
}

static size_t hex_run(const char *text)
{
    return strspn(text, "0123456789abcdefABCDEF");
}

static void copy_bus_id(char target[static KERNEL_BUS_ID_SIZE], const char *source)
{
    size_t length = strnlen(source, KERNEL_BUS_ID_SIZE - 1);
    memcpy(target, source, length);
    target[length] = '\0';
}

static void lower_copy(char *target, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        target[i] = (char)(text[i] >= 'A' && text[i] <= 'F' ? text[i] - 'A' + 'a' : text[i]);
    target[size] = '\0';
}

/* "0000:01:00.0", or without the function as Xids have it ("PCI:0000:01:00"), at text. Returns its
 * length, 0 when there is none. */
static size_t full_address(const char *text, char ret_bus_id[static KERNEL_BUS_ID_SIZE])
{
    size_t domain = hex_run(text);
    if (domain < 4 || domain > 8 || text[domain] != ':')
        return 0;
    const char *bus = text + domain + 1;
    if (hex_run(bus) != 2 || bus[2] != ':' || hex_run(bus + 3) != 2)
        return 0;
    size_t length = domain + 6;
    bool function = text[length] == '.' && hex_run(text + length + 1) == 1;
    /* The driver writes eight digits of domain in places, the kernel four. */
    size_t zeros = strspn(text, "0");
    size_t cut = domain > 4 ? (zeros < domain - 4 ? zeros : domain - 4) : 0;
    size_t size = length - cut + (function ? 2 : 0);
    lower_copy(ret_bus_id, text + cut, size);
    if (!function)
        memcpy(ret_bus_id + size, ".0", 3);
    return length;
}

/* "01:00.0", as the IOMMU's drivers write it: domain 0. */
static size_t short_address(const char *text, char ret_bus_id[static KERNEL_BUS_ID_SIZE])
{
    if (hex_run(text) != 2 || text[2] != ':' || hex_run(text + 3) != 2 || text[5] != '.' ||
        hex_run(text + 6) != 1)
        return 0;
    copy_bus_id(ret_bus_id, "0000:");
    lower_copy(ret_bus_id + 5, text, 7);
    return 7;
}

/* The first address that is watched, else the first at all. */
bool kernel_address_find(const char *line, const struct strlist *watched,
                         char ret_bus_id[static KERNEL_BUS_ID_SIZE])
{
    bool found = false;
    char bus_id[KERNEL_BUS_ID_SIZE];
    for (const char *at = line; *at;) {
        size_t length = full_address(at, bus_id);
        length = length > 0 ? length : short_address(at, bus_id);
        if (length > 0 && strlist_has(watched, bus_id)) {
            copy_bus_id(ret_bus_id, bus_id);
            return true;
        }
        if (length > 0 && !found) {
            copy_bus_id(ret_bus_id, bus_id);
            found = true;
        }
        size_t run = hex_run(at);
        at += length > 0 ? length : run > 0 ? run : 1;
    }
    return found;
}

static bool names_nvidia(const char *line)
{
    return strstr(line, "NVRM") || strstr(line, "nvidia") || strstr(line, "NVIDIA");
}

static bool row_fits(const struct event_row *row, const char *line)
{
    for (size_t i = 0; i < PARTS && row->parts[i]; i++)
        if (strstr(line, row->parts[i]) == NULL)
            return false;
    return true;
}

static bool concerns(const struct event_row *row, const char *line, bool watched)
{
    switch (row->about) {
    case ABOUT_NVIDIA:
        return names_nvidia(line);
    case ABOUT_WATCHED:
        return watched || names_nvidia(line);
    case ABOUT_ALL:
        break;
    }
    return true;
}

/* "NVRM: Xid (PCI:0000:01:00): 79, …": the number behind the parenthesis. */
static void read_number(const char *line, struct kernel_event *event)
{
    static const char *const numbered[] = {"Xid (", "SXid ("};
    for (size_t i = 0; i < sizeof(numbered) / sizeof(numbered[0]); i++) {
        const char *at = strstr(line, numbered[i]);
        const char *end = at ? strstr(at, "): ") : NULL;
        if (end == NULL || end[3] < '0' || end[3] > '9')
            continue;
        event->numbered = true;
        event->number = (int64_t)(strtoul(end + 3, NULL, 10) & INT32_MAX);
    }
}

static const struct event_row *find_row(const struct kernel_reader *reader,
                                        const struct kernel_pairs *pairs, const char *line,
                                        bool watched)
{
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (kernel_pairs_may_have(pairs, &reader->rows[i]) && row_fits(&rows[i], line) &&
            concerns(&rows[i], line, watched))
            return &rows[i];
    return NULL;
}

/* Most lines are about nothing: whether any row fits is asked first, addresses are looked for after
 * that. */
bool kernel_event_read(struct kernel_reader *reader, const char *line,
                       struct kernel_event *ret_event)
{
    bool driver = string_starts(line, "NVRM:");
    char bus_id[KERNEL_BUS_ID_SIZE] = "";
    const struct kernel_pairs *pairs = &reader->line;
    if (!reader->ready)
        make_ready(reader);
    reader->line = (struct kernel_pairs){{0}};
    kernel_pairs_add(&reader->line, line);
    const struct event_row *found = find_row(reader, pairs, line, true);
    /* The command line names modules, and says nothing happened to them. */
    if ((found == NULL && !driver) || strstr(line, "ommand line")) {
        reader->last_bus_id[0] = '\0';
        return false;
    }
    bool addressed = kernel_address_find(line, reader->watched, bus_id);
    found = find_row(reader, pairs, line, addressed && strlist_has(reader->watched, bus_id));
    if (found) {
        *ret_event = (struct kernel_event){.name = found->name};
        copy_bus_id(ret_event->bus_id, addressed ? bus_id : driver ? reader->last_bus_id : "");
        if (string_ends(found->name, "xid"))
            read_number(line, ret_event);
    }
    if (!driver || addressed)
        copy_bus_id(reader->last_bus_id, driver ? bus_id : "");
    return found != NULL;
}
