/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cli/assume.h"
#include "cli/gather.h"
#include "cli/installer_parts.h"
#include "cli/machine_of.h"
#include "host/local.h"
#include "manifest/pin.h"

/* Versions to install. The machine is looked at only where the words leave it to the machine: an
 * image is built elsewhere than it runs. */

static bool is_left_to_machine(const struct arguments *arguments, const struct resolve_specs *specs)
{
    bool cuda = false;
    if (arguments_have(arguments, "assume-driver") || arguments_have(arguments, "assume-gpu"))
        return true;
    for (size_t i = 0; i < specs->count; i++) {
        const struct resolve_spec *spec = &specs->items[i];
        if (spec->is_auto)
            return true;
        if (string_equal(spec->product, "cuda") && spec->version.count > 0)
            cuda = true;
    }
    for (size_t i = 0; i < specs->count; i++)
        if (specs->items[i].version.count == 0 && !cuda)
            return true;
    return false;
}

static bool no_group(const char *group)
{
    (void)group;
    return false;
}

static struct facts *gather(const struct session *session, const struct arguments *arguments,
                            bool look, struct error *error)
{
    bool assumed_driver = arguments_have(arguments, "assume-driver");
    struct facts *assumed = assume_facts(session, arguments, error);
    if (assumed == NULL)
        return NULL;
    struct facts *facts = look && !assumed_driver
                              ? gather_some(session, arguments, NULL, error)
                              : gather_some(session, arguments, no_group, error);
    if (facts)
        facts = assume_apply(facts, assumed);
    facts_free(assumed);
    return facts;
}

/* Frameworks come from their own package index, drivers from the distribution. */
static bool refuse_foreign(const struct resolution *resolution, struct error *error)
{
    for (size_t i = 0; i < resolution->chosen_count; i++) {
        const struct resolve_choice *choice = &resolution->chosen[i];
        AUTO_FREE char *commands = strlist_join(&choice->commands, " && ");
        if (choice->pin)
            continue;
        error_set(error, ERROR_UNSATISFIABLE, "gpuenv does not install %s", choice->product);
        if (*commands)
            return error_next(error, "%s %s: %s", choice->product, choice->version, commands);
        return error_next(error, "gpuenv resolve %s says which version fits", choice->product);
    }
    return true;
}

static bool take_specs(const struct session *session, const struct arguments *arguments,
                       struct resolve_specs *specs, struct resolve_specs *framework,
                       struct error *error)
{
    const char *wanted = arguments_get(arguments, "for-framework");
    for (size_t i = 0; i < arguments->words.count; i++)
        if (!resolve_specs_add(specs, arguments->words.items[i], error))
            return false;
    if (wanted && !resolve_specs_add(framework, wanted, error))
        return error_prefix(error, "%s", arguments_origin(arguments, "for-framework"));
    if (specs->count == 0 && framework->count == 0)
        return usage_error(error, session->program, NULL, NULL,
                           "takes a SPEC: cuda@12.8, cuda@auto, cudnn@9");
    return true;
}

/* What --platform is for, in the words of uname; NULL: this machine. */
static const char *architecture_of(const struct arguments *arguments)
{
    const char *platform = arguments_get(arguments, "platform");
    if (string_equal(platform, "linux-sbsa"))
        return "aarch64";
    return platform && string_starts(platform, "linux-") ? platform + strlen("linux-") : NULL;
}

/* Versions for specs and framework, either of which may be empty. */
static bool resolve_known(struct session *session, const struct arguments *arguments,
                          const struct resolve_specs *specs, const struct resolve_spec *framework,
                          const struct version *toolkit, struct resolution *ret_resolution,
                          struct error *error)
{
    if (specs->count == 0 && framework == NULL)
        return true;
    struct facts *facts = gather(session, arguments, is_left_to_machine(arguments, specs), error);
    if (facts == NULL)
        return false;
    AUTO_MACHINE struct machine_of machine = machine_of(facts, session->manifest);
    if (toolkit)
        machine.machine.toolkit = *toolkit;
    if (architecture_of(arguments))
        machine.machine.architecture = architecture_of(arguments);
    bool resolved =
        resolve(session->manifest, &machine.machine, specs, framework, ret_resolution, error);
    facts_free(facts);
    return resolved;
}

