/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "manifest/gpu/gpu.h"
#include "manifest/manifest.h"
#include "manifest/versions/capability.h"
#include "manifest/versions/driver.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/remedy/remedy.h"
#include "rules/remedy/repository.h"

/* What is known of the driver to install. */
struct wanted {
    const struct facts *facts;
    struct manifest *manifest;
    struct finding *finding;
    struct manifest_system system;
    unsigned least;           /* branch; 0: whichever suits */
    unsigned first;           /* the first branch that drives every GPU; 0: not known */
    unsigned last;            /* the last one that does; 0: no limit is known */
    bool supported;           /* NVIDIA still fixes the last branch */
    bool open;                /* a GPU that only the open kernel module drives */
    bool data_centre;         /* all GPUs are of that class: no display, packages for servers */
    const struct fact *doubt; /* the device id of a GPU that is not known */
};

/* Dates are written year first, whole or cut: they compare as text. */
static bool is_supported(struct manifest *manifest, const struct manifest_branch *row)
{
    const char *today = manifest_date(manifest);
    return row && (row->eol == NULL || today == NULL || strcmp(row->eol, today) > 0);
}

static const struct manifest_branch *branch_row(struct manifest *manifest, unsigned branch)
{
    struct version version = {.count = 1, .part = {branch}};
    const struct manifest_branch *row = manifest_branch_find(manifest, &version);
    return row && row->branch == branch ? row : NULL;
}

static const struct manifest_package *package_of(const struct wanted *wanted,
                                                 const char *repository, const char *flavour,
                                                 unsigned branch)
{
    const struct manifest_package_query query = {
        .system = &wanted->system, .repository = repository, .flavour = flavour, .branch = branch};
    return manifest_package_find(wanted->manifest, &query);
}

static void take_gpu(struct wanted *wanted, const struct judged_gpu *gpu)
{
    const struct manifest_architecture *architecture =
        gpu->capability.count ? manifest_architecture_find(wanted->manifest, &gpu->capability)
                              : NULL;
    const struct manifest_capability *capability =
        gpu->capability.count ? manifest_capability_find(wanted->manifest, &gpu->capability) : NULL;
    if ((architecture && string_equal(architecture->open_module, "required")) ||
        (gpu->model && gpu->model->open_module))
        wanted->open = true;
    if (capability && capability->first_branch > wanted->first)
        wanted->first = capability->first_branch;
    if (gpu->model == NULL || !string_equal(gpu->model->gpu_class, "data-centre"))
        wanted->data_centre = false;
    if (gpu->capability.count == 0 && gpu->device_id)
        wanted->doubt = facts_get(wanted->facts, gpu->group, "device_id");
}

static struct wanted wanted_of(const struct rule_context *context, struct finding *finding,
                               unsigned least)
{
    struct wanted wanted = {.facts = context->facts,
                            .manifest = context->manifest,
                            .finding = finding,
                            .system = repository_system(context->facts),
                            .least = least};
    AUTO_GPUS struct judged_gpus gpus = judged_gpus(context->facts, context->manifest);
    wanted.last = judged_last_branch(&gpus, context->manifest);
    wanted.supported = is_supported(context->manifest, branch_row(context->manifest, wanted.last));
    wanted.data_centre = gpus.count > 0;
    for (size_t i = 0; i < gpus.count; i++)
        take_gpu(&wanted, &gpus.items[i]);
    return wanted;
}

static char *note_of(const struct wanted *wanted, const char *first)
{
    AUTO_TEXT struct text text = {0};
    text_append(&text, first);
    if (wanted->least && wanted->last == 0)
        text_printf(&text, "%sR%u or newer is needed", text.size ? "; " : "", wanted->least);
    if (wanted->last)
        text_printf(&text, "%sR%u is the last branch that drives this GPU", text.size ? "; " : "",
                    wanted->last);
    if (wanted->doubt)
        text_printf(&text,
                    "%sthe GPU 10de:%s is not known here: check that the driver supports this GPU",
                    text.size ? "; " : "", wanted->doubt->string);
    text_printf(&text, "%sthen reboot", text.size ? "; " : "");
    return text_steal(&text);
}

