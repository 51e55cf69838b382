/* SPDX-License-Identifier: MIT */
#include "resolve/framework.h"

#include "resolve/words.h"

/* The least of a backend that the newest listed release of a rider runs on. */
static const struct manifest_rider *rider_row(const struct work *work, const char *framework,
                                              const char *backend)
{
    size_t count;
    const struct manifest_rider *rows = manifest_riders(work->manifest, &count);
    for (size_t i = count; i > 0; i--)
        if (string_equal(rows[i - 1].framework, framework) &&
            string_equal(rows[i - 1].backend, backend) && string_equal(rows[i - 1].use, "run"))
            return &rows[i - 1];
    return NULL;
}

static void note_notes(struct work *work, const struct manifest_framework *framework)
{
    if (framework->notes)
        work_note(work, "%s: %s", framework->title, framework->notes);
}

/* Each backend that has CUDA of its own is asked; one that fits is enough. */
static bool resolve_rider(struct work *work, const struct resolve_spec *spec,
                          const struct manifest_framework *rider,
                          const struct manifest_build **ret_build, struct build_fit *ret_fit)
{
    AUTO_FREE char *backends = strlist_join(&rider->backends, ", ");
    struct error *error = work->error;
    bool any = false;
    work_note(work, "%s runs on %s; %s", rider->title, backends,
              rider->notes ? rider->notes : "what these need is what it needs");
    work->error = NULL;
    for (size_t i = 0; i < rider->backends.count; i++) {
        const struct manifest_framework *backend =
            manifest_framework_find(work->manifest, rider->backends.items[i]);
        if (backend == NULL || !string_equal(backend->native, "yes"))
            continue;
        const struct manifest_rider *row = rider_row(work, rider->framework, backend->framework);
        struct request request = {.asked = spec->text};
        if (row)
            request.range.from = row->version;
        struct build_fit fit;
        const struct manifest_build *build = framework_choose(work, &request, backend, &fit);
        if (build && !any) {
            *ret_build = build;
            *ret_fit = fit;
        }
        any = any || build != NULL;
    }
    work->error = error;
    if (any) {
        strlist_free(&work->resolution->failed);
        work->resolution->failed = (struct strlist){.items = NULL};
        return true;
    }
    return work_fail(work, rider->framework, spec->text, "none of what it runs on fits", NULL);
}

bool framework_resolve(struct work *work, const struct resolve_spec *spec,
                       const struct manifest_framework *framework,
                       const struct manifest_build **ret_build, struct build_fit *ret_fit)
{
    const struct manifest_build *build = NULL;
    struct build_fit fit = {.code = CODE_MACHINE};
    bool fits = true;
    if (string_equal(framework->native, "no")) {
        work_note(work, "%s needs no CUDA: any driver and GPU will do", framework->title);
        note_notes(work, framework);
    } else if (string_equal(framework->native, "rider")) {
        fits = resolve_rider(work, spec, framework, &build, &fit);
    } else {
        struct request request = request_of(spec, 2);
        build = framework_choose(work, &request, framework, &fit);
        fits = build != NULL;
    }
    if (ret_build) {
        *ret_build = build;
        *ret_fit = fit;
    }
    return fits;
}
