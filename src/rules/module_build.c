/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rules/module.h"
#include "rules/remedy.h"

/* The running kernel has no nvidia.ko: why nobody built one. */

static bool has_no_headers(const struct facts *facts, const struct module_state *state)
{
    bool headers;
    return state->kernel && facts_boolean(facts, state->kernel, "headers", &headers) && !headers;
}

/* Something here would build the module if it could: DKMS or akmods. */
static bool has_builder(const struct facts *facts, const struct module_state *state)
{
    const struct strlist *akmods = facts_list(facts, "driver_install", "akmods_failed");
    return state->dkms || (akmods && akmods->count > 0);
}

static void state_evidence(const struct facts *facts, const struct module_state *state,
                           struct finding *finding)
{
    finding_evidence(finding, facts, "kernel", "release");
    finding_evidence(finding, facts, "module_file", "count");
    finding_evidence(finding, facts, state->other, "path");
    finding_evidence(finding, facts, state->dkms, "state");
}

static void add_reboot(const struct facts *facts, const struct module_state *state,
                       struct finding *finding)
{
    if (state->other)
        finding_fix_note(finding, false, true,
                         "until then: reboot, and choose kernel %s, which has the module, in the "
                         "boot menu",
                         facts_string(facts, state->other, "kernel"));
}

static void add_build(const struct facts *facts, const struct module_state *state,
                      struct finding *finding)
{
    const char *akmods = facts_true(facts, "driver_install", "runfile") || state->dkms ||
                                 remedy_distribution(facts) != DISTRIBUTION_RHEL
                             ? NULL
                             : "sudo akmods --force";
    AUTO_FREE char *headers = module_headers_command(facts, state->release);
    const char *build = akmods ? akmods : "sudo dkms autoinstall";
    finding_fix_command(finding, true, false,
                        headers ? "installs the headers and builds the module for this kernel"
                                : "builds the module, once this kernel's headers are installed",
                        "%s%s%s && sudo modprobe nvidia", headers ? headers : "",
                        headers ? " && " : "", build);
}

/* The kernel's kind in its release: "cloud-amd64" of 6.1.0-18-cloud-amd64; NULL: it has none. */
static const char *kernel_kind(const char *release)
{
    for (const char *at = strchr(release, '-'); at; at = strchr(at + 1, '-'))
        if (at[1] >= 'a' && at[1] <= 'z')
            return at + 1;
    return NULL;
}

/* The package that brings the headers of each new kernel along with it. Ubuntu's "generic" kernels
 * come from two series, whose packages differ. */
static void add_metapackage(const struct facts *facts, const struct module_state *state,
                            struct finding *finding)
{
    static const char note[] = "lets the headers come with every new kernel from now on";
    enum distribution distribution = remedy_distribution(facts);
    const char *kind = kernel_kind(state->release);
    AUTO_FREE char *quoted = shell_quote(kind ? kind : "");
    bool deb = distribution == DISTRIBUTION_UBUNTU || distribution == DISTRIBUTION_DEBIAN;
    if (distribution == DISTRIBUTION_UBUNTU && string_equal(kind, "generic"))
        finding_fix_note(finding, true, false,
                         "so that it does not come again: install linux-headers-generic, or "
                         "its hwe variant where the kernel is of that series");
    else if (deb && kind) {
        finding_fix_command(finding, true, false, note, "sudo apt-get install linux-headers-%s",
                            quoted);
        finding_fix_kind(finding, FIX_ALSO);
    } else if (distribution == DISTRIBUTION_RHEL) {
        finding_fix_command(finding, true, false, note, "sudo dnf install kernel-devel");
        finding_fix_kind(finding, FIX_ALSO);
    } else
        finding_fix_note(finding, true, false,
                         "install the package with the headers of this kind of kernel: it brings "
                         "those of every new one");
}

