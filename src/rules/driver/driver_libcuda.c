/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/path.h"
#include "rules/driver/judges.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/threshold.h"
#include "rules/query/judged.h"
#include "rules/remedy/remedy.h"

#define LIBCUDA "libcuda.so.1"

/* A libcuda of a driver that lies where the loader does not look; NULL when there is none. */
static const char *hidden_libcuda(const struct facts *facts)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "library", &i)) != NULL;)
        if (string_equal(facts_string(facts, group, "name"), "libcuda") &&
            judged_library_of_driver(facts, group) && judged_library_fits(facts, group))
            return facts_string(facts, group, "path");
    return NULL;
}

/* Where a system keeps the driver's libraries on purpose, for programs that know of the place. */
struct aside {
    const char *directory;
    const char *message, *why;
    const char *command; /* NULL: note is advice */
    const char *note;
};
#define GKE_MOUNT "/usr/local/nvidia"
#define COS_WHY                                                                                    \
    "Container-Optimized OS has no directory where users can add libraries; containers get "       \
    "the driver from there, mounted at " GKE_MOUNT
#define CONTAINER_NOTE "run CUDA programs in containers, and gpuenv doctor in one of them"
static const struct aside asides[] = {
    {.directory = "/home/kubernetes/bin/nvidia",
     .message = "the driver's libraries are in /home/kubernetes/bin/nvidia, for GKE's containers: "
                "programs outside containers find no " LIBCUDA,
     .why = COS_WHY,
     .note = CONTAINER_NOTE},
    {.directory = "/var/lib/nvidia",
     .message = "the driver's libraries are in /var/lib/nvidia, for containers: programs outside "
                "containers find no " LIBCUDA,
     .why = COS_WHY,
     .note = CONTAINER_NOTE},
    {.directory = "/run/opengl-driver/lib",
     .message =
         LIBCUDA " is in /run/opengl-driver/lib, where only NixOS programs look for the library",
     .why = "NixOS has no directory that every program searches: only NixOS's own packages search "
            "this directory",
     .command = "export LD_LIBRARY_PATH=/run/opengl-driver/lib"
                "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}",
     .note = "for programs that were not packaged for NixOS, such as wheels"},
    {.directory = "/run/nvidia/driver",
     .message = "the driver's libraries are in /run/nvidia/driver, for containers: programs "
                "outside containers find no " LIBCUDA,
     .why = "NVIDIA's GPU operator keeps the driver in a container, and the container toolkit "
            "mounts the driver into other containers; an additional driver package on the host "
            "conflicts with that driver",
     .note = CONTAINER_NOTE},
};

static const struct aside *aside_of(const struct facts *facts)
{
    const char *group;
    if (judged_place(facts) == PLACE_CONTAINER)
        return NULL;
    for (size_t i = 0; (group = facts_next(facts, "library", &i)) != NULL;) {
        const struct strlist *found_as = facts_list(facts, group, "found_as");
        if (!string_equal(facts_string(facts, group, "name"), "libcuda") ||
            !judged_library_of_driver(facts, group) || !judged_library_fits(facts, group))
            continue;
        for (size_t k = 0; found_as && k < found_as->count; k++)
            for (size_t n = 0; n < sizeof(asides) / sizeof(asides[0]); n++)
                if (path_is_below(found_as->items[k], asides[n].directory))
                    return &asides[n];
    }
    return NULL;
}

static void aside_found(struct rule_context *context, const struct aside *aside, const char *group)
{
    struct finding *finding = rule_found(context, SEVERITY_INFO, "%s", aside->message);
    finding_why(finding, "%s", aside->why);
    finding_evidence(finding, context->facts, "module", "version");
    finding_evidence(finding, context->facts, group, "path");
    if (aside->command)
        finding_fix_command(finding, FIX_SHELL, aside->note, "%s", aside->command);
    else
        finding_fix_note(finding, FIX_ADVICE, "%s", aside->note);
}

/* The package that holds libcuda, of the same release as the module: it can be added without
 * touching the rest of the driver. */
