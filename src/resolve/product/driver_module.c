/* SPDX-License-Identifier: MIT */
#include "manifest/gpu/gpu.h"
#include "manifest/package/package.h"
#include "manifest/versions/capability.h"
#include "manifest/versions/driver.h"
#include "resolve/engine/fit.h"
#include "resolve/engine/resolution.h"
#include "resolve/product/driver.h"

struct driver_module driver_module_of(const struct resolve_context *context)
{
    struct driver_module module = {.must_be_open = false};
    for (size_t i = 0; i < context->machine.gpu_count; i++) {
        const struct resolve_gpu *gpu = &context->machine.gpus[i];
        const struct manifest_capability *capability = fit_capability(context, gpu);
        const struct manifest_architecture *row =
            capability ? manifest_architecture_find(context->manifest, &capability->capability)
                       : NULL;
        bool model_needs_open =
            gpu->model && string_equal(gpu->model->open_module, "required"); /* GH200 */
        if ((model_needs_open || (row && string_equal(row->open_module, "required"))) &&
            !module.must_be_open) {
            module.must_be_open = true;
            module.open_gpu = gpu;
        }
        if (row && string_equal(row->open_module, "no") && !module.must_be_proprietary) {
            module.must_be_proprietary = true;
            module.proprietary_gpu = gpu;
        }
    }
    return module;
}

static bool has_data_centre(const struct resolve_context *context)
{
    for (size_t i = 0; i < context->machine.gpu_count; i++) {
        const struct manifest_gpu *model = context->machine.gpus[i].model;
        if (model && string_equal(model->gpu_class, "data-centre"))
            return true;
    }
    return false;
}

/* The distribution's own packages go before NVIDIA's; for GPUs of a data centre those of the series
 * for servers before the others. */
static const struct manifest_package *find_package(const struct resolve_context *context,
                                                   const struct manifest_system *system,
                                                   const char *flavour, unsigned branch)
{
    static const char *const repositories[] = {"distribution", "nvidia"};
    static const char *const uses[] = {"data-centre", "desktop"};
    for (size_t i = 0; i < 2; i++)
        for (size_t k = has_data_centre(context) ? 0 : 1; k < 2; k++) {
            struct manifest_package_query query = {.system = system,
                                                   .repository = repositories[i],
                                                   .flavour = flavour,
                                                   .use = uses[k],
                                                   .branch = branch};
            const struct manifest_package *package =
                manifest_package_find(context->manifest, &query);
            if (package)
                return package;
        }
    return NULL;
}

static void add_repository(struct resolve_context *context, const struct manifest_system *system,
                           struct resolve_choice *choice)
{
    const struct manifest_repository *repository =
        manifest_repository_find(context->manifest, system);
    if (repository == NULL) {
        context_note(
            context,
            "the packages come from NVIDIA's repository for this system, which is not listed");
        return;
    }
    AUTO_FREE char *url = manifest_repository_url(context->manifest, repository, system->machine);
    strlist_take(&choice->commands, manifest_command_line(&repository->commands, 0, url));
}

/* The command that enables components goes before those that set up a repository. */
static void add_commands(struct resolve_context *context, const struct manifest_package *package,
                         unsigned branch, struct resolve_choice *choice)
{
    const struct manifest_apt apt = {context->machine.apt_components, context->machine.apt_file};
    AUTO_FREE char *needs = manifest_apt_note(package, &apt);
    strlist_take(&choice->commands, manifest_command_line(&package->commands, branch, NULL));
    AUTO_FREE char *first = choice->commands.items[0];
    choice->commands.items[0] = manifest_apt_line(package, &apt, first);
    if (needs)
        context_note(context, "the driver's package %s", needs);
}

void driver_add_packages(struct resolve_context *context, const struct manifest_branch *branch,
                         const char *flavour, struct resolve_choice *choice)
{
    const struct resolve_machine *machine = &context->machine;
    struct manifest_system system = {
        .id = machine->os_id,
        .like = machine->os_like,
        .machine = machine->architecture ? machine->architecture : "x86_64",
    };
    if (machine->os_release && !version_parse(machine->os_release, &system.release))
        system.release = (struct version){.count = 0};
    if (machine->os_id == NULL) {
        context_note(context,
                     "the distribution is not known, so its packages are not known either");
        return;
    }
    const struct manifest_package *package =
        find_package(context, &system, flavour, branch->branch);
    if (package == NULL) {
        context_note(
            context,
            "no R%u packages with the %s kernel module are listed for %s%s%s: check that system's "
            "own packages, or use NVIDIA's installer (https://www.nvidia.com/drivers)",
            branch->branch, flavour, machine->os_id, machine->os_release ? " " : "",
            machine->os_release ? machine->os_release : "");
        return;
    }
    if (string_equal(package->repository, "nvidia"))
        add_repository(context, &system, choice);
    manifest_package_names(package, branch->branch, &choice->packages);
    add_commands(context, package, branch->branch, choice);
    if (package->needs)
        context_note(context, "the driver's packages can be installed %s", package->needs);
}
