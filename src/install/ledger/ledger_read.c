/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/fields.h"
#include "install/io/digest.h"
#include "install/io/source_path.h"
#include "install/ledger/ledger.h"
#include "install/ledger/request.h"

/* Four octal digits, no special bit. */
static bool read_mode(const struct field *field, const json_t *value, void *to)
{
    const char *string = json_string_value(value);
    (void)field;
    if (string == NULL || strlen(string) != 4 || string[0] != '0' ||
        strspn(string, "01234567") != 4)
        return false;
    *(unsigned *)to = (unsigned)((string[1] - '0') * 64 + (string[2] - '0') * 8 + string[3] - '0');
    return true;
}
static const struct field_type field_mode = {read_mode, "a mode such as \"0644\""};

static const struct field component_fields[] = {
    FIELD(ledger_component, name, field_string, .required = true),
    FIELD(ledger_component, version, field_string),
    FIELD(ledger_component, platform, field_string, .required = true),
    FIELD(ledger_component, variant, field_string),
    FIELD(ledger_component, archive, field_string, .required = true),
    FIELD(ledger_component, size, field_size, .required = true),
    FIELD(ledger_component, sha256, field_digest, .required = true),
    FIELD(ledger_component, licence, field_string),
    {.name = NULL},
};

static const char *const pins[] = {"file", "content", "none", NULL};
/* clang-format off */
#define PRODUCT_FIELDS                                                                             \
    FIELD(ledger_product, product, field_string, .required = true),                                \
    FIELD(ledger_product, version, field_string, .required = true),                                \
    FIELD(ledger_product, variant, field_string),                                                  \
    FIELD(ledger_product, spec, field_string, .required = true),                                   \
    FIELD_AS(ledger_product, extent, "profile", field_one_of, .required = true,                    \
             .choices = extent_words),                                                             \
    FIELD(ledger_product, wishes, field_strings),                                                  \
    FIELD(ledger_product, pin, field_one_of, .required = true, .choices = pins),                   \
    FIELD(ledger_product, catalog, field_digest, .required = true),                                \
    FIELD(ledger_product, accepted, field_string, .required = true),                               \
    {.name = "components", .type = &field_list, .required = true}
/* clang-format on */
static const struct field product_fields[] = {
    PRODUCT_FIELDS,
    {.name = "previous", .type = &field_list},
    {.name = NULL},
};
static const struct field previous_fields[] = {
    PRODUCT_FIELDS,
    FIELD(ledger_product, change, field_number, .required = true),
    {.name = NULL},
};

static const char *const types[] = {"file", "directory", "link", NULL};
static const struct field file_fields[] = {
    FIELD(ledger_file, path, field_string, .required = true),
    FIELD(ledger_file, type, field_choice, .required = true, .choices = types),
    FIELD(ledger_file, mode, field_mode),
    FIELD(ledger_file, size, field_size),
    FIELD(ledger_file, sha256, field_digest),
    FIELD(ledger_file, target, field_string),
    FIELD(ledger_file, owners, field_strings, .required = true),
    {.name = NULL},
};

struct head {
    unsigned schema;
    char *gpuenv;
    struct strlist remove;
    unsigned undoes;
};
static const struct field head_fields[] = {
    FIELD(head, schema, field_number, .required = true),
    FIELD(head, gpuenv, field_string, .required = true),
    FIELD(head, remove, field_strings),
    FIELD(head, undoes, field_number),
    {.name = "products", .type = &field_list, .required = true},
    {.name = "files", .type = &field_list, .required = true},
    {.name = NULL},
};

static bool read_entry(const struct field *fields, const json_t *json,
                       const struct fields_document *document, const char *place,
                       struct ledger_product *product, struct error *error)
{
    if (!fields_read(fields, json, document, place, product, error))
        return false;
    const json_t *components = json_object_get(json, "components");
    for (size_t i = 0; i < json_array_size(components); i++) {
        AUTO_FREE char *at = mem_printf("%s.components[%zu]", place, i);
        struct ledger_component *component =
            vec_push(product->components, product->component_count, product->component_capacity);
        if (!fields_read(component_fields, json_array_get(components, i), document, at, component,
                         error))
            return false;
    }
    return true;
}

static bool read_product(const json_t *json, const struct fields_document *document,
                         const char *place, struct ledger_product *product, struct error *error)
{
    if (!read_entry(product_fields, json, document, place, product, error))
        return false;
    const json_t *previous = json_object_get(json, "previous");
    if (json_array_size(previous) > LEDGER_PREVIOUS_MAX)
        return fields_refuse(document, place, "", "fewer previous versions", error);
    for (size_t i = 0; i < json_array_size(previous); i++) {
        AUTO_FREE char *at = mem_printf("%s.previous[%zu]", place, i);
        struct ledger_product *earlier =
            vec_push(product->previous, product->previous_count, product->previous_capacity);
        if (!read_entry(previous_fields, json_array_get(previous, i), document, at, earlier, error))
            return false;
        if (earlier->change == 0 || !string_equal(earlier->product, product->product))
            return fields_refuse(document, at, "", "a change to the same product", error);
    }
    return true;
}

