/* SPDX-License-Identifier: MIT */
#include "cli/engine/lookup.h"

#include "manifest/gpu/gpu.h"
#include "manifest/versions/driver.h"
#include "rules/query/judged.h"

static char *lookup_driver(const struct facts *facts, struct manifest *manifest)
{
    const char *text = facts_string(facts, "assumed", "driver_version");
    struct version version;
    struct version told;
    const char *group;
    char told_text[VERSION_TEXT_SIZE];
    if (text == NULL && judged_driver_api(facts, &told, &group))
        return mem_string(version_text(&told, 0, told_text));
    if (text == NULL)
        text = facts_string(facts, "module", "version");
    if (text == NULL || !version_parse(text, &version))
        return NULL;
    const struct manifest_branch *branch = manifest_branch_find(manifest, &version);
    char buffer[VERSION_TEXT_SIZE];
    if (branch == NULL || branch->cuda.count == 0)
        return NULL;
    return mem_string(version_text(&branch->cuda, 0, buffer));
}

struct lookup lookup_facts(const struct facts *facts, struct manifest *manifest)
{
    struct lookup lookup = {.driver_cuda = lookup_driver(facts, manifest)};
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "pci", &i)) != NULL;) {
        const char *device = facts_string(facts, group, "device_id");
        const struct manifest_gpu *gpu = device ? manifest_gpu_by_device(manifest, device) : NULL;
        strlist_add(&lookup.gpu_names, gpu ? gpu->name : "");
    }
    return lookup;
}

void lookup_free(struct lookup *lookup)
{
    free(lookup->driver_cuda);
    strlist_free(&lookup->gpu_names);
}
