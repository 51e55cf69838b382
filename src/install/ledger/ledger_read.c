/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "install/io/fields.h"
#include "install/io/source_path.h"
#include "install/ledger/ledger.h"

static const struct field component_fields[] = {
    FIELD(ledger_component, name, FIELD_STRING, .required = true),
    FIELD(ledger_component, version, FIELD_STRING),
    FIELD(ledger_component, platform, FIELD_STRING, .required = true),
    FIELD(ledger_component, variant, FIELD_STRING),
    FIELD(ledger_component, archive, FIELD_STRING, .required = true),
    FIELD(ledger_component, size, FIELD_SIZE, .required = true),
    FIELD(ledger_component, sha256, FIELD_DIGEST, .required = true),
    FIELD(ledger_component, licence, FIELD_STRING),
    {.name = NULL},
};

/* clang-format off */
#define PRODUCT_FIELDS                                                                             \
    FIELD(ledger_product, product, FIELD_STRING, .required = true),                                \
    FIELD(ledger_product, version, FIELD_STRING, .required = true),                                \
    FIELD(ledger_product, variant, FIELD_STRING),                                                  \
    FIELD(ledger_product, spec, FIELD_STRING, .required = true),                                   \
    FIELD_AS(ledger_product, extent, "profile", FIELD_STRING, .required = true),                                \
    FIELD(ledger_product, wishes, FIELD_STRINGS),                                                  \
    FIELD(ledger_product, pin, FIELD_STRING, .required = true),                                    \
    FIELD(ledger_product, catalog, FIELD_DIGEST, .required = true),                                \
    FIELD(ledger_product, accepted, FIELD_STRING, .required = true),                               \
    {.name = "components", .type = FIELD_LIST, .required = true}
/* clang-format on */
static const struct field product_fields[] = {
    PRODUCT_FIELDS,
    {.name = "previous", .type = FIELD_LIST},
    {.name = NULL},
};
static const struct field previous_fields[] = {
    PRODUCT_FIELDS,
    FIELD(ledger_product, change, FIELD_NUMBER, .required = true),
    {.name = NULL},
};

static const char *const types[] = {"file", "directory", "link", NULL};
static const struct field file_fields[] = {
    FIELD(ledger_file, path, FIELD_STRING, .required = true),
    FIELD(ledger_file, type, FIELD_CHOICE, .required = true, .choices = types),
    FIELD(ledger_file, mode, FIELD_MODE),
    FIELD(ledger_file, size, FIELD_SIZE),
    FIELD(ledger_file, sha256, FIELD_DIGEST),
    FIELD(ledger_file, target, FIELD_STRING),
    FIELD(ledger_file, owners, FIELD_STRINGS, .required = true),
    {.name = NULL},
};

struct head {
    unsigned schema;
    char *gpuenv;
    struct strlist remove;
    unsigned undoes;
};
static const struct field head_fields[] = {
    FIELD(head, schema, FIELD_NUMBER, .required = true),
    FIELD(head, gpuenv, FIELD_STRING, .required = true),
    FIELD(head, remove, FIELD_STRINGS),
    FIELD(head, undoes, FIELD_NUMBER),
    {.name = "products", .type = FIELD_LIST, .required = true},
    {.name = "files", .type = FIELD_LIST, .required = true},
    {.name = NULL},
};

static bool refuse(struct error *error, const char *name, const char *place, const char *why)
{
    error_set(error, ERROR_DATA, "the ledger is not valid");
    error_where(error, "%s: %s", name, place);
    return error_why(error, "%s", why);
}

static bool read_entry(const struct field *fields, const json_t *json, const char *name,
                       const char *place, struct ledger_product *product, struct error *error)
{
    if (!fields_read(fields, json, name, place, product, error))
        return false;
    const json_t *components = json_object_get(json, "components");
    for (size_t i = 0; i < json_array_size(components); i++) {
        AUTO_FREE char *at = mem_printf("%s.components[%zu]", place, i);
        struct ledger_component *component =
            vec_push(product->components, product->component_count, product->component_capacity);
        if (!fields_read(component_fields, json_array_get(components, i), name, at, component,
                         error))
            return false;
    }
    return true;
}

