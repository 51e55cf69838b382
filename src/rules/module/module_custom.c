/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/module/judges.h"
#include "rules/module/module.h"
#include "rules/query/packages.h"
#include "rules/remedy/remedy.h"

/* custom_kmod_userspace_mismatch: the module was built by hand, so that neither a reboot nor an
 * update brings it and the libraries to one release. */

static bool is_of_release(const char *version, const char *release)
{
    const char *at = version ? strstr(version, release) : NULL;
    char end = at ? at[strlen(release)] : 'x';
    return at && (end == '\0' || end == '-' || end == '+' || end == '~');
}

/* A package of the module's release that holds a module or builds one. */
static bool is_packaged(const struct facts *facts, const char *release)
{
    static const char *const parts[] = {"dkms", "kmod", "kernel", "linux-modules", "linux-objects"};
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "package", &i)) != NULL;) {
        const char *name = facts_string(facts, group, "name");
        if (name == NULL || strstr(name, "nvidia") == NULL)
            continue;
        for (size_t k = 0; k < sizeof(parts) / sizeof(parts[0]); k++)
            if (strstr(name, parts[k]) &&
                (string_starts(name, "linux-") ||
                 is_of_release(facts_string(facts, group, "version"), release)))
                return true;
    }
    return false;
}

/* Where people and .run files put modules, and packages of distributions do not. */
static bool is_by_hand(const struct facts *facts, const struct module_state *state)
{
    const char *path = facts_string(facts, state->file, "path");
    if (packages_owner(facts, path))
        return false;
    if (facts_true(facts, "driver_install", "runfile"))
        return true;
    return path &&
           (strstr(path, "/kernel/drivers/video/") || strstr(path, "/kernel/drivers/char/"));
}

struct other_library {
    const char *path, *version, *group;
};

/* The libcuda that programs get, when it is a driver's and of another release; CUDA has not
 * started with it. */
static bool other_libcuda(const struct facts *facts, const char *release,
                          struct other_library *ret_library)
{
    struct judged_answer answer = judged_answer(facts, "libcuda.so.1");
    struct version a, b;
    ret_library->path = judged_loaded_path(facts, "libcuda.so.1");
    ret_library->group = ret_library->path ? judged_library_at(facts, ret_library->path) : NULL;
    if (ret_library->group == NULL || answer.start == START_WORKS ||
        !judged_library_of_driver(facts, ret_library->group) ||
        judged_library_has_origin(facts, ret_library->group, "wsl"))
        return false;
    ret_library->version = judged_library_version(facts, ret_library->group);
    return ret_library->version && driver_version_parse(release, &a) &&
           driver_version_parse(ret_library->version, &b) && version_compare(&a, &b) != 0 &&
           judged_driver_copy(facts, "libcuda", release, ret_library->path) == NULL;
}

static void add_fixes(const struct rule_context *context, struct finding *finding,
                      const char *release, const struct other_library *library)
{
    bool runfile = facts_true(context->facts, "driver_install", "runfile");
    finding_fix_note(
        finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
        "install the libraries of %s, the module's release, from the same source as the module "
        "(with a .run file, --no-kernel-modules installs only the libraries)",
        release);
    finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
                     "or build and install the modules of %s, the libraries' release, for this "
                     "kernel, then reboot",
                     library->version);
    if (runfile) {
        finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT | THEN_REBOOT,
                            "or use only packages: removes the .run file's driver; then install "
                            "the driver package and reboot",
                            "sudo nvidia-uninstall");
    } else
        remedy_install_driver(context, finding, 0);
}

void judge_custom_kmod_userspace_mismatch(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    if (!rule_require_gpu_on_bus(context) || !rule_require_fact(context, "module", "nvidia"))
        return;
    if (judged_place(facts) == PLACE_CONTAINER) {
        rule_skip(context, "the module belongs to the host");
        return;
    }
    struct module_state state = module_state_of(facts);
    struct other_library library;
    const char *release = facts_string(facts, "module", "version");
    if (release == NULL || state.file == NULL || !other_libcuda(facts, release, &library) ||
        !is_by_hand(facts, &state) || facts_find(facts, "dkms", "version", release) != NULL ||
        is_packaged(facts, release) ||
        !string_equal(facts_string(facts, state.file, "version"), release))
        return;
    struct finding *finding = rule_found(
        context, severity_for_use(context->purpose),
        "the kernel module %s was installed by hand, but the driver's libraries have version %s",
        release, library.version);
    finding_subject(finding, facts_string(facts, state.file, "path"));
    finding_follows(context, finding, "runfile_over_packages");
    finding_why(finding,
                "the module and the libraries must have exactly the same version; neither a "
                "package nor DKMS provides the module, and the file for this kernel has version %s "
                "too: a reboot changes nothing",
                release);
    finding_evidence(finding, facts, "module", "version");
    finding_evidence(finding, facts, state.file, "version");
    finding_evidence(finding, facts, library.group, "version");
    finding_evidence(finding, facts, "driver_install", "runfile");
    finding_evidence(finding, facts, "dkms", "count");
    add_fixes(context, finding, release, &library);
}
