/* SPDX-License-Identifier: MIT */
/* Any bytes as a manifest document: taken whole, or refused with problems that name a line it has
 * and can be shown. A seed may hold some subjects alone: the others are then problems too. */
#include "fuzz.h"

#include "manifest/gpu/gpu.h"
#include "manifest/manifest.h"
#include "manifest/reader/locate.h"
#include "manifest/reader/problems.h"
#include "manifest/versions/driver.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    AUTO_PROBLEMS struct manifest_problems problems = {.max = 100};
    struct manifest *manifest = manifest_examine(text, size, "fuzz", &problems);
    size_t lines = 1;
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    for (size_t i = 0; i < problems.count; i++) {
        AUTO_TEXT struct text shown = {0};
        error_format(&problems.items[i].error, &shown);
        if (problems.items[i].line == 0 || problems.items[i].line > lines || shown.size == 0)
            abort();
    }
    if ((manifest == NULL) != (problems.count > 0))
        abort();
    const struct version version = {.part = {12, 8}, .count = 2};
    if (manifest != NULL && manifest_branch_newest(manifest, &version) == NULL)
        manifest_gpu_by_name(manifest, "RTX 4O90", NULL);
    manifest_free(manifest);
    /* The locator, of text that nobody has read before. */
    struct locator locator = {.text = text, .size = size};
    const struct locate_step steps[] = {
        {.key = "cuda"}, {.key = "rows"}, {.index = 1}, {.key = "a"}};
    for (size_t i = 0; i <= 4; i++)
        if (locate_line(&locator, steps, i) > lines)
            abort();
    const char *array;
    size_t array_size;
    if (locate_member(text, size, "rows", &array, &array_size)) {
        struct locate_scan scan = {.at = array, .end = array + array_size, .line = 1};
        const char *item;
        size_t item_size;
        while (locate_item(&scan, &item, &item_size))
            if (item_size == 0 || item < array || item + item_size > array + array_size)
                abort();
    }
    free(locate_path(text, size, size > 0 ? data[0] : 0));
    free(locate_path(text, size, size));
    return 0;
}
