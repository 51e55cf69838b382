/* SPDX-License-Identifier: MIT */
#include "resolve/resolve.h"

#include "resolve/cuda.h"
#include "resolve/fit.h"
#include "resolve/words.h"

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

void resolution_free(struct resolution *resolution)
{
    for (size_t i = 0; i < resolution->chosen_count; i++) {
        struct resolve_choice *choice = &resolution->chosen[i];
        free(choice->version);
        free(choice->build);
        free(choice->why);
        free(choice->exact);
        free(choice->limit_gpu);
        strlist_free(&choice->limits);
        strlist_free(&choice->packages);
        strlist_free(&choice->commands);
    }
    for (size_t i = 0; i < resolution->candidate_count; i++) {
        struct resolve_candidate *candidate = &resolution->candidates[i];
        free(candidate->version);
        free(candidate->build);
        free(candidate->why);
        free(candidate->turned_why);
    }
    free(resolution->machine);
    free(resolution->chosen);
    free(resolution->candidates);
    strlist_free(&resolution->failed);
    strlist_free(&resolution->notes);
    *resolution = (struct resolution){.chosen = NULL};
}

bool resolve_knows(struct manifest *manifest, const char *product)
{
    return string_equal(product, "cuda") || manifest_pin_product(manifest, product);
}

void resolve_names(struct manifest *manifest, struct strlist *names)
{
    size_t count;
    strlist_add(names, "cuda");
    const struct manifest_pin *pins = manifest_pin_all(manifest, &count);
    for (size_t i = 0; i < count; i++)
        strlist_add_new(names, pins[i].product);
}

static const struct resolve_spec *spec_of(const struct resolve_specs *specs, const char *product)
{
    for (size_t i = 0; i < specs->count; i++)
        if (string_equal(specs->items[i].product, product))
            return &specs->items[i];
    return NULL;
}

/* What the reader must know of the machine before the answers. */
static void note_machine(struct work *work)
{
    const struct resolve_machine *machine = &work->machine;
    struct version any = {.count = 0};
    const struct manifest_branch *newest = manifest_branch_newest(work->manifest, &any);
    if (!fit_has_driver(work))
        work_note(work, "no driver was found or assumed: the newest is chosen, whatever driver it "
                        "needs");
    else if (machine->driver.count && newest && machine->driver.part[0] > newest->branch) {
        AUTO_FREE char *driver = words_driver(work);
        work_note(work,
                  "%s is newer than this manifest (%s): what it runs is told by the "
                  "minimums of each CUDA",
                  driver, manifest_date(work->manifest));
    }
    for (size_t i = 0; i < machine->gpu_count; i++) {
        AUTO_FREE char *gpu = words_gpu(&machine->gpus[i]);
        if (fit_capability(work, &machine->gpus[i]) == NULL)
            work_note(work, "%s is not in this manifest (%s): nothing is known to run on it", gpu,
                      manifest_date(work->manifest));
    }
}

/* "driver 535.104.05 (supports CUDA 12.2); 2 x GeForce RTX 4090 (compute capability 8.9)" */
static char *machine_words(const struct work *work)
{
    AUTO_TEXT struct text text = {0};
    AUTO_STRLIST struct strlist gpus = {0};
    AUTO_FREE char *driver = words_driver(work);
    text_append(&text, fit_has_driver(work) ? driver : "no driver");
    for (size_t i = 0; i < work->machine.gpu_count; i++)
        strlist_take(&gpus, words_gpu(&work->machine.gpus[i]));
    for (size_t i = 0, same; i < gpus.count; i += same) {
        for (same = 1; i + same < gpus.count; same++)
            if (!string_equal(gpus.items[i], gpus.items[i + same]))
                break;
        text_append(&text, i == 0 ? "; " : ", ");
        if (same > 1)
            text_printf(&text, "%zu x ", same);
        text_append(&text, gpus.items[i]);
    }
    if (gpus.count == 0)
        text_append(&text, "; no GPU");
    return text_steal(&text);
}

static bool check_names(struct manifest *manifest, const struct resolve_specs *specs,
                        struct error *error)
{
    for (size_t i = 0; i < specs->count; i++)
        if (!resolve_knows(manifest, specs->items[i].product))
            return error_set(error, ERROR_USAGE, "no product \"%s\" in the manifest",
                             specs->items[i].product);
    return true;
}

bool resolve(struct manifest *manifest, const struct resolve_machine *machine,
             const struct resolve_specs *specs, const struct resolve_spec *for_framework,
             struct resolution *ret_resolution, struct error *error)
{
    (void)for_framework;
    if (!check_names(manifest, specs, error))
        return false;
    struct work work = {
        .manifest = manifest, .machine = *machine, .resolution = ret_resolution, .error = error};
    ret_resolution->machine = machine_words(&work);
    note_machine(&work);
    const struct resolve_spec *cuda = spec_of(specs, "cuda");
    struct version chosen;
    if (cuda) {
        struct listing listing = cuda_list(&work);
        struct request request = request_of(cuda, 3);
        cuda_choose(&work, &listing, &request, NULL, &chosen);
    }
    return ret_resolution->failed.count == 0;
}