static void fix_install(const struct rule_context *context, struct finding *finding)
{
    const char *version = facts_string(context->facts, "module", "version");
    struct version driver = {.count = 0};
    unsigned branch = version && driver_version_parse(version, &driver) ? driver.part[0] : 0;
    switch (remedy_distribution(context->facts)) {
    case DISTRIBUTION_UBUNTU:
        if (branch > 0) {
            finding_fix_command(finding, FIX_STEP | NEEDS_ROOT,
                                "for server drivers: add -server to the package name",
                                "sudo apt-get install libnvidia-compute-%u", branch);
            return;
        }
        break;
    case DISTRIBUTION_DEBIAN:
        finding_fix_command(finding, FIX_STEP | NEEDS_ROOT, NULL, "sudo apt-get install libcuda1");
        return;
    case DISTRIBUTION_RHEL:
        finding_fix_command(finding, FIX_STEP | NEEDS_ROOT, NULL,
                            "sudo %s install nvidia-driver-cuda", remedy_rpm_tool(context->facts));
        return;
    case DISTRIBUTION_ARCH:
        finding_fix_command(finding, FIX_STEP | NEEDS_ROOT, NULL, "sudo pacman -S nvidia-utils");
        return;
    case DISTRIBUTION_SUSE:
    case DISTRIBUTION_OTHER:
        break;
    }
    finding_fix_note(
        finding, FIX_ADVICE | NEEDS_ROOT,
        "install the driver's compute libraries in the same release as the module (%s)",
        version ? version : "see /proc/driver/nvidia/version");
}

/* GKE mounts the driver there, and leaves it to the image to name the place. */
static void fix_path(struct finding *finding, const char *library)
{
    AUTO_FREE char *directory = mem_string_n(library, (size_t)(strrchr(library, '/') - library));
    AUTO_FREE char *quoted = shell_quote(directory);
    finding_fix_command(
        finding, FIX_SHELL,
        "the path where the driver was mounted; set this variable in the image if you can",
        "export LD_LIBRARY_PATH=%s${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}", quoted);
}

/* How its engine is asked for a GPU. */
static const char *request_of(const char *engine)
{
    static const struct {
        const char *engine, *words;
    } rows[] = {{"kubernetes", "the limit nvidia.com/gpu: 1 in the pod"},
                {"podman", "podman run --device nvidia.com/gpu=all"},
                {"lxc", "its GPU as a device (lxc config device add NAME gpu gpu)"}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (string_equal(rows[i].engine, engine))
            return rows[i].words;
    return "docker run --gpus all";
}

static void fix(const struct rule_context *context, struct finding *finding, const char *hidden)
{
    if (judged_place(context->facts) == PLACE_CONTAINER) {
        if (hidden && path_is_below(hidden, GKE_MOUNT))
            fix_path(finding, hidden);
        finding_fix_note(finding, FIX_ADVICE,
                         "start the container again with %s, and with "
                         "NVIDIA_DRIVER_CAPABILITIES=compute,utility if that variable is set",
                         request_of(facts_string(context->facts, "container", "engine")));
        return;
    }
    if (hidden)
        finding_fix_run(finding, "adds the existing copy to the loader's cache",
                        (const char *const[]){"ldconfig", NULL});
    fix_install(context, finding);
}

/* The vGPU manager is a driver without CUDA: it shares the GPUs out, and guests have their own. */
static void vgpu_host_found(struct rule_context *context, const char *group)
{
    struct finding *finding =
        rule_found(context, SEVERITY_INFO,
                   "this machine provides virtual GPUs: its driver has no " LIBCUDA
                   ", and no program here can use CUDA");
    finding_why(finding, "the module nvidia_vgpu_vfio of the driver for vGPU hosts is loaded: that "
                         "driver needs no CUDA library and does not contain one");
    finding_evidence(finding, context->facts, "module", "version");
    finding_evidence(finding, context->facts, "module", "nvidia_vgpu");
    finding_evidence(finding, context->facts, group, "path");
    finding_fix_note(
        finding, FIX_ADVICE,
        "run CUDA programs, and gpuenv doctor, in a virtual machine that has a virtual GPU");
}

void judge_libcuda_missing(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    if (!rule_require_gpu_on_bus(context) || !rule_require_fact(context, "module", "nvidia"))
        return;
    if (!facts_true(facts, "module", "nvidia")) {
        rule_skip(context, "the nvidia module is not loaded");
        return;
    }
    const char *group = judged_loader(facts, LIBCUDA);
    if (group == NULL) {
        rule_unknown(context, "the record does not say which " LIBCUDA " the loader picks");
        return;
    }
    if (!rule_require_fact(context, group, "path") || facts_string(facts, group, "path"))
        return;
    const struct aside *aside = aside_of(facts);
    if (aside) {
        aside_found(context, aside, group);
        return;
    }
    const char *hidden = hidden_libcuda(facts);
    if (hidden == NULL && judged_place(facts) == PLACE_MACHINE &&
        facts_true(facts, "module", "nvidia_vgpu")) {
        vgpu_host_found(context, group);
        return;
    }
    struct finding *finding =
        rule_found(context, severity_for_use(context->purpose),
                   "the driver's kernel module is loaded, but programs find no " LIBCUDA);
    finding_follows(context, finding, "stale_diversion");
    finding_follows(context, finding, "container_no_gpu_requested");
    finding_follows(context, finding, "container_driver_capabilities_missing_compute");
    finding_follows(context, finding, "lxc_missing_device_or_libs");
    if (hidden)
        finding_why(finding,
                    "every CUDA program opens " LIBCUDA
                    " by that name; there is a copy at %s, where the loader does not look",
                    hidden);
    else if (judged_place(facts) == PLACE_CONTAINER)
        finding_why(finding, "every CUDA program opens " LIBCUDA
                             " by that name; a container runtime mounts it only with the driver "
                             "capability \"compute\"");
    else
        finding_why(finding, "every CUDA program opens " LIBCUDA
                             " by that name; nvidia-smi works without it");
    finding_evidence(finding, facts, "module", "version");
    finding_evidence(finding, facts, group, "path");
    fix(context, finding, hidden);
}

/* A program for Python that links libcuda.so while it runs; NULL: none. Its newer releases ask for
 * libcuda.so.1. */
static const char *runtime_linker(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "framework", &i)) != NULL;) {
        struct version version;
        const char *text = facts_string(facts, group, "version");
        if (!string_equal(facts_string(facts, group, "package"), "triton") || text == NULL ||
            !version_parse_prefix(text, &version))
            continue;
        const struct manifest_threshold *row = threshold_of(context, "triton-libcuda");
        if (row && version_compare(&version, &row->version) < 0)
            return group;
    }
    return NULL;
}

