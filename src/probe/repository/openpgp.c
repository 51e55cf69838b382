/* SPDX-License-Identifier: MIT */
#include "probe/repository/openpgp.h"

#include <string.h>

#include "base/text.h"
#include "probe/repository/sha1.h"

#define ARMOR_BEGIN "-----BEGIN PGP "
#define SIGNATURES  "-----BEGIN PGP SIGNATURE-----"
#define PACKETS_MAX 20000

enum tag { TAG_SIGNATURE = 2, TAG_KEY = 6, TAG_SUBKEY = 14 };

enum { DIGEST_MD5 = 1, DIGEST_SHA1 = 2, DIGEST_RIPEMD = 3 };

/* Bytes that are read from front to back. */
struct span {
    const unsigned char *at;
    size_t left;
};

struct packet {
    unsigned tag;
    struct span body;
};

/* What a signature says that matters here. */
struct signature {
    unsigned type;
    unsigned digest;
    uint32_t created;
    uint32_t lifetime; /* of the key, in seconds; 0: for ever */
    char issuer[OPENPGP_ID_SIZE];
};

void openpgp_keys_free(struct openpgp_keys *keys)
{
    free(keys->items);
    *keys = (struct openpgp_keys){.items = NULL};
}

static bool take(struct span *span, size_t size, struct span *ret_part)
{
    if (span->left < size)
        return false;
    *ret_part = (struct span){.at = span->at, .left = size};
    span->at += size;
    span->left -= size;
    return true;
}

static bool take_number(struct span *span, size_t size, uint32_t *ret_value)
{
    struct span part;
    uint32_t value = 0;
    if (!take(span, size, &part))
        return false;
    for (size_t i = 0; i < size; i++)
        value = value << 8 | part.at[i];
    *ret_value = value;
    return true;
}

/* The length of a packet of the newer format, or of a subpacket. */
static bool take_length(struct span *span, uint32_t *ret_length)
{
    uint32_t first = 0, second = 0;
    if (!take_number(span, 1, &first))
        return false;
    if (first < 192) {
        *ret_length = first;
        return true;
    }
    if (first == 255)
        return take_number(span, 4, ret_length);
    if (first >= 224 || !take_number(span, 1, &second)) /* partial lengths are of messages alone */
        return false;
    *ret_length = ((first - 192) << 8) + second + 192;
    return true;
}

static bool next_packet(struct span *span, struct packet *ret_packet)
{
    uint32_t head = 0, length = 0;
    if (!take_number(span, 1, &head) || !(head & 0x80))
        return false;
    if (head & 0x40) {
        ret_packet->tag = head & 0x3f;
        return take_length(span, &length) && take(span, length, &ret_packet->body);
    }
    ret_packet->tag = head >> 2 & 0x0f;
    if ((head & 3) == 3) /* up to the end */
        return take(span, span->left, &ret_packet->body);
    return take_number(span, (size_t)1 << (head & 3), &length) &&
           take(span, length, &ret_packet->body);
}

static void write_id(const unsigned char *bytes, char ret_id[static OPENPGP_ID_SIZE])
{
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < 8; i++) {
        ret_id[2 * i] = digits[bytes[i] >> 4];
        ret_id[2 * i + 1] = digits[bytes[i] & 15];
    }
    ret_id[16] = '\0';
}

static void take_subpacket(struct span part, struct signature *signature)
{
    uint32_t type = 0;
    if (!take_number(&part, 1, &type))
        return;
    type &= 0x7f; /* the highest bit: it is critical */
    if (type == 2 && part.left >= 4)
        take_number(&part, 4, &signature->created);
    else if (type == 9 && part.left >= 4)
        take_number(&part, 4, &signature->lifetime);
    else if (type == 16 && part.left >= 8)
        write_id(part.at, signature->issuer);
    else if (type == 33 && part.left >= 21 && part.at[0] == 4)
        write_id(part.at + 13, signature->issuer);
    else if (type == 33 && part.left >= 33 && part.at[0] == 6)
        write_id(part.at + 1, signature->issuer);
}

