/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/text.h"
#include "host/root/file.h"
#include "probe/engine/note.h"
#include "probe/system/virtualization.h"

#define OSRELEASE    "/proc/sys/kernel/osrelease"
#define DMI          "/sys/class/dmi/id"
#define CPUINFO      "/proc/cpuinfo"
#define DEVICE_TREE  "/proc/device-tree"
#define CLOCKSOURCES "/sys/devices/system/clocksource/clocksource0/available_clocksource"

/* What DMI says on virtual machines: the beginning of the vendor, a part of the product name; NULL
 * stands for any. Vendors with `metal` rent whole machines under the same name. */
struct dmi_row {
    const char *vendor;
    const char *product;
    const char *kind;
    bool metal;
};

static const struct dmi_row dmi_rows[] = {
    {.vendor = "Amazon EC2", .kind = "amazon", .metal = true},
    {.vendor = "Google", .product = "Google Compute Engine", .kind = "google", .metal = true},
    {.vendor = "Microsoft Corporation", .product = "Virtual Machine", .kind = "microsoft"},
    {.vendor = "VMware", .kind = "vmware"},
    {.vendor = "innotek GmbH", .kind = "virtualbox"},
    {.product = "VirtualBox", .kind = "virtualbox"},
    {.vendor = "Parallels", .kind = "parallels"},
    {.vendor = "Xen", .kind = "xen"},
    {.vendor = "QEMU", .kind = "qemu"},
    {.product = "KVM", .kind = "kvm"},
    {.vendor = "KubeVirt", .kind = "kvm"},
    {.product = "KubeVirt", .kind = "kvm"},
    {.vendor = "OpenStack", .kind = "kvm"},
    {.product = "OpenStack", .kind = "kvm"},
    {.vendor = "oVirt", .kind = "kvm"},
    {.vendor = "Nutanix", .product = "AHV", .kind = "kvm"},
    {.vendor = "DigitalOcean", .kind = "kvm"},
    {.vendor = "Hetzner", .product = "vServer", .kind = "kvm"},
    {.vendor = "Alibaba Cloud", .kind = "kvm", .metal = true},
    {.vendor = "Tencent Cloud", .kind = "kvm", .metal = true},
    {.vendor = "Bochs", .kind = "other"},
    {.vendor = "BHYVE", .kind = "other"},
    {.vendor = "Apple", .product = "Virtualization", .kind = "other"},
};

/* Words of other files that name the hypervisor. */
struct word_row {
    const char *word;
    const char *kind;
};

static const struct word_row clock_rows[] = {
    {.word = "kvm-clock", .kind = "kvm"},
    {.word = "hyperv_clocksource", .kind = "microsoft"},
    {.word = "xen", .kind = "xen"},
    {.word = NULL},
};

static const struct word_row device_tree_rows[] = {
    {.word = "kvm", .kind = "kvm"},
    {.word = "xen", .kind = "xen"},
    {.word = "vmware", .kind = "vmware"},
    {.word = NULL},
};

/* The processor's own word, from the flags in /proc/cpuinfo; other architectures have none. */
enum cpu_flag { CPU_SAYS_NOTHING, CPU_ON_METAL, CPU_ON_HYPERVISOR };

static enum cpu_flag cpu_flag_read(const struct host *host, enum host_status *ret_status,
                                   struct error *error)
{
    AUTO_TEXT struct text text = {0};
    *ret_status = host_read_head(host, CPUINFO, 65536, &text, error);
    char *cursor = *ret_status == HOST_OK ? text.data : NULL;
    for (char *line; (line = string_next_line(&cursor));) {
        if (!string_starts(line, "flags\t") && !string_starts(line, "flags:"))
            continue;
        AUTO_STRLIST struct strlist words = {0};
        strlist_split(&words, line, ' ');
        return strlist_has(&words, "hypervisor") ? CPU_ON_HYPERVISOR : CPU_ON_METAL;
    }
    return CPU_SAYS_NOTHING;
}

