/* SPDX-License-Identifier: MIT */
#include "install/plan/catalog.h"

#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "install/fetch/mirror.h"
#include "install/io/source_path.h"

static void entry_clear(struct catalog_entry *entry)
{
    free(entry->platform);
    free(entry->variant);
    free(entry->path);
    free(entry->url);
    free(entry->problem);
}

static void component_clear(struct catalog_component *component)
{
    free(component->key);
    free(component->name);
    free(component->version);
    free(component->license);
    free(component->license_path);
    for (size_t i = 0; i < component->entry_count; i++)
        entry_clear(&component->entries[i]);
    free(component->entries);
}

void catalog_free(struct catalog *catalog)
{
    free(catalog->name);
    free(catalog->product);
    free(catalog->release);
    free(catalog->date);
    for (size_t i = 0; i < catalog->component_count; i++)
        component_clear(&catalog->components[i]);
    free(catalog->components);
    *catalog = (struct catalog){.name = NULL};
}

static char *string_at(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value && *value ? mem_string(value) : NULL;
}

/* A decimal string in every file so far; a number would mean the same. */
static bool size_of(const json_t *value, uint64_t *ret_size)
{
    unsigned long long size = 0;
    if (json_is_integer(value) && json_integer_value(value) > 0)
        size = (unsigned long long)json_integer_value(value);
    const char *text = json_string_value(value);
    if (text && strspn(text, "0123456789") == strlen(text) && !string_to_unsigned(text, &size))
        return false;
    *ret_size = size;
    return size > 0 && size <= INT64_MAX;
}

static char *problem_of(const json_t *value, const char *key, const char *expected)
{
    const char *text = json_string_value(value);
    if (value == NULL)
        return mem_printf("%s: expected %s, found nothing", key, expected);
    if (text == NULL)
        return mem_printf("%s: expected %s, found something else", key, expected);
    return mem_printf("%s: expected %s, found \"%.80s\"%s", key, expected, text,
                      strlen(text) > 80 ? "…" : "");
}

/* A pin by content proves what archives there are, and their paths tell whose they are: a list that
 * gives a component the archive of another one is refused. "source" stands for "linux-all". */
static bool is_place_of(const char *path, const char *component, const char *platform,
                        const char *variant)
{
    AUTO_FREE char *start =
        mem_printf("%s/%s/", component, string_equal(platform, "linux-all") ? "source" : platform);
    AUTO_FREE char *ending = variant ? mem_printf("_%s-archive.", variant) : NULL;
    return string_starts(path, start) &&
           (variant == NULL || strstr(path, "_cuda") == NULL || strstr(path, ending) != NULL);
}

static void entry_read(struct catalog_entry *entry, const char *component, const json_t *object)
{
    const json_t *path = json_object_get(object, "relative_path");
    const json_t *sha256 = json_object_get(object, "sha256");
    const json_t *size = json_object_get(object, "size");
    if (!json_is_string(path) || !source_path_is_safe(json_string_value(path)))
        entry->problem =
            problem_of(path, "relative_path", "a path below the directory of this file");
    else if (!is_place_of(json_string_value(path), component, entry->platform, entry->variant))
        entry->problem =
            problem_of(path, "relative_path", "a path of this component, platform and variant");
    else if (!digest_parse(json_string_value(sha256), &entry->sha256))
        entry->problem = problem_of(sha256, "sha256", "64 hexadecimal digits");
    else if (!size_of(size, &entry->size))
        entry->problem = problem_of(size, "size", "a number of bytes from 1 to 2^63-1");
    if (entry->problem == NULL)
        entry->path = mem_string(json_string_value(path));
}

static bool is_entry(const json_t *object)
{
    return json_object_get(object, "relative_path") || json_object_get(object, "sha256") ||
           json_object_get(object, "size");
}

static void entry_add(struct catalog_component *component, const char *platform,
                      const char *variant, const json_t *object)
{
    struct catalog_entry *entry =
        vec_push(component->entries, component->entry_count, component->entry_capacity);
    entry->platform = mem_string(platform);
    entry->variant = mem_string(variant);
    entry_read(entry, component->key, object);
}

/* Variants first: one platform of cuDNN 9.27.0 has both, and they are different archives. */
static void platform_read(struct catalog_component *component, const char *platform, json_t *object)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        if (json_is_object(value) && is_entry(value))
            entry_add(component, platform, key, value);
    }
    if (is_entry(object))
        entry_add(component, platform, NULL, object);
}

/* What stands in file names and messages. */
static bool is_word(const char *key)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.";
    size_t length = strlen(key);
    return length > 0 && length <= 128 && key[0] != '.' && strspn(key, allowed) == length;
}

