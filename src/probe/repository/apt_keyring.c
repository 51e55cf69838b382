/* SPDX-License-Identifier: MIT */
#include "probe/repository/apt_keyring.h"

#include <string.h>
#include <strings.h>

#define TRUSTED     "/etc/apt/trusted.gpg"
#define TRUSTED_D   TRUSTED ".d"
#define KEYRING_MAX (4u << 20)
#define FILES_MAX   256

void apt_keyrings_free(struct apt_keyrings *keyrings)
{
    openpgp_keys_free(&keyrings->keys);
    strlist_free(&keyrings->files);
    strlist_free(&keyrings->missing);
    strlist_free(&keyrings->unread);
}

static void add_file(const struct host *host, const char *path, struct apt_keyrings *keyrings)
{
    AUTO_TEXT struct text text = {0};
    AUTO_ERROR struct error error = {0};
    enum host_status status = host_read(host, path, KEYRING_MAX, &text, &error);
    if (status == HOST_ABSENT) {
        strlist_add(&keyrings->missing, path);
        return;
    }
    keyrings->keys.unread = false;
    bool read = status == HOST_OK &&
                openpgp_read_keys(text_string(&text), text.size, &keyrings->keys) &&
                !keyrings->keys.unread;
    strlist_add(read ? &keyrings->files : &keyrings->unread, path);
}

void apt_keyrings_trusted(const struct host *host, struct apt_keyrings *keyrings)
{
    AUTO_STRLIST struct strlist names = {0};
    AUTO_ERROR struct error error = {0};
    if (host_exists(host, TRUSTED))
        add_file(host, TRUSTED, keyrings);
    enum host_status status = host_list(host, TRUSTED_D, &names, &error);
    if (status == HOST_DENIED || status == HOST_FAILED)
        strlist_add(&keyrings->unread, TRUSTED_D);
    for (size_t i = 0; i < names.count && i < FILES_MAX; i++) {
        AUTO_FREE char *path = mem_printf(TRUSTED_D "/%s", names.items[i]);
        if (string_ends(path, ".gpg") || string_ends(path, ".asc"))
            add_file(host, path, keyrings);
    }
}

static void add_key(const struct openpgp_key *key, struct apt_keyrings *keyrings)
{
    struct openpgp_keys *keys = &keyrings->keys;
    *vec_push(keys->items, keys->count, keys->capacity) = *key;
}

/* Those of the trusted keys that a fingerprint or key ID names: "EB69…863CC", with a '!' behind. */
static void add_named(const char *fingerprint, const struct apt_keyrings *trusted,
                      struct apt_keyrings *keyrings)
{
    size_t length = strspn(fingerprint, "0123456789abcdefABCDEF");
    for (size_t i = 0; length >= 16 && i < trusted->keys.count; i++)
        if (strncasecmp(fingerprint + length - 16, trusted->keys.items[i].id, 16) == 0)
            add_key(&trusted->keys.items[i], keyrings);
}

void apt_keyrings_of(const struct host *host, const struct apt_source *source,
                     const struct apt_keyrings *trusted, struct apt_keyrings *keyrings)
{
    bool by_name = source->signed_by.count == 0;
    if (source->inline_key) {
        if (!openpgp_read_keys(source->inline_key, strlen(source->inline_key), &keyrings->keys) ||
            keyrings->keys.unread)
            strlist_add(&keyrings->unread, "Signed-By");
        return;
    }
    for (size_t i = 0; i < source->signed_by.count; i++) {
        const char *word = source->signed_by.items[i];
        by_name = by_name || word[0] != '/';
        if (word[0] == '/')
            add_file(host, word, keyrings);
        else
            add_named(word, trusted, keyrings);
    }
    for (size_t i = 0; source->signed_by.count == 0 && i < trusted->keys.count; i++)
        add_key(&trusted->keys.items[i], keyrings);
    if (!by_name)
        return;
    strlist_copy(&keyrings->files, &trusted->files);
    strlist_copy(&keyrings->unread, &trusted->unread);
}
