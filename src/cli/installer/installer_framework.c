/* SPDX-License-Identifier: MIT */
#include "cli/installer/installer_private.h"

#include <string.h>

#include "base/path.h"
#include "cli/engine/elsewhere.h"
#include "host/local/local.h"
#include "manifest/toolkit/download.h"
#include "manifest/toolkit/legacy.h"
#include "manifest/toolkit/pin.h"
#include "manifest/toolkit/single.h"
#include "resolve/engine/resolution.h"

/* What was chosen, and what of it can be installed. */

/* Frameworks come from their own package index, drivers from the distribution. */
static bool refuse_foreign(const struct session *session, const struct resolve_choice *choice,
                           struct error *error)
{
    AUTO_FREE char *commands = strlist_join(&choice->commands, " && ");
    const char *advice = elsewhere_advice(choice->product);
    bool is_driver = string_equal(choice->product, "driver");
    error_set(error, ERROR_UNSATISFIABLE, "gpuenv does not install %s",
              is_driver                                                  ? "drivers"
              : manifest_pin_product(session->manifest, choice->product) ? "packages of pip"
                                                                         : choice->product);
    if (manifest_pin_product(session->manifest, choice->product)) {
        error_next(error, "by the name of its package pip installs it; by its own, gpuenv does:");
        return error_command(error, "gpuenv install %s@%s", choice->product, choice->version);
    }
    if (*commands == '\0' && advice)
        return error_next(error, "%s", advice);
    if (choice->why && !is_driver)
        error_why(error, "%s", choice->why);
    if (*commands == '\0')
        return error_next(error, "gpuenv resolve %s says which version fits; try %s --help",
                          choice->product, session->program);
    if (is_driver)
        error_next(error, "%s %s is installed by:", choice->product, choice->version);
    else
        error_next(error,
                   "--for-framework %s@%s installs the CUDA and cuDNN it was built with; %s %s "
                   "itself is installed by:",
                   choice->product, choice->version, choice->product, choice->version);
    return error_command(error, "%s", commands);
}

/* Where NVIDIA's own installer or archive of an old version is; NULL: not known. */
static char *legacy_of(const struct session *session, const struct resolution *resolution,
                       const struct resolve_choice *choice, const char *platform)
{
    struct version version, cuda = {.count = 0};
    if (!version_parse(choice->version, &version))
        return NULL;
    if (string_equal(choice->product, "cuda"))
        return manifest_runfile_url(session->manifest, &version, platform);
    for (size_t i = 0; i < resolution->chosen_count; i++)
        if (string_equal(resolution->chosen[i].product, "cuda"))
            version_parse(resolution->chosen[i].version, &cuda);
    return string_equal(choice->product, "cudnn")
               ? manifest_archive_url(session->manifest, &version, &cuda, platform)
               : NULL;
}

static bool refuse_old(const struct session *session, const struct resolution *resolution,
                       const struct resolve_choice *choice, const char *who,
                       const struct manifest_pin *oldest, const char *platform, struct error *error)
{
    char text[VERSION_TEXT_SIZE];
    AUTO_FREE char *url = legacy_of(session, resolution, choice, platform);
    error_set(error, ERROR_UNSATISFIABLE,
              "%s %s%s is older than the archives that gpuenv can install", choice->product,
              choice->version, who);
    error_why(error, "NVIDIA's first list of archives for %s is the list for version %s",
              choice->product, version_text(&oldest->version, 0, text));
    if (url)
        return error_next(error, "use NVIDIA's own file, %s, or ask for a newer version", url);
    return error_next(error,
                      "ask for a newer version (gpuenv manifest show pin lists the versions)");
}

static bool refuse_unpinned(const struct resolve_choice *choice, const char *who,
                            struct error *error)
{
    error_set(error, ERROR_UNSATISFIABLE,
              "%s %s%s has no pin: its downloads could not be "
              "verified",
              choice->product, choice->version, who);
    if (choice->row)
        error_where(error, "manifest row %s", choice->row);
    return error_next(error, "to trust the server alone, add --allow-unpinned; otherwise request a "
                             "newer release of the framework");
}

