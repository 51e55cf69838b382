/* SPDX-License-Identifier: MIT */
#include "resolve/lockfile/lockfile.h"

#include <string.h>

#include "base/fields.h"
#include "base/hex.h"

/* The whole of a lock file, read strictly: each object has a table of the keys it may have. */

/* Printable, not empty, and of a length that can be shown. */
static bool is_word(const char *text)
{
    size_t size = text ? strlen(text) : 0;
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            return false;
    return size > 0 && size <= 256;
}

/* Below a mirror's compute/, every step a name, nothing that a URL would have escaped. */
static bool is_path(const char *text)
{
    if (text == NULL || strlen(text) > LOCKFILE_PATH_MAX || !string_starts(text, "compute/"))
        return false;
    for (const char *step = text;; step++) {
        size_t size = strcspn(step, "/");
        if (size == 0 || size > 255 || step[0] == '.')
            return false;
        for (size_t i = 0; i < size; i++)
            if (step[i] <= ' ' || step[i] > '~' || step[i] == '\\')
                return false;
        step += size;
        if (*step == '\0')
            return true;
    }
}

static bool is_digest(const char *text)
{
    return text && hex_is(text, 64);
}

static bool read_text(const json_t *value, bool (*is_valid)(const char *), void *to)
{
    const char *text = json_string_value(value);
    if (!is_valid(text))
        return false;
    *(char **)to = mem_string(text);
    return true;
}

static bool read_word(const struct field *field, const json_t *value, void *to)
{
    (void)field;
    return read_text(value, is_word, to);
}

static bool read_words(const struct field *field, const json_t *value, void *to)
{
    (void)field;
    if (!json_is_array(value) || json_array_size(value) > 256)
        return false;
    for (size_t i = 0; i < json_array_size(value); i++) {
        const char *text = json_string_value(json_array_get(value, i));
        if (!is_word(text))
            return false;
        strlist_add(to, text);
    }
    return true;
}

static bool read_path(const struct field *field, const json_t *value, void *to)
{
    (void)field;
    return read_text(value, is_path, to);
}

static bool read_hex(const struct field *field, const json_t *value, void *to)
{
    (void)field;
    return read_text(value, is_digest, to);
}

static bool read_bytes(const struct field *field, const json_t *value, void *to)
{
    return json_integer_value(value) >= 1 && field_size.read(field, value, to);
}

static const struct field_type field_word = {read_word, "a string of 1 to 256 characters"};
static const struct field_type field_words = {read_words, "a list of at most 256 words"};
static const struct field_type field_path = {
    read_path, "a path below a mirror, compute/PRODUCT/redist/…, without \"..\""};
static const struct field_type field_hex = {read_hex, "64 lowercase hexadecimal digits"};
static const struct field_type field_bytes = {read_bytes, "a number of bytes from 1 to 2^63-1"};

static const struct field lockfile_fields[] = {
    {.name = "products", .type = &field_below, .required = true},
    {.name = "request", .type = &field_below, .required = true},
    {.name = "schema", .type = &field_below, .required = true},
    {.name = NULL},
};
static const struct field request_fields[] = {
    FIELD(lockfile_request, assume_driver, field_word),
    FIELD(lockfile_request, assume_gpus, field_words),
    FIELD(lockfile_request, components, field_words),
    FIELD(lockfile_request, framework, field_word),
    FIELD(lockfile_request, platforms, field_words, .required = true),
    FIELD_AS(lockfile_request, extent, "profile", field_word, .required = true),
    FIELD(lockfile_request, specs, field_words, .required = true),
    {.name = NULL},
};
static const struct field product_fields[] = {
    {.name = "archives", .type = &field_below, .required = true},
    {.name = "catalog", .type = &field_below, .required = true},
    FIELD(lockfile_product, cuda, field_version),
    FIELD(lockfile_product, product, field_word, .required = true),
    FIELD(lockfile_product, version, field_version, .required = true),
    {.name = NULL},
};
static const char *const pins[] = {"file", "content", "none", NULL};
static const struct field catalog_fields[] = {
    FIELD_AS(lockfile_product, catalog_path, "path", field_path, .required = true),
    FIELD(lockfile_product, pin, field_one_of, .required = true, .choices = pins),
    FIELD_AS(lockfile_product, catalog, "sha256", field_hex, .required = true),
    {.name = NULL},
};
static const struct field archive_fields[] = {
    FIELD(lockfile_archive, component, field_word, .required = true),
    FIELD(lockfile_archive, licence, field_word),
    FIELD(lockfile_archive, path, field_path, .required = true),
    FIELD(lockfile_archive, platform, field_word, .required = true),
    FIELD(lockfile_archive, sha256, field_hex, .required = true),
    FIELD(lockfile_archive, size, field_bytes, .required = true),
    FIELD(lockfile_archive, variant, field_word),
    FIELD(lockfile_archive, version, field_word),
    {.name = NULL},
};

