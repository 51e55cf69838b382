/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <openssl/evp.h>

#include "base/error.h"
#include "base/hex.h"
#include "base/text.h"
#include "install/update/ed25519.h"
#include "install/update/trust.h"

/* A key pair by a number: its seed is that byte 32 times. */
static EVP_PKEY *key_new(unsigned char seed)
{
    unsigned char bytes[32];
    memset(bytes, seed, sizeof(bytes));
    EVP_PKEY *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, bytes, sizeof(bytes));
    assert_non_null(key);
    return key;
}

static char *key_hex(unsigned char seed)
{
    unsigned char bytes[32];
    size_t size = sizeof(bytes);
    EVP_PKEY *key = key_new(seed);
    assert_int_equal(EVP_PKEY_get_raw_public_key(key, bytes, &size), 1);
    EVP_PKEY_free(key);
    return hex_string(bytes, size);
}

static char *signature_hex(unsigned char seed, const char *text)
{
    unsigned char bytes[64];
    size_t size = sizeof(bytes);
    EVP_PKEY *key = key_new(seed);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    assert_int_equal(EVP_DigestSignInit(context, NULL, NULL, NULL, key), 1);
    assert_int_equal(
        EVP_DigestSign(context, bytes, &size, (const unsigned char *)text, strlen(text)), 1);
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    return hex_string(bytes, size);
}

/* "123": these keys, or these signers. */
static char *keys_json(const char *seeds)
{
    AUTO_TEXT struct text text = {0};
    for (const char *at = seeds; *at; at++) {
        AUTO_FREE char *hex = key_hex((unsigned char)*at);
        text_printf(&text, "%s\"%s\"", at > seeds ? ", " : "", hex);
    }
    return text_steal(&text);
}

static char *signed_by(const char *said, const char *seeds)
{
    AUTO_TEXT struct text text = {0};
    text_printf(&text, "{\"signed\": %s, \"signatures\": [", said);
    for (const char *at = seeds; *at; at++) {
        AUTO_FREE char *key = key_hex((unsigned char)*at);
        AUTO_FREE char *signature = signature_hex((unsigned char)*at, said);
        text_printf(&text, "%s{\"key\": \"%s\", \"signature\": \"%s\"}", at > seeds ? ", " : "",
                    key, signature);
    }
    text_append(&text, "]}");
    return text_steal(&text);
}

static char *root_text(unsigned version, const char *keys, unsigned threshold, const char *signers)
{
    AUTO_FREE char *listed = keys_json(keys);
    AUTO_FREE char *said =
        mem_printf("{\"type\": \"gpuenv-root\", \"spec\": 1, \"version\": %u, \"expires\": "
                   "\"2027-01-01T00:00:00Z\", \"root\": {\"keys\": [%s], \"threshold\": %u}, "
                   "\"manifest\": {\"keys\": [%s], \"threshold\": %u}}",
                   version, listed, threshold, listed, threshold);
    return signed_by(said, signers);
}

static bool begin(char *root, struct update_trust *ret_trust, struct error *error)
{
    AUTO_FREE char *text = root;
    AUTO_FREE char *list = mem_printf("[%s]", text);
    return update_trust_begin(list, strlen(list), ret_trust, error);
}

static bool walk(struct update_trust *trust, char *one, char *other, struct error *error)
{
    AUTO_FREE char *first = one;
    AUTO_FREE char *second = other;
    AUTO_FREE char *list = mem_printf("[%s%s%s]", first, second ? "," : "", second ? second : "");
    error_clear(error);
    return update_trust_walk(trust, list, strlen(list), "f", error);
}

/* RFC 8032, 7.1, test 2. */
static void test_known_answer(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    static const char key[] = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c";
    static const char hex[] = "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
                              "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00";
    struct update_signature signature;
    bool is_valid = false;
    for (size_t i = 0; i < 32; i++)
        signature.key.bytes[i] = (unsigned char)hex_byte(key + 2 * i);
    for (size_t i = 0; i < 64; i++)
        signature.bytes[i] = (unsigned char)hex_byte(hex + 2 * i);
    assert_true(ed25519_verify(&signature, "\x72", 1, &is_valid, &error));
    assert_true(is_valid);
    assert_true(ed25519_verify(&signature, "\x73", 1, &is_valid, &error));
    assert_false(is_valid);
    signature.bytes[0] ^= 1;
    assert_true(ed25519_verify(&signature, "\x72", 1, &is_valid, &error));
    assert_false(is_valid);
    memset(signature.key.bytes, 0xff, sizeof(signature.key.bytes));
    assert_true(ed25519_verify(&signature, "\x72", 1, &is_valid, &error));
    assert_false(is_valid);
}

static void test_a_root_signs_itself(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    AUTO_TRUST struct update_trust trust = {.root = {.version = 0}};
    assert_false(begin(root_text(1, "a", 1, ""), &trust, &error));
    assert_int_equal(error.kind, ERROR_INTERNAL);
    assert_false(begin(root_text(1, "a", 1, "b"), &trust, &error));
    assert_true(begin(root_text(1, "a", 1, "a"), &trust, &error));
    assert_int_equal(trust.root.version, 1);
}

