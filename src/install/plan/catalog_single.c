/* SPDX-License-Identifier: MIT */
#include "install/plan/catalog.h"

#include "base/path.h"
#include "manifest/toolkit/legacy.h"
#include "manifest/toolkit/single.h"

/* What NVIDIA's lists call the licence of all that a product has. */
static const char *licence_of(const char *product)
{
    return string_equal(product, "cuda") ? "CUDA Toolkit" : product;
}

void catalog_of_single(struct manifest *manifest, const char *product,
                       const struct version *version, const char *platform, const char *path,
                       const char *url, const struct digest *sha256, struct catalog *ret_catalog)
{
    char text[VERSION_TEXT_SIZE];
    const struct manifest_layout *layout = NULL;
    version_text(version, 0, text);
    ret_catalog->name = mem_string(path_base(path));
    ret_catalog->product = mem_string(product);
    ret_catalog->release = mem_string(text);
    ret_catalog->is_single = true;
    while ((layout = manifest_single_layout(manifest, product, version, layout)) != NULL) {
        struct catalog_component *component = vec_push(
            ret_catalog->components, ret_catalog->component_count, ret_catalog->component_capacity);
        component->key = mem_string(layout->component);
        component->version = mem_string(text);
        component->license = mem_string(licence_of(product));
        struct catalog_entry *entry =
            vec_push(component->entries, component->entry_count, component->entry_capacity);
        entry->platform = mem_string(platform);
        entry->path = mem_string(path);
        entry->url = mem_string(url);
        entry->sha256 = *sha256;
        entry->layout = layout;
    }
}