/* dnf takes the driver from the stream that is enabled, and does not enable another beside it. */
static bool has_stream(const struct facts *facts)
{
    const struct strlist *streams = facts_list(facts, "package", "streams");
    for (size_t i = 0; streams && i < streams->count; i++)
        if (string_starts(streams->items[i], "nvidia-driver:"))
            return true;
    return false;
}

/* The package's commands; another branch may be installed where a certain one is needed. */
static char *line_of(const struct wanted *wanted, const struct manifest_package *package,
                     unsigned branch)
{
    bool change = (wanted->least > 0 || has_stream(wanted->facts)) && package->change.count > 0;
    return manifest_command_line(change ? &package->change : &package->commands, branch, NULL);
}

static void add_fix(const struct wanted *wanted, const struct manifest_package *package,
                    const char *line)
{
    const struct manifest_apt apt = {facts_list(wanted->facts, "apt", "components"),
                                     facts_string(wanted->facts, "apt", "file")};
    bool theirs = string_equal(package->repository, "nvidia");
    const char *from =
        theirs ? "from NVIDIA's repository" : "from the distribution's own repository";
    AUTO_FREE char *components = manifest_apt_note(package, &apt);
    const char *needs = components ? components : package->needs;
    AUTO_FREE char *where =
        needs ? mem_printf("%s, %s", from, needs) : mem_string(theirs ? from : "");
    AUTO_FREE char *note = note_of(wanted, where);
    AUTO_FREE char *enabled = manifest_apt_line(package, &apt, line);
    AUTO_FREE char *whole = remedy_apt_update(enabled);
    bool replaces = !string_equal(wanted->finding->cause, "driver_not_installed");
    finding_fix_command(wanted->finding,
                        (replaces ? FIX_CHOICE : FIX_STEP) | NEEDS_ROOT | THEN_REBOOT, note, "%s",
                        whole);
}

static bool from_nvidia(const struct wanted *wanted)
{
    const struct manifest_package *package =
        package_of(wanted, "nvidia", wanted->last ? "proprietary" : "open", wanted->last);
    if (package == NULL)
        return false;
    AUTO_FREE char *line = line_of(wanted, package, wanted->last);
    if (strstr(line, "dnf ") && !string_equal(remedy_rpm_tool(wanted->facts), "dnf"))
        return false; /* a row of newer releases */
    AUTO_FREE char *whole = repository_command(wanted->facts, wanted->manifest, line);
    add_fix(wanted, package, whole);
    return true;
}

/* The first branch from the least on that is packaged and kept up for long; else the least. */
static unsigned branch_offered(const struct wanted *wanted)
{
    struct version any = {.count = 0};
    const struct manifest_branch *newest = manifest_branch_newest(wanted->manifest, &any);
    unsigned end = wanted->last ? wanted->last : newest ? newest->branch : wanted->least;
    for (unsigned branch = wanted->least; wanted->least && branch <= end; branch++) {
        const struct manifest_branch *row = branch_row(wanted->manifest, branch);
        if (row && is_supported(wanted->manifest, row) &&
            (string_equal(row->kind, "lts") || string_equal(row->kind, "production")) &&
            package_of(wanted, "distribution", "either", branch))
            return branch;
    }
    return wanted->least;
}

/* Whether what the package gives is enough for the need, and not too new for the GPUs. */
static bool suffices(const struct wanted *wanted, const struct manifest_package *package)
{
    unsigned least = wanted->least > wanted->first ? wanted->least : wanted->first;
    if (package->branch_min == 0)
        return wanted->least == 0 && !wanted->open && (wanted->last == 0 || wanted->supported);
    if (package->branch_min < least)
        return false;
    return wanted->last == 0 || (package->branch_max && package->branch_max <= wanted->last);
}