static void test_the_next_is_signed_by_both(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    AUTO_TRUST struct update_trust trust = {.root = {.version = 0}};
    assert_true(begin(root_text(1, "a", 1, "a"), &trust, &error));
    assert_false(walk(&trust, root_text(2, "b", 1, "a"), NULL, &error));
    assert_false(walk(&trust, root_text(2, "b", 1, "b"), NULL, &error));
    assert_int_equal(error.kind, ERROR_DATA);
    assert_string_equal(error.where, "f[0]");
    assert_int_equal(trust.root.version, 1);
    assert_true(walk(&trust, root_text(2, "b", 1, "ab"), root_text(3, "bc", 2, "bc"), &error));
    assert_int_equal(trust.root.version, 3);
    assert_int_equal(trust.documents.count, 3);
}

static void test_none_is_left_out_and_none_comes_back(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    AUTO_TRUST struct update_trust trust = {.root = {.version = 0}};
    assert_true(begin(root_text(1, "a", 1, "a"), &trust, &error));
    assert_false(walk(&trust, root_text(3, "a", 1, "a"), NULL, &error));
    assert_non_null(strstr(error.why, "root 1 is trusted, and root 3 follows"));
    assert_true(walk(&trust, root_text(2, "b", 1, "ab"), NULL, &error));
    assert_true(walk(&trust, root_text(1, "a", 1, "a"), NULL, &error));
    assert_int_equal(trust.root.version, 2);
    assert_true(walk(&trust, root_text(2, "a", 1, "a"), NULL, &error));
    AUTO_FREE char *key = key_hex('b');
    assert_int_equal(trust.root.root.keys[0].bytes[0], hex_byte(key));
}

static void test_what_was_trusted_before_a_failure_stays(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    AUTO_TRUST struct update_trust trust = {.root = {.version = 0}};
    assert_true(begin(root_text(1, "a", 1, "a"), &trust, &error));
    assert_false(walk(&trust, root_text(2, "b", 1, "ab"), root_text(3, "c", 1, "c"), &error));
    assert_string_equal(error.where, "f[1]");
    assert_int_equal(trust.root.version, 2);
}

static bool verifies(const struct update_trust *trust, const char *signers)
{
    AUTO_ERROR struct error error = {0};
    AUTO_SIGNED struct update_signed document = {.text = NULL};
    AUTO_FREE char *text = signed_by("{\"type\": \"t\", \"spec\": 1}", signers);
    assert_true(update_signed_parse(text, strlen(text), "f", "t", &document, &error));
    return update_trust_verify(&trust->root.manifest, &document, "f", &error);
}

static void test_thresholds(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    AUTO_TRUST struct update_trust trust = {.root = {.version = 0}};
    assert_true(begin(root_text(1, "abc", 2, "ac"), &trust, &error));
    assert_true(verifies(&trust, "ab"));
    assert_true(verifies(&trust, "xca"));
    assert_false(verifies(&trust, ""));
    assert_false(verifies(&trust, "a"));
    assert_false(verifies(&trust, "aaa"));
    assert_false(verifies(&trust, "axyz"));
}

static void test_a_wrong_signature_beside_enough_others(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    AUTO_TRUST struct update_trust trust = {.root = {.version = 0}};
    AUTO_SIGNED struct update_signed document = {.text = NULL};
    AUTO_FREE char *text = signed_by("{\"type\": \"t\", \"spec\": 1}", "aab");
    assert_true(begin(root_text(1, "ab", 2, "ab"), &trust, &error));
    assert_true(update_signed_parse(text, strlen(text), "f", "t", &document, &error));
    document.signatures[0].bytes[5] ^= 1;
    assert_true(update_trust_verify(&trust.root.manifest, &document, "f", &error));
    document.signatures[1].bytes[5] ^= 1;
    assert_false(update_trust_verify(&trust.root.manifest, &document, "f", &error));
    assert_string_equal(error.why, "1 valid signature, 2 needed");
}

static void test_the_list_is_what_came(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    AUTO_TRUST struct update_trust trust = {.root = {.version = 0}};
    AUTO_TRUST struct update_trust again = {.root = {.version = 0}};
    assert_true(begin(root_text(1, "a", 1, "a"), &trust, &error));
    assert_true(walk(&trust, root_text(2, "b", 1, "ab"), NULL, &error));
    update_trust_append(&trust, &text);
    assert_true(update_trust_begin(text_string(&text), text.size, &again, &error));
    assert_int_equal(again.root.version, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answer),
        cmocka_unit_test(test_a_root_signs_itself),
        cmocka_unit_test(test_the_next_is_signed_by_both),
        cmocka_unit_test(test_none_is_left_out_and_none_comes_back),
        cmocka_unit_test(test_what_was_trusted_before_a_failure_stays),
        cmocka_unit_test(test_thresholds),
        cmocka_unit_test(test_a_wrong_signature_beside_enough_others),
        cmocka_unit_test(test_the_list_is_what_came),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
