/* SPDX-License-Identifier: MIT */
#include "resolve/lockfile/lockfile.h"

#include <string.h>

#include "base/hex.h"
#include "base/json.h"

/* The whole of a lock file, read strictly: each object has a table of the keys it may have. */

enum kind {
    KIND_WORD,
    KIND_WORDS,
    KIND_PATH,
    KIND_VERSION,
    KIND_DIGEST,
    KIND_PIN,
    KIND_SIZE,
    KIND_BELOW
};
struct key {
    const char *name;
    enum kind kind;
    bool required;
    size_t offset;
};
#define KEY(row, field, key_kind, key_required) KEY_AS(row, field, #field, key_kind, key_required)
#define KEY_AS(row, field, key, key_kind, key_required)                                            \
    {                                                                                              \
        .name = (key), .kind = (key_kind), .required = (key_required),                             \
        .offset = offsetof(struct row, field)                                                      \
    }

static const struct key lockfile_keys[] = {
    {.name = "products", .kind = KIND_BELOW, .required = true},
    {.name = "request", .kind = KIND_BELOW, .required = true},
    {.name = "schema", .kind = KIND_BELOW, .required = true},
    {.name = NULL},
};
static const struct key request_keys[] = {
    KEY(lockfile_request, assume_driver, KIND_WORD, false),
    KEY(lockfile_request, assume_gpus, KIND_WORDS, false),
    KEY(lockfile_request, components, KIND_WORDS, false),
    KEY(lockfile_request, framework, KIND_WORD, false),
    KEY(lockfile_request, platforms, KIND_WORDS, true),
    KEY_AS(lockfile_request, extent, "profile", KIND_WORD, true),
    KEY(lockfile_request, specs, KIND_WORDS, true),
    {.name = NULL},
};
static const struct key product_keys[] = {
    {.name = "archives", .kind = KIND_BELOW, .required = true},
    {.name = "catalog", .kind = KIND_BELOW, .required = true},
    KEY(lockfile_product, cuda, KIND_VERSION, false),
    KEY(lockfile_product, product, KIND_WORD, true),
    KEY(lockfile_product, version, KIND_VERSION, true),
    {.name = NULL},
};
static const struct key catalog_keys[] = {
    {"path", KIND_PATH, true, offsetof(struct lockfile_product, catalog_path)},
    {"pin", KIND_PIN, true, offsetof(struct lockfile_product, pin)},
    {"sha256", KIND_DIGEST, true, offsetof(struct lockfile_product, catalog)},
    {.name = NULL},
};
static const struct key archive_keys[] = {
    KEY(lockfile_archive, component, KIND_WORD, true),
    KEY(lockfile_archive, licence, KIND_WORD, false),
    KEY(lockfile_archive, path, KIND_PATH, true),
    KEY(lockfile_archive, platform, KIND_WORD, true),
    KEY(lockfile_archive, sha256, KIND_DIGEST, true),
    KEY(lockfile_archive, size, KIND_SIZE, true),
    KEY(lockfile_archive, variant, KIND_WORD, false),
    KEY(lockfile_archive, version, KIND_WORD, false),
    {.name = NULL},
};

static bool refuse(struct error *error, const char *name, const char *place, const char *key,
                   const char *expected)
{
    AUTO_FREE char *start = mem_string_n(key, strnlen(key, 80));
    AUTO_FREE char *safe = string_safe(start);
    error_set(error, ERROR_DATA, "the lock file is not valid");
    error_where(error, "%s: %s%s%s", name, place, *place && *key ? "." : "", safe);
    error_why(error, "expected %s", expected);
    return error_next(error,
                      "take it from version control again, or remove it to have it made anew");
}

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

static bool is_pin(const char *text)
{
    return string_equal(text, "file") || string_equal(text, "content") ||
           string_equal(text, "none");
}

static const char *read_text(const json_t *value, bool (*is_valid)(const char *), char **to,
                             const char *expected)
{
    const char *text = json_string_value(value);
    if (!is_valid(text))
        return expected;
    *to = mem_string(text);
    return NULL;
}

static const char *read_words(const json_t *value, struct strlist *list)
{
    static const char expected[] = "a list of at most 256 words";
    if (!json_is_array(value) || json_array_size(value) > 256)
        return expected;
    for (size_t i = 0; i < json_array_size(value); i++) {
        const char *text = json_string_value(json_array_get(value, i));
        if (!is_word(text))
            return expected;
        strlist_add(list, text);
    }
    return NULL;
}

static const char *read_size(const json_t *value, uint64_t *to)
{
    if (!json_is_integer(value) || json_integer_value(value) < 1)
        return "a number of bytes from 1 to 2^63-1";
    *to = (uint64_t)json_integer_value(value);
    return NULL;
}

static const char *read_version(const json_t *value, struct version *to)
{
    const char *text = json_string_value(value);
    return text && version_parse(text, to) ? NULL : "a version such as \"12.8.1\"";
}

/* NULL, or what was expected. */
static const char *read_value(const struct key *key, const json_t *value, char *row)
{
    void *to = row + key->offset;
    switch (key->kind) {
    case KIND_WORD:
        return read_text(value, is_word, to, "a string of 1 to 256 characters");
    case KIND_WORDS:
        return read_words(value, to);
    case KIND_PATH:
        return read_text(value, is_path, to,
                         "a path below a mirror, compute/PRODUCT/redist/…, without \"..\"");
    case KIND_VERSION:
        return read_version(value, to);
    case KIND_DIGEST:
        return read_text(value, is_digest, to, "64 small hexadecimal digits");
    case KIND_PIN:
        return read_text(value, is_pin, to, "file, content or none");
    case KIND_SIZE:
        return read_size(value, to);
    case KIND_BELOW:
        return NULL;
    }
    return NULL;
}

