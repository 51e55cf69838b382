/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rules/remedy.h"
#include "rules/repository.h"

/* What is known of the driver to install. */
struct wanted {
    const struct facts *facts;
    struct finding *finding;
    unsigned least;           /* branch; 0: whichever suits */
    unsigned offered;         /* branch to ask for by number: least, or a later one */
    unsigned last;            /* the last branch that drives the GPUs; 0: no limit is known */
    bool supported;           /* NVIDIA still mends the last branch */
    bool open;                /* a GPU that only the open kernel module drives */
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

/* The first branch from least on that is kept up for long; distributions have those, and not each
 * one between. */
static unsigned branch_offered(struct manifest *manifest, unsigned least, unsigned last)
{
    struct version any = {.count = 0};
    const struct manifest_branch *newest = manifest_branch_newest(manifest, &any);
    unsigned end = last ? last : newest ? newest->branch : least;
    for (unsigned branch = least; least && branch <= end; branch++) {
        const struct manifest_branch *row = branch_row(manifest, branch);
        if (row && is_supported(manifest, row) &&
            (string_equal(row->kind, "lts") || string_equal(row->kind, "production")))
            return branch;
    }
    return least;
}

static struct wanted wanted_of(const struct rule_context *context, struct finding *finding,
                               unsigned least)
{
    struct manifest *manifest = context->manifest;
    struct wanted wanted = {.facts = context->facts, .finding = finding, .least = least};
    AUTO_GPUS struct judged_gpus gpus = judged_gpus(context->facts, manifest);
    wanted.last = judged_last_branch(&gpus, manifest);
    wanted.supported = is_supported(manifest, branch_row(manifest, wanted.last));
    wanted.offered = branch_offered(manifest, least, wanted.last);
    for (size_t i = 0; i < gpus.count; i++) {
        const struct judged_gpu *gpu = &gpus.items[i];
        const struct manifest_architecture *row =
            gpu->capability.count ? manifest_architecture_find(manifest, &gpu->capability) : NULL;
        wanted.open = wanted.open || (row && string_equal(row->open_module, "required"));
        if (gpu->model == NULL && gpu->device_id)
            wanted.doubt = facts_get(context->facts, gpu->group, "device_id");
    }
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
        text_printf(&text, "%sthe GPU 10de:%s is not known here: see that the driver supports it",
                    text.size ? "; " : "", wanted->doubt->string);
    text_printf(&text, "%sthen reboot", text.size ? "; " : "");
    return text_steal(&text);
}

/* A command for packages of NVIDIA's repository. */
static void from_nvidia(const struct wanted *wanted, const char *command)
{
    AUTO_FREE char *whole = repository_command(wanted->facts, command);
    const char *id = facts_string(wanted->facts, "os", "id");
    bool epel = remedy_distribution(wanted->facts) == DISTRIBUTION_RHEL &&
                !string_equal(id, "fedora") && !string_equal(id, "amzn");
    AUTO_FREE char *note = note_of(wanted, epel ? "from NVIDIA's repository, and dkms from EPEL"
                                                : "from NVIDIA's repository");
    finding_fix_command(wanted->finding, true, true, note, "%s", whole);
}

static void in_words(const struct wanted *wanted)
{
    AUTO_FREE char *note = note_of(wanted, "");
    AUTO_FREE char *which = wanted->last ? mem_printf("driver branch R%u", wanted->last)
                                         : mem_string("the NVIDIA driver for this system");
    finding_fix_note(wanted->finding, true, true, "install %s (https://www.nvidia.com/drivers); %s",
                     which, note);
}

static void on_ubuntu(const struct wanted *wanted)
{
    AUTO_FREE char *note = note_of(wanted, "");
    unsigned branch = wanted->last ? wanted->last : wanted->offered;
    if (branch)
        finding_fix_command(wanted->finding, true, true, note,
                            "sudo apt-get install ubuntu-drivers-common && sudo ubuntu-drivers "
                            "install nvidia:%u",
                            branch);
    else
        finding_fix_command(wanted->finding, true, true, note,
                            "sudo apt-get install ubuntu-drivers-common && sudo ubuntu-drivers "
                            "install");
}

/* Debian's own driver is an older one. Its libcuda is a package of its own, and is not drawn in. */
static void on_debian(const struct wanted *wanted)
{
    AUTO_FREE char *pinned =
        mem_printf("sudo apt-get install linux-headers-$(uname -r) nvidia-driver-pinning-%u "
                   "cuda-drivers",
                   wanted->last);
    AUTO_FREE char *note = note_of(
        wanted, "from Debian's own repository, where its component non-free is switched on");
    if (wanted->last && !wanted->supported) {
        in_words(wanted);
        return;
    }
    if (wanted->least == 0 && !wanted->open)
        finding_fix_command(wanted->finding, true, true, note,
                            "sudo apt-get install linux-headers-$(uname -r) nvidia-driver libcuda1 "
                            "nvidia-smi");
    from_nvidia(wanted, wanted->last
                            ? pinned
                            : "sudo apt-get install linux-headers-$(uname -r) nvidia-open");
}

/* RHEL 8 and 9 have a module stream per branch; later ones, and Fedora, have none. */
static bool has_streams(const struct facts *facts)
{
    const char *id = facts_string(facts, "os", "id");
    const char *text = facts_string(facts, "os", "version_id");
    struct version version;
    if (string_equal(id, "amzn"))
        return true;
    return !string_equal(id, "fedora") && text && version_parse(text, &version) &&
           version.part[0] < 10;
}

static void on_rhel(const struct wanted *wanted)
{
    const char *flags = wanted->least ? " --allowerasing" : "";
    const char *reset = wanted->least ? "sudo dnf module reset nvidia-driver && " : "";
    AUTO_FREE char *command = NULL;
    if (wanted->last && !wanted->supported) {
        in_words(wanted);
        return;
    }
    if (has_streams(wanted->facts) && wanted->last)
        command = mem_printf("%ssudo dnf module enable nvidia-driver:%u-dkms && sudo dnf install%s "
                             "cuda-drivers kernel-devel-$(uname -r)",
                             reset, wanted->last, flags);
    else if (has_streams(wanted->facts))
        command = mem_printf("%ssudo dnf module enable nvidia-driver:open-dkms && sudo dnf "
                             "install%s nvidia-open kernel-devel-$(uname -r)",
                             reset, flags);
    else if (wanted->last)
        command = mem_printf("sudo dnf versionlock add '*nvidia*%u*' && sudo dnf install%s "
                             "cuda-drivers kernel-devel-$(uname -r)",
                             wanted->last, flags);
    else
        command = mem_printf("sudo dnf install%s nvidia-open kernel-devel-$(uname -r)", flags);
    from_nvidia(wanted, command);
}

static void on_arch(const struct wanted *wanted)
{
    AUTO_FREE char *note = note_of(wanted, "");
    if (wanted->last)
        in_words(wanted);
    else
        finding_fix_command(wanted->finding, true, true, note,
                            "sudo pacman -Syu nvidia-open nvidia-utils");
}

static void on_machine(const struct wanted *wanted)
{
    switch (remedy_distribution(wanted->facts)) {
    case DISTRIBUTION_UBUNTU:
        on_ubuntu(wanted);
        break;
    case DISTRIBUTION_DEBIAN:
        on_debian(wanted);
        break;
    case DISTRIBUTION_RHEL:
        on_rhel(wanted);
        break;
    case DISTRIBUTION_SUSE:
        if (wanted->last)
            in_words(wanted);
        else
            from_nvidia(wanted, "sudo zypper install nvidia-open");
        break;
    case DISTRIBUTION_ARCH:
        on_arch(wanted);
        break;
    case DISTRIBUTION_OTHER:
        in_words(wanted);
        break;
    }
}

void remedy_install_driver(const struct rule_context *context, struct finding *finding,
                           unsigned branch)
{
    AUTO_FREE char *which =
        branch ? mem_printf("driver branch R%u or newer", branch) : mem_string("the NVIDIA driver");
    struct wanted wanted;
    switch (judged_place(context->facts)) {
    case PLACE_CONTAINER:
        finding_fix_note(finding, true, true,
                         "on the host, not in this container: install %s and reboot", which);
        break;
    case PLACE_WSL:
        finding_fix_note(finding, true, true,
                         "in Windows: install %s for Windows (https://www.nvidia.com/drivers), "
                         "then run wsl --shutdown there; never install a Linux driver inside WSL",
                         which);
        break;
    case PLACE_JETSON:
        finding_fix_note(finding, true, true,
                         "move to a newer JetPack: the driver of a Jetson is part of Jetson Linux");
        break;
    case PLACE_MACHINE:
        wanted = wanted_of(context, finding, branch);
        on_machine(&wanted);
        break;
    }
}
