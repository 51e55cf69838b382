/* SPDX-License-Identifier: MIT */
#include "cli/doctor/judging.h"

const struct option option_for = {.name = "for",
                                  .argument = "PROFILE",
                                  .help = "the profile: run, build or container; by default, "
                                          "gpuenv chooses one that suits the machine"};

bool judging_purpose(const struct session *session, const struct arguments *arguments,
                     struct judge_options *options, struct error *error)
{
    const char *name = arguments_get(arguments, "for");
    if (name == NULL)
        return true;
    options->purpose_given = true;
    if (purpose_from_name(name, &options->purpose))
        return true;
    return usage_error(error, session->program, NULL, NULL,
                       "%s: unknown profile \"%s\"; the profiles are run, build and container",
                       arguments_origin(arguments, "for"), name);
}

bool judging_judge(struct judging *judging, const struct session *session,
                   const struct facts *facts, struct judge_options *options,
                   struct judgement **ret_judgement, struct error *error)
{
    framework_choices_free(&judging->choices);
    judging->choices = (struct framework_choices){.count = 0};
    frameworks_choose(session->manifest, facts, &judging->frameworks, &judging->choices);
    frameworks_judge_ptx(session->manifest, facts, &judging->choices);
    judging->sources = (struct install_sources){.manifest = session->manifest, .facts = facts};
    judging->choices.try_install = frameworks_try_install;
    judging->choices.install_data = &judging->sources;
    options->choices = &judging->choices;
    *ret_judgement = rules_judge(facts, session->manifest, options);
    return session_manifest_sound(session, error);
}

void judging_free(struct judging *judging)
{
    framework_choices_free(&judging->choices);
    resolve_specs_free(&judging->frameworks);
}