static bool read_product(const json_t *json, const char *name, const char *place,
                         struct ledger_product *product, struct error *error)
{
    if (!read_entry(product_fields, json, name, place, product, error))
        return false;
    const json_t *previous = json_object_get(json, "previous");
    if (json_array_size(previous) > LEDGER_PREVIOUS_MAX)
        return refuse(error, name, place, "expected fewer previous ones");
    for (size_t i = 0; i < json_array_size(previous); i++) {
        AUTO_FREE char *at = mem_printf("%s.previous[%zu]", place, i);
        struct ledger_product *earlier =
            vec_push(product->previous, product->previous_count, product->previous_capacity);
        if (!read_entry(previous_fields, json_array_get(previous, i), name, at, earlier, error))
            return false;
        if (earlier->change == 0 || !string_equal(earlier->product, product->product))
            return refuse(error, name, at, "expected a change of the same product");
    }
    return true;
}

/* What a removal will follow: below the prefix, in order, and whole. */
static bool file_is_sound(const struct ledger_file *file, const json_t *json,
                          const struct ledger_file *before, const char *name, const char *place,
                          struct error *error)
{
    bool has_bytes = json_object_get(json, "sha256") && json_object_get(json, "size");
    if (!source_path_is_inward(file->path, LEDGER_PATH_MAX))
        return refuse(error, name, place, "expected a path below the prefix");
    if (before && strcmp(before->path, file->path) >= 0)
        return refuse(error, name, place, "expected paths in ascending order, none twice");
    if (file->type == LEDGER_FILE && !has_bytes)
        return refuse(error, name, place, "expected size and sha256 of a file");
    if ((file->type == LEDGER_LINK) != (file->target != NULL))
        return refuse(error, name, place, "expected a target for a link, and for nothing else");
    if (file->type != LEDGER_LINK && json_object_get(json, "mode") == NULL)
        return refuse(error, name, place, "expected a mode");
    if (file->owners.count == 0)
        return refuse(error, name, place, "expected one owner or more");
    return true;
}

static bool read_files(const json_t *files, const char *name, struct ledger *ledger,
                       struct error *error)
{
    for (size_t i = 0; i < json_array_size(files); i++) {
        AUTO_FREE char *at = mem_printf("files[%zu]", i);
        const json_t *json = json_array_get(files, i);
        struct ledger_file *file =
            vec_push(ledger->files, ledger->file_count, ledger->file_capacity);
        if (!fields_read(file_fields, json, name, at, file, error) ||
            !file_is_sound(file, json, i > 0 ? file - 1 : NULL, name, at, error))
            return false;
    }
    return true;
}

static bool read_products(const json_t *products, const char *name, struct ledger *ledger,
                          struct error *error)
{
    for (size_t i = 0; i < json_array_size(products); i++) {
        AUTO_FREE char *at = mem_printf("products[%zu]", i);
        if (!read_product(
                json_array_get(products, i), name, at,
                vec_push(ledger->products, ledger->product_count, ledger->product_capacity), error))
            return false;
    }
    return true;
}

static bool ledger_read(const json_t *json, const char *name, struct ledger *ledger,
                        struct error *error)
{
    json_int_t schema = json_integer_value(json_object_get(json, "schema"));
    if (schema > LEDGER_SCHEMA) {
        refuse(error, name, "schema", "it was written by a newer gpuenv");
        return error_next(error, "update gpuenv, or remove the prefix with the one that made it");
    }
    struct head head = {.schema = 0};
    bool ok = fields_read(head_fields, json, name, "", &head, error);
    ledger->gpuenv = head.gpuenv;
    ledger->remove = head.remove;
    ledger->undoes = head.undoes;
    if (!ok || schema != LEDGER_SCHEMA)
        return ok ? refuse(error, name, "schema", "expected 1") : false;
    for (size_t i = 0; i < ledger->remove.count; i++)
        if (!source_path_is_inward(ledger->remove.items[i], LEDGER_PATH_MAX))
            return refuse(error, name, "remove", "expected paths below the prefix");
    return read_products(json_object_get(json, "products"), name, ledger, error) &&
           read_files(json_object_get(json, "files"), name, ledger, error);
}

bool ledger_parse(const char *text, size_t size, const char *name, struct ledger *ret_ledger,
                  struct error *error)
{
    AUTO_JSON json_t *json = json_parse(text, size, LEDGER_MAX, name, error);
    AUTO_LEDGER struct ledger ledger = {.gpuenv = NULL};
    if (json == NULL || !ledger_read(json, name, &ledger, error)) {
        if (error && error->next == NULL)
            error_next(error, "put a copy of it back; without one remove the whole prefix, and "
                              "install again");
        return error_prefix(error, "cannot use the ledger");
    }
    *ret_ledger = ledger;
    ledger = (struct ledger){.gpuenv = NULL};
    return true;
}
