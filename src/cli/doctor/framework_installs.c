/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/shell.h"
#include "cli/doctor/frameworks.h"
#include "cli/machine/machine_of.h"
#include "manifest/toolkit/pin.h"
#include "resolve/engine/resolution.h"
#include "resolve/resolve.h"
#include "rules/query/framework_choice.h"

/* What `gpuenv install` would do with what a fix may ask of it. It is resolved as install resolves
 * it, so that no fix names a command that ends with "no version satisfies". */

struct trial {
    struct manifest *manifest;
    const struct resolve_machine *machine;
    struct framework_install *install;
};

static const struct resolve_choice *chosen_of(const struct resolution *resolution,
                                              const char *product)
{
    for (size_t i = 0; i < resolution->chosen_count; i++)
        if (string_equal(resolution->chosen[i].product, product))
            return &resolution->chosen[i];
    return NULL;
}

static bool has_no_pin(const struct trial *trial, const struct resolve_choice *choice)
{
    return choice && string_equal(choice->pin, "none") &&
           manifest_pin_oldest(trial->manifest, choice->product);
}

/* Older than NVIDIA's lists of archives. */
static bool is_too_old(const struct trial *trial, const struct resolve_choice *choice)
{
    struct version version;
    return has_no_pin(trial, choice) && version_parse(choice->version, &version) &&
           version_compare(&version,
                           &manifest_pin_oldest(trial->manifest, choice->product)->version) < 0;
}

/* Notes the versions. True: install takes all of it. */
static bool note_versions(const struct trial *trial, const struct resolution *resolution)
{
    struct framework_install *install = trial->install;
    const struct resolve_choice *cuda = chosen_of(resolution, "cuda");
    const struct resolve_choice *cudnn = chosen_of(resolution, "cudnn");
    bool old_cuda = is_too_old(trial, cuda);
    bool old_cudnn = is_too_old(trial, cudnn);
    install->unpinned = install->unpinned || (has_no_pin(trial, cuda) && !old_cuda) ||
                        (has_no_pin(trial, cudnn) && !old_cudnn);
    install->cuda = mem_string(cuda ? cuda->version : NULL);
    install->cudnn = mem_string(cudnn ? cudnn->version : NULL);
    return (cuda || cudnn) && !old_cuda && !old_cudnn;
}

static void try_framework(const struct trial *trial)
{
    AUTO_SPECS struct resolve_specs none = {0};
    AUTO_SPECS struct resolve_specs framework = {0};
    AUTO_RESOLUTION struct resolution resolution = {.chosen = NULL};
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *quoted = shell_quote(trial->install->asked);
    if (!resolve_specs_add(&framework, trial->install->asked, &error) ||
        !resolve(trial->manifest, trial->machine, &none, &framework.items[0], &resolution,
                 &error) ||
        !note_versions(trial, &resolution))
        return;
    trial->install->command =
        mem_printf("gpuenv install --for-framework %s --profile runtime%s", quoted,
                   trial->install->unpinned ? " --allow-unpinned" : "");
}

static bool resolve_cuda(const struct trial *trial, const char *spec,
                         struct resolution *ret_resolution)
{
    const struct resolve_machine nowhere = {.architecture = trial->machine->architecture};
    AUTO_SPECS struct resolve_specs specs = {0};
    AUTO_ERROR struct error error = {0};
    return resolve_specs_add(&specs, spec, &error) &&
           resolve(trial->manifest, &nowhere, &specs, NULL, ret_resolution, &error);
}

/* "cuda@11.3.1" for "cuda@11.3", where no release of 11.3 has a checksum: it must be named in full.
 */
static char *whole_version(const char *asked, const struct resolution *resolution)
{
    struct version wanted, version;
    if (!version_parse(strchr(asked, '@') + 1, &wanted))
        return NULL;
    for (size_t i = 0; i < resolution->candidate_count; i++) {
        const struct resolve_candidate *candidate = &resolution->candidates[i];
        if (string_equal(candidate->product, "cuda") &&
            version_parse(candidate->version, &version) && version_within(&version, &wanted))
            return mem_printf("cuda@%s", candidate->version);
    }
    return NULL;
}

/* install does not look at the machine for a version that is named. */
static void try_cuda(const struct trial *trial)
{
    AUTO_RESOLUTION struct resolution resolution = {.chosen = NULL};
    AUTO_RESOLUTION struct resolution whole = {.chosen = NULL};
    AUTO_FREE char *spec = mem_string(trial->install->asked);
    const struct resolution *made = &resolution;
    if (!resolve_cuda(trial, spec, &resolution)) {
        free(spec);
        spec = whole_version(trial->install->asked, &resolution);
        made = &whole;
        if (spec == NULL || !resolve_cuda(trial, spec, &whole))
            return;
    }
    if (note_versions(trial, made))
        trial->install->command = mem_printf("gpuenv install %s%s", spec,
                                             trial->install->unpinned ? " --allow-unpinned" : "");
}

void frameworks_try_install(const void *data, struct framework_install *install)
{
    const struct install_sources *sources = data;
    AUTO_MACHINE struct machine_of machine = machine_of(sources->facts, sources->manifest);
    const struct trial trial = {
        .manifest = sources->manifest,
        .machine = &machine.machine,
        .install = install,
    };
    if (string_starts(install->asked, "cuda@"))
        try_cuda(&trial);
    else
        try_framework(&trial);
}