void judge_kmod_missing_headers(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    struct module_state state;
    if (!module_is_missing(context, &state) || !has_builder(facts, &state))
        return;
    if (state.kernel && rule_lacks(context, state.kernel, "headers"))
        return;
    if (!has_no_headers(facts, &state))
        return;
    struct finding *finding =
        rule_found(context, severity_for_use(context->profile),
                   "the kernel %s has no nvidia module: its headers are not installed, so that "
                   "none could be built",
                   state.release);
    finding_why(finding,
                "%s builds the module for each kernel and needs that kernel's headers "
                "(/lib/modules/%s/build); a kernel that was updated by itself often comes "
                "without them",
                state.dkms ? "DKMS" : "akmods", state.release);
    state_evidence(facts, &state, finding);
    finding_evidence(finding, facts, state.kernel, "headers");
    add_build(facts, &state, finding);
    add_metapackage(facts, &state, finding);
    add_reboot(facts, &state, finding);
}

/* What the last build said. A log of another kernel tells of this one only where DKMS has built the
 * release for none. */
static const struct strlist *failed_build(const struct facts *facts,
                                          const struct module_state *state, const char **ret_source)
{
    const struct strlist *errors = facts_list(facts, "driver_install", "akmods_errors");
    const struct strlist *akmods = facts_list(facts, "driver_install", "akmods_failed");
    if (state->dkms == NULL) {
        *ret_source = akmods && akmods->count ? akmods->items[akmods->count - 1] : NULL;
        return *ret_source ? errors : NULL;
    }
    const char *kernel = facts_string(facts, state->dkms, "log_kernel");
    const struct strlist *kernels = facts_list(facts, state->dkms, "kernels");
    if (!string_equal(facts_string(facts, state->dkms, "log_outcome"), "failed"))
        return NULL;
    if (kernel && !string_equal(kernel, state->release) && kernels && kernels->count > 0)
        return NULL;
    *ret_source = facts_string(facts, state->dkms, "log");
    return *ret_source ? facts_list(facts, state->dkms, "log_errors") : NULL;
}

/* The line of a build that speaks of the compiler; NULL: none does. */
static const char *compiler_line(const struct strlist *errors)
{
    static const char *const marks[] = {"CC version check", "The kernel was built by",
                                        "kernel was built with", "Compiler version check",
                                        "differs from the one used"};
    for (size_t i = 0; errors && i < errors->count; i++)
        for (size_t k = 0; k < sizeof(marks) / sizeof(marks[0]); k++)
            if (strstr(errors->items[i], marks[k]))
                return errors->items[i];
    return NULL;
}

/* An option that this compiler does not have: the kernel was built by another. */
static const char *option_line(const struct facts *facts, const struct strlist *errors)
{
    const char *kernel = facts_string(facts, "installed_kernel", "running_compiler");
    const char *own = facts_string(facts, "compiler", "cc_version");
    if (kernel == NULL || own == NULL || string_equal(kernel, own))
        return NULL;
    for (size_t i = 0; errors && i < errors->count; i++)
        if (strstr(errors->items[i], "unrecognized command") ||
            strstr(errors->items[i], "unrecognised command"))
            return errors->items[i];
    return NULL;
}

/* The kernel's major version is the compiler's too: only a smaller number differs. */
static bool is_near(const struct facts *facts, const char *line)
{
    const char *kernel = facts_string(facts, "installed_kernel", "running_compiler");
    const char *own = facts_string(facts, "compiler", "cc_version");
    return own && kernel ? string_equal(own, kernel) : strstr(line, "CC version check") != NULL;
}

