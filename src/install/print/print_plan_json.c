/* SPDX-License-Identifier: MIT */

#include "install/print/envelope.h"
#include "install/print/print_plan.h"
#include "install/print/print_settled.h"
#include "install/print/print_single.h"
#include "install/run/run.h"
#include "install/run/run_plan.h"
#include "install/run/run_index.h"

static void set_size(json_t *object, const char *key, uint64_t bytes)
{
    json_object_set_new(object, key,
                        json_integer(bytes > INT64_MAX ? INT64_MAX : (json_int_t)bytes));
}

static void set_free(json_t *object, const char *key, bool known, uint64_t bytes)
{
    if (known)
        set_size(object, key, bytes);
    else
        json_object_set_new(object, key, json_null());
}

static void set_url(const struct run *run, json_t *object, const char *key, const char *path)
{
    AUTO_FREE char *url = path && run->mirror_count > 0 ? mirror_url(&run->mirrors[0], path) : NULL;
    json_set_string(object, key, url);
}

static json_t *item_json(const struct run *run, const struct plan_item *item)
{
    json_t *json = json_object();
    char hex[DIGEST_HEX_SIZE];
    json_set_string(json, "product", item->product);
    json_set_string(json, "release", item->release);
    json_set_string(json, "name", item->component);
    json_set_string(json, "version", item->version);
    json_set_string(json, "platform", item->platform);
    json_set_string(json, "variant", item->variant);
    AUTO_FREE char *url = run_item_url(run, item);
    json_set_string(json, "url", url);
    json_set_string(json, "package", run_package_of(run, item));
    if (item->size > 0)
        set_size(json, "size", item->size);
    json_set_string(json, "sha256", digest_hex(&item->sha256, hex));
    json_object_set_new(json, "cached", json_boolean(item->cached));
    if (item->by_hand)
        json_object_set_new(json, "by_hand", json_true());
    if (run->request->action != ACTION_MIRROR) {
        json_object_set_new(json, "there", json_boolean(item->there));
        set_size(json, "installed_size", item->installed_size);
        json_set_string(json, "installed_size_basis", item->estimated ? "estimate" : "ledger");
    }
    json_set_string(json, "licence", item->licence);
    set_url(run, json, "licence_url", item->licence_path);
    return json;
}

static json_t *items_json(const struct run *run)
{
    json_t *array = json_array();
    for (size_t i = 0; i < run->plan.item_count; i++)
        json_array_append_new(array, item_json(run, &run->plan.items[i]));
    return array;
}

static json_t *totals_json(const struct plan *plan)
{
    json_t *json = json_object();
    uint64_t size = 0;
    for (size_t i = 0; i < plan->item_count; i++)
        size += plan->items[i].there ? 0 : plan->items[i].size;
    set_size(json, "size", size);
    set_size(json, "download", plan->download);
    set_size(json, "unpacked", plan->unpacked);
    set_size(json, "staging", plan->staging);
    set_size(json, "saved", plan->saved);
    set_free(json, "free", plan->knows_free_prefix, plan->free_prefix);
    set_free(json, "free_cache", plan->knows_free_cache, plan->free_cache);
    return json;
}

static json_t *excluded_json(const struct plan *plan)
{
    json_t *array = json_array();
    for (size_t i = 0; i < plan->excluded_count; i++) {
        const struct plan_excluded *excluded = &plan->excluded[i];
        json_t *json = json_object();
        json_set_string(json, "product", excluded->product);
        json_set_string(json, "name", excluded->component);
        json_set_string(json, "reason", excluded->reason);
        if (excluded->size > 0) /* else there is no archive for the platform */
            set_size(json, "size", excluded->size);
        json_array_append_new(array, json);
    }
    return array;
}

static void set_change(const struct run *run, size_t index, json_t *json)
{
    if (index >= run->change.count) /* nothing is to be done */
        return;
    const struct change_product *change = &run->change.products[index];
    json_set_string(json, "change", change_word(change->kind));
    if (change->kind != CHANGE_NONE)
        json_set_string(json, "profile", extent_word(change->extent));
    json_set_string(json, "was", change->was);
}

static json_t *products_json(const struct run *run)
{
    json_t *array = json_array();
    for (size_t i = 0; i < run->request->product_count; i++) {
        const struct request_product *product = &run->request->products[i];
        char text[VERSION_TEXT_SIZE];
        json_t *json = json_object();
        json_set_string(json, "spec", product->spec);
        json_set_string(json, "product", product->product);
        json_set_string(json, "version", version_text(&product->version, 0, text));
        if (product->cuda.count)
            json_set_string(json, "cuda", version_text(&product->cuda, 0, text));
        json_set_string(json, "pin", run->pins[i]);
        json_set_string(json, "rule", product->rule);
        json_set_string(json, "why", product->why);
        json_set_list(json, "limits", &product->limits);
        json_set_string(json, "exact", product->exact);
        set_change(run, i, json);
        json_array_append_new(array, json);
    }
    return array;
}

static json_t *lock_json(const struct run *run)
{
    json_t *json = json_object();
    json_set_string(json, "path", run->request->lock_path);
    json_set_string(json, "state", run->lock_state);
    return json;
}

static json_t *unpackers_json(const struct unpacker_cage *cage)
{
    json_t *json = json_object();
    json_object_set_new(json, "files_confined", json_boolean(cage->files));
    json_object_set_new(json, "calls_confined", json_boolean(cage->calls));
    return json;
}

static json_t *notes_json(const struct run *run)
{
    const struct request *request = run->request;
    json_t *notes = json_from_list(&request->notes);
    for (size_t i = 0; i < request->then.count; i++) {
        const char *command =
            i < request->then_commands.count ? request->then_commands.items[i] : "";
        AUTO_FREE char *note =
            mem_printf("%s%s%s", request->then.items[i], *command ? " " : "", command);
        json_array_append_new(notes, json_from_string(note));
    }
    if (run->other_prefix_reason)
        json_array_append_new(notes, json_from_string(run->other_prefix_reason));
    return notes;
}

void print_plan_json(const struct run *run, enum print_outcome outcome, struct text *output)
{
    AUTO_JSON json_t *json = print_envelope(run);
    if (run->request->action == ACTION_MIRROR)
        json_set_list(json, "platforms", &run->request->asked_platforms);
    else
        json_set_string(json, "platform", run->request->platform);
    json_set_string(json, "profile", extent_word(run_extent(run)));
    json_object_set_new(json, "products", products_json(run));
    json_object_set_new(json, "components", items_json(run));
    json_object_set_new(json, "totals", totals_json(&run->plan));
    json_set_list(json, "licences", &run->plan.licences);
    json_object_set_new(json, "excluded", excluded_json(&run->plan));
    json_object_set_new(json, "notes", notes_json(run));
    if (run->lock_state)
        json_object_set_new(json, "lock", lock_json(run));
    if (run->cage_valid)
        json_object_set_new(json, "unpackers", unpackers_json(&run->cage));
    print_settled_json(run, json);
    if (outcome != PRINT_NOTHING_TO_DO && run->request->action != ACTION_MIRROR)
        json_set_string(json, "way", way_word(run->way));
    json_object_set_new(json, "changed",
                        json_boolean(outcome != PRINT_NOTHING_TO_DO || settled_has_changed(run)));
    json_append_text(json, output);
}
