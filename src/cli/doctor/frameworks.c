/* SPDX-License-Identifier: MIT */
#include "cli/doctor/frameworks.h"

#include <string.h>

#include "cli/engine/specs.h"
#include "cli/machine/machine_of.h"
#include "manifest/framework/framework.h"
#include "resolve/engine/resolution.h"
#include "resolve/resolve.h"
#include "rules/query/framework_choice.h"

#define FLAG "for-framework"

static bool check_name(const struct session *session, const struct arguments *arguments,
                       const struct resolve_spec *spec, struct error *error)
{
    AUTO_STRLIST struct strlist names = {0};
    AUTO_FREE char *command = mem_printf("%s --" FLAG, session->program);
    const char *name = spec->product;
    size_t count;
    if (manifest_framework_find(session->manifest, name))
        return true;
    if (!specs_name_one(session, command, spec, error))
        return false;
    const struct manifest_framework *rows = manifest_frameworks(session->manifest, &count);
    for (size_t i = 0; i < count; i++)
        strlist_add(&names, rows[i].framework);
    return usage_error(error, session->program, name, &names,
                       "%s: no framework \"%s\" in the manifest", arguments_origin(arguments, FLAG),
                       name);
}

bool frameworks_take(const struct session *session, const struct arguments *arguments,
                     struct resolve_specs *specs, struct error *error)
{
    const struct strlist *texts = arguments_all(arguments, FLAG);
    for (size_t i = 0; texts && i < texts->count; i++) {
        if (!resolve_specs_add(specs, texts->items[i], error))
            return error_prefix(error, "%s", arguments_origin(arguments, FLAG));
        if (!check_name(session, arguments, &specs->items[i], error))
            return false;
    }
    if (resolve_specs_check(session->manifest, specs, NULL, error))
        return true;
    return error_prefix(error, "%s", arguments_origin(arguments, FLAG));
}

static const struct manifest_build *build_at(struct manifest *manifest, const char *framework,
                                             const char *row)
{
    size_t count;
    const struct manifest_build *rows = manifest_builds_of(manifest, framework, &count);
    for (size_t i = 0; row && i < count; i++)
        if (string_equal(rows[i].id, row))
            return &rows[i];
    return NULL;
}

/* What is resolved for. */
struct here {
    struct manifest *manifest;
    const struct resolve_machine *machine; /* with its Python and its C library */
};

/* What pip installs it with; NULL: pip does not, or no command is known. */
static const char *pip_command(const struct resolve_choice *chosen)
{
    const char *first = chosen->commands.count ? chosen->commands.items[0] : NULL;
    return first && string_starts(first, "pip install ") ? first : NULL;
}

static void note_chosen(const struct here *here, const struct resolve_choice *chosen,
                        struct framework_choice *choice)
{
    const struct manifest_build *build = build_at(here->manifest, chosen->product, chosen->row);
    choice->version = mem_string(chosen->version);
    choice->build = mem_string(chosen->build);
    choice->why = mem_string(chosen->why);
    choice->limits = chosen->limits.count ? strlist_join(&chosen->limits, "; but ") : NULL;
    choice->row = mem_string(chosen->row);
    choice->cuda = mem_string(chosen->cuda);
    choice->cudnn = mem_string(chosen->cudnn);
    choice->command = mem_string(pip_command(chosen));
    choice->unknown = chosen->fit == FIT_UNKNOWN;
    choice->wants_system = build && string_equal(build->carries, "system");
    if (build == NULL)
        return;
    choice->glibc = manifest_build_glibc(here->manifest, build, here->machine->architecture);
    choice->python = mem_string(manifest_build_python(build, here->machine->architecture));
}

/* Why not: of the newest of which it is not known, else of the newest that was asked for. */
static void note_failure(const struct resolution *resolution, struct framework_choice *choice)
{
    const struct resolve_candidate *newest = NULL;
    for (size_t i = 0; i < resolution->candidate_count && !choice->unknown; i++) {
        const struct resolve_candidate *candidate = &resolution->candidates[i];
        if (string_equal(candidate->turned_down, "outside_request") || candidate->why == NULL)
            continue;
        choice->unknown =
            candidate->fit == FIT_UNKNOWN && !string_equal(candidate->turned_down, "not_released");
        if (newest == NULL || choice->unknown)
            newest = candidate;
    }
    if (newest == NULL)
        return;
    choice->why = mem_string(newest->why);
    choice->reason = mem_string(newest->reason);
    choice->row = mem_string(newest->row);
}