static void add_compiler(const struct facts *facts, struct finding *finding)
{
    const char *kernel = facts_string(facts, "installed_kernel", "running_compiler");
    AUTO_FREE char *major = kernel ? shell_quote(kernel) : NULL;
    enum distribution distribution = remedy_distribution(facts);
    if (major && (distribution == DISTRIBUTION_UBUNTU || distribution == DISTRIBUTION_DEBIAN))
        finding_fix_command(finding, true, false,
                            "builds the module with the compiler that built the kernel",
                            "sudo apt-get install gcc-%s && sudo env CC=gcc-%s dkms autoinstall && "
                            "sudo modprobe nvidia",
                            major, major);
    else
        finding_fix_note(finding, true, false,
                         "install gcc %s, which built the kernel, and build with it: sudo env "
                         "CC=gcc-%s dkms autoinstall",
                         major ? major : "of the release", major ? major : "N");
}

static void add_compiler_fixes(const struct facts *facts, const struct module_state *state,
                               struct finding *finding, const char *line)
{
    bool near = is_near(facts, line);
    if (!near)
        add_compiler(facts, finding);
    finding_fix_command(finding, true, false,
                        near ? "builds without that check: the compilers differ in a small number"
                             : "or, where only a small number differs: builds without that check",
                        "sudo env IGNORE_CC_MISMATCH=1 dkms autoinstall && sudo modprobe nvidia");
    if (near)
        add_compiler(facts, finding);
    finding_fix_note(finding, true, true,
                     "or boot a kernel of the distribution, which its own compiler built");
    add_reboot(facts, state, finding);
}

void judge_kmod_compiler_mismatch(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    struct module_state state;
    const char *source;
    if (!module_is_missing(context, &state) || has_no_headers(facts, &state))
        return;
    const struct strlist *errors = failed_build(facts, &state, &source);
    const char *line = errors ? compiler_line(errors) : NULL;
    line = line || errors == NULL ? line : option_line(facts, errors);
    if (line == NULL)
        return;
    struct finding *finding =
        rule_found(context, severity_for_use(context->profile),
                   "the nvidia module was not built for kernel %s: the compiler is not the one "
                   "that built the kernel",
                   state.release);
    finding_subject(finding, source);
    finding_why(finding, "the build's log (%s) says: %s", source, line);
    state_evidence(facts, &state, finding);
    finding_evidence(finding, facts, state.dkms, "log_errors");
    finding_evidence(finding, facts, "installed_kernel", "running_compiler");
    finding_evidence(finding, facts, "compiler", "cc_version");
    add_compiler_fixes(facts, &state, finding, line);
}

void judge_dkms_build_failed(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    struct module_state state;
    const char *source;
    if (!module_is_missing(context, &state) || has_no_headers(facts, &state) ||
        rule_has_found(context, "kmod_compiler_mismatch"))
        return;
    const struct strlist *errors = failed_build(facts, &state, &source);
    if (errors == NULL)
        return;
    const char *version = state.dkms ? facts_string(facts, state.dkms, "version") : NULL;
    const char *kernel = state.dkms ? facts_string(facts, state.dkms, "log_kernel") : NULL;
    struct finding *finding =
        rule_found(context, severity_for_use(context->profile),
                   "the nvidia module%s%s could not be built for kernel %s", version ? " " : "",
                   version ? version : "", kernel ? kernel : state.release);
    finding_subject(finding, source);
    finding_why(finding,
                "the build's log (%s) ends in an error: %s; mostly the driver is older than what "
                "changed in that kernel",
                source, errors->count ? errors->items[0] : "it does not say which");
    state_evidence(facts, &state, finding);
    finding_evidence(finding, facts, state.dkms, "log_errors");
    AUTO_FREE char *quoted = shell_quote(source);
    finding_fix_command(finding, false, false, "shows the first error, which is the one to look up",
                        "grep -n -m 5 -i error %s", quoted);
    finding_fix_kind(finding, FIX_LOOK);
    add_reboot(facts, &state, finding);
    remedy_install_driver(context, finding, 0);
    finding_fix_note(finding, true, true,
                     "or install a kernel that this driver release supports, such as the "
                     "distribution's own, and boot it");
}

/* The package of finished modules for the running kernel, by that of another: Ubuntu has one for
 * each kernel ("linux-modules-nvidia-535-6.8.0-45-generic"); NULL: none is installed. free() it. */
