/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/module/judges.h"
#include "rules/module/module_build.h"
#include "rules/remedy/remedy.h"

/* kmod_not_built_for_kernel: there is a module, and it is for another kernel. */

/* The package of finished modules for the running kernel, by that of another: Ubuntu has one for
 * each kernel ("linux-modules-nvidia-535-6.8.0-45-generic"), and so has RPM Fusion
 * ("kmod-nvidia-6.17.8-300.fc43.x86_64"); NULL: none is installed. free() it. */
static char *module_package(const struct facts *facts, const struct module_state *state)
{
    const char *built = state->other ? facts_string(facts, state->other, "kernel") : NULL;
    const char *group;
    for (size_t i = 0; built && (group = facts_next(facts, "package", &i)) != NULL;) {
        const char *name = facts_string(facts, group, "name");
        if (name && string_ends(name, built) &&
            (string_starts(name, "linux-modules-nvidia-") || string_starts(name, "kmod-nvidia-")))
            return mem_printf("%.*s%s", (int)(strlen(name) - strlen(built)), name, state->release);
    }
    return NULL;
}

/* The flavour of Arch's packages: of the one that is installed, else of the module's file. */
static bool is_open(const struct facts *facts, const char *license)
{
    if (facts_find(facts, "package", "name", "nvidia-open"))
        return true;
    return facts_find(facts, "package", "name", "nvidia") == NULL && license &&
           strstr(license, "GPL");
}

static void add_module(const struct rule_context *context, const struct module_state *state,
                       struct finding *finding)
{
    const struct facts *facts = context->facts;
    const char *license = state->other ? facts_string(facts, state->other, "license") : NULL;
    AUTO_FREE char *package = module_package(facts, state);
    AUTO_FREE char *quoted = shell_quote(package ? package : "");
    if (facts_true(facts, "driver_install", "akmods"))
        module_add_build(facts, state, finding);
    else if (package)
        finding_fix_command(
            finding, FIX_STEP | NEEDS_ROOT, "installs the prebuilt module for this kernel",
            "sudo %s install %s && sudo modprobe nvidia",
            remedy_distribution(facts) == DISTRIBUTION_RHEL ? remedy_rpm_tool(facts) : "apt-get",
            quoted);
    else if (facts_true(facts, "driver_install", "runfile"))
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                         "run the driver's .run file again with --dkms, so every later kernel gets "
                         "a module too");
    else if (remedy_distribution(facts) == DISTRIBUTION_ARCH)
        finding_fix_command(finding, FIX_STEP | NEEDS_ROOT,
                            "builds the module for every kernel; needs this kernel's headers",
                            "sudo pacman -S nvidia-%sdkms && sudo modprobe nvidia",
                            is_open(facts, license) ? "open-" : "");
    else
        remedy_install_driver(context, finding, 0);
}

/* DKMS has it, and no log tells why it is not built: what may be the reason, likeliest first. */
static void tell_remaining(const struct facts *facts, struct finding *finding)
{
    const char *kernel = facts_string(facts, "installed_kernel", "running_compiler");
    const char *own = facts_string(facts, "compiler", "cc_version");
    AUTO_FREE char *compiler =
        kernel && own && !string_equal(kernel, own)
            ? mem_printf("the compiler (gcc %s) is not the kernel's (gcc %s), ", own, kernel)
            : mem_string("");
    finding_why(finding,
                "DKMS has not built the driver for this kernel, and no log says why; possible "
                "causes: %sDKMS was never told to build the driver, or the build failed; to check, "
                "run: sudo dkms autoinstall",
                compiler);
}

/* The kernel that the file below the running one's directory was built for, when it is another:
 * the first word of its vermagic. Weak modules are for kernels with the same symbols, and those do
 * not look at that word (same_magic() in kernel/module/version.c). free() it. */
