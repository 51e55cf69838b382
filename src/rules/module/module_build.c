/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/module/judges.h"
#include "rules/module/module_build.h"
#include "rules/remedy/remedy.h"

/* The running kernel has no nvidia.ko: kmod_missing_headers, and what the rules share that tell why
 * nobody built one. */

bool module_lacks_headers(const struct facts *facts, const struct module_state *state)
{
    bool headers;
    return state->kernel && facts_boolean(facts, state->kernel, "headers", &headers) && !headers;
}

bool module_kernel_is_gone(const struct facts *facts, const struct module_state *state)
{
    bool modules;
    int64_t count;
    if (state->kernel)
        return facts_boolean(facts, state->kernel, "modules", &modules) && !modules;
    return facts_integer(facts, "installed_kernel", "count", &count) && count > 0;
}

/* Something here would build the module if it could: DKMS or akmods. */
static bool has_builder(const struct facts *facts, const struct module_state *state)
{
    const struct strlist *akmods = facts_list(facts, "driver_install", "akmods_failed");
    return state->dkms || (akmods && akmods->count > 0) ||
           facts_true(facts, "driver_install", "akmods");
}

void module_state_evidence(const struct facts *facts, const struct module_state *state,
                           struct finding *finding)
{
    finding_evidence(finding, facts, "kernel", "release");
    finding_evidence(finding, facts, "module_file", "count");
    finding_evidence(finding, facts, state->other, "path");
    finding_evidence(finding, facts, state->dkms, "state");
}

void module_add_reboot(const struct facts *facts, const struct module_state *state,
                       struct finding *finding)
{
    if (state->other && module_kernel_is_gone(facts, state))
        finding_fix_note(finding, FIX_ADVICE | THEN_REBOOT,
                         "reboot: an update has replaced the running kernel, and the new kernel %s "
                         "has the module",
                         facts_string(facts, state->other, "kernel"));
    else if (state->other)
        finding_fix_note(finding, FIX_ADVICE | THEN_REBOOT | FOR_NOW,
                         "for now: reboot, and choose kernel %s, which has the module, in the "
                         "boot menu",
                         facts_string(facts, state->other, "kernel"));
}

void module_add_build(const struct facts *facts, const struct module_state *state,
                      struct finding *finding)
{
    const char *akmods = facts_true(facts, "driver_install", "runfile") || state->dkms ||
                                 remedy_distribution(facts) != DISTRIBUTION_RHEL
                             ? NULL
                             : "sudo akmods --force";
    AUTO_FREE char *headers = module_headers_command(facts, state->release);
    const char *build = akmods ? akmods : "sudo dkms autoinstall";
    finding_fix_command(finding, FIX_STEP | NEEDS_ROOT,
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
    static const char note[] = "from now on, installs the headers with every new kernel";
    enum distribution distribution = remedy_distribution(facts);
    const char *kind = kernel_kind(state->release);
    AUTO_FREE char *quoted = shell_quote(kind ? kind : "");
    bool deb = distribution == DISTRIBUTION_UBUNTU || distribution == DISTRIBUTION_DEBIAN;
    if (distribution == DISTRIBUTION_UBUNTU && string_equal(kind, "generic"))
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                         "to prevent this in future: install linux-headers-generic, or its hwe "
                         "variant if the kernel is from that series");
    else if (deb && kind) {
        finding_fix_command(finding, FIX_ALSO | NEEDS_ROOT, note,
                            "sudo apt-get install linux-headers-%s", quoted);
    } else if (distribution == DISTRIBUTION_RHEL) {
        finding_fix_command(finding, FIX_ALSO | NEEDS_ROOT, note, "sudo %s install kernel-devel",
                            remedy_rpm_tool(facts));
    } else
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                         "install the headers package of this kernel flavour: it adds the headers "
                         "of every new kernel");
}

void judge_kmod_missing_headers(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    struct module_state state;
    if (!rule_require_module_missing(context, &state) || !has_builder(facts, &state))
        return;
    if (state.kernel && !rule_require_fact(context, state.kernel, "headers"))
        return;
    if (!module_lacks_headers(facts, &state))
        return;
    struct finding *finding = rule_found(context, severity_for_use(context->purpose),
                                         "the kernel %s has no nvidia module: its headers are not "
                                         "installed, so no module could be built",
                                         state.release);
    finding_why(
        finding,
        "%s builds the module for each kernel and needs that kernel's headers "
        "(/lib/modules/%s/build); a kernel that was updated on its own often lacks its headers",
        state.dkms ? "DKMS" : "akmods", state.release);
    module_state_evidence(facts, &state, finding);
    finding_evidence(finding, facts, state.kernel, "headers");
    module_add_build(facts, &state, finding);
    add_metapackage(facts, &state, finding);
    module_add_reboot(facts, &state, finding);
}