static const char *word_kind(const struct host *host, const char *path, const struct word_row *rows)
{
    AUTO_FREE char *line = NULL;
    if (host_read_line(host, path, &line, NULL) != HOST_OK)
        return NULL;
    for (; rows->word; rows++)
        if (strstr(line, rows->word))
            return rows->kind;
    return NULL;
}

static const char *dmi_kind(const char *vendor, const char *product, enum cpu_flag flag)
{
    for (size_t i = 0; i < sizeof(dmi_rows) / sizeof(dmi_rows[0]); i++) {
        const struct dmi_row *row = &dmi_rows[i];
        if (row->vendor && !string_starts(vendor, row->vendor))
            continue;
        if (row->product && strstr(product, row->product) == NULL)
            continue;
        bool metal = row->metal && (flag == CPU_ON_METAL || strstr(product, ".metal"));
        return metal ? "none" : row->kind;
    }
    return NULL;
}

static bool note_kind(struct facts *facts, const char *kind, const char *source)
{
    if (kind == NULL)
        return false;
    facts_set_string(facts, "machine", "virtualization", kind, source);
    return true;
}

static bool note_dmi(const struct host *host, struct facts *facts, enum cpu_flag flag,
                     bool processor_read)
{
    AUTO_FREE char *vendor = NULL;
    AUTO_FREE char *product = NULL;
    bool any = host_read_line(host, DMI "/sys_vendor", &vendor, NULL) == HOST_OK;
    any = host_read_line(host, DMI "/product_name", &product, NULL) == HOST_OK || any;
    if (!any)
        return false;
    const char *kind = dmi_kind(vendor ? vendor : "", product ? product : "", flag);
    /* Where the processor has no word for it, a vendor not known as virtual decides. */
    if (kind == NULL && processor_read && flag == CPU_SAYS_NOTHING)
        kind = "none";
    return note_kind(facts, kind, DMI);
}

static bool note_xen(const struct host *host, struct facts *facts)
{
    static const char path[] = "/sys/hypervisor/type";
    AUTO_FREE char *line = NULL;
    AUTO_FREE char *capabilities = NULL;
    if (host_read_line(host, path, &line, NULL) != HOST_OK || strcmp(line, "xen") != 0)
        return false;
    /* The first domain runs the machine itself. */
    bool first = host_read_line(host, "/proc/xen/capabilities", &capabilities, NULL) == HOST_OK &&
                 strstr(capabilities, "control_d");
    return note_kind(facts, first ? "none" : "xen", path);
}

void virtualization_note(const struct host *host, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *release = NULL;
    if (host_read_line(host, OSRELEASE, &release, NULL) == HOST_OK &&
        string_contains_nocase(release, "microsoft")) {
        note_kind(facts, "microsoft", OSRELEASE);
        return;
    }
    enum host_status status;
    enum cpu_flag flag = cpu_flag_read(host, &status, &error);
    static const char hypervisor[] = DEVICE_TREE "/hypervisor/compatible";
    if (note_xen(host, facts) || note_dmi(host, facts, flag, status == HOST_OK) ||
        note_kind(facts, word_kind(host, hypervisor, device_tree_rows), hypervisor))
        return;
    if (flag == CPU_ON_HYPERVISOR) {
        if (!note_kind(facts, word_kind(host, CLOCKSOURCES, clock_rows), CLOCKSOURCES))
            note_kind(facts, "other", CPUINFO);
    } else if (flag == CPU_ON_METAL) {
        note_kind(facts, "none", CPUINFO);
    } else if (host_is_directory(host, DEVICE_TREE)) {
        note_kind(facts, "none", DEVICE_TREE);
    } else if (status == HOST_OK) {
        facts_set_unknown(
            facts, "machine", "virtualization",
            "neither the processor's flags nor DMI show whether this is a virtual machine",
            CPUINFO);
    } else {
        note_missing_below(host, facts, "machine", "virtualization", status, &error, CPUINFO,
                           CPUINFO);
    }
}
