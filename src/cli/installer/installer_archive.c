/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/path.h"
#include "cli/installer/installer_private.h"
#include "manifest/toolkit/legacy.h"
#include "resolve/engine/resolution.h"

/* Archives of cuDNN that are for one minor of CUDA: which one, by the build that was chosen, or by
 * the file that the user has. */

bool installer_build_cuda(const struct resolve_choice *choice, struct version *ret_cuda)
{
    return choice->build && string_starts(choice->build, "cuda") &&
           version_parse(choice->build + strlen("cuda"), ret_cuda);
}

/* The names are alike but for what browsers make of .tgz. */
static bool is_named(const char *path, const char *file)
{
    static const char theme[] = ".solitairetheme8", tgz[] = ".tgz";
    const char *name = path_base(path);
    size_t size = strlen(name);
    if (string_equal(name, file))
        return true;
    if (!string_ends(name, theme) || !string_ends(file, tgz))
        return false;
    size -= strlen(theme);
    return strlen(file) == size + strlen(tgz) && strncmp(name, file, size) == 0;
}

static bool cuda_of(struct manifest *manifest, const char *path, struct version *ret_cuda)
{
    size_t count;
    const struct manifest_archive *rows = manifest_archives(manifest, &count);
    for (size_t i = 0; i < count; i++)
        if (rows[i].cuda.count > 1 && is_named(path, rows[i].file)) {
            *ret_cuda = rows[i].cuda; /* of one name for several versions it is one, too */
            return true;
        }
    return false;
}

bool installer_archive_cuda(const struct session *session, const struct arguments *arguments,
                            const struct resolve_specs *specs, struct version *ret_cuda)
{
    const struct strlist *archives = arguments_all(arguments, "archive");
    if (archives == NULL || resolve_spec_of(specs, "cuda") || !resolve_spec_of(specs, "cudnn"))
        return false;
    for (size_t i = 0; i < archives->count; i++)
        if (cuda_of(session->manifest, archives->items[i], ret_cuda))
            return true;
    return false;
}
