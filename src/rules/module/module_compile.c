/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "manifest/versions/driver.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/module/judges.h"
#include "rules/module/module_build.h"
#include "rules/remedy/remedy.h"

/* kmod_compiler_mismatch, dkms_build_failed: the build of the module was tried, and ended in an
 * error. */

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

static const char *line_with(const struct strlist *errors, const char *const *marks, size_t count)
{
    for (size_t i = 0; errors && i < errors->count; i++)
        for (size_t k = 0; k < count; k++)
            if (strstr(errors->items[i], marks[k]))
                return errors->items[i];
    return NULL;
}

static bool majors_differ(const struct facts *facts)
{
    const char *kernel = facts_string(facts, "installed_kernel", "running_compiler");
    const char *own = facts_string(facts, "compiler", "cc_version");
    return kernel && own && !string_equal(kernel, own);
}

/* The line of a build that speaks of the compiler; NULL: none does. The kernel's own Makefile warns
 * of any other word in the compiler's name and goes on (scripts/Makefile.build of Linux): that
 * counts only where the compilers are of other majors. */
static const char *compiler_line(const struct facts *facts, const struct strlist *errors)
{
    static const char *const stops[] = {"CC version check", "kernel was built with",
                                        "Compiler version check"};
    static const char *const warnings[] = {"The kernel was built by", "differs from the one used"};
    const char *line = line_with(errors, stops, sizeof(stops) / sizeof(stops[0]));
    return line || !majors_differ(facts)
               ? line
               : line_with(errors, warnings, sizeof(warnings) / sizeof(warnings[0]));
}

/* An option that this compiler does not have: the kernel was built by another. */
static const char *option_line(const struct facts *facts, const struct strlist *errors)
{
    if (!majors_differ(facts))
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
        finding_fix_command(finding, FIX_STEP | NEEDS_ROOT,
                            "builds the module with the compiler that built the kernel, if this "
                            "system has a package with that compiler (check with apt-cache policy)",
                            "sudo apt-get install gcc-%s && sudo env CC=gcc-%s dkms autoinstall && "
                            "sudo modprobe nvidia",
                            major, major);
    else
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                         "install gcc %s, which built the kernel, and build the module with that "
                         "compiler: sudo env CC=gcc-%s dkms autoinstall",
                         major ? major : "(see /proc/version)", major ? major : "N");
}

static void add_compiler_fixes(const struct facts *facts, const struct module_state *state,
                               struct finding *finding, const char *line)
{
    bool near = is_near(facts, line);
    if (!near)
        add_compiler(facts, finding);
    finding_fix_command(
        finding, FIX_STEP | NEEDS_ROOT,
        near ? "builds without the compiler check: the compilers differ only in a minor number"
             : "or, if only a minor number differs: builds without the compiler check",
        "sudo env IGNORE_CC_MISMATCH=1 dkms autoinstall && sudo modprobe nvidia");
    if (near)
        add_compiler(facts, finding);
    finding_fix_note(
        finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
        "or boot a kernel from the distribution, which was built with the distribution's compiler");
    module_add_reboot(facts, state, finding);
}

#define INSTALLER_LOG "/var/log/nvidia-installer.log"

/* The branch that the installer is of, where NVIDIA does not adapt it to new kernels any more;
 * NULL: it does, or that is not known. */
static const struct manifest_branch *ended_branch(const struct rule_context *context)
{
    struct version version;
    const char *text = facts_string(context->facts, "driver_install", "runfile_version");
    const struct manifest_branch *row = text && driver_version_parse(text, &version)
                                            ? manifest_branch_find(context->manifest, &version)
                                            : NULL;
    return row && string_equal(row->kind, "legacy") ? row : NULL;
}

