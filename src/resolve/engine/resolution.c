/* SPDX-License-Identifier: MIT */

#include "resolve/engine/resolution.h"

const char *fit_name(enum fit fit)
{
    static const char *const names[] = {
        [FIT_EXACT] = "exact",
        [FIT_MINOR] = "minor_version",
        [FIT_COMPAT] = "forward_compatible",
        [FIT_UNKNOWN] = "unknown",
        [FIT_NO] = "no",
    };
    return names[fit];
}

struct resolve_choice *resolve_choice_of(const struct resolution *resolution, const char *product)
{
    for (size_t i = 0; i < resolution->chosen_count; i++)
        if (string_equal(resolution->chosen[i].product, product))
            return &resolution->chosen[i];
    return NULL;
}

void resolve_choice_free(struct resolve_choice *choice)
{
    free(choice->version);
    free(choice->build);
    free(choice->why);
    free(choice->exact);
    free(choice->install);
    free(choice->cuda);
    free(choice->cudnn);
    free(choice->python);
    free(choice->uv);
    free(choice->limit_gpu);
    strlist_free(&choice->limits);
    strlist_free(&choice->also);
    strlist_free(&choice->packages);
    strlist_free(&choice->commands);
}

void mixed_gpu_free(struct mixed_gpu *mixed)
{
    free(mixed->gpu);
    free(mixed->version);
    free(mixed->build);
    free(mixed->command);
}

void resolution_free(struct resolution *resolution)
{
    for (size_t i = 0; i < resolution->chosen_count; i++)
        resolve_choice_free(&resolution->chosen[i]);
    for (size_t i = 0; i < resolution->candidate_count; i++) {
        struct resolve_candidate *candidate = &resolution->candidates[i];
        free(candidate->version);
        free(candidate->build);
        free(candidate->why);
        free(candidate->turned_why);
    }
    for (size_t i = 0; i < resolution->mixed_gpu_count; i++)
        mixed_gpu_free(&resolution->mixed_gpus[i]);
    free(resolution->machine);
    free(resolution->mixed_gpus);
    free(resolution->chosen);
    free(resolution->candidates);
    strlist_free(&resolution->failed);
    strlist_free(&resolution->notes);
    *resolution = (struct resolution){.chosen = NULL};
}
