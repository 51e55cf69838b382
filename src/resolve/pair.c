/* SPDX-License-Identifier: MIT */
#include "resolve/pair.h"

#include "manifest/versions/cuda.h"
#include "resolve/engine/fit.h"
#include "resolve/engine/resolution.h"
#include "resolve/engine/words.h"
#include "resolve/product/cuda.h"

/* A CUDA that is asked for beside a cuDNN must be one that this cuDNN pairs with. */
static bool pairs_with_cudnn(const struct work *work, const struct version *cuda,
                             struct resolve_candidate *candidate, const void *context)
{
    const struct request *request = context;
    struct cudnn_partner partner = {.cuda = *cuda, .by_compat = candidate->fit == FIT_COMPAT};
    if (cudnn_exists(work, request, &partner))
        return true;
    candidate_turn_down(candidate, "no_pair", "no cuDNN that \"%s\" asks for pairs with CUDA %s",
                        request->asked, candidate->version);
    return false;
}

static bool is_by_compat(const struct work *work, const struct manifest_cuda *cuda)
{
    struct verdict verdict = cuda_verdict(work, &cuda->version);
    free(verdict.why);
    return verdict.fit == FIT_COMPAT;
}

/* The newest CUDA that runs, decided aside: nothing of it is part of the answer. NULL: error says
 * why none does. */
static const struct manifest_cuda *newest_aside(const struct work *work,
                                                const struct request *cudnn, struct error *error)
{
    AUTO_RESOLUTION struct resolution aside = {.chosen = NULL};
    struct work scratch = *work;
    scratch.resolution = &aside;
    scratch.error = error;
    struct listing listing = cuda_list(&scratch);
    struct request any = {.asked = "cuda", .wanted = true};
    struct cuda_also also = {.holds = pairs_with_cudnn, .context = cudnn};
    const struct manifest_cuda *cuda;
    return cuda_choose(&scratch, &listing, &any, cudnn ? &also : NULL, &cuda) ? cuda : NULL;
}

/* Whether the answer is for the CUDA that is there: of a prefix always, of one that is only
 * installed where a cuDNN that is asked for goes with it. */
static bool joins_toolkit(struct work *work, const char *asked, const struct request *cudnn)
{
    const struct cudnn_partner there = {.cuda = work->machine.toolkit};
    char version[VERSION_TEXT_SIZE];
    version_text(&there.cuda, 0, version);
    if (cudnn && !work->machine.toolkit_is_prefix && !cudnn_exists(work, cudnn, &there)) {
        work_note(work,
                  "CUDA %s is installed here, and nothing that \"%s\" asks for runs with it: "
                  "another CUDA is looked for",
                  version, asked);
        return false;
    }
    work_note(work,
              "CUDA %s is installed here, and the answer is for that; \"cuda@VERSION\" beside it "
              "asks for another",
              version);
    return true;
}

bool pair_partner(struct work *work, const char *name, const char *asked,
                  const struct request *cudnn, struct cudnn_partner *ret_partner)
{
    AUTO_ERROR struct error error = {0};
    *ret_partner = (struct cudnn_partner){.by_compat = false};
    if (work->machine.toolkit.count && joins_toolkit(work, asked, cudnn)) {
        ret_partner->cuda = work->machine.toolkit;
        return true;
    }
    if (!fit_has_driver(work) && work->machine.gpu_count == 0)
        return true;
    const struct manifest_cuda *cuda = newest_aside(work, cudnn, &error);
    if (cuda == NULL) {
        AUTO_FREE char *why = mem_printf("no CUDA that it could use runs here: %s",
                                         error.why ? error.why : "none is listed");
        return work_fail(work, name, asked, why, "\"gpuenv resolve cuda\" says more");
    }
    ret_partner->cuda = cuda->version;
    ret_partner->by_compat = is_by_compat(work, cuda);
    if (cudnn && !cudnn_exists(work, cudnn, ret_partner))
        ret_partner->cuda = (struct version){.count = 0}; /* each release says why it is not it */
    return true;
}

/* The CUDA that is asked for. False: nothing fits. */
static bool choose_cuda(struct work *work, const struct request *cuda, const struct request *cudnn,
                        struct cudnn_partner *ret_partner)
{
    struct listing listing = cuda_list(work);
    struct cuda_also also = {.holds = pairs_with_cudnn, .context = cudnn};
    const struct manifest_cuda *chosen;
    if (!cuda_choose(work, &listing, cuda, cudnn ? &also : NULL, &chosen))
        return false;
    work->cuda = chosen->version;
    ret_partner->cuda = chosen->version;
    ret_partner->by_compat = is_by_compat(work, chosen);
    return true;
}

void pair_resolve(struct work *work, const struct request *cuda, const struct request *cudnn)
{
    struct cudnn_partner partner = {.by_compat = false};
    if (cuda && !choose_cuda(work, cuda, cudnn, &partner)) {
        if (cudnn)
            strlist_add(&work->resolution->failed, "cudnn");
        return;
    }
    if (cudnn == NULL)
        return;
    if (cuda || pair_partner(work, "cudnn", cudnn->asked, cudnn, &partner))
        cudnn_choose(work, cudnn, &partner);
}