/* It is one archive whose checksum is known, or one that --archive names. */
static bool is_single(const struct session *session, const struct arguments *arguments,
                      const struct resolution *resolution, const struct resolve_choice *choice,
                      const char *platform)
{
    struct version version, cuda = {.count = 0};
    struct manifest_single single;
    const struct resolve_choice *beside = resolve_choice_of(resolution, "cuda");
    if (!version_parse(choice->version, &version))
        return false;
    if (!installer_build_cuda(choice, &cuda) && beside)
        version_parse(beside->version, &cuda);
    return manifest_single_find(session->manifest, choice->product, &version, &cuda, platform,
                                &single) &&
           (single.sha256 || arguments_have(arguments, "archive"));
}

/* Versions that a framework wants may be too old to install, or not proved. */
static bool can_be_installed(const struct session *session, const struct arguments *arguments,
                             const struct resolve_specs *specs, const struct resolution *resolution,
                             const struct resolve_choice *choice, const char *framework,
                             const char *platform, struct error *error)
{
    struct version version;
    const struct manifest_pin *oldest = manifest_pin_oldest(session->manifest, choice->product);
    bool is_wanted = framework && !resolve_spec_of(specs, choice->product);
    AUTO_FREE char *who = is_wanted ? mem_printf(", which %s needs,", framework) : mem_string("");
    if (!string_equal(choice->pin, "none") || oldest == NULL ||
        is_single(session, arguments, resolution, choice, platform))
        return true;
    if (version_parse(choice->version, &version) && version_compare(&version, &oldest->version) < 0)
        return refuse_old(session, resolution, choice, who, oldest, platform, error);
    if (!is_wanted || arguments_have(arguments, "allow-unpinned"))
        return true;
    return refuse_unpinned(choice, who, error);
}

static bool all_can_be_installed(const struct session *session, const struct arguments *arguments,
                                 const struct resolve_specs *specs, const char *framework,
                                 const struct resolution *resolution, struct error *error)
{
    AUTO_STRLIST struct strlist platforms = {0};
    if (!installer_platforms(session, arguments, &platforms, error))
        return false;
    for (size_t i = 0; i < resolution->chosen_count; i++)
        if (!can_be_installed(session, arguments, specs, resolution, &resolution->chosen[i],
                              framework, platforms.items[0], error))
            return false;
    return true;
}

/* The row of an archive that only Python indexes have; NULL: NVIDIA's server has it. */
static const struct manifest_download *
row_of(const struct session *session, const struct resolve_choice *choice, const char *platform)
{
    size_t count;
    struct version version, cuda;
    const struct manifest_download *rows = manifest_downloads(session->manifest, &count);
    if (choice->build == NULL || !version_parse(choice->version, &version) ||
        !version_parse_prefix(choice->build + strcspn(choice->build, "0123456789"), &cuda))
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (string_equal(rows[i].product, choice->product) && rows[i].package &&
            version_compare(&rows[i].version, &version) == 0 &&
            version_compare(&rows[i].cuda, &cuda) == 0 && string_equal(rows[i].platform, platform))
            return &rows[i];
    return NULL;
}

static bool is_mirrored(const struct strlist *mirrors, const struct manifest_download *row)
{
    for (size_t i = 0; mirrors && i < mirrors->count; i++) {
        AUTO_FREE char *path = mem_printf("%s/compute/%s/redist/%s/%s/%s", mirrors->items[i],
                                          row->product, row->component, row->platform, row->file);
        if (strstr(mirrors->items[i], "://") == NULL && !local_is_missing(path))
            return true;
    }
    return false;
}

/* What a framework wants, and what is nowhere to be had here, does not end the rest: how it is
 * added is said. */
