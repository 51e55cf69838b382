/* SPDX-License-Identifier: MIT */
#include "resolve/resolve.h"

#include "resolve/cuda.h"
#include "resolve/cudnn.h"
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

/* A CUDA that is asked for beside a cuDNN must be one that this cuDNN pairs with. */
static bool pairs_with_cudnn(const struct work *work, const struct version *cuda,
                             struct resolve_candidate *candidate, const void *context)
{
    const struct request *request = context;
    struct cudnn_partner partner = {.cuda = *cuda, .by_compat = candidate->fit == FIT_COMPAT};
    if (cudnn_exists(work, request, &partner))
        return true;
    candidate_turn_down(candidate, "no_pair",
                        "no cuDNN that \"%s\" asks for pairs with CUDA %s here", request->asked,
                        candidate->version);
    return false;
}

static enum fit chosen_fit(const struct work *work, const struct manifest_cuda *cuda)
{
    struct verdict verdict = cuda_verdict(work, &cuda->version);
    free(verdict.why);
    return verdict.fit;
}

/* The CUDA that a cuDNN alone is for: that of the prefix, else the newest that the machine runs. */
static bool partner_alone(const struct work *work, const struct request *request,
                          struct cudnn_partner *ret_partner)
{
    if (work->machine.toolkit.count) {
        ret_partner->cuda = work->machine.toolkit;
        return true;
    }
    if (!fit_has_driver(work) && work->machine.gpu_count == 0)
        return true;
    AUTO_RESOLUTION struct resolution aside = {.chosen = NULL};
    struct work scratch = *work;
    scratch.resolution = &aside;
    scratch.error = NULL;
    struct listing listing = cuda_list(&scratch);
    struct request any = {.asked = "cuda", .wanted = true};
    struct cuda_also also = {.holds = pairs_with_cudnn, .context = request};
    const struct manifest_cuda *cuda;
    if (!cuda_choose(&scratch, &listing, &any, &also, &cuda))
        return false;
    ret_partner->cuda = cuda->version;
    ret_partner->by_compat = chosen_fit(work, cuda) == FIT_COMPAT;
    return true;
}

static void resolve_pair(struct work *work, const struct request *cuda, const struct request *cudnn)
{
    struct cudnn_partner partner = {.by_compat = false};
    if (cuda) {
        struct listing listing = cuda_list(work);
        struct cuda_also also = {.holds = pairs_with_cudnn, .context = cudnn};
        const struct manifest_cuda *chosen;
        if (!cuda_choose(work, &listing, cuda, cudnn ? &also : NULL, &chosen))
            return;
        work->cuda = chosen->version;
        partner.cuda = chosen->version;
        partner.by_compat = chosen_fit(work, chosen) == FIT_COMPAT;
    } else if (cudnn && !partner_alone(work, cudnn, &partner)) {
        work_fail(work, "cudnn", cudnn->asked, "no CUDA runs on this machine that it could use",
                  "\"gpuenv resolve cuda\" says why");
        return;
    }
    if (cudnn)
        cudnn_choose(work, cudnn, &partner);
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
    const struct resolve_spec *cudnn = spec_of(specs, "cudnn");
    struct request cuda_request = cuda ? request_of(cuda, 3) : (struct request){.asked = NULL};
    struct request cudnn_request = cudnn ? request_of(cudnn, 3) : (struct request){.asked = NULL};
    resolve_pair(&work, cuda ? &cuda_request : NULL, cudnn ? &cudnn_request : NULL);
    return ret_resolution->failed.count == 0;
}