static char *module_package(const struct facts *facts, const struct module_state *state)
{
    const char *built = state->other ? facts_string(facts, state->other, "kernel") : NULL;
    const char *group;
    for (size_t i = 0; built && (group = facts_next(facts, "package", &i)) != NULL;) {
        const char *name = facts_string(facts, group, "name");
        if (name && string_starts(name, "linux-modules-nvidia-") && string_ends(name, built))
            return mem_printf("%.*s%s", (int)(strlen(name) - strlen(built)), name, state->release);
    }
    return NULL;
}

static void add_module(const struct rule_context *context, const struct module_state *state,
                       struct finding *finding)
{
    const struct facts *facts = context->facts;
    const char *license = state->other ? facts_string(facts, state->other, "license") : NULL;
    AUTO_FREE char *package = module_package(facts, state);
    AUTO_FREE char *quoted = shell_quote(package ? package : "");
    if (package)
        finding_fix_command(finding, true, false, "the finished module for this kernel",
                            "sudo apt-get install %s && sudo modprobe nvidia", quoted);
    else if (facts_true(facts, "driver_install", "runfile"))
        finding_fix_note(finding, true, false,
                         "run the driver's .run file once more, with --dkms, so that every later "
                         "kernel gets a module too");
    else if (remedy_distribution(facts) == DISTRIBUTION_ARCH)
        finding_fix_command(finding, true, false,
                            "builds the module for every kernel; needs this kernel's headers",
                            "sudo pacman -S nvidia-%sdkms && sudo modprobe nvidia",
                            license && strstr(license, "GPL") ? "open-" : "");
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
                "DKMS has the driver and has not built it for this kernel, and no log says why; "
                "what remains: %sit was not asked to, or the build failed; this decides: sudo dkms "
                "autoinstall",
                compiler);
}

/* The kernel that the file below the running one's directory was built for, when it is another:
 * the first word of its vermagic. free() it. */
static char *strange_kernel(const struct facts *facts, const struct module_state *state)
{
    const char *vermagic = state->file ? facts_string(facts, state->file, "vermagic") : NULL;
    if (vermagic == NULL || state->release == NULL)
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
        rule_found(context, severity_for_use(context->profile),
                   "the nvidia module of the running kernel %s was built for %s%s", state->release,
                   kernel ? "kernel " : "another build of it", kernel ? kernel : "");
    finding_subject(finding, facts_string(facts, state->file, "path"));
    finding_why(finding, "the kernel refuses a module that was not built for it; %s%s",
                said ? "its log says: " : "the module's vermagic tells", said ? said : "");
    finding_evidence(finding, facts, "kernel", "release");
    finding_evidence(finding, facts, state->file, "vermagic");
    if (event)
        finding_evidence(finding, facts, event, "message");
    AUTO_FREE char *release = shell_quote(state->release);
    finding_fix_command(finding, true, false,
                        "builds it anew for this kernel, with the headers that are installed now",
                        "sudo dkms autoinstall --force -k %s && sudo modprobe nvidia", release);
    add_reboot(facts, state, finding);
    remedy_install_driver(context, finding, 0);
}

void judge_kmod_not_built_for_kernel(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    struct module_state state;
    if (!module_is_missing(context, &state)) {
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
    struct finding *finding = rule_found(
        context, severity_for_use(context->profile),
        "the running kernel %s has no nvidia module%s%s", state.release,
        built ? "; there is one for kernel " : ", and DKMS has built none", built ? built : "");
    if (state.dkms)
        tell_remaining(facts, finding);
    else
        finding_why(finding, "a module fits the kernel that it was built for, and nothing here "
                             "(such as DKMS) builds one when the kernel changes");
    state_evidence(facts, &state, finding);
    if (state.dkms)
        add_build(facts, &state, finding);
    add_reboot(facts, &state, finding);
    if (state.dkms == NULL)
        add_module(context, &state, finding);
}
