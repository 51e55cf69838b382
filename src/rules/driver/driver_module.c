/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rules/driver/driver_gpu.h"
#include "rules/driver/judges.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/module/module.h"
#include "rules/query/judged.h"
#include "rules/remedy/remedy.h"

/* Kernel drivers without CUDA that take the GPU before nvidia can: the module of a driver that is
 * bound; NULL: it is none of them. nova_core's driver is called NovaCore (drivers/gpu/nova-core).
 */
static const char *open_module(const char *driver)
{
    static const char *const nova[] = {"nova_core", "nova-core", "NovaCore"};
    for (size_t i = 0; driver && i < sizeof(nova) / sizeof(nova[0]); i++)
        if (string_equal(driver, nova[i]))
            return "nova_core";
    return string_equal(driver, "nouveau") ? "nouveau" : NULL;
}

bool driver_nova_holds(const struct facts *facts)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "pci", &i)) != NULL;)
        if (judged_pci_is_gpu(facts, group) &&
            string_equal(open_module(facts_string(facts, group, "driver")), "nova_core"))
            return true;
    return false;
}

/* The GPUs of the bus by what is bound to them. */
struct bound {
    const char *open;    /* group of the first GPU that nouveau or nova holds */
    const char *unbound; /* of the first that nothing holds */
    const char *unknown; /* of the first whose driver could not be read */
    size_t gpus, nvidia;
};

static void bound_add(struct bound *bound, const struct facts *facts, const char *group)
{
    const struct fact *fact = facts_get(facts, group, "driver");
    const char *driver = facts_string(facts, group, "driver");
    bound->gpus++;
    if (fact && (fact->state == FACT_UNKNOWN || fact->state == FACT_SKIPPED))
        bound->unknown = bound->unknown ? bound->unknown : group;
    else if (driver == NULL)
        bound->unbound = bound->unbound ? bound->unbound : group;
    else if (open_module(driver))
        bound->open = bound->open ? bound->open : group;
    else if (string_equal(driver, "nvidia"))
        bound->nvidia++;
}

static struct bound bound_of(const struct facts *facts)
{
    struct bound bound = {.gpus = 0};
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "pci", &i)) != NULL;)
        if (judged_pci_is_gpu(facts, group))
            bound_add(&bound, facts, group);
    return bound;
}

/* The module that is in nvidia's way: bound to a GPU, or loaded with a GPU that nothing holds. */
static const char *open_driver(const struct facts *facts, const struct bound *bound)
{
    if (bound->open)
        return open_module(facts_string(facts, bound->open, "driver"));
    if (facts_true(facts, "module", "nvidia") || (bound->gpus && bound->unbound == NULL))
        return NULL;
    if (facts_true(facts, "module", "nouveau"))
        return "nouveau";
    return facts_true(facts, "module", "nova") ? "nova_core" : NULL;
}

/* Where the kernel's arguments belong to the system's configuration, and not to files of modprobe.
 */
static bool add_kernel_arguments(const struct facts *facts, struct finding *finding,
                                 const char *driver)
{
    if (facts_true(facts, "os", "ostree")) {
        /* a choice: it changes how the machine starts */
        finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT | THEN_REBOOT, "then reboot",
                            "sudo rpm-ostree kargs --append-if-missing=rd.driver.blacklist=%s "
                            "--append-if-missing=modprobe.blacklist=%s",
                            driver, driver);
        return true;
    }
    if (!string_equal(facts_string(facts, "os", "id"), "nixos"))
        return false;
    finding_fix_note(
        finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
        "in the system's configuration: services.xserver.videoDrivers = [ \"nvidia\" ]; "
        "boot.blacklistedKernelModules = [ \"%s\" ]; then nixos-rebuild boot and reboot",
        driver);
    return true;
}