static bool leave_to_index(struct session *session, const struct arguments *arguments,
                           const struct resolve_specs *specs, struct resolution *resolution,
                           const char *framework, struct error *error)
{
    AUTO_STRLIST struct strlist platforms = {0};
    AUTO_STRLIST struct strlist indexes = {0};
    size_t kept = 0;
    if (!installer_platforms(session, arguments, &platforms, error) ||
        !installer_indexes(session, arguments, &indexes, error))
        return false;
    for (size_t i = 0; i < resolution->chosen_count; i++) {
        struct resolve_choice choice = resolution->chosen[i];
        const struct manifest_download *row = row_of(session, &choice, platforms.items[0]);
        bool is_here = row == NULL || resolve_spec_of(specs, choice.product) || indexes.count > 0 ||
                       path_is_named(arguments_all(arguments, "archive"), row->file) ||
                       is_mirrored(arguments_all(arguments, "mirror"), row);
        if (is_here) {
            resolution->chosen[i] = resolution->chosen[kept];
            resolution->chosen[kept++] = choice;
            continue;
        }
        const struct resolve_choice *cuda = resolve_choice_of(resolution, "cuda");
        strlist_take(&session->then,
                     mem_printf("%s also uses %s %s, which only a Python index has; this adds it:",
                                framework, choice.product, choice.version));
        strlist_take(&session->then_commands,
                     mem_printf("gpuenv install %s@%s%s%s --index URL", choice.product,
                                choice.version, cuda ? " cuda@" : "", cuda ? cuda->version : ""));
        resolve_choice_free(&choice);
        resolution->chosen[i].product = "";
    }
    resolution->chosen_count = kept;
    return true;
}

static size_t place_of(const struct resolve_specs *specs, const struct resolve_choice *choice)
{
    for (size_t i = 0; i < specs->count; i++)
        if (string_equal(specs->items[i].product, choice->product))
            return i;
    return specs->count;
}

/* As they were asked for, and what a framework wants behind them. */
static void order(const struct resolve_specs *specs, struct resolution *resolution)
{
    struct resolve_choice *chosen = resolution->chosen;
    for (size_t i = 1; i < resolution->chosen_count; i++)
        for (size_t k = i; k > 0 && place_of(specs, &chosen[k]) < place_of(specs, &chosen[k - 1]);
             k--) {
            struct resolve_choice choice = chosen[k];
            chosen[k] = chosen[k - 1];
            chosen[k - 1] = choice;
        }
}

bool installer_leave_products(struct session *session, const struct arguments *arguments,
                              const struct resolve_specs *specs,
                              const struct resolve_specs *framework, struct resolution *resolution,
                              struct error *error)
{
    size_t kept = 0;
    AUTO_FREE char *name = NULL;
    for (size_t i = 0; i < resolution->chosen_count; i++) {
        struct resolve_choice choice = resolution->chosen[i];
        if (choice.pin) {
            resolution->chosen[i] = resolution->chosen[kept];
            resolution->chosen[kept++] = choice;
            continue;
        }
        if (framework->count == 0 || resolve_spec_of(specs, choice.product))
            return refuse_foreign(session, &choice, error);
        AUTO_FREE char *commands = strlist_join(&choice.commands, " && ");
        strlist_take(&session->then,
                     mem_printf("gpuenv does not install %s %s itself%s", choice.product,
                                choice.version, *commands ? "; this does:" : ""));
        strlist_add(&session->then_commands, commands);
        if (name == NULL)
            name = mem_printf("%s %s", choice.product, choice.version);
    }
    for (size_t i = kept; i < resolution->chosen_count; i++)
        resolve_choice_free(&resolution->chosen[i]);
    resolution->chosen_count = kept;
    if (name && !leave_to_index(session, arguments, specs, resolution, name, error))
        return false;
    order(specs, resolution);
    if (kept > 0)
        return all_can_be_installed(session, arguments, specs, name, resolution, error);
    error_set(error, ERROR_UNSATISFIABLE, "%s needs no CUDA from gpuenv", framework->items[0].text);
    return error_next(error, "gpuenv resolve %s shows the requirements", framework->items[0].text);
}
