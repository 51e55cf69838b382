/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <string.h>

#include "probe/repository/openpgp.h"
#include "probe/repository/sha1.h"

/* Keys and signatures that gpg 2.2.40 made for this test; nobody has the secret keys. */
static const char plain[] = "-----BEGIN PGP PUBLIC KEY BLOCK-----\n"
                            "\n"
                            "mDMEawfPSBYJKwYBBAHaRw8BAQdAdYD5qBSXkeMzHMTrHeEtxFod5ZASKGb6sEAO\n"
                            "hrhJhTa0BXBsYWluiJAEExYIADgWIQRd0ZUUvvfgMJxa2+j5c6xdGraVpwUCawfP\n"
                            "SAIbAwULCQgHAgYVCgkICwIEFgIDAQIeAQIXgAAKCRD5c6xdGraVp1/9AQCrcZnI\n"
                            "XO9nUl3s6Baa/yjT7pR8Y8oS6l1eWV17NX/CxAD/cpslPl4EHTYpraBI4OpIPU8b\n"
                            "9q27pmAWzKgjg3SOGgk=\n"
                            "=6Pvy\n"
                            "-----END PGP PUBLIC KEY BLOCK-----\n";
/* Made in 2020, for 30 days. */
static const char old[] = "-----BEGIN PGP PUBLIC KEY BLOCK-----\n"
                          "\n"
                          "mDMEXgvhABYJKwYBBAHaRw8BAQdASPyzYgMs5B5V2+SeW9MYin1lPlcKHzxOsXcG\n"
                          "md9M+tm0A29sZIiWBBMWCAA+FiEEKVNvQR35+REjB4yYOnGvWPkSbFMFAl4L4QAC\n"
                          "GwMFCQAnjQAFCwkIBwIGFQoJCAsCBBYCAwECHgECF4AACgkQOnGvWPkSbFN6xAEA\n"
                          "vOrCiL3Uc0BrJYt9U5/OwjHNirPq/83EHIUe1FfKdv8BAMAfBkKZbredrBYNQHMM\n"
                          "gJGaLX63HDsw1WOPAXs0X+UB\n"
                          "=vmiB\n"
                          "-----END PGP PUBLIC KEY BLOCK-----\n";
/* Its self-signature is of SHA-1. */
static const char weak[] = "-----BEGIN PGP PUBLIC KEY BLOCK-----\n"
                           "\n"
                           "mDMEawfPSBYJKwYBBAHaRw8BAQdAb+4j3X224WVCyGde7EQd2YMbUCAPEE7mjIPU\n"
                           "baEIS960A3NoYYiQBBMWAgA4FiEEDQZvOUl6ZnBeC+QRvF1n2CRrIoAFAmsHz0gC\n"
                           "GwMFCwkIBwIGFQoJCAsCBBYCAwECHgECF4AACgkQvF1n2CRrIoCtaQEA2lP/Lx3K\n"
                           "3OzfLCxkOU7C6TzSeoBdf/nLZqikFzSMGZoA/jDXlDyu0mNtmuGaUDAZXtpLJet9\n"
                           "7iKZXBn2kf19Ya0N\n"
                           "=jACt\n"
                           "-----END PGP PUBLIC KEY BLOCK-----\n";
static const char signed_file[] =
    "-----BEGIN PGP SIGNED MESSAGE-----\n"
    "Hash: SHA256\n"
    "\n"
    "Origin: x\n"
    "-----BEGIN PGP SIGNATURE-----\n"
    "\n"
    "iHUEARYIAB0WIQRd0ZUUvvfgMJxa2+j5c6xdGraVpwUCawfPSQAKCRD5c6xdGraV\n"
    "p4cfAQDvNDKtDC4Nh5HXlZ+ROUWa3KZWl8nUHmfToDYhJHcfzAEA92RPqwDN6RyD\n"
    "c2BNe3P/fYfLrKmClS0CJOzDugTaCQQ=\n"
    "=YBFq\n"
    "-----END PGP SIGNATURE-----\n";
