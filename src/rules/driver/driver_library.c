/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/path.h"
#include "rules/driver/driver_told.h"
#include "rules/driver/judges.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/module/module.h"
#include "rules/query/judged.h"
#include "rules/query/packages.h"
#include "rules/remedy/remedy.h"

/* The libraries that must be of the loaded module's release, build for build. */
static const char *const driver_sonames[] = {"libcuda.so.1", "libnvidia-ml.so.1"};

enum match { MATCH_SAME, MATCH_OTHER, MATCH_UNKNOWN, MATCH_NOT_ASKED };

struct user_library {
    const char *soname;
    const char *path;    /* real */
    const char *version; /* NULL: unknown */
    const char *group;   /* of the library, or NULL */
    enum match match;
};

static enum match version_match(const char *module, const char *library)
{
    struct version a, b;
    if (library == NULL)
        return MATCH_UNKNOWN;
    if (string_equal(module, library))
        return MATCH_SAME;
    if (!driver_version_parse(module, &a) || !driver_version_parse(library, &b))
        return MATCH_UNKNOWN;
    return version_compare(&a, &b) == 0 ? MATCH_SAME : MATCH_OTHER;
}

/* Errors by which the libraries themselves say that the module is of another release:
 * NVML_ERROR_LIB_RM_VERSION_MISMATCH (nvml.h), CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (cuda.h). */
#define NVML_MISMATCH 18
#define CUDA_MISMATCH 803

/* What the library answered settles what its file leaves open. */
static enum match answered_match(const struct facts *facts, const char *soname, enum match match)
{
    struct judged_answer answer = judged_answer(facts, soname);
    int64_t number = string_equal(soname, "libcuda.so.1") ? CUDA_MISMATCH : NVML_MISMATCH;
    if (answer.start == START_WORKS)
        return MATCH_SAME;
    return match == MATCH_UNKNOWN && judged_answer_is(&answer, number) ? MATCH_OTHER : match;
}

static bool answers_tell(const struct facts *facts)
{
    for (size_t i = 0; i < sizeof(driver_sonames) / sizeof(driver_sonames[0]); i++)
        if (answered_match(facts, driver_sonames[i], MATCH_UNKNOWN) == MATCH_OTHER)
            return true;
    return false;
}

/* Libraries of cuda-compat are of another release on purpose, and stubs are of none. */
static struct user_library user_library_of(const struct facts *facts, const char *soname,
                                           const char *module)
{
    struct user_library library = {.soname = soname, .match = MATCH_NOT_ASKED};
    library.path = judged_loaded_path(facts, soname);
    if (library.path == NULL)
        return library;
    library.group = judged_library_at(facts, library.path);
    if (library.group == NULL) {
        library.match = path_has_component(library.path, "stubs")
                            ? MATCH_NOT_ASKED
                            : answered_match(facts, soname, MATCH_UNKNOWN);
        return library;
    }
    if (!judged_library_of_driver(facts, library.group) ||
        judged_library_has_origin(facts, library.group, "wsl"))
        return library;
    library.version = judged_library_version(facts, library.group);
    library.match = answered_match(facts, soname, version_match(module, library.version));
    return library;
}

/* The initial RAM file system of the running kernel when it was made before that file: it may hold
 * the module that the file has replaced, and loads it first. NULL: it is newer, or not known. */
static const char *older_initramfs(const struct facts *facts, const char *file)
{
    int64_t built, made;
    const char *group;
    const char *release = facts_string(facts, "kernel", "release");
    if (file == NULL || !facts_integer(facts, file, "modified", &built))
        return NULL;
    for (size_t i = 0; (group = facts_next(facts, "initramfs", &i)) != NULL;)
        if (string_equal(facts_string(facts, group, "kernel"), release) &&
            facts_integer(facts, group, "modified", &made) && made < built)
            return group;
    return NULL;
}