static void add_blacklist(const struct rule_context *context, struct finding *finding,
                          const char *driver, bool follows)
{
    if (follows) {
        finding_fix_note(
            finding, FIX_ADVICE,
            "installing the NVIDIA driver keeps %s from loading; nothing else is needed", driver);
        return;
    }
    if (judged_place(context->facts) == PLACE_CONTAINER) {
        finding_fix_note(finding, FIX_HOST | NEEDS_ROOT | THEN_REBOOT,
                         "on the host, not in this container: blacklist %s and reboot", driver);
        return;
    }
    if (add_kernel_arguments(context->facts, finding, driver))
        return;
    const char *initramfs = module_initramfs_command(context->facts);
    bool nouveau = string_equal(driver, "nouveau");
    finding_fix_command(
        finding, FIX_STEP | NEEDS_ROOT | THEN_REBOOT,
        initramfs ? "then reboot" : "then rebuild the initramfs and reboot",
        "printf 'blacklist %s\\n%s\\n' | sudo tee -a /etc/modprobe.d/blacklist-%s.conf%s%s", driver,
        nouveau ? "options nouveau modeset=0" : "blacklist nova_drm\\nblacklist nova", driver,
        initramfs ? " && " : "", initramfs ? initramfs : "");
}

/* The .run file's installer fails while the GPU is held, and leaves nothing. */
static void add_driver(const struct rule_context *context, struct finding *finding)
{
    const char *version = facts_string(context->facts, "driver_install", "runfile_version");
    finding_evidence(finding, context->facts, "driver_install", "runfile_outcome");
    finding_evidence(finding, context->facts, "driver_install", "runfile_version");
    if (version &&
        string_equal(facts_string(context->facts, "driver_install", "runfile_outcome"), "failed"))
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                         "after the reboot: run the installer of driver %s again: the installer "
                         "failed while another driver held the GPU (/var/log/nvidia-installer.log)",
                         version);
    else
        remedy_install_driver(context, finding, 0);
}

void judge_nouveau_loaded(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    if (!rule_require_gpu_on_bus(context))
        return;
    struct bound bound = bound_of(facts);
    const char *driver = open_driver(facts, &bound);
    if (driver == NULL) {
        if (bound.unknown)
            rule_require_fact(context, bound.unknown, "driver");
        else if (bound.unbound || bound.gpus == 0)
            rule_require_fact(context, "module", "nouveau");
        return;
    }
    if (bound.nvidia == 0 && driver_fallback(facts)) {
        rule_skip(context,
                  "the kernel's command line blacklists %s: it was loaded by name, because nvidia "
                  "did not start",
                  driver);
        return;
    }
    const char *address = bound.open ? strchr(bound.open, '/') + 1 : NULL;
    enum severity severity = severity_for_use(context->purpose);
    if (severity == SEVERITY_FAIL && bound.nvidia > 0)
        severity = SEVERITY_WARN; /* another GPU works */
    struct finding *finding =
        address ? rule_found(context, severity, "the kernel driver %s holds the GPU at %s", driver,
                             address)
                : rule_found(context, severity, "the kernel driver %s is loaded, but nvidia is not",
                             driver);
    finding_subject(finding, address);
    finding_why(finding,
                "%s is the kernel's own driver and does not support CUDA; while this driver holds "
                "a GPU, the nvidia module cannot use that GPU",
                driver);
    finding_evidence(finding, facts, bound.open ? bound.open : bound.unbound, "driver");
    finding_evidence(finding, facts, "module", "nouveau");
    finding_evidence(finding, facts, "module", "nvidia");
    bool follows = finding_follows(context, finding, "driver_not_installed");
    add_blacklist(context, finding, driver, follows);
    if (!follows && driver_is_absent(facts))
        add_driver(context, finding);
}

/* Where nvidia.ko lies for the running kernel, or for any. */
struct module_files {
    const char *running; /* group */
    const char *other;
};

static struct module_files module_files_of(const struct facts *facts)
{
    struct module_files files = {.running = NULL};
    const char *release = facts_string(facts, "kernel", "release");
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "module_file", &i)) != NULL;) {
        const char *kernel = facts_string(facts, group, "kernel");
        if (release && string_equal(kernel, release))
            files.running = group;
        else if (kernel)
            files.other = group;
    }
    return files;
}