/* What a removal will follow: below the prefix, in order, and whole. */
static bool file_is_sound(const struct ledger_file *file, const json_t *json,
                          const struct ledger_file *before, const struct fields_document *document,
                          const char *place, struct error *error)
{
    bool has_bytes = json_object_get(json, "sha256") && json_object_get(json, "size");
    if (!source_path_is_inward(file->path, LEDGER_PATH_MAX))
        return fields_refuse(document, place, "", "a path below the prefix", error);
    if (before && strcmp(before->path, file->path) >= 0)
        return fields_refuse(document, place, "", "paths in ascending order, without duplicates",
                             error);
    if (file->type == LEDGER_FILE && !has_bytes)
        return fields_refuse(document, place, "", "size and sha256 of a file", error);
    if ((file->type == LEDGER_LINK) != (file->target != NULL))
        return fields_refuse(document, place, "", "a target for a link, and only for a link",
                             error);
    if (file->type != LEDGER_LINK && json_object_get(json, "mode") == NULL)
        return fields_refuse(document, place, "", "a mode", error);
    if (file->owners.count == 0)
        return fields_refuse(document, place, "", "one or more owners", error);
    return true;
}

static bool read_files(const json_t *files, const struct fields_document *document,
                       struct ledger *ledger, struct error *error)
{
    for (size_t i = 0; i < json_array_size(files); i++) {
        AUTO_FREE char *at = mem_printf("files[%zu]", i);
        const json_t *json = json_array_get(files, i);
        struct ledger_file *file =
            vec_push(ledger->files, ledger->file_count, ledger->file_capacity);
        if (!fields_read(file_fields, json, document, at, file, error) ||
            !file_is_sound(file, json, i > 0 ? file - 1 : NULL, document, at, error))
            return false;
    }
    return true;
}

static bool read_products(const json_t *products, const struct fields_document *document,
                          struct ledger *ledger, struct error *error)
{
    for (size_t i = 0; i < json_array_size(products); i++) {
        AUTO_FREE char *at = mem_printf("products[%zu]", i);
        if (!read_product(
                json_array_get(products, i), document, at,
                vec_push(ledger->products, ledger->product_count, ledger->product_capacity), error))
            return false;
    }
    return true;
}

static bool ledger_read(const json_t *json, const struct fields_document *document,
                        struct ledger *ledger, struct error *error)
{
    json_int_t schema = json_integer_value(json_object_get(json, "schema"));
    if (schema > LEDGER_SCHEMA) {
        error_set(error, ERROR_DATA, "%s", document->what);
        error_where(error, "%s: schema", document->name);
        error_why(error, "a newer gpuenv wrote this file");
        return error_next(error,
                          "update gpuenv, or remove the prefix with the gpuenv that created it");
    }
    struct head head = {.schema = 0};
    bool ok = fields_read(head_fields, json, document, "", &head, error);
    ledger->gpuenv = head.gpuenv;
    ledger->remove = head.remove;
    ledger->undoes = head.undoes;
    if (!ok || schema != LEDGER_SCHEMA)
        return ok ? fields_refuse(document, "schema", "", "1", error) : false;
    for (size_t i = 0; i < ledger->remove.count; i++)
        if (!source_path_is_inward(ledger->remove.items[i], LEDGER_PATH_MAX))
            return fields_refuse(document, "remove", "", "paths below the prefix", error);
    return read_products(json_object_get(json, "products"), document, ledger, error) &&
           read_files(json_object_get(json, "files"), document, ledger, error);
}

bool ledger_parse(const char *text, size_t size, const char *name, struct ledger *ret_ledger,
                  struct error *error)
{
    AUTO_JSON json_t *json = json_parse(text, size, LEDGER_MAX, name, error);
    AUTO_LEDGER struct ledger ledger = {.gpuenv = NULL};
    const struct fields_document document = {name, "the ledger is not valid", NULL};
    if (json == NULL || !ledger_read(json, &document, &ledger, error)) {
        if (error && error->next == NULL)
            error_next(error, "restore a copy of the ledger; if you have no copy, remove the whole "
                              "prefix and install again");
        return error_prefix(error, "cannot use the ledger");
    }
    *ret_ledger = ledger;
    ledger = (struct ledger){.gpuenv = NULL};
    return true;
}