/* Packages whose branch the distribution chose. */
static bool from_distribution(const struct wanted *wanted)
{
    static const char *const flavours[] = {"proprietary", "open"};
    for (size_t i = 0; i < 2; i++) {
        if (i == 0 ? wanted->open : wanted->last > 0)
            continue;
        const struct manifest_package *package =
            wanted->last ? package_of(wanted, "distribution", flavours[i], wanted->last) : NULL;
        if (package == NULL || package->branch_min != package->branch_max)
            package = package_of(wanted, "distribution", flavours[i], 0);
        if (package == NULL || !suffices(wanted, package))
            continue;
        AUTO_FREE char *line = line_of(wanted, package, 0);
        add_fix(wanted, package, line);
        return true;
    }
    return false;
}

/* A long-term release of Ubuntu gets packages of new branches for five years, some a little later;
 * the packages of an interim one are taken off the mirrors after nine months. */
#define LTS_MONTHS     72
#define INTERIM_MONTHS 9

/* Whether Ubuntu has the branch, or with branch 0 any, for this release. What is not known is no
 * reason. */
static bool is_packaged(const struct wanted *wanted, unsigned branch)
{
    const struct version *release = &wanted->system.release;
    const struct manifest_branch *row = branch ? branch_row(wanted->manifest, branch) : NULL;
    if (!string_equal(wanted->system.id, "ubuntu") || release->count < 2)
        return true;
    bool lts = release->part[0] % 2 == 0 && release->part[1] == 4;
    const char *date = lts ? (row ? row->first_release : NULL) : manifest_date(wanted->manifest);
    if (date == NULL || strlen(date) < strlen("2025-01"))
        return true;
    unsigned long month = strtoul(date, NULL, 10) * 12 + strtoul(date + strlen("2025-"), NULL, 10);
    unsigned first = (2000 + release->part[0]) * 12 + release->part[1];
    return month <= first + (lts ? LTS_MONTHS : INTERIM_MONTHS);
}

static const struct manifest_package *for_servers(const struct wanted *wanted, unsigned branch)
{
    const struct manifest_package_query query = {.system = &wanted->system,
                                                 .repository = "distribution",
                                                 .flavour = "either",
                                                 .use = "data-centre",
                                                 .branch = branch};
    return branch ? manifest_package_find(wanted->manifest, &query) : NULL;
}

/* The last branch for the GPUs, the one that is offered for the least, or else the newest with
 * long-term support: `resolve driver` names the same. 0: there is none. */
static unsigned branch_for_servers(const struct wanted *wanted)
{
    struct version any = {.count = 0};
    const struct manifest_branch *newest = manifest_branch_newest(wanted->manifest, &any);
    if (wanted->last || wanted->least)
        return wanted->last ? wanted->last : branch_offered(wanted);
    for (unsigned branch = newest ? newest->branch : 0; branch > 0 && branch >= wanted->first;
         branch--) {
        const struct manifest_branch *row = branch_row(wanted->manifest, branch);
        if (row && is_supported(wanted->manifest, row) && string_equal(row->kind, "lts") &&
            for_servers(wanted, branch))
            return branch;
    }
    return 0;
}

/* The series for servers, which a data centre's GPUs get. */
static bool by_server_packages(const struct wanted *wanted)
{
    unsigned branch = wanted->data_centre ? branch_for_servers(wanted) : 0;
    const struct manifest_package *package = for_servers(wanted, branch);
    if (package == NULL || (package->release.count == 0 && !is_packaged(wanted, branch)))
        return false;
    AUTO_FREE char *line = line_of(wanted, package, branch);
    add_fix(wanted, package, line);
    return true;
}

/* A tool of the distribution that knows which driver the GPU needs. */
static bool by_distribution(const struct wanted *wanted)
{
    unsigned branch = wanted->last ? wanted->last : branch_offered(wanted);
    const struct manifest_package *package = package_of(wanted, "distribution", "either", branch);
    if (package == NULL || (package->release.count == 0 && !is_packaged(wanted, branch)))
        return false;
    AUTO_FREE char *line = line_of(wanted, package, branch);
    add_fix(wanted, package, line);
    return true;
}

