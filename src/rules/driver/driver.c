/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/path.h"
#include "rules/driver/driver_gpu.h"
#include "rules/driver/judges.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/module/module.h"
#include "rules/query/judged.h"
#include "rules/remedy/remedy.h"

/* Packages that hold a driver, or its kernel module or libcuda. The rest of a name is a branch or
 * a flavour. */
static const char *const driver_packages[] = {
    "nvidia-driver-", "nvidia-open",     "nvidia-dkms", "nvidia-kmod",       "nvidia-headless",
    "nvidia-legacy",  "nvidia-lts",      "cuda-driver", "libnvidia-compute", "libcuda1",
    "kmod-nvidia",    "xorg-x11-drv-nv", "akmod-nvidi", "nvidia-compute-G",  "nvidia-utils",
};
static const char *const driver_helper_packages[] = {
    "nvidia-driver-assistant",
    "nvidia-driver-pinning",
    "nvidia-driver-local-repo",
};

static bool starts_with_any(const char *name, const char *const *prefixes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (string_starts(name, prefixes[i]))
            return true;
    return false;
}

static bool is_driver_package(const char *name)
{
    if (string_equal(name, "nvidia") || string_equal(name, "nvidia-driver"))
        return true;
    return starts_with_any(name, driver_packages,
                           sizeof(driver_packages) / sizeof(driver_packages[0])) &&
           !starts_with_any(name, driver_helper_packages,
                            sizeof(driver_helper_packages) / sizeof(driver_helper_packages[0]));
}

/* dpkg keeps removed packages: "deinstall ok config-files". */
static bool is_installed(const char *status)
{
    return status == NULL ||
           (strstr(status, "deinstall") == NULL && strstr(status, "config-files") == NULL &&
            strstr(status, "not-installed") == NULL);
}

const char *driver_package_next(const struct facts *facts, size_t *cursor)
{
    const char *group;
    while ((group = facts_next(facts, "package", cursor)) != NULL) {
        const char *name = facts_string(facts, group, "name");
        if (name && is_driver_package(name) && is_installed(facts_string(facts, group, "status")))
            return name;
    }
    return NULL;
}

/* cuda-drivers has no files of its own, and since 615 depends on nothing (cupy/cupy#10295). */
static bool has_driver_package(const struct facts *facts)
{
    size_t cursor = 0;
    const char *name;
    while ((name = driver_package_next(facts, &cursor)) != NULL)
        if (!string_starts(name, "cuda-drivers"))
            return true;
    return false;
}

/* A copy where a driver puts it; Python and conda environments may hold others. */
static bool is_drivers_own(const struct facts *facts, const char *group)
{
    static const char *const others[] = {"toolkit", "wheel", "conda"};
    if (!string_equal(facts_string(facts, group, "name"), "libcuda") ||
        !judged_library_of_driver(facts, group) || !judged_library_fits(facts, group))
        return false;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (judged_library_has_origin(facts, group, others[i]))
            return false;
    return true;
}

/* The loader's, or one that a stub or cuda-compat on LD_LIBRARY_PATH hides. */
static bool has_driver_libcuda(const struct facts *facts)
{
    const char *path = judged_loaded_path(facts, "libcuda.so.1");
    const char *group = path ? judged_library_at(facts, path) : NULL;
    if (group && judged_library_of_driver(facts, group))
        return true;
    if (path && group == NULL && !path_has_component(path, "stubs") &&
        !path_has_component(path, "compat"))
        return true;
    for (size_t i = 0; (group = facts_next(facts, "library", &i)) != NULL;)
        if (is_drivers_own(facts, group))
            return true;
    return false;
}

/* WSL's driver is a set of libraries that Windows shows under /usr/lib/wsl/lib. */
static void judge_wsl_driver(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *group = judged_loader(facts, "libcuda.so.1");
    if (group == NULL) {
        rule_unknown(context, "the record does not say which libcuda.so.1 the loader picks");
        return;
    }
    if (!rule_require_fact(context, group, "path") || has_driver_libcuda(facts))
        return;
    struct finding *finding = rule_found(context, severity_for_use(context->purpose),
                                         "WSL shows no NVIDIA driver: no libcuda.so.1 is found");
    finding_why(finding, "in WSL 2, the Windows driver puts its libraries into /usr/lib/wsl/lib; "
                         "WSL 1 does not support GPUs at all");
    finding_evidence(finding, facts, group, "path");
    finding_evidence(finding, facts, "machine", "wsl");
    remedy_install_driver(context, finding, 0);
}

/* A package database that is not read (apk): files decide alone. */
static bool packages_are_skipped(const struct facts *facts)
{
    const struct fact *count = facts_get(facts, "package", "count");
    return count && count->state == FACT_SKIPPED;
}

bool driver_is_absent(const struct facts *facts)
{
    size_t cursor = 0;
    return !facts_true(facts, "module", "nvidia") &&
           facts_next(facts, "module_file", &cursor) == NULL && !has_driver_package(facts) &&
           !has_driver_libcuda(facts);
}

/* True when nothing of a driver is there. False, and the check is ended, when that cannot be told.
 */
static bool require_nothing_installed(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *loader = judged_loader(facts, "libcuda.so.1");
    if (!rule_require_fact(context, "module", "nvidia") ||
        (!packages_are_skipped(facts) && !rule_require_fact(context, "package", "count")))
        return false;
    if (loader == NULL) {
        rule_unknown(context, "the record does not say which libcuda.so.1 the loader picks");
        return false;
    }
    return rule_require_fact(context, loader, "path") && driver_is_absent(facts);
}

void judge_driver_not_installed(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    if (judged_place(facts) == PLACE_WSL) {
        judge_wsl_driver(context);
        return;
    }
    if (judged_place(facts) == PLACE_CONTAINER) {
        rule_skip(context,
                  "the driver belongs to the host, and a container does not show the host's files");
        return;
    }
    if (!rule_require_gpu_on_bus(context) || !require_nothing_installed(context))
        return;
    if (judged_all_on_vfio(facts)) {
        rule_skip(context,
                  "every GPU is bound to vfio-pci, which reserves GPUs for virtual machines");
        return;
    }
    if (module_attempt_of(facts) != ATTEMPT_NONE) {
        rule_skip(context, "an installation failed: another finding reports the cause");
        return;
    }
    if (driver_nova_holds(facts)) {
        rule_skip(context, "the kernel's nova driver holds the GPU: that has to be fixed first");
        return;
    }
    struct finding *finding =
        rule_found(context, severity_for_use(context->purpose),
                   "an NVIDIA GPU is on the PCI bus, but no NVIDIA driver is installed");
    finding_why(finding,
                "the nvidia module is not loaded, no kernel has an nvidia.ko, %sand no "
                "libcuda.so.1 is found",
                packages_are_skipped(facts) ? "" : "no driver package is installed ");
    finding_evidence(finding, facts, "pci", "count");
    finding_evidence(finding, facts, "module", "nvidia");
    finding_evidence(finding, facts, "package", "count");
    finding_evidence(finding, facts, judged_loader(facts, "libcuda.so.1"), "path");
    remedy_install_driver(context, finding, 0);
}