static struct finding *module_finding(struct rule_context *context,
                                      const struct module_files *files)
{
    const struct facts *facts = context->facts;
    enum severity severity = severity_for_use(context->purpose);
    const char *release = facts_string(facts, "kernel", "release");
    if (judged_place(facts) == PLACE_CONTAINER)
        return rule_found(context, severity, "the host has not loaded the nvidia kernel module");
    if (judged_all_on_vfio(facts))
        return rule_found(context, SEVERITY_INFO,
                          "the nvidia kernel module is not loaded, and vfio-pci holds every GPU");
    const char *path;
    const char *line = module_forbidden(facts, "nvidia", &path);
    if (files->running && line)
        return rule_found(context, severity,
                          "the nvidia kernel module is not loaded: %s has \"%s\"", path, line);
    if (files->running)
        return rule_found(context, severity,
                          "the nvidia kernel module is not loaded, although it is installed for "
                          "the running kernel %s",
                          release);
    if (files->other && release)
        return rule_found(context, severity,
                          "the nvidia kernel module is not loaded: there is a module for kernel "
                          "%s, but none for the running kernel %s",
                          facts_string(facts, files->other, "kernel"), release);
    return rule_found(context, severity, "the nvidia kernel module is not loaded%s",
                      files->other ? "" : ", and no nvidia.ko is installed for any kernel");
}

/* DKMS builds the module for the running kernel when its headers are there. */
static void add_dkms(const struct rule_context *context, struct finding *finding)
{
    AUTO_FREE char *headers = NULL;
    if (remedy_image_tool(context->facts))
        return; /* the image has the module, or has it not */
    switch (remedy_distribution(context->facts)) {
    case DISTRIBUTION_UBUNTU:
    case DISTRIBUTION_DEBIAN:
        headers = mem_string("sudo apt-get install \"linux-headers-$(uname -r)\" && ");
        break;
    case DISTRIBUTION_RHEL:
        headers = mem_printf("sudo %s install \"kernel-devel-$(uname -r)\" && ",
                             remedy_rpm_tool(context->facts));
        break;
    case DISTRIBUTION_SUSE:
    case DISTRIBUTION_ARCH:
    case DISTRIBUTION_OTHER:
        break;
    }
    finding_fix_command(finding, FIX_STEP | NEEDS_ROOT,
                        headers ? "builds the module for the running kernel"
                                : "builds the module for the running kernel, whose headers must be "
                                  "installed",
                        "%ssudo dkms autoinstall && sudo modprobe nvidia", headers ? headers : "");
}

/* Takes away what keeps the module from being loaded; false: nothing does. */
static bool add_permission(const struct rule_context *context, struct finding *finding)
{
    const char *path;
    const char *line = module_forbidden(context->facts, "nvidia", &path);
    const char *initramfs = module_initramfs_command(context->facts);
    if (line == NULL)
        return false;
    finding_evidence_text(finding, path, line);
    AUTO_FREE char *quoted = shell_quote(path);
    if (*path == '/')
        finding_fix_command(
            finding, FIX_STEP | NEEDS_ROOT, "lets the module load again at every boot",
            "sudo sed -i -E 's/^(blacklist|install|alias) +nvidia( |$)/# &/' %s%s%s", quoted,
            initramfs ? " && " : "", initramfs ? initramfs : "");
    else
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
                         "remove %s=nvidia from %s (/etc/default/grub)", line, path);
    return true;
}