static bool resolve_unpinned(struct session *session, const struct arguments *arguments,
                             const struct resolve_specs *specs,
                             const struct resolve_spec *framework,
                             struct resolution *ret_resolution, struct error *error)
{
    AUTO_SPECS struct resolve_specs known = {0};
    const struct version *toolkit = installer_unlisted_cuda(session->manifest, specs);
    if (!installer_split(session->manifest, specs, &known, error) ||
        !resolve_known(session, arguments, &known, framework, toolkit, ret_resolution, error))
        return false;
    installer_take_unlisted(session->manifest, specs, ret_resolution);
    return true;
}

bool installer_resolve(struct session *session, const struct arguments *arguments,
                       struct resolution *ret_resolution, struct error *error)
{
    AUTO_SPECS struct resolve_specs specs = {0};
    AUTO_SPECS struct resolve_specs framework = {0};
    if (!session_load_manifest(session, arguments, error) ||
        !take_specs(session, arguments, &specs, &framework, error))
        return false;
    const struct resolve_spec *wanted = framework.count ? &framework.items[0] : NULL;
    bool resolved =
        arguments_have(arguments, "allow-unpinned")
            ? resolve_unpinned(session, arguments, &specs, wanted, ret_resolution, error)
            : resolve_known(session, arguments, &specs, wanted, NULL, ret_resolution, error);
    return session_manifest_sound(session, error) && resolved &&
           refuse_foreign(ret_resolution, error);
}

static const char *data_home(const struct session *session, char **ret_owned)
{
    const char *data = host_environment(session->live, "XDG_DATA_HOME");
    const char *home = host_environment(session->live, "HOME");
    if (data && data[0] == '/')
        return data;
    *ret_owned = home && home[0] == '/' ? mem_printf("%s/.local/share", home) : NULL;
    return *ret_owned;
}

/* "cuda-12.8" below the place that is this user's. */
static char *default_prefix(const struct session *session, const char *product, const char *version)
{
    struct version parts;
    char text[VERSION_TEXT_SIZE];
    AUTO_FREE char *owned = NULL;
    if (!version_parse(version, &parts))
        return NULL;
    version_text(&parts, 2, text);
    if (host_user_id(session->live) == 0)
        return mem_printf("/usr/local/%s-%s", product, text);
    const char *home = data_home(session, &owned);
    return home ? mem_printf("%s/gpuenv/%s-%s", home, product, text) : NULL;
}

char *installer_prefix(const struct session *session, const struct arguments *arguments,
                       const struct resolution *resolution, struct error *error)
{
    const char *given = arguments_get(arguments, "prefix");
    const struct resolve_choice *first = &resolution->chosen[0];
    for (size_t i = 0; i < resolution->chosen_count; i++)
        if (string_equal(resolution->chosen[i].product, "cuda"))
            first = &resolution->chosen[i];
    if (given)
        return local_absolute(given);
    char *prefix = default_prefix(session, first->product, first->version);
    if (prefix == NULL)
        usage_error(error, session->program, NULL, NULL,
                    "neither HOME nor XDG_DATA_HOME names a directory: give --prefix DIR");
    return prefix;
}

char *installer_prefix_named(const struct session *session, const struct arguments *arguments,
                             struct error *error)
{
    const char *given = arguments_get(arguments, "prefix");
    AUTO_SPECS struct resolve_specs specs = {0};
    if (given && arguments->words.count == 0)
        return local_absolute(given);
    if (arguments->words.count != 1 || given) {
        usage_error(error, session->program, NULL, NULL,
                    "takes one SPEC such as cuda@12.8, or --prefix DIR");
        return NULL;
    }
    if (!resolve_specs_add(&specs, arguments->words.items[0], error))
        return NULL;
    const struct resolve_spec *spec = &specs.items[0];
    char text[VERSION_TEXT_SIZE];
    char *prefix = spec->version.count >= 2 ? default_prefix(session, spec->product,
                                                             version_text(&spec->version, 2, text))
                                            : NULL;
    if (prefix == NULL)
        usage_error(error, session->program, NULL, NULL,
                    "\"%s\" does not say which prefix: give two numbers, as in %s@12.8, or "
                    "--prefix DIR",
                    spec->text, spec->product);
    return prefix;
}
