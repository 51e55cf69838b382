/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "manifest/package/package_table.h"

/* The table signers of manifests/package.json. */

const struct manifest_key signer_keys[] = {
    KEY(manifest_signer, name, KEY_STRING, .required = true),
    KEY(manifest_signer, address, KEY_STRING, .required = true),
    KEY(manifest_signer, directories, KEY_STRINGS, .required = true),
    KEY(manifest_signer, keys, KEY_STRINGS, .required = true),
    KEYS_OF_EVERY_ROW(manifest_signer),
    {.name = NULL},
};

char *signer_id(const void *row)
{
    const struct manifest_signer *signer = row;
    return mem_printf("signer/%s", signer->name);
}

bool signer_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct manifest_signer *signer = row;
    const struct manifest_signer *before = previous;
    if (before != NULL && strcmp(signer->name, before->name) <= 0)
        return place_problem(place, "name", signer->name, "a row that sorts after %s", before->id);
    for (size_t i = 0; i < signer->keys.count; i++) {
        const char *key = signer->keys.items[i];
        if (strlen(key) != 16 || key[strspn(key, "0123456789ABCDEF")] != '\0')
            return place_problem(place, "keys", key, "IDs of 16 digits: A4B469963BF863CC");
    }
    return true;
}

/* The directory that follows the row's address, up to a slash. */
static bool names(const struct manifest_signer *signer, const char *uri)
{
    const char *at = strstr(uri, "://");
    at = at ? at + 3 : uri;
    if (!string_starts(at, signer->address))
        return false;
    at += strlen(signer->address);
    AUTO_FREE char *directory = mem_string_n(at, strcspn(at, "/"));
    return strlist_has(&signer->directories, directory);
}

const struct manifest_signer *manifest_signer_find(struct manifest *manifest, const char *uri)
{
    size_t count;
    const struct manifest_signer *rows = package_signers(manifest, &count);
    for (size_t i = 0; i < count; i++)
        if (names(&rows[i], uri))
            return &rows[i];
    return NULL;
}
