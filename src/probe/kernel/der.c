/* SPDX-License-Identifier: MIT */
#include "probe/kernel/der.h"

#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "base/hex.h"
#include "base/text.h"

#define TAG_INTEGER     0x02
#define TAG_OBJECT      0x06
#define TAG_SEQUENCE    0x30
#define TAG_SET         0x31
#define TAG_FIRST       0xa0 /* [0] */
#define TAG_SECOND      0xa1 /* [1] */
#define NAME_MAX_SIZE   256
#define SERIAL_MAX_SIZE 64

/* A run of elements, of which the first ones may have been taken. */
struct der {
    const unsigned char *bytes;
    size_t size;
};

/* Takes the next element, whatever it is. False at the end and for what is no element. */
static bool take_any(struct der *der, unsigned char *ret_tag, struct der *ret_content)
{
    if (der->size < 2 || (der->bytes[0] & 0x1f) == 0x1f)
        return false;
    size_t length = der->bytes[1];
    size_t header = 2;
    if (length >= 0x80) {
        size_t count = length & 0x7f;
        if (count == 0 || count > 4 || der->size < 2 + count)
            return false;
        length = 0;
        for (size_t i = 0; i < count; i++)
            length = length << 8 | der->bytes[2 + i];
        header += count;
    }
    if (length > der->size - header)
        return false;
    *ret_tag = der->bytes[0];
    *ret_content = (struct der){der->bytes + header, length};
    der->bytes += header + length;
    der->size -= header + length;
    return true;
}

/* Takes the next element when it has this tag, else leaves it. */
static bool take(struct der *der, unsigned char tag, struct der *ret_content)
{
    struct der rest = *der;
    unsigned char found;
    if (!take_any(&rest, &found, ret_content) || found != tag)
        return false;
    *der = rest;
    return true;
}

/* id-at-commonName and id-at-organizationName end with this byte: 2.5.4.3, 2.5.4.10. */
static char *attribute(struct der name, unsigned char kind)
{
    struct der set;
    struct der pair;
    struct der type;
    struct der value;
    unsigned char tag;
    while (take(&name, TAG_SET, &set))
        while (take(&set, TAG_SEQUENCE, &pair))
            if (take(&pair, TAG_OBJECT, &type) && type.size == 3 &&
                memcmp(type.bytes, "\x55\x04", 2) == 0 && type.bytes[2] == kind &&
                take_any(&pair, &tag, &value) && value.size > 0 && value.size <= NAME_MAX_SIZE &&
                memchr(value.bytes, '\0', value.size) == NULL)
                return mem_string_n((const char *)value.bytes, value.size);
    return NULL;
}

static char *name_of(struct der name)
{
    char *common = attribute(name, 3);
    return common ? common : attribute(name, 10);
}

static char *hex_of(struct der number)
{
    while (number.size > 1 && number.bytes[0] == 0) { /* a sign */
        number.bytes++;
        number.size--;
    }
    if (number.size == 0 || number.size > SERIAL_MAX_SIZE)
        return NULL;
    return hex_string(number.bytes, number.size);
}

static bool fill(struct der name, struct der serial, struct der_key *ret_key)
{
    char *string = name_of(name);
    if (string == NULL)
        return false;
    *ret_key = (struct der_key){.name = string, .serial = hex_of(serial)};
    return true;
}

bool der_signer(const void *bytes, size_t size, struct der_key *ret_key)
{
    struct der message = {bytes, size};
    struct der info;
    struct der skipped;
    struct der data;
    struct der signers;
    struct der signer;
    struct der id;
    struct der issuer;
    struct der serial;
    if (!take(&message, TAG_SEQUENCE, &info) || !take(&info, TAG_OBJECT, &skipped) ||
        !take(&info, TAG_FIRST, &skipped) || !take(&skipped, TAG_SEQUENCE, &data))
        return false;
    if (!take(&data, TAG_INTEGER, &skipped) || !take(&data, TAG_SET, &skipped) ||
        !take(&data, TAG_SEQUENCE, &skipped))
        return false;
    take(&data, TAG_FIRST, &skipped);  /* certificates */
    take(&data, TAG_SECOND, &skipped); /* revocation lists */
    return take(&data, TAG_SET, &signers) && take(&signers, TAG_SEQUENCE, &signer) &&
           take(&signer, TAG_INTEGER, &skipped) && take(&signer, TAG_SEQUENCE, &id) &&
           take(&id, TAG_SEQUENCE, &issuer) && take(&id, TAG_INTEGER, &serial) &&
           fill(issuer, serial, ret_key);
}

bool der_certificate(const void *bytes, size_t size, struct der_key *ret_key)
{
    struct der input = {bytes, size};
    struct der certificate;
    struct der body;
    struct der skipped;
    struct der serial;
    struct der issuer;
    struct der subject;
    if (!take(&input, TAG_SEQUENCE, &certificate) || !take(&certificate, TAG_SEQUENCE, &body))
        return false;
    take(&body, TAG_FIRST, &skipped); /* version */
    if (!take(&body, TAG_INTEGER, &serial) || !take(&body, TAG_SEQUENCE, &skipped) ||
        !take(&body, TAG_SEQUENCE, &issuer) || !take(&body, TAG_SEQUENCE, &skipped) ||
        !take(&body, TAG_SEQUENCE, &subject) || !fill(subject, serial, ret_key))
        return false;
    ret_key->issuer = name_of(issuer);
    return true;
}

void der_key_free(struct der_key *key)
{
    free(key->name);
    free(key->serial);
    free(key->issuer);
    *key = (struct der_key){0};
}

bool der_module_signer(const void *bytes, size_t size, struct der_key *ret_key)
{
    static const char magic[] = "~Module signature appended~\n";
    const unsigned char *end = (const unsigned char *)bytes + size;
    const size_t magic_size = sizeof(magic) - 1;
    *ret_key = (struct der_key){0};
    if (size < magic_size || memcmp(end - magic_size, magic, magic_size) != 0)
        return false;
    const size_t about_size = 12;
    if (size < magic_size + about_size)
        return true;
    const unsigned char *about = end - magic_size - about_size;
    size_t length = (size_t)about[8] << 24 | (size_t)about[9] << 16 | (size_t)about[10] << 8 |
                    (size_t)about[11];
    if (about[2] == 2 && length <= size - magic_size - about_size) /* PKEY_ID_PKCS7 */
        der_signer(about - length, length, ret_key);
    return true;
}
