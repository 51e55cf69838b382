/* SPDX-License-Identifier: MIT */
#include "manifest/toolkit/component.h"

#include <string.h>

#include "manifest/reader/subject.h"
#include "manifest/store/store.h"

enum { TABLE_COMPONENTS };

static const char *const kinds[] = {"compiler", "runtime",       "library", "header", "tool",
                                    "sample",   "documentation", "nsight",  "driver", "fabric",
                                    NULL};
static const char *const extents[] = {"full", "runtime", "build", NULL};

static const struct manifest_key keys[] = {
    KEY(manifest_component, product, KEY_STRING, .required = true),
    KEY(manifest_component, component, KEY_STRING, .required = true),
    KEY(manifest_component, renamed_to, KEY_STRING),
    KEY(manifest_component, kind, KEY_CHOICE, .required = true, .choices = kinds),
    KEY_AS(manifest_component, extents, "profiles", KEY_STRINGS),
    KEY(manifest_component, required_for, KEY_STRINGS),
    KEY(manifest_component, capability_min, KEY_VERSION),
    KEY(manifest_component, pkg_config, KEY_STRING),
    KEY(manifest_component, links, KEY_STRINGS),
    KEYS_OF_EVERY_ROW(manifest_component),
    {.name = NULL},
};

static char *id(const void *row)
{
    const struct manifest_component *component = row;
    return mem_printf("component/%s-%s", component->product, component->component);
}

static bool extents_known(const struct manifest_place *place, const char *key,
                          const struct strlist *words)
{
    for (size_t i = 0; i < words->count; i++) {
        size_t k = 0;
        while (extents[k] && !string_equal(extents[k], words->items[i]))
            k++;
        if (extents[k] == NULL)
            return place_problem(place, key, words->items[i], "full, runtime or build");
    }
    return true;
}

static bool check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct manifest_component *component = row;
    const struct manifest_component *before = previous;
    if (before) {
        int order = strcmp(before->product, component->product);
        if (order > 0 || (order == 0 && strcmp(before->component, component->component) > 0))
            return place_problem(place, "component", component->id, "a row that sorts after %s",
                                 before->id);
    }
    for (size_t i = 0; i < component->required_for.count; i++)
        if (!strlist_has(&component->extents, component->required_for.items[i]))
            return place_problem(place, "required_for", component->required_for.items[i],
                                 "a profile that includes it");
    if ((component->pkg_config != NULL) != (component->links.count > 0))
        return place_problem(place, "links", component->id, "pkg_config and links, or neither");
    return extents_known(place, "profiles", &component->extents) &&
           extents_known(place, "required_for", &component->required_for);
}

const struct manifest_subject manifest_component_subject = {
    .name = "component",
    .tables = {[TABLE_COMPONENTS] = {.name = "rows",
                                     .about = "components and their profiles",
                                     .keys = keys,
                                     .row_size = sizeof(struct manifest_component),
                                     .id_offset = offsetof(struct manifest_component, id),
                                     .id = id,
                                     .check = check}},
};

const struct manifest_component *manifest_component_all(struct manifest *manifest,
                                                        size_t *ret_count)
{
    return manifest_rows(manifest, &manifest_component_subject, TABLE_COMPONENTS, ret_count);
}

const struct manifest_component *manifest_component_find(struct manifest *manifest,
                                                         const char *product, const char *component)
{
    size_t count;
    const struct manifest_component *rows = manifest_component_all(manifest, &count);
    for (size_t i = 0; i < count; i++)
        if (string_equal(rows[i].product, product) && string_equal(rows[i].component, component))
            return &rows[i];
    return NULL;
}
