/* SPDX-License-Identifier: MIT */
#include "rules/module/module.h"

#include <string.h>

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/query/hardware.h"
#include "rules/remedy/remedy.h"

static bool is_built_for(const struct facts *facts, const char *dkms, const char *release)
{
    const struct strlist *kernels = facts_list(facts, dkms, "kernels");
    return kernels && release && strlist_has(kernels, release);
}

struct module_state module_state_of(const struct facts *facts)
{
    struct module_state state = {.release = facts_string(facts, "kernel", "release")};
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "module_file", &i)) != NULL;) {
        const char *kernel = facts_string(facts, group, "kernel");
        if (kernel && string_equal(kernel, state.release))
            state.file = group;
        else if (kernel)
            state.other = group;
    }
    for (size_t i = 0; (group = facts_next(facts, "dkms", &i)) != NULL;)
        if (!is_built_for(facts, group, state.release))
            state.dkms = group;
    state.kernel = facts_find(facts, "installed_kernel", "release", state.release);
    return state;
}

bool module_is_of_dkms(const struct facts *facts)
{
    int64_t count;
    return facts_integer(facts, "dkms", "count", &count) && count > 0;
}

bool rule_require_module_wanted(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    if (!rule_require_gpu_on_bus(context) || !rule_require_fact(context, "module", "nvidia"))
        return false;
    if (facts_true(facts, "module", "nvidia"))
        return false;
    if (judged_place(facts) == PLACE_CONTAINER) {
        rule_skip(context,
                  "the module belongs to the host, and a container does not show the host's files");
        return false;
    }
    if (rule_has_found(context, "driver_not_installed"))
        rule_skip(context, "no driver is installed");
    else if (judged_all_on_vfio(facts))
        rule_skip(context, "vfio-pci holds every GPU, for virtual machines");
    else
        return true;
    return false;
}

void module_skip_without_file(struct rule_context *context)
{
    if (!facts_true(context->facts, "module", "nvidia") &&
        judged_module_file(context->facts) == NULL)
        rule_skip(context, "there is no nvidia module for the running kernel");
}

bool rule_require_module_missing(struct rule_context *context, struct module_state *ret_state)
{
    *ret_state = module_state_of(context->facts);
    if (!rule_require_module_wanted(context) || !rule_require_fact(context, "kernel", "release"))
        return false;
    if (facts_get(context->facts, "module_file", "count") &&
        !rule_require_fact(context, "module_file", "count"))
        return false;
    return ret_state->release && ret_state->file == NULL;
}

const char *module_event(const struct facts *facts, const char *event, const char *bus_id)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "kernel_log", &i)) != NULL;) {
        const char *address = facts_string(facts, group, "bus_id");
        if (string_equal(facts_string(facts, group, "event"), event) &&
            string_equal(facts_string(facts, group, "boot"), "current") &&
            (bus_id == NULL || address == NULL || string_equal(address, bus_id)))
            return group;
    }
    return NULL;
}

/* The word at text is name, with - and _ the same. */
static bool word_is(const char *text, const char *name)
{
    size_t i = 0;
    for (; name[i]; i++)
        if (text[i] != name[i] && !(text[i] == '-' && name[i] == '_'))
            return false;
    return text[i] == '\0' || text[i] == ' ' || text[i] == '\t';
}

/* "install" with a command that does load something forbids nothing. */
static bool line_counts(const char *line)
{
    return !string_starts(line, "install") || strstr(line, "/false") || strstr(line, "/true");
}

static bool line_is_about(const char *line, const char *module, const char *const *words)
{
    for (size_t i = 0; words[i]; i++) {
        size_t length = strlen(words[i]);
        if (string_starts(line, words[i]) && (line[length] == ' ' || line[length] == '\t'))
            return word_is(line + length + strspn(line + length, " \t"), module) &&
                   line_counts(line);
    }
    return false;
}

const char *module_setting(const struct facts *facts, const char *module, const char *const *words,
                           const char **ret_path)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "modprobe", &i)) != NULL;) {
        const struct strlist *lines = facts_list(facts, group, "lines");
        const char *path = facts_string(facts, group, "path");
        for (size_t k = 0; path && lines && k < lines->count; k++) {
            if (!line_is_about(lines->items[k], module, words))
                continue;
            *ret_path = path;
            return lines->items[k];
        }
    }
    return NULL;
}