/* What the module on the disk means for a reboot: a clause for free(). */
static char *disk_words(const struct facts *facts, enum match match)
{
    const char *disk = judged_module_file(facts);
    const char *initramfs = older_initramfs(facts, disk);
    if (disk && match == MATCH_OTHER)
        return mem_printf("; %s has version %s too, so a reboot alone changes nothing",
                          facts_string(facts, disk, "path"), facts_string(facts, disk, "version"));
    if (disk && match == MATCH_SAME && initramfs)
        return mem_printf("; %s matches the libraries, but %s is older: if the initramfs contains "
                          "the module, the old module is loaded again at each boot",
                          facts_string(facts, disk, "path"),
                          facts_string(facts, initramfs, "path"));
    return mem_string("");
}

/* The package that brought the library: its owner, or else one of its version. NULL when it cannot
 * be told. */
static const char *package_of(const struct facts *facts, const struct user_library *library)
{
    const char *group;
    const char *version = library->version;
    const char *owner = packages_owner(facts, library->path);
    if (owner || version == NULL)
        return owner;
    for (size_t i = 0; (group = facts_next(facts, "package", &i)) != NULL;) {
        const char *name = facts_string(facts, group, "name");
        const char *own = facts_string(facts, group, "version");
        size_t length = strlen(version);
        if (name && own && string_starts(name, "libnvidia-compute") &&
            string_starts(own, version) && (own[length] == '\0' || own[length] == '-'))
            return name;
    }
    return NULL;
}

/* What the package database says of it: a clause for free(). A hold explains only what a reboot
 * would not change. */
static char *package_words(const struct facts *facts, enum match disk)
{
    const char *held = packages_held(facts);
    const char *half_done = packages_half_done(facts);
    if (half_done)
        return mem_printf("; an upgrade of the package %s was not finished",
                          facts_string(facts, half_done, "name"));
    if (held && disk == MATCH_OTHER)
        return mem_printf("; the package %s is held at %s (%s)", facts_string(facts, held, "name"),
                          facts_string(facts, held, "version"), facts_string(facts, held, "hold"));
    return mem_string("");
}

/* What has to be done before packages can be updated: a hold, and what is there twice because an
 * upgrade was broken off. The beginning of a command, for free(). */
static char *before_alignment(const struct rule_context *context, struct finding *finding)
{
    const struct facts *facts = context->facts;
    const char *held = packages_held(facts);
    const char *half_done = packages_half_done(facts);
    AUTO_FREE char *release = held ? remedy_release_hold(context, finding, held) : mem_string("");
    const char *twins = "";
    if (half_done && remedy_distribution(facts) == DISTRIBUTION_RHEL)
        twins = string_equal(remedy_rpm_tool(facts), "yum")
                    ? "sudo package-cleanup --cleandupes && "
                    : "sudo dnf remove --duplicates && ";
    return mem_printf("%s%s", release, twins);
}

static void add_alignment(const struct rule_context *context, struct finding *finding)
{
    const char *note = "updates what was held or left behind, so the module and the libraries "
                       "have the same version; then reboot";
    AUTO_FREE char *before = before_alignment(context, finding);
    AUTO_FREE char *command = NULL;
    if (*before == '\0')
        note = "finishes an interrupted upgrade, so the module and the libraries have the same "
               "version; then reboot";
    switch (remedy_distribution(context->facts)) {
    case DISTRIBUTION_UBUNTU:
    case DISTRIBUTION_DEBIAN:
        command = mem_string("sudo dpkg --configure -a && sudo apt-get install --fix-broken && "
                             "sudo apt-get upgrade");
        break;
    case DISTRIBUTION_RHEL:
        command = mem_printf("sudo %s distro-sync '*nvidia*'", remedy_rpm_tool(context->facts));
        break;
    case DISTRIBUTION_SUSE:
        command = mem_string("sudo zypper update");
        break;
    case DISTRIBUTION_ARCH:
        command = mem_string("sudo pacman -Syu");
        break;
    case DISTRIBUTION_OTHER:
        finding_fix_note(
            finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
            "install the kernel module and the libraries in the same version, then reboot");
        return;
    }
    /* What holds a package back, or removes one, is for a person. */
    finding_fix_command(finding, (*before ? FIX_CHOICE : FIX_STEP) | NEEDS_ROOT | THEN_REBOOT, note,
                        "%s%s", before, command);
}

