/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rules/driver/judges.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/query/judged.h"
#include "rules/query/packages.h"
#include "rules/remedy/remedy.h"

/* libcuda_kmod_version_mismatch: the loader passes by the libcuda of the loaded module's release,
 * which is there, and takes another. Where none is of that release, it is driver_library_mismatch.
 */

struct pick {
    const char *loader; /* group */
    const char *path;   /* real */
    const char *group;  /* of the library, or NULL */
    const char *version;
    const char *why; /* "LD_LIBRARY_PATH: /opt/old" */
    bool compat;
};

static struct pick pick_of(const struct facts *facts)
{
    struct pick pick = {.loader = judged_loader(facts, "libcuda.so.1")};
    pick.path = judged_loaded_path(facts, "libcuda.so.1");
    if (pick.path == NULL)
        return pick;
    pick.group = judged_library_at(facts, pick.path);
    pick.why = facts_string(facts, pick.loader, "why");
    if (pick.group == NULL)
        return pick;
    pick.version = judged_library_version(facts, pick.group);
    pick.compat = judged_library_has_origin(facts, pick.group, "compat");
    return pick;
}

/* The module that a reboot would load. When it is of the picked library's release, it is the loaded
 * one that is stale, and driver_library_mismatch says so. */
static bool waits_for_reboot(const struct facts *facts, const struct pick *pick)
{
    const char *file = judged_module_file(facts);
    return file && string_equal(facts_string(facts, file, "version"), pick->version);
}

/* Forward compatibility goes forward: a cuda-compat older than the module is a stale copy too. */
static bool is_stale(const struct facts *facts, const struct pick *pick, const char *module)
{
    struct version own, loaded;
    if (!driver_version_parse(pick->version, &own) || !driver_version_parse(module, &loaded))
        return false;
    int order = version_compare(&own, &loaded);
    return pick->compat ? order < 0 : order != 0 && !waits_for_reboot(facts, pick);
}

/* The copy is of the release that a .run file installed, with its other libraries beside it. A log
 * may not say which release that was. */
static bool is_of_runfile(const struct facts *facts, const struct pick *pick)
{
    const char *release = facts_string(facts, "driver_install", "runfile_version");
    return facts_true(facts, "driver_install", "runfile") &&
           (release == NULL || string_equal(release, pick->version));
}

static void stale_fixes(const struct rule_context *context, struct finding *finding,
                        const struct pick *pick)
{
    if (remedy_library_path(context->facts, finding, pick->why,
                            "the loader then picks the right copy"))
        return;
    if (judged_place(context->facts) == PLACE_CONTAINER) {
        finding_fix_note(
            finding, FIX_ADVICE,
            "build the image without %s: the container runtime mounts the host's libcuda",
            pick->path);
        return;
    }
    if (is_of_runfile(context->facts, pick)) {
        finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT,
                            "removes all driver libraries that the .run file installed; if the "
                            "package's libraries are missing afterwards, reinstall the package",
                            "sudo nvidia-uninstall && sudo ldconfig");
        return;
    }
    const char *owner = packages_owner(context->facts, pick->path);
    if (owner) {
        remedy_remove_package(context, finding, owner,
                              "this package's version does not match the module");
        return;
    }
    AUTO_FREE char *quoted = shell_quote(pick->path);
    finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT,
                        "if no package owns that file; "
                        "otherwise remove the package",
                        "sudo rm %s && sudo ldconfig", quoted);
}

static void stale_found(struct rule_context *context, const struct pick *pick, const char *right)
{
    const struct facts *facts = context->facts;
    const char *module = facts_string(facts, "module", "version");
    struct judged_answer answer = judged_answer(facts, "libcuda.so.1");
    struct finding *finding =
        rule_found(context, severity_for_use(context->purpose),
                   "programs load %s (%s), which does not match the loaded module %s", pick->path,
                   pick->version, module);
    finding_subject(finding, "libcuda.so.1");
    finding_why(finding,
                "libcuda and the kernel module must have the same version; the right copy is %s, "
                "but the loader finds the other copy first (%s)",
                facts_string(facts, right, "path"), pick->why ? pick->why : "its search order");
    finding_evidence(finding, facts, "module", "version");
    finding_evidence(finding, facts, pick->loader,
                     facts_string(facts, pick->loader, "real_path") ? "real_path" : "path");
    finding_evidence(finding, facts, pick->loader, "why");
    finding_evidence(finding, facts, right, "path");
    if (answer.start == START_FAILED)
        finding_evidence(finding, facts, answer.group, "init");
    stale_fixes(context, finding, pick);
}

void judge_libcuda_kmod_version_mismatch(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    enum place place = judged_place(facts);
    const char *module = facts_string(facts, "module", "version");
    struct pick pick = pick_of(facts);
    if (place == PLACE_WSL || place == PLACE_JETSON)
        rule_skip(context, "the module does not come from this system's packages");
    else if (module == NULL)
        rule_skip(context, "the version of a loaded nvidia module is not known");
    else if (pick.path == NULL)
        rule_skip(context, "the loader finds no libcuda.so.1");
    else if (pick.version == NULL || judged_library_is_stub(facts, pick.group))
        rule_skip(context, "%s does not show its driver release", pick.path);
    else if (judged_answer(facts, "libcuda.so.1").start != START_WORKS &&
             is_stale(facts, &pick, module)) {
        const char *right = judged_driver_copy(facts, "libcuda", module, pick.path);
        if (right)
            stale_found(context, &pick, right);
    }
}