/* Systems whose driver comes with the image or its configuration: NVIDIA's installer cannot run. */
static const struct {
    const char *id, *how;
} images[] = {
    {"nixos", "in the system's configuration: hardware.nvidia.package = "
              "config.boot.kernelPackages.nvidiaPackages.NAME; then nixos-rebuild boot"},
    {"talos", "with NVIDIA's system extensions: build an image that includes these extensions "
              "(factory.talos.dev), and upgrade this machine to that image (talosctl upgrade)"},
    {"flatcar", "by setting NVIDIA_DRIVER_VERSION to the driver's release in "
                "/etc/flatcar/nvidia-metadata; then sudo systemctl restart nvidia"},
    {"cos", "with: sudo cos-extensions install gpu"},
    {"bottlerocket", "by using the variant of this system whose name ends with -nvidia"},
    {"rhcos", "with NVIDIA's GPU Operator, which provides the driver in a container"},
};

/* False: no such system. */
static bool by_image(const struct wanted *wanted)
{
    for (size_t i = 0; i < sizeof(images) / sizeof(images[0]); i++) {
        if (!string_equal(images[i].id, wanted->system.id))
            continue;
        AUTO_FREE char *note = note_of(wanted, "");
        finding_fix_note(wanted->finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
                         "install the NVIDIA driver %s; %s", images[i].how, note);
        return true;
    }
    return false;
}

static void in_words(const struct wanted *wanted)
{
    AUTO_FREE char *note = note_of(wanted, "");
    AUTO_FREE char *which = wanted->last ? mem_printf("driver branch R%u", wanted->last)
                                         : mem_string("the NVIDIA driver for this system");
    finding_fix_note(wanted->finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
                     "install %s (https://www.nvidia.com/drivers); %s", which, note);
}

static void into_image(const struct wanted *wanted, const char *tool)
{
    AUTO_FREE char *note = note_of(wanted, "");
    finding_fix_note(wanted->finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
                     "use an image of this system that includes the NVIDIA driver, or add the "
                     "distribution's driver packages to this image (%s); %s",
                     tool, note);
}

/* Two sources of drivers on one machine do not go together: where NVIDIA's is in use, it stays. */
static void on_machine(const struct wanted *wanted)
{
    const char *tool = remedy_image_tool(wanted->facts);
    if (by_image(wanted))
        return;
    if (tool) {
        into_image(wanted, tool);
        return;
    }
    if (repository_has_the_driver(wanted->facts) && from_nvidia(wanted))
        return;
    if (by_server_packages(wanted) || by_distribution(wanted))
        return;
    if (!is_packaged(wanted, wanted->last ? wanted->last : branch_offered(wanted))) {
        in_words(wanted); /* packages of a system that it is like are not its own */
        return;
    }
    bool own = from_distribution(wanted);
    if (own && manifest_repository_find(wanted->manifest, &wanted->system) == NULL)
        return; /* NVIDIA has none for it: that of the system that it is like is not its own */
    if (!from_nvidia(wanted) && !own)
        in_words(wanted);
}

void remedy_install_driver(const struct rule_context *context, struct finding *finding,
                           unsigned branch)
{
    AUTO_FREE char *which =
        branch ? mem_printf("driver branch R%u or newer", branch) : mem_string("the NVIDIA driver");
    struct wanted wanted;
    switch (judged_place(context->facts)) {
    case PLACE_CONTAINER:
        finding_fix_note(finding, FIX_HOST | NEEDS_ROOT | THEN_REBOOT,
                         "on the host, not in this container: install %s and reboot", which);
        break;
    case PLACE_WSL:
        finding_fix_note(finding, FIX_HOST | NEEDS_ROOT,
                         "in Windows: install %s for Windows (https://www.nvidia.com/drivers), "
                         "then run wsl --shutdown there; never install a Linux driver inside WSL",
                         which);
        break;
    case PLACE_JETSON:
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
                         "move to a newer JetPack: a Jetson's driver is part of Jetson Linux");
        break;
    case PLACE_MACHINE:
        wanted = wanted_of(context, finding, branch);
        on_machine(&wanted);
        break;
    }
}
