/* SPDX-License-Identifier: MIT */
#include <inttypes.h>

#include "base/json.h"
#include "install/print.h"

static const char *base_of(const struct run *run)
{
    return run->source_count > 0 ? run->sources[0].base : SOURCE_NVIDIA;
}

static void set_string(json_t *object, const char *key, const char *value)
{
    if (value)
        json_object_set_new(object, key, json_from_string(value));
}

static void set_size(json_t *object, const char *key, uint64_t bytes)
{
    json_object_set_new(object, key,
                        json_integer(bytes > INT64_MAX ? INT64_MAX : (json_int_t)bytes));
}

static json_t *item_json(const struct run *run, const struct plan_item *item)
{
    json_t *json = json_object();
    char hex[DIGEST_HEX_SIZE];
    AUTO_FREE char *url = source_url(&run->sources[0], item->path);
    set_string(json, "product", item->product);
    set_string(json, "release", item->release);
    set_string(json, "name", item->component);
    set_string(json, "version", item->version);
    set_string(json, "platform", item->platform);
    set_string(json, "variant", item->variant);
    set_string(json, "url", url);
    set_size(json, "size", item->size);
    set_string(json, "sha256", digest_hex(&item->sha256, hex));
    set_size(json, "installed_size", item->installed_size);
    set_string(json, "installed_size_basis", item->estimated ? "estimate" : "archive");
    set_string(json, "license", item->license);
    if (item->license_path) {
        AUTO_FREE char *license = source_url(&run->sources[0], item->license_path);
        set_string(json, "license_url", license);
    }
    return json;
}

static json_t *totals_json(const struct plan *plan)
{
    json_t *json = json_object();
    uint64_t size = 0;
    for (size_t i = 0; i < plan->item_count; i++)
        size += plan->items[i].size;
    set_size(json, "size", size);
    set_size(json, "download", plan->download);
    set_size(json, "unpacked", plan->unpacked);
    set_size(json, "staging", plan->staging);
    set_size(json, "saved", plan->saved);
    if (plan->knows_free_prefix)
        set_size(json, "free", plan->free_prefix);
    else
        json_object_set_new(json, "free", json_null());
    if (plan->knows_free_cache)
        set_size(json, "free_cache", plan->free_cache);
    else
        json_object_set_new(json, "free_cache", json_null());
    return json;
}

static json_t *excluded_json(const struct plan *plan)
{
    json_t *array = json_array();
    for (size_t i = 0; i < plan->excluded_count; i++) {
        const struct plan_excluded *excluded = &plan->excluded[i];
        json_t *json = json_object();
        set_string(json, "product", excluded->product);
        set_string(json, "name", excluded->component);
        set_string(json, "reason", excluded->reason);
        set_size(json, "size", excluded->size);
        json_array_append_new(array, json);
    }
    return array;
}

static json_t *requested_json(const struct run *run)
{
    json_t *array = json_array();
    for (size_t i = 0; i < run->request->product_count; i++) {
        const struct request_product *product = &run->request->products[i];
        char text[VERSION_TEXT_SIZE];
        json_t *json = json_object();
        set_string(json, "spec", product->spec);
        set_string(json, "product", product->product);
        set_string(json, "version", version_text(&product->version, 0, text));
        if (product->cuda.count)
            set_string(json, "cuda", version_text(&product->cuda, 0, text));
        set_string(json, "pin", run->pins ? run->pins[i] : NULL);
        set_string(json, "rule", product->rule);
        set_string(json, "why", product->why);
        json_array_append_new(array, json);
    }
    return array;
}

/* changed: 1 and 0 are said, -1 is not. */
static void print_json(const struct run *run, int changed, struct text *output)
{
    AUTO_JSON json_t *json = print_envelope(run);
    const struct plan *plan = &run->plan;
    json_t *components = json_array();
    json_t *licences = json_array();
    set_string(json, "platform", run->request->platform);
    set_string(json, "profile", profile_word(run->request->profile));
    json_object_set_new(json, "products", requested_json(run));
    for (size_t i = 0; i < plan->item_count; i++)
        json_array_append_new(components, item_json(run, &plan->items[i]));
    json_object_set_new(json, "components", components);
    json_object_set_new(json, "totals", totals_json(plan));
    for (size_t i = 0; i < plan->licenses.count; i++)
        json_array_append_new(licences, json_from_string(plan->licenses.items[i]));
    json_object_set_new(json, "licences", licences);
    json_object_set_new(json, "excluded", excluded_json(plan));
    if (changed >= 0)
        json_object_set_new(json, "changed", json_boolean(changed));
    json_append_text(json, output);
}

