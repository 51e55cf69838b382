/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "host/root/file.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"

#define SUSPENDS    "/sys/power/suspend_stats/success"
#define CMDLINE     "/proc/cmdline"
#define CMDLINE_MAX 65536 /* COMMAND_LINE_SIZE of the kernel is at most 4096 */

/* Words of the kernel's command line that decide about GPUs, their module or their bus, by what
 * they begin with; - and _ are the same in names of modules. Others may be private and are left
 * out. */
static const char *const wanted[] = {
    "nouveau.",
    "nvidia",
    "nova",
    "rd.driver.",
    "modprobe.blacklist=",
    "module_blacklist=",
    "rd.nouveau",
    "vfio",
    "iommu",
    "intel_iommu",
    "amd_iommu",
    "pci=",
    "pcie_",
    "module.sig_enforce",
    "lockdown",
    "nomodeset",
    "selinux=",
    "enforcing=",
    "apparmor=",
    "nomodule",
    "rd.modules",
    "systemd.unified_cgroup_hierarchy",
    "swiotlb=",
    "nogpumanager",
    "rdblacklist=",
    "modules_load=",
    "blacklist=",
    "ibt=",
};

static bool is_wanted(const char *word)
{
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
        if (string_starts(word, wanted[i]))
            return true;
    return false;
}

static void add_modules(const char *names, struct strlist *modules)
{
    AUTO_STRLIST struct strlist list = {0};
    strlist_split(&list, names, ',');
    for (size_t i = 0; i < list.count; i++) {
        for (char *at = list.items[i]; *at; at++)
            *at = *at == '-' ? '_' : *at;
        if (list.items[i][0])
            strlist_add_new(modules, list.items[i]);
    }
}

static void add_blacklisted(const char *word, struct strlist *modules)
{
    static const char *const keys[] = {
        "modprobe.blacklist=", "module_blacklist=", "rd.driver.blacklist=", "rdblacklist="};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (string_starts(word, keys[i]))
            add_modules(word + strlen(keys[i]), modules);
}

void probe_boot(const struct probe_context *context, struct facts *facts)
{
    static const char *const names[] = {"options", "blacklisted"};
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    AUTO_STRLIST struct strlist options = {0};
    AUTO_STRLIST struct strlist modules = {0};
    note_integer(context->host, facts, "boot", "suspends", SUSPENDS);
    enum host_status status = note_read_text(context->host, CMDLINE, CMDLINE_MAX, &text, &error);
    if (status != HOST_OK) {
        for (size_t i = 0; i < 2; i++)
            note_missing_below(context->host, facts, "boot", names[i], status, &error, CMDLINE,
                               CMDLINE);
        return;
    }
    char *save = NULL;
    char *word = text.data ? strtok_r(text.data, " \t\n", &save) : NULL;
    for (; word && strcmp(word, "--") != 0; word = strtok_r(NULL, " \t\n", &save)) {
        if (is_wanted(word))
            strlist_add(&options, word);
        add_blacklisted(word, &modules);
    }
    facts_set_list(facts, "boot", "options", &options, CMDLINE);
    facts_set_list(facts, "boot", "blacklisted", &modules, CMDLINE);
}