const char *module_forbidden(const struct facts *facts, const char *module, const char **ret_path)
{
    static const char *const words[] = {"blacklist", "install", "alias", NULL};
    const struct strlist *boot = facts_list(facts, "boot", "blacklisted");
    const char *line = module_setting(facts, module, words, ret_path);
    if (line == NULL && boot && strlist_has(boot, module)) {
        *ret_path = "the kernel's command line";
        line = "modprobe.blacklist";
    }
    return line;
}

bool module_drives(const struct facts *facts, const char *pci)
{
    return string_equal(facts_string(facts, pci, "driver"), "nvidia") ||
           hardware_listed(facts, "driver_gpu", hardware_address(pci)) != NULL;
}

bool module_drives_any(const struct facts *facts)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "pci", &i)) != NULL;)
        if (judged_pci_is_gpu(facts, group) && module_drives(facts, group))
            return true;
    return false;
}

bool module_gpu_is_free(const struct facts *facts, const char *pci)
{
    const struct fact *driver = facts_get(facts, pci, "driver");
    return driver && driver->state == FACT_ABSENT;
}

const char *module_release(const struct facts *facts)
{
    const char *loaded = facts_string(facts, "module", "version");
    const char *file = module_state_of(facts).file;
    if (loaded || file == NULL)
        return loaded;
    const char *version = facts_string(facts, file, "version");
    return version ? version : judged_driver(facts).text; /* a compressed file does not tell */
}

const char *module_flavour(const struct facts *facts)
{
    const char *file = module_state_of(facts).file;
    if (facts_true(facts, "module", "nvidia") || file == NULL)
        return facts_string(facts, "module", "flavour");
    const char *license = facts_string(facts, file, "license");
    if (license == NULL)
        return NULL;
    return strstr(license, "GPL") ? "open" : "proprietary";
}

void module_flavour_evidence(const struct facts *facts, struct finding *finding)
{
    const char *file = module_state_of(facts).file;
    if (facts_true(facts, "module", "nvidia"))
        finding_evidence(finding, facts, "module", "flavour");
    finding_evidence(finding, facts, file, "license");
}

const char *module_initramfs_command(const struct facts *facts)
{
    if (facts_true(facts, "os", "ostree"))
        return "sudo rpm-ostree initramfs --enable";
    if (remedy_image_tool(facts))
        return "sudo transactional-update initrd";
    switch (remedy_distribution(facts)) {
    case DISTRIBUTION_UBUNTU:
    case DISTRIBUTION_DEBIAN:
        return "sudo update-initramfs -u";
    case DISTRIBUTION_RHEL:
    case DISTRIBUTION_SUSE:
        return "sudo dracut --force";
    case DISTRIBUTION_ARCH:
        return "sudo mkinitcpio -P";
    case DISTRIBUTION_OTHER:
        break;
    }
    return NULL;
}

char *module_headers_command(const struct facts *facts, const char *release)
{
    AUTO_FREE char *quoted = shell_quote(release);
    if (remedy_image_tool(facts))
        return NULL;
    switch (remedy_distribution(facts)) {
    case DISTRIBUTION_UBUNTU:
    case DISTRIBUTION_DEBIAN:
        return mem_printf("sudo apt-get install linux-headers-%s", quoted);
    case DISTRIBUTION_RHEL:
        return mem_printf("sudo %s install kernel-devel-%s", remedy_rpm_tool(facts), quoted);
    case DISTRIBUTION_SUSE:
        return mem_string("sudo zypper install kernel-default-devel");
    case DISTRIBUTION_ARCH:
    case DISTRIBUTION_OTHER: /* one package for each kind of kernel */
        break;
    }
    return NULL;
}

bool module_follows(const struct rule_context *context, struct finding *finding)
{
    static const char *const causes[] = {
        "dgpu_powered_off",           "gpu_fell_off_bus",
        "pci_bar_unassigned",         "nouveau_loaded",
        "kmod_missing_headers",       "kmod_compiler_mismatch",
        "dkms_build_failed",          "kmod_not_built_for_kernel",
        "secure_boot_rejects_module", "legacy_gpu_dropped_by_driver",
        "open_kmod_unsupported_gpu",  "open_kmod_required",
        "vm_guest_refused_by_driver", "gsp_firmware_missing",
    };
    for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
        if (finding_follows(context, finding, causes[i]))
            return true;
    return false;
}
