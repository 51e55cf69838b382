/* SPDX-License-Identifier: MIT */
#include "resolve/framework/framework.h"

#include "resolve/engine/resolution.h"
#include "resolve/engine/words.h"

/* The newest row of what a release of the rider that is asked for runs on; backend NULL: any. */
static const struct manifest_rider *rider_row(const struct resolve_context *context,
                                              const struct request *request, const char *framework,
                                              const char *backend)
{
    size_t count;
    const struct manifest_rider *rows = manifest_riders(context->manifest, &count);
    for (size_t i = count; i > 0; i--)
        if (string_equal(rows[i - 1].framework, framework) &&
            (backend == NULL || string_equal(rows[i - 1].backend, backend)) &&
            string_equal(rows[i - 1].use, "run") &&
            framework_release_has(rows[i - 1].release, request))
            return &rows[i - 1];
    return NULL;
}

static void note_notes(struct resolve_context *context, const struct manifest_framework *framework)
{
    if (framework->notes)
        context_note(context, "%s: %s", framework->title, framework->notes);
}

/* Asks one backend for a release that the rider runs on. NULL: none fits, or none is listed. */
static const struct manifest_build *resolve_backend(struct resolve_context *context,
                                                    const struct request *rider_request,
                                                    const struct manifest_framework *rider,
                                                    const struct manifest_framework *backend,
                                                    struct build_fit *ret_fit)
{
    const struct manifest_rider *row =
        rider_row(context, rider_request, rider->framework, backend->framework);
    if (row == NULL) {
        context_note(context, "the releases of %s that this package runs on are not listed",
                     backend->title);
        return NULL;
    }
    struct request request = {.asked = rider_request->asked, .range.from = row->version};
    return framework_choose(context, &request, backend, ret_fit);
}

/* Each backend that has CUDA of its own is asked; one that fits is enough. */
static const struct manifest_build *resolve_backends(struct resolve_context *context,
                                                     const struct request *request,
                                                     const struct manifest_framework *rider,
                                                     struct build_fit *ret_fit)
{
    const struct manifest_build *first = NULL;
    for (size_t i = 0; i < rider->backends.count; i++) {
        const struct manifest_framework *backend =
            manifest_framework_find(context->manifest, rider->backends.items[i]);
        if (backend == NULL || !string_equal(backend->native, "yes"))
            continue;
        struct build_fit fit;
        const struct manifest_build *build =
            resolve_backend(context, request, rider, backend, &fit);
        if (first || build == NULL)
            continue;
        first = build;
        *ret_fit = fit;
    }
    return first;
}

static bool resolve_rider(struct resolve_context *context, const struct request *request,
                          const struct manifest_framework *rider,
                          const struct manifest_build **ret_build, struct build_fit *ret_fit)
{
    AUTO_FREE char *backends = strlist_join(&rider->backends, ", ");
    const struct request any = {.asked = request->asked};
    struct version newest = {.count = 0};
    const struct manifest_rider *last = rider_row(context, &any, rider->framework, NULL);
    if (last)
        version_parse_prefix(last->release, &newest);
    if ((request->within.count || request->spec->release) &&
        rider_row(context, request, rider->framework, NULL) == NULL)
        return request_fail_unlisted(context, request, rider->framework, rider->title, &newest);
    context_note(context, "%s runs on %s; %s", rider->title, backends,
                 rider->notes ? rider->notes : "the requirements are those of these frameworks");
    /* A backend that does not fit is no failure of its own. */
    struct error *error = context->error;
    struct strlist failed = context->resolution->failed;
    context->error = NULL;
    context->resolution->failed = (struct strlist){.items = NULL};
    *ret_build = resolve_backends(context, request, rider, ret_fit);
    strlist_free(&context->resolution->failed);
    context->error = error;
    context->resolution->failed = failed;
    return *ret_build ||
           context_fail(context, rider->framework, request->asked,
                        last ? "none of the frameworks that this package runs on fits"
                             : "the framework releases that this package runs on are not listed",
                        NULL);
}

bool framework_resolve(struct resolve_context *context, const struct resolve_spec *spec,
                       const struct manifest_framework *framework,
                       const struct manifest_build **ret_build, struct build_fit *ret_fit)
{
    const struct manifest_build *build = NULL;
    struct build_fit fit = {.code = CODE_MACHINE};
    struct request request = request_of(spec, 2);
    bool fits = true;
    if (string_equal(framework->native, "no")) {
        context_note(context, "%s needs no CUDA: it runs with any driver and GPU",
                     framework->title);
        note_notes(context, framework);
    } else if (string_equal(framework->native, "rider")) {
        fits = resolve_rider(context, &request, framework, &build, &fit);
    } else {
        build = framework_choose(context, &request, framework, &fit);
        fits = build != NULL;
    }
    if (ret_build) {
        *ret_build = build;
        *ret_fit = fit;
    }
    return fits;
}