static bool resolve_for(const struct here *here, const struct resolve_machine *machine,
                        const char *text, struct resolution *ret_resolution)
{
    AUTO_SPECS struct resolve_specs specs = {0};
    AUTO_ERROR struct error error = {0};
    return resolve_specs_add(&specs, text, &error) &&
           resolve(here->manifest, machine, &specs, NULL, ret_resolution, &error);
}

/* The newest release that suits Python and the C library here too; where none does, or a release is
 * asked for, what runs whatever they are: the rules say what is wrong with them. */
static bool resolve_one(const struct here *here, const char *text,
                        struct resolution *ret_resolution)
{
    if (strchr(text, '@') == NULL && resolve_for(here, here->machine, text, ret_resolution))
        return true;
    struct resolve_machine any = *here->machine;
    any.python = any.glibc = (struct version){.count = 0};
    resolution_free(ret_resolution);
    *ret_resolution = (struct resolution){.chosen = NULL};
    return resolve_for(here, &any, text, ret_resolution);
}

static void choose(const struct here *here, const struct manifest_framework *row, const char *text,
                   bool asked, struct framework_choices *choices)
{
    AUTO_RESOLUTION struct resolution resolution = {.chosen = NULL};
    bool resolved = resolve_one(here, text, &resolution);
    struct framework_choice *choice = vec_push(choices->items, choices->count, choices->capacity);
    *choice = (struct framework_choice){
        .framework = mem_string(row->framework),
        .title = mem_string(row->title),
        .asked = asked ? mem_string(text) : NULL,
        .needs_no_cuda = string_equal(row->native, "no"),
    };
    if (resolution.chosen_count)
        note_chosen(here, &resolution.chosen[0], choice);
    else if (!resolved)
        note_failure(&resolution, choice);
}

/* Where a build without CUDA is installed: the build of that very release is the smaller change
 * than the newest one. */
static void choose_same(const struct here *here, const struct facts *facts, const char *group,
                        const char *framework, struct framework_choice *choice)
{
    const char *installed = facts_string(facts, group, "version");
    if (!facts_true(facts, group, "cpu_only") || installed == NULL || choice->version == NULL)
        return;
    AUTO_FREE char *release = mem_string_n(installed, strcspn(installed, "+"));
    AUTO_FREE char *text = mem_printf("%s@%s", framework, release);
    AUTO_RESOLUTION struct resolution resolution = {.chosen = NULL};
    if (string_equal(release, choice->version) ||
        !resolve_for(here, here->machine, text, &resolution) || resolution.chosen_count == 0)
        return;
    const struct resolve_choice *chosen = &resolution.chosen[0];
    if (chosen->fit >= FIT_UNKNOWN || pip_command(chosen) == NULL ||
        !string_equal(chosen->version, release))
        return;
    choice->same_release = mem_string(release);
    choice->same_command = mem_string(pip_command(chosen));
}

void frameworks_choose(struct manifest *manifest, const struct facts *facts,
                       const struct resolve_specs *specs, struct framework_choices *choices)
{
    AUTO_MACHINE struct machine_of machine = machine_of(facts, manifest);
    machine_take_python(&machine, facts);
    const struct here here = {.manifest = manifest, .machine = &machine.machine};
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "framework", &i)) != NULL;) {
        const char *name = facts_string(facts, group, "name");
        const struct manifest_framework *row =
            name ? manifest_framework_find(manifest, name) : NULL;
        if (row == NULL || !string_equal(row->native, "yes") ||
            framework_choice_find(choices, row->framework))
            continue;
        choose(&here, row, row->framework, false, choices);
        choose_same(&here, facts, group, row->framework, &choices->items[choices->count - 1]);
    }
    for (size_t i = 0; i < specs->count; i++) {
        const struct resolve_spec *spec = &specs->items[i];
        const struct manifest_framework *row = manifest_framework_find(manifest, spec->product);
        if (row)
            choose(&here, row, spec->text, true, choices);
    }
}
