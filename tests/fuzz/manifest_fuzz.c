/* SPDX-License-Identifier: MIT */
/* Any bytes as a manifest document: taken whole or refused with an error that can be shown. */
#include "fuzz.h"

#include "manifest/manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text shown = {0};
    AUTO_STRLIST struct strlist near = {0};
    struct manifest *manifest = manifest_load((const char *)data, size, "fuzz", &error);
    if (manifest == NULL) {
        error_format(&error, &shown);
        if (!error_is_set(&error) || shown.size == 0)
            abort();
        return 0;
    }
    const struct version version = {.part = {12, 8}, .count = 2};
    manifest_cuda_find(manifest, &version);
    manifest_branch_newest(manifest, &version);
    manifest_branch_for_cuda(manifest, &version);
    manifest_gpu_by_name(manifest, "RTX 4O90", &near);
    manifest_free(manifest);
    return 0;
}
