/* SPDX-License-Identifier: MIT */
#include "manifest/update/root.h"

#include <string.h>

#include "base/strlist.h"
#include "manifest/reader/locate.h"
#include "manifest/update/bundle.h"

#define VERSION_MAX INT32_MAX

static bool role_has(const struct update_role *role, const struct update_key *key)
{
    for (size_t i = 0; i < role->key_count; i++)
        if (update_key_equal(&role->keys[i], key))
            return true;
    return false;
}

/* A key that is named again counts once: a threshold of 2 is not met by one key. */
static bool read_keys(const struct field *field, const json_t *value, void *to)
{
    struct update_role *role = to;
    (void)field;
    if (!json_is_array(value) || json_array_size(value) > UPDATE_KEYS_MAX)
        return false;
    for (size_t i = 0; i < json_array_size(value); i++) {
        struct update_key key;
        const struct field one = {.name = "key"};
        if (!update_field_key.read(&one, json_array_get(value, i), &key))
            return false;
        if (!role_has(role, &key))
            role->keys[role->key_count++] = key;
    }
    return true;
}

/* The keys come with their count: both are read from one value. */
_Static_assert(offsetof(struct update_role, keys) == 0, "a role begins with its keys");
static const struct field_type field_keys = {
    read_keys, "a list of at most 16 keys, each of 64 small hexadecimal digits"};

static const struct field role_fields[] = {
    FIELD(update_role, keys, field_keys, .required = true),
    FIELD(update_role, threshold, field_number, .required = true),
    {.name = NULL},
};

static const struct field root_fields[] = {
    {.name = "type", .type = &field_below, .required = true},
    {.name = "spec", .type = &field_below, .required = true},
    FIELD(update_root, version, field_number, .required = true),
    FIELD(update_root, expires, update_field_moment, .required = true),
    {.name = "root", .type = &field_below, .required = true},
    {.name = "manifest", .type = &field_below, .required = true},
    {.name = NULL},
};

static bool read_role(const json_t *json, const char *key, const struct fields_document *document,
                      struct update_role *role, struct error *error)
{
    AUTO_FREE char *place = mem_printf("signed.%s", key);
    if (!fields_read(role_fields, json_object_get(json, key), document, place, role, error))
        return false;
    if (role->threshold >= 1 && role->threshold <= role->key_count)
        return true;
    return fields_refuse(document, place, "threshold",
                         "a number from 1 to that of the different keys", error);
}

bool update_root_read(const struct update_signed *signed_document, const char *name,
                      struct update_root *ret_root, struct error *error)
{
    const struct fields_document document = {name, "this root of an update is not valid", NULL};
    struct update_root root = {.version = 0};
    if (!fields_read(root_fields, signed_document->json, &document, "signed", &root, error) ||
        !read_role(signed_document->json, "root", &document, &root.root, error) ||
        !read_role(signed_document->json, "manifest", &document, &root.manifest, error))
        return false;
    if (root.version < 1 || root.version > VERSION_MAX)
        return fields_refuse(&document, "signed", "version", "a number from 1 to 2147483647",
                             error);
    *ret_root = root;
    return true;
}

bool update_roots_split(const char *text, size_t size, const char *name, struct strlist *documents,
                        struct error *error)
{
    const struct fields_document document = {name, "this list of roots is not valid", NULL};
    AUTO_JSON json_t *list = json_parse(text, size, UPDATE_ROOTS_MAX, name, error);
    const char *start = text;
    size_t length;
    if (list == NULL)
        return false;
    if (!json_is_array(list) || json_array_size(list) == 0)
        return fields_refuse(&document, "", "", "a list with at least one root", error);
    while (start < text + size && strchr(" \t\r\n", *start))
        start++;
    struct locate_scan scan = {.at = start, .end = text + size};
    while (locate_item(&scan, &start, &length))
        strlist_take(documents, mem_string_n(start, length));
    return documents->count == json_array_size(list) ||
           fields_refuse(&document, "", "", "a list of objects", error);
}