static void print_products(const struct run *run, bool installed, struct text *output)
{
    for (size_t i = 0; i < run->request->product_count; i++) {
        const struct request_product *product = &run->request->products[i];
        char text[VERSION_TEXT_SIZE];
        text_printf(output, "%s %s %s", installed ? "installed" : "would install", product->product,
                    version_text(&product->version, 0, text));
        if (product->cuda.count)
            text_printf(output, " for CUDA %s", version_text(&product->cuda, 0, text));
        text_printf(output, " (%s, profile %s, %s) in ", run->request->platform,
                    profile_word(run->request->profile),
                    string_equal(run->pins[i], "none")   ? "not pinned"
                    : string_equal(run->pins[i], "file") ? "pinned by file"
                                                         : "pinned by content");
        text_append_safe(output, run->request->prefix);
        text_append_char(output, '\n');
        if (product->why) {
            text_append(output, "  ");
            text_append_safe(output, product->why);
            text_append_char(output, '\n');
        }
    }
}

static void print_items(const struct plan *plan, struct text *output)
{
    char size[PRINT_SIZE];
    for (size_t i = 0; i < plan->item_count; i++) {
        const struct plan_item *item = &plan->items[i];
        AUTO_FREE char *version = string_safe(item->version ? item->version : "");
        text_printf(output, "  %-28s %-16s %9s\n", item->component, version,
                    print_size(item->size, size));
    }
}

static void print_excluded(const struct run *run, struct text *output)
{
    const struct plan *plan = &run->plan;
    char size[PRINT_SIZE];
    if (plan->excluded_count == 0)
        return;
    text_printf(output, "left out: %zu components, %s", plan->excluded_count,
                print_size(plan->saved, size));
    text_append(output,
                run->request->verbose ? "\n" : " (-v lists them; --component NAME adds one)\n");
    for (size_t i = 0; run->request->verbose && i < plan->excluded_count; i++)
        text_printf(output, "  %-28s %-16s %9s  %s\n", plan->excluded[i].component, "",
                    print_size(plan->excluded[i].size, size), plan->excluded[i].reason);
}

static void print_totals(const struct plan *plan, struct text *output)
{
    char a[PRINT_SIZE], b[PRINT_SIZE], c[PRINT_SIZE];
    bool estimated = false;
    for (size_t i = 0; i < plan->item_count; i++)
        estimated = estimated || plan->items[i].estimated;
    text_printf(output, "download %s, unpacked %s%s, free where the prefix is %s\n",
                print_size(plan->download, a), estimated ? "up to " : "",
                print_size(plan->unpacked, b),
                plan->knows_free_prefix ? print_size(plan->free_prefix, c) : "not known");
}

static void print_text(const struct run *run, bool installed, struct text *output)
{
    const struct plan *plan = &run->plan;
    AUTO_FREE char *licenses = strlist_join(&plan->licenses, "; ");
    print_products(run, installed, output);
    if (!installed || run->request->verbose)
        print_items(plan, output);
    if (!installed)
        print_totals(plan, output);
    print_excluded(run, output);
    text_append(output, "licences: ");
    text_append_safe(output, licenses);
    text_append_char(output, '\n');
    if (installed)
        return;
    text_append(output, "from ");
    text_append_safe(output, base_of(run));
    text_append_char(output, '\n');
}

void print_plan(const struct run *run, bool installed, struct text *output)
{
    if (print_is_json(run))
        print_json(run, installed ? 1 : -1, output);
    else
        print_text(run, installed, output);
}

void print_nothing_to_do(const struct run *run, struct text *output)
{
    if (print_is_json(run)) {
        print_json(run, 0, output);
        return;
    }
    text_append(output, "nothing to do: ");
    text_append_safe(output, run->prefix.path);
    text_append(output, " has it already\n");
}
