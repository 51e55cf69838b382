/* SPDX-License-Identifier: MIT */
#include "install/ledger/request.h"

#include "install/io/fields.h"

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
                                      NULL};
static const char *const extents[] = {
    [EXTENT_FULL] = "full", [EXTENT_RUNTIME] = "runtime", [EXTENT_BUILD] = "build", NULL};

char *request_variant(const struct request_product *product)
{
    char text[VERSION_TEXT_SIZE];
    return product->cuda.count ? mem_printf("cuda%s", version_text(&product->cuda, 0, text)) : NULL;
}

const char *extent_word(enum extent extent)
{
    return extents[extent];
}

static const struct field product_fields[] = {
    FIELD(request_product, spec, FIELD_STRING, .required = true),
    FIELD(request_product, product, FIELD_STRING, .required = true),
    FIELD(request_product, version, FIELD_VERSION),
    FIELD(request_product, cuda, FIELD_VERSION),
    FIELD(request_product, asked, FIELD_VERSION),
    FIELD(request_product, rule, FIELD_STRING),
    FIELD(request_product, why, FIELD_STRING),
    FIELD(request_product, limits, FIELD_STRINGS),
    FIELD(request_product, exact, FIELD_STRING),
    {.name = NULL},
};

static const struct field request_fields[] = {
    FIELD(request, action, FIELD_CHOICE, .required = true, .choices = actions),
    {.name = "products", .type = FIELD_LIST, .required = true},
    FIELD(request, notes, FIELD_STRINGS),
    FIELD(request, root, FIELD_STRING),
    FIELD(request, then, FIELD_STRINGS),
    FIELD(request, then_commands, FIELD_STRINGS),
    FIELD(request, prefix, FIELD_STRING),
    FIELD(request, usual_prefix, FIELD_STRING),
    FIELD(request, link, FIELD_STRING),
    FIELD(request, use, FIELD_BOOLEAN),
    FIELD(request, ldconfig, FIELD_BOOLEAN),
    FIELD(request, platform, FIELD_STRING, .required = true),
    FIELD_AS(request, extent, "profile", FIELD_CHOICE, .required = true, .choices = extents),
    FIELD_AS(request, extent_given, "profile_given", FIELD_BOOLEAN),
    FIELD(request, components, FIELD_STRINGS),
    FIELD(request, mirrors, FIELD_STRINGS),
    FIELD(request, archives, FIELD_STRINGS),
    FIELD(request, manifest_path, FIELD_STRING),
    FIELD(request, manifest_text, FIELD_STRING),
    FIELD(request, format, FIELD_STRING, .required = true),
    FIELD(request, progress, FIELD_STRING, .required = true),
    FIELD(request, output, FIELD_STRING),
    FIELD(request, accept_eula, FIELD_BOOLEAN),
    FIELD(request, allow_unpinned, FIELD_BOOLEAN),
    FIELD(request, offline, FIELD_BOOLEAN),
    FIELD(request, no_cache, FIELD_BOOLEAN),
    FIELD(request, force, FIELD_BOOLEAN),
    FIELD(request, only, FIELD_BOOLEAN),
    FIELD(request, previous, FIELD_BOOLEAN),
    FIELD(request, quiet, FIELD_BOOLEAN),
    FIELD(request, verbose, FIELD_BOOLEAN),
    FIELD(request, prune_all, FIELD_BOOLEAN),
    FIELD(request, prune_by_age, FIELD_BOOLEAN),
    FIELD(request, prune_by_size, FIELD_BOOLEAN),
    FIELD(request, older_than_days, FIELD_NUMBER),
    FIELD(request, max_size, FIELD_SIZE),
    FIELD(request, jobs, FIELD_NUMBER),
    FIELD(request, timeout_s, FIELD_NUMBER),
    FIELD(request, lock_timeout_s, FIELD_NUMBER),
    FIELD(request, lock_path, FIELD_STRING),
    FIELD(request, lock_text, FIELD_STRING),
    FIELD(request, lock_extends, FIELD_BOOLEAN),
    FIELD(request, asked_specs, FIELD_STRINGS),
    FIELD(request, asked_assume_gpus, FIELD_STRINGS),
    FIELD(request, asked_platforms, FIELD_STRINGS),
    FIELD(request, asked_assume_driver, FIELD_STRING),
    FIELD(request, asked_framework, FIELD_STRING),
    FIELD(request, dry_run, FIELD_BOOLEAN),
    FIELD(request, date, FIELD_TIME, .required = true),
    {.name = NULL},
};

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
    free(request->manifest_path);
    free(request->manifest_text);
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
    if (!fields_read(request_fields, json, "request", "", request, error))
        return false;
    const json_t *products = json_object_get(json, "products");
    for (size_t i = 0; i < json_array_size(products); i++) {
        AUTO_FREE char *place = mem_printf("products[%zu]", i);
        struct request_product *product =
            vec_push(request->products, request->product_count, request->product_capacity);
        if (!fields_read(product_fields, json_array_get(products, i), "request", place, product,
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
            error_prefix(error, "gpuenv and gpuenv-install do not understand each other");
            error->kind = ERROR_INTERNAL;
            error_next(error, "both must be of one build: install gpuenv anew");
        }
        return false;
    }
    *ret_request = request;
    request = (struct request){.prefix = NULL};
    return true;
}