static bool take_subpackets(struct span *span, size_t width, struct signature *signature)
{
    uint32_t size = 0, length = 0;
    struct span all, part;
    if (!take_number(span, width, &size) || !take(span, size, &all))
        return false;
    while (all.left > 0) {
        if (!take_length(&all, &length) || !take(&all, length, &part))
            return false;
        take_subpacket(part, signature);
    }
    return true;
}

static bool read_signature(struct span body, struct signature *ret_signature)
{
    uint32_t version = 0, type = 0, algorithm = 0, digest = 0, hashed = 0;
    struct span part;
    *ret_signature = (struct signature){.type = 0};
    if (!take_number(&body, 1, &version))
        return false;
    if (version == 3) {
        if (!take_number(&body, 1, &hashed) || !take_number(&body, 1, &type) ||
            !take_number(&body, 4, &ret_signature->created) || !take(&body, 8, &part) ||
            !take_number(&body, 1, &algorithm) || !take_number(&body, 1, &digest))
            return false;
        write_id(part.at, ret_signature->issuer);
    } else if (version == 4 || version == 6) {
        size_t width = version == 4 ? 2 : 4;
        if (!take_number(&body, 1, &type) || !take_number(&body, 1, &algorithm) ||
            !take_number(&body, 1, &digest) || !take_subpackets(&body, width, ret_signature) ||
            !take_subpackets(&body, width, ret_signature))
            return false;
    } else {
        return false;
    }
    ret_signature->type = type;
    ret_signature->digest = digest;
    return true;
}

static bool is_weak(const struct signature *signature)
{
    return signature->digest == DIGEST_MD5 || signature->digest == DIGEST_SHA1 ||
           signature->digest == DIGEST_RIPEMD;
}

/* The ID of a key of version 4: the end of the SHA-1 of its packet. Others have no ID here. */
static bool key_id(struct span body, char ret_id[static OPENPGP_ID_SIZE], uint32_t *ret_created)
{
    unsigned char digest[SHA1_SIZE];
    unsigned char head[3] = {0x99, (unsigned char)(body.left >> 8), (unsigned char)body.left};
    struct span rest = body;
    uint32_t version = 0;
    if (body.left > 0xffff || !take_number(&rest, 1, &version) || version != 4 ||
        !take_number(&rest, 4, ret_created))
        return false;
    struct sha1 sha1 = sha1_start();
    sha1_add(&sha1, head, sizeof(head));
    sha1_add(&sha1, body.at, body.left);
    sha1_end(&sha1, digest);
    write_id(digest + SHA1_SIZE - 8, ret_id);
    return true;
}

/* A keyring that is being read: the primary key, and the key that the next signatures are about. */
struct reading {
    struct openpgp_keys *keys;
    char primary[OPENPGP_ID_SIZE];
    bool has_key;
    bool bound;       /* a self-signature of the key was there */
    uint32_t created; /* of the key */
    uint32_t newest;  /* of its self-signatures */
};

static void begin_key(struct reading *reading, const struct packet *packet)
{
    struct openpgp_key key = {.weak = true};
    reading->has_key = key_id(packet->body, key.id, &reading->created);
    if (!reading->has_key) {
        reading->keys->unread = true;
        return;
    }
    if (packet->tag == TAG_KEY)
        memcpy(reading->primary, key.id, sizeof(key.id));
    reading->newest = 0;
    reading->bound = false;
    *vec_push(reading->keys->items, reading->keys->count, reading->keys->capacity) = key;
}

/* The end of a key: without a self-signature nobody knows what it may do. */
static void end_key(struct reading *reading)
{
    if (reading->has_key && !reading->bound)
        reading->keys->items[reading->keys->count - 1].weak = false;
}

static void take_binding(struct reading *reading, struct span body)
{
    struct signature signature;
    if (!reading->has_key || !read_signature(body, &signature) ||
        strcmp(signature.issuer, reading->primary) != 0)
        return;
    struct openpgp_key *key = &reading->keys->items[reading->keys->count - 1];
    if (signature.type == 0x20 || signature.type == 0x28)
        key->revoked = true;
    bool binds = (signature.type >= 0x10 && signature.type <= 0x13) || signature.type == 0x18 ||
                 signature.type == 0x1f;
    if (!binds)
        return;
    reading->bound = true;
    if (!is_weak(&signature))
        key->weak = false;
    if (signature.created < reading->newest)
        return;
    reading->newest = signature.created;
    key->expires = signature.lifetime ? (int64_t)reading->created + signature.lifetime : 0;
}

