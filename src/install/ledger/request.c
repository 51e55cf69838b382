/* SPDX-License-Identifier: MIT */
#include "install/ledger/request.h"

#include "base/fields.h"

static const char *const actions[] = {[ACTION_PLAN] = "plan",
                                      [ACTION_INSTALL] = "install",
                                      [ACTION_VERIFY] = "verify",
                                      [ACTION_LIST] = "list",
                                      [ACTION_UNINSTALL] = "uninstall",
                                      [ACTION_USE] = "use",
                                      [ACTION_MIRROR] = "mirror",
                                      [ACTION_LINK] = "link",
                                      [ACTION_CACHE_SHOW] = "cache_show",
                                      [ACTION_CACHE_PRUNE] = "cache_prune",
                                      [ACTION_MANIFEST_UPDATE] = "manifest_update",
                                      NULL};
const char *const extent_words[] = {
    [EXTENT_FULL] = "full", [EXTENT_RUNTIME] = "runtime", [EXTENT_BUILD] = "build", NULL};

char *request_variant(const struct request_product *product)
{
    char text[VERSION_TEXT_SIZE];
    return product->cuda.count ? mem_printf("cuda%s", version_text(&product->cuda, 0, text)) : NULL;
}

const char *extent_word(enum extent extent)
{
    return extent_words[extent];
}

static const struct field product_fields[] = {
    FIELD(request_product, spec, field_string, .required = true),
    FIELD(request_product, product, field_string, .required = true),
    FIELD(request_product, version, field_version),
    FIELD(request_product, cuda, field_version),
    FIELD(request_product, asked, field_version),
    FIELD(request_product, rule, field_string),
    FIELD(request_product, why, field_string),
    FIELD(request_product, limits, field_strings),
    FIELD(request_product, exact, field_string),
    {.name = NULL},
};

static const struct field request_fields[] = {
    FIELD(request, action, field_choice, .required = true, .choices = actions),
    {.name = "products", .type = &field_list, .required = true},
    FIELD(request, notes, field_strings),
    FIELD(request, root, field_string),
    FIELD(request, then, field_strings),
    FIELD(request, then_commands, field_strings),
    FIELD(request, prefix, field_string),
    FIELD(request, usual_prefix, field_string),
    FIELD(request, link, field_string),
    FIELD(request, use, field_boolean),
    FIELD(request, ldconfig, field_boolean),
    FIELD(request, platform, field_string, .required = true),
    FIELD_AS(request, extent, "profile", field_choice, .required = true, .choices = extent_words),
    FIELD_AS(request, extent_given, "profile_given", field_boolean),
    FIELD(request, components, field_strings),
    FIELD(request, mirrors, field_strings),
    FIELD(request, archives, field_strings),
    FIELD(request, indexes, field_strings),
    FIELD(request, manifest_path, field_string),
    FIELD(request, manifest_text, field_string),
    FIELD(request, manifest_origin, field_string),
    FIELD(request, update_from, field_string),
    FIELD(request, update_directory, field_string),
    FIELD(request, update_path, field_string),
    FIELD(request, format, field_string, .required = true),
    FIELD(request, progress, field_string, .required = true),
    FIELD(request, output, field_string),
    FIELD(request, accept_eula, field_boolean),
    FIELD(request, allow_unpinned, field_boolean),
    FIELD(request, offline, field_boolean),
    FIELD(request, no_cache, field_boolean),
    FIELD(request, force, field_boolean),
    FIELD(request, only, field_boolean),
    FIELD(request, previous, field_boolean),
    FIELD(request, quiet, field_boolean),
    FIELD(request, verbose, field_boolean),
    FIELD(request, prune_all, field_boolean),
    FIELD(request, prune_by_age, field_boolean),
    FIELD(request, prune_by_size, field_boolean),
    FIELD(request, older_than_days, field_number),
    FIELD(request, max_size, field_size),
    FIELD(request, jobs, field_number),
    FIELD(request, timeout_s, field_number),
    FIELD(request, lock_timeout_s, field_number),
    FIELD(request, cacert, field_string),
    FIELD(request, lock_path, field_string),
    FIELD(request, lock_text, field_string),
    FIELD(request, lock_extends, field_boolean),
    FIELD(request, asked_specs, field_strings),
    FIELD(request, asked_assume_gpus, field_strings),
    FIELD(request, asked_platforms, field_strings),
    FIELD(request, asked_assume_driver, field_string),
    FIELD(request, asked_framework, field_string),
    FIELD(request, dry_run, field_boolean),
    FIELD(request, date, field_time, .required = true),
    {.name = NULL},
};

static const struct fields_document document = {"request", "the request is not valid", NULL};

/* Enumerations are read as their index. */
_Static_assert(sizeof(enum action) == sizeof(int) && sizeof(enum extent) == sizeof(int),
               "enumerations are ints");

static void product_clear(struct request_product *product)
{
    free(product->spec);
    free(product->product);
    free(product->rule);
    free(product->why);
    strlist_free(&product->limits);
    free(product->exact);
}

void request_free(struct request *request)
{
    for (size_t i = 0; i < request->product_count; i++)
        product_clear(&request->products[i]);
    free(request->products);
    strlist_free(&request->notes);
    free(request->root);
    strlist_free(&request->then);
    strlist_free(&request->then_commands);
    free(request->prefix);
    free(request->usual_prefix);
    free(request->link);
    free(request->platform);
    strlist_free(&request->components);
    strlist_free(&request->mirrors);
    strlist_free(&request->archives);
    strlist_free(&request->indexes);
    free(request->cacert);
    free(request->manifest_path);
    free(request->manifest_text);
    free(request->manifest_origin);
    free(request->update_from);
    free(request->update_directory);
    free(request->update_path);
    free(request->lock_path);
    free(request->lock_text);
    strlist_free(&request->asked_specs);
    strlist_free(&request->asked_assume_gpus);
    strlist_free(&request->asked_platforms);
    free(request->asked_assume_driver);
    free(request->asked_framework);
    free(request->format);
    free(request->progress);
    free(request->output);
    *request = (struct request){.prefix = NULL};
}

static bool request_read(const json_t *json, struct request *request, struct error *error)
{
    if (!fields_read(request_fields, json, &document, "", request, error))
        return false;
    const json_t *products = json_object_get(json, "products");
    for (size_t i = 0; i < json_array_size(products); i++) {
        AUTO_FREE char *place = mem_printf("products[%zu]", i);
        struct request_product *product =
            vec_push(request->products, request->product_count, request->product_capacity);
        if (!fields_read(product_fields, json_array_get(products, i), &document, place, product,
                         error))
            return false;
    }
    return true;
}

bool request_parse(const char *text, size_t size, struct request *ret_request, struct error *error)
{
    AUTO_JSON json_t *json = json_parse(text, size, REQUEST_MAX, "request", error);
    AUTO_REQUEST struct request request = {.prefix = NULL};
    if (json == NULL || !request_read(json, &request, error)) {
        if (error) {
            error_prefix(error, "gpuenv and gpuenv-install do not match");
            error->kind = ERROR_INTERNAL;
            error_next(
                error,
                "gpuenv and gpuenv-install must come from the same build: install gpuenv again");
        }
        return false;
    }
    *ret_request = request;
    request = (struct request){.prefix = NULL};
    return true;
}
