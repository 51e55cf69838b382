/* SPDX-License-Identifier: MIT */
#include "install/plan/own_catalog.h"

#include <inttypes.h>

#include "base/json.h"
#include "install/plan/catalog.h"
#include "manifest/toolkit/download.h"
#include "manifest/toolkit/single.h"
#include "manifest/toolkit/legacy.h"

static bool is_of(const struct manifest_download *row, const struct request_product *product)
{
    return string_equal(row->product, product->product) &&
           version_compare(&row->version, &product->version) == 0;
}

/* The member of object by this key, made where it is missing. */
static json_t *member_of(json_t *object, const char *key)
{
    json_t *member = json_object_get(object, key);
    if (member == NULL)
        json_object_set_new(object, key, member = json_object());
    return member;
}

static void add(json_t *catalog, const struct manifest_download *row)
{
    char version[VERSION_TEXT_SIZE];
    json_t *component = member_of(catalog, row->component);
    json_set_string(component, "name", row->component);
    json_set_string(component, "license", row->licence);
    json_set_string(component, "version", version_text(&row->version, 0, version));
    json_t *entry = member_of(component, row->platform);
    if (row->cuda.count) {
        AUTO_FREE char *variant = mem_printf("cuda%s", version_text(&row->cuda, 0, version));
        entry = member_of(entry, variant);
    }
    AUTO_FREE char *path = mem_printf("%s/%s/%s", row->component, row->platform, row->file);
    AUTO_FREE char *size = mem_printf("%" PRIu64, row->size);
    json_set_string(entry, "relative_path", path);
    json_set_string(entry, "sha256", row->sha256);
    json_set_string(entry, "size", size);
}

bool own_catalog(struct manifest *manifest, const struct request_product *product,
                 struct text *ret_text)
{
    size_t count, found = 0;
    char version[VERSION_TEXT_SIZE];
    const struct manifest_download *rows = manifest_downloads(manifest, &count);
    AUTO_JSON json_t *catalog = json_object();
    json_set_string(catalog, "release_label", version_text(&product->version, 0, version));
    json_set_string(catalog, "release_product", product->product);
    for (size_t i = 0; i < count; i++) {
        if (!is_of(&rows[i], product))
            continue;
        add(catalog, &rows[i]);
        found++;
    }
    if (found > 0)
        json_append_text(catalog, ret_text);
    return found > 0;
}

static const struct manifest_download *row_of(struct manifest *manifest,
                                              const struct digest *sha256)
{
    char hex[DIGEST_HEX_SIZE];
    return manifest_download_find(manifest, digest_hex(sha256, hex));
}

static const struct manifest_layout *layout_of(struct manifest *manifest,
                                               const struct manifest_download *row)
{
    const struct manifest_layout *layout = NULL;
    while ((layout = manifest_single_layout(manifest, row->product, &row->version, layout)) != NULL)
        if (string_equal(layout->component, row->component))
            return layout;
    return NULL;
}

const struct manifest_layout *own_layout(struct manifest *manifest, const struct digest *sha256)
{
    const struct manifest_download *row = row_of(manifest, sha256);
    return row ? layout_of(manifest, row) : NULL;
}

void own_catalog_layouts(struct manifest *manifest, struct catalog *catalog)
{
    for (size_t i = 0; i < catalog->component_count; i++)
        for (size_t k = 0; k < catalog->components[i].entry_count; k++) {
            struct catalog_entry *entry = &catalog->components[i].entries[k];
            const struct manifest_download *row =
                entry->problem ? NULL : row_of(manifest, &entry->sha256);
            if (row == NULL || entry->layout)
                continue;
            AUTO_FREE char *path = entry->path;
            entry->path = mem_printf("compute/%s/redist/%s", row->product, path);
            entry->layout = layout_of(manifest, row);
            entry->url = mem_string(row->url);
        }
}
