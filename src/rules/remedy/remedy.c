/* SPDX-License-Identifier: MIT */
#include "rules/remedy/remedy.h"

#include <string.h>

#include "base/path.h"
#include "manifest/toolkit/cudnn.h"
#include "manifest/toolkit/legacy.h"
#include "manifest/versions/cuda.h"
#include "manifest/versions/driver.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/remedy/repository.h"

static const struct {
    const char *id;
    enum distribution distribution;
} distributions[] = {
    {"ubuntu", DISTRIBUTION_UBUNTU},  {"debian", DISTRIBUTION_DEBIAN}, {"rhel", DISTRIBUTION_RHEL},
    {"fedora", DISTRIBUTION_RHEL},    {"centos", DISTRIBUTION_RHEL},   {"rocky", DISTRIBUTION_RHEL},
    {"almalinux", DISTRIBUTION_RHEL}, {"ol", DISTRIBUTION_RHEL},       {"amzn", DISTRIBUTION_RHEL},
    {"suse", DISTRIBUTION_SUSE},      {"opensuse", DISTRIBUTION_SUSE}, {"sles", DISTRIBUTION_SUSE},
    {"arch", DISTRIBUTION_ARCH},
};

static enum distribution distribution_of(const char *id)
{
    for (size_t i = 0; i < sizeof(distributions) / sizeof(distributions[0]); i++)
        if (string_equal(distributions[i].id, id))
            return distributions[i].distribution;
    return DISTRIBUTION_OTHER;
}

enum distribution remedy_distribution(const struct facts *facts)
{
    enum distribution distribution = distribution_of(facts_string(facts, "os", "id"));
    const char *like = facts_string(facts, "os", "id_like");
    if (distribution != DISTRIBUTION_OTHER || like == NULL)
        return distribution;
    AUTO_STRLIST struct strlist ids = {0};
    strlist_split(&ids, like, ' ');
    for (size_t i = 0; distribution == DISTRIBUTION_OTHER && i < ids.count; i++)
        distribution = distribution_of(ids.items[i]);
    return distribution;
}

/* The first releases that have dnf. */
static const struct {
    const char *id;
    unsigned release;
} with_dnf[] = {{"rhel", 8}, {"centos", 8}, {"ol", 8}, {"amzn", 2023}};

const char *remedy_rpm_tool(const struct facts *facts)
{
    struct version release;
    const char *id = facts_string(facts, "os", "id");
    const char *text = facts_string(facts, "os", "version_id");
    for (size_t i = 0; i < sizeof(with_dnf) / sizeof(with_dnf[0]); i++)
        if (string_equal(with_dnf[i].id, id) && text && version_parse_prefix(text, &release) &&
            release.part[0] < with_dnf[i].release)
            return "yum";
    return "dnf";
}

const char *remedy_image_tool(const struct facts *facts)
{
    static const char *const transactional[] = {"opensuse-microos", "opensuse-leap-micro",
                                                "sle-micro",        "sl-micro",
                                                "opensuse-aeon",    "opensuse-kalpa"};
    const char *id = facts_string(facts, "os", "id");
    if (facts_true(facts, "os", "ostree"))
        return "rpm-ostree install";
    for (size_t i = 0; i < sizeof(transactional) / sizeof(transactional[0]); i++)
        if (string_equal(id, transactional[i]))
            return "transactional-update pkg install";
    return NULL;
}

char *remedy_apt_update(const char *line)
{
    bool reads =
        !string_starts(line, "sudo apt-get install") || strstr(line, "apt-get update") != NULL;
    return mem_printf("%s%s", reads ? "" : "sudo apt-get update && ", line);
}

void remedy_install_packages(const struct rule_context *context, struct finding *finding,
                             const char *packages, const char *arch)
{
    static const char note[] = "from NVIDIA's repository for this system";
    AUTO_FREE char *command = NULL;
    const char *tool = remedy_image_tool(context->facts);
    if (tool) {
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
                         "install %s in a container, or add these packages to this system's image "
                         "from NVIDIA's repository (%s)",
                         packages, tool);
        return;
    }
    switch (remedy_distribution(context->facts)) {
    case DISTRIBUTION_UBUNTU:
    case DISTRIBUTION_DEBIAN:
        command = mem_printf("sudo apt-get install %s", packages);
        break;
    case DISTRIBUTION_RHEL:
        command = mem_printf("sudo %s install %s", remedy_rpm_tool(context->facts), packages);
        break;
    case DISTRIBUTION_SUSE:
        command = mem_printf("sudo zypper install %s", packages);
        break;
    case DISTRIBUTION_ARCH:
        if (arch)
            finding_fix_command(finding, FIX_STEP | NEEDS_ROOT, NULL, "sudo pacman -S %s", arch);
        break;
    case DISTRIBUTION_OTHER:
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT, "install %s from NVIDIA's repository",
                         packages);
        break;
    }
    if (command == NULL)
        return;
    AUTO_FREE char *whole = repository_command(context->facts, context->manifest, command);
    AUTO_FREE char *line = remedy_apt_update(whole);
    finding_fix_command(finding, FIX_STEP | NEEDS_ROOT, note, "%s", line);
}

