/* SPDX-License-Identifier: MIT */
#include "install/update/ed25519.h"

#include <openssl/err.h>
#include <openssl/evp.h>

static void context_free_at(EVP_MD_CTX **context)
{
    EVP_MD_CTX_free(*context);
}

static void key_free_at(EVP_PKEY **key)
{
    EVP_PKEY_free(*key);
}

/* OpenSSL's own words for what it refused. */
static bool openssl_refuses(struct error *error)
{
    char words[256];
    error_set(error, ERROR_INTERNAL, "cannot verify a signature: libcrypto refuses Ed25519");
    ERR_error_string_n(ERR_get_error(), words, sizeof(words));
    error_why(error, "%s", words);
    return error_next(error, "check the configuration of OpenSSL (OPENSSL_CONF, a FIPS mode)");
}

bool ed25519_verify(const struct update_signature *signature, const void *bytes, size_t size,
                    bool *ret_valid, struct error *error)
{
    ERR_clear_error();
    AUTO(key_free_at)
    EVP_PKEY *key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, signature->key.bytes,
                                                sizeof(signature->key.bytes));
    AUTO(context_free_at) EVP_MD_CTX *context = key ? EVP_MD_CTX_new() : NULL;
    if (context == NULL || EVP_DigestVerifyInit(context, NULL, NULL, NULL, key) != 1)
        return openssl_refuses(error);
    *ret_valid =
        EVP_DigestVerify(context, signature->bytes, sizeof(signature->bytes), bytes, size) == 1;
    ERR_clear_error();
    return true;
}
