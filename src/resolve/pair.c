/* SPDX-License-Identifier: MIT */
#include "resolve/pair.h"

#include "manifest/versions/cuda.h"
#include "resolve/engine/fit.h"
#include "resolve/engine/resolution.h"
#include "resolve/engine/words.h"
#include "resolve/product/cuda.h"

/* A CUDA that is asked for beside a cuDNN must be one that this cuDNN pairs with. */
static bool pairs_with_cudnn(const struct resolve_context *context, const struct version *cuda,
                             struct resolve_candidate *candidate, const void *asked)
{
    const struct request *request = asked;
    struct cudnn_partner partner = {.cuda = *cuda, .by_compat = candidate->fit == FIT_COMPAT};
    if (cudnn_exists(context, request, &partner))
        return true;
    candidate_turn_down(candidate, "no_pair", "no cuDNN that matches \"%s\" works with CUDA %s",
                        request->asked, candidate->version);
    return false;
}

static bool is_by_compat(const struct resolve_context *context, const struct manifest_cuda *cuda)
{
    struct verdict verdict = cuda_verdict(context, &cuda->version);
    free(verdict.why);
    return verdict.fit == FIT_COMPAT;
}

/* The newest CUDA that runs, decided aside: nothing of it is part of the answer. NULL: error says
 * why none does. */
static const struct manifest_cuda *newest_aside(const struct resolve_context *context,
                                                const struct request *cudnn, struct error *error)
{
    AUTO_RESOLUTION struct resolution aside = {.chosen = NULL};
    struct resolve_context scratch = *context;
    scratch.resolution = &aside;
    scratch.error = error;
    struct listing listing = cuda_list(&scratch);
    struct request any = {.asked = "cuda", .wanted = true};
    struct cuda_also also = {.holds = pairs_with_cudnn, .asked = cudnn};
    const struct manifest_cuda *cuda;
    return cuda_choose(&scratch, &listing, &any, cudnn ? &also : NULL, &cuda) ? cuda : NULL;
}

/* Whether the answer is for the CUDA that is there: of a prefix always, of one that is only
 * installed where a cuDNN that is asked for goes with it. */
static bool joins_toolkit(struct resolve_context *context, const char *asked,
                          const struct request *cudnn)
{
    const struct cudnn_partner there = {.cuda = context->machine.toolkit};
    char version[VERSION_TEXT_SIZE];
    version_text(&there.cuda, 0, version);
    if (cudnn && !context->machine.toolkit_is_prefix && !cudnn_exists(context, cudnn, &there)) {
        context_note(context,
                     "CUDA %s is installed here, but nothing that matches \"%s\" runs with it: "
                     "another CUDA is chosen",
                     version, asked);
        return false;
    }
    context_note(context,
                 "CUDA %s is installed here, so this answer is for that CUDA; add \"cuda@VERSION\" "
                 "for another version",
                 version);
    return true;
}

bool pair_partner(struct resolve_context *context, const char *name, const char *asked,
                  const struct request *cudnn, struct cudnn_partner *ret_partner)
{
    AUTO_ERROR struct error error = {0};
    *ret_partner = (struct cudnn_partner){.by_compat = false};
    if (context->machine.toolkit.count && joins_toolkit(context, asked, cudnn)) {
        ret_partner->cuda = context->machine.toolkit;
        return true;
    }
    if (!fit_has_driver(context) && context->machine.gpu_count == 0)
        return true;
    const struct manifest_cuda *cuda = newest_aside(context, cudnn, &error);
    if (cuda == NULL) {
        AUTO_FREE char *why = mem_printf("no CUDA that this product can use runs here: %s",
                                         error.why ? error.why : "none is listed");
        return context_fail(context, name, asked, why, "\"gpuenv resolve cuda\" says more");
    }
    ret_partner->cuda = cuda->version;
    ret_partner->by_compat = is_by_compat(context, cuda);
    if (cudnn && !cudnn_exists(context, cudnn, ret_partner))
        ret_partner->cuda = (struct version){.count = 0}; /* each release says why it is not it */
    return true;
}

/* The CUDA that is asked for. False: nothing fits. */
static bool choose_cuda(struct resolve_context *context, const struct request *cuda,
                        const struct request *cudnn, struct cudnn_partner *ret_partner)
{
    struct listing listing = cuda_list(context);
    struct cuda_also also = {.holds = pairs_with_cudnn, .asked = cudnn};
    const struct manifest_cuda *chosen;
    if (!cuda_choose(context, &listing, cuda, cudnn ? &also : NULL, &chosen))
        return false;
    context->cuda = chosen->version;
    ret_partner->cuda = chosen->version;
    ret_partner->by_compat = is_by_compat(context, chosen);
    return true;
}

void pair_resolve(struct resolve_context *context, const struct request *cuda,
                  const struct request *cudnn)
{
    struct cudnn_partner partner = {.by_compat = false};
    if (cuda && !choose_cuda(context, cuda, cudnn, &partner)) {
        if (cudnn)
            strlist_add(&context->resolution->failed, "cudnn");
        return;
    }
    if (cudnn == NULL)
        return;
    if (cuda || pair_partner(context, "cudnn", cudnn->asked, cudnn, &partner))
        cudnn_choose(context, cudnn, &partner);
}
