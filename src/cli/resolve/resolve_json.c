/* SPDX-License-Identifier: MIT */
#include "cli/resolve/resolve_print.h"
#include "manifest/gpu/gpu.h"
#include "resolve/engine/resolution.h"

static json_t *machine_json(const struct resolve_machine *machine)
{
    json_t *object = json_object();
    json_t *gpus = json_array();
    for (size_t i = 0; i < machine->gpu_count; i++) {
        const struct resolve_gpu *gpu = &machine->gpus[i];
        json_t *one = json_object();
        json_object_set_new(one, "name",
                            json_from_string(gpu->model ? gpu->model->name : gpu->name));
        json_object_set_new(one, "capability", json_from_version(&gpu->capability));
        json_array_append_new(gpus, one);
    }
    json_object_set_new(object, "driver", json_from_version(&machine->driver));
    json_object_set_new(object, "driver_cuda", json_from_version(&machine->driver_api));
    json_object_set_new(object, "driver_assumed", json_boolean(machine->driver_assumed));
    json_object_set_new(object, "gpus", gpus);
    json_object_set_new(object, "architecture", json_from_string(machine->architecture));
    json_object_set_new(object, "os_id", json_from_string(machine->os_id));
    json_object_set_new(object, "os_version", json_from_string(machine->os_release));
    json_object_set_new(object, "python", json_from_version(&machine->python));
    return object;
}

static json_t *choice_json(const struct resolve_choice *choice)
{
    json_t *object = json_object();
    json_object_set_new(object, "product", json_from_string(choice->product));
    json_object_set_new(object, "version", json_from_string(choice->version));
    json_object_set_new(object, "build", json_from_string(choice->build));
    json_object_set_new(object, "rule", json_from_string(choice->rule));
    json_object_set_new(object, "fit", json_string(fit_name(choice->fit)));
    json_object_set_new(object, "why", json_from_string(choice->why));
    json_object_set_new(object, "row", json_from_string(choice->row));
    json_object_set_new(object, "source", json_from_string(choice->source));
    json_object_set_new(object, "confidence", json_from_string(choice->confidence));
    json_object_set_new(object, "notes", json_from_string(choice->notes));
    json_object_set_new(object, "pin", json_from_string(choice->pin));
    json_object_set_new(object, "cuda", json_from_string(choice->cuda));
    json_object_set_new(object, "cudnn", json_from_string(choice->cudnn));
    json_set_list(object, "limits", &choice->limits);
    json_object_set_new(object, "exact", json_from_string(choice->exact));
    json_object_set_new(object, "limit_gpu", json_from_string(choice->limit_gpu));
    json_set_list(object, "also", &choice->also);
    json_set_list(object, "packages", &choice->packages);
    json_set_list(object, "commands", &choice->commands);
    json_object_set_new(
        object, "command",
        json_from_string(choice->commands.count ? choice->commands.items[0] : NULL));
    json_object_set_new(object, "python", json_from_string(choice->python));
    json_object_set_new(object, "install", json_from_string(choice->install));
    json_object_set_new(object, "uv", json_from_string(choice->uv));
    return object;
}

static json_t *candidate_json(const struct resolve_candidate *candidate, bool rejected)
{
    bool turned = rejected && candidate->turned_down;
    json_t *object = json_object();
    json_object_set_new(object, "product", json_from_string(candidate->product));
    json_object_set_new(object, "version", json_from_string(candidate->version));
    json_object_set_new(object, "build", json_from_string(candidate->build));
    if (!rejected)
        json_object_set_new(object, "fit", json_string(fit_name(candidate->fit)));
    json_object_set_new(object, "reason",
                        json_from_string(turned ? candidate->turned_down : candidate->reason));
    json_object_set_new(
        object, "why",
        json_from_string(turned && candidate->turned_why ? candidate->turned_why : candidate->why));
    json_object_set_new(object, "row", json_from_string(candidate->row));
    if (!rejected)
        json_object_set_new(object, "pin", json_from_string(candidate->pin));
    if (rejected) {
        json_object_set_new(object, "source", json_from_string(candidate->source));
        json_object_set_new(object, "confidence", json_from_string(candidate->confidence));
    }
    return object;
}

static json_t *mixed_gpu_json(const struct mixed_gpu *mixed)
{
    json_t *object = json_object();
    json_object_set_new(object, "product", json_from_string(mixed->product));
    json_object_set_new(object, "gpu", json_from_string(mixed->gpu));
    json_object_set_new(object, "capability", json_from_version(&mixed->capability));
    json_object_set_new(object, "version", json_from_string(mixed->version));
    json_object_set_new(object, "build", json_from_string(mixed->build));
    json_object_set_new(object, "command", json_from_string(mixed->command));
    return object;
}

void resolve_append_json(const struct report_input *input, const struct resolve_machine *machine,
                         const struct resolution *resolution, struct text *output)
{
    AUTO_JSON json_t *envelope = report_envelope(input);
    json_t *chosen = json_array(), *rejected = json_array(), *candidates = json_array();
    json_t *apart = json_array();
    for (size_t i = 0; i < resolution->chosen_count; i++)
        json_array_append_new(chosen, choice_json(&resolution->chosen[i]));
    for (size_t i = 0; i < resolution->candidate_count; i++) {
        const struct resolve_candidate *candidate = &resolution->candidates[i];
        json_array_append_new(candidates, candidate_json(candidate, false));
        if (candidate->turned_down)
            json_array_append_new(rejected, candidate_json(candidate, true));
    }
    json_object_set_new(envelope, "machine", machine_json(machine));
    json_object_set_new(envelope, "chosen", chosen);
    for (size_t i = 0; i < resolution->mixed_gpu_count; i++)
        json_array_append_new(apart, mixed_gpu_json(&resolution->mixed_gpus[i]));
    json_object_set_new(envelope, "apart", apart);
    json_object_set_new(envelope, "rejected", rejected);
    json_object_set_new(envelope, "candidates", candidates);
    json_set_list(envelope, "notes", &resolution->notes);
    json_append_text(envelope, output);
}
