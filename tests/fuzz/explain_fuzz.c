/* SPDX-License-Identifier: MIT */
/* Any bytes as a log: what is said of them is bounded, and each item has its line. Most texts are
 * behind a line that is known: what is near to a text without any takes long to find. */
#include "fuzz.h"

#include <stdlib.h>

#include "explain/explanation.h"
#include "manifest/manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char known[] = "NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.\n";
    static struct explainer *explainer; /* once: its automaton takes longer than a text */
    if (explainer == NULL)
        explainer = explainer_new(manifest_new());
    struct explanation explanation;
    if (size % 16 != 0)
        explainer_feed(explainer, known, sizeof(known) - 1);
    explainer_feed(explainer, (const char *)data, size);
    explainer_end(explainer, &explanation);
    if (explanation.causes.count > MESSAGE_CAUSES)
        abort();
    for (size_t i = 0; i < explanation.count; i++) {
        const struct explained *item = &explanation.items[i];
        if (item->said == NULL || item->count == 0 || item->first == 0 ||
            item->last > explanation.lines || item->findings.count > MESSAGE_CAUSES)
            abort();
    }
    if (size % 16 != 0 && explanation.count == 0)
        abort();
    explanation_free(&explanation);
    return 0;
}