static char *strange_kernel(const struct facts *facts, const struct module_state *state)
{
    const char *vermagic = state->file ? facts_string(facts, state->file, "vermagic") : NULL;
    const char *path = state->file ? facts_string(facts, state->file, "path") : NULL;
    if (vermagic == NULL || state->release == NULL || (path && strstr(path, "/weak-updates/")))
        return NULL;
    char *kernel = mem_string_n(vermagic, strcspn(vermagic, " "));
    if (*kernel && !string_equal(kernel, state->release))
        return kernel;
    free(kernel);
    return NULL;
}

/* The module is there and does not fit, by what it says of itself or by the kernel's log. */
static void judge_misfit(struct rule_context *context, const struct module_state *state)
{
    const struct facts *facts = context->facts;
    const char *event = module_event(facts, "vermagic", NULL);
    event = event ? event : module_event(facts, "symbol_version", NULL);
    const char *said = event ? facts_string(facts, event, "message") : NULL;
    AUTO_FREE char *kernel = strange_kernel(facts, state);
    if (state->file == NULL || (kernel == NULL && said == NULL))
        return;
    struct finding *finding =
        rule_found(context, severity_for_use(context->purpose),
                   "the nvidia module of the running kernel %s was built for %s%s", state->release,
                   kernel ? "kernel " : "another build of that kernel", kernel ? kernel : "");
    finding_subject(finding, facts_string(facts, state->file, "path"));
    finding_why(finding, "the kernel refuses a module that was built for another kernel; %s%s",
                said ? "its log says: " : "the module's vermagic shows this", said ? said : "");
    finding_evidence(finding, facts, "kernel", "release");
    finding_evidence(finding, facts, state->file, "vermagic");
    if (event)
        finding_evidence(finding, facts, event, "message");
    AUTO_FREE char *release = shell_quote(state->release);
    bool dkms = module_is_of_dkms(facts);
    if (dkms)
        finding_fix_command(
            finding, FIX_STEP | NEEDS_ROOT,
            "rebuilds the module for this kernel, with the headers that are installed now",
            "sudo dkms autoinstall --force -k %s && sudo modprobe nvidia", release);
    module_add_reboot(facts, state, finding);
    if (dkms)
        remedy_install_driver(context, finding, 0);
    else
        add_module(context, state, finding);
}

void judge_kmod_not_built_for_kernel(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    struct module_state state;
    if (!rule_require_module_missing(context, &state)) {
        if (context->check->status == CHECK_PASS && !facts_true(facts, "module", "nvidia"))
            judge_misfit(context, &state);
        return;
    }
    if (state.other == NULL && state.dkms == NULL)
        return;
    if (rule_has_found(context, "kmod_missing_headers") ||
        rule_has_found(context, "kmod_compiler_mismatch") ||
        rule_has_found(context, "dkms_build_failed"))
        return;
    const char *built = state.other ? facts_string(facts, state.other, "kernel") : NULL;
    struct finding *finding =
        rule_found(context, severity_for_use(context->purpose),
                   "the running kernel %s has no nvidia module%s%s", state.release,
                   built ? "; there is a module for kernel " : ", and DKMS has built none",
                   built ? built : "");
    if (state.other && module_kernel_is_gone(facts, &state))
        finding_why(finding,
                    "the running kernel's modules are gone from the disk: an update replaced that "
                    "kernel, and the running kernel cannot load any more modules");
    else if (state.dkms)
        tell_remaining(facts, finding);
    else if (facts_true(facts, "driver_install", "akmods"))
        finding_why(finding, "akmods builds the module when a kernel is installed or booted, but "
                             "has not built the module for this kernel");
    else
        finding_why(finding, "a module fits only the kernel that it was built for, and nothing "
                             "here (such as DKMS) builds a new module when the kernel changes");
    module_state_evidence(facts, &state, finding);
    if (state.dkms && !(state.other && module_kernel_is_gone(facts, &state)))
        module_add_build(facts, &state, finding);
    module_add_reboot(facts, &state, finding);
    if (state.dkms == NULL && !(state.other && module_kernel_is_gone(facts, &state)))
        add_module(context, &state, finding);
}
