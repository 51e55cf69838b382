/* SPDX-License-Identifier: MIT */
#ifndef CLI_ENGINE_LOOKUP_H
#define CLI_ENGINE_LOOKUP_H

#include "base/strlist.h"
#include "facts/facts.h"

struct manifest;

/* What the manifest says of the facts, for the report, which does not see the manifest. */
struct lookup {
    char *driver_cuda;        /* CUDA driver API version of the driver's branch; NULL: not known */
    struct strlist gpu_names; /* of each group pci/…, "" when not known */
};
#define AUTO_LOOKUP AUTO(lookup_free)

struct lookup lookup_facts(const struct facts *facts, struct manifest *manifest);
void lookup_free(struct lookup *lookup);

#endif
