/* SPDX-License-Identifier: MIT */
#include "cli/installer/installer_private.h"

#include "manifest/manifest.h"
#include "manifest/toolkit/pin.h"
#include "manifest/versions/cuda.h"
#include "resolve/engine/resolution.h"

/* With --allow-unpinned a version that the manifest does not list is taken as it is written, when
 * it is a whole one: its list of archives is asked for under that name, and says whether it exists.
 */
#define FULL_PARTS 3

/* The manifest's own word for the product; NULL: it has none. */
static const char *product_of(struct manifest *manifest, const char *name)
{
    size_t count;
    const struct manifest_pin *rows = manifest_pin_all(manifest, &count);
    for (size_t i = 0; i < count; i++)
        if (string_equal(rows[i].product, name))
            return rows[i].product;
    return NULL;
}

/* "8.9.7.29" is listed with 8.9.7, whose file is taken in its place. */
static bool is_listed(struct manifest *manifest, const struct resolve_spec *spec)
{
    struct version first = spec->version;
    first.count = FULL_PARTS;
    if (string_equal(spec->product, "cuda") && manifest_cuda_find(manifest, &spec->version))
        return true;
    return manifest_pin_find(manifest, spec->product, &spec->version) ||
           manifest_pin_find(manifest, spec->product, &first);
}

static bool is_unlisted(struct manifest *manifest, const struct resolve_spec *spec)
{
    return spec->version.count >= FULL_PARTS && product_of(manifest, spec->product) &&
           !is_listed(manifest, spec);
}

const struct version *installer_unlisted_cuda(struct manifest *manifest,
                                              const struct resolve_specs *specs)
{
    for (size_t i = 0; i < specs->count; i++)
        if (string_equal(specs->items[i].product, "cuda") &&
            is_unlisted(manifest, &specs->items[i]))
            return &specs->items[i].version;
    return NULL;
}

void installer_tell_unlisted(struct manifest *manifest, const struct resolve_specs *specs,
                             struct error *error)
{
    if (error == NULL || error->kind != ERROR_UNSATISFIABLE)
        return;
    for (size_t i = 0; i < specs->count; i++)
        if (is_unlisted(manifest, &specs->items[i])) {
            error_next(error,
                       "see what is available with gpuenv list --available %s, update gpuenv, or "
                       "trust the server alone for this version: --allow-unpinned %s",
                       specs->items[i].product, specs->items[i].text);
            return;
        }
}

bool installer_split(struct manifest *manifest, const struct resolve_specs *specs,
                     struct resolve_specs *ret_known, struct error *error)
{
    for (size_t i = 0; i < specs->count; i++) {
        const struct resolve_spec *spec = &specs->items[i];
        bool unlisted = is_unlisted(manifest, spec);
        if (unlisted && string_equal(spec->product, "cuda"))
            continue;
        if (!resolve_specs_add(ret_known, unlisted ? spec->product : spec->text, error))
            return false;
    }
    return true;
}

/* What was chosen of the product, or else a new choice of it. */
static struct resolve_choice *choice_of(struct resolution *resolution, const char *product)
{
    struct resolve_choice *choice = resolve_choice_of(resolution, product);
    if (choice)
        return choice;
    choice = vec_push(resolution->chosen, resolution->chosen_count, resolution->chosen_capacity);
    choice->product = product;
    return choice;
}

void installer_take_unlisted(struct manifest *manifest, const struct resolve_specs *specs,
                             struct resolution *resolution)
{
    for (size_t i = 0; i < specs->count; i++) {
        const struct resolve_spec *spec = &specs->items[i];
        char text[VERSION_TEXT_SIZE];
        if (!is_unlisted(manifest, spec))
            continue;
        struct resolve_choice *choice = choice_of(resolution, product_of(manifest, spec->product));
        free(choice->version);
        free(choice->why);
        free(mem_steal(&choice->exact));
        strlist_free(&choice->limits);
        choice->version = mem_string(version_text(&spec->version, 0, text));
        choice->rule = "asked";
        choice->pin = "none";
        choice->fit = FIT_UNKNOWN;
        choice->row = choice->source = choice->confidence = choice->notes = NULL;
        choice->why =
            mem_printf("this manifest (%s) does not list %s %s, and has no checksum for it",
                       manifest_date(manifest), choice->product, choice->version);
    }
}