static void add_installer_fixes(struct rule_context *context, struct finding *finding)
{
    const struct manifest_branch *ended = ended_branch(context);
    if (ended)
        finding_fix_note(finding, FIX_ADVICE,
                         "R%u is a legacy branch, which NVIDIA does not adapt to new kernels. If "
                         "this GPU runs with a newer branch, install that branch; otherwise use a "
                         "package of R%u that is patched for this kernel, the kernel's own driver "
                         "(nouveau, without CUDA), or another card",
                         ended->branch, ended->branch);
    finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                     "%srun the installer again with --no-cc-version-check, if the compiler has "
                     "the same major version as the kernel's compiler (cat /proc/version)",
                     ended ? "or try: " : "");
    if (ended == NULL)
        remedy_install_driver(context, finding, 0);
}

/* The .run file's installer compares the compilers itself, and stops. */
static void installer_found(struct rule_context *context, const struct module_state *state)
{
    static const char *const words[] = {"CC version check", "Compiler version check", NULL};
    const struct facts *facts = context->facts;
    const char *version = facts_string(facts, "driver_install", "runfile_version");
    const char *line = module_runfile_line(facts, words);
    size_t size = strlen(line);
    while (size > 0 && strchr(":. ", line[size - 1])) /* its sentence goes on there */
        size--;
    struct finding *finding =
        rule_found(context, severity_for_use(context->purpose),
                   "the installer of driver %s stopped: the installer did not accept the compiler "
                   "for kernel %s, and installed nothing",
                   version ? version : "(.run file)", state->release);
    finding_subject(finding, INSTALLER_LOG);
    finding_why(finding,
                "its log (" INSTALLER_LOG
                ") says: %.*s. The installer reads from /proc/version which compiler built the "
                "kernel; an old installer cannot read the newer kernels' format of this file",
                (int)size, line);
    finding_evidence(finding, facts, "driver_install", "runfile_outcome");
    finding_evidence(finding, facts, "driver_install", "runfile_errors");
    finding_evidence(finding, facts, "driver_install", "runfile_version");
    finding_evidence(finding, facts, "installed_kernel", "running_compiler");
    finding_evidence(finding, facts, "compiler", "cc_version");
    add_installer_fixes(context, finding);
}

void judge_kmod_compiler_mismatch(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    struct module_state state;
    const char *source;
    if (!rule_require_module_missing(context, &state))
        return;
    if (module_attempt_of(facts) == ATTEMPT_COMPILER) {
        installer_found(context, &state);
        return;
    }
    if (module_lacks_headers(facts, &state))
        return;
    const struct strlist *errors = failed_build(facts, &state, &source);
    const char *line = errors ? compiler_line(facts, errors) : NULL;
    line = line || errors == NULL ? line : option_line(facts, errors);
    if (line == NULL)
        return;
    struct finding *finding = rule_found(
        context, severity_for_use(context->purpose),
        "the nvidia module was not built for kernel %s: a different compiler built the kernel",
        state.release);
    finding_subject(finding, source);
    finding_why(finding, "the build's log (%s) says: %s", source, line);
    module_state_evidence(facts, &state, finding);
    finding_evidence(finding, facts, state.dkms, "log_errors");
    finding_evidence(finding, facts, "installed_kernel", "running_compiler");
    finding_evidence(finding, facts, "compiler", "cc_version");
    add_compiler_fixes(facts, &state, finding, line);
}

/* The line that says that the disk was full; NULL: none does. */
static const char *room_line(const struct strlist *errors)
{
    for (size_t i = 0; i < errors->count; i++)
        if (string_contains_nocase(errors->items[i], "No space left on device"))
            return errors->items[i];
    return NULL;
}

/* What the build needs and the system lacks, as rpm says it: "gcc-c++ is needed by nvidia-kmod-…";
 * NULL: nothing. free() it. */
static char *needed_package(const struct strlist *errors)
{
    for (size_t i = 0; i < errors->count; i++) {
        const char *line = errors->items[i];
        const char *end = strstr(line, " is needed by ");
        const char *start = end;
        while (start && start > line && !strchr(" \t:", start[-1]))
            start--;
        if (start && start < end)
            return mem_string_n(start, (size_t)(end - start));
    }
    return NULL;
}