static bool is_known(const struct key *keys, const char *name)
{
    for (; keys->name; keys++)
        if (string_equal(keys->name, name))
            return true;
    return false;
}

static bool read_object(const struct key *keys, json_t *object, const char *name, const char *place,
                        void *row, struct error *error)
{
    const char *found;
    json_t *value;
    if (!json_is_object(object))
        return refuse(error, name, place, "", "an object");
    json_object_foreach(object, found, value)
    {
        if (!is_known(keys, found))
            return refuse(error, name, place, found, "no such key");
    }
    for (; keys->name; keys++) {
        value = json_object_get(object, keys->name);
        if (value == NULL && !keys->required)
            continue;
        const char *expected = value ? read_value(keys, value, row) : "it to be there";
        if (expected)
            return refuse(error, name, place, keys->name, expected);
    }
    return true;
}

/* Everything of a product is below its own directory of a mirror. */
static bool is_of_product(const char *path, const char *product)
{
    AUTO_FREE char *start = mem_printf("compute/%s/redist/", product);
    return string_starts(path, start);
}

static bool read_archives(json_t *array, const char *name, const char *place,
                          struct lockfile_product *product, struct error *error)
{
    if (!json_is_array(array) || json_array_size(array) == 0)
        return refuse(error, name, place, "archives", "a list of one archive or more");
    for (size_t i = 0; i < json_array_size(array); i++) {
        AUTO_FREE char *below = mem_printf("%s.archives[%zu]", place, i);
        struct lockfile_archive *archive =
            vec_push(product->archives, product->archive_count, product->archive_capacity);
        if (!read_object(archive_keys, json_array_get(array, i), name, below, archive, error))
            return false;
        if (!is_of_product(archive->path, product->product))
            return refuse(error, name, below, "path", "a path of this product");
        const struct lockfile_archive *before = i > 0 ? archive - 1 : NULL;
        if (before && strcmp(before->path, archive->path) >= 0)
            return refuse(error, name, below, "path", "archives by their paths, each once");
    }
    return true;
}

static bool read_product(json_t *object, const char *name, const char *place,
                         struct lockfile_product *product, struct error *error)
{
    AUTO_FREE char *catalog = mem_printf("%s.catalog", place);
    if (!read_object(product_keys, object, name, place, product, error) ||
        !read_object(catalog_keys, json_object_get(object, "catalog"), name, catalog, product,
                     error))
        return false;
    if (!is_of_product(product->catalog_path, product->product))
        return refuse(error, name, catalog, "path", "a path of this product");
    return read_archives(json_object_get(object, "archives"), name, place, product, error);
}

static bool read_products(json_t *array, const char *name, struct lockfile *lockfile,
                          struct error *error)
{
    if (!json_is_array(array) || json_array_size(array) == 0 || json_array_size(array) > 64)
        return refuse(error, name, "products", "", "a list of 1 to 64 products");
    for (size_t i = 0; i < json_array_size(array); i++) {
        AUTO_FREE char *place = mem_printf("products[%zu]", i);
        struct lockfile_product *product =
            vec_push(lockfile->products, lockfile->product_count, lockfile->product_capacity);
        if (!read_product(json_array_get(array, i), name, place, product, error))
            return false;
        if (i > 0 && strcmp(product[-1].product, product->product) >= 0)
            return refuse(error, name, place, "product", "products by their names, each once");
    }
    return true;
}

static bool read_schema(const json_t *json, const char *name, struct error *error)
{
    const json_t *schema = json_object_get(json, "schema");
    if (!json_is_integer(schema) || json_integer_value(schema) < 1)
        return refuse(error, name, "schema", "", "the number 1");
    if (json_integer_value(schema) == LOCKFILE_SCHEMA)
        return true;
    error_set(error, ERROR_DATA, "the lock file was written by a newer gpuenv");
    error_where(error, "%s: schema", name);
    error_why(error, "its schema is %lld, and this gpuenv reads %d",
              (long long)json_integer_value(schema), LOCKFILE_SCHEMA);
    return error_next(error, "update gpuenv, or remove the lock file to have it made anew");
}

bool lockfile_parse(const char *text, size_t size, const char *name, struct lockfile *ret_lockfile,
                    struct error *error)
{
    AUTO_LOCKFILE struct lockfile lockfile = {.products = NULL};
    AUTO_JSON json_t *json = json_parse(text, size, LOCKFILE_MAX, name, error);
    if (json == NULL)
        return error &&
               error_next(error, "take it from version control again, or remove it to have "
                                 "it made anew");
    if (!json_is_object(json))
        return refuse(error, name, "", "", "an object");
    if (!read_schema(json, name, error) ||
        !read_object(lockfile_keys, json, name, "", &lockfile, error) ||
        !read_object(request_keys, json_object_get(json, "request"), name, "request",
                     &lockfile.request, error) ||
        !read_products(json_object_get(json, "products"), name, &lockfile, error))
        return false;
    if (lockfile.request.platforms.count == 0)
        return refuse(error, name, "request", "platforms", "one platform or more");
    lockfile_sort(&lockfile);
    *ret_lockfile = lockfile;
    lockfile = (struct lockfile){.products = NULL};
    return true;
}