static void component_read(struct catalog_component *component, const char *key, json_t *object)
{
    const char *name;
    json_t *value;
    component->key = mem_string(key);
    component->name = string_at(object, "name");
    component->version = string_at(object, "version");
    component->license = string_at(object, "license");
    component->license_path = string_at(object, "license_path");
    if (component->license_path && !source_path_is_safe(component->license_path)) {
        free(component->license_path);
        component->license_path = NULL;
    }
    json_object_foreach(object, name, value)
    {
        if (json_is_object(value) && is_word(name))
            platform_read(component, name, value);
    }
}

static bool components_read(struct catalog *catalog, json_t *json, struct error *error)
{
    const char *key;
    json_t *value;
    json_object_foreach(json, key, value)
    {
        if (!json_is_object(value))
            continue;
        if (!is_word(key)) {
            error_set(error, ERROR_DATA, "this list of archives cannot be used");
            error_where(error, "%s: \"%.80s\"", catalog->name, key);
            return error_why(error, "expected a component named by letters, digits and _-+.");
        }
        component_read(
            vec_push(catalog->components, catalog->component_count, catalog->component_capacity),
            key, value);
    }
    if (catalog->component_count > 0)
        return true;
    error_set(error, ERROR_DATA, "this is not a list of archives");
    error_where(error, "%s", catalog->name);
    return error_why(error, "expected an object with one or more components, found none");
}

bool catalog_parse(const char *text, size_t size, const char *name, struct catalog *ret_catalog,
                   struct error *error)
{
    AUTO_JSON json_t *json = json_parse(text, size, CATALOG_MAX, name, error);
    AUTO_CATALOG struct catalog catalog = {.name = mem_string(name)};
    if (json == NULL)
        return false;
    if (json_is_object(json)) {
        catalog.product = string_at(json, "release_product");
        catalog.release = string_at(json, "release_label");
        catalog.date = string_at(json, "release_date");
    }
    if (!components_read(&catalog, json, error))
        return false;
    *ret_catalog = catalog;
    catalog = (struct catalog){.name = NULL};
    return true;
}

static bool add_lines(const struct catalog *catalog, const struct catalog_component *component,
                      struct strlist *lines, struct error *error)
{
    for (size_t i = 0; i < component->entry_count; i++) {
        const struct catalog_entry *entry = &component->entries[i];
        char hex[DIGEST_HEX_SIZE];
        if (entry->problem) {
            error_set(error, ERROR_DATA, "the list of archives cannot be verified");
            error_where(error, "%s: %s.%s", catalog->name, component->key, entry->platform);
            return error_why(error, "%s", entry->problem);
        }
        strlist_take(lines, mem_printf("%s %s %" PRIu64 "\n", entry->path,
                                       digest_hex(&entry->sha256, hex), entry->size));
    }
    return true;
}

bool catalog_content_digest(const struct catalog *catalog, struct digest *ret_digest,
                            struct error *error)
{
    AUTO_STRLIST struct strlist lines = {0};
    AUTO_TEXT struct text text = {0};
    for (size_t i = 0; i < catalog->component_count; i++)
        if (!add_lines(catalog, &catalog->components[i], &lines, error))
            return false;
    strlist_sort(&lines);
    for (size_t i = 0; i < lines.count; i++)
        if (i == 0 || !string_equal(lines.items[i], lines.items[i - 1]))
            text_append(&text, lines.items[i]);
    return digest_of_bytes(text_string(&text), text.size, ret_digest, error);
}

const struct catalog_component *catalog_component_find(const struct catalog *catalog,
                                                       const char *key)
{
    for (size_t i = 0; i < catalog->component_count; i++)
        if (string_equal(catalog->components[i].key, key))
            return &catalog->components[i];
    return NULL;
}

const struct catalog_entry *catalog_entry_find(const struct catalog_component *component,
                                               const char *platform, const struct version *cuda)
{
    char text[VERSION_TEXT_SIZE];
    AUTO_FREE char *major = cuda->count ? mem_printf("cuda%u", cuda->part[0]) : NULL;
    AUTO_FREE char *minor = cuda->count ? mem_printf("cuda%s", version_text(cuda, 2, text)) : NULL;
    const struct catalog_entry *flat = NULL, *by_minor = NULL, *only = NULL;
    size_t variants = 0;
    for (size_t i = 0; i < component->entry_count; i++) {
        const struct catalog_entry *entry = &component->entries[i];
        if (!string_equal(entry->platform, platform))
            continue;
        if (entry->variant == NULL) {
            flat = entry;
            continue;
        }
        variants++;
        only = entry;
        if (string_equal(entry->variant, major))
            return entry;
        if (string_equal(entry->variant, minor))
            by_minor = entry;
    }
    if (variants == 0)
        return flat;
    return by_minor || cuda->count || variants > 1 ? by_minor : only;
}