static void module_fixes(const struct rule_context *context, struct finding *finding,
                         const struct module_files *files)
{
    size_t cursor = 0;
    bool forbidden = files->running && judged_place(context->facts) != PLACE_CONTAINER &&
                     add_permission(context, finding);
    if (judged_place(context->facts) == PLACE_CONTAINER ||
        (files->running && !judged_all_on_vfio(context->facts))) {
        remedy_load_module(context, finding, "nvidia",
                           "if the module is not found: run sudo depmod -a, then try again; if the "
                           "module is refused: sudo dmesg | grep -i -e nvrm -e nvidia");
        if (forbidden && finding->fixes[finding->fix_count - 1].command)
            /* what someone has forbidden is not loaded unasked */
            finding_fix_kind(finding, FIX_ALSO);
        return;
    }
    if (judged_all_on_vfio(context->facts)) {
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
                         "to use a GPU here instead, remove that GPU from the vfio-pci settings "
                         "(grep -rn vfio /etc/modprobe.d /proc/cmdline), then reboot");
        return;
    }
    if (facts_next(context->facts, "dkms", &cursor))
        add_dkms(context, finding);
    if (files->other)
        finding_fix_note(finding, FIX_ADVICE | THEN_REBOOT,
                         "reboot, and choose kernel %s, which has the module, in the boot menu",
                         facts_string(context->facts, files->other, "kernel"));
    remedy_install_driver(context, finding, 0);
}

/* What this boot's log says of a module that did not stay: the words that tell most; NULL: nothing.
 */
static const char *log_of_refusal(const struct facts *facts)
{
    static const char *const events[] = {"unknown_symbol", "symbol_version",  "vermagic",
                                         "no_interrupt",   "gpu_unsupported", "power_cable",
                                         "probe_failed",   "no_gpu_found"};
    const char *log = NULL;
    if (judged_place(facts) == PLACE_CONTAINER)
        return NULL;
    for (size_t i = 0; log == NULL && i < sizeof(events) / sizeof(events[0]); i++)
        log = module_event(facts, events[i], NULL);
    return log;
}

static void module_why(const struct rule_context *context, struct finding *finding)
{
    const struct facts *facts = context->facts;
    bool vfio = judged_all_on_vfio(facts);
    const char *fallback = driver_fallback(facts);
    struct module_state state = module_state_of(facts);
    bool secure_boot =
        facts_true(facts, "machine", "secure_boot") && !module_signature_is_trusted(facts, &state);
    const char *log = vfio ? NULL : log_of_refusal(facts);
    finding_why(
        finding, "without the module, no program here can use the GPU%s%s%s%s%s%s",
        fallback ? "; the system then loaded the blacklisted " : "", fallback ? fallback : "",
        vfio ? "; vfio-pci reserves the GPU for virtual machines: on a host that passes its GPUs "
               "through, this is healthy"
             : "",
        log ? "; this boot's log says: " : "", log ? facts_string(facts, log, "message") : "",
        secure_boot ? "; Secure Boot is on, and refuses a module whose key is not enrolled" : "");
    finding_evidence(finding, facts, log, "message");
    if (secure_boot)
        finding_evidence(finding, facts, "machine", "secure_boot");
    if (fallback)
        finding_evidence(finding, facts, "boot", "options");
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "pci", &i)) != NULL;)
        if (judged_pci_is_gpu(facts, group))
            finding_evidence(finding, facts, group, "driver");
}

void judge_module_not_loaded(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    if (!rule_require_gpu_on_bus(context) || !rule_require_fact(context, "module", "nvidia"))
        return;
    if (facts_true(facts, "module", "nvidia"))
        return;
    if (rule_has_found(context, "driver_not_installed")) {
        rule_skip(context, "no driver is installed");
        return;
    }
    if (judged_place(facts) == PLACE_MACHINE && driver_knows_no_gpu(context)) {
        rule_skip(context,
                  "the driver is too old for every GPU here: its module does not stay loaded");
        return;
    }
    if (!rule_require_seen(context, "module_file", "count"))
        return;
    struct module_files files = module_files_of(facts);
    struct finding *finding = module_finding(context, &files);
    finding_evidence(finding, facts, "module", "nvidia");
    finding_evidence(finding, facts, "kernel", "release");
    finding_evidence(finding, facts, files.running ? files.running : files.other, "path");
    module_why(context, finding);
    if (finding_follows(context, finding, "nouveau_loaded"))
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
                         "fix %s first: nvidia loads once the GPU is free", finding->caused_by);
    else if (module_follows(context, finding))
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                         "fix %s first: this problem keeps nvidia from loading",
                         finding->caused_by);
    else
        module_fixes(context, finding, &files);
}