static void read_packets(struct span span, struct openpgp_keys *keys)
{
    struct reading reading = {.keys = keys};
    struct packet packet;
    for (size_t i = 0; i < PACKETS_MAX && span.left > 0; i++) {
        if (!next_packet(&span, &packet)) {
            keys->unread = true;
            break;
        }
        if (packet.tag == TAG_KEY || packet.tag == TAG_SUBKEY) {
            end_key(&reading);
            begin_key(&reading, &packet);
        } else if (packet.tag == TAG_SIGNATURE) {
            take_binding(&reading, packet.body);
        }
    }
    end_key(&reading);
    keys->unread = keys->unread || span.left > 0;
}

static int base64_value(char c)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(letters, c) : NULL;
    return at ? (int)(at - letters) : -1;
}

static void add_base64(const char *line, struct text *bytes)
{
    uint32_t bits = 0;
    unsigned count = 0;
    for (; *line && base64_value(*line) >= 0; line++) {
        bits = bits << 6 | (uint32_t)base64_value(*line);
        count += 6;
        if (count >= 8) {
            count -= 8;
            text_append_char(bytes, (char)(bits >> count & 0xff));
        }
    }
}

/* The bytes of the armored block at *cursor, which is behind its first line: headers, a blank line,
 * base64, a checksum. */
static void read_armor(char **cursor, struct text *bytes)
{
    bool inside = false;
    for (char *line; (line = string_next_line(cursor)) != NULL;) {
        line = string_trim(line);
        if (string_starts(line, "-----END PGP "))
            return;
        if (line[0] == '\0')
            inside = true;
        else if (inside && line[0] != '=')
            add_base64(line, bytes);
    }
}

/* Calls each() with the bytes of every armored block that begins so. True when there was one. */
static bool each_armor(const char *bytes, size_t size, const char *begin,
                       void (*each)(struct span span, void *data), void *data)
{
    AUTO_FREE char *copy = mem_string_n(bytes, size);
    char *cursor = copy;
    bool found = false;
    for (char *line; (line = string_next_line(&cursor)) != NULL;) {
        AUTO_TEXT struct text block = {0};
        if (!string_starts(string_trim(line), begin))
            continue;
        read_armor(&cursor, &block);
        found = true;
        each((struct span){.at = (const unsigned char *)text_string(&block), .left = block.size},
             data);
    }
    return found;
}

static void add_keys(struct span span, void *data)
{
    read_packets(span, data);
}

bool openpgp_read_keys(const char *bytes, size_t size, struct openpgp_keys *keys)
{
    if (size == 0)
        return true;
    if ((unsigned char)bytes[0] & 0x80) {
        read_packets((struct span){.at = (const unsigned char *)bytes, .left = size}, keys);
        return true;
    }
    return each_armor(bytes, size, ARMOR_BEGIN "PUBLIC KEY BLOCK-----", add_keys, keys);
}

struct signers {
    struct strlist *signers;
    struct strlist *weak;
    bool found;
};

static void add_signers(struct span span, void *data)
{
    struct signers *signers = data;
    struct packet packet;
    for (size_t i = 0; i < PACKETS_MAX && next_packet(&span, &packet); i++) {
        struct signature signature;
        if (packet.tag != TAG_SIGNATURE || !read_signature(packet.body, &signature) ||
            signature.issuer[0] == '\0')
            continue;
        signers->found = true;
        strlist_add_new(signers->signers, signature.issuer);
        if (is_weak(&signature))
            strlist_add_new(signers->weak, signature.issuer);
    }
}

bool openpgp_read_signers(const char *bytes, size_t size, struct strlist *signers,
                          struct strlist *weak)
{
    struct signers data = {.signers = signers, .weak = weak};
    if (size > 0 && (unsigned char)bytes[0] & 0x80)
        add_signers((struct span){.at = (const unsigned char *)bytes, .left = size}, &data);
    else
        each_armor(bytes, size, SIGNATURES, add_signers, &data);
    return data.found;
}
