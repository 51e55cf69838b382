/* SPDX-License-Identifier: MIT */
#include "resolve/lockfile/lockfile.h"

#include "base/json.h"

/* Keys are set in the order of their bytes. */

static json_t *archive_json(const struct lockfile_archive *archive)
{
    json_t *json = json_object();
    json_set_string(json, "component", archive->component);
    json_set_string(json, "licence", archive->licence);
    json_set_string(json, "path", archive->path);
    json_set_string(json, "platform", archive->platform);
    json_set_string(json, "sha256", archive->sha256);
    json_object_set_new(json, "size", json_integer((json_int_t)archive->size));
    json_set_string(json, "variant", archive->variant);
    json_set_string(json, "version", archive->version);
    return json;
}

static json_t *product_json(const struct lockfile_product *product)
{
    char text[VERSION_TEXT_SIZE];
    json_t *json = json_object(), *archives = json_array(), *catalog = json_object();
    const struct lockfile_archive *before = NULL;
    for (size_t i = 0; i < product->archive_count; i++) {
        if (before == NULL || lockfile_archive_compare(before, &product->archives[i]) != 0)
            json_array_append_new(archives, archive_json(&product->archives[i]));
        before = &product->archives[i];
    }
    json_object_set_new(json, "archives", archives);
    json_set_string(catalog, "path", product->catalog_path);
    json_set_string(catalog, "pin", product->pin);
    json_set_string(catalog, "sha256", product->catalog);
    json_object_set_new(json, "catalog", catalog);
    if (product->cuda.count)
        json_set_string(json, "cuda", version_text(&product->cuda, 0, text));
    json_set_string(json, "product", product->product);
    json_set_string(json, "version", version_text(&product->version, 0, text));
    return json;
}

static json_t *request_json(const struct lockfile_request *request)
{
    json_t *json = json_object();
    json_set_string(json, "assume_driver", request->assume_driver);
    if (request->assume_gpus.count > 0)
        json_set_list(json, "assume_gpus", &request->assume_gpus);
    if (request->components.count > 0)
        json_set_list(json, "components", &request->components);
    json_set_string(json, "framework", request->framework);
    json_set_list(json, "platforms", &request->platforms);
    json_set_string(json, "profile", request->extent);
    json_set_list(json, "specs", &request->specs);
    return json;
}

void lockfile_append(const struct lockfile *lockfile, struct text *output)
{
    AUTO_JSON json_t *json = json_object();
    json_t *products = json_array();
    for (size_t i = 0; i < lockfile->product_count; i++)
        json_array_append_new(products, product_json(&lockfile->products[i]));
    json_object_set_new(json, "products", products);
    json_object_set_new(json, "request", request_json(&lockfile->request));
    json_object_set_new(json, "schema", json_integer(LOCKFILE_SCHEMA));
    json_append_text(json, output);
}