void remedy_install_jetpack(struct finding *finding)
{
    finding_fix_command(finding, FIX_STEP | NEEDS_ROOT, "installs CUDA, cuDNN and related packages",
                        "sudo apt-get update && sudo apt-get install -y nvidia-jetpack && sudo "
                        "ldconfig");
}

/* NVIDIA's repository for a system begins with the CUDA of its time. True: the toolkit is older,
 * and the finding says where its installer is. */
static bool is_before_repository(const struct rule_context *context, struct finding *finding,
                                 const struct version *cuda)
{
    char wanted[VERSION_TEXT_SIZE], begins[VERSION_TEXT_SIZE];
    struct version first;
    struct manifest_system system = repository_system(context->facts);
    if (!manifest_cuda_first_for(context->manifest, &system, &first))
        return false;
    first.count = first.count > 2 ? 2 : first.count;
    if (version_compare(cuda, &first) >= 0)
        return false;
    const struct manifest_cuda *row = manifest_cuda_find(context->manifest, cuda);
    bool arm = string_equal(system.machine, "aarch64");
    AUTO_FREE char *url = manifest_runfile_url(context->manifest, row ? &row->version : cuda,
                                               arm ? "linux-sbsa" : "linux-x86_64");
    finding_fix_note(
        finding, FIX_ADVICE | NEEDS_ROOT,
        "install CUDA toolkit %s from NVIDIA's own installer%s%s; NVIDIA's repository "
        "for this system may not have it: its images of this system begin with CUDA %s",
        version_text(cuda, 2, wanted), url ? ": " : "", url ? url : "",
        version_text(&first, 2, begins));
    return true;
}

/* NVIDIA's repositories for aarch64 are those of servers. */
void remedy_install_toolkit(const struct rule_context *context, struct finding *finding,
                            const struct version *cuda)
{
    bool exact = cuda && cuda->count >= 2;
    if (facts_string(context->facts, "machine", "jetson_release")) {
        remedy_install_jetpack(finding);
        return;
    }
    if (exact && is_before_repository(context, finding, cuda))
        return;
    AUTO_FREE char *package = exact ? mem_printf("cuda-toolkit-%u-%u", cuda->part[0], cuda->part[1])
                                    : mem_string("cuda-toolkit");
    remedy_install_packages(context, finding, package, "cuda");
}

/* NVIDIA's package for one CUDA major: "cudnn" alone brings the newest cuDNN for the newest CUDA.
 */
static char *cudnn_package(struct manifest *manifest, unsigned major, unsigned cuda)
{
    if (manifest_cudnn_wheel_find(manifest, cuda) == NULL)
        return mem_string("cudnn");
    return mem_printf("cudnn%u-cuda-%u", major, cuda);
}

/* True when the newest cuDNN is for no CUDA of the driver's major. */
static bool is_too_old_for_newest(const struct rule_context *context)
{
    struct judged_driver driver = judged_driver(context->facts);
    const struct manifest_branch *row =
        driver.version.count ? manifest_branch_find(context->manifest, &driver.version) : NULL;
    return row && row->cuda.count &&
           manifest_cudnn_wheel_find(context->manifest, row->cuda.part[0]) == NULL;
}

void remedy_install_cudnn(const struct rule_context *context, struct finding *finding,
                          unsigned major, unsigned cuda)
{
    size_t count;
    const struct manifest_cudnn *rows = manifest_cudnn_all(context->manifest, &count);
    unsigned newest = count ? rows[count - 1].version.part[0] : major;
    if (facts_string(context->facts, "machine", "jetson_release")) {
        remedy_install_jetpack(finding);
        return;
    }
    if (major && major < newest) {
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                         "install cuDNN %u for every program: from NVIDIA's repository if the "
                         "package libcudnn%u exists for this system, otherwise from NVIDIA's "
                         "archive; two major versions can be installed side by side",
                         major, major);
        return;
    }
    if (major == 0 && is_too_old_for_newest(context)) {
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                         "install a cuDNN release for this driver's CUDA from NVIDIA's archive of "
                         "older releases: the package cudnn needs a newer driver");
        return;
    }
    AUTO_FREE char *package = cudnn_package(context->manifest, newest, cuda);
    remedy_install_packages(context, finding, package, "cudnn");
}