/* rmmod stops at a module that is not loaded. */
static void add_reload(const struct facts *facts, struct finding *finding)
{
    const struct fact *uvm = facts_get(facts, "module", "nvidia_uvm");
    const struct fact *drm = facts_get(facts, "module", "nvidia_drm");
    bool has_uvm = uvm == NULL || uvm->state != FACT_VALUE || uvm->boolean;
    bool has_drm = drm == NULL || drm->state != FACT_VALUE || drm->boolean;
    finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT,
                        "first stop every program that uses the GPU, including the desktop and "
                        "nvidia-persistenced; a reboot reloads the module too",
                        "sudo rmmod%s%s nvidia && sudo modprobe%s", has_uvm ? " nvidia_uvm" : "",
                        has_drm ? " nvidia_drm nvidia_modeset" : "",
                        has_uvm ? " -a nvidia nvidia_uvm" : " nvidia");
}

/* libcuda and libnvidia-ml of two releases: no reboot fixes that. */
static bool libraries_disagree(const struct facts *facts, const struct user_library *library)
{
    const char *module = facts_string(facts, "module", "version");
    for (size_t i = 0; i < sizeof(driver_sonames) / sizeof(driver_sonames[0]); i++)
        if (user_library_of(facts, driver_sonames[i], module).match == MATCH_SAME)
            return !string_equal(driver_sonames[i], library->soname);
    return false;
}

static void add_removal(const struct rule_context *context, struct finding *finding,
                        const struct user_library *library)
{
    const char *package = package_of(context->facts, library);
    if (package)
        remedy_remove_package(context, finding, package,
                              "libraries of two driver releases are installed, and this package's "
                              "version does not match the module");
    else
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                         "libraries of two driver releases are installed: remove the package that "
                         "installed %s, or update that package to the module's release",
                         library->path);
}

/* Whether the module on the disk is of the library's release. */
static enum match disk_match(const struct facts *facts, const struct user_library *library)
{
    const char *disk = judged_module_file(facts);
    const char *version = disk ? facts_string(facts, disk, "version") : NULL;
    return version ? version_match(version, library->version) : MATCH_UNKNOWN;
}

static void mismatch_fixes(const struct rule_context *context, struct finding *finding,
                           const struct user_library *library)
{
    if (judged_place(context->facts) == PLACE_CONTAINER) {
        finding_fix_note(finding, FIX_ADVICE,
                         "start the container again, so its runtime mounts the host's current "
                         "libraries; an image must not contain its own driver (%s)",
                         library->path);
        finding_fix_note(
            finding, FIX_HOST | NEEDS_ROOT | THEN_REBOOT,
            "on the host, if gpuenv doctor finds the same problem there: reboot the host");
        return;
    }
    enum match match = disk_match(context->facts, library);
    const char *initramfs = module_initramfs_command(context->facts);
    bool half_done = packages_half_done(context->facts) != NULL;
    if (libraries_disagree(context->facts, library)) {
        add_removal(context, finding, library);
        return;
    }
    if (match == MATCH_OTHER || half_done) /* a reboot would load that one again */
        add_alignment(context, finding);
    if (match == MATCH_OTHER)
        return;
    add_reload(context->facts, finding);
    if (initramfs && match == MATCH_SAME &&
        older_initramfs(context->facts, judged_module_file(context->facts)))
        finding_fix_command(finding, FIX_ALSO | NEEDS_ROOT | THEN_REBOOT,
                            "rebuilds the initramfs, with or without the new module; then reboot",
                            "%s", initramfs);
    finding_fix_command(finding, FIX_REBOOT | NEEDS_ROOT | THEN_REBOOT, NULL, "sudo reboot");
    if (match == MATCH_UNKNOWN && !half_done)
        add_alignment(context, finding);
}