static const char weakly_signed[] =
    "-----BEGIN PGP SIGNED MESSAGE-----\n"
    "Hash: SHA1\n"
    "\n"
    "Origin: x\n"
    "-----BEGIN PGP SIGNATURE-----\n"
    "\n"
    "iHUEARYCAB0WIQRd0ZUUvvfgMJxa2+j5c6xdGraVpwUCawfPSQAKCRD5c6xdGraV\n"
    "p0/vAP4oYdQC6QUcsxbDS3nXEQWZdoEKfoVoInh2q2X+txKZmQEAwU4uWfRZTiXz\n"
    "VjyIWYs0UmrcU+68Qi9gQ7BScFk2Jg8=\n"
    "=8kdc\n"
    "-----END PGP SIGNATURE-----\n";

#define PLAIN "F973AC5D1AB695A7"
#define OLD   "3A71AF58F9126C53"
#define WEAK  "BC5D67D8246B2280"

static void the_digest_of_the_standard(void **state)
{
    (void)state;
    static const unsigned char expected[SHA1_SIZE] = {0xa9, 0x99, 0x3e, 0x36, 0x47, 0x06, 0x81,
                                                      0x6a, 0xba, 0x3e, 0x25, 0x71, 0x78, 0x50,
                                                      0xc2, 0x6c, 0x9c, 0xd0, 0xd8, 0x9d};
    unsigned char digest[SHA1_SIZE];
    struct sha1 sha1 = sha1_start();
    sha1_add(&sha1, (const unsigned char *)"abc", 3);
    sha1_end(&sha1, digest);
    assert_memory_equal(digest, expected, SHA1_SIZE);
}

static void reads_armored_keys(void **state)
{
    (void)state;
    AUTO_OPENPGP_KEYS struct openpgp_keys keys = {.items = NULL};
    assert_true(openpgp_read_keys(plain, strlen(plain), &keys));
    assert_true(openpgp_read_keys(old, strlen(old), &keys));
    assert_true(openpgp_read_keys(weak, strlen(weak), &keys));
    assert_int_equal(keys.count, 3);
    assert_false(keys.unread);
    assert_string_equal(keys.items[0].id, PLAIN);
    assert_int_equal(keys.items[0].expires, 0);
    assert_false(keys.items[0].weak);
    assert_string_equal(keys.items[1].id, OLD);
    assert_in_range(keys.items[1].expires, 1577836800 + 29 * 86400, 1577836800 + 32 * 86400);
    assert_string_equal(keys.items[2].id, WEAK);
    assert_true(keys.items[2].weak);
}

static void reads_signers(void **state)
{
    (void)state;
    AUTO_STRLIST struct strlist signers = {0}, weakly = {0};
    assert_true(openpgp_read_signers(signed_file, strlen(signed_file), &signers, &weakly));
    assert_int_equal(signers.count, 1);
    assert_string_equal(signers.items[0], PLAIN);
    assert_int_equal(weakly.count, 0);
    assert_true(openpgp_read_signers(weakly_signed, strlen(weakly_signed), &signers, &weakly));
    assert_int_equal(weakly.count, 1);
    assert_false(openpgp_read_signers("Origin: x\n", 10, &signers, &weakly));
}

/* Every beginning of a keyring: none is read beyond its end. */
static void survives_what_is_cut(void **state)
{
    (void)state;
    for (size_t size = 0; size < strlen(plain); size++) {
        AUTO_OPENPGP_KEYS struct openpgp_keys keys = {.items = NULL};
        AUTO_FREE char *part = mem_string_n(plain, size);
        openpgp_read_keys(part, size, &keys);
        assert_true(keys.count <= 1);
    }
    AUTO_OPENPGP_KEYS struct openpgp_keys keys = {.items = NULL};
    assert_false(openpgp_read_keys("KBXf", 4, &keys)); /* GnuPG's keybox */
    assert_true(openpgp_read_keys("\x99\xff\xff\x04", 4, &keys));
    assert_true(keys.unread);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_digest_of_the_standard),
        cmocka_unit_test(reads_armored_keys),
        cmocka_unit_test(reads_signers),
        cmocka_unit_test(survives_what_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