/* compute/PRODUCT/redist/…, and of releases without a list compute/…/PRODUCT/…. */
static bool is_of_product(const char *path, const char *product)
{
    AUTO_FREE char *step = mem_printf("/%s/", product);
    return strstr(path, step) != NULL;
}

static bool read_archives(json_t *array, const struct fields_document *document, const char *place,
                          struct lockfile_product *product, struct error *error)
{
    if (!json_is_array(array) || json_array_size(array) == 0)
        return fields_refuse(document, place, "archives", "a list of one or more archives", error);
    for (size_t i = 0; i < json_array_size(array); i++) {
        AUTO_FREE char *below = mem_printf("%s.archives[%zu]", place, i);
        struct lockfile_archive *archive =
            vec_push(product->archives, product->archive_count, product->archive_capacity);
        if (!fields_read(archive_fields, json_array_get(array, i), document, below, archive, error))
            return false;
        if (!is_of_product(archive->path, product->product))
            return fields_refuse(document, below, "path", "a path of this product", error);
        const struct lockfile_archive *before = i > 0 ? archive - 1 : NULL;
        if (before && lockfile_archive_compare(before, archive) >= 0)
            return fields_refuse(document, below, "path",
                                 "archives sorted by path, without duplicates", error);
    }
    return true;
}

static bool read_product(json_t *object, const struct fields_document *document, const char *place,
                         struct lockfile_product *product, struct error *error)
{
    AUTO_FREE char *catalog = mem_printf("%s.catalog", place);
    if (!fields_read(product_fields, object, document, place, product, error) ||
        !fields_read(catalog_fields, json_object_get(object, "catalog"), document, catalog, product,
                     error))
        return false;
    if (!is_of_product(product->catalog_path, product->product))
        return fields_refuse(document, catalog, "path", "a path of this product", error);
    return read_archives(json_object_get(object, "archives"), document, place, product, error);
}

static bool read_products(json_t *array, const struct fields_document *document,
                          struct lockfile *lockfile, struct error *error)
{
    if (!json_is_array(array) || json_array_size(array) == 0 || json_array_size(array) > 64)
        return fields_refuse(document, "products", "", "a list of 1 to 64 products", error);
    for (size_t i = 0; i < json_array_size(array); i++) {
        AUTO_FREE char *place = mem_printf("products[%zu]", i);
        struct lockfile_product *product =
            vec_push(lockfile->products, lockfile->product_count, lockfile->product_capacity);
        if (!read_product(json_array_get(array, i), document, place, product, error))
            return false;
        if (i > 0 && strcmp(product[-1].product, product->product) >= 0)
            return fields_refuse(document, place, "product",
                                 "products sorted by name, without duplicates", error);
    }
    return true;
}

static bool read_schema(const json_t *json, const struct fields_document *document,
                        struct error *error)
{
    const json_t *schema = json_object_get(json, "schema");
    if (!json_is_integer(schema) || json_integer_value(schema) < 1)
        return fields_refuse(document, "schema", "", "the number 1", error);
    if (json_integer_value(schema) == LOCKFILE_SCHEMA)
        return true;
    error_set(error, ERROR_DATA, "the lock file was written by a newer gpuenv");
    error_where(error, "%s: schema", document->name);
    error_why(error, "the lock file has schema %lld, but this gpuenv reads schema %d",
              (long long)json_integer_value(schema), LOCKFILE_SCHEMA);
    return error_next(error,
                      "update gpuenv, or remove the lock file so that gpuenv writes a new file");
}

static bool lockfile_read(json_t *json, const struct fields_document *document,
                          struct lockfile *lockfile, struct error *error)
{
    if (!json_is_object(json))
        return fields_refuse(document, "", "", "an object", error);
    if (!read_schema(json, document, error) ||
        !fields_read(lockfile_fields, json, document, "", lockfile, error) ||
        !fields_read(request_fields, json_object_get(json, "request"), document, "request",
                     &lockfile->request, error) ||
        !read_products(json_object_get(json, "products"), document, lockfile, error))
        return false;
    return lockfile->request.platforms.count > 0 ||
           fields_refuse(document, "request", "platforms", "one or more platforms", error);
}

bool lockfile_parse(const char *text, size_t size, const char *name, struct lockfile *ret_lockfile,
                    struct error *error)
{
    const struct fields_document document = {name, "the lock file is not valid", LOCKFILE_NEXT};
    AUTO_LOCKFILE struct lockfile lockfile = {.products = NULL};
    AUTO_JSON json_t *json = json_parse(text, size, LOCKFILE_MAX, name, error);
    if (json == NULL)
        return error && error_next(error, LOCKFILE_NEXT);
    if (!lockfile_read(json, &document, &lockfile, error))
        return false;
    lockfile_sort(&lockfile);
    *ret_lockfile = lockfile;
    lockfile = (struct lockfile){.products = NULL};
    return true;
}
