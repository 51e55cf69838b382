/* SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "install/ledger/ledger.h"

/* Keys in a fixed order, rows in the order of the ledger: equal ledgers give equal bytes. */

static void set_digest(json_t *object, const char *key, const struct digest *digest)
{
    char hex[DIGEST_HEX_SIZE];
    json_object_set_new(object, key, json_string(digest_hex(digest, hex)));
}

static json_t *component_json(const struct ledger_component *component)
{
    json_t *json = json_object();
    json_set_string(json, "name", component->name);
    json_set_string(json, "version", component->version);
    json_set_string(json, "platform", component->platform);
    json_set_string(json, "variant", component->variant);
    json_set_string(json, "archive", component->archive);
    json_object_set_new(json, "size", json_integer((json_int_t)component->size));
    set_digest(json, "sha256", &component->sha256);
    json_set_string(json, "licence", component->licence);
    return json;
}

static json_t *product_json(const struct ledger_product *product)
{
    json_t *json = json_object();
    json_t *components = json_array();
    json_set_string(json, "product", product->product);
    json_set_string(json, "version", product->version);
    json_set_string(json, "variant", product->variant);
    json_set_string(json, "spec", product->spec);
    json_set_string(json, "profile", product->extent);
    if (product->wishes.count > 0)
        json_set_list(json, "wishes", &product->wishes);
    json_set_string(json, "pin", product->pin);
    set_digest(json, "catalog", &product->catalog);
    json_set_string(json, "accepted", product->accepted);
    for (size_t i = 0; i < product->component_count; i++)
        json_array_append_new(components, component_json(&product->components[i]));
    json_object_set_new(json, "components", components);
    if (product->change > 0)
        json_object_set_new(json, "change", json_integer(product->change));
    if (product->previous_count == 0)
        return json;
    json_t *previous = json_array();
    for (size_t i = 0; i < product->previous_count; i++)
        json_array_append_new(previous, product_json(&product->previous[i]));
    json_object_set_new(json, "previous", previous);
    return json;
}

static json_t *file_json(const struct ledger_file *file)
{
    json_t *json = json_object();
    json_set_string(json, "path", file->path);
    json_set_string(json, "type", ledger_type_word(file->type));
    if (file->type != LEDGER_LINK)
        json_object_set_new(json, "mode", json_sprintf("%04o", file->mode));
    if (file->type == LEDGER_FILE) {
        json_object_set_new(json, "size", json_integer((json_int_t)file->size));
        set_digest(json, "sha256", &file->sha256);
    }
    json_set_string(json, "target", file->target);
    json_set_list(json, "owners", &file->owners);
    return json;
}

/* One row per line: a ledger has thousands, and people diff them. */
static void append_rows(struct text *output, const char *key, json_t *rows, const char *end)
{
    text_printf(output, "  \"%s\": [", key);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        AUTO_FREE char *row =
            json_dumps(json_array_get(rows, i), JSON_ENCODE_ANY | JSON_COMPACT | JSON_ENSURE_ASCII);
        text_printf(output, "%s\n    %s", i > 0 ? "," : "", row);
    }
    text_printf(output, "\n  ]%s\n", end);
}

void ledger_append(const struct ledger *ledger, struct text *output)
{
    AUTO_JSON json_t *products = json_array();
    AUTO_JSON json_t *files = json_array();
    AUTO_JSON json_t *version = json_from_string(ledger->gpuenv);
    AUTO_FREE char *gpuenv = json_dumps(version, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
    for (size_t i = 0; i < ledger->product_count; i++)
        json_array_append_new(products, product_json(&ledger->products[i]));
    for (size_t i = 0; i < ledger->file_count; i++)
        json_array_append_new(files, file_json(&ledger->files[i]));
    text_printf(output, "{\n  \"schema\": %d,\n  \"gpuenv\": %s,\n", LEDGER_SCHEMA, gpuenv);
    if (ledger->remove.count > 0) {
        AUTO_JSON json_t *paths = json_array();
        for (size_t i = 0; i < ledger->remove.count; i++)
            json_array_append_new(paths, json_from_string(ledger->remove.items[i]));
        append_rows(output, "remove", paths, ",");
    }
    if (ledger->undoes > 0)
        text_printf(output, "  \"undoes\": %u,\n", ledger->undoes);
    append_rows(output, "products", products, ",");
    append_rows(output, "files", files, "");
    text_append(output, "}\n");
}
