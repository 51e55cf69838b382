/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cli/engine/specs.h"
#include "cli/installer/installer_private.h"
#include "cli/machine/assume.h"
#include "cli/machine/gather.h"
#include "cli/machine/machine_of.h"
#include "manifest/toolkit/pin.h"
#include "resolve/engine/resolution.h"

/* Versions to install. The machine is looked at only where the words leave it to the machine: an
 * image is built elsewhere than it runs. */

static bool is_left_to_machine(const struct session *session, const struct arguments *arguments,
                               const struct resolve_specs *specs,
                               const struct resolve_specs *framework, bool cuda)
{
    if (arguments_have(arguments, "assume-driver") || arguments_have(arguments, "assume-gpu"))
        return true;
    for (size_t i = 0; i < specs->count; i++) {
        const struct resolve_spec *spec = &specs->items[i];
        if (spec->is_auto || !manifest_pin_product(session->manifest, spec->product))
            return true; /* of a framework the build that runs here, with its pip line */
        if (string_equal(spec->product, "cuda") && spec->version.count > 0)
            cuda = true;
    }
    for (size_t i = 0; i < specs->count; i++)
        if (specs->items[i].version.count == 0 && !cuda)
            return true;
    return framework->count > 0 && !cuda;
}

static struct facts *gather(const struct session *session, const struct arguments *arguments,
                            bool look, struct error *error)
{
    AUTO_FACTS struct facts *assumed = assume_facts(session, arguments, error);
    if (assumed == NULL)
        return NULL;
    struct facts *facts = look && !arguments_have(arguments, "assume-driver")
                              ? gather_image(session, arguments, error)
                              : facts_new();
    return facts ? assume_apply(facts, assumed) : NULL;
}

static bool take_specs(const struct session *session, const struct arguments *arguments,
                       struct resolve_specs *specs, struct resolve_specs *framework,
                       struct error *error)
{
    if (!specs_take(session, &arguments->words, specs, error) ||
        !specs_take_framework(session, arguments, framework, error))
        return false;
    if (specs->count == 0 && framework->count == 0 && !arguments_have(arguments, "locked"))
        return usage_error(error, session->program, NULL, NULL,
                           "give a SPEC: cuda@12.8, cuda@auto, cudnn@9");
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

/* Where no machine was looked at, the answer does not speak of one. */
static void forget_machine(struct resolution *resolution)
{
    strlist_free(&resolution->notes);
    for (size_t i = 0; i < resolution->chosen_count; i++)
        if (string_equal(resolution->chosen[i].rule, "newest"))
            free(mem_steal(&resolution->chosen[i].why));
}

/* What joins a CUDA that is in the prefix is for that one, whatever the machine has. */
static bool joins_prefix(const struct session *session, const struct arguments *arguments,
                         const struct resolve_specs *specs, const struct resolve_specs *framework,
                         struct version *ret_cuda)
{
    const char *given = arguments_get(arguments, "prefix");
    if (given == NULL || framework->count > 0)
        return false;
    for (size_t i = 0; i < specs->count; i++)
        if (string_equal(specs->items[i].product, "cuda"))
            return false;
    AUTO_FREE char *prefix = installer_path(arguments, given);
    return installer_cuda_there(session, arguments, prefix, ret_cuda);
}

static bool resolve_words(struct session *session, const struct arguments *arguments,
                          struct resolution *ret_resolution, struct error *error)
{
    AUTO_SPECS struct resolve_specs specs = {0};
    AUTO_SPECS struct resolve_specs framework = {0};
    if (!session_load_manifest(session, arguments, error) ||
        !take_specs(session, arguments, &specs, &framework, error) ||
        !installer_lock_look(session, arguments, &specs, error))
        return false;
    if (installer_lock_resolve(session, arguments, &specs, ret_resolution))
        return true;
    struct version there = {.count = 0};
    bool joins =
        joins_prefix(session, arguments, &specs, &framework, &there) ||
        (framework.count == 0 && installer_archive_cuda(session, arguments, &specs, &there));
    bool look = is_left_to_machine(session, arguments, &specs, &framework, joins);
    AUTO_FACTS struct facts *facts = gather(session, arguments, look, error);
    if (facts == NULL)
        return false;
    AUTO_MACHINE struct machine_of machine = machine_of(facts, session->manifest);
    if (joins)
        machine.machine.toolkit = there;
    machine.machine.toolkit_is_prefix = joins;
    if (architecture_of(arguments))
        machine.machine.architecture = architecture_of(arguments);
    bool resolved =
        installer_choose(session, arguments, &machine.machine, &specs,
                         framework.count ? &framework.items[0] : NULL, ret_resolution, error);
    if (resolved && !look)
        forget_machine(ret_resolution);
    if (session->lock && session->lock->note)
        strlist_add(&ret_resolution->notes, session->lock->note);
    return session_manifest_sound(session, error) && resolved &&
           installer_leave_products(session, arguments, &specs, &framework, ret_resolution, error);
}

/* Nothing in an image that is empty yet says what it is for. */
static void note_platform(const struct session *session, const struct arguments *arguments,
                          struct resolution *resolution)
{
    AUTO_FREE char *root = installer_root(arguments);
    AUTO_FREE char *machine = installer_image_machine(arguments);
    AUTO_STRLIST struct strlist platforms = {0};
    if (root && machine == NULL && !arguments_have(arguments, "platform") &&
        installer_platforms(session, arguments, &platforms, NULL))
        strlist_take(&resolution->notes,
                     mem_printf("no program in the image shows its architecture: assuming %s, as "
                                "on this machine; --platform sets another architecture",
                                platforms.items[0]));
}

bool installer_resolve(struct session *session, const struct arguments *arguments,
                       struct resolution *ret_resolution, struct error *error)
{
    if (!resolve_words(session, arguments, ret_resolution, error))
        return false;
    note_platform(session, arguments, ret_resolution);
    installer_note_compiling(session, arguments, ret_resolution);
    return true;
}
