/* SPDX-License-Identifier: MIT */
#include "base/path.h"
#include "cli/installer/installer_private.h"
#include "manifest/framework/framework.h"
#include "manifest/toolkit/download.h"
#include "resolve/engine/resolution.h"

/* What gpuenv installs only where the user has its archive, such as TensorRT: else pip is said to
 * install it. */

static bool is_of(struct manifest *manifest, const struct manifest_download *row,
                  const struct resolve_spec *spec)
{
    const struct manifest_framework *framework = manifest_framework_find(manifest, spec->product);
    return row->package == NULL &&
           string_equal(row->product, framework ? framework->framework : spec->product) &&
           (spec->version.count == 0 || version_within(&row->version, &spec->version));
}

/* The row of an archive that --archive names. NULL: none is of what the SPEC asks for. */
static const struct manifest_download *given(const struct session *session,
                                             const struct arguments *arguments,
                                             const struct resolve_spec *spec)
{
    size_t count;
    const struct strlist *files = arguments_all(arguments, "archive");
    const struct manifest_download *rows = manifest_downloads(session->manifest, &count);
    for (size_t i = 0; i < count; i++)
        if (path_is_named(files, rows[i].file) && is_of(session->manifest, &rows[i], spec))
            return &rows[i];
    return NULL;
}

bool installer_leave_given(const struct session *session, const struct arguments *arguments,
                           const struct resolve_specs *specs, struct resolve_specs *ret_rest,
                           struct error *error)
{
    for (size_t i = 0; i < specs->count; i++)
        if (given(session, arguments, &specs->items[i]) == NULL &&
            !resolve_specs_add(ret_rest, specs->items[i].text, error))
            return false;
    return true;
}

void installer_take_given(const struct session *session, const struct arguments *arguments,
                          const struct resolve_specs *specs, struct resolution *resolution)
{
    char text[VERSION_TEXT_SIZE];
    for (size_t i = 0; i < specs->count; i++) {
        const struct manifest_download *row = given(session, arguments, &specs->items[i]);
        if (row == NULL)
            continue;
        struct resolve_choice *choice =
            vec_push(resolution->chosen, resolution->chosen_count, resolution->chosen_capacity);
        choice->product = row->product;
        choice->version = mem_string(version_text(&row->version, 0, text));
        choice->build = mem_printf("cuda%s", version_text(&row->cuda, 0, text));
        choice->why = mem_printf("--archive has it, for CUDA %s", text);
        choice->rule = "asked";
        choice->pin = "file";
        choice->row = row->id;
        choice->source = row->source;
        choice->confidence = row->confidence;
    }
}