static void add_needed(const struct facts *facts, const struct module_state *state,
                       struct finding *finding, const char *package)
{
    AUTO_FREE char *quoted = shell_quote(package);
    finding_fix_command(finding, FIX_STEP | NEEDS_ROOT, "the build needs it", "sudo %s install %s",
                        remedy_rpm_tool(facts), quoted);
    module_add_build(facts, state, finding);
}

static void add_room(const struct facts *facts, const struct module_state *state,
                     struct finding *finding)
{
    finding_fix_command(finding, FIX_LOOK, "shows which file system is full: free some space there",
                        "df -h /var/lib/dkms /tmp /lib/modules");
    module_add_build(facts, state, finding);
    finding_fix_kind(finding, FIX_ALSO);
}

/* The last branch that drives a GPU here, where the driver is of it already; else 0. */
static unsigned last_branch_in_use(const struct rule_context *context, const char *release)
{
    struct version version;
    AUTO_GPUS struct judged_gpus gpus = judged_gpus(context->facts, context->manifest);
    unsigned last = judged_last_branch(&gpus, context->manifest);
    return release && driver_version_parse(release, &version) && version.part[0] == last ? last : 0;
}

static void add_build_fixes(const struct rule_context *context, const struct module_state *state,
                            struct finding *finding, const char *source, const char *release)
{
    module_add_reboot(context->facts, state, finding);
    unsigned last = last_branch_in_use(context, release);
    if (last)
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
                         "install a kernel that this driver release supports, such as the "
                         "distribution's long-term kernel, and boot that kernel: R%u is the last "
                         "branch that drives this GPU, so a newer driver does not help",
                         last);
    else {
        remedy_install_driver(context, finding, 0);
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
                         "or install a kernel that this driver release supports, such as the "
                         "distribution's own, and boot that kernel");
    }
    AUTO_FREE char *quoted = shell_quote(source);
    finding_fix_command(finding, FIX_LOOK,
                        "shows the first errors; search the web for the first of them",
                        "grep -n -m 5 -i error %s", quoted);
}

void judge_dkms_build_failed(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    struct module_state state;
    const char *source;
    if (!rule_require_module_missing(context, &state) || module_lacks_headers(facts, &state) ||
        rule_has_found(context, "kmod_compiler_mismatch"))
        return;
    const struct strlist *errors = failed_build(facts, &state, &source);
    if (errors == NULL)
        return;
    const char *version = state.dkms ? facts_string(facts, state.dkms, "version") : NULL;
    const char *kernel = state.dkms ? facts_string(facts, state.dkms, "log_kernel") : NULL;
    const char *full = room_line(errors);
    AUTO_FREE char *needed = full ? NULL : needed_package(errors);
    AUTO_FREE char *lacks = needed ? mem_printf("%s is not installed", needed) : NULL;
    struct finding *finding = rule_found(
        context, severity_for_use(context->purpose),
        "the nvidia module%s%s could not be built for kernel %s%s", version ? " " : "",
        version ? version : "", kernel ? kernel : state.release, full ? ": the disk was full" : "");
    finding_subject(finding, source);
    finding_why(finding, "the build's log (%s) ends in an error: %s%s", source,
                full            ? full
                : lacks         ? lacks
                : errors->count ? errors->items[0]
                                : "it does not say which",
                full || lacks ? ""
                              : "; usually that kernel has changed since this driver was released");
    module_state_evidence(facts, &state, finding);
    finding_evidence(finding, facts, state.dkms, "log_errors");
    if (full)
        add_room(facts, &state, finding);
    else if (needed)
        add_needed(facts, &state, finding, needed);
    else
        add_build_fixes(context, &state, finding, source, version);
}
