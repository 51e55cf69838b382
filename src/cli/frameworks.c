/* SPDX-License-Identifier: MIT */
#include "cli/frameworks.h"

#include "cli/machine_of.h"
#include "manifest/framework.h"

#define FLAG "for-framework"

static bool check_name(const struct session *session, const struct arguments *arguments,
                       const char *name, struct error *error)
{
    AUTO_STRLIST struct strlist names = {0};
    size_t count;
    if (manifest_framework_find(session->manifest, name))
        return true;
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
        if (!check_name(session, arguments, specs->items[i].product, error))
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

static void note_chosen(struct manifest *manifest, const struct resolve_choice *chosen,
                        struct framework_choice *choice)
{
    const struct manifest_build *build = build_at(manifest, chosen->product, chosen->row);
    choice->version = mem_string(chosen->version);
    choice->build = mem_string(chosen->build);
    choice->why = mem_string(chosen->why);
    choice->row = mem_string(chosen->row);
    choice->cuda = mem_string(chosen->cuda);
    choice->cudnn = mem_string(chosen->cudnn);
    if (chosen->commands.count)
        choice->command = mem_string(chosen->commands.items[0]);
    choice->unknown = chosen->fit == FIT_UNKNOWN;
    choice->wants_system = build && string_equal(build->carries, "system");
    if (build)
        choice->python = mem_string(build->python);
}

/* Why not: of the newest that was asked for. */
static void note_failure(const struct resolution *resolution, struct framework_choice *choice)
{
    for (size_t i = 0; i < resolution->candidate_count; i++) {
        const struct resolve_candidate *candidate = &resolution->candidates[i];
        if (string_equal(candidate->turned_down, "outside_request") || candidate->why == NULL)
            continue;
        choice->why = mem_string(candidate->why);
        choice->reason = mem_string(candidate->reason);
        choice->row = mem_string(candidate->row);
        return;
    }
}

static void choose(struct manifest *manifest, const struct resolve_machine *machine,
                   const char *text, bool asked, struct framework_choices *choices)
{
    AUTO_SPECS struct resolve_specs specs = {0};
    AUTO_RESOLUTION struct resolution resolution = {.chosen = NULL};
    AUTO_ERROR struct error error = {0};
    if (!resolve_specs_add(&specs, text, &error))
        return;
    const struct manifest_framework *row =
        manifest_framework_find(manifest, specs.items[0].product);
    if (row == NULL)
        return;
    bool resolved = resolve(manifest, machine, &specs, NULL, &resolution, &error);
    struct framework_choice *choice = vec_push(choices->items, choices->count, choices->capacity);
    *choice = (struct framework_choice){
        .framework = mem_string(row->framework),
        .title = mem_string(row->title),
        .asked = asked ? mem_string(text) : NULL,
        .needs_no_cuda = string_equal(row->native, "no"),
    };
    if (resolution.chosen_count)
        note_chosen(manifest, &resolution.chosen[0], choice);
    else if (!resolved)
        note_failure(&resolution, choice);
}

void frameworks_choose(struct manifest *manifest, const struct facts *facts,
                       const struct resolve_specs *specs, struct framework_choices *choices)
{
    AUTO_MACHINE struct machine_of machine = machine_of(facts, manifest);
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "framework", &i)) != NULL;) {
        const char *name = facts_string(facts, group, "name");
        const struct manifest_framework *row =
            name ? manifest_framework_find(manifest, name) : NULL;
        if (row && string_equal(row->native, "yes") &&
            framework_choice_find(choices, row->framework) == NULL)
            choose(manifest, &machine.machine, row->framework, false, choices);
    }
    for (size_t i = 0; i < specs->count; i++)
        choose(manifest, &machine.machine, specs->items[i].text, true, choices);
}
