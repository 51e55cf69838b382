/* SPDX-License-Identifier: MIT */
/* Any bytes as a log: what is said of them is bounded, and each item has its line. */
#include "fuzz.h"

#include <stdlib.h>

#include "explain/explanation.h"
#include "manifest/manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct manifest *manifest;
    if (manifest == NULL)
        manifest = manifest_new();
    struct explainer *explainer = explainer_new(manifest);
    struct explanation explanation;
    explainer_feed(explainer, (const char *)data, size);
    explainer_end(explainer, &explanation);
    explainer_free(explainer);
    if (explanation.causes.count > MESSAGE_CAUSES)
        abort();
    for (size_t i = 0; i < explanation.count; i++) {
        const struct explained *item = &explanation.items[i];
        if (item->said == NULL || item->count == 0 || item->first == 0 ||
            item->last > explanation.lines || item->findings.count > MESSAGE_CAUSES)
            abort();
    }
    explanation_free(&explanation);
    return 0;
}
