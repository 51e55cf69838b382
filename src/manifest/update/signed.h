/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_UPDATE_SIGNED_H
#define MANIFEST_UPDATE_SIGNED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fields.h"

/* {"signed": {…}, "signatures": [{"key": …, "signature": …}]}: a document of an update. What is
 * signed are the bytes of the value of "signed" as they stand in the file, from { to }: nothing is
 * written again to verify it. Nothing here verifies a signature: gpuenv-install does. */
#define UPDATE_KEY_SIZE       32 /* Ed25519 (RFC 8032) */
#define UPDATE_SIGNATURE_SIZE 64
#define UPDATE_KEYS_MAX       16 /* of one role */
#define UPDATE_SIGNATURES_MAX 64
#define UPDATE_SPEC           1

struct update_key {
    unsigned char bytes[UPDATE_KEY_SIZE];
};
struct update_signature {
    struct update_key key;
    unsigned char bytes[UPDATE_SIGNATURE_SIZE];
};
struct update_signed {
    const char *text; /* the bytes that are signed, within the document */
    size_t size;
    json_t *json; /* what they say, without keys that begin with x_ */
    struct update_signature *signatures;
    size_t signature_count, signature_capacity;
};
#define AUTO_SIGNED AUTO(update_signed_free)

/* Reads a document that must say it is of this type ("gpuenv-root"). ERROR_DATA otherwise. name is
 * what errors call it. */
bool update_signed_parse(const char *text, size_t size, const char *name, const char *type,
                         struct update_signed *ret_signed, struct error *error);
void update_signed_free(struct update_signed *document);

bool update_key_equal(const struct update_key *a, const struct update_key *b);

/* struct update_key, from 64 hexadecimal digits. */
extern const struct field_type update_field_key;
/* "2027-01-01T00:00:00Z": int64_t, seconds since 1970. */
extern const struct field_type update_field_moment;
/* The same as text, for a person: a new string. */
char *update_moment_text(int64_t moment);

#endif