char *remedy_library_path_without(const struct facts *facts,
                                  bool (*leaves)(const char *entry, const char *what),
                                  const char *what)
{
    const char *value = facts_string(facts, "environment", "LD_LIBRARY_PATH");
    AUTO_STRLIST struct strlist all = {0};
    AUTO_STRLIST struct strlist kept = {0};
    if (value == NULL)
        return NULL;
    strlist_split(&all, value, ':');
    for (size_t i = 0; i < all.count; i++)
        if (!leaves(all.items[i], what))
            strlist_add(&kept, all.items[i]);
    if (kept.count == all.count)
        return NULL;
    AUTO_FREE char *joined = strlist_join(&kept, ":");
    if (*joined == '\0')
        return mem_string("unset LD_LIBRARY_PATH");
    AUTO_FREE char *quoted = shell_quote(joined);
    return mem_printf("export LD_LIBRARY_PATH=%s", quoted);
}

static bool is_same_directory(const char *entry, const char *directory)
{
    return path_is_below(entry, directory) && path_is_below(directory, entry);
}

bool remedy_library_path(const struct facts *facts, struct finding *finding, const char *why,
                         const char *note)
{
    static const char variable[] = "LD_LIBRARY_PATH: ";
    if (why == NULL || !string_starts(why, variable))
        return false;
    const char *directory = why + strlen(variable);
    AUTO_FREE char *command = remedy_library_path_without(facts, is_same_directory, directory);
    if (command)
        finding_fix_command(finding, FIX_SHELL, note, "%s", command);
    else
        finding_fix_note(finding, FIX_ADVICE, "remove %s from LD_LIBRARY_PATH", directory);
    return true;
}

void remedy_load_module(const struct rule_context *context, struct finding *finding,
                        const char *module, const char *note)
{
    if (judged_place(context->facts) == PLACE_CONTAINER) {
        finding_fix_note(finding, FIX_HOST | NEEDS_ROOT,
                         "on the host, not in this container: sudo modprobe %s, then start the "
                         "container again",
                         module);
    } else if (string_equal(facts_string(context->facts, "os", "id"), "talos"))
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                         "add %s to machine.kernel.modules in the machine's configuration "
                         "(talosctl patch machineconfig)",
                         module);
    else
        finding_fix_run(finding, note, (const char *const[]){"modprobe", module, NULL});
}

void remedy_load_at_boot(const struct rule_context *context, struct finding *finding,
                         const char *module)
{
    const char *id = facts_string(context->facts, "os", "id");
    if (judged_place(context->facts) != PLACE_MACHINE || string_equal(id, "talos"))
        return;
    if (string_equal(id, "nixos")) {
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                         "for every boot, in the system's configuration: boot.kernelModules = [ "
                         "\"%s\" ];",
                         module);
        return;
    }
    AUTO_FREE char *name = mem_string(module);
    for (char *at = name; *at; at++)
        *at = *at == '_' ? '-' : *at;
    finding_fix_command(finding, FIX_ALSO | NEEDS_ROOT, "loads the module at every boot",
                        "echo %s | sudo tee -a /etc/modules-load.d/%s.conf", module, name);
}

void remedy_make_nodes(struct finding *finding, const char *note)
{
    finding_fix_run(finding, note, (const char *const[]){"nvidia-modprobe", "-c", "0", "-u", NULL});
}

void remedy_link(struct finding *finding, const char *note, const char *target, const char *path)
{
    finding_fix_run(finding, note, (const char *const[]){"ln", "-sT", target, path, NULL});
}

void remedy_relink(struct finding *finding, const char *target, const char *path)
{
    AUTO_FREE char *old = mem_printf("%s.old", path);
    finding_fix_run(finding, "keeps the dangling link, with .old added to its name",
                    (const char *const[]){"mv", "-nT", path, old, NULL});
    finding_fix_run_then(finding, (const char *const[]){"ln", "-sT", target, path, NULL});
}