static void mismatch_found(struct rule_context *context, const struct user_library *library)
{
    const struct facts *facts = context->facts;
    const char *module = facts_string(facts, "module", "version");
    struct judged_answer answer = judged_answer(facts, library->soname);
    enum severity severity = severity_for_use(context->purpose);
    struct finding *finding =
        library->version && module
            ? rule_found(context, severity,
                         "user-space driver %s does not match the loaded module %s",
                         library->version, module)
            : rule_found(context, severity,
                         "%s says that the loaded module has a different version", library->path);
    finding_subject(finding, library->soname);
    AUTO_FREE char *disk = disk_words(facts, disk_match(facts, library));
    AUTO_FREE char *packages = package_words(facts, disk_match(facts, library));
    finding_why(finding,
                "%s and the kernel module must have exactly the same version; the versions differ "
                "if packages were upgraded and the module was not reloaded%s%s",
                library->soname, disk, packages);
    const char *loader = judged_loader(facts, library->soname);
    const char *path = facts_string(facts, loader, "real_path") ? "real_path" : "path";
    finding_evidence(finding, facts, "module", "version");
    finding_evidence(finding, facts, loader, path);
    finding_evidence(finding, facts, library->group, "version");
    if (answer.start == START_FAILED)
        finding_evidence(finding, facts, answer.group, "init");
    AUTO_FREE char *name = mem_string_n(library->soname, strcspn(library->soname, "."));
    if (judged_driver_copy(facts, name, module, library->path))
        finding_follows(context, finding, "libcuda_kmod_version_mismatch");
    finding_follows(context, finding, "lxc_missing_device_or_libs");
    if (finding_follows(context, finding, "custom_kmod_userspace_mismatch"))
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                         "fix %s first: that finding is the cause", finding->caused_by);
    else
        mismatch_fixes(context, finding, library);
}

static bool require_release_of_module(struct rule_context *context)
{
    if (!rule_require_gpu_on_bus(context) || !rule_require_fact(context, "module", "nvidia"))
        return false;
    if (!facts_true(context->facts, "module", "nvidia")) {
        rule_skip(context, "the nvidia module is not loaded");
        return false;
    }
    if (answers_tell(context->facts))
        return true;
    if (!rule_require_fact(context, "module", "version"))
        return false;
    if (facts_string(context->facts, "module", "version"))
        return true;
    rule_unknown(context, "the version of the loaded nvidia module is not known");
    return false;
}

/* libcuda is DRV-008's where that has found another copy, of the right release. One finding is
 * enough when both libraries differ: they are fixed together. */
void judge_driver_library_mismatch(struct rule_context *context)
{
    if (driver_mismatch_told(context, answers_tell(context->facts)))
        return;
    if (!require_release_of_module(context))
        return;
    const char *module = facts_string(context->facts, "module", "version");
    struct user_library unknown = {.soname = NULL};
    size_t compared = 0;
    for (size_t i = 0; i < sizeof(driver_sonames) / sizeof(driver_sonames[0]); i++) {
        const char *loader = judged_loader(context->facts, driver_sonames[i]);
        if (loader == NULL)
            rule_unknown(context, "the record does not say which %s the loader picks",
                         driver_sonames[i]);
        if (loader == NULL || !rule_require_fact(context, loader, "path"))
            continue;
        struct user_library library = user_library_of(context->facts, driver_sonames[i], module);
        if (i == 0 && rule_has_found(context, "libcuda_kmod_version_mismatch")) {
            compared++;
            continue;
        }
        if (library.match == MATCH_OTHER) {
            mismatch_found(context, &library);
            return;
        }
        if (library.match == MATCH_UNKNOWN)
            unknown = library;
        compared += library.match == MATCH_SAME;
    }
    if (unknown.soname)
        rule_unknown(context, "cannot compare %s with the module %s: the library's version is %s",
                     unknown.path, module ? module : "that is loaded",
                     unknown.version ? unknown.version : "not known");
    else if (compared == 0)
        rule_skip(context, "the loader finds no driver library");
}