static void symlink_found(struct rule_context *context, const char *linker, const char *path)
{
    const struct facts *facts = context->facts;
    AUTO_FREE char *directory = path_parent(path);
    AUTO_FREE char *link = mem_printf("%s/libcuda.so", directory);
    AUTO_FREE char *place = shell_quote(directory);
    struct finding *finding = rule_found(
        context, severity_for_build(context->purpose),
        LIBCUDA
        " is in %s, but libcuda.so, which Triton %s links against when it compiles, is not there",
        directory, facts_string(facts, linker, "version"));
    finding_subject(finding, link);
    finding_why(finding, "programs load " LIBCUDA
                         ", but linkers look for libcuda.so: Triton then fails with \"cannot find "
                         "-lcuda\" or \"libcuda.so cannot found\"");
    finding_evidence(finding, facts, judged_loader(facts, "libcuda.so"), "path");
    finding_evidence(finding, facts, judged_loader(facts, LIBCUDA), "path");
    finding_evidence(finding, facts, linker, "version");
    finding_manifest(finding, "threshold/triton-libcuda");
    finding_fix_command(finding, FIX_SHELL, "for Triton alone", "export TRITON_LIBCUDA_PATH=%s",
                        place);
    if (judged_place(facts) != PLACE_CONTAINER)
        remedy_link(finding, "creates the missing link", LIBCUDA, link);
    finding_fix_note(finding, FIX_ADVICE,
                     "or install a newer Triton, which links against " LIBCUDA
                     " (with a PyTorch build for that Triton)");
}

void judge_libcuda_dev_symlink_missing(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *loader = judged_loader(facts, LIBCUDA);
    const char *dev = judged_loader(facts, "libcuda.so");
    const char *path = loader ? facts_string(facts, loader, "path") : NULL;
    const char *linker = runtime_linker(context);
    const struct fact *fact = dev ? facts_get(facts, dev, "path") : NULL;
    if (linker == NULL)
        rule_skip(context, "nothing here links against libcuda.so at run time");
    else if (path == NULL || strrchr(path, '/') == NULL)
        rule_skip(context, "there is no " LIBCUDA);
    else if (fact == NULL)
        rule_unknown(context, "the record does not say whether there is a libcuda.so");
    else if (rule_require_fact(context, dev, "path") && fact->state == FACT_ABSENT)
        symlink_found(context, linker, path);
}
